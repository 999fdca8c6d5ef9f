/** Takes back what an entry added to a slice. */
import type { LogEntry } from '../../../contract/log';
import type { ReverseRequest } from '../../../contract/operations';
import { OPERATIONS } from '../../../contract/operations';
import { usableSlice } from '../../../contract/slices';
import type { WriteKey } from '../../db/log/idempotency';
import { findEntry, getEntry } from '../../db/log/log';
import { found } from '../../db/connection/queryable';
import { AppError } from '../../errors';
import { sql } from '../../sql/quote';
import { idList } from '../../sql/templates/read';
import { reverseTemplate } from '../../sql/templates/reverse';
import { requireChanging, requireSeen } from '../version/changeable';
import { seenByOperations } from '../version/forecast-version';
import type { OperationWriter } from '../entries/open-entry';
import { within } from '../entries/open-entry';
import type { Held, Resources } from '../entries/writer';
import { writingRows } from '../entries/writer';
import { heldRows, heldSlices } from '../entries/held';
import { answeredBefore } from '../entries/idempotency';
import { orUnknown } from '../entries/log';
import { describe, OperationResult, writeSteps } from './operation-steps';

/**
 * Takes back what an entry added to a slice: a log entry with its rows (docs/contract/06-log.md).
 *
 * @throws AppError as {@link reverseIn}, 403 if the version is closed
 */
export async function reverse(
  resources: Resources,
  logid: number,
  request: ReverseRequest,
  key?: WriteKey,
): Promise<Held<OperationResult>> {
  const known = await findEntry(resources.db, logid);
  // The entry may have been deleted since the first request with this key.
  const answered = known ? undefined : await answeredBefore(resources, key, OperationResult);
  if (answered) return answered;
  const { version_id } = found(known, `log entry ${logid}`);
  return orUnknown(resources.db, logid, () =>
    writingRows(resources, version_id, key, OperationResult, (writer) =>
      reverseIn(writer, logid, request),
    ),
  );
}

/**
 * Takes back a part of an entry within an open write. The new rows negate, leaf by leaf, what the rows of the
 * entry and of earlier reverses of it add up to. Rows are left alone that are locked, or that the sender may not
 * change.
 *
 * @throws AppError 400 for the slice; 403 if the sender may change no row; 404 if the version has no such entry; 422 for a reverse or a close, for an
 * excluded origin, and if nothing is left to take back
 */
export async function reverseIn(
  writer: OperationWriter,
  logid: number,
  request: ReverseRequest,
): Promise<OperationResult> {
  const { tx, target } = writer;
  const { id, exclude_iters } = target.version;
  const entry = await getEntry(tx, logid);
  if (entry.version_id !== id) found(undefined, `log entry ${logid} of version ${id}`);
  await requireSeen(tx, target, logid);
  requireChanging(target);
  const { undoneWhole } = OPERATIONS[entry.operation];
  if (undoneWhole !== null)
    throw new AppError(422, `Entry ${logid} ${undoneWhole}; undo it instead`);
  for (const { iter } of [OPERATIONS[entry.operation], OPERATIONS.reverse]) {
    if (iter !== null && exclude_iters.includes(iter)) {
      throw new AppError(422, `Operations skip rows of the origin ${iter} in this version`);
    }
  }
  // Rows that the sender may not change are left alone, as locked rows are.
  const part = target.part ? [target.part.write] : [];
  return within(writer, part, () => takeBack(writer, entry, request));
}

async function takeBack(
  writer: OperationWriter,
  { id: logid }: LogEntry,
  request: ReverseRequest,
): Promise<OperationResult> {
  const { target } = writer;
  const written = sql`pf_logid IN (${idList([logid, ...(await writer.reversesOf(logid))])})`;
  // A refresh may also have written rows of a reference.
  const among = seenByOperations(target, written);
  const slice = request.slice ?? {};
  return writeSteps(
    writer,
    { ...describe('reverse', request, usableSlice(slice)), params: { reverse_of: logid } },
    [
      {
        slice,
        among,
        held: heldRows(target, heldSlices(null, await writer.locked(request.pf_user))),
        tokens: {},
        template: reverseTemplate(target.columns, among),
        noRows: `Entry ${logid} has no rows in this slice${target.part ? ' that you may change' : ''}`,
        allHeld: `Every row of entry ${logid} in this slice is locked; there is nothing to take back`,
        otherwise: `Nothing of entry ${logid} is left in this slice to take back`,
      },
    ],
  );
}
