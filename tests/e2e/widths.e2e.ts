import { expect, test } from '../support/e2e';
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
