// Tests docs/contract/14-what-the-operations-compute.md.
import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import type { Service } from '../../support/service';
import { it, makePlan, makeSource, ok, refused } from './orders';

const user = { pf_user: 'ann' };

let tables = 0;

/** Creates a plan with rows of a group, a value and units, of the given types. */
async function planOf(
  service: Service,
  types: { v: string; u?: string },
  rows: readonly (readonly [k: string, v: number | string | null, u?: number | null])[],
) {
  const tname = `measured_${(tables += 1)}`;
  await service.query(`CREATE TABLE public.${tname} (k text, v ${types.v}, u ${types.u ?? 'int'})`);
  for (const [k, v, u] of rows)
    await service.query(`INSERT INTO public.${tname} VALUES ($1, $2, $3)`, [k, v, u ?? null]);
  const id = await makeSource(service, tname, [
    { cname: 'k', role: 'dimension' },
    { cname: 'v', role: 'value' },
    ...(types.u ? ([{ cname: 'u', role: 'units' }] as ColumnSave[]) : []),
  ]);
  const plan = await makePlan(service, id);
  const post = (operation: string, body: object) =>
    service.api.post(`${plan.path}/${operation}`, { slice: {}, ...user, ...body });
  /** Returns the rows of the newest entry by group. */
  const written = async () =>
    service.query(
      `SELECT k, v, ${types.u ? 'u' : 'NULL AS u'} FROM ${plan.table}
       WHERE pf_logid = (SELECT max(pf_logid) FROM ${plan.table}) ORDER BY pf_id`,
    );
  return { ...plan, post, written };
}

describe('Leaves, not rows', () => {
  it('nets the slice before it writes, so that a version grows by leaves instead of doubling', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const sizes: number[] = [];
    for (let i = 0; i < 5; i++) {
      ok(await service.api.post(`${path}/scale`, { ...user, slice: { region: 'South' }, pct: 10 }));
      sizes.push((await service.query(`SELECT count(*) AS n FROM ${table}`))[0].n);
    }
    expect(sizes).toEqual([15, 18, 21, 24, 27]);
    const [{ total }] = await service.query(
      `SELECT sum(amount) AS total FROM ${table} WHERE region = 'South'`,
    );
    // 355.75 plus 35.58, 39.13, 43.05, 47.35 and 52.09: a tenth each, rounded once to the cent.
    expect(total).toBe('572.95');
  });

  it('omits leaves that net to zero', async ({ service }) => {
    const { post, written } = await planOf(service, { v: 'numeric(12,2)', u: 'int' }, [
      ['gone', 5, 1],
      ['gone', -5, -1],
      ['units only', 0, 3],
      ['empty', null, null],
      ['real', 7, 2],
    ]);
    ok(await post('clone', { set: { k: 'copy' } }));
    expect(await written()).toEqual([
      { k: 'copy', v: '7.00', u: 2 },
      { k: 'copy', v: '0.00', u: 3 },
    ]);
  });
});

