/** Comments on slices of a version (docs/contract/19-planning-together.md#comments). */
import type { CommentRequest, EditCommentRequest, Mention } from '../../../contract/comments';
import { Comment, mentionKey, mentionsIn, MOST_MENTIONS } from '../../../contract/comments';
import type { Slice } from '../../../contract/slices';
import {
  deleteComment,
  findComment,
  hasReplies,
  insertComment,
  listComments,
  listMentions,
  setResolved,
  updateText,
} from '../../db/people/comments';
import type { Database } from '../../db/database';
import type { WriteKey } from '../../db/log/idempotency';
import { tell } from '../../db/connection/notify';
import { found } from '../../db/connection/queryable';
import type { Transaction } from '../../db/connection/transaction';
import { lockVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import { requireReadable } from '../version/changeable';
import type { Resources } from '../entries/writer';
import { readLimited, readVersion, sliceToStore } from '../version/forecast-version';
import { once } from '../entries/idempotency';
import { isReadable } from '../version/slices-inside';

/**
 * The comments of a version, oldest first. A sender who reads a part gets those on slices inside, which may have no
 * rows.
 *
 * @param resolved how many resolved threads are returned at most: the most recently resolved ones; by default all
 * @throws AppError 404
 */
export async function comments(
  db: Database,
  versionId: number,
  resolved = Infinity,
): Promise<Comment[]> {
  const limits = await readLimited(db, versionId);
  const all = await listComments(db, versionId);
  const shown = all.filter(({ slice }) => isReadable(slice, limits?.part.read));
  const left = new Set(byResolution(shown).slice(resolved));
  return shown.filter(({ id, parent }) => !left.has(parent ?? id));
}

/** The ids of the resolved threads, the most recently resolved first. */
const byResolution = (all: readonly Comment[]): number[] =>
  all
    .flatMap(({ id, resolved_at }) => (resolved_at === undefined ? [] : [{ id, resolved_at }]))
    .toSorted((a, b) => Date.parse(b.resolved_at) - Date.parse(a.resolved_at) || b.id - a.id)
    .map(({ id }) => id);

/** The newest comments in unresolved threads that mention a user, on slices that the sender may read. */
export const mentions = async (db: Database, user: string): Promise<Mention[]> =>
  (await listMentions(db, mentionKey(user)))
    .filter(({ mention, read }) => isReadable(mention.slice, read))
    .slice(0, MOST_MENTIONS)
    .map(({ mention }) => mention);

/**
 * Comments on a slice, or replies to a comment, also on a closed version. A reply reopens a resolved thread.
 * @throws AppError 400 for a slice that cannot be used, and for a parent that is not a thread of this version;
 * 403 for a slice beyond what the sender may read; 404, 409 as for every slice
 */
export const addComment = (
  { db, budget }: Resources,
  versionId: number,
  request: CommentRequest,
  key?: WriteKey,
): Promise<Comment> =>
  budget.run(async (memory) => {
    const added = await db.versionTransaction(versionId, async (tx) => {
      // Shared: comments wait for no load, and for no other comment.
      await lockVersion(tx, versionId, 'SHARE');
      return once(tx, versionId, key, Comment, memory, () => add(tx, versionId, request));
    });
    memory.release();
    return added;
  });

async function add(tx: Transaction, versionId: number, request: CommentRequest): Promise<Comment> {
  const { text, pf_user } = request;
  const { slice, parent } = await placeOf(tx, versionId, request);
  const added = await insertComment(tx, {
    version_id: versionId,
    slice,
    parent,
    text,
    mentions: mentionsIn(text),
    created_by: pf_user,
  });
  await tell(tx, versionId, { kind: 'comment', id: added.id });
  return added;
}

/** The slice and the thread of a new comment. */
async function placeOf(
  tx: Transaction,
  versionId: number,
  { slice, parent }: CommentRequest,
): Promise<{ slice: Slice; parent: number | null }> {
  if (parent === null || parent === undefined) {
    if (!slice) throw new AppError(400, 'slice is missing', { field: 'slice' });
    const target = await readVersion(tx, versionId);
    const stored = sliceToStore(target, slice);
    requireReadable(target, stored);
    return { slice: stored, parent: null };
  }
  if (slice) {
    throw new AppError(400, 'slice: a reply has the slice of its thread; leave it out', {
      field: 'slice',
    });
  }
  const refused = (problem: string) => new AppError(400, `parent: ${problem}`, { field: 'parent' });
  // The lock keeps the thread from being deleted meanwhile.
  const thread = await findComment(tx, parent, 'lock');
  if (thread?.version_id !== versionId || !(await isShown(tx, thread))) {
    throw refused(`version ${versionId} has no comment ${parent}`);
  }
  if (thread.parent !== undefined) {
    throw refused(`comment ${parent} is a reply itself; reply to comment ${thread.parent}`);
  }
  if (thread.resolved_at !== undefined) await setResolved(tx, thread.id, null);
  return { slice: thread.slice, parent: thread.id };
}

/**
 * Changes the text of an own comment, and resolves or reopens a thread. Resolving a resolved thread changes
 * nothing.
 * @throws AppError 400 if a reply is to be resolved, 403 for the text of somebody else, 404
 */
export const editComment = (
  db: Database,
  id: number,
  { text, resolved, pf_user }: EditCommentRequest,
): Promise<Comment> =>
  db.transaction(async (tx) => {
    const before = await lockComment(tx, id);
    let comment = before;
    const { version_id: versionId, parent, resolved_at } = comment;
    if (resolved !== undefined && parent !== undefined) {
      throw new AppError(
        400,
        `resolved: comment ${id} is a reply; only its thread, comment ${parent}, can be resolved`,
        { field: 'resolved' },
      );
    }
    if (text !== undefined && text !== comment.text) {
      requireOwn(comment, pf_user, 'change its text');
      comment = await updateText(tx, id, text, mentionsIn(text));
    }
    if (resolved !== undefined && resolved !== (resolved_at !== undefined)) {
      comment = await setResolved(tx, id, resolved ? pf_user : null);
    }
    if (comment !== before) await tell(tx, versionId, { kind: 'comment', id });
    return comment;
  });

/**
 * Deletes an own comment. @throws AppError 403 for one of somebody else, 404, 409 while it has replies: they
 * would lose what they answer
 */
export const removeComment = (db: Database, id: number, user: string): Promise<void> =>
  db.transaction(async (tx) => {
    const comment = await lockComment(tx, id);
    requireOwn(comment, user, 'delete it');
    if (await hasReplies(tx, id)) {
      throw new AppError(409, `Comment ${id} has replies, so it cannot be deleted; resolve it`);
    }
    await deleteComment(tx, id);
    await tell(tx, comment.version_id, { kind: 'comment', id });
  });

/** Whether the sender may see a comment. */
const isShown = async (tx: Transaction, { version_id, slice }: Comment): Promise<boolean> =>
  isReadable(slice, (await readLimited(tx, version_id))?.part.read);

async function lockComment(tx: Transaction, id: number): Promise<Comment> {
  const comment = await findComment(tx, id, 'lock');
  return found(comment && (await isShown(tx, comment)) ? comment : undefined, `comment ${id}`);
}

function requireOwn({ created_by }: Comment, user: string, what: string): void {
  if (created_by === user) return;
  throw new AppError(403, `Only ${created_by}, who wrote this comment, may ${what}`);
}
