import { expect, test } from '@playwright/test';
import { makeSample } from '../../src/demo/sample';
import { startServer } from '../../src/demo/server';
import { loadSuperstore } from '../../src/demo/superstore';
import { loadCalendar } from '../../src/lib/server/db/calendar/calendar-load';
import { connect } from '../../src/lib/server/migrate/connect';
import { up } from '../../src/lib/server/migrate/runner';
import { apiAt, type Api } from '../support/http';
import { until } from '../support/race';
import { startPair, type Node } from '../support/standby';
import { openAs, type PivotPage } from './pivot-page';

/** A page stays open while a standby without the last change takes over. */

const CHAIRS = { row: ['Furniture', 'Chairs'], column: ['2028', 'Sales'] };
const PHONES = { row: ['Technology', 'Phones'], column: ['2028', 'Sales'] };
const TOTAL = { row: [], column: ['2028', 'Sales'] };

/** Waits until a page shows the numbers of a database. */
async function showsStored(pivot: PivotPage, node: Node): Promise<void> {
  for (const [cell, where] of [
    [CHAIRS, `"Sub-Category" = 'Chairs'`],
    [PHONES, `"Sub-Category" = 'Phones'`],
    [TOTAL, 'TRUE'],
  ] as const) {
    // A write may be on its way, so the stored sum is read with each look at the page.
    const difference = async () => {
      const [{ sales }] = await node.ask(
        `SELECT sum("Sales")::float8 AS sales FROM pf.fc_superstore_1
          WHERE "Order Date" BETWEEN '2028-01-01' AND '2028-12-31' AND ${where}`,
      );
      return (await pivot.number(cell)) - sales;
    };
    await expect.poll(difference).toBeCloseTo(0, 1);
  }
}

const operation = (subCategory: string, value_incr: number) => ({
  pf_user: 'bea',
  slice: { 'Sub-Category': subCategory, 'Order Date': { from: '2028-01-01', to: '2028-12-31' } },
  value_incr,
});

async function scale(api: Api, subCategory: string, amount: number): Promise<number> {
  const { status, body } = await api.post('/versions/1/scale', operation(subCategory, amount));
  expect([status, body.error]).toEqual([200, undefined]);
  return body[0].pf_logid;
}

test('during a failover the page says that it is behind, and then shows the stored numbers', async ({
  browser,
}) => {
  const pair = await startPair(async (database) => {
    const client = await connect(database);
    await up(client, () => {});
    await loadCalendar(client, 7);
    await loadSuperstore(client);
    await client.end();
    const maker = await startServer({ database });
    await makeSample({ url: maker.url, firstYear: 2027, grain: false });
    await maker.stop();
  });
  const standby = await pair.standby('copy');
  const server = await startServer({ database: pair.database });
  try {
    const api = apiAt(server.url);
    const ann = await openAs(browser, server.url, 'ann');
    const { page } = ann;
    await scale(api, 'Phones', 1000);
    await showsStored(ann, pair.primary);
    await pair.caughtUp(standby);
    await pair.cutOff(standby);
    // Each preview uses up an id. A few lost ones would leave a gap, because a sequence is logged ahead.
    const preview = (by: Api) =>
      by.post('/versions/1/scale/preview', operation('Phones', 1)).then(({ status }) => status);
    for (let i = 0; i < 40; i += 1) expect(await preview(api)).toBe(200);
    const lost = await scale(api, 'Chairs', 50_000);
    await showsStored(ann, pair.primary);

    pair.address.leadTo(null);
    process.kill(pair.primary.pid, 'SIGKILL');
    await expect(page.getByText('Not live')).toBeVisible();
    await ann.click(CHAIRS);
    await page.keyboard.type('+1k');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/The database cannot be reached/).first()).toBeVisible();
    await page.keyboard.press('Escape');

    // Before the page notices, another server reuses the id of the lost change.
    await standby.ask('SELECT pg_promote()');
    await until(async () => !(await standby.ask('SELECT pg_is_in_recovery() AS so'))[0].so);
    const elsewhere = await startServer({ database: standby.database });
    try {
      await until(async () => {
        expect(await preview(apiAt(elsewhere.url))).toBe(200);
        const [{ last_value }] = await standby.ask('SELECT last_value FROM pf.log_id_seq');
        return Number(last_value) >= lost - 1;
      });
      expect(await scale(apiAt(elsewhere.url), 'Phones', 7000)).toBe(lost);
    } finally {
      await elsewhere.stop();
    }
    pair.address.leadTo(standby.port);
    await expect(page.getByText(/The database was replaced/)).toBeVisible();
    await expect(page.getByText('Not live')).toHaveCount(0);
    await showsStored(ann, standby);
    await page.screenshot({ path: test.info().outputPath('replaced.png') });

    // Afterwards, changes by others arrive, and own changes are written.
    await scale(api, 'Chairs', 300);
    await showsStored(ann, standby);
    await ann.click(CHAIRS);
    await page.keyboard.type('+1k');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/^Scaled: /).first()).toBeVisible();
    await showsStored(ann, standby);
    await page.context().close();
  } finally {
    await server.stop();
    await pair.stop();
  }
});
