/** Tests methods on the end of a history that was withheld from them. */
import type { Method } from '../../contract/forecasts';
import type { Fit } from './fit';
import { fitting, SHORTEST } from './methods';
import { at, fillGaps, mean, notBelow, sum } from './series';

/** Errors of a forecast. A figure is null if its divisor is 0. */
export interface ForecastErrors {
  /** Mean absolute error. */
  mae: number;
  /** Mean absolute error, in units of that of last year moved within the history before. */
  mase: number | null;
  /** Sum of the absolute errors as a share of the sum of the absolute amounts. */
  wape: number | null;
  /** Sum of the errors, forecast less amount, as a share of the sum of the absolute amounts. */
  bias: number | null;
}

const ratio = (a: number, b: number): number | null => (b === 0 ? null : a / b);

/**
 * Compares a forecast with what happened.
 *
 * Source: Hyndman and Koehler (2006), Another look at measures of forecast accuracy, International Journal of
 * Forecasting 22.
 *
 * @param actual null where the amount is not known; these periods do not count
 * @param before the history before the forecast, without gaps
 */
export function forecastErrors(
  forecast: readonly number[],
  actual: readonly (number | null)[],
  before: readonly number[],
  period: number,
): ForecastErrors {
  const lag = before.length > period ? period : 1;
  const moves = before.slice(lag).map((value, t) => Math.abs(value - at(before, t)));
  const pairs = actual.flatMap((value, h) => (value === null ? [] : [[at(forecast, h), value]]));
  const errors = pairs.map(([expected = 0, value = 0]) => expected - value);
  const amounts = sum(pairs.map(([, value = 0]) => Math.abs(value)));
  const mae = mean(errors.map(Math.abs));
  return {
    mae,
    mase: ratio(mae, mean(moves)),
    wape: ratio(sum(errors.map(Math.abs)), amounts),
    bias: ratio(sum(errors), amounts),
  };
}

/** A method that was fitted to the history before the withheld periods. */
export interface Tested {
  errors: ForecastErrors;
  /** Mean of the squared errors. */
  squares: number;
  /** Absolute value of the sum of the errors. */
  cumulated: number;
  /** Forecast less amount of each withheld period, in units of its deviation; null where either is not known. */
  units: (number | null)[];
}

/** Tests a method at one origin. @returns null if the method cannot be fitted to the history before */
type Test = (method: Method) => Tested | null;

/** The backtests of one series. */
export interface Backtesting {
  /** Number of periods withheld in each of them. */
  periods: number;
  /** Whether the end of the history is unknown. The withheld periods are then those before it. */
  isBefore: boolean;
  /** Whether the history is too short for all origins. */
  isShort: boolean;
  /** Tests a method on the end of the history. */
  test: Test;
  /**
   * The tests on the end of the history and on earlier parts, the newest first. Parts without a known amount have none.
   */
  origins: readonly Test[];
}

/** The most origins of one series. */
export const MOST_ORIGINS = 3;

/** The least share of a history that is before an origin other than the newest one. */
const LEAST_BEFORE = 0.4;

/**
 * Withholds the end of a history: as many periods as the horizon, at most a third. Up to two further origins are
 * each a third of these periods earlier, so that no method is chosen because of one year. The history ends with its
 * last known amount.
 *
 * Source: Tashman (2000), Out-of-sample tests of forecasting accuracy: an analysis and review, International Journal
 * of Forecasting 16.
 *
 * @param series from its first known amount on; null where the amount is not known
 * @returns null if too few periods would be left
 */
export function backtesting(
  series: readonly (number | null)[],
  horizon: number,
  period: number,
): Backtesting | null {
  const history = series.slice(0, series.findLastIndex((value) => value !== null) + 1);
  const periods = Math.min(horizon, Math.floor(history.length / 3));
  const newest = history.length - periods;
  const step = Math.max(1, Math.floor(periods / 3));
  const least = Math.max(2 * SHORTEST, LEAST_BEFORE * history.length);
  const cuts = Array.from({ length: MOST_ORIGINS }, (_, i) => newest - i * step).filter(
    (cut, i) => cut >= (i === 0 ? SHORTEST : least),
  );
  const [test, ...earlier] = cuts.flatMap((cut) => testing(history, cut, periods, period) ?? []);
  if (!test) return null;
  return {
    periods,
    isBefore: history.length < series.length,
    isShort: cuts.length < MOST_ORIGINS,
    test,
    origins: [test, ...earlier],
  };
}

/** Prepares tests on the periods after an origin. @returns null if none of their amounts is known */
function testing(
  history: readonly (number | null)[],
  cut: number,
  periods: number,
  period: number,
): Test | null {
  const actual = history.slice(cut, cut + periods);
  if (actual.every((value) => value === null)) return null;
  const before = fillGaps(history.slice(0, cut), period);
  const fitted = fitting(before, periods, period);
  const done = new Map<Method, Tested | null>();
  return (method) => {
    const known = done.get(method);
    if (known !== undefined) return known;
    const fit = fitted(method);
    const tested = fit && testedFit(fit, actual, before, period);
    done.set(method, tested);
    return tested;
  };
}

function testedFit(
  fit: Fit,
  actual: readonly (number | null)[],
  before: readonly number[],
  period: number,
): Tested {
  const forecast = notBelow(before, fit.forecast);
  const errors = actual.flatMap((value, h) => (value === null ? [] : at(forecast, h) - value));
  return {
    errors: forecastErrors(forecast, actual, before, period),
    squares: mean(errors.map((error) => error ** 2)),
    cumulated: Math.abs(sum(errors)),
    units: actual.map((value, h) => {
      const unit = at(fit.deviation, h);
      return value === null || unit === 0 ? null : (at(forecast, h) - value) / unit;
    }),
  };
}
