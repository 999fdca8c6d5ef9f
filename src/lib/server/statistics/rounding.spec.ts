import { describe, expect, it } from 'vitest';
import { rounded, roundedTogether } from './rounding';

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
