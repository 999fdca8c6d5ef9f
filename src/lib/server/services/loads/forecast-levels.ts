/** Compares the levels that a forecast can be fitted at. */
import { measureKey } from '../../../contract/columns';
import { coarserLevels } from '../../../contract/forecasts';
import type {
  FitProgress,
  ForecastLevels,
  ForecastPreviewRequest,
  LevelResult,
} from '../../../contract/forecasts';
import type { GroupSums } from '../../db/loads/history';
import type { Queryable } from '../../db/connection/queryable';
import type { Database } from '../../db/database';
import { AppError } from '../../errors';
import { firstDay, lastDay, PERIODS_OF_YEAR } from '../../../contract/calendar';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { groupId } from '../../sql/groups';
import type { ForecastedSum } from '../../statistics/agree';
import { biasText, inLast, isBiased, percent } from '../../statistics/choice';
import type { LevelErrors, Withheld } from '../../statistics/levels';
import {
  errorsOfCells,
  forecastWithheld,
  lastYearMoved,
  spread,
  withhold,
} from '../../statistics/levels';
import { perDay } from '../../statistics/series';
import { type Forecasted, together } from '../../statistics/together';
import { Turns } from '../../turns';
import { agreed, type Amounts, coarser, type Level } from './forecast-hierarchy';
import type { History } from './forecast-history';
import { readHistory, seriesOf } from './forecast-history';
import type { ForecastVersion } from '../version/forecast-version';
import { ignoredIn, isRegular, numbers, periodNumbers, sellingDaysIn } from './forecast-periods';
import { readVersion } from '../version/forecast-version';

/** The most series that are fitted in one comparison. */
const MOST_SERIES = 1000;
const TOO_MANY = `It would take more than ${MOST_SERIES} series to compare it, too.`;
/** The most levels with one more dimension; each of them reads the source once more. */
const MOST_FINER = 4;

/**
 * Compares the levels at which the rows of the source can be forecast, by the errors at the level of the request
 * (docs/contract/05-operations.md#post-versionsidforecastlevels). No connection to the database is held while the
 * series are fitted.
 *
 * @param signal ends the work when nobody waits for it
 * @param report called before each series
 * @throws AppError as `readHistory`, 404
 */
