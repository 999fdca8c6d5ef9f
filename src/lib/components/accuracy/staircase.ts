/** The error after each entry as a line with steps. */

import { placeOf, rounded, roundSteps, type Extent, type ScaleStep } from '../chart-scale';

/** A line to draw, with the size of its box. */
interface Staircase {
  /** The points attribute of an SVG polyline. */
  points: string;
  /** Height of the reference; null without one. */
  reference: number | null;
  /** The largest error, which is at the top. */
  most: number;
  /** Round errors, from 0. */
  scale: ScaleStep[];
}

/**
 * Returns the line of an error that changes with each entry; null without entries. 0 is at the bottom.
 *
 * @param errors the error after each entry; an unknown one counts as 0
 */
export function staircase(
  errors: readonly (number | null)[],
  reference: number | null,
  { width, height }: { width: number; height: number },
): Staircase | null {
  if (errors.length === 0) return null;
  const values = errors.map((error) => error ?? 0);
  const most = Math.max(...values, reference ?? 0) || 1;
  const step = width / values.length;
  const extent: Extent = [0, most];
  const yOf = (value: number) => placeOf(value, extent, height);
  return {
    points: values
      .flatMap((value, i) => [i, i + 1].map((edge) => `${rounded(edge * step)},${yOf(value)}`))
      .join(' '),
    reference: reference === null ? null : yOf(reference),
    most,
    scale: roundSteps(extent, height),
  };
}
