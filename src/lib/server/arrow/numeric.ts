/**
 * The binary form of `numeric`: four 16-bit words (the number of base-10000 digits, the weight of the
 * first as a power of 10000, the sign, the display scale), then the digits.
 */

const HEADER = 8;
const POSITIVE = 0x0000;
const NEGATIVE = 0x4000;
const NAN = 0xc000;
const PLUS_INFINITY = 0xd000;
const MINUS_INFINITY = 0xf000;

/** The powers of ten that a double holds exactly. Multiplying or dividing by one of them rounds only once. */
const EXACT_POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`));

/**
 * The double nearest to a numeric. NaN and infinities are kept.
 * @throws Error if the bytes are not a numeric
 */
export function numericToDouble(view: DataView, start: number, length: number): number {
  const count = length < HEADER ? -1 : view.getInt16(start);
  if (count < 0 || length !== HEADER + 2 * count) throw malformed();
  const sign = view.getUint16(start + 4);
  if (sign !== POSITIVE && sign !== NEGATIVE) return special(sign);
  if (count === 0) return 0;

  const exponent = 4 * (view.getInt16(start + 2) - count + 1);
  if (count <= 4 && exponent <= 22 && exponent >= -22) {
    let whole = 0;
    for (let i = 0; i < count; i++) {
      const digit = view.getUint16(start + HEADER + 2 * i);
      if (digit > 9999) throw malformed();
      whole = whole * 10000 + digit;
    }
    if (whole <= Number.MAX_SAFE_INTEGER) {
      const power = EXACT_POWERS[Math.abs(exponent)] ?? NaN;
      const absolute = exponent < 0 ? whole / power : whole * power;
      return sign === NEGATIVE ? -absolute : absolute;
    }
  }
  return Number(`${sign === NEGATIVE ? '-' : ''}${digits(view, start, count)}e${exponent}`);
}

/**
 * Whether a finite numeric is beyond ±2^53. It compares the digits, since 2^53 + 1 rounds to the double 2^53.
 * @throws Error if the bytes are not a numeric
 */
export function isBeyondSafe(view: DataView, start: number, length: number): boolean {
  const double = Math.abs(numericToDouble(view, start, length));
  if (double !== 2 ** 53) return double > 2 ** 53;
  const count = view.getInt16(start);
  const exponent = 4 * (view.getInt16(start + 2) - count + 1);
  const whole = BigInt(digits(view, start, count));
  return exponent < 0
    ? whole > 2n ** 53n * 10n ** BigInt(-exponent)
    : whole * 10n ** BigInt(exponent) > 2n ** 53n;
}

function digits(view: DataView, start: number, count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) {
    const digit = view.getUint16(start + HEADER + 2 * i);
    if (digit > 9999) throw malformed();
    text += String(digit).padStart(4, '0');
  }
  return text;
}

function special(sign: number): number {
  if (sign === NAN) return NaN;
  if (sign === PLUS_INFINITY) return Infinity;
  if (sign === MINUS_INFINITY) return -Infinity;
  throw malformed();
}

const malformed = () => new Error('Malformed binary COPY: an invalid numeric');
