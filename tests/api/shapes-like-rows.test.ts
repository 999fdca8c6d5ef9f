import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { datedVersion, month } from '../support/dated-version';
import { even } from '../support/profile-spreads';

describe('a shape like other rows', () => {
  const like = (more: object) => ({
    like: { slice: {}, by: ['Order Date'], unit: 'month', ...more },
  });

  it('has the sums of a slice as weights, each measure its own or both the same', async ({
    service,
  }) => {
    const { does, entries, byDay } = await datedVersion(service, [
      ['A', month(1), 50, 1],
      ['A', month(2), 50, 1],
      ['B', month(1), 1, 9],
      ['B', '2027-02-20', 3, 3],
    ]);
    const spread = like({ slice: { Region: 'B' } });
    const slice = { Region: 'A' };
    expect(await does({ slice, value_incr: 10, units_incr: 4, spread })).toEqual([
      ['A', '2027-01-01', 2.5, 3],
      ['A', '2027-02-01', 7.5, 1],
    ]);
    expect((await entries())[0].params.spread).toEqual({
      ...spread,
      resolved: [
        { group: ['2027-01-01'], value: '1.00', units: '9' },
        { group: ['2027-02-01'], value: '3.00', units: '3' },
      ],
    });
    const byUnits = like({ slice: { Region: 'B' }, measure: 'units' });
    expect(await does({ slice, value_total: 200, spread: byUnits })).toEqual([
      ['A', '2027-01-01', 97.5, 0],
      ['A', '2027-02-01', -7.5, 0],
    ]);
    expect(await byDay()).toEqual({ '2027-01-01': 151, '2027-02-01': 50, '2027-02-20': 3 });
  });

  it('reads other origins, another version and other dates', async ({ service }) => {
    const { does, path, sourceId } = await datedVersion(service, [
      ['A', '2027-01-31', 10],
      ['B', '2027-02-28', 30],
      ['B', null, 60],
    ]);
    const earlier = { date_offset: '-1 year', pf_user: 'ann' };
    await service.api.post(`${path}/reference`, earlier);
    await does({ slice: { Region: 'B' }, pct: -100 });
    const lastYear = { origins: ['reference'], date_offset: '1 year' };
    const by10to90 = [
      ['A', '2027-01-31', 1, 0],
      ['B', '2027-02-28', 3, 0],
      ['B', null, 6, 0],
    ];
    expect(await does({ value_incr: 10, spread: like(lastYear) })).toEqual(by10to90);
    const other = await service.api.post(`/sources/${sourceId}/versions`, { name: 'Other' });
    await service.api.post(`/versions/${other.body.id}/baseline`, earlier);
    const there = { version_id: other.body.id, date_offset: '1 year' };
    expect(await does({ value_incr: 10, spread: like(there) })).toEqual(by10to90);
  });

  it('parts by dimensions and dates together, null and numbers included', async ({ service }) => {
    const { does, refused } = await datedVersion(service, [
      ['A', month(1), 10],
      ['A', month(2), 30],
      [null, month(2), 60],
    ]);
    const spread = like({ by: ['Region', 'Size', 'Order Date'] });
    expect(await does({ value_total: 200, spread })).toEqual([
      ['A', '2027-01-01', 10, 0],
      ['A', '2027-02-01', 30, 0],
      [null, '2027-02-01', 60, 0],
    ]);
    const missing = await refused({ slice: { Region: 'A' }, value_incr: 5, spread });
    expect(missing.error).toMatch(/^The slice has no row for null \/ 1 \/ 2027-02-01; /);
  });

  it('is refused for weights of both signs, of zero and of no row', async ({ service }) => {
    const { refused } = await datedVersion(service, [
      ['A', month(1), 10, 0],
      ['B', month(1), 1, 0],
      ['B', month(2), -1, 0],
      ['A', month(2), 10, 1],
    ]);
    const of = (slice: object, amounts: object) =>
      refused({ slice: { Region: 'A' }, ...amounts, spread: like({ slice }) });
    expect((await of({ Region: 'B' }, { value_incr: 5 })).error).toMatch(/differ in sign/);
    expect((await of({ Region: 'B' }, { units_incr: 5 })).error).toMatch(/add up to zero/);
    expect(await of({ Region: 'C' }, { value_incr: 5 })).toEqual({
      error: 'spread.like.slice: the pattern matches no row',
      field: 'spread.like.slice',
    });
  });

  it('is redone with its weights, and replayed on the sums of the day', async ({ service }) => {
    const { call, does, entries, latest, path, table } = await datedVersion(service, [
      ['A', month(1), 10],
      ['A', month(2), 30],
    ]);
    await does({ value_incr: 100, spread: like({}) });
    const [{ id }] = await entries();
    await service.api.del(`/log/${id}`);
    await call({ slice: { 'Order Date': month(1) }, value_incr: 20 });
    await service.api.post(`${path}/redo/${id}`, { pf_user: 'eve' });
    expect((await latest()).map((row) => row[2])).toEqual([25, 75]);
    const source = table.replace('pf."fc_', 'public."').replace(/_\d+"$/, '"');
    await service.query(`UPDATE ${source} SET "Sales" = 70 WHERE "Order Date" = '2027-02-01'`);
    const replayed = await service.api.post(`${path}/replay`, { name: 'Again', pf_user: 'eve' });
    const again = `/versions/${replayed.body.version.id}/log`;
    const [entry] = (await service.api.get(again)).body.entries;
    expect(entry.params.spread.resolved.map(({ value }: { value: string }) => value)).toEqual([
      '30.00',
      '70.00',
    ]);
  });

  it('is refused in a wrong form, and names keys that select nothing', async ({ service }) => {
    const { call, refused } = await datedVersion(service, [['A', month(1), 10, 1]]);
    for (const [more, status, field] of [
      [{ by: [] }, 400, 'spread.like.by'],
      [{ by: ['Sales'] }, 400, 'spread.like.by.0'],
      [{ by: ['Region', 'Region'] }, 400, 'spread.like.by'],
      [{ unit: undefined }, 400, 'spread.like.unit'],
      [{ by: ['Region'], date_offset: '1 year' }, 400, 'spread.like.date_offset'],
      [{ date_offset: 'soon' }, 400, 'spread.like.date_offset'],
      [{ origins: ['plan'] }, 400, 'spread.like.origins.0'],
      [{ slice: { typo: 1 } }, 400, 'spread.like.slice'],
      [{ slice: { 'Order Date': 'today' } }, 400, 'spread.like.slice.Order Date'],
      [{ version_id: 987 }, 422, 'spread.like.version_id'],
      [{ measure: 'price' }, 400, 'spread.like.measure'],
      [{ even: true }, 400, 'spread.like.even'],
    ] as const) {
      const refusal = await refused({ value_incr: 5, spread: like(more) }, status);
      expect([more, refusal.field]).toEqual([more, field]);
    }
    const both = { ...like({}), ...even() };
    expect((await refused({ value_incr: 5, spread: both }, 400)).field).toBe('spread.like');
    const known = like({ slice: { Region: 'A', typo: 1 } });
    const done = await call({ value_incr: 5, spread: known });
    expect([done.status, done.headers.get('X-Slice-Skipped')]).toEqual([200, 'typo']);
  });
});
