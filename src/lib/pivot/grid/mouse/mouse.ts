/** Translates mouse events on the grid into actions. */
import type { LayoutSort } from '../../../contract/stored-layout';
import type { CellIdentity, CellPosition, Press } from '../../slice/cell';
import type { CellValue, GridPlugin } from '../../values/engine-types';
import { Drag } from './drag';
import { HeadDrag } from './head-drag';
import type { Marks } from '../marks/marks';
import type { Shown } from '../shown/shown';
import { nextSort } from '../drawing/sort';

/** Size in pixels of the corner of the marked block from which it is filled. */
const HANDLE = 9;

/** Widths of a row's +/− icon and of the indentation of each level before it. A click there opens the row. */
const ICON_WIDTH = 26;
const LEVEL_WIDTH = 20;

/** Actions that a mouse press can trigger. */
interface MouseActions {
  /** A cell or header was pressed; null for one that has no identity yet. */
  onTarget(cell: CellIdentity | null, at: CellPosition, how: Press): void;
  /**
   * The corner of the marked block is dragged to a cell, or dropped there; null if the drag was cancelled.
   */
  onFill(at: CellPosition | null, isDropped: boolean): void;
  onSort(sort: LayoutSort[]): void;
  /** The header of a measure was dropped on a side of another one. */
  onMeasure(name: string, beside: string, side: 'left' | 'right'): void;
  /** The edge of a header was dragged or double-clicked. */
  onWidths(): void;
  /** Opens or closes a row. @param y position of the row on screen */
  toggleRow(path: readonly CellValue[], y: number): Promise<void>;
  /** Opens or closes a group of columns. */
  toggleColumns(path: readonly CellValue[]): Promise<void>;
  /** Opens all rows to a depth. */
  setDepth(depth: number): Promise<void>;
}

/** Translates mouse events on the grid into actions. */
export class Mouse {
  private readonly drag: Drag;
  private readonly fill: Drag;
  private readonly head: HeadDrag;
  /** The cell that the corner of the marked block was dragged to last. */
  private filledTo: CellPosition | null = null;

  constructor(
    private readonly shown: Shown,
    private readonly marks: Marks,
    private readonly table: GridPlugin['table'],
    private readonly actions: MouseActions,
  ) {
    const targetOf = (cell: Element) => this.targetOf(cell);
    this.drag = new Drag(table, targetOf, actions.onTarget);
    const fillTo = (_: CellIdentity, at: CellPosition) => {
      this.filledTo = at;
      actions.onFill(at, false);
    };
    this.fill = new Drag(table, targetOf, fillTo, (isDropped) =>
      actions.onFill(isDropped ? this.filledTo : null, isDropped),
    );
    const rootOf = () => {
      const root = table.getRootNode();
      return root instanceof ShadowRoot ? root : null;
    };
    this.head = new HeadDrag(
      rootOf,
      (header, event) => this.sortBy(this.columnOf(header), event),
      (header, { header: other, side }) => {
        const [name, beside] = [this.columnOf(header), this.columnOf(other)];
        if (name && beside && name !== beside) actions.onMeasure(name, beside, side);
      },
    );
    table.addEventListener('mousedown', (event) => this.onMouseDown(event));
    // The table changes widths itself, and stops the event on its way up.
    table.addEventListener('mousedown', (event) => this.followResize(event), { capture: true });
  }

  private followResize(event: MouseEvent): void {
    const [pressed] = event.composedPath();
    if (event.button !== 0 || !(pressed instanceof Element)) return;
    if (!pressed.matches('.rt-column-resize')) return;
    const header = pressed.closest('th');
    const place = event.detail > 1 && header ? this.table.getMeta(header)?.size_key : undefined;
    const report = async () => {
      // The table draws the last step of a drag in the next frame.
      await new Promise(requestAnimationFrame);
      if (place !== undefined) await this.fit(place);
      this.actions.onWidths();
    };
    addEventListener('mouseup', () => void report(), { once: true });
  }

