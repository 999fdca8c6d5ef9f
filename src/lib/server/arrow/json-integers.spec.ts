import fc from 'fast-check';
import { expect, it } from 'vitest';
import { integerPieces } from './json-integers';

it('writes integers as JSON does, however many pieces they take', () => {
  const size = fc.constantFrom(0, 1, 2, 21_846, 50_000);
  const seeds = fc.array(fc.integer(), { minLength: 1, maxLength: 40 });
  const ends = [0, -1, 9, 10, 99_999, 100_000, 2 ** 31 - 1, -(2 ** 31)];
  fc.assert(
    fc.property(size, seeds, (length, drawn) => {
      const all = [...drawn, ...ends];
      const values = Int32Array.from({ length }, (_, i) => all[i % all.length]!);
      const pieces = [...integerPieces('{"é":[', values, ']}')];
      expect(Buffer.concat(pieces).toString()).toBe(`{"é":${JSON.stringify([...values])}}`);
    }),
  );
});
