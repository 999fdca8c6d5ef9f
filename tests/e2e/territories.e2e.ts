import type { Browser, Page } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import { apiAt } from '../support/http';
import { PivotPage } from './pivot-page';

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
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ baseURL, extraHTTPHeaders, permissions });
  const page = await context.newPage();
  await visit(page, '/');
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
  // Otto has written nothing, so the service does not know him; demo made the version.
  await adding.getByLabel('Person or group').click();
  await expect(eve.getByRole('listbox').getByRole('option')).toHaveText([
    /^admins\s+group$/,
    /^demo\s+person$/,
    /^eve\s+person$/,
    /^planners\s+group$/,
  ]);
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
  await adding.getByLabel('Person or group').fill('plan');
  await eve.getByRole('option', { name: 'planners' }).click();
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

  // In a German browser, numbers are chosen and typed with a decimal comma.
  const headers = { 'X-Forwarded-User': 'eve', 'X-Forwarded-Groups': 'admins' };
  const columns = [{ cname: 'Discount', role: 'dimension' }];
  expect((await apiAt(service.url, headers).put('/sources/1/columns', columns)).status).toBe(200);
  const options = { baseURL: service.url, extraHTTPHeaders: headers, locale: 'de-DE' };
  const german = await (await browser.newContext(options)).newPage();
  await german.goto('/sources/1?tab=territories');
  await german.getByRole('button', { name: 'Add the first territory' }).click();
  await german.getByLabel('Person or group').fill('berta');
  await german.getByLabel('Column').selectOption('Discount');
  const value = german.getByLabel('Add a value of Discount');
  await value.fill('0,4');
  await german.getByRole('option', { name: '0,45' }).click();
  await value.fill('0,2');
  await german.keyboard.press('Enter');
  await expect(german.getByRole('button', { name: 'Remove 0,45' })).toBeVisible();
  await german.getByRole('button', { name: 'Add', exact: true }).click();
  await german.getByRole('button', { name: 'Add the territory' }).click();
  await expect(german.getByRole('row', { name: /^berta / })).toBeVisible();
  expect(await stored()).toMatchObject([{ member: 'berta', read: { Discount: [0.45, 0.2] } }]);
});

