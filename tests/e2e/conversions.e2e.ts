import type { Page } from '@playwright/test';
import { expect, test, visit } from '../support/e2e';
import { planTable } from '../support/planned-table';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';

/** Conversions: amounts of two currencies at four rates, shown, typed into and used by a formula. */

test.use({ template: 'service' });

const PLAN = 'EUR, plan rate';
const CONSTANT = 'EUR, constant rate';
const RATES: Record<string, string> = {
  [PLAN]: 'r.plan',
  'EUR, last year': 'r.last_year',
  'EUR, actual': 'r.actual',
  [CONSTANT]: 'k.rate',
};
const PER_PIECE = 'EUR per piece';
const EFFECT = 'Effect of rates';

/** Plans sales of two regions in two currencies, with rates by month and constant ones, and two formulas. */
async function planCurrencies(service: Service) {
  await service.query(`CREATE TABLE public.deals AS
    SELECT region, shop, currency, day::date, sales::numeric(12,2), pieces
    FROM (VALUES ('North', 'n1', 'USD', '2027-01-05', 100, 3), ('North', 'n1', 'USD', '2027-02-05', 50.25, 2),
      ('North', 'n2', 'CHF', '2027-01-07', 80, 4), ('North', 'n2', 'CHF', '2027-02-07', 20.5, 1),
      ('West', 'w1', 'CHF', '2027-02-11', 300, 9), ('West', 'w2', 'USD', '2027-01-31', 33.33, 1))
      AS r (region, shop, currency, day, sales, pieces);
    CREATE TABLE public.rates (currency text, first date, last date, plan numeric, last_year integer, actual double precision);
    INSERT INTO public.rates VALUES
      ('USD', '2027-01-01', '2027-01-31', 0.912, 1, 0.95), ('USD', '2027-02-01', '2027-02-28', 0.93, 1, 0.96),
      ('CHF', '2027-01-01', '2027-01-31', 1.05, 2, 1.1), ('CHF', '2027-02-01', '2027-02-28', 1.0725, 2, 1.2);
    CREATE TABLE public.constant_rates AS SELECT * FROM (VALUES ('USD', 0.9), ('CHF', 1.0)) AS r (currency, rate)`);
  const planned = await planTable(service, 'deals', {
    region: 'dimension',
    shop: 'dimension',
    currency: 'dimension',
    day: 'date',
    sales: { role: 'value', label: 'Sales' },
    pieces: 'units',
  });
  const add = async (path: string, body: object) => {
    const answer = await service.api.post(`/sources/${planned.sourceId}/${path}`, {
      ...body,
      pf_user: 'ann',
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  };
  const measure = 'sales';
  const keys = [{ column: 'currency', from: 'currency' }];
  await add('lookups', {
    ...{ name: 'Rates', schema: 'public', tname: 'rates', keys },
    range: { column: 'day', from: 'first', through: 'last' },
    conversions: [
      { label: PLAN, measure, rate: 'plan' },
      { label: 'EUR, last year', measure, rate: 'last_year' },
      { label: 'EUR, actual', measure, rate: 'actual' },
    ],
  });
  await add('lookups', {
    ...{ name: 'Constant', schema: 'public', tname: 'constant_rates', keys },
    conversions: [{ label: CONSTANT, measure, rate: 'rate' }],
  });
  await add('formulas', { name: PER_PIECE, expression: `"${PLAN}" / pieces` });
  await add('formulas', { name: EFFECT, expression: `"EUR, actual" - "${PLAN}"` });
  return planned;
}

/** The sales of the rows behind a condition, and their conversions, by SQL. */
async function bySql({ query }: Service, table: string, where: string) {
  const sums = Object.entries(RATES).map(
    ([name, rate]) => `sum(f.sales * ${rate})::float8 AS "${name}"`,
  );
  const [row = {}] = await query<Record<string, number>>(
    `SELECT sum(f.sales)::float8 AS sales, sum(f.pieces)::int AS pieces, ${sums.join(', ')} FROM ${table} f
       LEFT JOIN public.rates r ON r.currency = f.currency AND f.day BETWEEN r.first AND r.last
       LEFT JOIN public.constant_rates k ON k.currency = f.currency
     WHERE f.pf_iter <> 'reference' AND ${where}`,
  );
  return row;
}

const MEASURES = ['sales', 'pieces', ...Object.keys(RATES), PER_PIECE, EFFECT];
const cell = (row: string[], measure: string) => ({ row, column: [measure] });

/** Opens a pivot of the plan by region and shop, with all conversions and both formulas. */
async function openRates(page: Page, service: Service) {
  const { versionId, table } = await planCurrencies(service);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['region', 'shop'], split_by: [], columns: MEASURES });
  await expect.poll(() => pivot.text(cell(['North'], PLAN))).toBe('243.92');
  return { versionId, table, pivot };
}

