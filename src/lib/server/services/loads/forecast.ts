/** Forecasts the history of a source. */
import type {
  FitProgress,
  ForecastPreviewRequest,
  GroupForecast,
} from '../../../contract/forecasts';
import { type ForecastPreview } from '../../../contract/forecasts';
import { measureKey } from '../../../contract/columns';
import { digitsOf } from '../../../contract/decimals';
import type { Database } from '../../db/database';
import {
  firstDay,
  isWeek53,
  lastDay,
  periodOfDay,
  PERIODS_OF_YEAR,
} from '../../../contract/calendar';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind } from '../../sql/forecast-columns';
import { dependenceOf } from '../../statistics/dependence';
import { forecastSeries } from '../../statistics/forecast';
import { rounded, roundedTogether } from '../../statistics/rounding';
import { type Forecasted, together } from '../../statistics/together';
import { Turns } from '../../turns';
import type { History } from './forecast-history';
import { readHistory, seriesOf } from './forecast-history';
import { readVersion } from '../version/forecast-version';

/** Digits of a standard deviation in the log, which has one for each amount. */
const DEVIATION_DIGITS = 5;

/** The forecast of one measure of one group, and the values of the group as texts. */
interface Fit extends GroupForecast {
  id: (string | null)[];
  /** Standard deviation of the error of each amount. */
  deviation: number[];
  /** Correlation of its errors with those of another group. */
  dependence: number;
}

/** The numbers of a range of periods. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/**
 * Tells which periods methods learn from and forecast: all but each 53rd week, so that the weeks of a season keep their
 * numbers (docs/forecasting.md).
 */
export const isRegular =
  ({ unit }: Pick<History, 'unit'>) =>
  (period: number): boolean =>
    unit !== 'week' || !isWeek53(period);

/** The numbers of the periods to forecast. */
export const horizonOf = ({ horizon }: History): number[] => numbers(horizon.first, horizon.last);

/** Tells which periods of the history are not learned from. */
export const ignoredIn =
  ({ unit }: History, { ignore }: ForecastPreviewRequest) =>
  (period: number) =>
    (ignore ?? []).some(
      ({ from, to }) => from <= lastDay(period, unit) && to >= firstDay(period, unit),
    );

/**
 * Forecasts the rows of the source by group, and writes nothing
 * (docs/contract/05-operations.md#post-versionsidforecastpreview). No connection to the database is held while the
 * series are fitted.
 *
 * @param signal ends the work when nobody waits for it
 * @param report called often, first when the history is read
 * @throws AppError as {@link readHistory}, 404
 */
export async function previewForecast(
  db: Database,
  versionId: number,
  request: ForecastPreviewRequest,
  signal?: AbortSignal,
  report?: (progress: FitProgress) => void,
): Promise<ForecastPreview> {
  const history = await db.versionRead(
    versionId,
    async (tx) => readHistory(tx, await readVersion(tx, versionId), request),
    'rows',
    signal,
  );
  const fits = await fitHistory(history, request, signal, report);
  const { date, unit, first, through } = history;
  const isIgnored = ignoredIn(history, request);
  const periods = numbers(first, through);
  const named = (of: readonly number[]) => of.map((period) => firstDay(period, unit));
  return {
    column: date.name,
    history: named(periods),
    horizon: named(horizonOf(history)),
    ignored: named(periods.filter(isIgnored)),
    groups: fits.map(({ id: _, deviation: __, dependence: ___, ...group }) => group),
  };
}

/**
 * Forecasts each measure of each group of a history. Other requests are answered between two series.
 *
 * @param signal ends the work between two series, when nobody waits for it
 * @param report called before each series
 * @throws AppError 422 for an amount that is not a number
 */
