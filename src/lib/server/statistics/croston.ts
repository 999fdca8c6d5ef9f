/** Forecasts of intermittent series, in which most periods have no amount. */
import type { Fit } from './fit';
import { errorDeviation } from './fit';

/** Share of a new amount and of a new interval in their averages. */
const ALPHA = 0.1;

/**
 * Returns whether a series is intermittent: its amounts other than 0 are at least 1.32 periods apart on
 * average.
 *
 * Source: Syntetos, Boylan and Croston (2005), On the categorization of demand patterns, Journal of the
 * Operational Research Society 56.
 */
export function isIntermittent(values: readonly number[]): boolean {
  const amounts = values.filter((value) => value !== 0).length;
  return amounts > 0 && values.length / amounts >= 1.32;
}

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
  const rate = () => ((1 - ALPHA / 2) * size) / interval;
  const fitted = values.map((value) => {
    const expected = Number.isNaN(size) ? null : rate();
    since++;
    if (value === 0) return expected;
    const isFirst = Number.isNaN(size);
    size = isFirst ? value : size + ALPHA * (value - size);
    interval = isFirst ? since : interval + ALPHA * (since - interval);
    since = 0;
    return expected;
  });
  const sigma = errorDeviation(values, fitted, 1);
  return {
    fitted,
    forecast: Array.from({ length: horizon }, rate),
    deviation: Array.from({ length: horizon }, () => sigma),
    parameters: { alpha: ALPHA, size, interval },
  };
}
