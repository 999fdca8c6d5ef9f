/** Ranges of days. */
import { dayAfter } from '../../contract/calendar';
import type { DateRange } from '../../contract/slices';

/** A range of days with both ends. */
export type Days = Required<DateRange>;

/** Joins ranges of days that overlap or follow each other, in the order of the days. */
export function joinedDays(ranges: readonly Days[]): Days[] {
  const joined: Days[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = joined.at(-1);
    if (last && from <= dayAfter(last.to)) last.to = to > last.to ? to : last.to;
    else joined.push({ from, to });
  }
  return joined;
}

/** Returns the last day of the last range of each column that has one. @param columns with ranges in order */
export const newestDays = (
  columns: readonly (readonly [column: string, ranges: readonly Days[]])[],
): Map<string, string> =>
  new Map(
    columns.flatMap(([column, ranges]): [string, string][] => {
      const newest = ranges.at(-1);
      return newest ? [[column, newest.to]] : [];
    }),
  );
