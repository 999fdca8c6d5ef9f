import * as api from '../client/api';
import { Latest, LatestCall } from '../client/latest.svelte';
import type { Slice, SlicePreview } from '../contract/operations';
import type { CellIdentity, CellPosition, ReadCell } from '../pivot/cell';
import { cellKey } from '../pivot/cell';
import type { Origin } from '../pivot/origins';
import type { Pivot } from '../pivot/pivot';
import type { NotHeld, SliceColumn } from '../pivot/slice';
import { mergeSlices, unmarkedDimensions } from '../pivot/slice';
import { candidates } from './likeness';
import type { Loading } from './loading.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import { pivotMessageOf } from './pivot-message-of';

/** What is selected: the cells clicked and the slice they make, or a slice changed by hand. */
interface SelectedSlice {
  /** The cells that are marked; none once the slice was changed by hand. */
  cells: readonly ReadCell[];
  slice: Slice;
  /** Parts of the cells that the slice leaves out. */
  notHeld: readonly NotHeld[];
  /** Dimensions in the slice that the source does not let operations select by. */
  unmarked: readonly string[];
  /** Why no slice selects exactly these cells; null if one does. */
  impossible: string | null;
}

/** A cell and where it is. */
interface Place {
  cell: CellIdentity;
  at: CellPosition;
}

/** A cell that a change took away, or that could not be read after it. */
const GONE = 'This cell could not be read again after the change. Select one anew.';
/** Several cells of which no one slice is exactly their rows. */
const APART = 'Cells can be added if they differ in one column only.';

/** Why nothing can be changed through a cell that adds up only a part of the plan, or no plan at all. */
const NOT_THE_PLAN: Readonly<Record<Origin, string>> = {
  baseline: 'This cell shows only what was loaded. To change the plan, select the plan’s cell.',
  changes: 'This cell shows only what was changed. To change the plan, select the plan’s cell.',
  reference: 'The reference is there to compare with. To change the plan, select the plan’s cell.',
  difference: 'This cell compares plan and reference. To change the plan, select the plan’s cell.',
  percent: 'This cell compares plan and reference. To change the plan, select the plan’s cell.',
  other: 'This cell shows another version. To change the plan, select the plan’s cell.',
  otherDifference: 'This cell compares two versions. To change the plan, select the plan’s cell.',
  otherPercent: 'This cell compares two versions. To change the plan, select the plan’s cell.',
};

const SHOWS_A_PART: ReadonlySet<string> = new Set(Object.values(NOT_THE_PLAN));

/** So long no other cell has to be selected before the service is asked to add up the slice. */
const PREVIEW_PAUSE_MS = 120;

/** The cells that the planner has selected, and what an operation on them would touch. */
export class Selection {
  /** What is selected; null if nothing is. */
  current = $state.raw<SelectedSlice | null>(null);
  /** What an operation would touch, from the service, so that it holds other people's work. */
  readonly preview = new Latest<SlicePreview>(PREVIEW_PAUSE_MS);

  /** Why no operation can run on the selection; null if one can. */
  readonly obstacle: string | null = $derived.by(() => {
    const { planned, current } = this;
    if (planned.obstacle) return planned.obstacle;
    if (!current) return 'Select a cell first.';
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
    const stored = cell && this.preview.answer && this.storedSum(cell, this.preview.answer);
    if (!cell || cell.value === null || typeof stored !== 'number') return null;
    return Math.abs(stored - cell.value) > 0.005 + Math.abs(stored) * 1e-9;
  });

  /** A cell was pressed and is not read yet; what is selected is still the one before. */
  reading = $state.raw(false);

  /** Where the cells that were selected on this page are, by their keys. Nothing is drawn from it. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  private readonly positions = new Map<string, CellPosition>();
  private cursor: CellIdentity | null = null;
  private readonly call = new LatestCall();
  private stepping: Promise<unknown> = Promise.resolve();
  /** Answers whether the cell that was pressed last is selected; null once it is known. */
  private pressed: Promise<boolean> | null = null;

