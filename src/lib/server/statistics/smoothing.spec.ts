import { describe, expect, it } from 'vitest';
import { combine, lastYear, naive2, seasonally } from './fit';
import { decompose, deviations, removeSeasons, shrink, withSeason } from './seasonality';
import { at, lineThrough } from './series';
import { damped, holt, simple, smooth } from './smoothing';
import { theta } from './theta';

const VALUES = [30, 34, 31, 40, 38, 45, 41, 50, 52, 49, 57, 60];

describe('exponential smoothing', () => {
  it('follows the recursion of Gardner and McKenzie', () => {
    const start = { alpha: 0.5, beta: 0.4, phi: 0.9, level: 10, trend: 2 };
    const { fitted, level, trend } = smooth([12, 15], start);
    // 10 + 0.9 · 2 = 11.8, error 0.2: level 11.9, trend 1.84; then 11.9 + 1.656 = 13.556, error 1.444.
    expect(fitted[0]).toBeCloseTo(11.8, 10);
    expect(fitted[1]).toBeCloseTo(13.556, 10);
    expect(level).toBeCloseTo(14.278, 10);
    expect(trend).toBeCloseTo(1.9448, 10);
  });

  it('continues a straight line by its trend', () => {
    const line = Array.from({ length: 20 }, (_, t) => 5 + 3 * t);
    holt(line, 4).forecast.forEach((value, h) => expect(value).toBeCloseTo(65 + 3 * h, 6));
  });

  it('damps the trend: each step is smaller than the one before', () => {
    const { forecast, deviation } = damped(VALUES, 6);
    const steps = forecast.slice(1).map((value, h) => value - at(forecast, h));
    steps.slice(1).forEach((step, h) => expect(step).toBeLessThan(at(steps, h)));
    expect(steps.every((step) => step > 0)).toBe(true);
    deviation.slice(1).forEach((each, h) => expect(each).toBeGreaterThan(at(deviation, h)));
  });

  it('has a level forecast without a trend', () => {
    const { forecast } = simple(VALUES, 3);
    expect(new Set(forecast).size).toBe(1);
  });
});

describe('theta', () => {
  it('is simple exponential smoothing with half the slope as drift, as Hyndman and Billah show', () => {
    const { slope } = lineThrough(VALUES);
    const { forecast, parameters } = theta(VALUES, 4);
    const { alpha = NaN } = parameters;
    let level = at(VALUES, 0);
    for (const value of VALUES) level += alpha * (value - level);
    const lag = (1 - (1 - alpha) ** VALUES.length) / alpha;
    forecast.forEach((value, h) => {
      expect(value).toBeCloseTo(level + (slope / 2) * (h + lag), 10);
    });
  });
});

describe('last year moved', () => {
  it('repeats the last season, and the last value within the first season', () => {
    const { forecast, fitted } = lastYear([1, 2, 3, 4, 5, 6], 6, 4);
    expect(forecast).toEqual([3, 4, 5, 6, 3, 4]);
    expect(fitted).toEqual([null, null, null, null, 1, 2]);
    expect(lastYear([1, 2, 3], 2, 4).forecast).toEqual([3, 3]);
  });

  it('is less certain by each year', () => {
    const { deviation } = lastYear([1, 2, 3, 4, 3, 4, 5, 6], 9, 4);
    expect(deviation.slice(0, 4)).toEqual([2, 2, 2, 2]);
    expect(deviation[4]).toBeCloseTo(2 * Math.sqrt(2));
    expect(deviation[8]).toBeCloseTo(2 * Math.sqrt(3));
  });
});

describe('seasons', () => {
  const factors = [0.5, 1, 1.5, 1];
  const seasonal = Array.from({ length: 20 }, (_, t) => (100 + t) * (factors[t % 4] ?? NaN));

  it('are removed and added again', () => {
    const seasons = decompose(seasonal, 4, 'multiplicative');
    seasons.figure.forEach((each, i) => expect(each).toBeCloseTo(factors[i] ?? NaN, 1));
    const adjusted = removeSeasons(seasonal, seasons);
    adjusted.forEach((value, t) => {
      expect(withSeason(value, seasons, t)).toBeCloseTo(at(seasonal, t), 10);
    });
    expect(withSeason(100, seasons, 6)).toBeCloseTo(100 * (seasons.figure[2] ?? NaN), 10);
  });

  it('carry the last level: Naive2', () => {
    const { forecast, fitted } = naive2(seasonal, 4, {
      kind: 'multiplicative',
      figure: factors,
    });
    factors.forEach((factor, h) => expect(forecast[h]).toBeCloseTo(119 * factor, 8));
    expect(fitted[0]).toBeNull();
    expect(fitted[1]).toBeCloseTo(100, 8);
  });

  it('shrink to none where they are noise, and stay where they are the same each year', () => {
    const noise = [5, 8, 3, 9, 9, 2, 8, 4, 3, 9, 5, 6, 8, 3, 9, 4];
    const raw = decompose(noise, 4, 'additive');
    const shrunk = shrink(raw, deviations(noise, 4, 'additive'));
    shrunk.figure.forEach((each, i) => {
      expect(Math.abs(each)).toBeLessThan(Math.abs(raw.figure[i] ?? NaN));
    });
    const steady = decompose(seasonal, 4, 'multiplicative');
    shrink(steady, deviations(seasonal, 4, 'multiplicative')).figure.forEach((each, i) => {
      expect(each).toBeCloseTo(steady.figure[i] ?? NaN, 3);
    });
  });

  it('scale the deviations of a multiplicative fit', () => {
    const seasons = { kind: 'multiplicative', figure: factors } as const;
    const { deviation } = seasonally(simple, seasonal, 4, seasons);
    expect(at(deviation, 2) / at(deviation, 0)).toBeGreaterThan(3);
  });
});

it('combines two fits by their mean', () => {
  const [a, b] = [lastYear([2, 4, 6], 2, 1), lastYear([2, 4, 6, 4], 2, 2)];
  expect(combine(a, { ...b, fitted: [null, null, 3] })).toEqual({
    fitted: [null, null, 3.5],
    forecast: [6, 5],
    deviation: [0, 1].map((h) => (at(a.deviation, h) + at(b.deviation, h)) / 2),
    parameters: {},
  });
});
