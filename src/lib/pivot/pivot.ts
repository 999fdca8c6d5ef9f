import type { MeasureDecimals } from '../contract/decimals';
import type { AmountStyle, Layout, LayoutFilter } from '../contract/stored-layout';
import { columnsIn, only, streamOf } from './rows/arrow-columns';
import type { Buckets } from './table/buckets';
import { Busy, ended, Gate, nextTask } from './waiting';
import type { CellIdentity, CellPosition, Press } from './slice/cell';
import { shownAs, type ChartKind } from './chart/chart';
import { readChart, type Chart } from './chart/chart-reader';
import type { ColumnFacts } from './rows/column-facts';
import { type AnsweredRows, fitted, typesOf } from './rows/rows';
import type { KnownDays } from './rows/days';
import { EmptyValues } from './grid/empty-values';
import type { Schema, Viewer } from './values/engine-types';
import { dateOfGroup, monthsOf } from './layout/expected-layout';
import { measureFormats, withoutEarlierFormats } from './layout/formats';
import type { ColumnFormat } from './values/column-format';
import { Grid } from './grid/grid';
import type { TriedMark } from './grid/marks';
import { NONE_TOGGLED, type ToggledGroups } from './grid/toggled';
import type { KnownValues } from './rows/known-values';
import {
  type CleanLayout,
  cleanLayout,
  defaultLayout,
  GRID,
  type MonthOrder,
  renamed,
  withMonthsInOrder,
  withOther,
  withoutMonthOrder,
  withoutOther,
} from './layout/layout';
import { Members } from './table/members';
import type { Origins } from './rows/origins';
import { createViewer, startEngine } from './table/perspective';
import { PivotTable } from './table/pivot-table';
import { readyRows, whyNotBeside, type ComparedRows, type RowsOptions } from './table/ready-rows';
import { TableRows } from './table/table-rows';
import { TableViewer } from './table/table-viewer';
import { Tried } from './grid/tried';
import { ViewerLayout } from './table/viewer-layout';

/** What a pivot tells the page. */
export interface PivotEvents {
  /** A cell or a header was pressed, at this place. */
  onTarget(cell: CellIdentity | null, at: CellPosition, how: Press): void;
  /** Rows were opened or closed. */
  onRows(): void;
  /** Rows came or went, or are arranged in another way: a chart that was read before is old. */
  onShown(): void;
  /** The user changed what the pivot shows. */
  onLayout(): Promise<void>;
  /** The engine begins to arrange rows in another way, to open or to close them, or has done so. */
  onBusy(isBusy: boolean): void;
  /** The viewer's own settings opened or closed. */
  onSettings(open: boolean): void;
}

/** Whose rows: those of the pivot's own version, or those of the one that it is compared with. */
export type Side = 'own' | 'other';

interface PivotOptions extends PivotEvents, RowsOptions {
  /** Where the pivot goes; it fills its host. */
  host: HTMLElement;
  dark: boolean;
}

/** How the rows are shown: as the grid, or as a kind of chart. */
type Shape = typeof GRID | ChartKind;

const THEMES = { light: 'Pro Light', dark: 'Pro Dark' } as const;
const themeOf = (dark: boolean): string => (dark ? THEMES.dark : THEMES.light);

/**
 * A pivot over the rows of one version: an indexed table and the viewer on it. Owns both, and
 * deletes them in order. Nothing outside this folder knows the engine behind it.
 */
export class Pivot {
  private readonly months: ReadonlyMap<string, MonthOrder>;
  /** What is on screen: the grid, or a chart in front of it. */
  private kind: Shape = GRID;
  /** The measure that a chart draws; undefined: the first. */
  private chartMeasure: string | undefined;
  /** How the amounts of each measure are shown; undefined: in full, with the measure's own decimals. */
  private amounts: Layout['amounts'];
  private refreshes = 0;
  private dark: boolean;
  /** Ends when no chart is being read, whose views would keep the table. */
  private charting: Promise<unknown> = Promise.resolve();
  /** The log entry that rows which are tried, and not written, tell; null if none are. */
  private triedEntry: number | null = null;
  private readonly empty: EmptyValues;
  /** The values of the columns in the version's own rows. */
  readonly members: Members;

