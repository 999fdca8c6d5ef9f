import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf, sumOf, textOf, wholeOf, wholesOf } from './parts';

describe('the parts of an amount', () => {
  it('are differences of rounded running shares', () => {
    expect(partsOf(100n, [1n, 1n, 1n])).toEqual([33n, 34n, 33n]);
    expect(partsOf(-100n, [1n, 1n, 1n])).toEqual([-33n, -34n, -33n]);
    expect(partsOf(5n, [1n, 1n])).toEqual([3n, 2n]);
    expect(partsOf(-5n, [1n, 1n])).toEqual([-3n, -2n]);
    expect(partsOf(5n, [-1n, -1n])).toEqual([3n, 2n]);
    expect(partsOf(10n, [0n, 3n, 0n, 7n])).toEqual([0n, 3n, 0n, 7n]);
    expect(partsOf(0n, [1n, 2n])).toEqual([0n, 0n]);
  });

  it('add up to the amount, and lie within one unit of the exact share', () => {
    const weights = fc
      .array(fc.bigInt({ min: 0n, max: 10n ** 30n }), { minLength: 1, maxLength: 50 })
      .filter((all) => all.some((weight) => weight > 0n));
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), weights, (amount, all) => {
        const parts = partsOf(amount, all);
        expect(sumOf(parts)).toBe(amount);
        const total = sumOf(all);
        for (const [i, part] of parts.entries()) {
          const off = part * total - amount * (all[i] ?? 0n);
          expect((off < 0n ? -off : off) <= total).toBe(true);
        }
      }),
    );
  });
});

describe('decimal numbers as whole numbers', () => {
  it.each([
    ['12.345', 2, 1235n],
    ['-12.345', 2, -1235n],
    ['12.344', 2, 1234n],
    ['1e21', 0, 10n ** 21n],
    ['1.5e-7', 2, 0n],
    ['12345', -2, 123n],
    ['12350', -2, 124n],
    ['0.00', 2, 0n],
    ['7', 3, 7000n],
  ])('%s with %i decimals', (text, decimals, whole) => {
    expect(wholeOf(text, decimals)).toBe(whole);
  });

  it('keep their proportions', () => {
    expect(wholesOf(['1.5', '2', '0.25'])).toEqual([150n, 200n, 25n]);
    expect(wholesOf(['1e3', '1'])).toEqual([1000n, 1n]);
  });

  it('are written with their decimals', () => {
    expect([textOf(1230n, 2), textOf(-5n, 0), textOf(12n, -2)]).toEqual([
      '1230e-2',
      '-5e0',
      '12e2',
    ]);
  });
});
