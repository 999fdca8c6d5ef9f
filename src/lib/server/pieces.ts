/** Sends the parts of an answer in pieces of even size. */
import { lengthOf } from './arrow/encode';

/** Bytes that are written to the connection at a time. */
export const PIECE = 262_144;
/** Smaller parts are joined: copying them takes less time than sending each by itself. */
const SMALL = 16_384;
/** Number of bytes at the end that are copied. */
const END = 2 * PIECE;

/**
 * Splits parts into pieces of at most {@link PIECE} bytes. Pieces are views of large parts, since copying a
 * million rows takes as long as encoding them. Only the last pieces are copies: the connection may keep a
 * piece for a while, and the memory of the parts may be released by then.
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
