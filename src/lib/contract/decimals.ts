/** Decimals of amounts: the number of a column's decimals, and arithmetic that keeps them exact. */
import type { WithSingle } from './columns';

/**
 * Moves the decimal point of a number `places` to the right. This changes the exponent in the text, because a
 * product would be rounded: 5e-12 × 10^11 is not 0.5.
 */
export function movePoint(amount: number, places: number): number {
  const [digits, exponent = '0'] = String(amount).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}

/**
 * Rounds a number to some decimals, half away from zero, like the service. Never returns -0.
 *
 * @param decimals below 0 for tens, hundreds, …
 */
export function roundTo(amount: number, decimals: number): number {
  const shifted = Math.round(movePoint(Math.abs(amount), decimals));
  return shifted === 0 ? 0 : Math.sign(amount) * movePoint(shifted, -decimals);
}

/**
 * Returns the decimals of a database type: 0 for integers, the scale of a numeric (which may be negative).
 * Null if the type does not fix them: numeric without a scale, floating-point numbers.
 */
export function decimalsOf(type: string | null | undefined): number | null {
  if (type === 'smallint' || type === 'integer' || type === 'bigint') return 0;
  const scale = /^numeric\(\d+,(-?\d+)\)$/.exec(type ?? '')?.[1];
  return scale === undefined ? null : Number(scale);
}

/** Minimum and maximum number of decimals of written amounts. */
export interface Decimals {
  least: number;
  most: number;
}

/** The decimals of the measures of a source. */
export type MeasureDecimals = WithSingle<Decimals>;

/** The decimals that the types of the measures fix; null if a type fixes none, or the measure is missing. */
export type FixedDecimals = WithSingle<number | null>;

/** Maximum number of decimals shown; a double is not precise enough for more. */
const MOST_OF_TYPE = 12;
/** Decimals of a column whose type does not fix them. */
const LEAST = 2;
const MOST = 6;
/** Possible error of a double, as a share of the number. */
const RESIDUE = 1e-12;

/**
 * Returns the decimals of written amounts of a measure: those that its type fixes. If it fixes none, as many
 * as the amounts need, from 2 to 6; amounts that need more, such as thirds, get four significant digits.
 * Units of such a type are written without trailing zeros.
 *
 * @param type the column's database type
 * @param amounts the known amounts of the column
 */
export function decimalsShown(
  role: 'value' | 'units',
  type?: string | null,
  amounts: Iterable<number> = [],
): Decimals {
  const fixed = decimalsOf(type);
  if (fixed !== null) {
    const digits = Math.min(MOST_OF_TYPE, Math.max(0, fixed));
    return { least: digits, most: digits };
  }
  const most = decimalsNeeded(amounts);
  return { least: role === 'units' ? 0 : most, most };
}

/**
 * Returns the number of exact decimals of a column's amounts: those of its type, or the most that are ever
 * shown.
 */
export const storedDecimals = (type: string | null | undefined): number => decimalsOf(type) ?? MOST;

function decimalsNeeded(amounts: Iterable<number>): number {
  let needed = LEAST;
  let largest = 0;
  for (const amount of amounts) {
    largest = Math.max(largest, Math.abs(amount));
    while (needed <= MOST && !hasDecimals(amount, needed)) needed++;
  }
  if (needed <= MOST) return needed;
  return Math.min(MOST, Math.max(LEAST, 4 - Math.ceil(Math.log10(largest))));
}

function hasDecimals(amount: number, decimals: number): boolean {
  const rounded = Math.round(amount * 10 ** decimals) / 10 ** decimals;
  return Math.abs(amount - rounded) <= RESIDUE * Math.max(1, Math.abs(amount));
}

/** Decimals with which no amount rounds to zero. */
export const EXACT: Decimals = { least: 0, most: Infinity };

/** Returns 0 for a number that rounds to 0 with some decimals; any other number unchanged. */
export const withoutResidue = (amount: number, { most }: Pick<Decimals, 'most'>): number =>
  Math.abs(amount) < 0.5 * 10 ** -most ? 0 : amount;

/**
 * Returns the size below which all amounts with some decimals are distinct doubles: 45,035,996,273,704.96 for
 * cents. Beyond it, JSON and the page round them
 * (docs/contract/14-what-the-operations-compute.md#amounts-that-a-double-holds).
 */
export const exactBelow = (decimals: number): number => movePoint(2 ** 52, -decimals);

/** A column gets a warning if amounts of this size would not be exact. */
const USUAL_AMOUNT = 1_000_000;

/**
 * Returns a sentence about a column with too many decimals for usual amounts, and null for any other column.
 *
 * @param decimals of the type of the column; null if it fixes none
 */
export const decimalsWarning = (decimals: number | null): string | null =>
  decimals === null || exactBelow(decimals) >= USUAL_AMOUNT
    ? null
    : `With ${decimals} decimals, amounts from ${exactBelow(decimals).toPrecision(3)} on cannot be typed exactly.`;

/**
 * Returns a product rounded half away from zero by its decimal digits, like PostgreSQL. A product of doubles
 * can fall on the other side of a tie.
 */
export function roundedProduct(one: number, other: number, decimals: number): number {
  const [a, b] = [digitsOf(String(one)), digitsOf(String(other))];
  const surplus = a.places + b.places - decimals;
  const product = a.digits * b.digits;
  if (surplus <= 0) return Number(`${product}e${-a.places - b.places}`);
  const unit = 10n ** BigInt(surplus);
  const size = product < 0n ? -product : product;
  const rounded = (size * 2n + unit) / (unit * 2n);
  return rounded === 0n ? 0 : Number(`${product < 0n ? '-' : ''}${rounded}e${-decimals}`);
}

/**
 * Returns the digits of a decimal number as a whole number, and the number of decimals among them.
 *
 * @param text as JavaScript prints or reads a number
 */
export function digitsOf(text: string): { digits: bigint; places: number } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const fraction = mantissa.split('.')[1] ?? '';
  return {
    digits: BigInt(mantissa.replace(/[+.]/g, '')),
    places: fraction.length - Number(exponent),
  };
}

/** From this size on, a double cannot represent every number with six decimals. */
const EXACT_BELOW = exactBelow(6);

/**
 * Returns whether a double represents a decimal number, to at least six decimals.
 *
 * @param text as JavaScript reads a number
 */
export function isHeld(text: string, value: number): boolean {
  if (Math.abs(value) < EXACT_BELOW) return true;
  const { digits: lost, places } = lostDigits(text, value, 6);
  return (lost < 0n ? -lost : lost) * 2n < 10n ** BigInt(places - 6);
}

/** Returns whether a double has exactly the value of a decimal number. @param text as JavaScript reads a number */
export const isExact = (text: string): boolean => lostDigits(text, Number(text), 0).digits === 0n;

/** Returns what a decimal number has more than a double, as digits with at least some decimal places. */
function lostDigits(text: string, value: number, leastPlaces: number) {
  const [typed, held] = [digitsOf(text), digitsOf(String(value))];
  const places = Math.max(typed.places, held.places, leastPlaces);
  const scaled = ({ digits, places: own }: typeof typed) => digits * 10n ** BigInt(places - own);
  return { digits: scaled(typed) - scaled(held), places };
}

/** Doubles that cancel out leave noise. A sum below this fraction of the sum of absolute values counts as 0. */
export const NOISE_SHARE = 1e-12;

/** Returns a total of a floating-point measure, or 0 for noise. @param gross what its absolute values add up to */
export const withoutNoise = (total: number, gross: number): number =>
  Math.abs(total) > NOISE_SHARE * gross ? total : 0;
