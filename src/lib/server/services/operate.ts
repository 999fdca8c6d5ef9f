/** Runs scale, recode and clone, and previews them. */
import type { SliceOperation, SliceRequests } from '../../contract/operations';
import type { PreviewFacts } from '../../contract/previews';
import type { WriteKey } from '../db/idempotency';
import type { OperationWriter } from './entries/open-entry';
import { trying } from './entries/trial';
import type { EntryWriter, Held, Resources } from './entries/writer';
import { writingRows } from './entries/writer';
import { clone, recode } from './move';
import { OperationResult } from './operation-steps';
import { scale } from './scale';

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
