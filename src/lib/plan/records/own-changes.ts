/** The changes of this tab that can be undone and redone. */
import * as v from 'valibot';
import { keep, keptJson } from '../../client/storage';
import { user } from '../../client/user.svelte';
import type { LogEntry, UndoneEntry } from '../../contract/log';

/**
 * An entry that somebody wrote or undid in this tab, with its time stamp and the history of the database as
 * far as they are known. In another history its id may belong to another entry.
 */
const Change = v.object({
  logid: v.number(),
  stamp: v.nullable(v.string()),
  timeline: v.nullable(v.string()),
  user: v.string(),
});
type Change = v.InferOutput<typeof Change>;

const Changed = v.object({ written: v.array(Change), undone: v.array(Change) });
/** Entries that were written, and entries that were undone since the last write; newest last. */
export type Changed = v.InferOutput<typeof Changed>;

const NOTHING: Changed = { written: [], undone: [] };

/** The log of the service: live entries, undone entries, and the history of the database. */
export interface StoredLog {
  entries: readonly LogEntry[];
  undone: readonly UndoneEntry[];
  timeline: string | null;
}

/**
 * Returns the changes that a user can still undo and redo: live entries that they wrote, and entries that
 * they undid and that are in the list of undone entries.
 */
export function stillThere(
  { written, undone }: Changed,
  stored: StoredLog,
  person: string,
): Changed {
  const isIn = (entries: readonly LogEntry[]) => (change: Change) => {
    if (change.user !== person) return false;
    const entry = entries.find(({ id }) => id === change.logid);
    if (!entry) return false;
    const histories = [change.timeline, stored.timeline].filter((each) => each !== null);
    const isOneHistory = new Set(histories).size <= 1;
    // If the database does not identify its history, the time stamps have to match.
    return (
      isOneHistory &&
      (change.stamp === null ? histories.length === 2 : change.stamp === entry.stamp)
    );
  };
  const own = stored.entries.filter(({ pf_user }) => pf_user === person);
  return {
    written: written.filter(isIn(own)),
    undone: undone.filter(isIn(stored.undone.map(({ entry }) => entry))),
  };
}

const without = ({ written, undone }: Changed, logid: number): Changed => ({
  written: written.filter((each) => each.logid !== logid),
  undone: undone.filter((each) => each.logid !== logid),
});

/**
 * The entries of a version that were written and undone in this tab. Ctrl+Z undoes the newest written one,
 * Ctrl+Y redoes the newest undone one. The tab keeps them when it reloads the page or shows another one
 * (docs/decisions/0016-the-address-is-the-arrangement.md).
 */
export class OwnChanges {
  private now: Changed = NOTHING;
  /** Changes from before this page was loaded, until they are compared with the log. */
  private before: Changed;
  private readonly key: string;

  /**
   * @param timeline the history of the database that is on screen; null if it is not known
   * @param stored reads the stored log
   */
  constructor(
    versionId: number,
    private readonly timeline: () => string | null,
    private readonly stored: () => Promise<StoredLog>,
  ) {
    this.key = `pf.changes.${versionId}`;
    const kept = v.safeParse(Changed, keptJson(this.key, 'tab'));
    this.before = kept.success ? kept.output : NOTHING;
  }

  /**
   * Returns the newest entry that is not undone; null if there is none. @throws ApiError if the log cannot be
   * read
   */
  async lastWritten(): Promise<number | null> {
    return (await this.newest('written'))?.logid ?? null;
  }

  /**
   * Returns the entry that was undone last; null if there is none. @throws ApiError if the log cannot be read
   */
  async lastUndone(): Promise<number | null> {
    return (await this.newest('undone'))?.logid ?? null;
  }

  /** Records an entry that was just written. */
  wrote(logid: number): void {
    const { written, undone } = this.now;
    this.set({ written: [...written, this.change(logid, null)], undone });
  }

  /** Records an entry that was just undone. @param stamp when it was written; null if that is not known */
  undid(logid: number, stamp: string | null): void {
    this.forget(logid);
    const { written, undone } = this.now;
    this.set({ written, undone: [...undone, this.change(logid, stamp)] });
  }

  /** Forgets the undone entries, because something else is written now. */
  forgetUndone(): void {
    this.before = { ...this.before, undone: [] };
    this.set({ ...this.now, undone: [] });
  }

  /** Forgets an entry that was undone or redone. */
  forget(logid: number): void {
    this.before = without(this.before, logid);
    this.set(without(this.now, logid));
  }

  /** Forgets all entries, because their ids may belong to other entries now. */
  forgetAll(): void {
    this.before = NOTHING;
    this.set(NOTHING);
  }

  /** Copies the time stamps of the written entries from the log. */
  noteStamps(entries: readonly LogEntry[]): void {
    const { written, undone } = this.now;
    const stamped = written.map((change) => {
      const entry = change.stamp === null && entries.find(({ id }) => id === change.logid);
      return entry ? { ...change, stamp: entry.stamp } : change;
    });
    this.set({ written: stamped, undone });
  }

  /** Returns the newest change of the current user; the name may have changed meanwhile. */
  private async newest(kind: keyof Changed): Promise<Change | undefined> {
    const find = () => this.now[kind].findLast((change) => change.user === user.name);
    const found = find();
    if (found) return found;
    await this.recall();
    return find();
  }

  /** Restores the changes from before this page was loaded, as far as the log still has them. */
  private async recall(): Promise<void> {
    if (this.before.written.length + this.before.undone.length === 0) return;
    const stored = await this.stored();
    // This excludes entries that were undone or redone meanwhile.
    const { written, undone } = stillThere(this.before, stored, user.name);
    this.before = NOTHING;
    this.set({
      written: [...written, ...this.now.written],
      undone: [...undone, ...this.now.undone],
    });
  }

  private change(logid: number, stamp: string | null): Change {
    return { logid, stamp, timeline: this.timeline(), user: user.name };
  }

  private set(now: Changed): void {
    this.now = now;
    const { before } = this;
    const written = [...before.written, ...now.written];
    const undone = [...before.undone, ...now.undone];
    const isEmpty = written.length + undone.length === 0;
    keep(this.key, isEmpty ? null : JSON.stringify({ written, undone }), 'tab');
  }
}