  private constructor(
    private readonly options: Omit<PivotOptions, 'compared'>,
    private readonly table: PivotTable,
    /** All rows of the table, with the columns that are made. */
    private readonly rows: TableRows,
    /** The engine's viewer, which {@link viewer} tells what to show. */
    private readonly element: Viewer,
    private readonly viewer: TableViewer,
    private readonly viewerLayout: ViewerLayout,
    /** The types of all columns, those that are made of dates among them. */
    private readonly whole: Schema,
    /** The grid: what it shows, its cells and its marks. */
    readonly grid: Grid,
    readonly schema: Schema,
    private readonly facts: ReadonlyMap<string, ColumnFacts>,
    /** The values of the dimensions in the version's own rows. */
    private readonly known: KnownValues,
    /** The days of all rows. */
    private readonly days: KnownDays,
    private readonly buckets: Buckets,
    private readonly gate: Gate,
    /** The measures, and their parts by origin. */
    readonly origins: Origins,
    /** The decimals that the measures are written with. */
    readonly decimals: MeasureDecimals,
  ) {
    this.dark = options.dark;
    this.months = monthsOf(options.columns, schema, facts);
    this.empty = new EmptyValues(table, schema, options.index, grid.shown);
    const dates = new Map(
      [...this.months.keys()].flatMap((name) => {
        const date = dateOfGroup(name, options.columns);
        return date === null ? [] : [[name, date] as const];
      }),
    );
    this.members = new Members(rows, schema, known, (logid) => this.isOf('own', logid), dates);
  }

  /** {@link whyNotBeside} for rows that are not loaded yet. */
  static whyNotBeside(bytes: ArrayBuffer, compared: ComparedRows): string | null {
    return whyNotBeside(typesOf(columnsIn(bytes)), compared);
  }

  /** Starts the engine early. {@link open} waits for it, and throws if it cannot start. */
  static prepare(): void {
    startEngine().catch(() => undefined);
  }

  /**
   * Loads the rows into the engine and shows a pivot without a layout: call {@link apply} next.
   *
   * @param bytes a complete Arrow stream of one record batch; the engine takes it over
   * @throws Error if the engine cannot start or refuses the rows
   */
  static async open(bytes: ArrayBuffer, { compared, ...options }: PivotOptions): Promise<Pivot> {
    const engine = await startEngine();
    // None of the closures below may hold the rows as they came: they live as long as the pivot.
    const { columns, names, whole, schema, origins, decimals, buckets, days, rest } = readyRows(
      bytes,
      {
        ...options,
        compared,
      },
    );
    const { index } = options;
    const loading = engine.table(streamOf(only(columns, names)), { index });
    // Whoever waits for the table hears that it is refused.
    loading.catch(() => undefined);
    const element = createViewer();
    try {
      await nextTask();
      // The engine has the rows now, and what follows is done while it loads them.
      const { facts, known, others } = rest();
      element.setAttribute('theme', themeOf(options.dark));
      options.host.append(element);
      await element.resetThemes(Object.values(THEMES));
      hideOwnControls(element);
      const plugin = await element.getPlugin(GRID);
      const busy = new Busy((isBusy) => options.onBusy(isBusy));
      const gate: Gate = new Gate(() => grid.invalidate());
      const rows = new TableRows(engine, { table: await loading, names }, whole, index, gate);
      const viewer = new TableViewer(element, rows, whole, busy);
      const table = new PivotTable(
        whole,
        index,
        buckets,
        () => rows.table,
        (needed) => viewer.bring(needed),
      );
      rows.hold(columns);
      for (const other of others) await rows.append(other);
      const viewerLayout: ViewerLayout = new ViewerLayout(element, buckets, (levels) =>
        grid.shown.expansion.levelsOf(levels),
      );
      const grid: Grid = new Grid(
        plugin,
        table,
        origins,
        {
          untold: () => viewerLayout.read(),
          textOf: (column) => buckets.textOf(column),
          daysOf: (date) => days.of(date),
          valuesOf: (key, wanted) => rows.valuesOf(key, wanted),
        },
        {
          onTarget: (cell, at, how) => options.onTarget(cell, at, how),
          onRows: () => options.onRows(),
          onSort: (sort) => {
            const sorting = busy.during(() => element.restore({ sort }));
            // What is on screen stays as it is.
            sorting.catch(() => element.resetError()).catch(() => undefined);
          },
          onDeeper: () => pivot.joinLevels(),
        },
        busy,
        gate,
      );
      const pivot: Pivot = new Pivot(
        options,
        table,
        rows,
        element,
        viewer,
        viewerLayout,
        whole,
        grid,
        schema,
        facts,
        known,
        days,
        buckets,
        gate,
        origins,
        decimals,
      );
      for (const each of [columns, ...others]) pivot.empty.note(each);
      viewer.listen(() => pivot.follow());
      element.addEventListener('perspective-toggle-settings', (event) => {
        if (!(event instanceof CustomEvent)) return;
        viewerLayout.isWhole = event.detail === true;
        options.onSettings(viewerLayout.isWhole);
      });
      return pivot;
    } catch (error) {
      await ended(
        () => element.delete(),
        () => loading.then((table) => table.delete()),
      );
      element.remove();
      throw error;
    }
  }

