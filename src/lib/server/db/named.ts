/** Queries of tables whose rows have a name that is unique in their source. */
import type * as v from 'valibot';
import type { SqlText } from '../sql/quote';
import { ident, qualified, sql } from '../sql/quote';
import type { Queryable } from './queryable';
import { found } from './queryable';

/** The columns of every such table, beside its content. */
interface Named {
  id: number;
  source_id: number;
  name: string;
  created_by: string | null;
  created_at: string;
}

/** A table of named rows with one column of content, which PostgreSQL stores as `type`. */
export interface NamedTable<Row extends Named, Field extends keyof Row & string> {
  /** The name of the table, and of a row of it in errors. */
  kind: 'view' | 'profile';
  schema: v.GenericSchema<unknown, Row>;
  content: Field;
  type: SqlText;
}

type AnyTable<Row extends Named> = NamedTable<Row, keyof Row & string>;

const tableOf = ({ kind }: { kind: string }): SqlText => qualified('pf', kind);
const fieldsOf = ({ content }: { content: string }): SqlText =>
  sql`id, source_id, name, ${ident(content)}, created_by, created_at`;

/** The named rows of a source, sorted by name without regard to case. */
export const listNamed = <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  sourceId: number,
): Promise<Row[]> =>
  db.many(
    table.schema,
    sql`SELECT ${fieldsOf(table)} FROM ${tableOf(table)} WHERE source_id = $1 ORDER BY lower(name), id`,
    [sourceId],
  );

/** The new row, or undefined if the name is taken. */
export const insertNamed = <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  row: { source_id: number; name: string; content: unknown; created_by: string },
): Promise<Row | undefined> =>
  db.maybeOne(
    table.schema,
    sql`INSERT INTO ${tableOf(table)} (source_id, name, ${ident(table.content)}, created_by)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (source_id, name) DO NOTHING
     RETURNING ${fieldsOf(table)}`,
    [row.source_id, row.name, row.content, row.created_by],
  );

/**
 * Overwrites the given fields; undefined fields are kept.
 *
 * @throws AppError 404; the database's error, `uniqueViolation`, if the source has a row with that name
 */
export async function updateNamed<Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  id: number,
  { name, content }: { name: string | undefined; content: unknown },
): Promise<Row> {
  const column = ident(table.content);
  const row = await db.maybeOne(
    table.schema,
    sql`UPDATE ${tableOf(table)}
     SET name = COALESCE($2, name), ${column} = COALESCE($3::${table.type}, ${column})
     WHERE id = $1 RETURNING ${fieldsOf(table)}`,
    [id, name, content],
  );
  return found(row, `${table.kind} ${id}`);
}

/** @returns 1, or 0 if it is gone */
export const deleteNamed = (db: Queryable, table: { kind: string }, id: number): Promise<number> =>
  db.run(sql`DELETE FROM ${tableOf(table)} WHERE id = $1`, [id]);
