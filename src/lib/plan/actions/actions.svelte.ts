/** The actions of the user on the pivot page, each with its report or error. */
import { createContext } from 'svelte';
import { ApiError } from '../../client/http';
import { messageOf } from '../../client/message-of';
import { user } from '../../client/user.svelte';
import type { LoadPreviewRequest } from '../../contract/loads';
import type { LogListEntry } from '../../contract/log';
import type { EntryOperation, FileOperation, SliceOperation } from '../../contract/operations';
import { isLoad, mayBeTakenBack } from '../../contract/operations';
import type { Slice } from '../../contract/slices';
import type { FillDirection } from '../../pivot/grid/cells/block';
import type { CellPosition } from '../../pivot/slice/cell';
import type { Caution } from '../amounts/caution';
import type { Written } from '../changes/changes.svelte';
import { closeMonths } from './close-months';
import { AlertActions } from './alert-actions.svelte';
import { CommentActions } from './comment-actions';
import { Closing } from '../forms/closing.svelte';
import { bodyOf, type TypedWords, withWords, type WriteSettings } from '../amounts/operation';
import type { MeasureEdit } from '../amounts/scale-draft';
import type { Texts } from '../typing/pasted-block';
import type { Chosen } from '../typing/pasting';
import { LockActions } from './lock-actions';
import { Reports } from './reports';
import { ReviewActions } from './review-actions.svelte';
import type { PlanSession } from '../session.svelte';
import { TakeBack } from '../changes/take-back.svelte';
import { isReversible } from '../records/beyond';
import type { Touching } from '../records/log.svelte';
import type { Tell } from '../tell';
import type { Remedy } from '../typing/remedy';
import { TrialActions } from './trial-actions';
import type { PanelAttempt } from '../changes/trial.svelte';
import type { Typed } from '../typing/typing';
import type { UnsavedWrite } from '../typing/unsaved.svelte';

const NOT_CHOSEN = 'Nothing was changed. The selection is still updating; try again.';

/**
 * The actions of the user on the pivot page, for all its parts: grid, editor, panel, log and keyboard. Each
 * action reports its result, or why it did nothing, through {@link Tell}. None throws.
 */
export class Actions {
  /** The entries whose undo waits for confirmation, newest first; null if there are none. */
  confirming = $state.raw<readonly LogListEntry[] | null>(null);
  /** The slice by which the entries to be confirmed were found; null for none. */
  confirmingIn = $state.raw<Touching | null>(null);
  readonly takingBack: TakeBack;
  readonly trial: TrialActions;
  readonly closing: Closing;
  readonly comments: CommentActions;
  readonly locks: LockActions;
  readonly reviews: ReviewActions;
  readonly alerts: AlertActions;
  private readonly reports: Reports;

  constructor(
    private readonly session: PlanSession,
    private readonly tell: Tell,
  ) {
    this.takingBack = new TakeBack(session.changes);
    this.closing = new Closing(session.planned, session.locks, session.log, session.shapes);
    this.reports = new Reports(session, tell);
    this.comments = new CommentActions(session, this.reports, tell);
    this.locks = new LockActions(session, this.reports, tell);
    this.reviews = new ReviewActions(session, this.reports, tell);
    this.alerts = new AlertActions(session, this.reports, tell);
    this.trial = new TrialActions(
      session,
      tell,
      this.reports,
      () => this.asked(),
      (...written) => this.sayWritten(...written),
    );
  }

  /** Applies the operation of the panel, or keeps the changes that are being tried. @returns whether it was written */
  async apply(): Promise<boolean> {
    const { trial, draft, changes } = this.session;
    if (trial.isStanding) return this.trial.keep();
    const attempt = await this.asked();
    if (!attempt) return false;
    if (draft.unconfirmed) {
      this.tell.info(draft.unconfirmed);
      return false;
    }
    const { operation, slice, pf_user } = attempt;
    const request = { kind: operation.kind, body: bodyOf(operation, slice, pf_user) };
    const clear = draft.clearingAfter();
    const changed = operation.kind === 'scale' ? draft.outcome?.drafts : null;
    return this.write(operation.kind, clear, async () => {
      const written = await changes.apply(request);
      return { ...written, ...(changed && { changes: changed }) };
    });
  }

