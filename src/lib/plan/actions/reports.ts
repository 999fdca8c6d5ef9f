/** Runs the actions of the pivot page, and reports their results and errors. */
import { messageOf } from '../../client/message-of';
import { user } from '../../client/user.svelte';
import type { EntryOperation, FileOperation, SliceOperation } from '../../contract/operations';
import { OPERATIONS } from '../../contract/operations';
import type { Caution } from '../amounts/caution';
import type { Written } from '../changes/changes.svelte';
import type { PlanSession } from '../session.svelte';
import type { Tell } from '../tell';
import type { Remedy } from '../typing/remedy';
import { Unconfirmed } from '../typing/unsaved.svelte';

/** Reports the result of each action, or why it did nothing, through {@link Tell}. */
export class Reports {
  constructor(
    private readonly session: Pick<PlanSession, 'fields' | 'log' | 'pivot' | 'planned'>,
    private readonly tell: Tell,
  ) {}

  /**
   * Runs `work`, and reports the error if it fails.
   *
   * @param remedy a button of that report
   * @returns whether it succeeded
   */
  async attempt(work: () => Promise<void>, remedy?: Remedy): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.tell.failed(messageOf(error), remedy);
      return false;
    }
  }

  /** Runs `work` with the user's name; does nothing if they close the dialog that asks for it. */
  async named(work: (name: string) => Promise<void>, remedy?: Remedy): Promise<void> {
    const name = await user.require();
    if (name !== null) await this.attempt(() => work(name), remedy);
  }

  /**
   * Runs `work`. If its amount has to be confirmed first, because it was typed before the service had answered
   * which rows are behind the cell, reports the caution with a button.
   *
   * @param confirm runs it again with the confirmed caution
   * @returns whether it was done
   */
  async orConfirm(
    work: () => Promise<void>,
    confirm: (caution: Caution) => void,
  ): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof Unconfirmed)) throw error;
      const { caution } = error;
      const label = caution.kind === 'cancelled' ? 'Spread equally' : 'Apply it';
      const text = this.tell.cautionText(caution);
      this.tell.failed(`Nothing was changed. ${text}`, { label, run: () => confirm(caution) });
      return false;
    }
  }

  /** Reports why nothing can be changed now. @returns false if changes are possible */
  isRefused(): boolean {
    const { obstacle } = this.session.planned;
    if (obstacle) this.tell.info(obstacle);
    return obstacle !== null;
  }

  /** Reports an entry that was written. @param undo undoes it @param more a sentence to add */
  async sayWritten(
    kind: SliceOperation | EntryOperation | FileOperation,
    { logid, rows, changes, effect }: Written,
    undo: (logid: number) => void,
    more: string | null = null,
  ): Promise<void> {
    const amounts = changes ? this.tell.changesText(changes) : this.tell.effectText(await effect());
    // At a display grain, one row of the page stands for several stored rows.
    const entry = logid === null ? null : await this.session.log.entry(logid);
    const counted = `saved as ${this.tell.plural(entry?.row_count ?? rows, 'new row')}`;
    const saved = `${OPERATIONS[kind].verbs.past}: ${amounts === '' ? counted : `${amounts}, ${counted}`}.`;
    const sentence = more === null ? saved : `${saved} ${more}`;
    if (logid === null) return this.tell.done(sentence);
    const { fields } = this.session;
    const hidden = OPERATIONS[kind].keepsValues
      ? null
      : await fields.hiddenOf(logid).catch(() => null);
    const undoThis = () => undo(logid);
    if (!hidden?.rows) return this.tell.done(sentence, undoThis);
    const names = hidden.filters.map(({ label }) => label).join(' and ');
    const isAll = hidden.rows === rows;
    const what = isAll ? 'them' : `${hidden.rows.toLocaleString()} of them`;
    const show = () => fields.removeFilters(hidden.filters.map(({ column }) => column));
    this.tell.done(`${sentence} The filter on ${names} hides ${what}.`, undoThis, show);
  }

  /**
   * Moves the focus to the grid if the pressed button lost it by being disabled or removed.
   *
   * @param focused the element that had the focus when the work began. If it is a button that still has the focus, the
   * focus moves to the grid as well.
   */
  focusGrid(focused: Element | null = null): void {
    const { activeElement } = document;
    const isPressed = focused instanceof HTMLButtonElement && focused === activeElement;
    if (isPressed || activeElement === document.body) this.session.pivot?.grid.focus();
  }
}
