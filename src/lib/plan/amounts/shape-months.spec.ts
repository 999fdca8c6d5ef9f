import { describe, expect, it } from 'vitest';
import { shapedMonths } from './shape-months';

const totals = (value_total: number | null) => ({ value_total, units_total: 3 });
const month = (day: string | null, weight: number | null, before: number, after: number) => ({
  ...{ group: [day], weights: { value: weight, units: null } },
  ...{ before: totals(before), after: totals(after) },
});

describe('shapedMonths', () => {
  const groups = [
    month('2028-01-01', 1, 10, 30),
    month('2028-02-01', 3, 50, 90),
    month(null, null, 5, 0),
  ];

  it('scales the pattern to the total after the scale', () => {
    expect(shapedMonths(groups, 'value')).toEqual([
      { day: '2028-01-01', before: 10, after: 30, pattern: 30 },
      { day: '2028-02-01', before: 50, after: 90, pattern: 90 },
      { day: null, before: 5, after: 0, pattern: null },
    ]);
  });

  it('has none for a measure that stays', () => {
    expect(shapedMonths(groups, 'units')).toEqual([]);
  });
});
