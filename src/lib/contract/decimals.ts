/** Decimals of amounts: how many a column has, and arithmetic that keeps them exact. */

/**
 * A number with its decimal point moved `places` to the right. It moves the exponent in the text, since a
 * product would be rounded: 5e-12 × 10^11 is not 0.5.
 */
export function movePoint(amount: number, places: number): number {
  const [digits, exponent = '0'] = String(amount).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}

/**
 * A number rounded to a number of decimals, half away from zero, as the service rounds. Never -0.
 *
 * @param decimals below 0 for tens, hundreds, …
 */
export function roundTo(amount: number, decimals: number): number {
  const shifted = Math.round(movePoint(Math.abs(amount), decimals));
  return shifted === 0 ? 0 : Math.sign(amount) * movePoint(shifted, -decimals);
}

/**
 * Decimals that a column of a database type holds: 0 for integers, the scale of a numeric, below 0 if it is
 * negative. Null if the type does not fix them: numeric without a scale, floating-point numbers.
 */
export function decimalsOf(type: string | null | undefined): number | null {
  if (type === 'smallint' || type === 'integer' || type === 'bigint') return 0;
  const scale = /^numeric\(\d+,(-?\d+)\)$/.exec(type ?? '')?.[1];
  return scale === undefined ? null : Number(scale);
}
