import { expect, it } from 'vitest';
import { firstDay, lastDay, periodOfDay } from './periods';

it.each([
  ['month', '2027-02-15', '2027-02-01', '2027-02-28'],
  ['month', '2028-02-29', '2028-02-01', '2028-02-29'],
  ['quarter', '2027-12-31', '2027-10-01', '2027-12-31'],
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
