/** The scales that amounts typed into cells stand for. */
import type { ScaleEdit } from '../../contract/operations';
import type { SlicePreview } from '../../contract/previews';
import type { CellIdentity, ReadCell } from '../../pivot/slice/cell';
import { cautionOf, type Caution } from '../amounts/caution';
import { type CellReader, isFormula, isPrice, type Shows } from '../selection/cell-reader';
import type { FormulaChoices } from './formula-choices.svelte';
import { roundedTo, totalOf } from '../../contract/measures';
import { onlyDraft, type MeasureDraft, type MeasureEdit } from '../amounts/scale-draft';
import type { WriteSettings } from '../amounts/operation';
import type { PlannedVersion } from '../version/planned-version.svelte';
import {
  CANCELLED,
  hasNoFreePrice,
  LESS_THAN_A_UNIT,
  MEMBERS_MOVED,
  NOTHING_OF_ZERO,
  NO_FREE_PRICE,
  NO_VALUE,
  whyInexact,
  whyInProportion,
  whyNoRate,
  whyReadOnly,
  whyTogether,
  whyUnconverted,
} from '../amounts/refusals';
import type { PivotFormula } from '../../pivot/rows/formula-columns';
import * as scales from '../amounts/scale-draft';
import { type ConversionOf, conversionDraft, editOfMeasure } from '../amounts/typed-conversion';
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

/** The settings of the panel that determine the amounts of a scale. */
type HowToScale = Pick<WriteSettings, 'spread' | 'shape' | 'holdPrice' | 'reshape' | 'follow'>;

/** A cell, the edit of its number, and the stored rows behind it. */
interface EditedCell {
  cell: ReadCell;
  edit: MeasureEdit;
  stored: SlicePreview;
}

/** The measure that an amount changes by its key, and the edit of it; null if no amount gives the typed result. */
interface AskedMeasure {
  key: string;
  /** The column from which the result is computed: that of the measure, or a conversion of it. */
  column: string;
  edit: MeasureEdit | null;
}

/** A measure that changes with the cell, before and after; `draft` is null if that is unknown, or has no solution. */
export interface Way {
  /** The column of the measure, or a conversion of it. */
  column: string;
  /** The column of the measure that changes. */
  changes: string;
  draft: MeasureDraft | null;
}

/** The scales of typed amounts. */
export class TypedAmounts {
  constructor(
    readonly planned: PlannedVersion,
    private readonly reader: CellReader,
    readonly shapes: Shapes,
    readonly choices: FormulaChoices,
  ) {}

  /** Returns an amount in a cell with its stored rows; null if the cell shows neither a measure nor a formula. */
  of(edited: EditedCell, settings: HowToScale): TypedAmount | null {
    const shows = this.reader.shownIn(edited.cell);
    return shows === null ? null : new TypedAmount(this, shows, edited, settings);
  }

  /**
   * Whether the stored rows of a cell, or their rates, may be others than those on screen: a lookup's table may have
   * changed since the page read it, and the service uses the present table.
   */
  haveMoved({ cell, stored }: Pick<EditedCell, 'cell' | 'stored'>): boolean {
    const { joined } = this.planned;
    const isJoined =
      Object.keys(cell.slice).some((name) => joined.has(name)) ||
      this.conversionsIn(cell).length > 0;
    return isJoined && this.reader.differs(cell, stored) === true;
  }

  /** Returns the conversions from which the number of a cell is computed. */
  conversionsIn(cell: CellIdentity): ConversionOf[] {
    const shows = this.reader.shownIn(cell);
    if (!isFormula(shows)) return [];
    return usedBy(shows).flatMap((column) => this.planned.conversionOf(column) ?? []);
  }

