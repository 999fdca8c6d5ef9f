/** Reads blocks of cells, and marked cells again after a change. */
import { pathKey, type CellIdentity, type CellPosition, type MarkedCell } from '../../slice/cell';
import type { ReadCell } from '../../slice/cell';
import { tidy } from '../../values/cell-value';
import type { CellValue, View } from '../../values/engine-types';
import type { SliceColumn } from '../../slice/slice';
import type { RowNames, ViewReader } from '../views/view-reader';
import { blockOf, refuseTooMany, sizeOf } from '../cells/block';
import type { Shown } from '../shown/shown';

/** Number of attempts to read a block whose rows or columns move during the read. */
const ATTEMPTS = 3;

/** A cell and its last known position. */
interface KnownCell {
  cell: CellIdentity;
  at: CellPosition | null;
}

/**
 * Reads the cells of the rectangle between two cells, row by row, all at the same moment.
 *
 * @throws Error with a sentence if one of the two is not shown, if the values of a column are ambiguous, or
 * if there are too many cells
 */
export async function readBlock(
  shown: Shown,
  anchor: KnownCell,
  corner: KnownCell,
): Promise<MarkedCell[]> {
  if (anchor.cell.columnPath !== null && anchor.cell.measure === null)
    throw new Error('a block has to start at a cell or at the label of a row.');
  return shown.ask(async (reader, view) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [from, to] = await Promise.all([
        reader.locate(anchor.cell, anchor.at),
        reader.locate(corner.cell, corner.at),
      ]);
      if (!from || !to) throw new Error('the first cell of the block has moved. Click it again.');
      const cells = await readRectangle(shown, reader, view, from, to);
      // Rows may have moved since their positions were read.
      const isAt = ({ cell }: KnownCell, { y }: CellPosition) =>
        cells.some(({ rowPath, at }) => at.y === y && pathKey(rowPath) === pathKey(cell.rowPath));
      if (isAt(anchor, from) && isAt(corner, to)) return cells;
    }
    throw new Error('the rows are changing. Select the block again.');
  });
}

async function readRectangle(
  shown: Shown,
  reader: ViewReader,
  view: View,
  from: CellPosition,
  to: CellPosition,
): Promise<MarkedCell[]> {
  const block = blockOf(from, to);
  refuseTooMany(sizeOf(block));
  const isGrouped = reader.config.group_by.length > 0;
  const isSplit = reader.config.split_by.length > 0 && isGrouped;
  const rows = { start_row: block.y0, end_row: block.y1 + 1 };
  const all = await reader.columns();
  const x0 = block.columns?.x0 ?? 0;
  const columns = block.columns ? all.slice(x0, block.columns.x1 + 1) : all.slice(0, 1);
  if (isSplit && columns.some(({ path }) => !path))
    throw new Error('the column behind one of these cells could not be read.');
  const { paths, values } = await shown.readPart(reader, view, columns, rows);
  return paths.flatMap((rowPath, i): MarkedCell[] => {
    const y = block.y0 + i;
    const members = membersOf(shown, rowPath);
    if (!block.columns) {
      const aggregate = reader.aggregateOf(null);
      return [
        {
          ...{ rowPath, columnPath: null, measure: null, value: null, aggregate, ...members },
          at: { x: null, y },
        },
      ];
    }
    return columns.map(({ path, measure }, j) => ({
      rowPath,
      columnPath: isSplit ? path : null,
      measure,
      value: numberOf(values[j]?.[i]),
      aggregate: reader.aggregateOf(measure),
      ...members,
      at: { x: x0 + j, y },
    }));
  });
}

/**
 * Reads cells again: their current values, positions and groups behind a row "Others". Cells that are no longer shown
 * have a null value.
 *
 * @throws Error with a sentence if rows keep coming and going during the reads
 */
export async function readAgain(
  shown: Shown,
  cells: readonly MarkedCell[],
): Promise<(MarkedCell & { isShown: boolean })[]> {
  return shown.ask(async (reader, view) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const read = await readOnce(shown, reader, view, cells);
      if (read) return read;
    }
    throw new Error('the rows are changing. Select the cells again.');
  });
}

