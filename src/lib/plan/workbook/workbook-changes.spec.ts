import { describe, expect, it } from 'vitest';
import type { Book, BookCell } from '../../pivot/excel/read-back';
import type { CellValue } from '../../pivot/values/engine-types';
import { changesOf } from './workbook-changes';

const FIXED = { value: 2, units: 0, cost: 3 };

type Path = readonly CellValue[];
type Kind = BookCell['cell']['kind'];

/** A cell in a row of region and product and a column of a month, with its exported number and that of the file. */
const cell = (
  address: string,
  [row, column]: [row: Path, column: Path],
  was: number | null,
  text: string,
  { kind = 'number', measure = 'value' }: { kind?: Kind; measure?: string | null } = {},
): BookCell => ({
  address,
  was,
  cell: { column: 1, kind, text, isFormula: false },
  row: {
    path: [...row],
    why: row[0] === 'Filtered' ? 'No change can select “Size > 40”.' : null,
    slice:
      row[0] === 'Filtered'
        ? null
        : Object.fromEntries(row.map((value, i) => [['Region', 'Product'][i], value])),
    heads: [String(row.at(-1) ?? 'TOTAL')],
  },
  column: {
    path: [...column],
    measure,
    why: measure === null ? 'A price is computed.' : null,
    slice: measure === null ? null : column.length > 0 ? { Month: column[0] ?? null } : {},
    heads: [String(column[0] ?? 'Total'), 'Sales'],
  },
});

const bookOf = (cells: BookCell[]): Book => ({
  origin: {
    ...{ version: { id: 1, name: 'Plan' }, source: { id: 1, name: 'public.s' }, timeline: 't' },
    ...{ newest: 7, exported: '2027-01-01T00:00:00Z', sheet: 'Pivot', problem: null },
    headers: { rows: 2, columns: 1 },
  },
  notes: [],
  rows: cells.map(({ row }) => row),
  columns: cells.map(({ column }) => column),
  cells,
});

const read = (...cells: BookCell[]) => changesOf(bookOf(cells), FIXED);
const changed = (...cells: BookCell[]) =>
  read(...cells).changes.map(({ address, was, file }) => [address, was, file]);
const faults = (...cells: BookCell[]) =>
  read(...cells).faults.map(({ address, why }) => [address, why]);

const EAST = ['East'];
const CHAIRS = ['East', 'Chairs'];
const DESKS = ['East', 'Desks'];

describe('a number of the file', () => {
  it('is a change with the slice of its row and column, if it differs in the decimals of its measure', () => {
    const { changes } = read(
      cell('B3', [CHAIRS, ['Jan']], 100, '120.005'),
      cell('C3', [CHAIRS, ['Feb']], 576820.84, '576820.83999999997'),
      cell('D3', [CHAIRS, ['Mar']], 1, '1.004'),
      cell('E3', [CHAIRS, []], 3, '0', { measure: 'units' }),
    );
    expect(changes).toEqual([
      {
        ...{ address: 'B3', name: 'Chairs, Jan, Sales', measure: 'value', was: 100, file: 120.01 },
        slice: { Region: 'East', Product: 'Chairs', Month: 'Jan' },
      },
      {
        ...{ address: 'E3', name: 'Chairs, Total, Sales', measure: 'units', was: 3, file: 0 },
        slice: { Region: 'East', Product: 'Chairs' },
      },
    ]);
  });

  it('is a fault where nothing can be changed', () => {
    expect(
      faults(
        cell('B3', [CHAIRS, ['Jan']], 1, 'about 5', { kind: 'text' }),
        cell('B4', [CHAIRS, ['Jan']], 1, '#REF!', { kind: 'error' }),
        cell('B5', [CHAIRS, ['Jan']], 1, '=A1', { kind: 'unknown' }),
        cell('B6', [DESKS, ['Jan']], null, '5'),
        cell('B7', [DESKS, ['Jan']], null, '0'),
        cell('B8', [['Filtered'], ['Jan']], 1, '2'),
        cell('B9', [CHAIRS, ['Jan']], 1, '2', { measure: null }),
        cell('B10', [CHAIRS, ['Jan']], 1, '1', { measure: null }),
        cell('B11', [CHAIRS, ['Jan']], 1, ' ', { kind: 'text' }),
      ),
    ).toEqual([
      ['B3', '“about 5” is a text, not a number.'],
      ['B4', '“#REF!” is an error, not a number.'],
      ['B5', '“=A1” is a formula without a saved result, not a number.'],
      ['B6', expect.stringMatching(/^The cell was empty when it was exported/)],
      ['B8', 'No change can select “Size > 40”.'],
      ['B9', 'A price is computed.'],
    ]);
  });
});

