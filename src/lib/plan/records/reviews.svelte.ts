/** The reviews of the version on the page. */
import * as api from '../../client/api';
import { user } from '../../client/user.svelte';
import {
  holdsBack,
  isPossible,
  mayTake,
  type Person,
  type Review,
  REVIEW_STEP_NAMES,
  type ReviewStepName,
} from '../../contract/reviews';
import type { Slice } from '../../contract/slices';
import type { ReviewMark } from '../../pivot/grid/marks/review-edges';
import { seenIn, type SeenRecord } from '../version/own-part';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { FollowedList } from './followed-list.svelte';

/** The user of this browser, for the rules of reviews. */
export const thisPerson = (): Person => ({
  name: user.name,
  isAdmin: user.signedIn && user.mayAdminister,
});

/** The version's reviews, as the service last returned them (docs/contract/22-sign-off.md). */
export class Reviews extends FollowedList<SeenRecord<Review>> {
  /** The reviews whose rows this user may not change. */
  readonly holding: readonly SeenRecord<Review>[] = $derived(
    this.all.filter((review) => holdsBack(review, user.name)),
  );
  /** The slices of all reviews, with the text for their cells. */
  readonly marks: readonly ReviewMark[] = $derived(
    this.all.map((review) => ({
      slice: review.seen,
      text: reviewText(review),
      state: review.state,
    })),
  );

  /** @param onChange is called when a read returns other reviews than before */
  constructor(
    private readonly planned: PlannedVersion,
    onChange: () => void,
  ) {
    super(async (signal) => {
      const all = await api.call('GET /versions/{id}/reviews', { id: planned.id, signal });
      return all.map(seenIn(planned.source));
    }, onChange);
  }

  /**
   * Returns the reviews with rows of a slice, and whether they have all of its rows. If a review and the slice
   * restrict no column in common, only the rows would decide whether they overlap; then `known` is false.
   */
  on(slice: Slice): { review: SeenRecord<Review>; isWhole: boolean; known: boolean }[] {
    return this.all.flatMap((review) => {
      const overlap = this.planned.overlapOf(slice, review.seen);
      if (overlap === 'none') return [];
      const isWhole = overlap === 'all';
      const columns = Object.keys(review.seen);
      const isShared = Object.keys(slice).length === 0 || columns.some((name) => name in slice);
      return [{ review, isWhole, known: isWhole || isShared }];
    });
  }

  /** Returns why a review lets nobody, or not this user, change the rows of a slice; null if some may be free. */
  obstacle(slice: Slice): string | null {
    const whole = this.holding.find(
      (review) => this.planned.overlapOf(slice, review.seen) === 'all',
    );
    return whole ? `${reviewText(whole)}.` : null;
  }

  /** Reads the reviews again after a write, which may have changed what one says about its approval. */
  async followEntries(): Promise<void> {
    if (this.all.some(({ changed }) => changed !== undefined)) await this.read();
  }
}

/** Returns the steps of a review that the user may take. Without a name, the page asks for it first. */
export const stepsOf = (review: Review): ReviewStepName[] =>
  REVIEW_STEP_NAMES.filter(
    (step) => isPossible(review, step) && (user.name === '' || mayTake(review, step, thisPerson())),
  );

const NAMES = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Returns the state of a review: "Review of ann: returned by bea". */
export function reviewText({ owner, reviewers, state, steps }: Review): string {
  const last = steps.findLast(({ step }) => step !== 'change');
  const people = NAMES.format(reviewers);
  const what = {
    open: `open, for ${people} to approve`,
    submitted: `submitted to ${people}`,
    returned: `returned by ${last?.pf_user ?? ''}`,
    approved: `approved by ${last?.pf_user ?? ''}`,
    reopened: `reopened by ${last?.pf_user ?? ''}`,
  };
  return `Review of ${owner}: ${what[state]}`;
}
