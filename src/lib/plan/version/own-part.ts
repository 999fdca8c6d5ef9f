/** The part of a source that the user's territories let them see and change. */
import type { Source } from '../../contract/sources';
import { type DateRange, isDateRange, type Slice } from '../../contract/slices';
import type { LayoutFilter } from '../../contract/stored-layout';
import { readsPart } from '../../contract/territories';
import { overlapOf, type Overlap } from '../../pivot/grid/cells/reach';
import { onlyFilters, rangeFilters } from '../../pivot/slice/filter';
import { mergeSlices } from '../../pivot/slice/slice-values';

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
 * Returns a slice without the conditions that hold for all rows that the user sees: it has the same rows of theirs, and
 * can be compared with cells of a pivot that does not show these columns.
 */
export function asSeen({ territory }: Own, slice: Slice): Slice {
  const { read = [] } = territory ?? {};
  const isImplied = (condition: Slice) =>
    read.length > 0 && read.every((part) => overlapOf(part, condition) === 'all');
  return Object.fromEntries(
    Object.entries(slice).filter(([column, wanted]) => !isImplied({ [column]: wanted })),
  );
}

/** A record of a slice: `slice` is the stored one, and `seen` the one to compare with cells; see {@link asSeen}. */
export type SeenRecord<Recorded extends { slice: Slice }> = Recorded & { seen: Slice };

/** Returns a function that adds the slice {@link asSeen} to a record of a slice. */
export const seenIn =
  (own: Own) =>
  <Recorded extends { slice: Slice }>(record: Recorded): SeenRecord<Recorded> => ({
    ...record,
    seen: asSeen(own, record.slice),
  });

/**
 * Returns a slice with the conditions of the part that the user sees, which comments and reviews need. It stays as it
 * is if their territories are not one slice.
 */
export function insidePart({ territory }: Own, slice: Slice): Slice {
  const part = territory && readsPart({ territory }) ? mergeSlices(territory.read) : null;
  if (!part) return slice;
  const shared = Object.entries(slice).map(([column, own]) => {
    const within = part[column] ?? null;
    return [column, isDateRange(own) && isDateRange(within) ? sharedDays(own, within) : own];
  });
  return { ...part, ...Object.fromEntries(shared) };
}

/** Returns the days that two ranges share. */
function sharedDays(own: DateRange, other: DateRange): DateRange {
  const [from] = [own.from, other.from]
    .filter((day) => day !== undefined)
    .toSorted()
    .reverse();
  const [to] = [own.to, other.to].filter((day) => day !== undefined).toSorted();
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
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
