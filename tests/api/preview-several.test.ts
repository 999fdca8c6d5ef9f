import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { ARROW } from '../../src/lib/contract/primitives';
import { it } from '../support/api';
import { bytes, plan } from '../support/planned';
import type { Service } from '../support/service';
import { version } from '../support/small-version';

type Row = Record<string, unknown>;

const COLUMNS = [
  { name: 'Region', type: 'text', role: 'dimension' as const },
  { name: 'Product', type: 'text', role: 'dimension' as const },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' as const },
  { name: 'Units', type: 'integer', role: 'units' as const },
];

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

/** Each operation works on rows that an earlier one has written. */
const OPERATIONS: { operation: string; [field: string]: unknown }[] = [
  { operation: 'clone', slice: { Product: 'x' }, set: { Product: 'new' }, note: 'Launch' },
  { operation: 'scale', slice: { Product: 'new' }, value_total: 100, hold: [{ Region: 'B' }] },
  { operation: 'recode', slice: { Product: 'new' }, set: { Region: 'Z' }, factor: 0.5 },
  {
    operation: 'scale',
    edits: [
      { slice: { Region: 'Z' }, pct: 10 },
      { slice: {}, units_incr: 7 },
    ],
    note: 'ü',
  },
];

const withoutKeys = (rows: Row[]) =>
  rows
    .map(({ pf_id: _, pf_logid: __, pf_created_at: ___, pf_gkey, ...row }) => ({
      ...row,
      ...(typeof pf_gkey === 'string' ? { pf_gkey: pf_gkey.replace(/-?\d+$/, '') } : {}),
    }))
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

for (const grain of [false, true]) {
  describe(`a preview of several operations ${grain ? 'at a grain' : 'row by row'}`, () => {
    it('answers what the operations do one after the other, and writes nothing', async ({
      service,
    }) => {
      const { api, query } = service;
      const made = await planned(service, grain);
      const { path, table } = made;
      const before = await bytes(service, made);
      const log = (await api.get(`${path}/log`)).body;
      const body = { operations: OPERATIONS, pf_user: 'ann' };
      const tried = await api.post(`${path}/preview`, body);
      expect([tried.status, tried.body.error]).toEqual([200, undefined]);
      expect(await bytes(service, made)).toEqual(before);
      expect((await api.get(`${path}/log`)).body).toEqual(log);

      const { steps, totals } = tried.body;
      expect(steps).toHaveLength(OPERATIONS.length);
      const all = async () => {
        const [row] = await query(
          `SELECT count(*)::int AS row_count, sum("Sales")::float8 AS value_total,
             sum("Units")::int AS units_total FROM ${table} WHERE pf_iter <> 'reference'`,
        );
        return row;
      };
      expect(totals.before).toEqual(await all());
      const anyId = (text: string) => text.replaceAll(/-?\d+ AS pf_logid|, -\d+\n/g, ', n\n');
      for (const [i, { operation, ...fields }] of OPERATIONS.entries()) {
        const step = steps[i];
        const request = { ...fields, pf_user: 'ann' };
        const alone = (await api.post(`${path}/${operation}/preview`, request)).body;
        expect(step.totals).toEqual(alone.totals);
        expect(step.held).toEqual(alone.held);
        expect(anyId(step.sql)).toBe(anyId(alone.sql));
        const done = await api.post(`${path}/${operation}`, request);
        expect(withoutKeys(step.rows)).toEqual(withoutKeys(done.body));
        expect(new Set(step.rows.map((row: Row) => row.pf_logid))).toEqual(new Set([step.logid]));
      }
      expect(totals.after).toEqual(await all());
      const logids: number[] = steps.map((step: { logid: number }) => step.logid);
      expect(Math.max(...logids)).toBeLessThan(0);
      expect(new Set(logids).size).toBe(OPERATIONS.length);
    });

    it('has in Arrow the rows of all steps as one batch, and the rest in its metadata', async ({
      service,
    }) => {
      const { path } = await planned(service, grain);
      const send = async (accept: string) =>
        service.api.send(`${path}/preview`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept },
          body: JSON.stringify({ operations: OPERATIONS, pf_user: 'ann' }),
        });
      const { steps, ...others } = (await send('*/*')).body;
      const arrow = await send(ARROW);
      expect(arrow.headers.get('content-type')).toBe(ARROW);
      const table = tableFromIPC(arrow.bytes);
      expect(table.batches).toHaveLength(1);
      const facts = JSON.parse(table.schema.metadata.get('pf_preview') ?? '');
      expect(facts.totals).toEqual(others.totals);
      const rows = table.toArray().map((row): Row => row.toJSON());
      const ids = facts.steps.map((step: { logid: number }) => step.logid);
      // The rows come in the order of the steps.
      expect(rows.map((row) => row.pf_logid)).toEqual(
        rows.map((row) => row.pf_logid).toSorted((a, b) => ids.indexOf(a) - ids.indexOf(b)),
      );
      for (const [i, { rows: stepRows, totals, held }] of steps.entries()) {
        expect([facts.steps[i].totals, facts.steps[i].held]).toEqual([totals, held]);
        const own = rows.filter((row) => row.pf_logid === ids[i]);
        expect(withoutKeys(own)).toEqual(withoutKeys(stepRows));
      }
    });
  });
}

