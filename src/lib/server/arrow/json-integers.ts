/** Bytes of a piece. */
export const PIECE = 262_144;
/** Length of the longest 32-bit integer with its sign and the comma before it. */
const LONGEST = 12;
export const COMMA = 44;
const [MINUS, ZERO] = [45, 48];

/**
 * Writes integers as a JSON list, in UTF-8 pieces that are made on request. Writing digits straight into
 * bytes takes a fifth of the time of making strings.
 * @param head text before the first integer
 * @param tail text after the last integer
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
 * Writes the digits of a 32-bit integer.
 * @param digits minimum number of digits; shorter numbers get leading zeros
 * @returns the position after the last digit
 */
export function writeInteger(bytes: Uint8Array, start: number, value: number, digits = 1): number {
  let at = start;
  // -2^31 has no positive 32-bit counterpart, so the sign is removed in double precision.
  let left = value;
  if (value < 0) {
    bytes[at++] = MINUS;
    left = -value;
  }
  let end = at + digits;
  for (let power = 10 ** digits; power <= left; power *= 10) end += 1;
  for (let digit = end - 1; digit >= at; digit -= 1) {
    // Unsigned 32-bit division takes half the time of division with fractions.
    const rest = (left / 10) >>> 0;
    bytes[digit] = ZERO + left - rest * 10;
    left = rest;
  }
  return end;
}
