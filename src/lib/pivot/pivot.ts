/** The pivot over the rows of one version, independent of its engine. */
import type { MeasureDecimals } from '../contract/decimals';
import { orderName } from '../contract/lookups';
import type { AmountStyle, Layout, MarkRule, LayoutFilter } from '../contract/stored-layout';
import { axesOf, fittingKind, shownAs, type ChartKind } from './chart/chart';
import { readChart, type Chart } from './chart/chart-reader';
import type { Grid } from './grid/grid';
import type { TriedMark } from './grid/marks/marks';
import { NONE_TOGGLED, type ToggledGroups } from './grid/cells/expansion';
import type { Tried } from './grid/marks/tried';
import { dateOfGroup, monthsOf } from './layout/expected-layout';
import { measureFormats, withoutEarlierFormats } from './layout/formats';
import {
  fittingLimits,
  type CleanLayout,
  cleanLayout,
  defaultLayout,
  GRID,
  type MonthOrder,
  renamed,
  withMonthsInOrder,
  withOthers,
  withoutMonthOrder,
  withoutOthers,
} from './layout/layout';
import { openParts, type PivotOptions, type PivotParts } from './pivot-parts';
import { columnsIn } from './rows/arrow-columns';
import type { Attributes, Side } from './rows/attributes';
import type { Origins } from './rows/origins';
import { type AnsweredRows, typesOf } from './rows/rows';
import { Members } from './table/members';
import { startEngine } from './table/perspective';
import { type SampleRow, sampleSums } from './table/sample-sums';
import { type EntryRows, PivotRows } from './table/pivot-rows';
import { whyNotBeside, type ComparedRows } from './table/ready-rows';
import type { ColumnFormat } from './values/column-format';
import type { Schema } from './values/engine-types';
import { shownAsIn } from './values/show-as';
import { ended } from './waiting';

/** How the rows are shown: as the grid, or as a kind of chart. */
type PivotKind = typeof GRID | ChartKind;

/**
 * A pivot over the rows of one version: an indexed table and the viewer on it. It owns both and deletes them
 * in order. No code outside this folder knows which engine is behind it.
 */
export class Pivot {
  /** The values of the columns in the version's own rows. */
  readonly members: Members;
  /** The grid: the view on screen, its cells and its marks. */
  readonly grid: Grid;
  /** The types of the columns that layouts can name. */
  readonly schema: Schema;
  /** The measures and their columns by origin. */
  readonly origins: Origins;
  /** The attributes of the rows. */
  readonly attributes: Attributes;
  /** The decimals with which the measures are written. */
  readonly decimals: MeasureDecimals;
  private readonly rows: PivotRows;
  private readonly months: ReadonlyMap<string, MonthOrder>;
  /** The current display: the grid, or a chart in front of it. */
  private kind: PivotKind = GRID;
  /** The measure that a chart draws; undefined stands for the first measure. */
  private chartMeasure: string | undefined;
  /** How the amounts of each measure are shown; undefined means in full, with the decimals of the measure. */
  private amounts: Layout['amounts'];
  /** The rules that mark cells, by measure; undefined for none. */
  private marks: Layout['marks'];
  /** Resolves when no chart is being read; the views of a chart would block the deletion of the table. */
  private charting: Promise<unknown> = Promise.resolve();

  private constructor(private readonly parts: PivotParts) {
    const { grid, schema, origins, attributes, decimals, options } = parts;
    this.grid = grid;
    this.schema = schema;
    this.origins = origins;
    this.attributes = attributes;
    this.decimals = decimals;
    this.months = monthsOf(options.columns, schema, parts.facts);
    this.rows = new PivotRows(parts);
    const orders = new Map(
      [...this.months].flatMap(([name, { by }]) => {
        const ordering = by === orderName(name) ? by : dateOfGroup(name, options.columns);
        return ordering === null ? [] : [[name, ordering] as const];
      }),
    );
    const isOwn = (logid: number) => this.rows.isOf('own', logid);
    this.members = new Members(parts.rows, schema, parts.known, isOwn, orders);
  }

  /** Does the same as {@link whyNotBeside}, for rows that are not loaded yet. */
  static whyNotBeside(bytes: ArrayBuffer, compared: ComparedRows): string | null {
    return whyNotBeside(typesOf(columnsIn(bytes)), compared);
  }

  /** Starts the engine early. {@link open} waits for it and throws if it cannot start. */
  static prepare(): void {
    startEngine().catch(() => undefined);
  }