export async function forecastLevels(
  db: Database,
  versionId: number,
  { levels: _, ...request }: ForecastPreviewRequest,
  signal?: AbortSignal,
  report?: (progress: FitProgress) => void,
): Promise<ForecastLevels> {
  const read = async (tx: Queryable) => {
    const target = await readVersion(tx, versionId);
    const own = await readHistory(tx, target, request);
    const finer: (readonly [by: string[], history: History | null])[] = [];
    for (const { name } of furtherDimensions(target, own.by).slice(0, MOST_FINER)) {
      signal?.throwIfAborted();
      const by = [...own.by.map((column) => column.name), name];
      const history = await readHistory(tx, target, { ...request, by }).catch(ifTooMany);
      finer.push([by, history]);
    }
    return { own, finer };
  };
  const { own, finer } = await db.versionRead(versionId, read, 'rows', signal);
  const names = own.by.map(({ name }) => name);
  const { unit, first, through, horizon } = own;
  const isIgnored = ignoredIn(own, request);
  const periods = learnedPeriods(own);
  const ahead = numbers(through + 1, horizon.last).filter(isRegular(own));
  const withheld = withhold(periods.length, Math.max(1, ahead.length), (t) =>
    isIgnored(periods[t] ?? first),
  );
  const [ofMeasure] = own.measures;
  const measure = ofMeasure ? measureKey(ofMeasure) : 'value';
  const levels: LevelResult[] = [];
  const skipped: ForecastLevels['skipped'] = [];
  const base = { by: names, measure, levels, skipped } as const;
  if (!withheld) {
    const why = 'The history is too short to compare levels.';
    return {
      ...base,
      periods: 0,
      from: null,
      through: null,
      last_year: null,
      best: names,
      best_levels: [],
      why,
    };
  }
  const period = PERIODS_OF_YEAR[unit];
  const turns = new Turns(signal);
  const amountsOf = amountsIn(own);
  const cells = await turns.each(own.sums, amountsOf);
  const cellAt = new Map(own.sums.map(({ id }, c) => [groupId(id), c]));
  const options = { period, unit, method: request.method ?? 'auto' };
  let ownForecasts: Forecasted[] | undefined;
  const coarse: ForecastedSum[] = [];
  const candidates: Level[] = [
    { by: names, groups: cells.map((amounts, c) => ({ amounts, cells: [c] })) },
    ...coarserLevels([...names.keys()]).map((kept) => coarser(own, cells, kept)),
  ];
  for (const [by, history] of finer) {
    if (!history) skipped.push({ by, why: 'It has too many groups.' });
    // The amounts of a level that is too large are not collected.
    else if (history.sums.length > MOST_SERIES) skipped.push({ by, why: TOO_MANY });
    else candidates.push(finerLevel(history, amountsOf, own.by.length, cellAt));
  }
  let series = 0;
  const compared = candidates.filter(({ by, groups }) => {
    const isFew = series + groups.length <= MOST_SERIES;
    if (isFew) series += groups.length;
    else skipped.push({ by: [...by], why: TOO_MANY });
    return isFew;
  });
  let fitted = 0;
  for (const level of compared) {
    const by = [...level.by];
    const found = await forecastLevel(level, withheld, options, turns, () =>
      report?.({ fitted: fitted++, series }),
    );
    const forecasts = amountsOfCells(found, level, cells, withheld, period);
    const errors = errorsOfCells(forecasts, cells, withheld);
    levels.push({ by, levels: [], groups: level.groups.length, ...errors });
    if (level === candidates[0]) ownForecasts = found;
    else if (by.length < names.length) {
      coarse.push(...found.map((each, g) => ({ ...each, parts: level.groups[g]?.cells ?? [] })));
    }
  }
  if (ownForecasts && coarse.length > 0) {
    const agreeing = { ...options, horizon: withheld.periods };
    const forecasts = await agreed(ownForecasts, coarse, agreeing, turns);
    const errors = errorsOfCells(forecasts, cells, withheld);
    const coarserOnes = levels.map(({ by }) => by).filter((by) => by.length < names.length);
    const groups = ownForecasts.length + coarse.length;
    levels.push({ by: names, levels: coarserOnes, groups, ...errors });
  }
  // The order of the candidates decides between equal errors: the level of the request comes first.
  levels.sort((a, b) => Number(isBiased(a)) - Number(isBiased(b)) || sizeOf(a) - sizeOf(b));
  const moved = await turns.each(cells, (cell) => lastYearMoved(cell, withheld, period));
  const benchmark = errorsOfCells(moved, cells, withheld);
  const end = withheld.cut + withheld.periods;
  return {
    ...base,
    periods: withheld.periods,
    from: firstDay(periods[withheld.cut] ?? first, unit),
    through: lastDay(periods[end - 1] ?? through, unit),
    last_year: benchmark,
    best: levels[0]?.by ?? names,
    best_levels: levels[0]?.levels ?? [],
    why: whyBest(base, benchmark, inLast(withheld.periods, unit, end < periods.length)),
  };
}

/** The error that orders the levels, rounded so that the order of additions does not decide. */
const sizeOf = ({ rmse }: LevelErrors): number => Number(rmse.toPrecision(9));

/**
 * Forecasts the withheld periods of the groups of a level. Other requests are answered between two series.
 *
 * @param begin called before each series
 */
async function forecastLevel(
  { groups }: Level,
  withheld: Withheld,
  options: Parameters<typeof forecastWithheld>[2],
  turns: Turns,
  begin: () => void,
): Promise<Forecasted[]> {
  const own = await turns.each(groups, ({ amounts }) => {
    begin();
    return forecastWithheld(amounts, withheld, options);
  });
  const forecastOf = together(own, { ...options, horizon: withheld.periods });
  return own.map((each) => ({ ...each, result: forecastOf(each) }));
}

