import { test, expect } from '../support/e2e';
import { planTable } from '../support/planned-table';
import { PivotPage } from './pivot-page';

/** Columns of the grid in other widths. */

test('a column is resized by its edge, sized to its content by a double click, and keeps its width in the address', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const head = pivot.grid.locator('thead th.pf-measure', { hasText: 'Sales' }).first();
  const widthNow = async () => Math.round((await head.boundingBox())!.width);
  const usual = await widthNow();
  const edge = async () => {
    const box = (await head.boundingBox())!;
    return { x: box.x + box.width - 4, y: box.y + box.height / 2 };
  };
  const from = await edge();
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 40, from.y, { steps: 4 });
  await page.mouse.up();
  await expect.poll(widthNow).toBe(usual + 40);
  // Dragging the edge does not sort.
  await expect(page).toHaveURL(/width=.*Sales/);
  await expect(page).not.toHaveURL(/sort=/);

  // The width belongs to the arrangement.
  await page.reload();
  await pivot.drawn();
  await expect.poll(widthNow).toBe(usual + 40);
  await expect(page).toHaveURL(/width=.*Sales/);

  const at = await edge();
  await page.mouse.dblclick(at.x, at.y);
  await expect.poll(widthNow).toBe(usual);
  await expect(page).not.toHaveURL(/width=/);
});

test('a double click shows a long header in full, and a column that is cut off at the right is faded', async ({
  page,
  service,
}) => {
  const long = 'UmsatzerlöseAbzüglichAllerRabatteUndSkonti';
  await service.query(`CREATE TABLE public.discounts AS
    SELECT 'Product ' || p AS product, DATE '2027-01-15' + make_interval(years => y) AS day, 100.25 * p AS "${long}"
      FROM generate_series(1, 3) AS p, generate_series(0, 3) AS y`);
  await service.query(`ALTER TABLE public.discounts ALTER day TYPE date`);
  const roles = { product: 'dimension', day: 'date', [long]: 'value' } as const;
  const { versionId } = await planTable(service, 'discounts', roles);
  const pivot = new PivotPage(page);
  await pivot.open(versionId);
  const head = pivot.grid.locator('thead th.pf-measure').first();
  const missing = () => head.evaluate((th) => th.scrollWidth - th.clientWidth);
  expect(await missing()).toBeGreaterThan(0);
  const box = (await head.boundingBox())!;
  await page.mouse.dblclick(box.x + box.width - 4, box.y + box.height / 2);
  await expect.poll(missing).toBe(0);
  await expect(page).toHaveURL(/width=/);

  const faded = () =>
    pivot.grid.evaluate((grid) => {
      const { host } = grid.getRootNode() as ShadowRoot;
      return parseFloat(getComputedStyle(host).getPropertyValue('--pf-cut-width'));
    });
  await page.setViewportSize({ width: 800, height: 600 });
  await expect.poll(faded).toBeGreaterThan(0);
  await page.setViewportSize({ width: 1920, height: 900 });
  await expect.poll(faded).toBe(0);
});
