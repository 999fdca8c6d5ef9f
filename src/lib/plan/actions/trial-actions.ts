/** The actions of the user on the list of changes that are being tried, each with its report or error. */
import { type FileOperation, isOfFile, type SliceOperation } from '../../contract/operations';
import type { Written } from '../changes/changes.svelte';
import type { WriteSettings } from '../amounts/operation';
import type { Reports } from './reports';
import type { PlanSession } from '../session.svelte';
import type { Tell } from '../tell';
import type { Remedy } from '../typing/remedy';
import { type Attempt, nameOfList, type TriedLine, type TriedList } from '../changes/trial.svelte';
import type { Kept } from '../changes/trying';
import type { Typed } from '../typing/typing';

/** How an entry that was written is reported. */
type SayWritten = (kind: SliceOperation | FileOperation, written: Written) => Promise<void>;

/** Adds changes to the list of those that are being tried, arranges it, keeps it and discards it. */
export class TrialActions {
  /** The addition that is in progress; null if there is none. */
  private adding: Promise<void> | null = null;
  /** The keeping that is in progress; null if there is none. */
  private keeping: Promise<boolean> | null = null;

  /**
   * @param asked returns the operation of the panel; null, after reporting why, if it cannot be done
   */
  constructor(
    private readonly session: Pick<
      PlanSession,
      'draft' | 'planned' | 'trying' | 'typing' | 'workbook'
    >,
    private readonly tell: Tell,
    private readonly reports: Reports,
    private readonly asked: () => Promise<Attempt | null>,
    private readonly sayWritten: SayWritten,
  ) {}

  /** Whether the operation of the panel is being added. */
  get isAdding(): boolean {
    return this.adding !== null;
  }

  /** Adds the operation of the panel to the list, and empties the form. A repeated key adds it once. */
  add(): Promise<void> {
    return (this.adding ??= this.addAsked().finally(() => (this.adding = null)));
  }

  private async addAsked(): Promise<void> {
    const { draft, planned, trying, typing } = this.session;
    if (planned.obstacleToTry) {
      this.tell.info(planned.obstacleToTry);
      return;
    }
    const attempt = await this.asked();
    if (!attempt) return;
    const { filled, settings } = draft;
    const clear = draft.clearingAfter();
    let cleared = '';
    const giveBack = () => {
      if (draft.filled !== cleared) return;
      draft.fill(JSON.parse(filled));
      draft.next.giveBack(settings);
    };
    await this.reports.attempt(async () => {
      // Typed amounts that are not written yet were entered before it.
      await typing.unsaved.inTurn(() => trying.add(attempt, giveBack));
      clear();
      cleared = draft.filled;
    });
  }

  /** Adds the change that an amount typed into a cell makes to the list. @returns whether it was added */
  async addTyped(typed: Typed, taken?: WriteSettings): Promise<boolean> {
    const { draft, typing, trying } = this.session;
    const settings = draft.takeSettings(taken);
    const giveBack = () => draft.next.giveBack(settings);
    let isTried = false;
    await this.reports.named(async (name) => {
      const show = (attempt: Attempt) => trying.add(attempt, giveBack);
      isTried = await this.reports.orConfirm(
        () => typing.try(typed, name, settings, show),
        (confirmed) => void this.addTyped({ ...typed, confirmed }, settings),
      );
    }, this.retyping(typed));
    if (!isTried) giveBack();
    return isTried;
  }

  /** Returns the button that opens the cell of a refused amount again, with its text. */
  retyping({ cell, text }: Pick<Typed, 'cell' | 'text'>): Remedy {
    const run = () => void this.session.typing.retype([cell], text);
    return { label: 'Edit the amount', run };
  }

  /** Adds the changes of the workbook that is shown to the list. */
  async addWorkbook(): Promise<void> {
    const { workbook, trying } = this.session;
    if (this.reports.isRefused()) return;
    const add = (attempt: Attempt) => trying.add(attempt, () => {});
    await this.reports.named((name) => workbook.try(name, add));
  }

  /** Takes a change out of the list. */
  async remove(line: TriedLine): Promise<void> {
    await this.reports.attempt(async () => {
      await this.session.trying.remove(line);
      line.giveBack();
    });
  }

  /** Moves a change up or down by one place in the list. */
  async move(line: TriedLine, by: -1 | 1): Promise<void> {
    await this.reports.attempt(() => this.session.trying.move(line, by));
  }

  /** Calculates the list again. */
  async calculateAgain(): Promise<void> {
    await this.reports.attempt(() => this.session.trying.calculateAgain());
  }

  /**
   * Writes the changes of the list in order. A repeated key writes them once.
   *
   * @returns whether all of them were written
   */
  keep(): Promise<boolean> {
    return (this.keeping ??= this.keepAll().finally(() => (this.keeping = null)));
  }

  private async keepAll(): Promise<boolean> {
    let isWhole = false;
    const focused = document.activeElement;
    await this.reports.attempt(async () => {
      const kept = await this.session.trying.keep();
      isWhole = kept.left === 0;
      this.reports.focusGrid(focused);
      await this.sayKept(kept);
    });
    return isWhole;
  }

  /** Begins an empty list as an alternative to the one on screen. */
  async another(): Promise<void> {
    await this.reports.attempt(() => this.session.trying.another());
    this.reports.focusGrid();
  }

  /** Shows another list, or the one after the list on screen. */
  async showList(id?: number): Promise<void> {
    await this.reports.attempt(() => this.session.trying.showList(id));
  }

  /** Discards the list on screen without writing anything. A list of several changes can be brought back. */
  async discard(): Promise<void> {
    await this.reports.attempt(async () => {
      const { list, wasAlone } = await this.session.trying.discard();
      const { lines } = list;
      // Several changes, a file and an alternative come back as a list, any other change in its form.
      const [first] = lines;
      const isOne = lines.length < 2 && !(first && isOfFile(first.operation.kind));
      if (!first || (isOne && wasAlone)) return first?.giveBack();
      const changes = this.tell.plural(lines.length, 'tried change');
      const named = wasAlone ? '' : ` of ${nameOfList(list)}`;
      const undo = () => void this.restore([list], wasAlone);
      this.tell.done(`Discarded: ${changes}${named}.`, undo);
    });
    this.reports.focusGrid();
  }

  private async restore(lists: readonly TriedList[], wasAlone: boolean): Promise<void> {
    await this.reports.attempt(() => this.session.trying.restore(lists, wasAlone));
  }

  private async sayKept({ written, left, failure, discarded }: Kept): Promise<void> {
    const [first, ...others] = written;
    if (!first) return;
    if (discarded.length > 0) {
      const names = discarded.map(nameOfList).join(', ');
      const undo = () => void this.restore(discarded, false);
      this.tell.done(`Discarded as alternatives: ${names}.`, undo);
    }
    if (others.length === 0 && left === 0)
      return this.sayWritten(first.line.operation.kind, first.entry);
    const rows = written.reduce((sum, { entry }) => sum + entry.rows, 0);
    const changes = this.tell.plural(written.length, 'change');
    const saved = `${changes} saved as ${this.tell.plural(rows, 'new row')}.`;
    if (failure !== null) {
      return this.tell.failed(`${saved} The rest is still being tried. ${failure}`);
    }
    const rest = left > 0 ? ` ${this.tell.plural(left, 'refused change')} not saved.` : '';
    this.tell.done(`Kept: ${saved}${rest} Ctrl+Z undoes one change at a time.`);
  }
}
