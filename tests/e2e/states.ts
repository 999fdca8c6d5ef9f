import type { Page } from '@playwright/test';
import { joinProducts, PRODUCTS_SQL } from '../../src/demo/products';
import { expect, storeText, visit } from '../support/e2e';
import { apiAt } from '../support/http';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';
import { addressIn, drop, exportWorkbook, withNumbers } from './workbook';

/** A page in one of its states, reached by the steps of a user. */
export interface State {
  name: string;
  template?: 'service' | 'raw';
  /** Configures the server. */
  env?: Record<string, string>;
  reach(page: Page, service: Service): Promise<void>;
}

const visible = (page: Page, text: string | RegExp) =>
  expect(page.getByText(text).first()).toBeVisible();

async function openWorkbench(page: Page): Promise<void> {
  await visit(page, '/versions/1/baseline');
  await expect(page.getByRole('region', { name: 'Preview of the load' })).toContainText(/9[,.]994/);
}

/** Makes three changes in version 1, and then changes the source under them. */
export async function changedSource(service: Service): Promise<void> {
  const scales = [
    { slice: { Region: 'West' }, pct: 10, note: 'the West grows' },
    { slice: { Region: 'South' }, value_incr: 1000, note: 'the South first' },
    { slice: { Region: 'East' }, value_incr: 500 },
  ];
  for (const body of scales) {
    await service.api.post('/versions/1/scale', { ...body, pf_user: 'ann' });
  }
  await changeOrders(service);
}

/** Changes the sales of some orders in the source, and deletes others. */
export const changeOrders = ({ query }: Service): Promise<unknown> =>
  query(`
    UPDATE public.superstore SET "Sales" = "Sales" * 2 WHERE "Region" = 'West';
    DELETE FROM public.superstore WHERE "Region" = 'South'`);

/** Makes two changes in version 1, and closes its first quarter on the orders of a year later. */
export async function closedQuarter({ api }: Service): Promise<void> {
  const january = { from: '2027-01-01', to: '2027-01-31' };
  const slice = { Region: 'West', 'Order Date': january };
  await api.post('/versions/1/scale', { slice, pct: 20, pf_user: 'bob', note: 'The West grows' });
  await api.post('/versions/1/scale', { slice: { Region: 'East' }, pct: -5, pf_user: 'eva' });
  const actuals = { date_offset: '12 years', through: '2027-03-31', pf_user: 'ann' };
  const { body } = await api.post('/versions/1/actuals', actuals);
  expect(body.error).toBeUndefined();
}

/** Gives version 1 the name budget, and moves it to a replay, version 2. */
async function movedName({ api }: Service): Promise<void> {
  const move = (version_id: number, pf_user: string) =>
    api.put('/sources/1/current', { name: 'budget', version_id, pf_user });
  await move(1, 'bea');
  const { body } = await api.post('/versions/1/replay', { name: 'On new data', pf_user: 'ann' });
  expect(body.error).toBeUndefined();
  await move(body.version.id, 'ann');
}

/** Opens the thread of a commented row. */
async function openComments(page: Page, { api }: Service): Promise<void> {
  const comment = (slice: object, text: string, pf_user: string) =>
    api.post('/versions/1/comments', { slice, text, pf_user });
  const chairs = { 'Sub-Category': 'Chairs' };
  await comment(chairs, 'Too low? Two customers came back in autumn. @Ann', 'Eve');
  await comment({ Category: 'Technology' }, 'Settled with sales.', 'Bea Planner');
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await page.keyboard.press('m');
  await expect(pivot.panel.getByRole('article')).toHaveText(/Too low\?/);
  await expect(pivot.grid.locator('td.pf-commented').first()).toBeVisible();
}

/** The settings of a server whose proxy signs people in. */
const SIGNED_IN = {
  PF_USER_HEADER: 'X-Forwarded-User',
  PF_GROUPS_HEADER: 'X-Forwarded-Groups',
  PF_PLANNERS: 'planners',
  PF_ADMINS: 'admins',
};

const signedIn = (user: string, groups: string) => ({
  'x-forwarded-user': user,
  'x-forwarded-groups': groups,
});
const signIn = (page: Page, user: string, groups: string) =>
  page.context().setExtraHTTPHeaders(signedIn(user, groups));

async function giveTerritories({ url }: Service, territories: object[]): Promise<void> {
  const api = apiAt(url, signedIn('Eve', 'admins'));
  for (const body of territories) {
    expect((await api.post('/sources/1/territories', body)).status).toBe(201);
  }
}

