import { test, expect } from '../support/e2e';
import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';
import { loadYearBefore } from './year-before';

/** A launch that ramps up, and changes that keep the total of the group above. */

/** Six months of three drinks and one snack; every amount and its parts are round. */
const TABLE = `
  CREATE TABLE public.drinks AS
  SELECT kind, product, day::date AS "Order Date", sales::numeric(12,2) AS "Sales", units AS "Units"
    FROM (VALUES ('Drinks', 'Tea', 100, 40), ('Drinks', 'Coffee', 200, 80),
                 ('Drinks', 'Water', 50, 120), ('Snacks', 'Nuts', 80, 20))
         AS product (kind, product, sales, units)
   CROSS JOIN generate_series('2027-01-01'::date, '2027-06-01', '1 month') AS month (day)`;

async function planDrinks(service: Service): Promise<PlannedTable> {
  await service.query(TABLE);
  const planned = await planTable(service, 'drinks', {
    kind: 'dimension',
    product: 'dimension',
    'Order Date': 'date',
    Sales: 'value',
    Units: 'units',
  });
  const default_layout = { group_by: ['kind', 'product'], columns: ['Sales', 'Units'] };
  const { status } = await service.api.patch(`/sources/${planned.sourceId}`, { default_layout });
  expect(status).toBe(200);
  return planned;
}

const at = (...row: string[]) => ({ row, column: ['Sales'] });
const TEA = at('Drinks', 'Tea');

test('a clone ramps up over months, by exactly the announced amounts', async ({
  page,
  service,
}) => {
  const { versionId, table } = await planDrinks(service);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await pivot.click(TEA);
  await page.keyboard.press('c');
  await pivot.panel.getByLabel('New product').fill('Iced tea');
  await pivot.panel.getByLabel('New product').press('Tab');
  await pivot.panel.getByLabel('Move Order Date by').fill('3 months');

  // A ramp is filled in by keyboard, and does not apply the form.
  await pivot.panel.getByText('Factor by Order Date').click();
  const ramp = pivot.panel.getByRole('group', { name: 'Ramp up' });
  await ramp.getByLabel('Ramp up from').fill('2027-04-01');
  await ramp.getByLabel('Months').fill('4');
  await page.keyboard.press('Enter');
  const factors = () =>
    pivot.panel
      .getByRole('group', { name: 'Factors by period' })
      .getByLabel(/^Factor, /)
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value));
  expect(await factors()).toEqual(['0', '0.25', '0.5', '0.75', '1']);
  await expect(pivot.panel.getByLabel('Factor on all other days')).toHaveValue('1');

  // Periods can be changed one by one; a wrong one is explained.
  await pivot.panel.getByLabel('From, period 3').fill('2027-04-30');
  await expect(pivot.panel.getByText('Periods 2 and 3 overlap.')).toBeVisible();
  await expect(pivot.apply).toBeDisabled();
  await pivot.panel.getByLabel('From, period 3').fill('2027-05-01');
  await pivot.panel.getByRole('button', { name: 'Remove period 5' }).click();
  await pivot.panel.getByLabel('Factor, period 2').fill('10%');
  await pivot.panel.getByLabel('Factor on all other days').fill('120%');

  // The form survives F5.
  await page.reload();
  await pivot.drawn();
  await pivot.click(TEA);
  expect(await factors()).toEqual(['0', '0.1', '0.5', '0.75']);
  // 10 + 50 + 75 + 3 × 120 of Sales, 4 + 20 + 30 + 3 × 48 of Units.
  await expect(page.getByTestId('extent')).toHaveText(
    'adds 495 Sales, adds 198 Units, from 6 rows. Nothing is copied before Apr 1, 2027.',
  );
  await pivot.apply.click();
  await expect(page.getByText(/^Cloned: /)).toBeVisible();
  expect(
    await service.query(
      `SELECT "Order Date"::text AS day, "Sales"::text AS sales, "Units" AS units
         FROM ${table} WHERE product = 'Iced tea' ORDER BY 1`,
    ),
  ).toEqual([
    { day: '2027-04-01', sales: '10.00', units: 4 },
    { day: '2027-05-01', sales: '50.00', units: 20 },
    { day: '2027-06-01', sales: '75.00', units: 30 },
    { day: '2027-07-01', sales: '120.00', units: 48 },
    { day: '2027-08-01', sales: '120.00', units: 48 },
    { day: '2027-09-01', sales: '120.00', units: 48 },
  ]);
  await expect.poll(() => pivot.number(at('Drinks', 'Iced tea'))).toBe(495);
  await expect(pivot.panel.getByText('Factor on all other days')).toHaveCount(0);
  await pivot.undo();
  expect(await service.query(`SELECT FROM ${table} WHERE pf_iter = 'clone'`)).toEqual([]);
});

