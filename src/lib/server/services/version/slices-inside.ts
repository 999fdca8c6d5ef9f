/** Whether slices lie inside territories, told by their values alone. */
import type { Scalar } from '../../../contract/primitives';
import type { DateRange, Slice } from '../../../contract/slices';
import { isDateRange } from '../../../contract/slices';

/** The most pieces that a slice is split into. A slice with more has to lie inside one territory. */
const MOST_PIECES = 1000;

/**
 * Whether a slice can select only rows of some territories. Only the values of the slices decide, so the answer tells
 * nothing about the rows. Lists may spread over several territories, a range of days has to lie in one of them.
 *
 * @param territories slices that add up
 */
export const isInside = (slice: Slice, territories: readonly Slice[]): boolean =>
  piecesOf(slice, territories).every((piece) => territories.some((one) => isWithin(piece, one)));

/**
 * Whether the sender may read the rows of a slice, judged as by {@link isInside}.
 *
 * @param read the slices that the sender may read; null or undefined for the whole source
 */
export const isReadable = (slice: Slice, read: readonly Slice[] | null | undefined): boolean =>
  !read || isInside(slice, read);

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
