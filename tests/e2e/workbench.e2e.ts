import type { Locator, Page } from '@playwright/test';
import { test, expect, storeText, visit } from '../support/e2e';

test.beforeEach(({ page }) => storeText(page, 'pf.user', 'Ann Planner'));

const URL = '/versions/1/baseline';
const form = (page: Page) => page.getByRole('form');
const willLand = (page: Page) => page.getByRole('region', { name: 'Preview of the load' });
const segments = (page: Page) => page.getByRole('region', { name: 'Segments' });
const toast = (page: Page, text: string | RegExp) =>
  page.locator('[data-sonner-toast]', { hasText: text });
const number = (value: number) => new Intl.NumberFormat('en-US').format(value);

/** Chooses a suggestion in a field by typing and clicking. */
async function choose(page: Page, field: Locator, search: string, option: string) {
  await field.fill(search);
  await page.getByRole('option', { name: option }).first().click();
}

async function addCondition(page: Page, column: string, comparison: string) {
  await form(page)
    .getByRole('button', { name: /Add a condition/ })
    .click();
  await form(page).getByLabel('Column', { exact: true }).selectOption(column);
  await form(page).getByLabel(`Comparison of ${column}`).selectOption(comparison);
}

test.describe('an empty version', () => {
  test.beforeEach(async ({ service }) => {
    await service.api.del('/versions/1/baseline');
  });

  test('can be left for the pivot while its load is still being written', async ({ page }) => {
    await visit(page, URL);
    await expect(willLand(page)).toContainText('9,994');
    // The load ends while the next page is loading.
    let loaded = () => {};
    const isLoaded = new Promise<void>((resolve) => (loaded = resolve));
    await page.route('**/api/versions/1/baseline', async (route) => {
      await page.getByRole('link', { name: 'Open the pivot' }).click();
      await route.continue();
    });
    await page.route('**/api/versions/1', async (route) => {
      await isLoaded;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Load baseline' }).click();
    await (await page.waitForResponse('**/api/versions/1/baseline')).finished();
    // The page that is being left has received the answer.
    await expect(page.getByRole('button', { name: 'Load baseline' })).toBeEnabled();
    loaded();
    await expect(page).toHaveURL('/versions/1');
    await expect(page.getByRole('row', { name: /TOTAL/ })).toBeVisible();
  });

  test('loads the rows of a filter, moved by an offset, as previewed', async ({
    page,
    service,
  }) => {
    await visit(page, URL);
    await expect(page.getByText('Nothing loaded yet')).toBeVisible();
    await expect(willLand(page)).toContainText('9,994');

    await addCondition(page, 'Region', 'in');
    await choose(page, form(page).getByLabel('Add a value of Region'), 'wes', 'West');
    await choose(page, form(page).getByLabel('Add a value of Region'), 'eas', 'East');
    await form(page).getByRole('button', { name: 'And' }).click();
    await form(page).getByLabel('Column', { exact: true }).nth(1).selectOption('Order Date');
    await form(page).getByLabel('First value of order date').fill('2017-01-01');
    await form(page).getByLabel('Last value of order date').fill('2017-12-31');
    await form(page).getByLabel('Years').fill('10');
    await form(page).getByLabel('Months').fill('-1');
    await form(page).getByLabel('Note').fill('The coasts of 2017');

    const [expected] = await service.query(
      `SELECT count(*) AS rows, sum("Sales")::float8 AS sales, sum("Quantity")::float8 AS quantity
       FROM superstore WHERE "Region" IN ('West', 'East')
         AND "Order Date" BETWEEN '2017-01-01' AND '2017-12-31'`,
    );
    await expect(willLand(page)).toContainText(number(expected.rows));
    await expect(willLand(page)).toContainText(number(Math.round(expected.sales * 100) / 100));
    await expect(willLand(page)).toContainText('Dec 1, 2026 to Nov 30, 2027');

    await form(page).getByRole('button', { name: 'Load baseline' }).click();
    await expect(toast(page, `${number(expected.rows)} rows loaded as baseline.`)).toBeVisible();
    await expect(segments(page)).toContainText('The coasts of 2017');
    await expect(segments(page)).toContainText(
      'Region is one of West, East and Order Date is between Jan 1, 2017 and Dec 31, 2017; moved by 10 years -1 month',
    );
    const [landed] = await service.query(
      `SELECT count(*) AS rows, sum("Sales")::float8 AS sales, sum("Quantity")::float8 AS quantity,
         min("Order Date"), max("Order Date") FROM pf.fc_superstore_1`,
    );
    expect(landed).toEqual({ ...expected, min: '2026-12-01', max: '2027-11-30' });
    const [entry] = await service.query('SELECT pf_user, note, operation FROM pf.log');
    expect(entry).toEqual({
      pf_user: 'Ann Planner',
      note: 'The coasts of 2017',
      operation: 'baseline',
    });

    await toast(page, 'loaded as baseline').getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('Nothing loaded yet')).toBeVisible();
    expect(await service.query('SELECT 1 FROM pf.fc_superstore_1')).toHaveLength(0);
  });

  test('combines groups with "or", and loads reference rows', async ({ page, service }) => {
    await visit(page, URL);
    await form(page).getByText('Rows to compare with').click();
    await addCondition(page, 'Sub-Category', '=');
    const value = form(page).getByLabel('Value of Sub-Category');
    await choose(page, value, 'chair', 'Chairs');
    await form(page).getByRole('button', { name: 'Or', exact: true }).click();
    await form(page).getByLabel('Column', { exact: true }).nth(1).selectOption('Profit');
    await form(page).getByLabel('Comparison of Profit').selectOption('<');
    await form(page).getByLabel('Value of Profit').fill('-1,000');

    const [{ rows }] = await service.query(
      `SELECT count(*) AS rows FROM superstore WHERE "Sub-Category" = 'Chairs' OR "Profit" < -1000`,
    );
    await expect(willLand(page)).toContainText(number(rows));
    await form(page).getByRole('button', { name: 'Load reference' }).click();
    await expect(toast(page, `${number(rows)} rows loaded as reference.`)).toBeVisible();
    expect(
      await service.query('SELECT pf_iter, count(*) AS rows FROM pf.fc_superstore_1 GROUP BY 1'),
    ).toEqual([{ pf_iter: 'reference', rows }]);
  });

  test('keeps the form in its place when the timeline gets its bar', async ({ page }) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let previews = 0;
    await page.route('**/api/versions/1/baseline/preview', async (route) => {
      // The first preview is of the source, which the timeline shows.
      if (++previews > 1) await held;
      await route.continue();
    });
    await visit(page, URL);
    const spans = page.getByRole('list', { name: /^Spans of / }).getByRole('listitem');
    await expect(spans).toHaveCount(1);
    const before = await form(page).boundingBox();
    release();
    await expect(spans).toHaveCount(2);
    expect((await form(page).boundingBox())!.y).toBe(before!.y);
  });

  test('accepts a condition in SQL, or gives the reason for refusing it', async ({
    page,
    service,
  }) => {
    await visit(page, URL);
    // The timeline above the form grows with the preview.
    await expect(willLand(page)).toContainText('9,994');
    await form(page).getByText('SQL', { exact: true }).click();
    const sql = form(page).getByLabel('Condition in SQL');
    await sql.fill(`"Region" = 'West'; DROP TABLE superstore`);
    await expect(sql).toHaveAccessibleDescription(/a semicolon is not allowed/);
    await expect(willLand(page)).toContainText('Correct the condition');
    await expect(form(page).getByRole('button', { name: 'Load baseline' })).toBeDisabled();

    await sql.fill(`"Region" = 'West' AND "Sub-Category" LIKE 'C%'`);
    const [{ rows }] = await service.query(
      `SELECT count(*) AS rows FROM superstore WHERE "Region" = 'West' AND "Sub-Category" LIKE 'C%'`,
    );
    await expect(willLand(page)).toContainText(number(rows));
    await form(page).getByRole('button', { name: 'Load baseline' }).click();
    await expect(toast(page, 'loaded as baseline')).toBeVisible();

    await segments(page)
      .getByRole('button', { name: /^Edit baseline/ })
      .click();
    await expect(sql).toHaveValue(`"Region" = 'West' AND "Sub-Category" LIKE 'C%'`);
  });

  test('does not load while the form is incomplete or no row matches', async ({ page }) => {
    await visit(page, URL);
    await addCondition(page, 'Sales', '>');
    const load = form(page).getByRole('button', { name: 'Load baseline' });
    await expect(willLand(page)).toContainText('Complete the form');
    await expect(load).toBeDisabled();
    await form(page).getByLabel('Value of Sales').fill('many');
    await expect(willLand(page)).toContainText('Complete the form');
    await form(page).getByLabel('Value of Sales').fill('99,999,999');
    await expect(willLand(page)).toContainText('No row of the source matches.');
    await expect(load).toBeDisabled();
    await form(page).getByLabel('Years').fill('1.5');
    await expect(page.getByText('Whole numbers only.')).toBeVisible();
  });

  test('names gaps and overlaps of loaded segments', async ({ page, service }) => {
    const load = (from: string, to: string) =>
      service.api.post('/versions/1/baseline', {
        pf_user: 'Ben',
        filters: [[{ cname: 'Order Date', op: 'between', value: [from, to] }]],
      });
    await load('2014-01-01', '2014-12-31');
    await load('2015-04-01', '2016-06-30');
    await load('2016-03-01', '2016-12-31');
    await visit(page, URL);
    const findings = page.getByRole('list', { name: 'Gaps and overlaps of the baseline' });
    await expect(findings.getByRole('listitem')).toHaveText([
      'Gap: Jan 1, 2015 to Mar 31, 2015',
      /Loaded more than once: Mar \d, 2016 to Jun 30, 2016/,
    ]);
    const spans = page.getByRole('list', { name: 'Spans of Order Date' });
    await expect(spans.getByRole('listitem')).toHaveCount(5);
    await expect(spans).toContainText('Source: Jan 3, 2014 to Dec 30, 2017');
  });
});