  /** Writes an amount that was typed into a cell. While changes are being tried, it is added to them. */
  async type(typed: Typed, taken?: WriteSettings): Promise<void> {
    if (this.session.trial.isStanding) {
      if (await this.trial.addTyped(typed, taken))
        this.tell.info('Added to the changes you are trying. It is not saved until you keep them.');
      return;
    }
    await this.withSettings(
      taken,
      (name, settings) => {
        let isWritten = false;
        const write = async () => {
          const written = await this.session.typing.write(typed, name, settings);
          isWritten = written !== null;
          if (written) await this.sayWritten(written.kind, written);
        };
        const again = (confirmed: Caution) => void this.type({ ...typed, confirmed }, settings);
        return this.reports.orConfirm(write, again).then(() => isWritten);
      },
      this.trial.retyping(typed),
    );
  }

  /** Writes an amount into every marked cell. */
  typeIntoAll(edit: MeasureEdit, text: string, words: TypedWords): Promise<void> {
    const { blocks, selection, typing } = this.session;
    const marked = selection.markedByNow();
    return this.writeBlock(
      (name, settings) => blocks.enter(edit, text, name, withWords(settings, words)),
      null,
      {
        label: 'Edit the amount',
        run: () => void marked.then((cells) => typing.retype(cells, text)),
      },
    );
  }

  /** Stops sending typed amounts that are not saved yet. */
  drop(write: UnsavedWrite): void {
    this.session.typing.unsaved.drop(write);
    this.tell.info(
      write.sent
        ? `Not sent again: ${write.name}. It may be saved nevertheless; the log will show it.`
        : `Not saved: ${write.name}.`,
    );
  }

  /**
   * Writes the texts of the clipboard into the marked cells. If something was guessed, it only proposes them.
   *
   * @param chosen how the planner wants them to be read; null for the likeliest reading
   */
  async paste(texts: Texts, chosen: Chosen | null = null): Promise<void> {
    const { blocks, pasting } = this.session;
    if (blocks.isRefused()) return;
    const marked = this.session.selection.markedByNow();
    const place = pasting.placing(texts, chosen);
    const isPlain = chosen === null && pasting.isPlain(texts);
    if (!isPlain && !(await blocks.propose(place, marked))) return;
    const again = async () => {
      await this.session.selection.selectAgain(await marked);
      await this.paste(texts, chosen);
    };
    await this.writeBlock((...by) => blocks.paste(place, marked, ...by), pasting.readingOf(texts), {
      label: 'Paste again',
      run: () => void again(),
    });
  }

  /** Writes the proposed block. */
  async acceptPasted(): Promise<void> {
    const { blocks } = this.session;
    const { proposal } = blocks;
    if (blocks.isReading) return;
    blocks.close();
    if (proposal) await this.writeBlock((...by) => blocks.accept(proposal, ...by));
  }

  /** Fills the marked block from its first column or row. */
  fill(direction: FillDirection): Promise<void> {
    return this.writeBlock((...by) => this.session.blocks.fill(direction, ...by));
  }

  /** Extends the marked block to a position, and fills it from the cells that were marked before. */
  async fillTo(at: CellPosition): Promise<void> {
    const { filling, blocks, picking } = this.session;
    if (picking.target || blocks.isRefused()) return filling.show(null);
    await this.reports.attempt(async () => {
      const fill = await filling.extendTo(at);
      if (!fill) return;
      await this.writeBlock((...by) => blocks.fill(fill.direction, ...by, fill.isFrom));
    });
  }

  /** Undoes an entry. A load has to be confirmed first. @returns whether it was undone at once */
  async undo(entry: LogListEntry): Promise<boolean> {
    if (!isLoad(entry.operation)) return this.undoNow(entry.id);
    this.undoAll([entry]);
    return false;
  }

  /**
   * Undoes several entries, once the user has confirmed it.
   *
   * @param touching the slice by which they were found; null for none
   */
  undoAll(entries: readonly LogListEntry[], touching: Touching | null = null): void {
    this.confirming = entries.toSorted((a, b) => b.id - a.id);
    this.confirmingIn = touching;
  }

  /** Takes back what the confirmed entries added to the slice by which they were found, newest first. */
  async takeBackAll(): Promise<void> {
    const { confirming, confirmingIn } = this;
    if (!confirming || !confirmingIn || this.reports.isRefused()) return;
    const { exclude_iters } = this.session.planned.current;
    const entries = confirming.filter((entry) => isReversible(entry, exclude_iters));
    const { slice } = confirmingIn;
    await this.reports.named(async (pf_user) => {
      const written: number[] = [];
      const skipped: string[] = [];
      for (const { id } of entries) {
        try {
          const { logid } = await this.session.changes.reverse(id, { slice, pf_user });
          if (logid !== null) written.push(logid);
        } catch (error) {
          // An entry of which nothing is left does not stop the others.
          const isEmpty = error instanceof ApiError && error.status === 422;
          if (!isEmpty && written.length === 0) throw error;
          skipped.push(messageOf(error));
          if (!isEmpty) break;
        }
      }
      const taken = `Taken back for the selection: ${written.length} of ${this.tell.plural(entries.length, 'entry', 'entries')}.`;
      const text = [taken, ...skipped.slice(0, 1)].join(' ');
      if (written.length === 0) throw new Error(text);
      this.tell.done(text, () => void this.undoEach(written.toReversed()));
    });
  }

