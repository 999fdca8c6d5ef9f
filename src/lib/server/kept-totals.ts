import type { ExactTotals } from './db/forecast';

/** How many versions it keeps totals of; those that were read last. */
const VERSIONS = 500;

/** What an entry's totals are known by. Its stamp tells it from another of its id in a restored database. */
interface Entry {
  id: number;
  stamp: string;
}

/**
 * What entries add up to. Their rows never change, so the log of a version asks the database for the
 * totals of new entries only (docs/decisions/0015-rows-are-kept.md).
 */
export class KeptTotals {
  readonly #bySeries = new Map<string, ReadonlyMap<number, Entry & { totals: ExactTotals }>>();

  /** @param keeps whether it keeps anything */
  constructor(private readonly keeps: boolean) {}

  /**
   * The totals that are known of some entries.
   *
   * @param series the same as long as totals mean the same: the history, the version, and its measures
   */
  of(series: string, entries: readonly Entry[]): ExactTotals[] {
    const known = this.#bySeries.get(series);
    return entries.flatMap(({ id, stamp }) => {
      const kept = known?.get(id);
      return kept?.stamp === stamp ? kept.totals : [];
    });
  }

  /** Keeps the totals of the entries that a version has; earlier ones of the series are forgotten. */
  keep(series: string, entries: readonly Entry[], exact: readonly ExactTotals[]): void {
    if (!this.keeps) return;
    const totals = new Map(exact.map((entry) => [entry.logid, entry]));
    this.#bySeries.delete(series);
    this.#bySeries.set(
      series,
      new Map(
        entries.flatMap(({ id, stamp }) => {
          const known = totals.get(id);
          return known ? [[id, { id, stamp, totals: known }]] : [];
        }),
      ),
    );
    for (const longestUnused of this.#bySeries.keys()) {
      if (this.#bySeries.size <= VERSIONS) break;
      this.#bySeries.delete(longestUnused);
    }
  }
}
