import { joinProducts, PRODUCTS_SQL } from '../../src/demo/products';
import { expect, test, visit } from '../support/e2e';
import type { Service } from '../support/service';
import { PivotPage } from './pivot-page';

/** Lookups: attributes from another table, set up by an admin and used in the pivot. */

const TABLE = 'pf.fc_superstore_1';
const BY_FAMILY = '?rows=Family,Sub-Category&columns=Order+Year&measures=Sales';

/** Returns the sales of a year by family, in whole units, as the pivot shows them. */
async function salesByFamily({ query }: Service, year: number): Promise<Record<string, number>> {
  const rows = await query(
    `SELECT p.family, round(sum("Sales"))::int AS sales
       FROM ${TABLE} LEFT JOIN public.products p ON p.sub_category = "Sub-Category"
      WHERE "Order Year" = ${year} GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ family, sales }) => [family, sales]));
}

test('a plan follows a product into another family, with its lock, comment and view', async ({
  page,
  service,
}) => {
  const { api, query, url } = service;
  await query(PRODUCTS_SQL);
  await joinProducts(url, 1);
  const devices = { Family: 'Devices' };
  const pivot = new PivotPage(page);
  await pivot.open(1, BY_FAMILY);
  const cell = (...row: string[]) => ({ row, column: ['2028', 'Sales'] });
  const shown = async (family: string) => Math.round(await pivot.number(cell(family)));
  const before = await salesByFamily(service, 2028);
  expect(await shown('Devices')).toBe(before['Devices']);
  expect(await shown('Machines')).toBe(before['Machines']);
  // Families come in the order of their numbers.
  const rows = (await pivot.cells()).filter(({ row, column }) => row.length === 1 && !column);
  expect(rows.map(({ row: [family] }) => family)).toEqual([
    ...['Seating and desks', 'Room', 'Paper', 'Desk supplies', 'Devices', 'Machines'],
  ]);

  // A cell of a family is scaled; the log keeps the family.
  await pivot.click(cell('Devices'));
  await page.keyboard.type('+10%');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const planned = await salesByFamily(service, 2028);
  expect(Math.abs((planned['Devices'] ?? 0) - (before['Devices'] ?? 0) * 1.1)).toBeLessThan(1);
  expect(planned['Machines']).toBe(before['Machines']);
  const entries = () =>
    query(`SELECT slice FROM pf.log WHERE operation NOT IN ('baseline', 'reference') ORDER BY id`);
  const logged = await entries();
  expect(logged).toMatchObject([{ slice: devices }]);

  // A comment, a lock and a view of the family.
  const statuses = [
    await api.post('/versions/1/comments', { slice: devices, text: 'Too low?', pf_user: 'eve' }),
    await api.post('/versions/1/locks', { slice: devices, note: 'agreed', pf_user: 'eve' }),
    await api.post('/sources/1/views', {
      ...{ name: 'Devices', pf_user: 'eve' },
      layout: {
        ...{ plugin: 'Datagrid', group_by: ['Sub-Category'], columns: ['Sales'] },
        filter: [['Family', '==', 'Devices']],
      },
    }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([201, 201, 201]);

  await query(`UPDATE public.products SET family = 'Devices', family_number = 5
    WHERE sub_category = 'Copiers'`);
  await page.reload();
  await pivot.drawn();
  const after = await salesByFamily(service, 2028);
  expect(after['Devices']).toBeGreaterThan(planned['Devices'] ?? 0);
  await expect.poll(() => shown('Devices')).toBe(after['Devices']);
  expect(await shown('Machines')).toBe(after['Machines']);
  expect(await entries()).toEqual(logged);

  // The lock holds the product that has come, and no longer looks at the other family.
  await pivot.click(cell('Devices', 'Copiers'));
  await expect(pivot.panel.getByText('Locked by eve: agreed.').first()).toBeVisible();
  const scale = (product: string) =>
    api.post('/versions/1/scale', { slice: { 'Sub-Category': product }, pct: 1, pf_user: 'ana' });
  expect((await scale('Copiers')).status).toBe(422);
  expect((await scale('Machines')).status).toBe(200);

  await visit(page, '/versions/1?rows=Sub-Category&measures=Sales&filter=Family:%3D%3D:Devices');
  await pivot.drawn();
  const products = (await pivot.cells()).filter(({ row, column }) => row.length === 1 && !column);
  expect(products.map(({ row: [product] }) => product)).toEqual([
    ...['Accessories', 'Copiers', 'Phones'],
  ]);
});

test('an admin joins a table, reads why another one cannot be joined, and removes the lookup', async ({
  page,
  service,
}) => {
  const { query } = service;
  await query(PRODUCTS_SQL);
  await query(`CREATE TABLE public.leads AS SELECT * FROM (VALUES
    ('Otto', 'West'), ('Olga', 'West'), ('Nora', 'North')) AS l (lead, region)`);
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, '/sources/1?tab=lookups');
  const dialog = page.getByRole('dialog');
  const button = (name: string) => dialog.getByRole('button', { name, exact: true });
  const stored = () =>
    query('SELECT name, tname, keys, range, attributes, created_by FROM pf.lookup ORDER BY id');

  // Key and attributes are suggested.
  await page.getByRole('button', { name: 'Add a lookup' }).click();
  await expect(dialog.getByLabel('Search the tables')).toBeFocused();
  await dialog.getByLabel('Search the tables').fill('products');
  await dialog.getByText('products', { exact: true }).click();
  await button('Next').click();
  await expect(dialog.getByLabel('Column of the source')).toHaveValue('Sub-Category');
  await expect(dialog.getByLabel('Column of the table')).toHaveValue('sub_category');
  await dialog
    .getByLabel('Order of the values of family', { exact: true })
    .selectOption('family_number');
  await dialog.getByLabel('family_number', { exact: true }).uncheck();
  await dialog.getByLabel('Name of the field of manager').fill('Category');
  await button('Add').click();
  await expect(dialog.getByText(/^attributes\.1\.label/)).toContainText('Category');
  expect(await stored()).toEqual([]);
  await dialog.getByLabel('Name of the field of manager').fill('Manager');
  await button('Add').click();
  const products = page.getByRole('row', { name: /^Products/ });
  await expect(products).toContainText('Sub-Category = sub_category');
  await expect(products.getByRole('listitem')).toHaveText(['Family', 'Manager']);
  expect(await stored()).toEqual([
    {
      ...{ name: 'Products', tname: 'products', range: null, created_by: 'ana' },
      keys: [{ column: 'Sub-Category', from: 'sub_category' }],
      attributes: [
        { cname: 'family', label: 'Family', order_by: 'family_number' },
        { cname: 'manager', label: 'Manager', order_by: null },
      ],
    },
  ]);

  // Keys that are not unique are named.
  await page.getByRole('button', { name: 'Add a lookup' }).click();
  await dialog.getByText('leads', { exact: true }).click();
  await button('Next').click();
  await expect(dialog.getByLabel('Column of the source')).toHaveValue('Region');
  await dialog.getByLabel('lead', { exact: true }).check();
  await button('Add').click();
  await expect(dialog.getByText(/several rows for a key: “West”/)).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  // Changed; and the table changes so that it cannot be joined any more.
  await page.getByRole('button', { name: 'Change the lookup Products' }).click();
  await expect(dialog.getByText('Seating and desks · Room · Paper')).toBeVisible();
  await dialog.getByLabel('Name', { exact: true }).fill('Range');
  await button('Save').click();
  await expect(page.getByRole('row', { name: /^Range/ })).toBeVisible();
  await query('ALTER TABLE public.products DROP COLUMN manager');
  await page.reload();
  await expect(page.getByRole('row', { name: /^Range/ })).toContainText('Not joined');

  await page.getByRole('button', { name: 'Remove the lookup Range' }).click();
  await button('Remove lookup').click();
  await expect(page.getByRole('heading', { name: 'No lookups' })).toBeVisible();
  expect(await stored()).toEqual([]);
});

test('an admin makes the fiscal year and the retail weeks where a lookup needs them', async ({
  page,
  service,
}) => {
  await service.query('DROP TABLE pf.dim_period');
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await visit(page, '/sources/1?tab=lookups');
  const dialog = page.getByRole('dialog');
  const button = (name: string) => dialog.getByRole('button', { name, exact: true });

  await page.getByRole('button', { name: 'Add the fiscal year' }).click();
  await expect(dialog.getByText('There is no calendar yet.')).toBeVisible();
  await dialog.getByLabel('The fiscal year starts in').selectOption('July');
  await button('Make the calendar').click();
  await expect(dialog.getByText('There is no calendar yet.')).toHaveCount(0);
  await expect(button('Make the calendar')).toHaveCount(0);
  await expect(dialog.getByLabel('The fiscal year starts in')).toHaveValue('7');
  expect((await service.api.get('/calendar')).body).toEqual({ fiscal_start: 7 });
  await button('Add').click();
  const fiscal = page.getByRole('row', { name: /^Fiscal and calendar periods/ });
  await expect(fiscal).toContainText('from sdat through edat');
  await expect(fiscal).not.toContainText('Not joined');

  await page.getByRole('button', { name: 'Add a lookup' }).click();
  await dialog.getByText('Retail weeks', { exact: true }).click();
  await dialog.getByLabel('Weeks of the periods of a quarter').selectOption('4-5-4');
  await dialog.getByLabel('First day of any year').fill('2026-02-01');
  await button('Make retail weeks').click();
  await expect(dialog.getByText('pf_lookups.weeks')).toBeVisible();
  await dialog.getByLabel('week', { exact: true }).check();
  await button('Add').click();
  await expect(page.getByRole('row', { name: /^Weeks/ })).toContainText('from sdat through edat');
  expect(await service.query("SELECT sdat FROM pf_lookups.weeks WHERE week = '2027-W01'")).toEqual([
    { sdat: '2027-01-31' },
  ]);
});
