import { expect, test } from '../support/e2e';
import { PivotPage, type CellName } from './pivot-page';

/** The messages of the page during a change and after it. */

const cell = (sub: string, year: string): CellName => ({
  row: ['Furniture', sub],
  column: [year, 'Sales'],
});

test('a clone that a filter hides says so, shows its rows on request, and covers no button', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?filter=Sub-Category:==:Chairs&filter=Category:==:Furniture');
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await pivot.panel.getByRole('tab', { name: 'Clone' }).click();
  await pivot.panel.getByLabel('New Sub-Category').fill('Stools');
  await pivot.panel.getByLabel('New Sub-Category').press('Tab');
  await pivot.apply.click();
  const said = page.getByText(
    /^Cloned: \+[\d,.]+ Sales, .* The filter on Sub-Category hides them\.$/,
  );
  // A toast stays while the pointer is over it.
  await said.hover();

  const toolbar = await page.getByRole('toolbar', { name: 'Pivot' }).boundingBox();
  await expect.poll(() => pivot.toastBottom()).toBeLessThanOrEqual(toolbar?.y ?? NaN);

  await page.getByRole('button', { name: 'Show them' }).click();
  await expect.poll(() => pivot.find(cell('Stools', '2028'))).not.toBeNull();
  await expect.poll(() => new URL(page.url()).search).toBe('?filter=Category:==:Furniture');
});

test('a large paste says how many cells it has checked', async ({ context, page }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell('Bookcases', '2028'));
  await expect(page.getByTestId('value-total')).toBeVisible();
  await page.evaluate(() => navigator.clipboard.writeText('10\n20\n30\n40'));

  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/versions/1/slices', async (route) => {
    await released;
    await route.continue();
  });
  await page.keyboard.press('Control+v');
  await expect(page.getByTestId('busy')).toHaveText(/^(Reading|Checking \d of) 4 cells …$/);
  release();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await expect(page.getByTestId('busy')).toHaveCount(0);
  await expect.poll(() => pivot.number(cell('Tables', '2028'))).toBe(40);
});
