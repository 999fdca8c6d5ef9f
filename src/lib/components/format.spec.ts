import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatAmount,
  formatDay,
  formatMonth,
  formatNumber,
  parseNumber,
  plural,
} from './format';

describe('parseNumber', () => {
  it.each([
    ['1,204,331', 1204331],
    ['  -12.50 ', -12.5],
    ['\u221212.5', -12.5],
    ['+10%', 10],
    ['.5', 0.5],
    ['1e3', 1000],
    ['12.', 12],
    ['1 204 331.5', 1204331.5],
    ['1204,331', 1204331],
  ])('reads %j as %d', (text, value) => expect(parseNumber(text)).toBe(value));

  it.each([
    '',
    ' ',
    'abc',
    '1.2.3',
    '--1',
    '1e999',
    '12 apples',
    '%',
    '10,5',
    '1.000,50',
    '1,23,456',
    ',5',
  ])('refuses %j', (text) => expect(parseNumber(text)).toBeNull());

  it('reads back what formatNumber writes', () => {
    for (const value of [0, -1, 1234567.89, -0.25]) {
      expect(parseNumber(formatNumber(value))).toBe(value);
    }
  });
});

describe('formatAmount', () => {
  it('shows cents in full, or none', () => {
    expect(formatAmount(484247.5)).toBe('484,247.50');
    expect(formatAmount(37873)).toBe('37,873');
    expect(formatAmount(-0.125)).toBe('-0.13');
  });
});

describe('plural', () => {
  it('says one row, no rows and many rows', () => {
    expect(plural(1, 'row')).toBe('1 row');
    expect(plural(0, 'row')).toBe('0 rows');
    expect(plural(1204331, 'row')).toBe('1,204,331 rows');
    expect(plural(2, 'entry', 'entries')).toBe('2 entries');
  });
});

describe('calendar days', () => {
  it('never move to another day, whatever the time zone', () => {
    expect(formatDay('2019-03-01')).toBe('Mar 1, 2019');
    expect(formatMonth('2019-03-01')).toBe('Mar 2019');
    expect(formatDay('2019-12-31T00:00:00Z')).toBe('Dec 31, 2019');
  });

  it('stand as they are where they are no date', () =>
    expect(formatDay('infinity')).toBe('infinity'));
});

describe('formatAge', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  it.each([
    ['2026-03-10T11:59:40Z', 'just now'],
    ['2026-03-10T11:55:00Z', '5 minutes ago'],
    ['2026-03-09T12:00:00Z', 'yesterday'],
    ['2026-01-05T12:00:00Z', '2 months ago'],
  ])('%s is %s', (stamp, text) => expect(formatAge(stamp, now)).toBe(text));
});
