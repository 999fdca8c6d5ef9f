/** Seasons of a series: test, classical decomposition, adjustment. */
import { at, mean, sum } from './series';

/** How seasons combine with the trend: by a factor or by an amount. */
export type SeasonKind = 'multiplicative' | 'additive';

/** The seasonal factors or amounts of a series; index 0 is the season of its first value. */
export interface Seasons {
  kind: SeasonKind;
  /** Mean 1 if multiplicative, 0 if additive. */
  figure: number[];
}

/** The seasons of a series that has none. */
export const NO_SEASONS: Seasons = { kind: 'additive', figure: [0] };

/**
 * Tests whether a series has seasons: its autocorrelation at one season is above 0, significant at 90 %. A series
 * shorter than three seasons is not tested and counts as not seasonal.
 *
 * Source: Assimakopoulos and Nikolopoulos (2000), The theta model, International Journal of Forecasting 16;
 * variance by Bartlett (1946). The test is one-sided: a negative autocorrelation is not a season.
 */
export function isSeasonal(values: readonly number[], period: number): boolean {
  if (period < 2 || values.length < 3 * period) return false;
  const average = mean(values);
  const centred = Float64Array.from(values, (value) => value - average);
  const covariance = (lag: number) => {
    let total = 0;
    for (let t = lag; t < centred.length; t++) total += (centred[t] ?? 0) * (centred[t - lag] ?? 0);
    return total;
  };
  const variance = covariance(0);
  if (variance === 0) return false;
  let squares = 0;
  for (let lag = 1; lag < period; lag++) squares += (covariance(lag) / variance) ** 2;
  const limit = 1.2816 * Math.sqrt((1 + 2 * squares) / values.length);
  return covariance(period) / variance > limit;
}

/** The least number of seasons that {@link isProportional} compares. */
const FEWEST_SEASONS = 4;

/** The variation of ratios is clearly steadier than that of amounts with at most this share of its spread. */
const STEADIER = 0.6;

/**
 * Tests whether the seasons of a series grow with its level. They do if the deviations within the seasons vary clearly
 * less as shares of the seasons' means than as amounts. A series with an amount of 0 or less does not pass.
 *
 * Source: Guerrero (1993), Time-series analysis supported by power transformations, Journal of Forecasting 12.
 */
export function isProportional(values: readonly number[], period: number): boolean {
  const count = Math.floor(values.length / period);
  if (count < FEWEST_SEASONS || values.some((value) => value <= 0)) return false;
  const start = values.length - count * period;
  const years = Array.from({ length: count }, (_, i) => {
    const first = start + i * period;
    return spreadOf(values.slice(first, first + period));
  });
  const variation = (of: readonly number[]) => {
    const { average, deviation } = spreadOf(of);
    return deviation / average;
  };
  const deviations = variation(years.map(({ deviation }) => deviation));
  const shares = variation(years.map(({ average, deviation }) => deviation / average));
  return shares < STEADIER * deviations;
}

/** Returns the mean of values and the standard deviation from it. */
function spreadOf(values: readonly number[]): { average: number; deviation: number } {
  const average = mean(values);
  return { average, deviation: Math.sqrt(mean(values.map((value) => (value - average) ** 2))) };
}

/** Returns the centred moving average over one season; null where the series does not reach. */
export function centredAverage(values: readonly number[], period: number): (number | null)[] {
  const half = Math.floor(period / 2);
  const sums = new Float64Array(values.length + 1);
  for (let t = 0; t < values.length; t++) sums[t + 1] = (sums[t] ?? 0) + (values[t] ?? 0);
  return values.map((_, t) => {
    if (t < half || t + half >= values.length) return null;
    const window = (sums[t + half + 1] ?? 0) - (sums[t - half] ?? 0);
    // An even season has no middle, so the first and the last value of the window count half.
    const ends = (values[t - half] ?? 0) + (values[t + half] ?? 0);
    const surplus = period % 2 === 0 ? ends / 2 : 0;
    return (window - surplus) / period;
  });
}

