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
