import { describe, expect, it } from 'vitest';
import type { Slice } from '../../contract/slices';
import {
  datedPattern,
  matchOf,
  seasonality,
  shapedAmounts,
  shapeFor,
  shapeText,
  weekProfile,
  whyNoShape,
  type Pattern,
  type ShapeChoice,
} from './shape';

const column = 'Order Date';
const YEAR = { from: '2028-01-01', to: '2028-12-31' };
const group = (day: string | null) => ({ group: [day], value_total: 1, units_total: 1 });
const target = (slice: Slice, months?: (string | null)[]) => ({
  ...{ slice, column, periodColumns: ['Fiscal year'] },
  groups: months?.map(group),
});
const like = (
  pattern: Pattern,
  match: Extract<ShapeChoice, { kind: 'like' }>['match'] = 'date',
  leavesOut = false,
) => ({ kind: 'like', pattern, match, leavesOut }) as const;
const madeOf = (choice: ShapeChoice, slice: Slice, months?: (string | null)[]) =>
  shapeFor(choice, target(slice, months));

describe('shapeFor a profile', () => {
  it('leaves even periods and days to the service', () => {
    const profile = { column, unit: 'month' };
    expect(madeOf({ kind: 'even' }, {})).toEqual({
      spread: { profile: { ...profile, even: true } },
    });
    expect(madeOf({ kind: 'days' }, {})).toEqual({
      spread: { profile: { ...profile, days: true } },
    });
  });

  it('weights the months that the slice has, in every year', () => {
    const months = ['2027-12-01', '2028-01-01', '2028-03-01', '2029-03-01', null];
    expect(madeOf(weekProfile('4-4-5'), {}, months)).toEqual({
      spread: {
        profile: {
          ...{ column, unit: 'month' },
          weights: { '2027-12-01': 5, '2028-01-01': 4, '2028-03-01': 5, '2029-03-01': 5 },
        },
      },
    });
  });

  it('rises by the month from the first one, also over months without rows', () => {
    const months = ['2028-02-01', null, '2027-11-01', '2027-12-01'];
    expect(madeOf({ kind: 'ramp' }, {}, months)).toEqual({
      spread: {
        profile: {
          ...{ column, unit: 'month' },
          weights: { '2027-11-01': 1, '2027-12-01': 2, '2028-02-01': 4 },
        },
      },
    });
    expect(madeOf({ kind: 'ramp' }, {})).toMatchObject({
      problem: expect.stringMatching(/loading/),
    });
    expect(madeOf({ kind: 'ramp' }, {}, [null])).toMatchObject({
      problem: expect.stringMatching(/no weight/),
    });
  });

  it('needs the months, and a weight in one of them', () => {
    const own: ShapeChoice = { kind: 'profile', name: 'May', weights: [0, 0, 0, 0, 1] };
    expect(madeOf(own, {})).toMatchObject({ problem: expect.stringMatching(/loading/) });
    expect(madeOf(own, {}, ['2028-04-01'])).toMatchObject({
      problem: expect.stringMatching(/no weight/),
    });
    expect(madeOf(own, {}, ['2028-04-01', '2028-05-01'])).toMatchObject({
      spread: { profile: { weights: { '2028-04-01': 0, '2028-05-01': 1 } } },
    });
  });
});

describe('datedPattern', () => {
  const columns = [column, 'Quarter'];
  const target = { Region: 'West', [column]: YEAR, Quarter: 'Q1' };

  it('gives a pattern without dates those of the target', () => {
    expect(datedPattern({ Region: 'East' }, target, columns)).toEqual({
      ...{ Region: 'East', [column]: YEAR, Quarter: 'Q1' },
    });
    expect(datedPattern({}, { Region: 'West' }, columns)).toEqual({});
  });

  it('leaves a pattern with a date or a period as it is', () => {
    const patterns: Slice[] = [{ Quarter: 'Q2' }, { [column]: '2028-01-31' }];
    for (const pattern of patterns) expect(datedPattern(pattern, target, columns)).toEqual(pattern);
  });
});

