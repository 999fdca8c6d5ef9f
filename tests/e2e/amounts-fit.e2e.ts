import type { Locator } from '@playwright/test';
import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Fields show the whole text that is typed into them. */

const cut = (field: Locator) => field.evaluate((input) => input.scrollWidth - input.clientWidth);

test('amounts of 15 digits, typed commands and dates fit into their fields', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const chairs = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
  await pivot.click(chairs);
  const total = page.getByRole('textbox', { name: 'Sales: New total' });
  for (const text of ['12,421,047.50', '1,234,567,890,123.45']) {
    await total.fill(text);
    expect(await cut(total)).toBeLessThanOrEqual(0);
    expect(await cut(page.getByRole('textbox', { name: 'Sales: Change' }))).toBeLessThanOrEqual(0);
  }
  await total.fill('');

  await pivot.click(chairs);
  await page.keyboard.type('12,421,047.50 keep total');
  const editor = page.getByRole('textbox', { name: 'New amount' });
  await expect(editor).toHaveValue('12,421,047.50 keep total');
  expect(await cut(editor)).toBeLessThanOrEqual(0);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page
    .getByRole('button', { name: /^Order Date/ })
    .first()
    .click();
  const from = page.getByLabel('From', { exact: true });
  await from.fill('2028-12-31');
  // Eight digits, two separators and the icon.
  expect((await from.boundingBox())!.width).toBeGreaterThanOrEqual(144);
});
