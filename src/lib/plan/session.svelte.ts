/** The session of a pivot page: one version, composed of its parts. */
import { createContext } from 'svelte';
import * as api from '../client/api';
import type { ColumnEntry } from '../contract/columns';
import type { Layout } from '../contract/stored-layout';
import type { LogListEntry } from '../contract/log';
import type { Source } from '../contract/sources';
import type { Version } from '../contract/versions';
import type { Origins } from '../pivot/rows/origins';
import type { Pivot } from '../pivot/pivot';
import type { CellPosition } from '../pivot/slice/cell';
import { readAddress } from './arrangement/address';
import { Arrangement } from './arrangement/arrangement.svelte';
import { BlockTyping } from './typing/block-typing.svelte';
import { Typing } from './typing/typing';
import { Changes, type Redone } from './changes/changes.svelte';
import { Comments } from './records/comments.svelte';
import { Comparison } from './changes/comparison.svelte';
import { Live } from './changes/live.svelte';
import { Fields } from './arrangement/fields.svelte';
import { Filling } from './typing/filling';
import { FormulaDraft } from './forms/formula-draft.svelte';
import { Find } from './selection/find.svelte';
import { Loading } from './version/loading.svelte';
import { Locks } from './records/locks.svelte';
import { Log } from './records/log.svelte';
import { OperationDraft } from './forms/operation-draft.svelte';
import type { NumberMarks } from '../numbers/notation';
import { Pasting } from './typing/pasting';
import { Picking } from './forms/picking.svelte';
import { PlannedVersion } from './version/planned-version.svelte';
import { RowsBehind } from './selection/rows-behind.svelte';
import { Selection } from './selection/selection.svelte';
import { Shapes } from './forms/shapes.svelte';
import { peopleIn } from './records/people';
import { Alerts } from './records/alerts.svelte';
import { Reviews } from './records/reviews.svelte';
import type { Tell } from './tell';
import { Trial } from './changes/trial.svelte';
import { Trying } from './changes/trying';
import { Why } from './selection/why.svelte';
import { WorkbookReading } from './workbook/workbook-reading.svelte';

/** Maximum number of values of a column that are offered at once. */
const OFFERED = 50;

/** A part of the panel that takes the place of the form. */
export type PanelPart = 'why' | 'comments';

/** The page's callbacks for its session, and its number formats. */
interface SessionEvents {
  /** How the page reports the result of an action. */
  tell: Tell;
  /** Somebody else wrote an entry, which is on screen now. */
  onWritten(entry: LogListEntry): void;
  /** The corner of the marked block was dropped on a cell. */
  onFill(at: CellPosition): void;
  /** Returns the text of a cell that a trial changes. */
  changeText(before: number, after: number, measure: string | null): string;
  /** The separators of the browser's language, and how an amount is written as it is typed. */
  numbers: { marks: NumberMarks; print(value: number): string };
}

/**
 * One version open in the pivot: the state of the page, composed of parts. Components read it
 * from context and use the part that they need.
 */
export class PlanSession {
  readonly planned: PlannedVersion;
  readonly loading: Loading;
  readonly selection: Selection;
  readonly why: Why;
  readonly behind: RowsBehind;
  readonly trial: Trial;
  readonly trying: Trying;
  readonly arrangement: Arrangement;
  readonly fields: Fields;
  readonly formula: FormulaDraft;
  readonly find: Find;
  readonly log: Log;
  readonly locks: Locks;
  readonly comments: Comments;
  readonly reviews: Reviews;
  readonly alerts: Alerts;
  readonly changes: Changes;
  readonly shapes: Shapes;
  readonly picking: Picking;
  readonly draft: OperationDraft;
  readonly typing: Typing;
  readonly blocks: BlockTyping;
  readonly pasting: Pasting;
  readonly filling: Filling;
  readonly live: Live;
  readonly comparison: Comparison;
  readonly workbook: WorkbookReading;