test('keeps the form after a load, and asks before the same rows are loaded twice', async ({
  page,
  service,
}) => {
  await visit(page, URL);
  await addCondition(page, 'Region', '=');
  await choose(page, form(page).getByLabel('Value of Region'), 'wes', 'West');
  await form(page).getByLabel('Years').fill('14');
  await form(page).getByLabel('Note').fill('West');
  await page.reload();
  await expect(form(page).getByLabel('Value of Region')).toHaveValue('West');
  await expect(form(page).getByLabel('Years')).toHaveValue('14');
  await expect(form(page).getByLabel('Note')).toHaveValue('West');
  const load = form(page).getByRole('button', { name: 'Load baseline' });
  await load.click();
  await expect(toast(page, 'loaded as baseline')).toBeVisible();

  const again = form(page).getByText('has these rows already');
  await expect(again).toContainText('Baseline 2 has these rows already');
  await expect(form(page).getByLabel('Note')).toHaveValue('');
  const count = async () => (await service.query('SELECT 1 FROM pf.log')).length;
  const loaded = await count();
  await load.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await count()).toBe(loaded);
  await load.click();
  await page.getByRole('button', { name: 'Load them again' }).click();
  await expect.poll(count).toBe(loaded + 1);

  await form(page).getByLabel('Years').fill('15');
  await expect(again).toHaveCount(0);
});

