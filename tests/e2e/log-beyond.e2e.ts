import { expect, test } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Entries of the log that reach beyond the selection by which they were found. */

const cell = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
const CHAIRS = cell('Furniture', 'Chairs');
const TABLES = cell('Furniture', 'Tables');

test('entries found by a selection say how far they reach beyond it, and are taken back for it in one step', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const [chairs, tables] = [await pivot.number(CHAIRS), await pivot.number(TABLES)];
  for (const [slice, pct] of [
    [{ Category: 'Furniture' }, 10],
    [{ 'Sub-Category': 'Chairs' }, 5],
    [{ Category: 'Technology' }, 7],
  ] as const) {
    const { status } = await service.api.post('/versions/1/scale', { slice, pct, pf_user: 'ben' });
    expect(status).toBe(200);
  }
  await expect.poll(() => pivot.number(CHAIRS)).toBeGreaterThan(chairs);
  const raised = await pivot.number(TABLES);
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  const log = await pivot.log();
  await log.getByRole('checkbox', { name: 'On the selection' }).check();
  await log.getByRole('combobox', { name: 'Entries by' }).selectOption('ben');
  await log.getByRole('button', { name: 'Undo these 2 …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo 2 entries?' });
  await expect(dialog.getByRole('alert')).toContainText('1 of them reaches beyond the selection');
  const [beyond] = await service.query(
    `SELECT count(*)::integer AS rows, to_char(sum(f."Sales"), 'FM999,999,990.00') AS sales
       FROM pf.fc_superstore_1 AS f JOIN pf.log AS l ON l.id = f.pf_logid
      WHERE l.slice = '{"Category": "Furniture"}' AND f."Sub-Category" <> 'Chairs'`,
  );
  await expect(dialog).toContainText(`beyond it: ${beyond.rows.toLocaleString('en-US')} rows`);
  await expect(dialog).toContainText(`Sales +${beyond.sales}`);

  await dialog.getByRole('button', { name: 'Take back for this selection' }).click();
  await expect(page.getByText('Taken back for the selection: 2 of 2 entries.')).toBeVisible();
  await expect.poll(() => pivot.number(CHAIRS)).toBe(chairs);
  expect(await pivot.number(TABLES)).toBe(raised);
  expect(raised).toBeGreaterThan(tables);
});
