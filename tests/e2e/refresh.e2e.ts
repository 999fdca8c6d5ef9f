import type { Page } from '@playwright/test';
import type { Service } from '../support/service';
import { expect, test, visit } from '../support/e2e';
import { PivotPage } from './pivot-page';
import { changeOrders } from './states';

/** Refreshing the loads of a version after the source has changed. */

const TABLE = 'pf.fc_superstore_1';
const TOTAL = { row: [], column: ['2028', 'Sales'] };

/** Sales of the plan, in 2028 and in all years. */
const planned = async (service: Service): Promise<{ year: number; all: number }> => {
  const [sums] = await service.query(
    `SELECT sum("Sales") FILTER (WHERE extract(year FROM "Order Date") = 2028)::float8 AS year,
       sum("Sales")::float8 AS all FROM ${TABLE}`,
  );
  return sums;
};

const differing = async ({ query }: Service): Promise<object[]> => {
  const keys = `"Order Date", "Category", "Sub-Category", "Region", "State", "Segment", "Ship Mode"`;
  const sums = `sum("Sales") AS sales, sum("Quantity") AS units`;
  const plan = `SELECT ${keys}, ${sums} FROM ${TABLE} WHERE pf_iter = 'baseline' GROUP BY ${keys}
    HAVING sum("Sales") <> 0 OR sum("Quantity") <> 0`;
  const source = `SELECT ("Order Date" + interval '13 years')::date AS ${keys}, ${sums}
    FROM public.superstore GROUP BY 1, ${keys.slice(keys.indexOf(',') + 1)}`;
  return query(`(${plan} EXCEPT ${source}) UNION ALL (${source} EXCEPT ${plan})`);
};

/** Collects the queries of the requests for rows from now on. */
const loadsOf = (page: Page): readonly string[] => {
  const loads: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/\/(data|agg)$/.test(pathname)) loads.push(search);
  });
  return loads;
};

const openDialog = async (page: Page) => {
  await page.getByRole('button', { name: 'Refresh …' }).click();
  return page.getByRole('dialog', { name: 'Refresh the loads' });
};

test('a refresh is previewed by month, written, and undone in the log', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page);
  await pivot.keepUser('ann');
  const before = await planned(service);
  await changeOrders(service);
  await visit(page, '/versions/1/baseline');

  const dialog = await openDialog(page);
  const months = dialog.getByRole('region', { name: 'Baseline by month' });
  const [{ was, now }] = await service.query(
    `SELECT sum("Sales")::float8 AS was,
       (SELECT sum("Sales")::float8 FROM public.superstore
        WHERE date_trunc('month', "Order Date") = '2014-01-01') AS now
     FROM ${TABLE} WHERE date_trunc('month', "Order Date") = '2027-01-01'
       AND pf_iter = 'baseline'`,
  );
  const text = (amount: number) =>
    amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  await expect(months.getByRole('row', { name: /^Jan 2027/ })).toContainText(
    [text(was), text(now)].join(''),
  );

  // Without a load, there is nothing to compare.
  await dialog.getByLabel('Baseline 1').uncheck();
  await expect(dialog.getByText('Choose a load to see what has changed.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Refresh', exact: true })).toBeDisabled();
  await dialog.getByLabel('Baseline 1').check();
  await dialog.getByLabel('Note').fill('Orders of the night');
  await dialog.getByRole('button', { name: 'Refresh', exact: true }).click();
  await expect(page.getByText(/^Refreshed: saved as .* new rows\.$/)).toBeVisible();
  await expect(dialog).toBeHidden();
  expect(await differing(service)).toEqual([]);

  // The second one finds nothing.
  const again = await openDialog(page);
  await expect(again.getByText('Nothing to write: the loads equal the source.')).toBeVisible();
  await expect(again.getByRole('button', { name: 'Refresh', exact: true })).toBeDisabled();
  await again.getByRole('button', { name: 'Cancel' }).click();

  await pivot.open(1);
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo((await planned(service)).year, 1);
  const log = await pivot.log();
  const line = log.getByRole('row', { name: /source changed/ });
  await expect(line).toContainText('ann');
  await line.getByRole('button', { name: /^Undo entry/ }).click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(before.year, 1);
  expect((await planned(service)).all).toBeCloseTo(before.all, 2);
});

test('the redo of a refresh loads only its rows', async ({ page, service }) => {
  const pivot = new PivotPage(page, 'ann');
  await changeOrders(service);
  const { body } = await service.api.post('/versions/1/refresh', { pf_user: 'ann' });
  const refreshed = await planned(service);
  await pivot.open(1);
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(refreshed.year, 1);
  const log = await pivot.log();
  await log.getByRole('button', { name: `Undo entry ${body.logid}` }).click();
  await expect(page.getByText(/^Undone: /)).toBeVisible();
  const before = await planned(service);
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(before.year, 1);

  const loads = loadsOf(page);
  await log.getByText('Undone (1)').click();
  await log.getByRole('button', { name: /^Redo entry/ }).click();
  await expect(page.getByText(/^Redone: /)).toBeVisible();
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(refreshed.year, 1);
  const [entry] = await service.query(`SELECT max(id)::int AS id FROM pf.log`);
  expect(loads).toEqual([`?logid=${entry.id}`]);
});

test('an open page shows the refreshes of a job, which share a line of the log', async ({
  page,
  service,
}) => {
  const pivot = new PivotPage(page, 'ann');
  await pivot.open(1);
  const before = await planned(service);
  const loads = loadsOf(page);
  const refresh = async () => {
    const { body } = await service.api.post('/versions/1/refresh', { pf_user: 'job' });
    expect(body.error).toBeUndefined();
    return body.logid as number;
  };
  await changeOrders(service);
  const first = await refresh();
  await expect(page.getByText('job: Refresh of 1 load: source changed')).toBeVisible();
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo((await planned(service)).year, 1);

  await service.query(`UPDATE public.superstore SET "Sales" = "Sales" + 1 WHERE "Region" = 'East'`);
  const second = await refresh();
  const last = await planned(service);
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(last.year, 1);
  // Only the rows of the two entries were loaded.
  expect(loads).toEqual([`?logid=${first}`, `?logid=${second}`]);

  const log = await pivot.log();
  const line = log.getByRole('row', { name: /2 times/ });
  await expect(line).toContainText('job');
  await expect(log.getByRole('row', { name: /source changed/ })).toHaveCount(0);
  await line.getByRole('button', { name: 'Show each of the 2 entries' }).press('Enter');
  await expect(log.getByRole('row', { name: /source changed/ })).toHaveCount(2);
  // A search shows each entry.
  await log.getByRole('searchbox').fill('source changed');
  await expect(line).toHaveCount(0);
  await expect(log.getByText('2 of 3 entries')).toBeVisible();
  await log.getByRole('searchbox').fill('');

  await line.getByRole('button', { name: 'Undo these 2 …' }).click();
  await page.getByRole('button', { name: 'Undo 2 entries' }).click();
  await expect(page.getByText(/^Undone: 2 entries/)).toBeVisible();
  await expect.poll(() => pivot.number(TOTAL)).toBeCloseTo(before.year, 1);
});