test('a planner sees and changes a part, a reviewer everything, and an outsider nothing', async ({
  browser,
  service,
}) => {
  // Three people follow each other's changes.
  const admin = apiAt(service.url, { 'x-forwarded-user': 'eve', 'x-forwarded-groups': 'admins' });
  const read = { Region: ['West', 'South'] };
  for (const body of [
    { member: 'ann', read, write: { ...read, Category: 'Furniture' } },
    { member: 'reviewers', read: {}, write: {} },
  ]) {
    expect((await admin.post('/sources/1/territories', body)).status).toBe(201);
  }
  const sales = async (where: string): Promise<number> => {
    const [row] = await service.query(
      `SELECT round(sum("Sales"), 2)::float8 AS sum FROM pf.fc_superstore_1 WHERE ${where}`,
    );
    return row.sum;
  };
  const year = `"Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`;
  const chairs = `${year} AND "Sub-Category" = 'Chairs'`;
  const inside = `"Region" IN ('West', 'South')`;
  const open = async (name: string, groups: string) => {
    const page = await openSignedIn(browser, service.url, name, groups);
    return new PivotPage(page);
  };
  const ann = await open('ann', 'planners');
  const bea = await open('bea', 'planners, reviewers');
  const otto = await open('otto', 'planners');

  // The home page says what ann sees; otto sees no source.
  await expect(ann.page.getByText(/^You see Region in West, South, and may change/)).toBeVisible();
  await expect(otto.page.getByRole('heading', { name: 'Sources' })).toBeVisible();
  await expect(otto.page.getByText('Superstore')).toHaveCount(0);
  await otto.page.goto('/versions/1');
  await expect(otto.page.getByRole('heading', { name: 'Not found' })).toBeVisible();
  await expect(otto.page.getByText('There is no version 1')).toBeVisible();

  for (const each of [ann, bea]) {
    await each.page.goto('/versions/1');
    await each.drawn();
  }
  const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
  await expect.poll(() => ann.number(CHAIRS)).toBe(await sales(`${chairs} AND ${inside}`));
  await expect.poll(() => bea.number(CHAIRS)).toBe(await sales(chairs));
  await expect(bea.page.getByTestId('part')).toHaveCount(0);
  await expect(ann.page.getByTestId('part')).toContainText('Region in West, South');
  await expect(ann.page.getByRole('button', { name: 'Actions for Plan 2027' })).toHaveCount(0);
  await expect(ann.page.getByRole('link', { name: 'Baseline' })).toHaveCount(0);

  // What ann may not change is marked, and refused with a sentence.
  await expect(bea.grid.locator('td.pf-locked')).toHaveCount(0);
  await expect(ann.grid.locator('td.pf-locked').first()).toHaveAttribute(
    'title',
    'You may see these rows but not change them',
  );
  const refusal = 'Your territories let you see these rows but not change them.';
  await ann.click({ row: ['Technology', 'Phones'], column: ['2028', 'Sales'] });
  await expect(ann.panel).toContainText(refusal);
  await expect(ann.apply).toBeDisabled();
  await ann.page.keyboard.type('5');
  await expect(ann.page.locator('#cell-meaning')).toHaveText(refusal);
  await ann.page.keyboard.press('Escape');

  // Her change stays inside her part and reaches the reviewer.
  const outside = await sales(`${chairs} AND NOT ${inside}`);
  await ann.click(CHAIRS);
  await ann.page.keyboard.type('40k');
  await ann.page.keyboard.press('Enter');
  await expect.poll(() => ann.number(CHAIRS)).toBe(40_000);
  await expect.poll(() => bea.number(CHAIRS)).toBe(await sales(chairs));
  expect(await sales(`${chairs} AND ${inside}`)).toBe(40_000);
  expect(await sales(`${chairs} AND NOT ${inside}`)).toBe(outside);

  // A comment and a review of rows on her screen are about her part of them, and mark her cells.
  await ann.click({ row: ['Furniture', 'Chairs'] });
  await ann.page.keyboard.press('m');
  await ann.panel.getByRole('textbox', { name: 'New comment' }).fill('Too low?');
  await ann.page.keyboard.press('Control+Enter');
  await expect(ann.panel.getByRole('article')).toHaveText(/Too low\?/);
  await expect(ann.grid.locator('td.pf-commented').first()).toBeVisible();
  const furniture = { ...read, Category: 'Furniture' };
  expect(await service.query('SELECT slice FROM pf.comment')).toEqual([
    { slice: { ...furniture, 'Sub-Category': 'Chairs' } },
  ]);
  const planner = apiAt(service.url, {
    'x-forwarded-user': 'ann',
    'x-forwarded-groups': 'planners',
  });
  const slice = { ...read, 'Sub-Category': 'Tables' };
  const made = await planner.post('/versions/1/reviews', { slice, reviewers: ['bea'] });
  expect((await planner.post(`/reviews/${made.body.id}/submit`, {})).status).toBe(200);
  await expect(ann.grid.locator('th[data-review="submitted"]')).toHaveText(['Tables']);
  await ann.click({ row: ['Furniture', 'Tables'] });
  await expect(ann.panel).toContainText(/Rows \d+\s+Locked: \d+ rows/);

  // The dialog and the list name the slice that is stored.
  await ann.page.keyboard.press('Escape');
  await ann.page.getByRole('button', { name: 'Reviews' }).click();
  await ann.page.getByRole('button', { name: 'Make a review …' }).click();
  const making = ann.page.getByRole('dialog', { name: 'Make a review' });
  const rows = making.getByLabel('Rows');
  await expect(rows.getByRole('option')).toHaveText([
    'Selection: Region in West, South, Category = Furniture, Sub-Category = Tables',
    'All that you see: Region in West, South',
  ]);
  await rows.selectOption('All that you see: Region in West, South');
  // People of the version can be chosen, and are not asked about.
  await making.getByRole('button', { name: 'Add bea to the reviewers' }).click();
  await expect(making.getByRole('textbox', { name: 'Reviewers' })).toHaveValue('bea');
  await making.getByRole('button', { name: 'Make the review' }).click();
  await expect(making).toHaveCount(0);
  const slices = await service.query('SELECT slice FROM pf.review ORDER BY id DESC');
  expect(slices[0]).toEqual({ slice: read });
  await ann.page.getByRole('button', { name: 'Reviews' }).click();
  const reviews = ann.page.getByRole('dialog', { name: 'Reviews' });
  await expect(
    reviews.getByRole('button', { name: 'Region in West, South', exact: true }),
  ).toBeVisible();
  await ann.page.keyboard.press('Escape');

  // A change of more than her part is in her log without its selection.
  const binders = { slice: { 'Sub-Category': 'Binders' }, pct: 3 };
  expect((await admin.post('/versions/1/scale', binders)).status).toBe(200);
  const entry = (await ann.log()).getByRole('row', { name: / eve / });
  await expect(entry).toContainText('not only what you see');
  await expect(entry).not.toContainText('Binders');
});

