/** Finds the leaves that a trial changes most. */
import type { Scalar } from '../contract/primitives';
import { tidyChange } from '../pivot/values/cell-value';
import { nextTask } from '../pivot/waiting';
import type { AnsweredRows } from '../pivot/rows/rows';

/** A leaf and the changes of its measures. */
export interface LeafChange {
  /** Its values in the columns that identify a leaf, in their order. */
  values: readonly (Scalar | null)[];
  value: number;
  units: number;
}

/** The roles of the columns of some rows. */
interface LeafColumns {
  /** The columns that identify a leaf: dimensions and dates. */
  leaf: readonly string[];
  value: string | undefined;
  units: string | undefined;
}

/** Number of rows after which the page gets a turn. */
const ROWS_PER_TURN = 20_000;

/**
 * Returns the leaves that some rows change most, the biggest change first: by value, or by units if no value
 * changes. Rows of one leaf are added up; a leaf whose changes add up to 0 is omitted.
 */
export async function biggestChanges(
  rows: Pick<AnsweredRows, 'count' | 'at'>,
  columns: LeafColumns,
  most: number,
): Promise<LeafChange[]> {
  const leaves = new Map<string, LeafChange>();
  const amount = (y: number, column: string | undefined) =>
    Number((column === undefined ? null : rows.at(column, y)) ?? 0);
  for (let y = 0; y < rows.count; y++) {
    if (y > 0 && y % ROWS_PER_TURN === 0) await nextTask();
    const values = columns.leaf.map((column) => rows.at(column, y));
    const key = JSON.stringify(values);
    const leaf = leaves.get(key) ?? { values, value: 0, units: 0 };
    leaf.value += amount(y, columns.value);
    leaf.units += amount(y, columns.units);
    leaves.set(key, leaf);
  }
  const changed = [...leaves.values()]
    .map((leaf) => ({ ...leaf, value: tidyChange(leaf.value), units: tidyChange(leaf.units) }))
    .filter(({ value, units }) => value !== 0 || units !== 0);
  const by = changed.some(({ value }) => value !== 0) ? 'value' : 'units';
  return changed.sort((a, b) => Math.abs(b[by]) - Math.abs(a[by])).slice(0, most);
}
