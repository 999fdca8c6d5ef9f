import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { planTable } from '../support/planned-table';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';

/** The numbers announced by a form, a box, a hint or a button are the numbers written afterwards. */

const TABLE = 'pf.fc_superstore_1';

const ok = ({ status, body }: { status: number; body: unknown }) => {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
};

/** Returns the numbers in a text: "9,576.23 (−8 %)" has 9576.23 and -8. */
const numbersIn = (text: string | null): number[] =>
  [...(text ?? '').matchAll(/[-−+]?\d[\d,]*(\.\d+)?/g)].map(([number]) =>
    Number(number.replaceAll(',', '').replace('−', '-')),
  );

const sum = async ({ query }: Service, table: string, column: string, where = 'TRUE') => {
  const [row] = await query(
    `SELECT sum("${column}")::float8 AS sum, count(*)::int AS rows FROM ${table} WHERE ${where}`,
  );
  return row as { sum: number; rows: number };
};

test('the announcement of a percentage around locks matches the written rows', async ({
  page,
  service,
}) => {
  const lock = { slice: { 'Order Date': { to: '2028-06-30' } }, pf_user: 'eve' };
  ok(await service.api.post('/versions/1/locks', lock));
  const free = await sum(service, TABLE, 'Sales', `"Order Date" > '2028-06-30'`);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: [] });
  await expect(pivot.panel.getByTestId('held')).toHaveText(
    /^Locked: [\d,]+ rows, [\d,.]+ Sales and [\d,]+ Quantity\.$/,
  );
  await pivot.type('Percent', '-8');
  await pivot.panel.getByLabel('Quantity: Percent', { exact: true }).fill('-8');

  // The button, the box and the field of the new total.
  await expect(pivot.apply).toHaveText(
    new RegExp(`Scale ${free.rows.toLocaleString('en-US')} rows`),
  );
  const before = await sum(service, TABLE, 'Sales');
  const units = await sum(service, TABLE, 'Quantity');
  const extent = numbersIn(await page.getByTestId('extent').textContent());
  expect(extent[0]).toBeCloseTo(-0.08 * free.sum, 1);
  const total = pivot.panel.getByLabel('Sales: New total', { exact: true });
  const announced = numbersIn(await total.inputValue())[0];
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const after = await sum(service, TABLE, 'Sales');
  expect(after.sum).toBeCloseTo(announced ?? 0, 2);
  expect(after.sum - before.sum).toBeCloseTo(extent[0] ?? 0, 2);
  expect((await sum(service, TABLE, 'Quantity')).sum - units.sum).toBe(extent[1]);
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();

  // The announcement includes a lock that is created meanwhile.
  const all = { slice: {}, pf_user: 'eve' };
  ok(await service.api.post('/versions/1/locks', all));
  await expect(pivot.panel.getByText('Locked by eve.').first()).toBeVisible();
  await expect(pivot.panel.getByTestId('held')).toHaveText(
    new RegExp(`^Locked: ${before.rows.toLocaleString('en-US')} rows`),
  );
});

test('the editor announces the effect of a percentage around locks', async ({ page, service }) => {
  const lock = { slice: { 'Order Date': { to: '2028-06-30' } }, pf_user: 'eve' };
  ok(await service.api.post('/versions/1/locks', lock));
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const cell = { row: [], column: ['2028', 'Sales'] };
  await pivot.click(cell);
  await page.keyboard.type('-8%');
  const meaning = page.locator('#cell-meaning');
  await expect(meaning).toContainText('→');
  const announced = numbersIn(await meaning.textContent())[1];
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const year = await sum(service, TABLE, 'Sales', `extract(year FROM "Order Date") = 2028`);
  expect(year.sum).toBeCloseTo(announced ?? 0, 2);
});

