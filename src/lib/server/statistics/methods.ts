/** The methods that a series can be forecast with. */
import type { Method } from '../../contract/forecasts';
import { croston } from './croston';
import type { Fit, Model, Scale } from './fit';
import { combine, lastYear, LOGARITHMS, ROOTS, scaledBack, seasonally } from './fit';
import { holtWinters } from './holt-winters';
import { findSeasons, isProportional, NO_SEASONS } from './seasonality';
import { demandOf, meanOfPeriods, tsb } from './slow';
import { damped } from './smoothing';
import { notBelow } from './series';
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
  const isBelow = values.some((value) => value < 0);
  const once = (make: () => Fit | null): (() => Fit | null) => {
    let made: Fit | null | undefined;
    return () => (made === undefined ? (made = isLong ? make() : null) : made);
  };
  let seasons: ReturnType<typeof findSeasons> | undefined;
  const found = () => (seasons ??= findSeasons(values, period));
  const ofTheta = once(() => seasonally(theta, values, horizon, found()));
  const ofDamped = once(() => seasonally(damped, values, horizon, found()));
  const ofWinters = once(() =>
    period > 1 && values.length >= 2 * period
      ? holtWinters(values, horizon, period, isPositive ? 'multiplicative' : 'additive')
      : null,
  );
  const onScale = (model: Model, scale: Scale) => {
    const changed = values.map(scale.from);
    return scaledBack(seasonally(model, changed, horizon, findSeasons(changed, period)), scale);
  };
  const fits: Record<Method, () => Fit | null> = {
    last_year: () => lastYear(values, horizon, period),
    theta: ofTheta,
    damped: ofDamped,
    combined: once(() =>
      found() !== NO_SEASONS && isProportional(values, period)
        ? combination(values, [
            ofTheta(),
            onScale(theta, LOGARITHMS),
            onScale(damped, LOGARITHMS),
            ofWinters(),
          ])
        : combination(values, [
            ofTheta(),
            isBelow || demandOf(values).isErratic ? null : onScale(theta, ROOTS),
            ofDamped(),
          ]),
    ),
    croston: once(() => (values.some((value) => value !== 0) ? croston(values, horizon) : null)),
    tsb: once(() => (values.some((value) => value !== 0) ? tsb(values, horizon) : null)),
    mean: once(() => meanOfPeriods(values, horizon)),
    holt_winters: ofWinters,
  };
  return (method) => fits[method]();
}

/** Returns the mean of the fits that there are, none of them below 0 if the values never are; null without any. */
function combination(values: readonly number[], fits: readonly (Fit | null)[]): Fit | null {
  const found = fits.flatMap((fit) =>
    fit ? [{ ...fit, forecast: notBelow(values, fit.forecast) }] : [],
  );
  return found.length === 0 ? null : combine(...found);
}
