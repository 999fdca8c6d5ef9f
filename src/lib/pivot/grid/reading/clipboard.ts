/** Text of the grid's cells for spreadsheets, and names of cells. */
import { cellKey, pathKey, type CellIdentity, type MarkedCell } from '../../slice/cell';
import { tidy } from '../../values/cell-value';
import type { CellValue } from '../../values/engine-types';
import type { DrawnColumn } from '../cells/grid-columns';
import { headParts, TOTAL } from '../drawing/heads';
import { unitText } from '../../values/column-format';
import { formatAs } from '../../values/show-as';
import { label } from '../../values/labels';
import type { Shown } from '../shown/shown';
import { printTsv } from './tsv';

/** Writes a number of a measure for a spreadsheet. */
type Print = (value: number, measure: string) => string;

const printed = (value: CellValue | undefined, measure: string | null, print: Print): string =>
  typeof value === 'number' ? print(tidy(value), measure ?? '') : String(value ?? '');

/** Returns the whole view as text for a spreadsheet, with its headers. */
export async function copyView(shown: Shown, print: Print): Promise<string> {
  const { group_by, split_by, paths, columns, values, count } = await shown.readAll();
  const parts = columns.map((column) => headParts(column, shown));
  const heads = split_by.map((_, level) => [
    ...group_by.map(() => ''),
    ...parts.map((part) => part[level] ?? ''),
  ]);
  const titles = [
    ...group_by.map(shown.labelOf),
    ...columns.map(({ measure }) => titleOf(shown, measure)),
  ];
  const body = Array.from({ length: count }, (_, y) => {
    const path = paths[y] ?? [];
    const head = group_by.map((name, i) => {
      if (path.length === 0) return i === 0 ? TOTAL : '';
      return i < path.length ? label(path[i] ?? null, shown.styleOf(name)) : '';
    });
    return [...head, ...columns.map(({ measure }, x) => printed(values[x]?.[y], measure, print))];
  });
  return printTsv([...heads, titles, ...body]);
}

/**
 * Returns marked cells as text for a spreadsheet: their numbers, in the rows and columns of the grid. Marked
 * row headers add the row labels before the numbers; marked column headers add the column labels above them.
 */
export async function copyMarked(
  shown: Shown,
  cells: readonly MarkedCell[],
  print: Print,
): Promise<string> {
  // The cells of a measure in relation to other sums hold its own sums.
  const isOther = ({ measure }: MarkedCell) =>
    measure === null || (shown.reader?.wayOf(measure) ?? null) !== null;
  if (cells.some(isOther)) return copyHeaders(shown, cells, print);
  const ys = [...new Set(cells.map(({ at }) => at.y))].sort((a, b) => a - b);
  const xs = [...new Set(cells.map(({ at }) => at.x ?? 0))].sort((a, b) => a - b);
  const texts = new Map(
    cells.map(({ at, value, measure }) => [`${at.x} ${at.y}`, printed(value, measure, print)]),
  );
  return printTsv(ys.map((y) => xs.map((x) => texts.get(`${x} ${y}`) ?? '')));
}

/** Returns a measure as the title of its numbers, with the aggregate if they are no sums. */
const titleOf = (shown: Shown, measure: string): string => {
  const aggregate = shown.reader?.config.aggregates[measure];
  const unit = unitText(formatAs({ aggregate }, shown.reader?.wayOf(measure)));
  return [shown.labelOf(measure), unit ?? []].flat().join(' ');
};