  /**
   * Loads the rows into the engine and shows a pivot without a layout; the caller then calls {@link apply}.
   *
   * @param bytes a complete Arrow stream of one record batch; the engine takes ownership of it
   * @throws Error if the engine cannot start or refuses the rows
   */
  static async open(bytes: ArrayBuffer, options: PivotOptions): Promise<Pivot> {
    const parts = await openParts(bytes, options);
    const pivot = new Pivot(parts);
    parts.viewer.listen(() => pivot.follow());
    return pivot;
  }

  /** The column that indexes the rows. */
  get index(): 'pf_id' | 'pf_gkey' {
    return this.parts.options.index;
  }

  /** Whether a layout can list the values of a column in an order: texts, unless the engine sorts them as months. */
  canOrder(column: string): boolean {
    return this.schema[column] === 'string' && !this.months.get(column)?.expression;
  }

  /** The number of loaded rows of the version itself, without preview rows. */
  get rowCount(): number {
    return this.rows.rowCount;
  }

  /** The number of amounts without a rate, by column: see {@link PivotRows.missingRates}. */
  get missingRates(): ReadonlyMap<string, number> {
    return this.rows.missingRates;
  }

  /** Returns the log entries that wrote the loaded rows of a side. */
  entries(side: Side = 'own'): ReadonlySet<number> {
    return this.rows.entries(side);
  }

  /** Appends rows: see {@link PivotRows.append}. @throws RowsError if the loaded table cannot hold them */
  append(rows: AnsweredRows, side: Side = 'own'): Promise<void> {
    return this.rows.append(rows, side);
  }

  /** Removes the rows of a log entry. */
  removeEntry(logid: number, side: Side = 'own'): Promise<void> {
    return this.rows.removeEntry(logid, side);
  }

  /** Shows preview rows, which are not stored: see {@link PivotRows.try}. */
  try(rows: EntryRows): Promise<void> {
    return this.rows.try(rows);
  }

  /** Marks the cells that preview rows change: see {@link PivotRows.markTried}. */
  markTried(text: TriedMark['text']): Promise<Tried | null> {
    return this.rows.markTried(text);
  }

  /** Removes the preview rows, if there are any. */
  endTrial(): Promise<void> {
    return this.rows.endTrial();
  }

  /** Returns the number of rows of a log entry that some filters admit. */
  countOf(logid: number, filter: readonly LayoutFilter[]): Promise<number> {
    return this.rows.countOf(logid, filter);
  }

  /** Marks the cells in which a log entry wrote an amount; null marks none. */
  markEntry(logid: number | null): Promise<void> {
    return this.rows.markEntry(logid);
  }

  /** The ids of the versions in the comparison. */
  get comparedWith(): readonly number[] {
    return this.origins.comparedWith;
  }

  /** Returns why the rows of another version cannot be compared with those on screen; null if they can. */
  whyNotBeside({ batches, name }: Pick<ComparedRows, 'batches' | 'name'>): string | null {
    const own = this.attributes.without(this.origins.loaded(this.schema));
    return whyNotBeside(own, { batches, name });
  }

  /**
   * Returns the layout with the comparison columns added of each other version of which it shows none.
   */
  withOthers(layout: Layout): Layout {
    return withOthers(layout, this.origins);
  }

  /** Returns the layout without comparison columns, so that every version of the source can show it. */
  withoutOthers(layout: Layout): Layout {
    return withoutOthers(layout, this.origins);
  }

  /**
   * Converts a layout of another pivot of this version: comparison columns get their current names, and those
   * that no longer exist are left out.
   */
  takingOver(layout: Layout, before: Origins): Layout {
    const kept = renamed(layout, this.origins.renamings(before));
    const { columns } = kept.columns?.length ? kept : this.defaultLayout();
    return { ...kept, ...(columns && { columns }) };
  }

  /** Returns the current layout as plain data. */
  async layout(): Promise<Layout> {
    return withoutMonthOrder(await this.engineLayout(), this.months);
  }

  /** Returns the layout of the engine: {@link layout} plus the settings that keep months in order. */
  private async engineLayout(): Promise<Layout> {
    const layout = await this.parts.viewer.read();
    layout.plugin = this.kind;
    layout.chart_measure = this.chartMeasure;
    layout.amounts = this.amounts;
    layout.marks = this.marks;
    return { ...layout, ...this.grid.shown.open };
  }

