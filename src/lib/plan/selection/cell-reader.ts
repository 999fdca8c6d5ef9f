/** Reads cells of the pivot on screen, with their slices. */
import { roundTo } from '../../contract/decimals';
import type { SlicePreview } from '../../contract/previews';
import type { CellIdentity, CellPosition, MarkedCell, ReadCell } from '../../pivot/slice/cell';
import { cellKey } from '../../pivot/slice/cell';
import { readAgain, withSlices } from '../../pivot/grid/reading/block-reader';
import type { Pivot } from '../../pivot/pivot';
import type { PivotFormula } from '../../pivot/rows/formula-columns';
import type { ShowAs } from '../../contract/stored-layout';
import { tidy } from '../../pivot/values/cell-value';
import { isShareOf, shareIn } from '../../pivot/values/show-as';
import { candidates } from '../amounts/likeness';
import type { MeasureEdit } from '../amounts/scale-draft';
import type { Loading } from '../version/loading.svelte';
import { totalOf } from '../../contract/measures';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { MOST_CHANGED, NOT_THE_PLAN } from './selected-slice';
import { isSameResult, resultOf } from '../amounts/typed-formula';

/** Why a cell cannot be used after a change removed it or made it unreadable. */
export const GONE = 'This cell could not be read after the change. Select it again.';

/** Why no share can be typed into a cell. */
const NO_WHOLE =
  'The amount of which this would be a share is 0 or empty. To type an amount, choose “Show as amount” in the menu of the header.';

/** What a cell of the plan shows: a measure by its key, or a formula. The price and conversions are formulas. */
export type Shows = string | PivotFormula;

/** A share that a cell shows: the result of a formula, or its sum as a share of another sum. */
export type ShownShare = 'of_formula' | 'of_sum';

/** Whether a cell shows the result of a formula, of which the price is one. */
export const isFormula = (shows: Shows | null): shows is PivotFormula =>
  shows !== null && typeof shows !== 'string';

/** Whether a cell shows a price: value per unit. */
export const isPrice = (shows: Shows | null): boolean =>
  isFormula(shows) && shows.origin === 'price';

/** Marked cells, and the same with their slices; null if there are too many of them to be changed. */
export interface ReadCells {
  marked: readonly MarkedCell[];
  cells: readonly ReadCell[] | null;
}

