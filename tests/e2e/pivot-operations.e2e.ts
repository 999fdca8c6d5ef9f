import { test, expect } from '../support/e2e';
import { Engine } from './engine';
import { PivotPage } from './pivot-page';

const TABLE = 'pf.fc_superstore_1';
const cell = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const BEHIND = `"Sub-Category" = 'Chairs' AND "Order Year" = 2028`;

test('recode moves the selection to an offered value', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const [before] = await service.query(
    `SELECT sum("Sales")::float8 AS sales, sum("Quantity")::int AS units FROM ${TABLE} WHERE ${BEHIND}`,
  );
  await pivot.click(cell);
  await (await pivot.newValue('Sub-Category')).click();
  await page.getByRole('option', { name: 'Tables' }).click();
  await pivot.panel.getByLabel('Note').fill(`it's "moved" {{logid}} $&`);
  await pivot.apply.click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  // The toast covers no number and no field.
  const grid = await pivot.grid.boundingBox();
  await expect.poll(() => pivot.toastBottom()).toBeLessThan(grid?.y ?? 0);

  await expect.poll(() => pivot.number(cell)).toBe(0);
  const [after] = await service.query(
    `SELECT sum("Sales")::float8 AS sales, sum("Quantity")::int AS units FROM ${TABLE}
      WHERE pf_iter = 'recode' AND "Sub-Category" = 'Tables' AND "Order Year" = 2028`,
  );
  expect(after.units).toBe(before.units);
  expect(after.sales).toBeCloseTo(before.sales, 4);
  const log = await pivot.log();
  await expect(log.getByLabel(/^Note of entry/).first()).toHaveValue(`it's "moved" {{logid}} $&`);
});

