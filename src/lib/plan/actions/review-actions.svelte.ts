/** What a user does with reviews, each action with its report or error. */
import * as api from '../../client/api';
import { user } from '../../client/user.svelte';
import type { Review, ReviewStepName } from '../../contract/reviews';
import type { Slice } from '../../contract/slices';
import type { Reports } from './reports';
import type { PlanSession } from '../session.svelte';
import { insidePart, type SeenRecord } from '../version/own-part';
import { showSlice } from './show-slice';
import type { Tell } from '../tell';

const DONE: Record<ReviewStepName, string> = {
  submit: 'Submitted: only the reviewers can change these rows.',
  return: 'Returned: these rows can be changed again.',
  approve: 'Approved: nobody can change these rows until the review is reopened.',
  reopen: 'Reopened: these rows can be changed again.',
};

/** The people and the day of a review, as its dialog has them. */
interface Terms {
  reviewers: string[];
  due: string | null;
  comment: string;
}

/**
 * The actions on reviews. Those of a dialog close it when they are done, do nothing without a name, and throw the
 * refusal. The others never throw.
 */
export class ReviewActions {
  /** The step that a dialog asks a comment for. */
  asked = $state.raw<{ review: Review; step: ReviewStepName } | null>(null);
  /** The review that a dialog makes (`new`) or changes. */
  edited = $state.raw<Review | 'new' | null>(null);

  constructor(
    private readonly session: Pick<PlanSession, 'pivot' | 'planned' | 'reviews' | 'selection'>,
    private readonly reports: Reports,
    private readonly tell: Tell,
  ) {}

  /** Takes the step that the dialog asks about. */
  async take(comment: string): Promise<void> {
    const { asked } = this;
    if (!asked) return;
    await this.save(DONE[asked.step], (pf_user) =>
      api.write('POST /reviews/{id}/{step}', {
        id: asked.review.id,
        step: asked.step,
        body: { ...withComment(comment), pf_user },
      }),
    );
  }

  /** Makes a review of a slice. */
  make(slice: Slice, { comment, ...terms }: Terms): Promise<void> {
    const { id, source } = this.session.planned;
    return this.save('The review is made. Submit it when its rows are ready.', (pf_user) =>
      api.write('POST /versions/{id}/reviews', {
        id,
        body: {
          ...{ slice: insidePart(source, slice), ...terms, ...withComment(comment), pf_user },
        },
      }),
    );
  }

  /** Changes reviewers and due day of a review. */
  change({ id }: Review, { comment, ...terms }: Terms): Promise<void> {
    return this.save('The review is changed.', (pf_user) =>
      api.call('PATCH /reviews/{id}', { id, body: { ...terms, ...withComment(comment), pf_user } }),
    );
  }

  /** Deletes a review that was never submitted. */
  remove({ id }: Review): Promise<void> {
    return this.reports.named(async (pf_user) => {
      await api.call('DELETE /reviews/{id}', { id, body: { pf_user } });
      await this.session.reviews.read();
      this.tell.done('The review is deleted.');
    });
  }

  /** Selects the rows of a review. */
  show({ seen }: SeenRecord<Review>): Promise<void> {
    return showSlice(this.session, seen);
  }

  /** Runs `work` with the user's name, and closes the dialog. */
  private async save(done: string, work: (pf_user: string) => Promise<Review>): Promise<void> {
    const name = await user.require();
    if (name === null) return;
    await work(name);
    await this.session.reviews.read();
    this.asked = this.edited = null;
    this.tell.done(done);
  }
}

const withComment = (comment: string) => (comment.trim() === '' ? {} : { comment: comment.trim() });
