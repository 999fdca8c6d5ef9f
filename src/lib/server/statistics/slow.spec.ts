import { describe, expect, it } from 'vitest';
import { forecastSeries, type SeriesForecast } from './forecast';
import { at, sum } from './series';
import { demandOf, discontinuedFor, limitsOfSlow, meanOfPeriods, slowPart, tsb } from './slow';
import { together } from './together';
import { generator } from '../../../../tests/support/random';
import {
  articlesOf,
  MONTHS,
  SIZES,
  type SlowMarket,
  YEAR,
} from '../../../../tests/support/slow-market';

const SEEDS = 50;
const OPTIONS = { horizon: YEAR, period: 12, unit: 'month', method: 'auto' } as const;
const { even, pieces, lumpy } = SIZES;

const MARKETS: [string, SlowMarket][] = [
  ['of 10 %', { share: 0.1, size: even }],
  ['of 30 %', { share: 0.3, size: even }],
  ['of 30 %, in pieces', { share: 0.3, size: pieces }],
  ['of 60 %', { share: 0.6, size: even }],
  ['of 30 %, lumpy', { share: 0.3, size: lumpy }],
  ['of 10 %, growing by 20 % a year', { share: 0.1, size: even, growth: 0.2, count: 150 }],
  ['of 30 %, growing by 10 % a year', { share: 0.3, size: even, growth: 0.1, count: 60 }],
  ['of 30 %, growing by 20 % a year', { share: 0.3, size: even, growth: 0.2, count: 60 }],
  [
    'of 30 %, growing evenly by 20 % a year',
    { share: 0.3, size: even, growth: 0.2, isEven: true, count: 60 },
  ],
  ['of 60 %, growing by 20 % a year', { share: 0.6, size: even, growth: 0.2, count: 60 }],
  ['of 30 %, falling by 10 % a year', { share: 0.3, size: even, growth: -0.1, count: 60 }],
  ['of 30 %, falling by 20 % a year', { share: 0.3, size: even, growth: -0.2, count: 60 }],
  ['of 60 %, falling by 10 % a year', { share: 0.6, size: even, growth: -0.1, count: 60 }],
  ['of 30 %, of which a third ends', { share: 0.3, size: even, ending: 0.33 }],
  ['of 10 %, of which a third ends', { share: 0.1, size: even, ending: 0.33, count: 150 }],
  [
    'of 30 %, of which a third ends and the others grow by 20 % a year',
    { share: 0.3, size: even, growth: 0.2, ending: 0.33, count: 60 },
  ],
  ['of 30 %, launched within four years', { share: 0.3, size: even, launches: 48 }],
  ['of 10 %, launched within four years', { share: 0.1, size: even, launches: 48, count: 150 }],
];

describe('articles that sell in a share of the months', () => {
  it.each(MARKETS)('%s are forecast without bias', (_, market) => {
    let [forecast, sold, count, in80, in95, below] = [0, 0, 0, 0, 0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const known = articlesOf(market, 1000 * seed).filter(({ future }) => future.length > 0);
      const forecasted = known.map(({ history }) => ({
        history,
        result: forecastSeries(history, OPTIONS),
      }));
      const results = forecasted.map(together(forecasted, OPTIONS));
      for (const [i, { future }] of known.entries()) {
        const result = results[i];
        if (!result) continue;
        forecast += sum(result.forecast);
        sold += sum(future);
        const isInside = ({ lower, upper }: SeriesForecast['band80'], h: number) =>
          at(future, h) >= at(lower, h) && at(future, h) <= at(upper, h);
        for (let h = 0; h < YEAR; h++) {
          count++;
          in80 += Number(isInside(result.band80, h));
          in95 += Number(isInside(result.band95, h));
          below += Number(at(result.band95.lower, h) < 0);
        }
      }
    }
    expect(below).toBe(0);
    expect(Math.abs(forecast / sold - 1)).toBeLessThan(0.05);
    // More than 80 % of the months are inside if more than 80 % have no amount, or if amounts are few whole numbers.
    expect(in80 / count).toBeGreaterThan(0.78);
    expect(in95 / count).toBeGreaterThan(0.93);
    if (market.share < 0.3 || market.size === pieces || market.ending) return;
    expect(in80 / count).toBeLessThan(0.82);
    expect(in95 / count).toBeLessThan(0.97);
  });
});