  /** @param onRefusal is told, as a sentence, why a cell could not be selected */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly onRefusal: (sentence: string) => void,
  ) {}

  /**
   * Selects a cell, or with `add` adds it to the selection or takes it out again. What is marked and
   * shown stays as it is until the cell is read.
   *
   * @param cell null for one that is just being drawn anew: nothing is selected then, since the cells of
   * before would be taken for it
   * @param at where the cell was when it was pressed
   */
  select(cell: CellIdentity | null, at: CellPosition, add: boolean): Promise<void> {
    return this.press(async () => {
      if (!cell) throw new Error('it was just being drawn anew. Click the cell again.');
      return { cell, at };
    }, add);
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
  async active(): Promise<ReadCell | null> {
    const { pressed } = this;
    if (pressed && !(await pressed)) return null;
    return this.current?.cells.at(-1) ?? null;
  }

  /** Moves the selection from cell to cell; left of the first column are the row headers. */
  move(dx: number, dy: number, add = false): Promise<void> {
    // One step after the other, however fast the keys come.
    const step = this.stepping.then(() => this.beside(dx, dy));
    this.stepping = step.catch(() => undefined);
    return this.press(() => step, add);
  }

  /** Opens or closes the row of the cell that was selected last. */
  async toggleRow(): Promise<void> {
    const at = await this.cursorNow();
    if (at) await this.loading.pivot?.grid.toggleRow(at.y);
  }

  /** Opens the group of columns that the cell selected last adds up, or closes the one that it is in. */
  async toggleColumns(): Promise<void> {
    if (this.cursor) await this.loading.pivot?.grid.toggleColumnsOf(this.cursor);
  }

  /**
   * Follows rows or columns that were opened or closed: a selection with a cell that is no longer on screen
   * ends. The arrow keys go on from the row that it was closed into.
   */
  async followRows(): Promise<void> {
    const { current } = this;
    const { pivot } = this.loading;
    if (!current || !pivot) return;
    const found = await Promise.all(
      current.cells.map((cell) => pivot.grid.shown.isOpen(cell).catch(() => true)),
    );
    if (this.current === current && found.includes(false)) this.clear();
  }

  /** Takes one column out of the slice: the selection then reaches further than the cells did. */
  removeColumn(column: string): void {
    if (!this.current) return;
    const { [column]: _, ...slice } = this.current.slice;
    this.show({
      cells: [],
      slice,
      notHeld: this.current.notHeld,
      unmarked: unmarkedDimensions(slice, this.planned.columns),
      impossible: null,
    });
    this.showReach(slice);
  }

  clear(): void {
    this.call.stop();
    this.current = null;
    this.preview.clear();
    this.loading.pivot?.grid.marks.select([]);
    this.showReach(null);
  }

  /** Selects cells again that were selected before the rows were loaded anew. */
  async selectAgain(cells: readonly ReadCell[]): Promise<void> {
    for (const [i, cell] of cells.entries()) await this.select(cell, { x: null, y: 0 }, i > 0);
  }

  /** Marks the selected cells again: the viewer has drawn its rows anew. */
  markAgain(): void {
    if (this.current) this.loading.pivot?.grid.marks.select(this.current.cells);
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
    const { current } = this;
    // A slice that was changed by hand stands for itself.
    if (!current || current.cells.length === 0) return;
    const cells = await Promise.all(current.cells.map((cell) => this.cellNow(cell)));
    if (this.current !== current) return;
    const selected = selectedSlice(cells, this.planned.columns);
    if (selected) return this.hold(selected);
    this.clear();
    this.onRefusal(APART);
  }

  private show(selected: SelectedSlice): void {
    this.hold(selected);
    this.showReach(null);
    this.askPreview();
  }

  /** What is marked, shown and asked about is always this one slice. */
  private hold(selected: SelectedSlice): void {
    // Totals of another slice would be taken for those of this one.
    if (this.sliceKey !== JSON.stringify(selected.slice)) {
      this.preview.answer = null;
    }
    this.current = selected;
    this.loading.pivot?.grid.marks.select(selected.cells);
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
    return JSON.stringify([this.sliceKey, this.current?.cells.map(cellKey) ?? null]);
  }

  private get sliceKey(): string {
    return JSON.stringify(this.current?.slice ?? null);
  }

  private async press(find: () => Promise<Place>, add: boolean): Promise<void> {
    const signal = this.call.begin();
    this.reading = true;
    const pressed = this.readAndShow(find, add, signal);
    this.pressed = pressed;
    await pressed;
    if (this.pressed !== pressed) return;
    this.pressed = null;
    this.reading = false;
  }

  /** @returns whether the cell is what was pressed last, and is selected now */
  private async readAndShow(
    find: () => Promise<Place>,
    add: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    let read: ReadCell;
    let at: CellPosition;
    try {
      const place = await find();
      this.cursor = place.cell;
      at = place.at;
      const { pivot } = this.loading;
      if (!pivot) return false;
      read = await this.readFrom(pivot, place.cell, at);
    } catch (error) {
      if (signal.aborted) return false;
      // The cells of before must not be taken for the one that was pressed.
      if (!add) this.clear();
      this.onRefusal(pivotMessageOf(error));
      return false;
    }
    if (signal.aborted) return false;
    this.positions.set(cellKey(read), at);

    const cells = add ? toggled(this.current?.cells ?? [], read) : [read];
    if (cells.length === 0) {
      this.clear();
      return true;
    }
    const selected = selectedSlice(cells, this.planned.columns);
    if (selected) this.show(selected);
    else this.onRefusal(APART);
    // The arrow keys go on from a selected cell, not from one that was refused or taken out.
    if (!selected || !cells.includes(read)) this.cursor = this.current?.cells.at(-1) ?? null;
    return selected !== null;
  }

  /** The cell so far from the one that was selected last. */
  private async beside(dx: number, dy: number): Promise<Place> {
    const { pivot } = this.loading;
    if (!pivot) throw new Error('The pivot is not loaded.');
    const { columns, rows } = await pivot.grid.extent();
    const from = await this.cursorNow();
    // Without a cell to go on from, every key selects the first one.
    const x = from ? Math.min(columns - 1, (from.x ?? -1) + dx) : 0;
    const y = from ? Math.max(0, Math.min(rows - 1, from.y + dy)) : 0;
    const at = { x: x < 0 ? null : x, y };
    pivot.grid.scrollTo(at);
    const cell = await pivot.grid.identityAt(at);
    this.positions.set(cellKey(cell), at);
    this.cursor = cell;
    return { cell, at };
  }

  /** Where the arrow keys go on from: the cell selected last, or the row that it was closed into. */
  private async cursorNow(): Promise<CellPosition | null> {
    const { cursor } = this;
    if (!cursor) return null;
    const near = this.positions.get(cellKey(cursor)) ?? null;
    return (await this.loading.pivot?.grid.shown.findVisible(cursor, near)) ?? near;
  }

  /** A cell as it is now, whether it is selected or not; one that is gone is refused. */
  async cellNow(cell: ReadCell): Promise<ReadCell> {
    const key = cellKey(cell);
    const near = this.positions.get(key) ?? null;
    const { pivot } = this.loading;
    const read = pivot && (await this.readFrom(pivot, cell, near).catch(() => null));
    return read ?? { ...cell, value: null, impossible: GONE };
  }

  /**
   * The cells that a cell may be made like, by kind and the likeliest first; see {@link candidates}. They
   * are not read yet.
   */
  candidatesFor(cell: CellIdentity): ReturnType<typeof candidates> {
    const { columns = [] } = this.loading.pivot?.grid.shown ?? {};
    return candidates(
      cell,
      columns.map(({ path }) => path),
    );
  }

  /** A cell in the same row as another one or in one above it; null if it cannot be read. */
  async look(cell: CellIdentity, from: CellIdentity): Promise<ReadCell | null> {
    const near = this.positions.get(cellKey(from)) ?? null;
    const { pivot } = this.loading;
    return pivot && (await this.readFrom(pivot, cell, near).catch(() => null));
  }

  private async readFrom(
    pivot: Pivot,
    cell: CellIdentity,
    near: CellPosition | null,
  ): Promise<ReadCell> {
    const read = await pivot.grid.read(cell, this.planned.columns, near);
    const part = cell.measure === null ? null : pivot.origins.of(cell.measure);
    return part && !read.impossible ? { ...read, impossible: NOT_THE_PLAN[part.origin] } : read;
  }

  /** What the service says the cell adds up to; null if the cell is not a sum that it knows. */
  private storedSum(cell: ReadCell, { value_total, units_total }: SlicePreview): number | null {
    if (cell.notHeld.length > 0 || cell.aggregate !== 'sum') return null;
    const { valueColumn, unitsColumn } = this.planned;
    if (cell.measure === valueColumn?.cname) return value_total ?? 0;
    if (cell.measure === unitsColumn?.cname) return units_total ?? 0;
    return null;
  }
}

/** The cells with one more, or without it if it is among them. */
export function toggled(cells: readonly ReadCell[], cell: ReadCell): ReadCell[] {
  const key = cellKey(cell);
  const others = cells.filter((other) => cellKey(other) !== key);
  return others.length < cells.length ? others : [...cells, cell];
}

/** What some cells select together; null if they differ in more than one column. */
export function selectedSlice(
  cells: readonly ReadCell[],
  columns: readonly SliceColumn[],
): SelectedSlice | null {
  const slice = mergeSlices(cells.map((cell) => cell.slice));
  if (!slice) return null;
  const notHeld = cells.flatMap((cell) => cell.notHeld);
  return {
    cells,
    slice,
    notHeld: notHeld.filter(
      (part, i) =>
        notHeld.findIndex((other) => other.kind === part.kind && other.text === part.text) === i,
    ),
    unmarked: unmarkedDimensions(slice, columns),
    impossible: cells.find((cell) => cell.impossible)?.impossible ?? null,
  };
}