  /** Undoes entries without confirmation, in this order. The first failure ends it. */
  private async undoEach(logids: readonly number[]): Promise<void> {
    await this.reports.attempt(async () => {
      for (const logid of logids) await this.session.undo(logid, user.name || undefined);
      this.tell.done(`Undone: ${this.tell.plural(logids.length, 'entry', 'entries')}.`);
    });
  }

  /** Shows the current plan again, and undoes all entries after the one that it was shown as of. */
  async undoAfter(entry: LogListEntry): Promise<void> {
    await this.session.arrangement.showAsOf(null);
    this.undoAll(this.session.log.after(entry));
  }

  /** Undoes the confirmed entries one after another, newest first. The first failure ends it. */
  async undoConfirmed(): Promise<void> {
    const entries = this.confirming ?? [];
    const [first] = entries;
    if (first && entries.length === 1) return void (await this.undoNow(first.id));
    if (this.reports.isRefused()) return;
    let undone = 0;
    let rows = 0;
    const total = this.tell.plural(entries.length, 'entry', 'entries');
    await this.reports.attempt(async () => {
      try {
        for (const { id } of entries) {
          rows += await this.session.undo(id, user.name || undefined);
          undone += 1;
        }
      } catch (error) {
        if (undone === 0) throw error;
        const refused = `The next one was not undone: ${messageOf(error)}`;
        throw new Error(`Undone: ${undone} of ${total}. ${refused}`, { cause: error });
      }
      this.tell.done(`Undone: ${total}, ${this.tell.plural(rows, 'row')} deleted.`);
    });
  }

  /**
   * Undoes an entry without confirmation. If some of its rows are locked, the others can be taken back.
   *
   * @returns whether it was undone
   */
  async undoNow(logid: number): Promise<boolean> {
    if (this.reports.isRefused()) return false;
    let isUndone = false;
    await this.reports.attempt(async () => {
      const rows = await this.session
        .undo(logid, user.name || undefined)
        .catch((error: unknown) => {
          if (!(error instanceof ApiError) || error.status !== 423) throw error;
          const entry = this.session.log.answer?.entries.find(({ id }) => id === logid);
          if (entry && !mayBeTakenBack(entry.operation)) throw error;
          const run = () => void this.takeBack(logid, {});
          this.tell.failed(error.message, { label: 'Take back the rest', run });
          return null;
        });
      if (rows === null) return;
      isUndone = true;
      this.tell.done(`Undone: ${this.tell.plural(rows, 'row')} deleted.`);
    });
    return isUndone;
  }

  /** Asks for a confirmation to take back what an entry added to a slice. */
  async takeBack(logid: number, slice: Slice): Promise<void> {
    if (this.reports.isRefused()) return;
    await this.reports.named(async (pf_user) => this.takingBack.ask({ logid, slice, pf_user }));
  }

  /** Takes back the confirmed part of an entry. */
  async takeBackConfirmed(): Promise<void> {
    await this.reports.attempt(async () =>
      this.sayWritten('reverse', await this.takingBack.confirm()),
    );
  }

  /** Compares a workbook that was dropped or chosen with the plan. */
  async readWorkbook(file: File): Promise<void> {
    if (!this.reports.isRefused()) await this.session.workbook.read(file);
  }

  /** Writes the changes of the workbook that is shown. */
  async writeWorkbook(): Promise<void> {
    const { workbook } = this.session;
    const write = async (by: string) => this.sayWritten('import', await workbook.write(by));
    if (!this.reports.isRefused()) await this.reports.named(write);
  }

  /** Closes the months of the dialog; see {@link closeMonths}. @throws the refusal */
  closeMonths(rows: LoadPreviewRequest): Promise<void> {
    const undo = (logid: number) => void this.undoNow(logid);
    const { session, closing, reports, tell } = this;
    return closeMonths({ session, closing, reports, tell }, rows, undo);
  }

  /** Redoes an undone entry. */
  async redo(logid: number): Promise<void> {
    if (this.reports.isRefused()) return;
    await this.reports.named(async (name) => {
      const { written, isNothing, difference } = await this.session.redo(logid, name);
      if (isNothing) this.tell.info('Nothing has changed in the plan.');
      else if (difference) this.tell.info(this.tell.redoneText(difference));
      else if (written)
        this.tell.done(`Redone: saved as ${this.tell.plural(written.rows, 'new row')}.`);
      else this.tell.done('Loaded again.');
    });
  }

