/** Joins the slices of a row and of a column. */
import { isDateRange, type DateRange, type Slice } from '../../contract/slices';
import { admits, listOf } from './slice-values';

/** Returns the slice of the rows that are in both slices; null if no slice has exactly these, or there are none. */
export function joinedSlices(one: Slice, other: Slice): Slice | null {
  const joined: Slice = { ...one, ...other };
  for (const [column, wanted] of Object.entries(one)) {
    if (!Object.hasOwn(other, column)) continue;
    const both = inBoth(wanted, other[column] ?? null);
    if (both === undefined) return null;
    joined[column] = both;
  }
  return joined;
}

type Wanted = Slice[string];

/** Returns the values that both conditions admit; undefined if there are none. */
function inBoth(one: Wanted, other: Wanted): Wanted | undefined {
  if (isDateRange(one) && isDateRange(other)) return commonDays(one, other);
  const [list, admitting] = isDateRange(one) ? [other, one] : [one, other];
  const values = listOf(list).filter((value) => admits(admitting, value));
  return values.length > 1 ? values : values[0];
}

/** ISO days with years of four digits are in the order of their texts. */
function commonDays(one: DateRange, other: DateRange): DateRange | undefined {
  const from = [one.from ?? '', other.from ?? ''].toSorted().at(-1);
  const to = [one.to ?? '9999-12-31', other.to ?? '9999-12-31'].toSorted()[0];
  if (from !== undefined && to !== undefined && from > to) return undefined;
  const isOpen = one.to === undefined && other.to === undefined;
  return { ...(from && { from }), ...(!isOpen && to && { to }) };
}
