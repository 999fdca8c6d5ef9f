/** Tables that are made from files, in the schema `pf_files`. */
import * as v from 'valibot';
import { type FileMode, FILES_SCHEMA, type FileType } from '../../../contract/files';
import { AppError, reasonOf } from '../../errors';
import type { SqlText } from '../../sql/quote';
import { commas, ident, qualified, sql } from '../../sql/quote';
import { SQLSTATE, sqlState } from '../connection/failures';
import type { Queryable } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';

/** A column of a table to make. */
interface NewColumn {
  cname: string;
  type: FileType;
  /** Digits behind the point of a numeric column; null for any number of them. */
  scale: number | null;
}

/** Whether the schema has a relation of this name. */
export const isTaken = (db: Queryable, tname: string): Promise<boolean> =>
  db.any(
    sql`SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::text AND c.relname = $2::text`,
    [FILES_SCHEMA, tname],
  );

/**
 * Makes a table and fills it.
 *
 * @param text the rows in the text format of a COPY
 * @throws AppError 409 if the name is taken, 422 if PostgreSQL cannot store the rows or the role may not make the
 * table; the error of `text`
 */
export async function makeTable(
  tx: Transaction,
  tname: string,
  columns: readonly NewColumn[],
  text: AsyncIterable<Uint8Array>,
): Promise<void> {
  const table = qualified(FILES_SCHEMA, tname);
  const definitions = columns.map((column) => sql`${ident(column.cname)} ${typeOf(column)}`);
  try {
    if (!(await tx.any(sql`SELECT FROM pg_namespace WHERE nspname = $1::text`, [FILES_SCHEMA]))) {
      await makeSchema(tx);
    }
    await tx.run(sql`CREATE TABLE ${table} (${commas(definitions)})`);
    await tx.copyIn(sql`COPY ${table} FROM STDIN`, text);
    await tx.run(sql`ANALYZE ${table}`);
  } catch (error) {
    throw refusal(tname, error);
  }
}

/** Whether a column of a table has no values. */
export const isEmptyColumn = async (
  db: Queryable,
  tname: string,
  cname: string,
): Promise<boolean> =>
  !(await db.any(
    sql`SELECT FROM ${qualified(FILES_SCHEMA, tname)} WHERE ${ident(cname)} IS NOT NULL LIMIT 1`,
  ));

/** The source of a table, and the number of its versions; undefined if it is not registered. */
export const sourceOfTable = (
  db: Queryable,
  tname: string,
): Promise<{ id: number; versions: number; generated: boolean } | undefined> =>
  db.maybeOne(
    v.object({ id: v.number(), versions: v.number(), generated: v.boolean() }),
    sql`SELECT s.id, (SELECT count(*)::int FROM pf.version WHERE source_id = s.id) AS versions,
       EXISTS (SELECT FROM pf.sql WHERE source_id = s.id) AS generated
     FROM pf.source s WHERE s.schema = $1::text AND s.tname = $2::text`,
    [FILES_SCHEMA, tname],
  );

/**
 * Gives columns of a table wider types. A column that changes between text and another type has no values.
 * @throws AppError 422 if a view or rule uses such a column, or the role may not change the table
 */
export async function widenColumns(
  tx: Transaction,
  tname: string,
  columns: readonly NewColumn[],
): Promise<void> {
  const changes = columns.map((column) => {
    const name = ident(column.cname);
    const type = typeOf(column);
    return sql`ALTER COLUMN ${name} TYPE ${type} USING ${name}::${type}`;
  });
  try {
    await tx.run(sql`ALTER TABLE ${qualified(FILES_SCHEMA, tname)} ${commas(changes)}`);
  } catch (error) {
    const state = sqlState(error);
    const isRefused =
      state === SQLSTATE.featureNotSupported || state === SQLSTATE.insufficientPrivilege;
    if (!isRefused) throw error;
    const sentence = `The types of the table ${FILES_SCHEMA}.${tname} cannot change: ${reasonOf(error)}`;
    throw new AppError(422, sentence, { cause: error });
  }
}

/** The type of a column in a table that is made from a file, as PostgreSQL writes it. */
export const declaredType = (column: Pick<NewColumn, 'type' | 'scale'>): string => {
  const { type, scale } = column;
  if (type === 'integer') return 'bigint';
  if (type === 'numeric') return scale === null ? 'numeric' : `numeric(38,${scale})`;
  return DECLARED[type];
};

/** Whether the schema has a table of this name, which files can fill. */
export const isFileTable = (db: Queryable, tname: string): Promise<boolean> =>
  db.any(
    sql`SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1::text AND c.relname = $2::text AND c.relkind IN ('r', 'p')`,
    [FILES_SCHEMA, tname],
  );

/** The roles of dates and measures that the source of a table has, in order; none if it is not registered. */
export const rolesOfTable = (
  db: Queryable,
  tname: string,
): Promise<{ cname: string; role: string }[]> =>
  db.many(
    v.object({ cname: v.string(), role: v.string() }),
    sql`SELECT m.cname, m.role FROM pf.source s JOIN pf.col_meta m ON m.source_id = s.id
     WHERE s.schema = $1::text AND s.tname = $2::text AND m.role IN ('date', 'value', 'units', 'measure')
     ORDER BY m.opos NULLS LAST, m.id`,
    [FILES_SCHEMA, tname],
  );

