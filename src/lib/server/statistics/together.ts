/** Forecasts slow series together: their sum has a trend and seasons that none of them shows alone. */
import { errorDeviation, type Fit, ROOTS, scaledBack, seasonally } from './fit';
import { type ForecastOptions, forecastSeries, type SeriesForecast } from './forecast';
import { percent } from './choice';
import { growthOf, isSteady } from './growth';
import { findSeasons, removeSeasons, withSeason } from './seasonality';
import { at, fillGaps, lineThrough, mean, notBelow, sum } from './series';
import { SHORTEST } from './methods';
import { demandOf, limitsOfSlow } from './slow';

/** A series and its own forecast. */
export interface Forecasted {
  /** Oldest first; null where the amount is not known. */
  history: readonly (number | null)[];
  result: SeriesForecast;
}

/**
 * Scales the forecasts of slow series so that they add up to the forecast of their sum, if it has one. Each keeps its
 * share. Some series end each year, so the forecast is the mean of that of all series, with those that count as
 * discontinued, and of that without them. If most series are slow, a history that is too short to show this counts as
 * slow too. Other forecasts stay as they are.
 *
 * Source: Nikolopoulos, Syntetos, Boylan, Petropoulos and Assimakopoulos (2011), An aggregate-disaggregate intermittent
 * demand approach (ADIDA) to forecasting, Journal of the Operational Research Society 62; here over series instead of
 * periods.
 *
 * @param forecasted series of the same periods, forecast with the same options by `auto`
 * @returns a function from each of these series to its forecast
 */
export function together(
  forecasted: readonly Forecasted[],
  options: ForecastOptions,
): (each: Forecasted) => SeriesForecast {
  const slow = forecasted.filter(({ result }) => result.isSlow);
  if (slow.length < 2) return ({ result }) => result;
  const living = slow.filter(({ result }) => result.forecast.some(Boolean));
  const sums = [slow, living].map((some) =>
    forecastOfSum(
      some.map(({ history }) => history),
      options,
    ),
  );
  const shares = Array.from({ length: options.horizon }, (_, h) =>
    sum(living.map(({ result }) => at(result.forecast, h))),
  );
  const [ofSlow, ofLiving] = sums;
  const total =
    ofSlow && ofLiving && shares.every((share) => share > 0)
      ? ofSlow.map((amount, h) => (amount + at(ofLiving, h)) / 2)
      : null;
  const isScaled = new Set(total ? living : []);
  const longer = forecasted.filter(({ history }) => knownOf(history).length >= SHORTEST);
  const young = new Set(
    2 * slow.length > longer.length ? forecasted.filter((each) => isYoung(each)) : [],
  );
  const frequency = mean(slow.map(({ history }) => frequencyOf(knownOf(history))));
  return (each) => {
    if (young.has(each)) return ofYoung(each, frequency, options.unit);
    return total && isScaled.has(each) ? scaled(each, total, shares, living.length) : each.result;
  };
}

const knownOf = (history: Forecasted['history']): number[] =>
  history.flatMap((amount) => amount ?? []);

/** Whether a series has an amount but is too short for a method. */
const isYoung = ({ history }: Forecasted): boolean => {
  const known = knownOf(history);
  return known.length < SHORTEST && known.some(Boolean);
};

/** Returns the share of the periods after the first one that have an amount. */
const frequencyOf = (known: readonly number[]): number =>
  mean(known.slice(1).map((amount) => Number(amount !== 0)));

/** The number of periods that a young series is taken to have had in its bands. */
const USUAL_PERIODS = 40;

/** Forecasts a series that is too short to show how often it sells, as often as the slow series of its request. */
function ofYoung({ history, result }: Forecasted, frequency: number, unit: string): SeriesForecast {
  const amounts = knownOf(history).filter(Boolean);
  const size = mean(amounts);
  const forecast = result.forecast.map(() => size * frequency);
  const periods = Array.from({ length: USUAL_PERIODS }, (_, t) =>
    t <= frequency * USUAL_PERIODS ? size : 0,
  );
  const deviation = Math.abs(size) * Math.sqrt(frequency * (1 - frequency));
  return {
    ...result,
    ...{ method: 'mean', forecast, deviation: forecast.map(() => deviation), isSlow: true },
    band80: limitsOfSlow(periods, forecast, 0.8),
    band95: limitsOfSlow(periods, forecast, 0.95),
    why: `Its history is too short to show how often it sells, so it is forecast to sell in ${percent(frequency)} of the ${unit}s, as the slow series beside it.`,
  };
}