test('amounts are converted row by row at every level, and typed into', async ({
  page,
  service,
}) => {
  const { table, pivot } = await openRates(page, service);

  const levels: [row: string[], where: string][] = [
    [[], 'TRUE'],
    [['North'], `region = 'North'`],
    [['West'], `region = 'West'`],
    [['North', 'n1'], `shop = 'n1'`],
    [['West', 'w1'], `shop = 'w1'`],
  ];
  for (const [row, where] of levels) {
    const sums = await bySql(service, table, where);
    for (const name of ['sales', ...Object.keys(RATES)])
      expect(await pivot.number(cell(row, name)), `${row.join()} ${name}`).toBeCloseTo(
        sums[name] ?? NaN,
        2,
      );
    expect(await pivot.number(cell(row, PER_PIECE))).toBeCloseTo(
      (sums[PLAN] ?? NaN) / (sums['pieces'] ?? NaN),
      2,
    );
    expect(await pivot.number(cell(row, EFFECT))).toBeCloseTo(
      (sums['EUR, actual'] ?? NaN) - (sums[PLAN] ?? NaN),
      2,
    );
  }

  // A converted amount scales the rows of both currencies behind it. Rates stay.
  const north = `region = 'North'`;
  const before = await bySql(service, table, north);
  const meaning = page.locator('#cell-meaning');
  await pivot.click(cell(['North'], PLAN));
  await page.keyboard.type('500');
  await expect(meaning).toContainText('→ 500.00');
  await expect(meaning).toContainText('Sales 250.75 → 514');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await bySql(service, table, north))[PLAN]).toBeCloseTo(500, 1);
  const factor = 500 / (before[PLAN] ?? NaN);
  expect((await bySql(service, table, `shop = 'n2'`))['sales']).toBeCloseTo(100.5 * factor, 1);
  await expect.poll(() => pivot.number(cell(['North'], PLAN))).toBeCloseTo(500, 1);
  expect(await pivot.number(cell([], CONSTANT))).toBeCloseTo(
    ...[(await bySql(service, table, 'TRUE'))[CONSTANT] ?? NaN, 1],
  );

  // The explanation converts the amount of each entry.
  await pivot.click(cell(['North'], PLAN));
  await page.keyboard.press('w');
  const why = page.getByRole('region', { name: 'Why', exact: true });
  const bar = (name: RegExp) => why.getByRole('listitem').filter({ hasText: name });
  await expect(bar(/^Now/)).toContainText((await pivot.text(cell(['North'], PLAN))) ?? '…');
  await expect(bar(/^baseline/i)).toContainText('243.92');
  await why.getByRole('tab', { name: 'Sales' }).click();
  await expect(bar(/^baseline/i)).toContainText('250.75');
});

test('a formula with a conversion changes the measure behind it; one with two of a measure is refused', async ({
  page,
  service,
}) => {
  const { table, pivot } = await openRates(page, service);
  const meaning = page.locator('#cell-meaning');
  await pivot.click(cell(['West'], PER_PIECE));
  await page.keyboard.type('50');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await bySql(service, table, `region = 'West'`))[PLAN])
    .toBeCloseTo(500, 1);
  await pivot.click(cell(['West'], EFFECT));
  await page.keyboard.type('5');
  await expect(meaning).toContainText('are made of');
  await page.keyboard.press('Escape');
});

