/** What an operation on a slice would touch. */
import type { GroupTotals, SlicePreview, SlicePreviewRequest } from '../../contract/previews';
import { MOST_GROUPS } from '../../contract/shapes';
import type { Database } from '../db/database';
import { groupsOf } from '../db/groups';
import { reachedRows } from '../db/reached-rows';
import { ofFurther } from '../db/totals';
import type { Transaction } from '../db/transaction';
import { fieldPlace } from '../errors';
import type { Grouping } from '../sql/groups';
import { groupKey } from '../sql/groups';
import type { SqlText } from '../sql/quote';
import { sql } from '../sql/quote';
import { excludeClause } from '../sql/slice';
import { blameClient } from './client-faults';
import type { ForecastVersion } from './forecast-version';
import { readVersion, seenByOperations, sliceOf } from './forecast-version';
import { heldRows, heldSlices } from './held';
import { lockedRows } from './locks';
import { groupingOf, requireFew } from './shapes';

/**
 * Totals of the rows that an operation on a slice would touch, grouped by the effect of a scale on them
 * (docs/contract/05-operations.md#post-versionsidslice).
 *
 * @throws AppError 400, 404; 409 as the operation itself; 422 for too many groups
 */
export const previewSlice = (
  db: Database,
  versionId: number,
  { slice, hold, by, unit, pf_user }: SlicePreviewRequest,
): Promise<SlicePreview> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { version, columns, rows } = target;
    const { where, skipped } = sliceOf(target, slice);
    const held = heldRows(target, heldSlices(hold, await lockedRows(tx, target, pf_user ?? null)));
    const reached = await blameClient(fieldPlace('slice'), () =>
      reachedRows(tx, rows, columns, {
        where,
        exclude: excludeClause(version.exclude_iters),
        held: held?.where ?? sql`FALSE`,
      }),
    );
    const { included, free, excluded } = reached;
    const grouping = by && groupingOf({ by, unit }, columns);
    return {
      ...included,
      held: reached.held,
      free,
      excluded,
      skipped: [...new Set([...skipped, ...(held?.skipped ?? [])])],
      ...(grouping && { groups: await totalsByGroup(tx, target, where, grouping) }),
    };
  });

/**
 * Totals of the rows of a slice that operations see, by group in the order of the groups.
 *
 * @throws AppError 422 for more groups than a shape can have
 */
export async function totalsByGroup(
  tx: Transaction,
  target: ForecastVersion,
  where: SqlText,
  grouping: Grouping,
): Promise<GroupTotals[]> {
  const rows = { where: seenByOperations(target, where) };
  const groups = await groupsOf(tx, target, groupKey(grouping), rows, MOST_GROUPS);
  requireFew(groups, 'by');
  return groups.map(({ group, amounts }) => {
    const total = (key: string) => {
      const amount = amounts.get(key);
      return amount === undefined ? null : Number(amount.total);
    };
    return {
      ...{ group, value_total: total('value'), units_total: total('units') },
      ...ofFurther(target.columns, ({ name }) => total(name) ?? 0),
    };
  });
}
