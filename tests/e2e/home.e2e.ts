import { expect, storeText, test, visit } from '../support/e2e';
import { loadYearBefore } from './year-before';

test.beforeEach(({ page }) => storeText(page, 'pf.user', 'Ann Planner'));

test.describe('an empty database', () => {
  test.use({ template: 'service' });

  test('names the first step, and leads from a table to its setup', async ({ page, service }) => {
    await visit(page, '/');
    await expect(page.getByRole('heading', { name: 'Start with a table' })).toBeVisible();
    const { version } = (await service.api.get('/health')).body;
    await expect(page.getByText(`Forecast Pivot ${version}`, { exact: true })).toBeVisible();

    await page.getByRole('link', { name: 'Register a table' }).click();
    await page.getByRole('searchbox', { name: 'Search the tables' }).fill('nothing like it');
    await expect(page.getByText('No table matches “nothing like it”.')).toBeVisible();
    await page.getByRole('searchbox').fill('SUPER');
    await page.getByText('superstore', { exact: true }).click();

    const rows = page.getByRole('region', { name: 'First rows of the table' });
    await expect(rows.getByRole('columnheader', { name: 'Sub-Category' })).toBeVisible();
    await expect(rows.getByRole('row')).toHaveCount(51);

    await page.getByRole('textbox', { name: 'Display name' }).fill('Orders');
    await page.getByRole('button', { name: 'Register' }).click();
    await expect(page.getByRole('heading', { name: 'Orders', level: 1 })).toBeVisible();
    await expect(page).toHaveURL(/\/sources\/\d+$/);
    const [source] = await service.query('SELECT tname, label, created_by FROM pf.source');
    expect(source).toEqual({ tname: 'superstore', label: 'Orders', created_by: 'Ann Planner' });
  });

  test('marks a table that is already registered, and leads to its setup', async ({
    page,
    service,
  }) => {
    await service.api.post('/sources', { schema: 'public', tname: 'superstore' });
    await visit(page, '/sources/new');
    await page.getByText('superstore', { exact: true }).click();
    await expect(page.getByText('This table is already registered.')).toBeVisible();
    await page.getByRole('link', { name: 'Open its setup' }).click();
    await expect(page.getByRole('heading', { name: 'superstore', level: 1 })).toBeVisible();
  });

  test('asks for the name before the first write, and stores it', async ({ browser, service }) => {
    const context = await browser.newContext({ baseURL: service.url });
    const page = await context.newPage();
    await visit(page, '/sources/new');
    await page.getByText('superstore', { exact: true }).click();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('alert')).toHaveText('Enter a name.');
    await page.getByRole('textbox', { name: 'Your name' }).fill('  Ben ');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'superstore', level: 1 })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Working as Ben' })).toBeVisible();
    const [source] = await service.query('SELECT created_by FROM pf.source');
    expect(source.created_by).toBe('Ben');
    await context.close();
  });
});

test('lists versions with status, rows, totals, last change and user, one click from the pivot', async ({
  page,
  service,
}) => {
  await loadYearBefore(service, 'demo');
  const [{ plan, reference, compared, share }] = await service.query(
    `WITH totals AS (
       SELECT sum("Sales") FILTER (WHERE pf_iter <> 'reference') AS plan,
         sum("Sales") FILTER (WHERE pf_iter <> 'reference'
           AND "Order Date" BETWEEN '2028-01-01' AND '2030-12-31') AS compared,
         sum("Sales") FILTER (WHERE pf_iter = 'reference') AS reference
       FROM pf.fc_superstore_1)
     SELECT to_char(plan, 'FM999,999,990.00') AS plan,
       to_char(reference, 'FM999,999,990.00') AS reference,
       to_char(compared, 'FM999,999,990.00') AS compared,
       to_char(100 * (compared - reference) / reference, 'FMS990.0') || '%' AS share
     FROM totals`,
  );
  await visit(page, '/');
  const version = page.getByRole('row', { name: /Plan 2027/ });
  await expect(version).toContainText('Open');
  await expect(page.getByRole('columnheader', { name: 'Sales' })).toBeVisible();
  // The reference has no rows in 2027, so it is compared with the other years of the plan.
  const names = ['16,676', plan, `${reference} Jan 2028 – Dec 2030`, `${share} Plan ${compared}`];
  for (const name of names) {
    await expect(version.getByRole('cell', { name, exact: true })).toBeVisible();
  }
  await expect(version.getByRole('cell', { name: 'demo' })).toBeVisible();

  // The plan by month, of the rows with a date: as a text and as a line.
  await service.query(
    `UPDATE pf.fc_superstore_1 SET "Order Date" = NULL WHERE "Order Date" BETWEEN '2028-02-01' AND '2028-02-29'`,
  );
  await service.query(`UPDATE pf.log SET stamp = stamp + '1 second'::interval`);
  const [highest] = await service.query<{ month: string; sum: string }>(
    `SELECT to_char(date_trunc('month', "Order Date"), 'FMMon YYYY') AS month,
       to_char(sum("Sales"), 'FM999,999,990.00') AS sum
     FROM pf.fc_superstore_1 WHERE pf_iter <> 'reference' AND "Order Date" IS NOT NULL
     GROUP BY date_trunc('month', "Order Date") ORDER BY sum("Sales") DESC LIMIT 1`,
  );
  await page.reload();
  const line = version.getByRole('img');
  await expect(line).toHaveAccessibleName(
    `Sales from Jan 2027 to Dec 2030: lowest 0.00 in Feb 2028, highest ${highest?.sum} in ${highest?.month}`,
  );
  const points = (await line.locator('polyline').getAttribute('points'))?.split(' ') ?? [];
  // The month without rows is at the bottom of the line, between its neighbours.
  expect(points).toHaveLength(48);
  expect(points[13]).toMatch(/,22$/);

  // The totals are those of the chosen measure, which the browser remembers.
  const [{ units }] = await service.query(
    `SELECT to_char(sum("Quantity") FILTER (WHERE pf_iter <> 'reference'), 'FM999,999,990') AS units
      FROM pf.fc_superstore_1`,
  );
  await page.getByLabel('Measure').selectOption('Quantity');
  await expect(version.getByRole('cell', { name: units, exact: true })).toBeVisible();
  await page.reload();
  await expect(version.getByRole('cell', { name: units, exact: true })).toBeVisible();
  await version.getByRole('link', { name: 'Plan 2027', exact: true }).click();
  await expect(page).toHaveURL(/\/versions\/1$/);
});

