/** The arrangement of the pivot: layout, plugin, shown entries, and the address that describes them. */
import * as v from 'valibot';
import { Latest } from '../../client/latest.svelte';
import { keep, keptJson } from '../../client/storage';
import type {
  AmountStyle,
  GridSettings,
  Layout,
  Limit,
  MarkRule,
} from '../../contract/stored-layout';
import type { LogListEntry } from '../../contract/log';
import type { Scalar } from '../../contract/primitives';
import type { NamedView } from '../../contract/views';
import type { Chart } from '../../pivot/chart/chart-reader';
import type { LimitFact } from '../../pivot/grid/shown/shown';
import { NONE_TOGGLED, ToggledGroups } from '../../pivot/grid/cells/expansion';
import { GRID, sliceContextOf } from '../../pivot/layout/layout';
import { InTurn } from '../../pivot/waiting';
import type { Origins } from '../../pivot/rows/origins';
import type { Pivot } from '../../pivot/pivot';
import { LONGEST_ADDRESS, readAddress, withParts, writeAddress } from './address';
import { withoutLostSort } from './fields';
import { type Lacking, withLacking } from './lacking-columns';
import type { Loading } from '../version/loading.svelte';
import type { Log } from '../records/log.svelte';
import { NamedViews } from './named-views.svelte';
import type { PlannedVersion } from '../version/planned-version.svelte';
import type { Selection } from '../selection/selection.svelte';
import { ShownEntries, type EntryRange } from './shown-entries.svelte';

/** The source of the layout that is shown. */
type LayoutOrigin = 'saved layout' | 'view' | 'address';

const SOURCE_DEFAULT = { view: null, entry: null, asOf: null, compare: [] };

/** The arrangement of the pivot: its layout, its plugin, and the entries whose rows are shown. */
export class Arrangement {
  /** The limits on screen, with the groups that they leave out. */
  limits = $state.raw<readonly LimitFact[]>([]);
  /** The plugin that shows the rows: the grid, or a chart. */
  shownAs = $state.raw<string>(GRID);
  readonly isGrid = $derived(this.shownAs === GRID);
  /** Columns and expressions that the layout names and this version lacks. */
  missing = $state.raw<readonly string[]>([]);
  /** The source of the layout that was applied last. */
  origin = $state.raw<LayoutOrigin>('saved layout');
  /** Whether the saved layout combines its filters with OR, which no pivot can show. */
  ignoresOr = $state.raw(false);
  /** Whether the layout could not be shown, so that an automatic one replaces it. */
  refused = $state.raw(false);
  /** Whether the address names a view that does not exist. */
  viewGone = $state.raw(false);
  /** Whether the address names a log entry that does not exist, so that all rows are shown. */
  entryGone = $state.raw(false);
  readonly entries: ShownEntries;
  readonly views: NamedViews;
  private readonly groups: KeptGroups;
  /** The content of the chart on screen, read again after each change. */
  readonly chart = new Latest<Chart>();
  /** Whether the current layout differs from the open view. */
  differs = $state.raw(false);
  /** The current layout, without the filter of the entries. */
  shown = $state.raw<Layout>({});
  /** The query string of the user's arrangement; null if there is none, or if it is too long. */
  address = $state.raw<string | null>(null);
  /** Whether the current layout is too long for an address. */
  tooLong = $state.raw(false);

