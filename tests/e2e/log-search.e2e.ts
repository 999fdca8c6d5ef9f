import { test, expect } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** Writes three changes of two people, the oldest first. */
async function makeChanges({ api }: Service): Promise<void> {
  const changes = [
    { pf_user: 'Ben', note: 'Fair in March', slice: { Category: 'Furniture' }, pct: 10 },
    { pf_user: 'Ann', note: 'New phones', slice: { 'Sub-Category': 'Phones' }, pct: 5 },
    { pf_user: 'Ben', note: null, slice: { Category: 'Technology' }, pct: -2 },
  ];
  for (const change of changes) {
    expect((await api.post('/versions/1/scale', change)).status).toBe(200);
  }
}

test('finds entries of the log by text, person, time and selection', async ({ page, service }) => {
  await makeChanges(service);
  await service.query(
    `UPDATE pf.log SET stamp = stamp - '3 days'::interval WHERE note = 'New phones'`,
  );
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  const entries = log.locator('tbody tr');
  await expect(entries).toHaveCount(4);

  await log.getByRole('searchbox', { name: 'Search the log' }).fill('ben FAIR');
  await expect(entries).toHaveCount(1);
  await expect(entries).toContainText('Furniture');
  await expect(log.getByText('1 of 4 entries')).toBeVisible();
  await log.getByRole('button', { name: 'Show all' }).click();
  await expect(entries).toHaveCount(4);

  await log.getByRole('combobox', { name: 'Entries by' }).selectOption('Ben');
  await expect(entries).toHaveCount(2);
  await log.getByRole('combobox', { name: 'Entries by' }).selectOption('Ann');
  await log.getByRole('combobox', { name: 'Entries of' }).selectOption('Since yesterday');
  await expect(entries).toHaveCount(0);
  await expect(log.getByText('No entry matches.')).toBeVisible();
  await log.getByRole('button', { name: 'Show all' }).click();

  // The slice of the phones does not name their category: only their rows say that it is not furniture.
  await pivot.click({ row: ['Furniture'] });
  await log.getByRole('checkbox', { name: 'On the selection' }).check();
  await expect(entries).toHaveCount(2);
  await expect(entries.first()).toContainText('+10 %');
  await expect(entries.last()).toContainText('baseline');
});

test('undoes the entries that were found, as one confirmed step', async ({ page, service }) => {
  await makeChanges(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  await log.getByRole('combobox', { name: 'Entries by' }).selectOption('Ben');
  await log.getByRole('button', { name: 'Undo these 2 …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo 2 entries?' });
  await expect(dialog).toContainText('“Fair in March”');
  await dialog.getByRole('button', { name: 'Undo 2 entries' }).click();
  await expect(page.getByText('Undone: 2 entries')).toBeVisible();
  await log.getByRole('button', { name: 'Show all' }).click();
  await expect(log.locator('tbody tr')).toHaveCount(2);
  const left = await service.query(`SELECT pf_user FROM pf.log WHERE operation = 'scale'`);
  expect(left).toEqual([{ pf_user: 'Ann' }]);
  const [sum] = await service.query(
    `SELECT to_char(sum("Sales"), 'FM999,999,990.00') AS sales FROM pf.fc_superstore_1`,
  );
  await expect(log.locator('tfoot')).toContainText(sum.sales);
});

test('after an undo in the log by keyboard, the focus is on its list; a refused one keeps it', async ({
  page,
  service,
}) => {
  await makeChanges(service);
  const lock = await service.api.post('/versions/1/locks', {
    slice: { 'Sub-Category': 'Phones' },
    pf_user: 'eve',
  });
  expect(lock.status).toBe(201);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  const undo = (text: string) =>
    log.locator('tbody tr', { hasText: text }).getByRole('button', { name: /^Undo entry \d+ by/ });
  await undo('Phones').press('Enter');
  await expect(page.getByRole('button', { name: 'Take back the rest' })).toBeVisible();
  await expect(undo('Phones')).toBeFocused();
  await undo('Furniture').press('Enter');
  await expect(undo('Furniture')).toHaveCount(0);
  await expect(log.getByRole('region', { name: 'Log entries' })).toBeFocused();
});

test('undoes everything after the entry that is shown', async ({ page, service }) => {
  await makeChanges(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  const fair = log.locator('tbody tr', { hasText: 'Furniture' });
  await fair.getByRole('button', { name: /^Show the plan/ }).click();
  await page.getByRole('button', { name: 'Undo 2 later entries …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo 2 entries' }).click();
  await expect(log.locator('tbody tr')).toHaveCount(2);
  expect(await service.query(`SELECT note FROM pf.log WHERE operation = 'scale'`)).toEqual([
    { note: 'Fair in March' },
  ]);
});

test('says how many entries were undone when one fails', async ({ page, service }) => {
  await makeChanges(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  await log.getByRole('combobox', { name: 'Entries by' }).selectOption('Ben');
  const [oldest] = await service.query(`SELECT id FROM pf.log WHERE note = 'Fair in March'`);
  await page.route(`**/api/log/${oldest.id}*`, (route) =>
    route.fulfill({ status: 423, json: { error: 'The entry is locked' } }),
  );
  await log.getByRole('button', { name: 'Undo these 2 …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo 2 entries' }).click();
  await expect(
    page.getByText('Undone: 1 of 2 entries. The next one was not undone: The entry is locked'),
  ).toBeVisible();
  await expect(log.locator('tbody tr')).toHaveCount(1);
});
