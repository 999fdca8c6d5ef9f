import { describe, expect, it } from 'vitest';
import type { Role } from '$lib/contract/columns';
import { suggestPairs } from './period-choices';

const days = ['2026-11-03', '2026-11-09', '2026-12-24', '2027-01-05', '2027-01-31'];
const column = (cname: string, role: Role, samples: unknown[]) => ({ cname, role, samples });
const order = column('Order Date', 'date', days);
const pairOf = (samples: unknown[], dates = [order]) =>
  suggestPairs([...dates, column('it', 'dimension', samples)])[0];

describe('suggestPairs', () => {
  it('recognizes the values of the calendar', () => {
    const texts = {
      period_key: ['2026-11', '2026-11', '2026-12', '2027-01', '2027-01'],
      cal_label: ['2026-11 Nov', '2026-11 Nov', '2026-12 Dec', '2027-01 Jan', '2027-01 Jan'],
      cal_year: [2026, 2026, 2026, 2027, 2027],
      cal_month: [11, 11, 12, 1, 1],
      cal_quarter: [4, 4, 4, 1, 1],
      cal_month_abbr: ['Nov', 'Nov', 'Dec', 'Jan', 'Jan'],
      cal_month_name: ['November', 'November', 'December', 'January', 'January'],
    };
    for (const [period, samples] of Object.entries(texts)) {
      expect(pairOf(samples)).toEqual({ dimension: 'it', date: 'Order Date', period });
    }
  });

  it('recognizes a month in other words, which the calendar cannot fill', () => {
    expect(pairOf(['P11/26', 'P11/26', 'P12/26', 'P01/27', 'P01/27'])).toEqual({
      ...{ dimension: 'it', date: 'Order Date', period: null },
    });
  });

  it('fills a text that names month and year from the calendar', () => {
    const periodOf = (samples: unknown[], type: string) =>
      suggestPairs([order, { ...column('it', 'dimension', samples), type }])[0]?.period;
    const glued = ['202611', '202611', '202612', '202701', '202701'];
    expect(periodOf(glued, 'text')).toBe('period_key');
    expect(periodOf(['Nov 26', 'Nov 26', 'Dec 26', 'Jan 27', 'Jan 27'], 'character varying')).toBe(
      'period_key',
    );
    // The calendar text does not fit into a number, and a month alone does not name the month of a year.
    expect(periodOf(glued.map(Number), 'integer')).toBeNull();
    expect(periodOf(['nov.', 'nov.', 'dez.', 'jan.', 'jan.'], 'text')).toBeNull();
  });

  it('ignores values that only look like months', () => {
    expect(pairOf(['West', 'East', 'West', 'East', 'West'])).toBeUndefined();
    expect(pairOf(['2026-11', '2026-11', '2026-12', '2027-01', '2027-02'])).toBeUndefined();
    expect(pairOf(['2026-11', null, '2026-12', '2027-01', '2027-01'])).toBeUndefined();
    expect(pairOf([null, null, null, null, null])).toBeUndefined();
    expect(pairOf([2026, 2026, 2026, 2026, 2026])).toBeUndefined();
    // Each row has its own value.
    const each = column('Order Date', 'date', ['2026-01-01', '2026-02-01', '2026-03-01']);
    expect(pairOf(['a', 'b', 'c'], [each])).toBeUndefined();
  });

  it('finds the date among several, and skips rows without either value', () => {
    const ship = column('Ship Date', 'date', ['2026-12-01', ...days.slice(1)]);
    const texts = ['2026-11', '2026-11', '2026-12', '2027-01', '2027-01'];
    expect(pairOf(texts, [ship, order])?.date).toBe('Order Date');
    const gaps = column('Order Date', 'date', [...days, null]);
    expect(pairOf([...texts, null], [gaps])?.period).toBe('period_key');
  });
});