  /** The column the rows are indexed on. */
  get index(): 'pf_id' | 'pf_gkey' {
    return this.options.index;
  }

  /**
   * How many rows of the version are loaded; those of another one that it is compared with do not count,
   * and neither do those that are only tried.
   */
  get rowCount(): number {
    return this.rows.count((logid) => this.isOf('own', logid));
  }

  /** The id of the version that is compared with; null without one. */
  get comparedWith(): number | null {
    return this.origins.other?.id ?? null;
  }

  /** Why the rows of another version cannot stand beside those on screen; null if they can. */
  whyNotBeside({ batches, name }: Pick<ComparedRows, 'batches' | 'name'>): string | null {
    return whyNotBeside(this.origins.loaded(this.schema), { batches, name });
  }

  /** A layout with what the other version has to compare with, if it does not show any of it yet. */
  withOther(layout: Layout): Layout {
    return withOther(layout, this.origins);
  }

  /** A layout as every version of the source can show it, whatever it is compared with. */
  withoutOther(layout: Layout): Layout {
    return withoutOther(layout, this.origins);
  }

  /**
   * A layout of another pivot of this version: what compares two versions is under the names of now, or
   * left out.
   */
  takingOver(layout: Layout, before: Origins): Layout {
    const kept = renamed(layout, this.origins.renamings(before));
    const { columns } = kept.columns?.length ? kept : this.defaultLayout();
    return { ...kept, ...(columns && { columns }) };
  }

  /** What is shown now, as plain data. */
  async layout(): Promise<Layout> {
    return withoutMonthOrder(await this.engineLayout(), this.months);
  }

  /** What the engine shows: {@link layout}, with what keeps months in order. */
  private async engineLayout(): Promise<Layout> {
    // While the viewer is given another table, it shows nothing.
    await this.viewer.brought();
    const layout = await this.viewerLayout.read();
    const { [this.index]: _, ...aggregates } = layout.aggregates ?? {};
    layout.aggregates = aggregates;
    layout.plugin = this.kind;
    layout.chart_measure = this.chartMeasure;
    layout.amounts = this.amounts;
    return { ...layout, ...this.grid.shown.open };
  }

  /** Which rows and columns were opened and closed one by one. */
  get toggled(): ToggledGroups {
    return this.grid.shown.toggled;
  }

  /** A sensible layout from the metadata and the data. */
  defaultLayout(): Layout {
    return defaultLayout(this.options.columns, this.schema, this.facts, this.origins);
  }