/** The stored sums of each product, as decimal text, and the number of entries. */
async function stored(service: Service, { table, versionId }: PlannedTable) {
  const rows = await service.query<{ product: string; sales: string; units: number }>(
    `SELECT product, sum("Sales")::text AS sales, sum("Units")::int AS units
       FROM ${table} GROUP BY 1 ORDER BY 1`,
  );
  const log = await service.query(
    `SELECT FROM pf.log WHERE version_id = ${versionId} AND operation = 'scale'`,
  );
  const sales = Object.fromEntries(rows.map(({ product, sales }) => [product, sales]));
  return { sales, units: rows.map(({ units }) => units), entries: log.length };
}

const BEFORE = { Coffee: '1200.00', Nuts: '480.00', Tea: '600.00', Water: '300.00' };
const UNITS = [480, 120, 240, 720];

test('a product is raised in the panel while the total of its group stays', async ({
  page,
  service,
}) => {
  const planned = await planDrinks(service);
  const pivot = new PivotPage(page);
  await pivot.open(planned.versionId);
  const keep = pivot.panel.getByRole('checkbox', { name: /^Keep the total of / });

  // The total row has no row above it. The row above a group is the total row.
  await pivot.click(at());
  await expect(keep).toBeDisabled();
  await pivot.click(at('Drinks'));
  await expect(pivot.panel.getByLabel('Keep the total of all rows')).toBeEnabled();

  await pivot.click(TEA);
  await pivot.panel.getByLabel('Keep the total of Drinks').check();
  await pivot.type('Change', '150');
  await expect(page.getByTestId('extent')).toHaveText('Sales +150, from 6 rows.');
  await expect(pivot.panel.getByTestId('kept')).toHaveText(
    'Drinks keeps its total; its other rows: Sales 1,500 → 1,350.',
  );
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  // Coffee gives four fifths, and water one fifth.
  expect(await stored(service, planned)).toEqual({
    sales: { ...BEFORE, Coffee: '1080.00', Tea: '750.00', Water: '270.00' },
    units: UNITS,
    entries: 1,
  });
  await expect.poll(() => pivot.number(at('Drinks', 'Coffee'))).toBe(1080);
  expect(await pivot.number(at('Drinks'))).toBe(2100);
  const log = await pivot.log();
  await expect(log.getByRole('row').filter({ hasText: '+150 Sales, total kept' })).toHaveCount(1);
  await pivot.undo();
  expect((await stored(service, planned)).sales).toEqual(BEFORE);
});

test('an amount typed with “keep total” is explained, and taken from the other rows of the group', async ({
  page,
  service,
}) => {
  const planned = await planDrinks(service);
  const pivot = new PivotPage(page);
  await pivot.open(planned.versionId);
  const meaning = page.locator('#cell-meaning');
  const kept = page.getByTestId('kept');
  await pivot.click(TEA);
  await page.keyboard.type('+150 ke');
  await expect(meaning).toHaveText(/^keep total: the row above keeps its total/);
  await page.keyboard.press('Enter');
  await page.keyboard.type('ep total');
  await expect(meaning).toContainText('600 → 750');
  await expect(kept).toHaveText('Drinks keeps its total; its other rows: Sales 1,500 → 1,350.');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(await stored(service, planned)).toEqual({
    sales: { ...BEFORE, Coffee: '1080.00', Tea: '750.00', Water: '270.00' },
    units: UNITS,
    entries: 1,
  });

  // The words hold for one amount only.
  await pivot.click(TEA);
  await page.keyboard.type('1k');
  await expect(meaning).toContainText('750 → 1,000');
  await expect(kept).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await stored(service, planned)).entries).toBe(2);
  expect((await stored(service, planned)).sales).toEqual({
    ...BEFORE,
    ...{ Coffee: '1080.00', Tea: '1000.00', Water: '270.00' },
  });

  // Tried, it is shown on screen, and written as tried.
  await pivot.click(TEA);
  await page.keyboard.type('1.2k keep total');
  await page.keyboard.press('Shift+Enter');
  await expect.poll(() => pivot.number(at('Drinks', 'Coffee'))).toBe(920);
  expect(await pivot.number(at('Drinks'))).toBe(2350);
  expect((await stored(service, planned)).entries).toBe(2);
});

