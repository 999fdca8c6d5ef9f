import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { cases } from '../support/cases.js';
import { parse, round, show, sum } from '../support/exact';
import { change, hold, slice, table, type Table } from '../support/generated';
import { inSlice, scale, scaleKeeping, toTotals, type Slice } from '../support/model';
import { bytes, expectRows, plan, stored, type Planned } from '../support/planned';
import type { Service } from '../support/service';
import { version } from '../support/small-version';

const MEASURES = ['value', 'units'] as const;

describe('a total', () => {
  it('is what the slice adds up to afterwards, to the last digit', async ({ service }) => {
    const { does, path } = await version(service, 'numeric(12,2)', [
      ['A', 10, 1],
      ['B', 0.33, 3],
      ['C', 20, 2],
    ]);
    // 69.67 more, spread over 30.33.
    expect(await does('scale', { value_total: 100 })).toEqual([
      ['A', 22.97, 0],
      ['B', 0.76, 0],
      ['C', 45.94, 0],
    ]);
    const sliceTotal = async () => {
      const { body } = await service.api.post(`${path}/slice`, { slice: {} });
      return [body.value_total, body.units_total];
    };
    expect(await sliceTotal()).toEqual([100, 6]);
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    expect(entry.params).toEqual({ value_incr: null, units_incr: null, value_total: 100 });
    await does('scale', { value_total: 0, units_total: 12 });
    expect(await sliceTotal()).toEqual([0, 12]);
  });

  it('includes held and locked rows, and leaves out excluded origins', async ({ service }) => {
    const { does, path } = await version(service, 'numeric(12,2)', [
      ['A', 60, 1],
      ['B', 40, 1],
      ['C', 20, 1],
    ]);
    await service.api.post(`${path}/reference`, { pf_user: 'ann' });
    await service.api.post(`${path}/locks`, { slice: { Region: 'C' }, pf_user: 'ann' });
    expect(await does('scale', { value_total: 150, hold: [{ Region: 'A' }] })).toEqual([
      ['B', 30, 0],
    ]);
  });

  it('can be combined with an amount or a percentage of the other measure', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [['A', 10, 4]]);
    expect(await does('scale', { value_total: 12.5, units_incr: 3 })).toEqual([['A', 2.5, 3]]);
    expect(await does('scale', { value_pct: 10, units_total: 1 })).toEqual([['A', 1.25, -6]]);
    // Units are there already, so only value changes.
    expect(await does('scale', { value_total: 20, units_total: 1 })).toEqual([['A', 6.25, 0]]);
  });

  it('is spread equally or at a held price', async ({ service }) => {
    const { does, refused } = await version(service, 'numeric(12,2)', [
      ['A', 29.5, 10],
      ['B', 59, 20],
      ['C', 880, 40],
    ]);
    expect(await does('scale', { value_total: 1065.35, units_total: 77, spread: 'price' })).toEqual(
      [
        ['A', 2.95, 1],
        ['B', 5.9, 2],
        ['C', 88, 4],
      ],
    );
    const held = { value_total: 1065.35, units_total: 80, spread: 'price' };
    expect(await refused('scale', held)).toMatch(/price cannot be held/);
    expect(await does('scale', { value_total: 1065.38, spread: 'equal' })).toEqual([
      ['A', 0.01, 0],
      ['B', 0.01, 0],
      ['C', 0.01, 0],
    ]);
  });

  it('is rounded to the decimals of its column', async ({ service }) => {
    const { does, refused } = await version(service, 'numeric(12,2)', [['A', 10, 4]]);
    expect(await does('scale', { value_total: 12.345 })).toEqual([['A', 2.35, 0]]);
    expect(await refused('scale', { value_total: 12.349 })).toMatch(/already/);
    expect(await refused('scale', { units_total: 4.4 })).toMatch(/already/);
    expect(await does('scale', { units_total: 4.5 })).toEqual([['A', 0, 1]]);
  });

  it('applies to doubles, whose noise is no difference', async ({ service }) => {
    const { does, refused } = await version(service, 'double precision', [
      ['A', 0.1, 1],
      ['B', 0.2, 1],
    ]);
    expect(await refused('scale', { value_total: 0.3 })).toMatch(/already/);
    const written = await does('scale', { value_total: 0.9 });
    expect(written.map(([region]) => region)).toEqual(['A', 'B']);
    expect(Number(written[0]![1])).toBeCloseTo(0.2, 12);
    expect(Number(written[1]![1])).toBeCloseTo(0.4, 12);
  });

  it('applies to each of several edits, which are made one after another', async ({ service }) => {
    const { does, path, call } = await version(service, 'numeric(12,2)', [
      ['A', 100, 10],
      ['B', 100, 10],
    ]);
    const edits = [
      { slice: { Region: 'A' }, value_total: 150 },
      { slice: {}, value_total: 500, units_total: 30 },
    ];
    expect(await does('scale', { slice: undefined, edits })).toEqual([
      ['A', 50, 0],
      ['A', 150, 5],
      ['B', 100, 5],
    ]);
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    expect(entry.params.edits).toEqual([
      { ...edits[0], value_incr: null, units_incr: null },
      { ...edits[1], value_incr: null, units_incr: null },
    ]);
    const again = await call('scale', { slice: undefined, edits: [edits[1]] });
    expect([again.status, again.body.field]).toEqual([422, 'edits.0']);
  });

  it('is the target of a redo and of a replay again', async ({ service }) => {
    const { does, call, path, latest, table } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', 50, 1],
    ]);
    await does('scale', { value_total: 180 });
    const [{ id }] = (await service.api.get(`${path}/log`)).body.entries;
    await service.api.del(`/log/${id}`);
    await call('scale', { value_incr: 15 });
    expect((await service.api.post(`${path}/redo/${id}`, { pf_user: 'eve' })).status).toBe(200);
    expect(await latest()).toEqual([
      ['A', 10, 0],
      ['B', 5, 0],
    ]);
    const source = table.replace('pf."fc_', 'public."').replace(/_\d+"$/, '"');
    await service.query(`UPDATE ${source} SET "Sales" = "Sales" * 2`);
    const replayed = await service.api.post(`${path}/replay`, { name: 'Again', pf_user: 'eve' });
    expect(replayed.status).toBe(201);
    expect(
      replayed.body.entries.map((entry: { value_total: number }) => entry.value_total),
    ).toEqual([300, 15, -135]);
  });

  it('is reached once if two people ask for it at the same time', async ({ service }) => {
    const { call, path } = await version(service, 'numeric(12,2)', [['A', 10, 4]]);
    const answers = await Promise.all([1, 2].map(() => call('scale', { value_total: 100 })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    const { body } = await service.api.post(`${path}/slice`, { slice: {} });
    expect(body.value_total).toBe(100);
  });

  it('is previewed', async ({ service }) => {
    const { path } = await version(service, 'numeric(12,2)', [['A', 10, 4]]);
    const body = { slice: {}, value_total: 12.5, pf_user: 'ann' };
    const { body: tried } = await service.api.post(`${path}/scale/preview`, body);
    expect(tried.totals).toEqual({
      before: { row_count: 1, value_total: 10, units_total: 4 },
      after: { row_count: 2, value_total: 12.5, units_total: 4 },
    });
  });

  it('is refused if the slice already has it, beside another amount of its measure, and if it cannot be reached', async ({
    service,
  }) => {
    const { call, refused } = await version(service, 'numeric(12,2)', [
      ['A', 10, 1],
      ['B', -10, 1],
    ]);
    const both = 'Send a total for a measure, or an amount or a percentage, only one of them';
    expect(await refused('scale', { value_total: 1, value_incr: 1 }, 400)).toBe(both);
    expect(await refused('scale', { units_total: 1, units_pct: 1 }, 400)).toBe(both);
    expect(await refused('scale', { value_total: 1, pct: 1 }, 400)).toMatch(/not both/);
    expect(await refused('scale', { value_total: '1' }, 400)).toMatch(/^value_total/);
    const edits = [{ slice: {}, value_total: 1 }];
    expect(await refused('scale', { slice: undefined, edits, value_total: 1 }, 400)).toMatch(
      /^value_total/,
    );
    const there = await call('scale', { value_total: 0 });
    expect([there.status, there.body.field]).toEqual([422, 'value_total']);
    expect(await refused('scale', { value_total: 0, units_total: 2 })).toMatch(/already/);
    expect(await refused('scale', { value_total: 1 })).toMatch(/cancel each other out/);
    expect(await refused('scale', { slice: { Region: 'C' }, value_total: 0 })).toMatch(/no row/);
    expect(await refused('scale', { value_total: 1, hold: [{}] })).toMatch(/held or locked/);
    expect(await refused('scale', { value_total: 1e15 })).toMatch(/too large/);
    const valueless = await version(service, null, [['A', null, 1]]);
    expect(await valueless.refused('scale', { value_total: 5 })).toMatch(/no value column/);
  });
});

