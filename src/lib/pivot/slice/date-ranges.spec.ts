import { expect, it } from 'vitest';
import { lastOfMonth } from '../../contract/calendar';
import { inPeriods, joinedPeriods, rangeOf } from './date-ranges';

const period = (from: string, to: string) => new Map([['Date', { from, to }]]);
const JAN = period('2028-01-01', '2028-01-31');
const FEB = period('2028-02-01', '2028-02-29');
const MAR = period('2028-03-01', '2028-03-31');

it('writes a period instead of its days', () => {
  const slice = { Region: 'West', Date: ['2028-01-05', '2028-01-09'] };
  expect(inPeriods(slice, JAN)).toEqual({
    Region: 'West',
    Date: { from: '2028-01-01', to: '2028-01-31' },
  });
  expect(inPeriods(slice, new Map())).toEqual(slice);
});

it('joins periods without gaps, in any order of marking', () => {
  expect(joinedPeriods([MAR, JAN, FEB])).toEqual(period('2028-01-01', '2028-03-31'));
  expect(joinedPeriods([FEB, FEB])).toEqual(FEB);
  expect(joinedPeriods([period('2028-01-01', '2028-12-31'), FEB])).toEqual(
    period('2028-01-01', '2028-12-31'),
  );
  // A month between them, without known rows, is not marked.
  expect(joinedPeriods([JAN, MAR])).toEqual(new Map());
  expect(joinedPeriods([JAN, new Map()])).toEqual(new Map());
  expect(joinedPeriods([])).toEqual(new Map());
});

it('returns only ranges that the service accepts', () => {
  expect(rangeOf(Date.parse('2028-02-01'), Date.parse('2028-02-29'))).toEqual({
    from: '2028-02-01',
    to: '2028-02-29',
  });
  expect(rangeOf(Date.UTC(12_028, 0, 1), Date.UTC(12_028, 11, 31))).toBeNull();
});

it('finds the last day of a month', () => {
  expect(['2028-02-01', '2027-02-28', '2027-12-31', '0001-04-02'].map(lastOfMonth)).toEqual([
    '2028-02-29',
    '2027-02-28',
    '2027-12-31',
    '0001-04-30',
  ]);
});
