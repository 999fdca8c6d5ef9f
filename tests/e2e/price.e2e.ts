import type { Page } from '@playwright/test';
import { aloneTest, expect, test, storeText, visit } from '../support/e2e';
import { changeUnnoticed, type Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** The price of a cell: value per unit, computed from sums. Prices can be typed. */

const TABLE = 'pf.fc_superstore_1';
const PRICE = 'Sales: price';
const at = (row: string[], measure: string) => ({ row, column: ['2028', measure] });
const CHAIRS = ['Furniture', 'Chairs'];
const TABLES = ['Furniture', 'Tables'];

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Arrange' });
async function choose(page: Page, field: string, item: string): Promise<void> {
  await panelOf(page)
    .getByRole('button', { name: `Arrange ${field}`, exact: true })
    .press('Enter');
  await page.getByRole('menuitem', { name: item }).press('Enter');
}

const meaning = (page: Page) => page.locator('#cell-meaning');

async function stored(service: Service, sub: string) {
  const [row] = await service.query(
    `SELECT sum("Sales")::numeric(20,4)::float8 AS sales, sum("Quantity")::int AS units,
       count(*) FILTER (WHERE pf_iter = 'scale' AND "Quantity" <> 0)::int AS moved
     FROM ${TABLE} WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'
       AND "Sub-Category" = '${sub}'`,
  );
  return row as { sales: number; units: number; moved: number };
}
const priceOf = ({ sales, units }: { sales: number; units: number }) => (sales / units).toFixed(2);
const scales = async (service: Service) =>
  (await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).length;

test('a price typed into a cell changes the value and holds the units', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await storeText(page, 'pf.spread', 'equal');
  await pivot.open(1);
  // Adding the price adds the measures it needs.
  await page.keyboard.press('a');
  await choose(page, 'Quantity', 'Remove');
  await panelOf(page).getByLabel('Find a field', { exact: true }).fill('price');
  await choose(page, PRICE, 'Move to measures');
  const measures = panelOf(page).getByRole('list', { name: 'Measures' });
  await expect(measures.getByRole('listitem')).toHaveText([/Sales/, /Quantity/, /Sales: price/]);
  await page.keyboard.press('Escape');
  const before = await stored(service, 'Chairs');
  await expect.poll(() => pivot.text(at(CHAIRS, PRICE))).toBe(priceOf(before));

  // A new price, typed key by key.
  await pivot.click(at(CHAIRS, PRICE));
  await page.keyboard.type('150');
  await expect(meaning(page)).toContainText(`${priceOf(before)} → 150.00`);
  await page.keyboard.press('Enter');
  await expect.poll(() => scales(service)).toBe(1);
  const dear = await stored(service, 'Chairs');
  expect(dear).toEqual({ units: before.units, sales: 150 * before.units, moved: 0 });
  await expect.poll(() => pivot.text(at(CHAIRS, PRICE))).toBe('150.00');
  expect(await pivot.number(at(CHAIRS, 'Sales'))).toBe(dear.sales);

  // Each row's price rises by the same share, although the planner spreads equally otherwise.
  const [entry] = await service.query<{ params: object }>(
    `SELECT params FROM pf.log WHERE operation = 'scale'`,
  );
  expect(entry?.params).toHaveProperty('value_total', 150 * before.units);
  expect(entry?.params).not.toHaveProperty('spread');

  // A tried price shows the effect on the totals of the value.
  await pivot.click(at(CHAIRS, PRICE));
  await page.keyboard.type('160');
  await page.keyboard.press('Shift+Enter');
  await expect.poll(() => pivot.text(at(CHAIRS, PRICE))).toBe('160.00');
  await expect(page.getByTestId('tried-on-screen').getByRole('listitem')).toHaveText([
    /^Total\s/,
    /^Furniture\s/,
  ]);
  expect(await stored(service, 'Chairs')).toEqual(dear);
  await page.keyboard.press('Escape');
  await expect.poll(() => pivot.text(at(CHAIRS, PRICE))).toBe('150.00');

  // Tried units list the totals of the units.
  await pivot.click(at(CHAIRS, PRICE));
  const units = pivot.panel.getByLabel('Quantity: New total', { exact: true });
  await units.fill(String(before.units + 10));
  await units.press('Control+Shift+Enter');
  await expect(
    page.getByRole('heading', { name: 'Totals of Quantity on screen', exact: true }),
  ).toBeVisible();
  await expect(page.getByTestId('tried-on-screen').getByRole('listitem')).toHaveText([
    /^Total\s+[\d,]+ → [\d,]+$/,
    /^Furniture\s+[\d,]+ → [\d,]+$/,
  ]);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('tried-on-screen')).toHaveCount(0);

  // An amount per unit, and then a percentage.
  await pivot.click(at(CHAIRS, PRICE));
  await page.keyboard.type('+0.25');
  await expect(meaning(page)).toContainText('150.00 → 150.25');
  await page.keyboard.press('Enter');
  await expect.poll(() => pivot.text(at(CHAIRS, PRICE))).toBe('150.25');
  await pivot.click(at(CHAIRS, PRICE));
  await page.keyboard.type('-10%');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await stored(service, 'Chairs')).sales)
    .toBe(Math.round(150.25 * before.units * 90) / 100);
  expect((await stored(service, 'Chairs')).units).toBe(before.units);

  // One entry can change many prices; a price beside a value is refused.
  await pivot.click(at(CHAIRS, PRICE));
  await pivot.click(at(TABLES, PRICE), { ctrl: true });
  await expect(page.getByTestId('marked')).toContainText('2 cells');
  await page.keyboard.type('99.5');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => scales(service)).toBe(4);
  for (const sub of ['Chairs', 'Tables']) {
    const { sales, units } = await stored(service, sub);
    expect(sales).toBe(99.5 * units);
  }
  await pivot.click(at(CHAIRS, 'Sales'));
  await pivot.click(at(TABLES, PRICE), { ctrl: true });
  await page.keyboard.type('5');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/Select only prices, or no prices/)).toBeVisible();
  expect(await scales(service)).toBe(4);

  // The price is not a sum: the grid sorts by it itself, and a chart draws it as in the grid.
  const header = pivot.grid.locator('thead th', { hasText: PRICE }).first();
  const rows = () => pivot.grid.locator('tbody th').allInnerTexts();
  const sorted = await service.query<{ name: string }>(
    `SELECT "Category" AS name FROM ${TABLE} GROUP BY 1 ORDER BY sum("Sales") / sum("Quantity") DESC`,
  );
  await header.click();
  await expect
    .poll(async () => (await rows()).filter((row) => sorted.some(({ name }) => name === row)))
    .toEqual(sorted.map(({ name }) => name));
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const chart = page.getByRole('region', { name: 'Chart' });
  await chart.getByLabel('Measure').selectOption(PRICE);
  await expect(chart.getByRole('columnheader', { name: 'Furniture', exact: true })).toBeAttached();
  const series = await chart.getByRole('columnheader').allTextContents();
  const [furniture] = await service.query<{ sales: number; units: number }>(
    `SELECT sum("Sales")::float8 AS sales, sum("Quantity")::int AS units FROM ${TABLE}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND "Category" = 'Furniture'`,
  );
  const of2028 = chart.getByRole('row', { name: '2028' }).getByRole('cell');
  await expect(of2028.nth(series.indexOf('Furniture') - 1)).toHaveText(
    furniture ? priceOf(furniture) : '',
  );
});