/** The fewest amounts of all series that show how their sum grows. */
const FEWEST_AMOUNTS = 60;
/** The least number of years that show it. */
const YEARS = 2;

/**
 * Forecasts the sum of slow series. A sum that varies by chance around a steady growth continues this growth, even if
 * the sum itself is slow. The forecast of any other sum is the mean of the forecast of a single series and of a line.
 *
 * @returns null if it is below 0, too short, or slow without a steady growth
 */
export function forecastOfSum(
  histories: readonly Forecasted['history'][],
  options: ForecastOptions,
): number[] | null {
  const total = totalOf(histories);
  const start = total.findIndex((amount) => amount !== null);
  const known = fillGaps(start < 0 ? [] : total.slice(start), options.period);
  if (known.some((amount) => amount < 0)) return null;
  const amounts = sum(histories.map((history) => history.filter(Boolean).length));
  const isLong = amounts >= FEWEST_AMOUNTS && known.length >= YEARS * options.period;
  const growth = isLong ? steadyGrowth(known, options) : null;
  if (growth) return growth;
  if (demandOf(known).isSlow) return null;
  const { forecast, backtest, method } = forecastSeries(total, options);
  if (!backtest || method === 'last_year') return null;
  const line = continued(known, options);
  return notBelow(
    known,
    forecast.map((amount, h) => (amount + at(line, h)) / 2),
  );
}

/** Continues the growth of a series, with its seasons; null if the level moves otherwise. */
function steadyGrowth(
  values: readonly number[],
  { horizon, period }: ForecastOptions,
): number[] | null {
  const seasons = findSeasons(values, period);
  const adjusted = removeSeasons(values, seasons);
  const curve = growthOf(adjusted);
  if (!isSteady(adjusted, curve)) return null;
  const { length } = values;
  const ahead = Array.from({ length: horizon }, (_, h) =>
    withSeason(curve(length + h), seasons, length + h),
  );
  return notBelow(values, ahead);
}

/** The least share of the level of all series that the known ones have in a period of a total. */
const LEAST_KNOWN = 0.3;

/**
 * Returns the sum of series by period as if all of them were known in each: the sum of the known ones, times the level
 * of all over that of the known ones. A level is the mean of a series. Without this, each launch would count as growth
 * of the others. The first period of a series mostly has an amount because the series begins there, so it is left out.
 *
 * @returns null for periods in which the known series have too small a share of the level
 */
function totalOf(histories: readonly Forecasted['history'][]): (number | null)[] {
  const periods = histories[0]?.length ?? 0;
  const [levels, amounts] = [zeros(periods), zeros(periods)];
  let whole = 0;
  for (const history of histories) {
    const start = history.findIndex((amount) => amount !== null) + 1;
    const level = mean(history.slice(start).filter((amount) => amount !== null));
    whole += level;
    for (let t = start; t < periods; t++) {
      const amount = history[t] ?? null;
      if (amount === null) continue;
      levels[t] = at(levels, t) + level;
      amounts[t] = at(amounts, t) + amount;
    }
  }
  return levels.map((level, t) =>
    level <= 0 || level < LEAST_KNOWN * whole ? null : (at(amounts, t) * whole) / level,
  );
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0);

/** Continues the line through the square roots of a series, which are about equally uncertain at each level. */
function continued(values: readonly number[], { horizon, period }: ForecastOptions): number[] {
  const roots = values.map(ROOTS.from);
  return scaledBack(seasonally(straight, roots, horizon, findSeasons(roots, period)), ROOTS)
    .forecast;
}

function straight(values: readonly number[], horizon: number): Fit {
  const { intercept, slope } = lineThrough(values);
  const line = (t: number) => intercept + slope * t;
  const fitted = values.map((_, t) => line(t));
  const sigma = errorDeviation(values, fitted, 2);
  const forecast = Array.from({ length: horizon }, (_, h) => line(values.length + h));
  return { fitted, forecast, deviation: forecast.map(() => sigma), parameters: {} };
}

function scaled(
  { history, result }: Forecasted,
  total: readonly number[],
  shares: readonly number[],
  count: number,
): SeriesForecast {
  const by = (values: readonly number[]) =>
    values.map((value, h) => (value * at(total, h)) / at(shares, h));
  const forecast = by(result.forecast);
  const known = knownOf(history);
  return {
    ...result,
    forecast,
    deviation: by(result.deviation),
    band80: limitsOfSlow(known, forecast, 0.8),
    band95: limitsOfSlow(known, forecast, 0.95),
    why: `${result.why} It has its share of the forecast of all ${count} such series together.`,
  };
}
