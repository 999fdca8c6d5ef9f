/** What an operation on a slice would touch. */
import type { SlicePreview, SlicePreviewRequest } from '../../contract/previews';
import type { Database } from '../db/database';
import { reachedRows } from '../db/reached-rows';
import { fieldPlace } from '../errors';
import { sql } from '../sql/quote';
import { excludeClause } from '../sql/slice';
import { blameClient } from './client-faults';
import { readVersion, sliceOf } from './forecast-version';
import { heldRows, heldSlices } from './held';
import { lockedRows } from './locks';

/**
 * Totals of the rows that an operation on a slice would touch, grouped by the effect of a scale on them
 * (docs/contract/05-operations.md#post-versionsidslice).
 *
 * @throws AppError 400, 404; 409 as the operation itself
 */
export const previewSlice = (
  db: Database,
  versionId: number,
  { slice, hold }: SlicePreviewRequest,
): Promise<SlicePreview> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { version, columns, table } = target;
    const { where, skipped } = sliceOf(target, slice);
    const held = heldRows(target, heldSlices(hold, await lockedRows(tx, target)));
    const reached = await blameClient(fieldPlace('slice'), () =>
      reachedRows(tx, table, columns, {
        where,
        exclude: excludeClause(version.exclude_iters),
        held: held?.where ?? sql`FALSE`,
      }),
    );
    const { included, free, excluded } = reached;
    return {
      ...included,
      held: reached.held,
      free,
      excluded,
      skipped: [...new Set([...skipped, ...(held?.skipped ?? [])])],
    };
  });
