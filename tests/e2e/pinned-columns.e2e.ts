import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import { PivotPage, type CellName } from './pivot-page';

/** Columns of the pivot that stay in place while the others scroll. */

const cell = (year: string, measure: string): CellName => ({
  row: ['Furniture', 'Chairs'],
  column: [year, measure],
});
const FIRST = cell('2027', 'Sales');
const EDGE = cell('2027', 'Quantity');
const LAST = cell('2030', 'Quantity');

const pinned = (page: Page) => new URL(page.url()).searchParams.get('pinned');
const pinnedCells = (pivot: PivotPage) =>
  pivot.grid.locator('tbody tr:last-child').locator('td.pf-pinned');

// Not all columns have room.
test.use({ viewport: { width: 900, height: 800 } });

/** Pins the first two columns with the keyboard. */
async function pinTwo(page: Page, pivot: PivotPage): Promise<void> {
  await pivot.click(EDGE);
  await page.keyboard.press('Shift+F10');
  await page
    .getByRole('menuitem', { name: 'Pin the columns up to here', exact: true })
    .press('Enter');
  await expect.poll(() => pinned(page)).toBe('2');
  await expect(pinnedCells(pivot)).toHaveCount(2);
}

test('pinned columns stay in place, and are selected, typed into, marked and copied like others', async ({
  page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pinTwo(page, pivot);

  // To the last column: the others scroll away. The cells stay in the order of the columns for readers.
  await page.keyboard.press('End');
  await expect(pivot.slice).toContainText('Order Date in 2030');
  await expect.poll(() => pivot.find(LAST)).not.toBeNull();
  await expect.poll(() => pivot.find(cell('2028', 'Sales'))).toBeNull();
  const drawn = (await pivot.cells()).filter(({ row }) => row.at(-1) === 'Chairs');
  expect(drawn.slice(0, 3).map(({ column }) => column)).toEqual([
    undefined,
    FIRST.column,
    EDGE.column,
  ]);
  const lefts = drawn.map(({ x }) => x);
  expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));

  // A pinned cell is in view wherever the others are scrolled; its neighbour scrolls into view.
  await page.keyboard.press('Home');
  await expect(pivot.slice).toContainText('Order Date in 2027');
  await expect.poll(() => pivot.find(LAST)).not.toBeNull();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(pivot.slice).toContainText('Order Date in 2028');
  await expect.poll(() => pivot.find(cell('2028', 'Sales'))).not.toBeNull();

  // Typed into while the others are scrolled.
  await page.keyboard.press('End');
  await expect.poll(() => pivot.find(cell('2028', 'Sales'))).toBeNull();
  await pivot.click(FIRST);
  await page.keyboard.type('12345.5');
  await page.keyboard.press('Enter');
  const stored = async () => {
    const [row] = await service.query<{ sales: number }>(
      `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_1
        WHERE "Sub-Category" = 'Chairs' AND extract(year FROM "Order Date") = 2027`,
    );
    return row!.sales;
  };
  await expect.poll(stored).toBeCloseTo(12345.5, 6);
  await expect.poll(() => pivot.number(FIRST)).toBe(12345.5);

  // A block from a pinned cell over the columns that are scrolled away.
  await pivot.click(EDGE);
  const end = (await pivot.find(LAST))!;
  await page.keyboard.down('Shift');
  await page.mouse.click(end.x, end.y);
  await page.keyboard.up('Shift');
  await expect(page.getByTestId('marked')).toContainText('7 cells');
  await page.keyboard.press('Control+c');
  await expect(page.getByText('Copied: 7 cells.')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const sums = await service.query<{ sales: number; units: number }>(
    `SELECT round(sum("Sales"), 2)::float8 AS sales, sum("Quantity")::int AS units
       FROM pf.fc_superstore_1 WHERE "Sub-Category" = 'Chairs'
      GROUP BY extract(year FROM "Order Date") ORDER BY extract(year FROM "Order Date")`,
  );
  const amounts = sums.flatMap(({ sales, units }) => [sales, units]).slice(1);
  expect(copied.trim().split('\t').map(Number)).toEqual(amounts);
});

test('pinned columns are kept by the arrangement with their widths, give way in a narrow window, and are unpinned', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pinTwo(page, pivot);
  await page.reload();
  await pivot.drawn();
  await expect(pinnedCells(pivot)).toHaveCount(2);
  await pivot.grid.hover();
  await page.mouse.wheel(600, 0);
  await expect.poll(() => pivot.find(cell('2028', 'Sales'))).toBeNull();

  // Resized while the others are scrolled.
  const edge = pivot.grid.locator('thead th.pf-measure.pf-pin-edge');
  const widthNow = async () => Math.round((await edge.boundingBox())!.width);
  const usual = await widthNow();
  const box = (await edge.boundingBox())!;
  await page.mouse.move(box.x + box.width - 4, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 36, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(widthNow).toBe(usual + 40);
  await expect(page).toHaveURL(/width=2027.*Quantity/);

  await page.reload();
  await pivot.drawn();
  await expect(pinnedCells(pivot)).toHaveCount(2);
  await expect.poll(widthNow).toBe(usual + 40);

  // The other columns keep some room.
  await page.setViewportSize({ width: 640, height: 800 });
  await expect(pinnedCells(pivot)).toHaveCount(1);
  expect(pinned(page)).toBe('2');
  await page.setViewportSize({ width: 900, height: 800 });
  await expect(pinnedCells(pivot)).toHaveCount(2);

  await edge.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Unpin the columns', exact: true }).click();
  await expect(pinnedCells(pivot)).toHaveCount(0);
  await expect.poll(() => pinned(page)).toBeNull();
  await expect.poll(() => pivot.find(cell('2028', 'Sales'))).not.toBeNull();
});
