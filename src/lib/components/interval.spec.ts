import { describe, expect, it } from 'vitest';
import { describeOffset, formatInterval, parseInterval } from './interval';

describe('parseInterval', () => {
  it.each([
    ['1 year', { years: 1, months: 0, days: 0 }],
    ['6 months', { years: 0, months: 6, days: 0 }],
    ['1 year 2 mons -3 days', { years: 1, months: 2, days: -3 }],
    ['+3 months', { years: 0, months: 3, days: 0 }],
    ['-2 quarters', { years: 0, months: -6, days: 0 }],
    ['52 weeks', { years: 0, months: 0, days: 364 }],
    ['0 days', { years: 0, months: 0, days: 0 }],
    ['', { years: 0, months: 0, days: 0 }],
  ])('reads %j', (text, offset) => expect(parseInterval(text)).toEqual(offset));

  it.each(['1 hour', '1-2', 'P1Y', '1.5 years', 'year', '1 year ago', '2 years 00:00:01'])(
    'returns null for %j',
    (text) => expect(parseInterval(text)).toBeNull(),
  );
});

describe('formatInterval', () => {
  it('writes what parseInterval reads', () => {
    for (const offset of [
      { years: 1, months: 0, days: 0 },
      { years: -1, months: 6, days: 12 },
      { years: 0, months: 0, days: 0 },
    ]) {
      expect(parseInterval(formatInterval(offset))).toEqual(offset);
    }
    expect(formatInterval({ years: 1, months: 0, days: -1 })).toBe('1 year -1 day');
  });
});

describe('describeOffset', () => {
  it.each([
    ['1 year', 'moved 1 year ahead'],
    ['-1 years -6 mons', 'moved 1 year 6 months back'],
    ['1 year -1 day', 'moved by 1 year -1 day'],
    ['0 days', 'dates unchanged'],
    ['1 hour', 'moved by 1 hour'],
  ])('%j reads %j', (interval, text) => expect(describeOffset(interval)).toBe(text));
});
