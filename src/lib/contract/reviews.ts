/** Reviews: slices of a version that somebody plans and others approve. */
import * as v from 'valibot';
import { folded } from './folding';
import { looksAlike } from './names';
import { atMost, day, filledText, pfUser, shortName, timestamp, Totals } from './primitives';
import { AskedSlice, Slice } from './slices';

/** The states of a review (docs/contract/22-sign-off.md#states-and-steps). */
export const REVIEW_STATES = ['open', 'submitted', 'returned', 'approved', 'reopened'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

export const REVIEW_STEP_NAMES = ['submit', 'return', 'approve', 'reopen'] as const;
export type ReviewStepName = (typeof REVIEW_STEP_NAMES)[number];

/** Who may take a step. An admin is one whom the service has signed in. */
type Part = 'owner' | 'reviewer' | 'admin';

/** Each step: the states that it leads from, the state after it, and who may take it. */
export const REVIEW_STEPS = {
  submit: { from: ['open', 'returned', 'reopened'], to: 'submitted', by: ['owner', 'admin'] },
  return: { from: ['submitted'], to: 'returned', by: ['reviewer', 'admin'] },
  approve: { from: ['submitted'], to: 'approved', by: ['reviewer'] },
  reopen: { from: ['approved'], to: 'reopened', by: ['reviewer', 'admin'] },
} as const satisfies Record<
  ReviewStepName,
  { from: readonly ReviewState[]; to: ReviewState; by: readonly Part[] }
>;

/** The greatest number of reviewers of a review. */
const MOST_REVIEWERS = 20;
/** The greatest number of reviews that wait for a user in one answer. */
export const MOST_WAITING = 100;

const amounts = {
  value_total: Totals.entries.value_total,
  units_total: Totals.entries.units_total,
  measures: Totals.entries.measures,
};

const reviewers = v.pipe(v.array(v.string()), v.description('Who may return and approve it'));
const due = v.nullable(v.pipe(v.string(), v.description('The day until which it is due')));

/** One step of a review, with who took it and when. */
export const ReviewStep = v.object({
  step: v.picklist(['open', 'change', ...REVIEW_STEP_NAMES]),
  pf_user: v.string(),
  stamp: timestamp,
  comment: v.optional(v.string()),
  newest_entry: v.pipe(
    v.number(),
    v.description('The newest entry of the version at this step; 0 if it had none'),
  ),
  totals: v.optional(
    v.pipe(Totals, v.description('Totals of the slice, if it was submitted or approved')),
  ),
  owner: v.optional(v.pipe(v.string(), v.description('If it was opened or changed'))),
  reviewers: v.optional(reviewers),
  due: v.optional(due),
});
export type ReviewStep = v.InferOutput<typeof ReviewStep>;

const review = {
  id: v.number(),
  version_id: v.number(),
  slice: Slice,
  owner: v.pipe(v.string(), v.description('Who plans the slice and submits it')),
  reviewers,
  due,
  state: v.picklist(REVIEW_STATES),
  steps: v.pipe(v.array(ReviewStep), v.description('Every step, oldest first')),
};

/** A review of a slice of a version with its history (docs/contract/22-sign-off.md). */
export const Review = v.object({
  ...review,
  beyond: v.optional(
    v.pipe(
      v.literal(true),
      v.description(
        'It also holds rows that the sender may not see: only the values of rows inside are in its slice, it has no history, and the sender can take no step',
      ),
    ),
  ),
  changed: v.optional(
    v.pipe(
      v.object({ entries: v.number(), row_count: v.number(), ...amounts }),
      v.description(
        'After a reopening: how many entries were written into the slice since the last approval, and by how much its totals have changed',
      ),
    ),
  ),
});
export type Review = v.InferOutput<typeof Review>;
/** Answer of GET reviews, oldest first. */
export const ReviewsAnswer = v.array(Review);

const comment = v.optional(
  v.nullable(v.pipe(filledText, v.maxLength(10_000, 'must be at most 10,000 characters'))),
);
const askedReviewers = v.pipe(
  v.array(shortName),
  v.minLength(1, 'must not be an empty list'),
  atMost(MOST_REVIEWERS),
  v.check(
    (names) => new Set(names.map(folded)).size === names.length,
    'must name each person once',
  ),
  v.description('Who may return and approve it; not the owner'),
);
const askedDue = v.optional(
  v.nullable(v.pipe(day, v.description('The day until which it is due'))),
);

/** Body of POST reviews; `{}` as the slice is the whole version. */
export const ReviewRequest = v.object({
  slice: AskedSlice,
  owner: v.optional(
    v.nullable(v.pipe(shortName, v.description('Who plans the slice; the sender by default'))),
  ),
  reviewers: askedReviewers,
  due: askedDue,
  comment,
  pf_user: pfUser,
});
export type ReviewRequest = v.InferOutput<typeof ReviewRequest>;

/** Body of PATCH on a review; a missing field keeps its value. */
export const EditReviewRequest = v.object({
  owner: v.optional(shortName),
  reviewers: v.optional(askedReviewers),
  due: askedDue,
  comment,
  pf_user: pfUser,
});
export type EditReviewRequest = v.InferOutput<typeof EditReviewRequest>;

/** Body of DELETE on a review. */
export const DeleteReviewRequest = v.object({ pf_user: pfUser });

/** Body of a step of a review. */
export const ReviewStepRequest = v.object({ comment, pf_user: pfUser });
export type ReviewStepRequest = v.InferOutput<typeof ReviewStepRequest>;

/** A review that waits for a user, and where it is. */
export const WaitingReview = v.object({
  ...review,
  version_name: v.string(),
  source_id: v.number(),
  source_label: v.pipe(v.string(), v.description('The label of the source, or its table')),
});
export type WaitingReview = v.InferOutput<typeof WaitingReview>;
/** Answer of GET reviews/waiting. */
export const WaitingAnswer = v.pipe(v.array(WaitingReview), v.maxLength(MOST_WAITING));

/** Who asks. */
export interface Person {
  name: string;
  /** Whether the service has signed them in as an admin. Without sign-in nobody is one. */
  isAdmin: boolean;
}

type Parties = Pick<Review, 'owner' | 'reviewers' | 'state'>;

/** Returns whether a person reviews the slice, and not also plans it under a name that looks alike. */
const isReviewer = ({ owner, reviewers }: Omit<Parties, 'state'>, name: string): boolean =>
  reviewers.includes(name) && !looksAlike(name, owner);

const partsOf = (review: Parties, { name, isAdmin }: Person): Part[] => [
  ...(name === review.owner ? (['owner'] as const) : []),
  ...(review.reviewers.includes(name) ? (['reviewer'] as const) : []),
  ...(isAdmin ? (['admin'] as const) : []),
];

/** Returns whether a step leads from the state of a review. */
export const isPossible = ({ state }: Pick<Review, 'state'>, step: ReviewStepName): boolean =>
  REVIEW_STEPS[step].from.some((from) => from === state);

/** Returns whether a person has the part in a review that a step takes. */
export const mayTake = (review: Parties, step: ReviewStepName, person: Person): boolean => {
  // A review that has such a reviewer from earlier can still be returned and reopened.
  if (step === 'approve' && looksAlike(person.name, review.owner)) return false;
  const parts = partsOf(review, person);
  return REVIEW_STEPS[step].by.some((part) => parts.includes(part));
};

/** Returns whether a review waits for a person to take the next step (docs/contract/22-sign-off.md). */
export const waitsFor = ({ owner, reviewers, state }: Parties, name: string): boolean =>
  (state === 'submitted' && reviewers.includes(name)) || (state === 'returned' && owner === name);

/** Returns whether a review in this state locks its rows for some people or for all. */
export const isHeld = (state: ReviewState): boolean =>
  state === 'submitted' || state === 'approved';

/** Returns whether the rows of a review are locked for a person; null if it is not known who asks. */
export const holdsBack = (review: Parties, name: string | null): boolean =>
  review.state === 'approved' ||
  (review.state === 'submitted' && (name === null || !isReviewer(review, name)));

/**
 * Returns whether a person may change owner, reviewers and due day: the owner while the rows are open, an admin
 * always.
 */
export const mayChange = (review: Parties, { name, isAdmin }: Person): boolean =>
  isAdmin || (name === review.owner && !isHeld(review.state));

/** Returns whether a review was never submitted, so that it can be deleted. */
export const isUnsubmitted = ({ steps }: Pick<Review, 'steps'>): boolean =>
  !steps.some(({ step }) => step === 'submit');
