/** The columns by whose numbers the grid sorts and limits the rows of a view. */
import { EXACT } from '../../../contract/decimals';
import { isRanked, type Limit } from '../../../contract/stored-layout';
import { columnSort } from '../../layout/column-sort';
import { pathKey } from '../../slice/cell';
import type { CellValue, View } from '../../values/engine-types';
import { isAdditive, sumIn } from '../../values/ratios';
import type { DrawnColumn } from '../cells/grid-columns';
import { readRows } from '../views/own-views';
import type { KeyedRows, SortDirection } from './sorted-view';
import type { ViewReader } from '../views/view-reader';

/** A column by which rows are sorted. */
interface SortColumn extends SortDirection {
  column: DrawnColumn;
}

/**
 * Returns the columns by which the grid sorts the rows of a view: all sort keys up to the last one that the grid
 * computes, because the engine lacks its numbers. These are shares, prices, sums in relation to others, and single
 * columns of them or of an expression. Empty if the engine can sort by all keys. Keys after one that the view does not
 * show are left to the engine, since their rows with equal numbers are unknown.
 */
export async function computedSort(reader: ViewReader): Promise<readonly SortColumn[]> {
  const { config, schema, shown } = reader;
  const sort = config.sort.filter(([, direction]) => /^(asc|desc)/.test(direction));
  if (sort.length === 0 || config.group_by.length === 0) return [];
  const groups =
    config.split_by.length > 0
      ? await reader.columnPaths()
      : (await reader.printedPaths()).map((): CellValue[] => []);
  const columnOf = (m: number, path: readonly CellValue[]): DrawnColumn => ({
    path,
    measure: shown[m] ?? '',
    leaves: groups.flatMap((group, x) => {
      const isWithin = group && pathKey(group.slice(0, path.length)) === pathKey(path);
      return x % shown.length === m && isWithin ? [x] : [];
    }),
    isClosed: false,
  });
  if (groups.includes(null)) return [];
  const paths = groups.flatMap((group) =>
    (group ?? []).map((_, i) => group?.slice(0, i + 1) ?? []),
  );
  const found = (name: string): Omit<SortColumn, 'direction'> | null => {
    for (const [m, measure] of shown.entries()) {
      const isOwn = reader.isComputed(measure);
      const isAdded = groups.length === 1 || isAdditive(config.aggregates[measure]);
      if (measure === name && (isOwn || isAdded))
        return { column: columnOf(m, []), isComputed: isOwn };
      if (!name.startsWith(`${measure} of `)) continue;
      const path = paths.find((each) => {
        const key = columnSort({ name: measure, label: '' }, each, config, schema);
        return key?.name === name;
      });
      const isComputed = isOwn || reader.isExpression(measure);
      if (path) return { column: columnOf(m, path), isComputed };
    }
    return null;
  };
  const columns: SortColumn[] = [];
  for (const [name, direction] of sort) {
    const column = found(name);
    if (!column) break;
    columns.push({ ...column, direction });
  }
  return columns.slice(0, columns.findLastIndex(({ isComputed }) => isComputed) + 1);
}

/**
 * Why a limit limits nothing: the rows do not have its field, its measure is not shown, or its measure has no total of
 * all columns, such as an average.
 */
export type LimitProblem = 'not_in_rows' | 'not_shown' | 'no_total';

/** A limit with the column of the numbers by which its groups are chosen, or why there is none. */
export interface LimitColumn {
  limit: Limit;
  /** The total of all columns. */
  column: DrawnColumn | LimitProblem;
}

/** Returns the limit of each level of a view's rows, the outermost first; null for a level without one. */
export async function limitColumns(
  reader: ViewReader,
  limits: Readonly<Record<string, Limit>> = {},
): Promise<readonly (LimitColumn | null)[]> {
  const { config, shown } = reader;
  const isLimited = config.group_by.some((name) => Object.hasOwn(limits, name));
  if (!isLimited) return [];
  const printed = await reader.printedPaths();
  return config.group_by.map((name) => {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (!limit) return null;
    const m = shown.indexOf(limit.by);
    if (m < 0) return { limit, column: 'not_shown' };
    const leaves = printed.flatMap((_, x) => (x % shown.length === m ? [x] : []));
    const column: DrawnColumn = { path: [], measure: limit.by, leaves, isClosed: false };
    return { limit, column: reader.values.hasTotal(column) ? column : 'no_total' };
  });
}

/** A column whose numbers are read. */
interface RankingColumn {
  column: DrawnColumn;
  /** The limit by the numbers; null for those of a sort. `top` and `bottom` compare the sums. */
  limit: Limit | null;
}

/**
 * Reads all rows of a view with their numbers in some columns. In the total of all columns, each share of the parent
 * column would be 100 %, so the sums are read instead. For a limit, a sum that rounds to zero is 0.
 */
export async function readKeys(
  reader: ViewReader,
  view: View,
  wanted: readonly RankingColumn[],
): Promise<KeyedRows> {
  const rows = { start_row: 0, end_row: await view.num_rows() };
  if (wanted.length === 0) {
    const { paths } = await readRows(view, { ...rows, start_col: 0, end_col: 1 });
    return { paths: paths ?? [], keys: [] };
  }
  const printed = await reader.printedPaths();
  const isWhole = ({ path, measure }: DrawnColumn) =>
    path?.length === 0 && reader.wayOf(measure) === 'share_of_column';
  const columns = wanted.map(({ column }) => column);
  const isSummed = wanted.map(
    ({ column, limit }) => (limit !== null && isRanked(limit)) || isWhole(column),
  );
  const shown = await reader.values.shown(view, columns, rows, printed);
  const sums = isSummed.includes(true)
    ? await reader.values.rows(view, columns, rows, printed)
    : shown;
  const keys = wanted.map(({ column, limit }, i) => {
    const numbers = (isSummed[i] ? sums : shown).values[i] ?? [];
    const isSum = isSummed[i] === true || reader.wayOf(column.measure) === null;
    const decimals = isSum ? reader.values.decimalsOf(column) : EXACT;
    return limit ? numbers.map((number) => sumIn(number, decimals)) : numbers;
  });
  return { paths: shown.paths, keys };
}
