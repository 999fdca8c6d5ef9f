/** Months of the calendar as text: "2027-03". */
import type { DateRange } from '../../contract/slices';
import { DAY_MS } from '../../contract/primitives';

const isoOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

const startOf = (month: string, later = 0): number => {
  const [year = NaN, number = NaN] = month.split('-').map(Number);
  return Date.UTC(year, number - 1 + later);
};

/** Returns the month of a day. */
export const monthOf = (day: string): string => day.slice(0, 7);

/** Returns the month that is a number of months later. */
export const laterMonth = (month: string, months: number): string =>
  monthOf(isoOf(startOf(month, months)));

/** Returns the latest month that is over, in UTC. */
export const monthOver = (): string => laterMonth(monthOf(isoOf(Date.now())), -1);

/** Returns the first day of a month. */
export const firstDayOf = (month: string): string => `${month}-01`;

/** Returns the day after a day. @param days number of days between them; the day before for −1 */
export const dayAfter = (day: string, days = 1): string =>
  isoOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);

/** Returns all months from the first to the last one. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = laterMonth(month, 1)) months.push(month);
  return months;
}

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