test('names the rows of a review by the labels of the columns, and fits a window of 720 px', async ({
  page,
  service,
}) => {
  const { api } = service;
  await api.put('/sources/1/columns', [{ cname: 'Category', label: 'Product group' }]);
  const slice = { Category: 'Furniture', 'Order Date': '2028-01-05' };
  const body = { slice, reviewers: ['Ann Planner'], pf_user: 'Bea' };
  const { id } = (await api.post('/versions/1/reviews', body)).body;
  expect((await api.post(`/reviews/${id}/submit`, { pf_user: 'Bea' })).status).toBe(200);
  await loadYearBefore(service, 'demo');
  await page.setViewportSize({ width: 720, height: 450 });
  await visit(page, '/');
  const waiting = page.getByRole('region', { name: 'Waiting for me' });
  await expect(waiting).toContainText('Product group = Furniture');
  await expect(waiting).toContainText('Order Date = Jan 5, 2028');
  await expect(page.getByRole('columnheader', { name: 'Reference' })).toBeVisible();
  const link = await page.getByRole('link', { name: 'Baseline of Plan 2027' }).boundingBox();
  const card = await page.getByRole('article', { name: 'Superstore' }).boundingBox();
  expect(link!.x + link!.width).toBeLessThanOrEqual(card!.x + card!.width);
});

test('leads from a version to its baseline', async ({ page }) => {
  await visit(page, '/');
  await page.getByRole('link', { name: 'Baseline of Plan 2027' }).click();
  await expect(page.getByRole('heading', { name: 'Baseline of Plan 2027' })).toBeVisible();
});

