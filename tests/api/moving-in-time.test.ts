import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { cases } from '../support/cases.js';
import { show, sum } from '../support/exact';
import { slice, table, type Table } from '../support/generated';
import { clone, recode, type Cell } from '../support/model';
import { bytes, expectRows, plan, stored, type Planned } from '../support/planned';
import type { Service } from '../support/service';
import { version } from '../support/small-version';

/** Sales by day and region, with the year derived from the calendar. */
async function launch(service: Service, rows: [string | null, string, number][]) {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Order Date', type: 'date', role: 'date', group: 'order' },
      { name: 'Year', type: 'integer', role: 'dimension', group: 'order', period: 'cal_year' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    rows.map(([day, Region, Sales]) => ({ 'Order Date': day, Region, Sales })),
  );
  await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  const call = (operation: string, body: object) =>
    service.api.post(`${planned.path}/${operation}`, { slice: {}, pf_user: 'ann', ...body });
  const does = async (operation: string, body: object) => {
    const answer = await call(operation, body);
    expect(answer.body.error).toBeUndefined();
    return answer.body.map((row: Record<string, Cell>) => [
      row['Order Date'],
      row.Region,
      row.Year,
      row.Sales,
    ]);
  };
  const params = async () => (await service.api.get(`${planned.path}/log`)).body.entries[0].params;
  return { ...planned, call, does, params };
}

describe('a recode with a factor', () => {
  it('moves that share of each leaf, rounded so that the share of the total is exact', async ({
    service,
  }) => {
    const { does, path } = await version(service, 'numeric(12,2)', [
      ['A', 10.01, 3],
      ['B', 10.01, 3],
      ['C', 10.01, 3],
      ['Z', 5, 1],
    ]);
    const move = { slice: {}, set: { Region: 'Z' }, factor: 0.2 };
    // 20 % of 30.03 is 6.006, of 9 pieces 1.8. Leaves of Z stay where they are.
    const rows = await does('recode', move);
    expect(rows.slice(0, 3)).toEqual([
      ['A', -2, -1],
      ['B', -2, 0],
      ['C', -2.01, -1],
    ]);
    // Rows with the same keys are in any order.
    expect(rows.slice(3).sort()).toEqual([
      ['Z', 2, 0],
      ['Z', 2, 1],
      ['Z', 2.01, 1],
    ]);
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    expect(entry.params).toEqual({ set: { Region: 'Z' }, factor: 0.2 });
    expect([entry.value_total, entry.units_total]).toEqual([0, 0]);
    await service.api.del(`/log/${entry.id}`);
    const again = await service.api.post(`${path}/redo/${entry.id}`, { pf_user: 'eve' });
    expect(again.body).toHaveLength(6);
  });

  it('does not round doubles, and moves everything with 1', async ({ service }) => {
    const { does } = await version(service, 'double precision', [['A', 10, 4]]);
    expect(await does('recode', { set: { Region: 'B' }, factor: 0.25 })).toEqual([
      ['A', -2.5, -1],
      ['B', 2.5, 1],
    ]);
    expect(await does('recode', { set: { Region: 'C' }, factor: 1 })).toHaveLength(4);
  });

  it('is refused outside of 0 to 1, and if the share rounds to zero', async ({ service }) => {
    const { refused, call } = await version(service, 'numeric(12,2)', [['A', 0.01, 1]]);
    for (const factor of [0, -0.5, 1.01, '0.5']) {
      await refused('recode', { set: { Region: 'B' }, factor }, 400);
    }
    expect((await call('recode', { set: { Region: 'B' }, factor: 2 })).body.field).toBe('factor');
    expect(await refused('recode', { set: { Region: 'B' }, factor: 0.2 })).toMatch(
      /rounds to zero/,
    );
  });

  it('is previewed', async ({ service }) => {
    const { path } = await version(service, 'numeric(12,2)', [['A', 10, 4]]);
    const body = { slice: { Region: 'A' }, set: { Region: 'B' }, factor: 0.3, pf_user: 'ann' };
    const tried = (await service.api.post(`${path}/recode/preview`, body)).body;
    expect(tried.totals.after).toEqual({ row_count: 2, value_total: 7, units_total: 3 });
  });

  it('needs columns as they were when the SQL was generated', async ({ service }) => {
    const { sourceId, refused, call } = await version(service, 'numeric(12,2)', [['A', 10, 4]]);
    await service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'Product', role: 'ignore' }]);
    const move = { set: { Region: 'B' } };
    expect(await refused('recode', { ...move, factor: 0.5 }, 409)).toMatch(/"Product"/);
    expect(await refused('recode', move, 409)).toMatch(/generate/);
    await service.api.post(`/sources/${sourceId}/sql`);
    expect((await call('recode', { ...move, factor: 0.5 })).body).toHaveLength(2);
  });
});

