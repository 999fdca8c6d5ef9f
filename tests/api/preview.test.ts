import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { ARROW } from '../../src/lib/contract/primitives';
import { it } from '../support/api';
import { bytes, plan, stored } from '../support/planned';
import { holdVersion } from '../support/race';
import type { Service } from '../support/service';
import { version } from '../support/small-version';

type Row = Record<string, unknown>;

const COLUMNS = [
  { name: 'Region', type: 'text', role: 'dimension' as const },
  { name: 'Product', type: 'text', role: 'dimension' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
  { name: 'Units', type: 'integer', role: 'units' as const },
];

const OPERATIONS: [string, object][] = [
  ['scale', { slice: { Region: 'A' }, value_incr: 10.01, units_incr: 3 }],
  ['scale', { slice: {}, pct: 7.5, hold: [{ Product: 'x' }], note: 'ü' }],
  ['scale', { slice: { Product: 'y' }, units_incr: 7, spread: 'equal' }],
  [
    'scale',
    {
      edits: [
        { slice: { Region: 'A' }, pct: 100 },
        { slice: { Product: 'x' }, value_incr: 5 },
      ],
      hold: [{ Region: 'B' }],
    },
  ],
  ['recode', { slice: { Region: 'A' }, set: { Region: 'Z' } }],
  ['clone', { slice: { Product: 'x' }, set: { Product: 'x2' }, scale_factor: 0.5 }],
  ['clone', { slice: {}, set: {} }],
];

const TOTALS = `count(*)::int AS row_count, COALESCE(sum("Sales"), 0)::float8 AS value_total,
  COALESCE(sum("Units"), 0)::int AS units_total`;

async function planned(service: Service, grain: boolean) {
  const made = await plan(
    service,
    COLUMNS.map((c) => (c.name === 'Region' ? { ...c, grain } : c)),
    ['A', 'B', null].flatMap((Region, i) =>
      ['x', 'y'].map((Product, j) => ({ Region, Product, Sales: 10.1 * i + j, Units: 3 * j + i })),
    ),
  );
  await service.api.post(`${made.path}/baseline`, { pf_user: 'ann' });
  await service.api.post(`${made.path}/reference`, { pf_user: 'ann' });
  return made;
}

const tell = (rows: Row[]) =>
  rows
    .map(({ pf_id: _, pf_logid: __, pf_created_at: ___, pf_gkey, ...row }) => ({
      ...row,
      ...(typeof pf_gkey === 'string' ? { pf_gkey: pf_gkey.replace(/-?\d+$/, '') } : {}),
    }))
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

for (const grain of [false, true]) {
  describe(`a preview ${grain ? 'at a grain' : 'row by row'}`, () => {
    it.for(OPERATIONS)(
      'of %s %j returns the rows that it writes, and writes nothing',
      async ([operation, body], { service }) => {
        const { api, query } = service;
        const made = await planned(service, grain);
        const { path, table } = made;
        const request = { pf_user: 'ann', ...body };
        const before = await bytes(service, made);
        const log = (await api.get(`${path}/log`)).body;
        const tag = (await api.get(`${path}/data`)).headers.get('etag');

        const tried = await api.post(`${path}/${operation}/preview`, request);
        expect([tried.status, tried.body.error]).toEqual([200, undefined]);
        expect(await bytes(service, made)).toEqual(before);
        expect((await api.get(`${path}/log`)).body).toEqual(log);
        expect((await api.get(`${path}/data`)).headers.get('etag')).toBe(tag);

        const again = await api.post(`${path}/${operation}/preview`, request);
        const key = grain ? 'pf_gkey' : 'pf_id';
        const keys = [...tried.body.rows, ...again.body.rows].map((row: Row) => row[key]);
        expect(new Set(keys).size).toBe(keys.length);
        const logids: number[] = tried.body.rows.map((row: Row) => row.pf_logid);
        expect(Math.max(...logids)).toBeLessThan(0);

        const done = await api.post(`${path}/${operation}`, request);
        expect(tell(done.body)).toEqual(tell(tried.body.rows));

        // The returned statement is the executed one.
        const [{ id }] = (await api.get(`${path}/log`)).body.entries;
        await api.del(`/log/${id}`);
        expect(await bytes(service, made)).toEqual(before);
        await query(tried.body.sql);
        const written = await stored(service, made, logids[0]);
        expect(written.length).toBeGreaterThanOrEqual(tried.body.rows.length);
        const [sums] = await query(`SELECT ${TOTALS} FROM ${table} WHERE pf_logid = ${logids[0]}`);
        const answered = tried.body.rows.map((row: Row) => row.Units as number);
        expect(sums.units_total).toBe(answered.reduce((a: number, b: number) => a + b, 0));
      },
    );
  });
}

describe('a preview in Arrow', () => {
  it('has the rows, and in its metadata the other fields of JSON', async ({ service }) => {
    const { path } = await planned(service, true);
    const send = async (accept: string) =>
      service.api.send(`${path}/scale/preview`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify({ slice: { Region: 'A', typo: 1 }, pct: 50, pf_user: 'änn' }),
      });
    const { rows, ...facts } = (await send('*/*')).body;
    const arrow = await send(ARROW);
    expect(arrow.headers.get('content-type')).toBe(ARROW);
    expect(arrow.headers.get('x-slice-skipped')).toBe('typo');
    const table = tableFromIPC(arrow.bytes);
    expect(tell(table.toArray().map((row): Row => row.toJSON()))).toEqual(tell(rows));
    const told = JSON.parse(table.schema.metadata.get('pf_preview') ?? '');
    // Each preview has its own id.
    const anyId = (text: string) => text.replaceAll(/-\d+/g, '-n');
    expect({ ...told, sql: anyId(told.sql) }).toEqual({ ...facts, sql: anyId(facts.sql) });
  });
});

