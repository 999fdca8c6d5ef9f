/** The effect of the amount in the cell editor, before it is written. */
import type { SlicePreview } from '$lib/contract/previews';
import { Latest } from '$lib/client/latest.svelte';
import type { ScaleEdit } from '$lib/contract/operations';
import type { ReadCell } from '$lib/pivot/slice/cell';
import { keptCaution, whyNotKept, whyNotNew } from '$lib/plan/amounts/group-above';
import { GroupsAbove } from '$lib/plan/forms/groups-above.svelte';
import { type Likeness, whyNoCopies } from '$lib/plan/amounts/likeness';
import type { TypedWords, WriteSettings } from '$lib/plan/amounts/operation';
import type { MeasureEdit } from '$lib/plan/amounts/scale-draft';
import type { PlanSession } from '$lib/plan/session.svelte';

/** The field of the cell editor. */
interface EditorField {
  /** The cell with its current number; null until it is read. */
  cell: ReadCell | null;
  /** The typed amount; null for an empty text. Its amount is NaN if the text is not a number. */
  edit: MeasureEdit | null;
  words: TypedWords;
  settings: WriteSettings;
  /** The model of a cell without rows. */
  likeness: Likeness | undefined;
}

/** What a typed amount does to the rows of its cell, as far as the service has answered. */
export class TypedEffect {
  /** Totals of the rows behind the cell, read from the service, which applies locks and rounding. */
  readonly stored = new Latest<SlicePreview>();
  private readonly groups: GroupsAbove;

  constructor(
    private readonly session: Pick<PlanSession, 'planned' | 'selection' | 'typing'>,
    private readonly field: () => EditorField,
  ) {
    this.groups = new GroupsAbove(session.planned, session.selection.reader);
  }

  /** Reads the rows of the cell, and those of the group above it if its total is to be kept. */
  ask(cell: ReadCell): void {
    const { shape, keepTotal } = this.field().settings;
    this.stored.ask((signal) => this.session.typing.reach(cell, shape, signal));
    if (keepTotal) this.groups.ask([cell], cell.slice);
  }

  /** The cell and the amount, once the amount is a number and the service has answered. */
  private readonly known = $derived.by(() => {
    const { cell, edit } = this.field();
    const { answer } = this.stored;
    const isNumber = edit !== null && !Number.isNaN(edit.amount);
    return cell && isNumber ? { cell, edit, stored: answer } : null;
  });

  /** The amount with the stored rows of its cell. */
  private readonly amount = $derived.by(() => {
    const { cell, edit, stored } = this.known ?? {};
    const { amounts } = this.session.typing;
    return cell && edit && stored
      ? amounts.of({ cell, edit, stored }, this.field().settings)
      : null;
  });

  /** The number of the cell before and after; null if the amount can change nothing. */
  readonly meaning = $derived.by(() => {
    const { cell, edit } = this.field();
    const onScreen = () => cell && edit && this.session.typing.amounts.onScreen(cell, edit);
    return this.amount ? this.amount.meaning : onScreen();
  });

  /** The measures that can change for the result of a formula. */
  readonly ways = $derived(this.amount?.ways ?? []);

  /** The column of the measure that changes for the result of a formula; null for another cell. */
  readonly chosen = $derived(this.amount?.wayTaken ?? null);

  readonly way = $derived(this.ways.find(({ column }) => column === this.chosen));

  /** The measures that follow the change of the cell. */
  readonly followers = $derived(this.amount?.followers ?? []);

  /** Chooses a measure to change for the result of a formula, here and the next time. */
  choose(column: string): void {
    const { cell } = this.field();
    const { typing, selection } = this.session;
    typing.choices.chooseFor(cell && selection.reader.shownIn(cell), column);
  }

  /** Chooses the next or the previous measure. */
  turn(by: 1 | -1): void {
    const { ways } = this;
    const at = ways.findIndex(({ column }) => column === this.chosen);
    const next = ways[(at + by + ways.length) % ways.length];
    if (next) this.choose(next.column);
  }

  /** The group above the cell, whose total is kept if the panel or the typed text says so. */
  readonly above = $derived.by(() => {
    const { cell, settings } = this.field();
    return settings.keepTotal && cell ? this.groups.of(cell.slice) : null;
  });

  readonly changes = $derived(this.amount?.changes.drafts ?? null);

  /** Why the amount cannot change the cell's rows, or why no copies can have it. */
  readonly problem = $derived.by(() => {
    const { likeness, settings, words } = this.field();
    if (!this.known) return null;
    const { edit, stored } = this.known;
    if (likeness) return whyNotNew(settings.keepTotal, words) ?? whyNoCopies(edit, likeness);
    if (!stored?.row_count) return null;
    const { above, changes, amount } = this;
    return amount?.whyNot ?? (above && changes && whyNotKept(above, changes));
  });

  readonly caution = $derived.by(() => {
    const { above, changes, amount } = this;
    return amount?.caution ?? (above && changes && keptCaution(above, changes));
  });

  /** The scale with a shape that the amount would be; null if it has no shape, or cannot be written. */
  readonly shaped: Omit<ScaleEdit, 'slice'> | null = $derived.by(() => {
    const { shape } = this.field().settings;
    return shape && !this.problem ? (this.amount?.scale ?? null) : null;
  });
}
