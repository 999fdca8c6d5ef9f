/** Months, quarters and weeks as periods that follow each other, named by their first day. */
import type { ForecastUnit } from '../contract/forecasts';
import { DAY_MS } from '../contract/primitives';

/** Number of periods of a year. */
export const PERIODS_OF_YEAR: Record<ForecastUnit, number> = { month: 12, quarter: 4, week: 52 };

/** Number of months of a period; null for a week. */
const MONTHS: Record<ForecastUnit, number | null> = { month: 1, quarter: 3, week: null };

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
const time = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** Monday, 5 January 1970 less a week: the Monday before the first day of the epoch. */
const MONDAY = -3 * DAY_MS;

/** Returns the number of the period that a day belongs to. Consecutive periods have consecutive numbers. */
export function periodOfDay(day: string, unit: ForecastUnit): number {
  const months = MONTHS[unit];
  if (months === null) return Math.floor((time(day) - MONDAY) / (7 * DAY_MS));
  const [year = 0, month = 1] = day.split('-').map(Number);
  return Math.floor((year * 12 + month - 1) / months);
}

/** Returns the first day of a period. */
export function firstDay(period: number, unit: ForecastUnit): string {
  const months = MONTHS[unit];
  if (months === null) return isoDay(MONDAY + period * 7 * DAY_MS);
  const month = period * months;
  const text = (value: number, digits: number) => String(value).padStart(digits, '0');
  return `${text(Math.floor(month / 12), 4)}-${text((month % 12) + 1, 2)}-01`;
}

/** Returns the last day of a period. */
export const lastDay = (period: number, unit: ForecastUnit): string =>
  isoDay(time(firstDay(period + 1, unit)) - DAY_MS);
