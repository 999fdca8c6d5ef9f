/** The result of fitting a method to a series, the benchmarks, and what all methods share. */
import type { Seasons } from './seasonality';
import { removeSeasons, seasonAt, withSeason } from './seasonality';
import { at } from './series';

/** A method fitted to a series. */
export interface Fit {
  /** One-step forecast of each period of the history; null where the method has none yet. */
  fitted: (number | null)[];
  /** Forecast of the periods after the history. */
  forecast: number[];
  /** Standard deviation of the error of each forecast. */
  deviation: number[];
  /** Parameters by name. */
  parameters: Record<string, number>;
}

/** Fits a method to a series without gaps and forecasts the given number of periods after it. */
export type Model = (values: readonly number[], horizon: number) => Fit;

/** Calls a function with each one-step error, oldest first. @returns the number of errors */
function eachError(
  values: readonly number[],
  fitted: readonly (number | null)[],
  use: (error: number) => void,
): number {
  let count = 0;
  for (let t = 0; t < values.length; t++) {
    const expected = fitted[t];
    if (expected == null) continue;
    use((values[t] ?? 0) - expected);
    count++;
  }
  return count;
}

/**
 * Returns the standard deviation of one-step errors.
 *
 * @param estimated number of parameters of the method that were fitted to the values
 */
export function errorDeviation(
  values: readonly number[],
  fitted: readonly (number | null)[],
  estimated: number,
): number {
  let squares = 0;
  const count = eachError(values, fitted, (error) => {
    squares += error * error;
  });
  return Math.sqrt(squares / Math.max(1, count - estimated));
}

/** The number of newer errors after which an error counts half for the deviation of the coming ones. */
const HALF_LIFE = 6;

/**
 * Returns the standard deviation of one-step errors as it is at the end of a series. The size of errors
 * changes with time, so newer errors count more. The half-life was chosen on every second series of half of the M3
 * competition (docs/forecasting.md).
 *
 * Source: J.P. Morgan and Reuters (1996), RiskMetrics, Technical Document, section 5.2, for the exponential weights.
 *
 * @param estimated number of parameters of the method that were fitted to the values
 */
export function recentDeviation(
  values: readonly number[],
  fitted: readonly (number | null)[],
  estimated: number,
): number {
  let squares = 0;
  let weights = 0;
  const count = eachError(values, fitted, (error) => {
    squares = KEPT * squares + error * error;
    weights = KEPT * weights + 1;
  });
  if (count === 0) return 0;
  return Math.sqrt((squares / weights) * (count / Math.max(1, count - estimated)));
}

/** The share of the weight of an error that each newer one leaves. */
const KEPT = 0.5 ** (1 / HALF_LIFE);

/** The excess kurtosis of the errors of a series of which nothing is known. */
const USUAL_KURTOSIS = 7;
/** The number of errors of a series that count as much as the usual kurtosis. */
const USUAL_ERRORS = 40;
/** The most excess kurtosis of a series: a single outlier could make it as large as the series is long. */
const MOST_KURTOSIS = 10;

/**
 * Returns the degrees of freedom of Student's t distribution of the coming errors. They follow from a kurtosis: the mean of
 * that of the one-step errors and of a usual one. So bands are narrower for long regular series. The usual kurtosis and its
 * weight were chosen on every second series of half of the M3 competition (docs/forecasting.md).
 *
 * Source: Johnson, Kotz and Balakrishnan (1995), Continuous Univariate Distributions 2, chapter 28, for the kurtosis.
 *
 * @returns above 4; about 11 for a regular series of 300 periods
 */
export function freedomOf(values: readonly number[], fitted: readonly (number | null)[]): number {
  let squares = 0;
  let fourths = 0;
  const count = eachError(values, fitted, (error) => {
    const square = error * error;
    squares += square;
    fourths += square * square;
  });
  const own = squares === 0 ? USUAL_KURTOSIS : (count * fourths) / squares ** 2 - 3;
  const bounded = Math.min(MOST_KURTOSIS, Math.max(0, own));
  const kurtosis = (USUAL_ERRORS * USUAL_KURTOSIS + count * bounded) / (USUAL_ERRORS + count);
  return 4 + 6 / kurtosis;
}

