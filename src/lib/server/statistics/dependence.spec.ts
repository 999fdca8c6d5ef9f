import { describe, expect, it } from 'vitest';
import { rangeOfSum } from '../../plan/amounts/forecast-range';
import { dependenceOf } from './dependence';
import { forecastSeries } from './forecast';
import { at, sum } from './series';
import { together } from './together';
import { generator } from '../../../../tests/support/random';

const [LENGTH, HORIZON] = [60, 12];
const OPTIONS = { horizon: HORIZON, period: 12, unit: 'month', method: 'auto' } as const;

/** Counts the sums of groups that are inside their ranges, as shares. */
function counted(markets: readonly (readonly number[][])[]) {
  let [in80, in95, independent95, below, count] = [0, 0, 0, 0, 0];
  for (const market of markets) {
    const own = market.map((values) => {
      const history = values.slice(0, LENGTH);
      return { history, result: forecastSeries(history, OPTIONS) };
    });
    const dependence = dependenceOf(own.map(({ result }) => result.withheld));
    const results = own.map(together(own, OPTIONS));
    for (let h = 0; h < HORIZON; h++) {
      const parts = results.map(({ forecast, deviation, freedom }) => ({
        ...{ forecast: at(forecast, h), deviation: at(deviation, h), freedom, dependence },
      }));
      const { band80, band95 } = rangeOfSum([parts], false);
      const narrow = rangeOfSum([parts.map((part) => ({ ...part, dependence: 0 }))], false).band95;
      const sold = sum(market.map((values) => at(values, LENGTH + h)));
      count++;
      in80 += Number(sold >= band80[0] && sold <= band80[1]);
      in95 += Number(sold >= band95[0] && sold <= band95[1]);
      independent95 += Number(sold >= narrow[0] && sold <= narrow[1]);
      below += Number(band95[0] < 0);
    }
  }
  return { in80: in80 / count, in95: in95 / count, independent95: independent95 / count, below };
}

/** Groups whose levels move; a share of the variance of each movement is common to all groups. */
const moving = (common: number, count: number, seed: number): number[][] => {
  const random = generator(7919 * seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const shocks = Array.from({ length: LENGTH + HORIZON }, normal);
  return Array.from({ length: count }, () => {
    const size = 50 + 100 * random();
    let level = 1;
    return shocks.map((shock) => {
      level += 0.02 * (Math.sqrt(common) * shock + Math.sqrt(1 - common) * normal());
      return Math.max(0, size * (level + 0.05 * normal()));
    });
  });
};

/** Groups that sell in a share of the months. */
const selling = (share: number, count: number, seed: number): number[][] => {
  const random = generator(104729 * seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: LENGTH + HORIZON }, () => (random() < share ? 1 + 5 * random() : 0)),
  );
};

const markets = (of: (seed: number) => number[][], count: number) =>
  Array.from({ length: count }, (_, i) => of(i + 1));

describe('the range of a sum of groups', () => {
  it.each([
    [0.3, 5, 200],
    [0.3, 10, 100],
    [0.6, 10, 200],
    [0.1, 20, 100],
  ])(
    'holds what it promises where groups sell in %d of the months: %d groups',
    (share, count, times) => {
      const { in80, in95, below } = counted(markets((seed) => selling(share, count, seed), times));
      expect(below).toBe(0);
      expect(Math.abs(in80 - 0.8)).toBeLessThan(0.02);
      expect(Math.abs(in95 - 0.95)).toBeLessThan(0.02);
    },
  );

  it.each([5, 15])('holds about as much where %d groups rise and fall together', (count) => {
    const { in80, in95, below, independent95 } = counted(
      markets((seed) => moving(0.5, count, seed), 100),
    );
    expect(below).toBe(0);
    // These series are more regular than published ones, on which the bands were measured (docs/forecasting.md).
    expect(Math.abs(in80 - 0.8)).toBeLessThan(0.05);
    expect(Math.abs(in95 - 0.95)).toBeLessThan(0.03);
    // Errors that count as independent do not hold it.
    expect(independent95).toBeLessThan(0.93);
  });
});

describe('the dependence of errors', () => {
  const random = generator(3);
  const errors = (count: number, of: (common: number) => number) => {
    const common = Array.from({ length: 12 }, () => 2 * random() - 1);
    return Array.from({ length: count }, () => common.map(of));
  };

  it('is near 1 if they are the same, and near 0 if they are independent', () => {
    expect(dependenceOf(errors(20, (common) => common))).toBeGreaterThan(0.99);
    expect(dependenceOf(errors(200, () => 2 * random() - 1))).toBeLessThan(0.01);
  });

  it('is 0 if they cancel out, and for fewer than two series', () => {
    expect(
      dependenceOf([
        [1, -1],
        [-1, 1],
      ]),
    ).toBe(0);
    expect(dependenceOf([[1, -1]])).toBe(0);
    expect(dependenceOf([[], []])).toBe(0);
    expect(dependenceOf([])).toBe(0);
  });

  it('leaves out series with a shorter backtest', () => {
    const old = errors(20, (common) => common);
    expect(dependenceOf([...old, [5, -5], []])).toBe(dependenceOf(old));
  });
});
