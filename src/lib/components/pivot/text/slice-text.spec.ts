import { describe, expect, it } from 'vitest';
import type { Slice } from '$lib/contract/slices';
import { conditionText, entryTexts, memberText, sharedConditions, sliceTexts } from './slice-text';

it('writes members as the grid labels them', () => {
  const texts = [null, '', 'empty', '2027-01-05', true].map((value) => memberText(value, true));
  expect(texts).toEqual(['(empty)', '(blank)', 'empty', 'Jan 5, 2027', 'yes']);
  expect(memberText('2027-01-05', false)).toBe('2027-01-05');
});

describe('conditionText', () => {
  it.each([
    ['West', 'Region = West'],
    [null, 'Region is empty'],
    ['', 'Region is blank'],
    ['null', 'Region = null'],
    [0, 'Region = 0'],
    [false, 'Region = no'],
    [[null, 'null'], 'Region in empty, null'],
    [['a', 'b', 'c', 'd', 'e'], 'Region in a, b, c and 2 more'],
    ['2027-01-05', 'Region = Jan 5, 2027'],
    ['2027-01-05T00:00:00.000Z', 'Region = Jan 5, 2027'],
    [['2027-01-05', null], 'Region in Jan 5, 2027, empty'],
    ['2027-01-05 a.m.', 'Region = 2027-01-05 a.m.'],
    [{ from: '2027-01-01', to: '2027-03-31' }, 'Region in Jan 2027 to Mar 2027'],
    [{ from: '2027-01-01', to: '2027-12-31' }, 'Region in 2027'],
    [{ from: '2028-02-01', to: '2028-02-29' }, 'Region in Feb 2028'],
    [{ from: '2028-02-01', to: '2028-02-28' }, 'Region from Feb 1, 2028 to Feb 28, 2028'],
    [{ from: '2027-01-01', to: '12027-12-31' }, 'Region from Jan 1, 2027 to 12027-12-31'],
    [{ from: '2027-01-02', to: '2027-03-31' }, 'Region from Jan 2, 2027 to Mar 31, 2027'],
    [{ from: '2027-01-01' }, 'Region from Jan 1, 2027'],
    [{ to: '2027-03-31' }, 'Region up to Mar 31, 2027'],
  ])('writes %j as "%s"', (value, text) => {
    expect(conditionText('Region', value)).toBe(text);
  });

  it('names the month or the year that contains the days', () => {
    const days = (month: string) => [1, 2, 3, 4].map((day) => `2026-${month}-0${day}`);
    expect(conditionText('Date', days('02'))).toBe('Date in Feb 2026 (4 days)');
    expect(conditionText('Date', [...days('01'), ...days('12')])).toBe('Date in 2026 (8 days)');
    expect(conditionText('Date', [...days('02'), ...days('05')])).toBe(
      'Date in Feb 2026 to May 2026 (8 days)',
    );
  });
});

it('writes moments of columns with times, and a text that only looks like one as it is', () => {
  const at = '2027-01-05T14:30:05.000Z';
  expect(conditionText('Seen', at)).toMatch(/^Seen = Jan 5, 2027, 2:30:05\sPM$/);
  expect(conditionText('Batch', at, false)).toBe(`Batch = ${at}`);
});

it('writes a text that only looks like a day as it is', () => {
  const words = {
    labelOf: (column: string) => column,
    isDay: (column: string) => column === 'Day',
  };
  const slice = { Day: '2027-01-05', Batch: '2027-01-05' };
  expect(sliceTexts(slice, words)).toEqual(['Day = Jan 5, 2027', 'Batch = 2027-01-05']);
  const batches = ['2027-01-05', '2027-01-06', '2027-01-07', '2027-01-08'];
  expect(conditionText('Batch', batches, false)).toBe(
    'Batch in 2027-01-05, 2027-01-06, 2027-01-07 and 1 more',
  );
});

it('returns the conditions that several slices share', () => {
  const words = { labelOf: (column: string) => column };
  const slices = ['2027-01', '2027-02'].map((month) => ({
    Product: 'Chairs',
    Region: ['East', 'West'],
    Date: { from: `${month}-01`, to: `${month}-28` },
  }));
  const texts = (...given: typeof slices) => sharedConditions(given, words).map(({ text }) => text);
  expect(texts(...slices)).toEqual(['Product = Chairs', 'Region in East, West']);
  expect(texts()).toEqual([]);
});

describe('entryTexts', () => {
  const scale = (slice: Slice, within?: Slice[][]) => ({
    ...{ id: 1, version_id: 1, pf_user: 'ann', stamp: '2026-11-21T22:44:03.100Z', note: null },
    ...{ operation: 'scale' as const, slice, params: { pct: 5, ...(within && { within }) } },
  });
  const labels = { labelOf: (name: string) => name };
  const north = { Region: 'North' };

  it('names the territories that an entry is limited to', () => {
    expect(entryTexts(scale({}, [[north]]), labels)).toEqual(['within Region = North']);
    const entry = scale({ Product: 'x' }, [[north, { Product: 'y' }], [north]]);
    expect(entryTexts(entry, labels)).toEqual([
      'Product = x',
      'within Region = North or Product = y',
      'within Region = North',
    ]);
  });

  it('does not repeat territories that the slice is inside of', () => {
    const wide = { Region: ['North', 'East'] };
    expect(entryTexts(scale({ Product: 'x', ...north }, [[wide]]), labels)).toEqual([
      'Product = x',
      'Region = North',
    ]);
    expect(entryTexts(scale(wide, [[north]]), labels)).toEqual([
      'Region in North, East',
      'within Region = North',
    ]);
  });

  it('says nothing of territories for an entry without them', () => {
    expect(entryTexts(scale({}), labels)).toEqual([]);
  });
});