  /** Widens a column until no header of it is cut. @param place index of its width */
  private async fit(place: number): Promise<void> {
    const { table } = this;
    // The table draws the column in its usual width first.
    await table.draw();
    const headers = [...table.querySelectorAll('th')].filter(
      (th) => th.colSpan === 1 && table.getMeta(th)?.size_key === place,
    );
    const texts = headers.flatMap((th) => [th, ...th.querySelectorAll('.pf-line')]);
    const missing = Math.max(...texts.map((text) => text.scrollWidth - text.clientWidth));
    const width = headers[0]?.getBoundingClientRect().width;
    if (width === undefined || missing <= 0) return;
    table._column_sizes.override[place] = Math.ceil(width) + missing;
    await table.draw();
  }

  private onMouseDown(event: MouseEvent): void {
    if (event.button !== 0) return;
    const { table } = this;
    const pressed = event.composedPath().filter((node) => node instanceof Element);
    const cell = pressed.find((node) => /^(TD|TH)$/.test(node.tagName));
    const meta = cell && table.getMeta(cell);
    if (!cell || !meta || pressed.some((node) => node.matches('.rt-column-resize'))) return;
    // The cell as it was drawn, even if a change that is not drawn yet has moved another one there.
    const identity = this.marks.drawnAt(cell);
    const isHead = cell.closest('thead') !== null;
    if (isHead && pressed.some((node) => node.matches('.pf-toggle'))) {
      // Otherwise the button would take the focus from the grid.
      event.preventDefault();
      table.focus();
      if (identity?.columnPath) void this.actions.toggleColumns(identity.columnPath);
      return;
    }
    if (cell.matches('.pf-measure')) return this.head.begin(cell, event);
    if (cell.matches('.pf-tree') && this.isOnIcon(cell, event)) {
      void this.pressIcon(identity, meta.y ?? 0, event.shiftKey);
      return;
    }
    if (!identity && cell.tagName !== 'TD' && isHead) return;
    if (identity && isOnHandle(cell, event)) {
      this.filledTo = null;
      return this.fill.begin(identity);
    }
    const { at } = this.targetOf(cell);
    const isBlock = event.shiftKey && !isHead;
    const adds = event.ctrlKey || event.metaKey || (event.shiftKey && isHead);
    this.actions.onTarget(identity, at, isBlock ? 'block' : adds ? 'add' : 'alone');
    if (identity && !isHead && !adds) this.drag.begin(identity);
  }

  /** Returns the cell that is drawn at the position of an element; its identity is null if it is unknown. */
  private targetOf(cell: Element): { identity: CellIdentity | null; at: CellPosition } {
    const meta = this.table.getMeta(cell);
    const identity = meta ? this.marks.drawnAt(cell) : null;
    const x = identity?.measure == null ? null : (meta?.x ?? null);
    return { identity, at: { x, y: meta?.y ?? 0 } };
  }

  private isOnIcon(header: Element, event: MouseEvent): boolean {
    const level = Number(header.closest('tr')?.dataset.level ?? 0);
    const from = header.getBoundingClientRect().left;
    return event.clientX - from < ICON_WIDTH + LEVEL_WIDTH * level;
  }

  /** Opens or closes a row; with Shift, all rows of its level. */
  private async pressIcon(row: CellIdentity | null, y: number, isForAll: boolean): Promise<void> {
    if (!row) return;
    if (!isForAll) return this.actions.toggleRow(row.rowPath, y);
    const level = row.rowPath.length;
    const isOpen = this.shown.isOpenAt(y);
    await this.actions.setDepth(Math.max(0, isOpen ? level - 1 : level));
  }

  /** Returns the measure of the column below a header; undefined if it is being redrawn. */
  private columnOf(header: Element): string | undefined {
    return this.shown.columnAt(this.table.getMeta(header)?.x)?.measure;
  }

  private sortBy(measure: string | undefined, event: MouseEvent): void {
    const { reader } = this.shown;
    if (!reader || measure === undefined) return;
    const { sort, split_by } = reader.config;
    // The grid sorts only rows by the measures that it computes.
    const isSplit = !reader.isComputed(measure) && split_by.length > 0;
    const more = { isAbsolute: event.shiftKey, adds: event.ctrlKey || event.metaKey };
    this.actions.onSort(nextSort(sort, measure, isSplit, more));
  }
}

/** Whether the mouse is on the corner of the marked block. */
function isOnHandle(cell: Element, { clientX, clientY }: MouseEvent): boolean {
  if (!cell.matches('.pf-handle')) return false;
  const { right, bottom } = cell.getBoundingClientRect();
  return right - clientX <= HANDLE && bottom - clientY <= HANDLE;
}
