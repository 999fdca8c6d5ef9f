import { describe, expect, it } from 'vitest';
import { lastColumnOf } from './pinned';
import type { DrawnColumn } from '../cells/grid-columns';

const column = (path: string[] | null, measure: string): DrawnColumn => ({
  path,
  measure,
  leaves: [0],
  isClosed: false,
});
const COLUMNS = [[], ['2027'], ['2028', 'Q1'], ['2028', 'Q2']].flatMap((path) =>
  ['Sales', 'Quantity'].map((measure) => column(path, measure)),
);
const target = (columnPath: string[] | null, measure: string | null) => ({
  rowPath: [],
  columnPath,
  measure,
});

describe('lastColumnOf', () => {
  it.each([
    ['a cell', target(['2028', 'Q1'], 'Sales'), 4],
    ['a cell of the total of all columns', target([], 'Quantity'), 1],
    ['a cell of a closed group', target(['2027'], 'Quantity'), 3],
    ['the header of a group', target(['2028'], null), 7],
    ['the header of an inner group', target(['2028', 'Q1'], null), 5],
    ['a row header', target(null, null), -1],
    ['a column that is not shown', target(['2029'], 'Sales'), -1],
  ])('finds the column of %s', (_, identity, x) => expect(lastColumnOf(COLUMNS, identity)).toBe(x));

  it('finds the column of a cell by its measure in a pivot without split columns', () => {
    const columns = ['Sales', 'Quantity'].map((measure) => column(null, measure));
    expect(lastColumnOf(columns, target(null, 'Quantity'))).toBe(1);
  });
});
