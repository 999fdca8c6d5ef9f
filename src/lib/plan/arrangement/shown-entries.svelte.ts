/** The filter that limits the pivot to the rows of some log entries. */
import type { LogListEntry } from '../../contract/log';
import { isMove } from '../../contract/operations';
import type { LayoutFilter, Layout } from '../../contract/stored-layout';
import type { PlannedVersion } from '../version/planned-version.svelte';

/** The rows of only one entry (`==`), or of all entries up to one (`<=`). */
export interface EntryRange {
  entry: LogListEntry;
  operator: '==' | '<=';
}

/** The row columns of a layout, and the depth to which the rows are open. */
type Rows = Pick<Layout, 'group_by' | 'depth'>;

/** The log entries whose rows the pivot shows: a filter of the layout, separate from the user's filters. */
export class ShownEntries {
  /** Null if the rows of all entries are shown. */
  private range = $state.raw<EntryRange | null>(null);
  /** The log entry to which the rows are limited; null if others are shown too. */
  readonly isolated = $derived(this.range?.operator === '==' ? this.range.entry : null);
  readonly areAll = $derived(this.range === null);

  /** The user's filters from before an entry was isolated; null if none is. */
  private filterBefore: LayoutFilter[] | null = null;
  /** The user's rows from before they were rearranged for an isolated recode, and the rearranged ones. */
  private rows: { own: Rows; arranged: readonly string[] } | null = null;

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

  /**
   * Returns the user's layout with the filters of a range. For an isolated recode, the rows begin with the
   * recoded columns, so that the amounts that left and those that arrived are in different rows.
   *
   * @param schema the loaded columns
   */
  static layoutOf(range: EntryRange | null, own: Layout, schema: object): Layout {
    const filter = ShownEntries.filters(range, own.filter ?? []);
    const { group_by = [], split_by = [] } = own;
    const { entry, operator } = range ?? {};
    if (operator !== '==' || !entry || !isMove(entry.operation)) return { ...own, filter };
    const { params } = entry;
    const set = params && 'set' in params ? params.set : {};
    const recoded = Object.keys(set).filter((name) => name in schema && !split_by.includes(name));
    const others = group_by.filter((name) => !recoded.includes(name));
    return recoded.length === 0
      ? { ...own, filter }
      : { ...own, filter, group_by: [...recoded, ...others], depth: recoded.length - 1 };
  }

  /** Records that the pivot now shows a range. @param own the user's previous layout */
  show(range: EntryRange | null, own: Layout, { group_by = [] }: Layout): void {
    this.set(range);
    this.filterBefore = range?.operator === '==' ? (own.filter ?? []) : null;
    const isOwn = JSON.stringify(group_by) === JSON.stringify(own.group_by ?? []);
    this.rows = isOwn ? null : { own, arranged: group_by };
  }

  /** Follows a layout that may no longer have the filter of these entries. */
  follow({ filter = [] }: Layout): void {
    if (filter.some((each) => this.isOfEntries(each))) return;
    this.set(null);
    this.filterBefore = null;
    this.rows = null;
  }

  /** Returns the user's layout: with the user's filters, and the user's rows. */
  ownLayout(layout: Layout): Layout {
    const filter = this.ownFilters(layout);
    const { rows } = this;
    // Rows that the user has arranged since are the user's.
    const isArranged = rows && JSON.stringify(rows.arranged) === JSON.stringify(layout.group_by);
    if (!isArranged) return { ...layout, filter };
    const { group_by, depth } = rows.own;
    return { ...layout, filter, group_by, depth };
  }

  /**
   * Returns the user's filters. While an entry is isolated, these are the earlier ones and those added since;
   * an added filter replaces an earlier one of the same column.
   */
  private ownFilters(layout: Layout): LayoutFilter[] {
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
