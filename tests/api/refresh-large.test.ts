import { expect } from 'vitest';
import { it } from '../support/api';
import { planToRefresh } from '../support/refreshing';

const ROWS = 300_000;
/** Adds rows, most of which are leaves of their own. */
const lines = (from: number, through: number) => `
  INSERT INTO SOURCE ("Region", "Product", "Order Date", "Sales", "Units", "Cost")
  SELECT 'Region ' || i % 5, 'Product ' || i % 1000, date '2025-01-01' + (i * 7 % 365)::int, 10 + i % 90, 1 + i % 3, i % 50
  FROM generate_series(${from}, ${through}) AS i`;
const LOCKED = 'Product 5';

it('refreshes 300,000 rows with indexes as exactly as few rows', async ({ service }) => {
  const { api, query } = service;
  const plan = await planToRefresh(service, []);
  await plan.change(lines(1, ROWS));
  await plan.load();
  const indexes = async () => {
    const found = await query(`SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = '${plan.table}'::regclass AND i.indisvalid AND c.relname LIKE 'slice%'`);
    return found.length;
  };
  await expect.poll(indexes, { timeout: 300_000, interval: 250 }).toBe(2);
  const lock = await plan.ok(await plan.post('locks', { slice: { Product: LOCKED } })).id;
  const sums = `sum("Sales") AS sales, sum("Units") AS units, sum("Cost") AS cost`;
  /** The number of leaves in which the loads differ from the source, of those that are open and of the locked ones. */
  const differing = async (): Promise<{ open: number; locked: number }> => {
    const [counts] = await query(`
      WITH source AS (SELECT "Region", "Product", ("Order Date" + interval '1 year')::date AS day, ${sums}
        FROM ${plan.source} GROUP BY 1, 2, 3),
      held AS (SELECT "Region", "Product", "Order Date" AS day, ${sums}
        FROM ${plan.table} WHERE pf_iter = 'baseline' GROUP BY 1, 2, 3)
      SELECT count(*) FILTER (WHERE "Product" <> '${LOCKED}')::int AS open,
        count(*) FILTER (WHERE "Product" = '${LOCKED}')::int AS locked
      FROM source AS s FULL JOIN held AS h USING ("Region", "Product", day)
      WHERE (coalesce(s.sales, 0), coalesce(s.units, 0), coalesce(s.cost, 0))
        <> (coalesce(h.sales, 0), coalesce(h.units, 0), coalesce(h.cost, 0))`);
    return counts;
  };
  const state = async () => {
    const [digest] = await query(
      `SELECT count(*), sum(hashtextextended(t::text, 0)) AS rows FROM ${plan.table} AS t`,
    );
    return digest;
  };
  expect(await differing()).toEqual({ open: 0, locked: 0 });

  await plan.done('scale', { slice: { Product: 'Product 7' }, pct: 10 });
  await plan.done('recode', { slice: { Product: 'Product 8' }, set: { Region: 'Region 0' } });
  await plan.done('clone', { slice: { Product: 'Product 9' }, set: { Product: 'New' } });
  await plan.change(`
    UPDATE SOURCE SET "Sales" = "Sales" + 1 WHERE "Product" = 'Product 7' OR "Region" = 'Region 1' AND "Units" = 2;
    UPDATE SOURCE SET "Order Date" = "Order Date" + 1 WHERE "Product" IN ('Product 8', '${LOCKED}');
    DELETE FROM SOURCE WHERE "Product" = 'Product 9'`);
  await plan.change(lines(ROWS + 1, ROWS + 2000));
  const changed = await differing();
  expect(changed.open).toBeGreaterThan(10_000);
  expect(changed.locked).toBeGreaterThan(0);
  const before = await state();

  const { logid, row_count, left_alone } = await plan.refreshed();
  expect([row_count, left_alone.locked]).toEqual([changed.open, changed.locked]);
  expect(await differing()).toEqual({ ...changed, open: 0 });
  expect(await plan.refreshed()).toMatchObject({ logid: null, row_count: 0 });
  plan.ok(await api.del(`/locks/${lock}`));
  const rest = await plan.refreshed();
  expect(rest.row_count).toBe(changed.locked);
  expect(await differing()).toEqual({ open: 0, locked: 0 });

  // The older refresh is undone first.
  plan.ok(await api.del(`/log/${logid}`));
  expect(await differing()).toEqual({ ...changed, locked: 0 });
  plan.ok(await api.del(`/log/${rest.logid}`));
  expect(await state()).toEqual(before);
});
