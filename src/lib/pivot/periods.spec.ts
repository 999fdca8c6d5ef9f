import { describe, expect, it } from 'vitest';
import { inPeriods, lastOfMonth } from './periods';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const KNOWN = ['2027-12-05', '2028-01-03', '2028-02-01', '2028-02-29', '2028-03-31', '2028-05-09'];
const known = new Map([
  [
    'Date',
    {
      columns: ['Date'],
      tuples: [...KNOWN.map(day), null].map((d) => ({ value: '', tuple: [d] })),
    },
  ],
]);
const periodOf = (...days: (string | null)[]) => inPeriods({ Date: days }, known).Date;

describe('inPeriods', () => {
  it('says whole months as a range, though the list names some of their days only', () => {
    expect(periodOf('2028-02-29', '2028-02-01')).toEqual({ from: '2028-02-01', to: '2028-02-29' });
    expect(periodOf('2028-01-03', '2028-02-01', '2028-02-29', '2028-03-31')).toEqual({
      from: '2028-01-01',
      to: '2028-03-31',
    });
  });

  it('goes over a month without days, and never beyond the last month of the list', () => {
    expect(periodOf('2028-03-31', '2028-05-09')).toEqual({ from: '2028-03-01', to: '2028-05-31' });
    expect(periodOf('2027-12-05', '2028-01-03')).toEqual({ from: '2027-12-01', to: '2028-01-31' });
  });

  it('keeps a list that leaves out a known day of its months', () => {
    for (const days of [
      ['2028-02-01', '2028-03-31'],
      ['2028-01-03', '2028-03-31'],
      ['2028-01-03', '2028-02-29', null],
    ]) {
      expect(periodOf(...days)).toEqual(days);
    }
  });

  it('keeps what is no list of days, and columns whose days are not known', () => {
    const slice = { Date: '2028-01-03', Other: ['2028-02-01', '2028-02-29'], Region: ['a', 'b'] };
    expect(inPeriods(slice, known)).toEqual(slice);
    const far = ['12028-02-01', '12028-02-29'];
    expect(inPeriods({ Date: far }, known)).toEqual({ Date: far });
  });
});

it('knows the last day of a month', () => {
  expect(['2028-02-01', '2027-02-28', '2027-12-31', '0001-04-02'].map(lastOfMonth)).toEqual([
    '2028-02-29',
    '2027-02-28',
    '2027-12-31',
    '0001-04-30',
  ]);
});
