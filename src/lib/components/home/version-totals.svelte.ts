/** The totals of listed versions, loaded one by one. */
import { SvelteMap } from 'svelte/reactivity';
import { call } from '$lib/client/api';
import { decimalsShown, type Decimals } from '$lib/contract/decimals';
import type { VersionListEntry, VersionTotals } from '$lib/contract/versions';
import { totalOf } from '$lib/contract/measures';
import type { NamedMeasure } from '$lib/plan/amounts/measure-words';
import { shares } from '$lib/pivot/values/ratios';
import type { Month } from './sparkline';

/** The totals of a version in one measure. */
export interface ShownTotals {
  /** The measure's label. */
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

/** A measure of a version, and the type of its column. */
interface Listed extends Pick<NamedMeasure, 'key' | 'name'> {
  type: string | null;
}

/** Returns the measures of a version: value and units if it has them, then the further ones. */
export function measuresOf(totals: VersionTotals): Listed[] {
  const { value_col, units_col, value_type, units_type, measure_types = {}, labels = {} } = totals;
  const listed = (key: string, column: string, type: string | null): Listed => ({
    ...{ key, type },
    name: labels[column] ?? column,
  });
  return [
    ...(value_col === null ? [] : [listed('value', value_col, value_type)]),
    ...(units_col === null ? [] : [listed('units', units_col, units_type)]),
    ...Object.entries(measure_types).map(([column, type]) => listed(column, column, type)),
  ];
}

/**
 * Returns the totals of a version for a list; null if it has no measure.
 *
 * @param key of a measure. If the version does not have it, its first measure is used
 */
export function shownTotals(totals: VersionTotals, key?: string): ShownTotals | null {
  const measures = measuresOf(totals);
  const measure = measures.find((each) => each.key === key) ?? measures[0];
  if (!measure) return null;
  const amount = (of: VersionTotals['plan']) => totalOf(of, measure.key) ?? 0;
  const plan = amount(totals.plan);
  const reference = totals.reference && amount(totals.reference);
  const role = measure.key === 'units' ? 'units' : 'value';
  const decimals = decimalsShown(role, measure.type, [plan]);
  const compared = totals.compared && amount(totals.compared);
  const { first_month: first, last_month: last } = totals.compared ?? {};
  const [share = null] = shares([[compared], [reference]], decimals);
  return {
    ...{ measure: measure.name, decimals, plan, reference, compared, share },
    span: first && last ? [first, last] : null,
    months: totals.months.map((each) => ({ month: each.month, amount: amount(each) })),
  };
}

/**
 * The totals of the versions in a list, read one version at a time: without cached totals, the service scans
 * all rows of a version.
 */
export class ListedTotals {
  readonly byVersion = new SvelteMap<number, VersionTotals>();

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
        row_count > 0
          ? await call('GET /versions/{id}/totals', { id, signal }).catch(() => null)
          : null;
      if (signal.aborted) return;
      // Removes an outdated total.
      if (totals) this.byVersion.set(id, totals);
      else this.byVersion.delete(id);
    }
  }
}
