/** Tells errors of triggers on forecast tables from those of a source that a write reads. */
import { isTriggerOfForecast } from '../../db/setup/catalog';
import { callerOf, isOfObject } from '../../db/connection/failures';
import type { Queryable } from '../../db/connection/queryable';
import { AppError, reasonOf } from '../../errors';

/**
 * Runs a write. The triggers of a forecast table are somebody else's, with errors of their own.
 *
 * @param db for a look at the catalog after a failure; not the transaction of the write, which is over then
 * @throws AppError 422 with PostgreSQL's own sentence, if a trigger of a forecast table raised an error
 */
export async function blameTriggers<T>(db: Queryable, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw (await triggerFault(db, error)) ?? error;
  }
}

/**
 * The refusal of a write whose error a trigger of a forecast table raised; undefined for any other error.
 *
 * @param db reads the catalog. A transaction must be rolled back to a savepoint before the error
 */
export async function triggerFault(db: Queryable, error: unknown): Promise<AppError | undefined> {
  let cause = error;
  while (cause instanceof AppError) cause = cause.cause;
  const caller = isOfObject(cause) ? callerOf(cause) : undefined;
  const isTrigger =
    caller !== undefined && (await isTriggerOfForecast(db, caller).catch(() => false));
  if (!isTrigger) return undefined;
  return new AppError(
    422,
    `Nothing was changed, because a trigger of the forecast table (${caller}) refused the rows: ${reasonOf(cause)}`,
    { cause },
  );
}