describe('shapeFor a pattern', () => {
  const slice = { Region: 'West', [column]: YEAR };
  const read = (choice: ShapeChoice, of: Slice = slice) => {
    const made = madeOf(choice, of);
    return 'spread' in made ? made.spread.like : made.problem;
  };

  it('reads the selection itself in the reference or in another version', () => {
    const by = { by: [column], unit: 'month' };
    expect(read(like({ kind: 'reference' }))).toEqual({ slice, origins: ['reference'], ...by });
    expect(read(like({ kind: 'version', id: 7, name: 'B' }))).toEqual({
      slice,
      version_id: 7,
      ...by,
    });
    expect(madeOf(like({ kind: 'reference' }, 'date', true), slice)).toMatchObject({
      spread: { missing: 'leave_out' },
    });
  });

  it('reads the year before, up to the same end of month', () => {
    const moved = (value: Slice[string]) =>
      read(like({ kind: 'reference' }, 'yearBefore'), { [column]: value });
    const offset = { date_offset: '1 year' };
    expect(moved(YEAR)).toMatchObject({
      slice: { [column]: { from: '2027-01-01', to: '2027-12-31' } },
      ...offset,
    });
    const february = { from: '2029-02-01', to: '2029-02-28' };
    expect(moved(february)).toMatchObject({
      slice: { [column]: { from: '2028-02-01', to: '2028-02-29' } },
    });
    expect(moved(['2028-02-29', '2028-03-05', null])).toMatchObject({
      slice: { [column]: ['2027-02-28', '2027-03-05', null] },
    });
    expect(read(like({ kind: 'reference' }, 'yearBefore'), {})).toMatchObject({
      slice: {},
      ...offset,
    });
    expect(read(like({ kind: 'reference' }, 'yearBefore'), { 'Fiscal year': 2028 })).toMatch(
      /period/,
    );
  });

  it('matches a picked cell by date, or by the position in its range of dates', () => {
    const quarter = { [column]: { from: '2026-10-01', to: '2026-12-31' } };
    const cell: Pattern = { kind: 'cell', name: 'Q4', slice: quarter, origins: ['reference'] };
    const plain = { slice: quarter, origins: ['reference'], by: [column], unit: 'month' };
    expect(read(like(cell))).toEqual(plain);
    expect(read(like(cell, 'position'))).toEqual({ ...plain, date_offset: '15 months' });
    const days = { [column]: ['2028-03-01', '2028-01-09'] };
    expect(read(like({ ...cell, slice: days }, 'position'))).not.toHaveProperty('date_offset');
    expect(read(like(cell, 'position'), { Region: 'West' })).toMatch(/range of dates/);
    const units = { ...cell, measure: 'units', version_id: 7 } as const;
    expect(read(like(units))).toMatchObject({ measure: 'units', version_id: 7 });
  });

  it('matches a picked cell by position at first if its range begins in another month', () => {
    expect([
      matchOf(slice, { [column]: { from: '2026-10-01', to: '2026-12-31' } }, column),
      matchOf(slice, { [column]: ['2028-01-09'] }, column),
      matchOf(slice, {}, column),
    ]).toEqual(['position', 'date', 'date']);
  });
});

describe('the amounts of a shaped scale', () => {
  const draft = { now: 10, total: 12, change: 2, percent: 20 };
  const none = { edit: null, draft, isReshaped: false };
  const edit = (by: 'total' | 'change', change = 2) => ({
    ...{ edit: { by, amount: change }, draft: { ...draft, change }, isReshaped: false },
  });

  it('are a total, even the present one, an increment, or the total that is kept', () => {
    expect(shapedAmounts({ value: edit('total', 0), units: none })).toEqual({ value_total: 12 });
    expect(shapedAmounts({ value: none, units: edit('change') })).toEqual({ units_incr: 2 });
    expect(shapedAmounts({ value: edit('change'), units: { ...none, isReshaped: true } })).toEqual({
      value_incr: 2,
      units_total: 'keep',
    });
    expect(shapedAmounts({ value: edit('change', 0), units: none })).toBeNull();
    const missing = { edit: null, draft: null, isReshaped: true };
    expect(shapedAmounts({ value: none, units: missing })).toBeNull();
  });

  it('cannot be percentages, and cannot hold the price', () => {
    const percent = { by: 'percent', amount: 5 } as const;
    const total = { by: 'total', amount: 5 } as const;
    expect(whyNoShape({ edits: [total, percent], holdPrice: false })).toMatch(/percentage/);
    expect(whyNoShape({ edits: [total, null], holdPrice: true })).toMatch(/price/);
    expect(whyNoShape({ edits: [total, null], holdPrice: false })).toBeNull();
  });
});

describe('seasonality', () => {
  const sums = (...months: [string | null, number][]) =>
    seasonality(
      months.map(([day, value_total]) => ({ group: [day], value_total, units_total: null })),
      'value',
    );

  it('adds up the same months of all years', () => {
    const [january, , march] = sums(['2027-01-01', 0.1], ['2028-01-01', 0.2], ['2028-03-01', 5]);
    expect([january, march]).toEqual([0.3, 5]);
    expect(sums(['2028-12-01', 7], [null, 3])).toEqual([...Array<number>(11).fill(0), 7]);
  });

  it('refuses negative months and zeros', () => {
    expect(sums(['2028-01-01', 5], ['2028-02-01', -1])).toMatch(/less than zero/);
    expect(sums(['2028-01-01', 0])).toMatch(/no amounts/);
  });
});

describe('shapeText', () => {
  it('names profile and pattern', () => {
    expect([
      shapeText({ kind: 'even' }),
      shapeText(weekProfile('5-4-4')),
      shapeText(like({ kind: 'reference' }, 'yearBefore')),
      shapeText(like({ kind: 'version', id: 7, name: 'Plan B' })),
      shapeText(like({ kind: 'cell', name: 'Tables', slice: {} }, 'position')),
    ]).toEqual([
      'evenly by month',
      'by profile 5-4-4',
      'like the reference, a year before',
      'like Plan B',
      'like Tables, by position',
    ]);
  });
});
