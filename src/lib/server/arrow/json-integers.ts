/** Bytes of a piece. */
export const PIECE = 262_144;
/** The longest integer of 32 bits, with its sign, and the comma before it. */
const LONGEST = 12;
export const COMMA = 44;
const [MINUS, ZERO] = [45, 48];

/**
 * Integers as JSON, with commas between, in UTF-8 pieces that are made when they are requested. Digits are
 * written straight into the bytes, which takes a fifth of the time that making texts of them does.
 *
 * @param head text before the first
 * @param tail text after the last
 */
export function* integerPieces(
  head: string,
  values: Int32Array,
  tail: string,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const encoder = new TextEncoder();
  yield encoder.encode(head);
  for (let row = 0; row < values.length;) {
    const bytes = new Uint8Array(Math.min(PIECE, (values.length - row) * LONGEST));
    let at = 0;
    for (; row < values.length && at + LONGEST <= bytes.length; row += 1) {
      if (row > 0) bytes[at++] = COMMA;
      at = writeInteger(bytes, at, values[row] ?? 0);
    }
    yield bytes.subarray(0, at);
  }
  yield encoder.encode(tail);
}

/**
 * Writes the digits of an integer of 32 bits.
 *
 * @param digits at least so many: zeros come first
 * @returns the position after its last digit
 */
export function writeInteger(bytes: Uint8Array, start: number, value: number, digits = 1): number {
  let at = start;
  // -2^31 has no positive counterpart of 32 bits, but one of 53.
  let left = value;
  if (value < 0) {
    bytes[at++] = MINUS;
    left = -value;
  }
  let end = at + digits;
  for (let power = 10 ** digits; power <= left; power *= 10) end += 1;
  for (let digit = end - 1; digit >= at; digit -= 1) {
    // Unsigned integers of 32 bits, which take half of the time that numbers with fractions do.
    const rest = (left / 10) >>> 0;
    bytes[digit] = ZERO + left - rest * 10;
    left = rest;
  }
  return end;
}
