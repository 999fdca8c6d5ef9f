/** The size and the last change of the part of a version that the sender may read. */
import type { VersionListEntry } from '../../../contract/versions';
import type { Database } from '../../db/database';
import { listEntries } from '../../db/log/log';
import { entryTotals } from '../../db/totals/totals';
import { AppError } from '../../errors';
import { readVersion } from './forecast-version';

/**
 * Counts the rows of a version that the sender may read, and finds the newest entry that has some of them.
 *
 * @returns undefined if the version is gone, or its rows cannot be told from others because a column has changed
 */
export async function sizeInside(
  db: Database,
  versionId: number,
): Promise<Pick<VersionListEntry, 'row_count' | 'last_change' | 'last_user'> | undefined> {
  try {
    return await db.versionRead(versionId, async (tx) => {
      const { rows } = await readVersion(tx, versionId);
      const { overall, byEntry } = await entryTotals(tx, rows, []);
      const newest = (await listEntries(tx, versionId)).find(({ id }) => byEntry.has(id));
      return {
        row_count: overall.row_count,
        last_change: newest?.stamp ?? null,
        last_user: newest?.pf_user ?? null,
      };
    });
  } catch (error) {
    if (error instanceof AppError && [404, 409].includes(error.status)) return undefined;
    throw error;
  }
}
