/** The forms of the panel, and the operation that they describe. */
import * as v from 'valibot';
import type { ScaleEdit } from '../../contract/operations';
import type { SlicePreview } from '../../contract/previews';
import type { Slice } from '../../contract/slices';
import { cautionOf, type Caution } from '../amounts/caution';
import { FilledForm } from './filled-form';
import { KeptTotal } from './kept-total.svelte';
import type { Locks } from '../records/locks.svelte';
import { MeasureEdits } from './measure-edits.svelte';
import { byKey, keysIn, roundedTo, type AmountFields, totalOf } from '../../contract/measures';
import {
  followedOutcome,
  scaleOutcome,
  type MeasureDraft,
  type MeasureEdit,
  type ScaleDraft,
  type ScaleOutcome,
} from '../amounts/scale-draft';
import { MovementDraft } from './movement-draft.svelte';
import { NextSettings } from './next-settings.svelte';
import { noteOf, type Operation, type WriteSettings } from '../amounts/operation';
import type { PlannedVersion } from '../version/planned-version.svelte';
import {
  hasNoFreePrice,
  HELD_BY_ONE,
  LESS_THAN_A_UNIT,
  NO_FREE_PRICE,
  whyInexact,
  whyInProportion,
  whyNoShare,
  whyReadOnly,
} from '../amounts/refusals';
import type { Selection } from '../selection/selection.svelte';
import { shapedAmounts, type ShapedMeasure, whyNoShape } from '../amounts/shape';
import type { Shapes } from './shapes.svelte';

