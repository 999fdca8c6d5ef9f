import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Route } from '@playwright/test';
import { violations } from '../support/axe';
import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { arrange, PivotPage } from './pivot-page';
import { MARGIN, planMargins, storedMargins } from './planned-margins';
import { addressIn, drop, dropAll, exportWorkbook, withNumbers } from './workbook';

/** A workbook is exported, changed elsewhere, and dropped back while somebody else changes the plan. */

const TABLE = 'pf.fc_superstore_1';

const salesOf = async ({ query }: Service, subCategory: string): Promise<string> => {
  const [row] = await query(
    `SELECT sum("Sales")::text AS sales FROM ${TABLE}
     WHERE "Sub-Category" = $1 AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND pf_iter <> 'reference'`,
    [subCategory],
  );
  return row?.sales;
};

const YEAR = { from: '2028-01-01', to: '2028-12-31' };

test('a changed workbook is compared with what others changed, written as one entry and undone', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(1);
  const exported = await exportWorkbook(page);

  const at = (row: string) => addressIn(page, exported, row);
  const [chairs, phones, tables, labels] = [
    ...[await at('Chairs'), await at('Phones'), await at('Tables'), await at('Labels')],
  ] as [string, string, string, string];
  const before = {
    Chairs: Number(await salesOf(service, 'Chairs')),
    Phones: Number(await salesOf(service, 'Phones')),
    Tables: await salesOf(service, 'Tables'),
  };
  const exact = (amount: number) => Number(amount.toFixed(4));
  const [newChairs, newPhones] = [exact(before.Chairs + 1000), exact(before.Phones + 500)];
  const changed = withNumbers(exported, {
    [chairs]: newChairs,
    [phones]: newPhones,
    [tables]: 12_345.67,
    [labels]: 'about five',
  });
  for (const [name, value_incr] of [
    ['Chairs', 11.5],
    ['Phones', -7.25],
  ] as const) {
    const slice = { 'Sub-Category': name, 'Order Date': YEAR };
    await service.api.post('/versions/1/scale', { slice, value_incr, pf_user: 'eve' });
  }

  await drop(page, 'plan.xlsx', changed);
  const dialog = page.getByRole('dialog', { name: 'Read “plan.xlsx” back' });
  await expect(dialog.getByTestId('workbook-summary')).toContainText('has changed 4 numbers');
  await expect(dialog.getByTestId('workbook-faults')).toContainText('“about five” is a text');
  const conflicts = dialog.getByRole('region', { name: 'Cells that somebody else has changed' });
  await expect(conflicts.getByRole('row')).toHaveCount(3);
  await expect(conflicts).toContainText('eve: Scale, +11.50');
  const write = dialog.getByRole('button', { name: 'Write 3 numbers' });
  await expect(write).toBeDisabled();
  expect(await violations(page, { include: ['[role=dialog]'] })).toEqual([]);

  // Somebody else writes once more while the dialog is open.
  const slice = { 'Sub-Category': 'Chairs', 'Order Date': YEAR };
  await service.api.post('/versions/1/scale', { slice, value_incr: 100, pf_user: 'eve' });
  await expect(conflicts).toContainText('eve: Scale, +100 Sales, ');
  await dialog.getByRole('button', { name: 'My number for all' }).click();
  await dialog.getByLabel(`What to take of ${chairs}`).selectOption('My change');
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  await write.click();
  await expect(page.getByText(/^Imported: .*Sales.*, saved as /)).toBeVisible();

  const now = async () => ({
    chairs: Number(await salesOf(service, 'Chairs')),
    phones: Number(await salesOf(service, 'Phones')),
    tables: Number(await salesOf(service, 'Tables')),
  });
  const written = await now();
  expect(written.chairs).toBeCloseTo(before.Chairs + 1000 + 111.5, 6);
  expect(written.phones).toBeCloseTo(newPhones, 6);
  expect(written.tables).toBe(12_345.67);
  const [entry] = (await service.api.get('/versions/1/log')).body.entries;
  expect(entry).toMatchObject({
    operation: 'import',
    pf_user: 'ana',
    params: { file: { name: 'plan.xlsx' } },
  });
  await expect
    .poll(() => pivot.number({ row: ['Furniture', 'Tables'], column: ['2028', 'Sales'] }))
    .toBeCloseTo(12_345.67, 1);

  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  expect(await salesOf(service, 'Tables')).toBe(before.Tables);
  expect((await now()).chairs).toBeCloseTo(before.Chairs + 111.5, 6);
});

