/** Queries of source tables: first rows, values, combinations. */
import { searchPattern } from '../../../contract/folding';
import type { Row } from '../../../contract/primitives';
import { ColumnValues, GrainEstimate } from '../../../contract/sources';
import type { SqlText } from '../../sql/quote';
import { commas, ident, literal, qualified, sql } from '../../sql/quote';
import type { TableColumn } from './catalog';
import type { Queryable } from '../connection/queryable';
import { tableRow } from '../connection/row-schemas';

interface TableName {
  schema: string;
  tname: string;
}

/** Types that JSON can carry. All other types are shown as PostgreSQL prints them. */
const PLAIN = [
  'int2',
  'int4',
  'int8',
  'numeric',
  'float4',
  'float8',
  'bool',
  'text',
  'varchar',
  'date',
];

/** The first rows of a table, in any order. */
export function previewRows(
  db: Queryable,
  table: TableName,
  columns: readonly TableColumn[],
  limit: number,
): Promise<Row[]> {
  const names = columns.map((c) =>
    PLAIN.includes(c.type.name)
      ? ident(c.cname)
      : sql`${ident(c.cname)}::text AS ${ident(c.cname)}`,
  );
  return db.many(
    tableRow,
    sql`SELECT ${commas(names)} FROM ${qualified(table.schema, table.tname)} LIMIT ${limit}`,
  );
}

/**
 * Distinct values of a column as text, most frequent first: those that contain `search` as the page's own
 * search finds them (contract/folding.ts). Only a database in UTF8 can hold other forms than the composed one.
 *
 * @param from the rows, as a FROM clause
 * @param column of these rows, as SQL
 */
export async function distinctValues(
  db: Queryable,
  from: SqlText,
  column: SqlText,
  search: string,
  limit: number,
): Promise<ColumnValues> {
  const composed = sql`CASE current_setting('server_encoding') WHEN 'UTF8' THEN normalize(value) ELSE value END`;
  const isFound = search === '' ? sql`TRUE` : sql`${composed} ~ ${literal(searchPattern(search))}`;
  const values = await db.many(
    ColumnValues.entries.values.item,
    sql`WITH groups AS MATERIALIZED (
       SELECT ${column}::text AS value, count(*) AS row_count FROM ${from} GROUP BY 1
     )
     SELECT value, row_count FROM groups WHERE ${isFound}
     ORDER BY row_count DESC, value COLLATE "C" LIMIT ${limit + 1}`,
  );
  return { values: values.slice(0, limit), more: values.length > limit };
}

/** Number of rows of a table, and number of distinct combinations of some of its columns. */
export async function countCombinations(
  db: Queryable,
  table: TableName,
  columns: readonly string[],
): Promise<GrainEstimate> {
  const names = commas(columns.map(ident));
  return db.one(
    GrainEstimate,
    sql`SELECT COALESCE(sum(n), 0) AS row_count, count(*) AS grain_rows
     FROM (SELECT count(*) AS n FROM ${qualified(table.schema, table.tname)} GROUP BY ${names}) AS groups`,
  );
}