test('values are offered at once, and follow changes and undos', async ({ page }) => {
  const engine = await Engine.of(page);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell);
  const field = await pivot.newValue('Sub-Category');
  const offered = async (search: string) => {
    await field.click();
    await page.keyboard.press('Control+a');
    await field.pressSequentially(search);
    return page.getByRole('option');
  };
  // The engine is busy.
  await engine.hold();
  await expect((await offered('ar')).filter({ hasText: 'Art' })).toBeVisible();
  await expect((await offered('tabl')).filter({ hasText: 'Tables' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByRole('button', { name: 'Region', exact: true }).click();
  const values = page.getByRole('list', { name: 'Values of Region' });
  await expect(values.getByRole('checkbox')).toHaveCount(4);
  await engine.release();
  await expect(values.getByTitle(/ rows$/)).toHaveCount(4);
  await page.keyboard.press('Escape');

  await (await offered('')).first().waitFor();
  await field.fill('Stools');
  await field.press('Tab');
  await pivot.apply.click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  await expect((await offered('Stools')).filter({ hasText: 'Stools' })).toHaveCount(1);
  await expect((await offered('Stools')).filter({ hasText: 'as typed' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await pivot.undo();
  await expect((await offered('Stools')).filter({ hasText: 'as typed' })).toBeVisible();
});

test('the preview of the request shows the increment of a percentage', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.showTechnical();
  await pivot.open(1);
  await pivot.click(cell);
  await pivot.type('Percent', '10');
  await pivot.panel.getByText('Request to the service').click();
  await expect(pivot.panel.getByLabel('Request body')).not.toContainText('value_incr');
  const [{ tenth }] = await service.query(
    `SELECT round(sum("Sales") / 10, 4)::float8 AS tenth FROM ${TABLE} WHERE ${BEHIND}`,
  );
  const line = pivot.panel.getByText(/^Computed from the percentage: value_incr: /);
  await expect(line).toBeVisible();
  const [, shown] = /value_incr: (-?[\d.]+)/.exec((await line.textContent()) ?? '') ?? [];
  expect(Number(shown)).toBeCloseTo(tenth, 1);
});

test('a recode of a share moves exactly the announced amount', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const sums = async () => {
    const [row] = await service.query(
      `SELECT sum("Sales") FILTER (WHERE "Sub-Category" = 'Chairs')::text AS chairs,
              sum("Sales") FILTER (WHERE "Sub-Category" = 'Stools')::text AS stools,
              sum("Sales")::text AS total,
              round(sum("Sales") FILTER (WHERE "Sub-Category" = 'Chairs') * 0.2, 2)::text AS share
         FROM ${TABLE} WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
    );
    return row as { chairs: string; stools: string | null; total: string; share: string };
  };
  const before = await sums();
  await pivot.click(cell);
  await page.keyboard.press('r');
  await pivot.panel.getByLabel('Share to move').fill('120%');
  await expect(pivot.panel.getByText('Enter a share above 0 and at most 1')).toBeVisible();
  await pivot.panel.getByLabel('Share to move').fill('20%');
  await pivot.panel.getByLabel('New Sub-Category').fill('Stools');
  await pivot.panel.getByLabel('New Sub-Category').press('Tab');
  const announced = page.getByTestId('extent');
  await expect(announced).toContainText(/moves [\d,.]+ Sales/);
  const moved = Number(
    /moves ([\d,.]+) Sales/.exec(await announced.innerText())?.[1]?.replaceAll(',', ''),
  );
  await pivot.apply.click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  const after = await sums();
  expect(after.total).toBe(before.total);
  expect(after.stools).toBe(before.share);
  expect(moved).toBe(Number(before.share));
  await expect(pivot.panel.getByLabel('Share to move')).toHaveValue('1');
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  expect(await sums()).toEqual(before);
});

test('recode and clone move dates by an interval, and announce what they do', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const field = pivot.panel.getByLabel('Move Order Date by');
  const day = pivot.panel.getByLabel('New Order Date');
  /** The sums of chairs by month, moved by an interval. */
  const months = async (interval: string) =>
    service.query(
      `SELECT date_trunc('month', "Order Date" + interval '${interval}')::date::text AS month,
              sum("Sales")::numeric(20,2)::text AS sales
         FROM ${TABLE} WHERE "Sub-Category" = 'Chairs' GROUP BY 1 HAVING sum("Sales") <> 0 ORDER BY 1`,
    );
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await page.keyboard.press('r');

  // An interval that cannot be read is refused; a day and an interval exclude each other.
  await field.fill('3 fortnights');
  await expect(pivot.panel.getByText('Enter an interval such as 3 months')).toBeVisible();
  await expect(pivot.apply).toBeDisabled();
  await day.fill('2028-05-01');
  await expect(field).toHaveValue('');
  await field.fill('1 quarter');
  await expect(day).toHaveValue('');

  // The form survives F5.
  await page.reload();
  await pivot.drawn();
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await expect(field).toHaveValue('3 months');
  const wanted = await months('3 months');
  const [before] = await service.query<{ sales: string; rows: number }>(
    `SELECT sum("Sales")::numeric(20,2)::text AS sales, count(*)::int AS rows
       FROM ${TABLE} WHERE "Sub-Category" = 'Chairs'`,
  );
  const announced = page.getByTestId('extent');
  await expect(announced).toContainText(/moves [\d,.]+ Sales/);
  const said = (await announced.innerText()).replaceAll(',', '');
  expect(/moves ([\d.]+) Sales/.exec(said)?.[1]).toBe(before?.sales);
  expect(/from (\d+) rows/.exec(said)?.[1]).toBe(String(before?.rows));
  await pivot.apply.click();
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  expect(await months('0')).toEqual(wanted);
  await expect(field).toHaveValue('');
  const log = await pivot.log();
  await expect(log.getByRole('row').filter({ hasText: 'Order Date + 3 months' })).toHaveCount(1);
  await pivot.undo();

  // A copy a year later, times a factor.
  await pivot.click({ row: ['Furniture', 'Chairs'] });
  await page.keyboard.press('c');
  await pivot.panel.getByLabel('Factor').fill('50%');
  await field.fill('-1 year');
  await pivot.apply.click();
  await expect(page.getByText(/^Cloned: /)).toBeVisible();
  const [copy] = await service.query(
    `SELECT params, (SELECT min("Order Date")::text FROM ${TABLE} WHERE pf_logid = log.id) AS first,
            (SELECT (min("Order Date") - interval '1 year')::date::text FROM ${TABLE}
              WHERE "Sub-Category" = 'Chairs' AND pf_iter = 'baseline') AS earlier
       FROM pf.log ORDER BY id DESC LIMIT 1`,
  );
  expect(copy?.params).toMatchObject({ shift: { 'Order Date': '-1 year' }, scale_factor: 0.5 });
  expect(copy?.first).toBe(copy?.earlier);
  await expect(log.getByRole('row').filter({ hasText: 'Order Date - 1 year' })).toHaveCount(1);
});

test('clone copies the selection to a new value, multiplied by a factor', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.showTechnical();
  await pivot.open(1);
  await pivot.click(cell);
  await pivot.panel.getByRole('tab', { name: 'Clone' }).click();
  await pivot.panel.getByLabel('Factor').fill('50%');
  await pivot.panel.getByLabel('New Sub-Category').fill('Stools');
  await pivot.panel.getByLabel('New Sub-Category').press('Tab');
  await pivot.panel.getByLabel('Note').fill('Half of the chairs');
  // The form survives F5.
  await page.reload();
  await pivot.drawn();
  await pivot.click(cell);
  await expect(pivot.panel.getByLabel('Factor')).toHaveValue('0.5');
  await expect(pivot.panel.getByLabel('Note')).toHaveValue('Half of the chairs');
  await pivot.panel.getByText('Request to the service').click();
  await expect(pivot.panel.getByLabel('Request body')).toContainText('"Sub-Category": "Stools"');
  await pivot.apply.click();
  await expect(page.getByText(/^Cloned: /)).toBeVisible();

  const stools = { row: ['Furniture', 'Stools'], column: ['2028', 'Sales'] };
  const [{ half }] = await service.query(
    `SELECT sum("Sales")::float8 / 2 AS half FROM ${TABLE} WHERE ${BEHIND}`,
  );
  await expect.poll(() => pivot.number(stools)).toBeCloseTo(half, 1);
});

test('a lost answer is requested again, and the change is made once', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell);
  await pivot.type('New total', '100000');
  const keys: (string | undefined)[] = [];
  await page.route('**/api/versions/1/scale', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.continue();
    expect((await route.fetch()).status()).toBe(200);
    return route.abort('connectionreset');
  });
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(keys).toEqual([expect.stringMatching(/^\w{8,}$/), keys[0]]);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).toHaveLength(1);
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM ${TABLE} WHERE ${BEHIND}`,
  );
  expect(sales).toBe(100_000);
  await expect.poll(() => pivot.number(cell)).toBe(100_000);

  await page.route('**/api/log/*', async (route) => {
    if (route.request().method() !== 'DELETE' || keys.length > 2) return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    expect((await route.fetch()).status()).toBe(200);
    return route.abort('connectionreset');
  });
  const log = await pivot.log();
  await log
    .getByRole('button', { name: /^Undo entry/ })
    .first()
    .click();
  await expect.poll(() => pivot.number(cell)).not.toBe(100_000);
  expect(keys).toHaveLength(3);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).toEqual([]);
});

test('total, change and percent are linked, and the price can be held', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell);
  const field = (name: string) => pivot.panel.getByLabel(name);
  await field('Quantity: New total').fill('600');
  await expect(field('Quantity: Change')).toHaveValue('72');
  await expect(field('Quantity: Percent')).toHaveValue('13.64');
  await field('Hold price').check();
  await expect(field('Sales: Percent')).toHaveValue('13.64');
  await pivot.apply.click();
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  const [sums] = await service.query(
    `SELECT sum("Quantity")::int AS units, sum("Sales")::float8 AS sales FROM ${TABLE} WHERE ${BEHIND}`,
  );
  expect(sums.units).toBe(600);
  // All leaves change by one factor: none gets value without units or another price.
  const [{ leaf }] = await service.query(
    `SELECT string_agg(format('%I', cname), ', ') AS leaf FROM pf.col_meta WHERE role IN ('dimension', 'date')`,
  );
  const [held] = await service.query(
    `WITH leaf AS (
       SELECT sum("Sales") FILTER (WHERE pf_iter = 'baseline') AS sales,
              sum("Quantity") FILTER (WHERE pf_iter = 'baseline') AS units,
              sum("Sales") FILTER (WHERE pf_iter = 'scale') AS more_sales,
              sum("Quantity") FILTER (WHERE pf_iter = 'scale') AS more_units
       FROM ${TABLE} WHERE ${BEHIND}
       GROUP BY ${leaf}
     )
     SELECT count(*) FILTER (WHERE more_sales <> 0 AND more_units = 0)::int AS unpriced,
            count(*) FILTER (WHERE abs(more_sales - more_units * sales / units * factor) > 0.011)::int AS off
     FROM leaf, (SELECT sum(more_sales) / sum(more_units * sales / units) AS factor FROM leaf) f`,
  );
  expect(held).toEqual({ unpriced: 0, off: 0 });
  const quantity = { ...cell, column: ['2028', 'Quantity'] };
  await expect.poll(() => pivot.number(quantity)).toBe(600);
  await expect(page.getByTestId('units-total')).toHaveText('600');
  await expect(field('Quantity: Percent')).toHaveValue('');
});

test('open and closed rows stay so through a change and its undo', async ({ page }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const furniture = pivot.grid.locator('tbody th', { hasText: /^Furniture$/ });
  await furniture.click({ position: { x: 8, y: 8 } });
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Chairs'] })).toBeNull();
  await pivot.click({ row: ['Technology', 'Phones'], column: ['2028', 'Sales'] });
  await pivot.scaleValue(10);
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Chairs'] })).toBeNull();
  await expect(pivot.slice).toContainText('Sub-Category = Phones');
  // With the focus anywhere on the page.
  await page.getByRole('heading', { level: 1 }).click();
  const undo = page.waitForRequest((request) => request.method() === 'DELETE');
  await page.keyboard.press('Control+z');
  // The page finds the rows of an entry itself, so it requests no keys.
  expect((await undo).headers().prefer).toBe('return=minimal');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Chairs'] })).toBeNull();
  expect(await pivot.find({ row: ['Technology', 'Phones'] })).not.toBeNull();
});

test('everything works from the keyboard', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await page.keyboard.press('g');
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  await expect(pivot.slice).toContainText('Category = Furniture');
  await expect(pivot.slice).not.toContainText('Sub-Category');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(pivot.slice).not.toContainText('Order Date');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByTestId('row-count')).not.toHaveText('');
  await page.keyboard.press('s');
  await pivot.panel.getByLabel('Sales: Percent').focus();
  await page.keyboard.type('5');
  await expect(pivot.apply).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  await expect
    .poll(async () => (await service.query(`SELECT FROM pf.log WHERE operation = 'scale'`)).length)
    .toBe(1);
  await expect(pivot.panel.getByLabel('Sales: Percent')).toHaveValue('');
  await expect(pivot.grid).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(pivot.grid).toBeFocused();
});

