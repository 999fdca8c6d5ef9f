/** Tables that are made from files, in the schema `pf_files`. */
import { FILES_SCHEMA, type FileType } from '../../contract/files';
import { AppError, reasonOf } from '../errors';
import type { SqlText } from '../sql/quote';
import { commas, ident, qualified, sql } from '../sql/quote';
import { SQLSTATE, sqlState } from './failures';
import type { Queryable } from './queryable';
import type { Transaction } from './transaction';

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
  if (state === SQLSTATE.duplicateTable || state === SQLSTATE.uniqueViolation) {
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

function typeOf({ type, scale }: NewColumn): SqlText {
  if (type === 'integer') return sql`bigint`;
  if (type === 'numeric') return scale === null ? sql`numeric` : sql`numeric(38, ${scale})`;
  return TYPES[type];
}

const TYPES: Record<Exclude<FileType, 'integer' | 'numeric'>, SqlText> = {
  date: sql`date`,
  timestamp: sql`timestamp`,
  timestamptz: sql`timestamptz`,
  boolean: sql`boolean`,
  text: sql`text`,
};
