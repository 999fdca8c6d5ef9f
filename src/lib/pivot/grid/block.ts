import type { CellPosition, MarkedCell } from '../slice/cell';

/** At most so many cells are marked at once. */
export const MOST_MARKED = 20_000;

/** A rectangle of cells, both ends included; without columns, the headers of its rows. */
export interface Block {
  y0: number;
  y1: number;
  columns: { x0: number; x1: number } | null;
}

/**
 * The rectangle between two cells. From a row's header on, it is of headers; from a cell to a header, it
 * ends at the first column.
 */
export function blockOf(anchor: CellPosition, corner: CellPosition): Block {
  const [y0, y1] = [Math.min(anchor.y, corner.y), Math.max(anchor.y, corner.y)];
  if (anchor.x === null) return { y0, y1, columns: null };
  const x = corner.x ?? 0;
  return { y0, y1, columns: { x0: Math.min(anchor.x, x), x1: Math.max(anchor.x, x) } };
}

/** How many cells, or headers, a rectangle has. */
export const sizeOf = ({ y0, y1, columns }: Block): number =>
  (y1 - y0 + 1) * (columns ? columns.x1 - columns.x0 + 1 : 1);

/** Cells row by row, if they make a full rectangle; null if they do not, or if a header is among them. */
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
