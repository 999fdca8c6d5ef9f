import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { startServer } from '../../src/demo/server';
import type { Service } from '../support/service';
import { expect, test, visit } from '../support/e2e';
import { CountedPlanner } from './counted-planner';
import { openAs, PivotPage } from './pivot-page';
import { readWorkbook } from './workbook';

/** Closing months on actuals. The plan of 2027 has the orders of 2014; those of 2015 are what happened. */

const TABLE = 'pf.fc_superstore_1';
const TOTAL = { row: [], column: ['2027', 'Sales'] };
const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2027', 'Sales'] };

/** The sales of the source in some months of 2015. */
const sold = async (service: Service, through: string, where = 'TRUE'): Promise<number> => {
  const [row] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM public.superstore
     WHERE "Order Date" BETWEEN '2015-01-01' AND '${through}' AND ${where}`,
  );
  return row.sales;
};

/** The sales of the plan in some months of 2027. */
const planned = async (service: Service, from: string, through: string): Promise<number> => {
  const [row] = await service.query(
    `SELECT sum("Sales")::float8 AS sales FROM ${TABLE}
     WHERE "Order Date" BETWEEN '${from}' AND '${through}'`,
  );
  return row.sales;
};

/** The sales of the plan by month of 2027. */
const byMonth = async (service: Service): Promise<number[]> =>
  (
    await service.query(
      `SELECT sum("Sales")::float8 AS sales FROM ${TABLE}
       WHERE extract(year FROM "Order Date") = 2027
       GROUP BY extract(month FROM "Order Date") ORDER BY extract(month FROM "Order Date")`,
    )
  ).map(({ sales }) => sales);

/** Closes months of 2027 on the sales of 2015, through the service. */
async function close(service: Service, through: string): Promise<void> {
  const request = { date_offset: '12 years', from: '2027-01-01', through, pf_user: 'eve' };
  const { body } = await service.api.post('/versions/1/actuals', request);
  expect(body.error).toBeUndefined();
}

/** The ids of the closes, oldest first. Previews use up ids, too. */
const closes = async (service: Service): Promise<number[]> =>
  (await service.query(`SELECT id::int FROM pf.log WHERE operation = 'actual' ORDER BY id`)).map(
    ({ id }) => id,
  );

const text = (amount: number) =>
  amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** The header of a year. */
const head = (pivot: PivotPage, year: string): Locator =>
  pivot.grid.locator('thead th', { hasText: year }).first();

async function openDialog(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: 'Close months …' }).click();
  return page.getByRole('dialog');
}

/** Moves the dates of the source by 12 years. */
async function moveDates(dialog: Locator): Promise<void> {
  await dialog.getByText('Actuals: All rows').click();
  await dialog.getByLabel('Years').fill('12');
  await dialog.getByLabel('Years').blur();
  await expect(dialog.getByText('moved 12 years ahead')).toBeVisible();
}

test('a year is closed from its header, shown as closed to everyone, and opened by an undo', async ({
  browser,
  page,
  service,
}) => {
  const second = await startServer({ database: service.database });
  try {
    const ann = new PivotPage(page, 'ann');
    await ann.open(1);
    const eve = await openAs(browser, second.url, 'eve');
    const before = await ann.number(TOTAL);
    const chairs = await sold(service, '2015-12-31', `"Sub-Category" = 'Chairs'`);

    await head(ann, '2027').click({ button: 'right' });
    await ann.page.getByRole('menuitem', { name: 'Close months through Dec 2027 …' }).click();
    const dialog = ann.page.getByRole('dialog');
    await moveDates(dialog);
    const table = dialog.getByRole('region', { name: 'Month by month' });
    const january = await sold(service, '2015-01-31');
    const forecast = await planned(service, '2027-01-01', '2027-01-31');
    await expect(table.getByRole('row', { name: /^Jan 2027/ })).toContainText(
      [text(forecast), text(january)].join(''),
    );
    const actual = await sold(service, '2015-12-31');
    await expect(table.getByRole('row', { name: /^Total/ })).toContainText(text(actual));
    // Both messages disappear after some seconds.
    await Promise.all([
      expect(eve.page.getByText('ann: Actuals closed through Dec 2027')).toBeVisible(),
      expect(ann.page.getByText(/^Closed through Dec 2027: .* Sales/)).toBeVisible(),
      dialog.getByRole('button', { name: 'Close 12 months' }).click(),
    ]);
    await expect(dialog).toBeHidden();

    // The plan of these days is the source, leaf by leaf.
    const keys = `"Category", "Sub-Category", "Region", "State", "Segment", "Ship Mode"`;
    const sums = `sum("Sales") AS sales, sum("Quantity") AS units`;
    const plan = `SELECT "Order Date" AS day, ${keys}, ${sums} FROM ${TABLE}
      WHERE "Order Date" < '2028-01-01' GROUP BY "Order Date", ${keys}
      HAVING sum("Sales") <> 0 OR sum("Quantity") <> 0`;
    const source = `SELECT ("Order Date" + interval '12 years')::date AS day, ${keys}, ${sums}
      FROM public.superstore WHERE extract(year FROM "Order Date") = 2015 GROUP BY 1, ${keys}`;
    expect(
      await service.query(`(${plan} EXCEPT ${source}) UNION ALL (${source} EXCEPT ${plan})`),
    ).toEqual([]);

    for (const pivot of [ann, eve]) {
      await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(actual, 1);
      await expect.poll(() => pivot.number(CHAIRS)).toBeCloseTo(chairs, 1);
      // A mark in the header, and none over the numbers.
      await expect(pivot.grid.locator('thead th.pf-closed')).toHaveText(['2027']);
      await expect(pivot.grid.locator('td.pf-locked')).toHaveCount(0);
    }

    const [entry] = await closes(service);
    // Typing into a closed cell shows the reason beside it.
    await eve.click(CHAIRS);
    await eve.page.keyboard.type('5');
    await expect(
      eve.page.getByRole('status').getByText(`Closed by ann (entry ${entry})`),
    ).toBeVisible();
    await eve.page.keyboard.press('Escape');

    // The forecast is a column beside the plan.
    await ann.page.getByRole('button', { name: 'Arrange', exact: true }).click();
    const others = ann.page.getByRole('group', { name: 'Fields that are not shown' });
    await expect(others.getByText('Sales: forecast')).toBeVisible();
    await expect(others.getByText('Sales: missed by')).toBeVisible();

    // Nobody unlocks the months; an undo of the entry opens them.
    await eve.page.getByRole('button', { name: 'Locks' }).click();
    await expect(eve.page.getByText(`Closed by entry ${entry} of ann`)).toBeVisible();
    await expect(eve.page.getByRole('button', { name: /^Unlock/ })).toHaveCount(0);
    await eve.page.keyboard.press('Escape');
    const log = await eve.log();
    await log.getByRole('button', { name: `Undo entry ${entry} by ann`, exact: true }).click();
    await expect(eve.page.getByText(/^Undone: /)).toBeVisible();
    for (const pivot of [ann, eve]) {
      await expect.poll(() => pivot.number(TOTAL)).toBe(before);
      await expect(pivot.grid.locator('thead th.pf-closed')).toHaveCount(0);
    }
  } finally {
    await second.stop();
  }
});

test('the difference is spread over later months, and closed months are restated', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const before = await planned(service, '2027-01-01', '2027-12-31');

  let dialog = await openDialog(page);
  // By default the first open month.
  await expect(dialog.getByRole('button', { name: 'Close 1 month', exact: true })).toBeVisible();
  await dialog.getByLabel('Through', { exact: true }).selectOption('Mar 2027');
  await moveDates(dialog);
  await dialog.getByText('Spread it in proportion').click();
  await expect(dialog.getByLabel('Over the months through')).toHaveValue('2027-12');
  await dialog.getByRole('button', { name: 'Close 3 months' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/^Scaled: .* Closed through Mar 2027: .* Sales/)).toBeVisible();
  const actual = await sold(service, '2015-03-31');
  expect(await planned(service, '2027-01-01', '2027-03-31')).toBeCloseTo(actual, 6);
  expect(await planned(service, '2027-01-01', '2027-12-31')).toBeCloseTo(before, 6);
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(before, 1);
  const entries = await service.query('SELECT operation, params FROM pf.log ORDER BY id');
  expect(entries.map(({ operation }) => operation)).toEqual(['baseline', 'actual', 'scale']);

  // The next close starts after the newest one, on the same rows of the source.
  dialog = await openDialog(page);
  await expect(dialog.getByLabel('From', { exact: true })).toHaveValue('2027-04');
  await expect(dialog.getByText('moved 12 years ahead')).toBeVisible();

  await service.query(`UPDATE public.superstore SET "Sales" = "Sales" + 1000
    WHERE "Row ID" = (SELECT min("Row ID") FROM public.superstore
      WHERE "Order Date" BETWEEN '2015-01-01' AND '2015-01-31')`);
  // Other months do not change what the dialog is called; closed months have an item of their own.
  await dialog.getByLabel('From', { exact: true }).selectOption('Mar 2027');
  await expect(dialog.getByRole('button', { name: 'Restate 1 month and close 1' })).toBeVisible();
  await expect(dialog).toHaveAccessibleName('Close months');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: 'Restate closed months …' }).click();
  dialog = page.getByRole('dialog', { name: 'Restate closed months' });
  await expect(dialog.getByLabel('From', { exact: true })).toHaveValue('2027-01');
  await expect(dialog.getByLabel('Through', { exact: true })).toHaveValue('2027-03');
  await expect(dialog.getByText(/closed already: this adds 1 row /)).toBeVisible();
  await expect(dialog.getByRole('row', { name: /^Jan 2027/ })).toContainText('+1,000.00');
  await dialog.getByRole('button', { name: 'Restate 3 months' }).click();
  await expect(dialog).toBeHidden();
  await expect(
    page.getByText(`Restated through Mar 2027: ${text(actual)} → ${text(actual + 1000)} Sales`),
  ).toBeVisible();
  expect(await planned(service, '2027-01-01', '2027-03-31')).toBeCloseTo(actual + 1000, 6);

  // The restatement is undone first.
  const [first, second] = await closes(service);
  const log = await pivot.log();
  await log.getByRole('button', { name: `Undo entry ${first}`, exact: true }).click();
  await expect(page.getByText(`entry ${second} of ana has closed the months`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Take back the rest' })).toHaveCount(0);
});

test('several closes are one line of the panel', async ({ page, service }) => {
  await close(service, '2027-01-31');
  await close(service, '2027-02-28');
  const pivot = new PivotPage(page);
  await pivot.open(1);
  await pivot.click(CHAIRS);
  const line = pivot.panel.getByText(/^Closed by eve/);
  await expect(line).toHaveText(
    'Closed by eve. Order Date in Jan 2027 to Feb 2027: a scale does not change these rows.',
  );
});

test('months without rows of the source are closed only after a confirmation', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.open(1);
  const dialog = await openDialog(page);
  await expect(
    dialog.getByText('The source has no rows in Jan 2027, so the plan becomes 0 there.'),
  ).toBeVisible();
  const close = dialog.getByRole('button', { name: 'Close 1 month', exact: true });
  await expect(close).toBeDisabled();
  await dialog.getByText('Close with 0').click();
  await close.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText(/^Closed through Jan 2027: /)).toBeVisible();
  expect(await planned(service, '2027-01-01', '2027-01-31')).toBe(0);
});

test('a month is closed from the list of versions in at most six actions, and a shape spreads the difference', async ({
  page,
  service,
}) => {
  await close(service, '2027-01-31');
  const before = await byMonth(service);
  const pivot = new PivotPage(page);
  await pivot.keepUser('ann');
  await visit(page, '/sources/1?tab=versions');
  const planner = new CountedPlanner(page, pivot);
  await planner.click(page.getByRole('button', { name: 'Actions for Plan 2027' }));
  await planner.click(page.getByRole('menuitem', { name: 'Close months …' }));
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('moved 12 years ahead')).toBeVisible();
  await planner.click(dialog.getByText('Spread it by a shape'));
  await planner.choose(dialog.getByLabel('Shape', { exact: true }), '4-4-5');
  await expect(dialog.getByTestId('shape-months')).toContainText('Sales by month');
  await planner.click(dialog.getByRole('button', { name: 'Close 1 month', exact: true }));
  await expect(dialog).toBeHidden();
  expect(planner.actions).toBeLessThanOrEqual(6);
  await expect(page.getByText(/^Scaled: /)).toBeVisible();

  // February is what happened. March gets 5 parts of what it missed, April and May 4 each, and so on.
  const happened = (await sold(service, '2015-02-28')) - (await sold(service, '2015-01-31'));
  const missing = (before[1] ?? 0) - happened;
  const weights = [5, 4, 4, 5, 4, 4, 5, 4, 4, 5];
  const whole = weights.reduce((a, b) => a + b);
  const expected = before.map((amount, month) =>
    month < 2 ? amount : amount + (missing * (weights[month - 2] ?? 0)) / whole,
  );
  expected[1] = happened;
  const after = await byMonth(service);
  for (const [month, amount] of after.entries()) {
    expect([month, amount]).toEqual([month, expect.closeTo(expected[month] ?? NaN, 1)]);
  }
  const total = (months: readonly number[]) => months.reduce((a, b) => a + b);
  expect(total(after)).toBeCloseTo(total(before), 6);

  // A reload does not open the dialog again.
  await page.reload();
  await pivot.drawn();
  await expect(dialog).toBeHidden();
});

test('closed months are marked in derived periods, in charts and in the workbook', async ({
  page,
  service,
}) => {
  await close(service, '2027-03-31');
  const pivot = new PivotPage(page);
  await pivot.open(1, '?rows=Category&columns=Order+Year,Order+Month&measures=Sales');
  const closed = ['2027-01', '2027-02', '2027-03'];
  await expect(pivot.grid.locator('thead th.pf-closed')).toHaveText(closed);
  // Later months are closed from the header of a derived period, too.
  await head(pivot, '2027-05').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Close months through May 2027 …' }).click();
  await expect(page.getByRole('button', { name: 'Close 2 months' })).toBeVisible();
  await page.keyboard.press('Escape');

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Excel workbook of the pivot' }).click();
  const file = await download;
  const sheets = await readWorkbook(page, await readFile(await file.path()));
  const months = sheets.get('Pivot')?.rows[1]?.cells.map(({ value }) => value) ?? [];
  expect(months.filter((text) => String(text).endsWith(' ✓'))).toEqual(
    closed.map((month) => `${month} ✓`),
  );
  const about = sheets.get('About')?.rows.map(({ cells }) => cells.map(({ value }) => value)) ?? [];
  expect(about).toContainEqual([
    'Closed on actuals',
    'Order Date from Jan 1, 2027 through Mar 31, 2027. Headers of closed months have a ✓.',
  ]);

  await page.getByRole('button', { name: 'Show as a chart' }).click();
  const places = page.getByTestId('chart-table').locator('tbody th');
  await expect(places).toContainText(
    closed.map((month) => `2027 / ${month} ✓`).concat('2027 / 2027-04'),
  );
  await expect(places.getByText('✓')).toHaveCount(3);
  // An undo opens the months: the marks go.
  const [entry] = await closes(service);
  await service.api.del(`/log/${entry}`);
  await expect(places.getByText('✓')).toHaveCount(0);
});
