import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Fields are arranged and rows filtered in the product's own panel, by mouse and by keyboard. */

const search = (page: Page) => new URL(page.url()).search;
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Arrange' });
const zone = (page: Page, name: string) => panelOf(page).getByRole('list', { name, exact: true });
const button = (page: Page, field: string) =>
  panelOf(page).getByRole('button', { name: `Arrange ${field}`, exact: true });

async function choose(page: Page, field: string, item: string): Promise<void> {
  await button(page, field).press('Enter');
  // The menu of the place that the field has left may still be closing.
  await expect(page.getByRole('menu')).toHaveCount(1);
  await page.getByRole('menuitem', { name: item }).press('Enter');
}

async function filterBy(page: Page, field: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByLabel('Find a field to filter by').fill(field);
  await page.keyboard.press('Enter');
}

test('fields move to the chosen place, and the rest of the pivot does not change', async ({
  page,
  service,
}) => {
  await service.api.put('/sources/1/columns', [{ cname: 'Region', label: 'Sales region' }]);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await pivot.grid.boundingBox();
  await page.keyboard.press('a');
  await expect(panelOf(page)).toBeVisible();
  expect(await pivot.grid.boundingBox()).toEqual(before);
  await expect(panelOf(page).getByText(/^pf_/)).toHaveCount(0);

  // By mouse: into the rows, to a place among them, and out.
  await panelOf(page)
    .locator('[data-field="Region"]')
    .dragTo(zone(page, 'Rows'), { targetPosition: { x: 60, y: 60 } });
  await expect(zone(page, 'Rows').getByRole('listitem')).toHaveText([
    /Category/,
    /Sub-Category/,
    /Sales region/,
  ]);
  await expect.poll(() => search(page)).toBe('?rows=Category,Sub-Category,Region');
  // Open rows stay open, and the new level is closed.
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Chairs'] })).not.toBeNull();
  expect(await pivot.find({ row: ['Furniture', 'Chairs', 'West'] })).toBeNull();
  await panelOf(page)
    .locator('[data-field="Sub-Category"]')
    .dragTo(page.getByRole('group', { name: 'Fields that are not shown' }), {
      // Within the visible part: if the panel scrolled, another field would be under the mouse.
      targetPosition: { x: 60, y: 8 },
    });
  await expect.poll(() => search(page)).toMatch(/^\?rows=Category,Region/);

  // By keyboard: up among the rows, into the columns, and out.
  await button(page, 'Sales region').press('Alt+ArrowUp');
  await expect.poll(() => search(page)).toMatch(/^\?rows=Region,Category/);
  await expect(button(page, 'Sales region')).toBeFocused();
  await panelOf(page).getByLabel('Find a field', { exact: true }).fill('segm');
  await choose(page, 'Segment', 'Move to columns');
  await panelOf(page).getByLabel('Find a field', { exact: true }).fill('');
  await choose(page, 'Order Date (year)', 'Remove');
  await expect.poll(() => search(page)).toMatch(/^\?rows=Region,Category&columns=Segment/);
  const cell = { row: ['West'], column: ['Consumer', 'Sales'] };
  await expect.poll(() => pivot.find(cell)).not.toBeNull();
  await choose(page, 'Category', 'Remove');
  await choose(page, 'Sales region', 'Move to columns');
  await expect(
    panelOf(page)
      .getByRole('region', { name: 'Rows' })
      .getByText(/Rows need at least one field/),
  ).toBeInViewport();

  // Rows are sorted by a measure, months by date.
  await choose(page, 'Sales', 'Sort rows: largest first');
  await expect.poll(() => search(page)).toContain('&sort=Sales:desc');
  await expect(pivot.grid.locator('th[aria-sort=descending]').first()).toContainText('Sales');
  const [{ regions }] = await service.query(
    `SELECT array_agg("Region" ORDER BY sales DESC) AS regions
     FROM (SELECT "Region", sum("Sales") AS sales FROM pf.fc_superstore_1 GROUP BY 1) r`,
  );
  const places = async () =>
    Promise.all(regions.map(async (name: string) => (await pivot.find({ row: [name] }))?.y ?? 0));
  await expect
    .poll(async () => {
      const ys = await places();
      return ys.every((y, i) => i === 0 || y > ys[i - 1]);
    })
    .toBe(true);
  await choose(page, 'Segment', 'Remove');
  await choose(page, 'Order Date', 'Move to columns');
  await choose(page, 'Order Date (year)', 'By month');
  await expect
    .poll(() => pivot.find({ row: ['West'], column: ['Jan 2027', 'Sales'] }))
    .not.toBeNull();
  const [january, february] = await Promise.all(
    ['Jan 2027', 'Feb 2027'].map((month) =>
      pivot.find({ row: ['West'], column: [month, 'Sales'] }),
    ),
  );
  expect(january!.x).toBeLessThan(february!.x);

  // Selecting a cell replaces the list of fields.
  await pivot.click({ row: ['West'] });
  await expect(panelOf(page)).toHaveCount(0);
});

