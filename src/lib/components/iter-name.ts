/** The word for what wrote a row. */
import { LOG_OPERATIONS, OPERATIONS, type Iter } from '$lib/contract/operations';

/** The operation that wrote rows of an iteration, in the planner's words. */
export const iterName = (iter: Iter): string =>
  LOG_OPERATIONS.flatMap((operation) => {
    const { iter: written, label } = OPERATIONS[operation];
    return written === iter ? label : [];
  }).join(', ');
