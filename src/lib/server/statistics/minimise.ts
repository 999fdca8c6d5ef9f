/** A bounded minimiser for functions of a few parameters. */
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
  /** Evaluates a point, which is moved into the bounds first. */
  const vertex = (point: number[]): Vertex => {
    left--;
    for (const [i, { lower, upper }] of parameters.entries()) {
      point[i] = Math.min(upper, Math.max(lower, point[i] ?? lower));
    }
    return { point, value: objective(point) };
  };
  const start = parameters.map((parameter) => parameter.start);
  const simplex = [vertex([...start])];
  for (const [i, { lower, upper, start: from }] of parameters.entries()) {
    const step = (upper - lower) / 5;
    simplex.push(vertex(start.with(i, from + step > upper ? from - step : from + step)));
  }

  for (;;) {
    sortByValue(simplex);
    const [best, worst, second] = [simplex[0], simplex.at(-1), simplex.at(-2)];
    if (!best || !worst || !second) return start;
    if (left <= 0 || worst.value - best.value <= tolerance * Math.abs(best.value)) {
      return best.point;
    }
    /** The point on the line from the worst vertex through the centre of the others, `by` times as far behind it. */
    const along = (by: number): Vertex => {
      const point = [...worst.point];
      for (const [i, x] of worst.point.entries()) {
        let total = 0;
        for (const each of simplex) total += each === worst ? 0 : (each.point[i] ?? 0);
        const centre = total / (simplex.length - 1);
        point[i] = centre + by * (centre - x);
      }
      return vertex(point);
    };
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
          .map(({ point }) => vertex(point.map((x, i) => (x + (best.point[i] ?? 0)) / 2)));
        simplex.splice(1, shrunk.length, ...shrunk);
        continue;
      }
    }
    simplex[simplex.length - 1] = next;
  }
}

/** Sorts the few vertices of a simplex by value; most are in order already. Equal ones keep their order. */
function sortByValue(simplex: Vertex[]): void {
  for (const [i, vertex] of simplex.entries()) {
    let place = i;
    for (; place > 0; place--) {
      const before = simplex[place - 1];
      if (!before || before.value <= vertex.value) break;
      simplex[place] = before;
    }
    simplex[place] = vertex;
  }
}
