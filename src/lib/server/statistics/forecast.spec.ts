import { describe, expect, it } from 'vitest';
import type { Method } from '../../contract/forecasts';
import { METHODS } from '../../contract/forecasts';
import { forecastErrors } from './backtest';
import { forecastSeries } from './forecast';
import { at, mean } from './series';

const monthly = (history: (number | null)[], method: Method | 'auto' = 'auto', horizon = 12) =>
  forecastSeries(history, { horizon, period: 12, unit: 'month', method });

/** Three years and more of sales with a season and a trend, without noise from a generator. */
const seasonal = (months: number) =>
  Array.from(
    { length: months },
    (_, t) => (200 + 2 * t) * (1 + 0.4 * Math.sin((t * Math.PI) / 6)) + ((t * 7919) % 13) - 6,
  );

describe('a special series', () => {
  it.each<[string, (number | null)[], string, number[]]>([
    ['empty', [], 'The history has no amounts, so the forecast is 0.', [0, 0]],
    ['unknown', [null, null], 'The history has no amounts, so the forecast is 0.', [0, 0]],
    ['of one month', [5], 'The history has only 1 month, so its last amount is repeated.', [5, 5]],
    [
      'of three months',
      [null, 5, 6, 8],
      'The history has only 3 months, so its last amount is repeated.',
      [8, 8],
    ],
    [
      'of four months',
      [5, 6, 8, 7],
      'The history has only 4 months, too few to compare methods; last year moved is used. The history is shorter than a year, so its last amount is repeated.',
      [7, 7],
    ],
    [
      'of zeros',
      Array<number>(30).fill(0),
      'Every month of the history is 0, so the forecast is 0.',
      [0, 0],
    ],
    [
      'that is constant',
      Array<number>(30).fill(7.5),
      'Every month of the history has the same amount, which is repeated.',
      [7.5, 7.5],
    ],
    [
      'that repeats itself below 0',
      Array.from({ length: 48 }, (_, t) => -5 - (t % 12)),
      'Last year moved had at most half the error of the combination of theta and damped trend in each of 3 backtests. It was 0 % off on average in the last 12 months (its total right).',
      [-5, -6],
    ],
  ])('%s', (_, history, why, start) => {
    const forecast = monthly(history);
    expect(forecast.method).toBe('last_year');
    expect(forecast.why).toBe(why);
    expect(forecast.forecast.slice(0, 2)).toEqual(start);
    expect(forecast.forecast).toHaveLength(12);
    expect(forecast.fitted).toHaveLength(history.length);
  });

  it('with a falling trend is not forecast below 0, unless its history is', () => {
    const falling = Array.from({ length: 30 }, (_, t) => 90 - 3 * t + (t % 2));
    const { forecast, band80 } = monthly(falling, 'theta', 24);
    expect(forecast.at(-1)).toBe(0);
    expect(Math.min(...forecast, ...band80.lower)).toBe(0);
    const below = monthly([...falling, -3, -5], 'theta', 24);
    expect(below.forecast.at(-1)).toBeLessThan(-5);
  });

  it('that is intermittent can be forecast by an even amount', () => {
    const rare = Array.from({ length: 60 }, (_, t) => ((t * 7919) % 7 === 0 ? 10 + (t % 4) : 0));
    const { forecast, method, why } = monthly(rare, 'croston');
    expect(method).toBe('croston');
    expect(why).toMatch(
      /^Croston’s method was requested\. It was .+ % off on average in the last 12 months \(its total .+ % too low\); /,
    );
    expect(new Set(forecast).size).toBe(1);
    expect(at(forecast, 0)).toBeGreaterThan(0.5 * mean(rare));
    expect(at(forecast, 0)).toBeLessThan(1.5 * mean(rare));
  });

  it('with gaps is forecast as if they had the amounts of the years beside them', () => {
    const whole = seasonal(60);
    const gappy = whole.map((value, t) => (t === 20 || t === 37 ? null : value));
    const { forecast, why } = monthly([null, null, ...gappy], 'combined');
    expect(why).toMatch(/ Gaps of the history were filled: 2 months\.$/);
    monthly(whole, 'combined').forecast.forEach((value, h) => {
      expect(Math.abs(at(forecast, h) / value - 1)).toBeLessThan(0.05);
    });
  });

  it('that is too short for Holt-Winters repeats its last year', () => {
    const { method, why } = monthly(seasonal(23), 'holt_winters');
    expect(method).toBe('last_year');
    expect(why).toBe(
      'Holt-Winters needs at least two years of history; last year moved is used instead.',
    );
  });
});

describe('an ignored newest part of the history', () => {
  /** Six years that repeat the same months, with an error that depends on a number. */
  const turning = (step: number) =>
    Array.from(
      { length: 72 },
      (_, t) =>
        at([50, 400, 120, 310, 70, 220, 90, 380, 160, 30, 270, 110], t % 12) +
        ((t * 7919 * step) % 13),
    );

  it('is not withheld: the periods before it are', () => {
    const history = seasonal(60);
    const whole = monthly(history);
    const { backtest, why } = monthly([...history, null, null, null, null, null]);
    expect(backtest).toEqual(whole.backtest);
    expect(why).toBe(
      `${whole.why.replace('the last 12 months', 'the 12 months before the ignored part')} Gaps of the history were filled: 5 months.`,
    );
  });

  it('does not lower the number of backtests in which another method must be clearly better', () => {
    // Last year moved is better in the backtests of the first five years, but not clearly.
    const history = turning(12).map((value, t) => (t < 60 ? value : null));
    expect(monthly(history).method).toBe('combined');
  });

  it('and one known month after it leave one backtest, which is too few for another method', () => {
    const history = turning(6).map((value, t) => (t >= 67 && t < 71 ? null : value));
    expect(monthly(history, 'auto', 3).method).toBe('combined');
  });
});

