/** Forecasts of intermittent series, in which most periods have no amount. */
import type { Fit } from './fit';
import { errorDeviation } from './fit';

/** Share of a new amount and of a new interval in their averages. */
const ALPHA = 0.1;

/**
 * Croston's method with the correction of its bias: the smoothed size of the amounts over the smoothed interval
 * between them, as an even amount per period.
 *
 * Source: Croston (1972), Forecasting and stock control for intermittent demands, Operational Research
 * Quarterly 23; Syntetos and Boylan (2005), The accuracy of intermittent demand estimates, International Journal
 * of Forecasting 21.
 *
 * @param values at least one of them not 0
 */
export function croston(values: readonly number[], horizon: number): Fit {
  let [size, interval, since] = [NaN, NaN, 0];
  const rate = () => ((1 - ALPHA / 2) * size) / (Number.isNaN(interval) ? since + 1 : interval);
  const fitted = values.map((value, t) => {
    const expected = Number.isNaN(size) ? null : rate();
    since++;
    if (value === 0) return expected;
    size = Number.isNaN(size) ? value : size + ALPHA * (value - size);
    // A series mostly begins with its first amount, which therefore ends no interval.
    if (t > 0) interval = Number.isNaN(interval) ? since : interval + ALPHA * (since - interval);
    since = 0;
    return expected;
  });
  const sigma = errorDeviation(values, fitted, 1);
  return {
    fitted,
    forecast: Array.from({ length: horizon }, rate),
    deviation: Array.from({ length: horizon }, () => sigma),
    parameters: { alpha: ALPHA, size, interval: Number.isNaN(interval) ? since + 1 : interval },
  };
}
