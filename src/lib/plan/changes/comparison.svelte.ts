/** Downloads, starts and ends the comparison with other versions. */
import * as api from '../../client/api';
import { ApiError } from '../../client/http';
import { LatestCall } from '../../client/latest.svelte';
import type { VersionListEntry } from '../../contract/versions';
import type { Pivot } from '../../pivot/pivot';
import type { ComparedRows } from '../../pivot/table/ready-rows';
import type { Changes } from './changes.svelte';
import { ComparedVersion } from './compared-version.svelte';
import type { Progress } from '../version/download';
import { pivotMessageOf, type Loading } from '../version/loading.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';

/** A version whose rows are being downloaded, and the progress. */
interface Waiting {
  name: string;
  progress: Progress | null;
}

/** The versions that the page's version is compared with, and their downloads. */
export class Comparison {
  /** The versions whose plans are shown beside that of the page. */
  others = $state.raw<readonly ComparedVersion[]>([]);
  /** The version that {@link find} waits for. */
  private wanted = $state.raw<Waiting | null>(null);
  /** The version that {@link take} waits for. */
  private taken = $state.raw<Waiting | null>(null);
  /** The version whose rows are being downloaded. */
  readonly loading = $derived(this.wanted ?? this.taken);
  /** Why a comparison failed or ended; null if there is nothing to report. */
  ended = $state.raw<string | null>(null);

  private readonly finding = new LatestCall();
  private readonly taking = new LatestCall();

  /** @param onGone is called after one of the other versions was deleted */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly rows: Loading,
    private readonly changes: Changes,
    private readonly onGone: (id: number) => void,
  ) {}

  /** Returns the other versions of the source, both open and closed. @throws ApiError */
  async choices(): Promise<VersionListEntry[]> {
    const versions = await api.call('GET /sources/{id}/versions', { id: this.planned.source.id });
    return versions.filter(({ id }) => id !== this.planned.id);
  }

  /**
   * Downloads the rows of those versions that are not compared yet. If that fails for one, {@link ended} says
   * why, unless it was cancelled.
   *
   * @param pivot the pivot whose rows they will stand beside; null if it is not loaded yet
   * @returns the versions, to be passed to {@link begin}, without those that failed
   */
  async find(ids: readonly number[], pivot: Pivot | null): Promise<readonly ComparedVersion[]> {
    const signal = this.finding.begin();
    const isNew = (id: number) => !this.others.some((other) => other.id === id);
    if (ids.some(isNew)) this.ended = null;
    const found: ComparedVersion[] = [];
    for (const id of ids) {
      const known = this.others.find((other) => other.id === id);
      const version = known ?? (await this.findOne(id, pivot, found, signal));
      if (version) found.push(version);
      if (signal.aborted) break;
    }
    return found;
  }

  /** Closes versions that {@link find} returned, unless they are compared. */
  close(found: readonly ComparedVersion[]): void {
    for (const version of found) if (!this.others.includes(version)) version.close();
  }

  private async findOne(
    id: number,
    pivot: Pivot | null,
    others: readonly ComparedVersion[],
    signal: AbortSignal,
  ): Promise<ComparedVersion | null> {
    this.wanted = { name: '', progress: null };
    let found: ComparedVersion | null = null;
    try {
      const version = await api.call('GET /versions/{id}', { id, signal });
      if (version.source_id !== this.planned.source.id || id === this.planned.id) {
        this.ended = 'Only versions of the same source can be compared.';
        return null;
      }
      const { planned, rows, changes } = this;
      found = new ComparedVersion(version, planned, rows, changes, () => this.onDeleted(id));
      await found.open();
      signal.throwIfAborted();
      const { name } = version;
      this.wanted = { name, progress: null };
      const beside = (rows.rows ?? 0) + rowCount(others);
      const compared = await found.download(beside, signal, (progress) => {
        if (!signal.aborted) this.wanted = { name, progress };
      });
      if (!signal.aborted) {
        const reason = pivot?.whyNotBeside(compared) ?? null;
        if (reason === null) return found;
        this.ended = reason;
      }
    } catch (error) {
      if (!signal.aborted) this.ended = pivotMessageOf(error);
    } finally {
      if (!signal.aborted) this.wanted = null;
    }
    found?.close();
    return null;
  }

  /** Cancels the download of {@link find}. */
  stopFinding(): void {
    this.finding.stop();
    this.wanted = null;
  }

  /** Cancels every download: of a version to compare with, and of the rows of the current ones. */
  cancel(): void {
    this.stopFinding();
    if (this.taken) this.begin([]);
  }

  /** Compares with versions from the next load on; none end the comparison. */
  begin(others: readonly ComparedVersion[]): void {
    const before = this.others;
    this.others = others;
    if (others.length === before.length && others.every((each) => before.includes(each))) return;
    this.taking.stop();
    this.taken = null;
    this.close(before);
  }

  /**
   * Returns the rows to load beside those of the page's version. A version whose rows cannot be loaded leaves
   * the comparison: {@link ended} then says why, unless it was cancelled. Returns none if it was cancelled, or
   * if a later call replaces this one.
   *
   * @param whyNotBeside the reason why some rows cannot be compared; null if they can
   */
  async take(
    whyNotBeside: (rows: ComparedRows) => string | null,
  ): Promise<readonly ComparedRows[]> {
    const signal = this.taking.begin();
    const taken: ComparedVersion[] = [];
    const rows: ComparedRows[] = [];
    for (const other of this.others) {
      const beside = (this.rows.rows ?? 0) + rowCount(taken);
      const found = await this.takeOne(other, beside, whyNotBeside, signal);
      // The caller that cancelled it has chosen what to compare with.
      if (signal.aborted) return [];
      if (!found) continue;
      taken.push(other);
      rows.push(found);
    }
    this.begin(taken);
    return rows;
  }

  private async takeOne(
    other: ComparedVersion,
    beside: number,
    whyNotBeside: (rows: ComparedRows) => string | null,
    signal: AbortSignal,
  ): Promise<ComparedRows | null> {
    const { name } = other;
    this.taken = { name, progress: null };
    try {
      const rows = await other.take(beside, signal, (progress) => {
        if (!signal.aborted) this.taken = { name, progress };
      });
      const reason = signal.aborted ? null : whyNotBeside(rows);
      if (reason === null) return rows;
      this.ended = reason;
    } catch (error) {
      if (signal.aborted) return null;
      const isGone = error instanceof ApiError && error.status === 404;
      this.ended = isGone ? deletedText(other) : pivotMessageOf(error);
    } finally {
      if (!signal.aborted) this.taken = null;
    }
    return null;
  }

  /** Notes that the rows that {@link take} returned are on screen, and follows later commits. */
  isShown(): void {
    for (const other of this.others) other.isShown();
  }

  dispose(): void {
    this.stopFinding();
    this.begin([]);
  }

  private onDeleted(id: number): void {
    const gone = this.others.find((other) => other.id === id);
    if (!gone) return;
    this.ended = deletedText(gone);
    this.onGone(id);
  }
}

/** Returns the number of downloaded rows of some versions. */
const rowCount = (versions: readonly ComparedVersion[]): number =>
  versions.reduce((sum, version) => sum + version.rowCount, 0);

const deletedText = ({ name }: ComparedVersion) =>
  `“${name}” was deleted, so the comparison has ended.`;
