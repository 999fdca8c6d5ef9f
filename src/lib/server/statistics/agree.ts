/** Forecasts of several levels that agree: the forecast of each sum is the sum of those of its parts. */
import { type BandShare, limitOf } from '../../contract/forecasts';
import { percent } from './choice';
import { bandAround, type ForecastOptions, type SeriesForecast } from './forecast';
import { reconcile } from './reconcile';
import { at, sum } from './series';
import { limitsOfSlow } from './slow';
import { type Forecasted, forecastOfSum } from './together';

/** A series that is the sum of others, and its own forecast. */
export interface ForecastedSum extends Forecasted {
  /** Positions of its parts. */
  parts: readonly number[];
}

/**
 * Returns the forecast of a sum that its parts are made to agree with: its own, but that of slow series together for the
 * share that slow parts have in it, because only that one does not damp their trend.
 *
 * @param parts all series of the finest level
 */
export function forecastForParts(
  { result: { forecast }, parts: positions }: ForecastedSum,
  parts: readonly Forecasted[],
  options: ForecastOptions,
): number[] {
  const own = positions.flatMap((i) => parts[i] ?? []);
  const slow = own.filter(({ result }) => result.isSlow);
  if (slow.length < 2) return forecast;
  const ofSlow = forecastOfSum(
    slow.map(({ history }) => history),
    options,
  );
  if (!ofSlow) return forecast;
  const size = (of: readonly Forecasted[]) =>
    sum(of.map(({ result }) => sum(result.forecast.map(Math.abs))));
  const share = size(slow) / size(own);
  return forecast.map((amount, h) => (1 - share) * amount + at(ofSlow, h));
}

/**
 * Makes the forecasts of one period agree ({@link reconcile}), with the variances of their errors.
 *
 * @param h number of the period within the horizon, from 0
 * @param sums with the forecasts of {@link forecastForParts}
 * @returns the forecasts of the parts
 */
export const agreedIn = (
  h: number,
  parts: readonly Forecasted[],
  sums: readonly (ForecastedSum & { forecast: readonly number[] })[],
): number[] =>
  reconcile(
    parts.map((part) => ({
      forecast: at(part.result.forecast, h),
      variance: varianceOf(part, h),
    })),
    sums.map((each) => ({
      ...{ forecast: at(each.forecast, h), variance: varianceOf(each, h) },
      parts: each.parts,
    })),
    (i) => parts[i]?.history.some((amount) => amount !== null && amount < 0) === true,
  );

/** The variance of an error. That of a history which is too short to tell is as large as the forecast. */
function varianceOf({ result: { deviation, forecast, backtest, isSlow } }: Forecasted, h: number) {
  const isUnknown = backtest === null && !isSlow && at(deviation, h) === 0;
  return (isUnknown ? at(forecast, h) : at(deviation, h)) ** 2;
}

/**
 * Returns a forecast with amounts that agree with those of other levels. The limits move with them. The deviations stay,
 * since the errors become smaller at best on average.
 */
export function moved(
  { history, result }: Forecasted,
  forecast: readonly number[],
): SeriesForecast {
  const known = history.flatMap((amount) => amount ?? []);
  const limits = (share: BandShare): SeriesForecast['band80'] => {
    if (result.isSlow) return limitsOfSlow(known, forecast, share / 100);
    return bandAround(forecast, result.deviation, limitOf(share, result.freedom), known);
  };
  return {
    ...result,
    forecast: [...forecast],
    band80: limits(80),
    band95: limits(95),
    why: `${result.why} ${changeText(sum(result.forecast), sum(forecast))}`,
  };
}

/** Says by how much a total was changed, in a sentence. */
function changeText(before: number, after: number): string {
  const change = before === 0 ? 0 : (after - before) / Math.abs(before);
  const text = percent(Math.abs(change));
  if (text === '0 %' && before !== 0) return 'It agrees with the other levels as it is.';
  const how = before === 0 ? 'changed' : `${change > 0 ? 'raised' : 'lowered'} by ${text}`;
  return `So that all levels add up, it was ${how}.`;
}
