// Limits of a replay: entries, time and rows.
import { expect } from 'vitest';
import { startServer } from '../../src/demo/server';
import { apiAt } from '../support/http';
import { it, makePlan, makeSource, ok, refused } from './contract/orders';

it('replays 1,000 entries and skips 998 of them', async ({ service, sourceId }) => {
  const { api, query } = service;
  const { path } = await makePlan(service, sourceId);
  const scale = (region: string, value_incr: number, note: string) =>
    api.post(`${path}/scale`, { pf_user: 'ann', slice: { region }, value_incr, note });
  ok(await scale('South', -5, 'only one'));
  ok(await scale('North', 1, 'one of many'));
  // The database creates the other entries, because a thousand requests would add nothing to the test.
  await query(`
    INSERT INTO pf.log (version_id, pf_user, operation, slice, params, note, row_count)
    SELECT version_id, pf_user, operation, slice, params, 'entry ' || n, 0
    FROM pf.log, generate_series(1, 997) n WHERE note = 'one of many'`);
  const replay = (name: string, on_failure: string) =>
    api.post(`${path}/replay`, { pf_user: 'eve', name, on_failure });

  const all = ok(await replay('All', 'refuse')).body;
  expect(all.entries).toHaveLength(1000);
  const amounts = all.entries.map((entry: { value_total: number }) => entry.value_total);
  expect(amounts).toEqual([1554, -5, ...Array.from({ length: 998 }, () => 1)]);
  const [{ more }] = await query(
    `WITH plan AS (SELECT sum(amount) AS total FROM pf.fc_orders_${all.version.id}),
       source AS (SELECT sum(amount) AS total FROM public.orders)
     SELECT (plan.total - source.total)::float AS more FROM plan, source`,
  );
  expect(more).toBe(998 - 5);

  await query(`UPDATE public.orders SET region = 'Nord' WHERE region = 'North'`);
  const some = ok(await replay('Some', 'skip')).body;
  const left = some.entries.filter((entry: { to: number | null }) => entry.to === null);
  expect(left).toHaveLength(998);
  const list = ok(await api.get(`/versions/${some.version.id}/replayed`)).body;
  expect(list.map((each: { reason: string | null }) => each.reason)).toEqual(
    some.entries.map((entry: { reason: string | null }) => entry.reason),
  );
});

it('has the timeouts of all its entries together', async ({ service }) => {
  const { api, query } = service;
  // 37 loads of half a second each: more than the 18 seconds of one request.
  await query(`
    CREATE VIEW public.slow AS
    SELECT 'North' AS region, 1 AS amount, pg_sleep(0.5) IS NULL AS slept OFFSET 0`);
  const sourceId = await makeSource(service, 'slow', [
    { cname: 'region', role: 'dimension' },
    { cname: 'slept', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ]);
  const { path, versionId } = await makePlan(service, sourceId);
  await query(
    `INSERT INTO pf.log (version_id, pf_user, operation, params, row_count)
     SELECT version_id, pf_user, operation, params, 0 FROM pf.log, generate_series(1, 36)
     WHERE version_id = $1`,
    [versionId],
  );
  const { database } = service;
  const server = await startServer({ database, env: { PF_STATEMENT_TIMEOUT: '6s' } });
  try {
    const body = { pf_user: 'eve', name: 'Slow' };
    const { entries } = ok(await apiAt(server.url).post(`${path}/replay`, body)).body;
    expect(entries.map((entry: { value_total: number }) => entry.value_total)).toEqual(
      Array.from({ length: 37 }, () => 1),
    );
    expect(ok(await api.get(`/sources/${sourceId}/versions`)).body).toHaveLength(2);
  } finally {
    await server.stop();
  }
});

it('needs memory for the rows of one entry, and fails completely without', async ({ service }) => {
  const { api, query, database } = service;
  await query(`
    CREATE TABLE public.wide AS
    SELECT md5(n::text) AS region, n % 10 AS part, n::numeric(12,2) AS amount
    FROM generate_series(1, 20000) n`);
  const sourceId = await makeSource(service, 'wide', [
    { cname: 'region', role: 'dimension' },
    { cname: 'part', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ]);
  const { path } = await makePlan(service, sourceId);
  const parts = Array.from({ length: 10 }, (_, part) => part);
  for (const part of parts) {
    ok(await api.post(`${path}/scale`, { pf_user: 'ann', slice: { part }, pct: 10 }));
  }
  const server = await startServer({ database, env: { PF_MEMORY_MB: '1' } });
  try {
    // In parts, rows fit that are too many for one entry.
    const inParts = { pf_user: 'eve', name: 'In parts' };
    const { entries } = ok(await apiAt(server.url).post(`${path}/replay`, inParts)).body;
    expect(entries.map((entry: { row_count: number }) => entry.row_count)).toEqual([
      20_000,
      ...parts.map(() => 2_000),
    ]);

    ok(await api.post(`${path}/scale`, { pf_user: 'ann', slice: {}, pct: 10 }));
    const body = { pf_user: 'eve', name: 'Wide', on_failure: 'skip' };
    await refused(
      service,
      () => apiAt(server.url).post(`${path}/replay`, body),
      422,
      /PF_MEMORY_MB/,
    );
  } finally {
    await server.stop();
  }
});
