import { COLOURS, gridHasColourOfPage, violations, WCAG } from '../support/axe';
import { test, expect, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';

/** Checks that the page does not ask for a selection of cells that are not there. */
async function offersNoCells({ page, panel }: PivotPage): Promise<void> {
  await expect(panel).toContainText('There are no cells to select.');
  await expect(page.getByText(/Click a cell|Select several cells/)).toHaveCount(0);
}

const cell = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };

test('an empty version offers to load a baseline', async ({ page, service }) => {
  const { body } = await service.api.post('/sources/1/versions', { name: 'Empty' });
  await visit(page, `/versions/${body.id}`);
  await expect(page.getByRole('heading', { name: 'This version has no rows yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Load a baseline' }).click();
  await expect(page).toHaveURL(`/versions/${body.id}/baseline`);
});

test('an unknown version is reported', async ({ page }) => {
  await visit(page, '/versions/9999');
  await expect(page.getByRole('heading', { name: 'Not found' })).toBeVisible();
});

test('a pivot without matching rows says so, and a button clears the filters', async ({ page }) => {
  const pivot = new PivotPage(page);
  await visit(page, '/versions/1?filter=Region:in:Nowhere');
  await expect(page.getByRole('heading', { name: 'No rows match the filters' })).toBeVisible();
  await offersNoCells(pivot);
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await pivot.drawn();
  await expect(pivot.panel).toContainText('Click a cell');
  await expect(page.getByRole('heading', { name: 'No rows match the filters' })).toHaveCount(0);
  expect(await pivot.number(cell)).toBeGreaterThan(0);
});

test('a failed load shows the reason and can be repeated', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser();
  await page.route('**/api/versions/1/data', (route) =>
    route.fulfill({ status: 500, json: { error: 'The database is not there.' } }),
  );
  await visit(page, '/versions/1');
  await expect(page.getByText('The database is not there.')).toBeVisible();
  await offersNoCells(pivot);
  await page.unroute('**/api/versions/1/data');
  await page.getByRole('button', { name: 'Try again' }).click();
  await pivot.drawn();
});

test('a load that is cut off is not treated as complete', async ({ page }) => {
  await page.route('**/api/versions/1/data', async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    await route.fulfill({
      status: 200,
      headers: { ...response.headers(), 'content-length': String(body.length) },
      body: body.subarray(0, body.length / 2),
    });
  });
  await visit(page, '/versions/1');
  await expect(page.getByText(/cut before all rows had arrived/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('progress is shown while the rows are loading', async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/versions/1/data', async (route) => {
    await held;
    await route.continue();
  });
  await visit(page, '/versions/1');
  await expect(page.getByRole('progressbar')).toBeVisible();
  // A theme chosen meanwhile also applies to the pivot.
  await page.emulateMedia({ colorScheme: 'dark' });
  release();
  await new PivotPage(page).drawn();
  await expect(page.locator('perspective-viewer')).toHaveAttribute('theme', 'Pro Dark');
});

test('a slow page shows a message', async ({ page }) => {
  await visit(page, '/');
  // Screen readers announce changes of an element that already exists.
  const said = page.locator('.shell > [role=status]');
  await expect(said).toHaveText('');
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/versions/1', async (route) => {
    await held;
    await route.continue();
  });
  await page.locator('a[href="/versions/1"]').first().click();
  await expect(said).toHaveText('Loading the page …');
  expect(await violations(page, { tags: ['wcag2a', 'wcag2aa'] })).toEqual([]);
  release();
  await new PivotPage(page).drawn();
  await expect(said).toHaveText('');
});

test('slow arranging and writing is shown above the pivot', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  // Simulates an engine with more rows.
  await page.locator('perspective-viewer').evaluate((viewer) => {
    const slow = viewer as unknown as { restore(config: object): Promise<void>; go?: () => void };
    const restore = slow.restore.bind(viewer);
    const value = async (config: object) => {
      await new Promise<void>((resolve) => (slow.go = resolve));
      return restore(config);
    };
    // The element's own methods cannot be assigned.
    Object.defineProperty(viewer, 'restore', { value, configurable: true });
  });
  await pivot.grid.locator('thead th', { hasText: 'Sales' }).first().click();
  const line = page.getByRole('progressbar');
  await expect(line).toHaveAccessibleName('Building the pivot …');
  await page.locator('perspective-viewer').evaluate((viewer) => {
    delete (viewer as { restore?: unknown }).restore;
    (viewer as unknown as { go(): void }).go();
  });
  await expect(line).toHaveCount(0);

  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/versions/1/scale', async (route) => {
    await held;
    await route.continue();
  });
  await pivot.click(cell);
  await page.keyboard.type('+500');
  await page.keyboard.press('Enter');
  await expect(line).toHaveAccessibleName('Scaling …');
  release();
  await expect(line).toHaveCount(0);
});

test('a pivot that cannot be closed does not block the next one', async ({ page, service }) => {
  await service.api.post('/versions/1/copy', { name: 'Cautious', pf_user: 'bea' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await page.locator('perspective-viewer').evaluate((viewer) => {
    const value = () => new Promise(() => undefined);
    Object.defineProperty(viewer, 'flush', { value });
  });
  await page.getByRole('button', { name: /^Compare/ }).click();
  await page.getByRole('button', { name: /^Cautious/ }).click();
  await expect
    .poll(() => pivot.find({ row: [], column: ['2028', 'Sales: Cautious'] }))
    .toBeTruthy();
  await expect(page.locator('perspective-viewer')).toHaveCount(1);
});

test('more rows than a browser can hold are refused with advice', async ({
  page,
  browser,
  baseURL,
}) => {
  const german = await browser.newContext({ baseURL: baseURL!, locale: 'de-DE' });
  for (const [opened, rows] of [
    [page, '6,000,000'],
    [await german.newPage(), '6.000.000'],
  ] as const) {
    await opened.route('**/api/versions/1/data', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        headers: { ...response.headers(), 'x-row-count': '6000000' },
      });
    });
    await opened.goto('/versions/1');
    await expect(opened.getByText(`${rows} rows, more than a browser can hold`)).toBeVisible();
    await expect(opened.getByRole('link', { name: 'Open the source' })).toBeVisible();
  }
});

