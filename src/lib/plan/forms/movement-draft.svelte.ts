/** The forms of a recode and a clone: where the selection moves or is copied to, and how much of it. */
import { SvelteMap } from 'svelte/reactivity';
import { Latest } from '../../client/latest.svelte';
import { roundedProduct } from '../../contract/decimals';
import type { SlicePreview } from '../../contract/previews';
import type { Scalar } from '../../contract/primitives';
import type { Slice } from '../../contract/slices';
import type { FilledMovement } from './filled-form';
import {
  keysIn,
  type Measured,
  roundedTo,
  totalOf,
  type WithDecimals,
} from '../../contract/measures';
import type { PlannedVersion } from '../version/planned-version.svelte';
import { Ramp } from './ramp.svelte';
import { whyNoShare } from '../amounts/refusals';
import type { Selection } from '../selection/selection.svelte';

/** An interval of the form that cannot be read. */
export const UNREADABLE = '';

/** The contents of the forms of a recode and a clone. */
export class MovementDraft {
  /** The factor of a clone; with a {@link ramp}, that of the days outside its periods. */
  factor = $state<number | null>(1);
  /** The factors of a clone by periods. */
  readonly ramp: Ramp;
  /** The share of each row that a recode moves: above 0, at most 1. */
  share = $state<number | null>(1);
  /** Whether a recode moves the rows that are not locked, if others are. */
  leavesLocked = $state(false);
  /** The column whose new value the user types next; null if there is none. */
  asksFor = $state.raw<string | null>(null);
  /** Column → new value; null is the empty value. Columns that keep their value are absent. */
  readonly set = new SvelteMap<string, Scalar | null>();
  /** Date column → interval that its dates are moved by, or {@link UNREADABLE}. */
  readonly shift = new SvelteMap<string, string>();