const OFFSETS = `
  CREATE TABLE public.offsets (name text, side text, amount numeric(12,2), pieces integer);
  INSERT INTO public.offsets VALUES
    ('near', 'a', 1000, 1), ('near', 'b', -998, 1), ('exact', 'a', 500, 1), ('exact', 'b', -500, 1),
    ('zero', 'a', 0, 0), ('zero', 'b', 0, 0), ('zero', 'c', 0, 0), ('plain', 'a', 100, 2)`;
const OFFSET_COLUMNS = {
  name: 'dimension',
  side: 'dimension',
  amount: 'value',
  pieces: 'units',
} as const;

test('rows that cancel each other out are announced with their gross change and need a confirmation', async ({
  page,
  service,
}) => {
  await service.query(OFFSETS);
  const { versionId, table } = await planTable(service, 'offsets', OFFSET_COLUMNS);
  const amounts = async (name: string) =>
    (
      await service.query(
        `SELECT sum(amount)::float8 AS sum FROM ${table} WHERE name = '${name}' GROUP BY side ORDER BY side`,
      )
    ).map(({ sum: amount }) => amount as number);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['name'], split_by: [] });
  const cell = (name: string) => ({ row: [name], column: ['amount'] });
  const caution = page.getByTestId('caution');

  // In the cell, Enter is pressed twice.
  await pivot.click(cell('near'));
  await page.keyboard.type('300');
  await expect(caution).toContainText(
    /cancel each other out: increases and decreases of amount add up to 297,702/,
  );
  await page.keyboard.press('Enter');
  await expect(caution).toContainText('Press Enter again to apply it');
  expect(await amounts('near')).toEqual([1000, -998]);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /).first()).toBeVisible();
  expect(await amounts('near')).toEqual([150000, -149700]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => amounts('near')).toEqual([1000, -998]);

  // Another amount needs its own confirmation; Escape writes nothing.
  await pivot.click(cell('near'));
  await page.keyboard.type('300');
  await expect(caution).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.type('0');
  await page.keyboard.press('Enter');
  await expect(caution).toContainText('Press Enter again to apply it');
  await page.keyboard.press('Escape');
  expect(await amounts('near')).toEqual([1000, -998]);

  // Rows that cancel each other out exactly get equal parts.
  await pivot.click(cell('exact'));
  await page.keyboard.type('300');
  await expect(page.getByText('This cell has no rows yet')).toHaveCount(0);
  await expect(caution).toContainText('in equal parts');
  await page.keyboard.press('Enter');
  await expect(caution).toContainText('Press Enter again to apply it in equal parts');
  await page.keyboard.press('Enter');
  await expect.poll(() => amounts('exact')).toEqual([650, -350]);

  // Rows of zero get equal parts without a confirmation.
  await pivot.click(cell('zero'));
  await page.keyboard.type('300');
  await expect(page.locator('#cell-meaning')).toContainText('300');
  await page.keyboard.press('Enter');
  await expect.poll(() => amounts('zero')).toEqual([100, 100, 100]);

  // In the panel, a checkbox confirms, or the amount is spread equally.
  await pivot.click(cell('near'));
  await pivot.panel.getByLabel('amount: New total', { exact: true }).fill('300');
  await expect(caution).toContainText('297,702');
  await expect(pivot.apply).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Try', exact: true })).toBeEnabled();
  await page.getByLabel('Apply it anyway').check();
  await pivot.apply.click();
  await expect.poll(() => amounts('near')).toEqual([150000, -149700]);

  // In a block, such a cell is refused by its name.
  await page.keyboard.press('Control+z');
  await expect.poll(() => amounts('near')).toEqual([1000, -998]);
  await pivot.click(cell('near'));
  await pivot.click(cell('plain'), { ctrl: true });
  await page.keyboard.type('300');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('marked')).toContainText(/near.*cancel each other out/);
  expect(await amounts('plain')).toEqual([100]);
});

