/** The forms of the panel, and the operation that they describe. */
import { SvelteMap } from 'svelte/reactivity';
import * as v from 'valibot';
import * as api from '../client/api';
import { Latest } from '../client/latest.svelte';
import { roundedProduct } from '../contract/decimals';
import type { SliceOperation, SliceRequests } from '../contract/operations';
import type { Slice } from '../contract/slices';
import type { SlicePreview } from '../contract/previews';
import type { Scalar } from '../contract/primitives';
import { FilledForm } from './filled-form';
import type { Locks } from './locks.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import { HELD_BY_PERCENT, LESS_THAN_A_UNIT } from './refusals';
import type { Caution, MeasureEdit, ScaleOutcome } from './scale-draft';
import { cautionOf, scaleOutcome, whyInexact, whyInProportion, whyNoShare } from './scale-draft';
import type { Selection } from './selection.svelte';
import { spread, type Spread } from './spread-choice.svelte';

/** An operation as the panel makes it. The slice and the user are added when it is sent. */
export type Operation = {
  [O in SliceOperation]: { kind: O; body: Omit<SliceRequests[O], 'slice' | 'pf_user'> };
}[SliceOperation];

export type OperationBody = SliceRequests[SliceOperation];

/** An operation as it is sent. */
export interface OperationRequest {
  kind: SliceOperation;
  body: OperationBody;
}

/** Returns the request body of an operation on a slice. */
export const bodyOf = (operation: Operation, slice: Slice, pf_user: string): OperationBody => ({
  slice,
  ...operation.body,
  pf_user,
});

/** The panel's settings for the next write, whether its amounts are typed into the panel or into cells. */
export interface WriteSettings {
  spread: Spread;
  /** Whether each row keeps its value per unit. */
  holdPrice: boolean;
  /** The note of the log entry; empty for none. */
  note: string;
}

/** Returns the part of a request that carries a note; empty for a blank one. */
export const noteOf = (note: string): { note?: string } => (note.trim() === '' ? {} : { note });

/** An edit, and the slice that was selected when it was typed. */
interface EditForSlice {
  edit: MeasureEdit;
  slice: string;
}

/** The contents of the panel's forms before they are applied, and the resulting operation. */
export class OperationDraft {
  kind = $state<Operation['kind']>('scale');
  private valueEdit = $state.raw<EditForSlice | null>(null);
  private unitsEdit = $state.raw<EditForSlice | null>(null);
  holdPrice = $state(false);
  /** The factor of a clone. */
  factor = $state<number | null>(1);
  /** The share of each row that a recode moves: above 0, at most 1. */
  share = $state<number | null>(1);
  note = $state('');
  /** The column whose new value the user types next; null if there is none. */
  asksFor = $state.raw<string | null>(null);
  /** Column → new value; null is the empty value. Columns that keep their value are absent. */
  readonly set = new SvelteMap<string, Scalar | null>();

