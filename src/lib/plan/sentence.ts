import { ApiError } from '../client/api';
import { RowsError } from '../pivot/rows';
import { TooLargeError } from './download';

/** What to tell the planner about an error. The messages of our own errors are sentences already. */
export function sentence(error: unknown): string {
  if (error instanceof ApiError || error instanceof RowsError || error instanceof TooLargeError) {
    return error.message;
  }
  return error instanceof Error && error.message
    ? `The pivot could not do that: ${error.message}`
    : 'The pivot could not do that.';
}
