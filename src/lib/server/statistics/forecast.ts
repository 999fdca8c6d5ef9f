/** Forecasts one series: chooses the method and says why, and adds the backtest and the bands. */
import type { Method } from '../../contract/forecasts';
import { type BandShare, limitOf } from '../../contract/forecasts';
import type { ForecastErrors } from './backtest';
import { backtesting } from './backtest';
import { choose } from './choice';
import { type Fit, freedomOf, lastYear } from './fit';
import { fitting } from './methods';
import { at, fillGaps, notBelow } from './series';
import { limitsOfSlow } from './slow';

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
  /** Degrees of freedom of the Student's t distribution of the errors, at least 3. */
  freedom: number;
  /** Errors of the backtest in units of their deviations; none without one, and for a discontinued series. */
  withheld: (number | null)[];
  /** Limits within which 80 and 95 % of the amounts are expected. */
  band80: Band;
  band95: Band;
  /** Null if the history is too short for one. */
  backtest: Backtest | null;
  /** Whether `auto` forecast a mean because many periods have no amount, or 0 because the series is discontinued. */
  isSlow: boolean;
}

/**
 * Forecasts one series. `auto` uses the combination of several methods, the mean for a slow series, and a single method
 * if several backtests agree that it is clearly better (`choice.ts`). A history that is too short or constant repeats
 * its last year or amount; `why` says so.
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
  const { method, why, kind } = choose(requested, {
    ...{ known, values: known.length > 0 ? values : [], period, unit, canFit, tests },
  });
  const found = fits(method) ?? lastYear(values, horizon, period);
  const fit = kind === 'discontinued' ? nothing(found) : found;
  const own = tests?.test(method);
  const benchmark = tests?.test('last_year');
  const forecast = notBelow(values, fit.forecast);
  // The variance of a slow series is that of its amounts.
  const freedom =
    kind === 'slow' ? Math.max(LEAST_FREEDOM, values.length - 1) : freedomOf(values, found.fitted);
  const width = kind === 'slow' ? 1 : Math.sqrt(freedom / (freedom - 2));
  const deviation = fit.deviation.map((each) => each * width);
  const limits = (share: BandShare): Band =>
    kind === 'slow'
      ? limitsOfSlow(values, forecast, share / 100)
      : bandAround(forecast, deviation, limitOf(share, freedom), values);
  return {
    ...{ method, why, parameters: fit.parameters, forecast, deviation, freedom },
    fitted: history.map((_, t) => (first < 0 ? null : (fit.fitted[t - first] ?? null))),
    band80: limits(80),
    band95: limits(95),
    backtest:
      tests && own && benchmark
        ? { periods: tests.periods, ...own.errors, last_year: benchmark.errors }
        : null,
    withheld:
      kind === 'discontinued'
        ? []
        : (own?.units ?? []).map((unit) => (unit === null ? null : unit / width)),
    isSlow: kind !== undefined,
  };
}

/** Returns limits on both sides of a forecast, not below 0 if the history never is. @param limit in deviations */
export const bandAround = (
  forecast: readonly number[],
  deviation: readonly number[],
  limit: number,
  history: readonly number[],
): Band => ({
  lower: notBelow(
    history,
    forecast.map((value, h) => value - limit * at(deviation, h)),
  ),
  upper: forecast.map((value, h) => value + limit * at(deviation, h)),
});

/** The least degrees of freedom of a slow series: with fewer, a variance would hardly be known. */
const LEAST_FREEDOM = 3;

/** The forecast of a discontinued series. */
const nothing = (fit: Fit): Fit => ({
  ...fit,
  forecast: fit.forecast.map(() => 0),
  deviation: fit.deviation.map(() => 0),
  parameters: {},
});
