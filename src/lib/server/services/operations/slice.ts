/** What operations on slices would touch. */
import type {
  GroupTotals,
  SlicePreview,
  SlicePreviewRequest,
  SlicesPreview,
  SlicesPreviewRequest,
} from '../../../contract/previews';
import { totalsBy } from '../../../contract/measures';
import { MOST_GROUPS } from '../../../contract/shapes';
import type { Slice } from '../../../contract/slices';
import type { Database } from '../../db/database';
import {
  convertedBySlice,
  type ConvertedRows,
  convertedRows,
} from '../../db/totals/converted-rows';
import { groupsOf } from '../../db/totals/groups';
import {
  reachedBySlice,
  type ReachedRows,
  reachedRows,
  readOnlyRows,
  type ReadOnlyRows,
} from '../../db/totals/reached-rows';
import type { Transaction } from '../../db/connection/transaction';
import { fieldPlace } from '../../errors';
import { measureKeys } from '../../sql/forecast-columns';
import type { Grouping } from '../../sql/groups';
import { groupKey } from '../../sql/groups';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { type CompiledSlice, excludeClause } from '../../sql/slice';
import { blameClient } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';
import { readVersion, seenByOperations, sliceOf, usedPart } from '../version/forecast-version';
import { type HeldRows, heldRows, heldSlices } from '../entries/held';
import { usableConversions } from '../reading/conversions';
import { indexedSlice } from '../version/indexed-slice';
import { lockedRows } from '../version/locks';
import { groupingOf, requireFew } from './shapes';
import { boxOf } from './slice-box';

/**
 * Totals of the rows that an operation on a slice would touch, grouped by the effect of a scale on them
 * (docs/contract/05-operations.md#post-versionsidslice).
 *
 * @throws AppError 400, 404; 409 as the operation itself; 422 for too many groups
 */
export const previewSlice = (
  db: Database,
  versionId: number,
  { slice, hold, pf_user, ...grouped }: SlicePreviewRequest,
): Promise<SlicePreview> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const compiled = await blameClient(fieldPlace('slice'), () => indexedSlice(tx, target, slice));
    const held = heldRows(target, heldSlices(hold, await lockedRows(tx, target, pf_user ?? null)));
    const reached = await blameClient(fieldPlace('slice'), () =>
      reachedRows(tx, target.rows, target.columns, {
        where: compiled.where,
        ...effectsOf(target, held),
      }),
    );
    const used = [usedPart(slice, compiled.skipped)];
    const readOnly = await readOnlyIn(tx, target, held, used, compiled.where);
    const { where } = compiled;
    const [converted] = await usableConversions(tx, target, (lookup) =>
      convertedRows(tx, target.rows, lookup, { where, ...effectsOf(target, held) }),
    );
    const read = { compiled, held, reached, converted, readOnly: readOnly.get(0) };
    return answerOf(tx, target, read, grouped);
  });

/**
 * Totals of the rows of many slices, each as {@link previewSlice} answers them, in one pass over the version
 * (docs/contract/05-operations.md#post-versionsidslices).
 *
 * @throws AppError as {@link previewSlice}
 */
export const previewSlices = (
  db: Database,
  versionId: number,
  { slices, pf_user, ...grouped }: SlicesPreviewRequest,
): Promise<SlicesPreview> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const compiled = slices.map((slice, i) => sliceOf(target, slice, `slices.${i}`));
    const used = slices.map((slice, i) => usedPart(slice, compiled[i]?.skipped ?? []));
    const held = heldRows(target, heldSlices(null, await lockedRows(tx, target, pf_user ?? null)));
    const { where: among } = await blameClient(fieldPlace('slices'), () =>
      indexedSlice(tx, target, boxOf(used)),
    );
    const all = await blameClient(fieldPlace('slices'), () =>
      reachedBySlice(
        ...([tx, target.rows, target] as const),
        compiled.map(({ where }, number) => ({ number, where, slice: used[number] ?? {} })),
        { among, ...effectsOf(target, held) },
      ),
    );
    const readOnly = await readOnlyIn(tx, target, held, used, among);
    const converted = await usableConversions(tx, target, (lookup) =>
      convertedBySlice(
        ...([tx, target.rows, target, lookup] as const),
        used.map((slice, number) => ({ number, slice })),
        { among, ...effectsOf(target, held) },
      ),
    );
    const answers: SlicePreview[] = [];
    for (const [i, own] of compiled.entries()) {
      const reached = all[i];
      if (!reached) continue;
      const rows = { reached, converted: converted[i], readOnly: readOnly.get(i) };
      const read = { compiled: own, held, ...rows };
      answers.push(await answerOf(tx, target, read, grouped));
    }
    return { slices: answers };
  });

/**
 * The rows of some slices that a scale would change and the sender may not, by the place of the slice.
 *
 * @param among the rows to read: those of every slice are among them
 */
async function readOnlyIn(
  tx: Transaction,
  target: ForecastVersion,
  held: HeldRows | undefined,
  slices: readonly Slice[],
  among: SqlText,
): Promise<ReadonlyMap<number, ReadOnlyRows>> {
  const { part, rows } = target;
  if (!part) return new Map();
  const numbered = slices.map((slice, number) => ({ number, slice }));
  const { changeable } = part;
  return readOnlyRows(tx, rows, target, numbered, {
    among,
    changeable,
    ...effectsOf(target, held),
  });
}

/** Which rows of a version operations see, and which of them a scale leaves unchanged. */
const effectsOf = ({ version }: ForecastVersion, held: HeldRows | undefined) => ({
  exclude: excludeClause(version.exclude_iters),
  held: held?.where ?? sql`FALSE`,
});

interface Read {
  compiled: CompiledSlice;
  held: HeldRows | undefined;
  reached: ReachedRows;
  converted: ConvertedRows | undefined;
  readOnly: ReadOnlyRows | undefined;
}

/** Returns the answer about a slice. @throws AppError 400, 422 for its groups */
async function answerOf(
  tx: Transaction,
  target: ForecastVersion,
  { compiled: { where, skipped }, held, reached, converted, readOnly }: Read,
  { by, unit }: Pick<SlicePreviewRequest, 'by' | 'unit'>,
): Promise<SlicePreview> {
  const { included, free, excluded } = reached;
  const grouping = by && groupingOf({ by, unit }, target.columns);
  return {
    ...included,
    ...(converted && { conversions: converted.included }),
    held: reached.held,
    free: { ...free, ...(converted && { conversions: converted.free }) },
    ...(readOnly && { read_only: readOnly }),
    excluded,
    skipped: [...new Set([...skipped, ...(held?.skipped ?? [])])],
    ...(grouping && { groups: await totalsByGroup(tx, target, where, grouping) }),
  };
}

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
    const total = (key: string) => Number(amounts.get(key)?.total ?? 0);
    return { group, ...totalsBy(measureKeys(target.columns), total) };
  });
}
