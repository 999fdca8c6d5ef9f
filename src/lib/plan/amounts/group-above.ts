/** Scales that keep the total of the group above a cell: what they write into the other rows of that group. */
import type { SlicePreview } from '../../contract/previews';
import type { Slice } from '../../contract/slices';
import { pathKey, type CellIdentity } from '../../pivot/slice/cell';
import { tidy } from '../../pivot/values/cell-value';
import type { CellValue } from '../../pivot/values/engine-types';
import { cautionOf, type Caution } from './caution';
import type { TypedWords } from './operation';
import type { Drafts } from './scale-draft';
import { keysOf, totalOf } from '../../contract/measures';

/** The group above some cells: its slice, and its rows, of which those of the cells count as held. */
export interface GroupAbove {
  keep: Slice;
  rows: SlicePreview;
}

/** The group above some cells, or a sentence that says why there is none. */
export type FoundAbove = GroupAbove | { problem: string };

/** Why the total of the group above cannot be kept, as sentences. */
export const NO_GROUP_ABOVE =
  'There is no common row above these cells, so no total can be kept. Turn off “Keep the total”.';
export const GROUP_NOT_READ =
  'The row above cannot be selected exactly, so its total cannot be kept. Turn off “Keep the total”.';
export const ONE_CELL_KEEPS =
  'The total of the row above can be kept for one cell at a time. Turn off “Keep the total”, or type into each cell.';
const NEW_CELL_KEEPS =
  'This cell has no rows yet, so a copy is added and no total can be kept. Turn off “Keep the total”.';
const NEW_CELL_SHAPE =
  'This cell has no rows yet, so a copy is added, which keeps its own months. Leave out “like ref”.';
const NEW_CELL_TOTAL = 'This cell has no rows yet, so there is no total to keep.';
const NO_OTHER_ROWS =
  'The row above has no other rows that are not locked, so its total cannot be kept.';
const OTHERS_CANCEL =
  'The other rows of the row above cancel each other out, so its total cannot be kept.';

/** Returns why a copy for a cell without rows cannot be written as asked; null if it can. */
export const whyNotNew = (
  keepTotal: boolean,
  { likeReference, reshape }: Pick<TypedWords, 'likeReference' | 'reshape'>,
): string | null =>
  reshape ? NEW_CELL_TOTAL : keepTotal ? NEW_CELL_KEEPS : likeReference ? NEW_CELL_SHAPE : null;

/** Returns the row path above some cells; null if they have no common one. */
export function pathAbove(cells: readonly CellIdentity[]): readonly CellValue[] | null {
  const [first, ...others] = cells.map(({ rowPath }) => rowPath);
  if (!first || first.length === 0) return null;
  const path = first.slice(0, -1);
  const isCommon = others.every(
    (other) => other.length === first.length && pathKey(other.slice(0, -1)) === pathKey(path),
  );
  return isCommon ? path : null;
}

/** Returns the warning about the other rows of the group, which change by the opposite amounts. */
const cautionOfOthers = ({ rows }: GroupAbove, changes: Drafts): Caution | null =>
  cautionOf({ amounts: {}, drafts: changes }, rows, false);

/**
 * Returns why a change cannot be taken from the other rows of the group; null if it can
 * (docs/contract/14-what-the-operations-compute.md#keep).
 */
export function whyNotKept(above: FoundAbove, changes: Drafts): string | null {
  if ('problem' in above) return above.problem;
  if (above.rows.free.row_count === 0) return NO_OTHER_ROWS;
  return cautionOfOthers(above, changes)?.kind === 'cancelled' ? OTHERS_CANCEL : null;
}

/** Returns the warning to confirm about the other rows of the group; null if there is none. */
export function keptCaution(above: FoundAbove, changes: Drafts): Caution | null {
  const caution = 'keep' in above ? cautionOfOthers(above, changes) : null;
  return caution?.kind === 'offset' ? { ...caution, isOfOthers: true } : null;
}

/** Returns the totals of the other rows that are not locked, before and after, for each measure that changes. */
export function othersOf(
  above: FoundAbove,
  changes: Drafts,
): { measure: string; before: number; after: number }[] {
  if ('problem' in above) return [];
  const { free } = above.rows;
  return keysOf(changes).flatMap((measure) => {
    const change = changes[measure]?.change ?? 0;
    const before = totalOf(free, measure);
    return before === null || change === 0
      ? []
      : [{ measure, before, after: tidy(before - change) }];
  });
}
