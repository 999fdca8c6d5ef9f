import * as api from '../client/api';
import { ApiError } from '../client/http';
import { decimalsOf } from '../contract/decimals';
import type { CellIdentity, ReadCell } from '../pivot/slice/cell';
import { tidy } from '../pivot/values/cell-value';
import { inPeriods } from '../pivot/slice/date-ranges';
import { price } from '../pivot/values/ratios';
import { unmarkedDimensions } from '../pivot/slice/slice-values';
import type { Shows } from './cell-reader';
import type { Changes, Written } from './changes.svelte';
import { moving, type Likeness } from './likeness';
import type { Locks } from './locks.svelte';
import {
  HELD_BY_PERCENT,
  LESS_THAN_A_UNIT,
  spread,
  type Operation,
  type WriteSettings,
} from './operation-draft.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import type { Selection } from './selection.svelte';
import { amountOf, scaleOutcome, whyInProportion } from './scale-draft';
import type { Amounts, MeasureDraft, MeasureEdit, ScaleOutcome } from './scale-draft';
import type { Slice } from '../contract/operations';
import type { SlicePreview } from '../contract/previews';

/**
 * Rows are copied at most so many times as large, as in a scale: those that nearly cancel out would become
 * enormous.
 */
const MOST_TIMES = 1000;

/** Why a percentage cannot be entered where the sum is 0. */
export const NOTHING_OF_ZERO = 'This total is 0, and so is any percentage of it. Type an amount.';

/** The sums behind a cell, as far as they are known. */
type Totals = Pick<SlicePreview, 'value_total' | 'units_total'>;

/** The rows behind a cell as they are stored. */
export type Stored = Totals & Pick<SlicePreview, 'row_count'>;

/** Whether a slice has no rows, or rows that cancel out. */
const isEmpty = ({ value_total, units_total }: Stored): boolean => !value_total && !units_total;

/** What an amount makes of a cell: an operation, and the rows that it is about. */
interface Entered {
  cell: ReadCell;
  slice: Slice;
  operation: Operation;
}

/**
 * Amounts that are typed into cells. Each is a scale of the cell's slice on the cell's measure; into a
 * price, one of the value with the units held (docs/decisions/0020-amounts-are-typed-into-cells.md); into an empty
 * cell, a clone of the rows that it is to be like. They are written one after the other, in the order
 * in which they were typed, while the planner goes on.
 */
