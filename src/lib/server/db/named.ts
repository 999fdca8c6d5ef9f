/** Queries of tables whose rows have a name that is unique in their source. */
import type * as v from 'valibot';
import type { SqlText } from '../sql/quote';
import { commas, ident, qualified, sql } from '../sql/quote';
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

/** A table of named rows, with the types of its columns of content. */
export interface NamedTable<Row extends Named, Field extends keyof Row & string> {
  /** The name of the table, and of a row of it in errors. */
  kind: 'view' | 'profile' | 'formula';
  schema: v.GenericSchema<unknown, Row>;
  content: Readonly<Record<Field, SqlText>>;
  /** Whether a row may name or describe rows of the source, so that people who read a part do not get it. */
  mayNameValues?: true;
}

type AnyTable<Row extends Named> = Pick<NamedTable<Row, never>, 'kind' | 'schema'> & {
  content: Readonly<Record<string, SqlText>>;
};

const tableOf = ({ kind }: { kind: string }): SqlText => qualified('pf', kind);
const contentOf = ({ content }: { content: object }): SqlText =>
  commas(Object.keys(content).map(ident));
const fieldsOf = (table: { content: object }): SqlText =>
  sql`id, source_id, name, ${contentOf(table)}, created_by, created_at`;

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

/** One of the rows. @throws AppError 404 */
export const getNamed = async <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  id: number,
): Promise<Row> =>
  found(
    await db.maybeOne(
      table.schema,
      sql`SELECT ${fieldsOf(table)} FROM ${tableOf(table)} WHERE id = $1`,
      [id],
    ),
    `${table.kind} ${id}`,
  );

/** The new row, or undefined if the name is taken. */
export const insertNamed = <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  row: { source_id: number; name: string; content: Content; created_by: string },
): Promise<Row | undefined> => {
  const types = Object.entries(table.content);
  return db.maybeOne(
    table.schema,
    sql`INSERT INTO ${tableOf(table)} (source_id, name, created_by, ${contentOf(table)})
     VALUES ($1, $2, $3, ${commas(types.map(([, type], i) => sql`$${4 + i}::${type}`))})
     ON CONFLICT (source_id, name) DO NOTHING
     RETURNING ${fieldsOf(table)}`,
    [row.source_id, row.name, row.created_by, ...types.map(([field]) => row.content[field])],
  );
};

/** The columns of content of a row; undefined for those that a change keeps. */
type Content = Readonly<Record<string, unknown>>;

/**
 * Overwrites the given fields; undefined fields are kept.
 *
 * @throws AppError 404; the database's error, `uniqueViolation`, if the source has a row with that name
 */
export async function updateNamed<Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  id: number,
  { name, content }: { name: string | undefined; content: Content },
): Promise<Row> {
  const types = Object.entries(table.content);
  const set = types.map(
    ([field, type], i) => sql`${ident(field)} = COALESCE($${3 + i}::${type}, ${ident(field)})`,
  );
  const row = await db.maybeOne(
    table.schema,
    sql`UPDATE ${tableOf(table)} SET name = COALESCE($2, name), ${commas(set)}
     WHERE id = $1 RETURNING ${fieldsOf(table)}`,
    [id, name, ...types.map(([field]) => content[field])],
  );
  return found(row, `${table.kind} ${id}`);
}

/** @returns 1, or 0 if it is gone */
export const deleteNamed = (db: Queryable, table: { kind: string }, id: number): Promise<number> =>
  db.run(sql`DELETE FROM ${tableOf(table)} WHERE id = $1`, [id]);
