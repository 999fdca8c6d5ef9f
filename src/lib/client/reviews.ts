/** The endpoints of reviews as typed functions. */
import type {
  EditReviewRequest,
  Review,
  ReviewRequest,
  ReviewStepName,
  ReviewStepRequest,
  WaitingReview,
} from '../contract/reviews';
import { type CallOptions, json, path, send } from './http';
import { write } from './writes';

/** GET /versions/:id/reviews: oldest first, with their steps. */
export const listReviews = (versionId: number, o?: CallOptions) =>
  json<Review[]>(path`/versions/${versionId}/reviews`, o);

/** POST /versions/:id/reviews: makes a review of a slice. */
export const addReview = (versionId: number, body: ReviewRequest, o?: CallOptions) =>
  write<Review>(path`/versions/${versionId}/reviews`, { ...o, method: 'POST', body });

/** POST /reviews/:id/submit, return, approve or reopen: 409 if it does not lead from the state, 403 for others. */
export const takeReviewStep = (
  id: number,
  step: ReviewStepName,
  body: ReviewStepRequest,
  o?: CallOptions,
) => write<Review>(path`/reviews/${id}/${step}`, { ...o, method: 'POST', body });

/** PATCH /reviews/:id: changes owner, reviewers and due day. */
export const editReview = (id: number, body: EditReviewRequest, o?: CallOptions) =>
  json<Review>(path`/reviews/${id}`, { ...o, method: 'PATCH', body });

/** DELETE /reviews/:id: 409 for a review that was ever submitted. */
export const deleteReview = async (id: number, pf_user: string, o?: CallOptions) => {
  await send(path`/reviews/${id}`, { ...o, method: 'DELETE', body: { pf_user } });
};

/** GET /reviews/waiting: submitted ones that a user reviews, and returned ones that the user owns. */
export const listWaitingReviews = (user: string, o?: CallOptions) =>
  json<WaitingReview[]>(`/api/reviews/waiting?${new URLSearchParams({ user })}`, o);