/** Reads cells of the pivot on screen: their numbers, and the slices of the rows behind them. */
export class CellReader {
  /** Last known positions of cells, by their keys. A search for a cell starts there. */
  private readonly positions = new Map<string, CellPosition>();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
  ) {}

  /** Records the position of a cell. */
  noteAt(cell: CellIdentity, at: CellPosition): void {
    this.positions.set(cellKey(cell), at);
  }

  /** Returns the last known position of a cell; null if it was never read. */
  lastAt(cell: CellIdentity): CellPosition | null {
    return this.positions.get(cellKey(cell)) ?? null;
  }

  /**
   * Finds the current position of a cell, or of the closed row that contains it. Null if it was never seen.
   */
  async placeOf(cell: CellIdentity): Promise<CellPosition | null> {
    const near = this.lastAt(cell);
    return (await this.loading.pivot?.grid.shown.findVisible(cell, near)) ?? near;
  }

  /** Reads a cell with the slice of its rows. @throws Error with a sentence if it cannot be read */
  async read(pivot: Pivot, cell: CellIdentity, near: CellPosition | null): Promise<ReadCell> {
    return this.ofPlan(pivot, await pivot.grid.read(cell, this.planned.columns, near));
  }

  /** Reads cells again, without slices. @throws Error with a sentence if they cannot be read */
  async again(cells: readonly MarkedCell[]): Promise<readonly MarkedCell[]> {
    const { pivot } = this.loading;
    return pivot && cells.length > 0 ? readAgain(pivot.grid.shown, cells) : [];
  }

  /** Reads cells again, with the slices of their rows. @throws Error if one of them is gone */
  async slicesOf(cells: readonly MarkedCell[]): Promise<ReadCell[]> {
    const { pivot } = this.loading;
    return pivot ? this.withSlices(pivot, await readAgain(pivot.grid.shown, cells)) : [];
  }

  /** Reads marked cells again, with their slices unless there are too many. @throws Error if one is gone */
  async readMarked(pivot: Pivot, cells: readonly MarkedCell[]): Promise<ReadCells> {
    const marked = await readAgain(pivot.grid.shown, cells);
    if (marked.length > MOST_CHANGED) return { marked, cells: null };
    return { marked, cells: await this.withSlices(pivot, marked) };
  }

  /** Adds the slices to cells that were just read. */
  async withSlices(pivot: Pivot, cells: readonly MarkedCell[]): Promise<ReadCell[]> {
    const read = await withSlices(pivot.grid.shown, cells, this.planned.columns);
    return read.map((cell) => this.ofPlan(pivot, cell));
  }

  /** Reads a cell again, whether it is selected or not. If it is gone, its `impossible` says so. */
  async cellNow(cell: ReadCell | MarkedCell): Promise<ReadCell> {
    return (
      (await this.look(cell, cell)) ?? {
        ...{ slice: {}, listed: {}, notHeld: [], periods: new Map() },
        ...cell,
        value: null,
        impossible: GONE,
      }
    );
  }

  /** Reads a cell in the row of another cell or in a row above it; null if it cannot be read. */
  async look(cell: CellIdentity, from: CellIdentity): Promise<ReadCell | null> {
    const { pivot } = this.loading;
    return pivot && (await this.read(pivot, cell, this.lastAt(from)).catch(() => null));
  }

  /**
   * Returns the cells that an empty cell may be modelled on, by kind and the likeliest first; see {@link
   * candidates}. They are not read yet.
   */
  candidatesFor(cell: CellIdentity): ReturnType<typeof candidates> {
    const { columns = [] } = this.loading.pivot?.grid.shown ?? {};
    return candidates(
      cell,
      columns.map(({ path }) => path),
    );
  }

  /** Returns the measure or the formula of the plan that a cell shows; null if it shows none. */
  shownIn({ measure }: CellIdentity): Shows | null {
    if (measure === null) return null;
    const key = this.planned.keyOf(measure);
    if (key !== null) return key;
    const formula = this.loading.pivot?.origins.formulaOf(measure) ?? null;
    if (formula?.name === measure) return formula;
    return this.planned.conversionOf(measure)?.formula ?? null;
  }

  /** Returns which share a cell shows; null if it shows an amount. */
  shareShown(cell: CellIdentity | null): ShownShare | null {
    if (!cell) return null;
    const way = this.wayOf(cell);
    if (way) return isShareOf(way) ? 'of_sum' : null;
    const shows = this.shownIn(cell);
    return isFormula(shows) && shows.format?.style === 'percent' ? 'of_formula' : null;
  }

  /** Returns how a cell shows its sum in relation to others; null if it shows the sum itself. */
  wayOf({ measure }: CellIdentity): ShowAs | null {
    return this.loading.pivot?.grid.shown.reader?.wayOf(measure) ?? null;
  }

  /** Reads the sum of which a cell shows its own as a share; null if there is none, or if it shows no share. */
  async wholeOf(cell: CellIdentity): Promise<number | null> {
    const { pivot } = this.loading;
    if (!pivot || !isShareOf(this.wayOf(cell))) return null;
    const near = this.lastAt(cell);
    return pivot.grid.shown.ask((reader) => reader.wholeOf(cell, near)).catch(() => null);
  }

  /**
   * Returns the number of a cell to be edited, rounded to the decimals of its column: a floating-point sum has
   * more. Null for an empty cell.
   *
   * @param whole the sum of which the cell shows a share; null if it shows none
   */
  editable(cell: ReadCell, whole: number | null): number | null {
    if (whole !== null) return shareIn(cell.value, whole, this.planned.decimalsIn(cell.measure));
    return cell.value === null ? null : this.storedAs(cell, cell.value);
  }

  /** Returns why no share can be typed into a cell; null if one can, or if it shows none. */
  whyNoShare(cell: CellIdentity, whole: number | null): string | null {
    return isShareOf(this.wayOf(cell)) && !whole ? NO_WHOLE : null;
  }

  /**
   * Returns the edit of the amount behind a share for an edit of the share, whose total becomes a part of the present
   * whole; any other edit unchanged.
   *
   * @param whole see {@link editable}
   */
  editOfAmount(
    cell: CellIdentity,
    edit: MeasureEdit | null,
    whole: number | null,
  ): MeasureEdit | null {
    if (!edit || !isShareOf(this.wayOf(cell))) return edit;
    if (!whole) return { ...edit, amount: NaN, problem: NO_WHOLE };
    if (edit.by === 'percent') return edit;
    return { ...edit, amount: this.storedAs(cell, tidy(edit.amount * whole)) };
  }

  /** Returns an amount of a cell, rounded to the decimals of its column if the type fixes them. */
  storedAs(cell: CellIdentity, amount: number): number {
    const shows = this.shownIn(cell);
    const decimals = typeof shows === 'string' ? this.planned.fixedDecimals[shows] : null;
    return decimals == null ? amount : roundTo(amount, decimals);
  }

  /** Returns the stored sum of a cell; null if the cell shows no sum that the service knows. */
  storedSum(cell: ReadCell, stored: SlicePreview): number | null {
    if (cell.notHeld.length > 0 || cell.aggregate !== 'sum') return null;
    const shows = this.shownIn(cell);
    if (shows === null) return null;
    return typeof shows === 'string'
      ? (totalOf(stored, shows) ?? 0)
      : resultOf(shows, (column) => this.planned.totalOf(stored, column));
  }

  /** Whether the sum or the result of a cell on screen differs from the stored one; null if one of them is unknown. */
  differs(cell: ReadCell, stored: SlicePreview): boolean | null {
    const sum = this.storedSum(cell, stored);
    if (cell.value === null || typeof sum !== 'number') return null;
    if (isFormula(this.shownIn(cell))) return !isSameResult(sum, cell.value);
    const { most } = this.planned.decimalsIn(cell.measure);
    return Math.abs(sum - cell.value) > 0.5 * 10 ** -most + Math.abs(sum) * 1e-9;
  }

  /** Returns the name of a cell by its row and column, for a sentence; empty if no pivot is loaded. */
  nameOf(cell: CellIdentity): string {
    return this.loading.pivot?.grid.nameOf(cell) ?? '';
  }

  /** Adds the reason as `impossible` to a cell that shows only a part of the plan, or no plan at all. */
  private ofPlan<Cell extends ReadCell>(pivot: Pivot, read: Cell): Cell {
    const part = read.measure === null ? null : pivot.origins.of(read.measure);
    if (!part || part.origin === 'price' || part.origin === 'formula' || read.impossible)
      return read;
    return { ...read, impossible: NOT_THE_PLAN[part.origin] };
  }
}
