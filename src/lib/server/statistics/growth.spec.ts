import { describe, expect, it } from 'vitest';
import { growthOf, isSteady } from './growth';
import { at, sum } from './series';
import { generator } from '../../../../tests/support/random';

const LENGTH = 60;
const series = (of: (t: number) => number) => Array.from({ length: LENGTH }, (_, t) => of(t));

describe('the growth of a sum', () => {
  it('goes on by the same rate or by the same amount, as in its history', () => {
    const rate = growthOf(series((t) => 50 * 1.02 ** t));
    expect(rate(LENGTH + 11) / (50 * 1.02 ** (LENGTH + 11))).toBeCloseTo(1, 6);
    const even = growthOf(series((t) => 50 + 3 * t));
    expect(even(LENGTH + 11)).toBeCloseTo(50 + 3 * (LENGTH + 11), 6);
  });

  it('is between a line and a rate if chance hides which of the two it is', () => {
    const random = generator(11);
    const noisy = series((t) => (50 + 1.5 * t) * (0.3 + 1.4 * random()));
    const ahead = growthOf(noisy)(LENGTH + 11);
    expect(ahead).toBeGreaterThan(0.8 * (50 + 1.5 * (LENGTH + 11)));
    expect(ahead).toBeLessThan(1.5 * (50 + 1.5 * (LENGTH + 11)));
  });

  it('has the mean of the series, also if most of its periods are empty', () => {
    const random = generator(5);
    const values = series(() => (random() < 0.3 ? 1 + 4 * random() : 0));
    const curve = growthOf(values);
    expect(sum(values.map((_, t) => curve(t))) / sum(values)).toBeCloseTo(1, 1);
  });

  it('never ends below 0', () => {
    const curve = growthOf(series((t) => Math.max(0, 40 - t)));
    expect(curve(LENGTH + 24)).toBeGreaterThan(0);
  });
});

describe('a sum is steady', () => {
  const random = generator(3);
  it('if it varies by chance around its growth', () => {
    const values = series((t) => (50 + t) * (0.8 + 0.4 * random()));
    expect(isSteady(values, growthOf(values))).toBe(true);
    const exact = series(() => 7);
    expect(isSteady(exact, () => 7)).toBe(true);
  });

  it('but not if its level moves', () => {
    let level = 100;
    const values = series(() => (level += 12 * (random() - 0.5)));
    expect(isSteady(values, growthOf(values))).toBe(false);
    expect(isSteady(values, () => at(values, 0))).toBe(false);
  });
});
