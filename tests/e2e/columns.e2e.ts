import { expect, test } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';

/** Columns are a tree as rows are: groups open and close across, and their totals are cells as others. */

const TABLE = 'pf.fc_superstore_1';
const BY_YEAR_AND_SEGMENT = {
  group_by: ['Category', 'Sub-Category'],
  split_by: ['year', 'Segment'],
  columns: ['Sales', 'Quantity'],
  expressions: { year: `bucket("Order Date", 'Y')` },
};
const chairs = (...column: string[]) => ({ row: ['Furniture', 'Chairs'], column });
const CLOSED = chairs('2028', 'Total', 'Sales');
const HOME = chairs('2028', 'Home Office', 'Sales');
const ALL = chairs('Total', '', 'Sales');
const OF_2028 = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;

test('groups of columns open and close, and their totals are typed into', async ({
  page,
  service,
}) => {
  const sales = async (where: string) => {
    const [row] = await service.query<{ sales: number }>(
      `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM ${TABLE}
        WHERE "Sub-Category" = 'Chairs' AND ${where}`,
    );
    return row?.sales ?? NaN;
  };
  const panelAgrees = (sum: number) =>
    expect(page.getByTestId('value-total')).toContainText(
      sum.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    );
  const search = () => new URL(page.url()).search;
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, BY_YEAR_AND_SEGMENT);
  await expect.poll(() => pivot.find(HOME)).not.toBeNull();

  // By mouse: the group closes, and what it shows is the sum of what it showed.
  const before = await sales(OF_2028);
  await pivot.grid.getByRole('button', { name: 'Close 2028' }).click();
  await expect.poll(() => pivot.number(CLOSED)).toBeCloseTo(before, 2);
  expect(await pivot.find(HOME)).toBeNull();
  await pivot.click(CLOSED);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await expect(pivot.slice).not.toContainText('Segment');
  await panelAgrees(before);

  // What is typed into a total goes to all that is behind it, and to nothing else.
  const others = await sales(`NOT (${OF_2028})`);
  await page.keyboard.type('+1000');
  await page.keyboard.press('Enter');
  await expect.poll(() => sales(OF_2028)).toBeCloseTo(before + 1000, 2);
  expect(await sales(`NOT (${OF_2028})`)).toBe(others);
  await expect.poll(() => pivot.number(CLOSED)).toBeCloseTo(before + 1000, 2);
  // The update has opened nothing.
  expect(await pivot.find(HOME)).toBeNull();

  // By keyboard: it opens, and closes again from a cell within.
  await pivot.click(CLOSED);
  await page.keyboard.press('Shift+Space');
  await expect.poll(() => pivot.find(HOME)).not.toBeNull();
  await pivot.click(HOME);
  await page.keyboard.press('Shift+Space');
  await expect.poll(() => pivot.find(HOME)).toBeNull();
  await expect(pivot.slice).toHaveCount(0);

  // The total of all columns, and those of open groups; the address says which are shown.
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Levels' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Total column first');
  await expect.poll(search).toContain('totals=start');
  await expect.poll(() => pivot.number(ALL)).toBeCloseTo(before + 1000 + others, 2);
  await pivot.click(ALL);
  await panelAgrees(before + 1000 + others);
  await expect(pivot.slice).not.toContainText('Order Date');
  await page.keyboard.type('-10%');
  await page.keyboard.press('Enter');
  const less = (before + 1000 + others) * 0.9;
  await expect.poll(() => sales('TRUE')).toBeCloseTo(less, 2);
  await expect.poll(() => pivot.number(ALL)).toBeCloseTo(less, 2);
  await choose('Only year');
  await expect.poll(search).toContain('across=0');
  await page.reload();
  await pivot.drawn();
  await expect.poll(() => pivot.number(ALL)).toBeCloseTo(less, 2);
  expect(await pivot.find(HOME)).toBeNull();

  // The total row stays in sight, however far the rows below it are scrolled.
  await page.setViewportSize({ width: 1280, height: 420 });
  await pivot.grid.hover();
  await page.mouse.wheel(0, 5000);
  await expect.poll(() => pivot.find({ row: ['Furniture'] })).toBeNull();
  const total = { row: [], column: ['Total', '', 'Sales'] };
  expect(await pivot.number(total)).toBeGreaterThan(0);
  const firstRow = await pivot.grid.locator('tbody td').first().boundingBox();
  const heads = await pivot.grid.locator('thead').boundingBox();
  expect(Math.abs((firstRow?.y ?? 0) - (heads?.y ?? 0) - (heads?.height ?? 0))).toBeLessThan(3);
  await pivot.click(total);
  const [everything] = await service.query<{ sales: number }>(
    `SELECT sum("Sales")::numeric(20,2)::float8 AS sales FROM ${TABLE}`,
  );
  await panelAgrees(everything?.sales ?? NaN);
});
