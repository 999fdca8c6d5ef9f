import { RecordBatchReader } from 'apache-arrow';
import { expect } from 'vitest';
import * as v from 'valibot';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { ErrorAnswer } from '../../../src/lib/contract/primitives';
import { it as apiTest } from '../../support/api';
import type { Service } from '../../support/service';
import type { Answer } from '../../support/http';

/**
 * A source small enough to add up by hand, with realistic column names: 12 orders of 2026, with a null and an
 * empty text, a return, an order of zero, and one without a date.
 */
export const ORDERS = `
  CREATE TABLE public.orders (
    id             integer PRIMARY KEY,
    "Order Date"   date,
    "Order Year"   integer,
    region         text,
    "sub-category" text,
    "select"       varchar(20),
    "a""b"         text,
    amount         numeric(12,2),
    pieces         smallint,
    channel        text,
    shipped        timestamptz,
    secret         text
  );
  INSERT INTO public.orders VALUES
    (1,  '2026-01-31', 1, 'North', 'Chairs', 'x', 'k', 100.00, 10, 'web',   '2026-02-01 03:30+05:30', 's'),
    (2,  '2026-02-28', 1, 'North', 'Chairs', 'x', 'k',  50.50,  5, 'shop',  '2026-03-01 00:00+00', 's'),
    (3,  '2026-02-28', 1, 'North', 'Tables', 'y', 'k',  25.25,  2, 'web',   NULL, 's'),
    (4,  '2026-03-15', 1, 'South', 'Chairs', 'x', '',  300.00, 30, 'shop',  NULL, 's'),
    (5,  '2026-03-31', 1, 'South', 'Tables', 'y', NULL, 75.75,  7, 'web',   NULL, 's'),
    (6,  '2026-04-01', 1, 'South', 'Tables', 'y', NULL, -20.00, -2, 'web',  NULL, 's'),
    (7,  '2026-04-01', 1, NULL,    'Lamps',  'x', 'k',  10.00,  1, 'phone', NULL, 's'),
    (8,  '2026-05-05', 1, '',      'Lamps',  'x', 'k',  11.00,  1, 'phone', NULL, 's'),
    (9,  '2026-05-05', 1, 'East',  'Lamps',  'y', 'k',   0.00,  0, NULL,    NULL, 's'),
    (10, '2026-06-30', 1, 'East',  'Chairs', 'y', 'k',   0.01,  1, 'web',   NULL, 's'),
    (11, '2026-12-31', 1, 'East',  'Tables', 'x', 'k', 999.99, 99, 'web',   NULL, 's'),
    (12, NULL,         1, 'East',  'Tables', 'x', 'k',   1.50,  1, 'web',   NULL, 's')`;

export const ORDER_COLUMNS: ColumnSave[] = [
  { cname: 'Order Date', role: 'date', dim_group: 'order' },
  { cname: 'Order Year', role: 'dimension', dim_group: 'order', dim_period_col: 'cal_year' },
  { cname: 'region', role: 'dimension' },
  { cname: 'sub-category', role: 'dimension' },
  { cname: 'select', role: 'dimension' },
  { cname: 'a"b', role: 'dimension' },
  { cname: 'amount', role: 'value' },
  { cname: 'pieces', role: 'units' },
  { cname: 'channel', role: 'filter' },
  { cname: 'shipped', role: 'filter' },
];

const GRAIN = ['Order Year', 'region', 'a"b'];

/** Orders with a display grain of year, region and `a"b`. */
export const GRAIN_COLUMNS: ColumnSave[] = ORDER_COLUMNS.map((c) => ({
  ...c,
  in_grain: GRAIN.includes(c.cname),
}));