test('a price cannot be typed into a cell without units', async ({ page, service }) => {
  await service.query(`UPDATE ${TABLE} SET "Quantity" = 0 WHERE "Sub-Category" = 'Chairs'`);
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, `/versions/1?measures=Sales,Quantity,${encodeURIComponent(PRICE)}`);
  await pivot.drawn();
  await pivot.click(at(CHAIRS, PRICE));
  expect(await pivot.text(at(CHAIRS, PRICE))).toBe('');
  await page.keyboard.type('5');
  await expect(page.getByText(/^This cell shows no price: it has no units/)).toBeVisible();
  await page.keyboard.press('Enter');
  expect(await scales(service)).toBe(0);

  // The units that the price needs are loaded although the pivot does not show them.
  await visit(page, `/versions/1?measures=Sales,${encodeURIComponent(PRICE)}`);
  await pivot.drawn();
  expect(await pivot.text(at(TABLES, PRICE))).toBe(priceOf(await stored(service, 'Tables')));
});

// Rows are changed without notice, which the server would remember.
aloneTest('a block of prices is written as stored, to the last cell', async ({ page, service }) => {
  const of2028 = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
  await service.query(`UPDATE ${TABLE} SET "Sales" = "Quantity" * 0.25
     WHERE "Sub-Category" IN ('Chairs', 'Tables') AND ${of2028}`);
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, `/versions/1?measures=Sales,Quantity,${encodeURIComponent(PRICE)}`);
  await pivot.drawn();
  const before = [await stored(service, 'Chairs'), await stored(service, 'Tables')];
  const enter = async (text: string) => {
    await pivot.click(at(CHAIRS, PRICE));
    await pivot.click(at(TABLES, PRICE), { ctrl: true });
    await expect(page.getByTestId('marked')).toContainText('2 cells');
    await page.keyboard.type(text);
    await page.keyboard.press('Control+Enter');
  };
  await enter('+2%');
  await expect.poll(() => scales(service)).toBe(1);
  for (const [i, sub] of ['Chairs', 'Tables'].entries()) {
    const { sales, units } = await stored(service, sub);
    expect(units).toBe(before[i]?.units);
    // Values are rounded to cents.
    expect(Math.abs(sales - 0.255 * units)).toBeLessThan(0.0051);
  }
  await expect.poll(() => pivot.number(at(TABLES, PRICE))).toBeCloseTo(0.26, 1);
  // An amount too small per unit for the value column, but not for all units.
  await enter('+0.00004');
  await expect.poll(() => scales(service)).toBe(2);
  for (const sub of ['Chairs', 'Tables']) {
    const { sales, units } = await stored(service, sub);
    expect(Math.abs(sales - 0.25504 * units)).toBeLessThan(0.0102);
  }

  // Without stored units there is no price, although the screen still shows one: no cell is written.
  await changeUnnoticed(
    service,
    `UPDATE ${TABLE} SET "Quantity" = 0 WHERE "Sub-Category" = 'Chairs' AND ${of2028}`,
  );
  const tables = await stored(service, 'Tables');
  const chairs = await stored(service, 'Chairs');
  await enter('0.5');
  await expect(page.getByText(/Chairs, 2028 .*: This cell no longer has units/)).toBeVisible();
  await enter('+1');
  await expect(page.getByText(/Chairs, 2028 .*: This cell no longer has units/)).toBeVisible();
  expect(await scales(service)).toBe(2);
  expect(await stored(service, 'Tables')).toEqual(tables);
  expect(await stored(service, 'Chairs')).toEqual(chairs);
});
