import { describe, expect } from 'vitest';
import { it } from '../support/api';
import type { Service } from '../support/service';
import { version } from '../support/small-version';

describe('an increment that is spread equally', () => {
  it('gives every leaf the same amount, including those that net to zero, and adds up', async ({
    service,
  }) => {
    const { does, path } = await version(service, 'numeric(12,2)', [
      ['A', 10, 1],
      ['A', -10, -1],
      ['B', 5000, 3],
      ['C'],
    ]);
    expect(await does('scale', { value_incr: 10, units_incr: 10, spread: 'equal' })).toEqual([
      ['A', 3.33, 3],
      ['B', 3.34, 4],
      ['C', 3.33, 3],
    ]);
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    expect(entry.params).toEqual({ value_incr: 10, units_incr: 10, spread: 'equal' });
    expect(await does('scale', { value_incr: -0.02, spread: 'equal' })).toEqual([
      ['A', -0.01, 0],
      ['C', -0.01, 0],
    ]);
  });

  it('gives the residue of a double to one leaf', async ({ service }) => {
    const { does } = await version(service, 'double precision', [['A', 1], ['B', 2], ['C']]);
    const written = await does('scale', { value_incr: 1, spread: 'equal' });
    const parts = written.map(([, value]) => value as number);
    expect(parts).toHaveLength(3);
    for (const part of parts) expect(part).toBeCloseTo(1 / 3, 12);
    expect(parts.reduce((sum, part) => sum + part)).toBe(1);
  });

  it('spreads over leaves that cancel each other out', async ({ service }) => {
    const { does, refused } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', -100, 1],
    ]);
    await refused('scale', { value_incr: 1, spread: 'proportional' });
    expect(await does('scale', { value_incr: 1, spread: 'equal' })).toEqual([
      ['A', 0.5, 0],
      ['B', 0.5, 0],
    ]);
  });

  it('is refused with percent, and under another name', async ({ service }) => {
    const { call, refused } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    const answer = await call('scale', { pct: 10, spread: 'equal' });
    expect([answer.status, answer.body.field]).toEqual([400, 'spread']);
    expect(await refused('scale', { value_incr: 1, spread: 'evenly' }, 400)).toMatch(/^spread/);
    expect((await call('scale', { pct: 10, spread: 'proportional' })).status).toBe(200);
  });

  it('requires a new generation if the stored template is older', async ({ service }) => {
    const { sourceId, refused, does } = await version(service, 'numeric(12,2)', [
      ['A', 1, 1],
      ['B', 3, 1],
    ]);
    await service.query(
      `UPDATE pf.sql SET sql = replace(sql, $$WHEN {{spread}} = 'equal' THEN 1$$, '')
       WHERE source_id = $1 AND operation = 'scale'`,
      [sourceId],
    );
    const equally = { value_incr: 4, spread: 'equal' };
    expect(await refused('scale', equally, 409)).toMatch(/generate/);
    expect(await does('scale', { value_incr: 4 })).toEqual([
      ['A', 1, 0],
      ['B', 3, 0],
    ]);
    await service.api.post(`/sources/${sourceId}/sql`);
    expect(await does('scale', equally)).toEqual([
      ['A', 2, 0],
      ['B', 2, 0],
    ]);
  });
});

