import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { datedVersion, month } from '../support/dated-version';
import { profile, even } from '../support/profile-spreads';

describe('an increment with a profile', () => {
  it('is parted over the periods by weight, then in proportion inside each', async ({
    service,
  }) => {
    const { does, entries } = await datedVersion(service, [
      ['A', month(1), 10, 1],
      ['B', '2027-01-20', 30, 3],
      ['A', month(2), 5, 2],
      ['A', month(3), 7, 0],
      ['A', month(4), 1, 1],
    ]);
    const spread = profile({ [month(1)]: 4, [month(2)]: 4, [month(3)]: 1 });
    // 44.44, 44.45 and 11.11 by rounded running shares; January 11.11 and 33.33.
    expect(await does({ value_incr: 100, spread })).toEqual([
      ['A', '2027-01-01', 11.11, 0],
      ['A', '2027-02-01', 44.45, 0],
      ['A', '2027-03-01', 11.11, 0],
      ['B', '2027-01-20', 33.33, 0],
    ]);
    const [entry] = await entries();
    expect([entry.value_total, entry.params]).toEqual([
      100,
      { value_incr: 100, units_incr: null, spread },
    ]);
    // Units have no amount in March, so its part is spread in equal parts.
    expect(await does({ units_incr: 9, spread })).toEqual([
      ['A', '2027-01-01', 0, 1],
      ['A', '2027-02-01', 0, 4],
      ['A', '2027-03-01', 0, 1],
      ['B', '2027-01-20', 0, 3],
    ]);
  });

  it('is spread equally in a group whose leaves cancel each other out', async ({ service }) => {
    const { does } = await datedVersion(service, [
      ['A', month(1), 10],
      ['B', month(1), -10],
      ['C', month(1), 0],
      ['A', month(2), 1000.01],
      ['B', month(2), -1000],
    ]);
    expect(await does({ value_incr: 0.4, spread: even() })).toEqual([
      ['A', '2027-01-01', 0.07, 0],
      ['A', '2027-02-01', 0.1, 0],
      ['B', '2027-01-01', 0.06, 0],
      ['B', '2027-02-01', 0.1, 0],
      ['C', '2027-01-01', 0.07, 0],
    ]);
  });

  it('goes to the periods that have something free', async ({ service }) => {
    const { does, path, refused } = await datedVersion(service, [
      ['A', month(1), 10],
      ['B', month(1), 30],
      ['A', month(2), 5],
      ['A', month(3), 5],
    ]);
    const closed = { 'Order Date': { from: month(2), to: '2027-02-28' } };
    await service.api.post(`${path}/locks`, { slice: closed, pf_user: 'ann' });
    const spread = profile({ [month(1)]: 1, [month(2)]: 5, [month(3)]: 3 });
    const hold = [{ Region: 'B' }];
    expect(await does({ value_incr: 100, spread, hold })).toEqual([
      ['A', '2027-01-01', 25, 0],
      ['A', '2027-03-01', 75, 0],
    ]);
    const onlyClosed = profile({ [month(2)]: 1 });
    expect((await refused({ value_incr: 1, spread: onlyClosed })).error).toMatch(/held or locked/);
    expect((await refused({ value_incr: 1, spread, hold: [{}] })).error).toBe(
      'Every row of the slice is held or locked; there is nothing to spread over',
    );
  });
});