describe('the numbers of several operations', () => {
  it('are those of each step on the result of the previous ones', async ({ service }) => {
    const { call } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', 50, 1],
    ]);
    const { body } = await call('preview', {
      operations: [
        { operation: 'scale', slice: { Region: 'A' }, pct: 10 },
        { operation: 'recode', slice: { Region: 'A' }, set: { Region: 'B' }, factor: 0.5 },
        { operation: 'scale', slice: { Region: 'B' }, value_total: 200 },
      ],
    });
    const ofValues = body.steps.map(
      ({ totals: { before, after } }: { totals: Record<string, { value_total: number }> }) => [
        before?.value_total,
        after?.value_total,
      ],
    );
    expect(ofValues).toEqual([
      [100, 110],
      [110, 55],
      [105, 200],
    ]);
    expect([body.totals.before.value_total, body.totals.after.value_total]).toEqual([150, 255]);
  });

  it('hold locked rows in each step', async ({ service }) => {
    const { call, path } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', 50, 1],
    ]);
    await service.api.post(`${path}/locks`, { slice: { Region: 'B' }, pf_user: 'eve' });
    const { body } = await call('preview', {
      operations: [
        { operation: 'scale', slice: {}, value_total: 160 },
        { operation: 'scale', slice: { Region: 'A' }, pct: 10 },
      ],
    });
    expect(body.steps[0].rows).toMatchObject([{ Region: 'A', Sales: 10 }]);
    expect(body.steps[0].held).toEqual({ row_count: 1, value_total: 50, units_total: 1 });
    expect(body.steps[1].rows).toMatchObject([{ Region: 'A', Sales: 11 }]);
    expect(body.steps[1].held.row_count).toBe(0);
  });

  it('are those of the cells of a file, for the whole version, until a cell has another state', async ({
    service,
  }) => {
    const { api, query } = service;
    const made = await planned(service, false);
    const slices = [{ Region: 'A' }, { Region: 'B', Product: 'y' }];
    const asked = slices.map((slice, i) => ({ slice, value_total: 100 * (i + 1) }));
    const { cells } = (await api.post(`${made.path}/import/preview`, { edits: asked })).body;
    const edits = asked.map((edit, i) => ({ ...edit, seen: cells[i].state }));
    const file = { name: 'plan.xlsx', sha256: 'ab'.repeat(32) };
    const step = { operation: 'import', file, edits };
    const preview = (operations: unknown[]) =>
      api.post(`${made.path}/preview`, { operations, pf_user: 'eve' });
    const before = await bytes(service, made);
    const { status, body } = await preview([step]);
    expect(status).toBe(200);
    expect(await bytes(service, made)).toEqual(before);
    const [{ rows, totals, held }] = body.steps;
    const [sum] = await query(
      `SELECT sum("Sales")::float AS all,
         (300 - sum("Sales") FILTER (WHERE "Region" = 'A' OR ("Region" = 'B' AND "Product" = 'y')))::float AS more
       FROM ${made.table} WHERE pf_iter <> 'reference'`,
    );
    expect(totals.before.value_total).toBeCloseTo(sum?.all, 6);
    expect(totals.after.value_total).toBeCloseTo(sum?.all + sum?.more, 6);
    expect(rows.map((row: Row) => row.pf_op)).toEqual(rows.map(() => 'import'));
    expect(held.row_count).toBe(0);

    const scale = { slice: { Region: 'B' }, value_incr: 1 };
    const after = await preview([{ operation: 'scale', ...scale }, step]);
    expect([after.status, after.body.field]).toEqual([409, 'operations.1.edits.1.seen']);
    await api.post(`${made.path}/scale`, { ...scale, pf_user: 'ann' });
    const late = await preview([step]);
    expect([late.status, late.body.field]).toEqual([409, 'operations.0.edits.1.seen']);
    expect((await preview([{ ...step, edits: edits.slice(0, 1) }])).status).toBe(200);
  });

  it('are answered for a closed version', async ({ service }) => {
    const { call, path } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    await service.api.post(`${path}/close`, { pf_user: 'ann' });
    const operations = [{ operation: 'scale', slice: {}, pct: 10 }];
    const { status, body } = await call('preview', { operations });
    expect([status, body.totals.after.value_total]).toEqual([200, 110]);
  });
});

