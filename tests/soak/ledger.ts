/** Rows, and what they add up to: cents and whole units. */
export interface Totals {
  rows: number;
  cents: bigint;
  units: bigint;
}

/** An entry as it was found in the database. */
export interface FoundEntry extends Totals {
  logid: number;
  version: number;
  /** The note it was sent with. */
  tag: string;
}

/** What is known of an entry that was asked for. */
interface Asked {
  tag: string;
  version: number;
  what: string;
  /** `unknown`: the answer was lost, or was an error that does not say. */
  outcome: 'sent' | 'made' | 'refused' | 'unknown';
  /** Of what it writes, as far as that is known. */
  totals: Partial<Totals>;
  logid?: number;
  /** `maybe`: what takes it away was sent, and its outcome is not known. */
  removed: 'no' | 'maybe' | 'yes';
  /** Load whose place it takes. */
  replaces?: string;
}

/**
 * What the service was asked to write and take away, and what it said to that. It owes nothing to the
 * service's own arithmetic: `violations` holds the entries of the database to it.
 */
export class Ledger {
  readonly #asked = new Map<string, Asked>();

  /** Notes an entry that is asked for. @param totals what is known of them beforehand */
  sent(
    entry: { tag: string; version: number; what: string; replaces?: string },
    totals: Partial<Totals> = {},
  ): void {
    this.#asked.set(entry.tag, { ...entry, outcome: 'sent', totals, removed: 'no' });
  }

  /** It was answered. @param totals what the answer says of its rows */
  made(tag: string, logid: number, totals: Partial<Totals> = {}): void {
    const asked = this.#of(tag);
    Object.assign(asked, { outcome: 'made', logid, totals: { ...totals, ...asked.totals } });
    this.#removeReplaced(asked, 'yes');
  }

  refused(tag: string): void {
    this.#of(tag).outcome = 'refused';
  }

  unknown(tag: string): void {
    this.#of(tag).outcome = 'unknown';
    this.#removeReplaced(this.#of(tag), 'maybe');
  }

  /** Something took an entry away, or may have. */
  removed(tag: string, how: 'maybe' | 'yes'): void {
    const asked = this.#of(tag);
    if (asked.removed !== 'yes') asked.removed = how;
  }

  /** Entries of a version that were answered and not taken away, for all that is known. */
  present(version: number, what?: readonly string[]): { tag: string; logid: number }[] {
    return [...this.#asked.values()].flatMap(({ tag, logid, ...asked }) =>
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
   * Everything of one kind in a version was taken away while other requests were under way.
   *
   * @param before the tags that were there when it was sent; without an answer, or for what came in
   * meanwhile, nobody knows
   */
  cleared(version: number, what: string, before: readonly string[], answered: boolean): void {
    for (const asked of this.#asked.values()) {
      if (asked.version !== version || asked.what !== what || asked.outcome === 'refused') continue;
      this.removed(asked.tag, answered && before.includes(asked.tag) ? 'yes' : 'maybe');
    }
  }

  /** What does not agree between the entries that were found and what is known, in sentences. */
  violations(found: readonly FoundEntry[]): string[] {
    const byTag = new Map(found.map((entry) => [entry.tag, entry]));
    const said = found.flatMap((entry) => this.#faultsOf(entry));
    if (byTag.size < found.length) said.push('a write was made twice: two entries have its note');
    for (const asked of this.#asked.values()) {
      const there = byTag.get(asked.tag);
      const name = `${asked.what} ${asked.tag}`;
      if (asked.outcome === 'sent') said.push(`${name} was never answered`);
      if (!there && asked.outcome === 'made' && asked.removed === 'no') {
        said.push(`${name} was answered as entry ${asked.logid}, and is not there`);
      }
      if (there && asked.replaces !== undefined && byTag.has(asked.replaces)) {
        said.push(`${name} and the load that it replaces are both there`);
      }
    }
    return said;
  }

  #faultsOf(entry: FoundEntry): string[] {
    const asked = this.#asked.get(entry.tag);
    if (!asked) return [`entry ${entry.logid} ("${entry.tag}") was never asked for`];
    const name = `${asked.what} ${asked.tag} (entry ${entry.logid})`;
    const said: string[] = [];
    if (asked.outcome === 'refused') said.push(`${name} was refused, and is there`);
    if (asked.removed === 'yes') said.push(`${name} was taken away, and is there`);
    if (entry.rows === 0) said.push(`${name} has no rows`);
    for (const key of ['rows', 'cents', 'units'] as const) {
      const wanted = asked.totals[key];
      if (wanted !== undefined && wanted !== entry[key]) {
        said.push(`${name} has ${entry[key]} ${key} where ${wanted} are due`);
      }
    }
    return said;
  }

  #removeReplaced({ replaces }: Asked, how: 'maybe' | 'yes'): void {
    if (replaces !== undefined) this.removed(replaces, how);
  }

  #of(tag: string): Asked {
    const asked = this.#asked.get(tag);
    if (!asked) throw new Error(`Nothing was sent as ${tag}`);
    return asked;
  }
}
