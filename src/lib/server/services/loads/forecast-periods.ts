/** The periods of a forecast, by number. */
import {
  firstDay,
  isWeek53,
  lastDay,
  periodOfDay,
  PERIODS_OF_YEAR,
  weekdaysOfPeriod,
} from '../../../contract/calendar';
import { type ForecastPreviewRequest, SELLING_DAYS } from '../../../contract/forecasts';
import type { History } from './forecast-history';

/** The numbers of a range of periods. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/**
 * Tells which periods methods learn from and forecast: all but each 53rd week, so that the weeks of a season keep their
 * numbers (docs/forecasting.md).
 */
export const isRegular =
  ({ unit }: Pick<History, 'unit'>) =>
  (period: number): boolean =>
    unit !== 'week' || !isWeek53(period);

/** The numbers of the periods to forecast. */
export const horizonOf = ({ horizon }: History): number[] => numbers(horizon.first, horizon.last);

/** Tells which periods of the history are not learned from. */
export const ignoredIn =
  ({ unit }: History, { ignore }: ForecastPreviewRequest) =>
  (period: number) =>
    (ignore ?? []).some(
      ({ from, to }) => from <= lastDay(period, unit) && to >= firstDay(period, unit),
    );

/** Days of a year on average. */
const YEAR = 365.2425;

/**
 * Returns the selling days of periods, divided by those of a mean period: 1 for weeks, and if selling days do not count.
 * Methods learn from amounts divided by them, and forecasts are multiplied by them.
 */
export function sellingDaysIn(
  { unit, sellingDays }: Pick<History, 'unit' | 'sellingDays'>,
  periods: readonly number[],
): number[] {
  if (sellingDays === null || unit === 'week') return periods.map(() => 1);
  const ofWeek = SELLING_DAYS[sellingDays];
  const average = ((ofWeek / 7) * YEAR) / PERIODS_OF_YEAR[unit];
  return periods.map((period) => weekdaysOfPeriod(period, unit, ofWeek) / average);
}

/** Says that amounts per selling day were fitted, in a sentence; null if selling days do not count. */
export function sellingDaysText({
  unit,
  sellingDays,
}: Pick<History, 'unit' | 'sellingDays'>): string | null {
  if (sellingDays === null || unit === 'week') return null;
  const through = { monday_to_friday: 'Friday', monday_to_saturday: 'Saturday' }[sellingDays];
  return `It was fitted to amounts per selling day, Monday to ${through}.`;
}

/** Returns the place of each period among the regular ones. A week 53 has the place of the week before it. */
export function regularPlaces(
  history: Pick<History, 'unit'>,
  periods: readonly number[],
): number[] {
  const isLearned = isRegular(history);
  let place = -1;
  return periods.map((period) => {
    if (isLearned(period)) place++;
    return Math.max(0, place);
  });
}

/** Returns a function from days to the numbers of their periods. It remembers them: groups have the same days. */
export function periodNumbers({ unit }: Pick<History, 'unit'>): (day: string) => number {
  const known = new Map<string, number>();
  return (day) => {
    let period = known.get(day);
    if (period === undefined) known.set(day, (period = periodOfDay(day, unit)));
    return period;
  };
}
