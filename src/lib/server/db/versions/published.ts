/** Queries of `pf.published`, and its views in the schema `pf_plans`. */
import pg from 'pg';
import * as v from 'valibot';
import { PLANS_SCHEMA, Published } from '../../../contract/published';
import { AppError, reasonOf } from '../../errors';
import { commentText, plansView, viewNames, type PublishedView } from '../../sql/published';
import type { Identifier, SqlText } from '../../sql/quote';
import { commas, ident, literal, sql } from '../../sql/quote';
import { SQLSTATE, sqlState } from '../connection/failures';
import type { Queryable } from '../connection/queryable';
import { found } from '../connection/queryable';
import { storedSql } from '../connection/row-schemas';
import type { Transaction } from '../connection/transaction';

/** The key space of advisory locks for published plans. Any constant will do that nothing else uses. */
const PLANS = 731_001_303;

/**
 * Locks the published plans of a source until the transaction ends: whoever defines, moves or drops their views reads
 * what these show under this lock, which comes after that of the source and before those of its versions.
 */
export const lockPlans = (tx: Transaction, sourceId: number): Promise<number> =>
  tx.run(sql`SELECT pg_advisory_xact_lock(${PLANS}, $1)`, [sourceId]);

/** Locks the names in the schema until the transaction ends. No source has the id 0. */
const lockNames = (tx: Transaction): Promise<number> => lockPlans(tx, 0);

const FIELDS = sql`p.id, p.version_id, p.name, p.current, p.created_by, p.created_at`;

const PublishedRow = v.pipe(
  v.omit(Published, ['views']),
  v.transform((row): Published => {
    const { plan, changes } = viewNames(row.name);
    return { ...row, views: { plan: plansView(plan), changes: plansView(changes) } };
  }),
);

/** The view whose name is $1. `to_regclass` does not read the Unicode escapes of {@link ident}. */
const VIEW = sql`to_regclass(format('%I.%I', ${literal(PLANS_SCHEMA)}, $1::text))`;

/** The published versions of a source, by name. */
export const listPublished = (db: Queryable, sourceId: number): Promise<Published[]> =>
  db.many(
    PublishedRow,
    sql`SELECT ${FIELDS} FROM pf.published AS p JOIN pf.version AS v ON v.id = p.version_id
     WHERE v.source_id = $1 ORDER BY lower(p.name), p.id`,
    [sourceId],
  );

/** The published plans of a version, sorted by name. */
export const publishedOf = (db: Queryable, versionId: number): Promise<Published[]> =>
  db.many(
    PublishedRow,
    sql`SELECT ${FIELDS} FROM pf.published AS p WHERE p.version_id = $1 ORDER BY lower(p.name), p.id`,
    [versionId],
  );

/** A published version. @throws AppError 404 */
export const getPublished = async (db: Queryable, id: number): Promise<Published> =>
  found(
    await db.maybeOne(PublishedRow, sql`SELECT ${FIELDS} FROM pf.published AS p WHERE p.id = $1`, [
      id,
    ]),
    `published plan ${id}`,
  );

const PublishedAs = v.object({
  id: v.number(),
  source_id: v.number(),
  version_id: v.number(),
  current: v.nullable(v.string()),
});

/** The published plan of a name, with its source; undefined if there is none. */
export const findPublishedAs = (
  db: Queryable,
  name: string,
): Promise<v.InferOutput<typeof PublishedAs> | undefined> =>
  db.maybeOne(
    PublishedAs,
    sql`SELECT p.id, v.source_id, p.version_id, p.current FROM pf.published AS p JOIN pf.version AS v ON v.id = p.version_id
     WHERE p.name = $1`,
    [name],
  );

/** What a view shows. */
interface Shown {
  version_id: number;
  current: string | null;
}

/** Records a published plan. @returns undefined if the name is taken */
export const insertPublished = (
  db: Queryable,
  { name, version_id, current, created_by }: Shown & { name: string; created_by: string | null },
): Promise<Published | undefined> =>
  db.maybeOne(
    PublishedRow,
    sql`INSERT INTO pf.published AS p (version_id, name, current, created_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (name) DO NOTHING RETURNING ${FIELDS}`,
    [version_id, name, current, created_by],
  );