test('filters are visible and limit operations', async ({ page, service }) => {
  await service.query(`UPDATE pf.fc_superstore_1 SET "Segment" = NULL WHERE pf_id % 7 = 0`);
  await service.api.post('/versions/1/scale', { slice: {}, value_incr: 5000, pf_user: 'bea' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const TOTAL = { row: [], column: ['2028', 'Sales'] };
  const sum = async (condition: string) => {
    const [{ sum }] = await service.query(
      `SELECT sum("Sales")::float8 AS sum FROM pf.fc_superstore_1
       WHERE date_part('year', "Order Date") = 2028 AND ${condition}`,
    );
    return Number(sum.toFixed(2));
  };
  const chip = (name: string) => page.getByRole('group', { name: 'Filters' }).getByText(name);

  await filterBy(page, 'Region');
  const popover = page.getByRole('dialog', { name: 'Filter by Region' });
  await popover.getByLabel('Search the values of Region').fill('st');
  await popover.getByRole('button', { name: 'Apply' }).click();
  await expect(chip('Region in East, West')).toBeVisible();
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum(`"Region" IN ('East', 'West')`));
  expect(search(page)).toBe('?filter=Region:in:East:West');

  // The empty value can be filtered like any other value.
  await filterBy(page, 'Segment');
  await page.getByRole('button', { name: 'Without Consumer' }).click();
  await expect(chip('Segment not Consumer')).toBeVisible();
  const both = `"Region" IN ('East', 'West') AND "Segment" IS DISTINCT FROM 'Consumer'`;
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum(both));
  await chip('Segment not Consumer').click();
  await page.getByRole('button', { name: 'Only empty' }).click();
  await expect(chip('Segment = empty')).toBeVisible();
  await expect
    .poll(() => pivot.number(TOTAL))
    .toBe(await sum(`"Region" IN ('East', 'West') AND "Segment" IS NULL`));
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum('true'));

  // Selects as many of the largest values as requested.
  await filterBy(page, 'Sub-Category');
  const most = page.getByLabel('Number of largest values');
  await most.fill('many');
  await expect(page.getByRole('button', { name: 'Largest', exact: true })).toBeDisabled();
  await most.fill('2');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Apply' }).click();
  const largest = await service.query(
    `SELECT "Sub-Category" AS name FROM pf.fc_superstore_1 GROUP BY 1 ORDER BY sum("Sales") DESC LIMIT 2`,
  );
  const names = largest.map(({ name }) => name as string).toSorted();
  await expect(chip(`Sub-Category in ${names.join(', ')}`)).toBeVisible();
  await page.getByRole('button', { name: /^Remove the filter Sub-Category/ }).click();
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum('true'));

  // A range of dates, which also limits an operation on a cell.
  await filterBy(page, 'Order Date');
  await page.getByLabel('From').fill('2028-02-01');
  await page.getByLabel('To', { exact: true }).fill('2028-03-31');
  await page.getByRole('button', { name: 'Apply' }).click();
  const quarter = `"Order Date" BETWEEN '2028-02-01' AND '2028-03-31'`;
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum(quarter));
  await pivot.click({ row: ['Furniture'] });
  await pivot.scaleValue(10);
  const [{ first, last }] = await service.query(
    `SELECT min("Order Date")::text AS first, max("Order Date")::text AS last
     FROM pf.fc_superstore_1 WHERE pf_logid = (SELECT max(id) FROM pf.log)`,
  );
  expect([first >= '2028-02-01', last <= '2028-03-31']).toEqual([true, true]);
  await page.getByRole('button', { name: /^Remove the filter Order Date/ }).click();
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum('true'));

  // A filter added while one entry is shown stays when everything is shown again.
  const log = await pivot.log();
  await log.getByRole('cell', { name: 'bea', exact: true }).click();
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  await filterBy(page, 'Ship Mode');
  await page.getByRole('button', { name: 'Only First Class' }).click();
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  await page.getByRole('button', { name: 'Show everything' }).first().click();
  await expect(chip('Ship Mode = First Class')).toBeVisible();
  await expect.poll(() => pivot.number(TOTAL)).toBe(await sum(`"Ship Mode" = 'First Class'`));
});