  private readonly changes = new InTurn();
  /** The layout under which the slices of the selected cells were read. */
  private sliceContext = '';
  /** The layout of the open view, cleaned for the rows of this version. */
  private base: Layout = {};
  /** The versions that the pivot on screen compares with. */
  private comparedWith: readonly number[] = [];
  /** The columns that the pivot lacks until formulas and lookups are read; null if they were read. */
  private lacking: Lacking | null = null;
  /** The query string of the current layout, as this class would write it. */
  private written = '';

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly selection: Selection,
    private readonly log: Log,
  ) {
    this.entries = new ShownEntries(planned);
    this.views = new NamedViews(planned);
    this.groups = new KeptGroups(planned.id);
  }

  /**
   * Shows a layout: the given one, the one of the open view (`saved`), or one made from the metadata
   * (`automatic`). If there is no default, or the engine refuses it, the automatic layout is shown.
   *
   * @param goesOn whether to reopen groups that were opened one by one in this tab
   */
  async applyTo(
    pivot: Pivot,
    wanted: Layout | 'saved' | 'automatic',
    goesOn = false,
  ): Promise<void> {
    const toggled = goesOn ? this.groups.kept : undefined;
    this.missing = [];
    this.ignoresOr = false;
    this.comparedWith = pivot.comparedWith;
    this.lacking = null;
    let layout = wanted === 'saved' ? this.views.openLayout(pivot) : wanted;
    if (wanted === 'saved') this.origin = this.views.open ? 'view' : 'saved layout';
    if (typeof layout === 'object') {
      try {
        const { dropped, ignoresOr } = await pivot.apply(layout, toggled);
        this.missing = dropped;
        this.ignoresOr = ignoresOr;
        this.shownAs = pivot.shownAs;
      } catch {
        layout = 'refused';
      }
    }
    this.refused = layout === 'refused';
    if (typeof layout === 'string') {
      await pivot.apply(pivot.defaultLayout(), toggled);
      this.shownAs = GRID;
    }
    const shown = await pivot.layout();
    if (typeof layout === 'object') this.lacking = this.lackingOf(layout, shown, this.missing);
    this.sliceContext = sliceContextOf(shown);
    this.entries.follow(shown);
    this.groups.keep(pivot.toggled);
    await this.compareWithView(pivot, shown);
  }

  /**
   * Shows the layout of an address; an empty one stands for the layout that the source opens with.
   *
   * @throws ApiError if the address names a view or a log entry, and the service does not return them
   */
  async openAddress(pivot: Pivot, search: string): Promise<void> {
    this.address = null;
    const address = readAddress(search);
    const { view, entry, asOf } = address;
    this.views.open = view === null ? null : await this.views.find(view);
    this.viewGone = view !== null && this.views.open === null;
    const base = this.views.baseLayout(pivot);
    const parts = this.views.partsOf(address, base);
    const wanted = Object.keys(parts).length > 0 ? withParts(base, parts) : 'saved';
    if (wanted !== 'saved') this.origin = 'address';
    await this.applyTo(pivot, wanted, true);
    const named = entry ?? asOf;
    this.entryGone = false;
    if (named === null) return;
    await this.log.latest.settled();
    if (this.log.latest.error !== null) throw this.log.latest.error;
    const known = this.log.answer?.entries.find(({ id }) => id === named);
    const operator = entry === null ? '<=' : '==';
    this.entryGone = !known;
    if (known) await this.showEntries(pivot, { entry: known, operator });
  }

  /**
   * Shows the layout of a previous pivot of this version. If the two pivots compare with different versions,
   * the layout of the open view is shown, unless the user has changed it.
   *
   * @param before the layout of the previous pivot, and its measures by origin
   */
  async takeOver(
    pivot: Pivot,
    { layout, origins }: { layout: Layout; origins: Origins },
  ): Promise<void> {
    const kept = pivot.takingOver(layout, origins);
    const isSame = JSON.stringify(origins.comparedWith) === JSON.stringify(pivot.comparedWith);
    if (isSame) return this.applyTo(pivot, kept, true);
    const isChanged = this.differs || !this.entries.areAll;
    await this.applyTo(pivot, isChanged ? pivot.withOthers(kept) : 'saved', true);
  }

  /** Writes the current layout to the address, even if the user has arranged nothing. */
  async noteShown(): Promise<void> {
    const { pivot } = this.loading;
    if (pivot) this.note(await pivot.layout(), true);
  }

  /** Shows another address, for the browser's back and forward buttons. @throws ApiError, as openAddress does */
  goTo(search: string): Promise<void> {
    return this.change(async (pivot) => {
      await this.openAddress(pivot, search);
      this.selection.clear();
    });
  }

  /** Shows a named view; null shows the source's default. */
  open(view: NamedView | null): Promise<void> {
    return this.rearrange(async (pivot) => {
      this.viewGone = false;
      this.views.open = view;
      await this.applyTo(pivot, 'saved');
    });
  }

  /** Shows the layout that is made from the metadata. */
  arrangeAutomatically(): Promise<void> {
    return this.rearrange((pivot) => this.applyTo(pivot, 'automatic'));
  }

  /** Saves the current layout as the source's default for everyone. @throws ApiError */
  saveAsDefault(): Promise<void> {
    return this.save((layout) => this.views.saveAsDefault(layout));
  }

  /** Saves the current layout as the open view. @throws ApiError */
  saveView(): Promise<void> {
    return this.save((layout) => this.views.save(layout));
  }

  /** Saves the current layout as a new view and opens it. @throws ApiError, 409 if the name is taken */
  saveAs(name: string, user: string): Promise<void> {
    return this.save(async (layout) => {
      await this.views.create(name, layout, user);
      this.viewGone = false;
    });
  }

  /** Deletes the open view. Its layout stays on screen. @throws ApiError */
  deleteView(): Promise<void> {
    return this.save(() => this.views.remove());
  }

  /** Reads the chart again, unless the grid is shown. Call it after every change of the arrangement. */
  readChart(): void {
    const { pivot } = this.loading;
    if (this.isGrid || !pivot) return this.chart.clear();
    this.chart.ask(() => pivot.chart());
  }

  /** Shows the grid, or a chart; null for the kind of chart that fits the layout. */
  showAs(plugin: string | null): Promise<void> {
    return this.set(async (pivot) => {
      await pivot.showAs(plugin);
      this.shownAs = pivot.shownAs;
      if (!this.isGrid) this.selection.clear();
    });
  }

  /** Makes charts draw another measure. */
  drawMeasure(name: string): Promise<void> {
    return this.set((pivot) => pivot.drawMeasure(name));
  }

  /** Opens all rows, or all groups of columns, to a depth; 0 shows only the first level. */
  setDepth(depth: number, of: 'rows' | 'columns'): Promise<void> {
    return this.set(({ grid }) =>
      of === 'rows' ? grid.rows.setDepth(depth) : grid.setColumnDepth(depth),
    );
  }

  /** Changes some settings of the grid; undefined sets the default. */
  setGrid(settings: GridSettings): Promise<void> {
    return this.set(({ grid }) => grid.set(settings));
  }

  /** Limits the groups of a field in the rows, or shows all of them (null). */
  limit(field: string, limit: Limit | null): Promise<void> {
    return this.rearrange(({ grid }) =>
      grid.set({ limits: withEntry(grid.shown.settings.limits, field, limit) }),
    );
  }

  /** Shows some values of a field first, in this order; null sorts all of them by name. */
  orderBy(field: string, values: (Scalar | null)[] | null): Promise<void> {
    return this.set(({ grid }) =>
      grid.set({ orders: withEntry(grid.shown.settings.orders, field, values) }),
    );
  }

  /** Reads which groups the limits on screen leave out. */
  noteLimits(): void {
    this.limits = this.loading.pivot?.grid.shown.leftOut ?? [];
  }

  /** Makes a change that does not affect the slices of selected cells. */
  private async set(change: (pivot: Pivot) => Promise<void> | void): Promise<void> {
    const { pivot } = this.loading;
    if (!pivot) return;
    await change(pivot);
    this.note(await pivot.layout());
  }

  /** Shows the amounts of a measure in another unit or with another number of decimals. */
  showAmounts(measure: string, style: AmountStyle): Promise<void> {
    return this.set((pivot) => pivot.showAmounts(measure, style));
  }

  /** Marks the cells of a measure by some rules; none of them removes its marks. */
  markBy(measure: string, rules: readonly MarkRule[]): Promise<void> {
    return this.set((pivot) => pivot.markBy(measure, rules));
  }

  /** Returns the current layout; the user may have changed its levels in the viewer. */
  async layout(): Promise<Layout> {
    return (await this.loading.pivot?.layout()) ?? {};
  }

  /** Returns a layout with the columns that the pivot lacks until formulas and lookups are read. */
  whole(shown: Layout): Layout {
    return this.lacking ? withLacking(shown, this.lacking) : shown;
  }

  private lackingOf(wanted: Layout, opened: Layout, names: readonly string[]): Lacking | null {
    const { formulaFailure, lookups } = this.loading;
    const areRead = formulaFailure === null && lookups.failure === null;
    return areRead ? null : { wanted, opened, names };
  }

  /** Follows a change that the user made in the viewer. */
  async follow(): Promise<void> {
    const layout = await this.loading.pivot?.layout();
    if (!layout) return;
    this.shownAs = layout.plugin ?? GRID;
    this.entries.follow(layout);
    const sliceContext = sliceContextOf(layout);
    // After a change of the layout, the same position stands for other rows than the slice that was read.
    if (sliceContext !== this.sliceContext) this.selection.clear();
    else this.selection.markAgain();
    this.sliceContext = sliceContext;
    this.followGroups();
    this.note(layout);
  }

  /** Follows rows and columns that were opened or closed. */
  followGroups(): void {
    const { pivot } = this.loading;
    if (pivot) this.groups.keep(pivot.toggled);
  }

  /** Changes groups, filters or sorting. @param how returns the new layout; null changes nothing */
  arrange(how: (shown: Layout) => Layout | null): Promise<void> {
    return this.change(async (pivot) => {
      const layout = await pivot.layout();
      const shown = { ...layout, filter: this.entries.otherFilters(layout) };
      const arranged = how(shown);
      if (!arranged) return;
      const wanted = withoutLostSort(arranged, shown);
      const alone = (layout.filter ?? []).filter((each) => !shown.filter.includes(each));
      await pivot.change({ ...wanted, filter: [...alone, ...(wanted.filter ?? [])] });
      await this.follow();
    });
  }

  /** Shows only the rows that an entry wrote; null shows all rows. */
  isolate(entry: LogListEntry | null): Promise<void> {
    return this.rearrange((pivot) => this.showEntries(pivot, entry && { entry, operator: '==' }));
  }

  /** Shows the plan as it was after an entry; null shows the current plan. */
  showAsOf(entry: LogListEntry | null): Promise<void> {
    return this.rearrange((pivot) => this.showEntries(pivot, entry && { entry, operator: '<=' }));
  }

  private async showEntries(pivot: Pivot, range: EntryRange | null): Promise<void> {
    const own = this.entries.ownLayout(await pivot.layout());
    await pivot.change(ShownEntries.layoutOf(range, own, pivot.schema));
    const shown = await pivot.layout();
    this.entries.show(range, own, shown);
    this.sliceContext = sliceContextOf(shown);
    this.written = this.addressOf(shown);
  }

  /** Makes a change that the user asked for. The selection, which belongs to the old layout, is cleared. */
  private rearrange(change: (pivot: Pivot) => Promise<void>): Promise<void> {
    return this.change(async (pivot) => {
      await change(pivot);
      // This includes cells that were selected during the change.
      this.selection.clear();
      this.note(await pivot.layout(), true);
    });
  }

  /** Saves the current layout, or changes the open view; both change the base of the comparison. */
  private save(save: (layout: Layout) => Promise<void>): Promise<void> {
    return this.change(async (pivot) => {
      const shown = await pivot.layout();
      await save(pivot.withoutOthers(this.entries.ownLayout(this.whole(shown))));
      await this.compareWithView(pivot, shown);
      this.note(shown, true);
    });
  }

  /** Runs changes of the layout one after another: each starts from the result of the previous one. */
  private change(change: (pivot: Pivot) => Promise<void>): Promise<void> {
    return this.changes.run(async () => {
      const pivot = await this.loading.loaded();
      if (pivot) await change(pivot);
    });
  }

  private async compareWithView(pivot: Pivot, shown: Layout): Promise<void> {
    const base = this.views.baseLayout(pivot);
    // Every layout differs from one that the engine cannot read.
    this.base = await pivot.clean(base).then(
      ({ layout, dropped }) => {
        const lacking = this.lackingOf(base, layout, dropped);
        return lacking ? withLacking(layout, lacking) : layout;
      },
      () => ({}),
    );
    this.written = this.addressOf(shown);
  }

  /** Writes the current layout to the address, unless the address already describes it. */
  private note(shown: Layout, always = false): void {
    const address = this.addressOf(shown);
    if (address === this.written && !always) return;
    this.written = address;
    this.tooLong = address.length > LONGEST_ADDRESS;
    this.address = this.tooLong ? null : address;
  }

  private addressOf(shown: Layout): string {
    const layout = this.entries.ownLayout(this.whole(shown));
    this.shown = { ...shown, filter: this.entries.otherFilters(shown) };
    this.differs = writeAddress(SOURCE_DEFAULT, layout, this.base) !== '';
    const shownBy = {
      view: this.views.open?.id ?? null,
      entry: this.entries.isolated?.id ?? null,
      asOf: this.planned.asOf?.id ?? null,
      compare: this.comparedWith,
    };
    return writeAddress(shownBy, layout, this.base);
  }
}

/** Returns a record with another entry, or without it (null); undefined if none is left. */
function withEntry<T>(
  record: Record<string, T> | undefined,
  name: string,
  entry: T | null,
): Record<string, T> | undefined {
  const { [name]: _, ...others } = record ?? {};
  const all = entry === null ? others : { ...others, [name]: entry };
  return Object.keys(all).length > 0 ? all : undefined;
}

/**
 * Remembers the rows and columns of a version that were opened and closed one by one. The tab keeps them when
 * it reloads the page or shows another one (docs/decisions/0016-the-address-is-the-arrangement.md).
 */
class KeptGroups {
  private readonly key: string;

  constructor(versionId: number) {
    this.key = `pf.groups.${versionId}`;
  }

  /** The groups that were saved last; none if they cannot be read. */
  get kept(): ToggledGroups {
    const { success, output } = v.safeParse(ToggledGroups, keptJson(this.key, 'tab'));
    return success ? output : NONE_TOGGLED;
  }

  keep(toggled: ToggledGroups): void {
    const isNone = toggled.rows === null && toggled.across === null;
    keep(this.key, isNone ? null : JSON.stringify(toggled), 'tab');
  }
}
