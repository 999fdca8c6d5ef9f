/** Runs scale, recode and clone. */
import type { SliceOperation, SliceRequests } from '../../../contract/operations';
import type { WriteKey } from '../../db/log/idempotency';
import type { OperationWriter } from '../entries/open-entry';
import type { Held, Resources } from '../entries/writer';
import { writingRows } from '../entries/writer';
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
  writer: OperationWriter,
  operation: O,
  request: SliceRequests[O],
): Promise<OperationResult> => OPERATE[operation](writer, request);
