import type { SlicePreview } from '../contract/previews';
import type { CellIdentity, CellPosition, MarkedCell, ReadCell } from '../pivot/slice/cell';
import { cellKey } from '../pivot/slice/cell';
import { readAgain, withSlices } from '../pivot/grid/block-reader';
import { NO_PERIODS } from '../pivot/slice/date-ranges';
import type { Pivot } from '../pivot/pivot';
import { price } from '../pivot/values/ratios';
import { candidates } from './likeness';
import type { Loading } from './loading.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import { NOT_THE_PLAN } from './selected-slice';

/** Why nothing can be done with a cell that a change removed, or that could not be read after it. */
export const GONE = 'This cell could not be read again after the change. Select one anew.';

/** The measure of the plan that a cell shows. A price is value per unit. */
export type Shows = 'value' | 'units' | 'price';

/** Reads cells of the pivot on screen: their numbers, and the slices of the rows behind them. */
export class CellReader {
  /** Where cells were when they were read last, by their keys: the first place to look for them. */
  private readonly positions = new Map<string, CellPosition>();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
  ) {}

  /** Notes where a cell is. */
  noteAt(cell: CellIdentity, at: CellPosition): void {
    this.positions.set(cellKey(cell), at);
  }

  /** Where a cell was when it was read last; null if it never was. */
  lastAt(cell: CellIdentity): CellPosition | null {
    return this.positions.get(cellKey(cell)) ?? null;
  }

  /** Where a cell is now: its own place, or the row that it was closed into. Null for one never seen. */
  async placeOf(cell: CellIdentity): Promise<CellPosition | null> {
    const near = this.lastAt(cell);
    return (await this.loading.pivot?.grid.shown.findVisible(cell, near)) ?? near;
  }

  /** A cell with the slice of its rows. @throws Error with a sentence if it cannot be read */
  async read(pivot: Pivot, cell: CellIdentity, near: CellPosition | null): Promise<ReadCell> {
    return this.ofPlan(pivot, await pivot.grid.read(cell, this.planned.columns, near));
  }

  /** Cells as they are now, without slices. @throws Error with a sentence if they cannot be read */
  async again(cells: readonly MarkedCell[]): Promise<readonly MarkedCell[]> {
    const { pivot } = this.loading;
    return pivot && cells.length > 0 ? readAgain(pivot.grid.shown, cells) : [];
  }

  /** Cells with the slices of their rows, as they are now. @throws Error if one of them is gone */
  async slicesOf(cells: readonly MarkedCell[]): Promise<ReadCell[]> {
    const { pivot } = this.loading;
    return pivot ? this.withSlices(pivot, await readAgain(pivot.grid.shown, cells)) : [];
  }

  /** Adds the slices to cells that were just read. */
  async withSlices(pivot: Pivot, cells: readonly MarkedCell[]): Promise<ReadCell[]> {
    const read = await withSlices(pivot.grid.shown, cells, this.planned.columns);
    return read.map((cell) => this.ofPlan(pivot, cell));
  }

  /** A cell as it is now, whether it is selected or not; if it is gone, `impossible` says so. */
  async cellNow(cell: ReadCell | MarkedCell): Promise<ReadCell> {
    return (
      (await this.look(cell, cell)) ?? {
        slice: {},
        notHeld: [],
        periods: NO_PERIODS,
        ...cell,
        value: null,
        impossible: GONE,
      }
    );
  }

  /** A cell in the row of another one or in a row above it; null if it cannot be read. */
  async look(cell: CellIdentity, from: CellIdentity): Promise<ReadCell | null> {
    const { pivot } = this.loading;
    return pivot && (await this.read(pivot, cell, this.lastAt(from)).catch(() => null));
  }

  /**
   * Cells that an empty cell may be made like, by kind and the likeliest first; see {@link candidates}. They
   * are not read yet.
   */
  candidatesFor(cell: CellIdentity): ReturnType<typeof candidates> {
    const { columns = [] } = this.loading.pivot?.grid.shown ?? {};
    return candidates(
      cell,
      columns.map(({ path }) => path),
    );
  }

  /** The measure of the plan that a cell shows; null if it shows none. */
  shownIn({ measure }: CellIdentity): Shows | null {
    const { valueColumn, unitsColumn } = this.planned;
    if (measure === null) return null;
    if (measure === valueColumn?.cname) return 'value';
    if (measure === unitsColumn?.cname) return 'units';
    return this.loading.pivot?.origins.of(measure)?.origin === 'price' ? 'price' : null;
  }

  /** The sum that the service stores for a cell; null if the cell shows no sum that it knows. */
  storedSum(cell: ReadCell, { value_total, units_total }: SlicePreview): number | null {
    if (cell.notHeld.length > 0 || cell.aggregate !== 'sum') return null;
    switch (this.shownIn(cell)) {
      case 'value':
        return value_total ?? 0;
      case 'units':
        return units_total ?? 0;
      case 'price':
        return price(value_total, units_total);
      case null:
        return null;
    }
  }

  /** The name of a cell by its row and column, for a sentence; empty if no pivot is loaded. */
  nameOf(cell: CellIdentity): string {
    return this.loading.pivot?.grid.nameOf(cell) ?? '';
  }

  /** A cell that adds up only a part of the plan, or no plan at all, gets the reason as `impossible`. */
  private ofPlan<Cell extends ReadCell>(pivot: Pivot, read: Cell): Cell {
    const part = read.measure === null ? null : pivot.origins.of(read.measure);
    if (!part || part.origin === 'price' || read.impossible) return read;
    return { ...read, impossible: NOT_THE_PLAN[part.origin] };
  }
}
