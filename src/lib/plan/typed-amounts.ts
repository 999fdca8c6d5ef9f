/** The scales that amounts typed into cells stand for. */
import type { ScaleEdit } from '../contract/operations';
import type { SlicePreview } from '../contract/previews';
import type { CellIdentity, ReadCell } from '../pivot/slice/cell';
import { tidy } from '../pivot/values/cell-value';
import { inPeriods } from '../pivot/slice/date-ranges';
import { price } from '../pivot/values/ratios';
import { cautionOf, type Caution } from './caution';
import type { CellReader, Shows } from './cell-reader';
import type { ScaleChanges } from './group-above';
import type { WriteSettings } from './operation';
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
import * as scales from './scale-draft';
import type { Amounts, KnownTotals, MeasureDraft, MeasureEdit } from './scale-draft';
import {
  NO_PRICE_WITH_SHAPE,
  NO_SHAPE_TO_KEEP,
  shapedAmounts,
  whyNoShape,
  type ShapeChoice,
} from './shape';
import type { Shapes } from './shapes.svelte';

/** The stored rows behind a cell. */
export type Stored = SlicePreview;

/** The settings of the panel that determine the amounts of a scale. */
export type HowToScale = Pick<WriteSettings, 'spread' | 'shape' | 'holdPrice' | 'reshape'>;

/** The scales of typed amounts: their effect on the numbers of a cell, and why they cannot be written. */
export class TypedAmounts {
  constructor(
    private readonly planned: PlannedVersion,
    private readonly reader: CellReader,
    private readonly shapes: Shapes,
  ) {}

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
    const shows = this.reader.shownIn(cell);
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
    const shows = this.reader.shownIn(cell);
    if (shows === null || stored.row_count === 0 || Number.isNaN(edit.amount)) return null;
    if (settings.shape) return null;
    const { value, units } = this.outcome(shows, edit, stored, settings);
    const amounts = this.amountsFor(cell, edit, stored, settings);
    return cautionOf({ amounts, value, units }, stored, this.isSpreadEqually(cell, edit, settings));
  }

  /** Returns the sums behind a cell as far as the screen shows them; for a price, those of one unit. */
  private totalsOnScreen(cell: ReadCell): KnownTotals {
    const value = cell.value ?? 0;
    const shows = this.reader.shownIn(cell);
    return {
      value_total: shows === 'units' ? null : value,
      units_total: shows === 'value' ? null : shows === 'price' ? 1 : value,
    };
  }

  /**
   * Returns why an amount cannot change the stored rows of a cell, which may differ from those on screen; null
   * if it can.
   */
  whyNotOf(cell: ReadCell, edit: MeasureEdit, stored: Stored, settings: HowToScale): string | null {
    const shows = this.reader.shownIn(cell);
    if (stored.row_count === 0 || shows === null)
      return 'There are no rows to change in this cell.';
    if (stored.free.row_count === 0) return 'Every row of this cell is locked.';
    const now = stored[`${roleOf(shows)}_total`];
    if (now === null) return 'The rows of this cell have no amount to change.';
    if (shows === 'price' && price(now, stored.units_total) === null) {
      return 'This cell no longer has units, so it has no price.';
    }
    if (edit.by === 'percent' && now === 0) return NOTHING_OF_ZERO;
    if (settings.reshape && !settings.shape) return NO_SHAPE_TO_KEEP;
    if (settings.shape) return this.whyNotShaped(settings.shape, cell, edit, stored, settings);
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
    const shows = this.reader.shownIn(cell);
    if (!shows) return null;
    const outcome = this.outcome(shows, edit, stored, settings);
    if (!settings.shape) return outcome.amounts;
    const none = { edit: null, draft: null, isReshaped: false };
    const draft = outcome[roleOf(shows)];
    const own = settings.reshape
      ? { edit: null, draft, isReshaped: true }
      : { edit, draft, isReshaped: false };
    return shapedAmounts({ value: none, units: none, [roleOf(shows)]: own });
  }

  /**
   * Returns the amounts of the scale that an edit of a cell needs, and how they are spread; see {@link
   * amountsFor}.
   */
  scaleFor(
    cell: ReadCell,
    edit: MeasureEdit,
    stored: Stored,
    settings: HowToScale,
  ): Omit<ScaleEdit, 'slice'> | null {
    const amounts = this.amountsFor(cell, edit, stored, settings);
    if (!amounts || !settings.shape) {
      const isEqual = this.isSpreadEqually(cell, edit, settings);
      return amounts && { ...amounts, ...(isEqual && { spread: 'equal' as const }) };
    }
    const made = this.shapes.made(settings.shape, inPeriods(cell), stored);
    return 'problem' in made ? null : { ...amounts, ...made };
  }

  /** Returns the measures that an edit of a cell changes, before and after. */
  changesOf(
    cell: CellIdentity,
    edit: MeasureEdit,
    stored: Stored,
    settings: HowToScale,
  ): ScaleChanges {
    const shows = this.reader.shownIn(cell);
    return shows ? this.outcome(shows, edit, stored, settings) : { value: null, units: null };
  }

  private whyNotShaped(
    shape: ShapeChoice,
    cell: ReadCell,
    edit: MeasureEdit,
    stored: Stored,
    { holdPrice }: HowToScale,
  ): string | null {
    const shows = this.reader.shownIn(cell);
    if (shows === 'price') return NO_PRICE_WITH_SHAPE;
    const why = whyNoShape({ edits: [edit], holdPrice });
    const made = this.shapes.made(shape, inPeriods(cell), stored);
    if (why || shows === null) return why;
    if ('problem' in made) return made.problem;
    const decimals = this.planned.fixedDecimals[shows] ?? stored[`${shows}_decimals`];
    return whyInexact(edit, stored[`${shows}_total`] ?? 0, decimals);
  }

  /**
   * Whether an amount is spread in equal parts: the planner's choice, except for a percentage or a price,
   * which keep each row's share.
   */
  isSpreadEqually(
    cell: CellIdentity,
    edit: MeasureEdit,
    { spread: choice, shape, holdPrice }: HowToScale,
  ): boolean {
    if (shape) return false;
    if (this.reader.shownIn(cell) === 'price') return false;
    const draft = { value: edit, units: null, holdPrice };
    return choice === 'equal' && whyInProportion(draft) === null;
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
export const roleOf = (shows: Shows): 'value' | 'units' => (shows === 'units' ? 'units' : 'value');
