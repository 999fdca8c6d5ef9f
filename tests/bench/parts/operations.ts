import type pg from 'pg';
import { indexedTo } from '../../../src/lib/server/db/versions/slice-indexes';
import { forecastTableName } from '../../../src/lib/server/sql/forecast-table';
import { literal, sql } from '../../../src/lib/server/sql/quote';
import type { TokenValues } from '../../../src/lib/server/sql/tokens';
import { takeTurns, timed, type Way } from '../measure';
import { within, type Bench } from '../part';
import { makeVersion, send, type Place } from '../place';
import { Planned } from '../planned';
import type { Psql } from '../psql';
import { LEAVES, plannedOrders } from '../shapes';
import { MOVED, scaleTokens, statementOf } from '../statements';
import { withDatabase } from '../tools';

const BATCH = 'Batch 7';
/** Batches of an entry with 100,000 rows. */
const TEN_BATCHES = Array.from({ length: 10 }, (_, i) => `Batch ${i}`);

const OPERATIONS: Record<string, { body: object; tokens: TokenValues }> = {
  scale: {
    body: { value_incr: 12_345.67, units_incr: -89 },
    tokens: scaleTokens({ value: '12345.67', units: '-89' }),
  },
  recode: { body: { set: { Region: 'Elsewhere' } }, tokens: { set_clause: MOVED } },
  clone: {
    body: { set: { Region: 'Elsewhere' }, scale_factor: 1.05 },
    tokens: { set_clause: MOVED, scale_factor: sql`'1.05'::numeric` },
  },
};

/** Factors for the number of rounds: these measurements vary by more than the distance to their targets. */
const MORE_ROUNDS = { again: 2, undo: 5, small: 3 };

/** The years of a block of cells; its rows are the regions. */
const YEARS = [
  { from: '2024-01-01', to: '2025-12-31' },
  { from: '2026-01-01', to: '2026-12-31' },
  { from: '2027-01-01', to: '2027-12-31' },
];

/** Measures the overhead of the service over the statements of its operations, and over a bare delete. */
export async function measureOperations(bench: Bench): Promise<void> {
  const rows = within(bench, 1_000_000);
  await withDatabase(bench, async ({ place, keeper, server, psql }) => {
    const { client } = place;
    const shape = plannedOrders(rows, { grain: false });
    const { id, table, templates } = await makeVersion(client, server.url, shape);
    const version = new Planned(keeper, server.url, id, table);
    await version.reuseWal();
    const name = literal(forecastTableName(shape.tname, id));
    const { rows: built } = await client.query(`SELECT ${indexedTo(name)}::int AS "upTo"`);
    const { upTo } = built[0];
    for (const operation of Object.keys(OPERATIONS)) {
      const ways = waysOf(operation, version, place, psql, templates[operation]!, upTo);
      const times = await takeTurns(ways, bench.extent.rounds);
      bench.tell({ kind: 'turns', name: operation, turns: { rows, ways: times } });
    }
    await smallSlice(bench, version, place, keeper, server.url, rows);
    await scaleAgain(bench, version, client, rows);
    await undo(bench, version, place, server.url, rows);
    await pasted(bench, place, keeper, server.url);
  });
}

/** Returns the service, and the same statements by psql and by pg alone. */
function waysOf(
  operation: string,
  version: Planned,
  { client }: Place,
  psql: Psql,
  template: string,
  indexedTo: number | null,
): Record<string, Way> {
  const { body, tokens } = OPERATIONS[operation]!;
  const statements = (logid: number) =>
    version.logged(
      operation,
      logid,
      statementOf(template, version.table, BATCH, logid, tokens, indexedTo),
    );
  return {
    psql: version.undone((logid) => psql.run(statements(logid))),
    'the service': version.undone(() =>
      version.operate(operation, { slice: { Batch: BATCH }, ...body }),
    ),
    'pg alone': version.undone((logid) => client.query(statements(logid))),
  };
}

/** Measures a scale of 500 rows in the version, and in one that has only their batch. */
async function smallSlice(
  bench: Bench,
  version: Planned,
  { client }: Place,
  keeper: pg.Client,
  url: string,
  rows: number,
) {
  const { id, table } = await makeVersion(client, url, plannedOrders(LEAVES, { grain: false }));
  const small = new Planned(keeper, url, id, table);
  const slice = { Batch: 'Batch 0', Region: 'Region 3' };
  const scaled = (of: Planned) => of.undone(() => of.operate('scale', { slice, pct: 5 }));
  const ways = { 'among all rows': scaled(version), 'among 10,000 rows': scaled(small) };
  const times = await takeTurns(ways, MORE_ROUNDS.small * bench.extent.rounds);
  bench.tell({ kind: 'turns', name: 'small slice', turns: { rows, ways: times } });
}

