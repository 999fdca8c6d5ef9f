import type { Page } from '@playwright/test';
import { test, expect } from '../support/e2e';
import { Engine } from './engine';
import { PivotPage, type CellName } from './pivot-page';

/** An action directly after a click applies to the clicked cell, even while the cell is still being read. */

const at = (...row: string[]): CellName => ({ row, column: ['2028', 'Sales'] });
const CHAIRS = at('Furniture', 'Chairs');
const PHONES = at('Technology', 'Phones');
const OF_CHAIRS = 'Sub-Category = Chairs';

/** Opens the pivot with the phones selected. The chairs are clicked, and read only after `gesture`. */
async function opened(page: Page): Promise<{
  pivot: PivotPage;
  onUnreadChairs(gesture: () => Promise<void>): Promise<void>;
}> {
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(PHONES);
  return {
    pivot,
    async onUnreadChairs(gesture) {
      await engine.hold();
      await pivot.press(CHAIRS);
      await gesture();
      await engine.release();
      await expect(pivot.slice).toContainText(OF_CHAIRS);
    },
  };
}

test('a lock and a review begin with the clicked cell', async ({ page }) => {
  const { pivot, onUnreadChairs } = await opened(page);
  for (const [menu, button, title] of [
    ['Locks', 'Lock rows …', 'Lock rows'],
    ['Reviews', 'Make a review …', 'Make a review'],
  ] as const) {
    await pivot.click(PHONES);
    await onUnreadChairs(async () => {
      await page.getByRole('button', { name: menu }).click();
      await page.getByRole('button', { name: button }).click();
    });
    const dialog = page.getByRole('dialog', { name: title });
    await expect(dialog.getByLabel('Rows')).toContainText(OF_CHAIRS);
    await expect(dialog.getByLabel('Rows')).not.toContainText('Phones');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
});

test('the focus goes to the comment on the clicked cell', async ({ page, service }) => {
  const { pivot, onUnreadChairs } = await opened(page);
  await onUnreadChairs(() => page.keyboard.press('m'));
  await expect(pivot.panel.getByLabel('New comment')).toBeFocused();
  await page.keyboard.type('Why so low?');
  await page.keyboard.press('Control+Enter');
  await expect(pivot.panel.getByRole('article')).toContainText('Why so low?');
  const { body } = await service.api.get('/versions/1/comments');
  expect(JSON.stringify(body)).toContain('Chairs');
});

test('the keys of the forms work while the first cell is read', async ({ page }) => {
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await engine.hold();
  await pivot.press(CHAIRS);
  await page.keyboard.press('c');
  await engine.release();
  await expect(pivot.panel.getByLabel('Factor', { exact: true })).toBeFocused();
  await expect(pivot.slice).toContainText(OF_CHAIRS);
});

test('Escape ends the reading of a cell', async ({ page }) => {
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await engine.hold();
  await pivot.press(CHAIRS);
  await page.keyboard.press('Escape');
  await engine.release();
  await expect(pivot.panel).not.toHaveAttribute('aria-busy', 'true');
  await expect(pivot.grid.locator('td.pf-selected')).toHaveCount(0);
});

test('an entry is taken back for the clicked cell', async ({ page, service }) => {
  const { body } = await service.api.post('/versions/1/scale', {
    ...{ slice: {}, pct: 10, pf_user: 'ben' },
  });
  const { pivot, onUnreadChairs } = await opened(page);
  await page.keyboard.press('w');
  const entry: number = body[0].pf_logid;
  const button = pivot.panel.getByRole('button', { name: `Take back entry ${entry} for` });
  await expect(button).toBeEnabled();
  await onUnreadChairs(() => button.click());
  await expect(page.getByRole('dialog')).toContainText(OF_CHAIRS);
});

test('the seasonality of the clicked cell is copied into a profile', async ({ page }) => {
  const { pivot, onUnreadChairs } = await opened(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/slice') && request.postData()?.includes('"month"'))
      asked.push(request.postData() ?? '');
  });
  await onUnreadChairs(async () => {
    await pivot.panel.getByRole('button', { name: 'Edit profiles' }).click();
    await page.getByRole('button', { name: 'Copy Sales of the selection' }).click();
  });
  await expect.poll(() => asked).toEqual([expect.stringContaining('Chairs')]);
});

test('a condition is removed from the slice of the clicked cell', async ({ page }) => {
  const { pivot, onUnreadChairs } = await opened(page);
  await onUnreadChairs(() => pivot.panel.getByLabel('Remove Order Date in 2028').click());
  await expect(pivot.slice).not.toContainText('2028');
});

test('the clicked cell stays selected when only the rows of an entry are shown', async ({
  page,
  service,
}) => {
  const { body } = await service.api.post('/versions/1/scale', {
    ...{ slice: {}, pct: 10, pf_user: 'ben' },
  });
  const { pivot, onUnreadChairs } = await opened(page);
  await page.keyboard.press('w');
  const entry = pivot.panel.getByTitle(`Show only the rows of entry ${body[0].pf_logid}`);
  await onUnreadChairs(() => entry.click());
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  await expect(pivot.slice).toContainText(OF_CHAIRS);
});

test('the keys of a row act on the row that an arrow key has just reached', async ({ page }) => {
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Tables'] });
  await engine.hold();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await engine.release();
  await expect(page.getByRole('menuitem', { name: 'Only Office Supplies' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(pivot.grid).toBeFocused();
  await pivot.click({ row: ['Furniture', 'Tables'] });
  await engine.hold();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press(' ');
  await engine.release();
  await expect.poll(() => pivot.find({ row: ['Office Supplies', 'Art'] })).toBeNull();
});

test('the search begins at the clicked cell', async ({ page }) => {
  const { pivot, onUnreadChairs } = await opened(page);
  await page.keyboard.press('Control+f');
  await page.keyboard.type('s');
  await expect(pivot.slice).toContainText('Sub-Category = Phones');
  await expect(pivot.slice).not.toContainText('2028');
  await onUnreadChairs(() => page.keyboard.press('F3'));
  await expect(pivot.slice).not.toContainText('2028');
});
