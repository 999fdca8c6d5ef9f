/** A version that the page compares with: its rows and its events. */
import * as api from '../../client/api';
import { ApiError } from '../../client/http';
import { entriesOf } from '../../client/follow-version';
import type { VersionEvent } from '../../contract/events';
import { isRefreshEntry } from '../../contract/log';
import { isExcluded, isLogOperation } from '../../contract/operations';
import type { History } from '../../contract/primitives';
import type { Version } from '../../contract/versions';
import type { ComparedRows } from '../../pivot/table/ready-rows';
import type { Changes } from './changes.svelte';
import { downloadRows, type Progress } from '../version/download';
import { ENTRIES_AT_ONCE, FollowedRows, type ShownEntry } from './followed-rows.svelte';
import type { Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';

/**
 * Another version of the source, whose plan is shown beside that of the page. Its rows are loaded with the
 * page's, and follow its commits. Nothing here changes it
 * (docs/decisions/0023-two-versions-in-one-table.md).
 */
export class ComparedVersion {
  /** Number of its rows that were downloaded last. */
  rowCount = 0;
  /** Its rows, after the download and before they are loaded. */
  private batches: readonly ArrayBuffer[] | null = null;
  /** The history of the database that the rows belong to. */
  private history: History = { timeline: null, revision: null };
  private letThrough: () => void = () => undefined;
  /** Settles once its rows are on screen. Events can change them only then. */
  private readonly shown = new Promise<void>((resolve) => (this.letThrough = resolve));
  private readonly rows: FollowedRows;

  /**
   * @param current the version as the service last returned it
   * @param planned the version of the page
   * @param onDeleted is called once the version no longer exists
   */
  constructor(
    private current: Version,
    private readonly planned: PlannedVersion,
    loading: Loading,
    private readonly changes: Changes,
    private readonly onDeleted: () => void,
  ) {
    const followed = {
      ...{ id: current.id, side: current.id },
      history: () => this.history,
      isShown: (entry: ShownEntry) => this.isOfPlan(entry),
      follow: (events: readonly VersionEvent[], signal: AbortSignal) => this.follow(events, signal),
      notShown: `“${current.name}” was changed, and this page could not show the change.`,
      tooMany: () => `Many rows were added to “${this.name}”. Reload to see them.`,
    };
    this.rows = new FollowedRows(followed, loading, changes);
  }

  get id(): number {
    return this.current.id;
  }

  get name(): string {
    return this.current.name;
  }

  /** Whether changes that are committed to it arrive as events. */
  get connected(): boolean {
    return this.rows.connected;
  }

  /** Subscribes to its events; see {@link FollowedRows.open}. */
  open(): Promise<void> {
    return this.rows.open();
  }

  /** Notes that its rows are on screen. */
  isShown(): void {
    this.letThrough();
  }

  close(): void {
    this.rows.close();
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
    this.current = await api.call('GET /versions/{id}', { id: this.id, signal });
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
      const { stored: columns } = this.planned;
      const part = await downloadRows(this.id, columns, signal, onProgress, extent);
      rows += part.rows ?? 0;
      if (part.bytes) batches.push(part.bytes);
    }
    this.rowCount = rows - beside;
    return batches;
  }

  /** Whether an entry may have rows of the plan: a refresh by the origins of its rows, others by their operation. */
  private isOfPlan(entry: ShownEntry): boolean {
    const { exclude_iters } = this.current;
    // Only a refresh of a reference names the origins of its rows. Another one has those of its loads.
    const origins =
      'params' in entry && isRefreshEntry(entry)
        ? (entry.origins ?? entry.params?.loads)
        : undefined;
    if (origins) return origins.some(({ iter }) => !exclude_iters.includes(iter));
    const { operation } = entry;
    return !isLogOperation(operation) || !isExcluded(operation, exclude_iters);
  }

  private async follow(events: readonly VersionEvent[], signal: AbortSignal): Promise<void> {
    await this.shown;
    const has = (kind: VersionEvent['kind']) => events.some((event) => event.kind === kind);
    if (has('deleted')) return this.onDeleted();
    if (has('status') && !(await this.refresh())) return;
    if (has('resync') || has('cleared')) return this.compare(signal);
    const ofPlan = events.filter((event) => event.kind !== 'written' || this.isOfPlan(event));
    const { written, undone } = entriesOf(ofPlan);
    await this.change(undone, written, signal);
  }

  /** Adds and removes rows until the entries on screen match the stored ones. */
  private async compare(signal: AbortSignal): Promise<void> {
    if (!(await this.refresh())) return;
    const { difference, undone, stored } = await this.rows.compare(signal);
    if (difference) {
      const what = { timeline: 'The database was replaced', revision: 'Stored rows were changed' };
      this.changes.stale = `${what[difference]}. Reload to see “${this.name}” as it is now.`;
      return;
    }
    await this.change(undone, stored, signal);
  }

  private async change(
    undone: readonly number[],
    written: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.rows.takeOut(undone);
    await this.rows.append(await this.rows.missing(written), signal);
  }

  /** Reads the version again. @returns false if it no longer exists */
  private async refresh(): Promise<boolean> {
    const before = this.current.exclude_iters;
    try {
      this.current = await api.call('GET /versions/{id}', { id: this.id });
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
