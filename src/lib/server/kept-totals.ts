/** How many versions it keeps totals of, and how many totals altogether; those that were kept last. */
const VERSIONS = 500;
const TOTALS = 250_000;

/** What an entry's totals are known by. Its stamp tells it from another of its id in a restored database. */
interface Entry {
  id: number;
  stamp: string;
}

/** What is kept of a version: the totals of its entries, and how many they are. */
interface Series<Totals> {
  byEntry: Map<number, Entry & { totals: Totals }>;
  count: number;
}

/**
 * What entries add up to. Their rows never change, so the totals of a version are asked of the database for
 * new entries only (docs/decisions/0015-rows-are-kept.md).
 */
export class KeptTotals<Totals extends { logid: number }> {
  readonly #bySeries = new Map<string, Series<Totals>>();
  #count = 0;

  /**
   * @param keeps whether it keeps anything
   * @param countOf how many totals are kept of an entry
   */
  constructor(
    private readonly keeps: boolean,
    private readonly countOf: (totals: Totals) => number = () => 1,
  ) {}

  /**
   * The totals that are known of some entries.
   *
   * @param series the same as long as totals mean the same: the history, the version, and its measures
   */
  of(series: string, entries: readonly Entry[]): Totals[] {
    const known = this.#bySeries.get(series)?.byEntry;
    return entries.flatMap(({ id, stamp }) => {
      const kept = known?.get(id);
      return kept?.stamp === stamp ? kept.totals : [];
    });
  }

  /** Keeps the totals of the entries that a version has; earlier ones of the series are forgotten. */
  keep(series: string, entries: readonly Entry[], all: readonly Totals[]): void {
    if (!this.keeps) return;
    const totals = new Map(all.map((entry) => [entry.logid, entry]));
    const byEntry = new Map(
      entries.flatMap(({ id, stamp }) => {
        const known = totals.get(id);
        return known ? [[id, { id, stamp, totals: known }]] : [];
      }),
    );
    this.#become(series, byEntry);
  }

  /** Keeps the totals of one more entry of a version. */
  add(series: string, { id, stamp }: Entry, totals: Totals): void {
    if (!this.keeps) return;
    const byEntry = this.#bySeries.get(series)?.byEntry ?? new Map();
    this.#become(series, byEntry.set(id, { id, stamp, totals }));
  }

  /** Forgets an entry that a version has no more. */
  drop(series: string, { id }: Pick<Entry, 'id'>): void {
    const byEntry = this.#bySeries.get(series)?.byEntry;
    if (byEntry?.delete(id)) this.#become(series, byEntry);
  }

  #become(series: string, byEntry: Series<Totals>['byEntry']): void {
    let count = 0;
    for (const { totals } of byEntry.values()) count += this.countOf(totals);
    this.#forget(series);
    this.#bySeries.set(series, { byEntry, count });
    this.#count += count;
    for (const longestUnused of this.#bySeries.keys()) {
      if (this.#bySeries.size <= VERSIONS && this.#count <= TOTALS) break;
      this.#forget(longestUnused);
    }
  }

  #forget(series: string): void {
    this.#count -= this.#bySeries.get(series)?.count ?? 0;
    this.#bySeries.delete(series);
  }
}
