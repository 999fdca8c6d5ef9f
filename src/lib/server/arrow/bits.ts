/** Whether bit `i` is set. In Arrow's bitmaps the lowest bit of a byte comes first. */
const isSet = (bits: Uint8Array, i: number): boolean =>
  ((bits[i >> 3] ?? 0) & (1 << (i & 7))) !== 0;

function setBit(bits: Uint8Array, i: number, value: boolean): void {
  const byte = bits[i >> 3] ?? 0;
  const bit = 1 << (i & 7);
  bits[i >> 3] = value ? byte | bit : byte & ~bit;
}

/**
 * Copies `length` bits from position `start` of one bitmap to position `at` of another. The bits around them
 * stay unchanged.
 */
export function copyBits(
  from: Uint8Array,
  start: number,
  to: Uint8Array,
  at: number,
  length: number,
): void {
  const first = Math.min(length, -at & 7);
  for (let i = 0; i < first; i++) setBit(to, at + i, isSet(from, start + i));
  const bytes = (length - first) >> 3;
  const target = (at + first) >> 3;
  const source = (start + first) >> 3;
  const shift = (start + first) & 7;
  if (shift === 0) to.set(from.subarray(source, source + bytes), target);
  else {
    for (let i = 0; i < bytes; i++) {
      const low = (from[source + i] ?? 0) >> shift;
      to[target + i] = low | ((from[source + i + 1] ?? 0) << (8 - shift));
    }
  }
  for (let i = first + 8 * bytes; i < length; i++) setBit(to, at + i, isSet(from, start + i));
}

/** Number of set bits, by byte value. */
const SET_IN_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let left = byte; left > 0; left &= left - 1) count += 1;
  return count;
});

/** Number of set bits among `length` bits from `start`. */
export function countBits(bits: Uint8Array, start: number, length: number): number {
  const end = start + length;
  const first = Math.min(end, (start + 7) & ~7);
  const last = Math.max(first, end & ~7);
  let count = 0;
  for (let i = start; i < first; i++) if (isSet(bits, i)) count += 1;
  for (let byte = first >> 3; byte < last >> 3; byte++) count += SET_IN_BYTE[bits[byte] ?? 0] ?? 0;
  for (let i = last; i < end; i++) if (isSet(bits, i)) count += 1;
  return count;
}
