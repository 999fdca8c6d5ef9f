import { describe, expect, it } from 'vitest';
import { lastOfMonth } from '../../pivot/slice/date-ranges';
import { dayAfter, joinedDays, laterMonth, monthsBetween } from './months';

describe('months', () => {
  it.each([
    ['2027-01', '2027-01-31'],
    ['2027-02', '2027-02-28'],
    ['2028-02', '2028-02-29'],
    ['2027-12', '2027-12-31'],
  ])('%s ends on %s', (month, day) => {
    expect(lastOfMonth(month)).toBe(day);
  });

  it('are counted over the end of a year', () => {
    expect(laterMonth('2027-12', 1)).toBe('2028-01');
    expect(laterMonth('2027-01', -1)).toBe('2026-12');
    expect(dayAfter('2027-12-31')).toBe('2028-01-01');
    expect(monthsBetween('2027-11', '2028-02')).toEqual([
      '2027-11',
      '2027-12',
      '2028-01',
      '2028-02',
    ]);
    expect(monthsBetween('2028-02', '2027-11')).toEqual([]);
  });
});

describe('ranges of days', () => {
  const range = (from: string, to: string) => ({ from: `2027-${from}`, to: `2027-${to}` });

  it.each([
    ['one after the other', [range('04-01', '04-30'), range('01-01', '03-31')], ['01-01 04-30']],
    ['that overlap', [range('01-01', '03-31'), range('03-01', '04-30')], ['01-01 04-30']],
    ['inside another', [range('01-01', '03-31'), range('02-01', '02-28')], ['01-01 03-31']],
    [
      'with a gap',
      [range('01-01', '01-31'), range('02-02', '02-28')],
      ['01-01 01-31', '02-02 02-28'],
    ],
    ['if there are none', [], []],
  ])('are joined %s', (_, ranges, joined) => {
    expect(joinedDays(ranges).map(({ from, to }) => `${from.slice(5)} ${to.slice(5)}`)).toEqual(
      joined,
    );
  });
});
