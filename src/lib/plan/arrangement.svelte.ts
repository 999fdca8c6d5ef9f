import * as v from 'valibot';
import * as api from '../client/api';
import type { LayoutFilter } from '../contract/stored-layout';
import { Layout } from '../contract/stored-layout';
import type { LogListEntry } from '../contract/log';
import { GRID, sliceContextOf } from '../pivot/layout';
import type { Pivot } from '../pivot/pivot';
import type { Loading } from './loading.svelte';
import type { PlannedVersion } from './planned-version.svelte';
import type { Selection } from './selection.svelte';

/** What the pivot shows, and how: the layout, the plugin, and the entry whose rows alone are shown. */
export class Arrangement {
  /** Which plugin shows the rows: the grid, or a chart. */
  shownAs = $state.raw<string>(GRID);
  readonly isGrid = $derived(this.shownAs === GRID);
  /** Whether the viewer's own settings are open. */
  settingsOpen = $state.raw(false);
  /** Columns and expressions that the saved layout names and this version does not have. */
  missing = $state.raw<readonly string[]>([]);
  /** The saved layout asks for rows that meet any of its filters, which no pivot can show. */
  ignoresOr = $state.raw(false);
  /** The layout could not be shown, so one was made from the metadata. */
  refused = $state.raw(false);
  /** The log entry whose rows alone are shown. */
  isolated = $state.raw<LogListEntry | null>(null);

  /** The user's filter while an entry is isolated. */
  private filterBefore: LayoutFilter[] | null = null;
  private last: Promise<unknown> = Promise.resolve();
  /** The layout that the slices of the selected cells were read under. */
  private sliceContext = '';

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly selection: Selection,
  ) {}

  /**
   * Shows a layout: the given one, the source's default (`saved`), or one made from the metadata
   * (`automatic`). If there is no default, or the engine refuses it, the version is seen all the same.
   */
  async applyTo(pivot: Pivot, wanted: Layout | 'saved' | 'automatic'): Promise<void> {
    this.missing = [];
    this.ignoresOr = false;
    let layout = wanted === 'saved' ? this.savedLayout() : wanted;
    if (typeof layout === 'object') {
      try {
        const { dropped, ignoresOr } = await pivot.apply(layout);
        this.missing = dropped;
        this.ignoresOr = ignoresOr;
        this.shownAs = layout.plugin ?? GRID;
      } catch {
        layout = 'refused';
      }
    }
    this.refused = layout === 'refused';
    if (typeof layout === 'string') {
      await pivot.apply(pivot.defaultLayout());
      this.shownAs = GRID;
    }
    const shown = await pivot.layout();
    this.sliceContext = sliceContextOf(shown);
    this.keepIsolatedIn(shown);
  }

  /** Saves what is shown now as the source's default for everyone. */
  save(): Promise<void> {
    return this.inTurn(async () => {
      const { source } = this.planned;
      const { pivot } = this.loading;
      if (!pivot) return;
      const layout = await pivot.layout();
      if (this.isolated) layout.filter = this.filterBefore ?? [];
      const saved = await api.editSource(source.id, { default_layout: { ...layout } });
      source.default_layout = saved.default_layout;
    });
  }

  /** Goes back to the source's default layout, or (`automatic`) to one made from the metadata. */
  reset(layout: 'saved' | 'automatic'): Promise<void> {
    return this.inTurn(async () => {
      const { pivot } = this.loading;
      if (!pivot) return;
      await this.applyTo(pivot, layout);
      this.selection.clear();
    });
  }

  async showAs(plugin: string): Promise<void> {
    this.shownAs = plugin;
    if (plugin !== GRID) this.selection.clear();
    await this.loading.pivot?.showAs(plugin);
  }

  async toggleSettings(): Promise<void> {
    await this.loading.pivot?.toggleSettings(!this.settingsOpen);
  }

  /** The columns that the rows are grouped by, the outermost first. */
  async levels(): Promise<string[]> {
    return (await this.loading.pivot?.layout())?.group_by ?? [];
  }

  /** Follows a change that the user made in the viewer. */
  async follow(): Promise<void> {
    const layout = await this.loading.pivot?.layout();
    if (!layout) return;
    this.shownAs = layout.plugin ?? GRID;
    this.keepIsolatedIn(layout);
    const sliceContext = sliceContextOf(layout);
    // A cell at the same place would stand for other rows than the slice that was read from it.
    if (sliceContext !== this.sliceContext) this.selection.clear();
    else this.selection.markAgain();
    this.sliceContext = sliceContext;
  }

  /** Shows only what an entry wrote; null shows everything again. */
  isolate(entry: LogListEntry | null): Promise<void> {
    return this.inTurn(async () => {
      const { pivot } = this.loading;
      if (!pivot) return;
      const before = this.isolated ? this.filterBefore : (await pivot.layout()).filter;
      await pivot.filter(entry ? [['pf_logid', '==', entry.id]] : (before ?? []));
      this.isolated = entry;
      this.filterBefore = entry && (before ?? []);
      // Cells that were selected meanwhile too: their slices go by the filter of before.
      this.selection.clear();
      this.sliceContext = sliceContextOf(await pivot.layout());
    });
  }

  /** Changes of the filter run one after the other: each goes on from what the one before left. */
  private inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.last.then(change);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Follows a layout that may no longer show the rows of one entry alone. */
  private keepIsolatedIn({ filter = [] }: Layout): void {
    const { isolated } = this;
    if (filter.some(([column, , term]) => column === 'pf_logid' && term === isolated?.id)) return;
    this.isolated = null;
    this.filterBefore = null;
  }

  /** The source's default layout, if there is one and it is a layout. */
  private savedLayout(): Layout | 'automatic' | 'refused' {
    const { default_layout } = this.planned.source;
    if (default_layout === null) return 'automatic';
    const stored = v.safeParse(Layout, default_layout);
    return stored.success ? stored.output : 'refused';
  }
}
