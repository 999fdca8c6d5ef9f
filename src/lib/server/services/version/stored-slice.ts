/** Slices that were stored with the columns of their time: those of locks, reviews and territories. */
import type { Slice } from '../../../contract/slices';
import { forPeople } from '../../db/connection/failures';
import type { Transaction } from '../../db/connection/transaction';
import { AppError } from '../../errors';
import { type CompiledSlice, compileSlice, type SliceFields } from '../../sql/slice';

/**
 * Compiles a stored slice to a condition on the forecast table.
 *
 * @param at names the slice in an error
 * @param refusal the sentence for a slice that cannot be used any more, with the problem in it
 * @throws AppError 409 if a column of it has changed its role or type, or the lookup of an attribute cannot be joined,
 * since its rows are then unknown
 */
export function storedCondition(
  slice: Slice,
  fields: SliceFields,
  at: string,
  refusal: (problem: string) => string,
): CompiledSlice {
  const unusable = (problem: string, column: string | undefined) =>
    new AppError(409, refusal(problem), { column });
  try {
    const compiled = compileSlice(slice, fields, at);
    const [column] = compiled.skipped;
    if (column === undefined) return compiled;
    throw unusable(`"${column}" is not a dimension or date`, column);
  } catch (error) {
    if (!(error instanceof AppError) || ![400, 409].includes(error.status)) throw error;
    throw unusable(error.message, error.blame.column);
  }
}

/**
 * Reads with the condition of a stored slice. @returns undefined if the slice cannot be used, also if its statement
 * refuses the lookup of an attribute; the transaction goes on
 *
 * @param read compiles the slice and reads
 */
export async function ifUsable<Result>(
  tx: Transaction,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  const result = await tx.attempt(
    async () => read(),
    async (error) => {
      const refusal = forPeople(error);
      return refusal instanceof AppError ? refusal : undefined;
    },
  );
  return result instanceof AppError ? undefined : result;
}
