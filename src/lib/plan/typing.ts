/** Writes amounts that are typed into cells. */
import * as api from '../client/api';
import { ApiError } from '../client/http';
import type { CellIdentity, ReadCell } from '../pivot/slice/cell';
import { tidy } from '../pivot/values/cell-value';
import { inPeriods } from '../pivot/slice/date-ranges';
import { price } from '../pivot/values/ratios';
import { unmarkedDimensions } from '../pivot/slice/slice-values';
import { cautionOf, isSameCaution, type Caution } from './caution';
import type { Shows } from './cell-reader';
import type { Changes } from './changes.svelte';
import { moving, whyNoCopies, type Likeness } from './likeness';
import type { Locks } from './locks.svelte';
import { bodyOf, noteOf, type Operation, type WriteSettings } from './operation-draft.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import {
  CANCELLED,
  HELD_BY_PERCENT,
  LESS_THAN_A_UNIT,
  NOTHING_OF_ZERO,
  NO_VALUE,
  whyInexact,
  whyInProportion,
} from './refusals';
import type { Selection } from './selection.svelte';
import * as scales from './scale-draft';
import { Unconfirmed, Unsaved } from './unsaved.svelte';
import type { Amounts, KnownTotals, MeasureDraft, MeasureEdit } from './scale-draft';
import type { Slice } from '../contract/slices';
import type { SlicePreview } from '../contract/previews';

/** The stored rows behind a cell. */
export type Stored = SlicePreview;

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
}

/** The settings of the panel that determine the amounts of a scale. */
type HowToScale = Pick<WriteSettings, 'spread' | 'holdPrice'>;

/** The operation that an amount in a cell stands for, and its rows. */
interface Entered {
  cell: ReadCell;
  slice: Slice;
  operation: Operation;
}

/**
 * Amounts that are typed into cells. Each is a scale of the cell's slice on the cell's measure; into a price,
 * one of the value with the units held (docs/decisions/0020-amounts-are-typed-into-cells.md); into an empty
 * cell, a clone of the rows that it is modelled on. They are written one after another, in the order in which
 * they were typed, while the planner goes on working.
 */
