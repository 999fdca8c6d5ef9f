/** Extends the marked block by dragging its corner, to fill it. */
import { extendedTo, rectangleOf, type FillDirection } from '../../pivot/grid/cells/block';
import { cellKey, type CellPosition } from '../../pivot/slice/cell';
import type { IsFilledFrom } from './block-edits';
import type { Loading } from '../version/loading.svelte';
import type { Selection } from '../selection/selection.svelte';

/** The direction in which the marked block is filled, and the cells from which. */
interface Fill {
  direction: FillDirection;
  isFrom: IsFilledFrom;
}

/** Extends the marked block while its corner is dragged. */
export class Filling {
  constructor(
    private readonly loading: Loading,
    private readonly selection: Selection,
  ) {}

  /** Shows the block that would be filled if the corner were dropped at a position; null shows none. */
  show(at: CellPosition | null): void {
    this.loading.pivot?.grid.marks.showFill((at && this.extension(at)?.block) ?? null);
  }

  /**
   * Marks the block that reaches to a position, in addition to the cells that are marked now.
   *
   * @returns how to fill it; null if the position is inside the marked block, or the cells have moved
   * @throws Error with a sentence if the pivot has no such cell
   */
  async extendTo(at: CellPosition): Promise<Fill | null> {
    this.show(null);
    const { pivot } = this.loading;
    const { marked, reader, cursor } = this.selection;
    const extension = this.extension(at);
    if (!pivot || !extension) return null;
    const { x0, x1, y0, y1 } = extension.block;
    const [start, end] = [
      { x: x0, y: y0 },
      { x: x1, y: y1 },
    ];
    const [first, last] = await Promise.all([
      pivot.grid.identityAt(start),
      pivot.grid.identityAt(end),
    ]);
    reader.noteAt(first, start);
    cursor.goTo(first);
    await this.selection.select(last, end, 'block');
    const from = new Set(marked.map(cellKey));
    const isFrom = (cell: (typeof marked)[number]) => from.has(cellKey(cell));
    // Rows may have come or gone since the corner was dropped.
    if (this.selection.marked.filter(isFrom).length !== marked.length) return null;
    return { direction: extension.direction, isFrom };
  }

  private extension(at: CellPosition) {
    const rows = rectangleOf(this.selection.marked);
    const [start, end] = [rows?.[0]?.[0]?.at, rows?.at(-1)?.at(-1)?.at];
    if (typeof start?.x !== 'number' || typeof end?.x !== 'number') return null;
    return extendedTo({ x0: start.x, x1: end.x, y0: start.y, y1: end.y }, at);
  }
}