/** Checks the precondition of a test. @throws with the service's own words */
export function ok(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Registers a table, saves its columns and generates its SQL. @returns its source id */
export async function makeSource(
  { api }: Service,
  tname: string,
  columns: readonly ColumnSave[],
  schema = 'public',
): Promise<number> {
  const { id } = ok(await api.post('/sources', { schema, tname })).body;
  ok(await api.put(`/sources/${id}/columns`, columns));
  ok(await api.post(`/sources/${id}/sql`));
  return id;
}

/** Creates a table with the orders, and a source of it with the dimensions `region` and `select`. @returns its id */
export async function makeSmallSource(service: Service, tname: string): Promise<number> {
  await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
  return makeSource(service, tname, [
    { cname: 'region', role: 'dimension' },
    { cname: 'select', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ]);
}

let names = 0;

/** Creates an empty version of a source. @returns its id */
export async function makeVersion(
  { api }: Service,
  sourceId: number,
  more: Record<string, unknown> = {},
): Promise<number> {
  const name = `Plan ${(names += 1)}`;
  return ok(await api.post(`/sources/${sourceId}/versions`, { name, ...more })).body.id;
}

/**
 * The API tests' `it` with the orders as a source, whether or not a test needs its id.
 * `it.extend('columns', { scope: 'file' }, GRAIN_COLUMNS)` returns one with other column metadata. Files share this
 * module, so none may change it by `it.override`.
 */
export const it = apiTest
  .extend('columns', { scope: 'file' }, ORDER_COLUMNS)
  .extend('sourceId', { scope: 'file', auto: true }, async ({ service, columns }) => {
    await service.query(ORDERS);
    return makeSource(service, 'orders', columns);
  });

/** Creates a version of a source with one baseline of all its rows. */
export async function makePlan(
  service: Service,
  sourceId: number,
  more: Record<string, unknown> = {},
): Promise<{ versionId: number; table: string; path: string; baseline: number }> {
  const versionId = await makeVersion(service, sourceId, more);
  const path = `/versions/${versionId}`;
  const { logid } = ok(await service.api.post(`${path}/baseline`, { pf_user: 'ann' })).body;
  const [{ tname }] = await service.query(
    'SELECT tname FROM pf.source WHERE id = (SELECT source_id FROM pf.version WHERE id = $1)',
    [versionId],
  );
  return { versionId, table: `pf."fc_${tname}_${versionId}"`, path, baseline: logid };
}

export interface Decoded {
  batches: number;
  fields: Record<string, string>;
  rows: Record<string, unknown>[];
}

/** Decodes an Arrow answer with apache-arrow. */
export function decode(bytes: Uint8Array): Decoded {
  const batches = [...RecordBatchReader.from(bytes)];
  return {
    batches: batches.length,
    fields: Object.fromEntries(batches[0]!.schema.fields.map((f) => [f.name, String(f.type)])),
    rows: batches.flatMap((batch) => batch.toArray().map((row) => ({ ...row?.toJSON() }))),
  };
}

/** Returns everything that the service stores, for comparison: number and hash of the rows by table. */
async function everythingKept({ query }: Service): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname = 'pf' AND tablename <> 'dim_period' ORDER BY 1`,
  );
  // Refused requests are recorded each minute, so those of an earlier test may be recorded during this one.
  const from = (name: string) =>
    name === 'pf.audit' ? `(SELECT * FROM pf.audit WHERE action <> 'refused')` : name;
  const rows = (text: string) =>
    `count(*) || ' rows ' || md5(coalesce(string_agg(${text}, '|' ORDER BY ${text}), ''))`;
  const states = await query<{ state: string[] }>(
    `SELECT ARRAY[${tables.map(({ name }) => `(SELECT ${rows('t::text')} FROM ${from(name)} t)`).join()}] AS state`,
  );
  return Object.fromEntries(tables.map(({ name }, i) => [name, states[0]!.state[i]!]));
}

/**
 * Sends a request that has to be refused: checks the status, the common form of errors, and that no row of
 * the service has changed.
 * @returns the sentence
 */
export async function refused(
  service: Service,
  request: () => Promise<Answer>,
  status: number,
  message: string | RegExp = /./,
): Promise<string> {
  const before = await everythingKept(service);
  const answer = await request();
  expect([answer.status, answer.body?.error]).toEqual([
    status,
    typeof message === 'string' ? message : expect.stringMatching(message),
  ]);
  expect(v.parse(v.strictObject(ErrorAnswer.entries), answer.body)).toEqual(answer.body);
  expect(await everythingKept(service)).toEqual(before);
  return answer.body.error;
}

/** Returns the columns of a forecast table with their declared types, without the service's own. */
export async function typesOf({ query }: Service, table: string): Promise<Record<string, string>> {
  const columns = await query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT LIKE 'pf\\_%'`,
  );
  return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
}