/** Returns the ratios or differences of the values to the moving average, by season. */
export function deviations(
  values: readonly number[],
  period: number,
  kind: SeasonKind,
): number[][] {
  const bySeason = Array.from({ length: period }, (): number[] => []);
  const levels = centredAverage(values, period);
  for (let t = 0; t < levels.length; t++) {
    const level = levels[t];
    if (level == null) continue;
    const value = values[t] ?? 0;
    bySeason[t % period]?.push(kind === 'multiplicative' ? value / level : value - level);
  }
  return bySeason;
}

/** Returns the seasonal factors or amounts of a series from its deviations. */
function seasonsOf(bySeason: readonly number[][], kind: SeasonKind): Seasons {
  const raw = bySeason.map(mean);
  const average = mean(raw);
  const figure = raw.map((x) => (kind === 'multiplicative' ? x / average : x - average));
  return { kind, figure };
}

/**
 * Classical decomposition: the seasonal factors or amounts of a series, from its ratios or differences to the
 * centred moving average, averaged by season.
 *
 * Source: Hyndman and Athanasopoulos (2021), Forecasting: Principles and Practice, section 3.4; the same
 * figures as `decompose` of R.
 *
 * @param values at least two seasons; above 0 if multiplicative
 */
export const decompose = (values: readonly number[], period: number, kind: SeasonKind): Seasons =>
  seasonsOf(deviations(values, period, kind), kind);

/**
 * Moves seasonal figures towards no season, the more the seasons differ from year to year (James-Stein
 * shrinkage).
 *
 * Source: Miller and Williams (2003), Shrinkage estimators of time series seasonal factors and their effect on
 * forecasting accuracy, International Journal of Forecasting 19.
 *
 * @param bySeason the ratios or differences that the figures are means of
 */
export function shrink({ kind, figure }: Seasons, bySeason: readonly number[][]): Seasons {
  const period = figure.length;
  const none = kind === 'multiplicative' ? 1 : 0;
  let squares = 0;
  let freedom = -period;
  for (const season of bySeason) {
    const average = mean(season);
    for (const each of season) squares += (each - average) ** 2;
    freedom += season.length;
  }
  const spread = sum(figure.map((each) => (each - none) ** 2));
  if (period <= 3 || freedom <= 0 || spread === 0) return { kind, figure };
  const variance = (squares / freedom) * mean(bySeason.map((season) => 1 / season.length));
  const weight = Math.min(1, ((period - 3) * variance) / spread);
  return { kind, figure: figure.map((each) => weight * none + (1 - weight) * each) };
}

/** Returns the factor or amount of a season. @param t index in the series; beyond its end too */
export const seasonAt = ({ figure }: Seasons, t: number): number => at(figure, t % figure.length);

/** Removes the seasons from a series. */
export const removeSeasons = (values: readonly number[], seasons: Seasons): number[] =>
  values.map((value, t) => {
    const season = seasonAt(seasons, t);
    return seasons.kind === 'multiplicative' ? value / season : value - season;
  });

/** Adds the season to a value. @param t its index in the series; beyond its end too */
export const withSeason = (value: number, seasons: Seasons, t: number): number => {
  const season = seasonAt(seasons, t);
  return seasons.kind === 'multiplicative' ? value * season : value + season;
};

/**
 * Returns the seasons of a series, shrunk, if the test finds any. They are factors if all values are above 0,
 * amounts otherwise.
 */
export function findSeasons(values: readonly number[], period: number): Seasons {
  if (!isSeasonal(values, period)) return NO_SEASONS;
  const isPositive = values.every((value) => value > 0);
  const kind = isPositive ? 'multiplicative' : 'additive';
  const bySeason = deviations(values, period, kind);
  return shrink(seasonsOf(bySeason, kind), bySeason);
}
