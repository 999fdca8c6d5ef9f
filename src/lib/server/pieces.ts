import { lengthOf } from './arrow/encode';

/** Bytes that are given to the connection at a time. */
export const PIECE = 262_144;
/** Parts below this are put together: to send each by itself would take longer than to copy it. */
const SMALL = 16_384;
/** So many bytes at the end are copied. */
const END = 2 * PIECE;

/**
 * Some parts as pieces of at most {@link PIECE} bytes. Pieces are views of large parts, since to copy a
 * million rows takes as long as to put them together. Only the last ones are copies: the connection may keep
 * a piece for a while, and must not hold memory then that has been given back.
 */
export function* piecesOf(parts: readonly Uint8Array[]): Generator<Uint8Array<ArrayBuffer>, void> {
  let left = lengthOf(parts);
  let small: Uint8Array[] = [];
  let room = PIECE;
  for (const part of parts) {
    for (let start = 0; start < part.length;) {
      const { buffer } = part;
      const large = Math.min(PIECE, part.length - start, left - END);
      const isView = large >= SMALL && buffer instanceof ArrayBuffer;
      const length = isView ? large : Math.min(room, part.length - start);
      if ((isView && small.length > 0) || room === 0) {
        yield joined(small);
        small = [];
        room = PIECE;
        continue;
      }
      if (isView) yield new Uint8Array(buffer, part.byteOffset + start, length);
      else {
        small.push(part.subarray(start, start + length));
        room -= length;
      }
      start += length;
      left -= length;
    }
  }
  if (small.length > 0) yield joined(small);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