describe('auto', () => {
  it('is the combination by default, and says how far off it was', () => {
    const { method, backtest, why } = monthly(seasonal(72));
    expect(method).toBe('combined');
    expect(backtest?.mae).toBeLessThan(backtest?.last_year.mae ?? NaN);
    expect(why).toMatch(
      /^The combination of theta and damped trend was .+ % off on average in the last 12 months \(its total .+\); last year moved would have been .+ % off \(its total .+\)\.$/,
    );
  });

  it('is a single method only if that is clearly better at each of three origins', () => {
    // A level that is the same each year, and months that take turns: last year moved is exact.
    const turns = [5, 40, 12, 31, 7, 22, 9, 38, 16, 3, 27, 11];
    const exact = Array.from({ length: 72 }, (_, t) =>
      at(turns, (5 * t + Math.floor(t / 12)) % 12),
    );
    expect(monthly(exact).method).toBe('combined');
    const repeated = Array.from({ length: 72 }, (_, t) => at(turns, t % 12));
    expect(monthly(repeated).method).toBe('last_year');
    // Only the last year repeats the one before.
    const late = [...exact.slice(0, 60), ...exact.slice(48, 60)];
    expect(monthly(late)).toMatchObject({
      method: 'combined',
      why: expect.stringContaining(' Last year moved was not clearly better in each backtest.'),
    });
  });

  it('says once how far the totals of the method and of last year moved were off', () => {
    const jump = seasonal(72).map((value, t) => (t < 60 ? value : 1.5 * value));
    const { why, backtest } = monthly(jump);
    expect(why.match(/its total/gi)).toHaveLength(2);
    const share = (bias: number | null | undefined) =>
      `(its total ${(-100 * (bias ?? NaN)).toLocaleString('en-GB', { maximumFractionDigits: 1 })} % too low)`;
    expect(why).toContain(`${share(backtest?.bias)}; last year moved`);
    expect(why).toContain(`% off ${share(backtest?.last_year.bias)}`);
  });

  it('of a short history is last year moved if that is not worse in its backtests', () => {
    const { method, why } = monthly([1, 9, 1, 9, 5, 5, 5, 5]);
    expect(method).toBe('last_year');
    expect(why).toBe(
      'Last year moved was not worse than the combination of theta and damped trend in the backtest. It was 0 % off on average in the last 2 months (its total right). The history is shorter than a year, so its last amount is repeated.',
    );
  });

  it('withholds the horizon, at most a third of the history', () => {
    expect(monthly(seasonal(72)).backtest?.periods).toBe(12);
    expect(monthly(seasonal(72), 'auto', 36).backtest?.periods).toBe(24);
    expect(monthly(seasonal(5)).backtest?.periods).toBe(1);
    expect(monthly(seasonal(4)).backtest).toBeNull();
  });

  it('does not see the withheld amounts', () => {
    const history = seasonal(60);
    const other = history.map((value, t) => (t < 48 ? value : 3 * value));
    const errorsOf = (values: number[]) => monthly(values, 'combined').backtest;
    const [a, b] = [errorsOf(history), errorsOf(other)];
    const sums = [history, other].map((values) => mean(values.slice(48)));
    // Both histories have the same forecast, so their sums of errors differ by the added amounts.
    const signed = (i: number, bias: number | null | undefined) => (bias ?? NaN) * at(sums, i);
    expect(signed(0, a?.bias) - signed(1, b?.bias)).toBeCloseTo(at(sums, 1) - at(sums, 0), 8);
  });
});

it.each(METHODS)('%s has finite numbers and ordered bands', (method) => {
  const { forecast, fitted, band80, band95 } = monthly(seasonal(50), method, 18);
  expect(forecast).toHaveLength(18);
  expect(fitted).toHaveLength(50);
  forecast.forEach((value, h) => {
    expect(Number.isFinite(value)).toBe(true);
    expect(at(band95.lower, h)).toBeLessThanOrEqual(at(band80.lower, h));
    expect(at(band80.lower, h)).toBeLessThan(value);
    expect(at(band80.upper, h)).toBeGreaterThan(value);
    expect(at(band95.upper, h)).toBeGreaterThan(at(band80.upper, h));
  });
});

describe('errors', () => {
  it('are in units of last year’s error, and of the amounts', () => {
    const before = [10, 20, 12, 24];
    expect(forecastErrors([11, 26], [10, 30], before, 2)).toEqual({
      mae: 2.5,
      mase: 2.5 / 3,
      wape: 5 / 40,
      bias: -3 / 40,
    });
  });

  it('leave out unknown amounts, and have no share of nothing', () => {
    expect(forecastErrors([11, 26], [null, 0], [10, 10, 10], 2)).toEqual({
      mae: 26,
      mase: null,
      wape: null,
      bias: null,
    });
  });
});