/** Reads once; null if rows moved between the reads of positions and of values. */
async function readOnce(
  shown: Shown,
  reader: ViewReader,
  view: View,
  cells: readonly MarkedCell[],
): Promise<(MarkedCell & { isShown: boolean })[] | null> {
  const all = await reader.columns();
  const key = (path: readonly CellValue[] | null, measure: string) =>
    JSON.stringify([path, measure]);
  const isGrouped = reader.config.group_by.length > 0;
  const isSplit = reader.config.split_by.length > 0 && isGrouped;
  const xs = new Map(all.map(({ path, measure }, x) => [key(isSplit ? path : null, measure), x]));
  const ys = await rowsOf(reader, cells);
  const placed = cells.map((cell) => {
    const { rowPath, columnPath, measure } = cell;
    const y = ys.get(pathKey(rowPath));
    const x = measure === null ? null : xs.get(key(columnPath, measure));
    return { cell, at: y === undefined || x === undefined ? null : { x, y } };
  });
  const ofNumbers = placed.flatMap(({ at }) => (at && at.x !== null ? [at] : []));
  const wanted = [...new Set(ofNumbers.map(({ x }) => x))];
  const start_row = ofNumbers.reduce((least, { y }) => Math.min(least, y), Infinity);
  const end_row = ofNumbers.reduce((most, { y }) => Math.max(most, y + 1), 0);
  const columns = wanted.flatMap((x) => all[x ?? -1] ?? []);
  const { paths, values } = wanted.length
    ? await shown.readPart(reader, view, columns, { start_row, end_row })
    : { paths: [], values: [] };
  const hasMoved = ({ cell, at }: (typeof placed)[number]) =>
    at && at.x !== null && pathKey(paths[at.y - start_row] ?? []) !== pathKey(cell.rowPath);
  if (isGrouped && placed.some(hasMoved)) return null;
  const orders = new Map(wanted.map((x, i) => [x, i]));
  return placed.map(({ cell, at }) => ({
    ...cell,
    ...(at && membersOf(shown, cell.rowPath)),
    value: at && numberOf(values[orders.get(at.x) ?? -1]?.[at.y - start_row]),
    at: at ?? cell.at,
    isShown: at !== null,
  }));
}

/**
 * Finds the rows of some cells by path and returns their positions. In an ungrouped view, it checks only the
 * last known position.
 */
async function rowsOf(
  reader: ViewReader,
  cells: readonly MarkedCell[],
): Promise<ReadonlyMap<string, number>> {
  if (reader.config.group_by.length > 0)
    return new Map((await reader.rowPaths(0)).map((path, y) => [pathKey(path), y]));
  const rows = new Map<string, number>();
  for (const cell of cells) {
    const row = pathKey(cell.rowPath);
    if (!rows.has(row) && (await reader.locate(cell, cell.at))) rows.set(row, cell.at.y);
  }
  return rows;
}

/** Adds the slice behind each cell to marked cells. @throws Error if the row of a cell is gone */
export async function withSlices(
  shown: Shown,
  cells: readonly MarkedCell[],
  columns: readonly SliceColumn[],
): Promise<(ReadCell & MarkedCell)[]> {
  return shown.ask(async (reader) => {
    const rows = new Map<string, Promise<RowNames>>();
    return Promise.all(
      cells.map(async (cell) => {
        const key = pathKey(cell.rowPath);
        const row = rows.get(key) ?? reader.rowNames(cell, columns);
        rows.set(key, row);
        return { ...cell, ...(await reader.withSlice(cell, columns, row)) };
      }),
    );
  });
}

/** Returns `members` for the cells of a row "Others": the values of the groups behind it. Null for any other row. */
function membersOf(shown: Shown, rowPath: readonly CellValue[]): Pick<ReadCell, 'members'> | null {
  const members = shown.membersOf(rowPath);
  return members && { members };
}

const numberOf = (value: CellValue | undefined): number | null =>
  typeof value === 'number' ? tidy(value) : null;
