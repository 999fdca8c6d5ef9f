import type { Page } from '@playwright/test';
import { test, expect, storeText, visit } from '../support/e2e';

test.beforeEach(({ page }) => storeText(page, 'pf.user', 'Ann Planner'));

const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name });
const toast = (page: Page, text: string | RegExp) =>
  expect(page.locator('[data-sonner-toast]', { hasText: text })).toBeVisible();

test.describe('a newly registered table', () => {
  test.use({ template: 'service' });

  test('is read before roles are suggested, however early they are requested', async ({
    page,
    service,
  }) => {
    await service.api.post('/sources', { schema: 'public', tname: 'superstore' });
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/tables/public/superstore', async (route) => {
      await held;
      await route.continue();
    });
    await visit(page, '/sources/1');
    const suggest = page.getByRole('button', { name: 'Suggest roles' });
    await suggest.click();
    await expect(suggest).toHaveAttribute('aria-busy', 'true');
    release();
    await expect(page.getByLabel('Date of Order Month')).toHaveValue('Order Date');
    await expect(suggest).toBeEnabled();
  });

  test('with instants says in which time zone their days are, and takes another one', async ({
    page,
    service,
  }) => {
    await service.query(`CREATE TABLE moments AS SELECT now() AS at, 1::numeric(12,2) AS amount`);
    const { body } = await service.api.post('/sources', { schema: 'public', tname: 'moments' });
    await service.api.put(`/sources/${body.id}/columns`, [
      { cname: 'at', role: 'date' },
      { cname: 'amount', role: 'value' },
    ]);
    await visit(page, `/sources/${body.id}`);
    await expect(page.getByText(/31 March in Los Angeles is 1 April/)).toBeVisible();
    await page.getByLabel('Time zone of at').selectOption('America/Los_Angeles');
    await page.getByRole('button', { name: 'Save columns' }).click();
    await toast(page, 'Columns saved.');
    const zones = await service.query(`SELECT time_zone FROM pf.col_meta WHERE cname = 'at'`);
    expect(zones).toEqual([{ time_zone: 'America/Los_Angeles' }]);
  });

  test('becomes a source with a version, with suggested roles and generated SQL', async ({
    page,
    service,
  }) => {
    await service.api.post('/sources', { schema: 'public', tname: 'superstore' });
    await visit(page, '/sources/1');
    await expect(page.getByText('South · West · Central · East')).toBeVisible();

    // A suggestion changes the grid, not the database.
    await page.getByRole('button', { name: 'Suggest roles' }).click();
    await expect(page.getByLabel('Role of Sales')).toHaveValue('value');
    await expect(page.getByLabel('Role of Quantity')).toHaveValue('units');
    await expect(page.getByLabel('Role of Order Date')).toHaveValue('date');
    await toast(page, /Order Month follows Order Date\./);
    await expect(page.getByLabel('Date of Order Month')).toHaveValue('Order Date');
    await expect(page.getByLabel('Period of Order Month')).toHaveValue('period_key');
    const roles = () => service.query('SELECT DISTINCT role FROM pf.col_meta');
    expect(await roles()).toEqual([{ role: 'ignore' }]);

    await page.getByLabel('Role of Ship Date').selectOption('filter');
    await page.getByLabel('Label of Sales').fill('Net sales');
    await page.getByRole('button', { name: 'Save columns' }).click();
    await toast(page, 'Columns saved.');
    const [sales] = await service.query(
      `SELECT role, label FROM pf.col_meta WHERE cname = 'Sales'`,
    );
    expect(sales).toEqual({ role: 'value', label: 'Net sales' });
    expect(
      await service.query(
        `SELECT cname, dim_period_col FROM pf.col_meta WHERE dim_group = 'Order Date' ORDER BY cname`,
      ),
    ).toEqual([
      { cname: 'Order Date', dim_period_col: null },
      { cname: 'Order Month', dim_period_col: 'period_key' },
      { cname: 'Order Year', dim_period_col: 'cal_year' },
    ]);

    // A source without versions gets its SQL with the columns.
    await toast(page, 'Generated the SQL of 7 operations.');
    await tab(page, /Generated SQL/).click();
    await tab(page, /^Baseline$/).click();
    await expect(page.getByRole('region', { name: 'SQL of Baseline' })).toContainText(
      '{{filter_clause}}',
    );
    await expect(page.getByText('The stored SQL matches the columns.')).toBeVisible();

    await tab(page, /Versions/).click();
    await page.getByRole('button', { name: 'Create the first version' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Plan 2031');
    await page.getByRole('checkbox', { name: 'Clone' }).check();
    await page.getByRole('button', { name: 'Create version' }).click();
    await expect(page.getByRole('row', { name: /Plan 2031/ })).toContainText('Reference, Clone');
    const [version] = await service.query('SELECT name, exclude_iters, created_by FROM pf.version');
    expect(version).toEqual({
      name: 'Plan 2031',
      exclude_iters: ['reference', 'clone'],
      created_by: 'Ann Planner',
    });
    // The next step is shown, one click away.
    await page.getByRole('link', { name: 'Load the baseline' }).click();
    await expect(page).toHaveURL('/versions/1/baseline');
  });

  test('says why the SQL cannot be generated while every column is ignored', async ({
    page,
    service,
  }) => {
    await service.api.post('/sources', { schema: 'public', tname: 'superstore' });
    await visit(page, '/sources/1?tab=sql');
    await expect(page.getByText('No SQL can be generated now.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Generate SQL' })).toBeDisabled();
    await tab(page, /Versions/).click();
    await expect(page.getByText(/Assign roles to the columns and save them first/)).toBeVisible();
  });
});

