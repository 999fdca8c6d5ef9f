import { startServer } from '../../../src/demo/server';
import { median, timed } from '../measure';
import {
  call,
  dropSource,
  INDEXED_ROWS,
  indexesBuilt,
  makeSource,
  openPlace,
  send,
  vacuum,
  type Place,
} from '../place';
import { plannedOrders } from '../shapes';
import { watchingMemory, type Peak } from '../processes';

/** The figures of one version: medians in ms. */
export interface RowsFigures {
  rows: number;
  /** Number of shards of a distributed version; null for a local one. */
  shards: number | null;
  load: number;
  /** Grouping all rows to the display grain. */
  read: number;
  /** Number of groups in the answer. */
  groups: number;
  /** The same by a server with a cache: unchanged, and after one operation. */
  unchanged: number;
  oneAdded: number;
  log: number;
  logKept: number;
  /** A scale of 1,000 leaves, which the indexes for slices find; null for a distributed version, which has none. */
  few: number | null;
  scale: number;
  recode: number;
  clone: number;
  undo: number;
  /** Peak memory while the rows were loaded and read. */
  peak: Peak;
}

const SHARDS = 4;

const shapeOf = (rows: number) => plannedOrders(rows, { grain: true });

/** Returns the number of rounds. Small tables are fast to measure and vary more, so they get more rounds. */
function roundsFor(rows: number): number {
  if (rows > 10_000_000) return 1;
  return rows > 1_000_000 ? 3 : 5;
}

/** Measures versions of some sizes in the database opened by {@link openPlace}. */
export async function measureRows(
  sizes: readonly number[],
  onFigures: (figures: RowsFigures) => void,
): Promise<void> {
  const place = await openPlace();
  try {
    for (const rows of sizes) {
      for (const shards of place.hasCitus ? [null, SHARDS] : [null]) {
        onFigures(await measureOne(place, rows, shards));
      }
      await dropSource(place.client, shapeOf(rows).tname);
    }
  } finally {
    await place.close();
  }
}

async function measureOne(
  { client, database }: Place,
  rows: number,
  shards: number | null,
): Promise<RowsFigures> {
  const env = {
    PF_STATEMENT_TIMEOUT: '0',
    PF_MEMORY_MB: '2048',
    PF_LOG_LEVEL: 'silent',
    ...(shards && { PF_DISTRIBUTE: String(shards) }),
  };
  const keeping = await startServer({ database, env });
  const reading = await startServer({ database, env: { ...env, PF_KEEP_ENTRIES: '0' } });
  try {
    const { url } = keeping;
    const known = await client.query('SELECT id FROM pf.source WHERE tname = $1', [
      shapeOf(rows).tname,
    ]);
    const source = known.rows[0]?.id ?? (await makeSource(client, url, shapeOf(rows))).source;
    const { id } = await call(url, 'POST', `/sources/${source}/versions`, {
      name: `Bench ${shards ?? 'local'}`,
    });
    const path = `/versions/${id}`;
    const table = `pf.fc_orders_${rows}_${id}`;
    const pf_user = 'bench';
    let load = 0;
    let groups = 0;
    const reads: number[] = [];
    const { peak } = await watchingMemory([keeping.pid, reading.pid], async () => {
      load = await timed(() => send(url, 'POST', `${path}/baseline`, { pf_user }));
      // A distributed version has no such indexes.
      if (shards === null && rows >= INDEXED_ROWS) await indexesBuilt(client, table);
      await vacuum(client, table);
      for (let round = 0; round < roundsFor(rows); round += 1) {
        reads.push(await timed(() => send(reading.url, 'GET', `${path}/agg`)));
      }
      const answer = await fetch(`${url}/api${path}/agg`);
      groups = Number(answer.headers.get('x-row-count'));
      await answer.arrayBuffer();
      await send(url, 'GET', `${path}/log`);
    });

    const times: Record<string, number[]> = {};
    const take = async (way: string, work: () => Promise<unknown>) => {
      (times[way] ??= []).push(await timed(work));
    };
    const undo = async (way = 'undo') => {
      const { entries } = await call(url, 'GET', `${path}/log`);
      const headers = { prefer: 'return=minimal' };
      await take(way, () => send(url, 'DELETE', `/log/${entries[0].id}`, undefined, headers));
    };
    for (let round = 0; round < roundsFor(rows); round += 1) {
      // Removes the previously undone rows from the cache.
      await send(url, 'GET', `${path}/agg`);
      await take('unchanged', () => send(url, 'GET', `${path}/agg`));
      await take('log', () => send(reading.url, 'GET', `${path}/log`));
      const slice = { Batch: `Batch ${round}` };
      await take('scale', () => send(url, 'POST', `${path}/scale`, { pf_user, slice, pct: 10 }));
      await take('oneAdded', () => send(url, 'GET', `${path}/agg`));
      await take('logKept', () => send(url, 'GET', `${path}/log`));
      await undo();
      if (shards === null) {
        const few = { ...slice, Region: ['Region 3', 'Region 7'] };
        await take('few', () =>
          send(url, 'POST', `${path}/scale`, { pf_user, slice: few, pct: 10 }),
        );
        await undo('undo of few');
      }
      const set = { Region: 'Elsewhere' };
      await take('recode', () => send(url, 'POST', `${path}/recode`, { pf_user, slice, set }));
      await undo();
      const clone = { pf_user, slice, set, scale_factor: 1.05 };
      await take('clone', () => send(url, 'POST', `${path}/clone`, clone));
      await undo();
    }
    const of = (way: string) => Math.round(median(times[way] ?? []));
    return {
      rows,
      shards,
      load: Math.round(load),
      read: Math.round(median(reads)),
      groups,
      unchanged: of('unchanged'),
      oneAdded: of('oneAdded'),
      log: of('log'),
      logKept: of('logKept'),
      few: shards === null ? of('few') : null,
      scale: of('scale'),
      recode: of('recode'),
      clone: of('clone'),
      undo: of('undo'),
      peak: { server: Math.round(peak.server), postgres: Math.round(peak.postgres) },
    };
  } finally {
    await keeping.stop();
    await reading.stop();
  }
}
