/** Reads what a forecast learns from: the amounts of the source by group and period. */
import { isSingleRole, measureKey } from '../../../contract/columns';
import type {
  ForecastPreviewRequest,
  ForecastUnit,
  SellingDays,
} from '../../../contract/forecasts';
import { MOST_PERIODS } from '../../../contract/forecasts';
import type { GroupSums } from '../../db/loads/history';
import { groupSums } from '../../db/loads/history';
import type { Queryable } from '../../db/connection/queryable';
import { AppError, faultAt, fieldPlace } from '../../errors';
import { firstDay, lastDay, periodOfDay } from '../../../contract/calendar';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { measureColumns } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { blameClient } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';
import { dimensionOf } from '../version/forecast-version';
import { eventsOf, type NamedEvent } from './forecast-events';
import { groupCounts } from './forecast-hierarchy';
import { loadCondition, loadPlace } from './loads';

/** The most groups of one forecast. */
const MOST_GROUPS = 10_000;

/** The periods of a forecast, by number. */
interface Span {
  /** First period of the history; undefined to begin with the first row. */
  from: number | undefined;
  /** Last period of the history. */
  through: number;
  /** First and last period of the horizon. */
  horizon: { first: number; last: number };
}

/** The history of a source. */
export interface History {
  unit: ForecastUnit;
  date: ForecastColumn;
  by: ForecastColumn[];
  /** Coarser levels that are forecast too, each as the positions of its dimensions in `by`. */
  levels: number[][];
  /** The measures to forecast. */
  measures: ForecastColumn[];
  /** The condition on rows of the source. */
  where: SqlText;
  sums: GroupSums[];
  /** Number of the first and of the last period. */
  first: number;
  through: number;
  /** First and last period of the horizon, by number. */
  horizon: Span['horizon'];
  events: NamedEvent[];
  sellingDays: SellingDays | null;
}

/** The names of the dimensions of each coarser level. */
export const levelNames = ({ by, levels }: Pick<History, 'by' | 'levels'>): string[][] =>
  levels.map((kept) => kept.map((i) => by[i]?.name ?? ''));

/**
 * Reads the amounts of each group of the source.
 *
 * @throws AppError 400 for an invalid condition, range or column; 422 if no row matches, for too many groups or
 * periods, for an event that is not in the history, and for a source without a date or measure
 */
export async function readHistory(
  db: Queryable,
  { source, columns, metadata }: ForecastVersion,
  request: ForecastPreviewRequest,
): Promise<History> {
  const { from, through, horizon } = spanOf(request);
  const date = columns.find(({ role }) => role === 'date');
  if (!date) throw new AppError(422, 'The source has no date column, so it has no history');
  const by = (request.by ?? []).map((name, i) => fittedDimension(columns, name, `by.${i}`));
  const levels = levelsOf(request);
  const measures = measuresOf(columns, request.measures);
  const where = await loadCondition(request, metadata);
  const { unit } = request;
  const query = {
    ...{ source, where, date, unit, by, measures },
    from: from === undefined ? null : firstDay(from, unit),
    through: lastDay(through, unit),
  };
  const sums = await blameClient({ ...loadPlace(request, source), words: 'forecast' }, () =>
    groupSums(db, query, MOST_GROUPS + 1),
  );
  if (sums.length === 0) {
    throw new AppError(422, 'No row of the source matches in the history');
  }
  if (sums.length > MOST_GROUPS) {
    throw new AppError(422, `There are more than ${MOST_GROUPS} groups; name fewer dimensions`, {
      field: 'by',
    });
  }
  const counts = groupCounts(sums, levels);
  if (counts.reduce((all, count) => all + count, sums.length) > MOST_GROUPS) {
    const problem = `There are more than ${MOST_GROUPS} groups of all levels; name fewer levels`;
    throw new AppError(422, problem, { field: 'levels' });
  }
  const firstRows = sums.flatMap(({ periods }) => periods.slice(0, 1));
  const first = from ?? Math.min(...firstRows.map((day) => periodOfDay(day, unit)));
  requireFew(through - first + 1);
  const events = eventsOf(request, first, through);
  return {
    ...{ unit, date, by, levels, measures, where, sums, first, through, horizon, events },
    sellingDays: request.selling_days ?? null,
  };
}

/**
 * Returns the coarser levels of a request, each once.
 *
 * @throws AppError 400 for a level that is not coarser than `by`
 */
