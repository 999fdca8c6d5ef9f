import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Finding members of the rows and columns in the grid. */

test('Ctrl+F finds members of rows and columns, and goes from one to the next', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
  await page.keyboard.press('Control+f');
  const field = page.getByRole('searchbox', { name: 'Find a member' });
  const result = page.getByTestId('find-result');
  await expect(field).toBeFocused();

  // The first match is searched for from the selected cell on; the case of letters is ignored.
  await page.keyboard.type('PH');
  await expect(result).toHaveText('1 of 1');
  await expect(pivot.slice).toContainText('Sub-Category = Phones');
  await expect(field).toBeFocused();

  await page.keyboard.press('Control+a');
  await page.keyboard.type('art');
  await expect(result).toHaveText('1 of 1');
  await expect(pivot.slice).toContainText('Sub-Category = Art');
  await field.fill('fur');
  await expect(result).toHaveText('1 of 2');
  await expect(pivot.slice).toContainText('Category = Furniture');
  await expect(pivot.slice).not.toContainText('Sub-Category');
  await page.keyboard.press('Enter');
  await expect(result).toHaveText('2 of 2');
  await expect(pivot.slice).toContainText('Sub-Category = Furnishings');
  await page.keyboard.press('Shift+Enter');
  await expect(result).toHaveText('1 of 2');

  // Members of columns come before those of rows, and the last match is followed by the first.
  await field.fill('202');
  await expect(result).toHaveText(/^1 of \d$/);
  await expect(pivot.slice).toContainText('Order Date');
  const first = await pivot.slice.textContent();
  await page.keyboard.press('F3');
  await expect(result).toHaveText(/^2 of \d$/);
  await page.keyboard.press('Shift+F3');
  await page.keyboard.press('Shift+F3');
  const count = Number(/\d$/.exec((await result.textContent())?.trim() ?? '')?.[0]);
  await expect(result).toHaveText(`${count} of ${count}`);
  await page.keyboard.press('F3');
  await expect(result).toHaveText(`1 of ${count}`);
  await expect(pivot.slice).toHaveText(first ?? '');

  await field.fill('no such member');
  await expect(result).toHaveText('No member found');
  // The selection stays where it was.
  await expect(pivot.slice).toHaveText(first ?? '');

  await page.keyboard.press('Escape');
  await expect(field).toHaveCount(0);
  await expect(pivot.grid).toBeFocused();
  // The arrow keys continue from the grid, and F3 continues the search.
  await page.keyboard.press('ArrowRight');
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(1);
  await page.keyboard.press('F3');
  await expect(result).toHaveText('No member found');
});

test('the search says that closed groups are not searched, scrolls to a match, and follows rows that open', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 500 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await page.keyboard.press('Control+f');
  const result = page.getByTestId('find-result');
  const closed = page.getByText('Closed groups are not searched.');
  await page.keyboard.type('tables');
  await expect(result).toHaveText('1 of 1');
  await expect(closed).toHaveCount(0);
  await page.keyboard.press('Escape');

  await pivot.toggle('Furniture');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('tables');
  await expect(result).toHaveText('No member found');
  await expect(closed).toBeVisible();
  await pivot.toggle('Furniture');
  await expect(result).toHaveText('1 member found');
  await expect(closed).toHaveCount(0);

  // A row below the visible ones.
  await page.getByRole('searchbox', { name: 'Find a member' }).fill('phones');
  await expect(result).toHaveText('1 of 1');
  await expect(pivot.grid.locator('tbody th', { hasText: 'Phones' })).toBeInViewport();
  await expect(pivot.slice).toContainText('Sub-Category = Phones');

  // A second Ctrl+F is the browser's own search.
  const isLeftToBrowser = await page
    .getByRole('searchbox', { name: 'Find a member' })
    .evaluate((field) =>
      field.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }),
      ),
    );
  expect(isLeftToBrowser).toBe(true);
});
