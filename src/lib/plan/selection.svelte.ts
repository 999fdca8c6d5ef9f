import * as api from '../client/api';
import { Latest, LatestCall } from '../client/latest.svelte';
import type { Slice } from '../contract/operations';
import type { SlicePreview } from '../contract/previews';
import type { CellIdentity, CellPosition, MarkedCell, Press, ReadCell } from '../pivot/slice/cell';
import { cellKey } from '../pivot/slice/cell';
import { readAgain, readBlock } from '../pivot/grid/block-reader';
import type { Pivot } from '../pivot/pivot';
import { unmarkedDimensions } from '../pivot/slice/slice-values';
import { CellReader, GONE } from './cell-reader';
import { Cursor, type Place } from './cursor';
import { pivotMessageOf, type Loading } from './loading.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import { NOT_THE_PLAN, selectedSlice, toggled, type SelectedSlice } from './selected-slice';

/** Why something does not reach several cells: no one slice is exactly their rows. */
export const apart = (what: string): string =>
  `No ${what} reaches exactly these cells: they differ in more than one column.`;
const TOO_MANY = 'No operation reaches so many cells.';

/** What is changed in one go has at most so many cells; more of them are marked to add up and to copy. */
export const MOST_CHANGED = 1000;

/** What a press marks, and with their slices, unless there are too many. */
interface Pressed {
  marked: readonly MarkedCell[];
  cells: readonly ReadCell[] | null;
}

const SHOWS_A_PART: ReadonlySet<string> = new Set(Object.values(NOT_THE_PLAN));

/** So long no other cell has to be selected before the service is asked to add up the slice. */
const PREVIEW_PAUSE_MS = 120;

/** The cells that the planner has selected, and what an operation on them would touch. */
export class Selection {
  /** What is selected; null if nothing is, or if the marked cells are no one slice. */
  current = $state.raw<SelectedSlice | null>(null);
  /** The cells that are marked: those of {@link current}, or others that are no one slice. */
  marked = $state.raw<readonly MarkedCell[]>([]);
  /** What an operation would touch, from the service, so that it holds other people's work. */
  readonly preview = new Latest<SlicePreview>(PREVIEW_PAUSE_MS);

  /** Why no operation can run on the selection; null if one can. */
  readonly obstacle: string | null = $derived.by(() => {
    const { planned, current } = this;
    if (planned.obstacle) return planned.obstacle;
    if (!current && this.marked.length > MOST_CHANGED) return TOO_MANY;
    if (!current) return this.marked.length > 0 ? apart('operation') : 'Select a cell first.';
    if (current.impossible) return current.impossible;
    const [unmarked] = current.unmarked;
    if (unmarked !== undefined) {
      return `“${planned.labelOf(unmarked)}” may not select rows: this source marks other columns as keys. Remove it from the selection, or group by a key.`;
    }
    return null;
  });

  /** Why no slice is exactly what is selected; null if the selected slice is. */
  readonly inexact: string | null = $derived.by(() => {
    const impossible = this.current?.impossible ?? null;
    return impossible !== null && SHOWS_A_PART.has(impossible) ? null : impossible;
  });

  /**
   * Whether the selected cell and the service differ about its sum. Null while that cannot be told.
   */
  readonly differs: boolean | null = $derived.by(() => {
    if (this.preview.waiting || this.reading || this.current?.cells.length !== 1) return null;
    const [cell] = this.current.cells;
    const stored = cell && this.preview.answer && this.reader.storedSum(cell, this.preview.answer);
    if (!cell || cell.value === null || typeof stored !== 'number') return null;
    const { most } = this.planned.decimalsIn(cell.measure);
    return Math.abs(stored - cell.value) > 0.5 * 10 ** -most + Math.abs(stored) * 1e-9;
  });

  /** A cell was pressed and is not read yet; what is selected is still the one before. */
  reading = $state.raw(false);

  readonly reader: CellReader;
  readonly cursor: Cursor;
  private readonly call = new LatestCall();
  /** Answers whether the cell that was pressed last is selected; null once it is known. */
  private pressed: Promise<boolean> | null = null;
  /** Whether the cell that was pressed last adds to what was marked before. */
  private isExtended = false;

