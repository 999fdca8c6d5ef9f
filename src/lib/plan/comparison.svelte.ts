/** Downloads, starts and ends the comparison with another version. */
import * as api from '../client/api';
import { ApiError } from '../client/http';
import { LatestCall } from '../client/latest.svelte';
import type { VersionListEntry } from '../contract/versions';
import type { Pivot } from '../pivot/pivot';
import type { ComparedRows } from '../pivot/table/ready-rows';
import type { Changes } from './changes.svelte';
import { ComparedVersion } from './compared-version.svelte';
import type { Progress } from './download';
import { pivotMessageOf, type Loading } from './loading.svelte';
import type { PlannedVersion } from './planned-version.svelte';

/** A version whose rows are being downloaded, and the progress. */
interface Waiting {
  name: string;
  progress: Progress | null;
}

/** The version that the page's version is compared with, if there is one, and its download. */
export class Comparison {
  /** The version whose plan is shown beside that of the page; null if there is none. */
  other = $state.raw<ComparedVersion | null>(null);
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

  /** @param onGone is called after the other version was deleted */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly rows: Loading,
    private readonly changes: Changes,
    private readonly onGone: () => void,
  ) {}

  /** Returns the other versions of the source, both open and closed. @throws ApiError */
  async choices(): Promise<VersionListEntry[]> {
    const versions = await api.listVersions(this.planned.source.id);
    return versions.filter(({ id }) => id !== this.planned.id);
  }

  /**
   * Downloads the rows of a version. If that fails, {@link ended} says why, unless it was cancelled.
   *
   * @param pivot the pivot whose rows they will stand beside; null if it is not loaded yet
   * @returns the version, to be passed to {@link begin}; null if there is none
   */
  async find(id: number, pivot: Pivot | null): Promise<ComparedVersion | null> {
    const signal = this.finding.begin();
    this.ended = null;
    this.wanted = { name: '', progress: null };
    let found: ComparedVersion | null = null;
    try {
      const version = await api.getVersion(id, { signal });
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
      const compared = await found.download(rows.rows ?? 0, signal, (progress) => {
        if (!signal.aborted) this.wanted = { name, progress };
      });
      if (!signal.aborted) {
        this.ended = pivot?.whyNotBeside(compared) ?? null;
        if (this.ended === null) return found;
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

  /** Cancels every download: of a version to compare with, and of the rows of the current one. */
  cancel(): void {
    this.stopFinding();
    if (this.taken) this.begin(null);
  }

  /** Compares with a version from the next load on; null ends the comparison. */
  begin(other: ComparedVersion | null): void {
    if (this.other !== other) {
      this.taking.stop();
      this.taken = null;
      this.other?.close();
    }
    this.other = other;
  }

  /**
   * Returns the rows to load beside those of the page's version. Returns null if there is no comparison, or
   * if it fails: {@link ended} then says why, unless it was cancelled. Also returns null if a later call
   * replaces this one.
   *
   * @param whyNotBeside the reason why some rows cannot be compared; null if they can
   */
  async take(whyNotBeside: (rows: ComparedRows) => string | null): Promise<ComparedRows | null> {
    const { other } = this;
    if (!other) return null;
    const { name } = other;
    const signal = this.taking.begin();
    this.taken = { name, progress: null };
    try {
      const rows = await other.take(this.rows.rows ?? 0, signal, (progress) => {
        if (!signal.aborted) this.taken = { name, progress };
      });
      if (signal.aborted) return null;
      this.ended = whyNotBeside(rows);
      if (this.ended === null) return rows;
    } catch (error) {
      // The caller that cancelled it has chosen what to compare with.
      if (signal.aborted) return null;
      const isGone = error instanceof ApiError && error.status === 404;
      this.ended = isGone ? deletedText(other) : pivotMessageOf(error);
    } finally {
      if (!signal.aborted) this.taken = null;
    }
    this.begin(null);
    return null;
  }

  /** Notes that the rows that {@link take} returned are on screen, and follows later commits. */
  isShown(): void {
    this.other?.isShown();
  }

  dispose(): void {
    this.stopFinding();
    this.begin(null);
  }

  private onDeleted(id: number): void {
    const { other } = this;
    if (other?.id !== id) return;
    this.ended = deletedText(other);
    this.onGone();
  }
}

const deletedText = ({ name }: ComparedVersion) =>
  `“${name}” was deleted, so the comparison has ended.`;
