import { test, expect } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Takes back a part of an entry. */

const cell = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
const CHAIRS = cell('Furniture', 'Chairs');
const TABLES = cell('Furniture', 'Tables');

test('what an entry added to the selection is announced, taken back, and put back by an undo', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await pivot.number(CHAIRS);
  const { body: rows } = await service.api.post('/versions/1/scale', {
    ...{ slice: { Category: 'Furniture' }, pct: 10, pf_user: 'ben' },
  });
  const entry: number = rows[0].pf_logid;
  await expect.poll(() => pivot.number(CHAIRS)).toBeGreaterThan(before);
  const raised = await pivot.number(CHAIRS);
  const tables = await pivot.number(TABLES);

  await pivot.click(CHAIRS);
  await page.keyboard.press('w');
  const why = page.getByRole('region', { name: 'Why', exact: true });
  await why
    .getByRole('button', { name: `Take back entry ${entry} for the selection`, exact: true })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(
    'added to Category = Furniture, Sub-Category = Chairs, Order Date in 2028',
  );
  const text = (amount: number) => amount.toLocaleString('en-US', { minimumFractionDigits: 2 });
  await expect(dialog.getByTestId('taken-back')).toContainText(`${text(raised)} → ${text(before)}`);
  // The dialog stays open until the part is written.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/log/*/reverse', async (route) => {
    await released;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Take it back' }).click();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  release();
  await expect(dialog).toBeHidden();
  await expect.poll(() => pivot.number(CHAIRS)).toBe(before);
  expect(await pivot.number(TABLES)).toBe(tables);
  const [written] = await service.query(`SELECT operation, params, pf_user FROM pf.log
    ORDER BY id DESC LIMIT 1`);
  expect(written).toEqual({
    ...{ operation: 'reverse', params: { reverse_of: entry }, pf_user: 'ana' },
  });

  // Nothing is left to take back, and the entry is undone only after its reverse.
  await why
    .getByRole('button', { name: `Take back entry ${entry} for the selection`, exact: true })
    .click();
  await expect(dialog.getByRole('alert')).toContainText('is left in this slice to take back');
  await expect(dialog.getByRole('button', { name: 'Take it back' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await pivot.undo();
  await expect.poll(() => pivot.number(CHAIRS)).toBe(raised);
});

test('where a lock refuses an undo, the rest of the entry can be taken back', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await pivot.number(TABLES);
  const { body: rows } = await service.api.post('/versions/1/scale', {
    ...{ slice: { Category: 'Furniture' }, pct: 10, pf_user: 'ben' },
  });
  await expect.poll(() => pivot.number(TABLES)).toBeGreaterThan(before);
  const chairs = await pivot.number(CHAIRS);
  const lock = { slice: { 'Sub-Category': 'Chairs' }, pf_user: 'eve' };
  expect((await service.api.post('/versions/1/locks', lock)).status).toBe(201);

  const log = await pivot.log();
  await log.getByRole('button', { name: `Undo entry ${rows[0].pf_logid} by ben` }).click();
  await page.getByRole('button', { name: 'Take back the rest' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('What the entry added to the plan is taken back.');
  await expect(dialog).toContainText(/\d locked rows stay as they are/);
  await dialog.getByRole('button', { name: 'Take it back' }).click();
  await expect.poll(() => pivot.number(TABLES)).toBe(before);
  expect(await pivot.number(CHAIRS)).toBe(chairs);
  await expect(log.getByRole('row').filter({ hasText: 'of entry' })).toBeVisible();
});
