import { isReviewStep } from '$lib/contract/reviews';

/** A part of a path that names a step of a review. */
export const match = isReviewStep;
