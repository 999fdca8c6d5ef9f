import type { ColumnEntry } from '../contract/columns';
import type { Slice } from '../contract/operations';
import type { Row, Scalar } from '../contract/primitives';
import type { CellValue, Schema } from './cell-value';
import { toScalar } from './cell-value';
import type { CellKey, GridTarget } from './grid';
import { Grid } from './grid';
import type { ColumnFacts } from './column-facts';
import { columnFacts } from './column-facts';
import { cleanLayout, defaultLayout, monthOrder, withMonthsInOrder } from './layout';
import type { MonthOrder } from './layout';
import type { Layout, LayoutFilter, LayoutSort } from './layout-config';
import type { Table, View, ViewerElement } from './perspective';
import { startEngine } from './perspective';
import { emptyColumns, toEngineColumns } from './rows';
import type { SliceColumn } from './slice';
import type { ReadCell } from './view-reader';

/** What a pivot tells the page. */
interface PivotEvents {
  /** A cell or a header was clicked, or reached by the keyboard; `add` with Ctrl held. */
  onTarget(target: GridTarget, add: boolean): void;
  /** The user changed what the pivot shows. */
  onLayout(): Promise<void>;
  /** The viewer's own settings opened or closed. */
  onSettings(open: boolean): void;
}

export interface PivotOptions extends PivotEvents {
  /** Where the pivot goes; it fills its host. */
  host: HTMLElement;
  index: 'pf_id' | 'pf_gkey';
  columns: readonly ColumnEntry[];
  dark: boolean;
}

/** The parts of the viewer's own state that a layout keeps. */
const LAYOUT_PARTS = [
  'group_by',
  'split_by',
  'columns',
  'filter',
  'filter_op',
  'sort',
  'expressions',
  'aggregates',
  'columns_config',
  'plugin',
  'plugin_config',
] as const;

const GRID = 'Datagrid';
const THEMES = { light: 'Pro Light', dark: 'Pro Dark' } as const;

/**
 * A pivot over the rows of one version: an indexed table and the viewer on it. Owns both, and
 * deletes them in order. Nothing outside this folder knows the engine behind it.
 */
export class Pivot {
  private readonly months = new Map<string, MonthOrder>();
  /** Columns that hold an empty value; null where not looked up yet. */
  private readonly withEmpty = new Map<string, boolean>();
  /** What the grid shows while a chart is on screen: a chart keeps no more columns than it draws. */
  private gridColumns: (string | null)[] | null = null;
  private restoring = 0;
  private refreshes = 0;
  private disposed = false;
  private dark: boolean;

  private constructor(
    private readonly options: PivotOptions,
    private readonly table: Table,
    private readonly viewer: ViewerElement,
    private readonly grid: Grid,
    readonly schema: Schema,
    private readonly facts: ReadonlyMap<string, ColumnFacts>,
  ) {
    this.dark = options.dark;
  }

  /** Starts the engine ahead of {@link open}, which waits for it, and tells why it cannot start. */
  static prepare(): void {
    startEngine().catch(() => undefined);
  }

  /**
   * Loads the rows into the engine and shows the pivot, empty of layout: call {@link apply} next.
   *
   * @param bytes a complete Arrow stream of one record batch; the engine takes it over
   * @throws Error where the engine cannot start or refuses the rows
   */
  static async open(bytes: ArrayBuffer, options: PivotOptions): Promise<Pivot> {
    const dimensions = options.columns.filter((c) => c.role === 'dimension' || c.role === 'date');
    const facts = columnFacts(
      bytes,
      dimensions.map((c) => c.cname),
    );
    const client = await startEngine();
    const table = await client.table(bytes, { index: options.index });
    const viewer = document.createElement('perspective-viewer') as unknown as ViewerElement;
    try {
      options.host.append(viewer);
      await viewer.load(table);
      await viewer.resetThemes(Object.values(THEMES));
      hideOwnControls(viewer);
      const grid = new Grid(
        await viewer.getPlugin(GRID),
        table,
        async () => ((await viewer.save()).sort ?? []) as LayoutSort[],
        (target, add) => options.onTarget(target, add),
      );
      const schema = (await table.schema()) as Schema;
      const pivot = new Pivot(options, table, viewer, grid, schema, facts);
      viewer.addEventListener('perspective-config-update', () => {
        pivot.onConfigUpdate().catch((error: unknown) => {
          // Leaving the page takes the viewer away from under a change that was just made.
          if (!pivot.disposed) throw error;
        });
      });
      viewer.addEventListener('perspective-toggle-settings', (event) =>
        options.onSettings((event as CustomEvent<boolean>).detail),
      );
      pivot.findMonths();
      return pivot;
    } catch (error) {
      await viewer.delete().catch(() => undefined);
      viewer.remove();
      await table.delete().catch(() => undefined);
      throw error;
    }
  }

