/** The theta method. */
import type { Fit } from './fit';
import { lineThrough } from './series';
import { simple } from './smoothing';

/**
 * The theta method for a series without seasons: the mean of the regression line (theta 0), continued, and of
 * the line with twice the curvature (theta 2), forecast by simple exponential smoothing.
 *
 * Source: Assimakopoulos and Nikolopoulos (2000), The theta model: a decomposition approach to forecasting,
 * International Journal of Forecasting 16. The variance of its errors is that of simple exponential smoothing
 * with drift: Hyndman and Billah (2003), Unmasking the theta method, International Journal of Forecasting 19.
 */
export function theta(values: readonly number[], horizon: number): Fit {
  const { intercept, slope } = lineThrough(values);
  const line = (t: number) => intercept + slope * t;
  const curved = simple(
    values.map((value, t) => 2 * value - line(t)),
    horizon,
  );
  return {
    fitted: curved.fitted.map((value, t) => (value === null ? null : (value + line(t)) / 2)),
    forecast: curved.forecast.map((value, h) => (value + line(values.length + h)) / 2),
    deviation: curved.deviation.map((deviation) => deviation / 2),
    parameters: { ...curved.parameters, drift: slope / 2 },
  };
}
