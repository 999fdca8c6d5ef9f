/** Queries of `pf.comment`. */
import * as v from 'valibot';
import { Comment, Mention, MOST_MENTIONS } from '../../../contract/comments';
import { Slice } from '../../../contract/slices';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { found } from '../connection/queryable';
import { withoutNulls } from '../connection/row-schemas';
import { limitsOf } from './territories';

/** A comment as it is stored. The answer of the API leaves out fields of null. */
const stored = v.object({
  ...Comment.entries,
  parent: v.nullable(v.number()),
  edited_at: v.nullable(v.string()),
  resolved_at: v.nullable(v.string()),
  resolved_by: v.nullable(v.string()),
});
const StoredComment = v.pipe(stored, v.transform(withoutNulls), Comment);
const read = v.nullable(v.array(Slice));
const StoredMention = v.pipe(
  v.object({ ...Mention.entries, ...stored.entries, read }),
  v.transform(({ read, ...mention }) => ({
    mention: v.parse(Mention, withoutNulls(mention)),
    read,
  })),
);

const FIELDS = sql`c.id, c.version_id, c.slice, c.parent, c.text, c.created_by, c.created_at,
  c.edited_at, c.resolved_at, c.resolved_by`;

/** The comments of a version, oldest first. */
export const listComments = (db: Queryable, versionId: number): Promise<Comment[]> =>
  db.many(
    StoredComment,
    sql`SELECT ${FIELDS} FROM pf.comment AS c WHERE version_id = $1 ORDER BY id`,
    [versionId],
  );

/**
 * The comments that mention a user, newest first: those in unresolved threads, in versions of active sources that the
 * sender may see. Each has the slices of its source that the sender may read; null for all of it.
 *
 * @param key the user's name as `mentionKey` has it
 * @returns at most {@link MOST_MENTIONS} if territories do not limit the sender
 */
export const listMentions = (
  db: Queryable,
  key: string,
): Promise<v.InferOutput<typeof StoredMention>[]> => {
  const limits = limitsOf(db, sql`v.source_id`, sql`$2`, MOST_MENTIONS);
  return db.many(
    StoredMention,
    sql`SELECT ${FIELDS}, v.name AS version_name, v.source_id,
       COALESCE(NULLIF(s.label, ''), s.tname) AS source_label,
       ${limits.read} AS read
     FROM pf.comment AS c
     JOIN pf.comment AS thread ON thread.id = COALESCE(c.parent, c.id)
     JOIN pf.version AS v ON v.id = c.version_id
     JOIN pf.source AS s ON s.id = v.source_id
     WHERE c.mentions @> ARRAY[$1::text] AND thread.resolved_at IS NULL AND s.status = 'active'
       AND ${limits.isVisible}
     ORDER BY c.id DESC ${limits.limit}`,
    [key, ...limits.values],
  );
};

const FIND = {
  read: sql`SELECT ${FIELDS} FROM pf.comment AS c WHERE id = $1`,
  lock: sql`SELECT ${FIELDS} FROM pf.comment AS c WHERE id = $1 FOR UPDATE`,
};

/** A comment; undefined if there is none with this id. With `lock`, others wait for this transaction. */
export const findComment = (
  db: Queryable,
  id: number,
  how: keyof typeof FIND = 'read',
): Promise<Comment | undefined> => db.maybeOne(StoredComment, FIND[how], [id]);

/** @returns the new comment */
export const insertComment = (
  db: Queryable,
  comment: {
    version_id: number;
    slice: Slice;
    parent: number | null;
    text: string;
    mentions: readonly string[];
    created_by: string;
  },
): Promise<Comment> =>
  db.one(
    StoredComment,
    sql`INSERT INTO pf.comment AS c (version_id, slice, parent, text, mentions, created_by)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${FIELDS}`,
    [
      comment.version_id,
      JSON.stringify(comment.slice),
      comment.parent,
      comment.text,
      comment.mentions,
      comment.created_by,
    ],
  );

const changed = async (
  db: Queryable,
  id: number,
  set: SqlText,
  values: unknown[],
): Promise<Comment> => {
  const row = await db.maybeOne(
    StoredComment,
    sql`UPDATE pf.comment AS c SET ${set} WHERE id = $1 RETURNING ${FIELDS}`,
    [id, ...values],
  );
  return found(row, `comment ${id}`);
};

/** Changes the text of a comment, and notes when. @throws AppError 404 */
export const updateText = (
  db: Queryable,
  id: number,
  text: string,
  mentions: readonly string[],
): Promise<Comment> =>
  changed(db, id, sql`text = $2, mentions = $3, edited_at = now()`, [text, mentions]);

/** Resolves a thread on behalf of `user`, or reopens it if `user` is null. @throws AppError 404 */
export const setResolved = (db: Queryable, id: number, user: string | null): Promise<Comment> =>
  changed(
    db,
    id,
    sql`resolved_by = $2::text, resolved_at = CASE WHEN $2::text IS NOT NULL THEN now() END`,
    [user],
  );

/** Whether a comment has replies. */
export const hasReplies = (db: Queryable, id: number): Promise<boolean> =>
  db.any(sql`SELECT FROM pf.comment WHERE parent = $1 LIMIT 1`, [id]);

/** Deletes a comment without replies. */
export const deleteComment = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`DELETE FROM pf.comment WHERE id = $1`, [id]);
