import { describe, expect, it } from 'vitest';
import { generator } from '../../../../tests/support/random';
import { rounded, roundedAtLevels, roundedTogether } from './rounding';
import { at, sum } from './series';

describe('amounts that are rounded together', () => {
  it('add up to their rounded sum, for each number of them', () => {
    const amounts = [0.3, 0.3, 0.3, 0.3, 1.4];
    const together = roundedTogether(amounts, 0);
    expect(together).toEqual([0, 1, 0, 0, 2]);
    let [exact, given] = [0, 0];
    for (const [i, amount] of together.entries()) {
      exact += amounts[i] ?? 0;
      given += amount;
      expect(given).toBe(rounded(exact, 0));
    }
  });

  it('are not below 0 if the amounts are not', () => {
    expect(roundedTogether([0.5, 0, 0], 0)).toEqual([1, 0, 0]);
  });

  it('stay as they are in a floating-point column', () => {
    expect(roundedTogether([0.1, 0.1, 0.1], null)).toEqual([0.1, 0.1, 0.1]);
  });
});

describe('amounts of several series that are rounded at levels', () => {
  const random = generator(11);
  const amounts = (count: number, size: number) =>
    Array.from({ length: count }, () => Array.from({ length: 12 }, () => size * random()));
  const periodsOf = (series: readonly number[][]) =>
    (series[0] ?? []).map((_, h) => sum(series.map((each) => at(each, h))));

  it.each([
    ['small', 0.4, 0],
    ['large', 900, 0],
    ['in cents', 20, 2],
  ])(
    '%s: series and groups are nowhere more than a unit from their sums so far',
    (_, size, decimals) => {
      const exact = amounts(60, size);
      const levels = [exact.map((_, i) => i % 3), exact.map((_, i) => i % 12)];
      const given = roundedAtLevels(exact, levels, decimals);
      const unit = 10 ** -decimals;
      const groups = [() => true, ...[0, 1, 2].map((g) => (i: number) => i % 3 === g)];
      for (let n = 0; n < 12; n++) groups.push((i) => i % 12 === n);
      for (const isIn of groups) {
        const [of, by] = [given, exact].map((all) => periodsOf(all.filter((_, i) => isIn(i))));
        for (let n = 1; n <= 12; n++) {
          const off = sum(of!.slice(0, n)) - sum(by!.slice(0, n));
          expect(Math.abs(off)).toBeLessThan(1.000001 * unit);
        }
      }
      // The total is rounded as a single series is.
      expect(periodsOf(given).map((each) => rounded(each, decimals))).toEqual(
        roundedTogether(periodsOf(exact), decimals),
      );
      for (const [i, series] of given.entries()) {
        expect(series.every((amount) => amount >= 0 && amount === rounded(amount, decimals))).toBe(
          true,
        );
        expect(Math.abs(sum(series) - sum(exact[i]!))).toBeLessThan(1.000001 * unit);
      }
    },
  );

  it('go to each of equal series in turn', () => {
    const given = roundedAtLevels(Array(3).fill([1 / 3, 1 / 3, 1 / 3]), [], 0);
    expect(given.map(sum)).toEqual([1, 1, 1]);
    expect(periodsOf(given).slice(0, 3)).toEqual([1, 1, 1]);
  });

  it('are below 0 only in a series that is', () => {
    const exact = [
      [0.6, 0, 0],
      [0.6, 0, 0],
      [-0.4, -1.4, -2.2],
    ];
    const given = roundedAtLevels(exact, [[0, 0, 1]], 0);
    expect(given).toEqual([
      [1, 0, 0],
      [0, 0, 0],
      [0, -2, -2],
    ]);
  });

  it('stay as they are in a floating-point column, and keep their digits in one with many decimals', () => {
    expect(roundedAtLevels([[0.1], [0.25]], [[0, 0]], null)).toEqual([[0.1], [0.25]]);
    expect(roundedAtLevels([[123456.123456], [0.1]], [[0, 1]], 20)).toEqual([
      [123456.123456],
      [0.1],
    ]);
    expect(roundedAtLevels([[]], [[0]], 2)).toEqual([[]]);
  });
});