test('somebody who sees everything and changes a part first sees that part, and reads which cells reach beyond it', async ({
  browser,
  service,
}) => {
  const admin = apiAt(service.url, { 'x-forwarded-user': 'eve', 'x-forwarded-groups': 'admins' });
  const body = { member: 'carl', read: {}, write: { Region: 'West' } };
  expect((await admin.post('/sources/1/territories', body)).status).toBe(201);
  const carl = new PivotPage(await openSignedIn(browser, service.url, 'carl', 'planners'));
  const sales = async (where: string): Promise<number> => {
    const [row] = await service.query(
      `SELECT round(sum("Sales"), 2)::float8 AS sum FROM pf.fc_superstore_1
       WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND ${where}`,
    );
    return row.sum;
  };
  const chairs = `"Sub-Category" = 'Chairs'`;
  const west = `"Region" = 'West'`;
  const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
  const filters = carl.page.getByRole('group', { name: 'Filters' });

  await carl.page.goto('/versions/1');
  await carl.drawn();
  await expect(filters).toContainText('Region = West');
  await expect.poll(() => carl.number(CHAIRS)).toBe(await sales(`${chairs} AND ${west}`));
  await carl.click(CHAIRS);
  await expect(carl.apply).toHaveText(/Scale \d+ rows/);
  await expect(carl.panel).not.toContainText('You may change');

  // Without the filter, the cells also have rows that he only sees.
  await filters.getByRole('button', { name: /^Remove/ }).click();
  await expect.poll(() => carl.number(CHAIRS)).toBe(await sales(chairs));
  const only = await service.query(
    `SELECT count(*)::int AS n FROM pf.fc_superstore_1 WHERE NOT ${west} AND ${chairs}
     AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
  );
  await carl.click(CHAIRS);
  await expect(carl.panel).toContainText(
    `This selection also has ${only[0].n} rows that you may only see`,
  );
  await carl.page.keyboard.type('5');
  const refusal = 'Your territories let you see some of these rows but not change them.';
  await expect(carl.page.locator('#cell-meaning')).toHaveText(refusal);
  await carl.page.keyboard.press('Escape');

  // Of a pasted block, the cells with such rows are named before anything is written.
  await carl.page.goto('/versions/1?rows=State');
  await carl.drawn();
  const state = (name: string) => ({ row: [name], column: ['2028', 'Sales'] });
  const stored = (name: string) => sales(`"State" = '${name}'`);
  const connecticut = await stored('Connecticut');
  await expect.poll(() => carl.number(state('Connecticut'))).toBe(connecticut);
  await carl.click(state('Colorado'));
  await carl.page.evaluate(() => navigator.clipboard.writeText('5,000.50\n6,000.50'));
  await carl.page.keyboard.press('Control+v');
  const preview = carl.page.getByRole('dialog', { name: 'Paste 1 number?' });
  await expect(preview.getByTestId('guesses')).toHaveText(
    `Not written: 1 cell that does not fit. ${refusal}`,
  );
  await expect(preview.getByRole('row', { name: /^Connecticut/ })).toContainText('does not fit');
  await preview.getByRole('button', { name: 'Write 1 number' }).click();
  await expect.poll(() => carl.number(state('Colorado'))).toBe(5000.5);
  expect([await stored('Colorado'), await stored('Connecticut')]).toEqual([5000.5, connecticut]);

  // Rows of 0 that he only sees get no part in proportion, but one of equal parts: refused before it is sent.
  await service.query(`UPDATE pf.fc_superstore_1 SET "Sales" = 0 WHERE NOT ${west}`);
  await carl.click({ row: [], column: ['2028', 'Sales'] });
  await carl.panel.getByLabel('Sales: Change').fill('100');
  await expect(carl.apply).toBeEnabled();
  await carl.panel.getByLabel('Spread', { exact: true }).selectOption('equal');
  await expect(carl.panel.locator('#apply-obstacle')).toHaveText(refusal);
  await expect(carl.apply).toBeDisabled();
});