  /** Whether the numbers on screen differ from the stored ones. Null while unknown. */
  readonly differs: boolean | null = $derived.by(() =>
    // Until the totals are read after a change, the two cannot be compared. A trial is on screen only.
    this.changes.busy || this.trial.isStanding ? null : this.selection.differs,
  );

  /** The people who have written, commented, reviewed or locked in the version, by name. */
  readonly people: readonly string[] = $derived.by(() =>
    peopleIn({
      version: this.planned.current,
      entries: this.log.answer?.entries ?? [],
      comments: this.comments.all,
      reviews: this.reviews.all,
      locks: this.locks.all,
    }),
  );

  /**
   * Whether somebody else has changed the version since it was loaded. Null until {@link findOutWhy} knows.
   */
  othersWrote = $state.raw<boolean | null>(null);

  /** Whether the database was replaced by another history of it while this page was open. */
  replaced = $state.raw(false);

  /** The element of the pivot; null before the page is opened and after it is disposed of. */
  private host: HTMLElement | null = null;
  /** The arrangement before the last reload. If that reload failed, the next one restores it. */
  private shown: { layout: Layout; origins: Origins } | null = null;
  private readonly onFill: SessionEvents['onFill'];
  private dark = false;
  private search = '';

  constructor(
    version: Version,
    source: Source,
    columns: readonly ColumnEntry[],
    { tell, onWritten, onFill, changeText, numbers }: SessionEvents,
  ) {
    this.onFill = onFill;
    this.planned = new PlannedVersion(version, source, columns);
    this.loading = new Loading(this.planned);
    this.selection = new Selection(this.planned, this.loading, tell.info);
    this.why = new Why(this.planned, this.loading, this.selection);
    this.behind = new RowsBehind(this.planned, this.selection, tell.info);
    this.log = new Log(this.planned.id);
    const onLocks = () => void this.changes.followLocks();
    this.reviews = new Reviews(this.planned, onLocks);
    this.locks = new Locks(this.planned, onLocks, this.reviews);
    this.comments = new Comments(this.planned);
    this.alerts = new Alerts(this.planned);
    this.trial = new Trial(this.planned, this.loading, changeText);
    this.arrangement = new Arrangement(this.planned, this.loading, this.selection, this.log);
    this.fields = new Fields(this.planned, this.loading, this.arrangement, this.locks);
    this.formula = new FormulaDraft(this.planned, this.loading);
    this.find = new Find(this.loading, this.selection);
    const { arrangement, selection, trial } = this;
    this.changes = new Changes(this.planned, this.loading, this.log, {
      arrangement,
      selection,
      retry: (why) => void this.trying.calculateAgain(why),
    });
    this.trying = new Trying(this.planned, this.changes, { trial, selection }, tell.info);
    this.shapes = new Shapes(this.planned, this.loading, this.selection);
    this.draft = new OperationDraft(this.planned, this.selection, this.locks, this.shapes);
    this.typing = new Typing(this.planned, this.selection, this.changes, this.locks, this.shapes);
    const { print, marks } = numbers;
    this.blocks = new BlockTyping(this.planned, this.selection, this.changes, this.typing, print);
    this.pasting = new Pasting(this.loading, this.selection, marks);
    this.filling = new Filling(this.loading, this.selection);
    this.live = new Live(this.planned, this.loading, this.changes, this.log, {
      onWritten,
      onReload: () => void this.reload(),
      readers: {
        locks: () => this.locks.follow(),
        comment: () => this.comments.follow(),
        review: () => this.reviews.follow(),
        alert: () => this.alerts.follow(),
      },
      onEntries: () => void this.reviews.followEntries(),
      onReplaced: async () => {
        this.changes.own.forgetAll();
        await this.reload();
        this.replaced = true;
      },
    });
    this.comparison = new Comparison(
      this.planned,
      this.loading,
      this.changes,
      (id) => void this.compareWith(this.comparedWith.filter((each) => each !== id)),
    );
    this.picking = new Picking(this.loading, selection, this.shapes, tell.info);
    const { planned, changes, log, loading } = this;
    this.workbook = new WorkbookReading(planned, changes, log, () => loading.history.timeline);
  }

