/** First days and lengths of periods. */
import { DAY_MS } from '../../contract/primitives';
import type { PeriodUnit } from '../../contract/shapes';
import type { DateRange } from '../../contract/slices';

/** The number of months of a unit; 0 for days and weeks. */
const MONTHS: Record<PeriodUnit, number> = { day: 0, week: 0, month: 1, quarter: 3, year: 12 };

/** A day as milliseconds. @param day ISO text; its year may have more than four digits */
function timeOf(day: string, months = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  // Date.UTC would take a year below 100 for one of the twentieth century.
  return new Date(0).setUTCFullYear(year, month - 1 + months, date);
}

/** Whether a day is the first one of a period. Weeks begin on Monday. */
export function isFirstDay(day: string, unit: PeriodUnit): boolean {
  if (unit === 'day') return true;
  if (unit === 'week') return new Date(timeOf(day)).getUTCDay() === 1;
  const [, month = 0, date = 0] = day.split('-').map(Number);
  return date === 1 && (month - 1) % MONTHS[unit] === 0;
}

/**
 * The number of days of a period inside of a range.
 *
 * @param first the first day of the period
 * @param range both ends are inside; a missing one is open
 */
export function daysOfPeriod(first: string, unit: PeriodUnit, { from, to }: DateRange): number {
  const begin = timeOf(first);
  const days = unit === 'day' ? 1 : 7;
  const end = MONTHS[unit] > 0 ? timeOf(first, MONTHS[unit]) : begin + days * DAY_MS;
  const start = from === undefined ? begin : Math.max(begin, timeOf(from));
  const stop = to === undefined ? end : Math.min(end, timeOf(to) + DAY_MS);
  return Math.max(0, (stop - start) / DAY_MS);
}