/**
 * Scales the same slice ten times: each scale adds as many rows as it has leaves, instead of doubling them.
 */
async function scaleAgain(bench: Bench, version: Planned, client: pg.Client, rows: number) {
  const ways: Record<string, number[]> = { 'the first': [], 'the tenth': [] };
  let most = 0;
  for (let round = 0; round < MORE_ROUNDS.again * bench.extent.rounds; round += 1) {
    const start = await version.newest();
    for (let at = 1; at <= 10; at += 1) {
      // All rounds write equally much: without this, the same one of the ten would always create a new file.
      if (at === 1 || at === 10) await version.reuseWal();
      const took = await timed(() =>
        version.operate('scale', { slice: { Batch: BATCH }, pct: 10 }),
      );
      if (at === 1) ways['the first']!.push(took);
      if (at === 10) ways['the tenth']!.push(took);
    }
    const { rows: written } = await client.query(
      `SELECT count(*)::int AS n FROM ${version.table} WHERE pf_logid > ${start} GROUP BY pf_logid`,
    );
    most = Math.max(most, ...written.map(({ n }) => n));
    await version.backTo(start);
  }
  bench.tell({ kind: 'turns', name: 'again', turns: { rows, ways } });
  bench.tell({ kind: 'value', name: 'grown', rows, value: most / LEAVES });
}

/** Measures the undo of an entry of 100,000 rows. */
async function undo(bench: Bench, version: Planned, { client }: Place, url: string, rows: number) {
  const deleted = (logid: number, returning: string) =>
    client.query(`BEGIN; DELETE FROM ${version.table} WHERE pf_logid = ${logid} ${returning};
      DELETE FROM pf.log WHERE id = ${logid}; COMMIT`);
  const taken = (way: (logid: number) => Promise<unknown>) => async () => {
    await version.reuseWal();
    await version.operate('scale', { slice: { Batch: TEN_BATCHES }, pct: 10 });
    await version.settle();
    const logid = await version.newest();
    const took = await timed(() => way(logid));
    await version.settle();
    return took;
  };
  const ways = {
    'a bare delete': taken((logid) => deleted(logid, '')),
    'a delete that answers its ids': taken((logid) => deleted(logid, 'RETURNING pf_id')),
    'the service': taken((logid) =>
      send(url, 'DELETE', `/log/${logid}`, undefined, { prefer: 'return=minimal' }),
    ),
    'the service, with ids': taken((logid) => send(url, 'DELETE', `/log/${logid}`)),
  };
  const times = await takeTurns(ways, MORE_ROUNDS.undo * bench.extent.rounds);
  bench.tell({ kind: 'turns', name: 'undo', turns: { rows, ways: times } });
}

/**
 * Measures a block of 60 typed totals over all leaves, which the page reads before it writes them, and one scale of
 * the same leaves.
 */
async function pasted(bench: Bench, { client }: Place, keeper: pg.Client, url: string) {
  const rows = within(bench, 290_000);
  const shape = { ...plannedOrders(rows, { grain: false }), tname: 'orders_of_a_block' };
  const { id, table } = await makeVersion(client, url, shape);
  const version = new Planned(keeper, url, id, table);
  const { rows: cells } = await client.query(
    `SELECT "Region" AS region, at, round(sum("Sales") * 1.05, 2)::float8 AS total
     FROM ${table} JOIN (VALUES ${YEARS.map(({ from, to }, at) => `(${at}, '${from}'::date, '${to}'::date)`)})
       AS years (at, first, last) ON "Month" BETWEEN first AND last GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const edits = cells.map(({ region, at, total }) => ({
    slice: { Region: region, Month: YEARS[at] },
    value_total: total,
  }));
  const scaled = (body: object, slices?: object[]) => async () => {
    const before = await version.newest();
    await version.reuseWal();
    const took = await timed(async () => {
      if (slices) await send(url, 'POST', `/versions/${id}/slices`, { slices });
      await version.operate('scale', body);
    });
    await version.backTo(before);
    return took;
  };
  const ways = {
    'one scale': scaled({ slice: {}, value_pct: 5 }),
    [`${edits.length} totals`]: scaled(
      { edits },
      edits.map(({ slice }) => slice),
    ),
  };
  bench.tell({
    kind: 'turns',
    name: 'pasted',
    turns: { rows, ways: await takeTurns(ways, bench.extent.rounds) },
  });
}
