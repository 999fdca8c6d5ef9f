/** Runs an undone entry again. */
import * as v from 'valibot';
import { ForecastAnswer } from '../../../contract/forecasts';
import type {
  ActualEntry,
  ImportEntry,
  LogEntry,
  RefreshEntry,
  ReverseEntry,
} from '../../../contract/log';
import { isLoadEntry } from '../../../contract/log';
import type { SliceOperation, SliceRequests } from '../../../contract/operations';
import { isCopyingLoad, SLICE_REQUESTS } from '../../../contract/operations';
import { RefreshAnswer } from '../../../contract/refreshes';
import type { WriteKey } from '../../db/log/idempotency';
import { listedEntries } from '../../db/log/log';
import { AppError } from '../../errors';
import { within } from '../entries/open-entry';
import type { EntryWriter, Held, Resources } from '../entries/writer';
import { writingRows } from '../entries/writer';
import { ActualsResult, actualsIn } from '../loads/actuals';
import { forecastAgain } from '../loads/forecast-load';
import { importIn } from '../operations/import';
import { refreshIn } from '../loads/refresh';
import { loadAgain, recordedLoad } from '../loads/loads';
import { operateIn } from '../operations/operate';
import { OperationResult } from '../operations/operation-steps';
import { reverseIn } from '../operations/reverse';

/** The answer of a redo: the rows of an operation, or the row count of a load, a close or a refresh. */
const RedoResult = v.union([OperationResult, ActualsResult, RefreshAnswer, ForecastAnswer]);
type RedoResult = v.InferOutput<typeof RedoResult>;

/**
 * Runs the request of an undone or cleared entry again, on the current version. The new entry has its note,
 * and the old one leaves the list of undone entries (docs/contract/06-log.md#post-versionsidredologid).
 *
 * @param user who redoes it
 * @throws AppError 403 if the version is closed, 404 if there is no such version or no such undone entry; 422
 * with the reason if the request can no longer be made; 503 after waiting too long
 */
export const redo = (
  resources: Resources,
  versionId: number,
  logid: number,
  user: string,
  key?: WriteKey,
): Promise<Held<RedoResult>> =>
  writingRows<RedoResult>(resources, versionId, key, RedoResult, (writer) =>
    writer.redo(logid, (entry) => runAgain(writer, entry, user)),
  );

/**
 * Runs the recorded request of an entry again, within an open write.
 *
 * @param user the user of the new entry
 * @throws AppError 422 for a request that would be refused as a new one
 */
export async function runAgain(
  writer: EntryWriter,
  entry: LogEntry,
  user: string,
): Promise<RedoResult> {
  try {
    return await within(writer, entry.params?.within ?? [], () => rerun(writer, entry, user));
  } catch (error) {
    if (!(error instanceof AppError) || ![400, 404, 409].includes(error.status)) throw error;
    // The error's field belongs to the recorded request, which this client has not sent.
    throw new AppError(422, error.message, { column: error.blame.column, cause: error });
  }
}

async function rerun(writer: EntryWriter, entry: LogEntry, user: string): Promise<RedoResult> {
  if (entry.operation === 'forecast') return forecastAgain(writer, entry, user);
  if (isLoadEntry(entry)) return loadAgain(writer, entry, user);
  if (entry.operation === 'reverse') return reverseAgain(writer, entry, user);
  if (entry.operation === 'actual') return actualsAgain(writer, entry, user);
  if (entry.operation === 'refresh') return refreshAgain(writer, entry, user);
  if (entry.operation === 'import') return importAgain(writer, entry, user);
  return operateAgain(writer, entry.operation, entry, user);
}

const unrecorded = () => new AppError(422, 'The log does not record the request of this entry');

function reverseAgain(
  writer: EntryWriter,
  { slice, params, note }: ReverseEntry,
  user: string,
): Promise<OperationResult> {
  if (!slice || !params) throw unrecorded();
  return reverseIn(writer, params.reverse_of, { slice, pf_user: user, note });
}

function importAgain(
  writer: EntryWriter,
  { params, note }: ImportEntry,
  user: string,
): Promise<OperationResult> {
  if (!params) throw unrecorded();
  return importIn(writer, { ...params, pf_user: user, note });
}

/** Closes the same days again, on the current source. */
async function actualsAgain(
  writer: EntryWriter,
  { params, note }: ActualEntry,
  user: string,
): Promise<ActualsResult> {
  if (!params) throw unrecorded();
  const { column, from, through } = params;
  const load = await recordedLoad(writer.target, params);
  return actualsIn(writer, { ...load, column, from, through, pf_user: user, note });
}

/** Refreshes the same loads again, as far as they still exist. @throws AppError 422 if none of them does */
async function refreshAgain(
  writer: EntryWriter,
  { params, note }: RefreshEntry,
  user: string,
): Promise<RefreshAnswer> {
  if (!params) throw unrecorded();
  const entries = await listedEntries(writer.tx, writer.target.version.id);
  const loads = params.loads
    .map(({ logid }) => logid)
    .filter((id) => entries.some((entry) => entry.id === id && isCopyingLoad(entry.operation)));
  if (loads.length === 0) throw new AppError(422, 'The loads of this entry have been undone');
  return refreshIn(writer, { loads, pf_user: user, note });
}

/** The log stores an operation under the names of the body's fields. */
async function operateAgain<O extends SliceOperation>(
  writer: EntryWriter,
  operation: O,
  { slice, params, note }: LogEntry,
  user: string,
): Promise<OperationResult> {
  const schema: v.GenericSchema<unknown, SliceRequests[O]> = SLICE_REQUESTS[operation];
  const recorded = v.safeParse(schema, {
    ...params,
    ...(slice && { slice }),
    pf_user: user,
    note,
  });
  if (!params || !recorded.success) {
    throw unrecorded();
  }
  return operateIn(writer, operation, recorded.output);
}
