/**
 * Exact fractions, so that expectations do not share arithmetic with the code under test. Always in lowest
 * terms, the sign in the numerator.
 */
export interface Fraction {
  n: bigint;
  d: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
const abs = (a: bigint): bigint => (a < 0n ? -a : a);

function fraction(n: bigint, d = 1n): Fraction {
  const common = gcd(abs(n), abs(d)) || 1n;
  const sign = d < 0n ? -1n : 1n;
  return { n: (sign * n) / common, d: (sign * d) / common };
}

export const ZERO = fraction(0n);
export const add = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const negate = (a: Fraction): Fraction => ({ n: -a.n, d: a.d });
export const subtract = (a: Fraction, b: Fraction) => add(a, negate(b));
export const multiply = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d);
export const divide = (a: Fraction, b: Fraction) => fraction(a.n * b.d, a.d * b.n);
export const absolute = (a: Fraction): Fraction => ({ n: abs(a.n), d: a.d });
export const isZero = (a: Fraction): boolean => a.n === 0n;
export const isLess = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d;
export const sum = (all: readonly Fraction[]): Fraction => all.reduce(add, ZERO);
export const show = (a: Fraction): string => (a.d === 1n ? `${a.n}` : `${a.n}/${a.d}`);

interface Decimal {
  digits: bigint;
  exponent: number;
  /** Number of decimals, as PostgreSQL counts them. */
  scale: number;
}

function decimal(text: string): Decimal {
  const match = /^([+-]?\d+)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(text);
  if (!match) throw new Error(`"${text}" is not a decimal number`);
  const [, whole = '', behind = '', exponent = '0'] = match;
  const shift = Number(exponent) - behind.length;
  return { digits: BigInt(whole + behind), exponent: shift, scale: Math.max(0, -shift) };
}

/** Parses a decimal number as PostgreSQL or JavaScript prints it. */
export function parse(text: string): Fraction {
  const { digits, exponent } = decimal(text);
  return exponent < 0
    ? fraction(digits, 10n ** BigInt(-exponent))
    : fraction(digits * 10n ** BigInt(exponent));
}

/** Number of decimals in the text of a number. */
export const scaleOf = (text: string): number => decimal(text).scale;

/** The exact value of a double. */
export function ofDouble(value: number): Fraction {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const stored = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? stored : stored | 0x10000000000000n;
  const exponent = Math.max(biased, 1) - 1075;
  const signed = bits >> 63n ? -mantissa : mantissa;
  return exponent < 0
    ? fraction(signed, 2n ** BigInt(-exponent))
    : fraction(signed * 2n ** BigInt(exponent));
}

/** Rounds half away from zero at a number of decimals, which may be negative. */
export function round(a: Fraction, scale: number): Fraction {
  const unit = scale < 0 ? fraction(10n ** BigInt(-scale)) : fraction(1n, 10n ** BigInt(scale));
  const units = divide(absolute(a), unit);
  const nearest = (2n * units.n + units.d) / (2n * units.d);
  return multiply(fraction(a.n < 0n ? -nearest : nearest), unit);
}

/** The nearest double, computed from 30 decimals. */
export const toNumber = (a: Fraction): number => Number(`${(a.n * 10n ** 30n) / a.d}e-30`);

/** A fraction as a decimal number with this many decimals, which it must not exceed. */
export function decimalText(a: Fraction, decimals: number): string {
  const digits = multiply(absolute(a), parse(`1e${decimals}`));
  if (digits.d !== 1n) throw new Error(`${show(a)} has more than ${decimals} decimals`);
  const text = `${digits.n}`.padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const sign = a.n < 0n ? '-' : '';
  return decimals > 0 ? `${sign}${whole}.${text.slice(-decimals)}` : `${sign}${whole}`;
}
