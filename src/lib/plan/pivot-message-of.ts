import { ApiError } from '../client/api';
import { RowsError } from '../pivot/rows';
import { TooLargeError } from './download';

/**
 * What an error of the pivot says, for a page to show. The service's and our own errors have sentences; one
 * of the engine needs a few words before it.
 */
export function pivotMessageOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof RowsError || error instanceof TooLargeError) {
    return error.message;
  }
  return error instanceof Error && error.message
    ? `The pivot could not do that: ${error.message}`
    : 'The pivot could not do that.';
}
