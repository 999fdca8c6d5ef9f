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

/** A version whose rows are on their way, and how far they are. */
interface Waiting {
  name: string;
  progress: Progress | null;
}

/** The version that the page's version is compared with, if there is one, and the way to it. */
export class Comparison {
  /** The version whose plan stands beside the one of the page; null if there is none. */
  other = $state.raw<ComparedVersion | null>(null);
  /** What {@link find} waits for. */
  private wanted = $state.raw<Waiting | null>(null);
  /** What {@link take} waits for. */
  private taken = $state.raw<Waiting | null>(null);
  /** The version whose rows are on their way. */
  readonly loading = $derived(this.wanted ?? this.taken);
  /** Why there is no comparison, or none any more; null if there is nothing to be said. */
  ended = $state.raw<string | null>(null);

  private readonly finding = new LatestCall();
  private readonly taking = new LatestCall();

  /** @param onGone is told that the other version was deleted */
  constructor(
    private readonly planned: PlannedVersion,
    private readonly rows: Loading,
    private readonly changes: Changes,
    private readonly onGone: () => void,
  ) {}

  /** The other versions of the source, whether open or closed. @throws ApiError */
  async choices(): Promise<VersionListEntry[]> {
    const versions = await api.listVersions(this.planned.source.id);
    return versions.filter(({ id }) => id !== this.planned.id);
  }

  /**
   * Brings the rows of a version here. If that fails, {@link ended} says why; if it was cancelled,
   * nothing does.
   *
   * @param pivot beside whose rows they are to stand; null if these are not loaded yet
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

  /** Gives up what {@link find} waits for. */
  stopFinding(): void {
    this.finding.stop();
    this.wanted = null;
  }

  /** Gives up what is on its way: a version that is to be compared with, or rows of the one that is. */
  cancel(): void {
    this.stopFinding();
    if (this.taken) this.begin(null);
  }

  /** Compares with a version from the next load on; null compares with none. */
  begin(other: ComparedVersion | null): void {
    if (this.other !== other) {
      this.taking.stop();
      this.taken = null;
      this.other?.close();
    }
    this.other = other;
  }

  /**
   * The rows to load beside those of the page's version; null if there is no comparison, or if it cannot
   * be made: {@link ended} then says why, unless it was cancelled. Also null if another call has taken
   * this one's place.
   *
   * @param whyNotBeside what is against some rows; null if nothing is
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
      // Who stopped it has said what to compare with.
      if (signal.aborted) return null;
      const isGone = error instanceof ApiError && error.status === 404;
      this.ended = isGone ? deletedText(other) : pivotMessageOf(error);
    } finally {
      if (!signal.aborted) this.taken = null;
    }
    this.begin(null);
    return null;
  }

  /** The rows that were taken are on screen, and follow what is committed. */
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
  `“${name}” was deleted, so there is nothing to compare with any more.`;