  /** The pivot on screen; null until it is ready. */
  get pivot(): Pivot | null {
    return this.loading.pivot;
  }

  /**
   * Loads the rows into a pivot inside `host`, and shows the layout of an address. Never throws: a failure
   * becomes the phase.
   *
   * @param search the query string of the address
   */
  async open(host: HTMLElement, dark: boolean, search: string): Promise<void> {
    this.host = host;
    this.dark = dark;
    this.search = search;
    await this.live.open();
    // The user may have left the page.
    if (!this.host) return;
    const views = this.arrangement.views.read().catch(() => undefined);
    await Promise.all([this.loadAddress(this.search), this.readLists(), views]);
  }

  /** Shows another address of this page, for the browser's back and forward buttons. */
  async goTo(search: string): Promise<void> {
    // A version that is still on its way was requested by the previous address.
    this.comparison.stopFinding();
    this.search = search;
    const { compare } = readAddress(search);
    const isShown =
      this.pivot !== null && JSON.stringify(compare) === JSON.stringify(this.comparedWith);
    try {
      if (isShown) return await this.arrangement.goTo(search);
    } catch {
      // Loading fails in the same way, says why, and can be tried again.
    }
    await this.loadAddress(search);
  }

  /** The ids of the versions that this one is compared with. */
  get comparedWith(): readonly number[] {
    return this.comparison.others.map(({ id }) => id);
  }

  /**
   * Compares with other versions of the source; none end the comparison. The page stays as it is until all of
   * them have arrived. If one cannot be compared, the comparison says why.
   */
  async compareWith(ids: readonly number[]): Promise<void> {
    this.comparison.stopFinding();
    const others = await this.comparison.find(ids, this.pivot);
    if (others.length < ids.length) return this.comparison.close(others);
    await this.selection.markedByNow();
    const cells = this.selection.marked;
    await this.keepShown();
    if (!this.host) return this.comparison.close(others);
    this.comparison.begin(others);
    this.selection.clear();
    await this.load();
    await this.arrangement.noteShown();
    await this.selection.selectAgain(cells);
  }

  /** Reloads everything: after a failure, or if the page no longer shows the stored rows. */
  async reload(): Promise<void> {
    await this.keepShown();
    await this.planned.refresh();
    this.changes.stale = null;
    this.othersWrote = null;
    // Do this right before the pivot is closed, or one of its cells could still be selected.
    this.selection.clear();
    await Promise.all([this.load(), this.readLists()]);
  }

  /**
   * Undoes a log entry; see {@link Changes.undo}. If no row is left, the page says so instead of showing an
   * empty pivot.
   */
  async undo(logid: number, pf_user: string | undefined): Promise<number> {
    const removed = await this.changes.undo(logid, pf_user);
    if (this.loading.rows === 0) await this.reload();
    return removed;
  }

  /** Redoes an undone entry; see {@link Changes.redo}. The redo of a load reloads everything. */
  async redo(logid: number, pf_user: string): Promise<Redone> {
    const redone = await this.changes.redo(logid, pf_user);
    const isShown = redone.written !== null || redone.isNothing;
    if (!isShown || this.pivot === null) await this.reload();
    return redone;
  }

  /** Shows only the rows that an entry wrote; null shows all rows. The selection stays. */
  async isolate(entry: LogListEntry | null): Promise<void> {
    await this.selection.markedByNow();
    const cells = this.selection.marked;
    await this.arrangement.isolate(entry);
    await this.selection.selectAgain(cells);
  }

  /**
   * Shows or hides the explanation of the selection or the comments on it. The panel shows only one of them, in place
   * of the fields.
   */
  toggle(part: PanelPart, isShown = !this[part].isOpen): void {
    const { why, comments } = this;
    this.fields.open = false;
    why.isOpen = isShown && part === 'why';
    comments.isOpen = isShown && part === 'comments';
  }

