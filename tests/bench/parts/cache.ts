import { startServer } from '../../../src/demo/server';
import { machineOf } from '../machine';
import { timed } from '../measure';
import { within, type Bench } from '../part';
import { call, drain, makeVersion, send, startPlace } from '../place';
import { startPsql } from '../psql';
import { plannedOrders } from '../shapes';

/** Measures the cache of rows: two servers on one database, one with a cache and one without. */
export async function measureCache(bench: Bench): Promise<void> {
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_MEMORY_MB: '4096', PF_LOG_LEVEL: 'silent', PF_STATEMENT_TIMEOUT: '0' };
  const caching = await startServer({ database, env });
  const reading = await startServer({ database, env: { ...env, PF_KEEP_ENTRIES: '0' } });
  const psql = await startPsql(database);
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, null) });
    for (const [endpoint, wanted] of [
      ['data', 1_000_000],
      ['agg', 5_000_000],
    ] as const) {
      const rows = within(bench, wanted);
      bench.say(`/${endpoint} of ${rows} rows`);
      const shape = plannedOrders(rows, { grain: endpoint === 'agg' });
      const named = { ...shape, tname: `${endpoint}_orders` };
      const { id, table, templates } = await makeVersion(client, caching.url, named);
      const select = templates[`get_${endpoint}`]!.replace('{{fc_table}}', table);
      const path = `/versions/${id}/${endpoint}`;
      const load = (url: string, tag?: string) => timed(() => drain(url, path, { tag }));

      const ways: Record<string, number[]> = {};
      for (let round = 0; round <= bench.extent.rounds; round += 1) {
        const took: Record<string, number> = {};
        const { tag } = await drain(caching.url, path);
        took['not cached'] = await load(reading.url);
        took['the bare SQL'] = await timed(() => psql.copy(select));
        took.unchanged = await load(caching.url);
        took['unchanged (304)'] = await load(caching.url, tag);
        const change = { pf_user: 'bench', slice: { Batch: 'Batch 7' }, pct: 10 };
        const [first] = await call(caching.url, 'POST', `/versions/${id}/scale`, change);
        took['one entry added'] = await load(caching.url);
        await send(caching.url, 'DELETE', `/log/${first.pf_logid}`);
        took['one entry undone'] = await load(caching.url);
        // The first round warms up.
        for (const [way, ms] of Object.entries(took)) if (round > 0) (ways[way] ??= []).push(ms);
      }
      bench.tell({ kind: 'turns', name: endpoint, turns: { rows, ways } });
    }
  } finally {
    await psql.end();
    await caching.stop();
    await reading.stop();
    await place.close();
  }
}
