/** The origins of a measure, and how the column of each one is computed. */
import type { Column } from '@uwdata/flechette';
import { bool, float64 } from '@uwdata/flechette';
import { isLoad, isStart, itersOf, OPERATIONS } from '../../contract/operations';
import {
  type ArrowColumns,
  columnAt,
  columnFrom,
  dictionaryOf,
  isThere,
  lengthOf,
  type Numbers,
  setThere,
} from './arrow-columns';

/** The column with the iteration that wrote a row. */
const ITER = 'pf_iter';

/**
 * The origins: parts of a measure that a pivot can show beside the plan
 * (docs/decisions/0019-measures-by-origin.md). `difference` is plan minus reference; `percent` is that
 * difference as a share of the reference. `other` and the two after it are the same with another version
 * instead of the reference (docs/decisions/0023-two-versions-in-one-table.md). `forecast` is the plan without the rows
 * of closed months, and `missed` is those rows (docs/decisions/0051-a-close-is-a-difference-and-a-lock.md). `price` is value per unit of
 * the plan (docs/decisions/0020-amounts-are-typed-into-cells.md), and `formula` is the result of a stored
 * formula on the plan.
 */
export const ORIGINS = [
  'price',
  'formula',
  'baseline',
  'changes',
  'forecast',
  'missed',
  'reference',
  'difference',
  'percent',
  'other',
  'otherDifference',
  'otherPercent',
] as const;
export type Origin = (typeof ORIGINS)[number];

/** The origins that need reference rows. */
export const WITH_REFERENCE: readonly Origin[] = ['reference', 'difference', 'percent'];
/** The origins that need rows of closed months. */
export const WITH_ACTUALS: readonly Origin[] = ['forecast', 'missed'];
/** The origins that need another version. */
export const WITH_OTHER: readonly Origin[] = ['other', 'otherDifference', 'otherPercent'];

/** The iterations of the rows that a plan starts from. */
export const START: readonly string[] = itersOf(isStart);
const CHANGES: readonly string[] = itersOf((operation) => !isLoad(operation));

/** Checks whether rows of an iteration count for an origin. */
function countsFor(origin: Origin, iter: string, excluded: ReadonlySet<string>): boolean {
  const isReference = iter === OPERATIONS.reference.iter;
  switch (origin) {
    case 'baseline':
      return START.includes(iter);
    case 'changes':
      return CHANGES.includes(iter);
    case 'forecast':
      return !excluded.has(iter) && iter !== OPERATIONS.actual.iter;
    case 'missed':
      return iter === OPERATIONS.actual.iter;
    case 'reference':
      return isReference;
    case 'difference':
      return isReference || !excluded.has(iter);
    case 'otherDifference':
      return !excluded.has(iter);
    case 'price':
    case 'formula':
    case 'percent':
    case 'other':
    case 'otherPercent':
      return false;
  }
}

/** The two columns from which, with that of the plan, a share is computed. */
export const SHARES: Readonly<Partial<Record<Origin, readonly [Origin, Origin]>>> = {
  percent: ['reference', 'difference'],
  otherPercent: ['other', 'otherDifference'],
};

/** Returns the sign of an iteration's rows in the difference: +1 for the plan, −1 for the reference. */
function signOf(iter: string, excluded: ReadonlySet<string>): number {
  return (excluded.has(iter) ? 0 : 1) - (iter === OPERATIONS.reference.iter ? 1 : 0);
}

/** The iteration of each row, as an index into `names`. */
interface RowsByIter {
  names: readonly string[];
  indices: ArrayLike<number>;
}

/** Returns the iteration of each row; null if the column of iterations has no dictionary. */
export function rowsByIter(columns: ArrowColumns): RowsByIter | null {
  const column = columns.get(ITER);
  const dictionary = column && dictionaryOf(column);
  const values = column?.data[0]?.values;
  if (!dictionary || !values) return null;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return null;
  return { names: [...dictionary].map(String), indices: values };
}

/** Returns the rows of a plan: those of no excluded iteration. */
export function rowsOfPlan(columns: ArrowColumns, excluded: ReadonlySet<string>): ArrowColumns {
  const rows = rowsByIter(columns);
  const kept = rows?.names.map((iter) => !excluded.has(iter)) ?? [];
  if (!rows || !kept.includes(false)) return columns;
  const places = Int32Array.from({ length: lengthOf(columns) }, (_, y) => y).filter(
    (y) => kept[rows.indices[y] ?? 0],
  );
  if (places.length === lengthOf(columns)) return columns;
  return new Map([...columns].map(([name, column]) => [name, columnAt(column, places)]));
}

/** Creates the column of one origin from the numbers of its measure. */
export function columnOf(
  origin: Origin,
  source: Numbers,
  rows: RowsByIter | null,
  excluded: ReadonlySet<string>,
): Column<unknown> {
  const length = source.values.length;
  if (SHARES[origin]) return withoutNumbers(length);
  const counts = (iter: string) => countsFor(origin, iter, excluded);
  if (!rows || origin !== 'difference') return masked(source, rows, counts);
  const signs = rows.names.map((iter) => signOf(iter, excluded));
  const values = new Float64Array(length);
  const { indices } = rows;
  for (let y = 0; y < length; y++) {
    values[y] = Number(source.values[y]) * (signs[indices[y] ?? 0] ?? 0);
  }
  return masked({ ...source, type: float64(), values }, rows, counts);
}

/** Creates a column that is computed from sums, so it has no numbers of its own. */
export function withoutNumbers(length: number): Column<unknown> {
  const bits = new Uint8Array(Math.ceil(length / 8));
  return columnFrom(bool(), bits, bits, length, length);
}

/** Creates a column with the numbers of the rows whose iteration counts; the other rows are empty. */
export function masked(
  { type, values, validity }: Numbers,
  rows: RowsByIter | null,
  counts: (iter: string) => boolean,
): Column<unknown> {
  const length = values.length;
  const bits = new Uint8Array(Math.ceil(length / 8));
  const kept = rows?.names.map(counts) ?? [];
  const indices = rows?.indices ?? [];
  let nulls = 0;
  for (let y = 0; y < length; y++) {
    if (isThere(validity, y) && kept[indices[y] ?? 0]) {
      setThere(bits, y);
    } else nulls++;
  }
  return columnFrom(type, values, bits, length, nulls);
}
