import { cellKey, type CellIdentity, type CellPosition, type Press } from '../slice/cell';
import type { RegularTable } from '../values/engine-types';

/** So often the grid scrolls on while the mouse is held beyond its edge. */
const SCROLL_EVERY_MS = 50;
/** How far, at most, in pixels. */
const SCROLL_BY = 60;
/** The mouse is this far inside the edge at which a cell is looked for. */
const INSIDE = 4;

/** What is drawn at a cell's place, and where that is. */
interface Target {
  identity: CellIdentity | null;
  at: CellPosition;
}

/** Marks a block while the mouse is dragged from one cell to another. Beyond the edge, the grid scrolls on. */
export class Drag {
  private last: string | null = null;
  private mouse: { x: number; y: number } | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly table: RegularTable,
    private readonly targetOf: (cell: Element) => Target,
    private readonly onTarget: (cell: CellIdentity, at: CellPosition, how: Press) => void,
  ) {}

  /** The mouse was pressed on a cell. */
  begin(from: CellIdentity): void {
    this.end();
    this.last = cellKey(from);
    addEventListener('mousemove', this.move);
    addEventListener('mouseup', this.end);
  }

  private readonly move = (event: MouseEvent): void => {
    // The button was let go outside of the window.
    if ((event.buttons & 1) === 0) return this.end();
    this.mouse = { x: event.clientX, y: event.clientY };
    this.follow();
    this.timer ??= setInterval(() => this.scroll(), SCROLL_EVERY_MS);
  };

  private readonly end = (): void => {
    clearInterval(this.timer);
    this.timer = undefined;
    this.mouse = null;
    removeEventListener('mousemove', this.move);
    removeEventListener('mouseup', this.end);
  };

  /** Marks up to the cell that the mouse is over, or that is nearest to it. */
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
    // What is just being drawn is known when the mouse moves on, or the grid has scrolled.
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

  /** Where cells are that scroll: the total row is one of them only while all rows begin at the top. */
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
