import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** Amounts are typed into the cells, key by key, as in a spreadsheet. */

const TABLE = 'pf.fc_superstore_1';
const cell = (row: string[], measure = 'Sales') => ({ row, column: ['2028', measure] });
const FURNITURE = cell(['Furniture']);
const BOOKCASES = cell(['Furniture', 'Bookcases']);
const CHAIRS = cell(['Furniture', 'Chairs']);

const editor = (page: Page) => page.getByLabel('New amount');
const meaning = (page: Page) => page.locator('#cell-meaning');

async function sums(service: Service, where: string) {
  const [row] = await service.query(
    `SELECT sum("Sales")::numeric(20,2)::float8 AS sales, sum("Quantity")::int AS units FROM ${TABLE}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND ${where}`,
  );
  return row as { sales: number; units: number };
}
const scales = async (service: Service) =>
  (await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).length;

test('an amount typed into a cell becomes its new total, and the selection moves down', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await sums(service, `"Sub-Category" = 'Chairs'`);
  await pivot.click(BOOKCASES);
  // The second amount is typed while the first is still being written.
  await page.keyboard.type('40k');
  await expect(meaning(page)).toContainText('→ 40,000');
  await page.keyboard.press('Enter');
  await page.keyboard.type('+500');
  await expect(meaning(page)).toContainText(
    `→ ${(before.sales + 500).toLocaleString('en-US', { minimumFractionDigits: 2 })}`,
  );
  await page.keyboard.press('Enter');
  await expect.poll(() => scales(service)).toBe(2);
  expect((await sums(service, `"Sub-Category" = 'Bookcases'`)).sales).toBe(40_000);
  expect((await sums(service, `"Sub-Category" = 'Chairs'`)).sales).toBeCloseTo(
    before.sales + 500,
    2,
  );
  await expect.poll(() => pivot.number(BOOKCASES)).toBe(40_000);
  await expect(pivot.slice).toContainText('Sub-Category = Furnishings');

  // Ctrl+Z undoes the last of them.
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  expect(await scales(service)).toBe(1);

  // Ctrl+Y redoes it, and the log lists what was done and undone.
  await page.keyboard.press('Control+y');
  await expect(page.getByText(/^Redone: /)).toBeVisible();
  expect((await sums(service, `"Sub-Category" = 'Chairs'`)).sales).toBeCloseTo(
    before.sales + 500,
    2,
  );
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before.sales + 500, 2);
  const log = await pivot.log();
  await expect(log.getByRole('row').filter({ hasText: '+500 Sales' })).toContainText('ana');
  await log
    .getByRole('button', { name: /^Undo entry/ })
    .first()
    .click();
  await log.getByText('Undone (1)').click();
  await expect(log.getByRole('listitem').filter({ hasText: 'undone by ana' })).toContainText(
    '+500',
  );
  await log.getByRole('button', { name: /^Redo entry/ }).click();
  await expect(log.getByText(/^Undone/)).toHaveCount(0);
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(before.sales + 500, 2);
});