describe('a percentage of one measure', () => {
  it('changes only its total, exactly, and is stored as a percentage', async ({ service }) => {
    const { does, path } = await version(service, 'numeric(12,2)', [
      ['A', 10, 1],
      ['B', 0.33, 3],
      ['C', 20, 2],
    ]);
    // 5 % of 30.33 is 1.5165.
    expect(await does('scale', { value_pct: 5 })).toEqual([
      ['A', 0.5, 0],
      ['B', 0.02, 0],
      ['C', 1, 0],
    ]);
    const params = async () => (await service.api.get(`${path}/log`)).body.entries[0].params;
    expect(await params()).toEqual({ value_incr: null, units_incr: null, value_pct: 5 });
    expect(await does('scale', { value_incr: 3, units_pct: 50 })).toHaveLength(3);
    expect(await params()).toEqual({ value_incr: 3, units_incr: null, units_pct: 50 });
    const [{ value_total, units_total }] = (await service.api.get(`${path}/log`)).body.entries;
    expect([value_total, units_total]).toEqual([3, 3]);
  });

  it.for(['numeric', 'double precision'])('applies to a %s', async (type, { service }) => {
    const { does } = await version(service, type, [
      ['A', 0.125, 1],
      ['B', 0.375, 1],
    ]);
    const written = await does('scale', { value_pct: 10 });
    const sum = written.reduce((total, [, value]) => total + Number(value), 0);
    expect(sum).toBeCloseTo(0.05, 12);
  });

  it('applies to all rows, even if some are held', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 60, 1],
      ['B', 40, 1],
    ]);
    expect(await does('scale', { value_pct: 10, hold: [{ Region: 'A' }] })).toEqual([['B', 10, 0]]);
  });

  it('applies to the result of the previous edits', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    const slice = { Region: 'A' };
    const edits = [
      { slice, value_pct: 10 },
      { slice, value_pct: 10 },
    ];
    expect(await does('scale', { slice: undefined, edits })).toEqual([
      ['A', 10, 0],
      ['A', 11, 0],
    ]);
  });

  it('is redone on the current sum of the rows', async ({ service }) => {
    const { does, call, path, latest } = await version(service, 'numeric(12,2)', [['A', 100, 1]]);
    await does('scale', { value_pct: 10 });
    const [{ id }] = (await service.api.get(`${path}/log`)).body.entries;
    await service.api.send(`/log/${id}`, { method: 'DELETE' });
    await call('scale', { value_incr: 100 });
    expect((await service.api.post(`${path}/redo/${id}`, { pf_user: 'eve' })).status).toBe(200);
    expect(await latest()).toEqual([['A', 20, 0]]);
  });

  it('is refused beside an amount, beside pct, without an effect and without a measure', async ({
    service,
  }) => {
    const { refused, call } = await version(service, 'numeric(12,2)', [
      ['A', 10, 1],
      ['B', -10, 1],
    ]);
    const both = 'Send an amount or a percentage for a measure, not both';
    expect(await refused('scale', { value_pct: 1, value_incr: 1 }, 400)).toBe(both);
    expect(await refused('scale', { value_pct: 1, pct: 1 }, 400)).toMatch(/not both/);
    expect(await refused('scale', {}, 400)).toMatch(/value_pct or units_pct/);
    const spread = { value_pct: 1, spread: 'equal' };
    expect(await refused('scale', spread, 400)).toMatch(/not a percentage/);
    expect(await refused('scale', { value_pct: 0 })).toMatch(/zero/);
    expect(await refused('scale', { value_pct: 5 })).toMatch(/changes nothing/);
    expect(await refused('scale', { units_pct: 1 })).toMatch(/changes nothing/);
    const answer = await call('scale', { slice: { Region: 'A' }, value_pct: '5' });
    expect([answer.status, answer.body.field]).toEqual([400, 'value_pct']);
    const huge = await version(service, 'double precision', [['A', 1e300, 1]]);
    await huge.refused('scale', { value_pct: 1e20 });
    const valueless = await version(service, null, [['A', null, 1]]);
    expect(await valueless.refused('scale', { value_pct: 5 })).toMatch(/no value column/);
  });
});

describe('an increment at a held price', () => {
  /** Returns the value per unit of each region after all writes. */
  const prices = async (
    { query }: Service,
    { table }: Awaited<ReturnType<typeof version>>,
  ): Promise<[string, number][]> =>
    (
      await query(
        `SELECT "Region", SUM("Sales") / SUM("Units") AS price FROM ${table} GROUP BY 1 ORDER BY 1`,
      )
    ).map(({ Region, price }) => [Region, Number(price)]);

  it('spreads value like units, so that each leaf keeps its price', async ({ service }) => {
    const planned = await version(service, 'numeric(12,2)', [
      ['A', 10, 1],
      ['B', 60, 2],
      ['C', 21, 3],
      ['D', 40, 4],
    ]);
    const { does, path } = planned;
    // In proportion, leaves without new units would get value: the price of A becomes 13.05.
    const held = { value_incr: 40, units_incr: 3, spread: 'price' };
    const written = await does('scale', held);
    expect(written).toEqual([
      ['B', 25.53, 1],
      ['C', 5.96, 1],
      ['D', 8.51, 1],
    ]);
    const [entry] = (await service.api.get(`${path}/log`)).body.entries;
    expect(entry.params).toEqual(held);
    expect(await prices(service, planned)).toEqual([
      ['A', 10],
      ['B', expect.closeTo(28.51, 2)],
      ['C', expect.closeTo(6.74, 2)],
      ['D', expect.closeTo(9.7, 2)],
    ]);
  });

  it('holds every price to the cent if whole units allow it', async ({ service }) => {
    const planned = await version(service, 'numeric(12,2)', [
      ['A', 29.5, 10],
      ['B', 59, 20],
      ['C', 880, 40],
    ]);
    expect(
      await planned.does('scale', { value_incr: 96.85, units_incr: 7, spread: 'price' }),
    ).toEqual([
      ['A', 2.95, 1],
      ['B', 5.9, 2],
      ['C', 88, 4],
    ]);
    expect(await prices(service, planned)).toEqual([
      ['A', 2.95],
      ['B', 2.95],
      ['C', 22],
    ]);
  });

  it('gives leaves without units their share', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 100, 10],
      ['fees', 50, null],
    ]);
    expect(await does('scale', { value_incr: 15, units_incr: 1, spread: 'price' })).toEqual([
      ['A', 10, 1],
      ['fees', 5, 0],
    ]);
  });

  it('is refused with the reason if the leaves with units have no value', async ({ service }) => {
    const { refused } = await version(service, 'numeric(12,2)', [
      ['A', 100],
      ['B', 0, 5],
    ]);
    const held = { value_incr: 10, units_incr: 1, spread: 'price' };
    expect(await refused('scale', { ...held, slice: { Region: 'B' } })).toMatch(/price/);
  });

  it('needs both amounts, and no percentage', async ({ service }) => {
    const { call } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    for (const amounts of [{ value_incr: 1 }, { value_incr: 1, units_incr: 0 }, { pct: 10 }]) {
      const answer = await call('scale', { ...amounts, spread: 'price' });
      expect([answer.status, answer.body.field]).toEqual([400, 'spread']);
    }
  });
});
