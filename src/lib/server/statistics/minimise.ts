/** A bounded minimiser for functions of a few parameters. */
import { at } from './series';

/** A parameter to search: the bounds it stays within, and where the search begins. */
export interface Parameter {
  lower: number;
  upper: number;
  start: number;
}

interface Vertex {
  point: number[];
  value: number;
}

/**
 * Searches the minimum of a function by the simplex method. Points outside the bounds are moved onto them. The
 * result is a local minimum and depends on the arguments only.
 *
 * Source: Nelder and Mead (1965), A simplex method for function minimization, The Computer Journal 7, with the
 * coefficients given there.
 *
 * @param objective must be finite within the bounds
 * @param tolerance the search ends when the values of the simplex differ by this share
 */
export function minimise(
  objective: (point: readonly number[]) => number,
  parameters: readonly Parameter[],
  { tolerance = 1e-4, evaluations = 100 * parameters.length } = {},
): number[] {
  let left = evaluations;
  const vertex = (point: number[]): Vertex => {
    left--;
    const bounded = parameters.map(({ lower, upper }, i) =>
      Math.min(upper, Math.max(lower, at(point, i))),
    );
    return { point: bounded, value: objective(bounded) };
  };
  const start = parameters.map((parameter) => parameter.start);
  const simplex = [vertex(start)];
  for (const [i, { lower, upper, start: from }] of parameters.entries()) {
    const step = (upper - lower) / 5;
    simplex.push(vertex(start.with(i, from + step > upper ? from - step : from + step)));
  }

  for (;;) {
    simplex.sort((a, b) => a.value - b.value);
    const [best, worst, second] = [simplex[0], simplex.at(-1), simplex.at(-2)];
    if (!best || !worst || !second) return start;
    if (left <= 0 || worst.value - best.value <= tolerance * Math.abs(best.value)) {
      return best.point;
    }
    const centre = start.map((_, i) => {
      let total = 0;
      for (const { point } of simplex) total += point === worst.point ? 0 : at(point, i);
      return total / (simplex.length - 1);
    });
    /** The point on the line from the worst vertex through the centre, `by` times as far behind the centre. */
    const along = (by: number) => vertex(centre.map((c, i) => c + by * (c - at(worst.point, i))));
    const reflected = along(1);
    let next = reflected;
    if (reflected.value < best.value) {
      const expanded = along(2);
      if (expanded.value < reflected.value) next = expanded;
    } else if (reflected.value >= second.value) {
      next = along(reflected.value < worst.value ? 0.5 : -0.5);
      if (next.value >= Math.min(worst.value, reflected.value)) {
        const shrunk = simplex
          .slice(1)
          .map(({ point }) => vertex(point.map((x, i) => (x + at(best.point, i)) / 2)));
        simplex.splice(1, shrunk.length, ...shrunk);
        continue;
      }
    }
    simplex.splice(-1, 1, next);
  }
}
