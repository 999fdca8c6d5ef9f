/**
 * How long PostgreSQL's rows take to become one Arrow batch: `npm run bench:read [-- rows [rounds]]`.
 *
 * The ways alternate, each in a process of its own that has been warmed up, and the medians are
 * given as ratios: absolute times belong to the machine. Not part of `npm test`.
 */
import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import pg from 'pg';
import { startPostgres } from '../../src/demo/postgres';
import type { PlannedColumn } from '../../src/lib/server/arrow/column-plan';
import { CopyDecoder } from '../../src/lib/server/arrow/decoder';
import { encode } from '../support/encode';
import { mappedDictionary } from '../../src/lib/server/arrow/mapped';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { copyOut, describeStatement } from '../../src/lib/server/db/copy';
import { median } from './measure';

const TABLE = 'pf.fc_bench_1';
const DATA = `SELECT * FROM ${TABLE}`;
const JOINED = `SELECT f.*, l.note AS pf_note, l.operation AS pf_op
  FROM ${TABLE} AS f JOIN pf.log AS l ON l.id = f.pf_logid`;

/** 17 stored columns and the note and operation: ten texts, a date, two measures, the system columns. */
const SETUP = (rows: number) => `
  CREATE SCHEMA pf;
  CREATE TABLE pf.log AS SELECT i::bigint AS id, 'Entry ' || i || ' of the plan' AS note,
    'scale'::text AS operation FROM generate_series(1, 40) AS i;
  CREATE TABLE ${TABLE} AS SELECT
    'Region ' || i * 7919 % 5 AS "Region", 'State of ' || i * 104729 % 49 AS "State",
    'City name ' || i * 15485863 % 531 AS "City", 'Category ' || i % 3 AS "Category",
    'Sub-Category ' || i * 31 % 17 AS "Sub-Category", 'Product ' || i * 32452843 % 1861 AS "Product",
    'Customer ' || i * 49979687 % 793 AS "Customer",
    CASE WHEN i % 11 > 0 THEN 'Segment ' || i % 3 END AS "Segment",
    'Ship mode ' || i % 4 AS "Ship Mode", 'Manager ' || i % 23 AS "Manager",
    date '2024-01-01' + (i % 1461)::int AS "Order Date",
    round(i * 7.919 % 5000, 2) AS "Sales", (i % 14 + 1)::numeric AS "Quantity",
    i AS pf_id, 'baseline'::text AS pf_iter, 1 + i * 40 / ${rows + 1} AS pf_logid,
    now() AS pf_created_at
  FROM generate_series(1::bigint, ${rows}) AS i;
  VACUUM ANALYZE ${TABLE}`;

/** One run of a way. Memory and delays are only known for ways that run in Node. */
interface Run {
  milliseconds: number;
  answerBytes?: number;
  delayMilliseconds?: number;
}

type Way = (client: pg.Client, sql: string) => Promise<Uint8Array | undefined>;

const MEASURES = ['Sales', 'Quantity'];
const planned = (name: string, type: number): PlannedColumn => ({
  name,
  type,
  use: MEASURES.includes(name) ? 'measure' : name === 'pf_id' ? 'key' : 'dimension',
});

const ways: Record<string, Way> = {
  'COPY drained through pg': async (client) => {
    await copyOut(client, DATA, () => {});
    return undefined;
  },
  'COPY into columns, one batch': async (client) => {
    const log = (await client.query('SELECT id::int, note, operation FROM pf.log')).rows;
    const columns = await describeStatement(client, DATA);
    const decoder = new CopyDecoder(columns.map(({ name, type }) => planned(name, type)));
    await copyOut(client, DATA, (chunk) => decoder.write(chunk));
    const decoded = decoder.finish();
    const logids = decoded.find(({ name }) => name === 'pf_logid');
    if (!logids) throw new Error('No pf_logid');
    return encode([
      ...decoded,
      mappedDictionary('pf_note', logids, new Map(log.map((e) => [e.id, e.note]))),
      mappedDictionary('pf_op', logids, new Map(log.map((e) => [e.id, e.operation]))),
    ]);
  },
  'row objects, tableFromArrays': async (client) => {
    const { rows, fields } = await client.query(JOINED);
    const numbers = [...MEASURES, 'pf_id', 'pf_logid'];
    const columns = fields.map(({ name }) => [
      name,
      rows.map((row) => (numbers.includes(name) ? Number(row[name]) : row[name])),
    ]);
    return tableToIPC(tableFromArrays(Object.fromEntries(columns)), 'stream');
  },
};

