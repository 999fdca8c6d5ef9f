/**
 * The indexes by which PostgreSQL finds the rows of a small slice in a large version
 * (docs/decisions/0055-indexes-for-small-slices.md).
 */
import * as v from 'valibot';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { Identifier, SqlText } from '../../sql/quote';
import { commas, ident, literal, qualified, sql } from '../../sql/quote';
import { AppError } from '../../errors';
import { SQLSTATE, sqlState } from '../connection/failures';
import type { Queryable } from '../connection/queryable';
import { prepared } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';

/** An index of a forecast table for slices. Its name says which rows it has: there is no other record. */
export interface SliceIndex {
  name: string;
  /** The column that it is on. */
  column: string;
  /** The newest entry whose rows are in the index. */
  upTo: number;
  /** False while it is built, and after a build that failed. */
  isValid: boolean;
}

const NAME = /^slice_(\d+)_\d+$/;

const Index = v.pipe(
  v.object({ name: v.string(), column: v.string(), isValid: v.boolean() }),
  v.transform((index): SliceIndex => ({ ...index, upTo: Number(NAME.exec(index.name)?.[1]) })),
);

const INDEXES =
  prepared(sql`SELECT c.relname AS name, a.attname AS "column", i.indisvalid AS "isValid"
  FROM pg_class t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
  WHERE t.relname = $1 AND t.relnamespace = 'pf'::regnamespace AND c.relname ~ '^slice_[0-9]+_[0-9]+$'`);

/** The indexes for slices of a forecast table, those that cannot be used among them. */
export const sliceIndexes = (db: Queryable, tableName: string): Promise<SliceIndex[]> =>
  db.many(Index, INDEXES, [tableName]);

/**
 * Runs a statement that changes or drops a forecast table, also while an index for slices is built on it.
 *
 * The statement locks the table first: while it waits for the lock, it must have no snapshot, because the build waits
 * for older snapshots. PostgreSQL unlocks the table before it commits the end of a build. Until that commit, the
 * statement fails with an internal error, so it is tried again.
 *
 * @param tableName its name without the schema
 * @throws DatabaseError of the statement
 */
export async function changeTable(
  tx: Transaction,
  tableName: string,
  statementFor: (table: Identifier) => SqlText,
): Promise<number> {
  const table = qualified('pf', tableName);
  const statement = statementFor(table);
  const isBuilt = (await sliceIndexes(tx, tableName)).length > 0;
  // A build may begin at any time, but not on a distributed table.
  const mayBeBuilt =
    !tx.mayBeDistributed &&
    (await tx.any(sql`SELECT WHERE to_regclass(format('pf.%I', $1::text)) IS NOT NULL`, [
      tableName,
    ]));
  if (!isBuilt && !mayBeBuilt) return tx.run(statement);
  await tx.run(sql`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const changed = await tx.attempt(() =>
    tx.run(statement).catch((error: unknown) => {
      if (sqlState(error) !== SQLSTATE.internalError) throw error;
      throw new AppError(409, 'An index of the table was changed at the same time; try again');
    }),
  );
  return changed instanceof AppError ? tx.run(statement) : changed;
}

/**
 * The newest entry whose rows are in the indexes for slices of a forecast table, as SQL; null without such indexes.
 * @param tableName its name without the schema
 */
export const indexedTo = (tableName: SqlText): SqlText =>
  sql`(SELECT max(substring(c.relname::text, '^slice_([0-9]+)_[0-9]+$')::bigint)
     FROM pg_class t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
     WHERE t.relname = ${tableName} AND t.relnamespace = 'pf'::regnamespace AND i.indisvalid)`;

const Growth = v.object({ newest: v.nullable(v.number()), before: v.number(), since: v.number() });

/**
 * The newest entry of a version, and the number of rows before and since an entry. Entries whose rows were
 * never counted count as empty.
 */
export const growthSince = (
  db: Queryable,
  versionId: number,
  logid: number,
): Promise<v.InferOutput<typeof Growth>> =>
  db.one(
    Growth,
    sql`SELECT max(id) AS newest, COALESCE(sum(row_count) FILTER (WHERE id <= $2), 0)::bigint AS before,
       COALESCE(sum(row_count) FILTER (WHERE id > $2), 0)::bigint AS since
     FROM pf.log WHERE version_id = $1`,
    [versionId, logid],
  );

/** Ids of the versions that have indexes for slices, or had a build of them that did not end. */
export const versionsWithIndexes = async (db: Queryable): Promise<number[]> => {
  const found = await db.many(
    v.object({ id: v.number() }),
    sql`SELECT DISTINCT substring(t.relname::text, '_([0-9]+)$')::integer AS id
       FROM pg_class t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class c ON c.oid = i.indexrelid
       WHERE t.relnamespace = 'pf'::regnamespace AND t.relname ~ '^fc_.*_[0-9]+$'
         AND c.relname ~ '^slice_[0-9]+_[0-9]+$' ORDER BY 1`,
  );
  return found.map(({ id }) => id);
};

/** Whether an index of a forecast table is being built, by any server. */
export const isBeingBuilt = (db: Queryable, tableName: string): Promise<boolean> =>
  db.any(
    sql`SELECT FROM pg_stat_progress_create_index WHERE relid = to_regclass(format('pf.%I', $1::text))`,
    [tableName],
  );

/**
 * Reads the statistics of a forecast table again, by which PostgreSQL chooses its indexes. Does nothing while another
 * statement has a lock that forbids it: if that one waited for older snapshots, the two would wait for each other.
 */
export const analyze = (db: Queryable, table: Identifier): Promise<number> =>
  db.run(sql`ANALYZE (SKIP_LOCKED) ${table}`);

/**
 * The number of values that some columns have, by PostgreSQL's statistics, most first. Columns without
 * statistics are left out.
 */
export function distinctValues(
  db: Queryable,
  tableName: string,
  columns: readonly ForecastColumn[],
): Promise<{ name: string; values: number }[]> {
  if (columns.length === 0) return Promise.resolve([]);
  const names = commas(columns.map(({ name }) => literal(name)));
  return db.many(
    v.object({ name: v.string(), values: v.number() }),
    // A negative number is a share of the rows.
    sql`SELECT s.attname AS name, (CASE WHEN s.n_distinct < 0 THEN -s.n_distinct * c.reltuples
         ELSE s.n_distinct END)::double precision AS values
       FROM pg_stats s JOIN pg_class c ON c.oid = format('%I.%I', s.schemaname, s.tablename)::regclass
       WHERE s.schemaname = 'pf' AND s.tablename = $1 AND s.attname IN (${names})
       ORDER BY values DESC, name`,
    [tableName],
  );
}

/**
 * The statement that builds an index over the rows of the entries up to one, while others read and write. It does not
 * slow down later entries, because their rows are not in it. If it is interrupted, an index is left that cannot be used.
 *
 * @param number distinguishes the indexes up to the same entry
 */
export const createSliceIndex = (
  table: Identifier,
  { column, upTo, number }: { column: string; upTo: number; number: number },
): SqlText => sql`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${ident(`slice_${upTo}_${number}`)}
    ON ${table} (${ident(column)}) WHERE ${upToEntry(upTo)}`;

/** The statement that drops an index without blocking readers. It does nothing if there is none. */
export const dropSliceIndex = (name: string): SqlText =>
  sql`DROP INDEX CONCURRENTLY IF EXISTS ${qualified('pf', name)}`;

const upToEntry = (logid: number): SqlText => sql`pf_logid <= ${logid}`;