describe('a total and its parts', () => {
  it('that agree are written by the parts, over several levels', () => {
    expect(
      changed(
        cell('D2', [[], []], 100, '115'),
        cell('B3', [EAST, ['Jan']], 50, '65'),
        cell('B4', [CHAIRS, ['Jan']], 30, '40'),
        cell('B5', [DESKS, ['Jan']], 20, '25'),
      ),
    ).toEqual([
      ['B4', 30, 40],
      ['B5', 20, 25],
    ]);
  });

  it('that disagree are refused with their addresses, and other cells are not', () => {
    const cells = [
      cell('B3', [EAST, ['Jan']], 50, '90'),
      cell('B4', [CHAIRS, ['Jan']], 30, '40'),
      cell('C4', [CHAIRS, ['Feb']], 30, '41'),
    ];
    expect(changed(...cells)).toEqual([['C4', 30, 41]]);
    const why =
      'The total B3 is 90, and its parts B4 make it 60. Change either the total or the parts.';
    expect(faults(...cells)).toEqual([
      ['B3', why],
      ['B4', why],
    ]);
  });

  it('are not written by the total if a part cannot be written', () => {
    const total = cell('B3', [EAST, ['Jan']], 50, '90');
    const why = (parts: string) =>
      `The total B3 was changed together with ${parts}, which cannot be written. Change either the total or the parts.`;
    const typed = cell('B4', [CHAIRS, ['Jan']], null, '40');
    expect(changed(total, typed)).toEqual([]);
    expect(faults(total, typed)).toContainEqual(['B3', why('B4')]);
    const text = cell('B4', [CHAIRS, ['Jan']], 30, 'forty', { kind: 'text' });
    expect(faults(total, text)).toContainEqual(['B3', why('B4')]);
    expect(changed(total, text)).toEqual([]);

    // Another part is written if the numbers of all parts explain the total.
    const other = cell('B5', [DESKS, ['Jan']], 20, '30');
    const both = cell('B3', [EAST, ['Jan']], 50, '100');
    expect(changed(both, typed, other)).toEqual([['B5', 20, 30]]);
    expect(faults(both, typed, other)).toContainEqual(['B3', why('B4')]);
    // The other part explains the total alone.
    const alone = cell('B3', [EAST, ['Jan']], 50, '60');
    expect(changed(alone, text, other)).toEqual([['B5', 20, 30]]);
    expect(faults(alone, text, other).map(([address]) => address)).toEqual(['B4']);
    // Neither does.
    expect(changed(total, text, other)).toEqual([]);
    expect(faults(total, text, other)).toContainEqual([
      'B5',
      'The total B3 is 90, and its parts B5 make it 60. Change either the total or the parts.',
    ]);
    // A computed number and the other measure are no parts.
    const price = cell('C4', [CHAIRS, ['Jan']], 1, '2', { measure: null });
    const units = cell('D4', [CHAIRS, ['Jan']], null, '2', { measure: 'units' });
    expect(changed(total, price, units)).toEqual([['B3', 50, 90]]);
  });

  it('of a further measure are compared by themselves, in its decimals', () => {
    const cost = { measure: 'cost' };
    const cells = [
      cell('B3', [EAST, ['Jan']], 50, '90'),
      cell('C3', [EAST, ['Jan']], 50, '60.125', cost),
      cell('C4', [CHAIRS, ['Jan']], 30, '40.1249', cost),
      cell('D4', [CHAIRS, ['Feb']], 30, '30.0004', cost),
    ];
    expect(changed(...cells)).toEqual([
      ['B3', 50, 90],
      ['C4', 30, 40.125],
    ]);
    const [, total] = cells;
    expect(total && changed(total)).toEqual([['C3', 50, 60.125]]);
  });

  it('of a measure that the source no longer has cannot be written', () => {
    const cells = [
      cell('B3', [CHAIRS, ['Jan']], 1, '2', { measure: 'profit' }),
      cell('B4', [DESKS, ['Jan']], 1, '1', { measure: 'profit' }),
    ];
    expect(faults(...cells)).toEqual([
      ['B3', 'The source no longer has this measure. Export the pivot again.'],
    ]);
  });

  it('do not concern the other measure', () => {
    const cells = [
      cell('B3', [EAST, ['Jan']], 50, '90'),
      cell('C4', [CHAIRS, ['Jan']], 30, '40', { measure: 'units' }),
    ];
    expect(changed(...cells)).toHaveLength(2);
  });
});

it('refuses a row total and a column total that cross, unless the changes of their parts explain them', () => {
  const cells = [cell('D4', [CHAIRS, []], 60, '70'), cell('B3', [EAST, ['Jan']], 50, '55')];
  const why = 'B3 and D4 have rows in common. Change the cells in which they cross.';
  expect(faults(...cells)).toEqual([
    ['B3', why],
    ['D4', why],
  ]);
  const several = [
    ...cells,
    cell('C3', [EAST, ['Feb']], 50, '56'),
    cell('D5', [DESKS, []], 60, '71'),
    cell('D6', [['West'], []], 60, '72'),
  ];
  expect(changed(...several)).toEqual([['D6', 60, 72]]);
  expect(faults(...several).map(([address]) => address)).toEqual(['B3', 'D4', 'C3', 'D5']);
  const explained = [
    cell('D4', [CHAIRS, []], 60, '70'),
    cell('B3', [EAST, ['Jan']], 50, '60'),
    cell('B4', [CHAIRS, ['Jan']], 30, '40'),
  ];
  expect(changed(...explained)).toEqual([['B4', 30, 40]]);
});
