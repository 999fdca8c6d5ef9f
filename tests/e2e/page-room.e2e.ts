import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

test('hides the panel by its button and by key, and remembers it', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const width = async () => (await page.locator('.stage').boundingBox())?.width ?? 0;
  const beside = await width();
  await page.getByRole('button', { name: 'Hide the panel (P)' }).click();
  await expect(pivot.panel).toBeHidden();
  expect(await width()).toBeGreaterThan(beside + 300);

  await page.reload();
  await pivot.drawn();
  await expect(pivot.panel).toBeHidden();
  await page.keyboard.press('p');
  await expect(pivot.panel).toBeVisible();
  await page.keyboard.press('p');
  await expect(pivot.panel).toBeHidden();

  // Arranging needs the place of the panel; afterwards it is hidden again.
  await page.keyboard.press('a');
  await expect(page.getByRole('complementary', { name: 'Arrange' })).toBeVisible();
  await page.keyboard.press('a');
  await expect(pivot.panel).toBeHidden();
});

test('shows the panel for an operation, with the focus in its first field', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture'] });
  await page.keyboard.press('p');
  await expect(pivot.panel).toBeHidden();
  await page.keyboard.press('s');
  await expect(pivot.panel).toBeVisible();
  await expect(pivot.panel.getByLabel(/: New total$/).first()).toBeFocused();
});

test('resizes the log by keyboard and by dragging, and remembers it', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  const height = async () => Math.round((await log.boundingBox())?.height ?? 0);
  const bar = page.getByRole('separator', { name: 'Height of the log' });
  const before = await height();
  await bar.focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(height).toBe(before + 24);

  const box = await bar.boundingBox();
  if (!box) throw new Error('The bar is not on the page.');
  await page.mouse.move(box.x + 100, box.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + 100, box.y - 97);
  await page.mouse.up();
  await expect.poll(height).toBe(before + 124);

  await page.reload();
  await pivot.drawn();
  await expect(log).toBeVisible();
  expect(await height()).toBe(before + 124);
});
