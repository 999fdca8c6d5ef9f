/** Runs operations, undos and redos, and shows their rows on screen. */
import * as v from 'valibot';
import * as api from '../../client/api';
import { ApiError } from '../../client/http';
import { isWritten, type WriteOptions } from '../../client/writes';
import { ACTUALS_METADATA, ActualsAnswer, type ActualsRequest } from '../../contract/actuals';
import type { ImportRequest } from '../../contract/imports';
import type { EntryTotals } from '../../contract/log';
import { type LogOperation, OPERATIONS, type ReverseRequest } from '../../contract/operations';
import type { RefreshAnswer } from '../../contract/refreshes';
import type { Pivot } from '../../pivot/pivot';
import type { Drafts } from '../amounts/scale-draft';
import { type Effect, TriedRows } from '../amounts/tried-rows';
import type { Side } from '../../pivot/rows/attributes';
import { RowsLostError } from '../../pivot/table/table-rows';
import { AnsweredRows, RowsError } from '../../pivot/rows/rows';
import { InTurn } from '../../pivot/waiting';
import type { Arrangement } from '../arrangement/arrangement.svelte';
import { isSameResult } from '../amounts/entry-totals';
import type { Loading } from '../version/loading.svelte';
import type { Log } from '../records/log.svelte';
import { readEntryRows } from './entry-rows';
import { bodyOf, type Operation, type OperationRequest } from '../amounts/operation';
import { OwnChanges } from '../records/own-changes';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from '../selection/selection.svelte';

const noop = () => undefined;

const RELOCKED = 'The locks have changed. The changes you are trying were calculated again.';
const OVERTAKEN =
  'Someone else has changed the plan. The changes you are trying were calculated again.';

/** The result of a write: the id of the new log entry, the number of rows that came back, and their metadata. */
export interface Written extends Pick<AnsweredRows, 'metadata'> {
  logid: number | null;
  rows: number;
  /** Adds up the amounts that it adds or moves; undefined without rows. */
  effect: () => Promise<Effect | undefined>;
  /** The measures that it changed, before and after; absent if the page does not know them. */
  changes?: Drafts | undefined;
}

/** Totals of an entry before its undo, and of the entry that redid it. */
export interface RedoneTotals {
  was: EntryTotals;
  now: EntryTotals;
}

/** The result of a redo. */
export interface Redone {
  /** Null for a load, whose rows have to be loaded, and without a new entry. */
  written: Written | null;
  /** Whether there is no new entry: a refresh that found nothing. */
  isNothing: boolean;
  /** The totals of both entries if they differ; null if they are equal or unknown. */
  difference: RedoneTotals | null;
}

/** The parts of the page that follow its rows. */
interface Screen {
  arrangement: Arrangement;
  selection: Selection;
  /** Calculates the changes that are being tried again, and shows the reason; there may be none. */
  retry(why: string): void;
}