  /** The totals of the selection; `free` are the rows that a recode moves. */
  private readonly recoded = new Latest<SlicePreview>();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly locks: Locks,
  ) {}

  /** The rows that a recode moves: those without the new values. Null until the service has answered. */
  get moved(): SlicePreview['free'] | null {
    return this.kind !== 'recode' || this.recoded.waiting
      ? null
      : (this.recoded.answer?.free ?? null);
  }

  /** Asks the service for {@link moved}. */
  askRecoded(): void {
    const slice = this.selection.current?.slice;
    const set = Object.fromEntries(this.set);
    if (this.kind !== 'recode' || !slice || this.set.size === 0) this.recoded.clear();
    else {
      this.recoded.ask((signal) => api.previewSlice(this.planned.id, slice, { signal }, [set]));
    }
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
    const { kind, holdPrice, factor, share, note } = this;
    const [value, units] = [this.valueEdit, this.unitsEdit].map((typed) =>
      typed && readable(typed.edit) ? typed : null,
    );
    const set = Object.fromEntries(this.set);
    return JSON.stringify({ kind, value, units, holdPrice, factor, share, note, set });
  }

  /** Fills the forms with what {@link filled} returned; ignores anything else. */
  fill(filled: unknown): void {
    const { success, output } = v.safeParse(FilledForm, filled);
    if (!success) return;
    const { value, units, set, ...fields } = output;
    Object.assign(this, fields);
    [this.valueEdit, this.unitsEdit] = [value, units];
    for (const [column, to] of Object.entries(set)) this.set.set(column, to);
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
    const isClone = this.kind === 'clone';
    const factor = isClone ? this.factor : this.share;
    const rows = isClone ? preview : (this.moved ?? preview);
    const carried = (role: 'value' | 'units') => {
      const total = rows?.[`${role}_total`] ?? null;
      if (!preview || total === null || factor === null || Number.isNaN(factor)) return null;
      const decimals = preview[`${role}_decimals`];
      return decimals === null ? total * factor : roundedProduct(total, factor, decimals);
    };
    return { value: carried('value'), units: carried('units') };
  });

  /** A side effect of a scale that has to be confirmed; null if there is none. */
  readonly caution = $derived.by<Caution | null>(() => {
    const preview = this.selection.preview.answer;
    const { outcome } = this;
    if (this.kind !== 'scale' || !preview || !outcome) return null;
    return cautionOf(outcome, preview, this.isEqual);
  });

  private get isEqual(): boolean {
    return spread.choice === 'equal' && this.whyInProportion === null;
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
    const set = Object.fromEntries(this.set);
    switch (this.kind) {
      case 'scale': {
        const amounts = this.isReadable ? this.outcome?.amounts : null;
        const equally = this.isEqual ? { spread: spread.choice } : {};
        return amounts ? { kind: 'scale', body: { ...amounts, ...equally, ...note } } : null;
      }
      case 'recode':
        return this.set.size > 0 && this.isShare
          ? {
              kind: 'recode',
              body: { set, ...(this.share !== 1 && { factor: this.share }), ...note },
            }
          : null;
      case 'clone':
        return this.factor === null || Number.isNaN(this.factor)
          ? null
          : { kind: 'clone', body: { set, scale_factor: this.factor, ...note } };
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
    if (this.operation) return this.whyNothing(preview.answer);
    if (this.kind === 'scale') return this.scaleObstacle();
    if (this.kind === 'recode') {
      return this.isShare
        ? 'Choose a new value for at least one column.'
        : 'Enter a share above 0 and at most 1, such as 30%.';
    }
    return 'Enter a factor.';
  });

  /** Why the operation would change nothing; null if it would change something, or if only the service knows. */
  private whyNothing(preview: SlicePreview): string | null {
    const { moved } = this;
    const { free, held } = preview;
    if (this.kind === 'clone' && held.row_count === 0) {
      return whyNoShare('copy', this.factor ?? 1, free, preview);
    }
    const pct = this.kind === 'scale' ? this.outcome?.amounts?.pct : null;
    if (pct != null) return whyNoShare('change', pct / 100, free, preview);
    if (!moved) return null;
    if (moved.row_count > 0) return whyNoShare('move', this.share ?? 1, moved, preview);
    // A new date also moves rows whose periods are not those of the calendar.
    return this.setsPeriods ? null : 'These rows already have these values.';
  }

  private get isShare(): boolean {
    const { share } = this;
    return share !== null && share > 0 && share <= 1;
  }

  /** Whether the new values include a date that columns are derived from. */
  private get setsPeriods(): boolean {
    const { columns } = this.planned;
    return (
      columns.some((c) => c.role === 'date' && this.set.has(c.cname)) &&
      columns.some((c) => c.dim_period_col !== null)
    );
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
    return { spread: spread.choice, holdPrice, note: this.note };
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
    const { factor, share } = this;
    const set = [...this.set];
    return () => {
      if (this.valueEdit === value) this.valueEdit = null;
      if (this.unitsEdit === units) this.unitsEdit = null;
      if (this.factor === factor) this.factor = 1;
      if (this.share === share) this.share = 1;
      if (this.note === note) this.note = '';
      for (const [column, to] of set) if (this.set.get(column) === to) this.set.delete(column);
    };
  }
}

/** Returns the edit if its amount is a number; null otherwise. */
const readable = (edit: MeasureEdit | null): MeasureEdit | null =>
  edit && !Number.isNaN(edit.amount) ? edit : null;