  /** Returns the effect of an amount on the number on screen, as long as no stored rows are known; null if it has none. */
  onScreen(cell: ReadCell, edit: MeasureEdit): MeasureDraft | null {
    const shows = this.reader.shownIn(cell);
    if (shows === null || Number.isNaN(edit.amount)) return null;
    const fixed = typeof shows === 'string' ? this.planned.fixedDecimals[shows] : null;
    const now = { value_total: cell.value ?? 0, units_total: null };
    return scales.measureOutcome('value', edit, now, fixed ?? null);
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
    const edits = { value: edit, units: null };
    const draft = { edits, holdPrice: holdPrice && this.planned.isPriced(shows) };
    return choice === 'equal' && whyInProportion(draft) === null;
  }
}

/** An amount that is typed into a cell: its effect on the stored rows, its scale, and why it cannot be written. */
class TypedAmount {
  readonly cell: ReadCell;
  readonly stored: SlicePreview;
  private readonly edit: MeasureEdit;

  constructor(
    private readonly amounts: TypedAmounts,
    private readonly shows: Shows,
    { cell, edit, stored }: EditedCell,
    private readonly settings: HowToScale,
  ) {
    this.cell = cell;
    this.edit = edit;
    this.stored = stored;
  }

  /** Whether the cell has rows and the text is a number. */
  private get isKnown(): boolean {
    return this.stored.row_count > 0 && !Number.isNaN(this.edit.amount);
  }

  /** The effect on the number that the cell shows; null if the amount can change nothing. */
  get meaning(): Meaning | null {
    if (!this.isKnown) return this.amounts.onScreen(this.cell, this.edit);
    const { shows, planned } = this;
    const { key, column } = this.asked(this.edit);
    const draft = this.changes.drafts[key] ?? null;
    if (typeof shows === 'string' || !draft) return draft;
    const conversion = planned.conversionOf(column);
    const own = conversion ? conversionDraft(conversion, draft, this.stored) : draft;
    return own && resultDraft(shows, column, own, this.sumOf);
  }

  /** The measures that can change for a result that is typed into a formula; none for another cell. */
  get ways(): Way[] {
    const { shows, edit, stored } = this;
    if (!isFormula(shows) || stored.row_count === 0) return [];
    return this.changeable(shows, edit).map((column) => {
      const asked = this.asked({ ...edit, changes: column });
      return { column, changes: this.planned.columnOf(asked.key), draft: this.alone(asked) };
    });
  }

  /** The column of the measure that changes for a result that is typed into a formula; null if none can. */
  get wayTaken(): string | null {
    return isFormula(this.shows) ? this.columnFor(this.shows, this.edit) : null;
  }

  /** The side effect of the change that has to be confirmed; null if there is none. */
  get caution(): Caution | null {
    if (!this.isKnown || this.settings.shape) return null;
    return cautionOf(this.changes, this.stored, this.isEqual);
  }

  /** Why the amount cannot change the stored rows, which may differ from those on screen; null if it can. */
  get whyNot(): string | null {
    const { shows, edit, stored, settings } = this;
    if (stored.row_count === 0) return 'There are no rows to change in this cell.';
    if (this.amounts.haveMoved(this)) return MEMBERS_MOVED;
    const unconverted = whyUnconverted(this.amounts.conversionsIn(this.cell), stored);
    if (unconverted) return unconverted;
    if (stored.free.row_count === 0) return 'Every row of this cell is locked.';
    const { key, edit: asked } = this.asked(edit);
    const readOnly = whyReadOnly(stored, [key], this.isEqual);
    if (readOnly) return readOnly;
    const now = totalOf(stored, key);
    if (now === null) return 'The rows of this cell have no amount to change.';
    const solved = isFormula(shows);
    if (solved && !asked) return this.whyUnsolved(shows);
    if (asked?.by === 'percent' && now === 0) return NOTHING_OF_ZERO;
    const { shape, reshape, holdPrice } = settings;
    if (reshape && !shape) return NO_SHAPE_TO_KEEP;
    if (shape) return this.whyNotShaped(shape);
    const isEqualOnly = this.caution?.kind === 'cancelled';
    if (isEqualOnly && (solved || holdPrice || edit.by === 'percent')) return CANCELLED;
    const inexact = asked && whyInexact(asked, now, this.decimalsOf(key));
    if (inexact || solved || !holdPrice || !this.planned.isPriced(key)) return inexact;
    const { amounts, drafts } = this.changes;
    const { value, units } = drafts;
    if (amounts || !value || !units) return null;
    if (hasNoFreePrice(stored)) return NO_FREE_PRICE;
    if (units.change !== 0 && value.change === 0) return NO_VALUE;
    return value.change !== 0 && units.change === 0 ? LESS_THAN_A_UNIT : null;
  }

