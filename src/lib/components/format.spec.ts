import { describe, expect, it } from 'vitest';
import { formatDay } from '$lib/pivot/values/date-language';
import {
  formatAge,
  formatAmount,
  formatDaysAgo,
  formatMonth,
  localPercentages,
  plural,
} from './format';

const CENTS = { least: 2, most: 2 };

describe('formatAmount', () => {
  it('writes the decimals of the measure, and no sign if an amount rounds to zero', () => {
    expect(formatAmount(12.349, { least: 3, most: 3 })).toBe('12.349');
    expect(formatAmount(1200, { least: 0, most: 0 })).toBe('1,200');
    expect(formatAmount(-0.001, CENTS)).toBe('0.00');
    expect(formatAmount(0.000009, { least: 6, most: 6 })).toBe('0.000009');
  });

  it('shows cents in full, or none', () => {
    expect(formatAmount(484247.5, CENTS)).toBe('484,247.50');
    expect(formatAmount(37873, CENTS)).toBe('37,873');
    expect(formatAmount(-0.125, CENTS)).toBe('-0.13');
  });
});

describe('plural', () => {
  it('writes one row, no rows and many rows', () => {
    expect(plural(1, 'row')).toBe('1 row');
    expect(plural(0, 'row')).toBe('0 rows');
    expect(plural(1204331, 'row')).toBe('1,204,331 rows');
    expect(plural(2, 'entry', 'entries')).toBe('2 entries');
  });
});

describe('calendar days', () => {
  it('never shift to another day, whatever the time zone', () => {
    expect(formatDay('2019-03-01')).toBe('Mar 1, 2019');
    expect(formatMonth('2019-03-01')).toBe('Mar 2019');
    expect(formatDay('2019-12-31T00:00:00Z')).toBe('Dec 31, 2019');
  });

  it('are written unchanged if they are not dates', () =>
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

describe('formatDaysAgo', () => {
  const evening = '2026-03-28T22:30:00Z';
  it.each([
    ['UTC', '2026-03-28T23:59:59Z', 'today'],
    ['UTC', '2026-03-29T00:00:00Z', 'yesterday'],
    ['Europe/Berlin', '2026-03-28T22:59:59Z', 'today'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', 'yesterday'],
    // This Sunday has 23 hours in Berlin.
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2 days ago'],
    ['Pacific/Kiritimati', '2026-03-29T09:59:59Z', 'today'],
    ['Pacific/Kiritimati', '2026-03-29T10:00:00Z', 'yesterday'],
    ['Pacific/Pago_Pago', '2026-04-07T10:59:59Z', '9 days ago'],
    ['Pacific/Pago_Pago', '2026-04-07T11:00:00Z', '10 days ago'],
  ])('in %s, an evening is at %s: %s', (zone, now, text) => {
    expect(formatDaysAgo(evening, Date.parse(now), zone)).toBe(text);
  });

  it('counts the days of the browser', () => {
    const days = (at: Date) =>
      formatDaysAgo(at.toISOString(), new Date(2026, 2, 29, 0, 30).getTime());
    expect(days(new Date(2026, 2, 29, 0, 0))).toBe('today');
    expect(days(new Date(2026, 2, 28, 23, 59))).toBe('yesterday');
  });

  it('is today if the clock of the server is ahead', () => {
    expect(formatDaysAgo('2026-03-11T00:00:10Z', Date.parse('2026-03-10T23:59:50Z'), 'UTC')).toBe(
      'today',
    );
  });
});

describe('localPercentages', () => {
  const german = (value: number) => new Intl.NumberFormat('de-DE').format(value);

  it('writes percentages in the language of the browser, and leaves other numbers as they are', () => {
    const sentence = 'Holt 1.5 was 1,017.8 % off in the last 12 months; last year moved 25 % off.';
    expect(localPercentages(sentence, german)).toBe(
      'Holt 1.5 was 1.017,8 % off in the last 12 months; last year moved 25 % off.',
    );
  });
});
