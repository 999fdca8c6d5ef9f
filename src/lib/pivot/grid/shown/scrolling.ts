/** Scrolls the grid to a cell. */
import type { CellPosition } from '../../slice/cell';
import type { GridPlugin } from '../../values/engine-types';
import type { Shown } from './shown';

/** Upper limit of scroll steps, far above the number needed for any column. */
const MOST_STEPS = 20;
/** The cells of the last row that scroll sideways. */
const SCROLLED = 'tbody tr:last-child td:not(.pf-pinned)';

/** Scrolls the grid until a cell is in view. */
export class Scrolling {
  private wanted: CellPosition | null = null;

  constructor(
    private readonly shown: Shown,
    private readonly table: GridPlugin['table'],
  ) {}

  /** Scrolls a cell into view, only as far as needed to show all of it. */
  to(at: CellPosition): void {
    this.wanted = at;
    // If the view was replaced meanwhile, its replacement starts at its own top.
    void this.bringIntoSight(at).catch(() => undefined);
  }

  /** Scrolls in steps, because the widths of columns are known only after they were drawn. */
  private async bringIntoSight(at: CellPosition): Promise<void> {
    for (let step = 0; step < MOST_STEPS && this.wanted === at; step++) {
      const { table } = this;
      const pinned = table.querySelectorAll('tbody tr:last-child td.pf-pinned').length;
      const first = table.querySelector(SCROLLED);
      const meta = first && table.getMeta(first);
      if (!meta) return;
      const { x, y } = at;
      const top = meta.y0 ?? 0;
      const left = Number(first instanceof HTMLElement ? first.dataset.x : 0);
      const isGrouped = (this.shown.reader?.config.group_by.length ?? 0) > 0;
      const row = this.rowInSight(y) ? top : Math.max(0, isGrouped ? y - 1 : y);
      const isInPlace = x === null || x < pinned;
      const column = isInPlace ? left : this.columnInSight(x, left);
      if (row === top && column === left) return;
      await table.scrollToCell(column - pinned, row);
    }
  }

  /** Checks whether all of a row is in view. */
  private rowInSight(y: number): boolean {
    const { table } = this;
    const row = table.querySelector(`tbody td[data-y="${y}"]`)?.getBoundingClientRect();
    return (
      row !== undefined && row.bottom <= table.getBoundingClientRect().top + table.clientHeight
    );
  }

  /** Returns the column that has to be the first one for a column to be in view. */
  private columnInSight(x: number, left: number): number {
    const { table } = this;
    const end = table.getBoundingClientRect().left + table.clientWidth;
    const boxes = [...table.querySelectorAll(SCROLLED)].map((cell) => cell.getBoundingClientRect());
    const wanted = boxes[x - left];
    if (x <= left || !wanted) return x < left || !wanted ? x : left;
    let first = left;
    let gained = 0;
    while (first < x && wanted.right - gained > end) {
      gained += boxes[first - left]?.width ?? 0;
      first++;
    }
    return first;
  }
}