describe('a refusal among several operations', () => {
  const up = { operation: 'scale', slice: {}, pct: 1 };
  const empty = { operation: 'scale', slice: { Region: 'Nowhere' }, pct: 1 };

  it.for([
    [[up, empty], 422, 'operations.1.slice', 'operations.1: The slice matches no row'],
    [[up, { ...up, operation: 'undo' }], 400, 'operations.1.operation', undefined],
    [
      [up, { slice: {}, pct: 1 }],
      400,
      'operations.1.operation',
      'operations.1.operation is missing',
    ],
    [[up, up, { operation: 'scale', pct: 1 }], 400, 'operations.2.slice', undefined],
    [[{ ...up, value_incr: 1 }], 400, 'operations.0', undefined],
    [[up, { operation: 'recode', slice: {} }], 400, 'operations.1.set', undefined],
    [[up, { ...up, slice: { Region: [] } }], 400, 'operations.1.slice.Region', undefined],
    [
      [
        up,
        {
          operation: 'scale',
          edits: [
            { slice: {}, pct: 1 },
            { slice: { 'Order Date': 'x' }, pct: 1 },
          ],
        },
      ],
      400,
      'operations.1.edits.1.slice.Order Date',
      undefined,
    ],
    [[], 400, 'operations', undefined],
    [Array(51).fill(up), 400, 'operations', 'operations: must be at most 50'],
    [undefined, 400, 'operations', 'operations is missing'],
  ] as [object[] | undefined, number, string, string | undefined][])(
    'names its place: %#',
    async ([operations, status, field, sentence], { service }) => {
      const { path, refused } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
      const said = await refused('preview', { operations }, status);
      const { body } = await service.api.post(`${path}/preview`, { operations, pf_user: 'ann' });
      expect(body.field).toBe(field);
      expect(said).toMatch(new RegExp(`^${field.split('.').slice(0, 2).join('\\.')}`));
      if (sentence !== undefined) expect(said).toBe(sentence);
    },
  );

  it('names a lock at its place', async ({ service }) => {
    const { path, refused } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', 50, 1],
    ]);
    await service.api.post(`${path}/locks`, { slice: { Region: 'B' }, pf_user: 'eve' });
    const move = { operation: 'recode', slice: { Region: 'A' }, set: { Region: 'B' } };
    expect(await refused('preview', { operations: [up, move] }, 423)).toBe(
      'operations.1: Nothing was changed, because eve has locked some of these rows',
    );
  });

  it('names no place for what concerns all of them', async ({ service }) => {
    const { call, refused } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    const said = await refused('preview', { operations: [up], pf_user: '' }, 400);
    expect(said).toBe('pf_user: must not be empty');
    const { status } = await service.api.post('/versions/999999/preview', {
      operations: [up],
      pf_user: 'ann',
    });
    expect(status).toBe(404);
    // Fifty operations are allowed. The user of the request is that of all operations.
    const most = await call('preview', { operations: Array(50).fill({ ...up, pf_user: '' }) });
    expect([most.status, most.body.error]).toEqual([200, undefined]);
  });

  it('names ignored fields and slice keys in the headers', async ({ service }) => {
    const { call } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    const operations = [
      { ...up, slice: { 'a,b': 1 } },
      { ...up, slice: { typo: 1, 'a,b': 1 }, percent: 5 },
    ];
    const { headers } = await call('preview', { operations });
    expect(headers.get('x-slice-skipped')).toBe('a%2Cb,typo');
    expect(headers.get('x-body-skipped')).toContain('operations.1.percent');
  });
});
