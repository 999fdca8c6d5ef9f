/** Groups dates by month, quarter or year. */
import { quotedName } from './cell-value';

/** The units of time by which the engine groups dates, with their names in the engine's `bucket`. */
const SPELT = { year: 'Y', quarter: '3M', month: 'M' } as const;

/** A unit of time longer than a day. */
export type TimeUnit = keyof typeof SPELT;

export const TIME_UNITS = ['year', 'quarter', 'month'] as const satisfies readonly TimeUnit[];

/** Number of months in each unit. */
export const MONTHS_IN: Readonly<Record<TimeUnit, number>> = { year: 12, quarter: 3, month: 1 };

/** Returns the first day of the unit of time that contains a day; both in epoch milliseconds. */
export function startOf(day: number, unit: TimeUnit): number {
  const start = new Date(day);
  const month = start.getUTCMonth();
  return start.setUTCMonth(month - (month % MONTHS_IN[unit]), 1);
}

/** Returns the last day of the unit of time that starts on a day; both in epoch milliseconds. */
export function lastDayOf(start: number, unit: TimeUnit): number {
  const end = new Date(start);
  return end.setUTCMonth(end.getUTCMonth() + MONTHS_IN[unit], 0);
}

/** Checks whether a word is the name of a unit of time. */
export const isTimeUnit = (word: unknown): word is TimeUnit =>
  TIME_UNITS.some((unit) => unit === word);

/** Returns the expression that groups a date by a unit of time. */
const bucketOf = (date: string, unit: TimeUnit): string =>
  `bucket(${quotedName(date)}, '${SPELT[unit]}')`;

/** Returns the column of a date grouped by a unit of time: its name, and its expression under that name. */
export function groupedBy(
  date: string,
  unit: TimeUnit,
): { name: string; expressions: Record<string, string> } {
  const name = `${date} (${unit})`;
  return { name, expressions: { [name]: bucketOf(date, unit) } };
}

const BUCKET = /^\s*bucket\(\s*"((?:[^"\\]|\\.)*)"\s*,\s*'(\w+)'\s*\)\s*$/;

/**
 * Returns the date and the unit of time of an expression that groups a date; null for any other expression.
 */
export function readBucket(expression: string): { date: string; unit: TimeUnit } | null {
  const [, quoted, spelt] = BUCKET.exec(expression) ?? [];
  const unit = TIME_UNITS.find((each) => SPELT[each] === spelt);
  if (quoted === undefined || unit === undefined) return null;
  return { date: quoted.replace(/\\(.)/g, '$1'), unit };
}