export async function fitHistory(
  history: History,
  request: ForecastPreviewRequest,
  signal?: AbortSignal,
  report?: (progress: FitProgress) => void,
): Promise<Fit[]> {
  const { unit, by, measures, sums, first, through, horizon } = history;
  const isIgnored = ignoredIn(history, request);
  const isLearned = isRegular(history);
  const periods = numbers(first, through);
  // Methods forecast from the end of the history; periods before the horizon are not answered.
  const ahead = numbers(through + 1, horizon.last);
  const between = horizon.first - through - 1;
  const options = {
    horizon: Math.max(1, ahead.filter(isLearned).length),
    period: PERIODS_OF_YEAR[unit],
    unit,
    method: request.method ?? 'auto',
  };
  const turns = new Turns();
  const fits: Fit[][] = [];
  const amountsOf: ReturnType<typeof seriesOf>[] = [];
  for (const group of sums) {
    await turns.give();
    signal?.throwIfAborted();
    amountsOf.push(seriesOf(group, periods, (day) => periodOfDay(day, unit)));
  }
  for (const [i, measure] of measures.entries()) {
    const decimals = await decimalsOf(measure, i, history, turns);
    signal?.throwIfAborted();
    const own: Forecasted[] = [];
    const series: (number | null)[][] = [];
    for (const amountsOfGroup of amountsOf) {
      await turns.give();
      signal?.throwIfAborted();
      report?.({
        fitted: i * sums.length + own.length,
        series: measures.length * sums.length,
      });
      const amounts = amountsOfGroup(i, measure);
      const learned = amounts
        .map((amount, t) => (isIgnored(first + t) ? null : amount))
        .filter((_, t) => isLearned(first + t));
      series.push(amounts);
      own.push({ history: learned, result: forecastSeries(learned, options) });
    }
    const correlation = dependenceOf(own.map(({ result }) => result.withheld));
    const dependence = Number(correlation.toPrecision(DEVIATION_DIGITS));
    const forecastOf = together(own, options);
    for (const [g, each] of own.entries()) {
      await turns.give();
      signal?.throwIfAborted();
      const result = forecastOf(each);
      const { fitted, forecast, deviation, band80, band95, isSlow, withheld: _, ...facts } = result;
      const group = sums[g];
      if (!group) continue;
      const learnedFits = fitted.values();
      const shown = (values: readonly number[]) =>
        withWeek53(values, ahead, isLearned).slice(between);
      const limits = ({ lower, upper }: typeof band80) => ({
        lower: shown(lower),
        upper: shown(upper),
      });
      (fits[g] ??= []).push({
        id: group.id,
        group: Object.fromEntries(by.map(({ name }, k) => [name, group.key[k] ?? null])),
        measure: measureKey(measure),
        history: series[g] ?? [],
        fit: periods.map((period) =>
          isLearned(period) ? (learnedFits.next().value ?? null) : null,
        ),
        deviation: shown(deviation).map((each) => Number(each.toPrecision(DEVIATION_DIGITS))),
        forecast: isSlow
          ? roundedTogether(shown(forecast), decimals)
          : shown(forecast).map((amount) => rounded(amount, decimals)),
        band80: limits(band80),
        band95: limits(band95),
        dependence,
        ...facts,
      });
    }
  }
  return fits.flat();
}

/** Returns the values of all periods from those of the regular ones: a week 53 gets that of the week before it. */
function withWeek53(
  values: readonly number[],
  periods: readonly number[],
  isLearned: (period: number) => boolean,
): number[] {
  let place = -1;
  return periods.flatMap((period) => {
    if (isLearned(period)) place++;
    return values[Math.max(0, place)] ?? [];
  });
}

/**
 * The number of decimals that the forecast of a measure is rounded to: those of its column, or for a numeric
 * without a scale those of the history, at least 2; null for a floating-point column.
 */
async function decimalsOf(
  measure: ForecastColumn,
  index: number,
  { sums }: History,
  turns: Turns,
): Promise<number | null> {
  const kind = measureKind(measure);
  if (!kind.exact) return null;
  if (kind.scale !== null) return kind.scale;
  let most = 2;
  for (const group of sums) {
    await turns.give();
    for (const amount of group.sums[index] ?? []) {
      most = Math.max(most, digitsOf(String(amount)).places);
    }
  }
  return most;
}
