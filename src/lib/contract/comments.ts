/** Comments: threads about slices of a version. */
import * as v from 'valibot';
import { folded } from './folding';
import { filledText, pfUser, timestamp } from './primitives';
import { AskedSlice, Slice } from './slices';

/** The greatest number of characters of a name that can be mentioned, as of a `pf_user`. */
const LONGEST_NAME = 200;

/** The greatest number of mentions that one answer lists. */
export const MOST_MENTIONS = 100;

/** The greatest number of resolved threads that a request can limit the list to. */
export const MOST_RESOLVED = 10_000;

/**
 * A comment on a slice of a version, or a reply to one (docs/contract/19-planning-together.md#comments). A
 * missing field does not apply: a comment without `parent` begins a thread.
 */
export const Comment = v.object({
  id: v.number(),
  version_id: v.number(),
  slice: v.pipe(Slice, v.description('A reply has the slice of its thread')),
  parent: v.optional(v.pipe(v.number(), v.description('The comment that a reply answers'))),
  text: v.string(),
  created_by: v.string(),
  created_at: timestamp,
  edited_at: v.optional(v.pipe(timestamp, v.description('When the text was last changed'))),
  resolved_at: v.optional(v.pipe(timestamp, v.description('When the thread was resolved'))),
  resolved_by: v.optional(v.string()),
});
export type Comment = v.InferOutput<typeof Comment>;
/** Answer of GET comments, oldest first. */
export const CommentsAnswer = v.array(Comment);

const commentText = v.pipe(
  filledText,
  v.maxLength(10_000, 'must be at most 10,000 characters'),
  v.description('Plain text; @name mentions a user, @"Ann Lee" one whose name has spaces'),
);

/** Body of POST comments: a thread names its `slice`, a reply its `parent`. */
export const CommentRequest = v.object({
  slice: v.optional(v.nullable(AskedSlice)),
  parent: v.optional(
    v.nullable(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(2147483647),
        v.description('The comment that is answered'),
      ),
    ),
  ),
  text: commentText,
  pf_user: pfUser,
});
export type CommentRequest = v.InferOutput<typeof CommentRequest>;

/** Body of PATCH on a comment; a missing field keeps its value. */
export const EditCommentRequest = v.object({
  text: v.optional(commentText),
  resolved: v.optional(v.pipe(v.boolean(), v.description('Whether the thread is resolved'))),
  pf_user: pfUser,
});
export type EditCommentRequest = v.InferOutput<typeof EditCommentRequest>;

/** Body of DELETE on a comment: its author. */
export const DeleteCommentRequest = v.object({ pf_user: pfUser });

/** A comment that mentions a user, and where it is. */
export const Mention = v.object({
  ...Comment.entries,
  version_name: v.string(),
  source_id: v.number(),
  source_label: v.pipe(v.string(), v.description('The label of the source, or its table')),
});
export type Mention = v.InferOutput<typeof Mention>;
/** Answer of GET mentions, newest first. */
export const MentionsAnswer = v.pipe(v.array(Mention), v.maxLength(MOST_MENTIONS));

/**
 * `@name` or `@"name"`, not inside a word. A name without quotes has letters, digits and `. _ - + @`, and ends
 * with a letter, a digit or `_`: the full stop of a sentence is not part of it.
 */
const MENTION =
  /(?<![\p{L}\p{M}\p{N}_])@(?:"([^"\n]+)"|([\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.+@-]*[\p{L}\p{M}\p{N}_])?))/gu;

/** Returns a name for comparison with a mention: people write @Ann and @ann. */
export const mentionKey = (name: string): string => folded(name.trim());

/** Returns the names that a text mentions, as {@link mentionKey} has them, each once. */
export function mentionsIn(text: string): string[] {
  const names = Array.from(text.matchAll(MENTION), ([, quoted, plain]) => quoted ?? plain ?? '');
  const keys = names.map(mentionKey).filter((key) => key !== '' && key.length <= LONGEST_NAME);
  return [...new Set(keys)];
}

/** Returns the mention of a person: in quotes if the name alone would end earlier (docs/contract/19-planning-together.md#get-commentsmentions). */
export function mentionOf(name: string): string {
  const [only, ...others] = mentionsIn(`@${name}`);
  return only === mentionKey(name) && others.length === 0 ? `@${name}` : `@"${name}"`;
}
