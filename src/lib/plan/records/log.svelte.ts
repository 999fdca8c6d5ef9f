/** The log of the version on the page, and its undone entries. */
import * as api from '../../client/api';
import { Latest } from '../../client/latest.svelte';
import type { LogAnswer, LogListEntry, UndoneEntry } from '../../contract/log';
import type { Totals } from '../../contract/primitives';
import type { Slice } from '../../contract/slices';
import { LastVisit } from './last-visit';
import type { StoredLog } from './own-changes';
import { SELECTION_PAUSE_MS } from '../selection/selection.svelte';
import { byEntry } from '../amounts/entry-totals';

/** What entries put into a slice, by their ids. */
export interface Touching {
  slice: Slice;
  entries: ReadonlyMap<number, Totals>;
}

/** The version's log, as the service last returned it. */
export class Log {
  readonly latest = new Latest<LogAnswer>();
  /** Undone entries, the latest undo first; null until they are read. */
  readonly undone = new Latest<readonly UndoneEntry[]>();
  /** The entries that have rows of the slice that was asked about last; null until they are known. */
  readonly touching = new Latest<Touching>(SELECTION_PAUSE_MS);

  /** Which entries were shown on an earlier visit of this page. */
  readonly lastVisit: LastVisit;

  constructor(private readonly versionId: number) {
    this.lastVisit = new LastVisit(versionId);
  }

  /** The log; null until it is read, or if it could not be read. */
  get answer(): LogAnswer | null {
    return this.latest.answer;
  }

  /**
   * Reads the log again. Never throws: `latest.failure` says why it could not be read.
   *
   * @param pauseMs a debounce
   */
  read(pauseMs = 0): Promise<void> {
    this.latest.ask(async (signal) => {
      const answer = await api.listLog(this.versionId, { signal });
      this.lastVisit.store(answer.entries);
      return answer;
    }, pauseMs);
    this.undone.ask(
      (signal) => api.call('GET /versions/{id}/undone', { id: this.versionId, signal }),
      pauseMs,
    );
    return this.latest.settled();
  }

  /** Asks which entries have rows of a slice; null drops the answer. */
  askTouching(slice: Slice | null): void {
    if (slice === null) return this.touching.clear();
    this.touching.ask(async (signal) => {
      const { entries } = await api.call('POST /versions/{id}/explain', {
        id: this.versionId,
        body: { slice },
        signal,
      });
      return { slice, entries: byEntry(entries) };
    });
  }

  /** Returns an entry of the log that is being read; null if the log does not have it, or could not be read. */
  async entry(logid: number): Promise<LogListEntry | null> {
    await this.latest.settled();
    return this.answer?.entries.find(({ id }) => id === logid) ?? null;
  }

  /** Returns the entries that were written after one, newest first; none if the log is not known. */
  after({ id }: Pick<LogListEntry, 'id'>): LogListEntry[] {
    return this.answer?.entries.filter((entry) => entry.id > id) ?? [];
  }

  /** Reads the stored log and the undone entries. @throws ApiError if the service does not return them */
  async stored(): Promise<StoredLog> {
    const [{ entries, history }, undone] = await Promise.all([
      api.listLog(this.versionId),
      api.call('GET /versions/{id}/undone', { id: this.versionId }),
    ]);
    return { entries, undone, timeline: history.timeline };
  }

  /**
   * Changes the note of an entry. @throws ApiError with the service's sentence; the note is unchanged then
   */
  async editNote(logid: number, note: string): Promise<void> {
    const edited = await api.call('PATCH /log/{logid}', {
      logid,
      body: { note: note === '' ? null : note },
    });
    if (!this.answer) return;
    this.latest.answer = {
      ...this.answer,
      entries: this.answer.entries.map((entry) =>
        entry.id === logid ? { ...entry, note: edited.note } : entry,
      ),
    };
  }
}
