import { DAY_MS } from '../../contract/primitives';
import type { DateRange, Slice } from '../../contract/operations';
import { parseDay, toScalar } from '../values/cell-value';
import { lastDayOf } from '../values/time-unit';

/**
 * The ranges of days that a cell shows, by date column: those of its months, quarters or years, as far as
 * filters leave them.
 */
export type Periods = ReadonlyMap<string, Required<DateRange>>;

export const NO_PERIODS: Periods = new Map();

/**
 * A slice that says the periods of a cell as ranges, and not as the days in them that have rows: it selects the
 * same rows, and those of days that nobody here knows of yet.
 */
export const inPeriods = ({ slice, periods }: { slice: Slice; periods: Periods }): Slice => ({
  ...slice,
  ...Object.fromEntries(periods),
});

/** The periods of several cells together, in the columns of which each has one and none leaves a gap. */
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

/** A range of days from its ends in epoch milliseconds; null if no range of the service says it. */
export function rangeOf(first: number, last: number): Required<DateRange> | null {
  const [from, to] = [first, last].map((end) => String(toScalar(end, 'date')));
  return from && to && ISO_DAY.test(from) && ISO_DAY.test(to) ? { from, to } : null;
}

/** A day as ISO text, of a year of four digits: a range does not say others. */
export const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/** The last day of the month that a day is in; both as ISO text. */
export const lastOfMonth = (day: string): string =>
  String(toScalar(lastDayOf(parseDay(`${day.slice(0, 7)}-01`), 'month'), 'date'));
