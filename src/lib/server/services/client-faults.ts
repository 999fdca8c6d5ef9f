/** Turns errors of PostgreSQL about the client's values into refusals. */
import { SQLSTATE, sqlState } from '../db/failures';
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
}

/**
 * Runs a stored template or a statement that carries a client's values or condition. If PostgreSQL
 * cannot read one of them (a date that does not parse, an operator that does not exist for a type), the
 * request was wrong. If a column or a table is gone, the SQL has to be generated again.
 *
 * @throws AppError 400 with PostgreSQL's own sentence, 409 if the tables have changed under the
 * stored SQL, 422 if a number or a result does not fit its column
 */
export async function blameClient<T>(
  { words, uncertain, ...blame }: Statement,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const state = sqlState(error);
    if (state === SQLSTATE.numericOutOfRange) {
      throw new AppError(422, `${words}: a number does not fit (${reasonOf(error)})`);
    }
    if (state !== undefined && OUTDATED.includes(state)) {
      throw new AppError(
        409,
        `The tables are no longer what the stored SQL expects (${reasonOf(error)}); generate the SQL of the source again`,
      );
    }
    if (state !== undefined && (state.startsWith('22') || UNUSABLE.includes(state))) {
      throw new AppError(400, `${words}: ${reasonOf(error)}`, state === uncertain ? {} : blame);
    }
    throw error;
  }
}
