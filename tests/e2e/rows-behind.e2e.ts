import { readFile } from 'node:fs/promises';
import { test, expect } from '../support/e2e';
import { violations } from '../support/axe';
import { PivotPage } from './pivot-page';

/** Lists the stored rows behind a number. */

const NOTE = 'a new range';

test('the rows behind a cell are listed entry by entry, with more on demand and as CSV', async ({
  page,
  service,
}) => {
  const slice = { 'Sub-Category': 'Chairs' };
  await service.api.post('/versions/1/scale', { pf_user: 'ben', slice, pct: 10, note: NOTE });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
  await pivot.panel.getByTestId('row-count').getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: 'Rows behind this number' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  const list = dialog.getByTestId('rows-behind');
  const groups = list.getByRole('rowgroup');
  await expect(groups.nth(1)).toContainText(/scale.*ben.*a new range/s);
  const year = { from: '2028-01-01', to: '2028-12-31' };
  const { body } = await service.api.post('/versions/1/rows', {
    slice: { ...slice, 'Order Date': year },
  });
  const rows = list.locator('tbody tr:not(:has(th))');
  await expect(rows).toHaveCount(100);
  expect(await violations(page, { include: ['[role=dialog]'] })).toEqual([]);

  await dialog.getByRole('button', { name: 'Show 100 more' }).press('Enter');
  await expect(rows).toHaveCount(200);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download CSV of all rows' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  const [{ count }] = await service.query(
    `SELECT count(*)::int FROM pf.fc_superstore_1 WHERE "Sub-Category" = 'Chairs'
       AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
  );
  expect(csv.trimEnd().split('\n')).toHaveLength(1 + Number(count));
  expect(csv).toContain(`,scale,ben,`);
  expect(body.entries[0].note).toBe(NOTE);

  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(pivot.panel.getByTestId('slice')).not.toContainText('Chairs');
});
