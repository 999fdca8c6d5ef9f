/** Endpoints of reviews. */
import * as v from 'valibot';
import {
  DeleteReviewRequest,
  EditReviewRequest,
  REVIEW_STEP_NAMES,
  Review,
  ReviewRequest,
  ReviewsAnswer,
  ReviewStepRequest,
  WaitingAnswer,
} from '../reviews';

import { created, type Endpoint, json, nothing } from './endpoint';

const SUMMARIES = {
  submit: 'Submit a slice: its rows are locked for all but the reviewers',
  return: 'Return a submitted slice to its owner, who can change it again',
  approve: 'Approve a submitted slice: its rows are locked until it is reopened',
  reopen: 'Reopen an approved slice',
};

export const REVIEW_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/versions/{id}/reviews',
    role: 'reader',
    territories: 'narrowed',
    summary: 'The reviews of a version with their history',
    answer: json(ReviewsAnswer),
    refusals: [400, 404],
  },
  {
    method: 'post',
    path: '/versions/{id}/reviews',
    role: 'planner',
    territories: 'judged',
    summary: 'Make a review of a slice; on a closed version too',
    request: ReviewRequest,
    takesKey: true,
    answer: created(Review),
    refusals: [400, 404, 409],
  },
  {
    method: 'patch',
    path: '/reviews/{id}',
    role: 'planner',
    territories: 'judged',
    summary: 'Change owner, reviewers and due day of a review',
    request: EditReviewRequest,
    answer: json(Review),
    refusals: [400, 403, 404],
  },
  {
    method: 'delete',
    path: '/reviews/{id}',
    role: 'planner',
    territories: 'judged',
    summary: 'Delete a review that was never submitted',
    request: DeleteReviewRequest,
    answer: nothing,
    refusals: [400, 403, 404, 409],
  },
  ...REVIEW_STEP_NAMES.map((step): Endpoint => ({
    method: 'post',
    path: `/reviews/{id}/${step}`,
    role: 'planner',
    territories: 'judged',
    summary: SUMMARIES[step],
    request: ReviewStepRequest,
    takesKey: true,
    answer: json(Review),
    refusals: [400, 403, 404, 409],
  })),
  {
    method: 'get',
    path: '/reviews/waiting',
    role: 'reader',
    territories: 'narrowed',
    summary: 'Reviews that wait for a user: submitted ones to review, returned ones to plan',
    query: {
      user: {
        schema: v.string(),
        description: 'The user. Ignored if people are signed in: then the sender',
      },
    },
    answer: json(WaitingAnswer),
    refusals: [400],
  },
];
