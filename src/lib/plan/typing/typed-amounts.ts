/** The scales that amounts typed into cells stand for. */
import type { ScaleEdit } from '../../contract/operations';
import type { SlicePreview } from '../../contract/previews';
import type { CellIdentity, ReadCell } from '../../pivot/slice/cell';
import { cautionOf, type Caution } from '../amounts/caution';
import { type CellReader, isFormula, isPrice, type Shows } from '../selection/cell-reader';
import type { FormulaChoices } from './formula-choices.svelte';
import type { ScaleChanges } from '../amounts/group-above';
import { roundedTo, type Amounts } from '../amounts/measure-totals';
import { draftIn, onlyDraft, type MeasureDraft, type MeasureEdit } from '../amounts/scale-draft';
import { totalOf } from '../amounts/entry-totals';
import type { WriteSettings } from '../amounts/operation';
import type { PlannedVersion } from '../version/planned-version.svelte';
import {
  CANCELLED,
  hasNoFreePrice,
  LESS_THAN_A_UNIT,
  NOTHING_OF_ZERO,
  NO_FREE_PRICE,
  NO_VALUE,
  whyInexact,
  whyInProportion,
  whyReadOnly,
} from '../amounts/refusals';
import { isSingleRole } from '../../contract/columns';
import type { PivotFormula } from '../../pivot/rows/formula-columns';
import * as scales from '../amounts/scale-draft';
import {
  NO_FORMULA_WITH_SHAPE,
  NO_PRICE_WITH_SHAPE,
  NO_SHAPE_TO_KEEP,
  shapedAmounts,
  whyNoShape,
  type ShapeChoice,
} from '../amounts/shape';
import type { Shapes } from '../forms/shapes.svelte';
import {
  changeable,
  type Meaning,
  resultDraft,
  resultOf,
  solvedEdit,
  usedBy,
} from '../amounts/typed-formula';

/** The stored rows behind a cell. */
export type Stored = SlicePreview;

/** The settings of the panel that determine the amounts of a scale. */
export type HowToScale = Pick<
  WriteSettings,
  'spread' | 'shape' | 'holdPrice' | 'reshape' | 'follow'
>;

/** The measure that an amount changes by its key, and the edit of it; null if no amount gives the typed result. */
interface Asked {
  key: string;
  edit: MeasureEdit | null;
}

/** A measure that changes with the cell, before and after; `draft` is null if that is unknown, or has no solution. */
export interface Way {
  column: string;
  draft: MeasureDraft | null;
}

/** The scales of typed amounts: their effect on the numbers of a cell, and why they cannot be written. */
export class TypedAmounts {
  constructor(
    private readonly planned: PlannedVersion,
    private readonly reader: CellReader,
    private readonly shapes: Shapes,
    private readonly choices: FormulaChoices,
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
  ): Meaning | null {
    const shows = this.reader.shownIn(cell);
    if (shows === null || Number.isNaN(edit.amount)) return null;
    if (stored === null || stored.row_count === 0) return this.onScreen(cell, shows, edit);
    const { key } = this.asked(shows, edit, stored);
    const draft = draftIn(this.outcome(shows, edit, stored, settings), key);
    if (typeof shows === 'string' || !draft) return draft;
    return resultDraft(shows, this.planned.columnOf(key), draft, this.sumsOf(stored));
  }

  /** Returns the effect of an amount on the number on screen. */
  private onScreen(cell: ReadCell, shows: Shows, edit: MeasureEdit): MeasureDraft | null {
    const fixed = typeof shows === 'string' ? this.planned.fixedDecimals[shows] : null;
    const now = { value_total: cell.value ?? 0, units_total: null };
    return scales.measureOutcome('value', edit, now, fixed ?? null);
  }

  /** Returns the measures that can change for a result that is typed into a formula; none for another cell. */
  ways(cell: CellIdentity, edit: MeasureEdit, stored: Stored): Way[] {
    const shows = this.reader.shownIn(cell);
    if (!isFormula(shows) || stored.row_count === 0) return [];
    return changeable(shows, edit, this.sumsOf(stored)).map((column) => {
      const asked = this.asked(shows, { ...edit, changes: column }, stored);
      return { column, draft: this.alone(asked, stored) };
    });
  }