test('restores the stored filters for editing, and replaces the segment', async ({
  page,
  service,
}) => {
  await service.api.del('/versions/1/baseline');
  await service.api.post('/versions/1/baseline', {
    pf_user: 'Ben',
    note: 'First try',
    date_offset: '2 years',
    filters: [
      [
        { cname: 'Region', op: 'in', value: ['West', 'East'] },
        { cname: 'Sales', op: '>=', value: 10.5 },
      ],
      [{ cname: 'Order Date', op: '<', value: '2014-02-01' }],
    ],
  });
  await visit(page, URL);
  await expect(willLand(page)).toContainText('9,994');
  await segments(page)
    .getByRole('button', { name: /^Edit baseline/ })
    .click();
  const edit = form(page);
  await expect(edit.getByRole('heading', { name: /^Edit segment/ })).toBeVisible();
  await expect(edit.getByRole('button', { name: 'Remove West' })).toBeVisible();
  await expect(edit.getByLabel('Value of Sales')).toHaveValue('10.5');
  await expect(edit.getByLabel('Value of Order Date')).toHaveValue('2014-02-01');
  await expect(edit.getByLabel('Years')).toHaveValue('2');
  await expect(edit.getByLabel('Note')).toHaveValue('First try');

  await edit.getByRole('button', { name: 'Remove West' }).click();
  await edit.getByRole('button', { name: 'Remove the condition on Order Date' }).click();
  await edit.getByLabel('Years').fill('3');
  await edit.getByRole('button', { name: 'Replace the segment' }).click();
  await expect(toast(page, 'replace the segment')).toBeVisible();
  await expect(edit.getByRole('heading', { name: 'Load a segment' })).toBeVisible();
  const entries = await service.query('SELECT params, note FROM pf.log');
  expect(entries).toHaveLength(1);
  expect(entries[0].note).toBe('First try');
  expect(entries[0].params).toMatchObject({
    filters: [
      [
        { cname: 'Region', op: 'in', value: ['East'] },
        { cname: 'Sales', op: '>=', value: 10.5 },
      ],
    ],
    date_offset: '3 years',
  });
});