describe('scale', () => {
  it('spreads each measure separately; a measure without an amount gets 0', async ({ service }) => {
    const { post, written } = await planOf(service, { v: 'numeric(12,2)', u: 'smallint' }, [
      ['a', 75, 1],
      ['b', 25, 9],
    ]);
    ok(await post('scale', { value_incr: 10 }));
    expect(await written()).toEqual([
      { k: 'a', v: '7.50', u: 0 },
      { k: 'b', v: '2.50', u: 0 },
    ]);
    ok(await post('scale', { units_incr: 20 }));
    expect(await written()).toEqual([
      { k: 'a', v: '0.00', u: 2 },
      { k: 'b', v: '0.00', u: 18 },
    ]);
    ok(await post('scale', { value_incr: -11, units_incr: 3 }));
    const both = await written();
    expect(both.map((r) => Number(r.v)).reduce((a, b) => a + b)).toBe(-11);
    expect(both.map((r) => r.u).reduce((a, b) => a + b)).toBe(3);
  });

  it('by percent changes both measures, and never divides', async ({ service }) => {
    const { post, written } = await planOf(service, { v: 'numeric(12,2)', u: 'int' }, [
      ['a', 100, 10],
      ['b', -100, 20],
    ]);
    ok(await post('scale', { pct: 10 }));
    expect(await written()).toEqual([
      { k: 'a', v: '10.00', u: 1 },
      { k: 'b', v: '-10.00', u: 2 },
    ]);
    ok(await post('scale', { pct: -100 }));
    expect((await written()).map((r) => [r.k, Number(r.v), r.u])).toEqual([
      ['a', -110, -11],
      ['b', 110, -22],
    ]);
    await refused(service, () => post('scale', { pct: 50 }), 422);
  });

  it('spreads over leaves that are all 0 by units, else equally', async ({ service }) => {
    const byUnits = await planOf(service, { v: 'numeric(12,2)', u: 'int' }, [
      ['a', 0, 3],
      ['b', 0, 1],
      ['c', null, 0],
    ]);
    ok(await byUnits.post('scale', { value_incr: 100 }));
    expect(await byUnits.written()).toEqual([
      { k: 'a', v: '75.00', u: 0 },
      { k: 'b', v: '25.00', u: 0 },
    ]);
    const equally = await planOf(service, { v: 'numeric(12,2)', u: 'int' }, [
      ['a', 0, 5],
      ['b', 0, -5],
      ['c', 0, 0],
    ]);
    ok(await equally.post('scale', { value_incr: 100 }));
    expect((await equally.written()).map((r) => r.v)).toEqual(['33.33', '33.34', '33.33']);
    const alone = await planOf(service, { v: 'numeric(12,2)' }, [
      ['a', 0],
      ['b', 0],
    ]);
    ok(await alone.post('scale', { value_incr: 0.01 }));
    expect((await alone.written()).map((r) => r.v)).toEqual(['0.01']);
  });

  it('refuses leaves that net to zero, or so nearly that the parts would become huge', async ({
    service,
  }) => {
    const even = await planOf(service, { v: 'numeric(12,2)', u: 'int' }, [
      ['a', 100, 1],
      ['b', -100, 1],
    ]);
    await refused(service, () => even.post('scale', { value_incr: 10 }), 422, /cancel/);
    expect((await even.post('scale', { units_incr: 10 })).status).toBe(200);
    const nearly = await planOf(service, { v: 'numeric(12,2)' }, [
      ['a', 5000],
      ['b', -4990.01],
    ]);
    // 9990.01 / 9.99 is a little more than 1,000; with one more cent in the total it is less.
    await refused(service, () => nearly.post('scale', { value_incr: 10 }), 422, /cancel/);
    const enough = await planOf(service, { v: 'numeric(12,2)' }, [
      ['a', 5000],
      ['b', -4990],
    ]);
    ok(await enough.post('scale', { value_incr: 10 }));
    expect(await enough.written()).toEqual([
      { k: 'a', v: '5000.00', u: null },
      { k: 'b', v: '-4990.00', u: null },
    ]);
  });

  it('refuses a measure that the source does not have', async ({ service }) => {
    const { post } = await planOf(service, { v: 'numeric(12,2)' }, [['a', 1]]);
    await refused(service, () => post('scale', { units_incr: 1 }), 422, /units/);
  });
});