test('marks the cell named by a refused save, and saves nothing', async ({ page, service }) => {
  await visit(page, '/sources/1');
  await page.getByLabel('Role of Profit').selectOption('value');
  await page.getByLabel('Label of Region').fill('Sales region');
  await page.getByRole('button', { name: 'Save columns' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: 'See the problem with Profit.' });
  await expect(refusal).toContainText('Nothing was saved.');
  const cell = page.getByLabel('Role of Profit');
  await expect(cell).toHaveAttribute('aria-invalid', 'true');
  await expect(cell).toBeFocused();
  await expect(cell).toBeInViewport();
  // Nothing covers the message while the cell is in view.
  await refusal.click({ trial: true, position: { x: 20, y: 4 } });
  await expect(cell).toHaveAccessibleDescription(/has a value column already, "Sales"/);
  const [region] = await service.query(`SELECT label FROM pf.col_meta WHERE cname = 'Region'`);
  expect(region.label).toBeNull();

  await cell.selectOption('filter');
  await expect(cell).not.toHaveAttribute('aria-invalid');
  await page.getByRole('button', { name: 'Save columns' }).click();
  await toast(page, 'Columns saved.');
});

test("offers only the settings that a column's role allows", async ({ page }) => {
  await visit(page, '/sources/1');
  await page.getByLabel('Key of Region').check();
  await page.getByLabel('Role of Region').selectOption('filter');
  await expect(page.getByLabel('Key of Region')).toHaveCount(0);
  await page.getByLabel('Role of Region').selectOption('dimension');
  await expect(page.getByLabel('Key of Region')).not.toBeChecked();
});

test.describe('the order of the columns', () => {
  const names = (page: Page) =>
    page.getByRole('region', { name: 'Columns of the source' }).getByRole('rowheader');

  test('changes by arrow keys', async ({ page, service }) => {
    await visit(page, '/sources/1');
    await expect(names(page).first()).toContainText('Order Date');
    const handle = page.getByRole('button', { name: /^Move Category/ });
    await handle.focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowUp');
    await expect(names(page).first()).toContainText('Category');
    await expect(handle).toBeFocused();
    await expect(page.getByText('Category is now number 1 of 23')).toBeAttached();
    for (let i = 0; i < 2; i += 1) await page.keyboard.press('ArrowDown');
    await expect(handle).toBeFocused();
    await expect(page.getByText('Category is now number 3 of 23')).toBeAttached();
    for (let i = 0; i < 2; i += 1) await page.keyboard.press('ArrowUp');
    await page.getByRole('button', { name: 'Save columns' }).click();
    await toast(page, 'Columns saved.');
    const first = await service.query(
      'SELECT cname FROM pf.col_meta ORDER BY opos NULLS LAST, id LIMIT 2',
    );
    expect(first).toEqual([{ cname: 'Category' }, { cname: 'Order Date' }]);
  });

  test('changes by dragging', async ({ page }) => {
    await visit(page, '/sources/1');
    const from = (await page.getByRole('button', { name: /^Move Region/ }).boundingBox())!;
    const to = (await page.getByRole('button', { name: /^Move Order Date/ }).boundingBox())!;
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 12 });
    await page.mouse.up();
    await expect(names(page).first()).toContainText('Region');
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(names(page).first()).toContainText('Order Date');
  });
});

