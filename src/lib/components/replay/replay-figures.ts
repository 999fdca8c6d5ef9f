/** Figures of the table that compares a replay with its original. */
import { OPERATIONS } from '$lib/contract/operations';
import type { ReplayedEntry } from '$lib/contract/replays';
import { differences } from '$lib/pivot/values/ratios';

type Totals = ReplayedEntry['before'];

/** A column group of the comparison: rows, or one of the measures. */
export type Figure = Exclude<keyof Totals, 'measures'>;

/** Returns the difference of two results; 0 if two sums differ only by the order of addition. */
export function moreBy(before: number | null, after: number | null): number {
  const [more] = differences([[after], [before], [(after ?? 0) - (before ?? 0)]]);
  return typeof more === 'number' ? more : 0;
}

/** Returns whether an entry gave another result or was skipped. */
export const differs = ({ before, to, after }: ReplayedEntry): boolean =>
  to === null ||
  before.row_count !== after.row_count ||
  moreBy(before.value_total, after.value_total) !== 0 ||
  moreBy(before.units_total, after.units_total) !== 0;

/** Returns the total of a figure over the entries whose rows are part of the plan. */
export function planTotal(
  replayed: readonly ReplayedEntry[],
  excluded: readonly string[],
  side: 'before' | 'after',
  figure: Figure,
): number {
  const counted = replayed.filter(
    ({ entry }) => !excluded.includes(OPERATIONS[entry.operation].iter),
  );
  return counted.reduce((sum, entry) => sum + (entry[side][figure] ?? 0), 0);
}