describe('the totals of a preview', () => {
  it('are those of the slice before and after, and of the held rows', async ({ service }) => {
    const { path, table } = await planned(service, false);
    const totals = async (where: string) =>
      (
        await service.query(
          `SELECT ${TOTALS} FROM ${table} WHERE pf_iter <> 'reference' AND ${where}`,
        )
      )[0];
    const request = {
      slice: { Region: ['A', 'B'] },
      value_incr: 12.34,
      hold: [{ Product: 'x' }, { Region: null }],
      pf_user: 'ann',
    };
    const { body } = await service.api.post(`${path}/scale/preview`, request);
    expect(body.totals.before).toEqual(await totals(`"Region" IN ('A', 'B')`));
    expect(body.held).toEqual(await totals(`"Region" IN ('A', 'B') AND "Product" = 'x'`));
    await service.api.post(`${path}/scale`, request);
    expect(body.totals.after).toEqual(await totals(`"Region" IN ('A', 'B')`));
  });

  it('are returned for each edit, on the result of the previous ones', async ({ service }) => {
    const { path } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', 50, 1],
      ['C', 25, 1],
    ]);
    const { body } = await service.api.post(`${path}/scale/preview`, {
      edits: [
        { slice: { Region: ['A', 'C'] }, pct: 10 },
        { slice: {}, value_incr: 40 },
      ],
      hold: [{ Region: 'C' }],
      pf_user: 'ann',
    });
    expect(body.totals).toEqual([
      {
        before: { row_count: 2, value_total: 125, units_total: 2 },
        after: { row_count: 3, value_total: 135, units_total: 2 },
      },
      {
        before: { row_count: 4, value_total: 185, units_total: 3 },
        after: { row_count: 6, value_total: 225, units_total: 3 },
      },
    ]);
    expect(body.held).toEqual({ row_count: 1, value_total: 25, units_total: 1 });
    const one = { edits: [{ slice: {}, pct: 10 }], pf_user: 'ann' };
    expect((await service.api.post(`${path}/scale/preview`, one)).body.totals).toHaveLength(1);
  });

  it('show that a recode empties its slice', async ({ service }) => {
    const { call } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    const { body } = await call('recode/preview', { slice: { Region: 'A' }, set: { Region: 'B' } });
    expect(body.totals).toEqual({
      before: { row_count: 1, value_total: 100, units_total: 1 },
      after: { row_count: 2, value_total: 0, units_total: 0 },
    });
    expect(body.held).toEqual({ row_count: 0, value_total: 0, units_total: 0 });
  });
});

describe('a preview', () => {
  it('is refused like the operation', async ({ service }) => {
    const { call, refused } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    for (const [operation, body] of [
      ['scale', { pct: 0 }],
      ['scale', { slice: { Region: 'nobody' }, pct: 1 }],
      ['scale', { pct: 1, hold: [{}] }],
      ['scale', { slice: undefined, edits: [{ slice: {}, pct: 0.0001 }] }],
      ['scale', { pct: 1, value_incr: 1 }],
      ['recode', { set: { Region: 'A' } }],
      ['clone', { set: { nowhere: 1 } }],
    ] as [string, object][]) {
      const { status, body: refusal } = await call(operation, body);
      expect(await refused(`${operation}/preview`, body, status)).toBe(refusal.error);
      expect((await call(`${operation}/preview`, body)).body).toEqual(refusal);
    }
    const skipped = await call('scale/preview', { slice: { typo: 1 }, pct: 1 });
    expect(skipped.headers.get('x-slice-skipped')).toBe('typo');
  });

  it('waits for no writer, and no writer waits for it', async ({ service }) => {
    const { path, id } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    const request = { slice: {}, pct: 10, pf_user: 'ann' };
    const held = await holdVersion(service, id);
    // It answers while the lock of all writers is taken.
    expect((await service.api.post(`${path}/scale/preview`, request)).status).toBe(200);
    await held.release();
    const many = await Promise.all(
      ['scale', 'scale/preview', 'scale/preview', 'scale', 'scale/preview', 'scale'].map((one) =>
        service.api.post(`${path}/${one}`, request),
      ),
    );
    expect(many.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const { value_total } = (await service.api.get(`${path}/log`)).body;
    expect(value_total).toBe(133.1);
  });

  it('answers for a closed version', async ({ service }) => {
    const { path } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    await service.api.post(`${path}/close`, { pf_user: 'ann' });
    const request = { slice: {}, pct: 10, pf_user: 'ann' };
    expect((await service.api.post(`${path}/scale`, request)).status).toBe(403);
    const { status, body } = await service.api.post(`${path}/scale/preview`, request);
    expect([status, body.totals.after.value_total]).toEqual([200, 110]);
  });
});