export class Typing {
  /** Amounts that are not written yet. */
  readonly unsaved: Unsaved;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly changes: Changes,
    private readonly locks: Locks,
  ) {
    this.unsaved = new Unsaved(changes, selection.reader);
  }

  /** Returns why nothing can be typed into a cell; null if an amount can. */
  obstacle(cell: ReadCell): string | null {
    const { planned } = this;
    if (planned.obstacle) return planned.obstacle;
    if (cell.impossible) return cell.impossible;
    const [unmarked] = unmarkedDimensions(cell.slice, planned.columns);
    if (unmarked !== undefined) {
      return `“${planned.labelOf(unmarked)}” is not a key column of this source, so it cannot select rows.`;
    }
    const locked = this.locks.obstacle(cell.slice);
    if (locked) return locked;
    const shows = this.selection.reader.shownIn(cell);
    if (shows === null) return 'This cell has no amount to change.';
    if (cell.aggregate !== 'sum')
      return 'This cell does not show a sum, so no amount can be spread over its rows.';
    if (shows === 'price' && cell.value === null) {
      return 'This cell shows no price: it has no units, or the pivot does not show value and units.';
    }
    const [beyond] = cell.notHeld;
    return beyond
      ? `A change would affect more than this cell: operations cannot select rows by “${beyond.text}”.`
      : null;
  }

  /** Reads the totals of the rows behind a cell from the service. @throws ApiError if the request fails */
  reach(cell: ReadCell, signal?: AbortSignal): Promise<Stored> {
    return api.previewSlice(this.planned.id, inPeriods(cell), { signal });
  }

  /**
   * Returns the effect of an amount on the number that a cell shows; null if it can change nothing.
   *
   * @param stored the rows behind it; null until the service has answered: then the number on screen counts
   */
  meaning(
    cell: ReadCell,
    edit: MeasureEdit,
    stored: Stored | null,
    settings: HowToScale,
  ): MeasureDraft | null {
    const shows = this.selection.reader.shownIn(cell);
    if (shows === null || Number.isNaN(edit.amount)) return null;
    const isKnown = stored !== null && stored.row_count > 0;
    if (shows === 'price') {
      if (isKnown) return scales.priceOutcome(this.alone(shows, edit, stored), stored.units_total);
      const totals = this.totalsOnScreen(cell);
      return scales.scaleOutcome({ value: edit, units: null, holdPrice: false }, totals).value;
    }
    return isKnown
      ? this.outcome(shows, edit, stored, settings)[roleOf(shows)]
      : this.alone(shows, edit, this.totalsOnScreen(cell));
  }

  /** Returns the side effect of a change that has to be confirmed; null if there is none. */
  caution(
    cell: CellIdentity,
    edit: MeasureEdit,
    stored: Stored,
    settings: HowToScale,
  ): Caution | null {
    const shows = this.selection.reader.shownIn(cell);
    if (shows === null || stored.row_count === 0 || Number.isNaN(edit.amount)) return null;
    const { value, units } = this.outcome(shows, edit, stored, settings);
    const amounts = this.amountsFor(cell, edit, stored, settings);
    return cautionOf({ amounts, value, units }, stored, this.isSpreadEqually(cell, edit, settings));
  }

  /** Returns the sums behind a cell as far as the screen shows them; for a price, those of one unit. */
  private totalsOnScreen(cell: ReadCell): KnownTotals {
    const value = cell.value ?? 0;
    const shows = this.selection.reader.shownIn(cell);
    return {
      value_total: shows === 'units' ? null : value,
      units_total: shows === 'value' ? null : shows === 'price' ? 1 : value,
    };
  }

  /**
   * Returns the models for an empty cell, the likeliest first, one of each kind. Null for a cell whose
   * amounts a scale can change, and for one that nothing can be typed into.
   *
   * @throws ApiError if the request fails
   */
  async likenesses(cell: ReadCell): Promise<Likeness[] | null> {
    const role = this.selection.reader.shownIn(cell);
    if (cell.value || role === null || role === 'price' || this.obstacle(cell)) return null;
    const { id, columns } = this.planned;
    if ((await this.reach(cell)).row_count > 0) return null;
    const { column, row, parent } = this.selection.reader.candidatesFor(cell);
    const like = async (kind: Likeness['kind'], other: CellIdentity): Promise<Likeness | null> => {
      const read = await this.selection.reader.look(other, cell);
      // A header shows no number: only the service knows the sum of its row.
      if (!read || read.impossible || read.notHeld.length > 0) return null;
      if (read.measure !== null && !read.value) return null;
      const set = moving(read.slice, cell.slice, columns);
      const slice = inPeriods(read);
      const total = set && (await api.previewSlice(id, slice))[`${role}_total`];
      return set && total ? { kind, cell: other, slice, set, total } : null;
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
  write(typed: Typed, pf_user: string, settings: WriteSettings): ReturnType<Unsaved['write']> {
    const write = this.unsaved.of([typed]);
    return this.unsaved.write(write, async (signal) => {
      const { slice, operation } = await this.operationOf(typed, settings, 'write', signal);
      return { kind: operation.kind, body: bodyOf(operation, slice, pf_user) };
    });
  }

  /**
   * Tries an amount, after those that were typed before it are written.
   *
   * @returns false if something else was selected meanwhile
   * @throws ApiError with a sentence if it cannot be tried
   */
  try(typed: Typed, pf_user: string, settings: WriteSettings): Promise<boolean> {
    return this.unsaved.inTurn(async () => {
      const entered = await this.operationOf(typed, settings, 'try');
      return this.changes.try({ ...entered, cells: [entered.cell], pf_user });
    });
  }

  /**
   * Returns why an amount cannot change the stored rows of a cell, whatever the screen shows of them; null if
   * it can.
   */
  whyNotOf(cell: ReadCell, edit: MeasureEdit, stored: Stored, settings: HowToScale): string | null {
    const shows = this.selection.reader.shownIn(cell);
    if (stored.row_count === 0 || shows === null)
      return 'There are no rows to change in this cell.';
    if (stored.free.row_count === 0) return 'Every row of this cell is locked.';
    const now = stored[`${roleOf(shows)}_total`];
    if (now === null) return 'The rows of this cell have no amount to change.';
    if (shows === 'price' && price(now, stored.units_total) === null) {
      return 'This cell no longer has units, so it has no price.';
    }
    if (edit.by === 'percent' && now === 0) return NOTHING_OF_ZERO;
    const isEqualOnly = this.caution(cell, edit, stored, settings)?.kind === 'cancelled';
    if (isEqualOnly && (shows === 'price' || settings.holdPrice || edit.by === 'percent'))
      return CANCELLED;
    if (shows === 'price') return null;
    const fixed = this.planned.fixedDecimals;
    const inexact = whyInexact(edit, now, fixed[shows] ?? stored[`${shows}_decimals`]);
    if (inexact || !settings.holdPrice) return inexact;
    const { amounts, value, units } = this.outcome(shows, edit, stored, settings);
    if (amounts || !value || !units) return null;
    if (isPartlyLocked(stored) && edit.by !== 'percent') return HELD_BY_PERCENT;
    if (units.change !== 0 && value.change === 0) return NO_VALUE;
    return value.change !== 0 && units.change === 0 ? LESS_THAN_A_UNIT : null;
  }

  /**
   * Returns the amounts of the scale that an edit of a cell needs; null if the edit changes nothing.
   *
   * @param stored the rows behind the cell, which the amount can change according to {@link whyNotOf}
   */
  amountsFor(
    cell: CellIdentity,
    edit: MeasureEdit,
    stored: Stored,
    settings: HowToScale,
  ): Amounts | null {
    const shows = this.selection.reader.shownIn(cell);
    return shows && this.outcome(shows, edit, stored, settings).amounts;
  }

  /**
   * Whether an amount is spread in equal parts: the planner's choice, except for a percentage or a price,
   * which keep each row's share.
   */
  isSpreadEqually(
    cell: CellIdentity,
    edit: MeasureEdit,
    { spread: choice, holdPrice }: HowToScale,
  ): boolean {
    if (this.selection.reader.shownIn(cell) === 'price') return false;
    const draft = { value: edit, units: null, holdPrice };
    return choice === 'equal' && whyInProportion(draft) === null;
  }

  /** Reads the cell again, and returns the operation of the amount on the stored rows. */
  private async operationOf(
    { cell: typed, edit, like: offered, confirmed }: Typed,
    settings: WriteSettings,
    how: 'write' | 'try' = 'write',
    signal?: AbortSignal,
  ): Promise<Entered> {
    await this.changes.settled();
    // Days may have been added since it was typed: a month then covers more of them.
    const cell = await this.selection.reader.cellNow(typed);
    const obstacle = this.obstacle(cell);
    const shows = this.selection.reader.shownIn(cell);
    if (obstacle || !shows) throw new ApiError(0, obstacle ?? '');
    const slice = inPeriods(cell);
    const stored = await this.reach(cell, signal);
    const note = noteOf(settings.note);
    const like = stored.row_count === 0 ? await offered : null;
    if (like) {
      const { kind, body } = await this.cloneOf(like, edit, roleOf(shows), signal);
      await this.changes.settled();
      return { cell, slice: like.slice, operation: { kind, body: { ...body, ...note } } };
    }
    const why = this.whyNotOf(cell, edit, stored, settings);
    if (why) throw new ApiError(0, why);
    const amounts = this.amountsFor(cell, edit, stored, settings);
    if (!amounts) throw new ApiError(0, 'This changes nothing.');
    const caution = this.caution(cell, edit, stored, settings);
    const isCancelled = caution?.kind === 'cancelled';
    const isConfirmed = isSameCaution(caution, confirmed);
    if (caution && !isConfirmed && (how === 'write' || isCancelled)) throw new Unconfirmed(caution);
    await this.changes.settled();
    const isEqual = this.isSpreadEqually(cell, edit, settings) || isCancelled;
    const body = { ...amounts, ...(isEqual && { spread: 'equal' as const }), ...note };
    return { cell, slice, operation: { kind: 'scale', body } };
  }

  /** Returns the clone of the stored model rows that gives an empty cell the typed amount. */
  private async cloneOf(
    { slice, set }: Likeness,
    edit: MeasureEdit,
    role: 'value' | 'units',
    signal?: AbortSignal,
  ): Promise<Extract<Operation, { kind: 'clone' }>> {
    const total =
      (await api.previewSlice(this.planned.id, slice, { signal }))[`${role}_total`] ?? 0;
    const why = whyNoCopies(edit, total);
    if (why) throw new ApiError(0, why);
    const scale_factor = edit.amount / total;
    return { kind: 'clone', body: { set, scale_factor } };
  }

  /** Returns the measures before and after an amount is typed into a cell, and the amounts of the scale. */
  private outcome(
    shows: Shows,
    edit: MeasureEdit,
    stored: Stored,
    { holdPrice }: Pick<WriteSettings, 'holdPrice'>,
  ): scales.ScaleOutcome {
    const role = roleOf(shows);
    const isHeld = holdPrice && shows !== 'price';
    if (!isHeld) {
      const drafts = { value: null, units: null, [role]: this.alone(shows, edit, stored) };
      return {
        ...drafts,
        amounts: scales.amountOf(role, edit, drafts[role]),
        unroundedUnits: null,
      };
    }
    const edits = { value: null, units: null, [role]: edit };
    return scales.scaleOutcome(
      { ...edits, holdPrice, isPartlyLocked: isPartlyLocked(stored) },
      stored,
      this.planned.fixedDecimals,
    );
  }

  /** Returns the measure that a cell changes, before and after, if the other one stays unchanged. */
  private alone(shows: Shows, edit: MeasureEdit, totals: KnownTotals): MeasureDraft | null {
    const role = roleOf(shows);
    const units = totals.units_total ?? 0;
    const asked: MeasureEdit =
      shows === 'price' && edit.by !== 'percent'
        ? { by: edit.by, amount: tidy(edit.amount * units) }
        : edit;
    return scales.measureOutcome(role, asked, totals, this.planned.fixedDecimals[role]);
  }
}

/** Whether locks hold some of the rows behind a cell. */
const isPartlyLocked = ({ free, row_count }: Stored): boolean => free.row_count < row_count;

/** Returns the measure that an amount changes: for a price, the value. */
const roleOf = (shows: Shows): 'value' | 'units' => (shows === 'units' ? 'units' : 'value');