/** Signs Eve in as an admin, and gives three members their territories of source 1. */
async function openTerritories(page: Page, service: Service): Promise<void> {
  const west = { Region: ['West', 'Central'] };
  const year = { from: '2027-01-01', to: '2027-12-31' };
  await giveTerritories(service, [
    { member: 'team-west', read: west, write: west },
    { member: 'Ann Planner', read: {}, write: { Category: 'Furniture', Segment: ['Consumer'] } },
    { member: 'auditors', read: { Category: 'Technology', 'Order Date': year }, write: null },
  ]);
  await signIn(page, 'Eve', 'admins');
  await visit(page, '/sources/1?tab=territories');
  await visible(page, 'team-west');
}

/** Joins the products and the calendar with source 1; the key of a third lookup is gone. */
async function openLookups(page: Page, { url, api, query }: Service): Promise<void> {
  await query(PRODUCTS_SQL);
  await joinProducts(url, 1);
  await query(
    "CREATE TABLE public.regions AS SELECT * FROM (VALUES ('West', 'Otto')) AS r (region, lead)",
  );
  for (const body of [
    {
      ...{ name: 'Fiscal and calendar periods', schema: 'pf', tname: 'dim_period' },
      range: { column: 'Order Date', from: 'sdat', through: 'edat' },
      attributes: [{ cname: 'fisc_year', label: 'Fiscal year' }],
    },
    {
      ...{ name: 'Regions', schema: 'public', tname: 'regions' },
      keys: [{ column: 'Region', from: 'region' }],
      attributes: [{ cname: 'lead', label: 'Region lead' }],
    },
  ]) {
    const { status } = await api.post('/sources/1/lookups', { ...body, pf_user: 'Ann Planner' });
    expect(status).toBe(201);
  }
  await query('ALTER TABLE public.regions RENAME region TO name');
  await visit(page, '/sources/1?tab=lookups');
  await visible(page, 'Fiscal year');
}

/** Signs Eve in as an admin, makes three tokens, and opens their page. */
async function openTokens(page: Page, { url, query }: Service): Promise<void> {
  const api = apiAt(url, signedIn('Eve', 'admins'));
  for (const body of [
    { name: 'nightly load', roles: ['planner'], expires_at: '2099-12-31T18:00:00Z' },
    { name: 'Power BI', roles: ['reader'], groups: ['team-west', 'auditors'] },
    { name: 'old import', roles: ['admin'] },
  ]) {
    expect((await api.post('/tokens', body)).status).toBe(201);
  }
  await query(`UPDATE pf.token SET last_used_at = now() - interval '3 hours' WHERE name = 'Power BI';
    UPDATE pf.token SET expires_at = '2026-01-31T18:00:00Z' WHERE name = 'old import'`);
  await signIn(page, 'Eve', 'admins');
  await visit(page, '/tokens');
  await visible(page, 'Power BI');
}

/** Makes three reviews, one of them submitted to a reviewer, and one approved. */
async function makeReviews({ api }: Service, reviewer: string): Promise<void> {
  const make = async (owner: string, slice: object, reviewers: string[], due?: string) => {
    const body = { slice, reviewers, due, pf_user: owner };
    return (await api.post('/versions/1/reviews', body)).body.id as number;
  };
  const step = async (id: number, name: string, pf_user: string, comment?: string) => {
    const { status } = await api.post(`/reviews/${id}/${name}`, { pf_user, comment });
    expect(status).toBe(200);
  };
  const furniture = await make('Bea', { Category: 'Furniture' }, [reviewer], '2028-01-31');
  const technology = await make('Bea', { Category: 'Technology' }, ['Cem']);
  await make(reviewer, { Category: 'Office Supplies', Region: 'West' }, ['Bea', 'Cem']);
  await step(furniture, 'submit', 'Bea', 'Ready. Chairs are higher because of the new range.');
  await step(technology, 'submit', 'Bea');
  await step(technology, 'approve', 'Cem', 'Good.');
}

/** Selects the rows of a submitted review in the pivot. */
async function openReview(page: Page, service: Service): Promise<PivotPage> {
  await makeReviews(service, 'ana');
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Furniture'] });
  await expect(pivot.panel.getByRole('article')).toHaveText(/Submitted/);
  await expect(pivot.grid.locator('th[data-review="submitted"]').first()).toBeVisible();
  return pivot;
}

