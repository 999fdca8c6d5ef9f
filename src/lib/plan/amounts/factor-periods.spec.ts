import { describe, expect, it } from 'vitest';
import {
  BLANK_PERIOD,
  factorsOf,
  MOST_MONTHS,
  nothingBefore,
  rampOver,
  whyNoFactors,
} from './factor-periods';

const period = (from: string | null, to: string | null, factor: number | null = 0.5) => ({
  from,
  to,
  factor,
});

describe('whyNoFactors', () => {
  it.each([
    ['no periods', []],
    ['a period', [period('2027-01-01', '2027-03-31')]],
    ['a single day', [period('2027-01-01', '2027-01-01')]],
    ['open ends', [period(null, '2027-01-31'), period('2027-02-01', null)]],
    [
      'periods in any order',
      [period('2027-02-01', '2027-02-28'), period('2027-01-01', '2027-01-31')],
    ],
    ['a factor of 0', [period('2027-01-01', null, 0)]],
    ['a negative factor', [period('2027-01-01', null, -1)]],
    ['years of five digits', [period('9999-01-01', '10000-12-31')]],
  ])('accepts %s', (_, periods) => expect(whyNoFactors(periods)).toBeNull());

  it.each([
    ['Period 1 needs a first or a last day.', [BLANK_PERIOD]],
    ['Period 1 needs a factor, such as 30% or 0.3.', [period('2027-01-01', null, null)]],
    [
      'Period 2 needs a factor, such as 30% or 0.3.',
      [period('2027-01-01', '2027-01-31'), period('2027-02-01', null, NaN)],
    ],
    ['Period 1 ends before it begins.', [period('2027-02-01', '2027-01-31')]],
    [
      'Periods 1 and 2 overlap.',
      [period('2027-01-31', '2027-02-28'), period('2027-01-01', '2027-01-31')],
    ],
    [
      'Periods 1 and 3 overlap.',
      [period(null, '2027-02-01'), period('2027-03-01', null), period('2027-02-01', '2027-02-10')],
    ],
  ])('says “%s”', (sentence, periods) => expect(whyNoFactors(periods)).toBe(sentence));
});

it('factorsOf leaves out open ends', () => {
  expect(factorsOf([period(null, '2027-01-31', 0.1), period('2027-02-01', null, 2)])).toEqual([
    { to: '2027-01-31', factor: 0.1 },
    { from: '2027-02-01', factor: 2 },
  ]);
});

describe('rampOver', () => {
  it('rises in equal steps over months from nothing, up to the full factor', () => {
    expect(rampOver('2027-12-15', 4, 1)).toEqual([
      { from: null, to: '2027-12-14', factor: 0 },
      { from: '2027-12-15', to: '2027-12-31', factor: 0.25 },
      { from: '2028-01-01', to: '2028-01-31', factor: 0.5 },
      { from: '2028-02-01', to: '2028-02-29', factor: 0.75 },
      { from: '2028-03-01', to: '2028-03-31', factor: 1 },
    ]);
    expect(rampOver('2027-01-01', 3, 1)?.map(({ factor }) => factor)).toEqual([
      0, 0.3333, 0.6667, 1,
    ]);
    expect(rampOver('2027-01-01', 2, 1.1)?.map(({ factor }) => factor)).toEqual([0, 0.55, 1.1]);
  });

  it('makes periods that can be sent', () => {
    const periods = rampOver('2027-01-31', MOST_MONTHS, 0.37) ?? [];
    expect(periods).toHaveLength(1 + MOST_MONTHS);
    expect(whyNoFactors(periods)).toBeNull();
    expect(periods.at(-1)?.factor).toBe(0.37);
  });

  it.each([
    ['', 3],
    ['2027', 3],
    ['2027-01-01', 0],
    ['2027-01-01', 1.5],
    ['2027-01-01', NaN],
    ['2027-01-01', MOST_MONTHS + 1],
  ])('refuses the day %j and %d months', (day, months) =>
    expect(rampOver(day, months, 1)).toBeNull(),
  );
});

describe('nothingBefore', () => {
  it('returns the first day that is copied, if nothing is copied before it', () => {
    expect(nothingBefore(rampOver('2027-09-01', 3, 1) ?? [])).toBe('2027-09-01');
    expect(nothingBefore([period('2027-03-01', '2027-03-31'), period(null, '2027-02-28', 0)])).toBe(
      '2027-03-01',
    );
  });

  it.each([
    ['without periods', []],
    ['if something is copied before', [period(null, '2027-02-28', 0.1)]],
    ['if only days between are not copied', [period('2027-01-01', '2027-02-28', 0)]],
    ['if nothing is copied at all', [period(null, null, 0)]],
  ])('returns null %s', (_, periods) => expect(nothingBefore(periods)).toBeNull());
});