/** Runs operations and undos, one at a time, and shows the written and removed rows on screen. */
export class Changes {
  /** The running operation, as a text; null if there is none. */
  busy = $state.raw<string | null>(null);
  /** Why the page should be reloaded because it no longer shows the stored rows; null if it does. */
  stale = $state.raw<string | null>(null);
  /** Settles when the running operation ends; null if there is none. */
  private running: Promise<unknown> | null = null;
  /** Shows other people's changes one after another. */
  private readonly following = new InTurn();
  /** The changes that Ctrl+Z undoes and Ctrl+Y redoes. */
  readonly own: OwnChanges;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly log: Log,
    private readonly screen: Screen,
  ) {
    this.own = new OwnChanges(
      planned.id,
      () => loading.history.timeline,
      () => log.stored(),
    );
  }

  /**
   * Runs an operation and appends the rows that it wrote.
   *
   * @throws ApiError with the service's sentence; nothing is written in that case
   */
  async apply({ kind, body }: OperationRequest, call: WriteOptions = {}): Promise<Written> {
    return this.write(kind, () =>
      api.writeRows('POST /versions/{id}/{operation}', {
        id: this.planned.id,
        operation: kind,
        body,
        ...call,
      }),
    );
  }

  /** Takes back a part of an entry, and appends the rows that this wrote. @throws ApiError as {@link apply} */
  async reverse(logid: number, body: ReverseRequest): Promise<Written> {
    return this.write('reverse', () => api.writeRows('POST /log/{logid}/reverse', { logid, body }));
  }

  /** Writes cells of a file, and appends the rows that this wrote. @throws ApiError as {@link apply} */
  async importCells(body: ImportRequest): Promise<Written> {
    return this.write('import', () =>
      api.writeRows('POST /versions/{id}/import', { id: this.planned.id, body }),
    );
  }

  /** Closes months, and appends the rows that this wrote. @throws ApiError as {@link apply} */
  async closeMonths(body: ActualsRequest): Promise<ActualsAnswer> {
    const send = () => api.writeRows('POST /versions/{id}/actuals', { id: this.planned.id, body });
    const { logid, metadata } = await this.write('actual', send);
    const answer = v.parse(ActualsAnswer, JSON.parse(metadata.get(ACTUALS_METADATA) ?? ''));
    // A close of months that agree with the source writes no rows.
    if (logid === null) this.own.wrote(answer.logid);
    return answer;
  }

  private write(operation: LogOperation, send: () => Promise<ArrayBuffer>): Promise<Written> {
    return this.run(`${OPERATIONS[operation].verbs.progressive} …`, async () => {
      const answer = await send();
      this.own.forgetUndone();
      return this.showRows(answer);
    });
  }

  /**
   * Returns the result of an operation that was written although its answer was lost, and shows its rows.
   *
   * @param call has the key of the write
   * @returns null if it was not written
   * @throws ApiError if its entry has been undone since; Unanswered while nobody knows
   */
  async recover(
    { kind, body }: OperationRequest,
    call: WriteOptions & { key: string },
  ): Promise<Written | null> {
    if (!(await isWritten(this.planned.id, kind, body, call))) return null;
    await this.settled();
    return this.run(`${OPERATIONS[kind].verbs.progressive} …`, async () => {
      const answer = await api.writeRows('POST /versions/{id}/{operation}', {
        id: this.planned.id,
        operation: kind,
        body,
        ...call,
      });
      this.own.forgetUndone();
      const { logid } = new AnsweredRows(answer);
      const { entries } = await this.log.stored();
      if (!entries.some(({ id }) => id === logid)) {
        throw new ApiError(0, 'It was written, and somebody has undone it since.');
      }
      return this.showRows(answer);
    });
  }

  /**
   * Redoes an undone entry on the current version, and appends the rows that it wrote.
   *
   * @throws ApiError with the service's sentence; nothing is written in that case
   */
  async redo(logid: number, pf_user: string): Promise<Redone> {
    const { was, written, isNothing } = await this.run('Redoing …', async () => {
      const was = await this.undoneTotals(logid);
      const answer = await api.redo(this.planned.id, logid, pf_user).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) this.own.forget(logid);
        throw error;
      });
      this.own.forget(logid);
      if (answer instanceof ArrayBuffer) {
        return { was, written: await this.showRows(answer), isNothing: false };
      }
      const rows = 'left_alone' in answer ? await this.refreshedRows(answer) : null;
      return { was, written: rows && (await this.show(rows)), isNothing: answer.logid === null };
    });
    await this.log.read();
    const now = this.log.answer?.entries.find(({ params }) => params?.redo_of === logid);
    const difference = was && now && !isSameResult(was, now) ? { was, now } : null;
    return { written, isNothing, difference };
  }

  /** Returns the rows of a refresh; null if they have to be loaded with all others. */
  private async refreshedRows({ logid }: RefreshAnswer): Promise<AnsweredRows | null> {
    const { pivot, history } = this.loading;
    if (logid === null || !pivot) return null;
    const read = readEntryRows(this.planned.id, [logid], pivot, history);
    return read.then(
      ({ rows }) => rows,
      () => null,
    );
  }

  /** Returns the totals of an entry before its undo; null if they are unknown. */
  private async undoneTotals(logid: number): Promise<EntryTotals | null> {
    const undone = await api
      .call('GET /versions/{id}/undone', { id: this.planned.id })
      .catch(() => []);
    return undone.find((entry) => entry.logid === logid) ?? null;
  }

  /**
   * Shows a change of somebody else, between the changes of this page. After a change of this version, it
   * recalculates the changes that are being tried.
   *
   * @throws if the change cannot be shown
   */
  async follow(change: (pivot: Pivot) => Promise<void>, side: Side): Promise<void> {
    await this.settled();
    await this.following.run(() => this.change(change));
    if (side === 'own') this.screen.retry(OVERTAKEN);
    if (this.screen.selection.current) void this.screen.selection.readTotals();
  }

  /** Reads the totals again after the locks have changed, and calculates the changes that are being tried again. */
  async followLocks(): Promise<void> {
    const { selection } = this.screen;
    await this.settled();
    this.screen.retry(RELOCKED);
    if (selection.current) void selection.readTotals();
  }

  /**
   * Returns callbacks that show a sentence on the page while events cannot be shown, until the page has
   * caught up.
   */
  sayingWhileBehind(sentence: string): { onFailure: () => void; onRecovered: () => void } {
    return {
      onFailure: () => (this.stale ??= sentence),
      onRecovered: () => {
        if (this.stale === sentence) this.stale = null;
      },
    };
  }

  /** Removes the rows of an entry that somebody else has undone. */
  followUndo(logid: number): Promise<void> {
    this.own.forget(logid);
    return this.follow((pivot) => this.takeOut(pivot, logid), 'own');
  }

  private async takeOut(pivot: Pivot, logid: number): Promise<void> {
    if (this.screen.arrangement.entries.isolated?.id === logid)
      await this.screen.arrangement.isolate(null);
    await pivot.removeEntry(logid);
  }

  /** Shows the rows of an answer to a write of this page. */
  async showRows(answer: ArrayBuffer): Promise<Written> {
    return this.show(new AnsweredRows(answer));
  }

  /** Shows the rows of an entry that this page has written. */
  private async show(rows: AnsweredRows): Promise<Written> {
    const { logid, count } = rows;
    if (logid !== null) this.own.wrote(logid);
    await this.bringToScreen(async (pivot) => {
      // If the answer was lost at first, an event may have added the rows already.
      if (logid === null || !pivot.entries().has(logid)) await pivot.append(rows);
    });
    void this.screen.selection.readTotals();
    void this.log.read().then(() => this.own.noteStamps(this.log.answer?.entries ?? []));
    const effect = async () =>
      logid === null
        ? undefined
        : (await new TriedRows(rows, this.planned.measureColumns).effects()).get(logid);
    return { logid, rows: count, effect, metadata: rows.metadata };
  }

  /** Waits until nothing runs. */
  async settled(): Promise<void> {
    while (this.running) await this.running;
  }

  /** Returns the body that {@link apply} would send for the current selection. */
  bodyOf(operation: Operation, pf_user: string): OperationRequest['body'] {
    return bodyOf(operation, this.screen.selection.current?.slice ?? {}, pf_user);
  }

  /**
   * Undoes a log entry and removes its rows. Nothing else changes.
   *
   * @param pf_user the name for the list of undone entries; undefined if no name is known
   * @returns the number of stored rows that were removed
   * @throws ApiError with the service's sentence; nothing is undone in that case
   */
  async undo(logid: number, pf_user: string | undefined): Promise<number> {
    return this.run('Undoing …', async () => {
      const stamp = this.log.answer?.entries.find(({ id }) => id === logid)?.stamp ?? null;
      const answer = await api.undo(logid, pf_user || undefined).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        this.own.forget(logid);
        this.stale = 'Someone else has undone a change that is still on screen.';
        void this.log.read();
        throw new ApiError(404, 'Someone else has already undone this change.');
      });
      this.own.undid(logid, stamp);
      await this.bringToScreen((pivot) => this.takeOut(pivot, logid));
      void this.screen.selection.readTotals();
      void this.log.read();
      return answer.rows_deleted;
    });
  }

  /** Runs work after everything that runs now; see {@link run}. */
  async runAfter<T>(what: string, work: () => Promise<T>): Promise<T> {
    // Of several that wait, each waits for those before it.
    while (this.running) await this.running;
    return this.run(what, work);
  }

  /** Runs work that changes the rows on screen. @throws ApiError 409 if other work runs */
  private async run<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.busy) throw new ApiError(409, 'Wait until the previous change is finished.');
    this.busy = what;
    const done = this.following
      .over()
      .then(work)
      .catch(async (error: unknown) => {
        this.noteLost(error);
        if (error instanceof ApiError && error.status === 403) await this.planned.refresh();
        throw error;
      });
    this.running = done.then(noop, noop);
    try {
      return await done;
    } finally {
      this.busy = null;
      this.running = null;
    }
  }

  /** Shows a stored change on screen. If that fails, reports that the change is stored nevertheless. */
  private async bringToScreen(change: (pivot: Pivot) => Promise<void>): Promise<void> {
    try {
      await this.change(change);
    } catch (error) {
      this.stale =
        error instanceof RowsError
          ? error.message
          : 'The change is saved, but this page could not show it.';
    }
  }

  /** Changes the rows on screen. @throws if that fails */
  private async change(change: (pivot: Pivot) => Promise<void>): Promise<void> {
    // Rows that are still loading may date from before the change.
    const pivot = await this.loading.loaded();
    if (!pivot) return;
    try {
      await change(pivot);
      this.loading.rows = pivot.rowCount;
      await this.screen.selection.readAgain();
    } catch (error) {
      if (this.loading.pivot !== pivot) return this.change(change);
      this.noteLost(error);
      throw error;
    }
  }

  /** No later change repairs rows that are missing on screen. */
  private noteLost(error: unknown): void {
    if (error instanceof RowsLostError) this.stale = error.message;
  }
}
