import { expect, it } from 'vitest';
import { daysOfPeriod, isFirstDay } from './period-days';

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
