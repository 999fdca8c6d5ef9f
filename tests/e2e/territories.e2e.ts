import type { Browser, Page } from '@playwright/test';
import { expect, test } from '../support/e2e';

/** Territories: an admin, planners with a part of the source, and people without. */

test.use({
  env: {
    PF_USER_HEADER: 'X-Forwarded-User',
    PF_GROUPS_HEADER: 'X-Forwarded-Groups',
    PF_PLANNERS: 'planners',
    PF_ADMINS: 'admins',
  },
});

/** Opens the home page as somebody whom the proxy has signed in. */
async function openSignedIn(
  browser: Browser,
  baseURL: string,
  name: string,
  groups: string,
): Promise<Page> {
  const extraHTTPHeaders = { 'X-Forwarded-User': name, 'X-Forwarded-Groups': groups };
  const context = await browser.newContext({ baseURL, extraHTTPHeaders });
  const page = await context.newPage();
  await page.goto('/');
  return page;
}

test('an admin gives people and groups parts of a source, which closes it to the others', async ({
  browser,
  service,
}) => {
  const eve = await openSignedIn(browser, service.url, 'eve', 'admins');
  const otto = await openSignedIn(browser, service.url, 'otto', 'planners');
  await expect(otto.getByRole('link', { name: 'Plan 2027', exact: true })).toBeVisible();
  const stored = () =>
    service.query('SELECT member, read, write, created_by FROM pf.territory ORDER BY id');
  const row = (name: RegExp) => eve.getByRole('row', { name });
  const dialog = (name: string) => eve.getByRole('dialog', { name });

  // The first one is confirmed.
  await eve.goto('/sources/1?tab=territories');
  await eve.getByRole('button', { name: 'Add the first territory' }).click();
  const adding = dialog('Add a territory');
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(adding.getByText('Enter the name of a person or a group.')).toBeVisible();
  await adding.getByLabel('Person or group').fill('ann');
  await adding.getByLabel('Column').selectOption('Region');
  await adding.getByLabel('Add a value of Region').click();
  await eve.getByRole('option', { name: 'West' }).click();
  await adding.getByLabel('Add a value of Region').fill('South');
  await eve.keyboard.press('Enter');
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  const confirming = dialog('Close the source to everybody else?');
  await expect(confirming).toContainText('Everybody without a territory sees nothing');
  await confirming.getByRole('button', { name: 'Cancel' }).click();
  expect(await stored()).toEqual([]);
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  await confirming.getByRole('button', { name: 'Add the territory' }).click();
  await expect(row(/^ann /)).toContainText('Region in West, South');
  const west = { Region: ['West', 'South'] };
  expect(await stored()).toEqual([{ member: 'ann', read: west, write: west, created_by: 'eve' }]);
  await otto.reload();
  await expect(otto.getByRole('heading', { name: 'Sources' })).toBeVisible();
  await expect(otto.getByRole('link', { name: 'Plan 2027', exact: true })).toHaveCount(0);

  // A group gets a period of everything, to read only.
  await eve.getByRole('button', { name: 'Add a territory' }).click();
  await adding.getByLabel('Person or group').fill('planners');
  await adding.getByLabel('Column').selectOption('Order Date');
  await adding.getByLabel('First day of Order Date').fill('2028-01-01');
  await adding.getByLabel('Last day of Order Date').fill('2028-12-31');
  await adding.getByText('Nothing', { exact: true }).click();
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(row(/^planners /)).toContainText('Order Date in 2028');
  await otto.reload();
  await expect(otto.getByRole('link', { name: 'Plan 2027', exact: true })).toBeVisible();

  // Changed: everything may be read, a part be changed.
  await eve.getByRole('button', { name: /^Change the territory of ann/ }).click();
  const changing = dialog('Territory of ann');
  await changing.getByText('Everything', { exact: true }).click();
  await changing.getByText('A part of it', { exact: true }).click();
  await changing.getByRole('button', { name: 'Remove South' }).click();
  await changing.getByRole('button', { name: 'Save' }).click();
  await expect(row(/^ann /)).toContainText('Region = West');
  const year = { 'Order Date': { from: '2028-01-01', to: '2028-12-31' } };
  expect(await stored()).toEqual([
    { member: 'ann', read: {}, write: { Region: 'West' }, created_by: 'eve' },
    { member: 'planners', read: year, write: null, created_by: 'eve' },
  ]);

  // Removed: the page says what that means.
  const remove = async (name: string, consequence: string) => {
    await eve.getByRole('button', { name: new RegExp(`^Remove the territory of ${name}`) }).click();
    const removing = dialog(`Remove the territory of ${name}?`);
    await expect(removing).toContainText(consequence);
    await removing.getByRole('button', { name: 'Remove territory' }).click();
    await expect(removing).toHaveCount(0);
  };
  await remove('planners', 'planners then sees nothing of this source.');
  await remove('ann', 'everybody then sees the whole source');
  await expect(eve.getByRole('heading', { name: 'Open to everybody' })).toBeVisible();
  await otto.goto('/sources/1?tab=territories');
  await expect(otto.getByRole('tab', { name: /Versions/ })).toBeVisible();
  await expect(otto.getByRole('tab', { name: /Territories/ })).toHaveCount(0);
});
