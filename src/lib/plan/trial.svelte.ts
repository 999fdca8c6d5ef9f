/** An operation on trial: its rows on screen, and its totals. */
import type { Slice } from '../contract/slices';
import type { PreviewFacts } from '../contract/previews';
import { isLeaf } from '../contract/columns';
import type { ReadCell } from '../pivot/slice/cell';
import { tidy } from '../pivot/values/cell-value';
import type { TriedMark } from '../pivot/grid/marks';
import type { Pivot } from '../pivot/pivot';
import { RowsLostError } from '../pivot/table/table-rows';
import { type AnsweredRows, RowsError } from '../pivot/rows/rows';
import { biggestChanges, type LeafChange } from './biggest-changes';
import type { Loading } from './loading.svelte';
import type { Operation } from './operation';
import type { PlannedVersion } from './planned-version.svelte';

/** Maximum number of leaves that are listed. */
const MOST_LEAVES = 10;

/** An operation on trial, as it would be sent. */
export interface Attempt {
  operation: Operation;
  slice: Slice;
  /** The selected cells; the last one determines the column whose totals are listed. */
  cells: readonly ReadCell[];
  pf_user: string;
}

/** A row of totals in the pivot, with its numbers without and with the trial. */
interface ChangedTotal {
  /** The groups of the row, the outermost first; empty for the grand total. */
  labels: readonly string[];
  before: number;
  after: number;
}

/** The outcome of an operation, and the part of it that is on screen. */
interface Tried extends PreviewFacts, Attempt {
  rows: number;
  /** The key of the selection, see `Selection.key`. */
  selected: string;
  /** The columns that identify a leaf. */
  leafColumns: readonly string[];
  biggest: readonly LeafChange[];
  onScreen: readonly ChangedTotal[];
}

/**
 * An operation on trial: its rows are in the pivot, and nowhere else. While they are, nothing can be changed
 * (docs/decisions/0018-a-preview-is-rolled-back.md).
 */
export class Trial {
  /** The current trial; null if there is none. */
  current = $state.raw<Tried | null>(null);
  private pivot: Pivot | null = null;

  /**
   * @param text returns the text of a changed cell
   * @param onEnded is called with a sentence that says why the trial is gone
   */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly text: TriedMark['text'],
    private readonly onEnded: (sentence: string) => void,
  ) {}

  /**
   * Shows the outcome of an operation.
   *
   * @param rows that the operation would write
   * @param selected the key of the selection
   * @throws if the page cannot show it; none of it is on screen in that case
   */
  async show(
    attempt: Attempt,
    rows: AnsweredRows,
    preview: PreviewFacts,
    selected: string,
  ): Promise<void> {
    const pivot = await this.loading.loaded();
    if (!pivot) return;
    const leafColumns = this.planned.columns
      .filter(({ role, cname }) => isLeaf(role) && rows.columns.has(cname))
      .map(({ cname }) => cname);
    const { valueColumn, unitsColumn } = this.planned;
    const measures = { value: valueColumn?.cname, units: unitsColumn?.cname };
    const biggest = await biggestChanges(rows, { leaf: leafColumns, ...measures }, MOST_LEAVES);
    this.pivot = pivot;
    try {
      const tried = await pivot.try(rows, this.text);
      const cell = summed(attempt.cells.at(-1), pivot);
      const totals = cell?.measure == null ? [] : await pivot.grid.totalRows(cell);
      const onScreen = totals.flatMap(({ rowPath, labels, value }): ChangedTotal[] => {
        const amount = cell ? tried.amountIn({ ...cell, rowPath }) : 0;
        const after = value ?? 0;
        return amount === 0 ? [] : [{ labels, before: tidy(after - amount), after }];
      });
      this.planned.isTrying = true;
      const found = { rows: rows.count, leafColumns, biggest, onScreen };
      this.current = { ...attempt, ...preview, ...found, selected };
    } catch (error) {
      await this.takeOut();
      if (!(error instanceof RowsError) || error instanceof RowsLostError) throw error;
      throw new Error('The loaded pivot cannot show the values of this change.', {
        cause: error,
      });
    }
  }

  /**
   * Removes the trial from the screen, if there is one. @param why a sentence to show; none if the user need
   * not know
   */
  async takeOut(why?: string): Promise<void> {
    const { pivot } = this;
    const isShown = this.current !== null;
    this.pivot = null;
    this.current = null;
    this.planned.isTrying = false;
    try {
      await pivot?.endTrial();
    } catch (error) {
      // The rows are gone with their pivot.
      if (this.loading.pivot === pivot) throw error;
    }
    if (isShown && why) this.onEnded(why);
  }
}

/** Returns a cell, or for a cell that shows a price, that of its value: a trial adds nothing to a price. */
function summed(cell: ReadCell | undefined, pivot: Pivot): ReadCell | undefined {
  const part = cell?.measure == null ? null : pivot.origins.of(cell.measure);
  return cell && part?.origin === 'price' ? { ...cell, measure: part.measure } : cell;
}
