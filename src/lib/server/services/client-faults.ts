/** Turns errors of PostgreSQL about the client's values, or about a source, into refusals. */
import { isFromInside, isOfObject, SQLSTATE, sqlState } from '../db/connection/failures';
import type { Place } from '../errors';
import { AppError, reasonOf } from '../errors';

const OUTDATED: readonly string[] = [SQLSTATE.undefinedColumn, SQLSTATE.undefinedTable];

const UNUSABLE: readonly string[] = [
  SQLSTATE.undefinedFunction,
  SQLSTATE.datatypeMismatch,
  SQLSTATE.indeterminateDatatype,
  SQLSTATE.indeterminateCollation,
  SQLSTATE.wrongObjectType,
  SQLSTATE.featureNotSupported,
  SQLSTATE.programLimitExceeded,
  SQLSTATE.tooManyColumns,
  SQLSTATE.tooManyArguments,
  SQLSTATE.ambiguousFunction,
  SQLSTATE.cannotCoerce,
  SQLSTATE.statementTooComplex,
];

/**
 * The statement that runs, in words that begin the sentence of a refusal, and the field or column that a
 * fault is reported for.
 */
export interface Statement extends Omit<Place, 'field'> {
  field?: string | undefined;
  /** A SQLSTATE that can have another cause than the field. */
  uncertain?: string;
  /** The source's table, if the statement reads it. */
  source?: TableName;
}

interface TableName {
  schema: string;
  tname: string;
}

/**
 * Runs a statement that reads a source's table and nothing else that could be at fault. The table may be
 * somebody else's view or foreign table, with errors of its own.
 *
 * @param isPart whether the sender reads only a part of the source
 * @throws AppError 422 that names the table, with PostgreSQL's own sentence; without it for a part, because it may
 * name a value of a row that the sender does not see
 */
export async function blameSource<T>(
  source: TableName,
  work: () => Promise<T>,
  isPart = false,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfObject(error)) throw error;
    if (!isPart) throw unreadable(source, error);
    throw new AppError(422, `${nameOf(source)} cannot be read`, { cause: error });
  }
}

const nameOf = ({ schema, tname }: TableName): string => `${schema}.${tname}`;

const unreadable = (source: TableName, error: unknown): AppError =>
  new AppError(422, `${nameOf(source)} cannot be read: ${reasonOf(error)}`, { cause: error });

/**
 * Runs statements that make or extend a forecast table.
 *
 * @throws AppError 422 with PostgreSQL's own sentence, if it has too many columns or a column of it has a name
 * that PostgreSQL needs
 */
export async function blameColumns<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error);
    if (state !== SQLSTATE.tooManyColumns && state !== SQLSTATE.duplicateColumn) throw error;
    throw new AppError(
      422,
      `The forecast table cannot have all columns of the source: ${reasonOf(error)}; give some of them the role ignore`,
      { cause: error },
    );
  }
}

/**
 * Whether a statement names a system column of forecast tables where there is none. No generation of SQL brings one, so
 * the statement is wrong, or somebody has dropped the column.
 */
const isOwnColumn = (error: unknown): boolean =>
  sqlState(error) === SQLSTATE.undefinedColumn &&
  /\bpf_(?:id|iter|logid|created_at)\b/.test(reasonOf(error));

/**
 * Runs a stored template or a statement that carries a client's values or condition. If PostgreSQL
 * cannot read one of them (a date that does not parse, an operator that does not exist for a type), the
 * request was wrong. If a column or a table is gone, the SQL has to be generated again, unless it is a system column.
 * Every other error of a statement that reads the source is reported for the source.
 *
 * @throws AppError 400 with PostgreSQL's own sentence, 409 if the tables have changed under the
 * stored SQL, 422 if a number or a result does not fit its column, or if the source cannot be read
 */
export async function blameClient<T>(
  { words, uncertain, source, ...blame }: Statement,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error);
    if (state === SQLSTATE.untranslatableCharacter || state === SQLSTATE.lookupRefused) throw error;
    // Without a condition in the request, a value that cannot be computed is one of a view.
    const isComputed = state?.startsWith('22') && state !== SQLSTATE.numericOutOfRange;
    const isUnconditional = blame.field === undefined && state !== uncertain;
    if (source && (isFromInside(error) || (isComputed && isUnconditional))) {
      throw unreadable(source, error);
    }
    if (isOwnColumn(error)) throw error;
    if (state === SQLSTATE.numericOutOfRange) {
      throw new AppError(422, `${words}: a number does not fit (${reasonOf(error)})`, {
        cause: error,
      });
    }
    if (state !== undefined && OUTDATED.includes(state)) {
      throw new AppError(
        409,
        `The tables no longer match the stored SQL (${reasonOf(error)}); generate the SQL of the source again`,
        { cause: error },
      );
    }
    if (state !== undefined && (state.startsWith('22') || UNUSABLE.includes(state))) {
      throw new AppError(400, `${words}: ${reasonOf(error)}`, {
        ...(state === uncertain ? {} : blame),
        cause: error,
      });
    }
    if (source && isOfObject(error)) throw unreadable(source, error);
    throw error;
  }
}
