import type { Locator } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
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

test('resizes a column of the log by keyboard and by dragging, and remembers it', async ({
  page,
  service,
}) => {
  const slice = { Category: 'Furniture', Region: 'West', Segment: ['Consumer', 'Corporate'] };
  const scale = { slice, value_pct: 5, pf_user: 'ana', note: 'Wider' };
  await service.api.post('/versions/1/scale', scale);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  for (const name of ['Operation', 'Selection']) {
    const header = log.getByRole('columnheader', { name, exact: true });
    const width = async () => Math.round((await header.boundingBox())?.width ?? 0);
    const bar = page.getByRole('separator', { name: `Width of the ${name.toLowerCase()} column` });
    const before = await width();
    await bar.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(before + 24);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(width).toBe(before);

    const box = await bar.boundingBox();
    if (!box) throw new Error('The bar is not on the page.');
    await page.mouse.move(box.x + 3, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + 63, box.y + 5);
    await page.mouse.up();
    await expect.poll(width).toBe(before + 60);
    await page.reload();
    await pivot.drawn();
    await expect.poll(width).toBe(before + 60);
    // Narrower than its texts, which are then cut.
    await bar.focus();
    await page.keyboard.press('Home');
    await expect.poll(width).toBe(80);
  }
});

test('fits a window of 720 px: one line of tools, toasts beside the path, the forecast in view', async ({
  page,
  service,
}) => {
  await page.setViewportSize({ width: 720, height: 450 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const toolbar = page.getByRole('toolbar', { name: 'Pivot' });
  const box = async (part: Locator) => {
    const { x = NaN, y = NaN, width = NaN, height = NaN } = (await part.boundingBox()) ?? {};
    return { left: x, top: y, right: x + width, bottom: y + height };
  };
  await expect(toolbar.getByRole('button', { name: /^Log/ })).toBeVisible();
  const tools = await box(toolbar);
  expect(tools.bottom - tools.top).toBeLessThan(50);

  // The box below a cell stays in the grid, also with a long text.
  await pivot.click({ row: ['Furniture'], column: ['2027', 'Sales'] });
  await page.keyboard.type('9x');
  const meaning = page.locator('#cell-meaning');
  await expect(meaning).toHaveText(/^Not an amount/);
  const visible = await box(page.getByTestId('pivot'));
  await expect.poll(async () => (await box(meaning)).right).toBeLessThanOrEqual(visible.right);
  await page.keyboard.press('Escape');

  // A toast covers neither the path nor a dialog.
  await page.keyboard.type('+1%');
  await page.keyboard.press('Enter');
  const toast = page.locator('[data-sonner-toast]').first();
  // A toast stays while the pointer is over it.
  await toast.hover();
  const path = page.getByRole('navigation', { name: 'Breadcrumbs' });
  await expect.poll(async () => (await box(toast)).bottom).toBeLessThanOrEqual(tools.top);
  const shown = await box(toast);
  expect((await box(path)).right).toBeLessThanOrEqual(shown.left);
  await toolbar.getByRole('button', { name: 'Actions for Plan 2027' }).click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(shown.bottom).toBeLessThanOrEqual((await box(keys)).top);
  await page.keyboard.press('Escape');

  // Long news about a change by somebody else is cut off and covers no tool.
  const where = { Category: 'Furniture', 'Sub-Category': 'Chairs', Region: 'West' };
  const slice = { ...where, State: 'California', Segment: 'Consumer', 'Ship Mode': 'First Class' };
  await service.api.post('/versions/1/scale', { slice, value_incr: 10, pf_user: 'eve' });
  const news = page.locator('[data-sonner-toast]').filter({ hasText: 'eve: Scale' });
  await news.hover();
  const { top } = await box(toolbar.getByRole('button', { name: /^Log/ }));
  await expect.poll(async () => (await box(news)).bottom).toBeLessThan(top);

  // The log scrolls into view, with its first entry.
  const log = await pivot.log();
  await expect(log.locator('tbody td').first()).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Close the log' }).click();

  await toolbar.getByRole('button', { name: 'Actions for Plan 2027' }).click();
  await page.getByRole('menuitem', { name: 'Baseline' }).click();
  await page.getByRole('button', { name: 'Start from a forecast …' }).click();
  const chart = page.getByRole('img', { name: /^History and forecast of / });
  await expect(chart).toBeInViewport({ ratio: 1 });

  await visit(page, '/sources/1');
  const columns = page.getByRole('region', { name: 'Columns of the source' });
  await expect(columns.getByLabel('Role of Category')).toBeVisible();
  expect(await columns.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(
    0,
  );
});

test('the panel says after a reload that its form is still filled in', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const said = pivot.panel.getByText('The form keeps what you filled in.');
  await expect(pivot.panel.getByText('Nothing selected')).toBeVisible();
  await expect(said).toHaveCount(0);
  await pivot.click({ row: ['Furniture'], column: ['2027', 'Sales'] });
  await expect(page.getByTestId('value-total')).not.toHaveText('');
  await page.keyboard.press('s');
  await expect(pivot.panel.getByLabel(/: New total$/).first()).toBeFocused();
  // Replaces the present total, which the field shows.
  await page.keyboard.type('200000');
  await page.reload();
  await pivot.drawn();
  await expect(said).toBeVisible();
  await pivot.click({ row: ['Furniture'], column: ['2027', 'Sales'] });
  await expect(pivot.panel.getByLabel(/: New total$/).first()).toHaveValue('200,000');
});

test('a phone begins with the pivot alone, and shows the panel below it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await expect(pivot.panel).toBeHidden();
  const stage = page.locator('.stage');
  const height = async () => (await stage.boundingBox())?.height ?? 0;
  expect(await height()).toBeGreaterThan(844 / 2);

  await page.getByRole('button', { name: 'Show the panel (P)' }).click();
  await pivot.click({ row: ['Furniture'] });
  await expect(pivot.slice).toHaveText('Category = Furniture');
  const [above, below] = [await stage.boundingBox(), await pivot.panel.boundingBox()];
  expect(below?.width).toBe(390);
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 844));
  expect(await height()).toBeGreaterThan(200);

  // A large window later is not changed by what a phone has hidden.
  await page.reload();
  await pivot.drawn();
  await expect(pivot.panel).toBeHidden();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await pivot.drawn();
  await expect(pivot.panel).toBeVisible();
});