  /** The rows and columns that were opened or closed one by one. */
  get toggled(): ToggledGroups {
    return this.grid.shown.toggled;
  }

  /** Returns a default layout, chosen by the metadata and the data. */
  defaultLayout(): Layout {
    return defaultLayout(this.parts.options.columns, this.schema, this.parts.facts, this.origins);
  }

  /**
   * Returns the part of a layout that the loaded rows support, which is the part that {@link apply} would
   * show.
   */
  async clean(saved: Layout): Promise<CleanLayout> {
    const { origins, schema } = this;
    const { layout, dropped, ignoresOr } = cleanLayout(saved, schema, await this.valid(saved));
    const formatted = {
      ...layout,
      // Without columns, the viewer would show every column of its table.
      columns: layout.columns?.length ? layout.columns : this.defaultLayout().columns,
      ...(layout.plugin !== undefined && { plugin: shownAs(layout.plugin) }),
      columns_config: withoutEarlierFormats(
        layout.columns_config ?? {},
        this.parts.options.columns,
        schema,
        origins,
      ),
    };
    return {
      layout: withoutMonthOrder(formatted, this.months),
      // Missing comparison columns of another version are not reported.
      dropped: dropped.filter((name) => !origins.isAbsent(name)),
      ignoresOr,
    };
  }

  /**
   * Shows the part of a layout that the loaded rows support.
   *
   * @param toggled rows and columns to open or close in addition to the depths of the layout, where they fit
   * it
   * @returns the parts of the layout that could not be kept
   */
  async apply(
    saved: Layout,
    toggled: ToggledGroups = NONE_TOGGLED,
  ): Promise<Omit<CleanLayout, 'layout'>> {
    const { layout, dropped, ignoresOr } = await this.clean(saved);
    const ordered = withMonthsInOrder(layout, this.months);
    const { shown } = this.grid;
    const rowSettings = () => JSON.stringify([shown.settings.limits, shown.settings.orders]);
    const before = rowSettings();
    shown.setOpen(ordered, toggled);
    this.setAmounts(ordered.amounts);
    this.setMarks(ordered.marks);
    const { columns_config, plugin_config = {} } = ordered;
    await this.parts.viewer.restore({
      ...arrangementIn(ordered),
      ...{ columns_config, plugin_config, plugin: GRID },
    });
    // The engine does not show a layout again that differs in nothing that it knows.
    if (rowSettings() !== before) await this.grid.sortAgain();
    this.kind = shownAs(ordered.plugin);
    this.chartMeasure = ordered.chart_measure;
    return { dropped, ignoresOr };
  }

  /**
   * Groups, filters and sorts by another layout, and keeps the plugin and the formats. The layout may name
   * only loaded columns and expressions that it defines.
   */
  async change(layout: Layout): Promise<void> {
    const before = await this.engineLayout();
    const ordered = withMonthsInOrder(layout, this.months);
    const { shown } = this.grid;
    const isRegrouped = JSON.stringify(ordered.group_by) !== JSON.stringify(before.group_by);
    if (isRegrouped) shown.expansion.setDepth(ordered.depth ?? null);
    const isSplitAnew = JSON.stringify(ordered.split_by) !== JSON.stringify(before.split_by);
    if (isSplitAnew) {
      shown.across.setDepth(ordered.columns_depth ?? null);
      shown.settings = { ...shown.settings, pinned_columns: undefined };
    }
    const known = { ...this.schema, ...ordered.expressions };
    const limits = fittingLimits(shown.settings.limits, ordered, (name) =>
      Object.hasOwn(known, name),
    );
    shown.settings = { ...shown.settings, limits };
    await this.parts.viewer.restore(arrangementIn(ordered));
  }

  /**
   * Shows the grid, or the kind of chart that is nearest to a plugin's name. The arrangement stays the same.
   *
   * @param plugin null for the kind of chart that fits the layout
   */
  async showAs(plugin: string | null): Promise<void> {
    const { schema, months } = this;
    this.kind =
      plugin === null
        ? fittingKind(await this.layout(), { columns: this.parts.options.columns, schema, months })
        : shownAs(plugin);
  }

  /** The current display: the grid, or a kind of chart. */
  get shownAs(): PivotKind {
    return this.kind;
  }

  /** Selects the measure that charts draw. */
  drawMeasure(name: string): void {
    this.chartMeasure = name;
  }

