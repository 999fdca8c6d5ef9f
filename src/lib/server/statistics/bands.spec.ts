import { describe, expect, it } from 'vitest';
import { generator } from '../../../../tests/support/random';
import { freedomOf, recentDeviation } from './fit';
import { forecastSeries } from './forecast';
import { at, mean, sum } from './series';

const UNITS = { month: 12, quarter: 4, week: 52 } as const;

/** Series with seasons, a trend and independent errors. */
function simulated(count: number, years: number, period: number, horizon: number): number[][] {
  const random = generator(period);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, (_, i) => {
    const growth = 0.15 * random() - 0.05;
    return Array.from({ length: years * period + horizon }, (__, t) => {
      const season = 0.3 * Math.sin((2 * Math.PI * t) / period + i);
      return 100 * (1 + (growth * t) / period) * (1 + season) * (1 + 0.06 * normal());
    });
  });
}

describe('the bands of a series', () => {
  it.each([
    ['quarter', 4, 120],
    ['month', 6, 200],
    ['month', 12, 200],
    ['week', 26, 80],
    ['week', 52, 80],
  ] as const)('hold what they promise: %s, a horizon of %d', (unit, horizon, count) => {
    const period = UNITS[unit];
    const inside = simulated(count, 6, period, horizon).map((values) => {
      const cut = values.length - horizon;
      const options = { horizon, period, unit, method: 'auto' } as const;
      const { band80, band95 } = forecastSeries(values.slice(0, cut), options);
      return [band80, band95].map(({ lower, upper }) =>
        mean(
          values
            .slice(cut)
            .map((amount, h) => Number(amount >= at(lower, h) && amount <= at(upper, h))),
        ),
      );
    });
    const [in80, in95] = [0, 1].map((i) => mean(inside.map((each) => at(each, i))));
    expect(Math.abs((in80 ?? 0) - 0.8)).toBeLessThan(0.045);
    expect(Math.abs((in95 ?? 0) - 0.95)).toBeLessThan(0.03);
  });
});

describe('the deviation of the coming errors', () => {
  const values = (errors: readonly number[]) => errors.map((error) => 100 + error);
  const expected = (length: number) => Array.from({ length }, () => 100);

  it('is that of all errors, if they have one size', () => {
    const errors = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 3 : -3));
    expect(recentDeviation(values(errors), expected(40), 0)).toBeCloseTo(3, 10);
  });

  it('halves the weight of an error with every six newer ones', () => {
    const errors = [4, 0, 0, 0, 0, 0, 0];
    const weights = errors.map((_, i) => 0.5 ** ((6 - i) / 6));
    expect(recentDeviation(values(errors), expected(7), 0)).toBeCloseTo(
      Math.sqrt((at(weights, 0) * 16) / sum(weights)),
      10,
    );
  });

  it('counts parameters that were estimated, and is 0 without an error', () => {
    expect(recentDeviation(values([2, -2, 2, -2]), expected(4), 2)).toBeCloseTo(Math.sqrt(8), 10);
    expect(recentDeviation([1, 2], [null, null], 0)).toBe(0);
  });

  it('makes the bands of a series wider that has become less regular', () => {
    const random = generator(3);
    const noise = Array.from({ length: 72 }, () => random() - 0.5);
    const widthOf = (sizeAt: (t: number) => number) => {
      const history = noise.map((each, t) => 100 + sizeAt(t) * each);
      const options = { horizon: 6, period: 12, unit: 'month', method: 'damped' } as const;
      const { lower, upper } = forecastSeries(history, options).band80;
      return at(upper, 0) - at(lower, 0);
    };
    expect(widthOf((t) => (t < 48 ? 4 : 12))).toBeGreaterThan(
      1.5 * widthOf((t) => (t < 24 ? 12 : 4)),
    );
  });
});

describe('the degrees of freedom of the coming errors', () => {
  const expected = (length: number) => Array.from({ length }, () => 0);
  /** Errors with a kurtosis of 1, less than that of the normal distribution. */
  const even = (length: number): number[] =>
    Array.from({ length }, (_, t) => (t % 2 === 0 ? 1 : -1));

  it('follow from the usual kurtosis for a series without errors', () => {
    expect(freedomOf([], [])).toBeCloseTo(4 + 6 / 7, 10);
    expect(freedomOf([0, 0], expected(2))).toBeCloseTo(4 + 6 / 7, 10);
    expect(freedomOf([5, 6], [null, null])).toBeCloseTo(4 + 6 / 7, 10);
  });

  it('are the more, the longer a regular series is', () => {
    // 40 errors of the usual kurtosis of 7, and 40 without any.
    expect(freedomOf(even(40), expected(40))).toBeCloseTo(4 + 6 / 3.5, 10);
    expect(freedomOf(even(360), expected(360))).toBeCloseTo(4 + 6 / 0.7, 10);
  });

  it('are the fewest for a series with outliers', () => {
    const outlier = even(360).with(100, 50);
    // A kurtosis of at most 10.
    expect(freedomOf(outlier, expected(360))).toBeCloseTo(4 + 6 / ((40 * 7 + 360 * 10) / 400), 10);
  });
});
