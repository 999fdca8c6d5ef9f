import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { startServer, type Server } from '../../src/demo/server';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { cli } from '../support/cli';
import { cloneDatabase, dropDatabase, onCitus, serverEnvironment } from '../support/cluster';
import { apiAt, type Api } from '../support/http';
import { queryOn, type Query } from '../support/service';

// A database with the tables of the first four migrations, created and filled by another service. It is
// adopted with `migrate baseline` (docs/contract/16-migrations-and-calendar.md).

const SPECIFIED = [
  '001_initial_schema.sql',
  '002_source_default_layout.sql',
  '003_col_meta_date_groups.sql',
  '004_col_meta_in_grain.sql',
];

/** `params` of loads as other services store them. */
const LOADS: [operation: string, params: string | null][] = [
  ['baseline', '{"raw_where": "k > 0"}'],
  ['baseline', '{"filters": [[{"cname": "region", "op": "=", "value": "North"}]]}'],
  ['baseline', '{}'],
  ['reference', null],
  ['baseline', 'null'],
  ['baseline', '{"filters": {"all": [{"column": "region"}]}, "raw_where": 7}'],
  ['reference', '[1, "two"]'],
  ['baseline', '"k > 0"'],
];

const OPERATIONS: [operation: string, slice: string | null, params: string | null][] = [
  ['scale', '{"region": "North"}', '{"pct": 10}'],
  ['scale', '{"region": "North"}', '{"value_incr": 5}'],
  ['scale', '{"region": "North"}', '{}'],
  ['scale', '{"region": {"like": "N%"}}', '{"pct": 10}'],
  ['scale', null, null],
  ['recode', '{"region": "North"}', '{"to": {"region": "South"}}'],
  ['recode', '[]', '{"set": {"region": "South"}}'],
  ['clone', '"all"', '{"set": {"region": ["South"]}}'],
  ['clone', null, '{"factor": 2}'],
];

let database: DatabaseConfig;
let query: Query;
let end: () => Promise<void>;
let server: Server;
let api: Api;
const by = { pf_user: 'ann' };

/** A forecast table of another service, with the types of the source. */
const forecastTable = (id: number) => `
  CREATE TABLE pf.fc_sales_${id} (
    pf_id serial PRIMARY KEY, region varchar(20), code character(3), day date,
    amount numeric(12,2), pieces integer,
    pf_iter text NOT NULL, pf_logid integer NOT NULL, pf_created_at timestamptz DEFAULT now())`;

/** Inserts an entry with one row. */
async function insertEntry(
  versionId: number,
  operation: string,
  slice: string | null,
  params: string | null,
): Promise<void> {
  const [{ id }] = await query(
    `INSERT INTO pf.log (version_id, pf_user, operation, slice, params, note)
     VALUES ($1, 'other', $2, $3, $4, 'theirs') RETURNING id`,
    [versionId, operation, slice, params],
  );
  await query(
    `INSERT INTO pf.fc_sales_${versionId} (region, code, day, amount, pieces, pf_iter, pf_logid)
     VALUES ('North', 'a', '2026-01-05', 10.50, 3, $1, $2)`,
    [operation, id],
  );
}

beforeAll(async () => {
  database = await cloneDatabase('empty');
  ({ query, end } = queryOn(database));
  await query('CREATE SCHEMA IF NOT EXISTS pf');
  for (const file of SPECIFIED)
    await query(readFileSync(join(PROJECT, 'migrations', file), 'utf8'));
  await query(`
    CREATE TABLE public.sales (k int, region varchar(20), code character(3), day date, amount numeric(12,2), pieces int);
    INSERT INTO public.sales VALUES (1, 'North', 'a', '2026-01-05', 10.50, 3), (2, 'South', 'b', '2026-01-06', 20, 4);
    INSERT INTO pf.source (schema, tname) VALUES ('public', 'sales');
    INSERT INTO pf.col_meta (source_id, cname, role, opos) VALUES
      (1, 'k', 'filter', 1), (1, 'region', 'dimension', 2), (1, 'code', 'dimension', 3),
      (1, 'day', 'date', 4), (1, 'amount', 'value', 5), (1, 'pieces', 'units', 6);
    INSERT INTO pf.version (source_id, name, exclude_iters)
      VALUES (1, 'Loads', '["reference", "budget"]'), (1, 'Plan', '["reference", "budget"]'), (1, 'Odd', '[7]');
    ${[1, 2, 3].map(forecastTable).join(';')}`);
  for (const id of [1, 2])
    for (const [operation, params] of LOADS) await insertEntry(id, operation, null, params);
  for (const [operation, slice, params] of OPERATIONS)
    await insertEntry(2, operation, slice, params);

  const adopt = await cli('migrate', ['baseline', `--up-to=${SPECIFIED.at(-1)}`], { database });
  expect([adopt.stderr, adopt.code]).toEqual(['', 0]);
  expect((await cli('migrate', ['up'], { database })).code).toBe(0);
  expect((await cli('periods', [], { database })).code).toBe(0);
  server = await startServer({ database, env: serverEnvironment() });
  api = apiAt(server.url);
});
afterAll(async () => {
  await server?.stop();
  await end?.();
  await dropDatabase(database);
});

