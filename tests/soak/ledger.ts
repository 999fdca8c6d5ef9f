/** Number of rows and their sums, in cents and whole units. */
export interface Totals {
  rows: number;
  cents: bigint;
  units: bigint;
}

/** An entry as the database has it. */
export interface FoundEntry extends Totals {
  logid: number;
  version: number;
  /** The note that it was sent with. */
  tag: string;
}

/** The knowledge about a requested entry. */
interface Asked {
  tag: string;
  version: number;
  what: string;
  /** `unknown`: the answer was lost, or was an error that leaves the outcome open. */
  outcome: 'sent' | 'made' | 'refused' | 'unknown';
  /** Totals of its rows, as far as known. */
  totals: Partial<Totals>;
  logid?: number;
  /** `maybe`: its removal was requested, and the outcome is unknown. */
  removed: 'no' | 'maybe' | 'yes';
  /** The load that it replaces. */
  replaces?: string;
}

/**
 * Records the writes and removals that the service was asked for, and its answers. It shares no arithmetic
 * with the service: `violations` compares it with the entries of the database.
 */
export class Ledger {
  private readonly asked = new Map<string, Asked>();

  /** Records a requested entry. @param totals known totals */
  sent(
    entry: { tag: string; version: number; what: string; replaces?: string },
    totals: Partial<Totals> = {},
  ): void {
    this.asked.set(entry.tag, { ...entry, outcome: 'sent', totals, removed: 'no' });
  }

  /** Records that an entry was confirmed. @param totals totals that the answer gives */
  made(tag: string, logid: number, totals: Partial<Totals> = {}): void {
    const asked = this.of(tag);
    Object.assign(asked, { outcome: 'made', logid, totals: { ...totals, ...asked.totals } });
    this.removeReplaced(asked, 'yes');
  }

  refused(tag: string): void {
    this.of(tag).outcome = 'refused';
  }

  unknown(tag: string): void {
    this.of(tag).outcome = 'unknown';
    this.removeReplaced(this.of(tag), 'maybe');
  }

  /** Records that an entry was removed, or may have been. */
  removed(tag: string, how: 'maybe' | 'yes'): void {
    const asked = this.of(tag);
    if (asked.removed !== 'yes') asked.removed = how;
  }

  /** The entries of a version that were confirmed and, as far as known, not removed. */
  present(version: number, what?: readonly string[]): { tag: string; logid: number }[] {
    return [...this.asked.values()].flatMap(({ tag, logid, ...asked }) =>
      asked.version === version &&
      asked.outcome === 'made' &&
      asked.removed === 'no' &&
      (!what || what.includes(asked.what)) &&
      logid !== undefined
        ? { tag, logid }
        : [],
    );
  }

  /**
   * Records that all entries of one kind in a version were removed while other requests ran.
   *
   * @param before the tags that existed when the request was sent. Without an answer, and for entries that
   * were written meanwhile, the outcome is unknown
   */
  cleared(version: number, what: string, before: readonly string[], answered: boolean): void {
    for (const asked of this.asked.values()) {
      if (asked.version !== version || asked.what !== what || asked.outcome === 'refused') continue;
      this.removed(asked.tag, answered && before.includes(asked.tag) ? 'yes' : 'maybe');
    }
  }

  /** The differences between the found entries and the records, in sentences. */
  violations(found: readonly FoundEntry[]): string[] {
    const byTag = new Map(found.map((entry) => [entry.tag, entry]));
    const said = found.flatMap((entry) => this.faultsOf(entry));
    if (byTag.size < found.length) said.push('a write was made twice: two entries have its note');
    for (const asked of this.asked.values()) {
      const there = byTag.get(asked.tag);
      const name = `${asked.what} ${asked.tag}`;
      if (asked.outcome === 'sent') said.push(`${name} was never answered`);
      if (!there && asked.outcome === 'made' && asked.removed === 'no') {
        said.push(`${name} was answered as entry ${asked.logid}, but does not exist`);
      }
      if (there && asked.replaces !== undefined && byTag.has(asked.replaces)) {
        said.push(`${name} and the load that it replaces are both there`);
      }
    }
    return said;
  }

  private faultsOf(entry: FoundEntry): string[] {
    const asked = this.asked.get(entry.tag);
    if (!asked) return [`entry ${entry.logid} ("${entry.tag}") was never asked for`];
    const name = `${asked.what} ${asked.tag} (entry ${entry.logid})`;
    const said: string[] = [];
    if (asked.outcome === 'refused') said.push(`${name} was refused, but exists`);
    if (asked.removed === 'yes') said.push(`${name} was removed, but exists`);
    if (entry.rows === 0) said.push(`${name} has no rows`);
    for (const key of ['rows', 'cents', 'units'] as const) {
      const wanted = asked.totals[key];
      if (wanted !== undefined && wanted !== entry[key]) {
        said.push(`${name} has ${entry[key]} ${key} where ${wanted} are due`);
      }
    }
    return said;
  }

  private removeReplaced({ replaces }: Asked, how: 'maybe' | 'yes'): void {
    if (replaces !== undefined) this.removed(replaces, how);
  }

  private of(tag: string): Asked {
    const asked = this.asked.get(tag);
    if (!asked) throw new Error(`Nothing was sent as ${tag}`);
    return asked;
  }
}
