import { expect, it } from 'vitest';
import type { LayoutSort } from '../../../contract/stored-layout';
import { nextSort, sortWord } from './sort';

const ALONE = { isAbsolute: false, adds: false };

/** Clicks repeatedly and returns the directions, until there is none. */
function clicks(isSplit: boolean, isAbsolute = false): string[] {
  let sort: LayoutSort[] = [];
  const directions: string[] = [];
  for (;;) {
    sort = nextSort(sort, 'value', isSplit, { isAbsolute, adds: false });
    if (!sort[0]) return directions;
    directions.push(sort[0][1]);
  }
}

it('cycles through the directions, first of rows and then of columns', () => {
  expect(clicks(false)).toEqual(['desc', 'asc']);
  expect(clicks(true)).toEqual(['desc', 'asc', 'col desc', 'col asc']);
  expect(clicks(true, true)).toEqual(['desc abs', 'asc abs', 'col desc abs', 'col asc abs']);
});

it('replaces other sorts, or is added to them', () => {
  const sort: LayoutSort[] = [
    ['units', 'asc'],
    ['value', 'desc'],
  ];
  expect(nextSort(sort, 'value', false, ALONE)).toEqual([['value', 'asc']]);
  expect(nextSort(sort, 'value', false, { ...ALONE, adds: true })).toEqual([
    ['units', 'asc'],
    ['value', 'asc'],
  ]);
  expect(nextSort(sort, 'price', false, { ...ALONE, adds: true })).toEqual([
    ...sort,
    ['price', 'desc'],
  ]);
});

it('names the sort direction of rows, and none for columns', () => {
  const directions = ['asc', 'desc', 'desc abs', 'col asc', undefined];
  expect(directions.map(sortWord)).toEqual([
    ...['ascending', 'descending', 'other'],
    ...[undefined, undefined],
  ]);
});
