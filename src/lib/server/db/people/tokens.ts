/** Queries of `pf.token`. */
import * as v from 'valibot';
import { Token } from '../../../contract/tokens';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { prepared } from '../connection/queryable';

const FIELDS = sql`id, name, roles, groups, sources, expires_at, created_by, created_at, last_used_at`;

const IS_VALID = sql`(expires_at IS NULL OR expires_at > now())`;

/** The part of a token that its requests need. */
const OwnToken = v.pick(Token, ['id', 'name', 'roles', 'groups', 'sources']);
export type OwnToken = v.InferOutput<typeof OwnToken>;

/** Finds a token by the hash of its secret; undefined if there is none, or if it has expired. */
export const findToken = (db: Queryable, hash: Buffer): Promise<OwnToken | undefined> =>
  db.maybeOne(
    OwnToken,
    prepared(
      sql`SELECT id, name, roles, groups, sources FROM pf.token WHERE hash = $1 AND ${IS_VALID}`,
    ),
    [hash],
  );

/** Filters the ids of tokens: returns those of tokens that are neither revoked nor expired. */
export async function validTokens(db: Queryable, ids: readonly number[]): Promise<number[]> {
  const found = await db.many(
    v.object({ id: v.number() }),
    sql`SELECT id FROM pf.token WHERE id = ANY ($1::integer[]) AND ${IS_VALID}`,
    [ids],
  );
  return found.map(({ id }) => id);
}

/** Records that a token is used now. */
export const recordUse = (db: Queryable, id: number): Promise<number> =>
  db.run(sql`UPDATE pf.token SET last_used_at = now() WHERE id = $1`, [id]);

/** All tokens, oldest first. */
export const listTokens = (db: Queryable): Promise<Token[]> =>
  db.many(Token, sql`SELECT ${FIELDS} FROM pf.token ORDER BY id`);

/** @returns the new token; undefined if there are `most` tokens already */
export const insertToken = (
  db: Queryable,
  {
    name,
    hash,
    roles,
    groups,
    sources,
    expires_at,
    created_by,
  }: Omit<Token, 'id' | 'created_at' | 'last_used_at'> & { hash: Buffer },
  most: number,
): Promise<Token | undefined> =>
  db.maybeOne(
    Token,
    sql`INSERT INTO pf.token (name, hash, roles, groups, sources, expires_at, created_by)
     SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM pf.token) < $8 RETURNING ${FIELDS}`,
    [name, hash, roles, groups, sources, expires_at, created_by, most],
  );

/** @returns the deleted token; undefined if there is none */
export const deleteToken = (db: Queryable, id: number): Promise<Token | undefined> =>
  db.maybeOne(Token, sql`DELETE FROM pf.token WHERE id = $1 RETURNING ${FIELDS}`, [id]);