  /** A layout without what the loaded rows do not have: what {@link apply} would show of it. */
  async clean(saved: Layout): Promise<CleanLayout> {
    const { origins, schema } = this;
    const { layout, dropped, ignoresOr } = cleanLayout(saved, schema, await this.valid(saved));
    const formatted = {
      ...layout,
      // Without any, the viewer would show whatever its table has.
      columns: layout.columns?.length ? layout.columns : this.defaultLayout().columns,
      ...(layout.plugin !== undefined && { plugin: shownAs(layout.plugin) }),
      columns_config: withoutEarlierFormats(
        layout.columns_config ?? {},
        this.options.columns,
        schema,
        origins,
      ),
    };
    return {
      layout: withoutMonthOrder(formatted, this.months),
      // What another version has to compare with is not missed here.
      dropped: dropped.filter((name) => !origins.isAbsent(name)),
      ignoresOr,
    };
  }

  /**
   * Shows a layout, without what the loaded rows do not have.
   *
   * @param toggled what to open and to close beside the depths of the layout, as far as it fits them
   * @returns what of it could not be kept
   */
  async apply(
    saved: Layout,
    toggled: ToggledGroups = NONE_TOGGLED,
  ): Promise<Omit<CleanLayout, 'layout'>> {
    const { layout, dropped, ignoresOr } = await this.clean(saved);
    const ordered = withMonthsInOrder(layout, this.months);
    const { depth, columns_depth, total_column, subtotals, chart_measure, amounts, ...config } =
      ordered;
    this.grid.shown.setOpen({ depth, columns_depth, total_column, subtotals }, toggled);
    this.writeAmounts(amounts);
    await this.restore({ split_by: [], ...config, plugin: GRID });
    this.kind = shownAs(config.plugin);
    this.chartMeasure = chart_measure;
    return { dropped, ignoresOr };
  }

  /**
   * Groups, filters and sorts by another layout, and keeps the plugin and the formats as they are. It
   * must name only what is loaded, or expressions that it has.
   */
  async change(layout: Layout): Promise<void> {
    const before = await this.engineLayout();
    const { depth, ...ordered } = withMonthsInOrder(layout, this.months);
    const { group_by, split_by, columns, filter, sort, expressions, aggregates } = ordered;
    const isRegrouped = JSON.stringify(group_by) !== JSON.stringify(before.group_by);
    if (isRegrouped) this.grid.shown.expansion.setDepth(depth ?? null);
    const isSplitAnew = JSON.stringify(split_by) !== JSON.stringify(before.split_by);
    if (isSplitAnew) this.grid.shown.across.setDepth(ordered.columns_depth ?? null);
    await this.restore({ group_by, split_by, columns, filter, sort, expressions, aggregates });
  }

  /** Filters the pivot, keeping everything else as it is. */
  async filter(filter: LayoutFilter[]): Promise<void> {
    await this.restore({ filter });
  }

  /**
   * Appends rows, in one update of the engine; the view re-sums them in place.
   *
   * @throws RowsError if the loaded table cannot hold them
   */
  async append(rows: AnsweredRows, side: Side = 'own'): Promise<void> {
    if (rows.count === 0) return;
    const { origins } = this;
    const answered = fitted(rows.columns, origins.loaded(this.schema), this.options.index);
    const extended = side === 'own' ? origins.extend(answered) : origins.extendOther(answered);
    const columns = this.buckets.extend(extended);
    this.empty.note(columns);
    this.days.add(columns);
    await this.empty.noteExpressions(columns);
    await this.grid.whileRemade(async () => {
      const isLoadedAnew = await this.rows.append(columns);
      if (side === 'own' && rows.logid !== this.triedEntry) this.known.add(answered);
      await this.settle(isLoadedAnew);
    });
  }

  /** Removes the rows of a log entry. */
  async removeEntry(logid: number, side: Side = 'own'): Promise<void> {
    const ofTable = side === 'own' ? logid : -logid;
    await this.grid.whileRemade(async () => {
      const isLoadedAnew = await this.rows.remove(ofTable);
      this.days.remove(ofTable);
      if (side === 'own' && logid !== this.triedEntry) this.known.forget();
      await this.settle(isLoadedAnew);
    });
  }

