import type { DateRange, Slice } from '../contract/operations';
import { toScalar } from './cell-value';
import type { Underlying } from './underlying';

/** What tells all days of a date column, for the columns of which a cell names a month or another period. */
export type KnownDays = ReadonlyMap<string, Underlying>;

export const NONE_KNOWN: KnownDays = new Map();

/** The days as ISO text, kept as long as what tells them. */
const kept = new WeakMap<Underlying, readonly string[]>();

/**
 * A slice that says a range of days where it lists every known day of whole months. It selects the same rows,
 * and those of days that nobody has known yet: so a month stays a month if it is written later, or replayed.
 * A list that leaves out a known day of its months, and a single day, stay as they are.
 */
export const inPeriods = (slice: Slice, known: KnownDays): Slice =>
  Object.fromEntries(
    Object.entries(slice).map(([column, wanted]) => {
      const days = known.get(column);
      return [column, (days && wholeMonths(wanted, daysOf(days))) ?? wanted];
    }),
  );

function daysOf(underlying: Underlying): readonly string[] {
  const days =
    kept.get(underlying) ??
    underlying.tuples.flatMap(({ tuple: [day] }) => {
      const text = toScalar(day ?? null, 'date');
      return typeof text === 'string' ? [text] : [];
    });
  kept.set(underlying, days);
  return days;
}

/** Years of other than four digits do not sort as text. */
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

function wholeMonths(wanted: Slice[string], known: readonly string[]): DateRange | null {
  if (!Array.isArray(wanted) || wanted.length < 2) return null;
  const days = wanted.filter((day) => typeof day === 'string' && ISO_DAY.test(day)).map(String);
  if (days.length < wanted.length) return null;
  const sorted = days.toSorted();
  const from = `${sorted[0]?.slice(0, 7)}-01`;
  const to = lastOfMonth(sorted.at(-1) ?? '');
  const inside = known.filter((day) => ISO_DAY.test(day) && from <= day && day <= to);
  return inside.length === days.length ? { from, to } : null;
}

/** The last day of the month that a day is in. */
export function lastOfMonth(day: string): string {
  const month = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  month.setUTCMonth(month.getUTCMonth() + 1, 0);
  return month.toISOString().slice(0, 10);
}
