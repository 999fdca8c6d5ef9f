/** Makes forecasts of several levels agree: those of parts add up to those of their sums. */
import { at, sum } from './series';

/** A forecast of one period, and the variance of its error. */
export interface Uncertain {
  forecast: number;
  variance: number;
}

/** A forecast of a sum of parts. */
export interface UncertainSum extends Uncertain {
  /** Positions of its parts. */
  parts: readonly number[];
}

/** The least variance of a sum, as a share of that of its parts. Without one, sums of sums would have no solution. */
const LEAST_VARIANCE = 1e-6;
/** The residual at which the solution is exact, as a share of the difference that it resolves. */
const EXACT = 1e-7;
/** The most steps of a solution; some ten are usual. */
const MOST_STEPS = 500;
/** The most rounds in which negative parts are set to 0 and the others are solved again. */
const MOST_ROUNDS = 20;

/**
 * Moves the forecasts of parts as little as possible, so that they and their sums together are closest to all
 * forecasts: it minimises the squared changes of parts and sums, each divided by its variance. Uncertain parts move
 * most, and sums that are forecast well move them most. The sums of the result are the forecasts of the sums. Sums may
 * be parts of others or cross them. A part with the variance 0 does not move.
 *
 * Source: Wickramasuriya, Athanasopoulos and Hyndman (2019), Optimal forecast reconciliation for hierarchical and
 * grouped time series through trace minimization, JASA 114, with a diagonal matrix of variances (WLS); Hestenes and
 * Stiefel (1952), Methods of conjugate gradients for solving linear systems, for the solution; parts below 0 are held
 * at 0 and the others are solved again, a simplification of Wickramasuriya, Turlach and Hyndman (2020), Optimal
 * non-negative forecast reconciliation, Statistics and Computing 30.
 *
 * @param mayBeNegative tells for the position of a part whether its amount may be negative
 * @returns the forecasts of the parts, in their order
 */
export function reconcile(
  parts: readonly Uncertain[],
  sums: readonly UncertainSum[],
  mayBeNegative: (part: number) => boolean,
): number[] {
  const base = parts.map(({ forecast }) => forecast);
  const variances = parts.map(({ variance }) => variance);
  for (let round = 1; ; round++) {
    const moved = closest(base, variances, sums);
    const below = moved.flatMap((amount, i) => (amount < 0 && !mayBeNegative(i) ? [i] : []));
    if (below.length === 0 || round === MOST_ROUNDS) {
      for (const i of below) moved[i] = 0;
      return moved;
    }
    for (const i of below) {
      base[i] = 0;
      variances[i] = 0;
    }
  }
}

/** Solves the problem of {@link reconcile} without limits. The unknowns are the pulls of the sums on their parts. */
function closest(
  base: readonly number[],
  variances: readonly number[],
  sums: readonly UncertainSum[],
): number[] {
  const movable = sums.filter((each) => added(variances, each) > 0);
  const ofParts = movable.map((each) => added(variances, each));
  const own = movable.map(({ variance }, s) => Math.max(variance, LEAST_VARIANCE * at(ofParts, s)));
  const movesOf = (pulls: readonly number[]): Float64Array => {
    const moves = new Float64Array(base.length);
    for (const [s, { parts }] of movable.entries()) {
      const pull = at(pulls, s);
      for (const i of parts) moves[i] = at(moves, i) + pull;
    }
    return moves.map((pull, i) => pull * at(variances, i));
  };
  const pulls = solved(
    movable.map((each) => each.forecast - added(base, each)),
    own.map((variance, s) => variance + at(ofParts, s)),
    (of) => {
      const moves = movesOf(of);
      return movable.map((each, s) => at(own, s) * at(of, s) + added(moves, each));
    },
  );
  const moves = movesOf(pulls);
  return base.map((amount, i) => amount + at(moves, i));
}

/** Adds up the values of the parts of a sum. */
function added(values: ArrayLike<number>, { parts }: UncertainSum): number {
  let total = 0;
  for (const i of parts) total += at(values, i);
  return total;
}

/**
 * Solves a system of linear equations by conjugate gradients.
 *
 * @param right its right side
 * @param diagonal of its matrix, which is symmetric and positive definite
 * @param times multiplies the matrix by a vector
 */
function solved(
  right: readonly number[],
  diagonal: readonly number[],
  times: (vector: readonly number[]) => number[],
): number[] {
  const dot = (a: readonly number[], b: readonly number[]) =>
    sum(a.map((each, i) => each * at(b, i)));
  const scaled = (vector: readonly number[]) => vector.map((each, i) => each / at(diagonal, i));
  let found = right.map(() => 0);
  let rest = [...right];
  let direction = scaled(rest);
  let size = dot(rest, direction);
  const enough = EXACT ** 2 * size;
  for (let step = 0; step < MOST_STEPS && size > enough; step++) {
    const image = times(direction);
    const length = size / dot(direction, image);
    found = found.map((each, i) => each + length * at(direction, i));
    rest = rest.map((each, i) => each - length * at(image, i));
    const next = scaled(rest);
    const growth = dot(rest, next) / size;
    direction = next.map((each, i) => each + growth * at(direction, i));
    size *= growth;
  }
  return found;
}
