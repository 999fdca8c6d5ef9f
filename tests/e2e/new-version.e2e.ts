import { aloneTest as test, expect } from '../support/e2e';
import { PivotPage } from './pivot-page';

// In a kept page, the part may be loaded already.
test('a page of an older build says that a new version is here, and keeps typed text', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await pivot.panel.getByRole('tab', { name: 'Clone' }).click();
  const typed = pivot.panel.getByLabel('New Sub-Category');
  await typed.fill('Stools');

  // After an update, the files of the older build are gone.
  await page.route('**/_app/immutable/**', (route) => route.fulfill({ status: 404 }));
  await page.route('**/_app/version.json', (route) => route.fulfill({ json: { version: 'new' } }));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Excel workbook of the pivot' }).click();
  const banner = page.getByRole('status').filter({ hasText: 'A new version is here' });
  await expect(banner).toBeVisible();
  await expect(page.getByText('A part of this page could not be loaded')).toBeVisible();
  await expect(page.getByText('dynamically imported')).toHaveCount(0);
  await expect(typed).toHaveValue('Stools');

  await page.unrouteAll();
  await banner.getByRole('button', { name: 'Reload' }).click();
  await expect(banner).toHaveCount(0);
  await pivot.drawn();
});
