/** Finds the leaves that a trial changes most. */
import type { Scalar } from '../../contract/primitives';
import { tidyChange } from '../../pivot/values/cell-value';
import { nextTask } from '../../pivot/waiting';
import type { ByMeasure } from '../../contract/columns';
import { byKey, keysOf } from '../../contract/measures';
import type { AnsweredRows } from '../../pivot/rows/rows';

/** A leaf and the changes of its measures. */
export interface LeafChange {
  /** Its values in the columns that identify a leaf, in their order. */
  values: readonly (Scalar | null)[];
  amounts: ByMeasure<number>;
}

/** The roles of the columns of some rows. */
interface LeafColumns {
  /** The columns that identify a leaf: dimensions and dates. */
  leaf: readonly string[];
  measures: ByMeasure<string>;
}

/** Number of rows after which the page gets a turn. */
const ROWS_PER_TURN = 20_000;

/**
 * Returns, for each measure that some rows change, the leaves that they change most, the biggest change first. Rows
 * of one leaf are added up; a leaf whose changes add up to 0 is omitted.
 *
 * @param most maximum number of leaves of a measure; half as many if several measures change
 */
export async function biggestChanges(
  rows: Pick<AnsweredRows, 'count' | 'at'>,
  { leaf: identifying, measures: columns }: LeafColumns,
  most: number,
): Promise<Map<string, LeafChange[]>> {
  const keys = keysOf(columns);
  const leaves = new Map<string, { values: LeafChange['values']; sums: number[] }>();
  for (let y = 0; y < rows.count; y++) {
    if (y > 0 && y % ROWS_PER_TURN === 0) await nextTask();
    const values = identifying.map((column) => rows.at(column, y));
    const id = JSON.stringify(values);
    const leaf = leaves.get(id) ?? { values, sums: keys.map(() => 0) };
    for (const [i, key] of keys.entries()) {
      const amount = Number(rows.at(columns[key] ?? key, y) ?? 0);
      leaf.sums[i] = (leaf.sums[i] ?? 0) + amount;
    }
    leaves.set(id, leaf);
  }
  const changed = [...leaves.values()].flatMap(({ values, sums }): LeafChange[] => {
    const amounts = byKey(keys, (key) => tidyChange(sums[keys.indexOf(key)] ?? 0));
    return keys.some((key) => amounts[key] !== 0) ? [{ values, amounts }] : [];
  });
  const measures = keys.filter((key) => changed.some(({ amounts }) => amounts[key] !== 0));
  const listed = measures.length > 1 ? Math.ceil(most / 2) : most;
  return new Map(
    measures.map((key) => {
      const size = ({ amounts }: LeafChange) => Math.abs(amounts[key] ?? 0);
      const own = changed.filter((leaf) => size(leaf) > 0);
      return [key, own.sort((a, b) => size(b) - size(a)).slice(0, listed)];
    }),
  );
}