  /** The column the rows are indexed on. */
  get index(): 'pf_id' | 'pf_gkey' {
    return this.options.index;
  }

  rowCount(): Promise<number> {
    return this.table.size();
  }

  /** What is shown now, as plain data; null parts of the viewer's state left out. */
  async layout(): Promise<Layout> {
    const saved = await this.viewer.save();
    const parts = LAYOUT_PARTS.flatMap((name) =>
      saved[name] === null || saved[name] === undefined ? [] : [[name, saved[name]] as const],
    );
    const layout = Object.fromEntries(parts) as Layout;
    const { [this.index]: _, ...aggregates } = layout.aggregates ?? {};
    layout.aggregates = aggregates;
    if (this.gridColumns) layout.columns = this.gridColumns;
    const { depth } = this.grid.expansion;
    return depth === null ? layout : { ...layout, depth };
  }

  /** A sensible layout from the metadata and the data. */
  defaultLayout(): Layout {
    return defaultLayout(this.options.columns, this.schema, this.facts);
  }

  /**
   * Shows a layout as far as the loaded columns carry it.
   *
   * @returns the columns and expressions it names that do not exist (any more)
   */
  async apply(saved: Layout): Promise<string[]> {
    const { layout, dropped } = cleanLayout(saved, this.schema, await this.valid(saved));
    const { depth, ...config } = withMonthsInOrder(layout, this.months);
    this.grid.expansion.setDepth(depth ?? null);
    const isChart = (config.plugin ?? GRID) !== GRID;
    this.gridColumns = isChart ? (config.columns ?? null) : null;
    await this.restore({ plugin: GRID, split_by: [], ...config });
    return dropped;
  }

  /** Filters the pivot, keeping everything else as it is. */
  async filter(filter: LayoutFilter[]): Promise<void> {
    await this.restore({ filter });
  }

  /** Appends rows of an operation's answer; the view re-sums them in place. */
  async append(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const columns = toEngineColumns(rows, this.schema, this.options.index);
    for (const name of emptyColumns(columns)) this.withEmpty.set(name, true);
    await this.table.update(columns);
    await this.settle();
  }

  /** Removes rows by their index values; unknown ones are passed over. */
  async remove(keys: readonly (string | number)[]): Promise<void> {
    if (keys.length === 0) return;
    await this.table.remove(keys);
    await this.settle();
  }

  /** The cell at a place, typed, with the slice behind it. */
  async read(target: GridTarget, columns: readonly SliceColumn[]): Promise<ReadCell> {
    const reader = this.grid.current;
    if (!reader) throw new Error('The pivot is not shown as a grid.');
    return reader.cell(target, columns);
  }

  /** Where a cell is now; null where it is not shown. */
  find(cell: CellKey): Promise<GridTarget | null> {
    return this.grid.find(cell);
  }

  mark(cells: readonly CellKey[]): void {
    this.grid.mark(cells);
  }

  showReach(slice: Slice | null): Promise<void> {
    return this.grid.showReach(slice);
  }

  headersOf(cell: CellKey): { row: string; column: string } {
    return this.grid.headersOf(cell);
  }

  /** How many rows and columns the grid has now. */
  async extent(): Promise<{ columns: number; rows: number }> {
    return { columns: this.grid.columnCount, rows: await this.grid.rowCount() };
  }

  scrollTo(target: GridTarget): void {
    this.grid.scrollTo(target.x ?? 0, target.y);
  }

  toggleRow(y: number): Promise<void> {
    return this.grid.toggleRow(y);
  }

  setDepth(depth: number): Promise<void> {
    return this.grid.setDepth(depth);
  }

  copyAll(): Promise<string> {
    return this.grid.copyAll();
  }

  /**
   * Values of a loaded column that contain a text, in their order; null where the column is not
   * loaded.
   */
  async values(column: string, search: string, limit: number): Promise<(Scalar | null)[] | null> {
    const type = this.schema[column];
    if (type === undefined) return null;
    const text = await this.withView({ group_by: [column], columns: [] }, (view) =>
      view.to_columns_string(),
    );
    const read = JSON.parse(text) as { __ROW_PATH__?: CellValue[][] };
    const wanted = search.trim().toLowerCase();
    return (read.__ROW_PATH__ ?? [])
      .filter((path) => path.length === 1)
      .map(([value]) => toScalar(value as CellValue, type))
      .filter((value) =>
        String(value ?? '')
          .toLowerCase()
          .includes(wanted),
      )
      .slice(0, limit);
  }

