import { tableFromIPC } from 'apache-arrow';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PlannedColumn } from '../../src/lib/server/arrow/column-plan';
import { CopyDecoder } from '../../src/lib/server/arrow/decoder';
import { encode } from '../support/encode';
import { copyOut, describeStatement } from '../../src/lib/server/db/connection/binary-copy';
import { RowSocket } from '../../src/lib/server/db/connection/row-socket';
import { cloneDatabase, dropDatabase } from '../support/cluster';
import { pivoted } from '../support/pivot-engine';
import { queryOn, type Query } from '../support/service';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let query: Query;
let endQuery: () => Promise<void>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await cloneDatabase('empty');
  ({ query, end: endQuery } = queryOn(database));
  pool = new pg.Pool({
    ...database,
    max: 1,
    options: '-c TimeZone=UTC -c extra_float_digits=1',
    stream: () => new RowSocket(),
  });
});

afterAll(async () => {
  await pool.end();
  await endQuery();
  await dropDatabase(database);
});

const MEASURES = ['value', 'units'];

/** Reads a select like the service: describe, copy, decode, encode. */
async function arrowOf(client: pg.ClientBase, sql: string): Promise<Uint8Array> {
  const plan = (await describeStatement(client, sql)).map(({ name, type }): PlannedColumn => ({
    name,
    type,
    use: MEASURES.includes(name) ? 'measure' : name === 'pf_gkey' ? 'key' : 'dimension',
  }));
  const decoder = new CopyDecoder(plan);
  await copyOut(client, sql, (chunk) => decoder.write(chunk));
  return encode(decoder.finish());
}

async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

const backendOf = async (client: pg.ClientBase) =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;

const activity = async (pid: number | undefined, condition: string) =>
  (await query(`SELECT FROM pg_stat_activity WHERE pid = $1 AND ${condition}`, [pid])).length > 0;

/** Waits until no backend with that id runs a statement. */
async function ended(pid: number | undefined): Promise<void> {
  while (await activity(pid, "state = 'active'")) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a select read by COPY', () => {
  const TYPES = `SELECT
      i::int4 AS "int4",
      CASE WHEN i % 5 = 0 THEN NULL ELSE (i - 500)::smallint END AS "int2",
      i * 3000000000 AS "large",
      CASE WHEN i % 7 = 0 THEN NULL WHEN i % 7 = 1 THEN '' WHEN i % 7 = 2 THEN 'null'
        ELSE 'Region ' || i % 11 END AS "Order Region",
      ('x' || i)::varchar(10) AS "select",
      round((i * 7.77)::numeric - 1000, 2) AS value,
      i::numeric * 1e20 + 0.1 AS units,
      i / 3::float8 AS "float8",
      (i / 4.0)::float4 AS "float4",
      i % 3 = 0 AS "flag",
      date '1899-12-30' + i::int4 * 50 AS "a""b",
      timestamp '2024-03-10 02:30:00.123456' + i * interval '1 hour' AS "sub-category",
      timestamptz '2024-03-10 02:30:00.123456+00' - i * interval '1 day' AS "at",
      i || chr(31) || 'ü' AS pf_gkey
    FROM generate_series(1::bigint, 3000) AS i ORDER BY i -- the end`;

  it('returns the values of the database, for every type', async () => {
    const bytes = await withClient((client) => arrowOf(client, TYPES));
    const table = tableFromIPC(bytes);
    expect(table.batches.length).toBe(1);
    const { rows } =
      await pool.query(`SELECT "int4", "int2", "large"::float8, "Order Region", "select",
        value::float8, units::float8, "float8", "float4"::float8, "flag",
        extract(epoch FROM "a""b")::float8 * 1000 AS "a""b",
        floor(extract(epoch FROM "sub-category") * 1000)::float8 AS "sub-category",
        floor(extract(epoch FROM "at") * 1000)::float8 AS "at", pf_gkey
      FROM (${TYPES}\n) AS s`);
    expect(rows.length).toBe(3000);
    expect(table.toArray().map((row) => row.toJSON())).toEqual(rows);
    expect((await pivoted(bytes)).rows).toEqual(rows);
  });

  it('returns the double nearest to a numeric', async () => {
    await query(`CREATE TABLE public.numbers AS
      SELECT (random()::numeric * 10 ^ (i % 60 - 30)::numeric / 7 * (1 - 2 * (i % 2))) AS value
      FROM generate_series(1, 5000) AS i`);
    const bytes = await withClient((client) =>
      arrowOf(client, 'SELECT value FROM public.numbers ORDER BY ctid'),
    );
    const texts = await query<{ text: string }>(
      'SELECT value::text AS text FROM public.numbers ORDER BY ctid',
    );
    expect(Array.from(tableFromIPC(bytes).getChild('value') ?? [])).toEqual(
      texts.map(({ text }) => Number(text)),
    );
  });

  it('is described by its columns without computing a row', async () => {
    const sql = `SELECT pg_sleep(600)::text AS a, 1 AS "a""b" -- the end`;
    expect(await withClient((client) => describeStatement(client, sql))).toEqual([
      { name: 'a', type: 25 },
      { name: 'a"b', type: 23 },
    ]);
  });

  it('is described without running if it writes, and returns the written rows', async () => {
    await query('CREATE TABLE public.written (a bigint, b numeric)');
    const sql = `WITH new AS (INSERT INTO public.written VALUES (1, 2.5) RETURNING *)
      SELECT a, b, 'x' AS c FROM new`;
    await withClient(async (client) => {
      expect(await describeStatement(client, sql)).toEqual([
        { name: 'a', type: 20 },
        { name: 'b', type: 1700 },
        { name: 'c', type: 25 },
      ]);
      expect(await query('SELECT FROM public.written')).toEqual([]);
      expect(
        tableFromIPC(await arrowOf(client, sql))
          .toArray()
          .map(String),
      ).toEqual(['{"a": 1, "b": 2.5, "c": "x"}']);
    });
    expect(await query('SELECT FROM public.written')).toHaveLength(1);
  });

  it('is not described if the text has another statement', async () => {
    await withClient(async (client) => {
      const two = 'SELECT 1) TO STDOUT; SELECT 2; COPY (SELECT 3';
      await expect(describeStatement(client, two)).rejects.toMatchObject({ code: '42601' });
      await expect(describeStatement(client, 'SELECT 1; SELECT 2')).rejects.toMatchObject({
        code: '42601',
      });
      expect((await client.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
    });
  });

  it('cannot be described if the connection ends', async () => {
    const client = new pg.Client(database);
    client.on('error', () => {});
    await client.connect();
    await query('SELECT pg_terminate_backend($1::integer)', [await backendOf(client)]);
    await expect(describeStatement(client, 'SELECT 1')).rejects.toThrow();
  });

  it('without rows has no bytes', async () => {
    const bytes = await withClient((client) => arrowOf(client, 'SELECT 1 AS a WHERE false'));
    expect(bytes.length).toBe(0);
  });

  it('sees the snapshot of its transaction', async () => {
    await query('CREATE TABLE public.snapshot AS SELECT 1 AS a');
    await withClient(async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query('SELECT 1');
      await query('INSERT INTO public.snapshot VALUES (2)');
      const bytes = await arrowOf(client, 'SELECT a FROM public.snapshot');
      expect(tableFromIPC(bytes).numRows).toBe(1);
      expect((await client.query('COMMIT')).command).toBe('COMMIT');
    });
  });
});

