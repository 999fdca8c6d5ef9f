/** The periods of a forecast, by number. */
import { firstDay, isWeek53, lastDay } from '../../../contract/calendar';
import type { ForecastPreviewRequest } from '../../../contract/forecasts';
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

/** Returns the values of all periods from those of the regular ones: a week 53 gets that of the week before it. */
export function withWeek53(
  values: readonly number[],
  periods: readonly number[],
  isLearned: (period: number) => boolean,
): number[] {
  let place = -1;
  return periods.flatMap((period) => {
    if (isLearned(period)) place++;
    return values[Math.max(0, place)] ?? [];
  });
}
