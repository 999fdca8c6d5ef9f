/** Holt-Winters smoothing: level, trend and seasons. */
import type { Fit } from './fit';
import { recentDeviation } from './fit';
import { minimise } from './minimise';
import type { SeasonKind } from './seasonality';
import { centredAverage, decompose } from './seasonality';
import { at, lineThrough } from './series';

/** Smoothing parameters, each 0 to 1. */
export interface WintersParameters {
  /** Of the level. */
  alpha: number;
  /** Of the trend. */
  beta: number;
  /** Of the seasons. */
  gamma: number;
}

/** Level, trend and seasons of a series. */
interface WintersState {
  level: number;
  trend: number;
  /** By index modulo the period. */
  seasons: number[];
}

/** Returns the state after the first season, from the decomposition of the first two, as R does. */
export function openingState(
  values: readonly number[],
  period: number,
  kind: SeasonKind,
): WintersState {
  const start = values.slice(0, 2 * period);
  const { figure } = decompose(start, period, kind);
  const trend = centredAverage(start, period).filter((value) => value !== null);
  const { intercept, slope } = lineThrough(trend);
  // R counts the values of the trend from 1.
  return { level: intercept - slope, trend: slope, seasons: figure };
}

/**
 * Smooths a series from its second season on.
 *
 * @param start the state after the first season
 * @param report called with each one-step forecast
 * @returns the state after the last value, and the sum of the squared errors of the one-step forecasts
 */
export function smoothWinters(
  values: readonly number[],
  start: WintersState,
  kind: SeasonKind,
  { alpha, beta, gamma }: WintersParameters,
  report?: (expected: number) => void,
): WintersState & { squares: number } {
  const isFactor = kind === 'multiplicative';
  const seasons = [...start.seasons];
  const period = seasons.length;
  let { level, trend } = start;
  let squares = 0;
  for (let t = period, s = 0; t < values.length; t++, s = s + 1 === period ? 0 : s + 1) {
    const value = values[t] ?? 0;
    const season = seasons[s] ?? 0;
    const expected = isFactor ? (level + trend) * season : level + trend + season;
    report?.(expected);
    const error = value - expected;
    squares += error * error;
    const adjusted = isFactor ? value / season : value - season;
    const next = alpha * adjusted + (1 - alpha) * (level + trend);
    trend = beta * (next - level) + (1 - beta) * trend;
    level = next;
    const seen = isFactor ? value / level : value - level;
    seasons[s] = gamma * seen + (1 - gamma) * season;
  }
  return { level, trend, seasons, squares };
}

/**
 * Holt-Winters smoothing. Start values and, unless they are given, the search for the parameters that minimise
 * the squared one-step errors are those of `HoltWinters` of R.
 *
 * Source: Winters (1960), Forecasting sales by exponentially weighted moving averages, Management Science 6.
 * The variance of its errors is that of the additive form: Hyndman, Koehler, Ord and Snyder (2008), Forecasting
 * with Exponential Smoothing, table 6.1.
 *
 * @param values at least two seasons; above 0 if multiplicative
 */
export function holtWinters(
  values: readonly number[],
  horizon: number,
  period: number,
  kind: SeasonKind,
  given?: WintersParameters,
): Fit {
  const named = ([alpha = 0.3, beta = 0.1, gamma = 0.1]: readonly number[]): WintersParameters => ({
    ...{ alpha, beta, gamma },
  });
  const start = openingState(values, period, kind);
  const searched = [0.3, 0.1, 0.1].map((start) => ({ lower: 0, upper: 1, start }));
  const parameters =
    given ??
    named(
      minimise((point) => smoothWinters(values, start, kind, named(point)).squares, searched, {
        tolerance: 1e-9,
      }),
    );
  const { alpha, beta, gamma } = parameters;
  const fitted: (number | null)[] = values.slice(0, period).map(() => null);
  const { level, trend, seasons } = smoothWinters(values, start, kind, parameters, (expected) =>
    fitted.push(expected),
  );
  const sigma = recentDeviation(values, fitted, given ? 0 : searched.length);
  const steps = Array.from({ length: horizon }, (_, h) => h + 1);
  let variance = 0;
  return {
    fitted,
    forecast: steps.map((h) => {
      const season = at(seasons, (values.length + h - 1) % period);
      const line = level + h * trend;
      return kind === 'multiplicative' ? line * season : line + season;
    }),
    deviation: steps.map((h) => {
      const before = h - 1;
      const again = before % period === 0 ? gamma * (1 - alpha) : 0;
      variance += before === 0 ? 1 : (alpha * (1 + before * beta) + again) ** 2;
      return sigma * Math.sqrt(variance);
    }),
    parameters: { ...parameters, level, trend },
  };
}