test.describe('once an operation exists', () => {
  const scale = { slice: { Region: 'West' }, pct: 10, pf_user: 'Ben' };

  test('segments cannot be edited, and the page says why', async ({ page, service }) => {
    await service.api.post('/versions/1/scale', scale);
    await visit(page, URL);
    const reason = 'Segments cannot be edited while the version has 1 operation: undo it first';
    await expect(page.getByRole('status').filter({ hasText: reason })).toBeVisible();
    const edit = segments(page).getByRole('button', { name: reason });
    await expect(edit).toHaveAttribute('aria-disabled', 'true');
    await edit.press('Enter');
    await expect(page.getByRole('heading', { name: 'Load a segment' })).toBeVisible();
  });

  test('an edit begun earlier is refused with the reason, and the form stays', async ({
    page,
    service,
  }) => {
    await visit(page, URL);
    await segments(page)
      .getByRole('button', { name: /^Edit baseline/ })
      .click();
    await form(page).getByLabel('Note').fill('Changed');
    await expect(form(page).getByRole('button', { name: 'Replace the segment' })).toBeEnabled();
    await service.api.post('/versions/1/scale', scale);
    const reloaded = page.waitForResponse('**/api/versions/1/segments');
    await form(page).getByRole('button', { name: 'Replace the segment' }).click();
    await (await reloaded).finished();
    await expect(page.getByText(/Segments cannot be edited/).first()).toBeVisible();
    await expect(form(page).getByRole('alert')).toContainText(
      'The version has a scale, recode, clone, reverse, actual, refresh or import',
    );
    await expect(form(page).getByLabel('Note')).toHaveValue('Changed');
    const [entry] = await service.query(`SELECT note FROM pf.log WHERE operation = 'baseline'`);
    expect(entry.note).toBe('All orders, as the starting point');
  });
});

test('undoes a segment after naming the consequences', async ({ page, service }) => {
  await visit(page, URL);
  await segments(page)
    .getByRole('button', { name: /^Undo baseline/ })
    .click();
  await expect(page.getByRole('dialog')).toContainText('9,994 rows and its log entry are deleted');
  await page.getByRole('button', { name: 'Undo the segment' }).click();
  await expect(page.getByText('Nothing loaded yet')).toBeVisible();
  // The button that opened the dialog is gone, so the page has the focus.
  await expect(page.getByRole('main')).toBeFocused();
  expect(await service.query('SELECT 1 FROM pf.log')).toHaveLength(0);
});

