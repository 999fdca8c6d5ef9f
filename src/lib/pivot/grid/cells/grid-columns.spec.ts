import { describe, expect, it } from 'vitest';
import { drawnColumns, sums, type ColumnTotals } from './grid-columns';

const PATHS = [
  ['2028', 'Jan'],
  ['2028', 'Dec'],
  ['2029', 'Jan'],
].flatMap((path) => [path, path]);

/** Formats the columns as text: path, measure and the engine columns behind them. */
function columns(totals: ColumnTotals, closed: string[] = [], paths: (string[] | null)[] = PATHS) {
  return drawnColumns(paths, {
    measures: ['value', 'units'],
    levels: 2,
    totals,
    isOpen: (path) => !closed.includes(path.join('/')),
  }).map(
    ({ path, measure, leaves, isClosed }) =>
      `${path?.join('/') ?? '?'} ${measure} ${leaves.join('+')}${isClosed ? ' closed' : ''}`,
  );
}

describe('the shown columns', () => {
  it('equal the engine columns while all groups are open', () => {
    expect(columns({})).toEqual([
      '2028/Jan value 0',
      '2028/Jan units 1',
      '2028/Dec value 2',
      '2028/Dec units 3',
      '2029/Jan value 4',
      '2029/Jan units 5',
    ]);
  });

  it('have one column per measure for a closed group, with the sum of its columns', () => {
    expect(columns({}, ['2028'])).toEqual([
      '2028 value 0+2 closed',
      '2028 units 1+3 closed',
      '2029/Jan value 4',
      '2029/Jan units 5',
    ]);
  });

  it('have totals after open groups, and a grand total where the layout asks for it', () => {
    expect(columns({ subtotals: true, total_column: 'start' }, ['2029'])).toEqual([
      ' value 0+2+4',
      ' units 1+3+5',
      '2028/Jan value 0',
      '2028/Jan units 1',
      '2028/Dec value 2',
      '2028/Dec units 3',
      '2028 value 0+2',
      '2028 units 1+3',
      '2029 value 4 closed',
      '2029 units 5 closed',
    ]);
    expect(columns({ total_column: 'end' }).slice(-2)).toEqual([' value 0+2+4', ' units 1+3+5']);
  });

  it('are not a tree if the values of one column are ambiguous, and are empty without rows', () => {
    const paths = [null, null, ['2028', 'Jan'], ['2028', 'Jan']];
    expect(columns({ total_column: 'end' }, ['2028'], paths)).toEqual([
      '? value 0',
      '? units 1',
      '2028/Jan value 2',
      '2028/Jan units 3',
    ]);
    expect(columns({ total_column: 'end' }, [], [])).toEqual([]);
  });
});

describe('sums', () => {
  it('adds numbers row by row, and leaves rows without numbers empty', () => {
    expect(sums([[1, null, null, 0], [2, 3, null, null], undefined])).toEqual([3, 3, null, 0]);
  });
});
