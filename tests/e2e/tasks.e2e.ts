import { test, expect, visit } from '../support/e2e';
import type { Service } from '../support/service';
import { CountedPlanner } from './counted-planner';
import { arrange, PivotPage, type CellName } from './pivot-page';
import { loadYearBefore } from './year-before';

/** Tasks of a planner, with the number of actions that each takes; docs/tour.md lists them. */

const TABLE = 'pf.fc_superstore_1';
const CHAIRS: CellName = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };

const TABLES: CellName = { row: ['Furniture', 'Tables'], column: ['2028', 'Sales'] };

/** Returns the cents of the furniture of 2028, by sub-category. @param more further conditions */
async function furniture(service: Service, more = ''): Promise<Record<string, number>> {
  const rows = await service.query(
    `SELECT "Sub-Category" AS name, (100 * sum("Sales"))::int AS cents FROM ${TABLE}
      WHERE "Category" = 'Furniture' AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' ${more} GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, cents }) => [name, cents]));
}

const sumOf = (amounts: Record<string, number>): number =>
  Object.values(amounts).reduce((sum, each) => sum + each, 0);

const entriesAfterLoad = (service: Service) =>
  service.query(
    `SELECT operation FROM pf.log
      WHERE version_id = 1 AND operation NOT IN ('baseline', 'reference') ORDER BY id`,
  );

test('moving 20 % of a customer to another one takes at most 8 actions and is one entry', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const sums = async () => {
    const [row] = await service.query<Record<'chairs' | 'tables' | 'share', string>>(
      `SELECT sum("Sales") FILTER (WHERE "Sub-Category" = 'Chairs')::text AS chairs,
              sum("Sales") FILTER (WHERE "Sub-Category" = 'Tables')::text AS tables,
              round(sum("Sales") FILTER (WHERE "Sub-Category" = 'Chairs') * 0.2, 2)::text AS share
         FROM ${TABLE} WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'`,
    );
    return row as Record<'chairs' | 'tables' | 'share', string>;
  };
  const before = await sums();
  const planner = new CountedPlanner(page, pivot);
  await planner.select(CHAIRS);
  await planner.press('r');
  await planner.click(pivot.panel.getByLabel('New Sub-Category'));
  await planner.type('Tables');
  await planner.press('Tab');
  await planner.replace(pivot.panel.getByLabel('Share to move'));
  await planner.type('20%');
  await planner.press('Control+Enter');
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(8);
  const after = await sums();
  expect(Number(before.chairs) - Number(after.chairs)).toBeCloseTo(Number(before.share), 2);
  expect(Number(after.tables) - Number(before.tables)).toBeCloseTo(Number(before.share), 2);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'recode'`)).toHaveLength(1);
});

test('moving a launch by a quarter takes at most 8 actions and is one entry', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const byDay = (interval: string) =>
    service.query(
      `SELECT ("Order Date" + interval '${interval}')::date::text AS day, sum("Sales")::text AS sales
         FROM ${TABLE} WHERE "Sub-Category" = 'Chairs' GROUP BY 1 HAVING sum("Sales") <> 0 ORDER BY 1`,
    );
  const wanted = await byDay('3 months');
  const planner = new CountedPlanner(page, pivot);
  await planner.select({ row: ['Furniture', 'Chairs'] });
  await planner.press('r');
  await planner.click(pivot.panel.getByLabel('Move Order Date by'));
  await planner.type('1 quarter');
  await planner.press('Control+Enter');
  await expect(page.getByText(/^Recoded: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(8);
  expect(await byDay('0')).toEqual(wanted);
  expect(await service.query(`SELECT FROM pf.log WHERE operation = 'recode'`)).toHaveLength(1);
});

test.describe('an empty database', () => {
  test.use({ template: 'service' });

  test('from a raw table to its pivot takes at most 14 actions', async ({ page, service }) => {
    const pivot = new PivotPage(page);
    await pivot.keepUser();
    const planner = new CountedPlanner(page, pivot);
    const button = (name: string) => page.getByRole('button', { name });
    const link = (name: string) => page.getByRole('link', { name });
    await visit(page, '/');
    await planner.click(link('Register a table'));
    await planner.click(page.getByText('superstore', { exact: true }));
    await planner.click(button('Register'));
    await planner.click(button('Suggest roles'));
    await planner.click(button('Save columns'));
    await planner.click(page.getByRole('tab', { name: /Versions/ }));
    await planner.click(button('Create the first version'));
    await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await planner.type('Plan');
    await planner.press('Enter');
    await planner.click(link('Load the baseline'));
    await planner.click(page.getByLabel('Years'));
    await planner.type('13');
    await planner.click(button('Load baseline'));
    await planner.click(link('Open the pivot'));
    await pivot.drawn();
    expect(planner.actions).toBeLessThanOrEqual(14);
    const [{ sales }] = await service.query(
      `SELECT sum("Sales")::float8 AS sales FROM ${TABLE} WHERE "Order Year" = 2028`,
    );
    const total = { row: [], column: ['2028', 'Sales'] };
    await expect.poll(() => pivot.number(total)).toBeCloseTo(sales, 1);
  });
});

test('raising a group by 5 % in one quarter takes at most 3 actions', async ({ page, service }) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await arrange(page, {
    split_by: ['quarter'],
    expressions: { quarter: `bucket("Order Date", '3M')` },
  });
  const sums = async () => {
    const [row] = await service.query<Record<'group' | 'all', number>>(
      `SELECT sum("Sales")::float8 AS all, sum("Sales") FILTER (WHERE "Category" = 'Furniture'
          AND "Order Date" BETWEEN '2028-04-01' AND '2028-06-30')::float8 AS group FROM ${TABLE}`,
    );
    return row as Record<'group' | 'all', number>;
  };
  const before = await sums();
  const planner = new CountedPlanner(page, pivot);
  await planner.select({ row: ['Furniture'], column: ['Q2 2028', 'Sales'] });
  await planner.type('+5%');
  await planner.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(3);
  const after = await sums();
  expect(after.group).toBeCloseTo(before.group * 1.05, 1);
  expect(after.all - before.all).toBeCloseTo(before.group * 0.05, 1);
});

test('sorting by Δ and explaining the worst group takes at most 4 actions', async ({
  page,
  service,
}) => {
  await loadYearBefore(service);
  const scale = { slice: { Category: 'Technology' }, value_incr: -90_000, note: 'Fewer shops' };
  await service.api.post('/versions/1/scale', { ...scale, pf_user: 'Eve' });
  const groups = await service.query<{ name: string }>(
    `SELECT "Category" AS name FROM ${TABLE}
      WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' GROUP BY 1
      ORDER BY sum("Sales" * CASE pf_iter WHEN 'reference' THEN -1 ELSE 1 END)`,
  );
  const worst = groups[0]?.name ?? '';
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const planner = new CountedPlanner(page, pivot);
  await planner.select({ row: ['Office Supplies'], column: ['2028', 'Sales: Δ'] });
  await planner.press('Alt+ArrowUp');
  const order = async () =>
    (await pivot.cells())
      .filter(({ row, column }) => row.length === 1 && column === undefined)
      .map(({ row }) => row[0]);
  await expect.poll(order).toEqual(groups.map(({ name }) => name));
  await planner.select({ row: [worst], column: ['2028', 'Sales'] });
  await planner.press('w');
  const why = page.getByRole('region', { name: 'Why', exact: true });
  await expect(why.locator('[data-logid]').filter({ hasText: 'Fewer shops' })).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(4);
});

test('raising a product while its group keeps its total takes at most 3 actions and is one entry', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await furniture(service);
  const planner = new CountedPlanner(page, pivot);
  await planner.select(CHAIRS);
  await planner.type('+500 keep total');
  await planner.press('Enter');
  await expect(page.getByText(/^Scaled: /)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(3);
  const after = await furniture(service);
  expect(after.Chairs).toBe((before.Chairs ?? 0) + 50_000);
  expect(sumOf(after)).toBe(sumOf(before));
  expect(await entriesAfterLoad(service)).toEqual([{ operation: 'scale' }]);
});

test('trying two changes together and keeping both takes at most 7 actions', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await furniture(service);
  const planner = new CountedPlanner(page, pivot);
  await planner.select(CHAIRS);
  await planner.type('+500');
  await planner.press('Shift+Enter');
  const lines = page.getByTestId('tried-lines').getByRole('listitem');
  await expect(lines).toHaveCount(1);
  await planner.select(TABLES);
  await planner.type('+250');
  await planner.press('Shift+Enter');
  await expect(lines).toHaveCount(2);
  expect(await entriesAfterLoad(service)).toEqual([]);
  await planner.press('Control+Enter');
  await expect(page.getByText(/^Kept: 2 changes saved/)).toBeVisible();
  expect(planner.actions).toBeLessThanOrEqual(7);
  expect(await furniture(service)).toEqual({
    ...before,
    Chairs: (before.Chairs ?? 0) + 50_000,
    Tables: (before.Tables ?? 0) + 25_000,
  });
  expect(await entriesAfterLoad(service)).toEqual([{ operation: 'scale' }, { operation: 'scale' }]);
});

test('taking back the open part of an old change takes at most 4 actions', async ({
  page,
  service,
}) => {
  const before = await furniture(service);
  const { api } = service;
  const slice = { Category: 'Furniture' };
  const { body: rows } = await api.post('/versions/1/scale', { slice, pct: 10, pf_user: 'ben' });
  const raised = await furniture(service);
  await api.post('/versions/1/locks', { slice: { 'Sub-Category': 'Chairs' }, pf_user: 'eve' });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const planner = new CountedPlanner(page, pivot);
  await planner.press('l');
  const log = page.getByRole('region', { name: 'Log', exact: true });
  await planner.click(log.getByRole('button', { name: `Undo entry ${rows[0].pf_logid} by ben` }));
  await planner.click(page.getByRole('button', { name: 'Take back the rest' }));
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/locked rows? stays? as/);
  await planner.click(dialog.getByRole('button', { name: 'Take it back' }));
  await expect(dialog).toBeHidden();
  expect(planner.actions).toBeLessThanOrEqual(4);
  await expect.poll(() => furniture(service)).toEqual({ ...before, Chairs: raised.Chairs });
  expect(await entriesAfterLoad(service)).toEqual([
    { operation: 'scale' },
    { operation: 'reverse' },
  ]);
});

test('shaping, pasting, filling, filtering and undoing take one to five actions each', async ({
  context,
  page,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await loadYearBefore(service);
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await furniture(service, `AND pf_iter <> 'reference'`);
  const plan = () => furniture(service, `AND pf_iter <> 'reference'`);
  const planner = new CountedPlanner(page, pivot);
  const scales = async () =>
    (await entriesAfterLoad(service)).filter(({ operation }) => operation === 'scale').length;

  // Phase a year like the year before.
  await planner.task(3, async () => {
    await planner.select(CHAIRS);
    await planner.type('=keep like ref');
    await planner.press('Enter');
    await expect.poll(scales).toBe(1);
  });
  expect(await plan()).toEqual(before);
  const months = await service.query(
    `SELECT sum("Sales") FILTER (WHERE pf_iter <> 'reference') AS plan,
            sum("Sales") FILTER (WHERE pf_iter = 'reference') AS reference FROM ${TABLE}
      WHERE "Sub-Category" = 'Chairs' AND "Order Date" BETWEEN '2028-01-01' AND '2028-12-31'
      GROUP BY extract(month FROM "Order Date")`,
  );
  const share =
    (before.Chairs ?? 0) / 100 / months.reduce((sum, each) => sum + Number(each.reference), 0);
  for (const month of months)
    expect(Number(month.plan)).toBeCloseTo(share * Number(month.reference), 1);

  // Paste a block from a spreadsheet.
  await page.evaluate(() => navigator.clipboard.writeText('70000\n12000'));
  await planner.task(2, async () => {
    await planner.select(CHAIRS);
    await planner.press('Control+v');
    await expect.poll(scales).toBe(2);
  });
  expect(await plan()).toEqual({ ...before, Chairs: 7_000_000, Furnishings: 1_200_000 });

  // Undo the change of a moment ago.
  await planner.task(1, async () => {
    await planner.press('Control+z');
    await expect.poll(plan).toEqual(before);
  });

  // Repeat an amount in the rows below.
  await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo((before.Chairs ?? NaN) / 100, 2);
  await planner.task(2, async () => {
    await planner.select(CHAIRS);
    await planner.fillTo(TABLES);
    await expect.poll(scales).toBe(2);
  });
  const { Chairs } = before;
  expect(await plan()).toEqual({ ...before, Furnishings: Chairs, Tables: Chairs });

  // Find a member, and show only it.
  await planner.task(5, async () => {
    await planner.press('Control+f');
    await planner.type('Phones');
    await expect(pivot.slice).toContainText('Phones');
    await planner.press('Escape');
    await planner.press('Shift+F10');
    await planner.click(page.getByRole('menuitem', { name: 'Only Phones', exact: true }));
    await expect(pivot.grid.locator('tbody th')).toHaveText(['TOTAL', 'Technology', 'Phones']);
  });
});

test('duplicating, comparing, locking, looking back, undoing a person’s changes, saving a view and exporting take two to four actions each', async ({
  page,
  service,
}) => {
  const slice = { 'Sub-Category': 'Chairs' };
  for (const [pct, pf_user] of [
    [10, 'ben'],
    [-5, 'eve'],
    [20, 'ben'],
  ])
    await service.api.post('/versions/1/scale', { slice, pct, pf_user });
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const planner = new CountedPlanner(page, pivot);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  const log = page.getByRole('region', { name: 'Log', exact: true });

  await planner.task(4, async () => {
    await planner.click(button('Actions for Plan 2027'));
    await planner.click(item('Duplicate …'));
    await planner.type('Cautious');
    await planner.press('Enter');
    await expect
      .poll(() => service.query(`SELECT name FROM pf.version ORDER BY id`))
      .toEqual([{ name: 'Plan 2027' }, { name: 'Cautious' }]);
  });

  await pivot.open(1);
  await planner.task(2, async () => {
    await planner.click(button('Compare'));
    await planner.click(button(/^Cautious/));
    await expect(button('Compared with Cautious')).toBeVisible();
  });

  await planner.task(4, async () => {
    await planner.select({ row: ['Furniture', 'Tables'] });
    await planner.click(button('Locks'));
    await planner.click(button('Lock rows …'));
    await planner.click(
      page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }),
    );
    await expect
      .poll(() => service.query(`SELECT slice FROM pf.lock`))
      .toEqual([{ slice: { Category: 'Furniture', 'Sub-Category': 'Tables' } }]);
    // The row is stored before the dialog has its answer.
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  await planner.task(2, async () => {
    await planner.press('l');
    await planner.click(log.getByRole('button', { name: 'Show the plan as it was after entry 1' }));
    await expect(button('Back to now')).toBeVisible();
  });
  await button('Back to now').click();

  await planner.task(4, async () => {
    await planner.choose(log.getByRole('combobox', { name: 'Entries by' }), 'ben');
    await planner.click(log.getByRole('button', { name: 'Undo these 2 …' }));
    await planner.click(button('Undo 2 entries'));
    await expect.poll(() => entriesAfterLoad(service)).toEqual([{ operation: 'scale' }]);
  });

  await planner.task(4, async () => {
    await planner.click(button(/^Layout/));
    await planner.click(item('Save as a new view …'));
    await planner.type('Beside the cautious one');
    await planner.press('Enter');
    await expect(button('Layout: Beside the cautious one')).toBeVisible();
  });

  await planner.task(2, async () => {
    const file = page.waitForEvent('download');
    await planner.click(button('Export'));
    await planner.click(item('Excel workbook of the pivot'));
    expect((await file).suggestedFilename()).toBe('Plan 2027.xlsx');
  });
});

test('a share, a running total, the top ten, a rule of colours, the rows behind a cell and a print take one to five actions each', async ({
  page,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=State,Sub-Category&columns=Order+Year&measures=Sales&depth=1');
  const planner = new CountedPlanner(page, pivot);
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
  const head = () => pivot.grid.locator('thead th.pf-measure').first();

  await planner.task(2, async () => {
    await planner.menu(head());
    await planner.click(item('Show as % of parent'));
    await expect(page).toHaveURL(/amounts=Sales:::share_of_row/);
    await expect.poll(() => pivot.text({ row: [], column: ['2028', 'Sales'] })).toBe('100.0%');
  });

  await planner.task(2, async () => {
    await planner.menu(head());
    await planner.click(item('Show as running total'));
    await expect(page).toHaveURL(/amounts=Sales:::running_total/);
  });

  // The dialog begins with the largest ten of the outermost field.
  await planner.task(3, async () => {
    await planner.menu(head());
    await planner.click(item('Top, bottom or threshold …'));
    await planner.click(page.getByRole('dialog').getByRole('button', { name: 'Show' }));
    await expect(page.getByTestId('limit')).toHaveText(/^State: top 10 by Sales, \d+ in Others/);
  });

  await planner.task(5, async () => {
    await planner.menu(head());
    await planner.click(item('Mark cells …'));
    const dialog = page.getByRole('dialog', { name: 'Mark cells of Sales' });
    await planner.choose(dialog.getByLabel('Mark', { exact: true }), 'Scale of two colours');
    await planner.click(dialog.getByRole('button', { name: 'Add the rule' }));
    await expect(page).toHaveURL(/mark=Sales:two_colours/);
  });

  await planner.task(2, async () => {
    await planner.select({ row: ['California'], column: ['2028', 'Sales'] });
    await planner.press('b');
    await expect(page.getByTestId('rows-behind')).toBeVisible();
  });
  await page.keyboard.press('Escape');

  await page.evaluate(() => Object.assign(window, { print: () => undefined }));
  await planner.task(1, async () => {
    await planner.press('Control+p');
    await expect(page.locator('.printed table').first()).toBeAttached();
  });
});

test('an alert that fires and asks its owner for the reason takes at most 8 actions', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page, 'ann');
  await pivot.open(1, '?rows=Category,Sub-Category&columns=Order+Year&measures=Sales&depth=1');
  const planner = new CountedPlanner(page, pivot);
  await planner.click(page.getByRole('button', { name: 'Alerts', exact: true }));
  await planner.click(page.getByRole('button', { name: 'Make an alert …' }));
  const dialog = page.getByRole('dialog', { name: 'Tell me when …' });
  await planner.click(dialog.getByLabel('Amount, in full'));
  await planner.type('5000000');
  await planner.click(dialog.getByRole('checkbox', { name: 'Ask for the reason in a comment' }));
  await planner.click(dialog.getByRole('button', { name: 'Make the alert' }));
  await expect(dialog).toHaveCount(0);
  expect(planner.actions).toBeLessThanOrEqual(8);
  const slice = { 'Sub-Category': 'Chairs' };
  await service.api.post('/versions/1/scale', { slice, value_incr: 9e6, pf_user: 'ben' });
  const asked = () => service.query(`SELECT mentions FROM pf.comment`);
  await expect.poll(asked).toEqual([{ mentions: ['ann'] }]);
});
