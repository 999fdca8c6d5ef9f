/** Writes amounts that are typed into cells. */
import type { SlicePreview } from '../../contract/previews';
import { ApiError } from '../../client/http';
import {
  type CellIdentity,
  hasOtherMembers,
  type MarkedCell,
  type ReadCell,
} from '../../pivot/slice/cell';
import { unmarkedDimensions } from '../../pivot/slice/slice-values';
import { isSameCaution, type Caution } from '../amounts/caution';
import { OTHER_GROUPS } from '../amounts/refusals';
import { isPrice } from '../selection/cell-reader';
import type { Changes } from '../changes/changes.svelte';
import { FormulaChoices } from './formula-choices.svelte';
import { GroupsAbove } from '../forms/groups-above.svelte';
import { whyNotNew } from '../amounts/group-above';
import { moving, whyNoCopies, type Likeness } from '../amounts/likeness';
import type { Locks } from '../records/locks.svelte';
import {
  bodyOf,
  noteOf,
  type Operation,
  type TypedWords,
  withWords,
  type WriteSettings,
} from '../amounts/operation';
import { totalOf, roundedTo } from '../../contract/measures';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from '../selection/selection.svelte';
import { needsMonths } from '../amounts/shape';
import type { Shapes } from '../forms/shapes.svelte';
import { TypedAmounts } from './typed-amounts';
import type { Attempt } from '../changes/trial.svelte';
import { Retyped } from './retyped.svelte';
import { Unconfirmed, Unsaved } from './unsaved.svelte';
import { type Drafts, type MeasureEdit, onlyDraft } from '../amounts/scale-draft';
import type { Slice } from '../../contract/slices';

/** Why nothing can be typed into sums that are shown in relation to others. */
const NOT_TYPED = {
  running_total:
    'A running total adds up the amounts before it. To type an amount, choose “Show as amount” in the menu of the header.',
  rank: 'A rank follows from the amounts. To type an amount, choose “Show as amount” in the menu of the header.',
} as const;

/** An amount that was typed into a cell. */
export interface Typed {
  cell: ReadCell;
  edit: MeasureEdit;
  /** The amount as it was typed. */
  text: string;
  /** Resolves to the model of the cell if it has no rows. */
  like: Promise<Likeness | null>;
  /** The caution that the planner has confirmed; null if none. Another one needs its own confirmation. */
  confirmed: Caution | null;
  words: TypedWords;
}

/** The operation that an amount in a cell stands for, and its rows. */
interface Entered {
  cell: ReadCell;
  slice: Slice;
  operation: Operation;
  /** Amounts of the changed measures, before and after the operation. */
  changes: Drafts;
}

/**
 * Amounts that are typed into cells. Each is a scale of the cell's slice on the cell's measure; into a formula, such
 * as a price, one of a measure that it uses (docs/decisions/0020-amounts-are-typed-into-cells.md); into an empty
 * cell, a clone of the rows that it is modelled on. They are written one after another, in the order in which
 * they were typed, while the planner goes on working.
 */
