import { describe, expect, it } from 'vitest';
import { generator } from '../../../../tests/support/random';
import { agreedIn, type ForecastedSum, forecastForParts, moved } from './agree';
import { forecastSeries } from './forecast';
import { spread } from './levels';
import { at, mean, sum } from './series';
import { type Forecasted, together } from './together';

const [LENGTH, HORIZON] = [60, 12];
const OPTIONS = { horizon: HORIZON, period: 12, unit: 'month', method: 'auto' } as const;

/** Articles in some categories. */
interface Market {
  /** The amounts of each article, oldest first. */
  series: number[][];
  /** The positions of the articles of each category. */
  categories: number[][];
}

/** Adds up some of the series by period. */
const addedUp = (series: readonly (readonly number[])[], parts: readonly number[]): number[] =>
  (series[0] ?? []).map((_, t) => sum(parts.map((i) => at(series[i] ?? [], t))));

/** Four categories of five articles. The market and the categories move, each category has a season, articles are noisy. */
function noisy(seed: number): Market {
  const random = generator(7919 * seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const months = Array.from({ length: LENGTH + HORIZON }, (_, t) => t);
  const walk = (level = 1) => months.map(() => (level *= 1 + 0.01 * normal()));
  const market = walk();
  const series = [0, 1, 2, 3].flatMap(() => {
    const [own, phase, season] = [walk(), 2 * Math.PI * random(), 0.1 + 0.3 * random()];
    return [0, 1, 2, 3, 4].map(() => {
      const size = 50 * Math.exp(normal());
      return months.map((t) => {
        const wave = 1 + season * Math.sin(phase + (t * Math.PI) / 6);
        return Math.max(0, size * at(market, t) * at(own, t) * wave * (1 + 0.4 * normal()));
      });
    });
  });
  return { series, categories: [0, 1, 2, 3].map((c) => [0, 1, 2, 3, 4].map((i) => 5 * c + i)) };
}

/** Two categories of ten articles that sell in 30 % of the months. */
function slow(seed: number): Market {
  const random = generator(104729 * seed);
  const series = Array.from({ length: 20 }, () =>
    Array.from({ length: LENGTH + HORIZON }, () => (random() < 0.3 ? 1 + 5 * random() : 0)),
  );
  return { series, categories: [0, 10].map((c) => series.slice(0, 10).map((_, i) => c + i)) };
}

/** Forecasts a market at each level by itself, spread over the articles, and at all levels at once. */
function forecasts({ series, categories }: Market) {
  const known = series.map((amounts) => amounts.slice(0, LENGTH));
  const all = [series.map((_, i) => i)];
  const fitted = (groups: readonly number[][]): ForecastedSum[] => {
    const own = groups.map((parts): ForecastedSum => {
      const history = addedUp(known, parts);
      return { history, parts, result: forecastSeries(history, OPTIONS) };
    });
    const forecastOf = together(own, OPTIONS);
    return own.map((each) => ({ ...each, result: forecastOf(each) }));
  };
  const articles = fitted(series.map((_, i) => [i]));
  const [ofTotal, ofCategories] = [fitted(all), fitted(categories)];
  const down = (groups: readonly ForecastedSum[]) => {
    const amounts: number[][] = series.map(() => []);
    for (const { result, parts } of groups) {
      const own = parts.map((i) => known[i] ?? []);
      for (const [k, each] of spread(result.forecast, own, { cut: LENGTH }, 12).entries()) {
        amounts[parts[k] ?? 0] = each;
      }
    }
    return amounts;
  };
  return {
    articles,
    single: {
      articles: articles.map(({ result }) => result.forecast),
      categories: down(ofCategories),
      total: down(ofTotal),
    },
    agreed: agreed(articles, [...ofTotal, ...ofCategories]),
  };
}

function agreed(parts: readonly Forecasted[], sums: readonly ForecastedSum[]): number[][] {
  const given = sums.map((each) => ({ ...each, forecast: forecastForParts(each, parts, OPTIONS) }));
  const periods = Array.from({ length: HORIZON }, (_, h) => agreedIn(h, parts, given));
  return parts.map((_, i) => periods.map((amounts) => at(amounts, i)));
}

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1);

