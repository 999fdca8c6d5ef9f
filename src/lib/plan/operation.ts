import type { Slice, SliceOperation, SliceRequests } from '../contract/operations';

/** An operation as the panel makes it; the slice and the user are added when it is sent. */
export type Operation = {
  [O in SliceOperation]: { kind: O; body: Omit<SliceRequests[O], 'slice' | 'pf_user'> };
}[SliceOperation];

export type OperationBody = SliceRequests[SliceOperation];

/** What is sent of an operation on a slice. */
export const bodyOf = (operation: Operation, slice: Slice, pf_user: string): OperationBody => ({
  slice,
  ...operation.body,
  pf_user,
});
