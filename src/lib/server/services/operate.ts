/** Runs scale, recode and clone, and previews them. */
import type {
  CloneRequest,
  RecodeRequest,
  SetClause,
  SliceOperation,
  SliceRequests,
} from '../../contract/operations';
import type { PreviewFacts } from '../../contract/previews';
import { usableSlice } from '../../contract/operations';
import { periodOf } from '../db/calendar';
import type { WriteKey } from '../db/idempotency';
import type { Queryable } from '../db/queryable';
import { AppError, columnPlace } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import type { SqlText } from '../sql/quote';
import { checkSet, derivations, setClause } from '../sql/set';
import { requireCalendar } from './calendar';
import { blameClient } from './client-faults';
import type { OperationWriter } from './entries/open-entry';
import { trying } from './entries/trial';
import type { EntryWriter, Held, Resources } from './entries/writer';
import { writingRows } from './entries/writer';
import { describe, numeric, OperationResult, writeSteps } from './operation-steps';
import { scale } from './scale';

/**
 * Moves a slice to other dimensions or dates; totals stay
 * (docs/contract/14-what-the-operations-compute.md#recode).
 *
 * @throws AppError 400; 422 if nothing would move
 */
async function recode(writer: OperationWriter, request: RecodeRequest): Promise<OperationResult> {
  const { tx, target } = writer;
  if (Object.keys(request.set).length === 0) {
    throw new AppError(422, 'set is empty, so there is nothing to move', {
      field: 'set',
    });
  }
  return writeSteps(
    writer,
    { ...describe('recode', request, usableSlice(request.slice)), params: { set: request.set } },
    [
      {
        slice: request.slice,
        tokens: { set_clause: await assignments(tx, request.set, target.columns) },
        otherwise:
          'The slice already has these values, or its rows add up to zero; there is nothing to move',
      },
    ],
  );
}

/**
 * Adds a copy of a slice, multiplied by a factor, in place or elsewhere
 * (docs/contract/14-what-the-operations-compute.md#clone).
 *
 * @throws AppError 400; 422 if nothing would be copied
 */
async function clone(writer: OperationWriter, request: CloneRequest): Promise<OperationResult> {
  const factor = request.scale_factor ?? 1;
  const { tx, target } = writer;
  return writeSteps(
    writer,
    {
      ...describe('clone', request, usableSlice(request.slice)),
      params: { set: request.set, scale_factor: factor },
    },
    [
      {
        slice: request.slice,
        tokens: {
          set_clause: await assignments(tx, request.set, target.columns),
          scale_factor: numeric(factor),
        },
        otherwise:
          'The rows of the copy add up to zero or round to zero on every leaf; there is nothing to write',
      },
    ],
  );
}

type Operate<O extends SliceOperation> = (
  writer: OperationWriter,
  request: SliceRequests[O],
) => Promise<OperationResult>;

const OPERATE: { [O in SliceOperation]: Operate<O> } = { scale, recode, clone };

/**
 * Runs one operation on a slice of a version: one log entry with its rows (docs/contract/05-operations.md,
 * docs/contract/14-what-the-operations-compute.md).
 *
 * @throws AppError 400 for an invalid request, 403 if the version is closed, 404 if it does not exist, 409 if
 * the stored SQL is outdated, 422 if there is nothing to write or the rows need more memory than allowed; 503
 * after a timeout
 */
export const operate = <O extends SliceOperation>(
  resources: Resources,
  versionId: number,
  operation: O,
  request: SliceRequests[O],
  key?: WriteKey,
): Promise<Held<OperationResult>> =>
  writingRows(resources, versionId, key, OperationResult, (writer) =>
    operateIn(writer, operation, request),
  );

/** Runs one operation like {@link operate}, within an open write. */
export const operateIn = <O extends SliceOperation>(
  writer: EntryWriter,
  operation: O,
  request: SliceRequests[O],
): Promise<OperationResult> => OPERATE[operation](writer, request);

/** The rows of a preview, in the form of an operation, and its facts (docs/contract/05-operations.md). */
interface PreviewResult extends OperationResult {
  facts: PreviewFacts;
}

/**
 * Previews an operation: runs it and rolls it back (docs/contract/05-operations.md#trying-before-writing).
 *
 * @throws AppError as {@link operate}, but not 403: a closed version can be tried on
 */
export const previewOperation = <O extends SliceOperation>(
  resources: Resources,
  versionId: number,
  operation: O,
  request: SliceRequests[O],
): Promise<Held<PreviewResult>> =>
  trying(resources, versionId, async (writer) => {
    const result = await OPERATE[operation](writer, request);
    const totals = writer.tried.flatMap((tried) => tried.totals ?? []);
    const [only, ...others] = totals;
    const single = !('edits' in request) && others.length === 0 ? only : undefined;
    const facts = {
      sql: writer.tried.map(({ statement }) => statement.trim()).join(';\n\n'),
      totals: single ?? totals,
      held: await writer.held(),
    };
    return { ...result, facts };
  });

/** Returns the values of `{{set_clause}}`, with the dimensions derived from a new date. */
async function assignments(
  db: Queryable,
  set: SetClause,
  columns: readonly ForecastColumn[],
): Promise<SqlText> {
  checkSet(set, columns);
  const derived = new Map<string, string | null>();
  for (const { date, derived: dimensions } of derivations(set, columns)) {
    await requireCalendar(db);
    const day = set[date.name];
    const period = await blameClient(columnPlace('set', date.name), () =>
      periodOf(
        db,
        day == null ? null : String(day),
        dimensions.map((d) => d.periodColumn),
      ),
    );
    dimensions.forEach((d, i) => derived.set(d.name, period[i] ?? null));
  }
  return setClause(set, columns, derived);
}