test('the last of several files counts, failures can be tried again, and a change before the answer is compared', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(1);
  const exported = await exportWorkbook(page);
  const [chairs, phones] = [
    await addressIn(page, exported, 'Chairs'),
    await addressIn(page, exported, 'Phones'),
  ];
  const slice = { 'Sub-Category': 'Phones', 'Order Date': YEAR };
  const scale = (value_incr: number) =>
    service.api.post('/versions/1/scale', { slice, value_incr, pf_user: 'eve' });

  await dropAll(page, [
    ['first.xlsx', withNumbers(exported, { [chairs]: 1, [phones]: 2 })],
    ['second.xlsx', withNumbers(exported, { [phones]: 54_321 })],
  ]);
  const dialog = page.getByRole('dialog', { name: 'Read “second.xlsx” back' });
  const summary = dialog.getByTestId('workbook-summary');
  await expect(summary).toContainText('has changed 1 number.');

  // A comparison fails, and the next one after another change does not.
  await page.route('**/import/preview', (route) => route.abort());
  await scale(5);
  await expect(dialog.getByRole('alert')).toBeVisible();
  await page.unroute('**/import/preview');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await expect(dialog.getByRole('region', { name: 'Cells that somebody else' })).toContainText(
    'eve: Scale, +5',
  );
  await expect(dialog.getByRole('alert')).toHaveCount(0);

  // Somebody else writes after the planner has decided, before the service has the request.
  await dialog.getByRole('button', { name: 'My number for all' }).click();
  await page.route('**/versions/1/import', async (route) => {
    await scale(7.5);
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Write 1 number', exact: true }).click();
  await expect(
    page.getByText(/^Nothing was written: somebody has changed these cells/),
  ).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'Cells that somebody else' })).toContainText(
    'eve: Scale, +7.50',
  );
  expect(Number(await salesOf(service, 'Phones'))).not.toBe(54_321);
  await page.unroute('**/versions/1/import');
  await dialog.getByRole('button', { name: 'Write 1 number', exact: true }).click();
  await expect(page.getByText(/^Imported: .*Sales.*, saved as /)).toBeVisible();
  expect(Number(await salesOf(service, 'Phones'))).toBe(54_321);
});

test('further measures of a workbook are compared and written, and results of formulas are refused', async ({
  page,
  service,
}) => {
  const { versionId, table } = await planMargins(service);
  const stored = () => storedMargins(service, table, 'region');
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(versionId);
  await arrange(page, {
    ...{ group_by: ['region'], split_by: [], columns: ['sales', 'cost', MARGIN] },
  });
  await expect.poll(() => pivot.text({ row: ['North'], column: [MARGIN] })).toBe('40.0%');
  // Rows: the headers, the total, North and West. Columns: the region, sales, cost and the margin.
  const changed = withNumbers(await exportWorkbook(page), {
    ...{ B3: 160, C3: 91.5, D3: 0.5 },
    ...{ C4: 61.25, C2: 152.75 },
  });
  const scale = { slice: { region: 'North' }, measures: { cost: { incr: 2.25 } }, pf_user: 'eve' };
  expect((await service.api.post(`/versions/${versionId}/scale`, scale)).status).toBe(200);

  await drop(page, 'margins.xlsx', changed);
  const dialog = page.getByRole('dialog', { name: 'Read “margins.xlsx” back' });
  await expect(dialog.getByTestId('workbook-summary')).toContainText('has changed 4 numbers');
  await expect(dialog.getByTestId('workbook-faults')).toContainText(
    'D3 North, Margin %This number is computed by a formula. Change the measures that it uses.',
  );
  const conflicts = dialog.getByRole('region', { name: 'Cells that somebody else has changed' });
  await expect(conflicts.getByRole('row')).toHaveText([
    /^Cell/,
    /^C3 North, Cost\s*90\.00\s*92\.25\s*91\.50\s*\+1\.50\s*eve: Scale, \+2\.25/,
  ]);
  await expect(
    dialog.getByRole('region', { name: 'Changes of the file', exact: true }).getByRole('row'),
  ).toHaveText([
    /^Cell/,
    /^B3 North, Sales\s*150\.00\s*160\.00\s*\+10/,
    /^C4 West, Cost\s*60\.00\s*61\.25\s*\+1\.25/,
  ]);
  await dialog.getByRole('button', { name: 'My change for all' }).click();
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  await dialog.getByRole('button', { name: 'Write 3 numbers' }).click();
  await expect(page.getByText(/^Imported: .*Sales.*, saved as /)).toBeVisible();
  expect(await stored()).toEqual([
    [160, 93.75],
    [80, 61.25],
  ]);
  await expect.poll(() => pivot.text({ row: ['North'], column: ['cost'] })).toBe('93.75');
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  expect(await stored()).toEqual([
    [150, 92.25],
    [80, 60],
  ]);
});

