/** The selected cells of the pivot, and their totals. */
import { Latest, LatestCall } from '../../client/latest.svelte';
import type { Slice } from '../../contract/slices';
import type { SlicePreview } from '../../contract/previews';
import type {
  CellIdentity,
  CellPosition,
  MarkedCell,
  Press,
  ReadCell,
} from '../../pivot/slice/cell';
import { cellKey, hasOtherMembers } from '../../pivot/slice/cell';
import { readAgain, readBlock } from '../../pivot/grid/reading/block-reader';
import type { Pivot } from '../../pivot/pivot';
import { CellReader, GONE, type ReadCells } from './cell-reader';
import { Cursor, type Place } from './cursor';
import { pivotMessageOf, type Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';
import {
  NOT_THE_PLAN,
  obstacleOf,
  selectedSlice,
  toggled,
  withoutColumn,
  type SelectedSlice,
} from './selected-slice';

const SHOWS_A_PART: ReadonlySet<string> = new Set(Object.values(NOT_THE_PLAN));

/** Debounce of requests about the selected rows, in ms. */
export const SELECTION_PAUSE_MS = 120;

/** The selected cells, and the rows that an operation on them would affect. */
export class Selection {
  /** The selection; null if there is none, or if the marked cells have no common slice. */
  current = $state.raw<SelectedSlice | null>(null);
  /** The marked cells: those of {@link current}, or others without a common slice. */
  marked = $state.raw<readonly MarkedCell[]>([]);
  /** The rows that an operation would affect, as the service knows them, with other people's changes. */
  readonly preview = new Latest<SlicePreview>(SELECTION_PAUSE_MS);

  /** Why no operation can be tried on the selection; null if one can. */
  readonly obstacle: string | null = $derived.by(() => {
    const { planned, current } = this;
    if (planned.obstacleToTry) return planned.obstacleToTry;
    return obstacleOf(current, this.marked.length, (name) => planned.labelOf(name));
  });

  /** Why no slice matches the selection exactly; null if one does. */
  readonly inexact: string | null = $derived.by(() => {
    const impossible = this.current?.impossible ?? null;
    return impossible !== null && SHOWS_A_PART.has(impossible) ? null : impossible;
  });

  /** Whether the selected cell shows a number of another version, or a comparison with one. */
  readonly showsOther: boolean = $derived.by(
    () => this.loading.pivot?.origins.ofOthers.has(this.active?.measure ?? '') ?? false,
  );

  /** Whether the sum of the selected cell differs from that of the service. Null while unknown. */
  readonly differs: boolean | null = $derived.by(() => {
    if (this.preview.waiting || this.reading || this.current?.cells.length !== 1) return null;
    const [cell] = this.current.cells;
    const { answer } = this.preview;
    return cell && answer ? this.reader.differs(cell, answer) : null;
  });

  /** Whether a pressed cell is still being read. The previous selection stays until then. */
  reading = $state.raw(false);

  readonly reader: CellReader;
  readonly cursor: Cursor;
  private readonly call = new LatestCall();
  /** Resolves to whether the cell that was pressed last is selected; null once that is known. */
  private pressed: Promise<boolean> | null = null;
  /** Whether the last press extends the marked cells. */
  private isExtended = false;

  /** @param onRefusal is called with a sentence if a cell could not be selected */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly onRefusal: (sentence: string) => void,
  ) {
    this.reader = new CellReader(planned, loading);
    this.cursor = new Cursor(loading, this.reader);
  }

  /**
   * Selects only a cell, adds it to the selection or removes it, or marks the block that ends at it. The
   * previous selection stays until the cells are read.
   *
   * @param cell null for a cell that is just being redrawn; it clears the selection, so that no earlier cell
   * is mistaken for it
   * @param at the position of the cell when it was pressed
   */
  async select(cell: CellIdentity | null, at: CellPosition, how: Press): Promise<void> {
    await this.press(async () => {
      if (!cell) throw new Error('the grid was just being redrawn. Click the cell again.');
      return { cell, at };
    }, how);
  }

  /**
   * Returns the selection once the last pressed cell is read and its totals are known. Returns null if it
   * could not be selected, or if another cell was pressed meanwhile: then nothing may be applied.
   *
   * @param fresh whether to read the totals again, as they are stored now
   */
  async chosen(fresh: boolean): Promise<SelectedSlice | null> {
    const { pressed } = this;
    if (pressed && !(await pressed)) return null;
    const key = this.sliceKey;
    await (fresh ? this.readTotals() : this.preview.settled());
    return this.reading || this.sliceKey !== key ? null : this.current;
  }

  /** Returns the cell that was pressed last, once it is read; null if it could not be selected. */
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

  /** The marked cell that receives typed amounts: the one at which a block starts. */
  get active(): MarkedCell | null {
    return this.cursor.activeAmong(this.marked);
  }

  /**
   * Moves the selection, or the corner of the block, by cells. The row headers are left of the first column.
   */
  async move(dx: number, dy: number, how: 'alone' | 'block' = 'alone'): Promise<void> {
    const step = this.cursor.move(dx, dy, how);
    await this.press(() => step, how);
  }

  /**
   * Returns a block of cells of the given size that starts at a cell; null if it does not fit in the pivot.
   * Also marks the block if the cell is still the only marked one.
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

  /**
   * Returns the cells that were marked by the presses up to now, without later ones; none if they could not
   * be read.
   */
  async markedByNow(): Promise<readonly MarkedCell[]> {
    let { pressed } = this;
    while (pressed && !(await pressed)) {
      // The last steps of a drag follow it, and start from the same cell.
      if (this.pressed === pressed || !this.isExtended) return [];
      ({ pressed } = this);
    }
    return this.marked;
  }

  /**
   * Returns the marked cells with their current numbers, once the last pressed ones are read; none if that
   * fails.
   */
  async markedNow(): Promise<readonly MarkedCell[]> {
    return this.reader.again(await this.markedByNow());
  }

  /**
   * Follows rows or columns that were opened or closed. The selection ends if one of its cells is no longer
   * on screen. The arrow keys then move from the closed row that contains it.
   */
  async followRows(): Promise<void> {
    const { marked } = this;
    const { pivot } = this.loading;
    if (marked.length === 0 || !pivot) return;
    const read = () => readAgain(pivot.grid.shown, marked).catch(() => null);
    const isGone = ({ isShown }: { isShown: boolean }) => !isShown;
    let again = await read();
    // A read during a change of the rows can miss some.
    if (again?.some(isGone)) again = await read();
    if (!again || this.marked !== marked) return;
    const isFlat = pivot.grid.shown.reader?.config.group_by.length === 0;
    if (!isFlat && again.some(isGone)) this.clear();
    else {
      this.marked = again;
      // The slice of a row "Others" lists its groups.
      const isRegrouped = again.some((cell, i) => hasOtherMembers(marked[i] ?? cell, cell));
      if (isRegrouped) await this.readAgain();
    }
  }

  /** Removes a column from the slice of the cells pressed last; it then covers more rows than they did. */
  async removeColumn(column: string): Promise<void> {
    await this.markedByNow();
    const { current } = this;
    if (current && column in current.slice)
      this.showSlice(withoutColumn(current, column, this.planned.columns));
  }

  /** Selects a slice without cells, and marks the cells with rows of it. */
  showSlice(selected: SelectedSlice): void {
    this.show(selected, []);
    this.showReach(selected.slice);
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

  /** Restores the selection of some cells after the rows were reloaded. */
  async selectAgain(cells: readonly MarkedCell[]): Promise<void> {
    this.cursor.goTo(cells.at(-1) ?? null);
    if (cells.length > 0)
      await this.pressFor((pivot) => this.reader.readMarked(pivot, cells), true);
  }

  /**
   * Selects the cells that `find` returns; `add` adds them, or removes them if all of them are selected.
   *
   * @returns false if they are refused, or something else was pressed meanwhile
   */
  selectFound(
    find: (pivot: Pivot) => Promise<readonly MarkedCell[]>,
    how: 'alone' | 'add',
  ): Promise<boolean> {
    return this.pressFor(async (pivot) => {
      const found = await find(pivot);
      const marked = how === 'add' ? toggled(this.marked, found) : found;
      this.cursor.goTo(marked.at(-1) ?? null);
      return this.reader.readMarked(pivot, marked);
    }, how === 'add');
  }

  /** Marks the selected cells again after the viewer has redrawn its rows. */
  markAgain(): void {
    const canFill = this.planned.obstacle === null;
    this.loading.pivot?.grid.marks.select(this.marked, this.active, canFill);
  }

  /** Marks the cells that contain rows of a slice; null marks none. */
  private showReach(slice: Slice | null): void {
    // A view that was replaced meanwhile cannot be marked. The next call marks its replacement.
    void this.loading.pivot?.grid.marks.showReach(slice).catch(() => undefined);
  }

  /** Reads the totals of the selection again, as they are stored now, and waits for them. */
  readTotals(): Promise<void> {
    this.askPreview(0);
    return this.preview.settled();
  }

  /**
   * Reads the selected cells again after a change: their sums, and their slices. A month covers other days if
   * rows of a new day were added. A cell that is gone has no sum.
   */
  async readAgain(): Promise<void> {
    // A cell that was pressed before the change may have been read partly before it.
    await this.pressed;
    const { marked } = this;
    const { pivot } = this.loading;
    // A slice that was edited by hand has no cells to read.
    if (marked.length === 0 || !pivot) return;
    const read = await this.reader.readMarked(pivot, marked).catch(() => this.gone(marked));
    if (this.marked === marked) this.hold(read);
  }

  private gone(marked: readonly MarkedCell[]): ReadCells {
    const cells = this.current?.cells.map((cell) => ({ ...cell, value: null, impossible: GONE }));
    return { marked: marked.map((cell) => ({ ...cell, value: null })), cells: cells ?? null };
  }

  private show(selected: SelectedSlice | null, marked: readonly MarkedCell[]): void {
    this.take(selected, marked);
    this.showReach(null);
    this.askPreview();
  }

  private hold({ marked, cells }: ReadCells): void {
    this.take(cells && selectedSlice(cells, this.planned.columns), marked);
  }

  /**
   * Sets the selection and the marked cells together, so that marks, page and totals refer to the same slice.
   */
  private take(selected: SelectedSlice | null, marked: readonly MarkedCell[]): void {
    // Totals of the previous slice must not appear as those of this one.
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
    this.preview.ask((signal) => this.planned.readSlice(slice, signal), pauseMs);
  }

  /** A key of the selection; it changes when something else is selected. */
  get key(): string {
    return JSON.stringify([this.sliceKey, this.marked.map(cellKey)]);
  }

  private get sliceKey(): string {
    return JSON.stringify(this.current?.slice ?? null);
  }

  private press(find: () => Promise<Place>, how: Press): Promise<boolean> {
    return this.pressFor(async (pivot) => {
      const { cell, at } = await find();
      const block = how === 'block' ? await this.cursor.blockTo(pivot, { cell, at }) : null;
      if (block) return this.reader.readMarked(pivot, block);
      this.cursor.goTo(cell);
      this.reader.noteAt(cell, at);
      if (how !== 'add' || this.marked.length === 0) {
        const read = await this.reader.read(pivot, cell, at);
        return { marked: [{ ...read, at }], cells: [read] };
      }
      const { value, aggregate } = await pivot.grid.read(cell, this.planned.columns, at);
      const marked = toggled<MarkedCell>(this.marked, [{ ...cell, value, aggregate, at }]);
      // The next block starts at a marked cell.
      if (marked.length < this.marked.length) this.cursor.goTo(marked.at(-1) ?? null);
      return this.reader.readMarked(pivot, marked);
    }, how !== 'alone');
  }

  /** @param keeps whether the previous selection stays if the cells cannot be read */
  private async pressFor(
    read: (pivot: Pivot) => Promise<ReadCells>,
    keeps: boolean,
  ): Promise<boolean> {
    this.isExtended = keeps;
    this.reading = true;
    const begin = () => this.readAndShow(read, keeps, this.call.begin());
    // An addition or a block starts from the previously pressed cell, which may not be read yet. Of several
    // presses that wait for it, as during a drag, the last one counts.
    const pressed: Promise<boolean> =
      keeps && this.pressed
        ? this.pressed.then(() => this.pressed === pressed && begin())
        : begin();
    this.pressed = pressed;
    const isSelected = await pressed;
    if (this.pressed !== pressed) return false;
    this.pressed = null;
    this.reading = false;
    return isSelected;
  }

  /** Reads the pressed cells and selects them. @returns whether this was the last press, and succeeded */
  private async readAndShow(
    read: (pivot: Pivot) => Promise<ReadCells>,
    keeps: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { pivot } = this.loading;
    if (!pivot) return false;
    let found: ReadCells;
    try {
      found = await read(pivot);
    } catch (error) {
      if (signal.aborted) return false;
      // The previous cells must not be mistaken for the pressed one.
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
}