export class Typing {
  /** Amounts that are not written yet. */
  readonly unsaved: Unsaved;
  readonly amounts: TypedAmounts;
  /** The measures that change when the results of formulas are typed. */
  readonly choices = new FormulaChoices();
  /** A refused amount that is to be edited in the selected cell; null if there is none. */
  readonly retyped = new Retyped();
  private readonly groups: GroupsAbove;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly changes: Changes,
    private readonly locks: Locks,
    shapes: Shapes,
  ) {
    this.amounts = new TypedAmounts(planned, selection.reader, shapes, this.choices);
    this.unsaved = new Unsaved(changes, selection.reader);
    this.groups = new GroupsAbove(planned, selection.reader);
  }

  /** Selects the cells of a refused amount again, and opens the last one with its text. */
  async retype(cells: readonly Omit<MarkedCell, 'at'>[], text: string): Promise<void> {
    const { reader } = this.selection;
    const placed = cells.map(async (cell) => ({ ...cell, at: await reader.placeOf(cell) }));
    const there = (await Promise.all(placed)).flatMap(({ at, ...cell }) =>
      at ? [{ ...cell, at }] : [],
    );
    await this.selection.selectAgain(there);
    if (there.length > 0) this.retyped.text = text;
  }

  /** Returns why nothing can be typed into a cell; null if an amount can. */
  obstacle(cell: ReadCell): string | null {
    const { planned } = this;
    if (planned.obstacleToTry) return planned.obstacleToTry;
    if (cell.impossible) return cell.impossible;
    const way = this.selection.reader.wayOf(cell);
    if (way === 'running_total' || way === 'rank') return NOT_TYPED[way];
    const [unmarked] = unmarkedDimensions(cell.listed, planned.columns);
    if (unmarked !== undefined) {
      return `“${planned.labelOf(unmarked)}” is not a key column of this source, so operations cannot select rows by it.`;
    }
    const locked = planned.beyond(cell.listed) ?? this.locks.obstacle(cell.listed);
    if (locked) return locked;
    const shows = this.selection.reader.shownIn(cell);
    if (shows === null) return 'This cell has no amount to change.';
    if (cell.aggregate !== 'sum')
      return 'This cell does not show a sum, so no amount can be spread over its rows.';
    if (isPrice(shows) && cell.value === null) {
      return 'This cell shows no price: it has no units.';
    }
    const [beyond] = cell.notHeld;
    return beyond
      ? `A change would affect more than this cell: operations cannot select rows by “${beyond.text}”.`
      : null;
  }

  /**
   * Reads the totals of the rows behind a cell, tried ones included.
   *
   * @param shape the shape of the amount, which may need the months of the rows
   * @throws ApiError if the request fails
   */
  reach(
    cell: ReadCell,
    shape: WriteSettings['shape'] = null,
    signal?: AbortSignal,
  ): Promise<SlicePreview> {
    return this.planned.readSlice(cell.slice, signal, needsMonths(shape));
  }

  /** Reads the same of several cells, in their order. @throws ApiError if the request fails */
  reachAll(
    cells: readonly ReadCell[],
    shape: WriteSettings['shape'],
    signal?: AbortSignal,
  ): Promise<SlicePreview[]> {
    return this.planned.readSlices(
      cells.map(({ slice }) => slice),
      needsMonths(shape),
      signal,
    );
  }

  /**
   * Returns the models for an empty cell, the likeliest first, one of each kind. Null for a cell whose
   * amounts a scale can change, and for one that nothing can be typed into.
   *
   * @throws ApiError if the request fails
   */
  async likenesses(cell: ReadCell): Promise<Likeness[] | null> {
    const shows = this.selection.reader.shownIn(cell);
    if (cell.value || typeof shows !== 'string' || this.obstacle(cell)) return null;
    // Attributes follow the columns that are set.
    const { stored: columns } = this.planned;
    if ((await this.reach(cell)).row_count > 0) return null;
    const { column, row, parent } = this.selection.reader.candidatesFor(cell);
    const like = async (kind: Likeness['kind'], other: CellIdentity): Promise<Likeness | null> => {
      const read = await this.selection.reader.look(other, cell);
      // A header shows no number: only the service knows the sum of its row.
      if (!read || read.impossible || read.notHeld.length > 0) return null;
      if (read.measure !== null && !read.value) return null;
      const set = moving(read.listed, cell.listed, columns);
      const { slice } = read;
      if (!set) return null;
      const rows = await this.planned.readSlice(slice);
      const total = totalOf(rows, shows);
      const decimals = roundedTo(rows, shows);
      return total ? { kind, cell: other, slice, set, total, decimals } : null;
    };
    const nearest = async () => {
      for (const other of column) {
        const found = await like('column', other);
        if (found) return found;
      }
      return null;
    };
    const found = await Promise.all([
      nearest(),
      ...row.map((other) => like('row', other)),
      ...parent.map((other) => like('parent', other)),
    ]);
    return found.filter((each) => each !== null);
  }

  /**
   * Writes an amount after those that were typed before it, starting from the total that they have left.
   *
   * @param settings of the panel, from when it was typed
   * @returns the result, and the operation that wrote it; null if the planner has dropped it
   * @throws Unconfirmed if it has to be confirmed first; ApiError with a sentence if it cannot be written.
   * Nothing is written in either case
   */
  async write(
    typed: Typed,
    pf_user: string,
    settings: WriteSettings,
  ): ReturnType<Unsaved['write']> {
    const write = this.unsaved.of([typed]);
    let changes: Drafts | undefined;
    const written = await this.unsaved.write(write, async (signal) => {
      const entered = await this.operationOf(typed, settings, 'write', signal);
      const { slice, operation } = entered;
      ({ changes } = entered);
      return { kind: operation.kind, body: bodyOf(operation, slice, pf_user) };
    });
    return written && { ...written, changes };
  }

  /**
   * Tries an amount, after those that were typed before it are written.
   *
   * @param show tries its operation
   * @throws ApiError with a sentence if it cannot be tried
   */
  try(
    typed: Typed,
    pf_user: string,
    settings: WriteSettings,
    show: (attempt: Attempt) => Promise<void>,
  ): Promise<void> {
    return this.unsaved.inTurn(async () => {
      const { cell, slice, operation } = await this.operationOf(typed, settings, 'try');
      return show({ slice, operation, cells: [cell], pf_user });
    });
  }

  /** Reads the cell again, and returns the operation of the amount on the stored rows. */
  private async operationOf(
    { cell: typed, edit, like: offered, confirmed, words }: Typed,
    taken: WriteSettings,
    how: 'write' | 'try' = 'write',
    signal?: AbortSignal,
  ): Promise<Entered> {
    const settings = withWords(taken, words);
    await this.changes.settled();
    // Days may have been added since it was typed: a month then covers more of them.
    const cell = await this.selection.reader.cellNow(typed);
    const obstacle = (how === 'write' ? this.planned.obstacle : null) ?? this.obstacle(cell);
    const shows = this.selection.reader.shownIn(cell);
    if (obstacle || !shows) throw new ApiError(0, obstacle ?? '');
    if (hasOtherMembers(typed, cell)) throw new ApiError(0, OTHER_GROUPS);
    const { slice } = cell;
    const stored = await this.reach(cell, settings.shape, signal);
    const note = noteOf(settings.note);
    const like = stored.row_count === 0 ? await offered : null;
    const { keepTotal } = settings;
    if (like) {
      const why = whyNotNew(keepTotal, words);
      if (why) throw new ApiError(0, why);
      // Only a measure has models for a cell without rows.
      const key = typeof shows === 'string' ? shows : 'value';
      const { kind, body } = await this.cloneOf(like, edit, key, signal);
      await this.changes.settled();
      const { amount } = edit;
      const changes = onlyDraft(key, { now: 0, total: amount, change: amount, percent: null });
      return { cell, slice: like.slice, operation: { kind, body: { ...body, ...note } }, changes };
    }
    const amount = this.amounts.of({ cell, edit, stored }, settings);
    const why = amount?.whyNot;
    if (why) throw new ApiError(0, why);
    const scale = amount?.scale;
    if (!scale) throw new ApiError(0, 'This changes nothing.');
    const { drafts: changes } = amount.changes;
    const kept = keepTotal && (await this.groups.keptBy(cell, slice, changes, signal));
    const own = amount.caution;
    const caution = own ?? (kept ? kept.caution : null);
    const isCancelled = caution?.kind === 'cancelled';
    const isConfirmed = isSameCaution(caution, confirmed);
    if (caution && !isConfirmed && (how === 'write' || isCancelled)) throw new Unconfirmed(caution);
    await this.changes.settled();
    const equally = isCancelled && { spread: 'equal' as const };
    const body = { ...scale, ...equally, ...(kept && { keep: kept.keep }), ...note };
    return { cell, slice, operation: { kind: 'scale', body }, changes };
  }

  /** Returns the clone of the stored model rows that gives an empty cell the typed amount. */
  private async cloneOf(
    { slice, set }: Likeness,
    edit: MeasureEdit,
    key: string,
    signal?: AbortSignal,
  ): Promise<Extract<Operation, { kind: 'clone' }>> {
    const rows = await this.planned.readSlice(slice, signal);
    const total = totalOf(rows, key) ?? 0;
    const why = whyNoCopies(edit, { total, decimals: roundedTo(rows, key) });
    if (why) throw new ApiError(0, why);
    const scale_factor = edit.amount / total;
    return { kind: 'clone', body: { set, scale_factor } };
  }
}
