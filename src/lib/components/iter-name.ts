/** The name of a row's origin on the pages. */
import { LOG_OPERATIONS, OPERATIONS } from '$lib/contract/operations';

/**
 * Returns the label of the operation that writes rows of an origin (`pf_iter`); an unknown origin is returned
 * unchanged.
 */
export const iterName = (iter: string): string =>
  LOG_OPERATIONS.flatMap((operation) => {
    const { iter: written, label } = OPERATIONS[operation];
    return written === iter ? label : [];
  }).join(', ') || iter;