it('slow series are forecast together in the same seasons if periods are ignored', () => {
  const random = generator(7);
  const known = Array.from({ length: 200 }, () =>
    Array.from({ length: MONTHS }, (_, t) =>
      random() < 0.3 + 0.25 * Math.sin((2 * Math.PI * t) / 12) ? 1 + 4 * random() : 0,
    ),
  );
  const sums = (isIgnored: (t: number) => boolean) => {
    const forecasted = known.map((amounts) => {
      const history = amounts.map((amount, t) => (isIgnored(t) ? null : amount));
      return { history, result: forecastSeries(history, OPTIONS) };
    });
    const results = forecasted.map(together(forecasted, OPTIONS));
    return Array.from({ length: YEAR }, (_, h) =>
      sum(results.map(({ forecast }) => at(forecast, h))),
    );
  };
  const [all, some] = [sums(() => false), sums((t) => t >= 20 && t < 26)];
  const largest = Math.max(...all);
  for (const [h, amount] of all.entries()) {
    expect(Math.abs(at(some, h) - amount)).toBeLessThan(0.15 * largest);
  }
});

describe('a mean', () => {
  it('leaves out the first amount, with which a series mostly begins', () => {
    const { forecast, fitted } = meanOfPeriods([0, 8, 0, 3, 0, 1], 2);
    expect(forecast).toEqual([1, 1]);
    expect(fitted).toEqual([null, null, null, 0, 1.5, 1]);
    expect(meanOfPeriods([5], 1).forecast).toEqual([5]);
  });

  it('of Teunter, Syntetos and Babai falls in each period without an amount', () => {
    const { forecast, fitted, parameters } = tsb([4, 0, 4, 0, 0], 1);
    // One of the four periods after the first has an amount; then the share falls, rises and falls twice.
    const shares = [0.25, 0.9 * 0.25, 0.9 * 0.9 * 0.25 + 0.1];
    expect(fitted.slice(1, 4)).toEqual(shares.map((share) => expect.closeTo(4 * share, 10)));
    expect(parameters['size']).toBe(4);
    expect(forecast[0]).toBeCloseTo(4 * 0.81 * at(shares, 2), 10);
  });
});

describe('the kind of a series', () => {
  it('follows from the interval and the variation of its amounts', () => {
    expect(demandOf([2, 0, 2, 0, 2, 0])).toEqual({
      ...{ interval: 2, variation: 0, isSlow: true, isErratic: false },
    });
    expect(demandOf([1, 1, 10, 1])).toMatchObject({ interval: 1, isSlow: false, isErratic: true });
    expect(demandOf([0, 0])).toMatchObject({ interval: Infinity, isSlow: false });
  });

  it('is slow by its newer half too, but not because of a closure', () => {
    const often = Array.from({ length: 36 }, (_, t) => 2 + (t % 5));
    const seldom = Array.from({ length: 24 }, (_, t) => (t % 3 === 0 ? 0 : 3));
    expect(slowPart([...often, ...seldom], 12)).toHaveLength(30);
    const closed = Array.from({ length: 24 }, (_, t) => (t > 3 && t < 15 ? 0 : 3));
    expect(slowPart([...often, ...closed], 12)).toBeNull();
    expect(slowPart(seldom, 12)).toEqual(seldom);
    const { why } = forecastSeries([...often, ...seldom], OPTIONS);
    expect(why).toContain('Only 73.3 % of the last 30 months have an amount');
  });

  it('of a new series is that of the slow ones beside it', () => {
    const random = generator(2);
    // Each sells in 10 of the 40 months after the first one.
    const slow = Array.from({ length: 4 }, () => [
      3,
      ...Array.from({ length: 40 }, (_, t) => ({ sold: t < 10 ? 3 : 0, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ sold }) => sold),
    ]);
    const young = [...Array<null>(39).fill(null), 8, 0];
    const forecasted = [...slow, young].map((history) => ({
      history,
      result: forecastSeries(history, OPTIONS),
    }));
    const [{ forecast, isSlow, why }] = forecasted.slice(4).map(together(forecasted, OPTIONS)) as [
      SeriesForecast,
    ];
    expect(forecast).toEqual(forecast.map(() => expect.closeTo(8 * 0.25, 10)));
    expect(isSlow).toBe(true);
    expect(why).toContain('sell in 25 % of the months');
    const [alone] = forecasted.slice(4).map(together(forecasted.slice(4), OPTIONS));
    expect(alone).toBe(forecasted[4]?.result);
  });

  it('is discontinued after a run that is long, longer than before and no chance', () => {
    const sold = [1, 2, 1, 0, 3, 1, 2, 2, 0, 0, 1, 2];
    const run = (length: number) => Array<number>(length).fill(0);
    expect(discontinuedFor([...sold, ...run(5)], 12)).toBe(0);
    expect(discontinuedFor([...sold, ...run(6)], 12)).toBe(6);
    expect(discontinuedFor([1, 2, ...run(5), 1, 3, 2, 2, 4, 1, ...run(7)], 12)).toBe(0);
    expect(discontinuedFor([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, ...run(8)], 12)).toBe(0);
    expect(discontinuedFor(run(20), 12)).toBe(0);
    // It may be the first winter of an article that sells in summer.
    const summer = [4, 6, 9, 8, 7, 5];
    expect(discontinuedFor([...summer, ...run(6)], 12)).toBe(0);
    expect(discontinuedFor([...summer.slice(2), ...run(6)], 12)).toBe(0);
    expect(discontinuedFor([...summer, ...run(6), ...summer, ...run(6)], 12)).toBe(0);
    expect(discontinuedFor([...summer, ...run(12)], 12)).toBe(12);
    const { forecast, why } = forecastSeries([...sold, ...sold, ...run(9)], OPTIONS);
    expect(sum(forecast)).toBe(0);
    expect(why).toBe(
      'It had no amounts in the last 9 months, longer than ever before, so it counts as discontinued and is forecast as 0.',
    );
  });

  it('is not changed by the months before a launch, which are unknown', () => {
    const sold = [4, 0, 3, 0, 0, 5, 0, 2, 0, 4, 0, 0, 3, 0, 4];
    const launched = [...Array<null>(30).fill(null), ...sold];
    expect(forecastSeries(launched, OPTIONS).forecast).toEqual(
      forecastSeries(sold, OPTIONS).forecast,
    );
  });
});

