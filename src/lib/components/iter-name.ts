/** The name of a row's origin on the pages. */
import { LOG_OPERATIONS, OPERATIONS } from '$lib/contract/operations';

/**
 * Returns the name of the operation that wrote the rows of an iteration; an unknown iteration is returned
 * unchanged.
 */
export const iterName = (iter: string): string =>
  LOG_OPERATIONS.flatMap((operation) => {
    const { iter: written, label } = OPERATIONS[operation];
    return written === iter ? label : [];
  }).join(', ') || iter;