/**
 * Forecasts each period as the same period of the year before ("last year moved"). The literature calls this the
 * seasonal naive method. A series shorter than a year repeats its last value.
 *
 * Source: Hyndman and Athanasopoulos (2021), Forecasting: Principles and Practice, sections 5.2 and 5.5.
 */
export function lastYear(values: readonly number[], horizon: number, period: number): Fit {
  const lag = values.length < period ? 1 : period;
  const fitted = values.map((_, t) => values[t - lag] ?? null);
  const sigma = recentDeviation(values, fitted, 0);
  const steps = Array.from({ length: horizon }, (_, h) => h);
  return {
    fitted,
    forecast: steps.map((h) => at(values, values.length - lag + (h % lag))),
    deviation: steps.map((h) => sigma * Math.sqrt(Math.floor(h / lag) + 1)),
    parameters: {},
  };
}

/**
 * Forecasts the last value without its season, with the seasons added again: Naive2 of the M competitions.
 *
 * Source: Makridakis and Hibon (2000), The M3-Competition, International Journal of Forecasting 16.
 */
export const naive2 = (values: readonly number[], horizon: number, seasons: Seasons): Fit =>
  seasonally((adjusted, steps) => lastYear(adjusted, steps, 1), values, horizon, seasons);

/** Fits a model to the values without their seasons, and adds the seasons to the result. */
export function seasonally(
  model: Model,
  values: readonly number[],
  horizon: number,
  seasons: Seasons,
): Fit {
  const fit = model(removeSeasons(values, seasons), horizon);
  return {
    ...fit,
    fitted: fit.fitted.map((value, t) => (value === null ? null : withSeason(value, seasons, t))),
    forecast: fit.forecast.map((value, h) => withSeason(value, seasons, values.length + h)),
    deviation: fit.deviation.map((deviation, h) =>
      seasons.kind === 'multiplicative'
        ? deviation * seasonAt(seasons, values.length + h)
        : deviation,
    ),
  };
}

/**
 * Returns the mean of fits of one series. Their errors are taken for fully correlated, so the deviation is the mean
 * of theirs too.
 */
export function combine(...fits: readonly Fit[]): Fit {
  const middle = (of: 'forecast' | 'deviation') =>
    (fits[0]?.[of] ?? []).map((_, h) => {
      let total = 0;
      for (const fit of fits) total += at(fit[of], h);
      return total / fits.length;
    });
  return {
    fitted: (fits[0]?.fitted ?? []).map((_, t) => {
      let total = 0;
      for (const { fitted } of fits) {
        const value = fitted[t];
        if (value == null) return null;
        total += value;
      }
      return total / fits.length;
    }),
    forecast: middle('forecast'),
    deviation: middle('deviation'),
    parameters: {},
  };
}

/** A change of scale, its inverse, and the slope and curvature of the inverse at an amount on the changed scale. */
export interface Scale {
  from: (amount: number) => number;
  to: (changed: number) => number;
  slope: (changed: number) => number;
  curvature: (changed: number) => number;
}

/** Square roots, for amounts that are not below 0. */
export const ROOTS: Scale = {
  from: Math.sqrt,
  to: (root) => Math.max(0, root) ** 2,
  slope: (root) => 2 * Math.max(0, root),
  curvature: () => 2,
};

/** Logarithms, for amounts above 0. */
export const LOGARITHMS: Scale = {
  from: Math.log,
  to: Math.exp,
  slope: Math.exp,
  curvature: Math.exp,
};

/**
 * Changes the scale of a fit back. The forecast is a mean again: the inverse of a mean is a median, so half the
 * curvature times the variance of an amount is added. A deviation is that of the amount to first order.
 *
 * Source: Box and Cox (1964), An analysis of transformations, Journal of the Royal Statistical Society B 26; Hyndman
 * and Athanasopoulos (2021), Forecasting: Principles and Practice, section 5.6.
 */
export function scaledBack(fit: Fit, { to, slope, curvature }: Scale): Fit {
  const variance = (fit.deviation[0] ?? 0) ** 2;
  const mean = (changed: number) => to(changed) + (curvature(changed) / 2) * variance;
  return {
    fitted: fit.fitted.map((each) => (each === null ? null : mean(each))),
    forecast: fit.forecast.map(mean),
    deviation: fit.deviation.map((each, h) => slope(at(fit.forecast, h)) * each),
    parameters: fit.parameters,
  };
}