  /** Undoes the newest change that this user made on this page. An amount that waits to be sent is dropped. */
  async undoLast(): Promise<void> {
    const waiting = this.session.typing.unsaved.shown.at(-1);
    if (waiting?.isUnanswered && !waiting.sent) return this.drop(waiting);
    return this.afterTyping(async () => {
      const logid = await this.session.changes.own.lastWritten();
      if (logid === null) this.tell.info('You have no changes to undo here.');
      else await this.undoNow(logid);
    });
  }

  /** Redoes the change that this user undid last. */
  redoLast(): Promise<void> {
    return this.afterTyping(async () => {
      const logid = await this.session.changes.own.lastUndone();
      if (logid === null)
        this.tell.info('There is nothing to redo: nothing was undone since the last change.');
      else await this.redo(logid);
    });
  }

  /** Saves the note of an entry; an empty text removes the note. @returns whether it is saved */
  editNote(entry: LogListEntry, note: string): Promise<boolean> {
    return this.reports.attempt(() => this.session.log.editNote(entry.id, note));
  }

  /**
   * Returns the operation of the panel on the cell that was pressed last. Returns null, after reporting why,
   * if it cannot be done.
   */
  private async asked(): Promise<PanelAttempt | null> {
    const { selection, why, comments, draft } = this.session;
    // The panel that shows the pending write is hidden.
    if (why.isOpen || comments.isOpen) {
      why.isOpen = comments.isOpen = false;
      return null;
    }
    if (!selection.reading && selection.obstacle) {
      this.tell.info(selection.obstacle);
      return null;
    }
    // Ask for the name first: the totals may become outdated while the dialog is open.
    const pf_user = await user.require();
    if (pf_user === null) return null;
    // An amount may depend on the totals, so they must be the stored totals of this cell.
    const chosen = await selection.chosen(draft.dependsOnTotals);
    const { operation } = draft;
    const obstacle = chosen ? draft.obstacle : (selection.obstacle ?? NOT_CHOSEN);
    if (!chosen || !operation || obstacle) {
      this.tell.info(obstacle ?? NOT_CHOSEN);
      return null;
    }
    return { operation, slice: chosen.slice, cells: chosen.cells, pf_user };
  }

  /** @param clear empties the form once its operation is written */
  private write(
    kind: SliceOperation,
    clear: () => void,
    write: () => Promise<Written>,
  ): Promise<boolean> {
    const focused = document.activeElement;
    return this.reports.attempt(async () => {
      const written = await write();
      clear();
      this.reports.focusGrid(focused);
      await this.sayWritten(kind, written);
    });
  }

  /**
   * @param more a sentence to add to the report
   * @param remedy a button beside the reason, if the block is refused
   */
  private async writeBlock(
    write: (pf_user: string, settings: WriteSettings) => Promise<Written | null>,
    more: string | null = null,
    remedy?: Remedy,
  ): Promise<void> {
    const { blocks } = this.session;
    if (blocks.isRefused(remedy)) return;
    await this.withSettings(
      undefined,
      async (...by) => {
        const written = await write(...by);
        if (written) await this.sayWritten('scale', written, more);
        return written !== null;
      },
      remedy,
    );
  }

  /**
   * Writes under the name of the user, with the settings of the panel. The write uses up those that are not pinned.
   *
   * @param write returns whether it wrote something; otherwise the settings stay in the panel
   * @param remedy a button of the message that reports a failure
   */
  private async withSettings(
    taken: WriteSettings | undefined,
    write: (pf_user: string, settings: WriteSettings) => Promise<boolean>,
    remedy?: Remedy,
  ): Promise<void> {
    const { draft } = this.session;
    const settings = draft.takeSettings(taken);
    let isWritten = false;
    await this.reports.named(async (name) => {
      isWritten = await write(name, settings);
    }, remedy);
    if (!isWritten) draft.next.giveBack(settings);
  }

  /** Runs `work` after all amounts that were typed before it are written. */
  private async afterTyping(work: () => Promise<void>): Promise<void> {
    const { typing, changes } = this.session;
    await this.reports.attempt(() =>
      typing.unsaved.inTurn(async () => {
        await changes.settled();
        await work();
      }),
    );
  }

  private sayWritten(
    kind: SliceOperation | EntryOperation | FileOperation,
    written: Written,
    more: string | null = null,
  ): Promise<void> {
    return this.reports.sayWritten(kind, written, (logid) => void this.undoNow(logid), more);
  }
}

export const [getActions, setActions] = createContext<Actions>();
