import { SvelteMap } from 'svelte/reactivity';
import { listLog } from '$lib/client/api';
import type { LogAnswer } from '$lib/contract/log';
import { OPERATIONS } from '$lib/contract/operations';
import type { VersionListEntry } from '$lib/contract/versions';
import { shares } from '$lib/pivot/ratios';

/** What a version adds up to in one measure. */
export interface VersionTotals {
  /** The measure's column: value, or units if the source has no value. */
  measure: string;
  /** The rows that operations see. */
  plan: number;
  /** Null without reference rows. */
  reference: number | null;
  /** Plan less reference as a share of the reference; null if there is nothing to compare with. */
  share: number | null;
}

/**
 * The totals of a version from those of its log entries; null if it has no measure.
 *
 * @param excluded iterations whose rows are no part of the plan
 */
export function versionTotals(
  { entries, value_col, units_col }: LogAnswer,
  excluded: VersionListEntry['exclude_iters'],
): VersionTotals | null {
  const measure = value_col ?? units_col;
  if (measure === null) return null;
  const amount = (entry: LogAnswer['entries'][number]) =>
    (value_col === null ? entry.units_total : entry.value_total) ?? 0;
  const sum = (of: LogAnswer['entries']) =>
    Number(of.reduce((total, entry) => total + amount(entry), 0).toFixed(6));
  const plan = sum(
    entries.filter(({ operation }) => !excluded.some((i) => i === OPERATIONS[operation].iter)),
  );
  const references = entries.filter(({ operation }) => operation === 'reference');
  const reference = references.length > 0 ? sum(references) : null;
  const [share = null] = shares([[plan], [reference]]);
  return { measure, plan, reference, share };
}

/**
 * The totals of the versions in a list, read from their logs, one after the other: the service may have
 * to read a whole version for them, the first time if its measures are exact, each time if not.
 */
export class ListedTotals {
  readonly byVersion = new SvelteMap<number, VersionTotals>();

  /** Reads the totals of some versions. @returns ends the reading */
  read(versions: readonly VersionListEntry[]): () => void {
    const reading = new AbortController();
    void this.readEach(versions, reading.signal);
    return () => reading.abort();
  }

  private async readEach(versions: readonly VersionListEntry[], signal: AbortSignal) {
    for (const version of versions.filter(({ row_count }) => row_count > 0)) {
      // A total that cannot be read is left out: the list is of use without it.
      const log = await listLog(version.id, { signal }).catch(() => null);
      if (signal.aborted) return;
      const totals = log && versionTotals(log, version.exclude_iters);
      if (totals) this.byVersion.set(version.id, totals);
    }
  }
}
