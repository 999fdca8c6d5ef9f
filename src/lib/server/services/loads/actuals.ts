/** Closes months on actuals: the plan in them becomes what the source has. */
import * as v from 'valibot';
import type {
  ActualsPreview,
  ActualsPreviewRequest,
  ActualsRequest,
} from '../../../contract/actuals';
import { ActualsAnswer } from '../../../contract/actuals';
import { OPERATIONS } from '../../../contract/operations';
import { firstDay, sourceRows, totalsByMonth } from '../../db/loads/actuals';
import type { WriteKey } from '../../db/log/idempotency';
import type { Totals } from '../../db/totals/totals';
import { noTotals, sliceTotals } from '../../db/totals/totals';
import type { Transaction } from '../../db/connection/transaction';
import { AppError, faultAt, fieldPlace } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { grainColumns, measureColumns } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { literal, sql } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import { actualTemplate } from '../../sql/templates/actual';
import { blameClient } from '../client-faults';
import type { OperationWriter } from '../entries/open-entry';
import { ofEntry } from '../entries/open-entry';
import { trying } from '../entries/trial';
import type { Held, Resources } from '../entries/writer';
import { writingRows } from '../entries/writer';
import type { ForecastVersion } from '../version/forecast-version';
import { seenByOperations, sliceOf } from '../version/forecast-version';
import { keptColumns } from '../entries/idempotency';
import type { Offset } from './loads';
import { checkLoaded, loadParams, loadPlace, loadTerms } from './loads';
import { requireUndisputed } from '../operations/operation-steps';

/** The result of a close. */
export const ActualsResult = v.object({
  ...ActualsAnswer.entries,
  /** The rows that it wrote, as an operation answers them, if they were asked for. */
  columns: v.optional(keptColumns),
});
export type ActualsResult = v.InferOutput<typeof ActualsResult>;

/**
 * Closes months on actuals: a log entry with the difference between the source and the plan, and a lock on their
 * days (docs/contract/05-operations.md#post-versionsidactuals).
 *
 * @param withRows whether the written rows are read
 * @throws AppError as {@link actualsIn}, 403 if the version is closed; 409 if a request with the same key has not
 * asked for the rows
 */
export async function actuals(
  resources: Resources,
  versionId: number,
  request: ActualsRequest,
  withRows: boolean,
  key?: WriteKey,
): Promise<Held<ActualsResult>> {
  const { columns, ...answer } = await writingRows(
    resources,
    versionId,
    key,
    ActualsResult,
    (writer) => actualsIn(writer, request, withRows),
  );
  if (!withRows) return answer;
  if (columns) return { ...answer, columns };
  answer.memory.release();
  throw new AppError(
    409,
    'The request with this Idempotency-Key has not asked for Arrow; ask for JSON, or send a new key with a new request',
  );
}

/**
 * Closes months within an open write. Afterwards the plan in them equals the source, leaf by leaf. Leaves that
 * do not differ get no row, so an entry may have none.
 *
 * @throws AppError 404; 400 for a condition, an offset, a day or a column that cannot be used; 409 as a load; 422
 * if neither the plan nor the source has amounts in the range, for a value that a forecast table cannot store,
 * for an excluded origin, and for a source without a date or a measure; 423 if somebody has locked a row
 */
export async function actualsIn(
  writer: OperationWriter,
  request: ActualsRequest,
  withRows = false,
): Promise<ActualsResult> {
  return close(writer, request, await daysOf(writer, request), withRows);
}

/**
 * Previews a close in a transaction that is rolled back, month by month. A closed version can be tried on.
 *
 * @throws AppError as {@link actualsIn}
 */
export async function previewActuals(
  resources: Resources,
  versionId: number,
  request: ActualsPreviewRequest,
): Promise<ActualsPreview> {
  const { memory, ...preview } = await trying(resources, versionId, async (writer) => {
    const days = await daysOf(writer, request);
    const { logid, ...facts } = await close(
      writer,
      { ...request, pf_user: request.pf_user ?? '' },
      days,
    );
    const months = await monthsOf(writer, request, days, logid);
    const isLost = ({ before, actual }: (typeof months)[number]) =>
      before.row_count > 0 && actual.row_count === 0;
    const without_source = months.filter(isLost).map(({ month }) => month);
    return {
      ...facts,
      column: days.date.name,
      where_clause: days.tokens.filter_clause,
      months,
      without_source,
    };
  });
  memory.release();
  return preview;
}

/** The days to close and the rows of the source that have happened in them. */
interface Days {
  /** The date column whose days are closed. */
  date: ForecastColumn;
  from: string;
  through: string;
  /** The days as a condition on rows of the plan, and of the source as a load writes them. */
  range: SqlText;
  /** The condition on rows of the source and the offset, as a load has them. */
  tokens: { filter_clause: SqlText; date_offset: SqlText };
  offset: Offset;
}

