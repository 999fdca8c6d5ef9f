/** Endpoints of reviews. */
import {
  DeleteReviewRequest,
  EditReviewRequest,
  Review,
  ReviewRequest,
  ReviewsAnswer,
  ReviewStepRequest,
  WaitingAnswer,
} from '../reviews';
import { text } from '../primitives';

import { created, type Endpoints, json, nothing } from './endpoint';

const SUMMARIES = {
  submit: 'Submit a slice: its rows are locked for all but the reviewers',
  return: 'Return a submitted slice to its owner, who can change it again',
  approve: 'Approve a submitted slice: its rows are locked until it is reopened',
  reopen: 'Reopen an approved slice',
};

export const REVIEW_ENDPOINTS = {
  'GET /versions/{id}/reviews': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The reviews of a version with their history',
    answer: json(ReviewsAnswer),
  },
  'POST /versions/{id}/reviews': {
    role: 'planner',
    territories: 'judged',
    summary: 'Make a review of a slice; on a closed version too',
    request: ReviewRequest,
    takesKey: true,
    answer: created(Review),
    refusals: [409],
  },
  'PATCH /reviews/{id}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Change owner, reviewers and due day of a review',
    request: EditReviewRequest,
    answer: json(Review),
    refusals: [403],
  },
  'DELETE /reviews/{id}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Delete a review that was never submitted',
    request: DeleteReviewRequest,
    answer: nothing,
    refusals: [403, 409],
  },
  'POST /reviews/{id}/{step}': {
    role: 'planner',
    territories: 'judged',
    summary: SUMMARIES,
    request: ReviewStepRequest,
    takesKey: true,
    answer: json(Review),
    refusals: [403, 409],
  },
  'GET /reviews/waiting': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Reviews that wait for a user: submitted ones to review, returned ones to plan',
    query: {
      user: {
        schema: text,
        description: 'The user. Ignored if people are signed in: then the sender',
      },
    },
    answer: json(WaitingAnswer),
  },
} satisfies Endpoints;
