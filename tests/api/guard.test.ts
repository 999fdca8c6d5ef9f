import fc from 'fast-check';
import * as v from 'valibot';
import { afterAll, describe, expect } from 'vitest';
import { Database } from '../../src/lib/server/db/database';
import { AppError } from '../../src/lib/server/errors';
import { blameClient } from '../../src/lib/server/services/client-faults';
import { checkCondition } from '../../src/lib/server/sql/guard';
import { trusted } from '../../src/lib/server/sql/trusted';
import { AT_THE_BOUNDS, CONDITION_COLUMNS, HOSTILE, LEGITIMATE } from '../fixtures/conditions';
import { it } from '../support/api';

let version: string;
let database: Database;

const columns = Object.keys(CONDITION_COLUMNS);
const ident = (name: string) => `"${name.replaceAll('"', '""')}"`;
const brief = (text: string) =>
  JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}… (${text.length})` : text);
const accepted = [...LEGITIMATE, ...Object.values(AT_THE_BOUNDS)].map(
  (text) => [brief(text), text] as const,
);

it.beforeAll(async ({ service }) => {
  const { api, query } = service;
  const sample = await query(
    `SELECT attname FROM pg_attribute WHERE attrelid = 'public.superstore'::regclass`,
  );
  const known = sample.map(({ attname }) => attname as string);
  const values = columns.map((c) =>
    known.includes(c) ? `${ident(c)}::${CONDITION_COLUMNS[c]}` : `NULL::${CONDITION_COLUMNS[c]}`,
  );
  await query(
    `CREATE TABLE public.order_lines (${Object.entries(CONDITION_COLUMNS)
      .map(([name, type]) => `${ident(name)} ${type}`)
      .join(', ')}, secret text);
     INSERT INTO public.order_lines SELECT ${values.join(', ')}, 'x' FROM public.superstore;
     ANALYZE public.order_lines`,
  );
  const { body: source } = await api.post('/sources', { schema: 'public', tname: 'order_lines' });
  const role = (cname: string) =>
    ({ Region: 'dimension', Sales: 'value', secret: 'ignore' })[cname] ?? 'filter';
  const saved = await api.put(
    `/sources/${source.id}/columns`,
    [...columns, 'secret'].map((cname) => ({ cname, role: role(cname) })),
  );
  expect([saved.status, saved.body.error]).toEqual([200, undefined]);
  await api.post(`/sources/${source.id}/sql`);
  const { body: created } = await api.post(`/sources/${source.id}/versions`, { name: 'Plan' });
  version = `/versions/${created.id}`;
  database = Database.open({ ...service.database, statementTimeout: 60_000, waitTimeout: 0 });
});
afterAll(() => database?.close());

const count = async (source: string): Promise<number> =>
  (await database.one(v.object({ n: v.number() }), trusted(`SELECT count(*) AS n FROM ${source}`)))
    .n;

/** Returns every kind of node in a plan. */
function nodeTypes(plan: { 'Node Type': string; Plans?: (typeof plan)[] }): string[] {
  return [plan['Node Type'], ...(plan.Plans ?? []).flatMap(nodeTypes)];
}

interface Explained {
  'QUERY PLAN': { Plan: Parameters<typeof nodeTypes>[0] }[];
}

describe('an accepted text is one condition of one scan', () => {
  it.each(accepted)('%s', async (_, text) => {
    const [explained] = await database.many(
      v.custom<Explained>(() => true),
      trusted(
        `EXPLAIN (FORMAT JSON) SELECT * FROM (SELECT * FROM public.order_lines WHERE (\n${text}\n)) AS s`,
      ),
    );
    const types = nodeTypes(explained!['QUERY PLAN'][0]!.Plan);
    expect(['Seq Scan', 'Result', 'Result, Seq Scan']).toContain(types.join(', '));

    const rows = await count(`public.order_lines WHERE (\n${text}\n)`);
    expect(await count(`public.order_lines WHERE ${text}`)).toBe(rows);
    expect(await count(`public.order_lines WHERE (\n${text}\n) AND FALSE`)).toBe(0);
    expect(await count(`public.order_lines WHERE (\n${text}\n) IS NOT TRUE`)).toBe(9994 - rows);
  });
});

describe('a legitimate condition selects the same rows through the service as in PostgreSQL', () => {
  it.for(accepted)('%s', async ([, text], { service }) => {
    const rows = await count(`public.order_lines WHERE (\n${text}\n)`);
    for (const field of ['raw_where', 'where_clause']) {
      const preview = await service.api.post(`${version}/baseline/preview`, { [field]: text });
      expect([preview.status, preview.body.error]).toEqual([200, undefined]);
      expect(preview.body.row_count).toBe(rows);
    }
  });
});

describe('a hostile text is a 400 without a trace', () => {
  it.for(
    HOSTILE.filter(([text]) => text.length < 100_000).map(([text]) => [brief(text), text] as const),
  )('%s', async ([, text], { service }) => {
    for (const [path, field] of [
      ['baseline', 'raw_where'],
      ['reference', 'where_clause'],
    ] as const) {
      const body = { [field]: text, pf_user: 'mallory' };
      const answer = await service.api.post(`${version}/${path}`, body);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toContain(`${field}: `);
    }
    const [{ entries }] = await service.query('SELECT count(*)::int AS entries FROM pf.log');
    expect(entries).toBe(0);
  });
});

it('refuses a condition of a megabyte and reads the next one', async ({ service }) => {
  const raw_where = `"Region" = '${'x'.repeat(1_000_000)}'`;
  const answer = await service.api.post(`${version}/baseline`, { raw_where, pf_user: 'mallory' });
  expect([400, 413]).toContain(answer.status);
  const next = await service.api.post(`${version}/baseline/preview`, { raw_where: 'returned' });
  expect(next.status).toBe(200);
});

/**
 * Texts spliced from pieces of legitimate and hostile ones. An accepted text is a condition in PostgreSQL,
 * too: its types may not fit, which is answered as the client's fault, but its syntax does, and it names
 * nothing unknown.
 */
it('accepts nothing that PostgreSQL reads differently', async () => {
  const pieces = [...LEGITIMATE, ...HOSTILE.map(([text]) => text)]
    .filter((text) => text.length < 300)
    .flatMap((text) => text.match(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\w+|[^\s\w"']+/g) ?? []);
  const piece = fc.constantFrom(...pieces, '(', ')', 'AND', 'OR', 'NOT', '--', ';', "'", '"');
  const edit = fc.record({
    at: fc.nat(60),
    drop: fc.integer({ min: 0, max: 2 }),
    put: fc.array(piece, { maxLength: 2 }),
  });
  const spliced = fc
    .tuple(fc.constantFrom(...LEGITIMATE), fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([text, edits]) => {
      const words = text.match(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\w+|\s+|[^\s\w"']/g) ?? [];
      for (const { at, drop, put } of edits) words.splice(at % words.length, drop, ...put, ' ');
      return words.join('');
    });
  const ran = { well: 0, refused: 0 };

  await fc.assert(
    fc.asyncProperty(spliced, async (text) => {
      if (
        !(await checkCondition(text, columns, 'raw_where').then(
          () => true,
          () => false,
        ))
      ) {
        ran.refused += 1;
        return;
      }
      const run = () => count(`public.order_lines WHERE (\n${text}\n) AND FALSE`);
      try {
        expect(await blameClient({ words: text }, run), `${text} reached beyond its brackets`).toBe(
          0,
        );
        ran.well += 1;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // A 409 would be an unknown name, which no accepted condition may have.
        expect([400, 422], error.message).toContain(error.status);
      }
    }),
    { numRuns: 3000 },
  );
  expect(ran.well).toBeGreaterThan(100);
  expect(ran.refused).toBeGreaterThan(100);
});
