/** The forms of the panel, and the operation that they describe. */
import * as v from 'valibot';
import type { ScaleEdit } from '../contract/operations';
import type { SlicePreview } from '../contract/previews';
import { cautionOf, type Caution } from './caution';
import { FilledForm } from './filled-form';
import { KeptTotal } from './kept-total.svelte';
import type { Locks } from './locks.svelte';
import { MovementDraft } from './movement-draft.svelte';
import { noteOf, type Operation, type WriteSettings } from './operation';
import type { PlannedVersion } from './planned-version.svelte';
import {
  HELD_BY_PERCENT,
  LESS_THAN_A_UNIT,
  whyInexact,
  whyInProportion,
  whyNoShare,
} from './refusals';
import { scaleOutcome, type Amounts, type MeasureEdit, type ScaleOutcome } from './scale-draft';
import type { Selection } from './selection.svelte';
import { shapedAmounts, whyNoShape } from './shape';
import type { Shapes } from './shapes.svelte';
import { spread } from './spread-choice.svelte';

/** An edit, and the slice that was selected when it was typed. */
interface EditForSlice {
  edit: MeasureEdit;
  slice: string;
}

/** The measures whose totals are reshaped, and the slice that was selected when they were chosen. */
interface ReshapedForSlice {
  roles: readonly ('value' | 'units')[];
  slice: string;
}