describe('a shift', () => {
  const rows: [string | null, string, number][] = [
    ['2026-11-30', 'A', 10],
    ['2026-12-31', 'A', 20],
    ['2035-12-31', 'A', 30],
    [null, 'A', 40],
  ];

  it('moves the date of each leaf, to the last day of a shorter month, with its periods', async ({
    service,
  }) => {
    const { does, params, path } = await launch(service, rows);
    const shift = { 'Order Date': '3 months' };
    expect(await does('recode', { shift })).toEqual([
      ['2026-11-30', 'A', 2026, -10],
      ['2026-12-31', 'A', 2026, -20],
      ['2035-12-31', 'A', 2035, -30],
      ['2027-02-28', 'A', 2027, 10],
      ['2027-03-31', 'A', 2027, 20],
      // The calendar ends before.
      ['2036-03-31', 'A', null, 30],
    ]);
    expect(await params()).toEqual({ set: {}, shift });
    const [{ id }] = (await service.api.get(`${path}/log`)).body.entries;
    await service.api.del(`/log/${id}`);
    const again = await service.api.post(`${path}/redo/${id}`, { pf_user: 'eve' });
    expect(again.body).toHaveLength(6);
  });

  it('can be combined with a set of other columns and a factor, and works in a clone', async ({
    service,
  }) => {
    const { does, params } = await launch(service, rows.slice(0, 2));
    expect(
      await does('recode', {
        slice: { 'Order Date': '2026-11-30' },
        set: { Region: 'B' },
        shift: { 'Order Date': '-1 year' },
        factor: 0.5,
      }),
    ).toEqual([
      ['2026-11-30', 'A', 2026, -5],
      ['2025-11-30', 'B', 2025, 5],
    ]);
    const shift = { 'Order Date': '1 mon' };
    expect(
      await does('clone', { slice: { Region: 'A' }, set: {}, shift, scale_factor: 2 }),
    ).toEqual([
      ['2026-12-30', 'A', 2026, 10],
      ['2027-01-31', 'A', 2027, 40],
    ]);
    expect(await params()).toEqual({ set: {}, shift, scale_factor: 2 });
  });

  it('is refused for a column that is not a date, an unreadable interval, and a column that is also set', async ({
    service,
  }) => {
    const { call, path } = await launch(service, rows);
    const before = (await service.api.get(`${path}/log`)).body;
    for (const [body, status, field] of [
      [{ shift: { Region: '3 months' } }, 400, 'shift.Region'],
      [{ shift: { Year: '3 months' } }, 400, 'shift.Year'],
      [{ shift: { 'Order Date': 'soon' } }, 400, 'shift.Order Date'],
      [{ shift: { 'Order Date': 3 } }, 400, 'shift.Order Date'],
      [{ shift: [] }, 400, 'shift'],
      [{ shift: { 'Order Date': '1 day' }, set: { 'Order Date': null } }, 400, 'shift'],
      [{ shift: { 'Order Date': '1 day' }, set: { Year: 2027 } }, 400, 'set.Year'],
      [{ shift: { 'Order Date': '70000 years' } }, 422, 'shift.Order Date'],
      [{ shift: { 'Order Date': '-3000 years' } }, 422, 'shift.Order Date'],
      [{ shift: { 'Order Date': '10000000 years' } }, 400, 'shift.Order Date'],
      [{ shift: { 'Order Date': '0 days' } }, 422, undefined],
      [{ shift: {} }, 422, 'set'],
      [{}, 400, 'set'],
    ] as const) {
      const answer = await call('recode', body);
      expect([body, answer.status, answer.body.field]).toEqual([body, status, field]);
    }
    expect((await call('clone', { shift: { Region: '1 day' } })).status).toBe(400);
    expect((await service.api.get(`${path}/log`)).body).toEqual(before);
  });

  it('is refused for a date with dimensions that the calendar cannot derive', async ({
    service,
  }) => {
    const planned = await plan(
      service,
      [
        { name: 'Order Date', type: 'date', role: 'date', group: 'order' },
        { name: 'Season', type: 'text', role: 'dimension', group: 'order' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      [{ 'Order Date': '2027-01-01', Season: 'winter', Sales: 1 }],
    );
    await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
    const body = { slice: {}, shift: { 'Order Date': '6 months' }, pf_user: 'ann' };
    const refused = await service.api.post(`${planned.path}/recode`, body);
    expect([refused.status, refused.body.column]).toEqual([400, 'Order Date']);
    const set = { Season: 'summer' };
    expect((await service.api.post(`${planned.path}/recode`, { ...body, set })).status).toBe(200);
  });
});

describe('factors of a clone', () => {
  const months: [string, string, number][] = [
    ['2026-10-15', 'A', 100],
    ['2026-11-15', 'A', 100.01],
    ['2026-12-15', 'A', 100],
  ];
  const factors = [
    { from: '2027-01-01', to: '2027-01-31', factor: 0.25 },
    { from: '2027-02-01', to: '2027-02-28', factor: 0.5 },
  ];

  it('ramp a copy up by its own dates, exactly; other dates take scale_factor', async ({
    service,
  }) => {
    const { does, params, path } = await launch(service, months);
    const copy = {
      set: { Region: 'New' },
      shift: { 'Order Date': '3 months' },
      factors,
      scale_factor: 2,
    };
    expect(await does('clone', copy)).toEqual([
      ['2027-01-15', 'New', 2027, 25],
      ['2027-02-15', 'New', 2027, 50.01],
      ['2027-03-15', 'New', 2027, 200],
    ]);
    expect(await params()).toEqual(copy);
    const [{ id, value_total }] = (await service.api.get(`${path}/log`)).body.entries;
    // 25 + 50.005 + 200, rounded once.
    expect(value_total).toBe(275.01);
    await service.api.del(`/log/${id}`);
    const again = await service.api.post(`${path}/redo/${id}`, { pf_user: 'eve' });
    expect(again.body).toHaveLength(3);
  });

  it('apply to dates that stay or are set, and to one open end', async ({ service }) => {
    const { does } = await launch(service, months);
    expect(
      await does('clone', { set: { Region: 'B' }, factors: [{ to: '2026-11-30', factor: 0 }] }),
    ).toEqual([['2026-12-15', 'B', 2026, 100]]);
    const set = { Region: 'C', 'Order Date': '2027-02-01' };
    expect(await does('clone', { slice: { Region: 'B' }, set, factors })).toEqual([
      ['2027-02-01', 'C', 2027, 50],
    ]);
  });

  it('are refused if they overlap, are empty, or there is no date', async ({ service }) => {
    const { call } = await launch(service, months);
    for (const [wrong, field] of [
      [[], 'factors'],
      [[{ factor: 1 }], 'factors.0'],
      [[{ from: '2027-01-01' }], 'factors.0.factor'],
      [[{ from: 'today', factor: 1 }], 'factors.0.from'],
      [[{ from: '2027-02-01', to: '2027-01-01', factor: 1 }], 'factors.0'],
      [[{ from: '2027-01-31', factor: 1 }, ...factors], 'factors.0'],
      [[...factors, { to: '2027-01-01', factor: 1 }], 'factors.0'],
    ] as const) {
      const answer = await call('clone', { set: { Region: 'B' }, factors: wrong });
      expect([wrong, answer.status, answer.body.field]).toEqual([wrong, 400, field]);
    }
    const none = await plan(
      service,
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'integer', role: 'value' },
      ],
      [{ Region: 'A', Sales: 1 }],
    );
    await service.api.post(`${none.path}/baseline`, { pf_user: 'ann' });
    const body = { slice: {}, set: {}, factors, pf_user: 'ann' };
    const refused = await service.api.post(`${none.path}/clone`, body);
    expect([refused.status, refused.body.field]).toEqual([422, 'factors']);
  });

  it('multiply doubles', async ({ service }) => {
    const { does } = await version(service, 'double precision', [['A', 10, 4]]);
    const factors = [{ to: '2030-01-01', factor: 3 }];
    const set = { Region: 'B', 'Order Date': '2027-01-01' };
    expect(await does('clone', { set, factors })).toEqual([['B', 30, 12]]);
  });
});

