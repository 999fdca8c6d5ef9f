/** The filter that limits the pivot to the rows of some log entries. */
import type { LogListEntry } from '../contract/log';
import type { LayoutFilter, Layout } from '../contract/stored-layout';
import type { PlannedVersion } from './planned-version.svelte';

/** The rows of only one entry (`==`), or of all entries up to one (`<=`). */
export interface EntryRange {
  entry: LogListEntry;
  operator: '==' | '<=';
}

/** The log entries whose rows the pivot shows: a filter of the layout, separate from the user's filters. */
export class ShownEntries {
  /** Null if the rows of all entries are shown. */
  private range = $state.raw<EntryRange | null>(null);
  /** The log entry to which the rows are limited; null if others are shown too. */
  readonly isolated = $derived(this.range?.operator === '==' ? this.range.entry : null);
  readonly areAll = $derived(this.range === null);

  /** The user's filters from before an entry was isolated; null if none is. */
  private filterBefore: LayoutFilter[] | null = null;

  constructor(private readonly planned: PlannedVersion) {}

  /**
   * Returns the filters that show the rows of a range (null: of all entries), and the user's own. An isolated
   * entry has no other filter.
   */
  static filters(range: EntryRange | null, own: readonly LayoutFilter[]): LayoutFilter[] {
    if (!range) return [...own];
    const alone: LayoutFilter = ['pf_logid', range.operator, range.entry.id];
    return range.operator === '==' ? [alone] : [alone, ...own];
  }

  /** Records that the pivot now shows a range. @param own the user's previous filters */
  show(range: EntryRange | null, own: LayoutFilter[]): void {
    this.set(range);
    this.filterBefore = range?.operator === '==' ? own : null;
  }

  /** Follows a layout that may no longer have the filter of these entries. */
  follow({ filter = [] }: Layout): void {
    if (filter.some((each) => this.isOfEntries(each))) return;
    this.set(null);
    this.filterBefore = null;
  }

  /**
   * Returns the user's filters. While an entry is isolated, these are the earlier ones and those added since;
   * an added filter replaces an earlier one of the same column.
   */
  ownFilters(layout: Layout): LayoutFilter[] {
    const added = this.otherFilters(layout);
    if (this.filterBefore === null) return added;
    const older = this.filterBefore.filter(
      ([column]) => !added.some(([other]) => other === column),
    );
    return [...older, ...added];
  }

  /** Returns the filters of a layout without the one that selects the entries. */
  otherFilters({ filter = [] }: Layout): LayoutFilter[] {
    return filter.filter((each) => !this.isOfEntries(each));
  }

  private set(range: EntryRange | null): void {
    this.range = range;
    this.planned.asOf = range?.operator === '<=' ? range.entry : null;
  }

  private isOfEntries([column, operator, term]: LayoutFilter): boolean {
    const { range } = this;
    return column === 'pf_logid' && operator === range?.operator && term === range.entry.id;
  }
}
