import type { LogEntry } from '../../contract/log';
import { LOAD_OPERATIONS } from '../../contract/operations';
import type { Session } from './database';
import { found } from './database';

const FIELDS = 'id, version_id, pf_user, stamp, operation, slice, params, note';

/** Newest first. */
export const listEntries = (session: Session, versionId: number): Promise<LogEntry[]> =>
  session.many<LogEntry>(`SELECT ${FIELDS} FROM pf.log WHERE version_id = $1 ORDER BY id DESC`, [
    versionId,
  ]);

/** Undefined if there is no such entry. */
export const findEntry = (session: Session, logid: number): Promise<LogEntry | undefined> =>
  session.maybeOne<LogEntry>(`SELECT ${FIELDS} FROM pf.log WHERE id = $1`, [logid]);

/** @throws AppError 404 if there is no such entry */
export const getEntry = async (session: Session, logid: number): Promise<LogEntry> =>
  found(await findEntry(session, logid), `log entry ${logid}`);

/** Null clears the note. @throws AppError 404 if there is no such entry */
export async function updateNote(
  session: Session,
  logid: number,
  note: string | null,
): Promise<LogEntry> {
  const entry = await session.maybeOne<LogEntry>(
    `UPDATE pf.log SET note = $2 WHERE id = $1 RETURNING ${FIELDS}`,
    [logid, note],
  );
  return found(entry, `log entry ${logid}`);
}

/**
 * Whether the version has an entry that is no load (docs/contract/03-states-and-transitions.md). An
 * operation that the contract's table does not list as a load counts, whatever it is.
 */
export async function hasOperations(session: Session, versionId: number): Promise<boolean> {
  const { some } = await session.one<{ some: boolean }>(
    `SELECT EXISTS (SELECT FROM pf.log
       WHERE version_id = $1 AND operation <> ALL ($2::text[])) AS some`,
    [versionId, LOAD_OPERATIONS],
  );
  return some;
}

/** The newest entry of each version of a source that has one. */
export async function lastChanges(
  session: Session,
  sourceId: number,
): Promise<Map<number, Pick<LogEntry, 'stamp' | 'pf_user'>>> {
  const rows = await session.many<Pick<LogEntry, 'version_id' | 'stamp' | 'pf_user'>>(
    `SELECT DISTINCT ON (l.version_id) l.version_id, l.stamp, l.pf_user
     FROM pf.log l JOIN pf.version v ON v.id = l.version_id
     WHERE v.source_id = $1 ORDER BY l.version_id, l.id DESC`,
    [sourceId],
  );
  return new Map(rows.map((r) => [r.version_id, r]));
}

/** Rows of a version as its entries count them; null if an entry has not been counted yet. */
export async function entryRowCounts(
  session: Session,
  sourceId: number,
): Promise<Map<number, number | null>> {
  const rows = await session.many<{ version_id: number; row_count: number; counted: boolean }>(
    `SELECT l.version_id, sum(l.row_count) AS row_count, bool_and(l.row_count IS NOT NULL) AS counted
     FROM pf.log l JOIN pf.version v ON v.id = l.version_id
     WHERE v.source_id = $1 GROUP BY l.version_id`,
    [sourceId],
  );
  return new Map(rows.map((r) => [r.version_id, r.counted ? r.row_count : null]));
}

/**
 * Counts the rows of entries that are older than the counts, and keeps that. An entry's rows never
 * change, so no lock is needed.
 *
 * @throws AppError 404 if the forecast table is gone
 * @returns the rows of all entries of the version
 */
export async function countOldEntries(
  session: Session,
  table: string,
  versionId: number,
): Promise<number> {
  await session.run(
    `UPDATE pf.log l SET row_count = (SELECT count(*) FROM ${table} WHERE pf_logid = l.id)
     WHERE version_id = $1 AND row_count IS NULL`,
    [versionId],
  );
  const { row_count } = await session.one<{ row_count: number }>(
    'SELECT COALESCE(sum(row_count), 0) AS row_count FROM pf.log WHERE version_id = $1',
    [versionId],
  );
  return row_count;
}
