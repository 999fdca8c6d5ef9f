import type { Row } from '../../contract/primitives';
import type { ColumnValues } from '../../contract/sources';
import { literal, ident, qualified } from '../sql/identifiers';
import type { TableColumn } from './catalog';
import type { Session } from './database';

interface TableName {
  schema: string;
  tname: string;
}

/** Types that JSON carries as they are; everything else is shown as PostgreSQL prints it. */
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

/** The first rows of a table, in no order. */
export function previewRows(
  session: Session,
  table: TableName,
  columns: readonly TableColumn[],
  limit: number,
): Promise<Row[]> {
  const names = columns.map((c) =>
    PLAIN.includes(c.type.name) ? ident(c.cname) : `${ident(c.cname)}::text AS ${ident(c.cname)}`,
  );
  return session.many<Row>(
    `SELECT ${names.join(', ')} FROM ${qualified(table.schema, table.tname)} LIMIT ${limit}`,
  );
}

/** Distinct values of a column, most frequent first, those that contain `search` in any case. */
export async function distinctValues(
  session: Session,
  table: TableName,
  column: string,
  search: string,
  limit: number,
): Promise<ColumnValues> {
  const name = ident(column);
  const pattern = literal(`%${search.replace(/[\\%_]/g, '\\$&')}%`);
  const values = await session.many<{ value: string | null; row_count: number }>(
    `SELECT ${name}::text AS value, count(*) AS row_count
     FROM ${qualified(table.schema, table.tname)}
     WHERE ${search === '' ? 'TRUE' : `${name}::text ILIKE ${pattern}`}
     GROUP BY 1 ORDER BY 2 DESC, ${name}::text COLLATE "C" LIMIT ${limit + 1}`,
  );
  return { values: values.slice(0, limit), more: values.length > limit };
}

/** Rows of a table, and distinct combinations of some of its columns. */
export async function countCombinations(
  session: Session,
  table: TableName,
  columns: readonly string[],
): Promise<{ row_count: number; grain_rows: number }> {
  const names = columns.map(ident).join(', ');
  return session.one(
    `SELECT COALESCE(sum(n), 0) AS row_count, count(*) AS grain_rows
     FROM (SELECT count(*) AS n FROM ${qualified(table.schema, table.tname)} GROUP BY ${names}) AS groups`,
  );
}