describe('Totals are exact', () => {
  const sum = async (service: Service, table: string, column = 'v') =>
    (
      await service.query(
        `SELECT sum(${column})::text AS s FROM ${table} WHERE pf_logid = (SELECT max(pf_logid) FROM ${table})`,
      )
    )[0].s;

  it.for([
    ['numeric(12,2)', [1, 1, 1], 100, '100.00'],
    ['numeric(12,2)', [1, 1, 1], 0.05, '0.05'],
    ['numeric(12,2)', [1, 2, -1, 7], -33.33, '-33.33'],
    ['numeric(12,2)', [3, 3, 3], 10.005, '10.01'],
    ['numeric(12,4)', [1, 1, 1], 1, '1.0000'],
    ['integer', [1, 1, 1], 10, '10'],
    ['integer', [1, 1, 1, 1, 1, 1, 1], -3, '-3'],
    ['integer', [1, 1, 1], 2.5, '3'],
    ['smallint', [30000, 1], 100000, '100000'],
    ['numeric', [1, 1, 1], 1, '1.00'],
    ['numeric', ['0.001', 1, 1], 1, '1.000'],
    ['numeric', [1, 1, 1], 0.12345, '0.12345'],
  ] as const)('%s %j by %s', async ([v, amounts, value_incr, total], { service }) => {
    const { post, table } = await planOf(
      service,
      { v },
      amounts.map((amount, i) => [`k${i}`, amount] as const),
    );
    ok(await post('scale', { value_incr }));
    expect(await sum(service, table)).toBe(total);
  });

  it('rounds cumulatively in a fixed order: each part differs from its share by at most a cent', async ({
    service,
  }) => {
    const { post, written } = await planOf(service, { v: 'numeric(12,2)' }, [
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    ok(await post('scale', { value_incr: 0.05 }));
    expect((await written()).map((r) => `${r.k} ${r.v}`)).toEqual(['a 0.02', 'b 0.01', 'c 0.02']);
  });

  it('keeps floating-point sums exact to 1e-12; the largest leaf takes the residue', async ({
    service,
  }) => {
    for (const v of ['real', 'double precision']) {
      const { post, table } = await planOf(service, { v }, [
        ['a', 0.1],
        ['b', 0.7],
        ['c', 1e6 / 3],
        ['d', -0.3],
      ]);
      ok(await post('scale', { value_incr: 1234.567 }));
      expect(Math.abs(Number(await sum(service, table)) / 1234.567 - 1)).toBeLessThan(1e-12);
    }
  });

  it('does not write rows that change nothing', async ({ service }) => {
    const { post, written } = await planOf(service, { v: 'integer', u: 'int' }, [
      ['a', 1000, 0],
      ['b', 1, 0],
      ['c', 0, 0],
    ]);
    ok(await post('scale', { value_incr: 10 }));
    expect((await written()).map((r) => [r.k, Number(r.v)])).toEqual([['a', 10]]);
  });
});

describe('recode and clone', () => {
  it('recode keeps both totals, and does not touch rows that the set does not change', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const { body } = ok(
      await service.api.post(`${path}/recode`, { ...user, slice: {}, set: { region: 'North' } }),
    );
    // Seven leaves are elsewhere and have amounts; the three of the north stay.
    expect(body).toHaveLength(16);
    expect(
      body.filter((r: { region: string; amount: number }) => r.region === 'North' && r.amount < 0)
        .length,
    ).toBe(1);
    const [totals] = await service.query(
      `SELECT sum(amount) AS amount, sum(pieces) AS pieces FROM ${table}`,
    );
    expect(totals).toEqual({ amount: '1554.00', pieces: '155' });
    const regions = await service.query(
      `SELECT region, sum(amount) AS amount FROM ${table} GROUP BY 1 HAVING sum(amount) <> 0`,
    );
    expect(regions).toEqual([{ region: 'North', amount: '1554.00' }]);
  });

  it('recode accepts null as the new value, and moves rows from null', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const recode = (slice: object, set: object) =>
      service.api.post(`${path}/recode`, { ...user, slice, set });
    ok(await recode({ region: 'North' }, { region: null, 'Order Date': null }));
    const sums = () =>
      service.query(
        `SELECT "Order Date" AS d, "Order Year" AS y, sum(amount) AS a FROM ${table} WHERE region IS NULL GROUP BY 1, 2 ORDER BY 1`,
      );
    expect(await sums()).toEqual([
      { d: '2026-04-01', y: 2026, a: '10.00' },
      { d: null, y: null, a: '175.75' },
    ]);
    ok(await recode({ region: null }, { region: 'Found' }));
    expect((await sums()).map((r) => r.a)).toEqual(['0.00', '0.00']);
  });

  it('clone adds the slice times the factor, in place by default, rounded like scale', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const clone = (more: object) =>
      service.api.post(`${path}/clone`, { ...user, slice: { region: 'North' }, ...more });
    expect(ok(await clone({ set: {} })).body).toHaveLength(3);
    const [{ total }] = await service.query(
      `SELECT sum(amount) AS total FROM ${table} WHERE region = 'North'`,
    );
    expect(total).toBe('351.50');
    for (const [scale_factor, value, units] of [
      [0.333, 117.05, 11],
      [-1, -351.5, -34],
      [2.5, 878.75, 85],
    ] as const) {
      const { body } = ok(await clone({ set: { region: `x${scale_factor}` }, scale_factor }));
      const sum = (of: string) =>
        body.reduce((s: number, r: Record<string, number>) => s + Math.round(r[of]! * 100), 0) /
        100;
      expect([sum('amount'), sum('pieces')]).toEqual([value, units]);
    }
    expect((await clone({ set: {}, scale_factor: null })).status).toBe(200);
  });
});
