/** Queries of `pf.sql` and `pf.sql_column`. */
import * as v from 'valibot';
import { Role } from '../../../contract/columns';
import type { TemplateOperation } from '../../../contract/sources';
import { Template, TEMPLATE_OPERATIONS } from '../../../contract/sources';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Templates } from '../../sql/templates/generate';
import type { Queryable } from '../connection/queryable';
import { storedSql } from '../connection/row-schemas';

/** The stored templates of a source in the contract's order; empty before the first generation. */
export function listTemplates(db: Queryable, sourceId: number): Promise<Template[]> {
  return db.many(
    Template,
    sql`SELECT operation, sql, generated_at FROM pf.sql
     WHERE source_id = $1 ORDER BY array_position($2::text[], operation)`,
    [sourceId, TEMPLATE_OPERATIONS],
  );
}

/** The text of one stored template; undefined if there is none. */
export async function findTemplate(
  db: Queryable,
  sourceId: number,
  operation: TemplateOperation,
): Promise<SqlText | undefined> {
  const row = await db.maybeOne(
    v.object({ sql: storedSql }),
    sql`SELECT sql FROM pf.sql WHERE source_id = $1 AND operation = $2`,
    [sourceId, operation],
  );
  return row?.sql;
}

/** A column as the stored templates of its source use it. */
const GeneratedColumn = v.object({
  role: Role,
  type: storedSql,
  inGrain: v.boolean(),
  timeZone: v.nullable(v.string()),
});
export type GeneratedColumn = v.InferOutput<typeof GeneratedColumn>;

/** A generated column with its name. */
export const NamedColumn = v.object({ ...GeneratedColumn.entries, name: v.string() });

/** The columns that the stored templates of a source, `$1`, were generated from, in order. */
export const GENERATED_COLUMNS = sql`SELECT cname AS name, role, type, in_grain AS "inGrain", time_zone AS "timeZone"
   FROM pf.sql_column WHERE source_id = $1 ORDER BY position`;

/**
 * Generated columns by name; undefined before the first generation, and if the last generation was made
 * before the service recorded columns.
 */
export const byName = (
  columns: readonly v.InferOutput<typeof NamedColumn>[],
): Map<string, GeneratedColumn> | undefined =>
  columns.length === 0 ? undefined : new Map(columns.map(({ name, ...column }) => [name, column]));

/** {@link byName} of the columns that the stored templates of a source were generated from. */
export const generatedColumns = async (
  db: Queryable,
  sourceId: number,
): Promise<Map<string, GeneratedColumn> | undefined> =>
  byName(await db.many(NamedColumn, GENERATED_COLUMNS, [sourceId]));

/**
 * Upserts the templates, deletes those that were not generated, and records the columns that they were
 * generated from (docs/contract/07-sql-generation.md).
 */
export async function replaceTemplates(
  db: Queryable,
  sourceId: number,
  templates: Templates,
  columns: readonly ForecastColumn[],
): Promise<void> {
  await db.run(sql`DELETE FROM pf.sql_column WHERE source_id = $1`, [sourceId]);
  await db.run(
    sql`INSERT INTO pf.sql_column (source_id, cname, position, role, type, in_grain, time_zone)
     SELECT $1, cname, position, role, type, in_grain, time_zone
     FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[]) WITH ORDINALITY
       AS c (cname, role, type, in_grain, time_zone, position)`,
    [
      sourceId,
      columns.map((c) => c.name),
      columns.map((c) => c.role),
      columns.map((c) => c.type),
      columns.map((c) => c.inGrain),
      columns.map((c) => c.timeZone),
    ],
  );
  const operations = Object.keys(templates);
  await db.run(sql`DELETE FROM pf.sql WHERE source_id = $1 AND operation <> ALL ($2::text[])`, [
    sourceId,
    operations,
  ]);
  await db.run(
    sql`INSERT INTO pf.sql (source_id, operation, sql)
     SELECT $1, operation, sql FROM unnest($2::text[], $3::text[]) AS t (operation, sql)
     ON CONFLICT (source_id, operation) DO UPDATE SET sql = EXCLUDED.sql, generated_at = now()`,
    [sourceId, operations, Object.values(templates)],
  );
}
