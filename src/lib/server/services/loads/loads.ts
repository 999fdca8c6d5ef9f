/** Loads of baseline and reference, edits of a load, and clearing the baseline. */
import type {
  BaselineRequest,
  LoadParams,
  LoadPreview,
  LoadPreviewRequest,
  LoadRequest,
} from '../../../contract/loads';
import { ClearAnswer, LoadAnswer } from '../../../contract/loads';
import type { CopiedEntry, Segment } from '../../../contract/log';
import { isLoadEntry } from '../../../contract/log';
import type { CopyingLoad } from '../../../contract/operations';
import { isCopyingLoad, isLoad, LOG_OPERATIONS } from '../../../contract/operations';
import type { Source } from '../../../contract/sources';
import type { ColumnRecord } from '../../db/setup/column-metadata';
import { sourceColumns } from '../../db/setup/column-metadata';
import type { Database } from '../../db/database';
import type { Queryable } from '../../db/connection/queryable';
import type { Transaction } from '../../db/connection/transaction';
import { SQLSTATE } from '../../db/connection/failures';
import { entrySpans } from '../../db/versions/forecast';
import { checkEntryRows, intervalMoves, loadTotals } from '../../db/loads/load-rows';
import type { WriteKey } from '../../db/log/idempotency';
import { getEntry, hasOperations } from '../../db/log/log';
import { AppError, either, fieldPlace } from '../../errors';
import { compileFilters } from '../../sql/filters';
import { checkCondition } from '../../sql/guard';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { copiedWith } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { literal, sql } from '../../sql/quote';
import { requireCalendar } from '../operations/calendar';
import type { Statement } from '../client-faults';
import { blameClient } from '../client-faults';
import type { EntryWriter, Resources } from '../entries/writer';
import { writing } from '../entries/writer';
import type { ForecastVersion } from '../version/forecast-version';
import { readVersion, storedTemplate } from '../version/forecast-version';
import { logOf } from '../entries/log';

/** "scale, recode, clone, reverse, actual, refresh or import" */
const ANY_OPERATION = either(LOG_OPERATIONS.filter((operation) => !isLoad(operation)));

const NO_OFFSET = '0 days';
/** The offset of rows that are not moved by one. */
export const UNMOVED: Offset = { interval: NO_OFFSET, moves: false };

/**
 * Loads one segment: a log entry with rows of the source (docs/contract/05-operations.md#loads).
 *
 * @throws AppError 403, 404; 400 for an invalid filter or offset; 409 without a calendar; 422 if no row
 * matches or a row has a value that a forecast table cannot store
 */
export function load(
  resources: Resources,
  versionId: number,
  operation: CopyingLoad,
  request: LoadRequest,
  key?: WriteKey,
): Promise<LoadAnswer> {
  return writing(
    resources,
    versionId,
    key,
    LoadAnswer,
    (writer) => loadSegment(writer, operation, request, request.note ?? null),
    'SHARE',
  );
}

/** Loads a baseline segment like `load`; the field `replay` is not implemented. @throws AppError 501 */
export async function loadBaseline(
  resources: Resources,
  versionId: number,
  request: BaselineRequest,
  key?: WriteKey,
): Promise<LoadAnswer> {
  return load(resources, versionId, 'baseline', withoutReplay(request), key);
}

function withoutReplay(request: BaselineRequest): LoadRequest {
  if (request.replay) {
    throw new AppError(501, 'Replaying a baseline is not available yet', { field: 'replay' });
  }
  return request;
}

/**
 * Deletes a segment and loads it again with new parameters, in one transaction
 * (docs/contract/05-operations.md#put-versionsidbaselinelogid). Without a note, the old one stays.
 *
 * @throws AppError as `load`, and 409 while an operation exists or if the entry is not a segment
 */
export async function editSegment(
  resources: Resources,
  versionId: number,
  logid: number,
  edit: BaselineRequest,
  key?: WriteKey,
): Promise<LoadAnswer> {
  const request = withoutReplay(edit);
  return writing(resources, versionId, key, LoadAnswer, async (writer) => {
    const { tx } = writer;
    const entry = await getEntry(tx, logid);
    if (entry.version_id !== versionId) {
      throw new AppError(404, `Version ${versionId} has no log entry ${logid}`);
    }
    if (!isCopyingLoad(entry.operation)) {
      throw new AppError(409, `Entry ${logid} is a ${entry.operation}; only loads can be edited`);
    }
    if (await hasOperations(tx, versionId)) {
      throw new AppError(
        409,
        `The version has a ${ANY_OPERATION}; undo those before editing a load`,
      );
    }
    await writer.remove(logid, request.pf_user);
    const note = request.note === undefined ? entry.note : request.note;
    return loadSegment(writer, entry.operation, request, note);
  });
}

