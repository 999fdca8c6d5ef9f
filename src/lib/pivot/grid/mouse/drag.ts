/** Drags the mouse over cells. */
import { cellKey, type CellIdentity, type CellPosition, type Press } from '../../slice/cell';
import type { RegularTable } from '../../values/engine-types';

/** Interval between two scroll steps while the mouse is held beyond the edge of the grid. */
const SCROLL_EVERY_MS = 50;
/** Largest scroll step in pixels. */
const SCROLL_BY = 60;
/** Distance from the edge, in pixels, at which the nearest cell is looked up. */
const INSIDE = 4;

/** The cell that is drawn under the mouse, and its position. */
interface Target {
  identity: CellIdentity | null;
  at: CellPosition;
}

/**
 * Reports the cells that the mouse is dragged over, from one cell to another. Beyond the edge, the grid keeps
 * scrolling. Escape ends it.
 */
export class Drag {
  private last: string | null = null;
  private mouse: { x: number; y: number } | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;

  /**
   * @param onTarget is called with each cell that the mouse gets to
   * @param onEnd is called at the end, with whether the button was released
   */
  constructor(
    private readonly table: RegularTable,
    private readonly targetOf: (cell: Element) => Target,
    private readonly onTarget: (cell: CellIdentity, at: CellPosition, how: Press) => void,
    private readonly onEnd: (isDropped: boolean) => void = () => undefined,
  ) {}

  /** Starts a drag after the mouse was pressed on a cell. */
  begin(from: CellIdentity): void {
    this.stop();
    this.last = cellKey(from);
    addEventListener('mousemove', this.move);
    addEventListener('mouseup', this.drop);
    addEventListener('keydown', this.cancel, { capture: true });
  }

  private readonly move = (event: MouseEvent): void => {
    // The button was released outside the window.
    if ((event.buttons & 1) === 0) return this.end();
    this.mouse = { x: event.clientX, y: event.clientY };
    this.follow();
    this.timer ??= setInterval(() => this.scroll(), SCROLL_EVERY_MS);
  };

  private readonly drop = (): void => this.end(true);

  private readonly cancel = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.end();
  };

  private end(isDropped = false): void {
    this.stop();
    this.onEnd(isDropped);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.mouse = null;
    removeEventListener('mousemove', this.move);
    removeEventListener('mouseup', this.drop);
    removeEventListener('keydown', this.cancel, { capture: true });
  }

  /** Reports the cell under the mouse, or the cell nearest to it. */
  private follow(): void {
    const { mouse } = this;
    const root = this.table.getRootNode();
    if (!mouse || !(root instanceof ShadowRoot)) return this.end();
    const { left, right, top, bottom } = this.inside();
    const x = Math.min(Math.max(mouse.x, left), right);
    const y = Math.min(Math.max(mouse.y, top), bottom);
    const cell = root.elementFromPoint(x, y)?.closest('tbody td, tbody th');
    if (!cell) return;
    const { identity, at } = this.targetOf(cell);
    // A cell that is being redrawn has no identity yet; the next mouse move or scroll step reads it.
    if (!identity || cellKey(identity) === this.last) return;
    this.last = cellKey(identity);
    this.onTarget(identity, at, 'block');
  }

  private scroll(): void {
    const { mouse, table } = this;
    if (!mouse || !table.isConnected) return this.end();
    const { left, right, top, bottom } = this.inside();
    const beyond = (at: number, from: number, to: number) =>
      Math.max(-SCROLL_BY, Math.min(SCROLL_BY, at < from ? at - from : at > to ? at - to : 0));
    table.scrollTop += beyond(mouse.y, top, bottom);
    table.scrollLeft += beyond(mouse.x, left, right);
    this.follow();
  }

  /**
   * Returns the area of the cells that scroll, in pixels. The total row belongs to it only while the grid is
   * scrolled to the top.
   */
  private inside() {
    const { table } = this;
    const box = table.getBoundingClientRect();
    const rows = [...table.querySelectorAll('tbody tr')];
    const first = rows[table.scrollTop > 0 ? 1 : 0] ?? rows[0];
    const top = first?.getBoundingClientRect().top ?? box.top;
    return {
      left: box.left + INSIDE,
      right: Math.max(box.left, box.left + table.clientWidth - INSIDE),
      top: Math.max(box.top, top) + INSIDE,
      bottom: box.top + table.clientHeight - INSIDE,
    };
  }
}
