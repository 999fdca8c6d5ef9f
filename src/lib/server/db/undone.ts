/** Queries of `pf.undone`. */
import { UndoneEntry } from '../../contract/log';
import { sql } from '../sql/quote';
import type { Queryable } from './queryable';
import { found } from './queryable';

const FIELDS = sql`logid, version_id, entry, row_count, value_total, units_total, undone_at, undone_by`;

/** The undone entries of a version, latest first. */
export const listUndone = (db: Queryable, versionId: number): Promise<UndoneEntry[]> =>
  db.many(
    UndoneEntry,
    sql`SELECT ${FIELDS} FROM pf.undone WHERE version_id = $1 ORDER BY undone_at DESC, logid DESC`,
    [versionId],
  );

/** @throws AppError 404 if no such entry of the version was undone */
export const undoneEntry = async (
  db: Queryable,
  versionId: number,
  logid: number,
): Promise<UndoneEntry> =>
  found(
    await db.maybeOne(
      UndoneEntry,
      sql`SELECT ${FIELDS} FROM pf.undone WHERE version_id = $1 AND logid = $2`,
      [versionId, logid],
    ),
    `undone entry ${logid} of version ${versionId}`,
  );
