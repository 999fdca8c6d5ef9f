/** Follows other people's changes of the version on the page. */
import * as api from '../../client/api';
import { entriesOf } from '../../client/follow-version';
import { soon } from '../../client/http';
import type { VersionEvent } from '../../contract/events';
import type { LogListEntry } from '../../contract/log';
import { isClose, isReference } from '../../contract/operations';
import type { Changes } from './changes.svelte';
import { FollowedRows } from './followed-rows.svelte';
import type { Loading } from '../version/loading.svelte';
import type { Log } from '../records/log.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';

/**
 * Debounce of reading the log, in ms: the log sums up all rows, so it is read once for a series of changes.
 */
const LOG_PAUSE_MS = 500;

const NOT_SHOWN = 'Someone else has changed this version, and this page could not show the change.';

const and = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const originsOf = (iters: readonly string[]) => and.format(iters) || 'no origin';

/** Returns the notice of a page whose plan has other origins than before: "ann changed which rows count as …" */
export const exclusionText = (
  before: readonly string[],
  after: readonly string[],
  person: string | null,
): string =>
  `${person ?? 'Someone'} changed which rows count as the plan: operations now skip ${originsOf(after)} (before: ${originsOf(before)}). Reload to see the current plan.`;

/** Events of a list beside the rows, such as the comments. {@link Live} handles all other events itself. */
type ListEvent = Exclude<
  VersionEvent['kind'],
  'written' | 'undone' | 'cleared' | 'note' | 'status' | 'deleted' | 'resync'
>;

/** The page's callbacks for other people's changes. */
interface LiveEvents {
  /** Somebody else wrote an entry, and its rows are on screen now. */
  onWritten(entry: LogListEntry): void;
  /** The rows have to be loaded: there were none before, none are left, or some of an entry were changed. */
  onReload(): void;
  /** Read the list of each event again. Settle once it is read. */
  readers: Readonly<Record<ListEvent, () => Promise<void>>>;
  /** Entries were written or undone, also by this page. */
  onEntries(): void;
  /** The database was replaced: ids may belong to other entries now. Settles once everything is reloaded. */
  onReplaced(): Promise<void>;
}

/**
 * Follows other people's changes as they are committed. Each event adds or removes the rows of one entry;
 * missed events are found by comparing the entries on screen with those of the log
 * (docs/contract/19-planning-together.md#live).
 */
export class Live {
  private readonly rows: FollowedRows;

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly changes: Changes,
    private readonly log: Log,
    private readonly events: LiveEvents,
  ) {
    const followed = {
      id: planned.id,
      side: 'own' as const,
      history: () => loading.history,
      isShown: () => true,
      follow: (arrived: readonly VersionEvent[], signal: AbortSignal) =>
        this.follow(arrived, signal),
      notShown: NOT_SHOWN,
      tooMany: () => 'Many rows were added to this version. Reload to see them.',
    };
    this.rows = new FollowedRows(followed, loading, changes);
  }

  /** Whether changes of others arrive as events. */
  get connected(): boolean {
    return this.rows.connected;
  }

  /** Subscribes to the events of the version; see {@link FollowedRows.open}. */
  open(): Promise<void> {
    return this.rows.open();
  }

  close(): void {
    this.rows.close();
  }

  private async follow(events: readonly VersionEvent[], signal: AbortSignal): Promise<void> {
    const has = (kind: string) => events.some((event) => event.kind === kind);
    if (has('deleted')) this.changes.stale = 'This version was deleted.';
    else if (has('resync') || has('cleared')) await this.compare(signal);
    else {
      const { written, undone } = entriesOf(events);
      await this.change(undone, written, signal);
      if (has('status')) await this.followVersion(events);
      for (const [kind, read] of Object.entries(this.events.readers)) if (has(kind)) await read();
      if (!has('review') && (has('written') || has('undone'))) this.events.onEntries();
      // An entry that is already undone changes no rows on screen, but is in the log.
      const isSkipped = events.some(
        (event) => event.kind === 'written' && undone.includes(event.logid),
      );
      if (has('note') || isSkipped) void this.log.read(LOG_PAUSE_MS);
    }
  }

  /** @param events since the last call; after a lost event, who changed the version is unknown */
  private async followVersion(events: readonly VersionEvent[] = []): Promise<void> {
    const before = this.planned.current.exclude_iters;
    await this.planned.refresh();
    const after = this.planned.current.exclude_iters;
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    const by = events.findLast((event) => event.kind === 'status' && event.excluded !== undefined);
    const person = by?.kind === 'status' ? by.excluded?.pf_user : null;
    this.changes.stale = exclusionText(before, after, person ?? null);
  }

  /** Compares the entries on screen with the stored ones, and adds or removes rows until they match. */
  private async compare(signal: AbortSignal): Promise<void> {
    const [{ difference, stored, undone }, columns] = await Promise.all([
      this.rows.compare(signal),
      api.call('GET /sources/{id}/columns', {
        id: this.planned.source.id,
        signal: soon(signal),
      }),
      this.followVersion(),
      ...Object.values(this.events.readers).map((read) => read()),
    ]);
    signal.throwIfAborted();
    if (JSON.stringify(columns) !== JSON.stringify(this.planned.stored)) {
      this.changes.stale =
        'The columns of this source have changed. Reopen the version to see them.';
      return;
    }
    if (difference === 'timeline') return this.events.onReplaced();
    if (difference === 'revision') {
      await this.changes.follow(() => Promise.resolve(), 'own');
      return this.events.onReload();
    }
    // Notes and undone entries may have changed, too.
    void this.log.read(LOG_PAUSE_MS);
    await this.change(undone, stored, signal);
  }

  private async change(
    undone: readonly number[],
    written: readonly number[],
    signal: AbortSignal,
  ): Promise<void> {
    const isChanged = await this.rows.takeOut(undone);
    if (isChanged) void this.log.read(LOG_PAUSE_MS);
    // A reload includes the rows that were written, too.
    if (isChanged && this.loading.rows === 0) this.events.onReload();
    else await this.bring(written, signal);
  }

  private async bring(logids: readonly number[], signal: AbortSignal): Promise<void> {
    const missing = await this.rows.missing(logids);
    if (missing.length === 0) return;
    if (this.loading.phase.kind === 'empty') return this.events.onReload();
    await this.rows.append(missing, signal);
    void this.tell(missing.at(-1));
  }

  /** Reports an entry that was written, as the log names it. */
  private async tell(logid: number | undefined): Promise<void> {
    await this.log.read(LOG_PAUSE_MS);
    const written = this.log.answer?.entries.find(({ id }) => id === logid);
    if (!written) return;
    this.events.onWritten(written);
    const { compares = false, hasActuals = false } = this.loading.pivot?.origins ?? {};
    if (isReference(written.operation) && !compares) {
      this.changes.stale =
        'Reference rows were loaded. Reload to find their columns under Arrange.';
    }
    if (isClose(written.operation) && !hasActuals) {
      this.changes.stale = 'Months were closed. Reload to find the forecast under Arrange.';
    }
  }
}
