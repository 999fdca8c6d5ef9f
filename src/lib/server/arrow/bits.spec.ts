import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyBits, countBits } from './bits';

const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 });
const bitsOf = (from: Uint8Array): boolean[] =>
  [...from].flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte & (1 << i)) !== 0));

describe('bitmaps', () => {
  it('copies a range of bits between any two positions and leaves the bits around it unchanged', () => {
    fc.assert(
      fc.property(
        bytes,
        bytes,
        fc.nat(40),
        fc.nat(40),
        fc.nat(56),
        (from, to, start, at, length) => {
          const wanted = bitsOf(to);
          wanted.splice(at, length, ...bitsOf(from).slice(start, start + length));
          copyBits(from, start, to, at, length);
          expect(bitsOf(to)).toEqual(wanted);
        },
      ),
    );
  });

  it('counts the set bits between any two positions', () => {
    fc.assert(
      fc.property(bytes, fc.nat(40), fc.nat(56), (from, start, length) => {
        const wanted = bitsOf(from)
          .slice(start, start + length)
          .filter(Boolean).length;
        expect(countBits(from, start, length)).toBe(wanted);
      }),
    );
  });
});
