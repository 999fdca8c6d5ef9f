/** The totals of rows by measure, and how those of two runs of an entry differ. */
import { keysIn, totalOf, totalsBy } from '../../contract/measures';
import type { Totals } from '../../contract/primitives';
import { tidy } from '../../pivot/values/cell-value';
import { differences } from '../../pivot/values/ratios';

/** Returns the difference of two results; 0 if two sums differ only by the order of addition. */
export function moreBy(before: number | null, after: number | null): number {
  const [more] = differences([[after], [before], [(after ?? 0) - (before ?? 0)]]);
  return typeof more === 'number' ? more : 0;
}

/** Returns whether two runs of an entry wrote the same number of rows with the same totals. */
export function isSameResult(one: Totals, other: Totals): boolean {
  const keys = [...keysIn(one), ...keysIn(other)];
  return (
    one.row_count === other.row_count &&
    keys.every((key) => moreBy(totalOf(one, key), totalOf(other, key)) === 0)
  );
}

/** Returns the totals of what entries put into a slice, by the id of the entry: those of all its origins together. */
export function byEntry(
  entries: readonly ({ logid: number } & Totals)[],
): ReadonlyMap<number, Totals> {
  const found = new Map<number, Totals>();
  for (const { logid, ...entry } of entries) {
    const other = found.get(logid);
    found.set(logid, other ? addedUp([other, entry]) : entry);
  }
  return found;
}

/**
 * Returns the totals of several rows together.
 *
 * @param always keys of measures that have a total of 0 if no row has one
 */
export function addedUp(all: readonly Totals[], always: readonly string[] = []): Totals {
  const sum = (of: (totals: Totals) => number | null) =>
    all.reduce((total, each) => total + (of(each) ?? 0), 0);
  const keys = [...new Set([...always, ...all.flatMap(keysIn)])];
  return {
    row_count: sum(({ row_count }) => row_count),
    ...totalsBy(keys, (key) => tidy(sum((totals) => totalOf(totals, key)))),
  };
}
