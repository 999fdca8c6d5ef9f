/** Handlers of reviews. */
import type { REVIEW_ENDPOINTS } from '../../contract/endpoints/reviews';
import {
  addReview,
  editReview,
  personOf,
  removeReview,
  reviews,
  takeStep,
  waitingReviews,
} from '../services/people/reviews';
import { type Handlers, userOf } from './asked';

export const reviewHandlers: Handlers<typeof REVIEW_ENDPOINTS> = {
  'GET /versions/{id}/reviews': ({ db, id }) => reviews(db, id),
  'POST /versions/{id}/reviews': ({ locals, id, body, key }) => addReview(locals, id, body, key),
  'PATCH /reviews/{id}': ({ locals, db, id, body }) =>
    editReview(db, id, body, personOf(locals.me, body)),
  'DELETE /reviews/{id}': ({ locals, db, id, body }) =>
    removeReview(db, id, personOf(locals.me, body)),
  'POST /reviews/{id}/{step}': ({ locals, id, step, body, key }) =>
    takeStep(locals, id, { ...body, step, person: personOf(locals.me, body) }, key),
  'GET /reviews/waiting': ({ locals, db, query }) => waitingReviews(db, userOf(locals, query.user)),
};
