/** Queries of `pf.current`: the versions that current names stand for. */
import * as v from 'valibot';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import type { Transaction } from '../connection/transaction';

const Current = v.object({ name: v.string(), version_id: v.number() });
export type Current = v.InferOutput<typeof Current>;

/** The current names of a source with their versions, sorted without regard to case. */
export const listCurrent = (db: Queryable, sourceId: number): Promise<Current[]> =>
  db.many(
    Current,
    sql`SELECT name, version_id FROM pf.current WHERE source_id = $1 ORDER BY lower(name), name`,
    [sourceId],
  );

/** The current names of a version. */
export const currentNamesOf = async (db: Queryable, versionId: number): Promise<string[]> =>
  (
    await db.many(
      Current,
      sql`SELECT name, version_id FROM pf.current WHERE version_id = $1 ORDER BY name`,
      [versionId],
    )
  ).map(({ name }) => name);

const LOCKS = { NONE: sql``, SHARE: sql` FOR SHARE` };

/**
 * The version of a current name; undefined if the source has no such name.
 *
 * @param lock `SHARE` keeps the name from being moved until the transaction ends
 */
export async function findCurrent(
  db: Queryable,
  sourceId: number,
  name: string,
  lock: keyof typeof LOCKS = 'NONE',
): Promise<number | undefined> {
  const current = await db.maybeOne(
    Current,
    sql`SELECT name, version_id FROM pf.current WHERE source_id = $1 AND name = $2${LOCKS[lock]}`,
    [sourceId, name],
  );
  return current?.version_id;
}

/**
 * Lets a name stand for a version from now on.
 *
 * @returns the version before; undefined if the name is new
 */
export async function moveCurrent(
  tx: Transaction,
  sourceId: number,
  name: string,
  versionId: number,
): Promise<number | undefined> {
  const values = [sourceId, name, versionId];
  // Locks the name, so that concurrent moves run one after the other.
  const made = await tx.run(
    sql`INSERT INTO pf.current (source_id, name, version_id) VALUES ($1, $2, $3)
     ON CONFLICT (source_id, name) DO UPDATE SET name = EXCLUDED.name WHERE FALSE`,
    values,
  );
  if (made > 0) return undefined;
  const before = await findCurrent(tx, sourceId, name);
  await tx.run(
    sql`UPDATE pf.current SET version_id = $3 WHERE source_id = $1 AND name = $2`,
    values,
  );
  return before;
}

/** Removes a name. @returns the version that it stood for; undefined if the source has no such name */
export const removeCurrent = async (
  tx: Transaction,
  sourceId: number,
  name: string,
): Promise<number | undefined> =>
  (
    await tx.maybeOne(
      Current,
      sql`DELETE FROM pf.current WHERE source_id = $1 AND name = $2 RETURNING name, version_id`,
      [sourceId, name],
    )
  )?.version_id;
