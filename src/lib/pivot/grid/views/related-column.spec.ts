import { describe, expect, it } from 'vitest';
import type { ShowAs } from '../../../contract/stored-layout';
import type { CellValue } from '../../values/engine-types';
import { relatedColumn } from './related-column';

const measures = ['Sales', 'Units'];

/** Returns the groups that the column of `Units` for a path is shown in relation to, as their paths. */
function relatedTo(
  as: ShowAs,
  path: CellValue[] | null,
  groups: (CellValue[] | null)[],
  areTimes: boolean[],
) {
  const own = groups.flatMap((group, i) =>
    group && JSON.stringify(group) === JSON.stringify(path) ? [i * 2 + 1] : [],
  );
  const column = { path, measure: 'Units', leaves: own, isClosed: false };
  const found = relatedColumn(column, as, { measures, groups, areTimes });
  if (found?.leaves.some((leaf) => leaf % 2 !== 1)) throw new Error('another measure');
  return found && found.leaves.map((leaf) => (groups[(leaf - 1) / 2] ?? ['?']).join(' '));
}

const MONTHS = [
  [2027, 3],
  [2027, 4],
  [2028, 1],
  [2028, 3],
  [2028, 4],
];

describe('years and months', () => {
  const of = (as: ShowAs, path: CellValue[]) => relatedTo(as, path, MONTHS, [true, true]);

  it('are shares of all columns, or of the group above', () => {
    expect(of('share_of_total', [2028, 3])).toHaveLength(5);
    expect(of('share_of_column', [2028, 3])).toEqual(['2028 1', '2028 3', '2028 4']);
    expect(of('share_of_column', [2028])).toHaveLength(5);
    expect(of('share_of_column', [])).toHaveLength(5);
  });

  it('add up within their year, years across years', () => {
    expect(of('running_total', [2028, 3])).toEqual(['2028 1', '2028 3']);
    expect(of('running_total', [2027])).toEqual(['2027 3', '2027 4']);
    expect(of('running_total', [2028])).toHaveLength(5);
    expect(of('running_total', [])).toEqual([]);
  });
});

it('a running total keeps the groups below the date, and begins with columns without one', () => {
  const groups = [
    [2, 'West'],
    [null, 'West'],
    [1, 'East'],
    [1, 'West'],
    [10, 'West'],
  ];
  const of = (path: CellValue[]) => relatedTo('running_total', path, groups, [true, false]);
  expect(of([2, 'West'])).toEqual(['2 West', ' West', '1 West']);
  expect(of([2])).toEqual(['2 West', ' West', '1 East', '1 West']);
  expect(of([null, 'West'])).toEqual([' West']);
});

it('periods without numbers add up in the order of the columns', () => {
  const groups = [
    ['A', 'P9'],
    ['A', 'P10'],
    ['A', 'P11'],
    ['B', 'P9'],
  ];
  const of = (path: CellValue[]) => relatedTo('running_total', path, groups, [false, true]);
  expect(of(['A', 'P10'])).toEqual(['A P9', 'A P10']);
  expect(of(['B', 'P9'])).toEqual(['B P9']);
});

it('ambiguous columns have only a total, and rows without columns are their own', () => {
  const of = (as: ShowAs) => relatedTo(as, null, [null, null], [true]);
  expect(of('share_of_total')).toHaveLength(2);
  expect(of('share_of_column')).toBeNull();
  expect(of('running_total')).toBeNull();
  expect(relatedTo('share_of_total', null, [], [])).toEqual([]);
});
