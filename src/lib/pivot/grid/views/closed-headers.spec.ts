import { describe, expect, it } from 'vitest';
import type { LayoutFilter } from '../../../contract/stored-layout';
import { parseDay, valueKey } from '../../values/cell-value';
import type { CellValue } from '../../values/engine-types';
import { ClosedHeaders } from './closed-headers';

const DAYS = ['2027-01-10', '2027-01-31', '2027-02-01', '2028-01-10'];
const monthStart = (day: string) => parseDay(`${day.slice(0, 7)}-01`);

/** The days behind the values of a column, as the grid reads them. */
const behind = (valueOf: (day: string) => CellValue) => ({
  columns: ['day'],
  tuples: DAYS.map((day) => ({ value: valueKey(valueOf(day)), tuple: [parseDay(day)] })),
});
const MONTH = 'day (month)';
const BEHIND = new Map([
  [MONTH, behind(monthStart)],
  ['year', behind((day) => `FY${day.slice(0, 4)}`)],
  ['name', behind((day) => (day.slice(5, 7) === '01' ? 'Jan' : 'Feb'))],
]);

function headers(
  closed: [from: string, to: string],
  { split_by = [MONTH], filter = [] as LayoutFilter[], filter_op = 'and' as 'and' | 'or' } = {},
) {
  const [from, to] = closed;
  return new ClosedHeaders(
    [{ date: 'day', ranges: [{ from, to }], periods: ['year', 'name'] }],
    BEHIND,
    { group_by: ['region'], split_by, filter, filter_op },
    { region: 'string', day: 'date', [MONTH]: 'date', year: 'string', name: 'string' },
  );
}

describe('closed headers', () => {
  it('names the headers whose own days it contains, and no other header or cell', () => {
    const closed = headers(['2027-01-01', '2027-01-31']);
    const header = (day: string) => ({ rowPath: [], columnPath: [monthStart(day)], measure: null });
    expect(closed.names(header('2027-01-31'))).toBe(true);
    expect(closed.names(header('2027-02-01'))).toBe(false);
    expect(closed.names({ rowPath: ['East'], columnPath: null, measure: null })).toBe(false);
    expect(closed.names({ rowPath: [], columnPath: [], measure: null })).toBe(false);
    expect(closed.names({ ...header('2027-01-31'), rowPath: ['East'], measure: 'value' })).toBe(
      false,
    );
    const half = headers(['2027-01-31', '2027-01-31']);
    expect(half.names(header('2027-01-31'))).toBe(false);
  });

  it('are those of a derived period, together with the periods above it', () => {
    const closed = headers(['2027-01-01', '2027-01-31']);
    expect(closed.has(['name'], ['Jan'])).toBe(false);
    expect(closed.has(['year', 'name'], ['FY2027', 'Jan'])).toBe(true);
    expect(closed.has(['year', 'name'], ['FY2027', 'Feb'])).toBe(false);
    expect(closed.has(['year', 'name'], ['FY2028', 'Jan'])).toBe(false);
    expect(closed.has(['year', 'name'], ['FY2027'])).toBe(false);
    expect(closed.has(['region', 'year', 'name'], ['East', 'FY2027', 'Jan'])).toBe(true);
    expect(closed.has(['year', 'region'], ['FY2027', 'East'])).toBe(false);
    // A value without rows, such as one that was just removed, is not closed.
    expect(closed.has(['year', 'name'], ['FY2027', 'Mar'])).toBe(false);
    expect(headers(['2027-01-01', '2027-02-28']).has(['year'], ['FY2027'])).toBe(true);
  });

  it('have a first and a last day', () => {
    const shown = headers(['2027-01-01', '2027-01-31'], { split_by: ['year', 'name'] });
    const spanOf = (...columnPath: string[]) =>
      shown.spanOf({ rowPath: [], columnPath, measure: null });
    const span = (first: string, last: string) => ({
      first: parseDay(first),
      last: parseDay(last),
    });
    expect(spanOf('FY2027')).toEqual(span('2027-01-10', '2027-02-01'));
    expect(spanOf('FY2027', 'Jan')).toEqual(span('2027-01-10', '2027-01-31'));
    expect(spanOf('FY2029')).toBeNull();
    expect(shown.spanOf({ rowPath: ['East'], columnPath: null, measure: null })).toBeNull();
    expect(shown.spanOf({ rowPath: [], columnPath: ['FY2027'], measure: 'value' })).toBeNull();
  });

  it('are judged by the days that filters admit', () => {
    const closed = (filter: LayoutFilter[], filter_op: 'and' | 'or' = 'and') =>
      headers(['2027-01-01', '2027-01-31'], { filter, filter_op }).has(['name'], ['Jan']);
    expect(closed([['year', '==', 'FY2027']])).toBe(true);
    expect(closed([['year', 'in', ['FY2027', 'FY2028']]])).toBe(false);
    expect(closed([['day', '<=', '2027-12-31']])).toBe(true);
    expect(closed([['day', '>=', '2027-12-31']])).toBe(false);
    expect(closed([['region', '==', 'East']])).toBe(false);
    const either: LayoutFilter[] = [
      ['year', '==', 'FY2027'],
      ['region', '==', 'East'],
    ];
    expect(closed(either)).toBe(true);
    expect(closed(either, 'or')).toBe(false);
  });
});
