/** What a user does with comments, each action with its report or error. */
import * as api from '../../client/api';
import { user } from '../../client/user.svelte';
import type { Comment, CommentRequest } from '../../contract/comments';
import type { Slice } from '../../contract/slices';
import { insidePart, type SeenRecord } from '../version/own-part';
import { DRAFTS } from '../records/comments.svelte';
import type { Reports } from './reports';
import type { PlanSession } from '../session.svelte';
import { showSlice } from './show-slice';
import type { Tell } from '../tell';

/** The actions on comments. None throws. */
export class CommentActions {
  constructor(
    private readonly session: Pick<
      PlanSession,
      'comments' | 'pivot' | 'planned' | 'selection' | 'why'
    >,
    private readonly reports: Reports,
    private readonly tell: Tell,
  ) {}

  /** Begins a thread about a slice with the text that is written there. */
  write(slice: Slice): Promise<void> {
    return this.send(DRAFTS.thread(slice), (text, pf_user) => this.add({ slice, text, pf_user }));
  }

  /** Replies to a thread with the text that is written there; this reopens a resolved thread. */
  reply(thread: Comment): Promise<void> {
    return this.send(DRAFTS.reply(thread), (text, pf_user) =>
      this.add({ parent: thread.id, text, pf_user }),
    );
  }

  /** Replaces the text of an own comment by the one that is written there. */
  edit(comment: Comment): Promise<void> {
    return this.send(DRAFTS.edit(comment), (text, pf_user) =>
      api.call('PATCH /comments/{id}', { id: comment.id, body: { text, pf_user } }),
    );
  }

  /** Resolves a thread, or reopens it. */
  resolve({ id }: Comment, resolved: boolean): Promise<void> {
    return this.reports.named(async (pf_user) => {
      await api.call('PATCH /comments/{id}', { id, body: { resolved, pf_user } });
      await this.session.comments.read();
    });
  }

  /** Deletes an own comment. The report offers to write it again. */
  remove({ id, parent, slice, text }: Comment): Promise<void> {
    return this.reports.named(async (pf_user) => {
      await api.call('DELETE /comments/{id}', { id, body: { pf_user } });
      await this.session.comments.read();
      const place = parent === undefined ? { slice } : { parent };
      this.tell.done('Comment deleted.', () => {
        void this.reports.attempt(async () => {
          await this.add({ ...place, text, pf_user });
          await this.session.comments.read();
        });
      });
    });
  }

  /** Shows the thread of a comment, and selects the rows that it is about. */
  async show({ seen }: SeenRecord<Comment>): Promise<void> {
    const { comments, why } = this.session;
    why.isOpen = false;
    comments.isOpen = true;
    await showSlice(this.session, seen);
  }

  /** Whether the user wrote a comment, and may change and delete it. */
  isOwn({ created_by }: Comment): boolean {
    return created_by === user.name;
  }

  private add({
    slice,
    ...body
  }: Omit<CommentRequest, 'slice'> & { slice?: Slice }): Promise<Comment> {
    const { id, source } = this.session.planned;
    return api.write('POST /versions/{id}/comments', {
      id,
      body: { ...body, ...(slice && { slice: insidePart(source, slice) }) },
    });
  }

  /** Sends the text of a place. It stays there if it could not be sent. */
  private async send(
    place: string,
    write: (text: string, pf_user: string) => Promise<unknown>,
  ): Promise<void> {
    const { comments } = this.session;
    const text = comments.drafts[place]?.trim() ?? '';
    if (text === '') return;
    await this.reports.named(async (pf_user) => {
      await write(text, pf_user);
      comments.draft(place, null);
      await comments.read();
    });
  }
}
