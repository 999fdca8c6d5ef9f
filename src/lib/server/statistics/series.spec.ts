import { describe, expect, it } from 'vitest';
import { at, fillGaps, lineThrough, notBelow } from './series';

describe('a series', () => {
  it('has the line of least squares', () => {
    expect(lineThrough([1, 3, 5, 7])).toEqual({ intercept: 1, slope: 2 });
    const { intercept, slope } = lineThrough([2, 1, 4, 3]);
    expect(intercept).toBeCloseTo(1.6);
    expect(slope).toBeCloseTo(0.6);
    expect(lineThrough([5])).toEqual({ intercept: 5, slope: 0 });
  });

  it('has no value outside its range', () => {
    expect(() => at([1], 1)).toThrow(RangeError);
  });

  it('fills a gap from the same season of the years beside it', () => {
    expect(fillGaps([1, 2, null, 4, 5, 6, 9, 8], 4)).toEqual([1, 2, 9, 4, 5, 6, 9, 8]);
    const between = fillGaps([1, 2, 3, 4, null, 6, 7, 8, 5, 6, 7, 8], 4);
    expect(between[4]).toBe(3);
  });

  it('fills a gap from the line between its neighbours without seasons beside it', () => {
    expect(fillGaps([null, 2, null, null, 5, null], 1)).toEqual([2, 2, 3, 4, 5, 5]);
    expect(fillGaps([null], 12)).toEqual([0]);
  });

  it('raises a forecast to 0 unless the history is below 0', () => {
    expect(notBelow([0, 3], [-1, 2])).toEqual([0, 2]);
    expect(notBelow([-1, 3], [-1, 2])).toEqual([-1, 2]);
  });
});
