import { expect, it } from 'vitest';
import type { LogListEntry } from '../../contract/log';
import { beyondOf, isReversible } from './beyond';
import type { Touching } from './log.svelte';

const entry = (id: number, row_count: number, value_total: number | null) =>
  ({ id, row_count, value_total, units_total: null, operation: 'scale' }) as LogListEntry;
const touching = (...inside: [id: number, rows: number, value: number][]) =>
  ({
    entries: new Map(
      inside.map(([logid, row_count, value_total]) => [
        logid,
        { logid, row_count, value_total, units_total: null },
      ]),
    ),
  }) as unknown as Touching;

it('an entry inside the slice has nothing beyond it', () => {
  expect(beyondOf(entry(7, 3, 12.5), touching([7, 3, 12.5]))).toBeNull();
});

it('an entry beyond the slice has its other rows there, with their totals', () => {
  const found = beyondOf(entry(7, 120, 1000.3), touching([7, 20, 0.1]));
  expect(found).toMatchObject({
    row_count: 100,
    value_total: expect.closeTo(1000.2),
    units_total: null,
  });
});

it('reverses, closes and excluded origins cannot be taken back', () => {
  const all = ['scale', 'recode', 'reference', 'reverse', 'actual'] as const;
  const can = all.filter((operation) => isReversible({ operation }, ['reference']));
  expect(can).toEqual(['scale', 'recode']);
});
