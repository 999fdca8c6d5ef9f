import { messageOf } from '../client/message-of';
import { user } from '../client/user.svelte';
import type { Lock } from '../contract/locks';
import type { LogListEntry } from '../contract/log';
import { isLoad, OPERATIONS, type Slice, type SliceOperation } from '../contract/operations';
import type { Direction } from './block-edits';
import type { RedoneTotals, Written } from './changes.svelte';
import type { WriteSettings } from './operation-draft.svelte';
import type { Caution, MeasureEdit } from './scale-draft';
import type { PlanSession } from './session.svelte';
import type { Attempt } from './trial.svelte';
import { Unconfirmed, type Typed } from './typing';

/** How a page says something to the person at it. */
export interface Tell {
  /** Something was done. @param undo takes it back */
  done(sentence: string, undo?: () => void): void;
  /** Something to know, or why nothing was done. */
  info(sentence: string): void;
  /** Something failed; nothing was done. @param remedy a button that does it all the same */
  failed(sentence: string, remedy?: { label: string; run: () => void }): void;
  /** A number of things in words: `plural(2, 'row')` is “2 rows”. */
  plural(count: number, noun: string): string;
  /** Why an amount has to be confirmed, in words. */
  cautionText(caution: Caution): string;
  /** What a redo wrote and what was undone, in words. */
  redoneText(totals: RedoneTotals): string;
}

const NOT_CHOSEN = 'Nothing was changed. The selection is still updating; try again.';
const noop = () => undefined;

/**
 * What a person does on the pivot page, from whichever part of it: grid, editor, panel, log or keyboard.
 * Each action says by {@link Tell} what it did, or why it did nothing. None throws.
 */
export class Actions {
  /** The load whose undo waits to be confirmed; null if none does. */
  confirming = $state.raw<LogListEntry | null>(null);
  /** Empties the form that the trial on screen came from. */
  private clearTried: () => void = noop;

  constructor(
    private readonly session: PlanSession,
    private readonly tell: Tell,
  ) {}

  /** Applies what the panel says, or keeps what is tried. @returns whether it was written */
  async apply(): Promise<boolean> {
    const { trial, draft, changes } = this.session;
    if (trial.current) return this.keep();
    const attempt = await this.asked();
    if (!attempt) return false;
    if (draft.unconfirmed) {
      this.tell.info(draft.unconfirmed);
      return false;
    }
    const { operation, slice, pf_user } = attempt;
    const clear = draft.clearingAfter();
    return this.write(operation.kind, clear, () => changes.apply(operation, slice, pf_user));
  }

  /** Writes what is tried. @returns whether it was written */
  keep(): Promise<boolean> {
    const { trial, changes } = this.session;
    const kind = trial.current?.operation.kind ?? 'scale';
    return this.write(kind, this.clearTried, () => changes.keep());
  }

  /** Shows what the panel says, without writing it. */
  async tryOut(): Promise<void> {
    const { draft, changes } = this.session;
    if (this.isRefused()) return;
    const attempt = await this.asked();
    if (attempt) await this.showTrial(() => changes.try(attempt), draft.clearingAfter());
  }

  /** Takes out what is tried. @param sentence says why, if nobody asked for it */
  async discard(sentence?: string): Promise<void> {
    await this.attempt(() => this.session.changes.discard(sentence));
    this.focusGrid();
  }

  /** Writes an amount that was typed into a cell. */
  async type(typed: Typed): Promise<void> {
    await this.withSettings(async (name, settings) => {
      try {
        const written = await this.session.typing.write(typed, name, settings);
        this.sayWritten(written.kind, written);
        return true;
      } catch (error) {
        if (!(error instanceof Unconfirmed)) throw error;
        // The amount was entered before the service had told which rows are behind the cell.
        const label = error.caution.kind === 'cancelled' ? 'Spread equally' : 'Write it';
        const run = () => void this.type({ ...typed, isConfirmed: true });
        const text = this.tell.cautionText(error.caution);
        this.tell.failed(`Nothing was written. ${text}`, { label, run });
        return false;
      }
    });
  }

  /** Shows what an amount that was typed into a cell would do; see {@link type}. */
  async tryTyped(typed: Typed): Promise<void> {
    const { draft, typing } = this.session;
    const { settings } = draft;
    const clear = () => {
      if (draft.note === settings.note) draft.note = '';
    };
    await this.named((name) => this.showTrial(() => typing.try(typed, name, settings), clear));
  }

  /** Writes an amount into every marked cell. */
  typeIntoAll(edit: MeasureEdit): Promise<void> {
    return this.writeBlock((...by) => this.session.blocks.enter(edit, ...by));
  }

  /** Writes rows of numbers into the marked cells. */
  paste(texts: readonly (readonly string[])[]): Promise<void> {
    return this.writeBlock((...by) => this.session.blocks.paste(texts, ...by));
  }

  /** Fills the marked block from its first column or row. */
  fill(direction: Direction): Promise<void> {
    return this.writeBlock((...by) => this.session.blocks.fill(direction, ...by));
  }

  /** Undoes an entry; a load only once that is confirmed. */
  undo(entry: LogListEntry): void {
    if (isLoad(entry.operation)) this.confirming = entry;
    else void this.undoNow(entry.id);
  }

  /** Undoes an entry without asking. */
  async undoNow(logid: number): Promise<void> {
    if (this.isRefused()) return;
    await this.attempt(async () => {
      const rows = await this.session.undo(logid, user.name || undefined);
      this.tell.done(`Undone: ${this.tell.plural(rows, 'row')} removed.`);
    });
  }