const MonthRow = v.object({
  month: v.nullable(v.string()),
  rows: v.number(),
  amounts: v.array(v.nullable(v.string())),
});

/**
 * Rows and sums of a table by month, as text with all digits.
 *
 * @param date a column of dates or times, whose months in UTC are taken; null for one line
 */
export function sumsByMonth(
  db: Queryable,
  tname: string,
  date: { cname: string; hasZone: boolean } | null,
  amounts: readonly string[],
): Promise<v.InferOutput<typeof MonthRow>[]> {
  const moment =
    date && sql`${ident(date.cname)}${date.hasZone ? sql` AT TIME ZONE 'UTC'` : sql``}`;
  const month = moment ? sql`to_char(${moment}, 'YYYY-MM-"01"')` : sql`NULL::text`;
  const sums = amounts.map((name) => sql`SUM(${ident(name)})::text`);
  return db.many(
    MonthRow,
    sql`SELECT ${month} AS month, count(*) AS rows, ARRAY[${commas(sums)}]::text[] AS amounts
     FROM ${qualified(FILES_SCHEMA, tname)} GROUP BY 1`,
  );
}

/**
 * Loads rows into a table that exists. Others can read it meanwhile; another load into it waits.
 *
 * @param columns the names of the columns in the order of the text
 * @throws AppError 422 if PostgreSQL cannot store the rows, or the role may not change the table; the error of `text`
 */
export async function fillTable(
  tx: Transaction,
  { tname, mode }: { tname: string; mode: FileMode },
  columns: readonly string[],
  text: AsyncIterable<Uint8Array>,
): Promise<void> {
  const table = qualified(FILES_SCHEMA, tname);
  try {
    await tx.run(sql`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
    // TRUNCATE would show readers with an older snapshot an empty table.
    if (mode === 'replace') await tx.run(sql`DELETE FROM ${table}`);
    await tx.copyIn(sql`COPY ${table} (${commas(columns.map(ident))}) FROM STDIN`, text);
    await tx.run(sql`ANALYZE ${table}`);
  } catch (error) {
    const state = sqlState(error);
    const isRefused = state === SQLSTATE.insufficientPrivilege || state?.startsWith('23');
    if (!isRefused) throw refusal(tname, error);
    const sentence = `The table ${FILES_SCHEMA}.${tname} cannot take the file: ${reasonOf(error)}`;
    throw new AppError(422, sentence, { cause: error });
  }
}

/** Creates the schema, unless another transaction has created it in the meantime. */
async function makeSchema(tx: Transaction): Promise<void> {
  await tx.attempt(async () => {
    try {
      await tx.run(sql`CREATE SCHEMA IF NOT EXISTS ${ident(FILES_SCHEMA)}`);
    } catch (error) {
      // IF NOT EXISTS does not see a schema that another transaction creates at the same time.
      if (sqlState(error) !== SQLSTATE.uniqueViolation) throw error;
      throw new AppError(409, `There is a schema ${FILES_SCHEMA} already`, { cause: error });
    }
  });
}

function refusal(tname: string, error: unknown): unknown {
  const state = sqlState(error);
  // PostgreSQL finds the name of the table, of its type or a key of the catalog, depending on when another one was made.
  const { duplicateTable, duplicateObject, uniqueViolation } = SQLSTATE;
  if ([duplicateTable, duplicateObject, uniqueViolation].some((each) => each === state)) {
    return taken(tname);
  }
  if (state === SQLSTATE.insufficientPrivilege) {
    return new AppError(
      422,
      `The database role of the service may not make tables in the schema ${FILES_SCHEMA}: ${reasonOf(error)}. Grant it CREATE on the database, or make the schema and grant it CREATE there`,
      { cause: error },
    );
  }
  if (state === SQLSTATE.programLimitExceeded || state?.startsWith('22')) {
    if (state === SQLSTATE.untranslatableCharacter) return error;
    return new AppError(422, `The database cannot store the file: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  return error;
}

/** The refusal of a name that is taken. */
export const taken = (tname: string): AppError =>
  new AppError(409, `There is a table ${FILES_SCHEMA}.${tname} already; choose another name`, {
    field: 'name',
  });

function typeOf({ type, scale }: Pick<NewColumn, 'type' | 'scale'>): SqlText {
  if (type === 'integer') return sql`bigint`;
  if (type === 'numeric') return scale === null ? sql`numeric` : sql`numeric(38, ${scale})`;
  return TYPES[type];
}

const DECLARED: Record<Exclude<FileType, 'integer' | 'numeric'>, string> = {
  date: 'date',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
  boolean: 'boolean',
  text: 'text',
};

const TYPES: Record<Exclude<FileType, 'integer' | 'numeric'>, SqlText> = {
  date: sql`date`,
  timestamp: sql`timestamp`,
  timestamptz: sql`timestamptz`,
  boolean: sql`boolean`,
  text: sql`text`,
};