export class Typing {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly changes: Changes,
    private readonly locks: Locks,
  ) {}

  /** Why nothing can be typed into a cell; null if an amount can. */
  obstacle(cell: ReadCell): string | null {
    const { planned } = this;
    if (planned.obstacle) return planned.obstacle;
    if (cell.impossible) return cell.impossible;
    const [unmarked] = unmarkedDimensions(cell.slice, planned.columns);
    if (unmarked !== undefined) {
      return `“${planned.labelOf(unmarked)}” may not select rows: this source marks other columns as keys.`;
    }
    const locked = this.locks.obstacle(cell.slice);
    if (locked) return locked;
    const shows = this.selection.reader.shownIn(cell);
    if (shows === null) return 'This cell shows no amount that could be changed.';
    if (cell.aggregate !== 'sum') return 'This cell shows no sum, so no amount can be shared out.';
    if (shows === 'price' && cell.value === null) {
      return 'This cell shows no price: it has no units, or the pivot does not show value and units.';
    }
    const [beyond] = cell.notHeld;
    return beyond
      ? `A change would reach beyond this cell: “${beyond.text}” selects no rows of an operation.`
      : null;
  }

  /** What an amount would make of the number that a cell shows; null if it can change nothing. */
  meaning(cell: ReadCell, edit: MeasureEdit): MeasureDraft | null {
    const shows = this.selection.reader.shownIn(cell);
    if (shows === null || Number.isNaN(edit.amount)) return null;
    const totals = this.totalsOnScreen(cell);
    // The value of one unit is not rounded as that of all of them is.
    if (shows === 'price')
      return scaleOutcome({ value: edit, units: null, holdPrice: false }, totals).value;
    return this.scaled(cell, shows, edit, totals, false)[roleOf(shows)];
  }

  /** What a cell on screen tells of the sums behind it; a price, of those of one unit. */
  private totalsOnScreen(cell: ReadCell): Totals {
    const value = cell.value ?? 0;
    const shows = this.selection.reader.shownIn(cell);
    return {
      value_total: shows === 'units' ? null : value,
      units_total: shows === 'value' ? null : shows === 'price' ? 1 : value,
    };
  }

  /**
   * What an empty cell can be made like, the likeliest first, one of a kind. Null for a cell whose amounts a
   * scale can change, and for one that nothing can be typed into.
   *
   * @throws ApiError if the service cannot be asked
   */
  async likenesses(cell: ReadCell): Promise<Likeness[] | null> {
    const role = this.selection.reader.shownIn(cell);
    if (cell.value || role === null || role === 'price' || this.obstacle(cell)) return null;
    const { id, columns } = this.planned;
    const totals = await api.previewSlice(id, inPeriods(cell));
    // What cancels out can be changed in equal parts, though not in proportion.
    if (!isEmpty(totals) || (totals.row_count > 0 && spread.choice === 'equal')) return null;
    const { column, row, parent } = this.selection.reader.candidatesFor(cell);
    const like = async (kind: Likeness['kind'], other: CellIdentity): Promise<Likeness | null> => {
      const read = await this.selection.reader.look(other, cell);
      // A header shows no number: only the service knows what its row adds up to.
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
   * Writes an amount after those that were typed before it, from the total as it is stored by then.
   *
   * @param settings of the panel, from when it was typed
   * @param like answers what the cell is made like if it is empty
   * @returns what was written, and by which operation
   * @throws ApiError with a sentence if it cannot be written; nothing was written then
   */
  write(
    cell: ReadCell,
    edit: MeasureEdit,
    pf_user: string,
    settings: WriteSettings,
    like: Promise<Likeness | null>,
  ): Promise<Written & { kind: Operation['kind'] }> {
    return this.inTurn(async () => {
      const { slice, operation } = await this.operationOf(cell, edit, settings, like);
      return { ...(await this.changes.apply(operation, slice, pf_user)), kind: operation.kind };
    });
  }

  /**
   * Shows what an amount would do, after those that were typed before it are written.
   *
   * @param like answers what the cell is made like if it is empty
   * @returns false if something else was selected meanwhile
   * @throws ApiError with a sentence if it cannot be tried
   */
  try(
    cell: ReadCell,
    edit: MeasureEdit,
    pf_user: string,
    settings: WriteSettings,
    like: Promise<Likeness | null>,
  ): Promise<boolean> {
    return this.inTurn(async () => {
      const entered = await this.operationOf(cell, edit, settings, like);
      return this.changes.try({ ...entered, cells: [entered.cell], pf_user });
    });
  }

  /** Does something after all that was typed before it is written. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  /**
   * Why an amount can make nothing of a cell's rows as they are stored, whatever the screen shows of them;
   * null if it can.
   */
  whyNotOf(
    cell: ReadCell,
    edit: MeasureEdit,
    stored: Stored,
    { holdPrice }: Pick<WriteSettings, 'holdPrice'>,
  ): string | null {
    const shows = this.selection.reader.shownIn(cell);
    if (stored.row_count === 0 || shows === null)
      return 'There are no rows to change in this cell.';
    const now = stored[`${roleOf(shows)}_total`];
    if (now === null) return 'The rows of this cell hold no amount that could be changed.';
    if (shows === 'price' && price(now, stored.units_total) === null) {
      return 'There are no units in this cell any more, so it has no price.';
    }
    if (edit.by === 'percent' && now === 0) return NOTHING_OF_ZERO;
    if (!holdPrice || shows === 'price') return null;
    const { amounts, value, units } = this.scaled(cell, shows, edit, stored, true);
    if (amounts || !value || !units) return null;
    if (this.isPartlyLocked(cell) && edit.by !== 'percent') return HELD_BY_PERCENT;
    return value.change !== 0 && units.change === 0 ? LESS_THAN_A_UNIT : null;
  }

  /**
   * What a scale has to carry for a cell to become what was typed; null if that changes nothing.
   *
   * @param stored the rows behind the cell, of which {@link whyNotOf} has said that the amount can change them
   */
  amountsFor(
    cell: ReadCell,
    edit: MeasureEdit,
    stored: Stored,
    { holdPrice }: Pick<WriteSettings, 'holdPrice'>,
  ): Amounts | null {
    const shows = this.selection.reader.shownIn(cell);
    if (!shows) return null;
    const isHeld = holdPrice && shows !== 'price';
    const outcome = this.scaled(cell, shows, edit, stored, isHeld);
    const role = roleOf(shows);
    return isHeld ? outcome.amounts : amountOf(role, edit, outcome[role]);
  }

  /**
   * Whether an amount is spread in equal parts: the planner's choice, unless it is a percentage or a price,
   * of which each row keeps its share.
   */
  isSpreadEqually(
    cell: CellIdentity,
    edit: MeasureEdit,
    { spread: choice, holdPrice }: Pick<WriteSettings, 'spread' | 'holdPrice'>,
  ): boolean {
    if (this.selection.reader.shownIn(cell) === 'price') return false;
    const draft = { value: edit, units: null, holdPrice };
    return choice === 'equal' && whyInProportion(draft) === null;
  }

  /** The cell as it is now, and what an amount makes of what is stored. */
  private async operationOf(
    typed: ReadCell,
    edit: MeasureEdit,
    settings: WriteSettings,
    offered: Promise<Likeness | null>,
  ): Promise<Entered> {
    await this.changes.settled();
    // Days may have come since it was typed: a month then stands for more of them.
    const cell = await this.selection.reader.cellNow(typed);
    const obstacle = this.obstacle(cell);
    const shows = this.selection.reader.shownIn(cell);
    if (obstacle || !shows) throw new ApiError(0, obstacle ?? '');
    const slice = inPeriods(cell);
    const stored = await api.previewSlice(this.planned.id, slice);
    const note = settings.note.trim() === '' ? {} : { note: settings.note };
    const like = isEmpty(stored) ? await offered : null;
    if (like) {
      const { kind, body } = await this.cloneOf(like, edit, roleOf(shows));
      await this.changes.settled();
      return { cell, slice: like.slice, operation: { kind, body: { ...body, ...note } } };
    }
    const why = this.whyNotOf(cell, edit, stored, settings);
    if (why) throw new ApiError(0, why);
    const amounts = this.amountsFor(cell, edit, stored, settings);
    if (!amounts) throw new ApiError(0, 'This changes nothing.');
    await this.changes.settled();
    const isEqual = this.isSpreadEqually(cell, edit, settings);
    const body = { ...amounts, ...(isEqual && { spread: 'equal' as const }), ...note };
    return { cell, slice, operation: { kind: 'scale', body } };
  }

  /** The clone that makes an empty cell like other rows, as they are stored now, with the amount typed. */
  private async cloneOf(
    { slice, set }: Likeness,
    { by, amount }: MeasureEdit,
    role: 'value' | 'units',
  ): Promise<Extract<Operation, { kind: 'clone' }>> {
    if (by === 'percent') {
      throw new ApiError(0, 'Nothing is there yet, nor any percentage of it. Type an amount.');
    }
    const total = (await api.previewSlice(this.planned.id, slice))[`${role}_total`];
    const scale_factor = amount / (total ?? 0);
    if (!(Math.abs(scale_factor) <= MOST_TIMES)) {
      throw new ApiError(
        0,
        'The rows that were to be copied add up to almost nothing, so no such amount can be made of them.',
      );
    }
    return { kind: 'clone', body: { set, scale_factor } };
  }

  /** The measures before and after an amount is typed into a cell, and what a scale carries for it. */
  private scaled(
    cell: CellIdentity | ReadCell,
    shows: Shows,
    edit: MeasureEdit,
    totals: Totals,
    holdPrice: boolean,
  ): ScaleOutcome {
    const { valueColumn, unitsColumn } = this.planned;
    const units = totals.units_total ?? 0;
    const asked: MeasureEdit =
      shows === 'price' && edit.by !== 'percent'
        ? { by: edit.by, amount: tidy(edit.amount * units) }
        : edit;
    const edits = { value: null, units: null, [roleOf(shows)]: asked };
    const isPartlyLocked = 'slice' in cell && this.isPartlyLocked(cell);
    return scaleOutcome({ ...edits, holdPrice, isPartlyLocked }, totals, {
      value: decimalsOf(valueColumn?.type),
      units: decimalsOf(unitsColumn?.type),
    });
  }

  private isPartlyLocked({ slice }: ReadCell): boolean {
    return this.locks.on(slice).length > 0;
  }
}

/** Which measure an amount changes: a price changes with its value. */
const roleOf = (shows: Shows): 'value' | 'units' => (shows === 'units' ? 'units' : 'value');
