/** The scale of a small chart. */

/** The smallest and the largest amount of a chart. */
export type Extent = readonly [least: number, most: number];

/** A line of a scale. */
export interface ScaleStep {
  amount: number;
  /** Its place below the top. */
  y: number;
}

/** The largest number of steps of a scale. */
const MOST_STEPS = 4;

/** Rounds a place for SVG. */
export const rounded = (place: number): number => Number(place.toFixed(1));

/** Returns the smallest and the largest of some amounts and 0. */
export const extentOf = (amounts: readonly (number | null)[]): Extent => {
  const known = amounts.filter((amount) => amount !== null);
  return [Math.min(0, ...known), Math.max(0, ...known)];
};

/** Returns the place of an amount below the top of a chart; the middle if all amounts are equal. */
export const placeOf = (amount: number, [least, most]: Extent, height: number): number =>
  rounded(most === least ? height / 2 : height * (1 - (amount - least) / (most - least)));

/**
 * Returns the amounts of the scale of a chart, round ones from the smallest.
 *
 * @param extent contains 0
 * @returns only 0 if all amounts are 0
 */
export function roundSteps(extent: Extent, height: number): ScaleStep[] {
  const [least, most] = extent;
  if (most === least) return [{ amount: 0, y: placeOf(0, extent, height) }];
  const size = 10 ** Math.floor(Math.log10((most - least) / MOST_STEPS));
  const factor = [1, 2, 5].find((each) => each * size * MOST_STEPS >= most - least) ?? 10;
  const step = factor * size;
  // Never -0, which would be written with its sign.
  const first = Math.ceil(least / step) + 0;
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, i) => {
    const amount = (first + i) * step;
    return { amount, y: placeOf(amount, extent, height) };
  });
}