/** The contents of the panel's forms before they are applied, and the resulting operation. */
export class OperationDraft {
  kind = $state<Operation['kind']>('scale');
  /** The amounts of a scale by measure. */
  readonly edits = new MeasureEdits(() => this.sliceKey);
  holdPrice = $state(false);
  note = $state('');
  /** The forms of a recode and a clone. */
  readonly movement: MovementDraft;
  readonly kept: KeptTotal;
  /** Which of the settings stay for later writes. */
  readonly next: NextSettings;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly selection: Selection,
    private readonly locks: Locks,
    readonly shapes: Shapes,
  ) {
    this.movement = new MovementDraft(planned, selection);
    this.kept = new KeptTotal(planned, selection);
    this.next = this.nextSettings();
    this.next.pin('spread', shapes.overLeaves === 'equal');
  }

  /** The rows that a recode moves. Null for other operations, and until the service has answered. */
  get moved(): SlicePreview['free'] | null {
    return this.kind === 'recode' ? this.movement.moved : null;
  }

  /** The forms as text. */
  get filled(): string {
    const { kind, holdPrice, note } = this;
    const keepTotal = this.kept.isOn;
    const { factor, share, ramp } = this.movement;
    const { periods } = ramp;
    const [set, shift] = [this.movement.set, this.movement.shift].map((all) =>
      Object.fromEntries(all),
    );
    const { overLeaves: spread, chosen: shape } = this.shapes;
    // A shape is not stored, and its pin would hold for the next choice.
    const pinned = this.next.pinned.filter((name) => name !== 'spread' || shape === null);
    return JSON.stringify({
      ...{ kind, ...this.edits.stored, holdPrice, keepTotal, note, set, shift, factor, share },
      ...{ periods, spread, pinned },
    });
  }

  /** Fills the forms with what {@link filled} returned; ignores anything else. */
  fill(filled: unknown): void {
    const { success, output } = v.safeParse(FilledForm, filled);
    if (!success) return;
    const { kind, holdPrice, note, set, shift, factor, share, periods, keepTotal } = output;
    const { spread, pinned } = output;
    Object.assign(this, { kind, holdPrice, note });
    this.kept.isOn = keepTotal;
    this.edits.fill(output);
    if (spread && !this.next.isPinned('spread')) this.shapes.overLeaves = spread;
    this.next.pinned = [...pinned, ...this.next.pinned];
    this.movement.fill({ set, shift, factor, share, periods });
  }

  private get sliceKey(): string {
    return JSON.stringify(this.selection.current?.slice ?? null);
  }

  /** The edits of the measures as the arithmetic takes them; amounts that are no numbers are left out. */
  private get scaleDraft(): ScaleDraft {
    const { edits, holdPrice, isPartlyLocked, planned } = this;
    const typed = byKey(planned.measureKeys, (key) => readable(edits.of(key)));
    return { edits: { value: null, units: null, ...typed }, holdPrice, isPartlyLocked };
  }

  readonly outcome = $derived.by<ScaleOutcome | null>(() => {
    const preview = this.selection.preview.answer;
    return preview && scaleOutcome(this.scaleDraft, preview, this.planned.fixedDecimals);
  });

  /** The measures that follow the percentage of value, if the value changes without a shape. */
  private get following(): readonly string[] {
    const { outcome } = this;
    const isFollowed = outcome?.drafts.value && outcome.drafts.value.change !== 0;
    return !isFollowed || outcome.amounts?.pct != null || this.shapes.chosen ? [] : this.followedBy;
  }

  /** The measures that are chosen to follow the percentage of value. */
  private get followedBy(): string[] {
    return this.planned.followerKeys.filter((key) => this.edits.isFollowing(key));
  }

  /**
   * The measures that follow the percentage of value, before and after; none if each leaf has a percentage of its
   * own, because the service spreads the value in another way than in proportion.
   */
  readonly followers = $derived.by<readonly (readonly [key: string, draft: MeasureDraft])[]>(() => {
    const preview = this.selection.preview.answer;
    const value = this.outcome?.drafts.value;
    const edit = this.edits.of('value');
    if (!preview || !value || !edit || this.isEqual || this.holdPrice) return [];
    return this.following.flatMap((key) => {
      const draft = followedOutcome(key, edit, value, preview, this.planned.fixedDecimals[key]);
      return draft ? [[key, draft] as const] : [];
    });
  });

  /**
   * Number of rows that the operation reads: scale and recode skip locked rows, a recode those that have the new
   * values already. Null while unknown.
   */
  get rowCount(): number | null {
    const { answer } = this.selection.preview;
    if (!answer) return null;
    if (this.kind === 'clone') return answer.row_count;
    return (this.moved ?? answer.free).row_count;
  }

  /**
   * The amounts of each measure that a clone adds or a recode moves; none while unknown.
   */
  readonly carried = $derived.by<Readonly<Record<string, number | null>>>(() => {
    const preview = this.selection.preview.answer;
    if (!preview) return {};
    const { factor, share, ramp } = this.movement;
    if (this.kind === 'clone' && ramp.factors) return ramp.sums ?? {};
    return this.kind === 'clone'
      ? this.movement.carried(preview, preview, factor)
      : this.movement.carried(this.moved ?? preview.free, preview, share);
  });

  /** A side effect of a scale that has to be confirmed; null if there is none. */
  readonly caution = $derived.by<Caution | null>(() => {
    const preview = this.selection.preview.answer;
    const { outcome } = this;
    if (this.kind !== 'scale' || !preview || !outcome) return null;
    const own = this.shapes.chosen ? null : cautionOf(outcome, preview, this.isEqual);
    return own ?? this.kept.caution(outcome.drafts);
  });

  private get isEqual(): boolean {
    return (
      !this.shapes.chosen && this.shapes.overLeaves === 'equal' && this.whyInProportion === null
    );
  }

  /** The amounts and the spread of a scale with the chosen shape; null if there is no shape or no amount. */
  private readonly shaped = $derived.by(() => {
    const { chosen } = this.shapes;
    const { current, preview } = this.selection;
    const { outcome } = this;
    if (!chosen || !current || !preview.answer || !outcome) return null;
    const { edits, planned } = this;
    const measures = planned.measureKeys.map((key): [string, ShapedMeasure] => {
      const edit = readable(edits.of(key));
      return [key, { edit, draft: outcome.drafts[key] ?? null, isReshaped: edits.isReshaped(key) }];
    });
    const made = this.shapes.made(chosen, current.slice, preview.answer);
    return { amounts: shapedAmounts(Object.fromEntries(measures)), made };
  });

  /** The amounts of a scale, and how they are spread; null if the form has none. */
  private get scaleBody(): (AmountFields & Pick<ScaleEdit, 'spread'>) | null {
    const { shaped, outcome } = this;
    if (!this.isReadable) return null;
    if (!this.shapes.chosen) {
      const equally = this.isEqual ? { spread: this.shapes.overLeaves } : {};
      const followed = this.following.length > 0 ? { with: [...this.following] } : {};
      return outcome?.amounts ? { ...outcome.amounts, ...followed, ...equally } : null;
    }
    if (!shaped?.amounts || 'problem' in shaped.made || this.whyNoShape) return null;
    return { ...shaped.amounts, ...shaped.made };
  }

  /** Why the chosen shape does not fit the amounts; null if it does, or none is chosen. */
  private get whyNoShape(): string | null {
    const { holdPrice } = this;
    return this.shapes.chosen && whyNoShape({ edits: this.allEdits, holdPrice });
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
  readonly whyInProportion = $derived.by(() => whyInProportion(this.scaleDraft));

  /** The operation as it would be sent; null while the form describes none. */
  readonly operation = $derived.by<Operation | null>(() => {
    const note = noteOf(this.note);
    const { fields, isShare, share, copy, leavesLocked } = this.movement;
    switch (this.kind) {
      case 'scale': {
        const { scaleBody, kept } = this;
        if (!scaleBody || kept.whyNot(this.outcome?.drafts ?? null)) return null;
        return { kind: 'scale', body: { ...scaleBody, ...kept.field, ...note } };
      }
      case 'recode': {
        if (!fields || !isShare) return null;
        return {
          kind: 'recode',
          body: {
            ...{ ...fields, ...(share !== 1 && { factor: share }) },
            ...(leavesLocked && this.isPartlyLocked && { leave_locked: true }),
            ...note,
          },
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
    if (this.kind !== 'clone') {
      const locked = this.planned.beyond(this.listed) ?? this.locks.obstacle(this.listed);
      if (locked) return locked;
    }
    if (preview.failure) return preview.failure;
    if (!preview.answer) return 'The totals of the selection are still loading.';
    if (preview.answer.row_count === 0) return 'This selection has no rows to change.';
    if (this.kind !== 'clone' && preview.answer.free.row_count === 0)
      return 'Every row of this selection is locked.';
    const notThere = this.whyNotThere();
    if (notThere) return notThere;
    if (this.kind === 'recode' && this.isPartlyLocked && !this.movement.leavesLocked)
      return 'Some of these rows are locked, so they cannot be recoded. Choose above to move the others.';
    const readOnly = this.kind === 'recode' && whyReadOnly(preview.answer, keysIn(preview.answer));
    if (readOnly) return readOnly;
    if (this.caution?.kind === 'cancelled')
      return 'The rows cancel each other out, so an amount cannot be spread in proportion to them.';
    const refused = this.kind === 'scale' && this.whyNoEdit(preview.answer);
    if (refused) return refused;
    const unkept = this.kind === 'scale' && this.kept.whyNot(this.outcome?.drafts ?? null);
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

  /** Why no row with the new values may be written; null if some may. */
  private whyNotThere(): string | null {
    const target = this.kind === 'scale' ? null : this.movement.targetOf(this.listed);
    if (target === null) return null;
    if (this.planned.beyond(target)) return 'Your territories do not let you write the new values.';
    const lock = this.locks.obstacle(target);
    return lock && `With the new values, the rows would be locked. ${lock}`;
  }

  /** The selection with the days of its months; everything if there is none. */
  private get listed(): Slice {
    return this.selection.current?.listed ?? {};
  }

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

  private get allEdits(): (MeasureEdit | null)[] {
    return this.planned.measureKeys.map((key) => this.edits.of(key));
  }

  private get isReadable(): boolean {
    return this.allEdits.every((edit) => readable(edit) === edit);
  }

  /**
   * Whether an amount depends on the current totals, which may have changed since they were shown. At a held
   * price, one measure follows from both totals.
   */
  get dependsOnTotals(): boolean {
    return this.kind === 'scale' && this.holdPrice && this.outcome?.amounts?.pct == null;
  }

  private whyNoEdit(preview: SlicePreview): string | null {
    const { planned, edits } = this;
    for (const key of planned.measureKeys) {
      const edit = readable(edits.of(key));
      const decimals = planned.fixedDecimals[key] ?? roundedTo(preview, key);
      const now = totalOf(preview, key) ?? 0;
      const why =
        edit && (whyReadOnly(preview, [key], this.isEqual) ?? whyInexact(edit, now, decimals));
      if (why) return why;
    }
    return null;
  }

  private scaleObstacle(): string {
    const { outcome, allEdits, planned } = this;
    const problem = allEdits.find((edit) => edit?.problem !== undefined)?.problem;
    if (!this.isReadable) return problem ?? 'One of the amounts is not a number.';
    const { shaped, whyNoShape } = this;
    if (whyNoShape) return whyNoShape;
    if (shaped && 'problem' in shaped.made) return shaped.made.problem;
    if (allEdits.every((edit) => edit === null))
      return 'Enter a new total, a change or a percentage.';
    const { answer } = this.selection.preview;
    if (this.holdPrice && answer && hasNoFreePrice(answer)) return NO_FREE_PRICE;
    const areBoth = this.edits.of('value') !== null && this.edits.of('units') !== null;
    if (this.holdPrice && this.isPartlyLocked && areBoth) return HELD_BY_ONE;
    if (outcome?.unroundedUnits != null && outcome.drafts.units?.change === 0)
      return LESS_THAN_A_UNIT;
    const ofNothing = planned.measureKeys.some((key, i) => {
      const isPercentage = allEdits[i]?.by === 'percent';
      return isPercentage && outcome?.drafts[key]?.now === 0;
    });
    return ofNothing
      ? 'This total is 0, so a percentage has no effect. Enter an amount, or hold the price to change every row of the selection by the percentage.'
      : 'This changes nothing.';
  }

  /** The settings for the next write. A source without units has no price to hold. */
  get settings(): WriteSettings {
    const holdPrice = this.holdPrice && this.planned.hasPrice;
    const { shapes, kept, note, followedBy: follow } = this;
    const { overLeaves: spread, chosen: shape, key: shapeKey } = shapes;
    return { spread, shape, shapeKey, holdPrice, keepTotal: kept.isOn, follow, note };
  }

  /**
   * Returns the settings for a write that begins now, and resets those that are not pinned: the next write has
   * the defaults.
   */
  takeSettings(settings = this.settings): WriteSettings {
    this.next.use(settings);
    return settings;
  }

  private nextSettings(): NextSettings {
    const { shapes, kept, edits } = this;
    return new NextSettings({
      spread: {
        isSet: () => shapes.chosen !== null || shapes.overLeaves !== 'proportional',
        isAsIn: ({ spread, shape }) => shapes.overLeaves === spread && shapes.chosen === shape,
        put: ({ spread, shape, shapeKey }) => {
          shapes.overLeaves = spread;
          shapes.choose(shape && { key: shapeKey ?? '', choice: shape });
        },
      },
      holdPrice: {
        isSet: () => this.holdPrice,
        isAsIn: ({ holdPrice }) => this.holdPrice === holdPrice,
        put: ({ holdPrice }) => (this.holdPrice = holdPrice),
      },
      keepTotal: {
        isSet: () => kept.isOn,
        isAsIn: ({ keepTotal }) => kept.isOn === keepTotal,
        put: ({ keepTotal }) => (kept.isOn = keepTotal),
      },
      follow: {
        isSet: () => this.followedBy.length > 0,
        isAsIn: ({ follow }) => String(this.followedBy) === String(follow),
        put: ({ follow = [] }) => edits.followOnly(follow),
      },
      note: {
        isSet: () => this.note !== '',
        isAsIn: ({ note }) => this.note === note,
        put: ({ note }) => (this.note = note),
      },
    });
  }

  /**
   * Returns a function that empties the form once its current contents are applied. It keeps anything that
   * was typed since.
   */
  clearingAfter(): () => void {
    const { settings } = this;
    const clearEdits = this.edits.clearingAfter();
    const clearMovement = this.movement.clearingAfter();
    return () => {
      clearEdits();
      this.next.use(settings);
      clearMovement();
    };
  }
}

/** Returns the edit if its amount is a number; null otherwise. */
const readable = (edit: MeasureEdit | null): MeasureEdit | null =>
  edit && !Number.isNaN(edit.amount) ? edit : null;
