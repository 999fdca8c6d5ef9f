/** Compares the methods with published results on the monthly air passengers of 1949 to 1960 (Box and Jenkins). */
import { describe, expect, it } from 'vitest';
import { PASSENGERS } from '../../../../tests/fixtures/air-passengers';
import { forecastSeries } from './forecast';
import { holtWinters, openingState, smoothWinters } from './holt-winters';
import { decompose, isSeasonal } from './seasonality';
import { mean } from './series';

describe('the air passengers', () => {
  it('have the seasonal factors that decompose of R finds', () => {
    const { figure } = decompose(PASSENGERS, 12, 'multiplicative');
    const published = [
      0.9102304, 0.8836253, 1.0073663, 0.975906, 0.981378, 1.1127758, 1.2265555, 1.219911,
      1.0604919, 0.9217572, 0.8011781, 0.8988244,
    ];
    figure.forEach((factor, month) => expect(factor).toBeCloseTo(published[month] ?? NaN, 7));
  });

  it('have the seasonal amounts that decompose of R finds', () => {
    const { figure } = decompose(PASSENGERS, 12, 'additive');
    const published = [
      -24.748737, -36.188131, -2.241162, -8.036616, -4.506313, 35.402778, 63.830808, 62.823232,
      16.520202, -20.642677, -53.593434, -28.619949,
    ];
    figure.forEach((amount, month) => expect(amount).toBeCloseTo(published[month] ?? NaN, 6));
  });

  it('end at the level and trend of HoltWinters of R with its parameters', () => {
    const published = { alpha: 0.2755925, beta: 0.03269295, gamma: 0.8707292 };
    const start = openingState(PASSENGERS, 12, 'multiplicative');
    const end = smoothWinters(PASSENGERS, start, 'multiplicative', published);
    expect(end.level).toBeCloseTo(469.32322, 5);
    expect(end.trend).toBeCloseTo(3.02154, 5);
    expect(Math.sqrt(end.squares / 132)).toBeCloseTo(11.20429, 5);
    const given = holtWinters(PASSENGERS, 12, 12, 'multiplicative', published);
    expect(given.forecast[0]).toBeCloseTo((end.level + end.trend) * (end.seasons[0] ?? NaN), 10);
  });

  it('are fitted by Holt-Winters as closely as by R', () => {
    const start = openingState(PASSENGERS, 12, 'multiplicative');
    const { parameters } = holtWinters(PASSENGERS, 12, 12, 'multiplicative');
    const { alpha = NaN, beta = NaN, gamma = NaN } = parameters;
    const found = smoothWinters(PASSENGERS, start, 'multiplicative', { alpha, beta, gamma });
    expect(Math.sqrt(found.squares / 132)).toBeLessThan(11.2043);
    expect(alpha).toBeCloseTo(0.27559, 4);
    expect(beta).toBeCloseTo(0.03269, 4);
    expect(gamma).toBeCloseTo(0.87073, 4);
  });

  it('are seasonal by month, and their changes from year to year are not', () => {
    expect(isSeasonal(PASSENGERS, 12)).toBe(true);
    const changes = PASSENGERS.slice(12).map((value, t) =>
      Math.log(value / (PASSENGERS[t] ?? NaN)),
    );
    expect(isSeasonal(changes, 12)).toBe(false);
    expect(isSeasonal(PASSENGERS.slice(0, 35), 12)).toBe(false);
  });

  it('of 1960 are forecast from 1949 to 1959 within 3 %', () => {
    const options = { horizon: 12, period: 12, unit: 'month', method: 'auto' } as const;
    const { method, why, forecast } = forecastSeries(PASSENGERS.slice(0, 132), options);
    const actual = PASSENGERS.slice(132);
    const off = forecast.map((value, h) => Math.abs(value / (actual[h] ?? NaN) - 1));
    expect(mean(off)).toBeLessThan(0.03);
    expect(method).toBe('combined');
    expect(why).toMatch(
      /^The combination of theta and damped trend was .+ % off on average in the last 12 months \(its total .+\); last year moved would have been 11\.1 % off \(its total 11\.1 % too low\)\.$/,
    );
  });
});
