import * as v from 'valibot';
import { keep, keptJson } from '../client/storage';
import { user } from '../client/user.svelte';
import type { LogEntry, UndoneEntry } from '../contract/log';

/**
 * An entry that somebody wrote or undid here, with its stamp and the history of the database as far as
 * they are known: in another history its id may be that of another entry.
 */
const Change = v.object({
  logid: v.number(),
  stamp: v.nullable(v.string()),
  timeline: v.nullable(v.string()),
  user: v.string(),
});
type Change = v.InferOutput<typeof Change>;

const Changed = v.object({ written: v.array(Change), undone: v.array(Change) });
/** What was written, and what was undone since the last was written; newest last. */
export type Changed = v.InferOutput<typeof Changed>;

const NOTHING: Changed = { written: [], undone: [] };

/** The log as the service tells it: what lives, what was undone, and of which history that is. */
export interface StoredLog {
  entries: readonly LogEntry[];
  undone: readonly UndoneEntry[];
  timeline: string | null;
}

/**
 * What of some changes can still be undone and made again by a person: entries of theirs that live, and
 * entries that they undid and that are on the list of what was undone.
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
    // Where the database does not tell its history, the stamp has to.
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
 * The entries of a version that were written and undone in this tab: Ctrl+Z undoes the newest of the ones,
 * Ctrl+Y makes the newest of the others again. The tab keeps them while it loads the page anew or shows
 * others (docs/decisions/0016-the-address-is-the-arrangement.md).
 */
export class OwnChanges {
  private now: Changed = NOTHING;
  /** From before this page was loaded, until it is compared with the log. */
  private before: Changed;
  private readonly key: string;

  /**
   * @param timeline the history of the database that is on screen; null if it is not known
   * @param stored asks what is stored now
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

  /** The newest entry that is not undone; null without one. @throws ApiError if the log is not told */
  async lastWritten(): Promise<number | null> {
    return (await this.newest('written'))?.logid ?? null;
  }

  /** The entry that was undone last; null without one. @throws ApiError if the log is not told */
  async lastUndone(): Promise<number | null> {
    return (await this.newest('undone'))?.logid ?? null;
  }

  /** Notes an entry that was just written. */
  wrote(logid: number): void {
    const { written, undone } = this.now;
    this.set({ written: [...written, this.change(logid, null)], undone });
  }

  /** Notes an entry that was just undone. @param stamp when it was written; null if that is not known */
  undid(logid: number, stamp: string | null): void {
    this.forget(logid);
    const { written, undone } = this.now;
    this.set({ written, undone: [...undone, this.change(logid, stamp)] });
  }

  /** Forgets what was undone: something else is written now. */
  forgetUndone(): void {
    this.before = { ...this.before, undone: [] };
    this.set({ ...this.now, undone: [] });
  }

  /** Forgets an entry: it was undone or made again. */
  forget(logid: number): void {
    this.before = without(this.before, logid);
    this.set(without(this.now, logid));
  }

  /** Forgets everything: other entries may have these ids now. */
  forgetAll(): void {
    this.before = NOTHING;
    this.set(NOTHING);
  }

  /** Takes the stamps of what was written from the log. */
  noteStamps(entries: readonly LogEntry[]): void {
    const { written, undone } = this.now;
    const stamped = written.map((change) => {
      const entry = change.stamp === null && entries.find(({ id }) => id === change.logid);
      return entry ? { ...change, stamp: entry.stamp } : change;
    });
    this.set({ written: stamped, undone });
  }

  /** The newest change that is this person's: the name may have changed meanwhile. */
  private async newest(kind: keyof Changed): Promise<Change | undefined> {
    const find = () => this.now[kind].findLast((change) => change.user === user.name);
    const found = find();
    if (found) return found;
    await this.recall();
    return find();
  }

  /** Goes on with what is from before this page was loaded, as far as the log still has it. */
  private async recall(): Promise<void> {
    if (this.before.written.length + this.before.undone.length === 0) return;
    const stored = await this.stored();
    // What was undone or made again meanwhile is no longer in it.
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