  /**
   * The amounts of the scale, and how they are spread; null if it changes nothing. Only for an amount that can be
   * written according to {@link whyNot}.
   */
  get scale(): Omit<ScaleEdit, 'slice'> | null {
    const { amounts } = this.changes;
    const { shape, reshape: isReshaped = false } = this.settings;
    if (!shape) {
      const follow = this.followed;
      return (
        amounts && {
          ...amounts,
          ...(follow.length > 0 && { with: [...follow] }),
          ...(this.isEqual && { spread: 'equal' as const }),
        }
      );
    }
    const { key } = this.asked(this.edit);
    const draft = this.changes.drafts[key] ?? null;
    const shaped = shapedAmounts({
      [key]: { edit: isReshaped ? null : this.edit, draft, isReshaped },
    });
    const made = shaped && this.made(shape);
    return !made || 'problem' in made ? null : { ...shaped, ...made };
  }

  /**
   * The measures that follow the change, before and after. Without the latter if each row has a percentage
   * of its own.
   */
  get followers(): Way[] {
    const { value } = this.changes.drafts;
    const isRowByRow = this.settings.holdPrice || this.isEqual;
    return this.followed.map((column) => {
      const fixed = this.planned.fixedDecimals[column] ?? null;
      if (!value || isRowByRow) return { column, changes: column, draft: null };
      const draft = scales.followedOutcome(column, this.edit, value, this.stored, fixed);
      return { column, changes: column, draft };
    });
  }

  /** The measures that change, before and after, and the amounts of the scale in proportion. */
  get changes(): scales.ScaleOutcome {
    const { shows, edit, stored, planned } = this;
    const asked = this.asked(edit);
    const { key } = asked;
    if (!this.settings.holdPrice || typeof shows !== 'string' || !planned.isPriced(key)) {
      const draft = this.alone(asked);
      const amounts = scales.amountOf(key, asked.edit, draft);
      return { drafts: onlyDraft(key, draft), amounts, unroundedUnits: null };
    }
    const edits = { value: null, units: null, [key]: edit };
    const isPartlyLocked = stored.free.row_count < stored.row_count;
    const draft = { edits, holdPrice: true, isPartlyLocked };
    return scales.scaleOutcome(draft, stored, planned.fixedDecimals);
  }

  private get planned(): PlannedVersion {
    return this.amounts.planned;
  }

  private get isEqual(): boolean {
    return this.amounts.isSpreadEqually(this.cell, this.edit, this.settings);
  }

  /** The measures that follow the change: those of value do, unless a shape parts it. */
  private get followed(): readonly string[] {
    const { follow = [], shape } = this.settings;
    const { amounts } = this.changes;
    return this.shows === 'value' && !shape && amounts && amounts.pct == null ? follow : [];
  }

  private made(shape: ShapeChoice): ReturnType<Shapes['made']> {
    return this.amounts.shapes.made(shape, this.cell.slice, this.stored);
  }

