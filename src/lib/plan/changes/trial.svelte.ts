/** The list of changes that are being tried: their rows on screen, and their effects. */
import type { Slice } from '../../contract/slices';
import type { PreviewFacts } from '../../contract/previews';
import { changesOf } from '../../contract/amounts';
import type { ByMeasure } from '../../contract/columns';
import type { ReadCell } from '../../pivot/slice/cell';
import { tidy, tidyChange } from '../../pivot/values/cell-value';
import type { TriedMark } from '../../pivot/grid/marks/marks';
import type { Pivot } from '../../pivot/pivot';
import { RowsLostError } from '../../pivot/table/table-rows';
import { RowsError } from '../../pivot/rows/rows';
import { biggestChanges, type LeafChange } from '../amounts/biggest-changes';
import type { Loading } from '../version/loading.svelte';
import { byKey } from '../../contract/measures';
import type { FileImport, Operation } from '../amounts/operation';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Effect, TriedRows } from '../amounts/tried-rows';

/** Maximum number of leaves that are listed; half as many of each measure if several change. */
const MOST_LEAVES = 10;

/** An operation to try, as it would be sent. */
export interface Attempt<Made = Operation | FileImport> {
  operation: Made;
  /** Empty for a file. */
  slice: Slice;
  /** The selected cells, none for a file; the last one determines the column whose totals are listed. */
  cells: readonly ReadCell[];
  pf_user: string;
}

/** An operation of the panel to try. */
export type PanelAttempt = Attempt<Operation>;

/** An operation of the list. */
export interface TriedLine extends Attempt {
  id: number;
  /** Restores the form that it came from, unless something else was typed there. */
  giveBack(): void;
  /** Its outcome after the lines before it; null while unknown. */
  outcome: LineOutcome | null;
}

/** The name of a list of changes that are being tried. */
export interface ListName {
  /** Lists are shown in the order of their numbers. */
  id: number;
  name: string;
}

/** A list of changes that are being tried as an alternative to the one on screen. */
export interface TriedList extends ListName {
  lines: readonly TriedLine[];
}

/** The list on screen and its alternatives. */
export interface TriedLists {
  list: ListName;
  others: readonly TriedList[];
}

/** Returns the name of a list; a list whose name was cleared is "Unnamed". */
export const nameOfList = ({ name }: ListName): string => name.trim() || 'Unnamed';

/** A single list without a name of the user. */
export const ONE_LIST: TriedLists = { list: { id: 1, name: 'A' }, others: [] };

/** What the service answered about a line. Refused lines are left out of the preview of the others. */
export type LineOutcome =
  | ({ kind: 'shown'; effect: Effect } & PreviewFacts)
  | { kind: 'refused'; why: string; cause: unknown };

/** A row of totals in the pivot, with its numbers without and with the tried changes. */
interface ChangedTotal {
  /** The groups of the row, the outermost first; empty for the grand total. */
  labels: readonly string[];
  before: number;
  after: number;
}

/** The effect of all shown lines together. */
interface Together {
  amounts: ByMeasure<number>;
  /** The columns that identify a leaf. */
  leafColumns: readonly string[];
  /** The leaves that change most, by measure. */
  biggest: ReadonlyMap<string, readonly LeafChange[]>;
}

/**
 * The operations on trial, in the order in which they would be written. Their rows are in the pivot, and nowhere
 * else; while there are any, nothing else can be written. Alternatives are lists whose rows are not on screen
 * (docs/decisions/0018-a-preview-is-rolled-back.md).
 */
export class Trial {
  /** The lines of the list on screen, in order. */
  lines = $state.raw<readonly TriedLine[]>([]);
  /** The list on screen, and its alternatives. */
  lists = $state.raw<TriedLists>(ONE_LIST);
  /** The effect of the lines whose rows are on screen; null if there are none. */
  together = $state.raw<Together | null>(null);
  /** The totals on screen in the column of the newest line; of a result, those of the measure that it changes. */
  onScreen = $state.raw<readonly ChangedTotal[]>([]);
  /** The column whose totals are {@link onScreen}; null if there are none. */
  shownColumn = $state.raw<string | null>(null);
  /** The header of {@link shownColumn}, such as “Q3 2028 / Sales”; null if no column is split. */
  shownHeader = $state.raw<string | null>(null);
  /** Why the rows of the lines are not on screen; null if they are. */
  problem = $state.raw<string | null>(null);
  private pivot: Pivot | null = null;

