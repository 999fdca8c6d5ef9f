/** The cell of the arrow keys and the corners of the marked block. */
import type { CellIdentity, CellPosition, MarkedCell, Press } from '../../pivot/slice/cell';
import { cellKey } from '../../pivot/slice/cell';
import { readBlock } from '../../pivot/grid/reading/block-reader';
import { InTurn } from '../../pivot/waiting';
import type { Pivot } from '../../pivot/pivot';
import type { CellReader } from './cell-reader';
import type { Loading } from '../version/loading.svelte';

/** A cell and its position. */
export interface Place {
  cell: CellIdentity;
  at: CellPosition;
}

/** The cell from which the arrow keys move, and the two corners of the marked block. */
export class Cursor {
  /** The cell that was pressed last; it stays after the selection is cleared. */
  private cell: CellIdentity | null = null;
  /** The start of a block: the cell that was pressed last without Shift; null if nothing is marked. */
  anchor: CellIdentity | null = null;
  /** The other corner of the block; null if no block is marked. */
  private corner: CellIdentity | null = null;
  private readonly moves = new InTurn();

  constructor(
    private readonly loading: Loading,
    private readonly reader: CellReader,
  ) {}

  /** Moves the cursor to a cell, and starts the next block there. */
  goTo(cell: CellIdentity | null): void {
    this.anchor = cell;
    this.cell = cell ?? this.cell;
    this.corner = null;
  }

  /** Forgets the corners of the block. The cursor stays where it is. */
  forgetBlock(): void {
    this.anchor = null;
    this.corner = null;
  }

  /** Returns the marked cell at which the block starts. */
  activeAmong(marked: readonly MarkedCell[]): MarkedCell | null {
    const key = this.anchor && cellKey(this.anchor);
    return marked.find((cell) => cellKey(cell) === key) ?? marked.at(-1) ?? null;
  }

  /**
   * Moves the corner of the block to a cell, and reads the cells between; null if no block has been started.
   */
  async blockTo(pivot: Pivot, { cell, at }: Place): Promise<MarkedCell[] | null> {
    const { anchor } = this;
    if (!anchor) return null;
    this.corner = cell;
    const from = { cell: anchor, at: this.reader.lastAt(anchor) };
    return readBlock(pivot.grid.shown, from, { cell, at });
  }

  /**
   * Moves by a number of columns and rows. Moves run one after another, however fast the keys are pressed.
   *
   * @throws Error with a sentence if the pivot has no such cell
   */
  move(dx: number, dy: number, how: Press): Promise<Place> {
    return this.moves.run(() => this.beside(dx, dy, how));
  }

  /** Opens or closes the row of the cursor once earlier moves have ended. */
  toggleRow(): Promise<void> {
    return this.moves.run(async () => {
      const { cell } = this;
      const at = cell && (await this.reader.placeOf(cell));
      if (at && cell) await this.loading.pivot?.grid.rows.toggle(cell.rowPath, at.y);
    });
  }

  /**
   * Opens the group of columns that the cursor's cell adds up, or closes the group that contains the cell, once
   * earlier moves have ended.
   */
  toggleColumns(): Promise<void> {
    return this.moves.run(async () => {
      if (this.cell) await this.loading.pivot?.grid.toggleColumnsOf(this.cell);
    });
  }

  private async beside(dx: number, dy: number, how: Press): Promise<Place> {
    const { pivot } = this.loading;
    if (!pivot) throw new Error('The pivot is not loaded.');
    const { columns, rows } = await pivot.grid.extent();
    const start = how === 'block' ? (this.corner ?? this.cell) : this.cell;
    const from = start && (await this.reader.placeOf(start));
    // Without a current cell, every key selects the first one. The far left is the first cell; one step
    // further is the header of the row.
    const x = from && dx !== -Infinity ? Math.min(columns - 1, (from.x ?? -1) + dx) : 0;
    const y = from ? Math.max(0, Math.min(rows - 1, from.y + dy)) : 0;
    const at = { x: x < 0 ? null : x, y };
    pivot.grid.scrollTo(at);
    const cell = await pivot.grid.identityAt(at);
    this.reader.noteAt(cell, at);
    if (how === 'block' && this.anchor) this.corner = cell;
    else this.goTo(cell);
    return { cell, at };
  }
}