test('estimates the rows at a grain, from the source table', async ({ page, service }) => {
  await visit(page, '/sources/1');
  for (const name of ['Category', 'Region', 'Segment']) {
    await page.getByLabel(`Grain of ${name}`, { exact: true }).check();
  }
  await page.getByRole('button', { name: 'Estimate the rows' }).click();
  const [{ count }] = await service.query(
    `SELECT count(*) FROM (SELECT DISTINCT "Category", "Region", "Segment" FROM superstore) AS g`,
  );
  const estimate = page.getByText(`9,994 rows load as ${count} at this grain`);
  await expect(estimate).toBeVisible();
  // An estimate applies only to its own columns.
  await page.getByLabel('Grain of State', { exact: true }).check();
  await expect(estimate).toHaveCount(0);
});

test('reports that the stored SQL is older than the columns, and shows the difference', async ({
  page,
  service,
}) => {
  await visit(page, '/sources/1');
  await expect(page.getByText('The columns have changed since the SQL was generated.')).toHaveCount(
    0,
  );
  await page.getByLabel('Grain of Category', { exact: true }).check();
  await page.getByLabel('Grain of Order Year', { exact: true }).check();
  await page.getByRole('button', { name: 'Save columns' }).click();
  await expect(
    page.getByText('The columns have changed since the SQL was generated.'),
  ).toBeVisible();

  await page.getByRole('button', { name: 'See the difference' }).click();
  await expect(tab(page, /Read at the grain/)).toContainText('new');
  await tab(page, /^Scale/).click();
  const difference = page.getByRole('region', { name: 'Difference' });
  await expect(difference).toContainText('added: ');
  await expect(page.getByText(/\d+ lines? added/)).toBeVisible();
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await expect(page.getByRole('region', { name: 'SQL of Scale' })).toContainText('pf_gkey');

  await page.getByRole('button', { name: 'Generate again' }).click();
  await toast(page, 'Generated the SQL of 8 operations.');
  await expect(page.getByText('The columns have changed since the SQL was generated.')).toHaveCount(
    0,
  );
  expect(await service.query(`SELECT 1 FROM pf.sql WHERE operation = 'get_agg'`)).toHaveLength(1);
});

test('reports SQL that was generated by an older service and blocks operations', async ({
  page,
  service,
}) => {
  await service.query('DELETE FROM pf.sql_column WHERE source_id = 1');
  const preview = () => service.api.post('/versions/1/slice', { slice: {} });
  expect((await preview()).status).toBe(409);
  await visit(page, '/sources/1');
  const banner = page.getByText('The stored SQL was generated by an older version');
  await expect(banner).toBeVisible();
  await expect(page.getByRole('button', { name: 'See the difference' })).toHaveCount(0);
  await tab(page, /Versions/).click();
  await expect(page.getByText('Generate the SQL again first')).toBeVisible();
  await expect(page.getByRole('button', { name: 'New version' })).toBeDisabled();

  await page.getByRole('button', { name: 'Generate again' }).click();
  await toast(page, /Generated the SQL of \d+ operations/);
  await expect(banner).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'New version' })).toBeEnabled();
  expect((await preview()).status).toBe(200);
});

test('keeps unsaved columns while the SQL is generated again', async ({ page }) => {
  await visit(page, '/sources/1');
  await page.getByLabel('Label of Sales').fill('Net sales');
  await tab(page, /Generated SQL/).click();
  const reloaded = page.waitForResponse('**/api/sources/1/versions');
  await page.getByRole('button', { name: 'Generate again' }).click();
  await (await reloaded).finished();
  await toast(page, /Generated the SQL of \d+ operations/);
  await tab(page, /Columns/).click();
  await expect(page.getByLabel('Label of Sales')).toHaveValue('Net sales');
});

test('warns before leaving with unsaved columns', async ({ page }) => {
  await visit(page, '/sources/1');
  await page.getByLabel('Label of Region').fill('Sales region');
  const home = page.getByRole('navigation').getByRole('link', { name: 'Sources' });
  await home.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByLabel('Label of Region')).toHaveValue('Sales region');
  await home.click();
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  await expect(page.getByRole('heading', { name: 'Sources', level: 1 })).toBeVisible();
});

