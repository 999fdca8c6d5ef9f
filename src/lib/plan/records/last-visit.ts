/** The entries of a version that this browser has not shown on an earlier visit. */
import { kept, keep } from '../../client/storage';
import type { LogListEntry } from '../../contract/log';

/** Remembers, in this browser, which entries of a version a visit has shown. */
export class LastVisit {
  private readonly key: string;
  /** The newest entry of the last visit; null without one. */
  private readonly newest: number | null;

  constructor(versionId: number) {
    this.key = `pf.seen.${versionId}`;
    const stored = kept(this.key);
    this.newest = stored !== null && /^\d+$/.test(stored) ? Number(stored) : null;
  }

  /** Stores that this visit shows the entries of a log. */
  store(entries: readonly Pick<LogListEntry, 'id'>[]): void {
    const newest = Math.max(this.newest ?? 0, ...entries.map(({ id }) => id));
    keep(this.key, String(newest));
  }

  /** Returns the entries that others have written since the last visit; none if this is the first one. */
  since<Entry extends Pick<LogListEntry, 'id' | 'pf_user'>>(
    entries: readonly Entry[],
    name: string,
  ): Entry[] {
    const { newest } = this;
    return newest === null
      ? []
      : entries.filter(({ id, pf_user }) => id > newest && pf_user !== name);
  }
}
