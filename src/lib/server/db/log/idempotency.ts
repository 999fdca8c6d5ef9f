/** Queries of `pf.idempotency`. */
import * as v from 'valibot';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

/** Identifies a write that a client may send again. */
export interface WriteKey {
  /** Method and path of the request. */
  path: string;
  /** Value of the header `Idempotency-Key`. */
  key: string;
  /** SHA-256 of the request's body, in hex. As it is stored, the digest of the sender's territories follows. */
  digest: string;
}

/** The stored answer of a write: its small part as JSON text, and its columns in binary form. */
const KeptAnswer = v.object({
  answer: v.string(),
  columns: v.nullable(v.instance(Uint8Array)),
});
export type KeptAnswer = v.InferOutput<typeof KeptAnswer>;

/** Whether a key has expired and can be used again. */
const EXPIRED: SqlText = sql`created_at < now() - interval '24 hours'`;

/**
 * Claims a key for the write of this transaction. If another transaction has claimed it, this waits until
 * that transaction ends.
 * @returns false if a write with this key was committed within the last day
 */
export async function claimKey(db: Queryable, { path, key, digest }: WriteKey): Promise<boolean> {
  const claimed = await db.run(
    sql`INSERT INTO pf.idempotency AS kept (path, key, body_digest) VALUES ($1, $2, $3)
     ON CONFLICT (path, key) DO UPDATE
       SET body_digest = excluded.body_digest, version_id = NULL, answer = NULL, columns = NULL,
         created_at = excluded.created_at
       WHERE kept.${EXPIRED}`,
    [path, key, digest],
  );
  return claimed === 1;
}

/** Stores the answer of a write under its claimed key. It is deleted together with its version. */
export const keepAnswer = (
  db: Queryable,
  { path, key }: WriteKey,
  versionId: number | null,
  { answer, columns }: KeptAnswer,
): Promise<number> =>
  db.run(
    sql`UPDATE pf.idempotency SET version_id = $3, answer = $4, columns = $5
     WHERE path = $1 AND key = $2`,
    [path, key, versionId, answer, columns],
  );

const FoundAnswer = v.object({
  ...KeptAnswer.entries,
  digest: v.string(),
  version_id: v.nullable(v.number()),
});

/** The stored answer of a write with this key within the last day, the digest of its request, and its version. */
export const findAnswer = (
  db: Queryable,
  { path, key }: WriteKey,
): Promise<v.InferOutput<typeof FoundAnswer> | undefined> =>
  db.maybeOne(
    FoundAnswer,
    sql`SELECT body_digest AS digest, version_id, answer::text AS answer, columns FROM pf.idempotency
     WHERE path = $1 AND key = $2 AND NOT ${EXPIRED}`,
    [path, key],
  );

/** Whether the answer of a write with this key is stored. */
export const hasAnswer = (
  db: Queryable,
  { path, key }: Pick<WriteKey, 'path' | 'key'>,
): Promise<boolean> =>
  db.any(sql`SELECT FROM pf.idempotency WHERE path = $1 AND key = $2 AND NOT ${EXPIRED}`, [
    path,
    key,
  ]);

/** The largest number of expired answers that one write deletes. */
const PURGED = 100;

/** Deletes some expired answers, except those that another transaction has locked. */
export const purgeAnswers = (db: Queryable): Promise<number> =>
  db.run(
    sql`DELETE FROM pf.idempotency WHERE (path, key) IN (
       SELECT path, key FROM pf.idempotency WHERE ${EXPIRED}
       ORDER BY created_at LIMIT ${PURGED} FOR UPDATE SKIP LOCKED)`,
  );