test('a redo with other totals says so', async ({ page, service }) => {
  await service.query(OFFSETS);
  const { versionId } = await planTable(service, 'offsets', OFFSET_COLUMNS);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['name'], split_by: [] });
  await pivot.click({ row: ['plain'], column: ['amount'] });
  await page.keyboard.type('+10%');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  const body = { slice: { name: 'plain' }, value_incr: 50, pf_user: 'eve' };
  ok(await service.api.post(`/versions/${versionId}/scale`, body));
  await expect(page.getByText(/^eve: Scale/)).toBeVisible();
  await page.keyboard.press('Control+y');
  await expect(
    page.getByText('Redone: 15.00 amount (previously 10.00).', { exact: true }),
  ).toBeVisible();
});

test('a redo of a clone with other totals says so', async ({ page, service }) => {
  await service.query(OFFSETS);
  const { versionId } = await planTable(service, 'offsets', OFFSET_COLUMNS);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['name'], split_by: [] });
  await pivot.click({ row: ['plain'], column: ['amount'] });
  await pivot.panel.getByRole('tab', { name: 'Clone' }).click();
  await pivot.panel.getByLabel('Factor', { exact: true }).fill('0.5');
  await pivot.panel.getByLabel('New name').fill('copy');
  await page.keyboard.press('Tab');
  await pivot.apply.click();
  await expect(page.getByText(/^Cloned: /)).toBeVisible();
  await pivot.click({ row: ['plain'], column: ['amount'] });
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  const body = { slice: { name: 'plain' }, value_incr: 50, pf_user: 'eve' };
  ok(await service.api.post(`/versions/${versionId}/scale`, body));
  await expect(page.getByText(/^eve: Scale/)).toBeVisible();
  await page.keyboard.press('Control+y');
  await expect(
    page.getByText('Redone: 75.00 amount (previously 50.00).', { exact: true }),
  ).toBeVisible();
});

test('amounts are exact to the last digit, or refused', async ({ page, service }) => {
  await service.query(`
    CREATE DOMAIN public.whole AS numeric(20,0);
    CREATE TABLE public.digits (name text, amount public.whole, pieces numeric(20,2));
    INSERT INTO public.digits VALUES ('a', 100, 7), ('b', 4503599627370500, 90000000000000.05)`);
  const columns = { name: 'dimension', amount: 'value', pieces: 'units' } as const;
  const { versionId, table } = await planTable(service, 'digits', columns);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  await arrange(page, { group_by: ['name'], split_by: [] });
  const meaning = page.locator('#cell-meaning');

  // A column of a domain has the decimals of its base type.
  await pivot.click({ row: ['a'], column: ['amount'] });
  await page.keyboard.type('123.45');
  await expect(meaning).toContainText(/→ 123 /);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect((await sum(service, table, 'amount', `name = 'a'`)).sum).toBe(123);

  // More digits than a number in the page can have.
  await pivot.click({ row: ['a'], column: ['pieces'] });
  await page.keyboard.type('4,503,599,627,370,500.05');
  await expect(meaning).toContainText('too many digits to be stored exactly');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.type('90000000000000');
  await expect(meaning).toContainText('too many digits to be stored exactly');
  await page.keyboard.press('Escape');
  await pivot.click({ row: ['b'], column: ['pieces'] });
  await page.keyboard.type('5');
  await expect(meaning).toContainText('too many digits to be exact');
  await page.keyboard.press('Escape');
  expect((await sum(service, table, 'pieces', `name = 'a'`)).sum).toBe(7);
});

const PRICED = `
  CREATE TABLE public.priced (name text, side text, amount numeric(12,0), pieces integer);
  INSERT INTO public.priced VALUES ('desk', 'a', 100, 3), ('desk', 'b', 50, 1), ('lamp', 'a', 10, 2)`;