describe('a total that is kept', () => {
  const rows: [string, number, number][] = [
    ['A', 100, 10],
    ['B', 60, 6],
    ['C', 30, 3],
  ];
  it('takes what the slice gains from the other rows, as one entry', async ({ service }) => {
    const { does, path } = await version(service, 'numeric(12,2)', rows);
    const keep = { Region: ['A', 'B', 'C'] };
    const change = { slice: { Region: 'A' }, value_incr: 10, units_incr: 4, keep };
    expect(await does('scale', change)).toEqual([
      ['A', 10, 4],
      ['B', -6.67, -3],
      ['C', -3.33, -1],
    ]);
    const { entries } = (await service.api.get(`${path}/log`)).body;
    expect(entries).toHaveLength(2);
    expect(entries[0].slice).toEqual({ Region: 'A' });
    expect(entries[0].params).toEqual({ value_incr: 10, units_incr: 4, keep });
    expect([entries[0].value_total, entries[0].units_total]).toEqual([0, 0]);
    expect((await service.api.del(`/log/${entries[0].id}`)).body.rows_deleted).toBe(3);
    const again = await service.api.post(`${path}/redo/${entries[0].id}`, { pf_user: 'eve' });
    expect(again.body).toHaveLength(3);
  });

  it('is kept for totals, percentages and several edits, which may take from the other rows or give to them', async ({
    service,
  }) => {
    const { does } = await version(service, 'numeric(12,2)', rows);
    expect(await does('scale', { slice: { Region: 'B' }, value_total: 40, keep: {} })).toEqual([
      ['B', -20, 0],
      ['A', 15.38, 0],
      ['C', 4.62, 0],
    ]);
    expect(await does('scale', { slice: { Region: 'C' }, pct: 100, keep: {} })).toEqual([
      ['C', 34.62, 3],
      ['A', -25.71, -2],
      ['B', -8.91, -1],
    ]);
    const edits = [
      { slice: { Region: 'A' }, units_incr: 1, keep: { Region: ['A', 'B'] } },
      { slice: { Region: 'B' }, units_incr: 1 },
    ];
    expect(await does('scale', { slice: undefined, edits })).toEqual([
      ['A', 0, 1],
      ['B', 0, -1],
      ['B', 0, 1],
    ]);
  });

  it('leaves held and locked rows alone', async ({ service }) => {
    const { does, refused, path } = await version(service, 'numeric(12,2)', rows);
    await service.api.post(`${path}/locks`, { slice: { Region: 'C' }, pf_user: 'ann' });
    const change = { slice: { Region: 'A' }, value_incr: 10, keep: {} };
    expect(await does('scale', change)).toEqual([
      ['A', 10, 0],
      ['B', -10, 0],
    ]);
    const nothing = /nothing to take from/;
    expect(await refused('scale', { ...change, hold: [{ Region: 'B' }] })).toMatch(nothing);
    expect(await refused('scale', { ...change, slice: { Region: ['A', 'B'] } })).toMatch(nothing);
  });

  it('is previewed with the totals of the slice, and all statements', async ({ service }) => {
    const { path, does } = await version(service, 'numeric(12,2)', rows);
    const change = { slice: { Region: 'A' }, value_incr: 10, hold: [{ Region: 'C' }], keep: {} };
    const { body } = await service.api.post(`${path}/scale/preview`, { ...change, pf_user: 'a' });
    expect(body.totals).toEqual({
      before: { row_count: 1, value_total: 100, units_total: 10 },
      after: { row_count: 2, value_total: 110, units_total: 10 },
    });
    expect(body.held).toEqual({ row_count: 0, value_total: 0, units_total: 0 });
    expect(body.sql.match(/INSERT INTO/g)).toHaveLength(2);
    expect(body.rows.map((r: Record<string, unknown>) => [r.Region, r.Sales, r.Units])).toEqual(
      await does('scale', change),
    );
  });

  it('is refused if it does not contain the slice, and if nothing can be taken from the other rows', async ({
    service,
  }) => {
    const { call, refused } = await version(service, 'numeric(12,2)', [
      ...rows,
      ['D', 5, 1],
      ['E', -5, 1],
    ]);
    const change = { slice: { Region: ['A', 'B'] }, value_incr: 10 };
    for (const [keep, status, field] of [
      [{ Region: 'A' }, 400, 'keep'],
      [{ Region: 'nobody' }, 400, 'keep'],
      [{ typo: 1 }, 400, 'keep'],
      [{ 'Order Date': 'today' }, 400, 'keep.Order Date'],
      [[], 400, 'keep'],
      [{ Region: ['A', 'B'] }, 422, undefined],
      [{ Region: ['A', 'B', 'D', 'E'] }, 422, undefined],
    ] as const) {
      await refused('scale', { ...change, keep }, status);
      expect((await call('scale', { ...change, keep })).body.field).toBe(field);
    }
    const edits = [
      { slice: {}, pct: 1 },
      { ...change, keep: { Region: 'A' } },
    ];
    const inEdits = await call('scale', { slice: undefined, edits });
    expect([inEdits.status, inEdits.body.field]).toEqual([400, 'edits.1.keep']);
    await refused('scale', { slice: undefined, edits: [change], keep: {} }, 400);
  });
});

