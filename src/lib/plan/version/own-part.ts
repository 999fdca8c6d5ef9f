/** The part of a source that the user's territories let them see and change. */
import type { Slice } from '../../contract/slices';
import type { Source } from '../../contract/sources';
import { overlapOf, type Overlap } from '../../pivot/grid/reach';

type Own = Pick<Source, 'territory'>;

/** Returns whether the user sees only a part of a source (docs/contract/20-who-is-signed-in.md#territories). */
export const seesPart = ({ territory }: Own): boolean =>
  territory !== undefined && !territory.read.some((slice) => Object.keys(slice).length === 0);

/**
 * Returns how many of the rows of a slice that the user sees they may also change, judged by the slices alone. `some`
 * may be all or none: for a slice that names no column of the territories, only its rows would decide.
 */
export function changeableOf({ territory }: Own, slice: Slice): Overlap {
  if (!territory) return 'all';
  const { read, write } = territory;
  const overlaps = write.map((part) => overlapOf(slice, part));
  if (overlaps.every((overlap) => overlap === 'none')) return 'none';
  const isChangeable = (part: Slice) => write.some((other) => overlapOf(part, other) === 'all');
  const seen = read.filter((part) => overlapOf(slice, part) !== 'none');
  return overlaps.includes('all') || seen.every(isChangeable) ? 'all' : 'some';
}
