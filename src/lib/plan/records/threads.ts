/** Threads of comments. */
import { type Comment, mentionKey, mentionsIn } from '../../contract/comments';
import type { MarkedSlice } from '../../pivot/grid/marks/comment-texts';
import type { SeenRecord } from '../version/own-part';

/** A comment on a slice, with its replies, oldest first. */
export interface Thread {
  comment: SeenRecord<Comment>;
  replies: readonly SeenRecord<Comment>[];
}

/** Characters of a comment's text that the mark of its cells shows. */
const SHOWN_TEXT = 120;

/** Returns the newest comment of a thread. */
export const newestOf = ({ comment, replies }: Thread): SeenRecord<Comment> =>
  replies.at(-1) ?? comment;

/** Returns the threads with a comment that mentions a person. */
export function mentioning(threads: readonly Thread[], name: string): Thread[] {
  const key = mentionKey(name);
  return threads.filter(({ comment, replies }) =>
    [comment, ...replies].some(({ text }) => mentionsIn(text).includes(key)),
  );
}

/** Returns the threads of comments, which are listed oldest first. */
export function threadsOf(comments: readonly SeenRecord<Comment>[]): Thread[] {
  const threads = new Map<
    number,
    { comment: SeenRecord<Comment>; replies: SeenRecord<Comment>[] }
  >();
  // A reply is newer than its thread.
  for (const comment of comments) {
    if (comment.parent === undefined) threads.set(comment.id, { comment, replies: [] });
    else threads.get(comment.parent)?.replies.push(comment);
  }
  return [...threads.values()];
}

/** Returns the slices of threads, each once, with the newest comment of its first thread. */
export function marksOf(open: readonly Thread[]): MarkedSlice[] {
  const bySlice = new Map<string, { newest: Thread; others: number }>();
  for (const thread of open) {
    const key = JSON.stringify(thread.comment.seen);
    const known = bySlice.get(key);
    if (known) known.others += 1;
    else bySlice.set(key, { newest: thread, others: 0 });
  }
  return [...bySlice.values()].map(({ newest, others }) => {
    const { created_by, text } = newestOf(newest);
    const short = text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text;
    const more = others > 0 ? ` (and ${others} more)` : '';
    return { slice: newest.comment.seen, text: `${created_by}: ${short}${more}` };
  });
}