test('a workbook is tried first, taken out again, and kept, and an undo meanwhile is noticed', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(1);
  const slice = { 'Sub-Category': 'Chairs', 'Order Date': YEAR };
  const scale = () =>
    service.api.post('/versions/1/scale', { slice, value_incr: 5, pf_user: 'eve' });
  const stored = await salesOf(service, 'Tables');
  const exported = await exportWorkbook(page);
  const [chairs, tables] = [
    await addressIn(page, exported, 'Chairs'),
    await addressIn(page, exported, 'Tables'),
  ];
  await scale();
  const changed = withNumbers(exported, { [chairs]: 70_000, [tables]: 12_345.67 });
  await drop(page, 'plan.xlsx', changed);
  const dialog = page.getByRole('dialog', { name: 'Read “plan.xlsx” back' });
  await dialog.getByRole('button', { name: 'My number for all' }).click();
  const attempt = dialog.getByRole('button', { name: 'Try', exact: true });

  // Somebody undoes an entry before the service has the request.
  const undoFirst = async (route: Route) => {
    const [{ id }] = (await service.api.get('/versions/1/log')).body.entries;
    await service.api.del(`/log/${id}`);
    await route.continue();
  };
  await page.route('**/versions/1/preview', undoFirst, { times: 1 });
  await attempt.click();
  const message = page.getByText(/^Nothing was written: somebody has changed these cells/);
  await expect(message).toBeVisible();
  // A message above a dialog can be closed, and the dialog stays.
  const toast = page.getByRole('listitem').filter({ has: message });
  await toast.getByRole('button', { name: 'Close toast', exact: true }).click();
  await expect(message).toBeHidden();
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'Cells that somebody else' })).toHaveCount(0);
  await expect(dialog.getByRole('region', { name: 'Changes of the file' })).toContainText(
    `${chairs} Furniture / Chairs, 2028, Sales`,
  );

  await attempt.click();
  await expect(dialog).toBeHidden();
  const tried = page.getByRole('region', { name: 'Tried', exact: true });
  await expect(tried.getByTestId('tried-lines')).toContainText('Import 2 cells of plan.xlsx: ');
  const cell = { row: ['Furniture', 'Tables'], column: ['2028', 'Sales'] };
  await expect.poll(() => pivot.number(cell)).toBeCloseTo(12_345.67, 1);
  // Both cells, and the totals above them.
  await expect.poll(() => pivot.grid.locator('td.pf-tried').count()).toBeGreaterThan(2);
  expect(await salesOf(service, 'Tables')).toBe(stored);

  await tried.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect(pivot.grid.locator('td.pf-tried')).toHaveCount(0);
  await expect.poll(() => pivot.number(cell)).toBeCloseTo(Number(stored), 1);
  await page.getByText('Discarded: 1 tried change.').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await tried.getByRole('button', { name: 'Keep', exact: true }).click();
  await expect(page.getByText(/^Imported: .*Sales.*, saved as /)).toBeVisible();
  expect(Number(await salesOf(service, 'Tables'))).toBe(12_345.67);
  const entry = async () => (await service.api.get('/versions/1/log')).body.entries[0];
  const { id, operation, params } = await entry();
  expect([operation, params.file]).toEqual([
    'import',
    { name: 'plan.xlsx', sha256: createHash('sha256').update(changed).digest('hex') },
  ]);
  expect(params.edits).toHaveLength(2);

  // A redo writes it again as one entry with the totals of the file.
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await scale();
  await pivot.grid.focus();
  await page.keyboard.press('Control+y');
  await expect.poll(entry).toMatchObject({ operation: 'import', params: { redo_of: id } });
  expect(Number(await salesOf(service, 'Chairs'))).toBe(70_000);
  expect(Number(await salesOf(service, 'Tables'))).toBe(12_345.67);
});

test('a workbook that LibreOffice has saved is chosen, and locked cells are listed', async ({
  page,
  service,
}) => {
  const lock = { slice: { 'Sub-Category': 'Chairs', 'Order Date': { from: '2029-01-01' } } };
  await service.api.post('/versions/1/locks', { ...lock, pf_user: 'eve' });
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await pivot.open(1);
  await page.getByRole('button', { name: 'Export' }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('menuitem', { name: 'Read a workbook back …' }).click();
  await (await chooser).setFiles('tests/fixtures/workbooks/pivot-by-libreoffice.xlsx');
  const dialog = page.getByRole('dialog', { name: 'Read “pivot-by-libreoffice.xlsx” back' });
  await expect(dialog.getByTestId('workbook-faults')).toContainText(
    'F6 Furniture / Chairs, 2029, SalesEvery row of it is locked, or its months are closed.',
  );
  await expect(dialog.getByRole('region', { name: 'Changes of the file' })).toContainText(
    'D6 Furniture / Chairs, 2028, Sales',
  );
  await dialog.getByRole('button', { name: 'Write 1 number', exact: true }).click();
  await expect(page.getByText(/^Imported: .*Sales.*, saved as /)).toBeVisible();
  expect(Number(await salesOf(service, 'Chairs'))).toBe(80_000);

  // A workbook of something else is refused with a sentence.
  await drop(page, 'other.xlsx', await readFile('tests/fixtures/workbooks/plain.xlsx'));
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText(
    'This workbook was not exported from a pivot',
  );
});
