import * as v from 'valibot';
import * as api from '../client/api';
import type { LayoutFilter } from '../contract/stored-layout';
import { Layout } from '../contract/stored-layout';
import type { LogListEntry } from '../contract/log';
import { GRID } from '../pivot/layout';
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
  /** The log entry whose rows alone are shown. */
  isolated = $state.raw<LogListEntry | null>(null);

  /** The user's filter while an entry is isolated. */
  private filterBefore: LayoutFilter[] | null = null;
  private isolating: Promise<void> = Promise.resolve();
  /** The layout that the slices of the selected cells were read under. */
  private sliceContext = '';

  constructor(
    private readonly planned: PlannedVersion,
    private readonly loading: Loading,
    private readonly selection: Selection,
  ) {}

  /**
   * Shows a layout: the given one, else the source's default, else one made from the metadata. A
   * layout that the engine refuses does not keep the version from being seen.
   */
  async applyTo(pivot: Pivot, layout: Layout | null = this.savedLayout()): Promise<void> {
    this.missing = [];
    this.ignoresOr = false;
    const applied = layout && (await pivot.apply(layout).catch(() => null));
    if (applied) {
      this.missing = applied.dropped;
      this.ignoresOr = applied.ignoresOr;
      this.shownAs = layout.plugin ?? GRID;
    } else {
      await pivot.apply(pivot.defaultLayout());
      this.shownAs = GRID;
    }
    this.sliceContext = sliceContextOf(await pivot.layout());
  }

  /** Saves what is shown now as the source's default for everyone. */
  async save(): Promise<void> {
    const { source } = this.planned;
    const { pivot } = this.loading;
    if (!pivot) return;
    const layout = await pivot.layout();
    if (this.isolated) layout.filter = this.filterBefore ?? [];
    const saved = await api.editSource(source.id, { default_layout: { ...layout } });
    source.default_layout = saved.default_layout;
  }

  /** Goes back to the source's default layout, or (`automatic`) to one made from the metadata. */
  async reset(automatic = false): Promise<void> {
    const { pivot } = this.loading;
    if (!pivot) return;
    this.isolated = null;
    this.selection.clear();
    await this.applyTo(pivot, automatic ? null : this.savedLayout());
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
    const { isolated } = this;
    const stillIsolated = layout.filter?.some(
      ([column, , term]) => column === 'pf_logid' && term === isolated?.id,
    );
    if (isolated && !stillIsolated) {
      this.isolated = null;
      this.filterBefore = null;
    }
    const sliceContext = sliceContextOf(layout);
    // A cell at the same place would stand for other rows than the slice that was read from it.
    if (sliceContext !== this.sliceContext) this.selection.clear();
    else this.selection.markAgain();
    this.sliceContext = sliceContext;
  }

  /** Shows only what an entry wrote; null shows everything again. Calls run one after the other. */
  isolate(entry: LogListEntry | null): Promise<void> {
    const done = this.isolating.then(() => this.isolateNow(entry));
    this.isolating = done.catch(() => undefined);
    return done;
  }

  private async isolateNow(entry: LogListEntry | null): Promise<void> {
    const { pivot } = this.loading;
    if (!pivot) return;
    this.selection.clear();
    if (entry) {
      if (!this.isolated) this.filterBefore = (await pivot.layout()).filter ?? [];
      this.isolated = entry;
      await pivot.filter([['pf_logid', '==', entry.id]]);
    } else {
      this.isolated = null;
      await pivot.filter(this.filterBefore ?? []);
      this.filterBefore = null;
    }
    this.sliceContext = sliceContextOf(await pivot.layout());
  }

  /** The source's default layout; null if there is none, or if what is stored is no layout. */
  private savedLayout(): Layout | null {
    const stored = v.safeParse(Layout, this.planned.source.default_layout);
    return stored.success ? stored.output : null;
  }
}

/** The parts of a layout that the slices of its cells depend on, as a key to compare. */
function sliceContextOf({ group_by, split_by, filter, filter_op, expressions }: Layout): string {
  return JSON.stringify([
    group_by ?? [],
    split_by ?? [],
    filter ?? [],
    filter_op ?? 'and',
    expressions ?? {},
  ]);
}
