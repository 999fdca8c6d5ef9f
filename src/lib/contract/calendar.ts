/**
 * The calendar: days as ISO text, months as text ("2027-03") or as numbers, and periods that follow each other. Weeks
 * begin on Monday.
 */
import type { ForecastUnit } from './forecasts';
import { DAY_MS } from './primitives';
import type { PeriodUnit } from './shapes';
import type { DateRange } from './slices';

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

/** Returns the day of a moment in epoch milliseconds, in UTC. Years have at least four digits. */
export function dayAt(time: number): string {
  const date = new Date(time);
  return dayText(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
}

/** Returns the number of the month of a day, counted from January of the year 0. */
export function monthNumber(day: string): number {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return year * 12 + month - 1;
}

/** Returns the number of the month of a moment in epoch milliseconds, in UTC; see {@link monthNumber}. */
export function monthNumberAt(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns a day of a month in epoch milliseconds. @param month see {@link monthNumber} @param date from 1 */
export const dayOfMonth = (month: number, date = 1): number =>
  new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, date);

/** Returns the number of the period that a day belongs to. Consecutive periods have consecutive numbers. */
export function periodOfDay(day: string, unit: PeriodUnit): number {
  const months = MONTHS[unit];
  if (months === undefined) {
    return unit === 'day'
      ? timeOf(day) / DAY_MS
      : Math.floor((timeOf(day) - MONDAY) / (7 * DAY_MS));
  }
  return Math.floor(monthNumber(day) / months);
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

/** Returns whether a week is the 53rd of its year by ISO 8601. @param week see {@link periodOfDay} */
export function isWeek53(week: number): boolean {
  // A week belongs to the year of its Thursday.
  const thursday = timeOf(firstDay(week, 'week')) + 3 * DAY_MS;
  const newYear = dayOfMonth(12 * new Date(thursday).getUTCFullYear());
  return thursday - newYear >= 52 * 7 * DAY_MS;
}

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

/** Returns how many days of a period are among the first ones of a week. @param first number of these, from Monday on */
export function weekdaysOfPeriod(period: number, unit: PeriodUnit, first: number): number {
  const start = timeOf(firstDay(period, unit));
  const days = (timeOf(firstDay(period + 1, unit)) - start) / DAY_MS;
  const weekday = ((start - MONDAY) / DAY_MS) % 7;
  return Array.from({ length: days }, (_, i) => (weekday + i + 7) % 7).filter((n) => n < first)
    .length;
}

/** Returns the month of a day as text. Its year may have more than four digits. */
export const monthOf = (day: string): string => /^\d+-\d\d/.exec(day)?.[0] ?? day;

/** Returns the month that is a number of months later. */
export const laterMonth = (month: string, months: number): string =>
  monthOf(firstDay(monthNumber(month) + months, 'month'));

/** Returns the latest month that is over, in UTC. */
export const monthOver = (): string => laterMonth(monthOf(dayAt(Date.now())), -1);

/** Returns the first day of a month. */
export const firstDayOf = (month: string): string => `${month}-01`;

/** Returns the last day of a month, or of the month of a day. */
export const lastOfMonth = (day: string): string => lastDay(monthNumber(day), 'month');

/** Returns the day after a day. @param days number of days between them; the day before for −1 */
export const dayAfter = (day: string, days = 1): string => dayAt(timeOf(day) + days * DAY_MS);

/** Returns all months from the first to the last one. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let month = first; month <= last; month = laterMonth(month, 1)) months.push(month);
  return months;
}
