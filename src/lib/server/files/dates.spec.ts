import { describe, expect, it } from 'vitest';
import { parseDate } from './dates';

const read = (cell: string, order: 'ymd' | 'dmy' | 'mdy') => {
  const found = parseDate(cell, order);
  return found && [found.date, found.time, found.zone].filter(Boolean).join(' ');
};

describe('A date in a cell', () => {
  it.each([
    ['2027-01-31', 'ymd', '2027-01-31'],
    ['2027/1/5', 'dmy', '2027-01-05'],
    ['31.01.2027', 'dmy', '2027-01-31'],
    ['1/2/2027', 'dmy', '2027-02-01'],
    ['1/2/2027', 'mdy', '2027-01-02'],
    ['1/2/27', 'mdy', '2027-01-02'],
    ['1/2/70', 'mdy', '1970-01-02'],
    ['31-Jan-27', 'mdy', '2027-01-31'],
    ['3 Mai 2027', 'ymd', '2027-05-03'],
    ['January 5, 2027', 'dmy', '2027-01-05'],
    ['29.02.2028', 'dmy', '2028-02-29'],
    ['1899-12-31', 'ymd', '1899-12-31'],
    ['2027-01-31T08:30', 'ymd', '2027-01-31 08:30:00'],
    ['2027-01-31 08:30:15.250', 'ymd', '2027-01-31 08:30:15.250'],
    ['1/31/2027 12:05 AM', 'mdy', '2027-01-31 00:05:00'],
    ['1/31/2027 1:05 pm', 'mdy', '2027-01-31 13:05:00'],
    ['2027-01-31T08:30:00Z', 'ymd', '2027-01-31 08:30:00 Z'],
    ['2027-01-31T08:30:00+05:30', 'ymd', '2027-01-31 08:30:00 +05:30'],
  ] as const)('%s in the order %s is %s', (cell, order, text) => {
    expect(read(cell, order)).toBe(text);
  });

  it.each([
    ['31.01.2027', 'ymd'],
    ['31/01/2027', 'mdy'],
    ['29.02.2027', 'dmy'],
    ['2027-13-01', 'ymd'],
    ['2027-00-01', 'ymd'],
    ['2027-01-31 24:00', 'ymd'],
    ['2027-01-31 13:00 PM', 'ymd'],
    ['2027', 'ymd'],
    ['20270131', 'ymd'],
    ['1.2', 'dmy'],
    ['5 pieces 2027', 'dmy'],
    ['0000-01-01', 'ymd'],
    [`2027-01-01 ${' '.repeat(50_000)}`, 'ymd'],
  ] as const)('%j is none in the order %s', (cell, order) => {
    expect(read(cell, order)).toBeNull();
  });
});