  /** Writes an undone entry again. */
  async redo(logid: number): Promise<void> {
    if (this.isRefused()) return;
    await this.named(async (name) => {
      const { written, difference } = await this.session.redo(logid, name);
      if (difference) this.tell.info(this.tell.redoneText(difference));
      else if (written) this.tell.done(`Redone: ${this.tell.plural(written.rows, 'row')} written.`);
      else this.tell.done('Loaded again.');
    });
  }

  /** Undoes the newest change of this person on this page. */
  undoLast(): Promise<void> {
    return this.afterTyping(async () => {
      const logid = await this.session.changes.own.lastWritten();
      if (logid === null) this.tell.info('There is nothing of yours to undo here.');
      else await this.undoNow(logid);
    });
  }

  /** Writes the change again that this person undid last. */
  redoLast(): Promise<void> {
    return this.afterTyping(async () => {
      const logid = await this.session.changes.own.lastUndone();
      if (logid === null)
        this.tell.info('There is nothing to redo: nothing was undone since the last change.');
      else await this.redo(logid);
    });
  }

  /** Saves the note of an entry; the empty text removes it. @returns whether it is saved */
  editNote(entry: LogListEntry, note: string): Promise<boolean> {
    return this.attempt(() => this.session.log.editNote(entry.id, note));
  }

  /** Locks the rows of a slice. @returns null if they are locked, else why not: empty if no name was given */
  async lock(slice: Slice, note: string): Promise<string | null> {
    const name = await user.require();
    if (name === null) return '';
    try {
      await this.session.locks.add(slice, note, name);
      this.tell.done('Locked: nobody can change these rows.');
      return null;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Removes a lock. */
  async unlock(lock: Lock): Promise<void> {
    await this.attempt(async () => {
      await this.session.locks.remove(lock);
      this.tell.done('Unlocked: these rows can be changed again.');
    });
  }

  /** What the panel asks for, on the cell that was pressed last; null, after saying why, if it cannot be done. */
  private async asked(): Promise<Attempt | null> {
    const { selection, why, draft } = this.session;
    // The panel that says what would be written is hidden.
    if (why.isOpen) {
      why.isOpen = false;
      return null;
    }
    if (!selection.reading && selection.obstacle) {
      this.tell.info(selection.obstacle);
      return null;
    }
    // The name comes first: while it is asked for, totals grow old.
    const pf_user = await user.require();
    if (pf_user === null) return null;
    // An amount may follow from the totals, so they have to be those of this cell, as stored now.
    const chosen = await selection.chosen(draft.dependsOnTotals);
    const { operation } = draft;
    const obstacle = chosen ? draft.obstacle : (selection.obstacle ?? NOT_CHOSEN);
    if (!chosen || !operation || obstacle) {
      this.tell.info(obstacle ?? NOT_CHOSEN);
      return null;
    }
    return { operation, slice: chosen.slice, cells: chosen.cells, pf_user };
  }

  /** @param clear empties the form, once its operation is written */
  private write(
    kind: SliceOperation,
    clear: () => void,
    write: () => Promise<Written>,
  ): Promise<boolean> {
    return this.attempt(async () => {
      const written = await write();
      clear();
      this.focusGrid();
      this.sayWritten(kind, written);
    });
  }

  private async writeBlock(
    write: (pf_user: string, settings: WriteSettings) => Promise<Written | null>,
  ): Promise<void> {
    if (this.session.blocks.isRefused()) return;
    await this.withSettings(async (...by) => {
      const written = await write(...by);
      if (written) this.sayWritten('scale', written);
      return written !== null;
    });
  }

  /**
   * Writes in a person's name with what the panel has set, whose note is used up by it.
   *
   * @param write answers whether it wrote something; otherwise the note stays in the panel
   */
  private async withSettings(
    write: (pf_user: string, settings: WriteSettings) => Promise<boolean>,
  ): Promise<void> {
    const { draft } = this.session;
    const settings = draft.takeSettings();
    let isWritten = false;
    await this.named(async (name) => {
      isWritten = await write(name, settings);
    });
    if (!isWritten) draft.giveBack(settings);
  }

  /** @param clear empties the form that the trial came from, once it is kept */
  private async showTrial(show: () => Promise<boolean>, clear: () => void): Promise<void> {
    await this.attempt(async () => {
      if (await show()) this.clearTried = clear;
      else this.tell.info('Nothing is tried: something else was selected meanwhile.');
    });
  }

  /** Does something after all amounts that were typed before it are written. */
  private async afterTyping(work: () => Promise<void>): Promise<void> {
    const { typing, changes } = this.session;
    await this.attempt(() =>
      typing.inTurn(async () => {
        await changes.settled();
        await work();
      }),
    );
  }

  /** Does something in a person's name, unless they close the dialog that asks for it. */
  private async named(work: (name: string) => Promise<void>): Promise<void> {
    const name = await user.require();
    if (name !== null) await this.attempt(() => work(name));
  }

  /** Does something, and says why if that fails. @returns whether it was done */
  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.tell.failed(messageOf(error));
      return false;
    }
  }

  /** Says why nothing can be changed now; false if it can. */
  private isRefused(): boolean {
    const { obstacle } = this.session.planned;
    if (obstacle) this.tell.info(obstacle);
    return obstacle !== null;
  }

  private sayWritten(kind: SliceOperation, { logid, rows }: Written): void {
    this.tell.done(
      `${OPERATIONS[kind].verbs.past}: ${this.tell.plural(rows, 'new row')} written.`,
      logid === null ? undefined : () => void this.undoNow(logid),
    );
  }

  /** The button that was pressed is disabled or gone, and has lost the focus. */
  private focusGrid(): void {
    if (document.activeElement === document.body) this.session.pivot?.grid.focus();
  }
}