/** Adds up or spreads the forecasts of the groups of a level over the cells. */
function amountsOfCells(
  forecasted: readonly Forecasted[],
  { groups }: Level,
  cells: readonly Amounts[],
  withheld: Withheld,
  period: number,
): number[][] {
  const forecasts = cells.map(() => Array.from({ length: withheld.periods }, () => 0));
  for (const [g, group] of groups.entries()) {
    const forecast = forecasted[g]?.result.forecast ?? [];
    const parts = group.cells.map((c) => cells[c] ?? []);
    const spreads = parts.length === 1 ? [forecast] : spread(forecast, parts, withheld, period);
    for (const [i, c] of group.cells.entries()) {
      for (const [h, amount] of (spreads[i] ?? []).entries()) {
        const own = forecasts[c];
        if (own) own[h] = (own[h] ?? 0) + amount;
      }
    }
  }
  return forecasts;
}

/**
 * Returns a function from groups to their amounts of the first measure in the periods of a history, per selling day if
 * these count.
 */
function amountsIn(history: History): (group: GroupSums) => Amounts {
  const [measure] = history.measures;
  if (!measure) return () => [];
  const periods = learnedPeriods(history);
  const [days, periodOf] = [sellingDaysIn(history, periods), periodNumbers(history)];
  return (group) => perDay(seriesOf(group, periods, periodOf)(0, measure), days);
}

/** The periods of a history that methods learn from, by number. */
const learnedPeriods = (history: History): number[] =>
  numbers(history.first, history.through).filter(isRegular(history));

/** The dimensions that a level can have besides its own, in their order. */
const furtherDimensions = (
  { columns }: ForecastVersion,
  by: readonly ForecastColumn[],
): ForecastColumn[] =>
  columns.filter(
    (column) => column.role === 'dimension' && column.periodColumn === null && !by.includes(column),
  );

/** Makes a history with too many groups null. @throws AppError any other error */
function ifTooMany(error: unknown): null {
  if (error instanceof AppError && error.status === 422 && error.blame.field === 'by') return null;
  throw error;
}

/** The level with one more dimension than the cells: each of its groups is a part of a cell. */
const finerLevel = (
  { by, sums }: History,
  amountsOf: (group: GroupSums) => Amounts,
  dimensions: number,
  cellAt: ReadonlyMap<string, number>,
): Level => ({
  by: by.map(({ name }) => name),
  groups: sums.flatMap((group) => {
    const cell = cellAt.get(groupId(group.id.slice(0, dimensions)));
    return cell === undefined ? [] : [{ amounts: amountsOf(group), cells: [cell] }];
  }),
});

/** Says which level did best, in a sentence. */
function whyBest(
  { by, levels }: Pick<ForecastLevels, 'by' | 'levels'>,
  benchmark: LevelErrors,
  span: string,
): string {
  const [best] = levels;
  const isOwn = (level: LevelResult) =>
    level.levels.length === 0 && level.by.join('\0') === by.join('\0');
  const own = levels.find(isOwn);
  if (!best || best.wape === null || benchmark.wape === null) {
    return 'The amounts are all 0, so no level is better than another.';
  }
  const moved = `last year moved would have been ${percent(benchmark.wape)} off`;
  const off = `${percent(best.wape)} off on average ${span}`;
  const warning = isBiased(best)
    ? ` But its total was ${biasText(best.bias ?? 0)}, and that of no other level was within 10 %.`
    : '';
  if (isOwn(best)) return `No other level did better: ${off}; ${moved}.${warning}`;
  const how =
    best.levels.length > 0
      ? `Forecasts of ${nameOf(by)} and of the coarser levels, made to agree, did best`
      : best.by.length < by.length
        ? `A forecast of ${nameOf(best.by)}, spread over ${nameOf(by)}, did best`
        : `A forecast of ${nameOf(best.by)}, added up, did best`;
  const total = own && isBiased(own) ? `, and its total ${biasText(own.bias ?? 0)}` : '';
  const instead =
    own?.wape == null ? '' : `; a forecast of ${nameOf(by)} was ${percent(own.wape)} off${total}`;
  return `${how}: ${off}${instead}; ${moved}.${warning}`;
}

const nameOf = (by: readonly string[]): string =>
  by.length === 0 ? 'the total' : `each ${by.join(', ')}`;
