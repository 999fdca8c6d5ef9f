/** The part of a source that the user's territories let them see and change. */
import type { Source } from '../../contract/sources';
import { isDateRange, type Slice } from '../../contract/slices';
import type { LayoutFilter } from '../../contract/stored-layout';
import { readsPart } from '../../contract/territories';
import { overlapOf, type Overlap } from '../../pivot/grid/reach';
import { onlyFilters, rangeFilters } from '../../pivot/slice/filter';

type Own = Pick<Source, 'territory'>;

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

/**
 * Returns the filters of the rows that a user may change who sees all of a source; none for others, and for a part that
 * filters cannot express, which all have to hold.
 */
export function ownFilters({ territory }: Own): LayoutFilter[] {
  const [part, ...others] = territory?.write ?? [];
  if (!part || others.length > 0 || readsPart({ territory })) return [];
  const filters = Object.entries(part).map(([column, value]) => {
    if (isDateRange(value)) {
      return rangeFilters(column, 'date', value.from ?? null, value.to ?? null);
    }
    const values = Array.isArray(value) ? value : [value];
    const [only] = values;
    if (only !== undefined && values.length === 1) return onlyFilters(column, only);
    // A null in a list matches nothing in the engine.
    return values.includes(null) ? null : [[column, 'in', values] satisfies LayoutFilter];
  });
  return filters.every((each) => each !== null) ? filters.flat() : [];
}
