import type { Page } from '@playwright/test';
import { violations } from '../support/axe';
import { expect, test } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { arrange, PivotPage } from './pivot-page';

/** Bars and points of a chart: their labels, and the cells that they select. */

const TABLE = 'pf.fc_superstore_1';
const BY_CATEGORY = {
  ...{ group_by: ['Category', 'Sub-Category'], split_by: [], columns: ['Sales'] },
  ...{ expressions: {}, filter: [], sort: [] },
};

const plotOf = (page: Page) =>
  page.getByRole('region', { name: 'Chart', exact: true }).getByRole('slider');

async function showChart(page: Page, kind: string): Promise<void> {
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  await expect(plotOf(page)).toBeVisible();
  await page.getByRole('button', { name: 'Chart type' }).click();
  await page.getByRole('menuitem', { name: kind }).click();
}

test('a click on a bar selects its cells, which can be changed from the chart and are marked in the grid', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?depth=0');
  await arrange(page, BY_CATEGORY);
  await showChart(page, 'Stacked columns');
  const plot = plotOf(page);
  await expect(plot).toHaveAttribute('aria-label', /Sales by Sub-Category/);

  // A bar under the mouse says which one it is.
  const box = (await plot.boundingBox())!;
  const bottom = { x: box.width / 2, y: box.height - 60 };
  await plot.hover({ position: bottom });
  await expect(plot).toHaveAttribute('aria-valuetext', /Enter selects its cells/);
  const [category = '', item = ''] = (await plot.getAttribute('aria-valuetext'))!.split(/\. |: /);
  await plot.click({ position: bottom });
  await expect(pivot.slice).toContainText(`Category = ${category}`);
  await expect(pivot.slice).toContainText(`Sub-Category = ${item}`);
  const stored = async () => {
    const [row] = await service.query<{ sum: number }>(
      `SELECT sum("Sales")::float8 AS sum FROM ${TABLE} WHERE "Sub-Category" = '${item}'`,
    );
    return Number(row?.sum);
  };
  const before = await stored();
  await pivot.scaleValue(10);
  expect(await stored()).toBeCloseTo(1.1 * before, 2);

  // The grid opens the row and marks the cell.
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await pivot.drawn();
  const cell = { row: [category, item], column: ['Sales'] };
  await expect.poll(() => pivot.find(cell)).not.toBeNull();
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  await expect(pivot.grid.locator('td.pf-selected')).toHaveText((await pivot.text(cell)) ?? '');
  await expect(pivot.slice).toContainText(`Sub-Category = ${item}`);
});

test('keys select points of a line, several with Shift, and the combined series', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    ...{ group_by: ['Category', 'Sub-Category'], split_by: ['Segment', 'month'] },
    ...{ columns: ['Sales'], expressions: { month: `bucket("Order Date", 'M')` } },
  });
  await showChart(page, 'Lines');
  const plot = plotOf(page);
  await plot.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const [month, name] = (await plot.getAttribute('aria-valuetext'))!.split(/\. |: /);
  await page.keyboard.press('Enter');
  // The month of each of the three segments.
  await expect(pivot.slice).toContainText(`Category = ${name}`);
  await expect(pivot.slice).toContainText(`Order Date in ${month}`);
  await expect(pivot.slice).toContainText('Segment');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+Enter');
  await expect(pivot.panel.getByTestId('apart').or(pivot.slice)).toBeVisible();
  expect(await violations(page, { include: ['section.chart', '.panel'] })).toEqual([]);
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await expect(page.getByTestId('marked')).toContainText('6');

  // Ten sub-categories are combined into one series.
  await arrange(page, {
    ...{ group_by: ['Sub-Category'], split_by: ['year'], columns: ['Sales'] },
    expressions: { year: `bucket("Order Date", 'Y')` },
  });
  await showChart(page, 'Lines');
  await expect(plot).toHaveAttribute('aria-label', 'Sales by Sub-Category');
  await plot.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowUp');
  await expect(plot).toHaveAttribute('aria-valuetext', /10 others/);
  await page.keyboard.press('Enter');
  await expect(pivot.slice).toContainText('Sub-Category');
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(10);
});

test('stacked bars show their total, and single bars their value, in the format of the measure', async ({
  page,
  service,
}) => {
  // A canvas has no texts to read, so they are recorded as they are drawn.
  await page.addInitScript(() => {
    const drawn = new Set<string>();
    Object.assign(window, { drawnTexts: drawn });
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      drawn.add(text);
      draw.call(this, text, ...rest);
    };
  });
  const texts = () =>
    page.evaluate(() => [...(window as unknown as { drawnTexts: Set<string> }).drawnTexts]);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, BY_CATEGORY);
  await showChart(page, 'Stacked columns');
  const totals = await service.query<{ sum: number }>(
    `SELECT sum("Sales")::float8 AS sum FROM ${TABLE} GROUP BY "Category"`,
  );
  const format = (sum: number) =>
    sum.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  await expect
    .poll(texts)
    .toEqual(expect.arrayContaining(totals.map(({ sum }) => format(Number(sum)))));
  await arrange(page, { ...BY_CATEGORY, group_by: ['Segment'], columns: ['Quantity'] });
  const values = await service.query<{ sum: number }>(
    `SELECT sum("Quantity")::int AS sum FROM ${TABLE} GROUP BY "Segment"`,
  );
  await expect
    .poll(texts)
    .toEqual(expect.arrayContaining(values.map(({ sum }) => sum.toLocaleString('en-US'))));
});

test('a point whose cells are refused is not outlined', async ({ page, service }) => {
  // A canvas has no elements to count, so the rings of the newest drawing are recorded.
  await page.addInitScript(() => {
    const { arc, clearRect } = CanvasRenderingContext2D.prototype;
    const rings = { count: 0 };
    Object.assign(window, { rings });
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
      rings.count = 0;
      clearRect.apply(this, box);
    };
    CanvasRenderingContext2D.prototype.arc = function (x, y, radius, ...angles) {
      if (radius === 6) rings.count += 1;
      arc.call(this, x, y, radius, ...angles);
    };
  });
  const rings = () =>
    page.evaluate(() => (window as unknown as { rings: { count: number } }).rings.count);
  await service.query(
    `CREATE TABLE public.shops AS
       SELECT 'shop ' || i AS shop, side, i AS amount FROM generate_series(1, 300) i, unnest(ARRAY['a', 'b']) side`,
  );
  const columns = { shop: 'dimension', side: 'dimension', amount: 'value' } as const;
  const { versionId } = await planTable(service, 'shops', columns);
  const pivot = new PivotPage(page);
  await pivot.open(versionId, '?depth=0');
  await arrange(page, { group_by: ['shop', 'side'], split_by: [], columns: ['amount'] });
  await showChart(page, 'Lines');
  const plot = plotOf(page);
  await plot.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(pivot.slice).toContainText('side = ');
  // Without the cursor, one ring is left.
  await page.keyboard.press('Escape');
  await expect.poll(rings).toBe(1);

  // More than 200 closed rows contain the cells of the combined shops.
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowDown');
  await expect(plot).toHaveAttribute('aria-valuetext', /others/);
  await expect.poll(rings).toBe(2);
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByText(/closed rows\. Open these rows first/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect.poll(rings).toBe(1);
});
