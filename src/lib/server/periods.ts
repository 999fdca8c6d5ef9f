/** Days, weeks, months, quarters and years as periods that follow each other. Weeks begin on Monday. */
import type { ForecastUnit } from '../contract/forecasts';
import { DAY_MS } from '../contract/primitives';
import type { PeriodUnit } from '../contract/shapes';
import type { DateRange } from '../contract/slices';

/** Number of periods of a year. */
export const PERIODS_OF_YEAR: Record<ForecastUnit, number> = { month: 12, quarter: 4, week: 52 };

/** Number of months of a period, for the units that consist of months. */
const MONTHS: Partial<Record<PeriodUnit, number>> = { month: 1, quarter: 3, year: 12 };

/** The Monday before 1970-01-01. */
const MONDAY = -3 * DAY_MS;

/** Returns a day in milliseconds. @param day ISO text; its year may have more than four digits */
function timeOf(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  // Date.UTC would take a year below 100 for one of the twentieth century.
  return new Date(0).setUTCFullYear(year, month - 1, date);
}

const dayText = (year: number, month: number, date: number): string =>
  [String(year).padStart(4, '0'), ...[month, date].map((n) => String(n).padStart(2, '0'))].join(
    '-',
  );

function dayAt(time: number): string {
  const date = new Date(time);
  return dayText(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
}

/** Returns the number of the period that a day belongs to. Consecutive periods have consecutive numbers. */
export function periodOfDay(day: string, unit: PeriodUnit): number {
  const months = MONTHS[unit];
  if (months === undefined) {
    return unit === 'day'
      ? timeOf(day) / DAY_MS
      : Math.floor((timeOf(day) - MONDAY) / (7 * DAY_MS));
  }
  const [year = 0, month = 1] = day.split('-').map(Number);
  return Math.floor((year * 12 + month - 1) / months);
}

/** Returns the first day of a period. */
export function firstDay(period: number, unit: PeriodUnit): string {
  const months = MONTHS[unit];
  if (months === undefined) {
    return dayAt(unit === 'day' ? period * DAY_MS : MONDAY + period * 7 * DAY_MS);
  }
  const month = period * months;
  return dayText(Math.floor(month / 12), (month % 12) + 1, 1);
}

/** Returns the last day of a period. */
export const lastDay = (period: number, unit: PeriodUnit): string =>
  dayAt(timeOf(firstDay(period + 1, unit)) - DAY_MS);

/** Returns whether a day is the first one of a period. */
export const isFirstDay = (day: string, unit: PeriodUnit): boolean =>
  firstDay(periodOfDay(day, unit), unit) === day;

/**
 * Returns the number of days of a period inside of a range.
 *
 * @param day any day of the period
 * @param range both ends are inside; a missing one is open
 */
export function daysOfPeriod(day: string, unit: PeriodUnit, { from, to }: DateRange): number {
  const period = periodOfDay(day, unit);
  const begin = timeOf(firstDay(period, unit));
  const end = timeOf(lastDay(period, unit));
  const start = from === undefined ? begin : Math.max(begin, timeOf(from));
  const stop = to === undefined ? end : Math.min(end, timeOf(to));
  return Math.max(0, (stop - start) / DAY_MS + 1);
}
