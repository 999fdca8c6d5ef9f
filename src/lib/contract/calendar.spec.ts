import { describe, expect, it } from 'vitest';
import {
  dayAfter,
  daysOfPeriod,
  firstDay,
  isFirstDay,
  isWeek53,
  lastDay,
  lastOfMonth,
  laterMonth,
  monthsBetween,
  periodOfDay,
} from './calendar';

it.each([
  ['month', '2027-02-15', '2027-02-01', '2027-02-28'],
  ['month', '2028-02-29', '2028-02-01', '2028-02-29'],
  ['quarter', '2027-12-31', '2027-10-01', '2027-12-31'],
  ['year', '12028-07-01', '12028-01-01', '12028-12-31'],
  ['year', '0050-07-01', '0050-01-01', '0050-12-31'],
  ['day', '2028-02-29', '2028-02-29', '2028-02-29'],
  ['week', '1970-01-01', '1969-12-29', '1970-01-04'],
  ['week', '2027-01-01', '2026-12-28', '2027-01-03'],
  ['week', '2027-01-04', '2027-01-04', '2027-01-10'],
] as const)('a %s with %s is from %s to %s', (unit, day, first, last) => {
  const period = periodOfDay(day, unit);
  expect([firstDay(period, unit), lastDay(period, unit)]).toEqual([first, last]);
  expect(periodOfDay(first, unit)).toBe(period);
  expect(periodOfDay(last, unit)).toBe(period);
  expect(periodOfDay(firstDay(period + 1, unit), unit)).toBe(period + 1);
});

it.each([
  ['2027-02-01', 'month', {}, 28],
  ['2028-02-01', 'month', {}, 29],
  ['2027-04-01', 'quarter', {}, 91],
  ['2028-01-01', 'year', {}, 366],
  ['2027-01-04', 'week', {}, 7],
  ['2027-01-04', 'day', {}, 1],
  ['2027-01-01', 'month', { from: '2027-01-15' }, 17],
  ['2027-01-01', 'month', { to: '2027-01-15' }, 15],
  ['2027-01-01', 'quarter', { from: '2027-01-31', to: '2027-03-01' }, 30],
  ['0050-01-01', 'year', {}, 365],
  ['12028-01-01', 'year', {}, 366],
] as const)('the %s of the %s has, in %o, %i days', (first, unit, range, days) => {
  expect(daysOfPeriod(first, unit, range)).toBe(days);
});

it.each([
  ['2027-01-15', 'day', true],
  ['2027-01-04', 'week', true],
  ['2027-01-01', 'week', false],
  ['2027-05-01', 'month', true],
  ['2027-05-02', 'month', false],
  ['2027-04-01', 'quarter', true],
  ['2027-05-01', 'quarter', false],
  ['2027-01-01', 'year', true],
  ['2027-04-01', 'year', false],
  ['12027-01-01', 'year', true],
] as const)('%s is the first day of a %s: %s', (day, unit, isFirst) => {
  expect(isFirstDay(day, unit)).toBe(isFirst);
});

describe('the 53rd week of a year', () => {
  it.each([
    ['2020-12-28', true],
    ['2021-01-03', true],
    ['2021-01-04', false],
    ['2021-12-27', false],
    ['2026-12-31', true],
    ['1998-12-31', true],
    ['2000-01-01', false],
  ])('contains %s: %s', (day, contained) => {
    expect(isWeek53(periodOfDay(day, 'week'))).toBe(contained);
  });

  it('comes 71 times in 400 years', () => {
    const [from, to] = [periodOfDay('2001-01-01', 'week'), periodOfDay('2400-12-31', 'week')];
    const weeks = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    expect(weeks.filter(isWeek53)).toHaveLength(71);
  });
});

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
    expect(laterMonth('12027-12', 1)).toBe('12028-01');
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