  /** The totals of the selection; `free` are the rows that a recode moves. */
  private readonly recoded = new Latest<SlicePreview>();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
  ) {
    this.ramp = new Ramp(planned);
  }

  /** Sets the new value of a column; undefined keeps its value. A date that is set is not moved. */
  setTo(column: string, value: Scalar | null | undefined): void {
    if (value === undefined) this.set.delete(column);
    else {
      this.set.set(column, value);
      this.shift.delete(column);
    }
  }

  /** Moves the dates of a column by an interval; null leaves them. A date that is moved is not set. */
  shiftBy(column: string, interval: string | null): void {
    if (interval === null) this.shift.delete(column);
    else {
      this.shift.set(column, interval);
      this.set.delete(column);
    }
  }

  /** Fills the forms with stored contents. */
  fill({ set, shift, factor, share, periods }: FilledMovement): void {
    Object.assign(this, { factor, share });
    this.ramp.periods = periods;
    for (const [column, to] of Object.entries(set)) this.setTo(column, to);
    for (const [column, by] of Object.entries(shift)) this.shiftBy(column, by);
  }

  /** Removes new values, intervals and periods. */
  clear(): void {
    this.set.clear();
    this.shift.clear();
    this.ramp.periods = [];
  }

  /** The fields of a recode or a clone; null while the form has none, or an interval cannot be read. */
  readonly fields = $derived.by(() => {
    if (this.isUnreadable || this.set.size + this.shift.size === 0) return null;
    const shift = this.shift.size > 0 && { shift: Object.fromEntries(this.shift) };
    return { set: Object.fromEntries(this.set), ...shift };
  });

  /** The fields of a clone; null while one of them cannot be read. */
  readonly copy = $derived.by(() => {
    const { factor, ramp } = this;
    if (this.isUnreadable || !this.isFactor || ramp.problem !== null) return null;
    const factors = ramp.factors && { factors: ramp.factors };
    return { set: {}, ...this.fields, scale_factor: factor, ...factors };
  });

  /**
   * Returns the slice that contains the rows of another one after their move or copy; null while the form has no new
   * values. Dates that move, and the periods of a date that changes, do not restrict it.
   */
  targetOf(slice: Slice): Slice | null {
    if (!this.fields) return null;
    const { set, shift } = this;
    const { columns, joined } = this.planned;
    const isMoved = (cname: string) => set.has(cname) || shift.has(cname);
    const dates = columns.filter(({ cname, role }) => role === 'date' && isMoved(cname));
    const groups = dates.map(({ dim_group }) => dim_group).filter((group) => group !== null);
    const open = columns
      .filter(
        ({ cname, dim_group }) =>
          shift.has(cname) ||
          groups.some((each) => each === dim_group) ||
          joined.keysOf(cname)?.some(isMoved),
      )
      .map(({ cname }) => cname);
    const kept = Object.entries(slice).filter(([cname]) => !open.includes(cname));
    return { ...Object.fromEntries(kept), ...this.fields.set };
  }

  /** Whether an interval cannot be read. */
  get isUnreadable(): boolean {
    return [...this.shift.values()].includes(UNREADABLE);
  }

  /** Whether {@link share} can be sent. */
  get isShare(): boolean {
    const { share } = this;
    return share !== null && share > 0 && share <= 1;
  }

  /** Whether {@link factor} can be sent. */
  get isFactor(): boolean {
    return this.factor !== null && !Number.isNaN(this.factor);
  }

  /**
   * The rows that a recode moves: those that it changes and that are not locked. Null until the service has answered,
   * and while the form has no new values.
   */
  get moved(): SlicePreview['free'] | null {
    return this.recoded.waiting ? null : (this.recoded.answer?.free ?? null);
  }

  /** Asks the service for {@link moved}. */
  askMoved(): void {
    const slice = this.selection.current?.slice;
    const { fields } = this;
    if (!slice || !fields) return this.recoded.clear();
    // Rows that have the new values already stay, and so do missing dates that would be moved.
    const missing = [...this.shift.keys()].map((column) => [column, null] as const);
    const stay = { ...fields.set, ...Object.fromEntries(missing) };
    this.recoded.ask((signal) => this.planned.readSlice(slice, signal, false, [stay]));
  }

  /** Asks the service for the amounts of a copy that has a {@link ramp}. */
  askCopied(): void {
    const slice = this.selection.current?.slice;
    const { copy, ramp, planned } = this;
    // The service previews stored rows only, without those that are being tried.
    const isStored = planned.tried === null;
    ramp.ask(slice && copy && ramp.factors && isStored ? { slice, ...copy } : null);
  }

  /**
   * Returns the amounts of each measure that are multiplied by a factor and rounded; null while unknown.
   */
  carried(
    rows: Measured,
    decimals: WithDecimals,
    factor: number | null,
  ): Record<string, number | null> {
    const carried = (key: string) => {
      const total = totalOf(rows, key);
      if (total === null || factor === null || Number.isNaN(factor)) return null;
      const places = roundedTo(decimals, key);
      return places === null ? total * factor : roundedProduct(total, factor, places);
    };
    return Object.fromEntries(keysIn(rows).map((key) => [key, carried(key)]));
  }

  /** Returns why a recode would change nothing; null if it would change something, or if only the service knows. */
  whyNothingMoves(decimals: WithDecimals): string | null {
    const { moved } = this;
    if (!moved) return null;
    if (moved.row_count > 0) return whyNoShare('move', this.share ?? 1, moved, decimals);
    if (this.shift.size > 0) return 'These rows have no date that could be moved.';
    // A new date also moves rows whose periods are not those of the calendar.
    return this.setsPeriods ? null : 'These rows already have these values.';
  }

  /** Whether the new values include a date that columns are derived from. */
  private get setsPeriods(): boolean {
    const { columns } = this.planned;
    return (
      columns.some((c) => c.role === 'date' && this.set.has(c.cname)) &&
      columns.some((c) => c.dim_period_col !== null)
    );
  }

  /** Returns a function that empties the form, except for anything that was typed since. */
  clearingAfter(): () => void {
    const { factor, share, leavesLocked } = this;
    const clearRamp = this.ramp.clearingAfter();
    const [set, shift] = [[...this.set], [...this.shift]];
    return () => {
      if (this.factor === factor) this.factor = 1;
      if (this.share === share) this.share = 1;
      if (this.leavesLocked === leavesLocked) this.leavesLocked = false;
      clearRamp();
      for (const [column, to] of set) if (this.set.get(column) === to) this.set.delete(column);
      for (const [column, by] of shift)
        if (this.shift.get(column) === by) this.shift.delete(column);
    };
  }
}