/** A process that runs one way whenever it is asked to. */
async function serve(name: string, database: DatabaseConfig): Promise<void> {
  const way = ways[name];
  if (!way) throw new Error(`No such way: ${name}`);
  const client = new pg.Client(database);
  await client.connect();
  await way(client, DATA);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const measured = async (work: () => Promise<Uint8Array | undefined | void>): Promise<Run> => {
    delay.reset();
    delay.enable();
    const start = performance.now();
    const answer = await work();
    const milliseconds = performance.now() - start;
    delay.disable();
    return {
      milliseconds,
      answerBytes: answer?.byteLength,
      delayMilliseconds: delay.percentile(99) / 1e6,
    };
  };
  process.on('message', async (message) => {
    if (message === 'idle') process.send?.(await measured(() => sleep(1000)));
    else if (message === 'run') process.send?.(await measured(() => way(client, DATA)));
    else if (message === 'peak') process.send?.({ peak: process.resourceUsage().maxRSS * 1024 });
    else await client.end().then(() => process.disconnect?.());
  });
  process.send?.({ base: baseline });
}

/** Resident memory before anything was read. */
const baseline = process.memoryUsage().rss;

async function ask<T>(child: ChildProcess, message: string): Promise<T> {
  child.send(message);
  return (await once(child, 'message'))[0] as T;
}

async function psql(database: DatabaseConfig): Promise<Run> {
  const start = performance.now();
  const child = spawn('psql', ['-X', '-q', '-c', `COPY (${DATA}) TO STDOUT (FORMAT binary)`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PGHOST: database.host,
      PGPORT: String(database.port),
      PGUSER: database.user,
      PGPASSWORD: database.password,
      PGDATABASE: database.database,
    },
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return { milliseconds: performance.now() - start };
}

async function main(rows: number, rounds: number): Promise<void> {
  const postgres = await startPostgres({
    settings: { fsync: 'off', shared_buffers: '1GB', max_wal_size: '8GB' },
  });
  const children: ChildProcess[] = [];
  try {
    const database = postgres.database('postgres');
    const client = new pg.Client(database);
    await client.connect();
    for (const statement of SETUP(rows).split(';')) await client.query(statement);
    await client.end();

    const runners = new Map<string, () => Promise<Run>>();
    if (spawnSync('psql', ['--version']).status === 0) {
      runners.set('psql, COPY BINARY thrown away', () => psql(database));
    }
    const bases = new Map<ChildProcess, number>();
    const byName = new Map<string, ChildProcess>();
    for (const name of Object.keys(ways)) {
      const child = fork(fileURLToPath(import.meta.url), [name, JSON.stringify(database)]);
      children.push(child);
      byName.set(name, child);
      bases.set(child, ((await once(child, 'message'))[0] as { base: number }).base);
      runners.set(name, () => ask<Run>(child, 'run'));
    }

    const runs = new Map<string, Run[]>();
    for (let round = 0; round < rounds; round++) {
      for (const [name, run] of runners) runs.set(name, [...(runs.get(name) ?? []), await run()]);
    }

    const [reference = ''] = runners.keys();
    const time = (name: string) => median((runs.get(name) ?? []).map((r) => r.milliseconds));
    console.log(`${rows} rows, medians of ${rounds} alternating runs; 1.00 is ${reference}\n`);
    for (const name of runners.keys()) {
      const line = [name.padEnd(32), `${(time(name) / time(reference)).toFixed(2)} ×`];
      line.push(`${Math.round(time(name))} ms`);
      const child = byName.get(name);
      const answer = runs.get(name)?.[0]?.answerBytes;
      if (child && answer) {
        const { peak } = await ask<{ peak: number }>(child, 'peak');
        const used = peak - (bases.get(child) ?? 0);
        line.push(`answer ${(answer / 1e6).toFixed(1)} MB`);
        line.push(`peak memory ${(used / answer).toFixed(1)} × the answer`);
      }
      if (child) {
        const idle = (await ask<Run>(child, 'idle')).delayMilliseconds ?? NaN;
        const busy = median((runs.get(name) ?? []).map((r) => r.delayMilliseconds ?? NaN));
        line.push(`event loop p99 ${(busy - idle).toFixed(0)} ms more than idle`);
      }
      console.log(line.join('  '));
    }
  } finally {
    for (const child of children) {
      child.send('end');
      await once(child, 'exit');
    }
    await postgres.stop();
  }
}

const [first, second] = process.argv.slice(2);
if (process.send && first && second) await serve(first, JSON.parse(second) as DatabaseConfig);
else await main(Number(first ?? 1_000_000), Number(second ?? 5));
