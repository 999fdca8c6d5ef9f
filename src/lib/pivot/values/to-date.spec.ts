import { describe, expect, it } from 'vitest';
import { parseDay } from './cell-value';
import {
  isSameButClose,
  readToDate,
  toDateDays,
  toDateExpression,
  toDateName,
  toDateValue,
  withNewestClose,
} from './to-date';

const NAMES = ['Order Date', 'a "quoted" \\ name', `it's`];

describe('an expression to date', () => {
  it.each(NAMES)('of %s is read as it was written', (date) => {
    const text = toDateExpression(date, '2028-03-31');
    expect(readToDate(text)).toEqual({ date, through: parseDay('2028-03-31') });
  });

  it('is not mistaken for another expression', () => {
    expect(readToDate(`bucket("Order Date", 'M')`)).toBeNull();
    expect(readToDate(toDateExpression('d', '2028-03-31').replace('>', '>='))).toBeNull();
  });

  it('is the same after a close, unlike one of another date', () => {
    const text = toDateExpression('d', '2028-03-31');
    expect(isSameButClose(text, toDateExpression('d', '2028-04-30'))).toBe(true);
    expect(isSameButClose(text, toDateExpression('d'))).toBe(true);
    expect(isSameButClose(text, toDateExpression('e', '2028-03-31'))).toBe(false);
    expect(isSameButClose(`bucket("d", 'M')`, `bucket("d", 'Y')`)).toBe(false);
    expect(isSameButClose(`bucket("d", 'M')`, `bucket("d", 'M')`)).toBe(true);
  });

  it('divides the days at the close', () => {
    const read = { date: 'd', through: parseDay('2028-02-29') };
    const valueOf = (day: string) => toDateValue(read, parseDay(day));
    expect(['2027-01-01', '2028-02-29', '2028-03-01'].map(valueOf)).toEqual(['YTD', 'YTD', 'YTG']);
    expect(toDateValue(read, null)).toBe('YTG');
    expect(toDateDays(read, 'YTD')).toEqual({ first: -Infinity, last: parseDay('2028-02-29') });
    expect(toDateDays(read, 'YTG')).toEqual({ first: parseDay('2028-03-01'), last: Infinity });
    expect(toDateDays(read, 'other')).toBeNull();
  });
});

describe('withNewestClose', () => {
  const name = toDateName('d');
  const month = { 'd (month)': `bucket("d", 'M')` };

  it('moves the end to the newest close, and leaves other expressions as they are', () => {
    const before = { ...month, [name]: toDateExpression('d', '2028-03-31') };
    expect(withNewestClose(before, new Map([['d', '2028-04-30']]))).toEqual({
      ...month,
      [name]: toDateExpression('d', '2028-04-30'),
    });
  });

  it('is null if the end is the newest close', () => {
    const before = { ...month, [name]: toDateExpression('d', '2028-03-31') };
    expect(withNewestClose(before, new Map([['d', '2028-03-31']]))).toBeNull();
    expect(withNewestClose(month, new Map())).toBeNull();
  });

  it('makes all days YTG if nothing is closed', () => {
    const renewed = withNewestClose({ [name]: toDateExpression('d', '2028-03-31') }, new Map());
    const read = readToDate(renewed?.[name] ?? '');
    expect(read && toDateValue(read, parseDay('1969-12-31'))).toBe('YTG');
    expect(withNewestClose(renewed ?? {}, new Map())).toBeNull();
  });
});
