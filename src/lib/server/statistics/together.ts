/** Forecasts slow series together: their sum has a trend and seasons that none of them shows alone. */
import { errorDeviation, type Fit, ROOTS, scaledBack, seasonally } from './fit';
import { type ForecastOptions, forecastSeries, type SeriesForecast } from './forecast';
import { findSeasons } from './seasonality';
import { at, fillGaps, lineThrough, mean, notBelow, sum } from './series';
import { demandOf, limitsOfSlow } from './slow';

/** A series and its own forecast. */
export interface Forecasted {
  /** Oldest first; null where the amount is not known. */
  history: readonly (number | null)[];
  result: SeriesForecast;
}

/**
 * Scales the forecasts of slow series so that they add up to the forecast of their sum, if that is not slow itself.
 * Each keeps its share. Forecasts of other series stay as they are. The forecast of the sum is the mean of its own and
 * of the line through its history: the methods damp trends, which would be a bias where most of the movement is chance.
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
  const own = ({ result }: Forecasted) => result;
  const slow = forecasted.filter(({ result }) => result.isSlow);
  if (slow.length < 2) return own;
  const forecast = forecastOfSum(
    slow.map(({ history }) => history),
    options,
  );
  if (!forecast) return own;
  const shares = forecast.map((_, h) => sum(slow.map(({ result }) => at(result.forecast, h))));
  if (shares.some((share) => share <= 0)) return own;
  return (each) =>
    each.result.isSlow && each.result.forecast.some(Boolean)
      ? scaled(each, forecast, shares, slow.length)
      : each.result;
}

/** Forecasts the sum of slow series; null if it is slow itself, below 0 or too short. */
export function forecastOfSum(
  histories: readonly Forecasted['history'][],
  options: ForecastOptions,
): number[] | null {
  const total = totalOf(histories);
  const start = total.findIndex((amount) => amount !== null);
  const known = fillGaps(start < 0 ? [] : total.slice(start), options.period);
  if (demandOf(known).isSlow || known.some((amount) => amount < 0)) return null;
  const { forecast, backtest, method } = forecastSeries(total, options);
  if (!backtest || method === 'last_year') return null;
  const line = continued(known, options);
  return notBelow(
    known,
    forecast.map((amount, h) => (amount + at(line, h)) / 2),
  );
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
  const known = history.flatMap((amount) => amount ?? []);
  return {
    ...result,
    forecast,
    deviation: by(result.deviation),
    band80: limitsOfSlow(known, forecast, 0.8),
    band95: limitsOfSlow(known, forecast, 0.95),
    why: `${result.why} It has its share of the forecast of all ${count} such series together.`,
  };
}
