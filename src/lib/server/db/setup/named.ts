/** Queries of tables whose rows have a name that is unique in their source. */
import * as v from 'valibot';
import { Slice } from '../../../contract/slices';
import type { SqlText } from '../../sql/quote';
import { commas, ident, qualified, sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { found } from '../connection/queryable';

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
  kind: 'view' | 'profile' | 'formula' | 'lookup';
  schema: v.GenericSchema<unknown, Row>;
  content: Readonly<Record<Field, SqlText>>;
  /**
   * Whether a row may name or describe rows of the source. The table then has the column `within`, and somebody who
   * reads a part of the source gets a row only if its author could read nothing outside that part.
   */
  mayNameValues?: true;
}

type AnyTable<Row extends Named> = Pick<
  NamedTable<Row, never>,
  'kind' | 'schema' | 'mayNameValues'
> & {
  content: Readonly<Record<string, SqlText>>;
};

const tableOf = ({ kind }: { kind: string }): SqlText => qualified('pf', kind);
const contentOf = ({ content }: { content: object }): SqlText =>
  commas(Object.keys(content).map(ident));
const fieldsOf = (table: { content: object }): SqlText =>
  sql`id, source_id, name, ${contentOf(table)}, created_by, created_at`;

const Within = v.looseObject({ within: v.nullable(v.array(Slice)) });

/** A named row, with the slices that the person who saved it could read; null if that was all of the source. */
export interface SavedRow<Row> {
  row: Row;
  within: readonly Slice[] | null;
}

const savedRow = <Row extends Named>({ schema }: AnyTable<Row>) =>
  v.pipe(
    Within,
    v.transform((row): SavedRow<Row> => ({ row: v.parse(schema, row), within: row.within })),
  );

const savedFields = (table: Pick<AnyTable<never>, 'content' | 'mayNameValues'>): SqlText =>
  sql`${fieldsOf(table)}, ${table.mayNameValues ? sql`within` : sql`NULL AS within`}`;

/** The named rows of a source, sorted by name without regard to case. */
export const listNamed = <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  sourceId: number,
): Promise<SavedRow<Row>[]> =>
  db.many(
    savedRow(table),
    sql`SELECT ${savedFields(table)} FROM ${tableOf(table)} WHERE source_id = $1 ORDER BY lower(name), id`,
    [sourceId],
  );

/** One of the rows. @throws AppError 404 */
export const getNamed = async <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  id: number,
): Promise<SavedRow<Row>> =>
  found(
    await db.maybeOne(
      savedRow(table),
      sql`SELECT ${savedFields(table)} FROM ${tableOf(table)} WHERE id = $1`,
      [id],
    ),
    `${table.kind} ${id}`,
  );

/** What a person saves under a name. */
interface Saved {
  /** The columns of content; undefined for those that a change keeps. */
  content: Readonly<Record<string, unknown>>;
  /** The slices that the person may read; null for all of the source. */
  within: readonly Slice[] | null;
}

/** The new row, or undefined if the name is taken. */
export const insertNamed = <Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  row: Saved & { source_id: number; name: string; created_by: string },
): Promise<Row | undefined> => {
  const types = Object.entries(table.content);
  const place = 4 + types.length;
  const [column, value] = table.mayNameValues
    ? [sql`, within`, sql`, $${place}::jsonb`]
    : [sql``, sql``];
  return db.maybeOne(
    table.schema,
    sql`INSERT INTO ${tableOf(table)} (source_id, name, created_by, ${contentOf(table)}${column})
     VALUES ($1, $2, $3, ${commas(types.map(([, type], i) => sql`$${4 + i}::${type}`))}${value})
     ON CONFLICT DO NOTHING
     RETURNING ${fieldsOf(table)}`,
    [
      ...[row.source_id, row.name, row.created_by],
      ...types.map(storedIn(row)),
      ...withinOf(table, row),
    ],
  );
};

/** Returns the value of a column of content as a parameter. The driver would send a list as an array of PostgreSQL. */
const storedIn =
  ({ content }: Pick<Saved, 'content'>) =>
  ([field, type]: [string, SqlText]): unknown => {
    const value = content[field];
    return type === 'jsonb' && value !== undefined ? JSON.stringify(value) : value;
  };

/** The value of the column `within`, of a table that has it. */
const withinOf = (
  { mayNameValues }: Pick<AnyTable<never>, 'mayNameValues'>,
  { within }: Saved,
): unknown[] => (mayNameValues ? [within && JSON.stringify(within)] : []);

/**
 * Overwrites the given fields; undefined fields are kept.
 *
 * @throws AppError 404; the database's error, `uniqueViolation`, if the source has a row with that name
 */
export async function updateNamed<Row extends Named>(
  db: Queryable,
  table: AnyTable<Row>,
  id: number,
  { name, ...saved }: Saved & { name: string | undefined },
): Promise<Row> {
  const types = Object.entries(table.content);
  const set = types.map(
    ([field, type], i) => sql`${ident(field)} = COALESCE($${3 + i}::${type}, ${ident(field)})`,
  );
  if (table.mayNameValues) set.push(sql`within = $${3 + types.length}::jsonb`);
  const row = await db.maybeOne(
    table.schema,
    sql`UPDATE ${tableOf(table)} SET name = COALESCE($2, name), ${commas(set)}
     WHERE id = $1 RETURNING ${fieldsOf(table)}`,
    [id, name, ...types.map(storedIn(saved)), ...withinOf(table, saved)],
  );
  return found(row, `${table.kind} ${id}`);
}

/** @returns 1, or 0 if it is gone */
export const deleteNamed = (db: Queryable, table: { kind: string }, id: number): Promise<number> =>
  db.run(sql`DELETE FROM ${tableOf(table)} WHERE id = $1`, [id]);
