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
interface Tested {
  errors: ForecastErrors;
  /** How many times as far off as its deviations say; at least 1. */
  width: number;
}

/** The backtest of one series. */
export interface Backtesting {
  /** Number of periods withheld. */
  periods: number;
  /** Tests a method. @returns null if the method cannot be fitted to the history before */
  test: (method: Method) => Tested | null;
}

/**
 * Withholds the end of a history: as many periods as the horizon, at most a third.
 *
 * @param history from its first known amount on; null where the amount is not known
 * @returns null if too few periods would be left, or none of the withheld amounts is known
 */
export function backtesting(
  history: readonly (number | null)[],
  horizon: number,
  period: number,
): Backtesting | null {
  const periods = Math.min(horizon, Math.floor(history.length / 3));
  const cut = history.length - periods;
  const actual = history.slice(cut);
  if (cut < SHORTEST || !actual.some((value) => value !== null)) return null;
  const before = fillGaps(history.slice(0, cut), period);
  const fitted = fitting(before, periods, period);
  const test = (method: Method) => {
    const fit = fitted(method);
    if (!fit) return null;
    const forecast = notBelow(before, fit.forecast);
    const errors = forecastErrors(forecast, actual, before, period);
    return { errors, width: widthOf(fit, actual) };
  };
  return { periods, test };
}

/** Returns the root mean square of the errors, each in units of its deviation; at least 1. */
function widthOf({ forecast, deviation }: Fit, actual: readonly (number | null)[]): number {
  const squares = actual.flatMap((value, h) => {
    const unit = at(deviation, h);
    return value === null || unit === 0 ? [] : [((value - at(forecast, h)) / unit) ** 2];
  });
  return Math.max(1, Math.sqrt(mean(squares)));
}