test('the setting of the panel holds for a typed amount, and is refused where nothing can be kept', async ({
  page,
  service,
}) => {
  const planned = await planDrinks(service);
  const pivot = new PivotPage(page);
  await pivot.open(planned.versionId);
  await pivot.click(TEA);
  await pivot.panel.getByLabel('Keep the total of Drinks').check();
  const chips = page.getByRole('list', { name: 'Panel settings for this amount' });

  // Snacks have one product, so nothing can be taken from other rows.
  await pivot.click(at('Snacks', 'Nuts'));
  await page.keyboard.type('+10');
  await expect(chips).toContainText('keeping the total of Snacks');
  await expect(page.locator('#cell-meaning')).toHaveText(/no other rows that are not locked/);
  await page.keyboard.press('Escape');

  // Several cells, and the total row.
  await pivot.click(TEA);
  await pivot.click(at('Drinks', 'Water'), { ctrl: true });
  await page.keyboard.type('+10');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/can be kept for one cell at a time/)).toBeVisible();
  await page.getByRole('button', { name: 'Edit the amount' }).click();
  await expect(page.getByRole('textbox', { name: 'New amount' })).toHaveValue('+10');
  await page.keyboard.press('Escape');
  await pivot.click(at());
  await page.keyboard.type('+10');
  await expect(page.locator('#cell-meaning')).toHaveText(/no common row above/);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/no common row above/).first()).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'New amount' })).toHaveValue('+10');
  await page.keyboard.press('Escape');
  expect(await stored(service, planned)).toEqual({ sales: BEFORE, units: UNITS, entries: 0 });

  // Water is locked, so coffee gives everything.
  const lock = { slice: { product: 'Water' }, pf_user: 'eve' };
  expect((await service.api.post(`/versions/${planned.versionId}/locks`, lock)).status).toBe(201);
  await expect(page.getByRole('button', { name: /^Locks/ })).toContainText('1');
  await pivot.click(TEA);
  await page.keyboard.type('-20%');
  await expect(page.getByTestId('kept')).toContainText('Sales 1,200 → 1,320');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await stored(service, planned)).entries).toBe(1);
  expect((await stored(service, planned)).sales).toEqual({
    ...BEFORE,
    ...{ Coffee: '1320.00', Tea: '480.00' },
  });

  // Without the setting, the same amount is written alone.
  await pivot.click(TEA);
  await pivot.panel.getByLabel('Keep the total of Drinks').check();
  await pivot.click(TEA);
  await page.keyboard.type('500');
  await chips.getByRole('button', { name: 'Leave out: keeping the total of Drinks' }).click();
  await expect(chips).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await stored(service, planned)).sales.Tea).toBe('500.00');
  expect((await stored(service, planned)).sales.Coffee).toBe('1320.00');
});

test('an amount typed with “like ref” is spread like the months of the reference', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
  await page.keyboard.type('1.2m like r');
  const meaning = page.locator('#cell-meaning');
  await expect(meaning).toHaveText(/^like ref: the amount is spread over months/);
  await page.keyboard.type('ef');
  await expect(meaning).toHaveText(/→ 1,200,000\S* .*like the reference$/);
  await expect(page.getByLabel('Spread of this amount')).toHaveValue('reference');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const like = { by: ['Order Date'], unit: 'month', origins: ['reference'] };
  const [entry] = await service.query(`SELECT params FROM pf.log ORDER BY id DESC LIMIT 1`);
  expect(entry?.params).toMatchObject({ value_total: 1_200_000, spread: { like } });
  const months = await service.query(`
    WITH month AS (
      SELECT date_trunc('month', "Order Date") AS month,
             coalesce(sum("Sales") FILTER (WHERE pf_iter <> 'reference'), 0) AS plan,
             coalesce(sum("Sales") FILTER (WHERE pf_iter = 'reference'), 0) AS reference
        FROM pf.fc_superstore_1
       WHERE "Sub-Category" = 'Chairs' AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'
       GROUP BY 1
    ), up_to AS (
      SELECT *, round(1200000 * sum(reference) OVER (ORDER BY month) / sum(reference) OVER (), 2) AS total
        FROM month
    )
    SELECT plan::numeric(20, 2)::text AS plan,
           (total - lag(total, 1, 0) OVER (ORDER BY month))::numeric(20, 2)::text AS wanted
      FROM up_to ORDER BY month`);
  expect(months).toHaveLength(12);
  expect(months.map(({ plan }) => plan)).toEqual(months.map(({ wanted }) => wanted));
  // The words are no setting of the panel.
  await expect(pivot.panel.getByLabel('Spread', { exact: true })).toHaveValue('proportional');
});