const shifts = fc.record(
  { 'Order Date': fc.constantFrom(-13, -1, 1, 3, 12), select: fc.constantFrom(-1, 6) },
  { requiredKeys: [] },
);
const RAMP = [
  { to: '2026-02-28', factor: 0.333 },
  { from: '2026-03-01', to: '2027-06-30', factor: -1.5 },
];
const ramp = (keys: Record<string, Cell>, column: string): number => {
  const day = keys[column];
  if (typeof day !== 'string') return 2;
  return day <= '2026-02-28' ? 0.333 : day <= '2027-06-30' ? -1.5 : 2;
};

for (const grain of [false, true]) {
  it(`moves and copies random tables exactly, and is undone byte for byte, ${grain ? 'at a grain' : 'row by row'}`, async ({
    service,
  }) => {
    const { api } = service;
    const values = fc.record(
      { Region: fc.constantFrom('North', '', null), 'sub-cat': fc.constantFrom(7, null) },
      { requiredKeys: [] },
    );
    const check = async (
      source: Table,
      planned: Planned,
      path: string,
      body: object,
      outcome: ReturnType<typeof recode>,
    ) => {
      const before = await bytes(service, planned);
      const answer = await api.post(`${planned.path}/${path}`, { ...body, pf_user: 'ann' });
      if (!('rows' in outcome)) {
        expect(answer.status).toBe(outcome.status);
        expect(await bytes(service, planned)).toEqual(before);
        return;
      }
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      const [entry] = (await api.get(`${planned.path}/log`)).body.entries;
      const written = await stored(service, planned, entry.id);
      expectRows(planned, written, outcome.rows);
      if (path === 'recode') {
        for (const m of ['value', 'units'] as const) {
          if (!planned.shape[m]?.kind.exact) continue;
          expect(show(sum(written.flatMap((row) => row[m]?.at ?? [])))).toBe('0');
        }
      }
      await api.del(`/log/${entry.id}`);
      expect(await bytes(service, planned)).toEqual(before);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(table(grain), slice, values, shifts, fc.constantFrom(0.2, 0.333, 0.0001, 0.999)),
        async ([source, slice, set, shift, factor]) => {
          const planned = await plan(service, source.columns, source.rows, {
            exclude_iters: source.exclude,
          });
          await api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
          if (source.twice) await api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
          const state = {
            rows: await stored(service, planned),
            exclude: source.exclude,
            shape: planned.shape,
          };
          const intervals = Object.fromEntries(
            Object.entries(shift).map(([name, months]) => [name, `${months} months`]),
          );
          const move = { slice, set, shift: intervals };
          const share = recode(state, slice, set, { shift, factor });
          await check(source, planned, 'recode', { ...move, factor }, share);
          const date = 'Order Date' in shift || !('select' in shift) ? 'Order Date' : 'select';
          const ramped = clone(state, slice, set, 2, { shift, ramp: (keys) => ramp(keys, date) });
          const body = { ...move, scale_factor: 2, factors: RAMP };
          await check(source, planned, 'clone', body, ramped);
        },
      ),
      { numRuns: cases(16) },
    );
  });
}
