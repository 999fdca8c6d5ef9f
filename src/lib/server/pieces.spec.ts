import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PIECE, piecesOf } from './pieces';

const part = (length: number, seed = 0): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + seed) % 251);

describe('pieces of an answer', () => {
  it('contain its bytes in order, each at most as large as a piece', () => {
    const length = fc.oneof(fc.nat(40), fc.constantFrom(16_384, PIECE - 1, PIECE, 700_000));
    fc.assert(
      fc.property(fc.array(length, { maxLength: 12 }), (lengths) => {
        const parts = lengths.map((each, i) => part(each, i));
        const pieces = [...piecesOf(parts)];
        expect(pieces.every(({ length }) => length > 0 && length <= PIECE)).toBe(true);
        expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('are views of large parts, except the last ones, which are copies', () => {
    const large = part(8 * PIECE);
    const pieces = [...piecesOf([part(10), large, part(10)])];
    const isView = pieces.map(({ buffer }) => buffer === large.buffer);
    expect(isView.slice(0, 3)).toEqual([false, true, true]);
    expect(isView.slice(-2)).toEqual([false, false]);
    expect(isView.filter(Boolean)).toHaveLength(6);
  });
});
