/** Outlines the selected cells of the grid. */

/** A side of a cell, and the step to its neighbour there. */
const SIDES = [
  ['top', -1, 0],
  ['right', 0, 1],
  ['bottom', 1, 0],
  ['left', 0, -1],
] as const;

/**
 * Gives each selected cell an edge class on the sides without a selected neighbour, so that a block has one
 * outline. Neighbours are judged as drawn.
 */
export function outlineSelected(table: Element): void {
  const rows = [...table.querySelectorAll('tbody tr')].map((tr) => [...tr.children]);
  const isSelected = (cell: Element | undefined) =>
    cell?.classList.contains('pf-selected') ?? false;
  for (const [y, row] of rows.entries()) {
    for (const [x, cell] of row.entries()) {
      for (const [side, dy, dx] of SIDES) {
        const isEdge = isSelected(cell) && !isSelected(rows[y + dy]?.[x + dx]);
        cell.classList.toggle(`pf-edge-${side}`, isEdge);
      }
    }
  }
}
