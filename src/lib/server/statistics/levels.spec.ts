import { describe, expect, it } from 'vitest';
import {
  errorsOfCells,
  forecastWithheld,
  lastYearMoved,
  spread,
  withhold,
  type Withheld,
} from './levels';

const never = () => false;
const withheld = (length: number, horizon: number, isIgnored = never as Withheld['isIgnored']) =>
  withhold(length, horizon, isIgnored)!;
const OPTIONS = { period: 4, unit: 'quarter', method: 'last_year' } as const;

describe('the withheld end of a history', () => {
  it('is as long as the horizon, and at most a third', () => {
    expect(withhold(12, 3, never)).toMatchObject({ cut: 9, periods: 3 });
    expect(withhold(12, 9, never)).toMatchObject({ cut: 8, periods: 4 });
    expect(withhold(2, 4, never)).toBeNull();
  });

  it('is before an ignored newest part', () => {
    expect(withhold(12, 3, (t) => t === 4 || t > 9)).toMatchObject({ cut: 7, periods: 3 });
    expect(withhold(12, 4, (t) => t > 8)).toMatchObject({ cut: 6, periods: 3 });
    expect(withhold(12, 4, () => true)).toBeNull();
  });

  it('is forecast from the periods before it, without ignored ones', () => {
    const series = [null, 1, 2, 3, 4, 5, 6, 7, 99, 99, 99, 99];
    expect(forecastWithheld(series, withheld(12, 4), OPTIONS).result.forecast).toEqual([
      4, 5, 6, 7,
    ]);
    expect(lastYearMoved(series, withheld(12, 4), 4)).toEqual([4, 5, 6, 7]);
    // The ignored sixth quarter is filled from the year before.
    const ignoring = withheld(12, 4, (t) => t === 5);
    expect(lastYearMoved(series, ignoring, 4)).toEqual([4, 1, 6, 7]);
    expect(lastYearMoved([null, null, null, null, null, 5], withheld(6, 2), 4)).toEqual([0, 0]);
  });
});

describe('a forecast of a group is spread over its parts', () => {
  it('by their amounts a year before', () => {
    const parts = [
      [1, 2, 0, 4],
      [3, 2, 0, 0],
    ];
    expect(spread([8, 10, 0, 6], parts, { cut: 4 }, 4)).toEqual([
      [2, 5, 0, 6],
      [6, 5, 0, 0],
    ]);
  });

  it('by an earlier year if the group had nothing, and not at all without one', () => {
    const parts = [
      [1, 0, 0, 0],
      [4, 0, 0, 0],
    ];
    expect(spread([10, 10], parts, { cut: 4 }, 2)).toEqual([
      [2, 0],
      [8, 0],
    ]);
  });

  it('equally if the amounts cancel each other out', () => {
    expect(spread([10], [[5], [-5], [0]], { cut: 1 }, 1)).toEqual([[5], [5], [0]]);
  });

  it('over two years by the same year', () => {
    expect(spread([4, 8], [[1], [3]], { cut: 1 }, 1)).toEqual([
      [1, 2],
      [3, 6],
    ]);
  });
});

describe('the errors of cells', () => {
  it('are added up over cells and periods, without ignored ones', () => {
    const cells = [
      [0, 10, 20],
      [0, null, 30],
    ];
    const forecasts = [
      [12, 15],
      [1, 30],
    ];
    expect(errorsOfCells(forecasts, cells, { cut: 1, periods: 2, isIgnored: never })).toEqual({
      ...{ mae: 8 / 4, rmse: Math.sqrt(30 / 4), wape: 8 / 60, bias: -2 / 60 },
    });
    const isIgnored = (t: number) => t === 2;
    expect(errorsOfCells(forecasts, cells, { cut: 1, periods: 2, isIgnored })).toEqual({
      ...{ mae: 3 / 2, rmse: Math.sqrt(5 / 2), wape: 3 / 10, bias: 3 / 10 },
    });
  });

  it('have no share of nothing', () => {
    expect(errorsOfCells([[0]], [[0, 0]], { cut: 1, periods: 1, isIgnored: never })).toEqual({
      ...{ mae: 0, rmse: 0, wape: null, bias: null },
    });
  });
});
