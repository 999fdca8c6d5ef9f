import { isSliceOperation } from '$lib/contract/operations';

/** A part of a path that names an operation on a slice. */
export const match = isSliceOperation;
