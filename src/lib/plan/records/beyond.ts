/** How far entries of the log reach beyond a slice. */
import type { LogListEntry } from '../../contract/log';
import { isExcluded, mayBeTakenBack } from '../../contract/operations';
import type { Totals } from '../../contract/primitives';
import { moreBy } from '../amounts/entry-totals';
import { keysIn, totalOf, totalsBy } from '../../contract/measures';
import type { Touching } from './log.svelte';

/** Returns the rows of an entry outside of a slice, with their totals; null if it has none. */
export function beyondOf(
  entry: LogListEntry,
  { entries }: Pick<Touching, 'entries'>,
): Totals | null {
  const inside = entries.get(entry.id);
  const row_count = entry.row_count - (inside?.row_count ?? 0);
  if (row_count <= 0) return null;
  const outside = (key: string) =>
    moreBy(inside ? totalOf(inside, key) : null, totalOf(entry, key));
  return { row_count, ...totalsBy(keysIn(entry), outside) };
}

/** Returns whether a part of an entry can be taken back in a version that leaves some origins out. */
export const isReversible = (
  { operation }: Pick<LogListEntry, 'operation'>,
  excluded: readonly string[],
): boolean => mayBeTakenBack(operation) && !isExcluded(operation, excluded);