  /** The current number formats of the measures. */
  private get formats(): ReadonlyMap<string, ColumnFormat> {
    const { amounts, decimals, origins } = this;
    return measureFormats(this.parts.options.columns, decimals, amounts, origins);
  }

  private setAmounts(amounts: Layout['amounts']): void {
    this.amounts = amounts && Object.keys(amounts).length > 0 ? amounts : undefined;
    this.grid.setUsualFormats(this.formats, shownAsIn(amounts));
  }

  private setMarks(marks: Layout['marks'] = {}): void {
    const used = Object.entries(marks).filter(([, rules]) => rules.length > 0);
    this.marks = used.length > 0 ? Object.fromEntries(used) : undefined;
    this.grid.shown.markBy(new Map(used));
  }

  /** Marks the cells of a measure by some rules; none of them removes its marks. */
  async markBy(measure: string, rules: readonly MarkRule[]): Promise<void> {
    this.setMarks({ ...this.marks, [measure]: [...rules] });
    await this.grid.redraw();
    this.parts.options.onShown();
  }

  /** Shows the amounts of a measure in another unit, with other decimals, or in relation to other sums. */
  async showAmounts(measure: string, style: AmountStyle): Promise<void> {
    const { [measure]: _, ...others } = this.amounts ?? {};
    const isUsual = Object.values(style).every((part) => part === undefined);
    this.setAmounts(isUsual ? others : { ...others, [measure]: style });
    await this.grid.sortAgain();
    this.parts.options.onShown();
  }

  /** Returns sums of measures in the first groups of rows: see {@link sampleSums}. */
  async sampleSums(measures: readonly string[]): Promise<SampleRow[]> {
    return sampleSums(this.parts.table, await this.layout(), this.schema, measures);
  }

  /** Reads the data of a chart of the current view; see {@link readChart}. */
  chart(): Promise<Chart> {
    const reading = this.readChart();
    this.charting = Promise.allSettled([this.charting, reading]);
    return reading;
  }

  private async readChart(): Promise<Chart> {
    const { schema, months, origins, formats } = this;
    const { table, gate, options } = this.parts;
    const layout = await this.layout();
    const wanted = layout.chart_measure ?? null;
    const { columns } = options;
    const { axis, isTime, series } = axesOf(layout, { columns, schema, months });
    const drawn = [...(isTime ? [] : axis), ...(series === null ? [] : [series])];
    const shownGroups = await this.grid.shown.shownGroups(drawn, isTime ? axis : []);
    const source = { table, layout, schema, columns, months, origins, formats, shownGroups };
    return gate.ask(() => readChart(source, wanted));
  }

  setDark(dark: boolean): Promise<void> {
    return this.parts.viewer.setDark(dark);
  }

  /**
   * Deletes the viewer and then the table, since a table with views cannot be deleted. A step that does not
   * end in time is left to finish by itself, because the caller waits to show something else.
   */
  async dispose(): Promise<void> {
    if (this.parts.viewer.isClosed) return;
    this.parts.viewer.close();
    await ended(
      () => this.charting,
      () => this.parts.viewer.brought(),
      () => this.parts.element.flush(),
      () => this.grid.dispose(),
      () => this.parts.element.delete(),
      () => this.parts.table.delete(),
    );
    this.parts.element.remove();
  }

  /** Takes over a change that others made to the viewer. */
  private async follow(): Promise<void> {
    const layout = await this.engineLayout();
    const ordered = withMonthsInOrder(layout, this.months);
    if (JSON.stringify(ordered.sort) !== JSON.stringify(layout.sort ?? [])) {
      const { sort, expressions, aggregates } = ordered;
      await this.parts.viewer.restore({ sort, expressions, aggregates });
    }
    this.parts.options.onShown();
    if (!this.parts.viewer.isClosed) await this.parts.options.onLayout();
  }

  private async valid({ expressions }: Layout): Promise<ReadonlySet<string>> {
    if (!expressions || Object.keys(expressions).length === 0) return new Set();
    const checked = await this.parts.table.validate_expressions(expressions);
    return new Set(Object.keys(checked.expression_schema));
  }
}

/** Returns the part of a layout that selects, groups and sorts rows, as the viewer takes it. */
function arrangementIn(layout: Layout): Partial<Layout> {
  const { group_by, split_by, columns, filter, sort, expressions, aggregates } = layout;
  return { group_by, split_by, columns, filter, sort, expressions, aggregates };
}
