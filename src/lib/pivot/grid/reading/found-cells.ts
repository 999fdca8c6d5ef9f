/** Finds cells of the grid: those that meet conditions on rows and columns, and the one that shows a slice. */
import { pathKey, type CellCondition, type MarkedCell } from '../../slice/cell';
import { tidy } from '../../values/cell-value';
import type { CellValue } from '../../values/engine-types';
import { refuseTooMany } from '../cells/block';
import type { DrawnColumn } from '../cells/grid-columns';
import type { Reach } from '../cells/reach';
import type { RowGroups } from '../shown/row-groups';
import type { Shown } from '../shown/shown';
import type { ViewReader } from '../views/view-reader';

/** A test of paths of values, and the number of levels that the conditions concern. */
interface PathTest {
  depth: number;
  /** Checks a path of any length; levels that it lacks are not tested. */
  admits(path: readonly CellValue[]): boolean;
}

/** Returns the test of the conditions on some columns; conditions on other columns are left out. */
export function pathTest(
  columns: readonly string[],
  conditions: readonly CellCondition[],
): PathTest {
  const tests = conditions.flatMap((condition) => {
    const levels = condition.columns.map((name) => columns.indexOf(name));
    if (levels.length === 0 || levels.includes(-1)) return [];
    const starts = condition.paths.flatMap((path) =>
      path.map((_, i) => pathKey(path.slice(0, i + 1))),
    );
    return [{ levels, keys: new Set(starts) }];
  });
  return {
    depth: Math.max(0, ...tests.flatMap(({ levels }) => levels.map((level) => level + 1))),
    admits: (path) =>
      tests.every(({ levels, keys }) => {
        const within = levels.filter((level) => level < path.length);
        const isStart = within.length === 0;
        return isStart || keys.has(pathKey(within.map((level) => path[level] ?? null)));
      }),
  };
}

/**
 * Returns the positions of the columns of a measure that a test admits, without those that another one of
 * them adds up already.
 */
export function columnsWith(
  columns: readonly DrawnColumn[],
  measure: string,
  { depth, admits }: PathTest,
): number[] {
  const found = columns.flatMap((column, x) => {
    const path = column.path ?? [];
    return column.measure === measure && path.length >= depth && admits(path) ? [{ path, x }] : [];
  });
  const keys = new Set(found.map(({ path }) => pathKey(path)));
  const isPart = (path: readonly CellValue[]) =>
    path.some((_, length) => keys.has(pathKey(path.slice(0, length))));
  return found.filter(({ path }) => !isPart(path)).map(({ x }) => x);
}

/**
 * Finds the cells of a measure that meet all conditions, and opens the rows and columns that contain them.
 *
 * @param regroup shows the columns after groups of them were opened
 * @throws Error with a sentence if there are none, too many, or too many closed rows
 */
export async function cellsWith(
  shown: Shown,
  rows: RowGroups,
  regroup: () => Promise<void>,
  { conditions, measure }: { conditions: readonly CellCondition[]; measure: string },
): Promise<MarkedCell[]> {
  const { group_by = [], split_by = [] } = shown.reader?.config ?? {};
  if (group_by.length === 0)
    throw new Error('its rows are not grouped, so no cell shows this sum.');
  const isShown = ({ columns }: CellCondition) =>
    [group_by, split_by].some((side) => columns.every((name) => side.includes(name)));
  if (!conditions.every(isShown))
    throw new Error('the chart shows an earlier arrangement. Select it again.');
  const [down, across] = [pathTest(group_by, conditions), pathTest(split_by, conditions)];
  await openColumns(shown, regroup, across);
  await rows.reveal(down);
  return shown.ask(async (reader, view) => {
    const all = await reader.columns();
    const isSplit = split_by.length > 0;
    if (isSplit && all.some(({ path }) => !path))
      throw new Error('the column behind one of these cells could not be read.');
    const xs = columnsWith(all, measure, across);
    const columns = xs.flatMap((x) => all[x] ?? []);
    const end_row = await view.num_rows();
    const { paths, values } = await shown.readPart(reader, view, columns, {
      start_row: 0,
      end_row,
    });
    const isAdmitted = (path: readonly CellValue[]) => {
      const members = shown.membersOf(path);
      return members
        ? members.every((member) => down.admits(path.with(-1, member)))
        : down.admits(path);
    };
    const ys = paths.flatMap((path, y) =>
      path.length === down.depth && isAdmitted(path) ? [y] : [],
    );
    if (xs.length * ys.length === 0) throw new Error('no cell of the grid shows this sum.');
    refuseTooMany(xs.length * ys.length);
    return ys.flatMap((y) =>
      columns.map(({ path }, i): MarkedCell => {
        const value = values[i]?.[y];
        return {
          rowPath: paths[y] ?? [],
          columnPath: isSplit ? path : null,
          measure,
          value: typeof value === 'number' ? tidy(value) : null,
          aggregate: reader.aggregateOf(measure),
          at: { x: xs[i] ?? 0, y },
        };
      }),
    );
  });
}

/** Opens the groups of columns that contain admitted columns. */
async function openColumns(
  shown: Shown,
  regroup: () => Promise<void>,
  { depth, admits }: PathTest,
): Promise<void> {
  for (let level = 1; level < depth; level++) {
    const closed = shown.columns.filter(
      ({ path, isClosed }) => isClosed && path?.length === level && admits(path),
    );
    if (closed.length === 0) continue;
    for (const { path } of closed) shown.across.open(path ?? []);
    await regroup();
  }
}

/** The greatest number of cells among which that of a slice is looked for. */
const MOST_SEARCHED = 200_000;

/**
 * Returns the cell with the fewest headers whose rows are all in the slice of a reach, of the first measure; null if
 * there is none, or if there are too many cells. Its value is not read.
 */
export async function largestHeld(reader: ViewReader, reach: Reach): Promise<MarkedCell | null> {
  const { group_by, split_by } = reader.config;
  if (group_by.length === 0) return null;
  const [all, rows] = await Promise.all([reader.columns(), reader.rowPaths(0)]);
  const [first] = all;
  const columns = all.flatMap(({ path, measure }, x) =>
    measure === first?.measure ? [{ path: split_by.length > 0 ? path : null, x }] : [],
  );
  if (!first || columns.length * rows.length > MOST_SEARCHED) return null;
  let largest: MarkedCell | null = null;
  let fewest = Infinity;
  for (const [y, rowPath] of rows.entries()) {
    for (const { path: columnPath, x } of columns) {
      const headers = rowPath.length + (columnPath?.length ?? 0);
      const cell = { rowPath, columnPath, measure: first.measure };
      if (headers >= fewest || !reach.holds(cell)) continue;
      fewest = headers;
      largest = {
        ...cell,
        value: null,
        aggregate: reader.aggregateOf(first.measure),
        at: { x, y },
      };
    }
  }
  return largest;
}