  /**
   * Appends rows that are not written, and marks the cells that they change. They are no rows of the
   * version: no count, no list of values and no list of entries has them
   * (docs/decisions/0028-what-is-tried-is-on-screen-only.md).
   *
   * @param rows the rows of a preview, which carry a negative `pf_logid`
   * @param text what a cell says that changes
   * @returns how much the rows add to each cell
   * @throws RowsError if the loaded table cannot hold them; none of them is in it then
   */
  async try(rows: AnsweredRows, text: TriedMark['text']): Promise<Tried> {
    const logid = rows.logid ?? NaN;
    this.triedEntry = logid;
    try {
      await this.append(rows);
      const { config } = await this.grid.shown.ask(async (reader) => reader);
      const tried = await Tried.read(this.table, config, this.origins.ratios, logid);
      this.grid.marks.showTried({ tried, text });
      return tried;
    } catch (error) {
      await this.endTrial();
      throw error;
    }
  }

  /** Takes out the rows that are tried, if there are any. */
  async endTrial(): Promise<void> {
    const { triedEntry } = this;
    if (triedEntry === null) return;
    this.grid.marks.showTried(null);
    await this.removeEntry(triedEntry);
    this.triedEntry = null;
  }

  /** Shows the grid, or the nearest kind of chart to a plugin's name. What is arranged stays. */
  showAs(plugin: string): void {
    this.kind = shownAs(plugin);
  }

  /** What is on screen: the grid, or a kind of chart. */
  get shownAs(): Shape {
    return this.kind;
  }

  /** Has charts draw another measure. */
  drawMeasure(name: string): void {
    this.chartMeasure = name;
  }

  /** How the measures are written now. */
  private get formats(): ReadonlyMap<string, ColumnFormat> {
    const { amounts, decimals, origins } = this;
    return measureFormats(this.options.columns, decimals, amounts, origins);
  }

  private writeAmounts(amounts: Layout['amounts']): void {
    this.amounts = amounts && Object.keys(amounts).length > 0 ? amounts : undefined;
    this.grid.setUsualFormats(this.formats);
  }

  /** Shows the amounts of a measure in another unit, or with other decimals. */
  async showAmounts(measure: string, style: AmountStyle): Promise<void> {
    const { [measure]: _, ...others } = this.amounts ?? {};
    const isUsual = style.shown_in === undefined && style.decimals === undefined;
    this.writeAmounts(isUsual ? others : { ...others, [measure]: style });
    await this.grid.redraw();
    this.options.onShown();
  }

  /** What a chart of what is shown draws; see {@link readChart}. */
  chart(): Promise<Chart> {
    const reading = this.readChart();
    this.charting = Promise.allSettled([this.charting, reading]);
    return reading;
  }

  private async readChart(): Promise<Chart> {
    const { table, schema, months, origins, formats } = this;
    const { columns } = this.options;
    const layout = await this.layout();
    const wanted = layout.chart_measure ?? null;
    return this.gate.ask(() =>
      readChart({ table, layout, schema, columns, months, origins, formats }, wanted),
    );
  }

  /** Opens or closes the viewer's own settings, in which all levels of rows can be arranged. */
  async toggleSettings(open: boolean): Promise<void> {
    if (open) {
      // They offer all columns of the table.
      await this.viewer.bring(Object.keys(this.whole));
      this.viewerLayout.isWhole = true;
      const { reader } = this.grid.shown;
      if (reader && reader.levels < reader.config.group_by.length) await this.joinLevels();
    }
    await this.element.toggleConfig(open);
  }

  /** Has the view made with the levels of rows that are open. */
  private async joinLevels(): Promise<void> {
    if (!this.viewer.isClosed) await this.restore({ group_by: [...this.viewerLayout.rows] });
  }