  /** Compares the log entries of the rows on screen with the stored ones. */
  async findOutWhy(): Promise<void> {
    const { pivot } = this;
    if (!pivot) return;
    const loaded = pivot.entries();
    await this.log.read();
    const stored = this.log.answer?.entries.filter((entry) => entry.row_count > 0);
    if (!stored) return;
    this.othersWrote =
      stored.length !== loaded.size || !stored.every((entry) => loaded.has(entry.id));
  }

  async setDark(dark: boolean): Promise<void> {
    this.dark = dark;
    await this.pivot?.setDark(dark);
  }

  /** Returns values to offer for a column: the loaded ones if it is loaded, else the source's. */
  async valuesOf(column: string, search: string): Promise<(string | null)[]> {
    const loaded = await this.pivot?.members.containing(column, search, OFFERED);
    if (loaded) return loaded.map((value) => (value === null ? null : String(value)));
    const query = { cname: column, search, limit: OFFERED };
    const { id } = this.planned.source;
    const { values } = await api.call('GET /sources/{id}/values', { id, query });
    return values.map(({ value }) => value);
  }

  /** Cancels work in progress and frees the engine's memory. */
  async dispose(): Promise<void> {
    this.host = null;
    this.live.close();
    this.comparison.dispose();
    this.selection.clear();
    await this.loading.dispose();
  }

  /** Reads everything that is listed beside the rows. */
  private async readLists(): Promise<void> {
    const { log, locks, comments, reviews, alerts } = this;
    await Promise.all([log, locks, comments, reviews, alerts].map((list) => list.read()));
  }

  /** Reloads the rows for an address. */
  private async loadAddress(search: string): Promise<void> {
    this.search = search;
    this.shown = null;
    const { compare } = readAddress(search);
    const others = await this.comparison.find(compare, null);
    // The browser may have moved on to another address, or left the page.
    if (this.search !== search || !this.host) return this.comparison.close(others);
    this.comparison.begin(others);
    this.selection.clear();
    await this.load();
    if (others.length < compare.length) await this.arrangement.noteShown();
  }

  private async keepShown(): Promise<void> {
    const { pivot } = this;
    const layout = await pivot?.layout().catch(() => null);
    // A reload brings back the columns of formulas that could not be read before.
    if (pivot && layout) {
      this.shown = { layout: this.arrangement.whole(layout), origins: pivot.origins };
    }
  }

  /** Loads the rows and restores the previous arrangement; the first time, that of the address. */
  private async load(): Promise<void> {
    if (!this.host) return;
    const { shown, comparison } = this;
    const { others } = comparison;
    await this.loading.load({
      host: this.host,
      dark: this.dark,
      compared: (whyNotBeside) => comparison.take(whyNotBeside),
      layout: async () => shown?.layout ?? this.arrangement.views.expectedOf(this.search),
      arrange: (pivot) =>
        shown
          ? this.arrangement.takeOver(pivot, shown)
          : this.arrangement.openAddress(pivot, this.search),
      onTarget: (cell, at, how) =>
        void (this.picking.target
          ? this.picking.press(cell, at)
          : this.selection.select(cell, at, how)),
      onFill: (at, isDropped) => void (isDropped && at ? this.onFill(at) : this.filling.show(at)),
      onMeasure: (name, beside, side) => void this.fields.placeMeasure(name, beside, side),
      onRows: () => {
        this.arrangement.followGroups();
        void this.selection.followRows();
        void this.find.follow();
      },
      onShown: () => {
        this.loading.noteShown();
        this.arrangement.readChart();
        void this.find.follow();
        void this.trial.markAgain().catch(() => undefined);
      },
      onLimited: () => {
        this.arrangement.noteLimits();
        this.arrangement.readChart();
      },
      onLayout: () => this.arrangement.follow(),
    });
    this.loading.noteShown();
    // The theme may have changed while the rows were loading.
    await this.pivot?.setDark(this.dark);
    this.arrangement.noteLimits();
    if (this.pivot) comparison.isShown();
    if (comparison.others.length < others.length) await this.arrangement.noteShown();
    // The tried rows were in the previous pivot.
    void this.trying.calculateAgain();
  }
}

export const [getSession, setSession] = createContext<PlanSession>();
