import type { Page } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { PivotPage, type CellName } from './pivot-page';

/** The explanation of a cell and the comments on it, from the menu of the cell. */

const CHAIRS: CellName = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const TABLES: CellName = { row: ['Furniture', 'Tables'], column: ['2028', 'Sales'] };

const part = (page: Page, name: 'Why' | 'Comments') =>
  page.getByRole('region', { name, exact: true });
const item = (page: Page, name: 'Why' | 'Comments') =>
  page.getByRole('menuitem', { name, exact: true });

async function openMenu(pivot: PivotPage, cell: CellName): Promise<void> {
  const at = await pivot.find(cell);
  if (!at) throw new Error('The cell is not drawn.');
  await pivot.page.mouse.click(at.x, at.y, { button: 'right' });
}

test('the menu of a cell explains the cell and shows its comments, with their keys', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);

  // The cell that is pressed is selected.
  await openMenu(pivot, CHAIRS);
  await expect(item(page, 'Why').locator('kbd')).toHaveText('W');
  await expect(item(page, 'Comments').locator('kbd')).toHaveText('M');
  await item(page, 'Why').click();
  await expect(part(page, 'Why')).toContainText('Now');
  await expect(pivot.slice).toContainText('Sub-Category = Chairs');
  await expect(pivot.grid).toBeFocused();

  // The comments take the place of the explanation.
  await openMenu(pivot, TABLES);
  await item(page, 'Comments').click();
  await expect(part(page, 'Comments').getByLabel('New comment')).toBeFocused();
  await expect(pivot.slice).toContainText('Sub-Category = Tables');
  await expect(part(page, 'Why')).toHaveCount(0);

  // With the keyboard.
  await page.keyboard.press('Escape');
  await expect(pivot.grid).toBeFocused();
  await page.keyboard.press('Shift+F10');
  await item(page, 'Why').press('Enter');
  await expect(part(page, 'Why')).toContainText('Now');
  await expect(part(page, 'Comments')).toHaveCount(0);

  // A part that is already shown stays.
  await page.keyboard.press('Shift+F10');
  await item(page, 'Why').press('Enter');
  await expect(part(page, 'Why')).toContainText('Now');
});

test('the menu of a selected cell keeps the selection, and the menu of a measure has no comments', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  await pivot.click(TABLES, { ctrl: true });
  await expect(pivot.panel.getByRole('heading', { name: '2 cells' })).toBeVisible();
  await openMenu(pivot, CHAIRS);
  await item(page, 'Comments').click();
  await expect(part(page, 'Comments').getByLabel('New comment')).toBeFocused();
  await expect(pivot.panel.getByRole('heading', { name: '2 cells' })).toBeVisible();

  await pivot.grid.locator('thead th.pf-measure').first().click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: /largest first/ }).first()).toBeVisible();
  await expect(item(page, 'Why')).toHaveCount(0);
  await expect(item(page, 'Comments')).toHaveCount(0);
});
