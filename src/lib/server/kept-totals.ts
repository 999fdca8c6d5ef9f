/** The largest number of versions and of totals in the cache. The least recently stored are evicted. */
const VERSIONS = 500;
const TOTALS = 250_000;

/** Identifies an entry. The stamp distinguishes it from an entry with the same id in a restored database. */
interface Entry {
  id: number;
  stamp: string;
}

/** The cached totals of a version by entry, and their number. */
interface Series<Totals> {
  byEntry: Map<number, Entry & { totals: Totals }>;
  count: number;
}

/**
 * A cache for the totals of entries. The rows of an entry never change, so the database is asked only for the
 * totals of new entries (docs/decisions/0014-memory-and-the-row-cache.md).
 */
export class KeptTotals<Totals extends { logid: number }> {
  private readonly bySeries = new Map<string, Series<Totals>>();
  private count = 0;

  /**
   * @param keeps whether anything is cached
   * @param countOf number of totals that the cache stores for an entry
   */
  constructor(
    private readonly keeps: boolean,
    private readonly countOf: (totals: Totals) => number = () => 1,
  ) {}

  /**
   * The cached totals of some entries.
   *
   * @param series key under which totals have the same meaning: the history, the version, and its measures.
   * Nothing is cached under null
   */
  of(series: string | null, entries: readonly Entry[]): Totals[] {
    const known = series === null ? undefined : this.bySeries.get(series)?.byEntry;
    return entries.flatMap(({ id, stamp }) => {
      const kept = known?.get(id);
      return kept?.stamp === stamp ? kept.totals : [];
    });
  }

  /** Caches the totals of a version's entries. Earlier totals of the series are dropped. */
  keep(series: string | null, entries: readonly Entry[], all: readonly Totals[]): void {
    if (!this.keeps || series === null) return;
    const totals = new Map(all.map((entry) => [entry.logid, entry]));
    const byEntry = new Map(
      entries.flatMap(({ id, stamp }) => {
        const known = totals.get(id);
        return known ? [[id, { id, stamp, totals: known }]] : [];
      }),
    );
    this.become(series, byEntry);
  }

  /** Caches the totals of one more entry of a version. */
  add(series: string | null, { id, stamp }: Entry, totals: Totals): void {
    if (!this.keeps || series === null) return;
    const byEntry = this.bySeries.get(series)?.byEntry ?? new Map();
    this.become(series, byEntry.set(id, { id, stamp, totals }));
  }

  /** Drops the totals of a deleted entry. */
  drop(series: string | null, { id }: Pick<Entry, 'id'>): void {
    if (series === null) return;
    const byEntry = this.bySeries.get(series)?.byEntry;
    if (byEntry?.delete(id)) this.become(series, byEntry);
  }

  private become(series: string, byEntry: Series<Totals>['byEntry']): void {
    let count = 0;
    for (const { totals } of byEntry.values()) count += this.countOf(totals);
    this.forget(series);
    this.bySeries.set(series, { byEntry, count });
    this.count += count;
    for (const longestUnused of this.bySeries.keys()) {
      if (this.bySeries.size <= VERSIONS && this.count <= TOTALS) break;
      this.forget(longestUnused);
    }
  }

  private forget(series: string): void {
    this.count -= this.bySeries.get(series)?.count ?? 0;
    this.bySeries.delete(series);
  }
}