describe('forecasts of all levels at once', () => {
  const markets = SEEDS.map(noisy);
  const found = markets.map(forecasts);

  it('of noisy articles are closer to what sells than those of any single level, at each level', () => {
    const rmse = (
      amountsOf: (m: number) => readonly number[][],
      level: keyof (typeof found)[0]['single'],
    ) =>
      mean(
        markets.map(({ series, categories }, m) => {
          const groups = {
            articles: series.map((_, i) => [i]),
            ...{ categories, total: [series.map((_, i) => i)] },
          }[level];
          const off = groups.flatMap((parts) => {
            const sold = addedUp(series, parts).slice(LENGTH);
            return addedUp(amountsOf(m), parts).map((amount, h) => (amount - at(sold, h)) ** 2);
          });
          return Math.sqrt(mean(off));
        }),
      );
    for (const level of ['articles', 'categories', 'total'] as const) {
      const together = rmse((m) => found[m]!.agreed, level);
      for (const single of ['articles', 'categories', 'total'] as const) {
        const alone = rmse((m) => found[m]!.single[single], level);
        expect([level, single, together < alone]).toEqual([level, single, true]);
      }
    }
  });

  it('have bands that hold as many amounts as those of single series', () => {
    const inside = (of: 'own' | 'agreed', share: 'band80' | 'band95') =>
      mean(
        found.flatMap(({ articles, agreed }, m) => {
          return articles.flatMap((article, i) => {
            const { [share]: band } = of === 'own' ? article.result : moved(article, agreed[i]!);
            return markets[m]!.series[i]!.slice(LENGTH).map((amount, h) =>
              Number(amount >= at(band.lower, h) && amount <= at(band.upper, h)),
            );
          });
        }),
      );
    for (const share of ['band80', 'band95'] as const) {
      expect(inside('agreed', share)).toBeGreaterThan(inside('own', share) - 0.01);
      expect(inside('agreed', share)).toBeLessThan(inside('own', share) + 0.03);
    }
  });

  it('of slow articles plan as much as sells, and their bands begin at 0', () => {
    let [planned, sold, own] = [0, 0, 0];
    for (const market of SEEDS.map(slow)) {
      const { agreed, single } = forecasts(market);
      planned += sum(agreed.map(sum));
      own += sum(single.articles.map(sum));
      sold += sum(market.series.map((each) => sum(each.slice(LENGTH))));
    }
    expect(Math.abs(planned / sold - 1)).toBeLessThan(0.05);
    expect(Math.abs(planned - own)).toBeLessThan(0.02 * sold);
    const { articles, agreed } = forecasts(slow(1));
    const bands = articles.map((article, i) => moved(article, agreed[i]!));
    for (const { band80, band95, forecast } of bands) {
      for (const [h, amount] of forecast.entries()) {
        const limits = [0, at(band80.lower, h), amount, at(band80.upper, h), at(band95.upper, h)];
        expect(limits.toSorted((a, b) => a - b)).toEqual(limits);
      }
    }
  });
});

describe('a forecast that was made to agree', () => {
  const own = { history: [], result: forecastSeries([10, 12, 10, 12, 10, 12, 11, 10], OPTIONS) };
  const before = sum(own.result.forecast);

  it.each([
    [1.1, 'So that all levels add up, it was raised by 10 %.'],
    [0.75, 'So that all levels add up, it was lowered by 25 %.'],
    [1, 'It agrees with the other levels as it is.'],
  ])('times %d says so', (factor, sentence) => {
    const { why } = moved(
      own,
      own.result.forecast.map((amount) => amount * factor),
    );
    expect(why).toBe(`${own.result.why} ${sentence}`);
    expect(before).toBeGreaterThan(0);
  });

  it('of a new article with one amount moves, and that of a discontinued one does not', () => {
    const forecasted = (history: (number | null)[]) => ({
      ...{ history, result: forecastSeries(history, OPTIONS) },
    });
    const steady = Array.from({ length: 36 }, (_, t) => 20 + (t % 5));
    const ended = [...steady.slice(0, 24), ...Array.from({ length: 12 }, () => 0)];
    const fresh = [...Array.from({ length: 35 }, () => null), 10];
    const parts = [steady, ended, fresh].map(forecasted);
    const total = forecasted(Array.from({ length: 36 }, (_, t) => 60 + (t % 3)));
    const [first, second, third] = agreed(parts, [{ ...total, parts: [0, 1, 2] }]);
    expect(second).toEqual(Array.from({ length: HORIZON }, () => 0));
    expect(at(third!, 0)).toBeGreaterThan(12);
    expect(at(first!, 0) + at(third!, 0)).toBeGreaterThan(35);
  });
});