test('a closed version is read-only and names who closed it', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
  await pivot.open(1);
  await pivot.click(cell);
  await service.api.post('/versions/1/close', { pf_user: 'bea' });
  // The version was open when the page loaded it: the service refuses, and the page follows.
  await pivot.panel.getByLabel('Sales: Percent').fill('10');
  await pivot.apply.click();
  await expect(page.getByText('Version is closed', { exact: true })).toBeVisible();
  await expect(page.getByText(/This version was closed by bea/)).toBeVisible();
  await expect(pivot.panel.getByRole('tab')).toHaveCount(0);
  const log = await pivot.log();
  await expect(log.getByRole('button', { name: /^Undo entry/ })).toBeDisabled();
});

test('if the server disappears, only the attempt is lost', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await pivot.text(cell);
  await pivot.click(cell);
  await expect(page.getByTestId('row-count')).toBeVisible();
  await pivot.panel.getByLabel('Sales: Percent').fill('10');
  await page.route('**/api/versions/1/scale', (route) => route.abort());
  await pivot.apply.click();
  await expect(page.getByText(/The server does not answer/)).toBeVisible();
  await expect(pivot.panel.getByLabel('Sales: Percent')).toHaveValue('10');
  expect(await pivot.text(cell)).toBe(before);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).toEqual([]);
});

test('a change by someone else is detected, and a reload shows it', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.missEvents();
  await pivot.open(1);
  const before = await pivot.number(cell);
  await service.api.post('/versions/1/scale', {
    slice: { 'Sub-Category': 'Chairs' },
    pct: 50,
    pf_user: 'bea',
  });
  await pivot.click(cell);
  await expect(page.getByText(/someone else has changed this version/)).toBeVisible();
  // The page detects it once, and then waits for the user.
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/versions/1/log')) reads += 1;
  });
  await page.waitForTimeout(1500);
  expect(reads).toBeLessThan(3);
  await page.getByRole('button', { name: 'Reload' }).click();
  await pivot.drawn();
  await expect.poll(() => pivot.number(cell)).toBeCloseTo(before * 1.5, 1);
});

test.describe('a grain whose SQL is not generated yet', () => {
  test('loads single rows and says so', async ({ page, service }) => {
    await service.api.put('/sources/1/columns', [{ cname: 'Category', in_grain: true }]);
    const pivot = new PivotPage(page);
    await pivot.open(1);
    await expect(page.getByText(/has changed since its SQL was generated/)).toBeVisible();
    await expect(page.getByText('9,994 rows')).toBeVisible();
  });
});

test('the page passes axe in both themes', async ({ page, service }) => {
  await service.api.post('/versions/1/scale', {
    slice: { 'Sub-Category': 'Chairs' },
    pct: 5,
    pf_user: 'bea',
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell);
  await pivot.panel.getByLabel('Sales: Percent').fill('10');
  await pivot.log();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => page.evaluate(gridHasColourOfPage)).toBe(true);
    const rules = colorScheme === 'light' ? { tags: WCAG } : COLOURS;
    for (const tab of ['Recode', 'Clone', 'Scale']) {
      await pivot.panel.getByRole('tab', { name: tab }).click();
      expect(await violations(page, rules)).toEqual([]);
    }
  }
});

test('the theme changes while the pivot is open', async ({ page }) => {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  const pivot = new PivotPage(page);
  await pivot.open(1);
  for (const scheme of ['dark', 'light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await expect(page.locator('perspective-viewer')).toHaveAttribute(
      'theme',
      scheme === 'dark' ? 'Pro Dark' : 'Pro Light',
    );
  }
  await pivot.click({ row: ['Furniture'], column: ['2028', 'Sales'] });
  await expect(page.getByTestId('value-total')).toHaveText('170,518.26');
  expect(faults).toEqual([]);
});

test('a version of an archived source can be changed, but not duplicated or replayed', async ({
  page,
  service,
}) => {
  const sentence = page.getByText(/^The source of this version is archived\./);
  const refused = page.getByRole('menuitem', { name: /^(Duplicate|Replay)/ });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const { name } = (await service.api.get('/versions/1')).body;
  const openMenu = () => page.getByRole('button', { name: `Actions for ${name}` }).click();
  await openMenu();
  await expect(refused).toHaveCount(2);
  await expect(sentence).toHaveCount(0);

  await service.api.patch('/sources/1', { status: 'archived' });
  const copy = await service.api.post('/versions/1/copy', { name: 'Copy', pf_user: 'ana' });
  expect(copy.status).toBe(409);
  await pivot.open(1);
  await expect(sentence).toHaveText(/cannot be duplicated or replayed/);
  await openMenu();
  await expect(page.getByRole('menuitem', { name: 'Close version' })).toBeVisible();
  await expect(refused).toHaveCount(0);
  await page.keyboard.press('Escape');
  await pivot.click(cell);
  await pivot.scaleValue(10);

  await visit(page, '/sources/1?tab=versions');
  await openMenu();
  await expect(page.getByRole('menuitem', { name: 'Close version' })).toBeVisible();
  await expect(refused).toHaveCount(0);
});
