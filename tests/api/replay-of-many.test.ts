// A replay of as many entries as a long year of planning makes.
import { expect } from 'vitest';
import { it, makePlan, ok } from './contract/orders';

it('replays 1,000 entries, and leaves out 998 of them', async ({ service, sourceId }) => {
  const { api, query } = service;
  const { path } = await makePlan(service, sourceId);
  const scale = (region: string, value_incr: number, note: string) =>
    api.post(`${path}/scale`, { pf_user: 'ann', slice: { region }, value_incr, note });
  ok(await scale('South', -5, 'only one'));
  ok(await scale('North', 1, 'one of many'));
  // The database makes the rest: a thousand requests would tell no more of a replay.
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
    `SELECT (sum(amount) - (SELECT sum(amount) FROM public.orders))::float AS more
     FROM pf.fc_orders_${all.version.id}`,
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
}, 120_000);