/** @throws AppError 400, 409, 422 */
async function daysOf(
  { tx, target }: OperationWriter,
  request: ActualsPreviewRequest,
): Promise<Days> {
  const { columns, version } = target;
  requireUndisputed(target);
  if (measureColumns(columns).length === 0) {
    throw new AppError(422, 'The source has neither a value nor a units column to close on');
  }
  if (version.exclude_iters.includes(OPERATIONS.actual.iter)) {
    throw new AppError(422, 'Operations skip rows of the origin actual in this version');
  }
  const date = dateColumn(columns, request.column);
  const { through } = request;
  const from = await firstClosed(tx, target, date, request);
  const { where: range } = sliceOf(target, { [date.name]: { from, to: through } }, 'column');
  const { where, offset } = await loadTerms(tx, target, request);
  const tokens = { filter_clause: where, date_offset: literal(offset.interval) };
  return { date, from, through, range, tokens, offset };
}

/** @throws AppError 400 for a column that is not a date, 422 for a source without one */
function dateColumn(
  columns: readonly ForecastColumn[],
  name: string | null | undefined,
): ForecastColumn {
  const dates = columns.filter(({ role }) => role === 'date');
  const [first] = dates;
  if (!first) throw new AppError(422, 'The source has no date column, so it has no months');
  if (name == null) return first;
  const date = dates.find((c) => c.name === name);
  if (date) return date;
  const place = { ...fieldPlace('column'), column: name };
  throw faultAt(place, 400, `"${name}" is not a date column of the source`);
}

/** The first day to close. @throws AppError 400 if it is after the last one, 422 if the plan has no days */
async function firstClosed(
  tx: Transaction,
  target: ForecastVersion,
  date: ForecastColumn,
  { from, through }: ActualsPreviewRequest,
): Promise<string> {
  if (from != null) {
    if (from <= through) return from;
    const problem = `the range begins on ${from}, after it ends on ${through}`;
    throw faultAt(fieldPlace('from'), 400, problem);
  }
  const first = await firstDay(tx, target.rows, date, seenByOperations(target, sql`TRUE`));
  if (first === null) {
    throw new AppError(422, 'The plan has no row with a date; name the first day to close', {
      field: 'from',
    });
  }
  if (first <= through) return first;
  throw faultAt(fieldPlace('through'), 422, `the plan begins on ${first}`);
}

/** Closes the days: writes the entry with its rows, and locks the days. */
async function close(
  writer: OperationWriter,
  request: ActualsRequest,
  { date, from, through, range, tokens, offset }: Days,
  withRows = false,
): Promise<ActualsResult> {
  const { tx, target } = writer;
  const { source, columns } = target;
  const before = await planTotals(tx, target, range);
  const open = await writer.open({
    operation: 'actual',
    pf_user: request.pf_user,
    slice: null,
    params: {
      ...loadParams(request, tokens.filter_clause, offset),
      ...{ column: date.name, from, through },
    },
    note: request.note ?? null,
  });
  const template = actualTemplate(source, columns);
  const blamed = loadPlace(request, source);
  const { rowCount } = await open.run(template, { slice: range }, tokens, blamed);
  const warnings = await checkLoaded(tx, target, open.logid, offset);
  if (rowCount === 0 && before.row_count === 0) {
    throw new AppError(
      422,
      `Neither the plan nor the source has amounts from ${from} through ${through}; nothing was closed`,
    );
  }
  const after = await planTotals(tx, target, range);
  const rows = withRows ? await open.rows(grainColumns(columns).length > 0) : undefined;
  await open.close();
  await open.lock({ [date.name]: { from, to: through } });
  return {
    ...{ logid: open.logid, row_count: rowCount, from, through, before, after, ...warnings },
    ...(rows && { columns: rows.columns }),
  };
}

/** The months of a range with rows of the plan or of the source, once the entry of their close is written. */
async function monthsOf(
  { tx, target }: OperationWriter,
  request: ActualsPreviewRequest,
  { date, range, tokens }: Days,
  logid: number,
): Promise<ActualsPreview['months']> {
  const { source, rows, columns } = target;
  const none = noTotals(columns);
  const ofPlan = (where: SqlText) =>
    totalsByMonth(tx, rows, columns, date, seenByOperations(target, sql`${range} AND ${where}`));
  const own = ofEntry(logid);
  const written = await ofPlan(own);
  const before = await ofPlan(sql`NOT ${own}`);
  const isClose = sql`pf_iter = ${literal(OPERATIONS.actual.iter)}`;
  const forecast = await ofPlan(sql`NOT ${isClose}`);
  const actual = await blameClient(loadPlace(request, source), () =>
    totalsByMonth(tx, sourceRows(source, columns, date, tokens), columns, date, range),
  );
  return [...new Set([...before.keys(), ...actual.keys()])].toSorted().map((month) => {
    const of = (totals: ReadonlyMap<string, Totals>) => totals.get(month) ?? none;
    const { row_count: rows, ...difference } = of(written);
    return {
      month,
      forecast: of(forecast),
      before: of(before),
      actual: of(actual),
      difference,
      rows,
    };
  });
}

/** The totals of the rows that operations see. */
const planTotals = async (
  tx: Transaction,
  { version, rows, columns }: ForecastVersion,
  where: SqlText,
): Promise<Totals> =>
  (await sliceTotals(tx, rows, columns, where, excludeClause(version.exclude_iters))).included;