describe('limits', () => {
  it('of a slow series are quantiles, scaled to its forecast', () => {
    // 19 of 39 periods after the first have an amount: 20 of 41 for the next one.
    const values = [9, ...Array.from({ length: 39 }, (_, t) => (t % 2 === 1 ? t : 0))];
    const average = sum(values.slice(1)) / 39;
    const { lower, upper } = limitsOfSlow(values, [average, 0], 0.8);
    expect(lower).toEqual([0, 0]);
    const place = 1 - 0.2 / (20 / 41);
    expect(upper).toEqual([expect.closeTo(2 * place * 20 - 1, 10), 0]);
  });

  it('of amounts below 0 are those of the opposite amounts, and those of both signs hold 0', () => {
    const values = [3, 0, 2, 0, 0, 5, 0, 1, 4, 0, 0, 2];
    const average = sum(values.slice(1)) / 11;
    const { lower, upper } = limitsOfSlow(values, [average], 0.8);
    const opposite = limitsOfSlow(
      values.map((value) => -value),
      [-average],
      0.8,
    );
    expect([lower[0], upper[0]]).toEqual([0, expect.closeTo(2.8, 10)]);
    expect(opposite.upper.map(Math.abs)).toEqual([0]);
    expect(opposite.lower).toEqual([expect.closeTo(-at(upper, 0), 10)]);
    const both = Array.from({ length: 41 }, (_, t) => [2, -1, 0, 0][t % 4] ?? 0);
    const wide = limitsOfSlow(both, [0.25], 0.8);
    expect([wide.lower, wide.upper]).toEqual([[-1], [2]]);
  });

  it('hold about what they promise of monthly and quarterly series', () => {
    for (const { period, unit, length, horizon } of [
      { period: 12, unit: 'month', length: 72, horizon: 18 },
      { period: 4, unit: 'quarter', length: 44, horizon: 8 },
    ]) {
      let [in80, in95, count] = [0, 0, 0];
      for (let seed = 1; seed <= 120; seed++) {
        const random = generator(7919 * seed);
        const noise = () => random() + random() + random() + random() - 2;
        let level = 100;
        const values = Array.from({ length: length + horizon }, (_, t) => {
          level += 0.4 + 3 * noise();
          return level * (1 + 0.2 * Math.sin((2 * Math.PI * t) / period)) + 8 * noise();
        });
        const options = { horizon, period, unit, method: 'auto' } as const;
        const { band80, band95 } = forecastSeries(values.slice(0, length), options);
        for (const [h, amount] of values.slice(length).entries()) {
          count++;
          in80 += Number(amount >= at(band80.lower, h) && amount <= at(band80.upper, h));
          in95 += Number(amount >= at(band95.lower, h) && amount <= at(band95.upper, h));
        }
      }
      // These are more regular than published series, on which the bands were measured (docs/forecasting.md).
      expect(Math.abs(in80 / count - 0.8)).toBeLessThan(0.09);
      expect(Math.abs(in95 / count - 0.95)).toBeLessThan(0.04);
    }
  });
});
