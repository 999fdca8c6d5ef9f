/** The steady growth of a sum of slow series: by the same amount or by the same rate in each period. */
import { at, lineThrough, mean, sum } from './series';

/** A curve through a series: its value at an index, also beyond the end. */
type Curve = (t: number) => number;

/** How much likelier a constant rate is than a line where a series falls: a line would soon end at 0. */
const RATE_IN_FALLS = 3;
/** The least value of a line, as a share of the mean of the series. */
const LEAST = 0.02;
/** The most steps of a fit; it ends earlier when nothing changes. */
const STEPS = 50;
/** A step that changes the curve by less than this share ends the fit. */
const EXACT = 1e-9;

/**
 * Returns the curve of a series whose variance is proportional to its mean, as that of sums of independent sales is: the
 * mean of a line and of a curve of constant rate, weighted by their quasi-likelihoods. A history of some years mostly
 * does not tell the two apart; both then count about half, and the curve more where the series falls. Both have the mean
 * of the series, however few its amounts are, which a line through logarithms or square roots has not.
 *
 * Source: McCullagh and Nelder (1989), Generalized Linear Models, chapters 8 and 9; Burnham and Anderson (2002), Model
 * Selection and Multimodel Inference, section 2.9, for the weights.
 *
 * @param values at least three, with a mean above 0
 */
export function growthOf(values: readonly number[]): Curve {
  const [line, curve] = [evenGrowth(values), constantRate(values)];
  const [ofLine, ofCurve] = [devianceOf(values, line), devianceOf(values, curve)];
  const dispersion = Math.min(ofLine, ofCurve) / (values.length - 2);
  const likelier = dispersion === 0 ? 0 : (ofCurve - ofLine) / (2 * dispersion);
  const prior = line(values.length) < line(0) ? RATE_IN_FALLS : 1;
  const weight = 1 / (1 + prior * Math.exp(-likelier));
  return (t) => weight * line(t) + (1 - weight) * curve(t);
}

/** Fits a line, each value weighted by the inverse of the line there. */
function evenGrowth(values: readonly number[]): Curve {
  const least = LEAST * mean(values);
  let { intercept, slope } = lineThrough(values);
  const value = (t: number) => Math.max(least, intercept + slope * t);
  for (let step = 0; step < STEPS; step++) {
    let [weights, first, second, amounts, amountsFirst] = [0, 0, 0, 0, 0];
    for (let t = 0; t < values.length; t++) {
      const weight = 1 / value(t);
      weights += weight;
      first += weight * t;
      second += weight * t * t;
      amounts += weight * at(values, t);
      amountsFirst += weight * at(values, t) * t;
    }
    const before = slope;
    slope = (weights * amountsFirst - first * amounts) / (weights * second - first * first);
    intercept = (amounts - slope * first) / weights;
    if (Math.abs(slope - before) * values.length < EXACT * mean(values)) break;
  }
  return value;
}

/** Fits a curve of constant rate by Fisher's scoring. */
function constantRate(values: readonly number[]): Curve {
  const { length } = values;
  const place = (t: number) => (t - (length - 1) / 2) / length;
  let [level, rate] = [Math.log(mean(values)), 0];
  const value = (t: number) => Math.exp(level + rate * place(t));
  for (let step = 0; step < STEPS; step++) {
    let [weights, first, second, off, offFirst] = [0, 0, 0, 0, 0];
    for (let t = 0; t < length; t++) {
      const [x, expected] = [place(t), value(t)];
      const error = at(values, t) - expected;
      weights += expected;
      first += expected * x;
      second += expected * x * x;
      off += error;
      offFirst += error * x;
    }
    const determinant = weights * second - first * first;
    const moved = [
      (second * off - first * offFirst) / determinant,
      (weights * offFirst - first * off) / determinant,
    ].map((each) => Math.min(1, Math.max(-1, each)));
    const [ofLevel = 0, ofRate = 0] = moved;
    level += ofLevel;
    rate += ofRate;
    if (Math.abs(ofLevel) + Math.abs(ofRate) < EXACT) break;
  }
  return value;
}

/** Twice the quasi-likelihood that a curve lacks. */
const devianceOf = (values: readonly number[], curve: Curve): number =>
  2 *
  sum(
    values.map((value, t) => {
      const expected = curve(t);
      return (value > 0 ? value * Math.log(value / expected) : 0) - (value - expected);
    }),
  );

/** The limit of a normal distribution that 90 % are below. */
const USUAL = 1.2816;

/**
 * Whether a series only varies by chance around a curve: neighbouring deviations do not resemble each other more than
 * chance explains at 90 %. They do where the level itself moves.
 *
 * Source: Bartlett (1946), On the theoretical specification and sampling properties of autocorrelated time-series.
 */
export function isSteady(values: readonly number[], curve: Curve): boolean {
  const off = values.map((value, t) => (value - curve(t)) / Math.sqrt(curve(t)));
  const own = sum(off.map((each) => each ** 2));
  const shared = sum(off.slice(1).map((each, t) => each * at(off, t)));
  return own === 0 || shared / own <= USUAL / Math.sqrt(values.length);
}