  /** @param onRefusal is told, as a sentence, why a cell could not be selected */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly onRefusal: (sentence: string) => void,
  ) {
    this.reader = new CellReader(planned, loading);
    this.cursor = new Cursor(loading, this.reader);
  }

  /**
   * Selects a cell alone, adds it to the selection or takes it out again, or marks the block that ends at
   * it. What is marked and shown stays as it is until the cells are read.
   *
   * @param cell null for one that is just being drawn anew: nothing is selected then, since the cells of
   * before would be taken for it
   * @param at where the cell was when it was pressed
   */
  select(cell: CellIdentity | null, at: CellPosition, how: Press): Promise<void> {
    return this.press(async () => {
      if (!cell) throw new Error('it was just being drawn anew. Click the cell again.');
      return { cell, at };
    }, how);
  }

  /**
   * What is selected once the cell that was pressed last is read and its totals are known. Null if
   * it could not be selected, or if another one was pressed meanwhile: then nothing may be applied.
   *
   * @param fresh adds up the selection again, as it is stored now
   */
  async chosen(fresh: boolean): Promise<SelectedSlice | null> {
    const { pressed } = this;
    if (pressed && !(await pressed)) return null;
    const key = this.sliceKey;
    await (fresh ? this.readTotals() : this.preview.settled());
    return this.reading || this.sliceKey !== key ? null : this.current;
  }

  /** The cell that was pressed last, once it is read; null if it could not be selected. */
  async readActive(): Promise<ReadCell | null> {
    const { pressed } = this;
    if (pressed && !(await pressed)) return null;
    const { active } = this;
    if (!active) return null;
    const key = cellKey(active);
    const known = this.current?.cells.find((cell) => cellKey(cell) === key);
    return known ?? this.reader.cellNow(active);
  }

  /** Whether nothing is selected or marked. */
  get isEmpty(): boolean {
    return this.current === null && this.marked.length === 0;
  }

  /** The marked cell that typed amounts go to: the one that a block begins at. */
  get active(): MarkedCell | null {
    return this.cursor.activeAmong(this.marked);
  }

  /**
   * Moves the selection from cell to cell, or the corner of the block; left of the first column are the row
   * headers.
   */
  move(dx: number, dy: number, how: 'alone' | 'block' = 'alone'): Promise<void> {
    const step = this.cursor.move(dx, dy, how);
    return this.press(() => step, how);
  }

  /**
   * The block of so many columns and rows from a cell on; null if the pivot has no room for it. It is marked,
   * too, if the cell is still the only one that is.
   */
  async blockFrom(
    cell: MarkedCell,
    columns: number,
    rows: number,
  ): Promise<readonly MarkedCell[] | null> {
    const { pivot } = this.loading;
    const from = await this.reader.placeOf(cell);
    if (!pivot || !from || from.x === null) return null;
    const at = { x: from.x + columns - 1, y: from.y + rows - 1 };
    const extent = await pivot.grid.extent();
    if (at.x >= extent.columns || at.y >= extent.rows) return null;
    const corner = await pivot.grid.identityAt(at);
    const [only, ...others] = this.marked;
    if (only && others.length === 0 && cellKey(only) === cellKey(cell))
      await this.select(corner, at, 'block');
    return readBlock(pivot.grid.shown, { cell, at: from }, { cell: corner, at });
  }

  /** What was marked by the presses so far, whatever is pressed later; none if it could not be read. */
  async markedByNow(): Promise<readonly MarkedCell[]> {
    let { pressed } = this;
    while (pressed && !(await pressed)) {
      // The last steps of a drag come after it, and go on from the same cell.
      if (this.pressed === pressed || !this.isExtended) return [];
      ({ pressed } = this);
    }
    return this.marked;
  }

  /** What is marked, as it is now, once the cells that were pressed last are read; none if they could not be. */
  async markedNow(): Promise<readonly MarkedCell[]> {
    return this.reader.again(await this.markedByNow());
  }

  /**
   * Follows rows or columns that were opened or closed: a selection with a cell that is no longer on screen
   * ends. The arrow keys go on from the row that it was closed into.
   */
  async followRows(): Promise<void> {
    const { marked } = this;
    const { pivot } = this.loading;
    if (marked.length === 0 || !pivot) return;
    const again = await readAgain(pivot.grid.shown, marked).catch(() => null);
    if (!again || this.marked !== marked) return;
    const isFlat = pivot.grid.shown.reader?.config.group_by.length === 0;
    if (!isFlat && again.some(({ isShown }) => !isShown)) this.clear();
    else this.marked = again;
  }

  /** Takes one column out of the slice: the selection then reaches further than the cells did. */
  removeColumn(column: string): void {
    if (!this.current) return;
    const { [column]: _, ...slice } = this.current.slice;
    const { [column]: __, ...listed } = this.current.listed;
    this.show(
      {
        cells: [],
        slice,
        listed,
        notHeld: this.current.notHeld,
        unmarked: unmarkedDimensions(slice, this.planned.columns),
        impossible: null,
      },
      [],
    );
    this.showReach(slice);
  }

  clear(): void {
    this.call.stop();
    this.current = null;
    this.marked = [];
    this.cursor.forgetBlock();
    this.preview.clear();
    this.markAgain();
    this.showReach(null);
  }

  /** Selects cells again that were selected before the rows were loaded anew. */
  async selectAgain(cells: readonly MarkedCell[]): Promise<void> {
    this.cursor.goTo(cells.at(-1) ?? null);
    if (cells.length > 0) await this.pressFor((pivot) => this.readMarked(pivot, cells), true);
  }

  /** Marks the selected cells again: the viewer has drawn its rows anew. */
  markAgain(): void {
    this.loading.pivot?.grid.marks.select(this.marked, this.active);
  }

  /** Marks the cells that a slice reaches; null marks none. */
  showReach(slice: Slice | null): void {
    // The view may be gone by now. The next call marks the cells of the view that replaced it.
    void this.loading.pivot?.grid.marks.showReach(slice).catch(() => undefined);
  }

  /** Adds up the selection again, as it is stored now, and waits for the totals. */
  readTotals(): Promise<void> {
    this.askPreview(0);
    return this.preview.settled();
  }

  /**
   * Reads the selected cells again after a change: their sums, and the slice behind them. A month
   * stands for other days if rows of a new day came. A cell that is gone has no sum.
   */
  async readAgain(): Promise<void> {
    // A cell that was pressed before the change may have been read half before it.
    await this.pressed;
    const { marked } = this;
    const { pivot } = this.loading;
    // A slice that was changed by hand stands for itself.
    if (marked.length === 0 || !pivot) return;
    const read = await this.readMarked(pivot, marked).catch(() => this.gone(marked));
    if (this.marked === marked) this.hold(read);
  }

  private gone(marked: readonly MarkedCell[]): Pressed {
    const cells = this.current?.cells.map((cell) => ({ ...cell, value: null, impossible: GONE }));
    return { marked: marked.map((cell) => ({ ...cell, value: null })), cells: cells ?? null };
  }

  private show(selected: SelectedSlice | null, marked: readonly MarkedCell[]): void {
    this.take(selected, marked);
    this.showReach(null);
    this.askPreview();
  }

  private hold({ marked, cells }: Pressed): void {
    this.take(cells && selectedSlice(cells, this.planned.columns), marked);
  }

  /** What is marked, shown and asked about is always this one slice, or none. */
  private take(selected: SelectedSlice | null, marked: readonly MarkedCell[]): void {
    // Totals of another slice would be taken for those of this one.
    if (!selected || this.sliceKey !== JSON.stringify(selected.slice)) this.preview.answer = null;
    this.current = selected;
    this.marked = marked;
    this.markAgain();
  }

  private askPreview(pauseMs?: number): void {
    const { current } = this;
    if (!current || current.impossible || current.unmarked.length > 0) {
      this.preview.clear();
      return;
    }
    const { slice } = current;
    this.preview.ask((signal) => api.previewSlice(this.planned.id, slice, { signal }), pauseMs);
  }

  /** Changes if something else is selected. */
  get key(): string {
    return JSON.stringify([this.sliceKey, this.marked.map(cellKey)]);
  }

  private get sliceKey(): string {
    return JSON.stringify(this.current?.slice ?? null);
  }

  private press(find: () => Promise<Place>, how: Press): Promise<void> {
    return this.pressFor(async (pivot) => {
      const { cell, at } = await find();
      const block = how === 'block' ? await this.cursor.blockTo(pivot, { cell, at }) : null;
      if (block) return this.readMarked(pivot, block);
      this.cursor.goTo(cell);
      this.reader.noteAt(cell, at);
      if (how !== 'add' || this.marked.length === 0) {
        const read = await this.reader.read(pivot, cell, at);
        return { marked: [{ ...read, at }], cells: [read] };
      }
      const { value, aggregate } = await pivot.grid.read(cell, this.planned.columns, at);
      const marked = toggled<MarkedCell>(this.marked, { ...cell, value, aggregate, at });
      // The next block begins at a cell that is marked.
      if (marked.length < this.marked.length) this.cursor.goTo(marked.at(-1) ?? null);
      return this.readMarked(pivot, marked);
    }, how !== 'alone');
  }

  /** @param keeps whether what was selected stays so if the cells cannot be read */
  private async pressFor(read: (pivot: Pivot) => Promise<Pressed>, keeps: boolean): Promise<void> {
    this.isExtended = keeps;
    this.reading = true;
    const begin = () => this.readAndShow(read, keeps, this.call.begin());
    // What is added, or a block, goes on from the cell of the press before, which may not be read yet. Of
    // several that wait for it, as while the mouse is dragged, the last one counts.
    const pressed: Promise<boolean> =
      keeps && this.pressed
        ? this.pressed.then(() => this.pressed === pressed && begin())
        : begin();
    this.pressed = pressed;
    await pressed;
    if (this.pressed !== pressed) return;
    this.pressed = null;
    this.reading = false;
  }

  /** @returns whether the cell is what was pressed last, and is selected now */
  private async readAndShow(
    read: (pivot: Pivot) => Promise<Pressed>,
    keeps: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { pivot } = this.loading;
    if (!pivot) return false;
    let found: Pressed;
    try {
      found = await read(pivot);
    } catch (error) {
      if (signal.aborted) return false;
      // The cells of before must not be taken for the one that was pressed.
      if (!keeps) this.clear();
      this.cursor.goTo(this.active);
      this.onRefusal(pivotMessageOf(error));
      return false;
    }
    if (signal.aborted) return false;
    if (found.marked.length === 0) this.clear();
    else this.show(found.cells && selectedSlice(found.cells, this.planned.columns), found.marked);
    return true;
  }

  /** Marked cells as they are now, with the slices behind them, unless there are too many. */
  private async readMarked(pivot: Pivot, cells: readonly MarkedCell[]): Promise<Pressed> {
    const marked = await readAgain(pivot.grid.shown, cells);
    if (marked.length > MOST_CHANGED) return { marked, cells: null };
    return { marked, cells: await this.reader.withSlices(pivot, marked) };
  }
}