  /** Returns the column of the measure that changes for a result that is typed into a formula; null if none can. */
  wayTaken(cell: CellIdentity, edit: MeasureEdit, stored: Stored): string | null {
    const shows = this.reader.shownIn(cell);
    if (!isFormula(shows)) return null;
    return this.columnFor(shows, edit, stored);
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
    const outcome = this.outcome(shows, edit, stored, settings);
    return cautionOf(outcome, stored, this.isSpreadEqually(cell, edit, settings));
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
    const { key, edit: asked } = this.asked(shows, edit, stored);
    const readOnly = whyReadOnly(stored, [key], this.isSpreadEqually(cell, edit, settings));
    if (readOnly) return readOnly;
    const now = totalOf(stored, key);
    if (now === null) return 'The rows of this cell have no amount to change.';
    const solved = isFormula(shows);
    if (solved && !asked) return this.whyUnsolved(shows, edit, stored);
    if (asked?.by === 'percent' && now === 0) return NOTHING_OF_ZERO;
    if (settings.reshape && !settings.shape) return NO_SHAPE_TO_KEEP;
    if (settings.shape) return this.whyNotShaped(settings.shape, cell, edit, stored, settings);
    const { holdPrice } = settings;
    const isEqualOnly = this.caution(cell, edit, stored, settings)?.kind === 'cancelled';
    if (isEqualOnly && (solved || holdPrice || edit.by === 'percent')) return CANCELLED;
    const inexact = asked && whyInexact(asked, now, this.decimalsOf(key, stored));
    if (inexact || solved || !holdPrice || !isSingleRole(key)) return inexact;
    const { amounts, value, units } = this.outcome(shows, edit, stored, settings);
    if (amounts || !value || !units) return null;
    if (hasNoFreePrice(stored)) return NO_FREE_PRICE;
    if (units.change !== 0 && value.change === 0) return NO_VALUE;
    return value.change !== 0 && units.change === 0 ? LESS_THAN_A_UNIT : null;
  }