test('a typed total is reached although somebody writes at the same moment, and by a redo', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const days = await service.query<{ day: string }>(
    `SELECT DISTINCT "Order Date"::text AS day FROM ${TABLE}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
  );
  const byBea = async () => {
    const slice = { 'Sub-Category': 'Bookcases', 'Order Date': days.map(({ day }) => day) };
    const body = { slice, value_incr: 1000, pf_user: 'bea' };
    expect((await service.api.post('/versions/1/scale', body)).status).toBe(200);
  };
  const sales = async () => (await sums(service, `"Sub-Category" = 'Bookcases'`)).sales;
  // The page has read the totals and sends its request; the other one arrives first.
  await page.route(
    '**/api/versions/1/scale',
    async (route) => {
      await byBea();
      await route.continue();
    },
    { times: 1 },
  );
  await pivot.click(BOOKCASES);
  await page.keyboard.type('40k');
  await page.keyboard.press('Enter');
  await expect.poll(() => scales(service)).toBe(2);
  expect(await sales()).toBe(40_000);
  await expect.poll(() => pivot.number(BOOKCASES)).toBe(40_000);
  const log = await pivot.log();
  await expect(log.getByRole('row').filter({ hasText: 'Sales → 40,000' })).toContainText('ana');

  // A redo aims at the total again.
  await pivot.grid.click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await byBea();
  await expect(page.getByText(/^bea: Scale/).last()).toBeVisible();
  expect(await sales()).not.toBe(40_000);
  await page.keyboard.press('Control+y');
  await expect(page.getByText(/^Redone: /)).toBeVisible();
  expect(await sales()).toBe(40_000);
});

test('typed totals of a block, a held price and the panel are stored as totals', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const last = async () => {
    const [entry] = await service.query<{ params: object }>(
      `SELECT params FROM pf.log ORDER BY id DESC LIMIT 1`,
    );
    return entry?.params;
  };
  // Ctrl+Enter writes into all marked cells.
  await pivot.click(BOOKCASES);
  await pivot.click(CHAIRS, { ctrl: true });
  await pivot.click(cell(['Furniture', 'Tables'], 'Quantity'), { ctrl: true });
  await page.keyboard.type('500');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => scales(service)).toBe(1);
  expect(await last()).toMatchObject({
    edits: [{ value_total: 500 }, { value_total: 500 }, { units_total: 500 }],
  });

  // The panel, also at a held price: value and units reach the announced totals.
  await pivot.click(CHAIRS);
  await pivot.panel.getByLabel('Hold price').check();
  await pivot.type('New total', '1000');
  const units = pivot.panel.getByLabel('Quantity: New total');
  await expect(units).not.toHaveValue('');
  const announced = Number((await units.inputValue()).replaceAll(',', ''));
  await pivot.apply.click();
  await expect.poll(() => scales(service)).toBe(2);
  expect(await last()).toMatchObject({
    ...{ value_total: 1000, units_total: announced, spread: 'price' },
  });
  expect(await sums(service, `"Sub-Category" = 'Chairs'`)).toEqual({
    ...{ sales: 1000, units: announced },
  });
});

test('percentages, factors, sums and a decimal point have the announced meaning', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  let { sales } = await sums(service, `"Category" = 'Furniture'`);
  for (const [text, wanted] of [
    ['-10%', (now: number) => now * 0.9],
    ['*1.05', (now: number) => now * 1.05],
    ['/2', (now: number) => now / 2],
    ['=2*(45000+1.5k)', () => 93_000],
  ] as const) {
    await pivot.click(FURNITURE);
    const written = await scales(service);
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
    await expect(page.getByText(/^Scaled: /).first()).toBeVisible();
    await expect.poll(() => scales(service)).toBe(written + 1);
    const now = await sums(service, `"Category" = 'Furniture'`);
    expect(now.sales).toBeCloseTo(wanted(sales), 1);
    sales = now.sales;
    await expect.poll(() => pivot.number(FURNITURE)).toBeCloseTo(sales, 2);
  }
});

test('an invalid amount is not written, and Escape leaves the cell unchanged', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(FURNITURE);
  const shown = await pivot.text(FURNITURE);
  await page.keyboard.type('12,5x');
  await expect(editor(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(meaning(page)).toContainText('Not an amount');
  await page.keyboard.press('Enter');
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(editor(page)).toHaveCount(0);
  await expect(pivot.grid).toBeFocused();

  // A click elsewhere says why the text was not written, and offers it again.
  await page.keyboard.type('12,5x');
  await expect(meaning(page)).toContainText('Not an amount');
  await pivot.click(cell(['Technology', 'Phones'], 'Quantity'));
  await expect(editor(page)).toHaveCount(0);
  await expect(page.getByText(/^Nothing was changed\. Not an amount/)).toBeVisible();
  await page.getByRole('button', { name: 'Edit the amount' }).click();
  await expect(editor(page)).toHaveValue('12,5x');
  await expect(pivot.slice).not.toContainText('Phones');
  await page.keyboard.press('Escape');
  await expect(pivot.grid).toBeFocused();

  // F2 starts with the current number, which is not written again.
  await page.keyboard.press('F2');
  await expect(editor(page)).toHaveValue('170518.26');
  await page.keyboard.press('Enter');
  await pivot.click(FURNITURE);
  await page.keyboard.type('+0');
  await page.keyboard.press('Enter');
  await expect(page.getByText('This changes nothing.')).toBeVisible();
  expect(await pivot.text(FURNITURE)).toBe(shown);

  // Units are whole: the field writes an amount that the column can store.
  await pivot.click(cell(['Furniture'], 'Quantity'));
  await page.keyboard.type('*2');
  await page.keyboard.press('Enter');
  await expect.poll(() => scales(service)).toBe(1);
  expect((await sums(service, `"Category" = 'Furniture'`)).units).toBe(2 * 1775);
});

test('a click on another cell writes the typed amount; looking at a cell writes nothing', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.type('=-500');
  await pivot.click(BOOKCASES);
  await expect.poll(() => scales(service)).toBe(1);
  await expect.poll(() => pivot.number(CHAIRS)).toBe(-500);
  await expect(pivot.slice).toContainText('Sub-Category = Bookcases');

  // The negative number of a cell is not read as a change, unless it is edited.
  await pivot.click(CHAIRS);
  await page.keyboard.press('F2');
  await expect(editor(page)).toHaveValue('=-500');
  await pivot.panel.getByLabel('Sales: Percent').click();
  await expect(editor(page)).toHaveCount(0);
  await pivot.click(CHAIRS);
  await page.keyboard.press('F2');
  await expect(editor(page)).toHaveValue('=-500');
  await page.keyboard.press('End');
  await page.keyboard.type('0');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect.poll(() => scales(service)).toBe(2);
  await expect.poll(() => pivot.number(CHAIRS)).toBe(-5000);
  // The same if it is typed before the total is known.
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/versions/1/slice', async (route) => {
    await mayAnswer;
    await route.continue();
  });
  await pivot.click(CHAIRS);
  await pivot.type('New total', '-450');
  answer();
  await pivot.apply.click();
  await expect.poll(() => pivot.number(CHAIRS)).toBe(-450);
  expect(await scales(service)).toBe(3);
});

test('a cell that cannot be typed into shows the reason beside it', async ({ page, service }) => {
  await service.api.post('/versions/1/close', { pf_user: 'Ben' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await page.keyboard.type('5');
  await expect(meaning(page)).toContainText('This version is closed');
  await expect(editor(page)).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(meaning(page)).toHaveCount(0);
  // In a header, the two signs open and close the row.
  await pivot.click({ row: ['Furniture'] });
  await expect(pivot.slice).not.toContainText('Sub-Category');
  await page.keyboard.press('-');
  await expect.poll(() => pivot.find(CHAIRS)).toBeNull();
});

test.describe('with a decimal comma', () => {
  test.use({ locale: 'de-DE' });

  test('numbers are read in the format on screen', async ({ page, service }) => {
    const pivot = new PivotPage(page);
    await pivot.open(1);
    const { sales } = await sums(service, `"Sub-Category" = 'Chairs'`);
    const german = sales.toLocaleString('de-DE', { minimumFractionDigits: 2 });
    await expect.poll(() => pivot.text(CHAIRS)).toBe(german);
    await pivot.click(CHAIRS);
    await expect(page.getByTestId('value-total')).toHaveText(german);
    await page.keyboard.type('71.000,5');
    await page.keyboard.press('Enter');
    await expect.poll(() => scales(service)).toBe(1);
    expect((await sums(service, `"Sub-Category" = 'Chairs'`)).sales).toBe(71_000.5);
    await expect.poll(() => pivot.text(CHAIRS)).toBe('71.000,50');
    await pivot.type('Percent', '12,5');
    await expect(pivot.panel.getByLabel('Sales: Percent')).toHaveValue('12,5');
  });
});