  /** Returns why no amount of a measure gives the result that is typed into a formula. */
  private whyUnsolved(formula: PivotFormula): string {
    const { name } = formula;
    const isDefined = resultOf(formula, this.sumOf) !== null;
    if (isPrice(formula) && !isDefined) return 'This cell no longer has units, so it has no price.';
    const chosen = this.columnFor(formula, this.edit);
    const columns = chosen === null ? usedBy(formula) : [chosen];
    const conversion = chosen === null ? undefined : this.planned.conversionOf(chosen);
    if (conversion && solvedEdit(formula, conversion.name, this.edit, this.sumOf))
      return whyNoRate(this.planned.nameOf(conversion.key));
    if (chosen === null && !isDefined)
      return `“${name}” has no result in this cell, because it divides by 0.`;
    const [key, ...others] = new Set(columns.map((column) => this.planned.keyBehind(column)));
    if (columns.length > 1 && key && others.length === 0) {
      const labels = columns.map((column) => this.planned.labelOf(column));
      return whyTogether(labels, this.planned.nameOf(key));
    }
    const measures = columns.map((column) => this.planned.labelOf(column)).join(' or ');
    return `No amount of ${measures} gives this result while the other measures stay.`;
  }

  private whyNotShaped(shape: ShapeChoice): string | null {
    const { shows, edit, stored } = this;
    if (isFormula(shows)) return isPrice(shows) ? NO_PRICE_WITH_SHAPE : NO_FORMULA_WITH_SHAPE;
    const holdPrice = this.settings.holdPrice && this.planned.isPriced(shows);
    const why = whyNoShape({ edits: [edit], holdPrice });
    if (why) return why;
    const made = this.made(shape);
    if ('problem' in made) return made.problem;
    return whyInexact(edit, totalOf(stored, shows) ?? 0, this.decimalsOf(shows));
  }

  /** Returns a measure before and after, if the others stay unchanged. */
  private alone({ key, edit }: Omit<AskedMeasure, 'column'>): MeasureDraft | null {
    const fixed = this.planned.fixedDecimals[key] ?? null;
    return edit && scales.measureOutcome(key, edit, this.stored, fixed);
  }

  /** Returns the measure that an amount changes, and its edit: for a formula, the one that gives the result. */
  private asked(edit: MeasureEdit): AskedMeasure {
    const { shows, planned } = this;
    if (typeof shows === 'string') return { key: shows, column: planned.columnOf(shows), edit };
    const offered = this.columnFor(shows, edit);
    const column = offered ?? usedBy(shows)[0] ?? '';
    const solved = offered === null ? null : solvedEdit(shows, column, edit, this.sumOf);
    const conversion = planned.conversionOf(column);
    const key = planned.keyBehind(column) ?? column;
    const made = conversion && solved ? editOfMeasure(conversion, solved, this.stored) : solved;
    const fixed = planned.fixedDecimals[key] ?? null;
    return { key, column, edit: made && scales.roundedEdit(key, made, this.stored, fixed) };
  }

  /** Returns the columns that can change for a typed result: none that changes together with another one of the formula. */
  private changeable(formula: PivotFormula, edit: MeasureEdit): string[] {
    const { planned } = this;
    const keys = usedBy(formula).map((column) => planned.keyBehind(column));
    const isAlone = (column: string) =>
      keys.filter((key) => key === planned.keyBehind(column)).length === 1;
    return changeable(formula, edit, this.sumOf).filter(isAlone);
  }

  /** Returns the column of the measure that changes for a typed result: the chosen one if it can. */
  private columnFor(formula: PivotFormula, edit: MeasureEdit): string | null {
    const offered = this.changeable(formula, edit);
    const wanted = edit.changes ?? this.amounts.choices.of(formula);
    return offered.find((column) => column === wanted) ?? offered[0] ?? null;
  }

  /** Returns the sum of a measure by its column. */
  private readonly sumOf = (column: string): number | null =>
    this.planned.totalOf(this.stored, column);

  private decimalsOf(key: string): number | null {
    return this.planned.fixedDecimals[key] ?? roundedTo(this.stored, key);
  }
}