test.describe('versions', () => {
  const row = (page: Page) => page.getByRole('row', { name: /Plan/ });
  const choose = async (page: Page, item: string) => {
    await row(page)
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  test('are renamed and described', async ({ page, service }) => {
    await visit(page, '/sources/1?tab=versions');
    await choose(page, 'Edit …');
    await page.getByRole('textbox', { name: 'Name' }).fill('Plan B');
    await page.getByRole('textbox', { name: 'Description' }).fill('Without the West');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('link', { name: 'Plan B' })).toBeVisible();
    const [version] = await service.query('SELECT name, description FROM pf.version');
    expect(version).toEqual({ name: 'Plan B', description: 'Without the West' });
  });

  test('need distinct names', async ({ page }) => {
    await visit(page, '/sources/1?tab=versions');
    await page.getByRole('button', { name: 'New version' }).click();
    await page.getByRole('button', { name: 'Create version' }).click();
    await expect(page.getByText('Give the version a name.')).toBeVisible();
    await page.getByRole('textbox', { name: 'Name' }).fill('Plan 2027');
    await page.getByRole('button', { name: 'Create version' }).click();
    await expect(page.getByText('A version with this name already exists.')).toBeVisible();
  });

  test('are closed and reopened under the user’s name', async ({ page, service }) => {
    await visit(page, '/sources/1?tab=versions');
    await choose(page, 'Close version');
    await expect(row(page)).toContainText('by Ann Planner');
    const closed = () => service.query('SELECT status, closed_by FROM pf.version');
    expect(await closed()).toEqual([{ status: 'closed', closed_by: 'Ann Planner' }]);
    await row(page)
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await expect(page.getByRole('menuitem', { name: 'Delete …' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await page.keyboard.press('Escape');
    await choose(page, 'Reopen version');
    await expect(row(page)).toContainText('Open');
    expect(await closed()).toEqual([{ status: 'open', closed_by: null }]);
  });

  test('report changes that someone else has made meanwhile', async ({ page, service }) => {
    await visit(page, '/sources/1?tab=versions');
    await expect(row(page)).toBeVisible();
    await service.api.post('/versions/1/close', { pf_user: 'Ben' });
    await choose(page, 'Close version');
    await toast(page, /closed/i);
    await expect(row(page)).toContainText('by Ben');
  });

  test('are deleted only after their name was typed', async ({ page, service }) => {
    await visit(page, '/sources/1?tab=versions');
    await choose(page, 'Delete …');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('9,994 rows and its log are deleted');
    const remove = dialog.getByRole('button', { name: 'Delete version' });
    await expect(remove).toBeDisabled();
    await dialog.getByRole('textbox').fill('Plan 2026');
    await expect(remove).toBeDisabled();
    await dialog.getByRole('textbox').fill('Plan 2027');
    await remove.click();
    await expect(page.getByText('No version yet')).toBeVisible();
    expect(await service.query('SELECT 1 FROM pf.version')).toHaveLength(0);
    expect(await service.query(`SELECT to_regclass('pf.fc_superstore_1') AS t`)).toEqual([
      { t: null },
    ]);
  });
});

test.describe('the source itself', () => {
  const menu = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'Actions for the source' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  test('is renamed, archived and restored', async ({ page, service }) => {
    await visit(page, '/sources/1');
    await menu(page, 'Rename …');
    await page.getByRole('textbox', { name: 'Display name' }).fill('Order book');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { name: 'Order book', level: 1 })).toBeVisible();
    await expect(page).toHaveTitle('Order book · Sources · Forecast Pivot');

    await menu(page, 'Archive');
    await expect(page.getByRole('main').getByText('Archived', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('main').getByText('Archived', { exact: true })).toHaveCount(0);
    const [source] = await service.query('SELECT label, status FROM pf.source');
    expect(source).toEqual({ label: 'Order book', status: 'active' });
  });

  test('cannot be deleted while it has versions', async ({ page, service }) => {
    await visit(page, '/sources/1');
    await page.getByRole('button', { name: 'Actions for the source' }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete (has 1 version)' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await service.api.del('/versions/1');
    await page.reload();
    await menu(page, 'Delete …');
    await page.getByRole('dialog').getByRole('textbox').fill('superstore');
    await page.getByRole('button', { name: 'Delete source' }).click();
    await expect(page.getByRole('heading', { name: 'Start with a table' })).toBeVisible();
    await expect(page.getByText(/^[^/]+ deleted\.$/)).toBeVisible();
  });
});

test('works without sample values if the table cannot be read', async ({ page }) => {
  await page.route('**/api/tables/public/superstore*', (route) =>
    route.fulfill({ status: 500, json: { error: 'permission denied for table superstore' } }),
  );
  await visit(page, '/sources/1');
  await expect(page.getByText(/there are no sample values: permission denied/)).toBeVisible();
  await expect(page.getByLabel('Role of Sales')).toHaveValue('value');
});