/** Opens a plan of {@link PRICED}, with the price beside amount and pieces. */
async function openPriced(page: Page, service: Service, split_by: string[] = []) {
  await service.query(PRICED);
  const { sourceId, versionId, table } = await planTable(service, 'priced', OFFSET_COLUMNS);
  const default_layout = {
    group_by: ['name'],
    split_by,
    columns: ['amount', 'pieces', 'amount: price'],
  };
  ok(await service.api.patch(`/sources/${sourceId}`, { default_layout }));
  const lock = async (slice: object) =>
    ok(await service.api.post(`/versions/${versionId}/locks`, { slice, pf_user: 'eve' }));
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  const entries = async () =>
    (await service.query(`SELECT FROM pf.log WHERE operation <> 'baseline'`)).length;
  const scale = async (body: object) =>
    ok(await service.api.post(`/versions/${versionId}/scale`, { ...body, pf_user: 'eve' }));
  return { pivot, table, lock, scale, entries };
}

test('an amount is not replaced by the percentage of the other measure at a held price around locks', async ({
  page,
  service,
}) => {
  const { pivot, table, lock, entries } = await openPriced(page, service);
  await lock({ name: 'desk', side: 'b' });
  await pivot.click({ row: ['desk'], column: ['amount'] });
  await expect(pivot.panel.getByTestId('held')).toContainText('Locked: 1 row');
  await pivot.panel.getByLabel('Hold price').check();
  await pivot.panel.getByLabel('amount: Percent', { exact: true }).fill('10');
  await pivot.panel.getByLabel('pieces: New total', { exact: true }).fill('160');
  await expect(page.locator('#apply-obstacle')).toContainText('only with a percentage');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/only with a percentage/).last()).toBeVisible();
  expect(await entries()).toBe(0);

  // A lock without rows in the selection limits nothing.
  await lock({ name: 'lamp', side: 'b' });
  await pivot.click({ row: ['lamp'], column: ['amount'] });
  await expect(page.getByTestId('value-total')).toHaveText('10');
  await pivot.panel.getByLabel('amount: Percent', { exact: true }).fill('');
  await pivot.panel.getByLabel('amount: Change', { exact: true }).fill('10');
  await expect(page.getByTestId('extent')).toHaveText('amount +10, pieces +2, from 1 row.');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect((await sum(service, table, 'amount', `name = 'lamp'`)).sum).toBe(20);
  expect((await sum(service, table, 'pieces', `name = 'lamp'`)).sum).toBe(4);
});

test('the units at a held price are announced rounded and unrounded, with their own percentage', async ({
  page,
  service,
}) => {
  const { pivot } = await openPriced(page, service);
  await pivot.click({ row: ['desk'], column: ['amount'] });
  await pivot.panel.getByLabel('Hold price').check();
  await pivot.panel.getByLabel('amount: Percent', { exact: true }).fill('40');
  await expect(page.getByTestId('remainder')).toContainText('+2 pieces instead of +1.6:');
  const percent = pivot.panel.getByLabel('pieces: Percent', { exact: true });
  await expect(percent).toHaveValue('50');
  await pivot.apply.click();
  await expect.poll(() => pivot.text({ row: ['desk'], column: ['pieces'] })).toBe('6');
});

test('a typed price announces the price of the rounded value', async ({ page, service }) => {
  const { pivot } = await openPriced(page, service);
  const cell = { row: ['desk'], column: ['amount: price'] };
  await pivot.click(cell);
  await page.keyboard.type('33.4');
  await expect(page.locator('#cell-meaning')).toContainText('37.50 → 33.50');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.text(cell)).toBe('33.50');
});

test('a percentage in an empty cell is refused while it is typed', async ({ page, service }) => {
  const { pivot, entries } = await openPriced(page, service, ['side']);
  await pivot.click({ row: ['lamp'], column: ['b', 'amount'] });
  await page.keyboard.type('5%');
  const meaning = page.locator('#cell-meaning');
  await expect(meaning).toContainText('This cell is empty, so a percentage has no effect');
  await page.keyboard.press('Escape');
  // The copies would be more than 1,000 times their model.
  await page.keyboard.type('200000');
  await expect(meaning).toContainText('add up to almost 0');
  await page.keyboard.press('Escape');
  await page.keyboard.type('25');
  await expect(meaning).toContainText('0 → 25');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.text({ row: ['lamp'], column: ['b', 'amount'] })).toBe('25');
  expect(await entries()).toBe(1);
});

