/** Models for an empty cell: rows to copy into it. */
import type { ColumnEntry } from '../../contract/columns';
import { roundTo } from '../../contract/decimals';
import { isDateRange, type Slice } from '../../contract/slices';
import { MAX_SWING } from '../../contract/previews';
import type { Scalar } from '../../contract/primitives';
import { pathKey, type CellIdentity } from '../../pivot/slice/cell';
import type { CellValue } from '../../pivot/values/engine-types';
import { listOf } from '../../pivot/slice/slice-values';
import type { MeasureEdit } from './scale-draft';

/** A model for an empty cell: rows to copy, the values that the copies get, and the sum of the rows. */
export interface Likeness {
  /** Another column of its row, its whole row, or the row above it. */
  kind: 'column' | 'row' | 'parent';
  /** The cell that shows those rows. */
  cell: CellIdentity;
  slice: Slice;
  /** The values that the copies get. */
  set: Record<string, Scalar | null>;
  /** The sum of those rows in the measure of the empty cell; never 0. */
  total: number;
  /** The decimals that the service rounds that measure to; null if it does not round it. */
  decimals: number | null;
}

/** Maximum number of columns in which to look for rows. */
const MOST_COLUMNS = 24;

/**
 * Returns the cells that an empty cell may be modelled on, by kind and the likeliest first: the columns
 * before its own, the nearest first, and those after it; its row over all columns; the same column of the row
 * above.
 *
 * @param columnPaths the split values behind each column that is shown; null for one without known values
 */
export function candidates(
  { rowPath, columnPath, measure }: CellIdentity,
  columnPaths: readonly (readonly CellValue[] | null)[],
): Record<Likeness['kind'], CellIdentity[]> {
  const depth = columnPath?.length ?? 0;
  const paths = new Map(
    columnPaths.flatMap((path) => {
      const level = path?.slice(0, depth);
      return level?.length === depth && depth > 0 ? [[pathKey(level), level]] : [];
    }),
  );
  const own = [...paths.keys()].indexOf(pathKey(columnPath ?? []));
  const others = [...paths.values()];
  const beside = own < 0 ? [] : [...others.slice(0, own).reverse(), ...others.slice(own + 1)];
  return {
    column: beside.slice(0, MOST_COLUMNS).map((path) => ({ rowPath, columnPath: path, measure })),
    row: depth > 0 ? [{ rowPath, columnPath: null, measure: null }] : [],
    parent: rowPath.length > 0 ? [{ rowPath: rowPath.slice(0, -1), columnPath, measure }] : [],
  };
}

/**
 * Returns the values that move rows of one slice into another: those of the columns in which it differs; of
 * several days, the first. A period is derived from its date
 * (docs/contract/14-what-the-operations-compute.md), and its days are unknown here: rows moved to another day
 * could leave the slice with their period.
 *
 * @returns null if no values move them there, or if they are there already
 */
export function moving(
  from: Slice,
  to: Slice,
  columns: readonly Pick<ColumnEntry, 'cname' | 'role' | 'dim_group' | 'dim_period_col'>[],
): Record<string, Scalar | null> | null {
  const set: Record<string, Scalar | null> = {};
  /** The groups of dates whose periods the slice names, and those whose dates change. */
  const told = new Set<string | null>();
  const groups = new Set<string | null>();
  for (const column of columns) {
    const { cname, role, dim_group, dim_period_col } = column;
    const wanted = to[cname];
    if (wanted === undefined) continue;
    if (dim_period_col !== null) told.add(dim_group);
    if (isSame(from[cname], wanted)) continue;
    if (dim_period_col !== null) return null;
    const values = listOf(wanted).toSorted();
    if (isDateRange(wanted) || (values.length > 1 && role !== 'date')) return null;
    set[cname] = values[0] ?? null;
    if (role === 'date') groups.add(dim_group);
  }
  if (Object.keys(set).length === 0 || [...groups].some((group) => told.has(group))) return null;
  // A value that the service cannot derive from a new date must be sent, and it is unknown here.
  const isUnknown = columns.some(
    ({ cname, role, dim_group, dim_period_col }) =>
      role === 'dimension' &&
      dim_group !== null &&
      groups.has(dim_group) &&
      dim_period_col === null &&
      !Object.hasOwn(set, cname),
  );
  return isUnknown ? null : set;
}

/** Returns why copies of a model's rows cannot give an empty cell a typed amount; null if they can. */
export function whyNoCopies(
  { by, amount }: MeasureEdit,
  { total, decimals }: Pick<Likeness, 'total' | 'decimals'>,
): string | null {
  if (by === 'percent') return 'This cell is empty, so a percentage has no effect. Type an amount.';
  if (amount === 0) return 'This changes nothing.';
  if (decimals !== null && roundTo(amount, decimals) === 0)
    return 'This amount rounds to 0. Type a larger one.';
  return Math.abs(amount / total) <= MAX_SWING
    ? null
    : 'The rows to copy add up to almost 0, so they cannot be scaled to this amount.';
}

const isSame = (one: Slice[string] | undefined, other: Slice[string]): boolean =>
  one !== undefined &&
  JSON.stringify(isDateRange(one) ? one : listOf(one).toSorted()) ===
    JSON.stringify(isDateRange(other) ? other : listOf(other).toSorted());
