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
import type { GroupSums } from '../../db/loads/history';
import {
  firstDay,
  isWeek53,
  lastDay,
  periodOfDay,
  PERIODS_OF_YEAR,
} from '../../../contract/calendar';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureKind } from '../../sql/forecast-columns';
import { type ForecastedSum, moved } from '../../statistics/agree';
import { dependenceOf } from '../../statistics/dependence';
import { forecastSeries, type SeriesForecast } from '../../statistics/forecast';
import { rounded, roundedAtLevels, roundedTogether } from '../../statistics/rounding';
import { sum } from '../../statistics/series';
import { type Forecasted, together } from '../../statistics/together';
import { Turns } from '../../turns';
import type { Amounts } from './forecast-hierarchy';
import { agreed, coarser, groupNumbers, nestedLevels } from './forecast-hierarchy';
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

/** The names of the dimensions of each coarser level. */
export const levelNames = ({ by, levels }: Pick<History, 'by' | 'levels'>): string[][] =>
  levels.map((kept) => kept.map((i) => by[i]?.name ?? ''));

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
  const { groups, sums } = await fitHistory(history, request, signal, report);
  const { date, unit, first, through } = history;
  const isIgnored = ignoredIn(history, request);
  const periods = numbers(first, through);
  const named = (of: readonly number[]) => of.map((period) => firstDay(period, unit));
  return {
    column: date.name,
    history: named(periods),
    horizon: named(horizonOf(history)),
    ignored: named(periods.filter(isIgnored)),
    groups: groups.map(({ id: _, deviation: __, dependence: ___, ...group }) => group),
    sums,
  };
}

/**
 * Forecasts each measure of each group of a history, and of the groups of its coarser levels. Other requests are
 * answered between two series.
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
): Promise<{ groups: Fit[]; sums: GroupForecast[] }> {
  const { unit, by, levels, measures, sums, first, through, horizon } = history;
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
  const fitsOfSums: GroupForecast[] = [];
  const amountsOf: ReturnType<typeof seriesOf>[] = [];
  for (const group of sums) {
    await turns.give();
    signal?.throwIfAborted();
    amountsOf.push(seriesOf(group, periods, (day) => periodOfDay(day, unit)));
  }
  const groupsOfLevels = groupNumbers(sums, levels).map((groups) => new Set(groups).size);
  const series = measures.length * (sums.length + sum(groupsOfLevels));
  let done = 0;
  /** Forecasts the series of one level. */
  const forecastLevel = async (all: readonly Amounts[]): Promise<Forecasted[]> => {
    const own: Forecasted[] = [];
    for (const amounts of all) {
      await turns.give();
      signal?.throwIfAborted();
      report?.({ fitted: done, series });
      done++;
      const learned = amounts
        .map((amount, t) => (isIgnored(first + t) ? null : amount))
        .filter((_, t) => isLearned(first + t));
      own.push({ history: learned, result: forecastSeries(learned, options) });
    }
    const forecastOf = together(own, options);
    const found: Forecasted[] = [];
    for (const each of own) {
      await turns.give();
      signal?.throwIfAborted();
      found.push({ ...each, result: forecastOf(each) });
    }
    return found;
  };
  const shown = (values: readonly number[]) => withWeek53(values, ahead, isLearned).slice(between);
  const groupOf = (
    group: GroupSums | undefined,
    names: readonly string[] = by.map(({ name }) => name),
  ) =>
    Object.fromEntries(
      by.flatMap(({ name }, k) => (names.includes(name) ? [[name, group?.key[k] ?? null]] : [])),
    );
  for (const [i, measure] of measures.entries()) {
    const decimals = await decimalsOf(measure, i, history, turns);
    const known: Amounts[] = [];
    for (const amountsOfGroup of amountsOf) {
      await turns.give();
      signal?.throwIfAborted();
      known.push(amountsOfGroup(i, measure));
    }
    const cells = await forecastLevel(known);
    const correlation = dependenceOf(cells.map(({ result }) => result.withheld));
    const dependence = Number(correlation.toPrecision(DEVIATION_DIGITS));
    const answered = (amounts: Amounts, result: SeriesForecast, forecast: number[]) => {
      const { fitted, deviation: _, isSlow: __, withheld: ___, ...facts } = result;
      const learnedFits = fitted.values();
      const limits = ({ lower, upper }: SeriesForecast['band80']) => ({
        lower: shown(lower),
        upper: shown(upper),
      });
      return {
        ...facts,
        measure: measureKey(measure),
        history: amounts,
        fit: periods.map((period) =>
          isLearned(period) ? (learnedFits.next().value ?? null) : null,
        ),
        forecast,
        band80: limits(result.band80),
        band95: limits(result.band95),
      };
    };
    let results = cells.map(({ result }) => result);
    let given = results.map(({ forecast, isSlow }) =>
      isSlow
        ? roundedTogether(shown(forecast), decimals)
        : shown(forecast).map((amount) => rounded(amount, decimals)),
    );
    if (levels.length > 0) {
      const coarse: (ForecastedSum & { amounts: Amounts; by: readonly string[] })[] = [];
      for (const level of levels.map((kept) => coarser(history, known, kept))) {
        const found = await forecastLevel(level.groups.map(({ amounts }) => amounts));
        for (const [g, each] of found.entries()) {
          const { amounts = [], cells: parts = [] } = level.groups[g] ?? {};
          coarse.push({ ...each, parts, amounts, by: level.by });
        }
      }
      const exact = await agreed(cells, coarse, options, { turns, signal });
      results = cells.map((cell, c) => moved(cell, exact[c] ?? []));
      given = roundedAtLevels(
        results.map(({ forecast }) => shown(forecast)),
        groupNumbers(sums, nestedLevels(levels)),
        decimals,
      );
      for (const { amounts, by: names, parts, ...each } of coarse) {
        const result = moved(each, addedUp(exact, parts));
        const forecast = addedUp(given, parts).map((amount) => rounded(amount, decimals));
        const group = groupOf(sums[parts[0] ?? 0], names);
        fitsOfSums.push({ group, ...answered(amounts, result, forecast) });
      }
    }
    for (const [g, result] of results.entries()) {
      const group = sums[g];
      if (!group) continue;
      const deviation = shown(result.deviation).map((each) =>
        Number(each.toPrecision(DEVIATION_DIGITS)),
      );
      (fits[g] ??= []).push({
        ...{ id: group.id, deviation, dependence, group: groupOf(group) },
        ...answered(known[g] ?? [], result, given[g] ?? []),
      });
    }
  }
  return { groups: fits.flat(), sums: fitsOfSums };
}

/** Adds up the amounts of some series by period. */
const addedUp = (series: readonly (readonly number[])[], parts: readonly number[]): number[] =>
  (series[0] ?? []).map((_, h) => sum(parts.map((i) => series[i]?.[h] ?? 0)));

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
