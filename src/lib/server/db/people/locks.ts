/** Queries of `pf.lock`. */
import * as v from 'valibot';
import { Lock } from '../../../contract/locks';
import type { Slice } from '../../../contract/slices';
import type { Identifier, ReadableRows, SqlText } from '../../sql/quote';
import { commas, join, sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { prepared } from '../connection/queryable';

/** A lock as it is stored; the answer of the API leaves out a `logid` of null. */
const StoredLock = v.pipe(
  v.object({ ...Lock.entries, logid: v.nullable(v.number()) }),
  v.transform(({ logid, ...lock }): Lock => (logid === null ? lock : { ...lock, logid })),
);

const FIELDS = sql`id, version_id, slice, note, created_by, created_at, logid`;
const LOCKS = prepared(sql`SELECT ${FIELDS} FROM pf.lock WHERE version_id = $1 ORDER BY id`);

/** The locks of a version, oldest first. */
export const listLocks = (db: Queryable, versionId: number): Promise<Lock[]> =>
  db.many(StoredLock, LOCKS, [versionId]);

/**
 * @param lock with `logid` if it is to be deleted with an entry
 * @returns the new lock
 */
export const insertLock = (
  db: Queryable,
  versionId: number,
  lock: { slice: Slice; note: string | null; created_by: string; logid?: number },
): Promise<Lock> =>
  db.one(
    StoredLock,
    sql`INSERT INTO pf.lock (version_id, slice, note, created_by, logid) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${FIELDS}`,
    [versionId, JSON.stringify(lock.slice), lock.note, lock.created_by, lock.logid ?? null],
  );

/**
 * Copies the locks of a version to another one, with their notes and authors. A lock of an entry becomes one of
 * the copied entry; without such an entry it is left out. @returns how many
 */
export const copyLocks = (db: Queryable, from: number, to: number): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.lock (version_id, slice, note, created_by, created_at, logid)
     SELECT $2, k.slice, k.note, k.created_by, k.created_at, l.id FROM pf.lock AS k
     LEFT JOIN pf.log AS l ON l.version_id = $2 AND l.params->'copied_from' = to_jsonb(k.logid)
     WHERE k.version_id = $1 AND (k.logid IS NULL OR l.id IS NOT NULL) ORDER BY k.id`,
    [from, to],
  );

/** A lock; undefined if there is none with this id. */
export const findLock = (db: Queryable, id: number): Promise<Lock | undefined> =>
  db.maybeOne(StoredLock, sql`SELECT ${FIELDS} FROM pf.lock WHERE id = $1`, [id]);

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
  // Without IS TRUE, PostgreSQL would read the lookup of an attribute for each row: it expects few rows of a new entry.
  const any = conditions.map((condition) => sql`((${condition}) IS TRUE)`);
  const found = await db.maybeOne(
    v.object({ place: v.number() }),
    sql`SELECT CASE ${join(cases, sql` `)} END AS place FROM ${table}
     WHERE ${among} AND (${join(any, sql` OR `)}) LIMIT 1`,
  );
  return found?.place;
}

const Found = v.object({
  values: v.array(v.boolean()),
  ranges: v.array(v.tuple([v.string(), v.string()])),
});

/**
 * Finds what the rows that match a condition have: whether each of some values, and the first and last day of some
 * dates. @returns undefined if no row matches
 *
 * @param values conditions
 * @param ranges names of date columns
 */
export async function findValues(
  db: Queryable,
  from: ReadableRows,
  where: SqlText,
  { values, ranges }: { values: readonly SqlText[]; ranges: readonly SqlText[] },
): Promise<v.InferOutput<typeof Found> | undefined> {
  const has = commas(values.map((value) => sql`COALESCE(bool_or(${value}), false)`));
  const days = commas(ranges.map((date) => sql`ARRAY[min(${date})::text, max(${date})::text]`));
  return db.maybeOne(
    Found,
    sql`SELECT ARRAY[${has}]::boolean[] AS values, ARRAY[${days}]::text[] AS ranges
     FROM ${from} WHERE ${where} HAVING count(*) > 0`,
  );
}
