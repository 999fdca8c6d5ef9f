/** Exponential smoothing without seasons: simple, Holt's trend, and the damped trend. */
import type { Fit } from './fit';
import { recentDeviation } from './fit';
import type { Parameter } from './minimise';
import { minimise } from './minimise';
import { at, lineThrough } from './series';

/**
 * The damped trend in its general form: with `phi` 1 it is Holt's linear trend; with `beta` and `trend` 0,
 * simple exponential smoothing.
 */
export interface Smoothing {
  /** Share of an error that moves the level, 0 to 1. */
  alpha: number;
  /** Share of that movement that changes the trend, 0 to 1. */
  beta: number;
  /** Share of the trend that the next period keeps, 0 to 1. */
  phi: number;
  /** The level at the start, before the first value. */
  level: number;
  /** The trend at the start, before the first value. */
  trend: number;
}

/** Smooths a series. @returns its one-step forecasts, and level and trend after the last value */
export function smooth(values: readonly number[], { alpha, beta, phi, level, trend }: Smoothing) {
  const fitted = values.map((value) => {
    const expected = level + phi * trend;
    const error = value - expected;
    level = expected + alpha * error;
    trend = phi * trend + alpha * beta * error;
    return expected;
  });
  return { fitted, level, trend };
}

/** Returns the sum of the absolute one-step errors of simple exponential smoothing from the first value on. */
function absoluteErrors(values: Float64Array, alpha: number): number {
  let level = values[0] ?? 0;
  let total = 0;
  for (const value of values) {
    const error = value - level;
    total += Math.abs(error);
    level += alpha * error;
  }
  return total;
}

/** Returns the sum of the absolute errors of all forecasts of one to three steps from within a series. */
function absoluteErrorsAhead(
  values: Float64Array,
  alpha: number,
  beta: number,
  phi: number,
  start: Pick<Smoothing, 'level' | 'trend'>,
): number {
  let { level, trend } = start;
  let total = 0;
  const { length } = values;
  // The search evaluates this hundreds of times, so it takes one pass without a loop over the steps.
  for (let t = 0; t < length; t++) {
    const first = phi * trend;
    const second = phi * first;
    const next = level + first;
    const error = (values[t] ?? 0) - next;
    total += Math.abs(error);
    if (t + 1 < length) total += Math.abs((values[t + 1] ?? 0) - (next + second));
    if (t + 2 < length) total += Math.abs((values[t + 2] ?? 0) - (next + second + phi * second));
    level = next + alpha * error;
    trend = first + alpha * beta * error;
  }
  return total;
}

/** Forecasts from a smoothed series. @param estimated number of parameters that were fitted to the values */
function forecastFrom(
  values: readonly number[],
  smoothing: Smoothing,
  horizon: number,
  estimated: number,
): Fit {
  const { alpha, beta, phi } = smoothing;
  const { fitted, level, trend } = smooth(values, smoothing);
  const sigma = recentDeviation(values, fitted, estimated);
  let [expected, left, damping, kept, variance] = [level, trend, 0, 1, 1];
  const forecast: number[] = [];
  const deviation: number[] = [];
  for (let h = 0; h < horizon; h++) {
    left *= phi;
    expected += left;
    forecast.push(expected);
    deviation.push(sigma * Math.sqrt(variance));
    kept *= phi;
    damping += kept;
    variance += (alpha * (1 + beta * damping)) ** 2;
  }
  return { fitted, forecast, deviation, parameters: { ...smoothing } };
}

const ALPHA: Parameter = { lower: 0.01, upper: 0.99, start: 0.3 };
/** The trend changes slowly. */
const BETA: Parameter = { lower: 0, upper: 0.3, start: 0.1 };
const PHI: Parameter = { lower: 0.8, upper: 0.98, start: 0.95 };
/** Values that the initial level and trend are read from. */
const OPENING = 10;

/** Fits the given parameters, with the line through the opening values for level and trend before them. */
function fitTrend(
  values: readonly number[],
  horizon: number,
  searched: readonly Parameter[],
  smoothing: (point: readonly number[]) => Pick<Smoothing, 'alpha' | 'beta' | 'phi'>,
): Fit {
  const { intercept, slope } = lineThrough(values.slice(0, OPENING));
  const from = { level: intercept - slope, trend: slope };
  const series = Float64Array.from(values);
  const best = minimise((point) => {
    const { alpha, beta, phi } = smoothing(point);
    return absoluteErrorsAhead(series, alpha, beta, phi, from);
  }, searched);
  return forecastFrom(values, { ...smoothing(best), ...from }, horizon, searched.length + 2);
}

/**
 * Simple exponential smoothing: a level without a trend, that starts from the first value. `alpha` minimises
 * the absolute one-step errors.
 *
 * Source: Gardner (1985), Exponential smoothing: the state of the art, Journal of Forecasting 4; Hyndman and
 * Athanasopoulos (2021), Forecasting: Principles and Practice, section 8.1.
 */
export function simple(values: readonly number[], horizon: number): Fit {
  const series = Float64Array.from(values);
  const level = at(values, 0);
  const [alpha = ALPHA.start] = minimise(
    ([each = ALPHA.start]) => absoluteErrors(series, each),
    [ALPHA],
  );
  const fit = forecastFrom(values, { alpha, beta: 0, phi: 1, level, trend: 0 }, horizon, 1);
  return { ...fit, parameters: { alpha, level } };
}

/**
 * Holt's linear trend. Its parameters minimise the absolute errors of forecasts of one to three steps.
 *
 * Source: Holt (1957, reprinted 2004), Forecasting seasonals and trends by exponentially weighted moving
 * averages, International Journal of Forecasting 20.
 */
export const holt = (values: readonly number[], horizon: number): Fit =>
  fitTrend(values, horizon, [ALPHA, BETA], ([alpha, beta]) => ({
    alpha: alpha ?? ALPHA.start,
    beta: beta ?? BETA.start,
    phi: 1,
  }));

/**
 * The damped trend: the trend fades with the horizon. Its parameters minimise the absolute errors of forecasts
 * of one to three steps.
 *
 * Source: Gardner and McKenzie (1985), Forecasting trends in time series, Management Science 31. The variance
 * of its errors: Hyndman, Koehler, Ord and Snyder (2008), Forecasting with Exponential Smoothing, table 6.1.
 */
export const damped = (values: readonly number[], horizon: number): Fit =>
  fitTrend(values, horizon, [ALPHA, BETA, PHI], ([alpha, beta, phi]) => ({
    alpha: alpha ?? ALPHA.start,
    beta: beta ?? BETA.start,
    phi: phi ?? PHI.start,
  }));
