/** The totals of rows by measure, and how those of two runs of an entry differ. */
import { keysIn, totalOf } from '../../contract/measures';
import type { Totals } from '../../contract/primitives';
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

/** Returns explained entries by the id of their entry. */
export const byEntry = <Explained extends { logid: number }>(
  entries: readonly Explained[],
): ReadonlyMap<number, Explained> => new Map(entries.map((entry) => [entry.logid, entry]));