export const STATES: State[] = [
  {
    name: 'accuracy',
    reach: async (page, service) => {
      await closedQuarter(service);
      await visit(page, '/versions/1/accuracy?by=Region');
      await visible(page, /^The forecast was/);
      await page.getByText('By person').click();
    },
  },
  {
    name: 'accuracy-none',
    reach: async (page) => {
      await visit(page, '/versions/1/accuracy');
      await visible(page, 'No closed months');
    },
  },
  {
    name: 'home',
    reach: async (page) => {
      await visit(page, '/');
      await visible(page, 'Plan 2027');
    },
  },
  {
    name: 'home-empty',
    template: 'service',
    reach: async (page) => {
      await visit(page, '/');
      await visible(page, 'Start with a table');
    },
  },
  {
    name: 'home-failed',
    reach: async (page) => {
      await page.route('**/api/sources?*', (route) => route.abort());
      await visit(page, '/');
      await visible(page, 'The server does not answer');
    },
  },
  {
    name: 'signed-out',
    env: SIGNED_IN,
    reach: async (page) => {
      await visit(page, '/');
      await visible(page, 'You are not signed in');
    },
  },
  {
    name: 'register',
    template: 'service',
    reach: async (page) => {
      await visit(page, '/sources/new');
      await page.getByText('superstore', { exact: true }).click();
      await visible(page, /the first 50 rows/);
    },
  },
  {
    name: 'from-file',
    template: 'service',
    reach: async (page) => {
      await visit(page, '/sources/new/file');
      await visible(page, 'Drop a spreadsheet or a CSV file here');
    },
  },
  {
    name: 'file',
    template: 'service',
    reach: async (page) => {
      await visit(page, '/sources/new/file');
      const text = `Region,Ordered,Amount,Code\n${'North,1/2/2027,"1,204.50",7\n'.repeat(30)}South,3/4/2027,5,n/a\nEast,1/2/2027,5,7,8\n`;
      await page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'Sales 2027.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(text),
      });
      await visible(page, /1 row does not fit/);
    },
  },
  {
    name: 'user',
    reach: async (page) => {
      await storeText(page, 'pf.user', null);
      await visit(page, '/');
      await page.getByRole('button', { name: 'Set your name' }).click();
      await visible(page, 'Who is working?');
    },
  },
  {
    name: 'theme',
    reach: async (page) => {
      await visit(page, '/');
      await page.getByRole('button', { name: /^Colour theme/ }).press('Enter');
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'source-columns',
    reach: async (page) => {
      await visit(page, '/sources/1');
      await page.getByLabel('Grain of Category', { exact: true }).check();
      await page.getByRole('button', { name: 'Estimate the rows' }).click();
      await visible(page, /at this grain/);
      await page.getByLabel('Role of Profit').selectOption('value');
      await page.getByRole('button', { name: 'Save columns' }).click();
      await visible(page, /Nothing was saved/);
    },
  },
  {
    name: 'source-columns-reader',
    env: SIGNED_IN,
    reach: async (page) => {
      await signIn(page, 'Rita', 'readers');
      await visit(page, '/sources/1');
      await visible(page, 'Only admins change columns');
      await visible(page, 'Furniture · Office Supplies · Technology');
    },
  },
  {
    name: 'version-replay-refused',
    reach: async (page, service) => {
      await changedSource(service);
      await visit(page, '/sources/1?tab=versions');
      await page.getByRole('button', { name: 'Actions for Plan 2027' }).click();
      await page.getByRole('menuitem', { name: 'Replay on today’s data …' }).click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await visible(page, /^No version was created, because/);
    },
  },
  {
    name: 'version-replayed',
    reach: async (page, service) => {
      await changedSource(service);
      const body = { pf_user: 'ann', name: 'October', on_failure: 'skip' };
      await service.api.post('/versions/1/replay', body);
      await visit(page, '/versions/2/replayed');
      await visible(page, /Skipped/);
    },
  },
  {
    name: 'source-sql-difference',
    reach: async (page, service) => {
      await service.api.put('/sources/1/columns', [{ cname: 'Category', in_grain: true }]);
      await visit(page, '/sources/1?tab=sql');
      await page.getByRole('tab', { name: /^Scale/ }).click();
      await visible(page, /lines? added/);
    },
  },
  {
    name: 'source-sql',
    reach: async (page) => {
      await visit(page, '/sources/1?tab=sql');
      await page.getByRole('tab', { name: 'Scale' }).click();
      await expect(page.getByRole('region', { name: 'SQL of Scale' })).toBeVisible();
    },
  },
  {
    name: 'source-versions',
    reach: async (page, service) => {
      await service.api.post('/versions/1/close', { pf_user: 'Ben' });
      await visit(page, '/sources/1?tab=versions');
      await visible(page, 'by Ben');
    },
  },
  {
    name: 'source-lookups',
    reach: openLookups,
  },
  {
    name: 'source-lookups-none',
    reach: async (page) => {
      await visit(page, '/sources/1?tab=lookups');
      await visible(page, 'No lookups');
    },
  },
  {
    name: 'lookup',
    reach: async (page, service) => {
      await openLookups(page, service);
      await page.getByRole('button', { name: 'Change the lookup Products' }).click();
      await visible(page, 'Seating and desks · Room · Paper');
    },
  },
  {
    name: 'lookup-calendar',
    reach: async (page) => {
      await visit(page, '/sources/1?tab=lookups');
      await page.getByRole('button', { name: 'Add the fiscal year' }).click();
      await visible(page, 'Joined by');
    },
  },
  {
    name: 'lookup-table',
    reach: async (page, service) => {
      await openLookups(page, service);
      await page.getByRole('button', { name: 'Add a lookup' }).click();
      await visible(page, 'products');
    },
  },
  {
    name: 'source-territories',
    env: SIGNED_IN,
    reach: openTerritories,
  },
  {
    name: 'source-territories-none',
    reach: async (page) => {
      await visit(page, '/sources/1?tab=territories');
      await visible(page, 'Open to everybody');
      await visible(page, /^Territories need signed-in people/);
    },
  },
  {
    name: 'territory',
    env: SIGNED_IN,
    reach: async (page, service) => {
      await openTerritories(page, service);
      await page.getByRole('button', { name: /^Change the territory of auditors/ }).click();
      await page.getByText('A part of it', { exact: true }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await visible(page, /^Choose at least one value of/);
    },
  },
  {
    name: 'territory-first',
    env: SIGNED_IN,
    reach: async (page) => {
      await signIn(page, 'Eve', 'admins');
      await visit(page, '/sources/1?tab=territories');
      await page.getByRole('button', { name: 'Add the first territory' }).click();
      await page.getByLabel('Person or group').fill('team-west');
      await page.getByText('Everything', { exact: true }).click();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await visible(page, 'Close the source to everybody else?');
    },
  },
  {
    name: 'tokens',
    env: SIGNED_IN,
    reach: openTokens,
  },
  {
    name: 'tokens-none',
    env: SIGNED_IN,
    reach: async (page) => {
      await signIn(page, 'Eve', 'admins');
      await visit(page, '/tokens');
      await visible(page, 'No token yet');
    },
  },
  {
    name: 'token-made',
    env: SIGNED_IN,
    reach: async (page, service) => {
      await openTokens(page, service);
      await page.getByRole('button', { name: 'Make a token' }).click();
      await page.getByLabel('Name').fill('nightly load');
      await page.getByRole('button', { name: 'Make the token' }).click();
      await visible(page, /^Copy it now/);
    },
  },
  {
    name: 'version-new',
    reach: async (page) => {
      await visit(page, '/sources/1?tab=versions');
      await page.getByRole('button', { name: 'New version' }).click();
      await page.getByRole('button', { name: 'Create version' }).click();
      await visible(page, 'Give the version a name.');
    },
  },
  {
    name: 'version-delete',
    reach: async (page) => {
      await visit(page, '/sources/1?tab=versions');
      await page.getByRole('button', { name: /^Actions for Plan/ }).click();
      await page.getByRole('menuitem', { name: 'Delete …' }).click();
      await visible(page, 'Delete Plan 2027?');
    },
  },
  {
    name: 'version-names',
    reach: async (page, service) => {
      await movedName(service);
      await visit(page, '/sources/1?tab=versions');
      await page.getByRole('button', { name: 'Actions for Plan 2027', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Current names …' }).click();
      await page.getByRole('dialog', { name: 'Current names' }).getByText('History').click();
      await visible(page, /moved from Plan 2027 to On new data/);
    },
  },
  {
    name: 'version-publish',
    reach: async (page, service) => {
      await movedName(service);
      const body = { name: 'Budget', current: 'budget', pf_user: 'eve' };
      await service.api.put('/versions/2/published', body);
      await visit(page, '/sources/1?tab=versions');
      await page.getByRole('button', { name: 'Actions for On new data', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Publish …' }).click();
      await visible(page, 'follow “budget”');
    },
  },
  {
    name: 'pivot-name-moved',
    reach: async (page, service) => {
      const named = { name: 'budget', version_id: 1, pf_user: 'bea' };
      await service.api.put('/sources/1/current', named);
      await visit(page, '/plans/1/budget');
      await new PivotPage(page).drawn();
      await movedName(service);
      await visible(page, /“budget” no longer stands for this version/);
    },
  },
  {
    name: 'workbench-forecast',
    reach: async (page) => {
      await openWorkbench(page);
      await page.getByRole('button', { name: 'Start from a forecast …' }).click();
      const chart = page.getByRole('img', { name: /^History and forecast of / });
      await expect(chart).toBeVisible();
      await expect(page.getByTestId('best-level')).toBeVisible();
      await page.getByText('All levels').click();
      await chart.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'workbench',
    reach: async (page, service) => {
      await service.api.del('/versions/1/baseline');
      for (const value of [
        ['2014-01-01', '2014-12-31'],
        ['2015-06-01', '2016-12-31'],
        ['2016-06-01', '2017-12-31'],
      ]) {
        const filters = [[{ cname: 'Order Date', op: 'between', value }]];
        await service.api.post('/versions/1/baseline', { pf_user: 'Ben', filters });
      }
      await visit(page, '/versions/1/baseline');
      await visible(page, /Loaded more than once/);
      await page.getByRole('button', { name: 'Add a condition' }).click();
      await page.getByLabel('Column', { exact: true }).selectOption('Region');
      await page.getByLabel('Comparison of Region').selectOption('in');
      await page.getByLabel('Add a value of Region').click();
      await expect(page.getByRole('option', { name: 'West' })).toBeVisible();
    },
  },
  {
    name: 'workbench-refused',
    reach: async (page) => {
      await openWorkbench(page);
      await page.getByText('SQL', { exact: true }).click();
      await page.getByLabel('Condition in SQL').fill('drop table superstore');
      await expect(page.getByRole('alert')).toBeVisible();
    },
  },
  {
    name: 'workbench-operations',
    reach: async (page, service) => {
      await service.api.post('/versions/1/scale', { slice: {}, pct: 10, pf_user: 'Ben' });
      await openWorkbench(page);
      await visible(page, /Segments cannot be edited/);
    },
  },
  {
    name: 'workbench-refresh',
    reach: async (page, service) => {
      await service.api.post('/versions/1/reference', { date_offset: '13 years', pf_user: 'Ben' });
      await closedQuarter(service);
      const slice = { Category: 'Technology', State: 'California' };
      await service.api.post('/versions/1/locks', { slice, note: 'Agreed', pf_user: 'Ben' });
      await openWorkbench(page);
      await changeOrders(service);
      await page.getByRole('button', { name: 'Refresh …' }).click();
      await visible(page, 'Left alone');
    },
  },
  {
    name: 'workbench-refresh-none',
    reach: async (page) => {
      await openWorkbench(page);
      await page.getByRole('button', { name: 'Refresh …' }).click();
      await visible(page, 'Nothing to write: the loads equal the source.');
    },
  },
  {
    name: 'workbench-loaded',
    reach: async (page) => {
      await openWorkbench(page);
      await page.getByRole('button', { name: 'Load baseline' }).click();
      await expect(page.locator('[data-sonner-toast]')).toBeVisible();
      // The toast measures its text after its animation.
      await page.locator('[data-sonner-toast][data-mounted="true"]').hover();
      await expect(page.getByRole('button', { name: 'Load baseline' })).toBeEnabled();
    },
  },
  {
    name: 'pivot',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
      await pivot.panel
        .getByLabel(/: Percent$/)
        .first()
        .fill('10');
      await expect(pivot.apply).toBeEnabled();
    },
  },
  {
    name: 'pivot-typing',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
      await page.keyboard.type('80k');
      await page.getByLabel('Spread of this amount').selectOption('evenly by month');
      await expect(page.locator('#cell-meaning')).toContainText('80,000');
      await expect(page.getByText('Sales by month', { exact: true }).first()).toBeVisible();
    },
  },
  {
    name: 'pivot-profiles',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
      await pivot.panel.getByRole('button', { name: 'Edit profiles …' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'pivot-unsaved',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
      await page.context().setOffline(true);
      await page.keyboard.type('40k');
      await page.keyboard.press('Enter');
      await expect(pivot.grid.locator('td.pf-unsaved')).toHaveCount(1);
      await visible(page, /^Not saved yet/);
      await visible(page, 'Not live');
    },
  },
  {
    name: 'pivot-arrange',
    reach: async (page) => {
      await new PivotPage(page).open(1);
      await page.getByRole('button', { name: 'Arrange', exact: true }).click();
      await page.getByRole('button', { name: 'Arrange Category', exact: true }).press('Enter');
      await expect(page.getByRole('menuitem', { name: 'Move to columns' })).toBeVisible();
    },
  },
  {
    name: 'pivot-filter',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await visit(page, '/versions/1?filter=Region:in:East:West&filter=Order+Date:%3E=:2028-01-01');
      await pivot.drawn();
      await page.getByRole('button', { name: 'Arrange', exact: true }).click();
      await page.getByRole('button', { name: 'Add a filter' }).click();
      await page.getByLabel('Find a field to filter by').fill('State');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('button', { name: 'Only Alabama' })).toBeVisible();
    },
  },
  {
    name: 'pivot-no-match',
    reach: async (page) => {
      await visit(page, '/versions/1?filter=Region:in:Nowhere');
      await visible(page, 'No rows match the filters');
    },
  },
  {
    name: 'pivot-find',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.toggle('Furniture');
      await page.keyboard.press('Control+f');
      await page.getByRole('searchbox', { name: 'Find a member' }).fill('ph');
      await visible(page, '1 of 1');
      await visible(page, 'Closed groups are not searched.');
    },
  },
  {
    name: 'pivot-compared',
    reach: async (page, service) => {
      await service.api.post('/versions/1/copy', { name: 'Cautious', pf_user: 'bea' });
      const slice = { Category: 'Furniture' };
      await service.api.post('/versions/2/scale', { slice, pct: -10, pf_user: 'bea' });
      await service.api.post('/versions/1/copy', { name: 'Bold', pf_user: 'bea' });
      await service.api.post('/versions/3/scale', { slice: {}, pct: 20, pf_user: 'bea' });
      await visit(page, '/versions/1?compare=2&compare=3');
      await new PivotPage(page).drawn();
      await page.getByRole('button', { name: 'Compared with Cautious, Bold' }).click();
      await visible(page, 'This source has no further version.');
    },
  },
  {
    name: 'pivot-log',
    reach: async (page, service) => {
      await service.api.post('/versions/1/scale', {
        slice: { Category: 'Furniture' },
        pct: 10,
        note: 'A new range of chairs from spring on',
        pf_user: 'Ben',
      });
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await expect(await pivot.log()).toContainText('Category = Furniture');
    },
  },
  {
    name: 'pivot-log-refreshes',
    reach: async (page, service) => {
      await service.api.post('/versions/1/scale', { slice: {}, pct: 3, pf_user: 'eva' });
      for (const region of ['East', 'West', 'South']) {
        await service.query(
          `UPDATE public.superstore SET "Sales" = "Sales" + 1 WHERE "Region" = '${region}'`,
        );
        await service.api.post('/versions/1/refresh', { pf_user: 'night job' });
      }
      const pivot = new PivotPage(page);
      await pivot.open(1);
      const log = await pivot.log();
      await log.getByRole('button', { name: 'Show each of the 3 entries' }).click();
      await expect(log.getByRole('row', { name: /source changed/ })).toHaveCount(3);
    },
  },
  {
    name: 'pivot-why',
    reach: async (page, service) => {
      await service.api.post('/versions/1/reference', {
        pf_user: 'Ben',
        date_offset: '14 years',
        where_clause: 'TRUE',
        note: 'The year before',
      });
      const write = (body: object) =>
        service.api.post('/versions/1/scale', { slice: { Category: 'Furniture' }, ...body });
      await write({ pct: 10, note: 'A new range of chairs from spring on', pf_user: 'Ben' });
      await write({ value_incr: -12_000, note: 'Fewer shops', pf_user: 'Eve' });
      for (const value_incr of [500, 250, -125, 60, 40, 90, 75, 35]) {
        await write({ value_incr, pf_user: 'Ann' });
      }
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
      await page.keyboard.press('w');
      await page.getByRole('button', { name: /^3 more/ }).click();
      await visible(page, 'Not in this number');
    },
  },
  {
    name: 'pivot-try',
    reach: async (page, service) => {
      const slice = { 'Sub-Category': 'Tables' };
      await service.api.post('/versions/1/locks', { slice, note: 'settled', pf_user: 'Eve' });
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
      await page.keyboard.type('+10%');
      await page.keyboard.press('Shift+Enter');
      await visible(page, 'Tried, not saved');
    },
  },
  {
    name: 'pivot-ramp',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
      await page.keyboard.press('c');
      await pivot.panel.getByText('Factor by Order Date').click();
      await pivot.panel.getByLabel('Ramp up from').fill('2028-03-01');
      await pivot.panel.getByLabel('Months').fill('4');
      await page.keyboard.press('Enter');
      await expect(page.getByTestId('extent')).toContainText('adds');
    },
  },
  {
    name: 'pivot-keep',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
      await pivot.panel.getByLabel('Keep the total of Furniture').check();
      await pivot.type('Change', '5000');
      await expect(pivot.panel.getByTestId('kept')).toBeVisible();
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
      await page.keyboard.type('+5000');
      await expect(page.getByTestId('kept')).toHaveCount(2);
      // The buttons at the end of the panel stay in view and can cover a field.
      const keep = pivot.panel.getByLabel('Keep the total of Furniture');
      const note = pivot.panel.getByTestId('kept');
      await expect(async () => {
        await note.evaluate((element) => element.scrollIntoView({ block: 'center' }));
        // A trial click waits until the field stands still and is not covered.
        await keep.click({ trial: true, timeout: 1000 });
      }).toPass();
    },
  },
  {
    name: 'pivot-try-several',
    reach: async (page, service) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      for (const [i, part] of ['Chairs', 'Tables'].entries()) {
        await pivot.click({ row: ['Furniture', part], column: ['2028', 'Sales'] });
        await page.keyboard.type('+1000');
        await page.keyboard.press('Shift+Enter');
        await expect(page.getByTestId('tried-lines').getByRole('listitem')).toHaveCount(i + 1);
      }
      const slice = { 'Sub-Category': 'Tables' };
      await service.api.post('/versions/1/locks', { slice, note: 'settled', pf_user: 'Eve' });
      await visible(page, /^Left out: /);
      await pivot.click({ row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] });
    },
  },
  {
    name: 'pivot-paste',
    reach: async (page) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await pivot.click({ row: ['Furniture', 'Bookcases'], column: ['2028', 'Sales'] });
      await pivot.grid.evaluate((grid, copied) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', copied);
        const event = { clipboardData, bubbles: true, composed: true };
        grid.dispatchEvent(new ClipboardEvent('paste', event));
      }, '\tSales\tQuantity\nBookcases\t40.000,50\tn/a\nChairs\t\t300');
      await visible(page, 'Paste 2 numbers?');
    },
  },
  {
    name: 'pivot-comments',
    reach: openComments,
  },
  {
    name: 'pivot-comments-list',
    reach: async (page, service) => {
      await openComments(page, service);
      const toolbar = page.getByRole('toolbar', { name: 'Pivot' });
      await toolbar.getByRole('button', { name: 'Comments' }).click();
      const list = page.getByRole('dialog', { name: 'Open comments' });
      await expect(list.getByRole('button', { name: /Settled with sales/ })).toBeVisible();
    },
  },
  {
    name: 'pivot-review',
    reach: async (page, service) => {
      const pivot = await openReview(page, service);
      await pivot.panel.getByRole('button', { name: 'History' }).click();
      await expect(pivot.panel.getByRole('list', { name: 'History' })).toBeVisible();
    },
  },
  {
    name: 'pivot-reviews-list',
    reach: async (page, service) => {
      await openReview(page, service);
      await page.getByRole('button', { name: 'Reviews' }).click();
      await expect(page.getByRole('dialog', { name: 'Reviews' })).toContainText('Technology');
    },
  },
  {
    name: 'pivot-part',
    env: SIGNED_IN,
    reach: async (page, service) => {
      const read = { Region: ['West', 'South'] };
      const write = { Region: 'West', Category: ['Furniture', 'Technology'] };
      await giveTerritories(service, [{ member: 'Ann Planner', read, write }]);
      await signIn(page, 'Ann Planner', 'planners');
      const pivot = new PivotPage(page);
      await visit(page, '/versions/1');
      await pivot.drawn();
      await pivot.click({ row: ['Furniture', 'Chairs'] });
      await expect(page.getByTestId('part')).toHaveText(/^You see Region in West, South/);
      await expect(pivot.grid.locator('td.pf-locked').first()).toBeVisible();
    },
  },
  {
    name: 'pivot-part-beyond',
    env: SIGNED_IN,
    reach: async (page, service) => {
      const write = { Region: 'West' };
      await giveTerritories(service, [{ member: 'Ann Planner', read: {}, write }]);
      await signIn(page, 'Ann Planner', 'planners');
      const pivot = new PivotPage(page);
      await visit(page, '/versions/1');
      await pivot.drawn();
      await page.getByRole('button', { name: 'Remove the filter Region = West' }).click();
      await pivot.click({ row: ['Furniture', 'Chairs'] });
      await expect(pivot.panel).toContainText(/\d+ rows that you may only see/);
    },
  },
  {
    name: 'home-part',
    env: SIGNED_IN,
    reach: async (page, service) => {
      const read = { Region: ['West', 'South'] };
      await giveTerritories(service, [{ member: 'Ann Planner', read, write: read }]);
      await signIn(page, 'Ann Planner', 'planners');
      await visit(page, '/');
      await visible(page, 'You see a part: Region in West, South');
      await expect(page.getByRole('columnheader', { name: /Sales/ })).toBeVisible();
    },
  },
  {
    name: 'home-waiting',
    reach: async (page, service) => {
      await makeReviews(service, 'Ann Planner');
      await visit(page, '/');
      const waiting = page.getByRole('region', { name: 'Waiting for me' });
      await expect(waiting).toContainText('Chairs are higher');
    },
  },
  {
    name: 'pivot-formulas',
    reach: async (page, { api }) => {
      await api.post('/sources/1/formulas', {
        ...{ name: 'Margin %', expression: '(Sales - 20 * Quantity) / Sales' },
        ...{ format: { style: 'percent' }, pf_user: 'Ann' },
      });
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await page.getByRole('button', { name: 'Arrange', exact: true }).click();
      await page.getByRole('button', { name: 'Formulas …', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Formulas', exact: true });
      await dialog.getByLabel('Name', { exact: true }).fill('Per piece');
      const expression = dialog.getByRole('combobox', { name: 'Expression', exact: true });
      await expression.fill('Sales / Quantity');
      await expect(dialog.getByRole('row', { name: /^Total/ })).toBeVisible();
    },
  },
  {
    name: 'pivot-workbook',
    reach: async (page, service) => {
      const pivot = new PivotPage(page);
      await pivot.open(1);
      const exported = await exportWorkbook(page);
      const [chairs, phones, labels] = await Promise.all(
        ['Chairs', 'Phones', 'Labels'].map((row) => addressIn(page, exported, row)),
      );
      const numbers = { [chairs!]: 120_000, [phones!]: 98_500.5, [labels!]: 'about five' };
      const year = { from: '2028-01-01', to: '2028-12-31' };
      const slice = { 'Sub-Category': 'Chairs', 'Order Date': year };
      await service.api.post('/versions/1/scale', { slice, value_incr: 250, pf_user: 'Eve' });
      await drop(page, 'plan.xlsx', withNumbers(exported, numbers));
      const dialog = page.getByRole('dialog', { name: 'Read “plan.xlsx” back' });
      await expect(dialog).toContainText('Eve: Scale, +250');
    },
  },
  {
    name: 'pivot-close-months',
    reach: async (page, service) => {
      await service.api.post('/versions/1/actuals', {
        ...{ through: '2027-03-31', date_offset: '12 years', filters: [], pf_user: 'Bea Planner' },
      });
      const pivot = new PivotPage(page);
      await pivot.open(1);
      await page.getByRole('button', { name: /^Actions for / }).click();
      await page.getByRole('menuitem', { name: 'Close months …' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('From', { exact: true }).selectOption('Mar 2027');
      await dialog.getByLabel('Through', { exact: true }).selectOption('Jun 2027');
      await dialog.getByText('Spread it by a shape').click();
      await expect(dialog.getByText('Mar 2027 is closed already')).toBeVisible();
      await expect(dialog.getByTestId('shape-months')).toContainText('Sales by month');
    },
  },
  {
    name: 'pivot-closed',
    reach: async (page, service) => {
      await service.api.post('/versions/1/close', { pf_user: 'Ben' });
      await new PivotPage(page).open(1);
    },
  },
  {
    name: 'pivot-empty',
    reach: async (page, service) => {
      await service.api.del('/versions/1/baseline');
      await visit(page, '/versions/1');
      await visible(page, 'This version has no rows yet');
    },
  },
  {
    name: 'pivot-failed',
    reach: async (page) => {
      await page.route('**/api/versions/1/data', (route) => route.abort());
      await visit(page, '/versions/1');
      await visible(page, 'The version could not be loaded');
    },
  },
];
