/** Whether slices lie inside territories, told by their values alone. */
import type { Scalar } from '../../contract/primitives';
import type { DateRange, Slice } from '../../contract/slices';
import { isDateRange } from '../../contract/slices';

/** The most pieces that a slice is split into. A slice with more has to lie inside one territory. */
const MOST_PIECES = 1000;

/**
 * Whether a slice selects only rows of some territories, whatever rows there are. The answer depends on no row, so it
 * tells of none. It is never true for a slice that selects other rows; for a range of days that only two territories
 * together cover it is false.
 *
 * @param territories slices that add up
 */
export const isInside = (slice: Slice, territories: readonly Slice[]): boolean =>
  piecesOf(slice, territories).every((piece) => territories.some((one) => isWithin(piece, one)));

/** Something on a slice, with the slices of its source that the sender may read; null for all of it. */
export interface Readable<Thing> {
  of: Thing;
  read: readonly Slice[] | null;
}

/** Those of some things on slices that the sender may read. */
export const readable = <Thing extends { slice: Slice }>(
  things: readonly Readable<Thing>[],
): Readable<Thing>[] => things.filter(({ of, read }) => !read || isInside(of.slice, read));

/** Splits the lists of a slice into single values, so that each can lie in another territory. */
function piecesOf(slice: Slice, territories: readonly Slice[]): Slice[] {
  let pieces = [slice];
  for (const [name, value] of Object.entries(slice)) {
    const isLimited = territories.some((territory) => Object.hasOwn(territory, name));
    if (!isLimited || !Array.isArray(value)) continue;
    if (pieces.length * value.length > MOST_PIECES) return [slice];
    pieces = pieces.flatMap((piece) => value.map((one) => ({ ...piece, [name]: one })));
  }
  return pieces;
}

const isWithin = (slice: Slice, territory: Slice): boolean =>
  Object.entries(territory).every(
    ([name, outer]) => Object.hasOwn(slice, name) && areWithin(slice[name] ?? null, outer),
  );

function areWithin(inner: Slice[string], outer: Slice[string]): boolean {
  if (isDateRange(outer)) {
    if (isDateRange(inner)) return isRangeWithin(inner, outer);
    return listOf(inner).every((day) => isRangeWithin({ from: `${day}`, to: `${day}` }, outer));
  }
  if (isDateRange(inner)) return false;
  const values = listOf(outer).map(keyOf);
  return listOf(inner).every((value) => values.includes(keyOf(value)));
}

type Values = Exclude<Slice[string], DateRange>;

const listOf = (value: Values): (Scalar | null)[] => (Array.isArray(value) ? value : [value]);

/** Equal keys stand for equal values of a column: both become the same literal. */
const keyOf = (value: Scalar | null): string => (value === null ? 'null' : `=${value}`);

/** Whether a range lies in another one. */
function isRangeWithin(inner: DateRange, outer: DateRange): boolean {
  const starts = outer.from === undefined || isOrdered(outer.from, inner.from);
  const ends = outer.to === undefined || isOrdered(inner.to, outer.to);
  return starts && ends;
}

const DAY = /^\d{4,6}-\d\d-\d\d$/;

/** Whether two texts are days, the second not before the first. */
const isOrdered = (first: string | undefined, second: string | undefined): boolean =>
  first !== undefined &&
  second !== undefined &&
  DAY.test(first) &&
  DAY.test(second) &&
  numberOf(first) <= numberOf(second);

const numberOf = (day: string): number => Number(day.replaceAll('-', ''));
