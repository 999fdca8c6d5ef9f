/** Reads tables and columns from PostgreSQL's catalog. */
import * as v from 'valibot';
import { TableEntry } from '../../../contract/sources';
import type { ColumnType } from '../../sql/forecast-columns';
import { sql } from '../../sql/quote';
import { prepared, type Queryable } from '../connection/queryable';
import { storedSql } from '../connection/row-schemas';

const KINDS = sql`CASE c.relkind
    WHEN 'r' THEN 'table'
    WHEN 'v' THEN 'view'
    WHEN 'm' THEN 'materialized view'
    WHEN 'p' THEN 'partitioned table'
    WHEN 'f' THEN 'foreign table'
  END`;

/**
 * Whether a relation can be a source: it is readable, and does not belong to the system, an extension or the
 * service.
 */
const IS_CANDIDATE = sql`c.relkind IN ('r', 'v', 'm', 'p', 'f')
  AND n.nspname NOT IN ('pf', 'pf_plans', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
  AND NOT EXISTS (
    SELECT 1 FROM pg_depend d
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
  )
  AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')`;

/**
 * Lists every table that can become a source (docs/contract/04-data-loading.md). The query joins by namespace
 * and name, so tables with the same name in several schemas stay apart. `row_estimate` is the planner's
 * estimate; null if there is none yet.
 */
export function listTables(db: Queryable): Promise<TableEntry[]> {
  return db.many(
    TableEntry,
    sql`
    SELECT n.nspname AS schema, c.relname AS tname, ${KINDS} AS kind,
      NULLIF(c.reltuples, -1)::float8 AS row_estimate, s.id AS source_id
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pf.source s ON s.schema = n.nspname AND s.tname = c.relname
    WHERE ${IS_CANDIDATE}
    ORDER BY n.nspname, c.relname`,
  );
}

export interface TableColumn {
  cname: string;
  /** Ordinal position, from 1. */
  position: number;
  nullable: boolean;
  type: ColumnType;
}

/**
 * Whether a table with this name can be a source. Names are compared as text, because the type `name`
 * truncates at 63 bytes.
 */
export const tableExists = (db: Queryable, schema: string, tname: string): Promise<boolean> =>
  db.any(
    sql`SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::text AND c.relname = $2::text AND ${IS_CANDIDATE}`,
    [schema, tname],
  );

/**
 * Whether a function is a trigger of a forecast table. A trigger function of no table counts too: its table may have
 * been created, and rolled back, by the write that it refused.
 *
 * @param name as `regprocedure` prints it
 */
export const isTriggerOfForecast = (db: Queryable, name: string): Promise<boolean> =>
  db.any(
    sql`SELECT 1 FROM pg_proc p
     LEFT JOIN pg_trigger t ON t.tgfoid = p.oid AND NOT t.tgisinternal
     LEFT JOIN pg_class c ON c.oid = t.tgrelid
     WHERE p.oid::regprocedure::text = $1::text AND p.prorettype = 'trigger'::regtype
       AND (c.oid IS NULL OR c.relnamespace = 'pf'::regnamespace)`,
    [name],
  );

const CatalogColumn = v.object({
  place: v.number(),
  cname: v.string(),
  position: v.number(),
  nullable: v.boolean(),
  declared: storedSql,
  base: storedSql,
  name: v.string(),
  is_enum: v.boolean(),
  scale: v.nullable(v.number()),
  comparable: v.boolean(),
});

/**
 * A type can be sorted if it has a B-tree operator class, or if its element type or a binary-compatible type
 * has one. Enums, ranges and multiranges can always be sorted.
 */
const TABLE_COLUMNS = prepared(
  sql`WITH RECURSIVE resolved AS (
       SELECT wanted.place, a.attnum, a.attname, NOT a.attnotnull AS nullable,
         format_type(a.atttypid, a.atttypmod) AS declared, a.atttypid AS typid, a.atttypmod AS typmod
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (schema, tname, place)
         ON n.nspname = wanted.schema AND c.relname = wanted.tname
       WHERE a.attnum > 0 AND NOT a.attisdropped
         AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
     UNION ALL
       SELECT r.place, r.attnum, r.attname, r.nullable AND NOT t.typnotnull, r.declared, t.typbasetype, t.typtypmod
       FROM resolved r JOIN pg_type t ON t.oid = r.typid AND t.typtype = 'd'
     )
     SELECT r.place, r.attname AS cname, r.attnum::int AS position, r.nullable, r.declared,
       format_type(r.typid, r.typmod) AS base, t.typname AS name, t.typtype = 'e' AS is_enum,
       CASE WHEN t.typname = 'numeric' AND r.typmod >= 4
         THEN (((r.typmod - 4) & 2047) # 1024) - 1024 END AS scale,
       COALESCE(e.typtype, t.typtype) IN ('e', 'r', 'm')
         OR COALESCE(e.typname, t.typname) IN ('varchar', 'cidr')
         OR EXISTS (
           SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod AND m.amname = 'btree'
           WHERE o.opcdefault AND o.opcintype = COALESCE(e.oid, t.oid)
         ) AS comparable
     FROM resolved r
     JOIN pg_type t ON t.oid = r.typid AND t.typtype <> 'd'
     LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
     ORDER BY r.place, r.attnum`,
);

/** Compared as text: the type `name` truncates at 63 bytes. */
interface TableName {
  schema: string;
  tname: string;
}

/**
 * The columns of some tables, in the order of the tables and of their columns. Domains are resolved to their
 * base types. A table that does not exist has no columns.
 */
export async function columnsOfTables(
  db: Queryable,
  tables: readonly TableName[],
): Promise<TableColumn[][]> {
  const rows = await db.many(CatalogColumn, TABLE_COLUMNS, [
    tables.map(({ schema }) => schema),
    tables.map(({ tname }) => tname),
  ]);
  return tables.map((_, i) =>
    rows
      .filter(({ place }) => place === i + 1)
      .map(({ place: __, cname, position, nullable, is_enum, ...type }) => ({
        cname,
        position,
        nullable,
        type: { ...type, isEnum: is_enum },
      })),
  );
}

/** As {@link columnsOfTables}, for one table. */
export const tableColumns = async (
  db: Queryable,
  schema: string,
  tname: string,
): Promise<TableColumn[]> => (await columnsOfTables(db, [{ schema, tname }])).flat();