const entriesOf = async (id: number) => (await api.get(`/versions/${id}/log`)).body.entries;

describe.skipIf(onCitus)('an adopted database', () => {
  it('generates its SQL, and converts the forecast tables to its own types without losing values', async () => {
    const generated = await api.post('/sources/1/sql');
    expect([generated.status, generated.body.error]).toEqual([200, undefined]);
    const types = await query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = 'pf.fc_sales_1'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT LIKE 'pf%'`,
    );
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toEqual({
      region: 'text',
      code: 'text',
      day: 'date',
      amount: 'numeric',
      pieces: 'bigint',
    });
    const rows = await query(
      'SELECT DISTINCT region, code, day, amount, pieces FROM pf.fc_sales_1',
    );
    expect(rows).toEqual([
      { region: 'North', code: 'a', day: '2026-01-05', amount: '10.50', pieces: 3 },
    ]);
  });

  it('refuses a type that could change a value', async () => {
    await query(`ALTER TABLE pf.fc_sales_3 ALTER pieces TYPE double precision;
      INSERT INTO pf.fc_sales_3 (region, pieces, pf_iter, pf_logid) VALUES ('N', 1.5, 'baseline', 0)`);
    const { status, body } = await api.post('/sources/1/sql');
    expect([status, body.column]).toEqual([422, 'pieces']);
    await query(`DELETE FROM pf.fc_sales_3; ALTER TABLE pf.fc_sales_3 ALTER pieces TYPE bigint`);
  });

  it.each([1, 2])('reads version %i with any content of its entries', async (id) => {
    const path = `/versions/${id}`;
    const log = await api.get(`${path}/log`);
    expect([log.status, log.body.entries?.length]).toEqual([
      200,
      LOADS.length + (id === 2 ? OPERATIONS.length : 0),
    ]);
    const loads = log.body.entries.toReversed().slice(0, LOADS.length);
    expect(loads[0].params).toEqual({ raw_where: 'k > 0' });
    expect(loads[1].params).toEqual({
      filters: [[{ cname: 'region', op: '=', value: 'North' }]],
    });
    expect(loads[3].params).toBeNull();
    expect(loads.map((e: { value_total: number }) => e.value_total)).toEqual(LOADS.map(() => 10.5));
    const segments = await api.get(`${path}/segments`);
    expect([segments.status, segments.body.length]).toEqual([200, LOADS.length]);
    for (const read of ['', '/totals', '/undone', '/data', '/locks', '/replayed']) {
      expect([read, (await api.get(`${path}${read}`)).status]).toEqual([read, 200]);
    }
    const explained = await api.post(`${path}/explain`, { slice: { region: 'North' } });
    expect([explained.status, explained.body.entries.length]).toEqual([
      200,
      log.body.entries.length,
    ]);
    expect((await api.get('/sources/1/versions')).status).toBe(200);
    const version = (await api.get(path)).body;
    expect(version.exclude_iters).toEqual(['reference', 'budget']);
    for (const entry of log.body.entries) {
      const patched = await api.patch(`/log/${entry.id}`, { note: 'ours' });
      expect([patched.status, patched.body.note]).toEqual([200, 'ours']);
    }
  });

  it('reads a version whose excluded origins are not texts like one that excludes references', async () => {
    const { status, body } = await api.get('/versions/3');
    expect([status, body.exclude_iters]).toEqual([200, ['reference']]);
  });

  it('edits each load, and clears the baseline', async () => {
    for (const { id, operation } of (await entriesOf(1)).toReversed()) {
      const { status, body } = await api.put(`/versions/1/baseline/${id}`, by);
      expect([operation, status, body.row_count]).toEqual([operation, 200, 2]);
    }
    const cleared = await api.send('/versions/1/baseline', { method: 'DELETE' });
    expect([cleared.status, cleared.body.rows_deleted]).toEqual([200, 12]);
    expect((await api.get('/versions/1/undone')).body).toHaveLength(6);
    ok200(await api.post('/versions/1/baseline', by));
  });

  it('clears a baseline created by another service', async () => {
    const copied = await api.post('/versions/2/copy', { name: 'Copy to clear', ...by });
    expect([copied.status, copied.body.error]).toEqual([201, undefined]);
    const { id } = copied.body;
    expect(await entriesOf(id)).toHaveLength(LOADS.length + OPERATIONS.length);
    const cleared = await api.send(`/versions/${id}/baseline`, { method: 'DELETE' });
    expect([cleared.status, cleared.body.log_entries_deleted]).toEqual([200, 6]);
    const undone = await api.get(`/versions/${id}/undone`);
    expect([undone.status, undone.body.length]).toEqual([200, 6]);
  });

  it('replays the requests that the log records, and names the missing ones', async () => {
    const refusal = await api.post('/versions/2/replay', { name: 'All', ...by });
    expect([refusal.status, refusal.body.error]).toEqual([
      422,
      expect.stringContaining('The log does not record'),
    ]);
    const skipping = { name: 'Some', on_failure: 'skip', ...by };
    const { status, body } = await api.post('/versions/2/replay', skipping);
    expect([status, body.error]).toEqual([201, undefined]);
    const reasons = body.entries.map(({ reason }: { reason: string | null }) => reason);
    expect(reasons).toHaveLength(LOADS.length + OPERATIONS.length);
    expect(reasons.slice(0, LOADS.length)).toEqual(
      LOADS.map(() => expect.stringContaining('The log does not record')),
    );
    // Without dates, the log need not record an offset.
    ok200(await api.put('/sources/1/columns', [{ cname: 'day', role: 'ignore' }]));
    const asked = await api.post('/versions/3/replay', { ...skipping, name: 'No entries' });
    expect(asked.status).toBe(201);
    ok200(await api.put('/sources/1/columns', [{ cname: 'day', role: 'date' }]));
  });

  it('undoes each entry, and redoes those with a recorded request', async () => {
    const entries = await entriesOf(2);
    for (const { id } of entries) {
      const undone = await api.send(`/log/${id}`, { method: 'DELETE' });
      expect([id, undone.status, undone.body.rows_deleted]).toEqual([id, 200, 1]);
    }
    expect((await api.get('/versions/2/undone')).body).toHaveLength(entries.length);
    ok200(await api.post('/versions/2/baseline', by));
    const statuses: Record<string, number> = {};
    for (const { id, operation } of entries.toReversed()) {
      const { status, body } = await api.post(`/versions/2/redo/${id}`, by);
      expect([id, [200, 422].includes(status), body.error]).toEqual([id, true, body.error]);
      statuses[`${operation} ${id - entries.at(-1).id}`] = status;
    }
    expect(statuses[`scale ${LOADS.length}`]).toBe(200);
    expect(statuses[`scale ${LOADS.length + 1}`]).toBe(200);
    expect(Object.values(statuses).filter((status) => status === 200)).toHaveLength(2);
  });

  it('accepts new operations', async () => {
    const path = '/versions/1';
    const { status, body } = await api.post(`${path}/scale`, { slice: {}, pct: 10, ...by });
    expect([status, body.error, body.length]).toEqual([200, undefined, 2]);
    const edited = await api.patch(path, { name: 'Loads, edited' });
    expect([edited.status, edited.body.exclude_iters]).toEqual([200, ['reference', 'budget']]);
    expect((await api.get(`${path}/data`)).headers.get('x-row-count')).toBe('8');
  });
});

function ok200({ status, body }: Awaited<ReturnType<Api['get']>>): void {
  expect([status, body?.error]).toEqual([200, undefined]);
}