function levelsOf({ by, levels }: ForecastPreviewRequest): number[][] {
  const names = [...new Set(by)];
  const found = (levels ?? []).map((level, i) => {
    const place = fieldPlace(`levels.${i}`);
    const other = level.find((name) => !names.includes(name));
    if (other !== undefined) throw faultAt(place, 400, `has "${other}", which is not in "by"`);
    const kept = names.filter((name) => level.includes(name));
    if (kept.length === names.length) throw faultAt(place, 400, 'must be coarser than "by"');
    return kept.map((name) => (by ?? []).indexOf(name));
  });
  return [...new Map(found.map((kept) => [kept.join(), kept])).values()];
}

/** @throws AppError 400 for a range without a whole period, and a horizon that is not after the history */
function spanOf({ history, horizon, unit }: ForecastPreviewRequest): Span {
  const end = periodOfDay(history.through, unit);
  const through = lastDay(end, unit) === history.through ? end : end - 1;
  let from: number | undefined;
  if (history.from != null) {
    const start = periodOfDay(history.from, unit);
    from = firstDay(start, unit) === history.from ? start : start + 1;
    if (from > through) throw faultAt(fieldPlace('history'), 400, `has no whole ${unit}`);
    requireFew(through - from + 1);
  }
  const [first, last] = [periodOfDay(horizon.from, unit), periodOfDay(horizon.through, unit)];
  if (horizon.from > horizon.through) {
    throw faultAt(fieldPlace('horizon'), 400, 'the range ends before it begins');
  }
  if (first <= through) {
    const place = fieldPlace('horizon.from');
    throw faultAt(place, 400, `must be after ${lastDay(through, unit)}, where the history ends`);
  }
  if (last - through > MOST_PERIODS) {
    const place = fieldPlace('horizon.through');
    throw faultAt(place, 422, `is more than ${MOST_PERIODS} periods after the history`);
  }
  return { from, through, horizon: { first, last } };
}

/** @throws AppError 422 */
function requireFew(periods: number): void {
  if (periods <= MOST_PERIODS) return;
  throw faultAt(fieldPlace('history'), 422, `has more than ${MOST_PERIODS} periods`);
}

/** @throws AppError 400 for a column that is not a dimension, or that is derived from a date */
function fittedDimension(
  columns: readonly ForecastColumn[],
  name: string,
  field: string,
): ForecastColumn {
  const column = dimensionOf(columns, name, field);
  if (column.periodColumn === null) return column;
  const place = { ...fieldPlace(field), column: name };
  throw faultAt(place, 400, `"${name}" is derived from a date, so its groups have no history`);
}

/** @throws AppError 422 for a measure that the source does not have */
function measuresOf(
  columns: readonly ForecastColumn[],
  wanted: ForecastPreviewRequest['measures'],
): ForecastColumn[] {
  const measures = measureColumns(columns);
  const missing = wanted?.find((key) => !measures.some((c) => measureKey(c) === key));
  if (missing !== undefined) {
    if (isSingleRole(missing)) {
      throw faultAt(fieldPlace('measures'), 422, `the source has no ${missing} column`);
    }
    const place = { ...fieldPlace(`measures.${wanted?.indexOf(missing) ?? 0}`), column: missing };
    throw faultAt(place, 422, `the source has no measure "${missing}"`);
  }
  if (measures.length === 0) {
    throw new AppError(422, 'The source has neither a value nor a units column to forecast');
  }
  return measures.filter((c) => !wanted || wanted.includes(measureKey(c)));
}

/**
 * Returns the amounts of a group by measure: null before its first period with rows, 0 in a later period without.
 *
 * @throws AppError 422 for an amount that is not a number
 */
export function seriesOf(
  { periods, sums }: GroupSums,
  history: readonly number[],
  periodOf: (day: string) => number,
) {
  const places = new Map(periods.map((day, i) => [periodOf(day), i]));
  const [first = Infinity] = places.keys();
  return (measure: number, { name }: ForecastColumn): (number | null)[] =>
    history.map((period) => {
      const place = places.get(period);
      if (place === undefined) return period < first ? null : 0;
      const amount = sums[measure]?.[place];
      if (typeof amount === 'number' && Number.isFinite(amount)) return amount;
      const problem = 'has an amount that is not a number, so it cannot be forecast';
      throw new AppError(422, `"${name}" ${problem}`, { column: name });
    });
}
