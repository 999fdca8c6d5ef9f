/** The word for what wrote a row. */
import { LOG_OPERATIONS, OPERATIONS } from '$lib/contract/operations';

/** The operation that wrote rows of an iteration, in the planner's words; an unknown one is named as it is. */
export const iterName = (iter: string): string =>
  LOG_OPERATIONS.flatMap((operation) => {
    const { iter: written, label } = OPERATIONS[operation];
    return written === iter ? label : [];
  }).join(', ') || iter;