  /** @param text returns the text of a changed cell */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly text: TriedMark['text'],
  ) {}

  /** Whether anything is being tried. */
  get isStanding(): boolean {
    return this.count > 0;
  }

  /** The number of changes that are being tried, in all lists. */
  get count(): number {
    return this.all.reduce((sum, { lines }) => sum + lines.length, 0);
  }

  /** The list on screen and its alternatives, in the order in which they were begun. */
  get all(): readonly TriedList[] {
    const { list, others } = this.lists;
    return [...others, { ...list, lines: this.lines }].sort((a, b) => a.id - b.id);
  }

  /** Notes the outcomes of the lines of an alternative. */
  noteOutcomes(list: TriedList): void {
    const others = this.lists.others.map((each) =>
      each.id === list.id ? { ...each, lines: list.lines } : each,
    );
    this.lists = { ...this.lists, others };
  }

  /** Names the list on screen. */
  rename(name: string): void {
    const { list, others } = this.lists;
    this.lists = { list: { ...list, name }, others };
  }

  /** Returns how much the shown lines of a list change each measure. */
  amountsOf(lines: readonly TriedLine[]): ByMeasure<number> {
    const amountOf = (key: string, { outcome }: TriedLine) =>
      outcome?.kind === 'shown' ? (outcome.effect.amounts[key] ?? 0) : 0;
    return byKey(this.planned.measureKeys, (key) =>
      tidyChange(lines.reduce((sum, line) => sum + amountOf(key, line), 0)),
    );
  }

  /** The newest line. */
  get newest(): TriedLine | undefined {
    return this.lines.toSorted((a, b) => b.id - a.id)[0];
  }

  /**
   * Replaces the list, and the rows on screen by those of its lines.
   *
   * @param rows of the lines; null to show none
   * @param lists which list this is, and its alternatives
   * @throws if the page cannot show them; none of them is on screen in that case
   */
  async show(
    lines: readonly TriedLine[],
    rows: TriedRows | null,
    lists: TriedLists = this.lists,
  ): Promise<void> {
    await this.hide();
    this.problem = null;
    this.lines = lines;
    const { list, others } = lists;
    // The list may have been renamed since the change began.
    const named = list.id === this.lists.list.id ? this.lists.list : list;
    this.lists = lines.length > 0 || others.length > 0 ? { list: named, others } : ONE_LIST;
    this.planned.isTrying = this.isStanding;
    const pivot = await this.loading.loaded();
    if (!pivot || !rows || rows.rows.count === 0) return;
    this.pivot = pivot;
    try {
      await pivot.try(rows.rows);
      this.planned.tried = rows;
      this.together = await this.togetherOf(lines, rows);
      await this.markAgain();
    } catch (error) {
      await this.hide();
      if (!(error instanceof RowsError) || error instanceof RowsLostError) throw error;
      throw new Error('The loaded pivot cannot show the values of this change.', {
        cause: error,
      });
    }
  }

  /** Marks the changed cells, and lists the changed totals, as the pivot is arranged now. */
  async markAgain(): Promise<void> {
    const { pivot, newest } = this;
    // A pivot that was replaced has lost the rows.
    if (!pivot || !newest || this.loading.pivot !== pivot) return;
    const tried = await pivot.markTried(this.text);
    const cell = summed(newest, pivot, this.planned);
    if (!tried) return;
    const totals = cell?.measure == null ? [] : await pivot.grid.totalRows(cell);
    if (this.pivot !== pivot) return;
    this.shownColumn = cell?.measure ?? null;
    this.shownHeader = cell?.columnPath?.length ? pivot.grid.headersOf(cell).column : null;
    this.onScreen = totals.flatMap(({ rowPath, labels, value }): ChangedTotal[] => {
      const amount = cell ? tried.amountIn({ ...cell, rowPath }) : 0;
      const after = value ?? 0;
      return amount === 0 ? [] : [{ labels, before: tidy(after - amount), after }];
    });
  }

  /** Removes the rows from the screen; the list stays. @param why a sentence about it */
  async hide(why: string | null = null): Promise<void> {
    const { pivot } = this;
    this.pivot = null;
    this.planned.tried = null;
    this.together = null;
    this.onScreen = [];
    this.shownColumn = null;
    this.shownHeader = null;
    this.problem = why;
    try {
      await pivot?.endTrial();
    } catch (error) {
      // The rows are gone with their pivot.
      if (this.loading.pivot === pivot) throw error;
    }
  }

  private async togetherOf(lines: readonly TriedLine[], { rows }: TriedRows): Promise<Together> {
    const leafColumns = this.planned.dimensions
      .filter(({ cname }) => rows.columns.has(cname))
      .map(({ cname }) => cname);
    const { measureColumns: measures } = this.planned;
    const biggest = await biggestChanges(rows, { leaf: leafColumns, measures }, MOST_LEAVES);
    return { amounts: this.amountsOf(lines), leafColumns, biggest };
  }
}

/**
 * Returns a cell, or for a cell that shows the result of a formula, that of the measure that the change is of: a
 * trial adds nothing to a result.
 */
function summed({ cells, operation }: TriedLine, pivot: Pivot, planned: PlannedVersion) {
  const cell = cells.at(-1);
  if (cell?.measure == null || !pivot.origins.formulaOf(cell.measure)) return cell;
  const [change] = operation.kind === 'scale' ? changesOf(operation.body) : [];
  if (!change) return cell;
  const { of } = change;
  return { ...cell, measure: planned.columnOf('role' in of ? of.role : of.name) };
}
