import { startServer } from '../../../src/demo/server';
import { machineOf } from '../machine';
import { timed } from '../measure';
import { within, type Bench } from '../part';
import { call, drain, makeVersion, send, startPlace } from '../place';
import { startPsql } from '../psql';
import { plannedOrders } from '../shapes';

/** What it saves to keep rows that were read: two servers on one database, one of which keeps them. */
export async function measureKept(bench: Bench): Promise<void> {
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_MEMORY_MB: '4096', PF_LOG_LEVEL: 'silent', PF_STATEMENT_TIMEOUT: '0' };
  const keeping = await startServer({ database, env });
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
      const { id, table, templates } = await makeVersion(client, keeping.url, named);
      const select = templates[`get_${endpoint}`]!.replace('{{fc_table}}', table);
      const path = `/versions/${id}/${endpoint}`;
      const load = (url: string, tag?: string) => timed(() => drain(url, path, tag));

      const ways: Record<string, number[]> = {};
      for (let round = 0; round <= bench.extent.rounds; round += 1) {
        const took: Record<string, number> = {};
        const { tag } = await drain(keeping.url, path);
        took['nothing kept'] = await load(reading.url);
        took['the bare SQL'] = await timed(() => psql.copy(select));
        took.unchanged = await load(keeping.url);
        took['known to the client'] = await load(keeping.url, tag);
        const change = { pf_user: 'bench', slice: { Batch: 'Batch 7' }, pct: 10 };
        const [first] = await call(keeping.url, 'POST', `/versions/${id}/scale`, change);
        took['one entry added'] = await load(keeping.url);
        await send(keeping.url, 'DELETE', `/log/${first.pf_logid}`);
        took['one entry undone'] = await load(keeping.url);
        // The first round warms up.
        for (const [way, ms] of Object.entries(took)) if (round > 0) (ways[way] ??= []).push(ms);
      }
      bench.tell({ kind: 'turns', name: endpoint, turns: { rows, ways } });
    }
  } finally {
    await psql.end();
    await keeping.stop();
    await reading.stop();
    await place.close();
  }
}
