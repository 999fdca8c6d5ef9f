import type { LogAnswer, LogEntry } from '../../contract/log';
import type { Database, Session } from '../db/database';
import { entryTotals, noTotals } from '../db/forecast';
import type { WriteKey } from '../db/idempotency';
import { findEntry, getEntry, listEntries, updateNote } from '../db/log';
import type { UndoResult } from './entries';
import { writing } from './entries';
import type { ForecastVersion } from './forecast-version';
import { readVersion } from './forecast-version';
import { keptAnswer } from './idempotency';

/**
 * The log with rows and totals of each entry, newest first (docs/contract/06-log.md). @throws
 * AppError 404
 */
export const logEntries = (db: Database, versionId: number): Promise<LogAnswer> =>
  // One snapshot, or the totals would speak of other entries than the list.
  db.versionRead(versionId, async (tx) => logOf(tx, await readVersion(tx, versionId)));

/** The log of a version that was read before. */
export async function logOf(
  session: Session,
  { version, table, columns }: ForecastVersion,
): Promise<LogAnswer> {
  const measure = (role: 'value' | 'units') => columns.find((c) => c.role === role)?.name ?? null;
  const { overall, byEntry } = await entryTotals(session, table, columns);
  const none = noTotals(columns);
  return {
    entries: (await listEntries(session, version.id)).map((entry) => ({
      ...entry,
      ...(byEntry.get(entry.id) ?? none),
    })),
    value_col: measure('value'),
    units_col: measure('units'),
    value_total: overall.value_total,
    units_total: overall.units_total,
  };
}

/** Changes an entry's note, on a closed version too. @throws AppError 404 */
export const editNote = (db: Database, logid: number, note: string | null): Promise<LogEntry> =>
  updateNote(db, logid, note);

/**
 * Undo: takes one entry's rows out, and the entry itself (docs/contract/06-log.md). Another undo may
 * take the entry while this one waits for the version's lock.
 *
 * @throws AppError 404 if there is no such entry, 403 if its version is closed
 */
export async function undo(db: Database, logid: number, key?: WriteKey): Promise<UndoResult> {
  const entry = await findEntry(db, logid);
  // The undo that this request asks for again has taken the entry.
  const kept = entry ? undefined : await keptAnswer<UndoResult>(db, key);
  if (kept) return kept;
  const { version_id: versionId } = entry ?? (await getEntry(db, logid));
  return writing(db, versionId, key, (writer) => writer.undo(logid));
}
