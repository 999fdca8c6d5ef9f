/**
 * Changes of forecast rows that are not made by the service. A trigger on each forecast table records them
 * (migrations/013_outside_changes.sql, docs/contract/04-data-loading.md#changes-by-sql).
 */
import * as v from 'valibot';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { Queryable } from '../connection/queryable';
import { prepared } from '../connection/queryable';

/** The revision of a version, as SQL: null if only the service has changed its rows. */
export const revisionOf = (versionId: SqlText): SqlText =>
  sql`(SELECT c.revision FROM pf.outside_change AS c WHERE c.version_id = ${versionId})`;

/** The revision of a version for {@link readRevision}, as SQL. */
export const revisionText = (versionId: SqlText): SqlText =>
  sql`COALESCE(${revisionOf(versionId)}::text, '0')`;

const REVISION = prepared(sql`SELECT ${revisionText(sql`$1`)} AS revision`);

/**
 * The revision of a version's rows. Rows, sums and keys of entries that were read at another revision are
 * outdated.
 *
 * @returns '0' if only the service has changed rows
 */
export async function readRevision(db: Queryable, versionId: number): Promise<string> {
  const { revision } = await db.one(v.object({ revision: v.string() }), REVISION, [versionId]);
  return revision;
}
