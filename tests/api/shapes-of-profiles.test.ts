import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { datedVersion, month } from '../support/dated-version';
import { profile, even } from '../support/profile-spreads';

const days = (unit = 'month') => ({ profile: { column: 'Order Date', unit, days: true } });

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