  async setDark(dark: boolean): Promise<void> {
    if (dark === this.dark) return;
    this.dark = dark;
    await this.restore({});
  }

  /**
   * Deletes viewer and table, in this order: a table with views on it cannot go. What does not end in time
   * is left to itself, since whoever waits for this wants to show something else.
   */
  async dispose(): Promise<void> {
    if (this.viewer.isClosed) return;
    this.viewer.close();
    await ended(
      () => this.charting,
      () => this.viewer.brought(),
      () => this.element.flush(),
      () => this.grid.dispose(),
      () => this.element.delete(),
      () => this.table.delete(),
    );
    this.element.remove();
  }

  private async restore(config: Partial<Layout>): Promise<void> {
    const theme = themeOf(this.dark);
    const told = this.viewerLayout.tell(config);
    // The levels that are not open yet are soon looked at.
    await this.viewer.show({ theme, ...told.config }, config.group_by ?? [], (isTaken) => {
      this.viewerLayout.settle(told, isTaken);
      if (isTaken) this.options.onShown();
    });
  }

  /** Takes over what the viewer was told elsewhere. */
  private async follow(): Promise<void> {
    await this.viewerLayout.follow();
    const layout = await this.engineLayout();
    const ordered = withMonthsInOrder(layout, this.months);
    if (JSON.stringify(ordered.sort) !== JSON.stringify(layout.sort ?? [])) {
      const { sort, expressions, aggregates } = ordered;
      await this.restore({ sort, expressions, aggregates });
    }
    this.options.onShown();
    if (!this.viewer.isClosed) await this.options.onLayout();
  }

  /**
   * Waits until the screen has a change. A view of rows that were loaded anew has forgotten which of its rows
   * were open, and is made anew. The engine keeps empty values apart by when they came, in
   * views that were open then: such a view is made anew, or groups of nothing would show stale sums.
   * So is one with an expression that looks up other rows: the engine then fails to bring the change.
   */
  private async settle(isLoadedAnew: boolean): Promise<void> {
    // What was read before is old now, though the grid is told later.
    this.grid.invalidate();
    const layout = await this.engineLayout();
    const looksUp = Object.values(layout.expressions ?? {}).some((text) => /vlookup/i.test(text));
    if (isLoadedAnew || looksUp) return this.refresh(layout);
    const grouping = [...(layout.group_by ?? []), ...(layout.split_by ?? [])];
    const names = new Set([...grouping, ...(this.grid.shown.reader?.expressions ?? [])]);
    if (await this.empty.amongAny(names)) await this.refresh(layout);
    else {
      await this.element.flush();
      this.options.onShown();
    }
  }

  private async refresh(layout: Layout): Promise<void> {
    this.refreshes++;
    const index = this.options.index;
    // The viewer replaces its view only if the configuration differs. This difference is not visible.
    const aggregates = { ...layout.aggregates, [index]: this.refreshes % 2 ? 'count' : 'any' };
    await this.restore({ aggregates });
  }

  /** The log entries that the loaded rows of a side come from. */
  entries(side: Side = 'own'): ReadonlySet<number> {
    const ids = [...this.rows.entries].filter((logid) => logid !== 0 && this.isOf(side, logid));
    return new Set(ids.map(Math.abs));
  }

  /** Whether rows that tell a log entry are written rows of a side. */
  private isOf(side: Side, logid: number): boolean {
    // Rows that tell no entry have 0.
    return logid >= 0 === (side === 'own') && logid !== this.triedEntry;
  }

  private async valid({ expressions }: Layout): Promise<ReadonlySet<string>> {
    if (!expressions || Object.keys(expressions).length === 0) return new Set();
    const checked = await this.table.validate_expressions(expressions);
    return new Set(Object.keys(checked.expression_schema));
  }
}

/** Hides the viewer's buttons for settings, export and themes: the page has its own. */
function hideOwnControls(viewer: Viewer): void {
  const root = viewer.shadowRoot;
  if (!root) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('#settings_button, #status_bar { display: none !important; }');
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
