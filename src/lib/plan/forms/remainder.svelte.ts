/** What becomes of the difference between actuals and plan when months are closed. */
import { Latest } from '../../client/latest.svelte';
import type { ActualsAnswer } from '../../contract/actuals';
import type { SlicePreview } from '../../contract/previews';
import type { Shape } from '../../contract/shapes';
import type { Slice } from '../../contract/slices';
import { tidyChange } from '../../pivot/values/cell-value';
import { totalOf, amountField, joinedAmounts, type AmountFields } from '../../contract/measures';
import { dayAfter, lastOfMonth, monthOf } from '../../contract/calendar';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { MadeShape, ShapeChoice } from '../amounts/shape';
import type { Shapes } from './shapes.svelte';

/** The difference stays, or a scale spreads it over later months. */
type How = 'stays' | 'proportional' | 'equal' | 'shape';

/** The totals of closed days before and after, and the last of these days. */
type Closed = Pick<ActualsAnswer, 'before' | 'after' | 'through'>;

/** A scale of the months after a close, without its user. */
interface SpreadOfDifference extends AmountFields {
  slice: Slice;
  spread: 'proportional' | 'equal' | Shape;
  note: string;
}

/** The choice of what becomes of the difference, with the months that take it. */
export class Remainder {
  how = $state<How>('stays');
  /** The last month that takes a part of the difference, such as "2027-12". */
  until = $state('');
  /** The key of the chosen shape; null for the first one. */
  private key = $state.raw<string | null>(null);
  /** The months that take the difference, as they are before. */
  readonly months = new Latest<SlicePreview>();

  constructor(
    private readonly planned: PlannedVersion,
    private readonly shapes: Shapes,
  ) {}

  /** The shapes to choose from. Months without rows in the plan are left out, because they cannot take a part. */
  readonly offers = $derived.by(() =>
    this.shapes.offers.map((offer) => {
      const choice: ShapeChoice =
        offer.choice.kind === 'like' ? { ...offer.choice, leavesOut: true } : offer.choice;
      return { ...offer, choice };
    }),
  );

  private readonly offer = $derived.by(
    () => this.offers.find(({ key }) => key === this.key) ?? this.offers[0],
  );

  /** The key of the shape; empty if the source has none. */
  get shape(): string {
    return this.offer?.key ?? '';
  }

  set shape(key: string) {
    this.key = key;
  }

  /** Begins with a difference that stays. */
  clear(): void {
    this.how = 'stays';
    this.until = '';
    this.months.clear();
    this.shapes.read();
  }

  /** Reads the months that take the difference of a close. @param through the last closed day */
  read(through: string): void {
    const slice = this.sliceAfter(through);
    if (!slice || this.how === 'stays') return this.months.clear();
    this.months.ask((signal) => this.planned.readSlice(slice, signal, true));
  }

  /** Why the difference cannot be spread as chosen, as a sentence; null if it can, or while the months are read. */
  readonly obstacle: string | null = $derived.by(() => {
    const { how, months } = this;
    if (how === 'stays' || months.failure !== null) return months.failure;
    const made = how === 'shape' && months.answer ? this.made({}, months.answer) : null;
    return made && 'problem' in made ? made.problem : null;
  });

  /** Whether the scale can be made. */
  readonly isReady: boolean = $derived(
    this.obstacle === null && (this.how !== 'shape' || this.months.answer !== null),
  );

  /**
   * Returns the scale that spreads the difference of a close over the months after it, so that the plan through
   * {@link until} keeps its total; null if the difference stays, is 0, or cannot have the shape.
   */
  scaleAfter({ before, after, through }: Closed): SpreadOfDifference | null {
    const { how } = this;
    const slice = this.sliceAfter(through);
    if (how === 'stays' || !slice || !this.isReady) return null;
    const increments = joinedAmounts(
      this.planned.measureKeys.map((key) => {
        const missing = tidyChange((totalOf(before, key) ?? 0) - (totalOf(after, key) ?? 0));
        return missing === 0 ? null : amountField(key, 'incr', missing);
      }),
    );
    if (!increments) return null;
    const { answer } = this.months;
    const made = how !== 'shape' ? { spread: how } : answer ? this.made(slice, answer) : null;
    if (!made || 'problem' in made) return null;
    return {
      slice,
      ...increments,
      spread: made.spread,
      note: `Difference of the months through ${monthOf(through)}`,
    };
  }

  private made(slice: Slice, months: SlicePreview): MadeShape {
    const { offer } = this;
    return offer
      ? this.shapes.made(offer.choice, slice, months)
      : { problem: 'The source has no date, so it has no shapes.' };
  }

  private sliceAfter(through: string): Slice | null {
    const { dateColumn } = this.planned;
    if (dateColumn === undefined || this.until === '' || through === '') return null;
    return { [dateColumn]: { from: dayAfter(through), to: lastOfMonth(this.until) } };
  }
}
