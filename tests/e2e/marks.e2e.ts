import { test, expect } from '../support/e2e';
import { arrange, PivotPage, type CellName } from './pivot-page';

/** The marks on cells: locked, written by a log entry, selected. */

const cell = (sub: string, year: string, measure = 'Sales'): CellName => ({
  row: ['Furniture', sub],
  column: [year, measure],
});

test('locks and log entries mark only cells of the plan, and among them only those with their rows', async ({
  page,
  service,
}) => {
  const scaled = { slice: { 'Sub-Category': 'Chairs', Region: 'West' }, value_incr: 50 };
  await service.api.post('/versions/1/scale', { ...scaled, pf_user: 'bea' });
  await service.api.post('/versions/1/locks', { slice: { Category: 'Furniture' }, pf_user: 'bea' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, { columns: ['Sales', 'Sales: baseline', 'Quantity'] });
  await expect.poll(() => pivot.find(cell('Chairs', '2028', 'Sales: baseline'))).not.toBeNull();

  const marked = (name: string) =>
    pivot.grid.evaluate((grid, mark) => {
      type Meta = { column_header?: Element[]; row_header?: unknown[] };
      const meta = (td: Element) =>
        (grid as unknown as { getMeta(cell: Element): Meta }).getMeta(td);
      const cells = [...grid.querySelectorAll(`tbody td.${mark}`)];
      const texts = (of: (td: Element) => unknown) => [...new Set(cells.map(of))].sort();
      return {
        measures: texts((td) => meta(td).column_header?.at(-1)?.textContent),
        rows: texts((td) => td.parentElement?.querySelector('th')?.textContent?.trim()),
      };
    }, name);

  await expect
    .poll(() => marked('pf-locked'))
    .toEqual({
      measures: ['Quantity', 'Sales'],
      rows: ['Bookcases', 'Chairs', 'Furnishings', 'Furniture', 'Tables'],
    });
  // The region is not in the pivot, the scale changed no units, and the rows above are open.
  const entry = (await pivot.log()).getByRole('row').filter({ hasText: 'bea' });
  await entry.hover();
  await expect.poll(() => marked('pf-hint')).toEqual({ measures: ['Sales'], rows: ['Chairs'] });
  await page.mouse.move(0, 0);
  await expect(pivot.grid.locator('td.pf-hint')).toHaveCount(0);

  // The marks end with the log, which the key closes under the pointer.
  await entry.hover();
  await expect(pivot.grid.locator('td.pf-hint').first()).toBeVisible();
  await page.keyboard.press('l');
  await expect(pivot.grid.locator('td.pf-hint')).toHaveCount(0);
});

test('a recode in the log shows what left and what arrived, and the rows come back afterwards', async ({
  page,
  service,
}) => {
  await service.api.post('/versions/1/recode', {
    slice: { State: 'Kansas' },
    set: { Region: 'South' },
    pf_user: 'bea',
  });
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_1
      WHERE pf_iter = 'recode' AND "Region" = 'South' AND extract(year FROM "Order Date") = 2028`,
  );
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await expect.poll(() => pivot.find(cell('Chairs', '2028'))).not.toBeNull();
  const entry = (await pivot.log()).getByRole('row').filter({ hasText: 'bea' });
  await entry.getByRole('button', { name: /^Show only the rows of entry/ }).click();
  const amount = (region: string) => pivot.number({ row: [region], column: ['2028', 'Sales'] });
  await expect.poll(() => amount('South')).toBeCloseTo(sales, 1);
  await expect.poll(() => amount('Central')).toBeCloseTo(-sales, 1);
  await expect(page.getByText('Negative amounts left, positive amounts arrived.')).toBeVisible();
  // The address contains the entry, but not the rows that were arranged for it.
  await page.reload();
  await pivot.drawn();
  await expect.poll(() => amount('South')).toBeCloseTo(sales, 1);

  await page.getByRole('button', { name: 'Show everything' }).first().click();
  await expect.poll(() => pivot.find(cell('Chairs', '2028'))).not.toBeNull();
});

test('a block has one outline', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell('Bookcases', '2028'));
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(6);
  const edges = (side: string) => pivot.grid.locator(`td.pf-edge-${side}`);
  await expect(edges('top')).toHaveCount(2);
  await expect(edges('bottom')).toHaveCount(2);
  await expect(edges('left')).toHaveCount(3);
  await expect(edges('right')).toHaveCount(3);
  await expect(edges('left').first()).toHaveCSS('box-shadow', /2px 0px 0px 0px inset/);
});
