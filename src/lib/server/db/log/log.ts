/** Queries of `pf.log`. */
import * as v from 'valibot';
import { LISTED_EDITS } from '../../../contract/imports';
import { EntryFacts, LogEntry } from '../../../contract/log';
import { LOAD_OPERATIONS, READING_LOADS } from '../../../contract/operations';
import { timestamp } from '../../../contract/primitives';
import type { Identifier, SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { readRevision, revisionOf } from '../versions/outside-changes';
import type { Queryable } from '../connection/queryable';
import { found, prepared } from '../connection/queryable';
import { hasTerritories } from '../people/territories';

/** The columns of {@link LogEntry}. */
export const ENTRY_FIELDS = sql`id, version_id, pf_user, stamp, operation, slice, params, note`;

/** The entries of a version, newest first. */
export const listEntries = (db: Queryable, versionId: number): Promise<LogEntry[]> =>
  db.many(
    LogEntry,
    sql`SELECT ${ENTRY_FIELDS} FROM pf.log WHERE version_id = $1 ORDER BY id DESC`,
    [versionId],
  );

/** Parameters without the edits of an import that lists leave out, as SQL. */
export const listedParams = (params: SqlText, operation: SqlText): SqlText =>
  sql`CASE WHEN ${operation} = 'import' AND jsonb_typeof(${params}->'edits') = 'array'
      AND jsonb_array_length(${params}->'edits') > ${LISTED_EDITS}
    THEN ${params} || jsonb_build_object(
      'edits', jsonb_path_query_array(${params}->'edits', '$[0 to ${LISTED_EDITS - 1}]'),
      'edit_count', jsonb_array_length(${params}->'edits'))
    ELSE ${params} END`;

/** The entries of a version as lists show them, newest first. */
export const listedEntries = (db: Queryable, versionId: number): Promise<LogEntry[]> =>
  db.many(
    LogEntry,
    sql`SELECT id, version_id, pf_user, stamp, operation, slice, note,
       ${listedParams(sql`params`, sql`operation`)} AS params
     FROM pf.log WHERE version_id = $1 ORDER BY id DESC`,
    [versionId],
  );

/** What some entries of a version are and who made them, without their requests, newest first. */
export const entriesWith = (
  db: Queryable,
  versionId: number,
  ids: readonly number[],
): Promise<EntryFacts[]> =>
  db.many(
    EntryFacts,
    sql`SELECT id AS logid, operation, pf_user, stamp, note FROM pf.log
     WHERE version_id = $1 AND id = ANY ($2::bigint[]) ORDER BY id DESC`,
    [versionId, ids],
  );

/** The id of the newest entry of a version; 0 if it has none. */
export const newestEntry = async (db: Queryable, versionId: number): Promise<number> =>
  (
    await db.one(
      v.object({ id: v.number() }),
      sql`SELECT COALESCE(MAX(id), 0) AS id FROM pf.log WHERE version_id = $1`,
      [versionId],
    )
  ).id;

const Label = v.object({
  id: v.number(),
  stamp: timestamp,
  operation: v.string(),
  note: v.nullable(v.string()),
});
export type Label = v.InferOutput<typeof Label>;

/** Operation and note of each entry of a version, oldest first. Rows are labelled with them. */
export const entryLabels = (db: Queryable, versionId: number): Promise<Label[]> =>
  db.many(
    Label,
    sql`SELECT id, stamp, operation, note FROM pf.log WHERE version_id = $1 ORDER BY id`,
    [versionId],
  );

/** @throws AppError 404 if there is no such entry */
export const getEntry = async (db: Queryable, logid: number): Promise<LogEntry> =>
  found(
    await db.maybeOne(LogEntry, sql`SELECT ${ENTRY_FIELDS} FROM pf.log WHERE id = $1`, [logid]),
    `log entry ${logid}`,
  );

const EntryKey = v.object({
  id: v.number(),
  version_id: v.number(),
  stamp: timestamp,
  operation: v.string(),
});
/**
 * An entry and its version. The stamp distinguishes it from an entry with the same id in a restored database.
 */
export type EntryKey = v.InferOutput<typeof EntryKey>;

const ENTRY_KEY = prepared(sql`SELECT id, version_id, stamp, operation FROM pf.log WHERE id = $1`);

/** The entry with an id; undefined if there is none. */
export const findEntry = (db: Queryable, logid: number): Promise<EntryKey | undefined> =>
  db.maybeOne(EntryKey, ENTRY_KEY, [logid]);

const NotedEntry = v.intersect([LogEntry, v.object({ has_territories: v.boolean() })]);

/**
 * Sets the note of an entry; null clears it.
 *
 * @returns the entry, and whether its source has territories
 * @throws AppError 404 if there is no such entry
 */
export async function updateNote(
  db: Queryable,
  logid: number,
  note: string | null,
): Promise<{ entry: LogEntry; hasTerritories: boolean }> {
  const row = await db.maybeOne(
    NotedEntry,
    sql`UPDATE pf.log SET note = $2 WHERE id = $1 RETURNING ${ENTRY_FIELDS},
       (SELECT ${hasTerritories(sql`v.source_id`)} FROM pf.version AS v WHERE v.id = version_id)
         AS has_territories`,
    [logid, note],
  );
  const { has_territories, ...entry } = found(row, `log entry ${logid}`);
  return { entry, hasTerritories: has_territories };
}

/**
 * Whether the version has an entry that is not a load (docs/contract/03-states-and-transitions.md). An
 * operation that the contract's table does not list as a load counts as an operation.
 */
export async function hasOperations(db: Queryable, versionId: number): Promise<boolean> {
  const { some } = await db.one(
    v.object({ some: v.boolean() }),
    sql`SELECT EXISTS (SELECT FROM pf.log
       WHERE version_id = $1 AND operation <> ALL ($2::text[])) AS some`,
    [versionId, LOAD_OPERATIONS],
  );
  return some;
}

/** The entries that take back a part of some entries of a version, oldest first. */
export const reversesOf = (
  db: Queryable,
  versionId: number,
  entries: readonly number[],
): Promise<{ id: number; of: number }[]> =>
  db.many(
    v.object({ id: v.number(), of: v.number() }),
    sql`SELECT l.id, entry.id AS of FROM pf.log AS l
     JOIN unnest($2::bigint[]) AS entry (id) ON l.params->'reverse_of' = to_jsonb(entry.id)
     WHERE l.version_id = $1 AND l.operation = 'reverse' ORDER BY l.id`,
    [versionId, entries],
  );

/** The entry of a replay that replayed an entry of its original; undefined if none did. */
export const replayOf = async (
  db: Queryable,
  versionId: number,
  original: number,
): Promise<number | undefined> =>
  (
    await db.maybeOne(
      v.object({ id: v.number() }),
      sql`SELECT id FROM pf.log WHERE version_id = $1 AND params->'replayed_from' = to_jsonb($2::bigint)`,
      [versionId, original],
    )
  )?.id;

const Change = v.object({ version_id: v.number(), stamp: timestamp, pf_user: v.string() });

/** The newest entry of each version of a source that has one. */
export async function lastChanges(
  db: Queryable,
  sourceId: number,
): Promise<Map<number, v.InferOutput<typeof Change>>> {
  const rows = await db.many(
    Change,
    sql`SELECT DISTINCT ON (l.version_id) l.version_id, l.stamp, l.pf_user
     FROM pf.log l JOIN pf.version v ON v.id = l.version_id
     WHERE v.source_id = $1 ORDER BY l.version_id, l.id DESC`,
    [sourceId],
  );
  return new Map(rows.map((r) => [r.version_id, r]));
}

/**
 * When each version of a source that has a load or a refresh was last compared with the source: the time of the newest
 * such entry, or of a later refresh that wrote none.
 */
export async function lastLoads(db: Queryable, sourceId: number): Promise<Map<number, string>> {
  const rows = await db.many(
    v.object({ version_id: v.number(), stamp: timestamp }),
    sql`SELECT l.version_id, greatest(max(l.stamp), max(v.checked_at)) AS stamp
     FROM pf.log l JOIN pf.version v ON v.id = l.version_id
     WHERE v.source_id = $1 AND l.operation = ANY($2) GROUP BY l.version_id`,
    [sourceId, READING_LOADS],
  );
  return new Map(rows.map(({ version_id, stamp }) => [version_id, stamp]));
}

/** Whether the row count of an entry `l` is stored and up to date, as SQL. */
export const IS_COUNTED = sql`(l.row_count IS NOT NULL
    AND l.counted_revision IS NOT DISTINCT FROM ${revisionOf(sql`l.version_id`)})`;

/** Number of rows of a version by the counts stored with its entries; null if a count is missing or outdated. */
export async function entryRowCounts(
  db: Queryable,
  sourceId: number,
): Promise<Map<number, number | null>> {
  const rows = await db.many(
    v.object({
      version_id: v.number(),
      row_count: v.nullable(v.number()),
      counted: v.boolean(),
    }),
    sql`SELECT l.version_id, sum(l.row_count) AS row_count, bool_and(${IS_COUNTED}) AS counted
     FROM pf.log l JOIN pf.version v ON v.id = l.version_id
     WHERE v.source_id = $1 GROUP BY l.version_id`,
    [sourceId],
  );
  return new Map(rows.map((r) => [r.version_id, r.counted ? r.row_count : null]));
}

/**
 * Number of rows of those entries that have a stored count.
 *
 * @param entries ids of the entries; all entries if left out
 */
export async function countedRows(
  db: Queryable,
  versionId: number,
  entries?: readonly number[],
): Promise<number> {
  const { row_count } = await db.one(
    v.object({ row_count: v.number() }),
    sql`SELECT COALESCE(sum(row_count), 0) AS row_count FROM pf.log
     WHERE version_id = $1 AND ($2::bigint[] IS NULL OR id = ANY ($2))`,
    [versionId, entries ?? null],
  );
  return row_count;
}

/**
 * Counts the rows of entries whose count is missing or outdated, and stores the counts. No lock is needed: the
 * revision is read first, so rows that change while they are counted are counted again the next time.
 *
 * @throws AppError 404 if the forecast table is gone
 * @returns the number of rows of all entries of the version
 */
export async function countOldEntries(
  db: Queryable,
  table: Identifier,
  versionId: number,
): Promise<number> {
  const revision = await readRevision(db, versionId);
  const old = await db.many(
    v.object({ id: v.number() }),
    sql`SELECT id FROM pf.log AS l WHERE version_id = $1 AND NOT ${IS_COUNTED}`,
    [versionId],
  );
  if (old.length > 0) {
    const ids = old.map(({ id }) => id);
    // A separate query, because a distributed table cannot be joined to a local one.
    const counts = await db.many(
      v.object({ id: v.number(), row_count: v.number() }),
      sql`SELECT pf_logid AS id, count(*) AS row_count FROM ${table}
       WHERE pf_logid = ANY ($1::bigint[]) GROUP BY pf_logid`,
      [ids],
    );
    await db.run(
      sql`UPDATE pf.log l SET row_count = COALESCE(
         (SELECT c.row_count FROM jsonb_to_recordset($2) AS c (id bigint, row_count bigint)
          WHERE c.id = l.id), 0), counted_revision = NULLIF($3, '0')::xid8
       WHERE id = ANY ($1::bigint[])`,
      [ids, JSON.stringify(counts), revision],
    );
  }
  return countedRows(db, versionId);
}