test('a recode announces exactly the rows that it moves', async ({ page, service }) => {
  const { pivot, table, lock, entries } = await openPriced(page, service);
  await pivot.click({ row: ['desk'], column: ['amount'] });
  await (await pivot.newValue('side')).fill('b');
  await page.keyboard.press('Tab');
  const extent = page.getByTestId('extent');
  await expect(extent).toHaveText('moves 100 amount, moves 3 pieces, from 1 row.');
  await pivot.panel.getByRole('button', { name: 'Recode 1 row', exact: true }).click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  expect(await sum(service, table, 'amount', `side = 'b'`)).toEqual({ sum: 150, rows: 2 });

  // The rows that it moved are there now.
  await (await pivot.newValue('side')).fill('b');
  await page.keyboard.press('Tab');
  await expect(extent).toHaveText('moves nothing, from 2 rows.');
  const obstacle = page.locator('#apply-obstacle');
  await expect(obstacle).toHaveText('These rows add up to zero, so there is nothing to move.');
  await expect(pivot.apply).toBeDisabled();

  // A lock on some of the rows refuses a recode of all of them.
  await lock({ name: 'desk', side: 'b' });
  await expect(obstacle).toContainText('locked');
  expect(await entries()).toBe(1);
});

test('a change that would do nothing is refused before it is sent', async ({ page, service }) => {
  const { pivot, scale, entries } = await openPriced(page, service);
  const extent = page.getByTestId('extent');
  const obstacle = page.locator('#apply-obstacle');
  await pivot.click({ row: ['lamp'], column: ['amount'] });
  for (const measure of ['amount', 'pieces']) {
    await pivot.panel.getByLabel(`${measure}: Percent`, { exact: true }).fill('4');
  }
  await expect(obstacle).toHaveText(
    'This percentage of the amounts rounds to 0. Enter a larger one, or an amount.',
  );
  await expect(pivot.apply).toBeDisabled();
  await (await pivot.newValue('name')).fill('lamp');
  await page.keyboard.press('Tab');
  await expect(extent).toHaveText('moves nothing, from 0 rows.');
  await expect(obstacle).toHaveText('These rows already have these values.');
  await expect(pivot.apply).toBeDisabled();

  await pivot.panel.getByRole('tab', { name: 'Clone' }).click();
  await pivot.panel.getByLabel('Factor').fill('4%');
  await expect(obstacle).toHaveText('This part of the amounts rounds to 0. Enter a larger factor.');

  // Amounts that cancel out on each leaf cannot be copied either.
  await scale({ slice: { name: 'lamp' }, value_incr: -10, units_incr: -2 });
  await expect(obstacle).toHaveText('These rows add up to zero, so there is nothing to copy.');

  // Amounts that cancel out over several leaves are moved, and said.
  await scale({ slice: { name: 'desk', side: 'a' }, value_incr: -150 });
  await pivot.click({ row: ['desk'], column: ['amount'] });
  await (await pivot.newValue('name')).fill('sofa');
  await page.keyboard.press('Tab');
  await expect(extent).toContainText('moves 0 amount (100 in absolute amounts), moves ');
  expect(await entries()).toBe(2);
});

test('a lock that is created meanwhile recalculates a trial', async ({ page, service }) => {
  const { pivot, lock } = await openPriced(page, service);
  await pivot.click({ row: ['desk'], column: ['amount'] });
  await pivot.panel.getByLabel('amount: Percent', { exact: true }).fill('10');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  const tried = page.getByRole('region', { name: 'Tried', exact: true });
  await expect(tried.getByTestId('tried-totals')).toContainText('150 → 165');
  await lock({ name: 'desk', side: 'b' });
  await expect(page.getByText(/^The locks have changed/)).toBeVisible();
  await expect(tried).toContainText('Held: 1 row keep their amounts, 50 amount');
  await expect.poll(() => pivot.text({ row: ['desk'], column: ['amount'] })).toBe('165');
});
