import { readFile } from 'node:fs/promises';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import type { Slice } from '../../contract/slices';
import type { CellValue } from '../values/engine-types';
import { pivotWorkbook } from './excel';
import type { OriginLines } from './origin-sheet';
import type { TakenPivot } from './pivot-sheet';
import { type BookCell, readBook } from './read-back';

const JAN = Date.UTC(2027, 0, 1);
const FEB = Date.UTC(2027, 1, 1);

const column = (path: CellValue[], at: number[]) => ({
  ...{ path, measure: 'Sales', leaves: at, isClosed: false },
});

const PIVOT: TakenPivot = {
  group_by: ['region'],
  split_by: ['month'],
  totals: { total_column: 'end' },
  paths: [[], ['East & “West”'], [null]],
  columns: [column([JAN], [0]), column([FEB], [1]), column([], [0, 1])],
  values: [
    [3, 1.25, null],
    [0.1, null, 576820.84],
    [3.1, 1.25, 576820.84],
  ],
  count: 3,
  kinds: new Map([['Sales', 'float']]),
  labelOf: (name) => name,
  styles: new Map([
    ['region', 'string'],
    ['month', 'month'],
  ]),
  formats: new Map([['Sales', { stored: 2 }]]),
  closed: { has: () => false },
};

const month = (from: string, to: string) => ({ 'Order Date': { from, to } });

const LINES: OriginLines = {
  rows: PIVOT.paths.map((path, i) => {
    const slice: Slice = i === 0 ? {} : { region: String(path[0]) };
    return { path: [...path], why: null, slice };
  }),
  columns: [month('2027-01-01', '2027-01-31'), month('2027-02-01', '2027-02-28'), {}].map(
    (slice, i) => ({
      path: i === 0 ? [JAN] : i === 1 ? [FEB] : [],
      slice,
      why: null,
      measure: 'value',
    }),
  ),
};

const FROM = {
  ...{ version: { id: 4, name: 'Plan' }, source: { id: 2, name: 'public.sales' } },
  ...{ timeline: 't', newest: 9, exported: '2027-01-01T00:00:00.000Z' },
};

const written = (problem: string | null = null) =>
  pivotWorkbook(PIVOT, [['Version', 'Plan']], { ...FROM, problem, ...LINES });

it('reads the cells of an exported workbook with their addresses, slices and exact amounts', async () => {
  const { origin, rows, columns, cells } = await readBook(await written());
  expect(origin).toMatchObject({ ...FROM, sheet: 'Pivot', headers: { rows: 2, columns: 1 } });
  expect(rows.map(({ heads, slice }) => [heads, slice])).toEqual([
    [['TOTAL'], {}],
    [['East & “West”'], { region: 'East & “West”' }],
    [['(empty)'], { region: 'null' }],
  ]);
  expect(columns.map(({ heads }) => heads)).toEqual([
    ['2027-01-01', 'Sales'],
    ['2027-02-01', 'Sales'],
    ['Total', 'Sales'],
  ]);
  expect(cells.map(({ address, was, cell }) => [address, was, cell.text])).toEqual([
    ...[
      ['B3', 3, '3'],
      ['C3', 0.1, '0.1'],
      ['D3', 3.1, '3.1'],
    ],
    ...[
      ['B4', 1.25, '1.25'],
      ['D4', 1.25, '1.25'],
    ],
    ...[
      ['C5', 576820.84, '576820.84'],
      ['D5', 576820.84, '576820.84'],
    ],
  ]);
});

it('knows headers that are numbers in the digits that a spreadsheet saves', async () => {
  const pivot = {
    ...PIVOT,
    split_by: ['rate'],
    columns: [column([1.1], [0]), column([1000], [1])],
  };
  const sheet = {
    ...{
      ...pivot,
      values: [
        [3, 1, 2],
        [1, 1, 0],
      ],
    },
    styles: new Map([['region', 'string'] as const, ['rate', 'float'] as const]),
  };
  const lines = { ...LINES, columns: LINES.columns.slice(0, 2) };
  const file = await pivotWorkbook(sheet, [['Version', 'Plan']], {
    ...FROM,
    problem: null,
    ...lines,
  });
  const parts = unzipSync(new Uint8Array(await file.arrayBuffer()));
  const name = 'xl/worksheets/sheet1.xml';
  const xml = strFromU8(parts[name] ?? new Uint8Array());
  const saved = async (rate: string, thousand: string) => {
    const changed = xml
      .replace('<v>1.1</v>', `<v>${rate}</v>`)
      .replace('<v>1000</v>', `<v>${thousand}</v>`);
    expect(changed === xml).toBe(rate === '1.1');
    const bytes = zipSync({ ...parts, [name]: strToU8(changed) });
    return (await readBook(new Blob([new Uint8Array(bytes)]))).cells.length;
  };
  expect(await saved('1.1', '1000')).toBe(6);
  expect(await saved('1.1000000000000001', '1E3')).toBe(6);
  await expect(saved('1.2', '1000')).rejects.toThrow(
    /^The header B1 is “1.2”, and it was exported as “1.1”/,
  );
});

it('says why a workbook cannot be read back', async () => {
  await expect(readBook(await written('It shows an earlier state.'))).rejects.toThrow(
    'It shows an earlier state.',
  );
  const plain = new URL('../../../../tests/fixtures/workbooks/plain.xlsx', import.meta.url);
  await expect(readBook(new Blob([await readFile(plain)]))).rejects.toThrow(
    /^This workbook was not exported from a pivot/,
  );
  await expect(readBook(new Blob(['text']))).rejects.toThrow();
});

