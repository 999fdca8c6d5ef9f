/** Loads a forecast of the source: its rows of a season earlier, scaled to the forecast amounts. */
import type {
  FitProgress,
  FittedGroup,
  ForecastRequest,
  LeftOut,
} from '../../../contract/forecasts';
import { ForecastAnswer, MEANS } from '../../../contract/forecasts';
import type { ForecastEntry } from '../../../contract/log';
import type { Queryable } from '../../db/connection/queryable';
import type { WriteKey } from '../../db/log/idempotency';
import { requireOpen } from '../../db/versions/versions';
import { AppError } from '../../errors';
import { firstDay, lastDay, periodOfDay, PERIODS_OF_YEAR } from '../../../contract/calendar';
import { groupId, groupLiteral } from '../../sql/groups';
import type { SqlText } from '../../sql/quote';
import { commas, join, literal, sql } from '../../sql/quote';
import { forecastTemplate, takeOutTemplate } from '../../sql/templates/forecast';
import { amountKeys } from '../../sql/templates/parting';
import type { OperationWriter } from '../entries/open-entry';
import { WHOLE } from '../entries/open-entry';
import type { Resources } from '../entries/writer';
import { writing } from '../entries/writer';
import { fitHistory } from './forecast-fit';
import type { History } from './forecast-history';
import { levelNames, readHistory } from './forecast-history';
import { horizonOf } from './forecast-periods';
import { readVersion, sliceOf } from '../version/forecast-version';
import { answeredBefore } from '../entries/idempotency';
import { checkLoaded, loadParams, loadPlace, recordedLoad, requirePeriods, UNMOVED } from './loads';
import { numeric, requireUndisputed } from '../operations/operation-steps';

/** The most amounts of one entry, because the log keeps them. */
const MOST_AMOUNTS = 20_000;

/**
 * Forecasts the rows of the source by group, and loads the forecast as one entry
 * (docs/contract/05-operations.md#post-versionsidforecast). The series are fitted before the version is locked.
 *
 * @param connected runs the work before the write, and ends it by its signal when nobody waits for it
 * @param report called often while the series are fitted
 * @throws AppError as {@link forecastIn}, 403 for a closed version, 404
 */
export async function forecast(
  resources: Resources,
  versionId: number,
  request: ForecastRequest,
  key: WriteKey | undefined,
  connected: <Result>(work: (signal: AbortSignal) => Promise<Result>) => Promise<Result>,
  report?: (progress: FitProgress) => void,
): Promise<ForecastAnswer> {
  const known = await answeredBefore(resources, key, ForecastAnswer);
  if (known) {
    const { memory, ...answer } = known;
    memory.release();
    return answer;
  }
  const groups = await connected(async (signal) => {
    const read = async (tx: Queryable) => {
      const target = await readVersion(tx, versionId);
      requireOpen(target.version);
      return readHistory(tx, target, request);
    };
    const history = await resources.db.versionRead(versionId, read, 'rows', signal);
    return fittedGroups(history, request, signal, report);
  });
  return writing(resources, versionId, key, ForecastAnswer, (writer) =>
    forecastIn(writer, request, groups),
  );
}

/**
 * Loads a forecast within an open write.
 *
 * @param groups the forecast amounts; if left out, the history is fitted now
 * @throws AppError as {@link readHistory}; 409 without a calendar, if periods are derived from dates; 422 for
 * amounts that no row can carry, unless they are left out, for too many amounts, and if nothing is written; 423
 * if somebody has locked a row
 */
