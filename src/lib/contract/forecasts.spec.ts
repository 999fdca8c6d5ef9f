import { expect, it } from 'vitest';
import { coarserLevels } from './forecasts';

it('levels that are coarser than others are all combinations of up to three dimensions', () => {
  expect(coarserLevels([])).toEqual([]);
  expect(coarserLevels(['a'])).toEqual([[]]);
  expect(coarserLevels(['a', 'b'])).toEqual([[], ['a'], ['b']]);
  expect(coarserLevels(['a', 'b', 'c'])).toEqual([
    ...[[], ['a'], ['b'], ['c']],
    ...[
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'c'],
    ],
  ]);
  expect(coarserLevels(['a', 'b', 'c', 'd'])).toHaveLength(9);
});
