import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { version } from '../support/small-version';

describe('scale', () => {
  it('gives a measure without an amount exactly 0, even if its leaves cancel each other out', async ({
    service,
  }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 10, 5],
      ['B', 30, -5],
    ]);
    expect(await does('scale', { value_incr: 4 })).toEqual([
      ['A', 1, 0],
      ['B', 3, 0],
    ]);
  });

  it('spreads over leaves that are all 0 by their units', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 0, 1],
      ['B', null, 3],
      ['C', 0, 0],
    ]);
    expect(await does('scale', { value_incr: 10 })).toEqual([
      ['A', 2.5, 0],
      ['B', 7.5, 0],
    ]);
  });

  it('spreads over leaves that are all 0 equally if the units net to 0', async ({ service }) => {
    const { does } = await version(service, 'numeric(12,2)', [
      ['A', 0, 2],
      ['B', 0, -2],
      ['C', 0, 0],
    ]);
    expect(await does('scale', { value_incr: 10 })).toEqual([
      ['A', 3.33, 0],
      ['B', 3.34, 0],
      ['C', 3.33, 0],
    ]);
  });

  it('treats the noise of doubles that cancel each other out as zero', async ({ service }) => {
    const { does, refused, path } = await version(service, 'double precision', [
      ['A', 0.1],
      ['A', 0.2],
      ['A', -0.3],
      ['B', 0],
    ]);
    await refused('recode', { slice: { Region: 'A' }, set: { Region: 'C' } });
    // The totals that a page announces from are 0 as well: a percentage of them changes nothing.
    const sliced = await service.api.post(`${path}/slice`, {
      slice: { Region: 'A' },
    });
    const zero = { value_total: 0, value_gross: null };
    expect(sliced.body).toMatchObject({ row_count: 3, value_total: 0, free: zero });
    await refused('scale', { slice: { Region: 'A' }, pct: 10 });
    expect(await does('scale', { value_incr: 10 })).toEqual([
      ['A', 5, 0],
      ['B', 5, 0],
    ]);
  });

  it('writes no negative zero', async ({ service }) => {
    const { does, table } = await version(service, 'double precision', [['A', 0, 1]]);
    await does('recode', { set: { Region: 'B' } });
    await does('clone', { set: {}, scale_factor: -1 });
    await does('scale', { units_incr: -50 });
    await does('scale', { pct: -50 });
    const rows = await service.query(`SELECT FROM ${table} WHERE "Sales"::text = '-0'`);
    expect(rows).toEqual([]);
  });

  it('refuses an amount if the leaves cancel each other out, with the reason; percent works', async ({
    service,
  }) => {
    const { does, refused } = await version(service, 'numeric(12,2)', [
      ['A', 100, 1],
      ['B', -100, 1],
    ]);
    expect(await refused('scale', { value_incr: 1 })).toMatch(/cancel/);
    expect(await does('scale', { pct: 10 })).toEqual([
      ['A', 10, 0],
      ['B', -10, 0],
    ]);
  });

  it('spreads up to 1,000 times the increment, and refuses more', async ({ service }) => {
    // 1001 + 999 is 1,000 times the total of 2.
    const edge = await version(service, 'numeric(12,2)', [
      ['A', 1001],
      ['B', -999],
    ]);
    expect(await edge.does('scale', { value_incr: 2 })).toEqual([
      ['A', 1001, 0],
      ['B', -999, 0],
    ]);
    const beyond = await version(service, 'numeric(12,2)', [
      ['A', 1001.01],
      ['B', -999.01],
    ]);
    expect(await beyond.refused('scale', { value_incr: 2 })).toMatch(/cancel/);
  });

  it('refuses an increment that rounds to zero, and accepts the smallest that does not', async ({
    service,
  }) => {
    const cents = await version(service, 'numeric(12,2)', [['A', 10, 10]]);
    await cents.refused('scale', { value_incr: 0.00499 });
    await cents.refused('scale', { units_incr: 0.4 });
    expect(await cents.does('scale', { value_incr: 0.005 })).toEqual([['A', 0.01, 0]]);
    expect(await cents.does('scale', { units_incr: -0.5 })).toEqual([['A', 0, -1]]);
    const fine = await version(service, 'numeric(30,11)', [['A', 10, 10]]);
    expect(await fine.does('scale', { value_incr: 5e-12 })).toEqual([['A', 1e-11, 0]]);
    const coarse = await version(service, 'numeric(12,-2)', [['A', 1000, 10]]);
    await coarse.refused('scale', { value_incr: 49.99 });
    expect(await coarse.does('scale', { value_incr: -50 })).toEqual([['A', -100, 0]]);
  });

  it('rounds a numeric without a scale to the finest of slice and increment, at least cents', async ({
    service,
  }) => {
    const { does } = await version(service, 'numeric', [
      ['A', 1],
      ['B', 1],
      ['C', 1],
    ]);
    expect(await does('scale', { value_incr: 1 })).toEqual([
      ['A', 0.33, 0],
      ['B', 0.34, 0],
      ['C', 0.33, 0],
    ]);
    expect(await does('scale', { value_incr: 0.0004 })).toEqual([
      ['A', 0.0001, 0],
      ['B', 0.0002, 0],
      ['C', 0.0001, 0],
    ]);
  });

  it('refuses both pct and an increment, neither, and a change of zero', async ({ service }) => {
    const { refused } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    await refused('scale', { pct: 1, value_incr: 1 }, 400);
    await refused('scale', {}, 400);
    await refused('scale', { pct: null, value_incr: null }, 400);
    await refused('scale', { pct: 0 });
    await refused('scale', { value_incr: 0, units_incr: 0 });
  });

  it('refuses a measure that the source does not have', async ({ service }) => {
    const noUnits = await version(service, 'numeric(12,2)', [['A', 1]], null);
    await noUnits.refused('scale', { value_incr: 1, units_incr: 1 });
    expect(await noUnits.does('scale', { pct: 100 })).toEqual([['A', 1, null]]);
    const noValue = await version(service, null, [['A', null, 4]]);
    await noValue.refused('scale', { value_incr: 1 });
    expect(await noValue.does('scale', { units_incr: 1 })).toEqual([['A', null, 1]]);
    const neither = await version(service, null, [['A']], null);
    await neither.refused('scale', { pct: 10 });
    await neither.refused('recode', { set: { Region: 'B' } });
    await neither.refused('clone', { set: {} });
  });

  it('refuses an amount beyond its column without a trace', async ({ service }) => {
    const { refused } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    await refused('scale', { units_incr: 1e19 });
  });

  it('adds at most one row per leaf, however often a slice is scaled', async ({ service }) => {
    const { does, table } = await version(
      service,
      'numeric(12,2)',
      Array.from({ length: 60 }, (_, i) => [`R${i % 6}`, i + 1, i]),
    );
    for (let i = 0; i < 10; i += 1) {
      expect((await does('scale', { pct: 10 })).length).toBeLessThanOrEqual(6);
    }
    const [{ n }] = await service.query(`SELECT count(*) AS n FROM ${table}`);
    expect(n).toBeLessThanOrEqual(60 + 10 * 6);
  });

  it('is exact over 10,000 leaves, with doubles to 1e-12 of the change', async ({ service }) => {
    for (const [type, tolerance] of [
      ['numeric(12,2)', 0],
      ['double precision', 1e-12],
    ] as const) {
      const rows = Array.from({ length: 10_000 }, (_, i): [string, number, number] => [
        `R${i}`,
        ((i * 7919) % 100_003) / 100 - 100,
        (i * 31) % 17,
      ]);
      const { call, table } = await version(service, type, rows, 'smallint');
      const answer = await call('scale', { value_incr: 123_456.78, units_incr: -4321 });
      expect(answer.body.error).toBeUndefined();
      const [{ value, units, moved }] = await service.query(
        `SELECT sum("Sales")::float8 AS value, sum("Units")::int AS units,
           sum(abs("Sales"))::float8 AS moved
         FROM ${table} WHERE pf_iter = 'scale'`,
      );
      expect(units).toBe(-4321);
      expect(Math.abs(value - 123_456.78)).toBeLessThanOrEqual(tolerance * moved);
    }
  });
});

it('rounds each running part once, however large the increment', async ({ service }) => {
  const cents = Array.from({ length: 400 }, (_, i) => BigInt(101 + ((i * 7919) % 9973)));
  const { call } = await version(
    service,
    'numeric(20,2)',
    cents.map((amount, i) => [
      `R${1000 + i}`,
      `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`,
      1,
    ]),
  );
  const increment = 987_654_321_098_765n;
  const { body: rows } = await call('scale', { value_incr: Number(increment) / 100 });

  // In cents, with whole numbers: increment × running / total, rounded half away from zero.
  const total = cents.reduce((sum, amount) => sum + amount);
  let running = 0n;
  let before = 0n;
  const wanted = cents.map((amount) => {
    running += amount;
    const upTo = (2n * increment * running + total) / (2n * total);
    const part = upTo - before;
    before = upTo;
    return part;
  });
  expect(rows.map((row: { Sales: number }) => BigInt(Math.round(row.Sales * 100)))).toEqual(wanted);
});
