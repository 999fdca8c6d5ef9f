/** Arithmetic on series of numbers: means, regression on time, gaps. */

/** Returns the value at an index. @throws RangeError outside the series */
export function at(values: ArrayLike<number>, index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`There is no value at ${index}`);
  return value;
}

/** Returns the sum of a series; 0 if it is empty. */
export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Returns the sum of the known values; null if none is known. */
export function sumOfKnown(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value) => value != null);
  return known.length === 0 ? null : sum(known);
}

/** Returns the mean of a series; 0 if it is empty. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : sum(values) / values.length;

/** Divides the known values of a series by others. */
export const perDay = (values: readonly (number | null)[], days: readonly number[]) =>
  values.map((value, t) => (value === null ? null : value / at(days, t)));

/** A straight line through a series: the value at index t is `intercept + slope · t`. */
export interface Line {
  intercept: number;
  slope: number;
}

/** Fits a line by least squares; the line through a single value is level. */
export function lineThrough(values: readonly number[]): Line {
  const centre = (values.length - 1) / 2;
  const average = mean(values);
  let [product, square] = [0, 0];
  for (const [t, value] of values.entries()) {
    product += (t - centre) * (value - average);
    square += (t - centre) ** 2;
  }
  const slope = square === 0 ? 0 : product / square;
  return { intercept: average - slope * centre, slope };
}

/**
 * Fills the gaps of a series. A gap gets the value of its season in the year before and the year after, on
 * average; without these, it lies on the line between its neighbours, or equals the only one.
 *
 * @param values null where a period has no value
 * @param period number of periods of a season; 1 without seasons
 */
export function fillGaps(values: readonly (number | null)[], period: number): number[] {
  if (hasNoGaps(values)) return [...values];
  const known = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]));
  return values.map((value, index) => {
    if (value !== null) return value;
    const seasons = [values[index - period], values[index + period]].filter((v) => v != null);
    if (period > 1 && seasons.length > 0) return mean(seasons);
    const before = known.findLast((each) => each.index < index);
    const after = known.find((each) => each.index > index);
    if (!before || !after) return (before ?? after)?.value ?? 0;
    const share = (index - before.index) / (after.index - before.index);
    return before.value + share * (after.value - before.value);
  });
}

/** Whether every value of a series is known. */
const hasNoGaps = (values: readonly (number | null)[]): values is readonly number[] =>
  !values.includes(null);

/** Raises forecasts to 0 if the history is never below 0. */
export const notBelow = (history: readonly number[], forecast: readonly number[]): number[] =>
  history.some((value) => value < 0) ? [...forecast] : forecast.map((value) => Math.max(0, value));