test('shows archived sources on request', async ({ page, service }) => {
  await service.api.patch('/sources/1', { status: 'archived' });
  await visit(page, '/');
  await expect(page.getByRole('heading', { name: 'Every source is archived' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Show 1 archived source' }).check();
  await expect(page.getByRole('article', { name: 'Superstore' })).toContainText('Archived');
});

test('finds one of many sources by its name, and wraps a name that is very long', async ({
  page,
  service,
}) => {
  const name = 'Verkaufsplanungsgrundlagen'.repeat(5).slice(0, 120);
  await service.api.patch('/sources/1', { label: name });
  await service.api.patch('/versions/1', { name, description: `${name}${name}` });
  for (let i = 1; i <= 7; i++) {
    await service.query(`CREATE TABLE public.costs_${i} (region text, amount numeric, day date)`);
    await service.api.post('/sources', { schema: 'public', tname: `costs_${i}` });
  }
  await page.setViewportSize({ width: 1024, height: 768 });
  await visit(page, '/');
  await expect(page.getByRole('article')).toHaveCount(8);
  const search = page.getByRole('searchbox', { name: 'Search the sources' });
  await search.fill('planung store');
  await expect(page.getByRole('article')).toHaveCount(1);

  // Its status and baseline are in view, and so are those of its own pages and dialogs.
  const widens = () =>
    page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
  await expect(page.getByText('Open', { exact: true })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('link', { name: /^Baseline of/ })).toBeInViewport({ ratio: 1 });
  expect(await widens()).toBe(false);
  await search.fill('nothing like it');
  await page.getByRole('button', { name: 'Show all sources' }).click();
  await expect(page.getByRole('article')).toHaveCount(8);
  for (const path of ['/versions/1/baseline', '/versions/1/accuracy', '/sources/1?tab=versions']) {
    await visit(page, path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect([path, await widens()]).toEqual([path, false]);
  }
  await page
    .getByRole('button', { name: /^Actions for / })
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Delete …' }).click();
  await expect(page.getByRole('dialog').getByRole('textbox')).toBeInViewport({ ratio: 1 });
});

test('reports that the server does not answer, and recovers when it does', async ({ page }) => {
  await page.route('**/api/sources?*', (route) => route.abort());
  await visit(page, '/');
  await expect(page.getByRole('heading', { name: 'The server does not answer' })).toBeVisible();
  await page.unroute('**/api/sources?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('article', { name: 'Superstore' })).toBeVisible();
});

test('shows the other cards if the versions of one source cannot be loaded', async ({ page }) => {
  await page.route('**/api/sources/1/versions', (route) =>
    route.fulfill({ status: 500, json: { error: 'The statement took too long.' } }),
  );
  await visit(page, '/');
  const card = page.getByRole('article', { name: 'Superstore' });
  await expect(card.getByRole('alert')).toContainText('The statement took too long.');
  await page.unroute('**/api/sources/1/versions');
  await card.getByRole('button', { name: 'Try again' }).click();
  await expect(card.getByRole('row', { name: /Plan 2027/ })).toBeVisible();
});

test('reads the versions of a source once its card is about to be seen', async ({
  page,
  service,
}) => {
  const [source] = (await service.api.get('/sources')).body;
  const versions = (await service.api.get('/sources/1/versions')).body;
  const sources = Array.from({ length: 200 }, (_, i) => ({
    ...source,
    id: i + 1,
    label: `Source ${i + 1}`,
  }));
  const asked: string[] = [];
  await page.route('**/api/sources?*', (route) => route.fulfill({ json: sources }));
  await page.route(/\/api\/sources\/\d+\/versions$/, (route) => {
    asked.push(new URL(route.request().url()).pathname);
    return route.fulfill({ json: versions });
  });
  await visit(page, '/');
  await expect(page.getByRole('article')).toHaveCount(200);
  const card = (name: string) => page.getByRole('article', { name, exact: true });
  await expect(card('Source 1').getByRole('row', { name: /Plan 2027/ })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked.length).toBeLessThan(20);

  await card('Source 200').scrollIntoViewIfNeeded();
  await expect(card('Source 200').getByRole('row', { name: /Plan 2027/ })).toBeVisible();
  expect(asked.length).toBeLessThan(40);
  // A card that is scrolled to again does not ask again.
  await card('Source 1').scrollIntoViewIfNeeded();
  await expect(card('Source 1').getByRole('row', { name: /Plan 2027/ })).toBeVisible();
  expect(new Set(asked).size).toBe(asked.length);

  // The search brings a far card into view.
  await page.getByRole('searchbox', { name: 'Search the sources' }).fill('Source 120');
  await expect(card('Source 120').getByRole('row', { name: /Plan 2027/ })).toBeVisible();
});

test('shows that versions are loading', async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/sources/1/versions', async (route) => {
    await held;
    await route.continue();
  });
  await visit(page, '/');
  await expect(page.getByText('Loading the versions of Superstore')).toBeAttached();
  release();
  await expect(page.getByRole('row', { name: /Plan 2027/ })).toBeVisible();
});

for (const [path, message] of [
  ['/sources/999', 'source'],
  ['/sources/none', 'There is no such source.'],
  ['/versions/999/baseline', 'version'],
  ['/nowhere', 'There is no such page.'],
] as const) {
  test(`says that ${path} is not there`, async ({ page }) => {
    await visit(page, path);
    await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
    await expect(page.getByRole('main')).toContainText(message);
    await page.getByRole('link', { name: 'All sources' }).click();
    await expect(page.getByRole('article', { name: 'Superstore' })).toBeVisible();
  });
}

test('applies the stored theme before the first paint', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, '/');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole('button', { name: 'Colour theme: As the system' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Dark' }).press('Enter');
  await expect.poll(background).not.toBe(light);
  await page.reload({ waitUntil: 'commit' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.getByRole('button', { name: 'Colour theme: Dark' })).toBeVisible();
});

test('a theme and a name that are chosen in one tab hold in the others', async ({
  page,
  context,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await visit(page, '/');
  const other = await context.newPage();
  await other.goto('/');
  await other.getByRole('button', { name: 'Working as Ann Planner' }).click();
  await other.getByRole('dialog').getByRole('textbox').fill('Bea');
  await other.keyboard.press('Enter');
  await other.getByRole('button', { name: 'Colour theme: As the system' }).press('Enter');
  await other.getByRole('menuitem', { name: 'Dark' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Working as Bea' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await other.evaluate(() => localStorage.clear());
  await expect(page.getByRole('button', { name: 'Set your name' })).toBeVisible();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme', /./);
});
