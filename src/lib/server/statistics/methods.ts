/** The methods that a series can be forecast with. */
import type { Method } from '../../contract/forecasts';
import { croston } from './croston';
import type { Fit } from './fit';
import { combine, lastYear, seasonally } from './fit';
import { holtWinters } from './holt-winters';
import { findSeasons } from './seasonality';
import { damped } from './smoothing';
import { theta } from './theta';

/** The shortest history that a method is fitted to; last year moved needs one value. */
export const SHORTEST = 4;

/**
 * Returns a function that fits methods to one series. Each method is fitted once, also as part of the
 * combination.
 *
 * @param values at least one, without gaps
 * @param period number of periods of a season
 * @returns for each method its fit; null if it cannot be fitted to this series
 */
export function fitting(
  values: readonly number[],
  horizon: number,
  period: number,
): (method: Method) => Fit | null {
  const isLong = values.length >= SHORTEST;
  const isPositive = values.every((value) => value > 0);
  const once = (make: () => Fit | null): (() => Fit | null) => {
    let made: Fit | null | undefined;
    return () => (made === undefined ? (made = isLong ? make() : null) : made);
  };
  let seasons: ReturnType<typeof findSeasons> | undefined;
  const found = () => (seasons ??= findSeasons(values, period));
  const ofTheta = once(() => seasonally(theta, values, horizon, found()));
  const ofDamped = once(() => seasonally(damped, values, horizon, found()));
  const fits: Record<Method, () => Fit | null> = {
    last_year: () => lastYear(values, horizon, period),
    theta: ofTheta,
    damped: ofDamped,
    combined: once(() => {
      const [a, b] = [ofTheta(), ofDamped()];
      return a && b && combine(a, b);
    }),
    croston: once(() => (values.some((value) => value !== 0) ? croston(values, horizon) : null)),
    holt_winters: once(() =>
      period > 1 && values.length >= 2 * period
        ? holtWinters(values, horizon, period, isPositive ? 'multiplicative' : 'additive')
        : null,
    ),
  };
  return (method) => fits[method]();
}