/** The contents of the panel's forms before they are applied, and the resulting operation. */
export class OperationDraft {
  kind = $state<Operation['kind']>('scale');
  private valueEdit = $state.raw<EditForSlice | null>(null);
  private unitsEdit = $state.raw<EditForSlice | null>(null);
  holdPrice = $state(false);
  note = $state('');
  /** The measures whose present totals are to have the shape. */
  private reshaped = $state.raw<ReshapedForSlice | null>(null);
  /** The forms of a recode and a clone. */
  readonly movement: MovementDraft;
  readonly kept: KeptTotal;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly locks: Locks,
    readonly shapes: Shapes,
  ) {
    this.movement = new MovementDraft(planned, selection);
    this.kept = new KeptTotal(planned, selection);
  }

  /** The rows that a recode moves. Null for other operations, and until the service has answered. */
  get moved(): SlicePreview['free'] | null {
    return this.kind === 'recode' ? this.movement.moved : null;
  }

  get value(): MeasureEdit | null {
    return this.ifStillMeant(this.valueEdit);
  }
  set value(edit: MeasureEdit | null) {
    this.valueEdit = this.forCurrentSlice(edit);
  }

  get units(): MeasureEdit | null {
    return this.ifStillMeant(this.unitsEdit);
  }
  set units(edit: MeasureEdit | null) {
    this.unitsEdit = this.forCurrentSlice(edit);
  }

  private forCurrentSlice(edit: MeasureEdit | null): EditForSlice | null {
    return edit && { edit, slice: this.sliceKey };
  }

  /** The forms as text. */
  get filled(): string {
    const { kind, holdPrice, note } = this;
    const keepTotal = this.kept.isOn;
    const { factor, share, ramp } = this.movement;
    const { periods } = ramp;
    const [value, units] = [this.valueEdit, this.unitsEdit].map((typed) =>
      typed && readable(typed.edit) ? typed : null,
    );
    const [set, shift] = [this.movement.set, this.movement.shift].map((all) =>
      Object.fromEntries(all),
    );
    return JSON.stringify({
      ...{ kind, value, units, holdPrice, keepTotal, note, set, shift, factor, share, periods },
    });
  }

  /** Fills the forms with what {@link filled} returned; ignores anything else. */
  fill(filled: unknown): void {
    const { success, output } = v.safeParse(FilledForm, filled);
    if (!success) return;
    const { value, units, set, shift, factor, share, periods, keepTotal, ...fields } = output;
    Object.assign(this, fields);
    this.kept.isOn = keepTotal;
    [this.valueEdit, this.unitsEdit] = [value, units];
    this.movement.fill({ set, shift, factor, share, periods });
  }

  private get sliceKey(): string {
    return JSON.stringify(this.selection.current?.slice ?? null);
  }

  /** Returns a total or a change only for the cells that it was typed for. A percentage fits any cells. */
  private ifStillMeant(typed: EditForSlice | null): MeasureEdit | null {
    if (!typed) return null;
    const fits = typed.edit.by === 'percent' || typed.slice === this.sliceKey;
    return fits ? typed.edit : null;
  }

  readonly outcome = $derived.by<ScaleOutcome | null>(() => {
    const preview = this.selection.preview.answer;
    const { holdPrice } = this;
    const value = readable(this.value);
    const units = readable(this.units);
    const { isPartlyLocked } = this;
    const { fixedDecimals } = this.planned;
    return (
      preview && scaleOutcome({ value, units, holdPrice, isPartlyLocked }, preview, fixedDecimals)
    );
  });

  /**
   * Number of rows that the operation reads: a scale skips locked rows, a recode those that have the new values
   * already. Null while unknown.
   */
  get rowCount(): number | null {
    const { answer } = this.selection.preview;
    if (!answer) return null;
    if (this.kind === 'scale') return answer.free.row_count;
    return (this.moved ?? answer).row_count;
  }

  /**
   * The amounts of each measure that a clone adds or a recode moves; null while unknown, and for a measure that
   * the source lacks.
   */
  readonly carried = $derived.by(() => {
    const preview = this.selection.preview.answer;
    if (!preview) return { value: null, units: null };
    const { factor, share, ramp } = this.movement;
    if (this.kind === 'clone' && ramp.factors) return ramp.sums ?? { value: null, units: null };
    return this.kind === 'clone'
      ? this.movement.carried(preview, preview, factor)
      : this.movement.carried(this.moved ?? preview, preview, share);
  });

  /** A side effect of a scale that has to be confirmed; null if there is none. */
  readonly caution = $derived.by<Caution | null>(() => {
    const preview = this.selection.preview.answer;
    const { outcome } = this;
    if (this.kind !== 'scale' || !preview || !outcome) return null;
    const own = this.shapes.chosen ? null : cautionOf(outcome, preview, this.isEqual);
    return own ?? this.kept.caution(outcome);
  });

  private get isEqual(): boolean {
    return !this.shapes.chosen && spread.choice === 'equal' && this.whyInProportion === null;
  }

  /** Whether the present total of a measure is to have the shape, since nothing is typed into its fields. */
  isReshaped(role: 'value' | 'units'): boolean {
    const { reshaped, shapes } = this;
    const isMeant = reshaped?.slice === this.sliceKey && reshaped.roles.includes(role);
    return isMeant && shapes.chosen !== null && this[role] === null;
  }

  reshape(role: 'value' | 'units', isReshaped: boolean): void {
    const roles = (['value', 'units'] as const).filter((each) =>
      each === role ? isReshaped : this.isReshaped(each),
    );
    this.reshaped = { roles, slice: this.sliceKey };
  }

  /** The amounts and the spread of a scale with the chosen shape; null if there is no shape or no amount. */
  private readonly shaped = $derived.by(() => {
    const { chosen } = this.shapes;
    const { current, preview } = this.selection;
    const { outcome } = this;
    if (!chosen || !current || !preview.answer || !outcome) return null;
    const [value, units] = (['value', 'units'] as const).map((role) => ({
      ...{ edit: readable(this[role]), draft: outcome[role], isReshaped: this.isReshaped(role) },
    }));
    const amounts = value && units && shapedAmounts({ value, units });
    const made = this.shapes.made(chosen, current.slice, preview.answer);
    return { amounts: amounts ?? null, made };
  });

  /** The amounts of a scale, and how they are spread; null if the form has none. */
  private get scaleBody(): (Amounts & Pick<ScaleEdit, 'spread'>) | null {
    const { shaped, outcome } = this;
    if (!this.isReadable) return null;
    if (!this.shapes.chosen) {
      const equally = this.isEqual ? { spread: spread.choice } : {};
      return outcome?.amounts ? { ...outcome.amounts, ...equally } : null;
    }
    if (!shaped?.amounts || 'problem' in shaped.made || this.whyNoShape) return null;
    return { ...shaped.amounts, ...shaped.made };
  }

  /** Why the chosen shape does not fit the amounts; null if it does, or none is chosen. */
  private get whyNoShape(): string | null {
    const { value, units, holdPrice } = this;
    return this.shapes.chosen && whyNoShape({ edits: [value, units], holdPrice });
  }

  private confirmed = $state.raw<string | null>(null);

  /** Identifies the confirmation: another amount or another selection has to be confirmed again. */
  private get cautionKey(): string {
    return JSON.stringify([this.caution, this.outcome?.amounts, this.sliceKey]);
  }

  /** Whether the planner has confirmed {@link caution}. */
  get isConfirmed(): boolean {
    return this.confirmed === this.cautionKey;
  }
  set isConfirmed(confirmed: boolean) {
    this.confirmed = confirmed ? this.cautionKey : null;
  }

  /** Why Apply is disabled while Try is enabled; null if it is not. */
  readonly unconfirmed = $derived.by(() =>
    this.obstacle === null && this.caution?.kind === 'offset' && !this.isConfirmed
      ? 'The rows cancel each other out. Confirm the change, or try it first.'
      : null,
  );

  private get isPartlyLocked(): boolean {
    const { answer } = this.selection.preview;
    return answer !== null && answer.free.row_count < answer.row_count;
  }

  /** Why the amounts are spread in proportion in spite of the choice; null if the choice applies. */
  readonly whyInProportion = $derived.by(() => {
    const { value, units, holdPrice } = this;
    return whyInProportion({ value, units, holdPrice });
  });

  /** The operation as it would be sent; null while the form describes none. */
  readonly operation = $derived.by<Operation | null>(() => {
    const note = noteOf(this.note);
    const { fields, isShare, share, copy } = this.movement;
    switch (this.kind) {
      case 'scale': {
        const { scaleBody, kept } = this;
        if (!scaleBody || kept.whyNot(this.outcome)) return null;
        return { kind: 'scale', body: { ...scaleBody, ...kept.field, ...note } };
      }
      case 'recode': {
        if (!fields || !isShare) return null;
        return {
          kind: 'recode',
          body: { ...fields, ...(share !== 1 && { factor: share }), ...note },
        };
      }
      case 'clone':
        return copy && { kind: 'clone', body: { ...copy, ...note } };
    }
  });

  /** Why Apply is disabled; null if it is enabled. */
  readonly obstacle = $derived.by(() => {
    const { obstacle, preview } = this.selection;
    if (obstacle) return obstacle;
    // A clone only reads the selected rows.
    const locked =
      this.kind !== 'clone' && this.locks.obstacle(this.selection.current?.listed ?? {});
    if (locked) return locked;
    if (preview.failure) return preview.failure;
    if (!preview.answer) return 'The totals of the selection are still loading.';
    if (preview.answer.row_count === 0) return 'This selection has no rows to change.';
    if (this.kind === 'scale' && preview.answer.free.row_count === 0)
      return 'Every row of this selection is locked.';
    if (this.kind === 'recode' && preview.answer.held.row_count > 0)
      return 'Some of these rows are locked, so they cannot be recoded.';
    if (this.caution?.kind === 'cancelled')
      return 'The rows cancel each other out, so an amount cannot be spread in proportion to them.';
    const inexact = this.kind === 'scale' && this.inexact(preview.answer);
    if (inexact) return inexact;
    const unkept = this.kind === 'scale' && this.kept.whyNot(this.outcome);
    if (unkept) return unkept;
    if (this.operation) return this.whyNothing(preview.answer);
    if (this.kind === 'scale') return this.scaleObstacle();
    if (this.movement.isUnreadable)
      return 'Enter an interval such as 3 months, -1 year or 2 weeks.';
    if (this.kind === 'clone') return this.movement.ramp.problem ?? 'Enter a factor.';
    return this.movement.isShare
      ? 'Choose a new value for at least one column, or move its dates.'
      : 'Enter a share above 0 and at most 1, such as 30%.';
  });

  /** Why the operation would change nothing; null if it would change something, or if only the service knows. */
  private whyNothing(preview: SlicePreview): string | null {
    const { free, held } = preview;
    const { ramp } = this.movement;
    if (this.kind === 'clone' && ramp.factors) return ramp.refusal;
    if (this.kind === 'clone' && held.row_count === 0) {
      return whyNoShare('copy', this.movement.factor ?? 1, free, preview);
    }
    if (this.kind === 'recode') return this.movement.whyNothingMoves(preview);
    const pct = this.kind === 'scale' ? this.outcome?.amounts?.pct : null;
    return pct == null ? null : whyNoShare('change', pct / 100, free, preview);
  }

  private get isReadable(): boolean {
    return [this.value, this.units].every((edit) => readable(edit) === edit);
  }

  /**
   * Whether an amount depends on the current totals, which may have changed since they were shown. At a held
   * price, one measure follows from both totals.
   */
  get dependsOnTotals(): boolean {
    return this.kind === 'scale' && this.holdPrice && this.outcome?.amounts?.pct == null;
  }

  private inexact(preview: SlicePreview): string | null {
    for (const role of ['value', 'units'] as const) {
      const edit = readable(this[role]);
      const decimals = this.planned.fixedDecimals[role] ?? preview[`${role}_decimals`];
      const why = edit && whyInexact(edit, preview[`${role}_total`] ?? 0, decimals);
      if (why) return why;
    }
    return null;
  }

  private scaleObstacle(): string {
    const { value, units, outcome } = this;
    const problem = this.value?.problem ?? this.units?.problem;
    if (!this.isReadable) return problem ?? 'One of the amounts is not a number.';
    const { shaped, whyNoShape } = this;
    if (whyNoShape) return whyNoShape;
    if (shaped && 'problem' in shaped.made) return shaped.made.problem;
    if (!value && !units) return 'Enter a new total, a change or a percentage.';
    if (this.holdPrice && this.isPartlyLocked) return HELD_BY_PERCENT;
    if (outcome?.unroundedUnits != null && outcome.units?.change === 0) return LESS_THAN_A_UNIT;
    const ofNothing = (['value', 'units'] as const).some(
      (role) => this[role]?.by === 'percent' && outcome?.[role]?.now === 0,
    );
    return ofNothing
      ? 'This total is 0, so a percentage has no effect. Enter an amount, or hold the price to change every row of the selection by the percentage.'
      : 'This changes nothing.';
  }

  /** The settings for the next write. A source without units has no price to hold. */
  get settings(): WriteSettings {
    const { valueColumn, unitsColumn } = this.planned;
    const holdPrice = this.holdPrice && valueColumn !== undefined && unitsColumn !== undefined;
    const { shapes, kept, note } = this;
    const { choice } = spread;
    return { spread: choice, shape: shapes.chosen, holdPrice, keepTotal: kept.isOn, note };
  }

  /**
   * Returns the settings for a write that begins now, and removes the note from the form: the next write has
   * none.
   */
  takeSettings(settings = this.settings): WriteSettings {
    if (this.note === settings.note) this.note = '';
    return settings;
  }

  /** Restores the note of a failed write to the form, unless another one was typed meanwhile. */
  giveBack({ note }: WriteSettings): void {
    if (this.note === '') this.note = note;
  }

  /**
   * Returns a function that empties the form once its current contents are applied. It keeps anything that
   * was typed since.
   */
  clearingAfter(): () => void {
    const [value, units, note] = [this.valueEdit, this.unitsEdit, this.note];
    const { reshaped } = this;
    const clearMovement = this.movement.clearingAfter();
    return () => {
      if (this.valueEdit === value) this.valueEdit = null;
      if (this.unitsEdit === units) this.unitsEdit = null;
      if (this.note === note) this.note = '';
      if (this.reshaped === reshaped) this.reshaped = null;
      clearMovement();
    };
  }
}

/** Returns the edit if its amount is a number; null otherwise. */
const readable = (edit: MeasureEdit | null): MeasureEdit | null =>
  edit && !Number.isNaN(edit.amount) ? edit : null;