  focus(): void {
    this.grid.focus();
  }

  /** Shows the grid or one of the charts. */
  async showAs(plugin: string): Promise<void> {
    const columns = plugin === GRID ? this.gridColumns : null;
    if (plugin !== GRID) this.gridColumns ??= (await this.layout()).columns ?? null;
    else this.gridColumns = null;
    await this.restore({ plugin, ...(columns && { columns }) });
  }

  async toggleSettings(open?: boolean): Promise<void> {
    await this.viewer.toggleConfig(open);
  }

  async setDark(dark: boolean): Promise<void> {
    this.dark = dark;
    await this.restore({});
  }

  /** Deletes viewer and table, in this order: a table with views on it cannot go. */
  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    await this.viewer.flush().catch(() => undefined);
    await this.grid.dispose().catch(() => undefined);
    await this.viewer.delete().catch(() => undefined);
    this.viewer.remove();
    await this.table.delete().catch(() => undefined);
  }

  private async restore(config: Record<string, unknown>): Promise<void> {
    const theme = this.dark ? THEMES.dark : THEMES.light;
    this.restoring++;
    try {
      await this.viewer.restore({ theme, ...config });
      await this.viewer.flush();
    } catch (error) {
      await this.viewer.resetError().catch(() => undefined);
      throw error;
    } finally {
      this.restoring--;
    }
  }

  private async onConfigUpdate(): Promise<void> {
    if (this.restoring > 0 || this.disposed) return;
    const layout = await this.layout();
    const ordered = withMonthsInOrder(layout, this.months);
    if (JSON.stringify(ordered.sort) !== JSON.stringify(layout.sort ?? [])) {
      const { sort, expressions, aggregates } = ordered;
      await this.restore({ sort, expressions, aggregates });
    }
    if (!this.disposed) await this.options.onLayout();
  }

  /**
   * Waits until the screen has the change. The engine keeps empty values of text apart by when they
   * came, in views that were open then: such a view is made anew, or groups of nothing would show
   * stale sums.
   */
  private async settle(): Promise<void> {
    const layout = await this.layout();
    const grouping = [...(layout.group_by ?? []), ...(layout.split_by ?? [])];
    const suspects = await Promise.all(grouping.map((name) => this.holdsEmptyText(name, layout)));
    if (suspects.some(Boolean)) await this.refresh(layout);
    else await this.viewer.flush();
  }

  private async refresh(layout: Layout): Promise<void> {
    this.refreshes++;
    const index = this.options.index;
    // The viewer makes its view anew only for a configuration that differs; this part shows nothing.
    const aggregates = { ...layout.aggregates, [index]: this.refreshes % 2 ? 'count' : 'any' };
    await this.restore({ aggregates });
  }

  private async holdsEmptyText(name: string, layout: Layout): Promise<boolean> {
    const type = this.schema[name] ?? this.grid.current?.schema[name];
    if (type !== undefined && type !== 'string') return false;
    const known = this.withEmpty.get(name);
    if (known !== undefined) return known;
    const empty = await this.withView(
      {
        columns: [name],
        filter: [[name, 'is null', null]],
        expressions: layout.expressions ?? {},
      },
      (view) => view.num_rows(),
    );
    if (name in this.schema) this.withEmpty.set(name, empty > 0);
    return empty > 0;
  }

  /** Asks a view that lives no longer than the question. */
  private async withView<T>(
    config: Parameters<Table['view']>[0],
    ask: (view: View) => Promise<T>,
  ): Promise<T> {
    const view = await this.table.view(config);
    try {
      return await ask(view);
    } finally {
      await view.delete();
    }
  }

  private async valid({ expressions }: Layout): Promise<ReadonlySet<string>> {
    if (!expressions || Object.keys(expressions).length === 0) return new Set();
    const checked = await this.table.validate_expressions(expressions);
    return new Set(Object.keys(checked.expression_schema));
  }

  /** Finds the dimensions that hold month names. */
  private findMonths(): void {
    const { columns } = this.options;
    for (const column of columns.filter((c) => c.role === 'dimension')) {
      const texts = this.facts.get(column.cname)?.texts;
      const order = texts && monthOrder(column, columns, texts);
      if (order && (order.expression !== null || order.by in this.schema)) {
        this.months.set(column.cname, order);
      }
    }
  }
}

/** The page has controls of its own for the viewer's settings, export and themes. */
function hideOwnControls(viewer: ViewerElement): void {
  const root = viewer.shadowRoot;
  if (!root) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('#settings_button, #status_bar { display: none !important; }');
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