test('the log highlights the cells of an entry, filters by it, and stores its note', async ({
  page,
  service,
}) => {
  await service.api.post('/versions/1/scale', {
    slice: { Category: 'Furniture', 'Sub-Category': 'Chairs' },
    pct: 10,
    pf_user: 'bea',
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const log = await pivot.log();
  const entry = log.getByRole('row').filter({ hasText: 'bea' });
  await entry.hover();
  const hinted = pivot.grid.locator('tbody td.pf-hint');
  await expect(hinted).toHaveCount(8);

  const note = entry.getByLabel(/^Note of entry/);
  await note.fill('better chairs');
  await note.press('Enter');
  await expect
    .poll(async () => (await service.query(`SELECT note FROM pf.log WHERE operation = 'scale'`))[0])
    .toEqual({ note: 'better chairs' });

  await entry.getByRole('button', { name: /^Show only the rows of entry/ }).click();
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Tables'] })).toBeNull();
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM ${TABLE} WHERE pf_iter = 'scale' AND "Order Year" = 2028`,
  );
  await expect.poll(() => pivot.number(cell)).toBeCloseTo(sales, 2);
  await page.getByRole('button', { name: 'Show everything' }).first().click();
  await expect.poll(() => pivot.find({ row: ['Furniture', 'Tables'] })).not.toBeNull();
});

test('the log distinguishes columns with the same label and value', async ({ page, service }) => {
  await service.api.put('/sources/1/columns', [
    { cname: 'Region', label: 'Place' },
    { cname: 'State', label: 'Place' },
  ]);
  await service.query(`INSERT INTO pf.log (version_id, pf_user, operation, slice)
    VALUES (1, 'bea', 'scale', '{"Region": "Nowhere", "State": "Nowhere"}')`);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const entry = (await pivot.log()).getByRole('row').filter({ hasText: 'bea' });
  await expect(entry.getByRole('listitem')).toHaveText(['Place = Nowhere', 'Place = Nowhere']);
});

test('a layout saved as the default opens with its columns, depth and order', async ({
  page,
  service,
}) => {
  await service.api.patch('/sources/1', {
    default_layout: {
      group_by: ['Region', 'gone', 'Segment'],
      split_by: [],
      columns: ['Quantity'],
      sort: [['Quantity', 'desc']],
      depth: 0,
    },
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await expect.poll(() => pivot.find({ row: ['West'] })).not.toBeNull();
  await expect(page.getByText(/The saved layout uses fields .* gone\./)).toBeVisible();
  expect(await pivot.find({ row: ['West', 'Consumer'] })).toBeNull();
  await page.getByRole('button', { name: 'Levels' }).click();
  await page.getByRole('menuitem', { name: 'Down to Segment' }).click();
  await expect.poll(() => pivot.find({ row: ['West', 'Consumer'] })).not.toBeNull();
  await page.getByRole('button', { name: 'Layout' }).click();
  await page.getByRole('menuitem', { name: 'Save as the default of this source' }).click();
  await expect(page.getByText(/^Saved: /)).toBeVisible();
  const [{ layout }] = await service.query(`SELECT default_layout AS layout FROM pf.source`);
  expect(layout).toMatchObject({
    group_by: ['Region', 'Segment'],
    columns: ['Quantity'],
    depth: 1,
  });
});

test('a dimension that is not a key cannot select rows, and can be removed', async ({
  page,
  service,
}) => {
  await service.api.put('/sources/1/columns', [{ cname: 'Category', is_key: true }]);
  await service.api.patch('/sources/1', {
    default_layout: { group_by: ['Category', 'Region'], columns: ['Sales'] },
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Technology', 'West'], column: ['Sales'] });
  await expect(pivot.panel.getByText(/“Region” is not a key column/)).toBeVisible();
  await expect(pivot.panel.getByRole('button', { name: /^Scale/ })).toBeDisabled();
  await pivot.panel.getByRole('button', { name: 'Remove Region = West' }).click();
  await pivot.scaleValue(10);
  const rows = await service.query(
    `SELECT DISTINCT "Category" AS category FROM ${TABLE} WHERE pf_iter = 'scale'`,
  );
  expect(rows).toEqual([{ category: 'Technology' }]);
});

test('a cell split by a column that no slice can have shows the extent of a change', async ({
  page,
  service,
}) => {
  await service.api.post('/versions/1/scale', {
    slice: { Category: 'Technology' },
    pct: 10,
    pf_user: 'bea',
  });
  await service.api.patch('/sources/1', {
    default_layout: { group_by: ['Category'], split_by: ['pf_iter'], columns: ['Sales'] },
  });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click({ row: ['Technology'], column: ['scale', 'Sales'] });
  await expect(pivot.panel.getByText(/also split by pf_iter = scale/)).toBeVisible();
  const [{ sales }] = await service.query(
    `SELECT sum("Sales")::numeric(20,2)::text AS sales FROM ${TABLE} WHERE "Category" = 'Technology'`,
  );
  await expect(page.getByTestId('value-total')).toHaveText(
    Number(sales).toLocaleString('en-US', { minimumFractionDigits: 2 }),
  );
});

test('the numbers of the selected cells are copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(cell);
  await pivot.click({ ...cell, column: ['2029', 'Sales'] }, { ctrl: true });
  await page.keyboard.press('g');
  await page.keyboard.press('Control+c');
  await expect(page.getByText('Copied: 2 cells.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^[\d.]+\t[\d.]+$/);
});
