/** Parts of an amount by weights, exact to the last digit. */
import { digitsOf } from '../../../contract/decimals';

const size = (n: bigint): bigint => (n < 0n ? -n : n);

/** A quotient, rounded half away from zero. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const [of, by] = [size(dividend), size(divisor)];
  const whole = (of * 2n + by) / (by * 2n);
  return dividend < 0n === divisor < 0n ? whole : -whole;
}

/**
 * A decimal number as a whole number of units of its last digit, rounded half away from zero.
 *
 * @param text as JavaScript or PostgreSQL prints it
 * @param decimals of the last digit; below 0 for tens, hundreds, …
 */
export function wholeOf(text: string, decimals: number): bigint {
  const { digits, places } = digitsOf(text);
  const more = decimals - places;
  return more >= 0 ? digits * 10n ** BigInt(more) : rounded(digits, 10n ** BigInt(-more));
}

/** The reverse of {@link wholeOf}, as PostgreSQL reads a number. */
export const textOf = (whole: bigint, decimals: number): string => `${whole}e${-decimals}`;

/** Decimal numbers as whole numbers in the same proportions. */
export function wholesOf(texts: readonly string[]): bigint[] {
  const decimals = Math.max(0, ...texts.map((text) => digitsOf(text).places));
  return texts.map((text) => wholeOf(text, decimals));
}

/** The sum of whole numbers. */
export const sumOf = (wholes: readonly bigint[]): bigint => wholes.reduce((a, b) => a + b, 0n);

/**
 * Parts an amount by weights, which do not add up to 0. Each part is the rounded running share less the one before,
 * so that the parts add up to the amount.
 */
export function partsOf(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = sumOf(weights);
  let running = 0n;
  let before = 0n;
  return weights.map((weight) => {
    running += weight;
    const upTo = rounded(amount * running, total);
    const part = upTo - before;
    before = upTo;
    return part;
  });
}
