/** Appends and removes rows on screen by log entry. */
import * as api from '../../client/api';
import { soon } from '../../client/http';
import type { History } from '../../contract/primitives';
import type { Pivot } from '../../pivot/pivot';
import type { Side } from '../../pivot/table/pivot-rows';
import type { Changes } from './changes.svelte';
import { AnsweredRows } from '../../pivot/rows/rows';
import { readDownload } from '../version/download';
import type { Loading } from '../version/loading.svelte';

/**
 * Number of entries that one request asks for (docs/contract/19-planning-together.md#rows-of-some-entries).
 */
export const ENTRIES_AT_ONCE = 100;

/** Number of rows above which loading is faster than appending. */
const MOST_ROWS = 100_000;

/** The rows of one version on screen, by the log entries that wrote them. */
export class RowsOnScreen {
  /**
   * @param side whether this is the version of the page, or one that it is compared with
   * @param history of the rows on screen
   */
  constructor(
    private readonly versionId: number,
    private readonly side: Side,
    private readonly loading: Loading,
    private readonly changes: Changes,
    private readonly history: () => History,
  ) {}

  /** Returns the entries whose rows are on screen. */
  async held(): Promise<readonly number[]> {
    await this.changes.settled();
    const pivot = await this.loading.loaded();
    return pivot && this.isOn(pivot) ? [...pivot.entries(this.side)] : [];
  }

  /** Returns those of the given entries whose rows are not on screen. */
  async missing(logids: readonly number[]): Promise<readonly number[]> {
    const held = await this.held();
    return logids.filter((id) => !held.includes(id));
  }

  /**
   * Appends the rows of some entries.
   *
   * @param signal aborts the download
   * @returns false if there are too many rows to append; they have to be loaded
   * @throws if they cannot be shown
   */
  async append(logids: readonly number[], signal: AbortSignal): Promise<boolean> {
    let isComplete = true;
    for (let at = 0; at < logids.length; at += ENTRIES_AT_ONCE) {
      const part = logids.slice(at, at + ENTRIES_AT_ONCE);
      await this.changes.follow(async (pivot) => {
        if (this.isOn(pivot) && !(await this.appendTo(pivot, part, signal))) isComplete = false;
      }, this.side);
    }
    return isComplete;
  }

  /** Removes the rows of an entry from the screen. @throws if that fails */
  remove(logid: number): Promise<void> {
    return this.changes.follow(async (pivot) => {
      if (this.isOn(pivot)) await pivot.removeEntry(logid, this.side);
    }, this.side);
  }

  /** Whether the pivot shows this version; the user may have ended or changed the comparison. */
  private isOn(pivot: Pivot): boolean {
    return this.side === 'own' || pivot.comparedWith.includes(this.side);
  }

  private async appendTo(
    pivot: Pivot,
    logids: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean> {
    // The repeated answer to a write may have added the rows already.
    const missing = logids.filter((id) => !pivot.entries(this.side).has(id));
    if (missing.length === 0) return true;
    const endpoint = pivot.index === 'pf_gkey' ? 'agg' : 'data';
    const response = await api.loadRows(this.versionId, endpoint, {
      logids: missing,
      signal: soon(signal),
    });
    if (api.differenceOf(api.historyOf(response), this.history())) {
      await response.body?.cancel();
      throw new Error('The rows on screen are outdated, so no rows can be added to them');
    }
    if (Number(response.headers.get('x-row-count')) > MOST_ROWS) {
      await response.body?.cancel();
      return false;
    }
    const { bytes } = await readDownload(response, 'number', () => undefined);
    if (bytes) await pivot.append(new AnsweredRows(bytes), this.side);
    return true;
  }
}