const total = fc.oneof(
  fc.constantFrom(0, 1000, 0.005, -12.345, 1e6),
  fc.integer({ min: -100_000, max: 1_000_000 }).map((n) => n / 100),
);
const totals = fc
  .record({ value: total, units: fc.integer({ min: -1000, max: 10_000 }) }, { requiredKeys: [] })
  .filter(({ value, units }) => value !== undefined || units !== undefined);

/** Locks slices of a version. A slice that names no column is refused, and left out. */
async function lock({ api }: Service, { path }: Planned, slices: readonly Slice[]) {
  const locked: Slice[] = [];
  for (const slice of slices) {
    const { status } = await api.post(`${path}/locks`, { slice, pf_user: 'ann' });
    if (status === 201) locked.push(slice);
  }
  return locked;
}

/** A version of a table with only exact measures, its rows, and random locks. */
async function made(service: Service, source: Table, locks: readonly Slice[]) {
  const planned = await plan(service, source.columns, source.rows, {
    exclude_iters: source.exclude,
  });
  await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  if (source.reference) await service.api.post(`${planned.path}/reference`, { pf_user: 'ann' });
  const locked = await lock(service, planned, locks);
  const rows = await stored(service, planned);
  return { planned, locked, state: { rows, exclude: source.exclude, shape: planned.shape } };
}