test.describe('in a German browser', () => {
  test.use({ locale: 'de-DE' });

  test('conditions take numbers with a decimal comma, and the focus follows them', async ({
    page,
    service,
  }) => {
    const [{ above, listed }] = await service.query(
      `SELECT count(*) FILTER (WHERE "Sales" > 1000.5) AS above,
              count(*) FILTER (WHERE "Sales" IN (1000.5, 12.96)) AS listed FROM public.superstore`,
    );
    await visit(page, URL);
    await form(page).getByRole('button', { name: 'Add a condition' }).press('Enter');
    await expect(form(page).getByLabel('Column', { exact: true })).toBeFocused();
    await form(page).getByLabel('Column', { exact: true }).selectOption('Sales');
    await form(page).getByLabel('Comparison of Sales').selectOption('>');
    await form(page).getByLabel('Value of Sales').fill('1.000,5');
    await expect(willLand(page)).toContainText(`Rows ${above}`);

    await form(page).getByLabel('Comparison of Sales').selectOption('in');
    await choose(page, form(page).getByLabel('Add a value of Sales'), '12,96', '12,96');
    await expect(form(page).getByText('1000,5', { exact: true })).toBeVisible();
    await expect(willLand(page)).toContainText(`Rows ${listed}`);

    await form(page).getByRole('button', { name: 'Remove the condition on Sales' }).press('Enter');
    await expect(form(page).getByRole('button', { name: 'Add a condition' })).toBeFocused();
  });
});

test('clears the baseline and keeps reference segments', async ({ page, service }) => {
  await service.api.post('/versions/1/reference', {
    pf_user: 'Ben',
    filters: [[{ cname: 'Region', op: '=', value: 'West' }]],
  });
  await visit(page, URL);
  await page.getByRole('button', { name: 'Clear the baseline' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The baseline segment with 9,994 rows is deleted.');
  await dialog.getByRole('textbox').fill('Plan 2027');
  await dialog.getByRole('button', { name: 'Clear the baseline' }).click();
  await expect(toast(page, 'Baseline cleared: 9,994 rows deleted.')).toBeVisible();
  await expect(segments(page).getByRole('listitem')).toHaveCount(1);
  expect(await service.query('SELECT DISTINCT pf_iter FROM pf.fc_superstore_1')).toEqual([
    { pf_iter: 'reference' },
  ]);
});

test('shows a closed version read-only, and names who closed it', async ({ page, service }) => {
  await service.api.post('/versions/1/close', { pf_user: 'Ben' });
  await visit(page, URL);
  await expect(page.getByText(/This version was closed by Ben on/)).toBeVisible();
  await expect(segments(page)).toContainText('All orders, as the starting point');
  await expect(form(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^(Edit|Undo) baseline/ })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Clear the baseline' })).toHaveCount(0);
});

test('reports that a version was closed meanwhile', async ({ page, service }) => {
  await visit(page, URL);
  await expect(willLand(page)).toContainText('9,994');
  await service.api.post('/versions/1/close', { pf_user: 'Ben' });
  await form(page).getByRole('button', { name: 'Load baseline' }).click();
  await expect(page.getByText(/This version was closed by Ben on/)).toBeVisible();
});

test('keeps the form if the server does not answer', async ({ page, context }) => {
  await visit(page, URL);
  await form(page).getByLabel('Note').fill('Not to be lost');
  await expect(willLand(page)).toContainText('9,994');
  await page.route('**/api/versions/1/baseline', (route) => route.abort());
  const reloaded = page.waitForResponse('**/api/versions/1/segments');
  await form(page).getByRole('button', { name: 'Load baseline' }).click();
  await (await reloaded).finished();
  await expect(form(page).getByRole('alert')).toContainText('The server does not answer');
  await expect(form(page).getByLabel('Note')).toHaveValue('Not to be lost');

  // Without a network, the data of the page cannot be reloaded either.
  await page.unroute('**/api/versions/1/baseline');
  await context.setOffline(true);
  const asked = page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/api/versions/1'),
  );
  await form(page).getByRole('button', { name: 'Load baseline' }).click();
  await asked;
  await expect(form(page).getByRole('alert')).toContainText('The server does not answer');
  await expect(form(page).getByLabel('Note')).toHaveValue('Not to be lost');
  await context.setOffline(false);
  await form(page).getByRole('button', { name: 'Load baseline' }).click();
  await expect(segments(page)).toContainText('Not to be lost');
});
