/** Follows the events of a version: appends and removes its rows on screen by log entry. */
import * as api from '../../client/api';
import { followVersion } from '../../client/follow-version';
import { soon } from '../../client/http';
import type { VersionEvent } from '../../contract/events';
import type { LogListEntry } from '../../contract/log';
import type { History } from '../../contract/primitives';
import type { Pivot } from '../../pivot/pivot';
import type { Side } from '../../pivot/rows/attributes';
import type { Changes } from './changes.svelte';
import { readEntryRows } from './entry-rows';
import type { Loading } from '../version/loading.svelte';

/**
 * Number of entries that one request asks for (docs/contract/19-planning-together.md#rows-of-some-entries).
 */
export const ENTRIES_AT_ONCE = 100;

/** The parts of an entry that say whether a page shows its rows. An event has only the operation. */
export type ShownEntry = LogListEntry | { operation: string };

/** The version whose rows are followed, and how the page shows its changes. */
interface Followed {
  id: number;
  /** Whether this is the version of the page, or one that it is compared with. */
  side: Side;
  /** The history of the database that the rows on screen were read from. */
  history: () => History;
  /** Whether the page shows the rows of an entry. */
  isShown: (entry: ShownEntry) => boolean;
  /** Shows some events on screen; see {@link followVersion}. */
  follow: (events: readonly VersionEvent[], signal: AbortSignal) => Promise<void>;
  /** The sentence on the page while an event cannot be shown. */
  notShown: string;
  /** The sentence if too many rows were added to be appended. */
  tooMany: () => string;
}

/** The stored entries of a version, compared with those on screen. */
interface ComparedEntries {
  /** How the rows on screen differ from the stored ones as a whole; null if only entries differ. */
  difference: ReturnType<typeof api.differenceOf>;
  /** Entries with rows. */
  stored: readonly number[];
  /** Entries on screen that are not stored any more. */
  undone: readonly number[];
}

/** The rows of one version on screen, by the log entries that wrote them. They follow its events. */
export class FollowedRows {
  /** Whether changes of others arrive as events. */
  connected = $state.raw(true);

  private end: () => void = () => undefined;

  constructor(
    private readonly followed: Followed,
    private readonly loading: Loading,
    private readonly changes: Changes,
  ) {}

  /** Subscribes to the events. The promise resolves once rows may be requested: later changes arrive as events. */
  open(): Promise<void> {
    this.close();
    const { id, follow, notShown } = this.followed;
    const { opened, end } = followVersion(id, {
      follow,
      onState: (isUp) => (this.connected = isUp),
      ...this.changes.sayingWhileBehind(notShown),
    });
    this.end = end;
    return opened;
  }

  close(): void {
    this.end();
    this.end = () => undefined;
  }

  /** Compares the entries on screen with the log. @throws if the signal has aborted meanwhile */
  async compare(signal: AbortSignal): Promise<ComparedEntries> {
    const { id, isShown } = this.followed;
    // Read this before the log: otherwise an entry that is written meanwhile would look deleted.
    const held = await this.held();
    const { entries, history } = await api.listLog(id, { signal: soon(signal) });
    // A newer comparison may have replaced this one during the request.
    signal.throwIfAborted();
    const stored = entries
      .filter((entry) => entry.row_count > 0 && isShown(entry))
      .map((entry) => entry.id);
    const undone = held.filter((logid) => !stored.includes(logid));
    return { difference: api.differenceOf(history, this.followed.history()), stored, undone };
  }

  /** Returns the entries whose rows are on screen. */
  private async held(): Promise<readonly number[]> {
    await this.changes.settled();
    const pivot = await this.loading.loaded();
    return pivot && this.isOn(pivot) ? [...pivot.entries(this.followed.side)] : [];
  }

  /** Returns those of the given entries whose rows are not on screen. */
  async missing(logids: readonly number[]): Promise<readonly number[]> {
    if (logids.length === 0) return [];
    const held = await this.held();
    return logids.filter((id) => !held.includes(id));
  }

  /**
   * Appends the rows of some entries; if there are too many rows, the page asks for a reload.
   *
   * @param signal aborts the download
   * @throws if they cannot be shown
   */
  async append(logids: readonly number[], signal: AbortSignal): Promise<void> {
    let isComplete = true;
    for (let at = 0; at < logids.length; at += ENTRIES_AT_ONCE) {
      const part = logids.slice(at, at + ENTRIES_AT_ONCE);
      await this.changes.follow(async (pivot) => {
        if (this.isOn(pivot) && !(await this.appendTo(pivot, part, signal))) isComplete = false;
      }, this.followed.side);
    }
    if (!isComplete) this.changes.stale = this.followed.tooMany();
  }

  /** Removes the rows of some entries from the screen. @returns whether any were there @throws if that fails */
  async takeOut(logids: readonly number[]): Promise<boolean> {
    if (logids.length === 0) return false;
    const { side } = this.followed;
    const held = await this.held();
    const gone = logids.filter((id) => held.includes(id));
    for (const logid of gone) {
      if (side === 'own') await this.changes.followUndo(logid);
      else
        await this.changes.follow(async (pivot) => {
          if (this.isOn(pivot)) await pivot.removeEntry(logid, side);
        }, side);
    }
    return gone.length > 0;
  }

  /** Whether the pivot shows this version; the user may have ended or changed the comparison. */
  private isOn(pivot: Pivot): boolean {
    const { side } = this.followed;
    return side === 'own' || pivot.comparedWith.includes(side);
  }

  private async appendTo(
    pivot: Pivot,
    logids: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { id, side, history } = this.followed;
    // The repeated answer to a write may have added the rows already.
    const missing = logids.filter((logid) => !pivot.entries(side).has(logid));
    if (missing.length === 0) return true;
    const { rows, areTooMany } = await readEntryRows(id, missing, pivot, history(), signal);
    if (rows) await pivot.append(rows, side);
    return !areTooMany;
  }
}