const saved = async (name: string) =>
  readBook(
    new Blob([
      await readFile(new URL(`../../../../tests/fixtures/workbooks/${name}`, import.meta.url)),
    ]),
  );

it('reads a workbook that LibreOffice has saved', async () => {
  const { origin, columns, rows, cells, notes } = await saved('pivot-by-libreoffice.xlsx');
  expect(notes).toEqual([]);
  expect(origin).toMatchObject({ version: { id: 1 }, source: { name: 'public.superstore' } });
  expect([rows.length, columns.length]).toEqual([21, 8]);
  const changed = cells.filter(({ was, cell }) => Math.abs(Number(cell.text) - (was ?? 0)) > 1e-6);
  expect(changed.map(({ address, cell }) => [address, cell.text])).toEqual([
    ['D6', '80000'],
    ['F6', '0'],
  ]);
});

const MOVED =
  'Rows or columns are not where they were exported. Their cells are found by their labels.';

it.each([
  // Its first number is the total of Sales of 2028 of the chairs, in row 6 before.
  ['pivot-sorted.xlsx', 168, 'D8', [MOVED]],
  ['pivot-inserted.xlsx', 168, 'F9', [MOVED, 'Not read, because it was not exported: row 8.']],
  [
    'pivot-deleted.xlsx',
    133,
    'C6',
    [
      MOVED,
      'Not found, and not read: “Furnishings”, “Tables”, “2027-01-01, Sales”. These labels are gone, or several rows or columns have them.',
    ],
  ],
])('finds the cells of %s by their labels', async (name, count, chairs, notes) => {
  const keyOf = ({ row, column }: BookCell) =>
    JSON.stringify([row.path, column.path, column.measure]);
  const before = await saved('pivot-by-libreoffice.xlsx');
  const texts = new Map(before.cells.map((each) => [keyOf(each), each]));
  const book = await saved(name);
  expect(book.notes).toEqual(notes);
  expect(book.cells).toHaveLength(count);
  for (const each of book.cells) {
    const same = texts.get(keyOf(each));
    expect([each.cell.text, each.was]).toEqual([same?.cell.text, same?.was]);
    expect([each.row.slice, each.column.slice]).toEqual([same?.row.slice, same?.column.slice]);
  }
  expect(book.cells.find(({ cell }) => cell.text === '80000')?.address).toBe(chairs);
});

it('does not guess where several lines have one label', async () => {
  const paths: CellValue[][] = [[], ['East'], ['East', 'Chairs'], ['West'], ['West', 'Chairs']];
  const pivot = { ...PIVOT, group_by: ['region', 'product'], paths, count: 5 };
  const values = [1, 2, 3].map((n) => paths.map((_, i) => 10 * i + n));
  const rows = paths.map((path) => ({
    ...{ path, why: null },
    slice: Object.fromEntries(path.map((value, i) => [['region', 'product'][i], String(value)])),
  }));
  const file = await pivotWorkbook({ ...pivot, values }, [['Version', 'Plan']], {
    ...{ ...FROM, problem: null },
    ...{ ...LINES, rows },
  });
  const parts = unzipSync(new Uint8Array(await file.arrayBuffer()));
  const name = 'xl/worksheets/sheet1.xml';
  const xml = strFromU8(parts[name] ?? new Uint8Array());
  const lines = xml.match(/<row .*?<\/row>/gs) ?? [];
  /** The file with its rows in another order. */
  const ordered = (order: readonly number[]) => {
    const moved = order.map((from, to) =>
      (lines[from] ?? '')
        .replace(/<row r="\d+"/, `<row r="${to + 1}"`)
        .replace(/(<c r="[A-Z]+)\d+"/g, `$1${to + 1}"`),
    );
    const changed = xml.replace(/<row .*<\/row>/s, moved.join(''));
    return new Blob([new Uint8Array(zipSync({ ...parts, [name]: strToU8(changed) }))]);
  };
  const read = async (order: readonly number[]) => {
    const { cells, notes } = await readBook(ordered(order));
    const found = cells.map(({ row, was, cell }) => [row.path.join('/'), was, Number(cell.text)]);
    return { found: found.filter(([path]) => String(path).endsWith('Chairs')), notes };
  };
  const chairs = (region: string, i: number) =>
    [1, 2, 3].map((n) => [`${region}/Chairs`, 10 * i + n, 10 * i + n]);
  expect(await read([0, 1, 2, 3, 4, 5, 6])).toEqual({
    ...{ found: [...chairs('East', 2), ...chairs('West', 4)], notes: [] },
  });
  // The order tells them apart, though the first row is gone.
  expect(await read([0, 1, 3, 4, 5, 6])).toMatchObject({
    found: [...chairs('East', 2), ...chairs('West', 4)],
  });
  // Each has the numbers of the other one: swapped, or typed.
  const swapped = await read([0, 1, 2, 3, 6, 5, 4]);
  expect(swapped).toEqual({
    found: [],
    notes: [
      expect.stringMatching(/^Not read: rows 5, 7 have one label and each other’s numbers\./),
    ],
  });
  // Nothing tells them apart after the rows were sorted, or one of them is gone.
  for (const order of [
    [0, 1, 2, 5, 6, 3, 4],
    [0, 1, 2, 3, 5, 6],
    [0, 1, 2, 3, 4, 4, 5, 6],
  ]) {
    const { found, notes } = await read(order);
    expect(found).toEqual([]);
    expect(notes[1]).toMatch(/^Not found, and not read: “Chairs”, “Chairs”\. /);
  }
});
