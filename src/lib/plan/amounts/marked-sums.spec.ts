import { describe, expect, it } from 'vitest';
import type { MarkedCell } from '../../pivot/slice/cell';
import { hasOverlap, sumsOf } from './marked-sums';

const cell = (
  row: string[],
  column: string[] | null,
  value: number | null,
  rest: Partial<MarkedCell> = {},
): MarkedCell => ({
  rowPath: row,
  columnPath: column,
  measure: 'Sales',
  value,
  aggregate: 'sum',
  at: { x: 0, y: 0 },
  ...rest,
});
const never = () => false;

describe('sumsOf', () => {
  it('adds up adjacent cells, and omits empty ones from the average', () => {
    const cells = [cell(['A'], ['1'], 0.1), cell(['B'], ['1'], 0.2), cell(['C'], ['1'], null)];
    expect(sumsOf(cells, never)).toEqual({
      count: 3,
      numbers: 2,
      sums: [{ measure: 'Sales', sum: 0.3, average: 0.15 }],
      parts: 0,
      whyNoSum: null,
    });
  });

  it('sums each measure separately', () => {
    const cells = [cell(['A'], null, 10), cell(['A'], null, 4, { measure: 'Units' })];
    expect(sumsOf(cells, never).sums).toEqual([
      { measure: 'Sales', sum: 10, average: 10 },
      { measure: 'Units', sum: 4, average: 4 },
    ]);
  });

  it('counts only a total, and returns the number of omitted parts', () => {
    const ofRows = [cell([], ['1'], 30), cell(['A'], ['1'], 10), cell(['A', 'a'], ['1'], 10)];
    expect(sumsOf(ofRows, never)).toMatchObject({ sums: [{ sum: 30 }], parts: 2 });
    const ofColumns = [cell(['A'], [], 7), cell(['A'], ['1'], 3), cell(['A'], ['1', 'x'], 3)];
    expect(sumsOf(ofColumns, never)).toMatchObject({ sums: [{ sum: 7 }], parts: 2 });
  });

  it('has no sum for the totals of a row and a column that share cells', () => {
    const cells = [cell([], ['1'], 30), cell(['A'], [], 7)];
    expect(sumsOf(cells, never)).toMatchObject({ sums: [], whyNoSum: 'overlap' });
    // Cells of different measures do not overlap.
    const apart = [cell([], ['1'], 30), cell(['A'], [], 7, { measure: 'Units' })];
    expect(sumsOf(apart, never).whyNoSum).toBeNull();
  });

  it('has no sum for shares, averages and headers', () => {
    const cells = [
      cell(['A'], ['1'], 0.5, { measure: 'Share' }),
      cell(['A'], ['1'], 2, { measure: 'Rate', aggregate: 'avg' }),
      cell(['B'], null, null, { measure: null }),
    ];
    expect(sumsOf(cells, (measure) => measure === 'Share')).toEqual({
      count: 3,
      numbers: 2,
      sums: [],
      parts: 0,
      whyNoSum: 'none',
    });
  });

  it('distinguishes the empty value from the text "null"', () => {
    const cells = [cell([null as never], null, 1), cell(['null', 'x'], null, 2)];
    expect(hasOverlap(cells)).toBe(false);
    expect(hasOverlap([cell(['null'], null, 1), cell(['null', 'x'], null, 2)])).toBe(true);
  });
});