/**
 * Deletes all baseline rows and their log entries (docs/contract/05-operations.md#delete-versionsidbaseline).
 * @throws AppError 403, 404
 *
 * @param user the acting user, if known
 */
export function clearBaseline(
  resources: Resources,
  versionId: number,
  user: string | null,
  key?: WriteKey,
): Promise<ClearAnswer> {
  return writing(resources, versionId, key, ClearAnswer, (writer) =>
    writer.clear('baseline', user),
  );
}

/** Previews a load without writing. @throws AppError 404, 400 and 409 as `load` */
export const previewLoad = (
  db: Database,
  versionId: number,
  request: LoadPreviewRequest,
): Promise<LoadPreview> =>
  db.versionRead(versionId, async (tx) => {
    const { source, columns, metadata } = await readVersion(tx, versionId);
    const where = await loadCondition(request, metadata);
    const offset = await dateOffset(tx, request);
    const { outsideCalendar, emptyPeriods, ...totals } = await blameClient(
      loadPlace(request, source),
      () => loadTotals(tx, source, columns, where, offset.interval),
    );
    return {
      ...totals,
      ...(outsideCalendar > 0 ? { outside_calendar: outsideCalendar } : {}),
      ...aboutPeriods(columns, offset.moves, emptyPeriods),
      where_clause: where,
    };
  });

/** Returns the loaded segments of a version with their date spans, oldest first. @throws AppError 404 */
export const segments = (db: Database, versionId: number): Promise<Segment[]> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { entries } = await logOf(tx, target);
    const spans = await entrySpans(tx, target.rows, target.columns);
    return entries
      .filter(isLoadEntry)
      .map((e) => ({ ...e, spans: spans.get(e.id) ?? [] }))
      .reverse();
  });

/**
 * Repeats the load of an entry on the current source, within an open write.
 *
 * @throws AppError as `load`, and 422 if the entry does not record its load
 */
export async function loadAgain(
  writer: EntryWriter,
  { operation, params, note }: CopiedEntry,
  user: string,
): Promise<LoadAnswer> {
  const request = await recordedLoad(writer.target, params);
  return loadSegment(writer, operation, { ...request, pf_user: user }, note);
}

/**
 * Returns the condition and the offset from an entry's parameters, in the fields of the original request.
 *
 * @throws AppError 422 if another writer of the log did not store all of it
 */
export async function recordedLoad(
  { columns, metadata }: ForecastVersion,
  params: LoadParams | null,
): Promise<LoadPreviewRequest> {
  if (!params) throw new AppError(422, 'The log does not record what this entry loaded');
  const { raw_where, filters, date_offset, where_clause: ran } = params;
  const entered = { raw_where, filters, date_offset };
  requireTold(columns, params);
  // The stored condition was either compiled from these fields or sent beside them.
  const made = await loadCondition(entered, metadata);
  return ran === undefined || made === ran ? entered : { ...entered, where_clause: ran };
}

/**
 * Checks that an entry records its load. @throws AppError 422 if another writer of the log did not store all
 * of it
 */
function requireTold(
  columns: readonly ForecastColumn[],
  { where_clause, raw_where, filters, date_offset }: LoadParams,
): void {
  if (where_clause === undefined && raw_where === undefined && filters === undefined) {
    throw new AppError(422, 'The log does not record which rows this entry loaded');
  }
  if (date_offset === undefined && columns.some(({ role }) => role === 'date')) {
    throw new AppError(422, 'The log does not record how far this entry moved the dates');
  }
}

async function loadSegment(
  writer: EntryWriter,
  operation: CopyingLoad,
  request: LoadRequest,
  note: string | null,
): Promise<LoadAnswer> {
  const { tx, target } = writer;
  const { source } = target;
  const template = await storedTemplate(tx, source.id, operation);
  const { where, offset } = await loadTerms(tx, target, request);

  const { logid, rowCount } = await writer.write(
    {
      operation,
      pf_user: request.pf_user,
      slice: null,
      params: loadParams(request, where, offset),
      note,
    },
    template,
    { date_offset: literal(offset.interval), filter_clause: where },
    loadPlace(request, source),
  );
  if (rowCount === 0) {
    throw new AppError(422, 'No row of the source matches; nothing was loaded', {
      field: conditionField(request),
    });
  }

  return { logid, row_count: rowCount, ...(await checkLoaded(tx, target, logid, offset)) };
}

/**
 * Checks the rows that an entry has written from the source.
 *
 * @returns the warnings about them
 * @throws AppError 422 for a value that a forecast table cannot store
 */