export async function forecastIn(
  writer: OperationWriter,
  request: ForecastRequest,
  groups?: readonly FittedGroup[],
): Promise<ForecastAnswer> {
  const { tx, target } = writer;
  const { source, columns } = target;
  requireUndisputed(target);
  const history = await readHistory(tx, target, request);
  const { where, date, by, levels, unit, horizon } = history;
  await requirePeriods(tx, columns);
  const fitted = groups ?? (await fittedGroups(history, request));
  const isAuto = (request.method ?? 'auto') === 'auto';
  const { targets, leftOut } = targetsOf(history, fitted, amountKeys(columns), isAuto);
  if (leftOut.length > 0 && request.missing !== 'leave_out') throw notCarried(leftOut);
  if (targets.length > MOST_AMOUNTS) {
    throw new AppError(
      422,
      `The forecast has ${targets.length} amounts, and ${MOST_AMOUNTS} are possible; name fewer dimensions or a shorter horizon`,
      { field: 'by' },
    );
  }

  const { replace, missing, pf_user, note = null } = request;
  const open = await writer.open({
    operation: 'forecast',
    ...{ pf_user, note, slice: null },
    params: {
      ...loadParams(request, where, UNMOVED),
      ...{ history: request.history, horizon: request.horizon, unit },
      by: by.map(({ name }) => name),
      ...(levels.length > 0 ? { levels: levelNames(history) } : {}),
      method: request.method ?? 'auto',
      ...(request.ignore?.length ? { ignore: request.ignore } : {}),
      ...(request.selling_days ? { selling_days: request.selling_days } : {}),
      ...(request.measures ? { measures: request.measures } : {}),
      ...(replace ? { replace } : {}),
      ...(missing ? { missing } : {}),
      groups: [...fitted],
    },
  });
  let rowCount = 0;
  const blamed = { ...loadPlace(request, source), words: 'forecast' };
  if (replace) {
    const days = { from: firstDay(horizon.first, unit), to: lastDay(horizon.last, unit) };
    const { where: slice } = sliceOf(target, { [date.name]: days }, 'horizon');
    rowCount += (await open.run(takeOutTemplate(columns), { slice }, {}, blamed)).rowCount;
  }
  if (targets.length > 0) {
    const template = forecastTemplate(source, columns, { by, date, unit });
    const tokens = { filter_clause: where, groups: targetLines(targets, history) };
    const { rowCount: written } = await open.run(template, WHOLE, tokens, blamed);
    if (written === 0 && targets.some(({ amounts }) => amounts.some(Boolean))) {
      throw new AppError(409, 'The source has changed while it was read; try again');
    }
    rowCount += written;
  }
  if (rowCount === 0) {
    throw new AppError(422, 'Every amount of the forecast is 0; nothing was loaded');
  }
  const warnings = await checkLoaded(tx, target, open.logid, { moves: true });
  await open.close(rowCount);
  return {
    ...{ logid: open.logid, row_count: rowCount, ...warnings },
    ...(leftOut.length > 0 ? { left_out: leftOut } : {}),
  };
}

/**
 * Loads the forecast of an entry again, with the amounts that it records.
 *
 * @throws AppError as {@link forecastIn}; 422 if the entry does not record its request
 */
export async function forecastAgain(
  writer: OperationWriter,
  { params, note }: ForecastEntry,
  user: string,
): Promise<ForecastAnswer> {
  if (!params) throw new AppError(422, 'The log does not record what this entry forecast');
  const { history, horizon, unit, by, levels, method, ignore, selling_days, measures } = params;
  const { replace, missing, groups } = params;
  const load = await recordedLoad(writer.target, params);
  return forecastIn(
    writer,
    {
      ...load,
      ...{ history, horizon, unit, by, levels, method, ignore, selling_days, measures },
      ...{ replace, missing },
      ...{ pf_user: user, note },
    },
    groups.length > 0 ? groups : undefined,
  );
}

const fittedGroups = async (
  history: History,
  request: ForecastRequest,
  signal?: AbortSignal,
  report?: (progress: FitProgress) => void,
): Promise<FittedGroup[]> =>
  (await fitHistory(history, request, signal, report)).groups.map(
    ({ id: group, measure, method, parameters, forecast, deviation, freedom, dependence }) => ({
      ...{ group, measure, method, parameters, forecast, deviation, freedom, dependence },
    }),
  );

/** Amounts of one group and period, and the rows that carry them. */
interface Target {
  group: readonly (string | null)[];
  /** Number of the period of the source rows. */
  carrier: number;
  /** Number of years by which they are moved. */
  years: number;
  /** In the order of the amounts of a group; null for a measure that is not forecast. */
  amounts: (number | null)[];
}

/**
 * Finds the rows that carry each amount: those of the last year before it in which its group has rows.
 *
 * @param keys the keys of the measures in the order of the amounts of a group
 * @param isAuto whether `auto` chose the methods. A mean says how much is sold, but not in which period, so its amounts
 * move to the next period with rows
 */
