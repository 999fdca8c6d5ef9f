/** Queries of `pf.version`, and the lock of a version. */
import * as v from 'valibot';
import { Version } from '../../../contract/versions';
import { AppError } from '../../errors';
import { membersOf, reaches } from '../../sender';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { found, prepared } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';
import { lockUntilCommitted, waitForCommits } from './distributed';
import { revisionText } from './outside-changes';
import { indexedTo } from './slice-indexes';
import { isServed } from '../people/needs';
import { isVisibleTo } from '../people/territories';

const FIELDS = sql`id, source_id, name, description, status, exclude_iters, created_at, created_by,
  closed_at, closed_by,
  (SELECT array_agg(c.name ORDER BY c.name) FROM pf.current AS c WHERE c.version_id = version.id) AS current`;
const VersionRow = v.pipe(
  v.object({ ...Version.entries, current: v.nullable(v.array(v.string())) }),
  v.transform(({ current, ...version }): Version => (current ? { ...version, current } : version)),
);
const VERSION = sql`SELECT ${FIELDS} FROM pf.version WHERE id = $1`;
const VISIBLE = sql`${VERSION} AND ${isVisibleTo(sql`version.source_id`, sql`$2`)}`;
const LOCKS = { NONE: sql``, UPDATE: sql` FOR UPDATE`, SHARE: sql` FOR SHARE` };
const forms = (statement: SqlText) => ({
  NONE: prepared(statement),
  UPDATE: prepared(sql`${statement}${LOCKS.UPDATE}`),
  SHARE: prepared(sql`${statement}${LOCKS.SHARE}`),
});
const OF_ANYBODY = forms(sql`${VERSION} AND ${isServed(sql`version.source_id`)}`);
const OF_MEMBERS = forms(VISIBLE);

/** A version that the sender may see. */
async function findVersion(
  db: Queryable,
  id: number,
  lock: keyof typeof LOCKS = 'NONE',
): Promise<Version | undefined> {
  const members = membersOf(db.sender);
  const version = members
    ? await db.maybeOne(VersionRow, OF_MEMBERS[lock], [id, members])
    : await db.maybeOne(VersionRow, OF_ANYBODY[lock], [id]);
  return version && reaches(db.sender, version.source_id) ? version : undefined;
}

const TableState = v.object({ revision: v.string(), indexedTo: v.nullable(v.number()) });
const TABLE_STATE = prepared(
  sql`SELECT ${revisionText(sql`$1`)} AS revision, ${indexedTo(sql`$2`)} AS "indexedTo"`,
);

/**
 * The revision of a version's rows, and the newest entry whose rows are in the indexes for slices. Every read and
 * write of a version needs both, so one statement reads them.
 *
 * @param tableName name of the forecast table without its schema
 */
export const readTableState = (
  db: Queryable,
  versionId: number,
  tableName: string,
): Promise<v.InferOutput<typeof TableState>> =>
  db.one(TableState, TABLE_STATE, [versionId, tableName]);

/** The versions of a source, oldest first. */
export const listVersions = (db: Queryable, sourceId: number): Promise<Version[]> =>
  db.many(VersionRow, sql`SELECT ${FIELDS} FROM pf.version WHERE source_id = $1 ORDER BY id`, [
    sourceId,
  ]);

/** @throws AppError 404 if there is no such version, or the sender may not see it */
export async function getVersion(db: Queryable, id: number): Promise<Version> {
  return found(await findVersion(db, id), `version ${id}`);
}

/**
 * Locks a version until the transaction ends. Loads share the lock; every other write has it exclusively
 * (docs/contract/15-concurrency.md). @throws AppError 404 as {@link getVersion}
 */
export async function lockVersion(
  transaction: Transaction,
  id: number,
  lock: 'UPDATE' | 'SHARE',
): Promise<Version> {
  const version = await findVersion(transaction, id, lock);
  if (version && lock === 'UPDATE') await waitForCommits(transaction, id);
  return found(version, `version ${id}`);
}

/** Like `lockVersion`, for a write. @throws AppError 404, 403 if the version is closed */
export async function lockOpenVersion(
  transaction: Transaction,
  id: number,
  lock: 'UPDATE' | 'SHARE' = 'UPDATE',
): Promise<Version> {
  const version = await lockVersion(transaction, id, lock);
  requireOpen(version);
  return version;
}

/** @throws AppError 403 if a version is closed */
export function requireOpen({ status }: Version): void {
  if (status === 'closed') throw new AppError(403, 'Version is closed');
}

/** Locks all versions of a source in a fixed order, so that their tables can be changed. */
export async function lockVersionsOf(
  transaction: Transaction,
  sourceId: number,
): Promise<Version[]> {
  const versions = await transaction.many(
    VersionRow,
    sql`SELECT ${FIELDS} FROM pf.version WHERE source_id = $1 ORDER BY id FOR UPDATE`,
    [sourceId],
  );
  for (const { id } of versions) await lockUntilCommitted(transaction, id);
  return versions;
}

/** The new version, or undefined if the name is taken. */
export function insertVersion(
  db: Queryable,
  version: {
    source_id: number;
    name: string;
    description: string | null;
    exclude_iters: readonly string[];
    created_by: string | null;
  },
): Promise<Version | undefined> {
  return db.maybeOne(
    VersionRow,
    sql`INSERT INTO pf.version (source_id, name, description, exclude_iters, created_by)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (source_id, name) DO NOTHING
     RETURNING ${FIELDS}`,
    [
      version.source_id,
      version.name,
      version.description,
      JSON.stringify(version.exclude_iters),
      version.created_by,
    ],
  );
}

/**
 * Overwrites all three fields: null clears the description.
 *
 * @throws the database's error, `uniqueViolation`, if the source has another version with that name
 */
export function updateVersion(
  db: Queryable,
  id: number,
  version: Pick<Version, 'name' | 'description' | 'exclude_iters'>,
): Promise<Version> {
  return db.one(
    VersionRow,
    sql`UPDATE pf.version SET name = $2, description = $3, exclude_iters = $4 WHERE id = $1
     RETURNING ${FIELDS}`,
    [id, version.name, version.description, JSON.stringify(version.exclude_iters)],
  );
}

/** Closes a version on behalf of `user`, or opens it if `user` is null. */
export function setClosed(db: Queryable, id: number, user: string | null): Promise<Version> {
  return db.one(
    VersionRow,
    sql`UPDATE pf.version
     SET status = CASE WHEN $2::text IS NULL THEN 'open' ELSE 'closed' END,
       closed_at = CASE WHEN $2::text IS NOT NULL THEN now() END, closed_by = $2
     WHERE id = $1 RETURNING ${FIELDS}`,
    [id, user],
  );
}

/** Deletes a version with its log but not its forecast table. @returns 1, or 0 if it does not exist */
export const deleteVersion = (db: Queryable, id: number): Promise<number> =>
  db.run(
    sql`WITH changes AS (DELETE FROM pf.outside_change WHERE version_id = $1)
     DELETE FROM pf.version WHERE id = $1`,
    [id],
  );
