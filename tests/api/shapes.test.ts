import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { datedVersion, month } from '../support/dated-version';

const profile = (weights: Record<string, number>, unit = 'month') => ({
  profile: { column: 'Order Date', unit, weights },
});
const even = (unit = 'month') => ({ profile: { column: 'Order Date', unit, even: true } });
const days = (unit = 'month') => ({ profile: { column: 'Order Date', unit, days: true } });

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

describe('a profile', () => {
  it('weights the periods of a slice by their days inside its range', async ({ service }) => {
    const { does, entries } = await datedVersion(service, [
      ['A', '2027-01-10', 1],
      ['A', '2027-01-20', 1],
      ['A', '2027-02-10', 1],
      ['A', '2027-04-10', 1],
      ['A', null, 1],
    ]);
    const slice = { 'Order Date': { from: '2027-01-18', to: '2027-04-10' } };
    // 14 days of January, 28 of February and 10 of April.
    expect(await does({ slice, value_incr: 520, spread: days() })).toEqual([
      ['A', '2027-01-20', 140, 0],
      ['A', '2027-02-10', 280, 0],
      ['A', '2027-04-10', 100, 0],
    ]);
    expect((await entries())[0].params.spread).toEqual({
      ...days(),
      resolved: [
        { group: ['2027-01-01'], value: '14', units: '14' },
        { group: ['2027-02-01'], value: '28', units: '28' },
        { group: ['2027-04-01'], value: '10', units: '10' },
      ],
    });
    // Without a range, each period has all its days. Rows without a date are in none.
    expect(await does({ value_incr: 89, spread: days() })).toEqual([
      ['A', '2027-01-10', 0.22, 0],
      ['A', '2027-01-20', 30.78, 0],
      ['A', '2027-02-10', 28, 0],
      ['A', '2027-04-10', 30, 0],
    ]);
  });

  it.for([
    ['day', ['2027-01-03', '2027-01-04', '2027-03-31', '2027-12-31']],
    ['week', ['2026-12-28', '2027-01-04', '2027-03-29', '2027-12-27']],
    ['month', ['2027-01-01', '2027-03-01', '2027-12-01']],
    ['quarter', ['2027-01-01', '2027-10-01']],
    ['year', ['2027-01-01']],
  ] as const)('groups days by %s', async ([unit, periods], { service }) => {
    const rows = ['2027-01-03', '2027-01-04', '2027-03-31', '2027-12-31'];
    const { does, entries, latest } = await datedVersion(
      service,
      rows.map((day) => ['A', day, 1]),
    );
    await does({ value_incr: 12, spread: even(unit) });
    expect((await entries())[0].params.spread.resolved).toEqual(
      periods.map((period) => ({ group: [period], value: '1', units: '1' })),
    );
    const weights = Object.fromEntries(periods.map((period) => [period, 2]));
    const evenly = await latest();
    expect(await does({ value_incr: 12, spread: profile(weights, unit) })).toEqual(evenly);
  });

  it('names up to five periods without a row, or leaves them out', async ({ service }) => {
    const { does, refused } = await datedVersion(service, [
      ['A', month(1), 10],
      ['A', month(12), 10],
    ]);
    const all = Array.from({ length: 12 }, (_, i) => [month(i + 1), 1] as const);
    const spread = profile({ ...Object.fromEntries(all), [month(2)]: 0 });
    expect(await refused({ value_incr: 10, spread })).toEqual({
      error:
        'The slice has no row for 2027-03-01, 2027-04-01, 2027-05-01, 2027-06-01, 2027-07-01 and 4 more; send "missing": "leave_out" to part the amount over the others',
      field: 'spread',
    });
    expect(await does({ value_incr: 10, spread: { ...spread, missing: 'leave_out' } })).toEqual([
      ['A', '2027-01-01', 5, 0],
      ['A', '2027-12-01', 5, 0],
    ]);
    const nowhere = { ...profile({ [month(3)]: 1 }), missing: 'leave_out' };
    expect((await refused({ value_incr: 10, spread: nowhere })).error).toMatch(/add up to zero/);
    expect((await refused({ slice: { Region: 'nobody' }, value_incr: 1, spread })).error).toBe(
      'The slice matches no row',
    );
  });

  it('applies to each of several edits, to a kept total and to a preview', async ({ service }) => {
    const { does, path } = await datedVersion(service, [
      ['A', month(1), 10],
      ['A', month(2), 10],
      ['B', month(1), 10],
    ]);
    const edits = [
      { slice: { Region: 'A' }, value_incr: 100, spread: profile({ [month(1)]: 1 }) },
      { slice: { Region: 'A' }, value_total: 60, spread: even(), keep: {} },
    ];
    const body = { slice: undefined, edits };
    const tried = await service.api.post(`${path}/scale/preview`, { edits, pf_user: 'ann' });
    expect(tried.body.totals).toMatchObject([
      { before: { value_total: 20 }, after: { value_total: 120 } },
      { before: { value_total: 120 }, after: { value_total: 60 } },
    ]);
    expect(tried.body.sql).toContain("(ARRAY['2027-01-01']::text[], '10000e-2'::numeric");
    expect(await does(body)).toEqual([
      ['A', '2027-01-01', 100, 0],
      ['A', '2027-01-01', -80, 0],
      ['A', '2027-02-01', 20, 0],
      ['B', '2027-01-01', 60, 0],
    ]);
  });

  it('parts doubles, and leaves their noise alone', async ({ service }) => {
    const { does, refused } = await datedVersion(
      service,
      [
        ['A', month(1), 0.1],
        ['B', month(1), 0.2],
        ['A', month(2), 0.3],
      ],
      'double precision',
    );
    await refused({ value_total: 'keep', spread: even() });
    const written = await does({ value_total: 3, spread: even() });
    expect(written.map(([, day]) => day)).toEqual(['2027-01-01', '2027-02-01', '2027-01-01']);
    const amounts = written.map((row) => Number(row[2]));
    expect(amounts[0]! + amounts[2]!).toBeCloseTo(1.2, 12);
    expect(amounts[1]).toBeCloseTo(1.2, 12);
  });

  it('rounds to the decimals of the amounts if the column has none of its own', async ({
    service,
  }) => {
    const { does } = await datedVersion(
      service,
      [
        ['A', month(1), 1.0001],
        ['A', month(2), 1],
        ['A', month(3), 1],
      ],
      'numeric',
    );
    expect(await does({ value_incr: 1, spread: even() })).toEqual([
      ['A', '2027-01-01', 0.3333, 0],
      ['A', '2027-02-01', 0.3334, 0],
      ['A', '2027-03-01', 0.3333, 0],
    ]);
  });

  it('is redone with its weights, and replayed on the periods of the day', async ({ service }) => {
    const { does, entries, latest, path, table } = await datedVersion(service, [
      ['A', month(1), 10],
      ['A', month(2), 10],
    ]);
    await does({ value_incr: 60, spread: even() });
    const [{ id }] = await entries();
    await service.api.del(`/log/${id}`);
    await service.query(
      `INSERT INTO ${table} ("Region", "Order Date", "Sales", "Units", pf_iter, pf_logid)
       SELECT 'A', '2027-03-01', 10, 0, 'baseline', min(pf_logid) FROM ${table}`,
    );
    const redone = await service.api.post(`${path}/redo/${id}`, { pf_user: 'eve' });
    expect(redone.status).toBe(200);
    expect(await latest()).toEqual([
      ['A', '2027-01-01', 30, 0],
      ['A', '2027-02-01', 30, 0],
    ]);
    const source = table.replace('pf."fc_', 'public."').replace(/_\d+"$/, '"');
    await service.query(
      `INSERT INTO ${source} ("Region", "Order Date", "Sales") VALUES ('A', '2027-03-01', 10)`,
    );
    const replayed = await service.api.post(`${path}/replay`, { name: 'Again', pf_user: 'eve' });
    expect(replayed.body.error).toBeUndefined();
    const again = `/versions/${replayed.body.version.id}`;
    const [entry] = (await service.api.get(`${again}/log`)).body.entries;
    expect(entry.params.spread.resolved.map(({ group }: { group: string[] }) => group)).toEqual([
      ['2027-01-01'],
      ['2027-02-01'],
      ['2027-03-01'],
    ]);
  });

  it('is refused with a percentage, another spread or a wrong form', async ({ service }) => {
    const { refused } = await datedVersion(service, [['A', month(1), 10, 1]]);
    const date = { column: 'Order Date', unit: 'month' };
    for (const [body, field] of [
      [{ pct: 5, spread: even() }, 'spread'],
      [{ value_pct: 5, spread: even() }, 'spread'],
      [{ value_incr: 5, spread: { ...even(), price: true } }, 'spread.price'],
      [{ value_incr: 5, spread: 'even' }, 'spread'],
      [{ value_incr: 5, spread: [even()] }, 'spread'],
      [{ value_incr: 5, spread: {} }, 'spread.profile'],
      [{ value_incr: 5, spread: { profile: date } }, 'spread.profile'],
      [{ value_incr: 5, spread: { profile: { ...date, even: false } } }, 'spread.profile.even'],
      [
        { value_incr: 5, spread: { profile: { ...date, even: true, days: true } } },
        'spread.profile',
      ],
      [{ value_incr: 5, spread: even('decade') }, 'spread.profile.unit'],
      [{ value_incr: 5, spread: { ...even(), missing: 'ignore' } }, 'spread.missing'],
      [{ value_incr: 5, spread: profile({}) }, 'spread.profile.weights'],
      [{ value_incr: 5, spread: profile({ [month(1)]: 0 }) }, 'spread.profile.weights'],
      [{ value_incr: 5, spread: profile({ [month(1)]: -1 }) }, 'spread.profile.weights.2027-01-01'],
      [
        { value_incr: 5, spread: profile({ '2027-01-02': 1 }) },
        'spread.profile.weights.2027-01-02',
      ],
      [{ value_incr: 5, spread: profile({ january: 1 }) }, 'spread.profile.weights.january'],
      [
        { value_incr: 5, spread: profile({ [month(1)]: 1 }, 'week') },
        'spread.profile.weights.2027-01-01',
      ],
      [
        { value_incr: 5, spread: { profile: { column: 'Region', unit: 'month', even: true } } },
        'spread.profile.column',
      ],
      [
        { value_incr: 5, spread: { ...even(), resolved: [{ group: [], value: '1' }] } },
        'spread.resolved.0.group',
      ],
      [
        { value_incr: 5, spread: { ...even(), resolved: [{ group: [null], value: 'x' }] } },
        'spread.resolved.0.value',
      ],
    ] as const) {
      expect([body, (await refused(body, 400)).field]).toEqual([body, field]);
    }
    const edits = [{ slice: {}, value_incr: 5, spread: profile({ '2027-01-02': 1 }) }];
    const inEdits = await refused({ slice: undefined, edits }, 400);
    expect(inEdits.field).toBe('edits.0.spread.profile.weights.2027-01-02');
    const signs = [
      { group: ['2027-01-01'], value: '1' },
      { group: ['2027-02-01'], value: '-1' },
    ];
    const mixed = { ...even(), missing: 'leave_out', resolved: signs };
    expect(await refused({ units_incr: 5, spread: mixed })).toMatchObject({
      error: 'The weights of units add up to zero in this slice',
    });
  });
});

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