async function copyHeaders(
  shown: Shown,
  cells: readonly MarkedCell[],
  print: Print,
): Promise<string> {
  const { split_by, paths, columns, values } = await shown.readAll(partOf(cells));
  const rows = new Set(
    cells.flatMap(({ measure, columnPath, rowPath }) =>
      measure === null && columnPath === null ? [pathKey(rowPath)] : [],
    ),
  );
  const groups = cells.flatMap(({ measure, columnPath }) =>
    measure === null && columnPath !== null ? [columnPath] : [],
  );
  const single = new Map(cells.map((cell) => [cellKey(cell), cell]));
  const isOfGroup = ({ path }: DrawnColumn) =>
    path !== null && groups.some((group) => isWithin(path, group));
  const isSplit = split_by.length > 0;
  const isMarked = (rowPath: readonly CellValue[], column: DrawnColumn) =>
    rows.has(pathKey(rowPath)) ||
    isOfGroup(column) ||
    single.has(
      cellKey({ rowPath, columnPath: isSplit ? column.path : null, measure: column.measure }),
    );
  const xs = columns.flatMap((column, x) =>
    rows.size > 0 || paths.some((path) => isMarked(path, column)) ? [x] : [],
  );
  const lines = paths.flatMap((path, y) => {
    const marked = xs.map((x) => {
      const column = columns[x];
      return column && isMarked(path, column)
        ? printed(values[x]?.[y], column.measure, print)
        : null;
    });
    if (marked.every((text) => text === null)) return [];
    const head = rows.size > 0 ? [rowHeader(shown, path)] : [];
    return [[...head, ...marked.map((text) => text ?? '')]];
  });
  if (groups.length === 0) return printTsv(lines);
  const heads = xs.map((x) => columns[x]).map((column) => (column ? headOf(shown, column) : ''));
  return printTsv([[...(rows.size > 0 ? [''] : []), ...heads], ...lines]);
}

/** Returns the rows and columns of marked cells; everything if some of them are headers. */
function partOf(cells: readonly MarkedCell[]): Parameters<Shown['readAll']>[0] {
  if (cells.some(({ measure }) => measure === null)) return {};
  const ys = cells.map(({ at }) => at.y);
  const [start_row, last] = ys.reduce(
    ([least, most], y) => [Math.min(least, y), Math.max(most, y)],
    [Infinity, 0],
  );
  const keyOf = (path: readonly CellValue[] | null, measure: string | null) =>
    cellKey({ rowPath: [], columnPath: path, measure });
  const marked = new Set(cells.map(({ columnPath, measure }) => keyOf(columnPath, measure)));
  return {
    rows: { start_row, end_row: last + 1 },
    isRead: ({ path, measure }) => marked.has(keyOf(path, measure)),
  };
}

const isWithin = (path: readonly CellValue[], group: readonly CellValue[]): boolean =>
  pathKey(path.slice(0, group.length)) === pathKey(group);

const headOf = (shown: Shown, column: DrawnColumn): string =>
  headParts(column, shown)
    .filter((part) => part !== '')
    .join(' / ');

/** The headers of a cell: "Furniture / Chairs" and "2028 / Sales"; null for one that the view does not have. */
export interface CellHeaders {
  row: string | null;
  column: string | null;
}

/** Returns the headers of a cell. */
export function cellHeaders(
  shown: Shown,
  { rowPath, columnPath, measure }: CellIdentity,
): CellHeaders {
  const isGrouped = (shown.reader?.config.group_by.length ?? 0) > 0;
  const row = isGrouped ? rowHeader(shown, rowPath) : null;
  const column = { path: columnPath, measure: measure ?? '', leaves: [], isClosed: false };
  if (columnPath) return { row, column: headOf(shown, column) };
  return { row, column: measure === null ? null : shown.labelOf(measure) };
}

/** Returns the name of a cell, such as "Furniture / Chairs, 2028 / Sales". */
export function cellName(shown: Shown, cell: CellIdentity): string {
  const { row, column } = cellHeaders(shown, cell);
  return [row, column].filter(Boolean).join(', ');
}

/**
 * Returns the texts of all row headers and of all column headers on screen, whole and in parts. Columns count by
 * their label and by their name.
 */
export function headerTexts(shown: Shown): Promise<{ rows: string[]; columns: string[] }> {
  return shown.ask(async (reader) => {
    const { group_by } = reader.config;
    const paths = group_by.length > 0 ? await reader.rowPaths(0) : [];
    const rows = paths.flatMap((path) => [
      rowHeader(shown, path),
      ...path.map((value, i) => label(value, shown.styleOf(group_by[i]))),
    ]);
    const columns = (await reader.columns()).flatMap((column) => [
      headOf(shown, column),
      ...headParts(column, shown).filter((part) => part !== ''),
      column.measure,
    ]);
    return { rows: [...group_by, ...group_by.map(shown.labelOf), ...rows], columns };
  });
}

function rowHeader(shown: Shown, rowPath: CellIdentity['rowPath']): string {
  const { group_by = [] } = shown.reader?.config ?? {};
  return rowPath.map((value, i) => label(value, shown.styleOf(group_by[i]))).join(' / ') || TOTAL;
}
