/** Rectangles of cells: blocks between two cells, and marked cells that fill a rectangle. */
import type { CellPosition, MarkedCell } from '../../slice/cell';

/** The direction in which a block is filled. */
export type FillDirection = 'right' | 'down';

/** A rectangle of cells, both ends included. */
export interface CellBlock {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** Largest number of cells that can be marked at once. */
const MOST_MARKED = 20_000;

/** @throws Error if a number of cells is more than can be selected at once */
export function refuseTooMany(cells: number): void {
  if (cells > MOST_MARKED)
    throw new Error(`at most ${MOST_MARKED.toLocaleString()} cells can be selected.`);
}

/** A rectangle of cells, both ends included; without columns, it consists of row headers. */
interface Block {
  y0: number;
  y1: number;
  columns: { x0: number; x1: number } | null;
}

/**
 * Returns the rectangle between two cells. If it starts at a row header, it consists of headers; if it goes
 * from a cell to a header, it ends at the first column.
 */
export function blockOf(anchor: CellPosition, corner: CellPosition): Block {
  const [y0, y1] = [Math.min(anchor.y, corner.y), Math.max(anchor.y, corner.y)];
  if (anchor.x === null) return { y0, y1, columns: null };
  const x = corner.x ?? 0;
  return { y0, y1, columns: { x0: Math.min(anchor.x, x), x1: Math.max(anchor.x, x) } };
}

/** Number of cells or headers in a rectangle. */
export const sizeOf = ({ y0, y1, columns }: Block): number =>
  (y1 - y0 + 1) * (columns ? columns.x1 - columns.x0 + 1 : 1);

/** Groups cells into rows if they fill a rectangle; null if they do not, or if one of them is a header. */
export function rectangleOf<Cell extends Pick<MarkedCell, 'at' | 'measure'>>(
  cells: readonly Cell[],
): Cell[][] | null {
  const rows = new Map<number, Cell[]>();
  for (const cell of cells) {
    if (cell.measure === null || cell.at.x === null) return null;
    const row = rows.get(cell.at.y) ?? [];
    row.push(cell);
    rows.set(cell.at.y, row);
  }
  const ordered = [...rows].sort(([a], [b]) => a - b);
  const [first] = ordered;
  if (!first) return null;
  const xOf = ({ at }: Cell) => at.x ?? 0;
  for (const [, row] of ordered) row.sort((a, b) => xOf(a) - xOf(b));
  const [y0, wanted] = first;
  const isFull = ordered.every(
    ([y, row], i) =>
      y === y0 + i &&
      row.length === wanted.length &&
      row.every((cell, j) => wanted[0] !== undefined && xOf(cell) === xOf(wanted[0]) + j),
  );
  return isFull ? ordered.map(([, row]) => row) : null;
}

/**
 * Returns the block that reaches from a block to a position, in the direction in which the position is farther
 * away; null if the position is inside the block.
 *
 * @returns `right` stands for both sides, `down` also for above
 */
export function extendedTo(
  { x0, x1, y0, y1 }: CellBlock,
  to: CellPosition,
): { block: CellBlock; direction: FillDirection } | null {
  const x = to.x ?? 0;
  const across = Math.max(x0 - x, x - x1, 0);
  const down = Math.max(y0 - to.y, to.y - y1, 0);
  if (across === 0 && down === 0) return null;
  return across > down
    ? { block: { x0: Math.min(x0, x), x1: Math.max(x1, x), y0, y1 }, direction: 'right' }
    : { block: { x0, x1, y0: Math.min(y0, to.y), y1: Math.max(y1, to.y) }, direction: 'down' };
}
