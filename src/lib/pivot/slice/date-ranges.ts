/** Ranges of days in slices. */
import { DAY_MS } from '../../contract/primitives';
import type { DateRange, Slice } from '../../contract/slices';
import { parseDay, toScalar } from '../values/cell-value';

/**
 * The ranges of days that a cell shows, by date column: the days of its months, quarters or years that
 * filters admit.
 */
export type Periods = ReadonlyMap<string, Required<DateRange>>;

/**
 * Replaces the days of a slice by the periods that contain them, as ranges. The slice then also selects the rows
 * of days on which the page has no rows yet.
 */
export const inPeriods = (listed: Slice, periods: Periods): Slice => ({
  ...listed,
  ...Object.fromEntries(periods),
});

/**
 * Joins the periods of several cells, for the columns in which every cell has a period and there is no gap
 * between them.
 */
export function joinedPeriods(all: readonly Periods[]): Periods {
  const [first, ...others] = all;
  return new Map(
    [...(first ?? [])].flatMap(([column, period]): [string, Required<DateRange>][] => {
      const periods = [period, ...others.flatMap((each) => each.get(column) ?? [])];
      const joined = periods.length === all.length && withoutGap(periods);
      return joined ? [[column, joined]] : [];
    }),
  );
}

function withoutGap(periods: readonly Required<DateRange>[]): Required<DateRange> | null {
  const [first, ...others] = periods.toSorted((a, b) => parseDay(a.from) - parseDay(b.from));
  if (!first) return null;
  let { to } = first;
  for (const period of others) {
    if (parseDay(period.from) > parseDay(to) + DAY_MS) return null;
    if (parseDay(period.to) > parseDay(to)) ({ to } = period);
  }
  return { from: first.from, to };
}

/**
 * Returns the range of days between two ends in epoch milliseconds; null if an end is infinite, or if the service has no
 * such range.
 */
export function rangeOf(first: number, last: number): Required<DateRange> | null {
  if (!Number.isFinite(first) || !Number.isFinite(last)) return null;
  const [from, to] = [first, last].map((end) => String(toScalar(end, 'date')));
  return from && to && ISO_DAY.test(from) && ISO_DAY.test(to) ? { from, to } : null;
}

/** A day as ISO text with a year of four digits; ranges accept no other years. */
export const ISO_DAY = /^\d{4}-\d\d-\d\d$/;
