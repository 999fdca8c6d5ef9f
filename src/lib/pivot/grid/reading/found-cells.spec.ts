import { describe, expect, it } from 'vitest';
import { columnsWith, pathTest } from './found-cells';
import { drawnColumns } from '../cells/grid-columns';

describe('pathTest', () => {
  const columns = ['Category', 'Item', 'Region'];

  it('tests the levels that a path has, and needs the deepest level of the conditions', () => {
    const { depth, admits } = pathTest(columns, [
      { columns: ['Item'], paths: [['Chairs'], [null]] },
      { columns: ['Year'], paths: [[2027]] },
    ]);
    expect(depth).toBe(2);
    expect(admits(['Furniture'])).toBe(true);
    expect(admits(['Furniture', 'Chairs'])).toBe(true);
    expect(admits(['Furniture', null])).toBe(true);
    expect(admits(['Furniture', 'null'])).toBe(false);
  });

  it('tests several columns of a condition together', () => {
    const { depth, admits } = pathTest(
      ['Year', 'Segment', 'Month'],
      [
        {
          columns: ['Year', 'Month'],
          paths: [
            [2027, 'Jan'],
            [2028, 'Feb'],
          ],
        },
      ],
    );
    expect(depth).toBe(3);
    expect(admits([2028, 'Consumer'])).toBe(true);
    expect(admits([2029])).toBe(false);
    expect(admits([2028, 'Consumer', 'Feb'])).toBe(true);
    expect(admits([2028, 'Consumer', 'Jan'])).toBe(false);
  });

  it('admits every path without conditions', () => {
    const { depth, admits } = pathTest(columns, []);
    expect([depth, admits([]), admits(['Furniture'])]).toEqual([0, true, true]);
  });
});

describe('columnsWith', () => {
  // The engine has a column per measure.
  const paths = [2027, 2028].flatMap((year) =>
    ['Jan', 'Jan', 'Feb', 'Feb'].map((month) => [year, month]),
  );
  const columns = (totals: object, open: readonly number[]) =>
    drawnColumns(paths, {
      ...{ measures: ['Sales', 'Units'], levels: 2, totals },
      isOpen: ([year]) => open.includes(Number(year)),
    });
  const found = (of: ReturnType<typeof columns>, conditions: Parameters<typeof pathTest>[1]) =>
    columnsWith(of, 'Units', pathTest(['Year', 'Month'], conditions)).map((x) => of[x]?.path);

  it('finds the columns at the level of the conditions', () => {
    const feb = [{ columns: ['Month'], paths: [['Feb']] }];
    expect(found(columns({}, [2027, 2028]), feb)).toEqual([
      [2027, 'Feb'],
      [2028, 'Feb'],
    ]);
    const year = [{ columns: ['Year'], paths: [[2028]] }];
    expect(found(columns({}, []), year)).toEqual([[2028]]);
  });

  it('takes the total of a group instead of its columns, so that nothing counts twice', () => {
    expect(found(columns({ total_column: 'end' }, [2027]), [])).toEqual([[]]);
    expect(found(columns({ subtotals: true }, [2027]), [])).toEqual([[2027], [2028]]);
    expect(found(columns({}, [2027]), [])).toEqual([[2027, 'Jan'], [2027, 'Feb'], [2028]]);
  });
});
