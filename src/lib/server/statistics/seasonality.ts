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

/** Returns the autocorrelation of a series at a lag; 0 for a constant series. */
export function autocorrelation(values: readonly number[], lag: number): number {
  const average = mean(values);
  let [product, square] = [0, 0];
  for (const [t, value] of values.entries()) {
    square += (value - average) ** 2;
    if (t >= lag) product += (value - average) * (at(values, t - lag) - average);
  }
  return square === 0 ? 0 : product / square;
}

/**
 * Tests whether a series has seasons: its autocorrelation at one season is above 0, significant at 90 %. A series
 * shorter than three seasons is not tested and counts as not seasonal.
 *
 * Source: Assimakopoulos and Nikolopoulos (2000), The theta model, International Journal of Forecasting 16;
 * variance by Bartlett (1946). The test is one-sided: a negative autocorrelation is not a season.
 */
export function isSeasonal(values: readonly number[], period: number): boolean {
  if (period < 2 || values.length < 3 * period) return false;
  let squares = 0;
  for (let lag = 1; lag < period; lag++) squares += autocorrelation(values, lag) ** 2;
  const limit = 1.2816 * Math.sqrt((1 + 2 * squares) / values.length);
  return autocorrelation(values, period) > limit;
}

/** Returns the centred moving average over one season; null where the series does not reach. */
export function centredAverage(values: readonly number[], period: number): (number | null)[] {
  const half = Math.floor(period / 2);
  return values.map((_, t) => {
    if (t < half || t + half >= values.length) return null;
    const window = values.slice(t - half, t + half + 1);
    // An even season has no middle, so the first and the last value of the window count half.
    const surplus = period % 2 === 0 ? (at(window, 0) + at(window, period)) / 2 : 0;
    return (sum(window) - surplus) / period;
  });
}

/** Returns the ratios or differences of the values to the moving average, by season. */
function deviations(values: readonly number[], period: number, kind: SeasonKind): number[][] {
  const bySeason = Array.from({ length: period }, (): number[] => []);
  for (const [t, level] of centredAverage(values, period).entries()) {
    if (level === null) continue;
    const value = at(values, t);
    bySeason[t % period]?.push(kind === 'multiplicative' ? value / level : value - level);
  }
  return bySeason;
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
export function decompose(values: readonly number[], period: number, kind: SeasonKind): Seasons {
  const raw = deviations(values, period, kind).map(mean);
  const average = mean(raw);
  const figure = raw.map((x) => (kind === 'multiplicative' ? x / average : x - average));
  return { kind, figure };
}

/**
 * Moves seasonal figures towards no season, the more the seasons differ from year to year (James-Stein
 * shrinkage).
 *
 * Source: Miller and Williams (2003), Shrinkage estimators of time series seasonal factors and their effect on
 * forecasting accuracy, International Journal of Forecasting 19.
 *
 * @param values the series that the figures were computed from
 */
export function shrink({ kind, figure }: Seasons, values: readonly number[]): Seasons {
  const period = figure.length;
  const bySeason = deviations(values, period, kind);
  const none = kind === 'multiplicative' ? 1 : 0;
  let [squares, freedom] = [0, -period];
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

/** Removes the seasons from a series. @param start index in the series of the first value */
export const removeSeasons = (values: readonly number[], seasons: Seasons, start = 0): number[] =>
  values.map((value, i) => {
    const season = seasonAt(seasons, start + i);
    return seasons.kind === 'multiplicative' ? value / season : value - season;
  });

/** Adds the seasons to a series without. @param start index in the series of the first value */
export const addSeasons = (values: readonly number[], seasons: Seasons, start = 0): number[] =>
  values.map((value, i) => {
    const season = seasonAt(seasons, start + i);
    return seasons.kind === 'multiplicative' ? value * season : value + season;
  });

/**
 * Returns the seasons of a series, shrunk, if the test finds any. They are factors if all values are above 0,
 * amounts otherwise.
 */
export function findSeasons(values: readonly number[], period: number): Seasons {
  if (!isSeasonal(values, period)) return NO_SEASONS;
  const isPositive = values.every((value) => value > 0);
  const kind = isPositive ? 'multiplicative' : 'additive';
  return shrink(decompose(values, period, kind), values);
}