describe('a total with a profile', () => {
  it('becomes the sum of its shares, and periods without a weight become 0', async ({
    service,
  }) => {
    const { does, byDay } = await datedVersion(service, [
      ['A', month(1), 10],
      ['B', month(1), 30],
      ['A', month(2), 5],
      ['A', month(3), 55],
      ['A', null, 0.5],
    ]);
    const spread = profile({ [month(1)]: 1, [month(2)]: 2, [month(3)]: 0 });
    expect(await does({ value_total: 100, spread })).toEqual([
      ['A', '2027-01-01', -1.67, 0],
      ['A', '2027-02-01', 61.67, 0],
      ['A', '2027-03-01', -55, 0],
      ['A', null, -0.5, 0],
      ['B', '2027-01-01', -5, 0],
    ]);
    expect(await byDay()).toEqual({
      '': 0,
      '2027-01-01': 33.33,
      '2027-02-01': 66.67,
      '2027-03-01': 0,
    });
  });

  it('includes held rows in the share of their period, and leaves out held periods', async ({
    service,
  }) => {
    const { does, path, byDay } = await datedVersion(service, [
      ['A', month(1), 10],
      ['B', month(1), 30],
      ['A', month(2), 20],
      ['A', month(3), 40],
    ]);
    await service.api.post(`${path}/locks`, {
      slice: { 'Order Date': '2027-03-01' },
      pf_user: 'ann',
    });
    // 200 less the locked 40 are parted 1 : 3; the held 30 of January count there.
    const spread = profile({ [month(1)]: 1, [month(2)]: 3, [month(3)]: 9 });
    expect(await does({ value_total: 200, spread, hold: [{ Region: 'B' }] })).toEqual([
      ['A', '2027-02-01', 100, 0],
    ]);
    expect(await does({ value_total: 100, spread, hold: [{ Region: 'B' }] })).toEqual([
      ['A', '2027-01-01', -25, 0],
      ['A', '2027-02-01', -75, 0],
    ]);
    expect(await byDay()).toEqual({ '2027-01-01': 15, '2027-02-01': 45, '2027-03-01': 40 });
  });

  it('keeps the present total, and is refused if nothing changes', async ({ service }) => {
    const { does, refused, entries } = await datedVersion(service, [
      ['A', month(1), 10, 4],
      ['A', month(2), 50, 4],
      ['B', month(2), 50, 4],
    ]);
    expect(await does({ value_total: 'keep', spread: even() })).toEqual([
      ['A', '2027-01-01', 45, 0],
      ['A', '2027-02-01', -22.5, 0],
      ['B', '2027-02-01', -22.5, 0],
    ]);
    const [entry] = await entries();
    expect([entry.value_total, entry.params.value_total]).toEqual([0, 'keep']);
    const again = await refused({ value_total: 'keep', spread: even() });
    expect(again).toEqual({
      error: 'The slice already has this total in this shape; there is nothing to write',
      field: 'value_total',
    });
    await refused({ value_total: 110, spread: even() });
    // Units are not in this shape yet.
    expect(await does({ value_total: 'keep', units_total: 'keep', spread: even() })).toEqual([
      ['A', '2027-01-01', 0, 2],
      ['A', '2027-02-01', 0, -1],
      ['B', '2027-02-01', 0, -1],
    ]);
    expect((await refused({ value_total: 'keep' }, 400)).field).toBe('value_total');
    await refused({ value_total: 'keep', spread: 'equal' }, 400);
    await refused({ value_total: 'kept', spread: even() }, 400);
  });

  it('parts value and units each, and takes an increment beside a total', async ({ service }) => {
    const { does } = await datedVersion(service, [
      ['A', month(1), 10, 1],
      ['A', month(2), 50, 9],
    ]);
    expect(await does({ value_total: 100, units_incr: 4, spread: even() })).toEqual([
      ['A', '2027-01-01', 40, 2],
      ['A', '2027-02-01', 0, 2],
    ]);
  });
});

describe('months of a slice', () => {
  it('are answered with their totals, without excluded rows', async ({ service }) => {
    const { path } = await datedVersion(service, [
      ['A', month(1), 10, 1],
      ['B', '2027-01-20', 30.25, 3],
      ['A', month(3), -7, 0],
      ['C', null, 2, null],
    ]);
    const reference = { pf_user: 'ann' };
    await service.api.post(`${path}/reference`, reference);
    const slice = async (body: object) =>
      (await service.api.post(`${path}/slice`, { slice: {}, ...body })).body;
    const unit = 'month';
    expect((await slice({ by: ['Order Date'], unit })).groups).toEqual([
      { group: [month(1)], value_total: 40.25, units_total: 4 },
      { group: [month(3)], value_total: -7, units_total: 0 },
      { group: [null], value_total: 2, units_total: 0 },
    ]);
    expect((await slice({ slice: { Region: 'B' }, by: ['Region'] })).groups).toEqual([
      { group: ['B'], value_total: 30.25, units_total: 3 },
    ]);
    const plain = await slice({});
    expect([plain.excluded.row_count, plain.groups]).toEqual([4, undefined]);
    expect(await slice({ by: ['Order Date'] })).toMatchObject({ field: 'unit' });
    expect(await slice({ by: ['Sales'] })).toMatchObject({ field: 'by.0', column: 'Sales' });
  });

  it('are previewed with weights and with totals before and after', async ({ service }) => {
    const { path, does } = await datedVersion(service, [
      ['A', month(1), 10, 1],
      ['B', '2027-01-20', 30, 3],
      ['A', month(2), 5, 2],
      ['A', month(3), 7, 0],
    ]);
    const spread = profile({ [month(1)]: 4, [month(2)]: 4, [month(3)]: 1 });
    const previewed = async (body: object) => {
      const ask = { slice: {}, pf_user: 'ann', ...body };
      return (await service.api.post(`${path}/scale/preview`, ask)).body.groups;
    };
    const group = (
      number: number,
      weight: number,
      before: number,
      after: number,
      units: number,
    ) => ({
      group: [month(number)],
      weights: { value: weight, units: weight },
      before: { value_total: before, units_total: units },
      after: { value_total: after, units_total: units },
    });
    expect(await previewed({ value_total: 90, spread })).toEqual([
      group(1, 4, 40, 40, 4),
      group(2, 4, 5, 40, 2),
      group(3, 1, 7, 10, 0),
    ]);
    expect(await previewed({ value_total: 90 })).toBeUndefined();
    const like = { slice: { Region: 'B' }, by: ['Order Date'], unit: 'month' };
    const two = { 'Order Date': { from: month(1), to: '2027-02-28' } };
    await does({ slice: { Region: 'B' }, value_incr: 1 });
    const answer = await previewed({ slice: two, value_total: 'keep', spread: { like } });
    expect(answer).toMatchObject([
      { weights: { value: 31, units: 3 }, before: { value_total: 41 }, after: { value_total: 46 } },
      {
        weights: { value: null, units: null },
        before: { value_total: 5 },
        after: { value_total: 0 },
      },
    ]);
  });
});
