/** Figures of the table that compares a replay with its original. */
import { isExcluded } from '$lib/contract/operations';
import type { ReplayedEntry } from '$lib/contract/replays';
import { isSameResult } from '$lib/plan/amounts/entry-totals';
import { totalOf } from '$lib/contract/measures';

type ReplayedTotals = ReplayedEntry['before'];

/** A column group of the comparison: rows, or one of the measures; a further measure by its column. */
export type Figure = Exclude<keyof ReplayedTotals, 'measures'> | { measure: string };

/** Returns a figure of a result; null if the source lacks the measure. */
export const figureIn = (totals: ReplayedTotals, figure: Figure): number | null =>
  typeof figure === 'string' ? totals[figure] : totalOf(totals, figure.measure);

/** Returns whether an entry gave another result or was skipped. */
export const differs = ({ before, to, after }: ReplayedEntry): boolean =>
  to === null || !isSameResult(before, after);

/** Returns the total of a figure over the entries whose rows are part of the plan. */
export function planTotal(
  replayed: readonly ReplayedEntry[],
  excluded: readonly string[],
  side: 'before' | 'after',
  figure: Figure,
): number {
  const counted = replayed.filter(({ entry }) => !isExcluded(entry.operation, excluded));
  return counted.reduce((sum, entry) => sum + (figureIn(entry[side], figure) ?? 0), 0);
}
