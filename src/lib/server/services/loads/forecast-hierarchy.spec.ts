import { describe, expect, it } from 'vitest';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { coarser, groupNumbers, nestedLevels } from './forecast-hierarchy';

const CELLS = [
  ['North', 'A'],
  ['North', 'B'],
  ['West', 'A'],
  ['West', null],
].map((id) => ({ id }));
const by = ['region', 'article'].map((name) => ({ name })) as ForecastColumn[];

describe('a coarser level', () => {
  it('adds up the amounts of its cells from the first known one on', () => {
    const amounts = [
      [null, 1, 2],
      [null, null, 5],
      [4, 0, 1],
      [null, null, null],
    ];
    const level = (kept: number[]) => coarser({ by, sums: CELLS }, amounts, kept);
    expect(level([])).toEqual({
      by: [],
      groups: [{ amounts: [4, 1, 8], cells: [0, 1, 2, 3] }],
    });
    expect(level([0])).toEqual({
      by: ['region'],
      groups: [
        { amounts: [null, 1, 7], cells: [0, 1] },
        { amounts: [4, 0, 1], cells: [2, 3] },
      ],
    });
    expect(level([1]).groups.map(({ cells }) => cells)).toEqual([[0, 2], [1], [3]]);
    expect(amounts[0]).toEqual([null, 1, 2]);
  });

  it('numbers its groups, null being one', () => {
    expect(groupNumbers(CELLS, [[], [1]])).toEqual([
      [0, 0, 0, 0],
      [0, 1, 0, 2],
    ]);
  });
});

it('levels that divide each other are found among crossing ones', () => {
  expect(nestedLevels([[2], [0, 1], [], [0]])).toEqual([[], [0], [0, 1]]);
  expect(nestedLevels([[0, 1], [], [0]])).toEqual([[], [0], [0, 1]]);
  expect(nestedLevels([[1], [0, 1]])).toEqual([[1], [0, 1]]);
  expect(nestedLevels([])).toEqual([]);
});