  /** Returns why no amount of a measure gives the result that is typed into a formula. */
  private whyUnsolved(formula: PivotFormula, edit: MeasureEdit, stored: Stored): string {
    const { name } = formula;
    const isDefined = resultOf(formula, this.sumsOf(stored)) !== null;
    if (isPrice(formula) && !isDefined) return 'This cell no longer has units, so it has no price.';
    const chosen = this.columnFor(formula, edit, stored);
    const columns = chosen === null ? usedBy(formula) : [chosen];
    if (chosen === null && !isDefined)
      return `“${name}” has no result in this cell, because it divides by 0.`;
    const measures = columns.map((column) => this.planned.labelOf(column)).join(' or ');
    return `No amount of ${measures} gives this result while the other measures stay.`;
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
    const { key } = this.asked(shows, edit, stored);
    const isReshaped = settings.reshape === true;
    const own = { edit: isReshaped ? null : edit, draft: draftIn(outcome, key), isReshaped };
    return shapedAmounts({ [key]: own });
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
      const follow = this.followedIn(cell, amounts, settings);
      return (
        amounts && {
          ...amounts,
          ...(follow.length > 0 && { with: [...follow] }),
          ...(isEqual && { spread: 'equal' as const }),
        }
      );
    }
    const made = this.shapes.made(settings.shape, cell.slice, stored);
    return 'problem' in made ? null : { ...amounts, ...made };
  }

  /** Returns the further measures that follow the change of a cell: those of value do, unless a shape parts it. */
  private followedIn(
    cell: CellIdentity,
    amounts: Amounts | null,
    { follow = [], shape }: HowToScale,
  ): readonly string[] {
    const isValue = this.reader.shownIn(cell) === 'value';
    return isValue && !shape && amounts && amounts.pct == null ? follow : [];
  }

  /**
   * Returns the further measures that follow the change of a cell, before and after. Without the latter if each row
   * has a percentage of its own.
   */
  followers(cell: CellIdentity, edit: MeasureEdit, stored: Stored, settings: HowToScale): Way[] {
    const { value, amounts } = this.changesOf(cell, edit, stored, settings);
    const isRowByRow = settings.holdPrice || this.isSpreadEqually(cell, edit, settings);
    return this.followedIn(cell, amounts, settings).map((column) => {
      const fixed = this.planned.fixedDecimals[column] ?? null;
      const isKnown = value && !isRowByRow;
      const draft = isKnown ? scales.followedOutcome(column, edit, value, stored, fixed) : null;
      return { column, draft };
    });
  }

  /** Returns the measures that an edit of a cell changes, before and after. */
  changesOf(
    cell: CellIdentity,
    edit: MeasureEdit,
    stored: Stored,
    settings: HowToScale,
  ): ScaleChanges & Pick<scales.ScaleOutcome, 'amounts'> {
    const shows = this.reader.shownIn(cell);
    const nothing = { value: null, units: null, amounts: null };
    return shows ? this.outcome(shows, edit, stored, settings) : nothing;
  }

  private whyNotShaped(
    shape: ShapeChoice,
    cell: ReadCell,
    edit: MeasureEdit,
    stored: Stored,
    { holdPrice }: HowToScale,
  ): string | null {
    const shows = this.reader.shownIn(cell);
    if (shows === null) return null;
    if (isFormula(shows)) return isPrice(shows) ? NO_PRICE_WITH_SHAPE : NO_FORMULA_WITH_SHAPE;
    const why = whyNoShape({ edits: [edit], holdPrice: holdPrice && isSingleRole(shows) });
    if (why) return why;
    const made = this.shapes.made(shape, cell.slice, stored);
    if ('problem' in made) return made.problem;
    return whyInexact(edit, totalOf(stored, shows) ?? 0, this.decimalsOf(shows, stored));
  }

  /**
   * Whether an amount is spread in equal parts: the planner's choice, except for a percentage or the result of a
   * formula, which keep each row's share.
   */
  isSpreadEqually(
    cell: CellIdentity,
    edit: MeasureEdit,
    { spread: choice, shape, holdPrice }: HowToScale,
  ): boolean {
    const shows = this.reader.shownIn(cell);
    if (shape || typeof shows !== 'string') return false;
    const draft = { value: edit, units: null, holdPrice: holdPrice && isSingleRole(shows) };
    return choice === 'equal' && whyInProportion(draft) === null;
  }

  /** Returns the measures before and after an amount is typed into a cell, and the amounts of the scale. */
  private outcome(
    shows: Shows,
    edit: MeasureEdit,
    stored: Stored,
    { holdPrice }: Pick<WriteSettings, 'holdPrice'>,
  ): scales.ScaleOutcome {
    const asked = this.asked(shows, edit, stored);
    const { key } = asked;
    if (!holdPrice || typeof shows !== 'string' || !isSingleRole(key)) {
      const draft = this.alone(asked, stored);
      const amounts = scales.amountOf(key, asked.edit, draft);
      return { ...onlyDraft(key, draft), amounts, unroundedUnits: null };
    }
    const edits = { value: null, units: null, [key]: edit };
    return scales.scaleOutcome(
      { ...edits, holdPrice, isPartlyLocked: isPartlyLocked(stored) },
      stored,
      this.planned.fixedDecimals,
    );
  }

  /** Returns a measure before and after, if the others stay unchanged. */
  private alone({ key, edit }: Asked, stored: Stored): MeasureDraft | null {
    const fixed = this.planned.fixedDecimals[key] ?? null;
    return edit && scales.measureOutcome(key, edit, stored, fixed);
  }

  /** Returns the measure that an amount changes, and its edit: for a formula, the one that gives the result. */
  private asked(shows: Shows, edit: MeasureEdit, stored: Stored): Asked {
    if (typeof shows === 'string') return { key: shows, edit };
    const column = this.columnFor(shows, edit, stored) ?? usedBy(shows)[0] ?? '';
    const key = this.planned.keyOf(column) ?? column;
    return { key, edit: solvedEdit(shows, column, edit, this.sumsOf(stored)) };
  }

  /** Returns the column of the measure that changes for a typed result: the chosen one if it can. */
  private columnFor(formula: PivotFormula, edit: MeasureEdit, stored: Stored): string | null {
    const offered = changeable(formula, edit, this.sumsOf(stored));
    const wanted = edit.changes ?? this.choices.of(formula);
    return offered.find((column) => column === wanted) ?? offered[0] ?? null;
  }

  /** Returns the sums of measures by column. */
  private sumsOf =
    (stored: Stored) =>
    (column: string): number | null =>
      this.planned.totalOf(stored, column);

  private decimalsOf(key: string, stored: Stored): number | null {
    return this.planned.fixedDecimals[key] ?? roundedTo(stored, key);
  }
}

/** Whether locks hold some of the rows behind a cell. */
const isPartlyLocked = ({ free, row_count }: Stored): boolean => free.row_count < row_count;
