/** A version that the page compares with: its rows and its events. */
import * as api from '../../client/api';
import { ApiError, soon } from '../../client/http';
import { entriesOf, followVersion } from '../../client/follow-version';
import type { VersionEvent } from '../../contract/events';
import { LOG_OPERATIONS, OPERATIONS } from '../../contract/operations';
import type { History } from '../../contract/primitives';
import type { Version } from '../../contract/versions';
import type { ComparedRows } from '../../pivot/table/ready-rows';
import type { Changes } from './changes.svelte';
import { downloadRows, type Progress } from '../version/download';
import { ENTRIES_AT_ONCE, RowsOnScreen } from './rows-on-screen';
import type { Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';

/**
 * Another version of the source, whose plan is shown beside that of the page. Its rows are loaded with the
 * page's, and follow its commits. Nothing here changes it
 * (docs/decisions/0023-two-versions-in-one-table.md).
 */
export class ComparedVersion {
  /** Whether changes that are committed to it arrive as events. */
  connected = $state.raw(true);
  /** Number of its rows that were downloaded last. */
  rowCount = 0;
  /** Its rows, after the download and before they are loaded. */
  private batches: readonly ArrayBuffer[] | null = null;
  /** The history of the database that the rows belong to. */
  private history: History = { timeline: null, revision: null };
  private end: () => void = () => undefined;
  private letThrough: () => void = () => undefined;
  /** Settles once its rows are on screen. Events can change them only then. */
  private readonly shown = new Promise<void>((resolve) => (this.letThrough = resolve));
  private readonly rows: RowsOnScreen;

  /**
   * @param current the version as the service last returned it
   * @param planned the version of the page
   * @param onDeleted is called once the version no longer exists
   */
  constructor(
    private current: Version,
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly changes: Changes,
    private readonly onDeleted: () => void,
  ) {
    this.rows = new RowsOnScreen(current.id, current.id, loading, changes, () => this.history);
  }

  get id(): number {
    return this.current.id;
  }

  get name(): string {
    return this.current.name;
  }

  /** Subscribes to its events. Its rows may be requested once the promise resolves. */
  open(): Promise<void> {
    const notShown = `“${this.name}” was changed, and this page could not show the change.`;
    const { opened, end } = followVersion(this.id, {
      follow: (events, signal) => this.follow(events, signal),
      onState: (isUp) => (this.connected = isUp),
      ...this.changes.sayingWhileBehind(notShown),
    });
    this.end = end;
    return opened;
  }

  /** Notes that its rows are on screen. */
  isShown(): void {
    this.letThrough();
  }

  close(): void {
    this.end();
  }

  /**
   * Returns the rows of its plan: the downloaded ones, or the current ones if those were loaded already.
   *
   * @param beside the number of rows of the page's version and of others that it is compared with
   * @throws TooLargeError, ApiError
   */
  async take(
    beside: number,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<ComparedRows> {
    await this.download(beside, signal, onProgress);
    const rows = this.asRows();
    this.batches = null;
    return rows;
  }

  /** Downloads its rows for the next {@link take}. @throws TooLargeError, ApiError */
  async download(
    beside: number,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<ComparedRows> {
    this.batches ??= await this.downloadNow(beside, signal, onProgress);
    return this.asRows();
  }

  private asRows(): ComparedRows {
    const { id, name, exclude_iters } = this.current;
    return { id, name, excluded: exclude_iters, batches: this.batches ?? [] };
  }

  private async downloadNow(
    beside: number,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<ArrayBuffer[]> {
    // Events that announced a change may have been missed.
    this.current = await api.getVersion(this.id, { signal });
    const { entries, history } = await api.listLog(this.id, { signal });
    this.history = history;
    const stored = entries.filter(({ row_count }) => row_count > 0);
    const ofPlan = stored.filter((entry) => this.isOfPlan(entry)).map(({ id }) => id);
    // Rows outside its plan would show as empty months and groups.
    const parts = stored.length === ofPlan.length ? [[]] : partsOf(ofPlan);
    const batches: ArrayBuffer[] = [];
    let rows = beside;
    for (const logids of parts) {
      const extent = { logids, beside: rows };
      const { columns } = this.planned;
      const part = await downloadRows(this.id, columns, signal, onProgress, extent);
      rows += part.rows ?? 0;
      if (part.bytes) batches.push(part.bytes);
    }
    this.rowCount = rows - beside;
    return batches;
  }

  /** Whether the rows of an operation belong to the plan. */
  private isOfPlan({ operation }: { operation: string }): boolean {
    const known = LOG_OPERATIONS.find((each) => each === operation);
    return !known || !this.current.exclude_iters.includes(OPERATIONS[known].iter);
  }

  private async follow(events: readonly VersionEvent[], signal: AbortSignal): Promise<void> {
    await this.shown;
    const has = (kind: VersionEvent['kind']) => events.some((event) => event.kind === kind);
    if (has('deleted')) return this.onDeleted();
    if (has('status') && !(await this.refresh())) return;
    if (has('resync') || has('cleared')) return this.compare(signal);
    const ofPlan = events.filter((event) => event.kind !== 'written' || this.isOfPlan(event));
    const { written, undone } = entriesOf(ofPlan);
    await this.takeOut(undone);
    await this.bring(written, signal);
  }

  /** Adds and removes rows until the entries on screen match the stored ones. */
  private async compare(signal: AbortSignal): Promise<void> {
    if (!(await this.refresh())) return;
    // Read this before the log: otherwise an entry that is written meanwhile would look deleted.
    const held = await this.rows.held();
    const { entries, history } = await api.listLog(this.id, { signal: soon(signal) });
    signal.throwIfAborted();
    const difference = api.differenceOf(history, this.history);
    if (difference) {
      const what = { timeline: 'The database was replaced', revision: 'Stored rows were changed' };
      this.changes.stale = `${what[difference]}. Reload to see “${this.name}” as it is now.`;
      return;
    }
    const stored = entries
      .filter((entry) => entry.row_count > 0 && this.isOfPlan(entry))
      .map(({ id }) => id);
    await this.takeOut(held.filter((id) => !stored.includes(id)));
    await this.bring(stored, signal);
  }

  private async bring(logids: readonly number[], signal: AbortSignal): Promise<void> {
    if (await this.rows.append(await this.rows.missing(logids), signal)) return;
    this.changes.stale = `Many rows were added to “${this.name}”. Reload to see them.`;
  }

  private async takeOut(logids: readonly number[]): Promise<void> {
    const held = await this.rows.held();
    for (const logid of logids) if (held.includes(logid)) await this.rows.remove(logid);
  }

  /** Reads the version again. @returns false if it no longer exists */
  private async refresh(): Promise<boolean> {
    const before = this.current.exclude_iters;
    try {
      this.current = await api.getVersion(this.id);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      this.onDeleted();
      return false;
    }
    if (JSON.stringify(before) !== JSON.stringify(this.current.exclude_iters)) {
      this.changes.stale = `The rows that count as the plan of “${this.name}” have changed. Reload to see its current plan.`;
    }
    return true;
  }
}

/** Splits entries into parts that fit one request. */
const partsOf = (logids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(logids.length / ENTRIES_AT_ONCE) }, (_, i) =>
    logids.slice(i * ENTRIES_AT_ONCE, (i + 1) * ENTRIES_AT_ONCE),
  );
