import type { Page } from '@playwright/test';
import { test, expect, visit } from '../support/e2e';
import { arrange, PivotPage } from './pivot-page';

/** The planner's arrangement is in the address, and can be saved under a name. */

const WEST = { row: ['West'], column: ['2028', 'Sales'] };
const FURNITURE = { row: ['Furniture'], column: ['2028', 'Sales'] };

const search = (page: Page) => new URL(page.url()).search;

async function choose(page: Page, item: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: /^Layout/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

test('the address restores the pivot: after a reload, for others, back and forward', async ({
  page,
  service,
  browser,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  expect(search(page)).toBe('');
  await arrange(page, {
    group_by: ['Region', 'Segment'],
    filter: [['Category', 'in', ['Furniture', 'Technology']]],
  });
  const arranged = '?rows=Region,Segment&filter=Category:in:Furniture:Technology';
  await expect.poll(() => search(page)).toBe(arranged);
  await page.getByRole('button', { name: 'Levels' }).click();
  await page.getByRole('menuitem', { name: 'Only Region' }).click();
  const closed = `${arranged}&depth=0`;
  await expect.poll(() => search(page)).toBe(closed);
  await expect.poll(() => pivot.find({ row: ['West', 'Consumer'] })).toBeNull();
  const west = await pivot.number(WEST);

  await page.reload();
  await pivot.drawn();
  expect(await pivot.number(WEST)).toBe(west);
  expect(await pivot.find({ row: ['West', 'Consumer'] })).toBeNull();
  expect(search(page)).toBe(closed);

  await page.getByRole('link', { name: 'Baseline' }).click();
  await expect(page.getByRole('region', { name: 'Preview of the load' })).toContainText('9,994');
  await page.goBack();
  await pivot.drawn();
  expect(await pivot.number(WEST)).toBe(west);

  await page.goBack();
  await expect.poll(() => pivot.find({ row: ['West', 'Consumer'] })).not.toBeNull();
  expect(search(page)).toBe(arranged);
  await page.goBack();
  await expect.poll(() => pivot.find(FURNITURE)).not.toBeNull();
  expect(search(page)).toBe('');
  await page.goForward();
  await expect.poll(() => pivot.find({ row: ['West', 'Consumer'] })).not.toBeNull();
  await page.goForward();
  await expect.poll(() => pivot.find({ row: ['West', 'Consumer'] })).toBeNull();
  expect(search(page)).toBe(closed);

  const other = await browser.newContext();
  const colleague = new PivotPage(await other.newPage());
  await colleague.page.goto(service.url + page.url().replace(/^.*?\/versions/, '/versions'));
  await colleague.drawn();
  expect(await colleague.number(WEST)).toBe(west);
  await other.close();
});

test('a chart, and a single entry, are in the address too', async ({ page, service }) => {
  await service.api.post('/versions/1/scale', { slice: {}, value_incr: 1000, pf_user: 'bea' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const all = await pivot.number(FURNITURE);
  const log = await pivot.log();
  await log.getByRole('cell', { name: 'bea', exact: true }).click();
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  // A filter set meanwhile stays when everything is shown again.
  const entry = await log.getByRole('row').filter({ hasText: 'bea' }).getAttribute('data-logid');
  await arrange(page, {
    filter: [
      ['pf_logid', '==', Number(entry)],
      ['Segment', '==', 'Consumer'],
    ],
  });
  await expect.poll(() => search(page)).toBe(`?filter=Segment:==:Consumer&entry=${entry}`);
  await page.reload();
  await pivot.drawn();
  await expect(page.getByText(/^Showing only the rows of entry/)).toBeVisible();
  expect(await pivot.number(FURNITURE)).toBeLessThan(1000);
  await page.getByRole('button', { name: 'Show everything' }).first().click();
  await expect.poll(() => search(page)).toBe('?filter=Segment:==:Consumer');
  await expect.poll(() => pivot.number(FURNITURE)).toBeGreaterThan(1000);
  expect(await pivot.number(FURNITURE)).toBeLessThan(all);
  await page.getByRole('button', { name: 'Show as a chart' }).click();
  await expect.poll(() => search(page)).toBe('?filter=Segment:==:Consumer&chart=Y+Line');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Chart type' })).toBeVisible();
  await page.goBack();
  await pivot.drawn();
});

test('named views are saved, opened, changed, renamed and deleted', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, { group_by: ['Region'], split_by: [] });
  await choose(page, 'Save as a new view …');
  const dialog = page.getByRole('dialog', { name: 'Save as a new view' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Give the view a name.')).toBeVisible();
  await dialog.getByLabel('Name').fill('By region');
  await dialog.getByLabel('Name').press('Enter');
  await expect(page.getByText('Saved: “By region”', { exact: false })).toBeVisible();
  const [{ id, layout, created_by }] = await service.query('SELECT * FROM pf.view');
  expect({ created_by, layout }).toMatchObject({
    created_by: 'ana',
    layout: { group_by: ['Region'], split_by: [], columns: ['Sales', 'Quantity'] },
  });
  await expect.poll(() => search(page)).toBe(`?view=${id}`);

  await arrange(page, { group_by: ['Segment'] });
  await expect.poll(() => search(page)).toBe(`?view=${id}&rows=Segment`);
  await expect(page.getByRole('button', { name: 'Layout: By region, changed' })).toBeVisible();
  await choose(page, 'Save “By region”');
  await expect.poll(() => search(page)).toBe(`?view=${id}`);
  expect((await service.query('SELECT layout FROM pf.view'))[0].layout.group_by).toEqual([
    'Segment',
  ]);

  await choose(page, 'Rename “By region” …');
  await page.getByRole('textbox', { name: 'Name' }).fill('By segment');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Layout: By segment' })).toBeVisible();

  await choose(page, 'Back to the default');
  await expect.poll(() => pivot.find(FURNITURE)).not.toBeNull();
  await expect.poll(() => search(page)).toBe('');
  await choose(page, 'Save as a new view …');
  await dialog.getByLabel('Name').fill('By segment');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('The source has a view named "By segment" already')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await choose(page, 'By segment');
  await expect.poll(() => pivot.find({ row: ['Consumer'], column: ['Sales'] })).not.toBeNull();
  await expect.poll(() => search(page)).toBe(`?view=${id}`);
  await page.reload();
  await pivot.drawn();
  expect(await pivot.find({ row: ['Consumer'], column: ['Sales'] })).not.toBeNull();

  // A failed request is no missing view.
  const isViews = (url: URL) => url.pathname === '/api/sources/1/views';
  const failure = { status: 500, json: { error: 'The views are broken.' } };
  await page.route(isViews, (route) => route.fulfill(failure));
  await page.reload();
  await expect(page.getByText('The views are broken.')).toBeVisible();
  await page.unroute(isViews);
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await pivot.drawn();
  expect(await pivot.find({ row: ['Consumer'], column: ['Sales'] })).not.toBeNull();

  await choose(page, 'Delete “By segment” …');
  await page.getByRole('button', { name: 'Delete view' }).click();
  await expect.poll(() => search(page)).toBe('?rows=Segment&columns=');
  expect(await service.query('SELECT FROM pf.view')).toEqual([]);

  await visit(page, `/versions/1?view=${id}&rows=Region,gone&filter=gone:==:x`);
  await pivot.drawn();
  await expect(page.getByText(/The view in this address no longer exists/)).toBeVisible();
  await expect(page.getByText(/The address uses fields .* gone\./)).toBeVisible();
  expect(await pivot.find(WEST)).not.toBeNull();
});
