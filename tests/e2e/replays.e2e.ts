import type { Page } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { changedSource } from './states';

const choose = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

test('a version is duplicated, and replayed on current data, entry by entry', async ({
  page,
  service,
}) => {
  await changedSource(service);
  await new PivotPage(page).keepUser('Ann Planner');
  await visit(page, '/sources/1?tab=versions');

  await choose(page, 'Plan 2027', 'Duplicate …');
  const name = page.getByRole('textbox', { name: 'Name' });
  await expect(name).toHaveValue('Copy of Plan 2027');
  await name.fill('Plan 2027');
  await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
  await expect(page.getByText('A version with this name already exists.')).toBeVisible();
  await name.fill('Cautious');
  await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
  await page
    .locator('[data-sonner-toast]', { hasText: 'Cautious is a copy of Plan 2027.' })
    .getByRole('button', { name: 'Open' })
    .click();
  await expect(page.getByRole('heading', { name: 'Cautious' })).toBeVisible();

  // The first entry that cannot be replayed is named, and no version is created.
  await visit(page, '/sources/1?tab=versions');
  await choose(page, 'Plan 2027', 'Replay on today’s data …');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('October');
  await dialog.getByRole('textbox', { name: 'Description' }).fill('As of now');
  // On a small screen, the message is below the fields, so the dialog scrolls to it.
  await page.setViewportSize({ width: 720, height: 450 });
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText(
    /entry \d+ \(scale, “the South first”\) cannot be replayed: The slice matches no row/,
  );
  await expect(dialog.getByRole('alert')).toBeInViewport();
  const versions = () => service.query('SELECT name FROM pf.version ORDER BY id');
  expect(await versions()).toEqual([{ name: 'Plan 2027' }, { name: 'Cautious' }]);
  // During the replay, the dialog says so and stays open.
  let letGo = () => {};
  const until = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/api/versions/1/replay', async (route) => {
    await until;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Skip entries that cannot be replayed' }).click();
  await expect(dialog.getByRole('status')).toContainText('Replaying all entries.');
  await expect(dialog.getByRole('status')).toBeInViewport();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Escape');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  letGo();

  await expect(
    page.getByText('1 entry gave the same results, 2 gave other results, 1 was skipped.'),
  ).toBeVisible();
  expect(await versions()).toHaveLength(3);
  const rows = page.getByRole('region', { name: 'Entries side by side' }).locator('tbody tr');
  const cellsOf = async (row: number) => {
    const texts = await rows.nth(row).getByRole('cell').allTextContents();
    return texts.map((text) => Number(text.replaceAll(/[,+]/g, '')));
  };
  const [now] = await service.query(`
    SELECT count(*)::int AS rows, sum("Sales")::float AS sales, sum("Quantity")::int AS units
    FROM public.superstore`);
  const [was] = await service.query(
    `SELECT count(*)::int AS rows, sum("Sales")::float AS sales, sum("Quantity")::int AS units
     FROM pf.fc_superstore_1 WHERE pf_iter = 'baseline'`,
  );
  const cents = (amount: number) => Math.round(amount * 100) / 100;
  await expect(rows).toHaveCount(4);
  expect(await cellsOf(0)).toEqual([
    ...[was.rows, now.rows, now.rows - was.rows],
    ...[cents(was.sales), cents(now.sales), cents(now.sales - was.sales)],
    ...[was.units, now.units, now.units - was.units],
  ]);
  await expect(rows.nth(1)).toContainText('+10 %');
  await expect(rows.nth(1)).toContainText('Region = West, “the West grows”, by ann');
  await expect(rows.nth(2)).toContainText('Skipped: The slice matches no row');
  const [, , , asked, got, difference] = await cellsOf(3);
  expect([asked, got, difference]).toEqual([500, 500, 0]);

  await page.getByRole('checkbox', { name: 'Only entries with other results' }).check();
  await expect(rows).toHaveCount(3);

  // The results can be found again from the log of the pivot and from the list of versions.
  await page.getByRole('link', { name: 'Open the pivot' }).click();
  const pivot = new PivotPage(page);
  await pivot.drawn();
  const log = await pivot.log();
  // The entries have their authors.
  await expect(log.getByTitle('ann; replayed by Ann Planner')).toHaveText(['ann', 'ann']);
  await log.getByRole('link', { name: 'Results of the replay by Ann Planner' }).click();
  await expect(rows).toHaveCount(4);
  await page.reload();
  await expect(rows).toHaveCount(4);
  await visit(page, '/sources/1?tab=versions');
  await choose(page, 'October', 'Results of the replay');
  await expect(rows).toHaveCount(4);
  await visit(page, '/versions/1/replayed');
  await expect(page.getByText('No replay')).toBeVisible();
});

test('the open version is duplicated, closed and opened again from its menu', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await choose(page, 'Plan 2027', 'Close version');
  await expect(page.getByText('Plan 2027 is closed.')).toBeVisible();
  const status = async () => (await service.api.get('/versions/1')).body;
  expect(await status()).toMatchObject({ status: 'closed', closed_by: 'ana' });
  const badge = page.getByRole('toolbar', { name: 'Pivot' }).getByText('Closed');
  await expect(badge).toBeVisible();
  await choose(page, 'Plan 2027', 'Reopen version');
  await expect(page.getByText('Plan 2027 is open again.')).toBeVisible();
  await expect(badge).toHaveCount(0);
  expect(await status()).toMatchObject({ status: 'open' });

  await choose(page, 'Plan 2027', 'Duplicate …');
  await page.getByRole('textbox', { name: 'Name' }).fill('Cautious');
  await page.getByRole('button', { name: 'Duplicate', exact: true }).click();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Cautious' })).toBeVisible();
  await expect(page).toHaveURL('/versions/2');
});