const exactTable = (grain: boolean) =>
  table(grain).filter((t) => t.columns.every((c) => !/real|double/.test(c.type)));

for (const grain of [false, true]) {
  const how = grain ? 'at a grain' : 'row by row';
  it(`reaches random totals exactly around locks and holds, and is undone byte for byte, ${how}`, async ({
    service,
  }) => {
    const { api } = service;
    const spreads = fc.constantFrom(undefined, 'equal' as const);
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(exactTable(grain), slice, totals, spreads, hold, hold),
        async ([source, slice, totals, spread, hold, locks]) => {
          const { planned, locked, state } = await made(service, source, locks);
          const { shape } = planned;
          const before = await bytes(service, planned);
          const change = { ...toTotals(state, slice, totals), ...(spread && { spread }) };
          const outcome = scale(state, slice, change, [...hold, ...locked]);
          const unknown = MEASURES.some((m) => totals[m] !== undefined && !shape[m]);
          const amounts = { value_total: totals.value, units_total: totals.units, spread };
          const body = { slice, ...amounts, hold, pf_user: 'ann' };
          const answer = await api.post(`${planned.path}/scale`, body);
          if (unknown || !('rows' in outcome)) {
            expect(answer.status).toBe('status' in outcome ? outcome.status : 422);
            expect(await bytes(service, planned)).toEqual(before);
            return;
          }
          expect([answer.status, answer.body.error]).toEqual([200, undefined]);
          const [entry] = (await api.get(`${planned.path}/log`)).body.entries;
          expectRows(planned, await stored(service, planned, entry.id), outcome.rows);
          const after = (await stored(service, planned)).filter(
            (row) => !source.exclude.includes(row.iter) && inSlice(row, slice, shape),
          );
          for (const m of MEASURES) {
            const kind = shape[m]?.kind;
            if (totals[m] === undefined || !kind?.exact) continue;
            const wanted = parse(String(totals[m]));
            expect(show(sum(after.map((row) => row[m]?.at ?? parse('0'))))).toBe(
              show(kind.scale === null ? wanted : round(wanted, kind.scale)),
            );
          }
          await api.del(`/log/${entry.id}`);
          expect(await bytes(service, planned)).toEqual(before);
        },
      ),
      { numRuns: cases(20) },
    );
  });

  it(`keeps the totals of a containing slice exactly around locks and holds, ${how}`, async ({
    service,
  }) => {
    const { api } = service;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(exactTable(grain), slice, change, hold, hold, fc.nat()),
        async ([source, slice, change, hold, locks, dropped]) => {
          const { planned, locked, state } = await made(service, source, locks);
          const names = Object.keys(slice);
          const keep = Object.fromEntries(
            Object.entries(slice).filter(([name]) => name !== names[dropped % names.length]),
          );
          // Keys that select nothing are refused in keep.
          delete keep.pf_iter;
          const before = await bytes(service, planned);
          const outcome = scaleKeeping(state, slice, change, [...hold, ...locked], keep);
          const amounts =
            'pct' in change
              ? change
              : { value_incr: change.value, units_incr: change.units, spread: change.spread };
          const body = { slice, ...amounts, hold, keep, pf_user: 'ann' };
          const answer = await api.post(`${planned.path}/scale`, body);
          if (!('rows' in outcome)) {
            expect([400, 422]).toContain(answer.status);
            expect(await bytes(service, planned)).toEqual(before);
            return;
          }
          expect([answer.status, answer.body.error]).toEqual([200, undefined]);
          const [entry] = (await api.get(`${planned.path}/log`)).body.entries;
          const written = await stored(service, planned, entry.id);
          expectRows(planned, written, outcome.rows);
          for (const m of MEASURES)
            expect(show(sum(written.flatMap((r) => r[m]?.at ?? [])))).toBe('0');
          await api.del(`/log/${entry.id}`);
          expect(await bytes(service, planned)).toEqual(before);
        },
      ),
      { numRuns: cases(20) },
    );
  });
}
