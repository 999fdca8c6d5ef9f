import { describe, expect, it } from 'vitest';
import { generator } from '../../../../tests/support/random';
import { spreadOf } from './backtest';
import { forecastSeries } from './forecast';
import { at, mean } from './series';

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
    ['week', 26, 16],
    ['week', 52, 16],
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

describe('the variance of errors', () => {
  it('is between what the fit says and the squared errors of the backtest, for which three neighbours count once', () => {
    // (3 · 1 + 4 · 9) / 7, as a variance of Student's t distribution with 7 degrees of freedom.
    const errors = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 3 : -3));
    expect(spreadOf([...errors, null])).toEqual({
      freedom: 7,
      width: expect.closeTo(Math.sqrt((39 / 7) * (7 / 5)), 10),
    });
  });

  it('is that of the fit without a backtest, and least certain then', () => {
    expect(spreadOf([])).toEqual({ freedom: 3, width: expect.closeTo(Math.sqrt(3), 10) });
    expect(spreadOf([null])).toEqual(spreadOf([]));
  });
});