export const updatePublished = (
  db: Queryable,
  id: number,
  { version_id, current }: Shown,
): Promise<Published> =>
  db.one(
    PublishedRow,
    sql`UPDATE pf.published AS p SET version_id = $2, current = $3 WHERE p.id = $1 RETURNING ${FIELDS}`,
    [id, version_id, current],
  );

export const deletePublished = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.published WHERE id = $1`, [id]);

/** Whether the schema has a relation with one of some names; nobody else publishes new names until the transaction ends. */
export async function areTaken(tx: Transaction, names: readonly string[]): Promise<boolean> {
  await lockNames(tx);
  return tx.any(
    sql`SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::text AND c.relname = ANY ($2::text[])`,
    [PLANS_SCHEMA, names],
  );
}

/**
 * Makes a view, or gives it another definition. Its name, grants, options and comment stay.
 *
 * @throws AppError 409 if its columns change while another view uses it, 422 if the role may not make views
 */
export async function defineView(tx: Transaction, { name, select, comments }: PublishedView) {
  const view = plansView(name);
  await asPlans(name, async () => {
    await makeSchema(tx);
    await lockView(tx, name);
    const replaced = await tx.attempt(
      () => replaceView(tx, name, select),
      (error) => Promise.resolve(otherColumns(error)),
    );
    if (replaced instanceof AppError) await remakeView(tx, name, select);
    for (const [column, text] of comments) {
      await tx.run(sql`COMMENT ON COLUMN ${view}.${ident(column)} IS ${commentText(text)}`);
    }
  });
}

/** The refusal of PostgreSQL to replace a view by one that lacks columns or has others in their places. */
const otherColumns = (error: unknown): AppError | undefined =>
  sqlState(error) === SQLSTATE.invalidTableDefinition
    ? new AppError(409, reasonOf(error), { cause: error })
    : undefined;

/**
 * Gives a view an empty definition with the same columns that depends on no table, so that its table can be changed.
 * Does nothing if there is no such view.
 */
export async function detachView(tx: Transaction, name: string): Promise<void> {
  await asPlans(name, () => lockView(tx, name));
  const columns = await tx.many(
    v.object({ name: v.string(), type: storedSql }),
    sql`SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = ${VIEW} AND attnum > 0 ORDER BY attnum`,
    [name],
  );
  if (columns.length === 0) return;
  const empty = commas(columns.map((c) => sql`NULL::${c.type} AS ${ident(c.name)}`));
  await asPlans(name, () => replaceView(tx, name, sql`SELECT ${empty} WHERE FALSE`));
}

/** Drops a view, if it is there. @throws AppError as {@link defineView} */
export const dropView = (tx: Transaction, name: string): Promise<number> =>
  asPlans(name, () => tx.run(sql`DROP VIEW IF EXISTS ${plansView(name)}`));

/**
 * Locks a view until the transaction ends, if it is there, so that its grants, options and comment are read after
 * changes by others. The service owns it already; `LOCK TABLE` would lock the tables behind the view, too.
 */
const lockView = (tx: Transaction, name: string): Promise<number> =>
  tx.run(sql`ALTER VIEW IF EXISTS ${plansView(name)} OWNER TO CURRENT_USER`);

/** Makes a view, or replaces it in place. Without its options, PostgreSQL would take them away. */
async function replaceView(tx: Transaction, name: string, select: SqlText): Promise<void> {
  const { options } = await settingsOf(tx, name);
  await tx.run(sql`CREATE OR REPLACE VIEW ${plansView(name)}${options} AS ${select}`);
}

/** The options of a view as SQL, such as `security_invoker`, and its comment; none without the view. */
async function settingsOf(tx: Transaction, name: string) {
  const options = await tx.many(
    v.object({ name: v.string(), value: v.string() }),
    sql`SELECT o.option_name AS name, o.option_value AS value FROM pg_class AS c
     CROSS JOIN LATERAL pg_options_to_table(c.reloptions) AS o WHERE c.oid = ${VIEW}`,
    [name],
  );
  const { comment } = await tx.one(
    v.object({ comment: v.nullable(v.string()) }),
    sql`SELECT obj_description(${VIEW}, 'pg_class') AS comment`,
    [name],
  );
  const list = commas(options.map((o) => sql`${ident(o.name)} = ${literal(o.value)}`));
  return { options: options.length > 0 ? sql` WITH (${list})` : sql``, comment };
}

/** Drops a view and makes it again with its grants, options and comment. */
async function remakeView(tx: Transaction, name: string, select: SqlText): Promise<void> {
  const view = plansView(name);
  const grants = await grantsOf(tx, name);
  const { options, comment } = await settingsOf(tx, name);
  await dropView(tx, name);
  await tx.run(sql`CREATE VIEW ${view}${options} AS ${select}`);
  await tx.run(sql`COMMENT ON VIEW ${view} IS ${commentText(comment)}`);
  // Default privileges of the schema may have granted what an administrator had revoked.
  for (const { column, grantee } of await grantsOf(tx, name)) {
    if (column === null) await tx.run(sql`REVOKE ALL ON ${view} FROM ${role(grantee)}`);
  }
  const columns = await tx.many(
    v.object({ name: v.string() }),
    sql`SELECT attname AS name FROM pg_attribute WHERE attrelid = ${VIEW} AND attnum > 0`,
    [name],
  );
  for (const { column, grantee, privilege, grantable } of grants) {
    if (column !== null && !columns.some((c) => c.name === column)) continue;
    const on = column === null ? sql`` : sql` (${ident(column)})`;
    const option = grantable ? sql` WITH GRANT OPTION` : sql``;
    await tx.run(sql`GRANT ${privilege}${on} ON ${view} TO ${role(grantee)}${option}`);
  }
}

const Grant = v.object({
  /** The column of the grant; null if the grant is on the whole view. */
  column: v.nullable(v.string()),
  /** The role that has the grant; null for PUBLIC. */
  grantee: v.nullable(v.string()),
  privilege: storedSql,
  grantable: v.boolean(),
});

/** The grants on a view and its columns to others than its owner. */
const grantsOf = (tx: Transaction, name: string): Promise<v.InferOutput<typeof Grant>[]> =>
  tx.many(
    Grant,
    sql`SELECT g."column", r.rolname AS grantee, a.privilege_type AS privilege, bool_or(a.is_grantable) AS grantable
     FROM pg_class AS c
     CROSS JOIN LATERAL (
       SELECT NULL AS "column", c.relacl AS acl UNION ALL
       SELECT attname, attacl FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0
     ) AS g
     CROSS JOIN LATERAL aclexplode(g.acl) AS a LEFT JOIN pg_roles AS r ON r.oid = a.grantee
     WHERE c.oid = ${VIEW} AND a.grantee <> c.relowner GROUP BY 1, 2, 3`,
    [name],
  );

const role = (grantee: string | null): Identifier | SqlText =>
  grantee === null ? sql`PUBLIC` : ident(grantee);

/** Makes the schema, unless it is there: IF NOT EXISTS needs the right to make it in any case. */
async function makeSchema(tx: Transaction): Promise<void> {
  if (await tx.any(sql`SELECT FROM pg_namespace WHERE nspname = $1::text`, [PLANS_SCHEMA])) return;
  await tx.run(sql`CREATE SCHEMA ${ident(PLANS_SCHEMA)}`);
}

/** Runs what changes a view. @throws AppError 409 if others use it, 422 without the right */
async function asPlans<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error);
    if (state === SQLSTATE.dependentObjects) {
      const detail = error instanceof pg.DatabaseError ? (error.detail ?? '') : '';
      throw new AppError(
        409,
        `The view ${plansView(name)} has to be dropped, but others use it: ${detail}`,
        { cause: error },
      );
    }
    if (state === SQLSTATE.insufficientPrivilege) {
      throw new AppError(
        422,
        `The database role of the service may not make views in the schema ${PLANS_SCHEMA}: ${reasonOf(error)}. Grant it CREATE on the database, make the schema and grant it CREATE there, or give it back a view that another role owns`,
        { cause: error },
      );
    }
    throw error;
  }
}
