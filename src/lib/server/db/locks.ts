/** Queries of `pf.lock`. */
import * as v from 'valibot';
import { Lock } from '../../contract/locks';
import type { Slice } from '../../contract/slices';
import type { Identifier, SqlText } from '../sql/quote';
import { join, sql } from '../sql/quote';
import type { Queryable } from './queryable';
import { prepared } from './queryable';

const FIELDS = sql`id, version_id, slice, note, created_by, created_at`;
const LOCKS = prepared(sql`SELECT ${FIELDS} FROM pf.lock WHERE version_id = $1 ORDER BY id`);

/** The locks of a version, oldest first. */
export const listLocks = (db: Queryable, versionId: number): Promise<Lock[]> =>
  db.many(Lock, LOCKS, [versionId]);

/** @returns the new lock */
export const insertLock = (
  db: Queryable,
  versionId: number,
  lock: { slice: Slice; note: string | null; created_by: string },
): Promise<Lock> =>
  db.one(
    Lock,
    sql`INSERT INTO pf.lock (version_id, slice, note, created_by) VALUES ($1, $2, $3, $4)
     RETURNING ${FIELDS}`,
    [versionId, JSON.stringify(lock.slice), lock.note, lock.created_by],
  );

/** Copies the locks of a version to another one, with their notes and authors. @returns how many */
export const copyLocks = (db: Queryable, from: number, to: number): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.lock (version_id, slice, note, created_by, created_at)
     SELECT $2, slice, note, created_by, created_at FROM pf.lock WHERE version_id = $1 ORDER BY id`,
    [from, to],
  );

/** The version that a lock belongs to; undefined if there is no such lock. */
export async function versionOfLock(db: Queryable, id: number): Promise<number | undefined> {
  const lock = await db.maybeOne(
    v.object({ version_id: v.number() }),
    sql`SELECT version_id FROM pf.lock WHERE id = $1`,
    [id],
  );
  return lock?.version_id;
}

/** @returns 1, or 0 if there is no such lock */
export const deleteLock = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.lock WHERE id = $1`, [id]);

/**
 * Finds the first condition that a row fulfils. @returns its index in the list; undefined if no row fulfils
 * any
 *
 * @param among which rows are checked
 */
export async function firstFulfilled(
  db: Queryable,
  table: Identifier,
  among: SqlText,
  conditions: readonly SqlText[],
): Promise<number | undefined> {
  const cases = conditions.map((condition, place) => sql`WHEN ${condition} THEN ${place}`);
  const any = conditions.map((condition) => sql`(${condition})`);
  const found = await db.maybeOne(
    v.object({ place: v.number() }),
    sql`SELECT CASE ${join(cases, sql` `)} END AS place FROM ${table}
     WHERE ${among} AND (${join(any, sql` OR `)}) LIMIT 1`,
  );
  return found?.place;
}