describe('a COPY that does not finish', () => {
  // A series in the select list is sent as it is computed; one in FROM would be stored first.
  const ENDLESS = `SELECT generate_series(1, 1000000000) AS i, repeat('x', 100) AS x`;
  const clients: pg.PoolClient[] = [];

  const connected = async () => {
    const client = await pool.connect();
    client.on('error', () => {});
    clients.push(client);
    return { client, pid: await backendOf(client) };
  };
  const release = () => clients.splice(0).forEach((client) => client.release());

  afterEach(release);

  it('because the select fails leaves the connection usable', async () => {
    const { client, pid } = await connected();
    await expect(copyOut(client, 'SELECT nothing', () => {})).rejects.toMatchObject({
      code: '42703',
    });
    const failsLate = 'SELECT 100 / (50000 - generate_series(1, 100000)) AS a';
    await expect(copyOut(client, failsLate, () => {})).rejects.toMatchObject({ code: '22012' });
    expect(await backendOf(client)).toBe(pid);
  });

  it('because of its timeout leaves the connection usable', async () => {
    const { client, pid } = await connected();
    await client.query('BEGIN');
    await client.query('SET LOCAL statement_timeout = 100');
    await expect(copyOut(client, ENDLESS, () => {})).rejects.toMatchObject({ code: '57014' });
    await client.query('ROLLBACK');
    expect(await backendOf(client)).toBe(pid);
  });

  it.each([
    ['an error', new Error('Enough')],
    // Its reader may have queried another connection.
    ['one of a database', new pg.DatabaseError('Enough', 0, 'error')],
  ])('because its reader throws %s ends the statement and the connection', async (_, error) => {
    const { client, pid } = await connected();
    let chunks = 0;
    const reading = copyOut(client, ENDLESS, () => {
      chunks += 1;
      if (chunks === 20) throw error;
    });
    await expect(reading).rejects.toThrow('Enough');
    expect(chunks).toBe(20);
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await ended(pid);
  });

  it('because it is aborted ends the statement and the connection', async () => {
    const { client, pid } = await connected();
    const abort = new AbortController();
    let chunks = 0;
    const onChunk = () => {
      chunks += 1;
      if (chunks === 20) abort.abort(new Error('The client went away'));
    };
    const reading = copyOut(client, ENDLESS, onChunk, abort.signal);
    await expect(reading).rejects.toThrow('The client went away');
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await ended(pid);
  });

  it('ends although the server has not sent a row yet', async () => {
    const { client, pid } = await connected();
    const abort = new AbortController();
    const reading = copyOut(client, 'SELECT pg_sleep(600)::text AS a', () => {}, abort.signal);
    const settled = reading.catch((error: Error) => error.name);
    while (!(await activity(pid, "wait_event = 'PgSleep'")));
    abort.abort();
    expect(await settled).toBe('AbortError');
    await ended(pid);
  });

  it('is not started if it is already aborted', async () => {
    const { client, pid } = await connected();
    await expect(copyOut(client, ENDLESS, () => {}, AbortSignal.abort())).rejects.toThrow(/abort/);
    expect(await backendOf(client)).toBe(pid);
  });

  it('fails because the connection is cut, like later statements', async () => {
    const { client, pid } = await connected();
    let cut: Promise<unknown> | undefined;
    const reading = copyOut(client, ENDLESS, () => {
      cut ??= query('SELECT pg_terminate_backend($1::integer)', [pid]);
    });
    await expect(reading).rejects.toThrow();
    await cut;
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });

  it('never passes its connection to the next user of the pool', async () => {
    const { client, pid } = await connected();
    const reading = copyOut(client, ENDLESS, () => {
      throw new Error('Enough');
    });
    await expect(reading).rejects.toThrow('Enough');
    release();
    const { client: next, pid: nextPid } = await connected();
    expect(nextPid).not.toBe(pid);
    expect((await next.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
  });
});