test('a cell and a header can be filtered by or excluded', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const pressRight = async (cell: Parameters<typeof pivot.find>[0]) => {
    const at = await pivot.find(cell);
    await page.mouse.click(at!.x, at!.y, { button: 'right' });
  };
  await pressRight({ row: ['Furniture'] });
  await page.getByRole('menuitem', { name: 'Without Furniture' }).click();
  await expect.poll(() => search(page)).toBe('?filter=Category:!=:Furniture');
  await expect.poll(() => pivot.find({ row: ['Furniture'] })).toBeNull();
  await pressRight({ row: [], column: ['2028', 'Sales'] });
  await page.getByRole('menuitem', { name: 'Only 2028' }).click();
  const year = '&filter=Order+Date:%3E=:2028-01-01&filter=Order+Date:%3C=:2028-12-31';
  await expect.poll(() => search(page)).toBe(`?filter=Category:!=:Furniture${year}`);
  await expect.poll(() => pivot.find({ row: [], column: ['2029', 'Sales'] })).toBeNull();
  // A cell sorts the rows by its measure, and by its column alone.
  await pressRight({ row: [], column: ['2028', 'Sales'] });
  await page.getByRole('menuitem', { name: 'Sort rows by Sales: smallest first' }).click();
  await expect.poll(() => search(page)).toContain('sort=Sales:asc');
  await pressRight({ row: [], column: ['2028', 'Sales'] });
  await page.getByRole('menuitem', { name: 'Sort rows by Sales of 2028: largest first' }).click();
  await expect.poll(() => search(page)).toContain('sort=Sales+of+2028:desc');
  const ordered = await service.query(
    `SELECT "Sub-Category" AS name FROM pf.fc_superstore_1
     WHERE "Category" = 'Technology' AND date_part('year', "Order Date") = 2028
     GROUP BY 1 ORDER BY sum("Sales") DESC`,
  );
  const shown = async () =>
    (await pivot.cells())
      .filter(({ row }) => row[0] === 'Technology' && row.length === 2)
      .map(({ row }) => row[1]);
  const names = ordered.map(({ name }) => name as string);
  await expect.poll(async () => [...new Set(await shown())]).toEqual(names);
  await expect(pivot.grid.locator('th[aria-sort=descending]')).toHaveCount(1);
  // The link keeps the order; the order is removed with its column.
  await page.reload();
  await pivot.drawn();
  await expect.poll(async () => [...new Set(await shown())]).toEqual(names);
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await choose(page, 'Order Date (year)', 'By quarter');
  await expect.poll(() => search(page)).not.toContain('sort=');
  await choose(page, 'Order Date (quarter)', 'By year');
  await expect.poll(() => pivot.find({ row: [], column: ['2028', 'Sales'] })).not.toBeNull();
  await page.keyboard.press('Escape');
  await pivot.click({ row: ['Technology', 'Phones'] });
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Only Phones' }).press('Enter');
  await expect.poll(() => search(page)).toContain('&filter=Sub-Category:==:Phones');
  await expect(pivot.grid).toBeFocused();
});