export async function checkLoaded(
  tx: Transaction,
  { table, columns }: ForecastVersion,
  logid: number,
  { moves }: Pick<Offset, 'moves'>,
): Promise<Pick<LoadAnswer, 'outside_calendar' | 'empty_periods' | 'copied_periods'>> {
  const checked = await checkEntryRows(tx, table, columns, logid);
  const { problem, outsideCalendar, emptyPeriods } = checked;
  if (problem) {
    throw new AppError(422, `"${problem.column}" ${problem.problem}; nothing was loaded`, {
      column: problem.column,
    });
  }
  return {
    ...(derivesPeriods(columns) ? { outside_calendar: outsideCalendar } : {}),
    ...aboutPeriods(columns, moves, emptyPeriods),
  };
}

/** Whether a load fills dimensions from the calendar. */
const derivesPeriods = (columns: readonly ForecastColumn[]): boolean =>
  columns.some((c) => c.periodColumn !== null);

/** The condition and the offset of a load, as the log stores them. */
export const loadParams = (
  { raw_where, filters }: LoadPreviewRequest,
  where: SqlText,
  { interval }: Offset,
) => ({
  ...(raw_where != null ? { raw_where } : {}),
  ...(filters != null ? { filters } : {}),
  where_clause: where,
  date_offset: interval,
});

/**
 * Returns the warnings about dimensions that belong to a date: those that the calendar cannot fill, and those
 * that are copied although their date moves
 * (docs/contract/14-what-the-operations-compute.md#dates-and-their-groups).
 */
function aboutPeriods(
  columns: readonly ForecastColumn[],
  moves: boolean,
  emptyPeriods: readonly string[],
): Pick<LoadAnswer, 'empty_periods' | 'copied_periods'> {
  const dates = moves ? columns.filter((c) => c.role === 'date') : [];
  const copied = dates.flatMap((date) => copiedWith(date, columns)).map(({ name }) => name);
  return {
    ...(emptyPeriods.length > 0 ? { empty_periods: [...emptyPeriods] } : {}),
    ...(copied.length > 0 ? { copied_periods: [...new Set(copied)] } : {}),
  };
}

/** Returns the request field whose condition runs; undefined if the request has none. */
const conditionField = (request: LoadPreviewRequest): keyof LoadPreviewRequest | undefined =>
  (['where_clause', 'raw_where', 'filters'] as const).find((field) => request[field] != null);

/**
 * Returns the field to name in errors of a load: its condition, except for dates, which the offset moves too.
 */
export const loadPlace = (request: LoadPreviewRequest, source: Source): Statement => ({
  words: 'load',
  source,
  field: conditionField(request),
  uncertain: SQLSTATE.datetimeOverflow,
});

/**
 * The condition and the offset of a load, checked. @throws AppError 400 for either; 409 without a calendar, if
 * the load needs one
 */
export async function loadTerms(
  tx: Transaction,
  { columns, metadata }: ForecastVersion,
  request: LoadPreviewRequest,
): Promise<{ where: SqlText; offset: Offset }> {
  const where = await loadCondition(request, metadata);
  const offset = await dateOffset(tx, request);
  await requirePeriods(tx, columns);
  return { where, offset };
}

/** @throws AppError 409 without a calendar, if a load fills dimensions from it */
export async function requirePeriods(
  tx: Transaction,
  columns: readonly ForecastColumn[],
): Promise<void> {
  if (derivesPeriods(columns)) await requireCalendar(tx);
}

/** An interval by which dates are moved. */
export interface Offset {
  interval: string;
  /** False for an interval of 0. */
  moves: boolean;
}

/** Checks the offset separately, because a load does not use it if the source has no date. */
async function dateOffset(db: Queryable, request: LoadPreviewRequest): Promise<Offset> {
  const interval = request.date_offset ?? NO_OFFSET;
  const moves = await blameClient(fieldPlace('date_offset'), () => intervalMoves(db, interval));
  return { interval, moves };
}

/**
 * Returns the condition that runs: `where_clause`, else `raw_where`, else the compiled `filters`, else all
 * rows. All of them are checked if they were sent, because the log stores all of them.
 */
export async function loadCondition(
  request: LoadPreviewRequest,
  metadata: readonly ColumnRecord[],
): Promise<SqlText> {
  const columns = sourceColumns(metadata);
  const usable = columns.filter((c) => c.role !== 'ignore' && c.type).map((c) => c.cname);
  const { where_clause: whereClause, raw_where: rawWhere, filters } = request;

  const given =
    whereClause == null ? undefined : await checkCondition(whereClause, usable, 'where_clause');
  const raw = rawWhere == null ? undefined : await checkCondition(rawWhere, usable, 'raw_where');
  const compiled = filters == null ? sql`TRUE` : compileFilters(filters, columns);
  return given ?? raw ?? compiled;
}
