import { startServer } from '../../../src/demo/server';
import { machineOf } from '../machine';
import { takeTurns, timed } from '../measure';
import { within, type Bench } from '../part';
import { drain, dropSource, makeVersion, send, startPlace, vacuum } from '../place';
import { plannedOrders } from '../shapes';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const ENTRIES = [1, 10, 100, 1000];
/** Rows of the version with a growing number of entries. */
const ROWS = 100_000;

/** Returns the number of rounds. Small tables are fast to measure and vary more, so they get more rounds. */
const roundsFor = (rows: number, rounds: number): number =>
  rows > 1_000_000 ? Math.min(2, rounds) : rounds;

/** Measures the time of a read by the rows of one entry, and by the number of entries. */
export async function measureGrowth(bench: Bench): Promise<void> {
  const place = await startPlace();
  const { database, client } = place;
  const env = { PF_MEMORY_MB: '8192', PF_LOG_LEVEL: 'silent', PF_STATEMENT_TIMEOUT: '0' };
  const keeping = await startServer({ database, env });
  const reading = await startServer({ database, env: { ...env, PF_KEEP_ENTRIES: '0' } });
  const load = (url: string, path: string) => () => timed(() => drain(url, path));
  const waysOf = (id: number) => ({
    'not cached': load(reading.url, `/versions/${id}/data`),
    cached: load(keeping.url, `/versions/${id}/data`),
    'grain, not cached': load(reading.url, `/versions/${id}/agg`),
    'grain, cached': load(keeping.url, `/versions/${id}/agg`),
  });
  const byEntries = async () => {
    const shape = plannedOrders(within(bench, ROWS), { grain: true });
    const { id, table } = await makeVersion(client, keeping.url, shape);
    let entries = 1;
    for (const wanted of ENTRIES) {
      for (; entries < wanted; entries += 1) {
        const slice = { Region: `Region ${entries % 20}`, Category: `Category ${entries % 100}` };
        const body = { pf_user: 'bench', slice, pct: entries % 2 === 0 ? 5 : -4 };
        await send(keeping.url, 'POST', `/versions/${id}/scale`, body);
      }
      await vacuum(client, table);
      const { rows: counted } = await client.query(`SELECT count(*)::int AS n FROM ${table}`);
      const ways = await takeTurns(waysOf(id), bench.extent.rounds);
      const turns = { rows: counted[0].n as number, entries, ways };
      bench.tell({ kind: 'turns', name: `${entries} entries`, turns });
    }
    await dropSource(client, shape.tname);
  };
  const byRows = async () => {
    for (const rows of SIZES.filter((size) => size <= bench.extent.maxRows)) {
      const shape = plannedOrders(rows, { grain: true });
      const { id } = await makeVersion(client, keeping.url, shape);
      const ways = await takeTurns(waysOf(id), roundsFor(rows, bench.extent.rounds));
      bench.tell({ kind: 'turns', name: `${rows} rows`, turns: { rows, ways } });
      await dropSource(client, shape.tname);
    }
  };
  try {
    bench.tell({ kind: 'machine', machine: await machineOf(client, null) });
    await byEntries();
    // Last, because the largest table may not fit on every machine.
    await byRows();
  } finally {
    await keeping.stop();
    await reading.stop();
    await place.close();
  }
}
