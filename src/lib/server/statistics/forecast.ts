/** Forecasts one series: chooses the method and says why, and adds the backtest and the bands. */
import type { Method } from '../../contract/forecasts';
import { BANDS } from '../../contract/forecasts';
import type { ForecastErrors } from './backtest';
import { backtesting } from './backtest';
import { choose } from './choice';
import { lastYear } from './fit';
import { fitting } from './methods';
import { at, fillGaps, notBelow } from './series';

/** How to forecast a series. */
export interface ForecastOptions {
  /** Number of periods to forecast, at least 1. */
  horizon: number;
  /** Number of periods of a season: 12 months, 4 quarters, 52 weeks. */
  period: number;
  /** The word for a period, such as `month`. */
  unit: string;
  method: Method | 'auto';
}

/** The errors of a method and of last year moved over the withheld end of the history. */
export interface Backtest extends ForecastErrors {
  /** Number of periods withheld. */
  periods: number;
  last_year: ForecastErrors;
}

/** Limits of each forecast. */
export interface Band {
  lower: number[];
  upper: number[];
}

/** The forecast of one series. */
export interface SeriesForecast {
  /** The method used, which can differ from the requested one. */
  method: Method;
  /** Sentences that say why this method was used and how far off it was. */
  why: string;
  parameters: Record<string, number>;
  /** One-step forecast of each period of the history; null where there is none. */
  fitted: (number | null)[];
  /** The amounts of the periods after the history; not below 0 if the history never is. */
  forecast: number[];
  /** Standard deviation of the error of each forecast, from which the limits follow. */
  deviation: number[];
  /** Limits within which 80 and 95 % of the amounts are expected. */
  band80: Band;
  band95: Band;
  /** Null if the history is too short for one. */
  backtest: Backtest | null;
}

/**
 * Forecasts one series. `auto` uses the method with the smallest error in the backtest, and last year moved if
 * none is better. A history that is too short or constant repeats its last year or amount; `why` says so.
 *
 * @param history oldest first; null where the amount is not known. Nulls before the first amount are ignored
 */
export function forecastSeries(
  history: readonly (number | null)[],
  { horizon, period, unit, method: requested }: ForecastOptions,
): SeriesForecast {
  const first = history.findIndex((value) => value !== null);
  const known = first < 0 ? [] : history.slice(first);
  const values = known.length > 0 ? fillGaps(known, period) : [0];
  const tests = backtesting(known, horizon, period);
  const fits = fitting(values, horizon, period);
  const canFit = (method: Method) => fits(method) !== null;
  const { method, why } = choose(requested, {
    ...{ known, values: known.length > 0 ? values : [], period, unit, canFit, tests },
  });
  const fit = fits(method) ?? lastYear(values, horizon, period);
  const own = tests?.test(method);
  const benchmark = tests?.test('last_year');
  const forecast = notBelow(values, fit.forecast);
  const deviation = fit.deviation.map((each) => each * (own?.width ?? 1));
  const limits = (z: number): Band => ({
    lower: notBelow(
      values,
      forecast.map((value, h) => value - z * at(deviation, h)),
    ),
    upper: forecast.map((value, h) => value + z * at(deviation, h)),
  });
  return {
    ...{ method, why, parameters: fit.parameters, forecast, deviation },
    fitted: history.map((_, t) => (first < 0 ? null : (fit.fitted[t - first] ?? null))),
    band80: limits(BANDS[80]),
    band95: limits(BANDS[95]),
    backtest:
      tests && own && benchmark
        ? { periods: tests.periods, ...own.errors, last_year: benchmark.errors }
        : null,
  };
}