function targetsOf(
  history: History,
  fitted: readonly FittedGroup[],
  keys: readonly string[],
  isAuto: boolean,
): { targets: Target[]; leftOut: LeftOut[] } {
  const { by, unit, sums, first, through } = history;
  const season = PERIODS_OF_YEAR[unit];
  const horizon = horizonOf(history);
  const known = new Map(sums.map((group) => [groupId(group.id), group]));
  const byGroup = new Map<string, FittedGroup[]>();
  for (const fit of fitted) {
    const id = groupId(fit.group);
    byGroup.set(id, [...(byGroup.get(id) ?? []), fit]);
  }
  const targets: Target[] = [];
  const leftOut: LeftOut[] = [];
  for (const [id, measures] of byGroup) {
    const group = known.get(id);
    const periods = new Set(group?.periods.map((day) => periodOfDay(day, unit)));
    const carriers = horizon.map((period) => {
      let years = Math.ceil((period - through) / season);
      while (period - years * season >= first && !periods.has(period - years * season)) years += 1;
      const carrier = period - years * season;
      return periods.has(carrier) ? { carrier, years } : null;
    });
    const lists = keys.map((key) => {
      const fit = measures.find(({ measure }) => measure === key);
      return fit && isAuto && MEANS.includes(fit.method)
        ? carriedOn(fit.forecast, carriers)
        : (fit?.forecast ?? []);
    });
    const without: number[] = [];
    for (const [i, period] of horizon.entries()) {
      const amounts = lists.map((list) => list[i] ?? null);
      const values = measures[0]?.group ?? [];
      const place = carriers[i];
      if (place) targets.push({ group: values, ...place, amounts });
      else if (amounts.some(Boolean)) without.push(period);
    }
    if (without.length === 0) continue;
    const values = group?.key ?? measures[0]?.group ?? [];
    leftOut.push({
      group: Object.fromEntries(by.map(({ name }, k) => [name, values[k] ?? null])),
      periods: without.map((period) => firstDay(period, unit)),
    });
  }
  return { targets, leftOut };
}

/** Digits of a sum of amounts; further ones are noise of the addition. */
const SUM_DIGITS = 15;

/** Moves amounts without a carrier to the next period with one, or to the last one, so that their sum is kept. */
function carriedOn(amounts: readonly number[], carriers: readonly unknown[]): number[] {
  const last = carriers.findLastIndex((carrier) => carrier !== null);
  if (last < 0) return [...amounts];
  const end = amounts.slice(last + 1).reduce((sum, amount) => sum + amount, 0);
  let waiting = 0;
  return amounts.map((amount, i) => {
    if (i > last) return 0;
    waiting += amount;
    if (carriers[i] === null) return 0;
    const carried = waiting + (i === last ? end : 0);
    waiting = 0;
    return Number(carried.toPrecision(SUM_DIGITS));
  });
}

/** Maximum number of groups that an error names. */
const MOST_NAMED = 5;

function notCarried(leftOut: readonly LeftOut[]): AppError {
  const named = leftOut.slice(0, MOST_NAMED).map(({ group, periods: [period = ''] }) => {
    const values = Object.values(group).map((value) => value ?? 'null');
    return values.length > 0 ? `${values.join(' / ')} in ${period}` : period;
  });
  const more = leftOut.length - named.length;
  return new AppError(
    422,
    `No earlier year of the history has a row to carry the forecast of ${named.join(', ')}${more > 0 ? ` and of ${more} more groups` : ''}; send "missing": "leave_out" to leave such amounts out`,
    { field: 'missing' },
  );
}

/** The targets as the query that the statement of a forecast reads. */
function targetLines(targets: readonly Target[], { unit }: History): SqlText {
  const shiftOf = (years: number) => (unit === 'week' ? `${364 * years} days` : `${years} years`);
  const lines = targets.map(({ group, carrier, years, amounts }, i) => {
    const key = groupLiteral([...group, firstDay(carrier, unit)]);
    const shift = sql`${literal(shiftOf(years))}::interval`;
    return sql`(${commas([sql`${i + 1}`, key, shift, ...amounts.map(numeric)])})`;
  });
  return sql`VALUES
        ${join(lines, sql`,\n        `)}`;
}
