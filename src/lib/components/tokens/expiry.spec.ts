import { expect, it } from 'vitest';
import { endOfDay, inOneYear } from './expiry';

it('proposes the same day of the next year', () => {
  expect(inOneYear(new Date(2026, 10, 29, 23, 30))).toBe('2027-11-29');
  expect(inOneYear(new Date(2028, 1, 29))).toBe('2029-03-01');
});

it('ends with the last second of the day where the person is', () => {
  expect(new Date(endOfDay('2027-03-31'))).toEqual(new Date(2027, 2, 31, 23, 59, 59));
});
