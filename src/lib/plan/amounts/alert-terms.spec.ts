import { describe, expect, it } from 'vitest';
import { evaluated, offeredFields } from './alert-terms';

const COLUMNS = [
  { cname: 'Region', role: 'dimension' },
  { cname: 'Family', role: 'dimension' },
  { cname: 'Day', role: 'date' },
  { cname: 'Sales', role: 'value' },
] as const;
const MONTH = { 'Day (month)': `bucket("Day", 'M')`, 'Day (year)': `bucket("Day", 'Y')` };

describe('offeredFields', () => {
  it('offers rows, then columns, each field once', () => {
    const layout = { group_by: ['Region', 'Family'], split_by: ['Region'] };
    expect(offeredFields(layout, COLUMNS)).toEqual([
      { name: 'Region', level: { field: 'Region' }, isRow: false },
      { name: 'Family', level: { field: 'Family' }, isRow: true },
    ]);
  });

  it('takes the innermost unit of a date, and days without one', () => {
    const layout = { group_by: ['Day (year)', 'Day (month)'], expressions: MONTH };
    expect(offeredFields(layout, COLUMNS).map(({ level }) => level)).toEqual([
      { field: 'Day', unit: 'month' },
    ]);
    expect(offeredFields({ group_by: ['Day'] }, COLUMNS).map(({ level }) => level)).toEqual([
      { field: 'Day', unit: 'day' },
    ]);
  });

  it('leaves out fields that the source does not have', () => {
    expect(offeredFields({ group_by: ['pf_user', 'Sales'] }, COLUMNS)).toEqual([]);
  });
});

describe('evaluated', () => {
  const measures = [
    { key: 'value', column: 'Sales', name: 'Sales', decimals: { least: 2, most: 2 } },
    { key: 'Cost', column: 'Cost', name: 'Cost', decimals: { least: 2, most: 2 } },
  ];

  it.each([
    ['Sales', { measure: 'value', of: 'amount' }],
    ['Sales: Δ', { measure: 'value', of: 'difference' }],
    ['Cost: Δ %', { measure: 'Cost', of: 'difference_pct' }],
    ['Sales: reference', null],
    ['Margin', null],
  ])('%s', (column, expected) => {
    expect(evaluated(column, measures)).toEqual(expected);
  });
});
