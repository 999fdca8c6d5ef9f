import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Headers and the toolbar: menus, sorting by keyboard, tooltips. */

const sort = (url: string) => new URL(url).searchParams.get('sort');

test('a measure’s header has the menu of its own column, and Alt with an arrow sorts by the column', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2027', 'Quantity'] });

  // Of another column than the selected one.
  const header = (year: string) =>
    pivot.grid.evaluate((grid, wanted) => {
      type Meta = { column_header?: Element[] };
      const metaOf = (cell: Element) =>
        (grid as unknown as { getMeta(cell: Element): Meta }).getMeta(cell).column_header;
      const heads = [...grid.querySelectorAll('thead th.pf-measure')];
      const found = heads.find(
        (cell) =>
          metaOf(cell)
            ?.map((part) => part.textContent)
            .join() === `${wanted},Sales`,
      );
      const box = found?.getBoundingClientRect() ?? new DOMRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, year);
  const at = await header('2028');
  await page.mouse.click(at.x, at.y, { button: 'right' });
  await page.getByRole('menuitem', { name: 'Sort rows by Sales of 2028: largest first' }).click();
  await expect.poll(() => sort(page.url())).toBe('Sales of 2028:desc');
  // The sort keeps the selection.
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');

  await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2027', 'Quantity'] });
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => sort(page.url())).toBe('Quantity of 2027:asc');
  await expect(pivot.grid.locator('th[aria-sort=ascending]')).toHaveCount(1);
  // The cell stays selected.
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => sort(page.url())).toBe('Quantity of 2027:desc');
  await expect(pivot.grid.locator('th[aria-sort=descending]')).toHaveCount(1);
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => sort(page.url())).toBeNull();

  // The keys also count while the clicked cell is read.
  await pivot.press({ row: ['Furniture', 'Tables'], column: ['2027', 'Sales'] });
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => sort(page.url())).toBe('Sales of 2027:asc');
});

test('a click on a header sorts by the total of its measure, and the total column shows it', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.grid.locator('thead th.pf-measure').first().click();
  await expect.poll(() => sort(page.url())).toBe('Sales:desc');
  const sorted = pivot.grid.locator('th[aria-sort=descending]');
  await expect.poll(() => sorted.count()).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Levels' }).click();
  await page.getByRole('menuitem', { name: 'Total column first' }).click();
  await expect(sorted).toHaveCount(1);
  await expect(sorted).toHaveClass(/pf-total/);
});

test('a measure’s header is dragged to another place', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const heads = pivot.grid.locator('thead th.pf-measure');
  await expect(heads.first()).toHaveText('Sales');
  const [first, second] = [
    (await heads.nth(0).boundingBox())!,
    (await heads.nth(1).boundingBox())!,
  ];
  const y = first.y + first.height / 2;
  await page.mouse.move(first.x + first.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(second.x + second.width - 12, y, { steps: 5 });
  await expect(heads.nth(1)).toHaveClass(/pf-drop-right/);
  await page.mouse.up();
  await expect(heads.first()).toHaveText('Quantity');
  await expect(heads.nth(1)).toHaveText('Sales');
  // The order belongs to the arrangement, and the rows are not sorted.
  await expect.poll(() => new URL(page.url()).searchParams.get('measures')).toBe('Quantity,Sales');
  expect(sort(page.url())).toBeNull();
});

test('buttons of the toolbar that show only an icon have a tooltip', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const toolbar = page.getByRole('toolbar', { name: 'Pivot' });
  const buttons = toolbar.locator('.button').filter({ has: page.locator('.word') });
  expect(await buttons.count()).toBeGreaterThan(6);
  for (const button of await buttons.all()) {
    await expect(button.locator('.word')).toBeHidden();
    await expect(button).toHaveAttribute('title', /\w/);
  }
});
