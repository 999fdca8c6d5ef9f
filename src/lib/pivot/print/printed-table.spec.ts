import { describe, expect, it } from 'vitest';
import { bandsOf, printedTable, whyNotPrinted } from './printed-table';

/** A measure by region and month, with a total of all months. */
const pivot = (months: number): Parameters<typeof printedTable>[0] => {
  const days = Array.from({ length: months }, (_, month) => Date.UTC(2028, month, 1));
  const paths = [[], ['North'], ['North', 'Chairs'], ['South']];
  return {
    group_by: ['region', 'item'],
    split_by: ['month'],
    totals: { total_column: 'end' },
    paths,
    columns: [
      ...days.map((day, x) => ({ path: [day], measure: 'sales', leaves: [x], isClosed: false })),
      { path: [], measure: 'sales', leaves: days.map((_, x) => x), isClosed: false },
    ],
    values: [...days, 0].map((_, x) => paths.map((_, y) => (y === 3 ? null : -1234567.5 + x))),
    count: paths.length,
    kinds: new Map([['sales', 'float']]),
    styles: new Map([['month', 'month']]),
    labelOf: (name) => ({ region: 'Region', item: 'Item', sales: 'Sales' })[name] ?? name,
    formats: new Map([['sales', { divisor: 1000 }]]),
    closed: { has: ([name], [value]) => name === 'month' && value === days[0] },
  };
};

describe('the printed pivot', () => {
  it('has the headers, labels and numbers of the grid', () => {
    const { hasLabels, corner, bands } = printedTable(pivot(2), ['de-DE']);
    expect({ hasLabels, corner }).toEqual({
      hasLabels: true,
      corner: 'Region / Item (in thousands)',
    });
    expect(bands).toHaveLength(1);
    const [band] = bands;
    expect(band?.heads.map((heads) => heads.map(({ text }) => text))).toEqual([
      [expect.stringMatching(/2028 ✓$/), expect.stringMatching(/2028$/), 'Total'],
      ['Sales', 'Sales', 'Sales'],
    ]);
    expect(band?.rows.map(({ label, level, isOpen }) => [label, level, isOpen])).toEqual([
      ['TOTAL', 0, true],
      ['North', 1, true],
      ['Chairs', 2, false],
      ['South', 1, false],
    ]);
    const [first, last] = [band?.rows[0]?.cells[0], band?.rows[3]?.cells[0]];
    expect(first).toEqual({ text: '-1.234,57', isNegative: true, mark: null });
    expect(last).toEqual({ text: '', isNegative: false, mark: null });
  });

  it('has the marks of the cells, with room for their signs', () => {
    const one = pivot(2);
    const wide = printedTable(one, ['en-US']).bands[0];
    const [band] = printedTable(
      { ...one, markAt: (x, y) => (x === 1 && y === 2 ? { sign: 'below' } : null) },
      ['en-US'],
    ).bands;
    const marks = band?.rows.map(({ cells }) => cells.map(({ mark }) => mark?.sign ?? null));
    expect(marks).toEqual([
      [null, null, null],
      [null, null, null],
      [null, 'below', null],
      [null, null, null],
    ]);
    expect(band?.size).toBeLessThanOrEqual(wide?.size ?? 0);
  });

  it('joins the headers of the columns of a group', () => {
    const one = pivot(2);
    const columns = one.columns.flatMap((column) => [column, { ...column, measure: 'units' }]);
    const values = one.values.flatMap((column) => [column, column]);
    const [band] = printedTable({ ...one, columns, values }, ['en-US']).bands;
    expect(band?.heads[0]?.map(({ span }) => span)).toEqual([2, 2, 2]);
    expect(band?.heads[1]?.map(({ text }) => text)).toEqual([
      ...['Sales in thousands', 'units', 'Sales in thousands', 'units'],
      ...['Sales in thousands', 'units'],
    ]);
  });

  it('prints twelve months and their total beside each other, and more columns in bands', () => {
    const wide = (months: number) => ({ ...pivot(months), formats: new Map() });
    expect(printedTable(wide(12), ['en-US']).bands).toHaveLength(1);
    const bands = printedTable(wide(36), ['en-US']).bands;
    expect(bands.map(({ rows }) => rows.length)).toEqual(bands.map(() => 4));
    expect(bands.reduce((sum, { heads }) => sum + (heads[1]?.length ?? 0), 0)).toBe(37);
  });

  it('gives each column to one band, and a column that is too wide its own', () => {
    const widths = [5, 200, 5, 5];
    expect(bandsOf(widths, 15).map(({ from, to }) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 4],
    ]);
    expect(bandsOf([], 15)).toEqual([]);
    expect(bandsOf([5], 15)[0]?.size).toBe(9);
  });

  it('is refused above 60,000 cells', () => {
    expect(whyNotPrinted({ rows: 5000, columns: 12 })).toBeNull();
    expect(whyNotPrinted({ rows: 5001, columns: 12 })).toBe(
      'The pivot has 5,001 rows and 12 columns, and at most 60,000 cells can be printed. Close some levels, set a filter, or export a workbook.',
    );
  });
});
