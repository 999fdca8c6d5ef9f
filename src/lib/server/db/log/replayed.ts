/** Queries of `pf.replayed`. */
import * as v from 'valibot';
import { ReplayedEntry } from '../../../contract/replays';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';

/** Keeps what came of each entry in a replay, in the order in which they ran. */
export const keepReplayed = (
  db: Queryable,
  versionId: number,
  entries: readonly ReplayedEntry[],
): Promise<number> =>
  db.run(
    sql`INSERT INTO pf.replayed (version_id, place, entry, before, logid, after, reason)
     SELECT $1, place, entry, before, logid, after, reason
     FROM unnest($2::jsonb[], $3::jsonb[], $4::bigint[], $5::jsonb[], $6::text[]) WITH ORDINALITY
       AS replayed (entry, before, logid, after, reason, place)`,
    [
      versionId,
      entries.map(({ entry }) => JSON.stringify(entry)),
      entries.map(({ before }) => JSON.stringify(before)),
      entries.map(({ to }) => to),
      entries.map(({ after }) => JSON.stringify(after)),
      entries.map(({ reason }) => reason),
    ],
  );

/** In the order in which the entries ran; empty if the version is not a replay. */
export const listReplayed = (db: Queryable, versionId: number): Promise<ReplayedEntry[]> =>
  db.many(
    ReplayedEntry,
    sql`SELECT entry, before, logid AS to, after, reason FROM pf.replayed
     WHERE version_id = $1 ORDER BY place`,
    [versionId],
  );

/** Which version each replay among the versions of a source was made from. It may be gone. */
export async function originalVersions(
  db: Queryable,
  sourceId: number,
): Promise<Map<number, number>> {
  const rows = await db.many(
    v.object({ version_id: v.number(), original: v.number() }),
    sql`SELECT r.version_id, (r.entry->>'version_id')::integer AS original
     FROM pf.replayed r JOIN pf.version v ON v.id = r.version_id
     WHERE v.source_id = $1 AND r.place = 1`,
    [sourceId],
  );
  return new Map(rows.map(({ version_id, original }) => [version_id, original]));
}
