/** Combines marked cells into one slice. */
import type { Slice } from '../../contract/slices';
import type { CellIdentity, ReadCell } from '../../pivot/slice/cell';
import { cellKey } from '../../pivot/slice/cell';
import type { Origin } from '../../pivot/rows/origin-columns';
import { inPeriods, joinedPeriods } from '../../pivot/slice/date-ranges';
import type { NotHeld, SliceColumn } from '../../pivot/slice/slice';
import { mergeSlices, unmarkedDimensions } from '../../pivot/slice/slice-values';

/** Why nothing can be changed through a cell that shows only a part of the plan, or no plan at all. */
export const NOT_THE_PLAN: Readonly<Record<Exclude<Origin, 'price' | 'formula'>, string>> = {
  baseline: 'This cell shows only loaded rows. To change the plan, select a cell of the plan.',
  changes: 'This cell shows only changes. To change the plan, select a cell of the plan.',
  forecast:
    'This cell shows the plan without closed months. To change the plan, select a cell of the plan.',
  missed: 'This cell shows what actuals changed. To change the plan, select a cell of the plan.',
  reference: 'The reference is for comparison only. To change the plan, select a cell of the plan.',
  difference:
    'This cell compares plan and reference. To change the plan, select a cell of the plan.',
  percent: 'This cell compares plan and reference. To change the plan, select a cell of the plan.',
  other: 'This cell shows another version. To change the plan, select a cell of the plan.',
  otherDifference:
    'This cell compares two versions. To change the plan, select a cell of the plan.',
  otherPercent: 'This cell compares two versions. To change the plan, select a cell of the plan.',
};

/** A selection: the clicked cells and their common slice, or a slice that was edited by hand. */
export interface SelectedSlice {
  /** The marked cells; none once the slice was edited by hand. */
  cells: readonly ReadCell[];
  slice: Slice;
  /** The same slice with the days that have rows instead of date ranges, for locks: they list days. */
  listed: Slice;
  /** Parts of the cells that the slice omits. */
  notHeld: readonly NotHeld[];
  /** Dimensions in the slice that the source does not let operations select by. */
  unmarked: readonly string[];
  /** Why no slice selects exactly these cells; null if one does. */
  impossible: string | null;
}

/** Adds cells to a list, or removes them if the list has all of them. */
export function toggled<Cell extends CellIdentity>(
  cells: readonly Cell[],
  some: readonly Cell[],
): Cell[] {
  const keys = new Set(some.map(cellKey));
  const others = cells.filter((cell) => !keys.has(cellKey(cell)));
  return cells.length - others.length < some.length ? [...others, ...some] : others;
}

/** Returns the common selection of some cells; null if they differ in more than one column. */
export function selectedSlice(
  cells: readonly ReadCell[],
  columns: readonly SliceColumn[],
): SelectedSlice | null {
  const listed = mergeSlices(cells.map((cell) => cell.listed));
  if (!listed) return null;
  const slice = inPeriods(listed, joinedPeriods(cells.map(({ periods }) => periods)));
  const notHeld = cells.flatMap((cell) => cell.notHeld);
  return {
    ...{ cells, slice, listed },
    notHeld: notHeld.filter(
      (part, i) =>
        notHeld.findIndex((other) => other.kind === part.kind && other.text === part.text) === i,
    ),
    unmarked: unmarkedDimensions(slice, columns),
    impossible: cells.find((cell) => cell.impossible)?.impossible ?? null,
  };
}

/** Returns the selection of a slice without cells. */
export const sliceAlone = (slice: Slice, columns: readonly SliceColumn[]): SelectedSlice => {
  const unmarked = unmarkedDimensions(slice, columns);
  return { cells: [], slice, listed: slice, notHeld: [], unmarked, impossible: null };
};

/** Returns a selection without a column of its slice. It covers more rows than the cells did, so it has no cells. */
export function withoutColumn(
  { slice: all, listed: days, notHeld }: SelectedSlice,
  column: string,
  columns: readonly SliceColumn[],
): SelectedSlice {
  const { [column]: _, ...slice } = all;
  const { [column]: __, ...listed } = days;
  return { ...sliceAlone(slice, columns), listed, notHeld };
}

/** Why no operation can run on cells without a common slice. */
export const APART =
  'These cells cannot be scaled, recoded or cloned together, because they differ in more than one column.';
const TOO_MANY = 'These are too many cells to change at once.';

/** Maximum number of cells to change at once. Larger selections can only be summed and copied. */
export const MOST_CHANGED = 1000;

/**
 * Returns why no operation can run on a selection; null if one can.
 *
 * @param selected the selection; null if nothing is selected, or if the marked cells have no common slice
 * @param count the number of marked cells
 */
export function obstacleOf(
  selected: SelectedSlice | null,
  count: number,
  labelOf: (column: string) => string,
): string | null {
  if (!selected && count > MOST_CHANGED) return TOO_MANY;
  if (!selected) return count > 0 ? APART : 'Select a cell first.';
  if (selected.impossible) return selected.impossible;
  const [unmarked] = selected.unmarked;
  return unmarked === undefined
    ? null
    : `“${labelOf(unmarked)}” is not a key column of this source, so operations cannot select rows by it. Remove it from the selection, or group by a key column.`;
}