test('rates that changed or are missing are not typed into, and missing ones are counted', async ({
  page,
  service,
}) => {
  const { versionId, table, pivot } = await openRates(page, service);
  const before = await bySql(service, table, `region = 'West'`);
  // Rates that changed since the page read them are refused until the rows are loaded again.
  await service.query(`UPDATE public.rates SET plan = plan * 2`);
  await pivot.click(cell(['West'], PLAN));
  await page.keyboard.type('1000');
  await page.keyboard.press('Enter');
  await expect(page.getByText('or in the table of a lookup').first()).toBeVisible();
  await page.keyboard.press('Escape');
  expect((await bySql(service, table, `region = 'West'`))['sales']).toBe(before['sales']);

  // Amounts without a rate are counted, left out, and not typed into.
  await service.query(`DELETE FROM public.rates WHERE currency = 'USD' AND first = '2027-02-01'`);
  const compared = await service.api.post(`/versions/${versionId}/reference`, { pf_user: 'ann' });
  expect(compared.status).toBe(200);
  await page.reload();
  await pivot.drawn();
  const banner = page.getByText(/^Some amounts have no rate/);
  await expect(banner).toContainText('EUR, plan rate (1 row)');
  await expect(banner).toContainText('EUR, plan rate: reference (1 row)');
  await arrange(page, { group_by: ['shop'], split_by: [], columns: MEASURES });
  const shop = await bySql(service, table, `shop = 'n1'`);
  await expect.poll(() => pivot.number(cell(['n1'], PLAN))).toBeCloseTo(shop[PLAN] ?? NaN, 1);
  await pivot.click(cell(['n1'], PLAN));
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 row of this cell has no rate for').first()).toBeVisible();
  expect(await bySql(service, table, `shop = 'n1'`)).toEqual(shop);
});

test('an admin adds rates of a table as conversions', async ({ page, service }) => {
  const { sourceId } = await planCurrencies(service);
  await service.query(`CREATE TABLE public.fx AS SELECT currency, rate AS budget_rate, rate AS spot
    FROM public.constant_rates; DELETE FROM pf.lookup`);
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, `/sources/${sourceId}?tab=lookups`);
  const dialog = page.getByRole('dialog');
  const button = (name: string) => dialog.getByRole('button', { name, exact: true });
  await page.getByRole('button', { name: 'Add a lookup' }).click();
  await dialog.getByText('fx', { exact: true }).click();
  await button('Next').click();
  await expect(dialog.getByLabel('Column of the source')).toHaveValue('currency');
  await button('Add a key').click();
  await expect(dialog.getByLabel('Column of the source').last()).toBeFocused();
  await dialog
    .getByRole('button', { name: /^Remove the key/ })
    .last()
    .click();
  await expect(button('Add a key')).toBeFocused();
  await button('Add').click();
  await expect(dialog.getByText('Choose at least one column, or add a conversion.')).toBeVisible();
  await button('Add a conversion').click();
  await expect(dialog.getByLabel('Name of the conversion')).toHaveValue('Sales, Budget rate');
  await expect(dialog.getByLabel('Name of the conversion')).toBeFocused();
  await dialog.getByLabel('Name of the conversion').fill('Sales in EUR');
  await dialog.getByLabel('Rate', { exact: true }).selectOption('spot');
  await button('Add').click();
  await expect(page.getByRole('row', { name: /^Fx/ })).toContainText('Sales in EUR');
  const [lookup] = await service.query('SELECT attributes, conversions FROM pf.lookup');
  expect(lookup).toEqual({
    attributes: [],
    conversions: [{ label: 'Sales in EUR', measure: 'sales', rate: 'spot' }],
  });
});
