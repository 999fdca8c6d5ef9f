/** Selects the rows of a slice in the pivot. */
import type { Slice } from '../../contract/slices';
import { overlapOf } from '../../pivot/grid/cells/reach';
import { sliceAlone } from '../selection/selected-slice';
import type { PlanSession } from '../session.svelte';

/**
 * Selects the cell on screen whose rows a slice has, and scrolls to it; if no cell shows exactly these rows,
 * selects the slice alone, which marks the cells with rows of it.
 */
export async function showSlice(
  { selection, planned, pivot }: Pick<PlanSession, 'selection' | 'planned' | 'pivot'>,
  slice: Slice,
): Promise<void> {
  const cell = (await pivot?.grid.cellOf(slice).catch(() => null)) ?? null;
  const read = cell && (await selection.reader.look(cell, cell));
  if (cell && read && overlapOf(slice, read.slice) === 'all') {
    await selection.selectFound(() => Promise.resolve([cell]), 'alone');
    pivot?.grid.scrollTo(cell.at);
  } else {
    selection.clear();
    selection.showSlice(sliceAlone(slice, planned.columns));
  }
}
