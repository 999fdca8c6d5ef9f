import type { LogAnswer, LogEntry, UndoAnswer } from '../../contract/log';
import type { Database, Session } from '../db/database';
import { entryTotals, noTotals } from '../db/forecast';
import { deleteEntry, getEntry, listEntries, updateNote } from '../db/log';
import { grainColumns } from '../sql/columns';
import { undoTemplate } from '../sql/templates/undo';
import { substitute } from '../sql/tokens';
import type { ForecastVersion } from './forecast-version';
import { readVersion, writeVersion } from './forecast-version';

/**
 * The log with rows and totals of each entry, newest first (docs/contract/06-log.md). @throws
 * AppError 404
 */
export const logEntries = (db: Database, versionId: number): Promise<LogAnswer> =>
  // One snapshot, or the totals would speak of other entries than the list.
  db.transaction(
    async (tx) => logOf(tx, await readVersion(tx, versionId)),
    'REPEATABLE READ READ ONLY',
  );

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
 * Undo: takes one entry's rows out, and the entry itself (docs/contract/06-log.md#delete-loglogid).
 * The shape of the answer goes by live column metadata, so the statement is made from it and not
 * read from the store.
 *
 * @throws AppError 404 where there is no such entry, 403 where its version is closed
 */
export async function undo(db: Database, logid: number): Promise<UndoAnswer> {
  const { version_id: versionId } = await getEntry(db, logid);
  return db.versionTransaction(versionId, async (tx) => {
    const { columns, table } = await writeVersion(tx, versionId);
    // Another undo may have taken the entry while this one waited for the lock.
    await getEntry(tx, logid);
    const statement = substitute(undoTemplate(columns), { fc_table: table, logid: String(logid) });

    let answer: UndoAnswer;
    if (grainColumns(columns).length > 0) {
      const keys = await tx.many<{ pf_gkey: string; row_count: number }>(statement);
      answer = {
        rows_deleted: keys.reduce((sum, key) => sum + key.row_count, 0),
        pf_gkeys: keys.map((key) => key.pf_gkey),
      };
    } else {
      const { pf_ids } = await tx.one<{ pf_ids: number[] }>(statement);
      answer = { rows_deleted: pf_ids.length, pf_ids };
    }
    await deleteEntry(tx, logid);
    return answer;
  });
}
