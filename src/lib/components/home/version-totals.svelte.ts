/** The totals of listed versions, loaded one by one. */
import { SvelteMap } from 'svelte/reactivity';
import { getVersionTotals } from '$lib/client/api';
import { decimalsShown, type Decimals } from '$lib/contract/decimals';
import type { VersionListEntry, VersionTotals } from '$lib/contract/versions';
import { shares } from '$lib/pivot/values/ratios';
import type { Month } from './sparkline';

/** The totals of a version in one measure. */
export interface ShownTotals {
  /** The measure's column: value, or units if the source has no value. */
  measure: string;
  decimals: Decimals;
  /** Total of the rows that operations see. */
  plan: number;
  /** Null without reference rows. */
  reference: number | null;
  /** The plan in the months of the reference; null without reference rows. */
  compared: number | null;
  /** First days of the first and last month of the reference; null without dates. */
  span: readonly [first: string, last: string] | null;
  /**
   * The plan in the months of the reference, less the reference, as a share of the reference; null if there is
   * nothing to compare with.
   */
  share: number | null;
  /** The plan by month, oldest first. */
  months: readonly Month[];
}

/** Returns the totals of a version for a list; null if it has no measure. */
export function shownTotals(totals: VersionTotals): ShownTotals | null {
  const { value_col, units_col, months } = totals;
  const measure = value_col ?? units_col;
  if (measure === null) return null;
  const amount = (of: VersionTotals['plan']) =>
    (value_col === null ? of.units_total : of.value_total) ?? 0;
  const plan = amount(totals.plan);
  const reference = totals.reference && amount(totals.reference);
  const decimals =
    value_col === null
      ? decimalsShown('units', totals.units_type, [plan])
      : decimalsShown('value', totals.value_type, [plan]);
  const compared = totals.compared && amount(totals.compared);
  const { first_month: first, last_month: last } = totals.compared ?? {};
  const [share = null] = shares([[compared], [reference]], decimals);
  return {
    ...{ measure, decimals, plan, reference, compared, share },
    span: first && last ? [first, last] : null,
    months: months.map((each) => ({ month: each.month, amount: amount(each) })),
  };
}

/**
 * The totals of the versions in a list, read one version at a time: without cached totals, the service scans
 * all rows of a version.
 */
export class ListedTotals {
  readonly byVersion = new SvelteMap<number, ShownTotals>();

  /** Reads the totals of some versions. @returns a function that cancels the reads */
  read(versions: readonly VersionListEntry[]): () => void {
    const reading = new AbortController();
    void this.readEach(versions, reading.signal);
    return () => reading.abort();
  }

  private async readEach(versions: readonly VersionListEntry[], signal: AbortSignal) {
    for (const { id, row_count } of versions) {
      // Totals that cannot be read are omitted: the list is useful without them.
      const totals =
        row_count > 0 ? await getVersionTotals(id, { signal }).catch(() => null) : null;
      if (signal.aborted) return;
      const shown = totals && shownTotals(totals);
      // Removes an outdated total.
      if (shown) this.byVersion.set(id, shown);
      else this.byVersion.delete(id);
    }
  }
}
