import { expect, it } from 'vitest';
import { byEntry } from './entry-totals';

it('adds up the origins of an entry', () => {
  const part = (logid: number, row_count: number, value_total: number, cost: number) => ({
    ...{ logid, row_count, value_total, units_total: null, measures: { cost } },
  });
  const found = byEntry([part(1, 2, 0.1, 1), part(7, 3, 0.1, 2), part(7, 4, 0.2, 5)]);
  expect([...found]).toEqual([
    [1, { row_count: 2, value_total: 0.1, units_total: null, measures: { cost: 1 } }],
    [7, { row_count: 7, value_total: 0.3, units_total: null, measures: { cost: 7 } }],
  ]);
});
