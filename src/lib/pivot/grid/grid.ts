/** The grid of the pivot. */
import type { Slice } from '../../contract/slices';
import type { GridSettings, LayoutSort } from '../../contract/stored-layout';
import type {
  CellCondition,
  CellIdentity,
  CellPosition,
  MarkedCell,
  Press,
  ReadCell,
} from '../slice/cell';
import { tidy } from '../values/cell-value';
import type { CellValue, GridHost, GridPlugin, EngineTable, View } from '../values/engine-types';
import type { Busy, Gate } from '../waiting';
import type { Origins } from '../rows/origins';
import type { SliceColumn } from '../slice/slice';
import type { BesideViews } from './views/beside';
import {
  cellHeaders,
  cellName,
  copyMarked,
  copyView,
  headerTexts,
  type CellHeaders,
} from './reading/clipboard';
import type { ClosedDate, ClosedHeaders } from './views/closed-headers';
import { Drawing } from './drawing/drawing';
import type { Expansion } from './cells/expansion';
import { exactValue, readFormats, type ColumnFormat } from '../values/column-format';
import { cellsWith, largestHeld } from './reading/found-cells';
import { membersIn, type FoundMembers } from './reading/found-members';
import { headerSlices, type HeaderSlices } from './reading/header-slices';
import { label } from '../values/labels';
import { endsInOthers } from '../values/others';
import type { MarkAt } from '../values/mark-rules';
import type { ShownAs } from '../values/show-as';
import { Marks } from './marks/marks';
import { Mouse } from './mouse/mouse';
import { markIn } from './shown/compared-cells';
import { RowGroups } from './shown/row-groups';
import { Scrolling } from './shown/scrolling';
import { readSettings } from './drawing/settings';
import { isGone, Shown } from './shown/shown';
import { Widths } from './drawing/widths';
import type { Whole } from './shown/window';

/** A row that adds up other rows: its path, empty for the grand total, and its number in a column. */
interface TotalRow {
  rowPath: readonly CellValue[];
  labels: readonly string[];
  value: number | null;
}

/** Events that the grid reports to the pivot. */
interface GridEvents {
  /** A cell or header was pressed, or the mouse was dragged to it; null for one that is being redrawn. */
  onTarget(cell: CellIdentity | null, at: CellPosition, how: Press): void;
  /** The corner of the marked block is dragged or dropped; see {@link Mouse}. */
  onFill(at: CellPosition | null, isDropped: boolean): void;
  /** Rows or columns were opened or closed. */
  onRows(): void;
  /** The user changed the sort. */
  onSort(sort: LayoutSort[]): void;
  /** The user dropped the header of a measure on a side of another one. */
  onMeasure(name: string, beside: string, side: 'left' | 'right'): void;
  /** The user changed the width of a column. */
  onWidths(): void;
  /** Open rows need levels that the view does not have: recreates the view with these levels. */
  onDeeper(): Promise<void>;
}

/** Everything that the grid shows, with the formats of its measures, the headers of closed months and the marks. */
type Everything = Whole & {
  formats: ReadonlyMap<string, ColumnFormat>;
  closed: ClosedHeaders;
  markAt: MarkAt;
};

/** Parts that a grid is constructed from. */
interface GridParts {
  plugin: GridPlugin;
  table: EngineTable;
  /** Measures by origin: those computed from other columns, and those that do not show the plan. */
  origins: Pick<Origins, 'ratios' | 'isOfPlan'>;
  /** Facts about the view that are known without asking the engine. */
  beside: BesideViews;
  /** The open rows. */
  expansion: Expansion;
  events: GridEvents;
  busy: Busy;
  gate: Gate;
}

/**
 * The grid: it draws the views of the viewer, keeps rows and columns open or closed when the engine replaces
 * its view, reports clicks on cells, and marks cells.
 */
export class Grid implements GridHost {
  readonly marks: Marks;
  /** The view on screen, as the grid shows it. */
  readonly shown: Shown;
  private readonly drawing: Drawing;
  private readonly widths: Widths;
  private readonly scrolling: Scrolling;
  /** Opens and closes rows. */
  readonly rows: RowGroups;
  private readonly plugin: GridPlugin;
  private readonly events: GridEvents;
  private readonly gate: Gate;
  /** Number of changes in progress that recreate the view. */
  private replacing = 0;

  constructor({ plugin, table, origins, beside, expansion, events, busy, gate }: GridParts) {
    this.plugin = plugin;
    this.events = events;
    this.gate = gate;
    this.shown = new Shown(table, origins.ratios, beside, gate, expansion);
    this.widths = new Widths(this.shown, plugin.table);
    this.drawing = new Drawing(this.shown, plugin.table, this.widths);
    this.marks = new Marks(this.shown, plugin.table, (measure) => origins.isOfPlan(measure));
    this.scrolling = new Scrolling(this.shown, plugin.table);
    plugin.table.tabIndex = 0;
    plugin.table.setAttribute(
      'aria-label',
      'Pivot. Arrow keys move the selection, with Shift they mark a block.',
    );
    this.rows = new RowGroups(
      this.shown,
      busy,
      () => this.afterRows(),
      () => events.onDeeper(),
    );
    new Mouse(this.shown, this.marks, plugin.table, {
      onTarget: (cell, at, how) => events.onTarget(cell, at, how),
      onFill: (at, isDropped) => events.onFill(at, isDropped),
      onSort: (sort) => events.onSort(sort),
      onMeasure: (name, beside, side) => events.onMeasure(name, beside, side),
      onWidths: () => events.onWidths(),
      toggleRow: (path, y) => this.rows.toggle(path, y),
      toggleColumns: (path) => this.toggleColumns(path),
      setDepth: (depth) => this.rows.setDepth(depth),
    });
    plugin.host = this;
    gate.onOpen = () => this.invalidate();
  }

  /** Draws another view. */
  async draw(view: View): Promise<void> {
    await this.gate.opened();
    await this.onView(view, async () => {
      this.widths.read();
      await this.shown.adopt(view);
      this.marks.invalidate();
    });
    this.readAhead();
  }

  async update(view: View): Promise<void> {
    // The view is recreated when all rows have arrived.
    if (this.gate.isClosed || this.replacing > 0) return;
    this.marks.invalidate();
    await this.onView(view, async () => {
      this.widths.read();
      await this.shown.follow(view);
    });
  }

  /**
   * Does not draw changes of the current view until `work` ends, which recreates it: the current view would show
   * wrong numbers meanwhile.
   */
  async whileReplaced<T>(work: () => Promise<T>): Promise<T> {
    this.replacing++;
    try {
      return await work();
    } finally {
      this.replacing--;
    }
  }

  async redraw(): Promise<void> {
    if (this.shown.view) await this.drawn();
  }

  save(): Record<string, unknown> {
    this.widths.read();
    return { columns: this.widths.save() };
  }

  restore(settings: unknown, columns: unknown): void {
    this.widths.restore(readSettings(settings));
    this.drawing.setFormats(readFormats(columns));
  }

  /**
   * Sets the default formats of measures from the next drawing on, which a layout can override, and the measures that
   * are shown in relation to other sums.
   */
  setUsualFormats(formats: ReadonlyMap<string, ColumnFormat>, shownAs: ShownAs): void {
    this.drawing.setUsualFormats(formats);
    this.shown.showAs(shownAs);
  }

  /** Sorts and limits the rows by the numbers as they are shown now, and draws them. */
  async sortAgain(): Promise<void> {
    if (!this.shown.view) return;
    await this.onView(this.shown.view, async () => {
      await this.shown.sort();
      await this.shown.regroup();
    });
  }

  /**
   * Reads a cell as typed values, with the slice behind it.
   *
   * @param near last known position of the cell
   * @throws Error if the pivot is not shown as a grid, or if the cell no longer exists
   */
  async read(
    cell: CellIdentity,
    columns: readonly SliceColumn[],
    near: CellPosition | null,
  ): Promise<ReadCell> {
    return this.shown.ask((reader) => reader.read(cell, columns, near));
  }

  /** @throws Error if there is no such cell */
  async identityAt(position: CellPosition): Promise<CellIdentity> {
    return this.shown.ask((reader) => reader.identityAt(position));
  }

  /** Clears the cached data of the table after rows came or went. */
  invalidate(): void {
    this.shown.reader?.invalidate();
    this.marks.invalidate();
  }

  /** Returns the current number of rows and columns of the grid. */
  async extent(): Promise<{ columns: number; rows: number }> {
    const rows = await this.shown.ask((_, view) => view.num_rows());
    return { columns: this.shown.columns.length, rows };
  }

  /** Returns the total rows that are open now, with their numbers in the column of a cell. */
  async totalRows({ columnPath, measure }: CellIdentity): Promise<TotalRow[]> {
    return this.shown.ask(async (reader, view) => {
      const { group_by } = reader.config;
      if (group_by.length === 0) return [];
      const at = await reader.find({ rowPath: [], columnPath, measure });
      if (!at || at.x === null) return [];
      const rows = { start_row: 0, end_row: await view.num_rows() };
      const [paths, values] = await Promise.all([
        reader.rowPaths(rows.start_row, rows.end_row),
        reader.columnValues(at.x, rows),
      ]);
      const styles = group_by.map((name) => this.shown.styleOf(name));
      return paths.flatMap((rowPath, y): TotalRow[] => {
        const value = values[y];
        if (rowPath.length === group_by.length || endsInOthers(rowPath)) return [];
        const labels = rowPath.map((part, i) => label(part, styles[i]));
        return [{ rowPath, labels, value: typeof value === 'number' ? tidy(value) : null }];
      });
    });
  }

  /** Opens all groups of columns to a depth: 0 shows only the groups of the first split column. */
  async setColumnDepth(depth: number): Promise<void> {
    this.shown.across.setDepth(depth);
    await this.regroup();
  }

  /** Opens or closes a group of columns. */
  async toggleColumns(path: readonly CellValue[]): Promise<void> {
    this.shown.toggleColumns(path);
    await this.regroup();
  }

  /** Opens the group of columns that a cell adds up, or closes the innermost group around the cell. */
  async toggleColumnsOf({ columnPath }: CellIdentity): Promise<void> {
    const levels = this.shown.reader?.config.split_by.length ?? 0;
    if (!columnPath || levels < 2) return;
    const path = columnPath.slice(0, levels - 1);
    if (path.length > 0) await this.toggleColumns(path);
  }

  /** Changes some of the settings; undefined sets the default. */
  async set(settings: GridSettings): Promise<void> {
    this.shown.settings = { ...this.shown.settings, ...settings };
    // The viewer may have replaced the view meanwhile: its replacement has these settings.
    if ('limits' in settings || 'orders' in settings) await this.sortAgain();
    await this.regroup();
  }

  /** Finds the cells of a measure that meet conditions, and opens their groups; see {@link cellsWith}. */
  cellsWith(conditions: readonly CellCondition[], measure: string): Promise<MarkedCell[]> {
    return cellsWith(this.shown, this.rows, () => this.regroup(), { conditions, measure });
  }

  /** Finds the members of the shown rows and columns whose label contains a text. */
  membersWith(text: string): Promise<FoundMembers> {
    return this.shown.ask(async (reader) => {
      const { group_by, split_by } = reader.config;
      const [columns, paths] = await Promise.all([reader.columns(), reader.rowPaths(0)]);
      const styleOf = (name: string) => this.shown.styleOf(name);
      const { membersOf } = this.shown;
      const isEmptied = (path: readonly CellValue[]) => this.shown.isOpenRow(path);
      return membersIn({ group_by, split_by, columns, paths, styleOf, membersOf, isEmptied }, text);
    });
  }

  /** Returns the largest cell on screen, also to scroll to, whose rows are all in a slice; null if none is. */
  async cellOf(slice: Slice): Promise<MarkedCell | null> {
    const reach = await this.marks.reachOf(slice);
    return reach && this.shown.ask((reader) => largestHeld(reader, reach));
  }

  /** Scrolls a cell into view, only as far as needed to show all of it. */
  scrollTo(at: CellPosition): void {
    this.scrolling.to(at);
  }

  focus(): void {
    this.plugin.table.focus();
  }

  /** Returns the whole pivot as text for a spreadsheet, with headers. @param print formats a number */
  copyAll(print: (value: number) => string): Promise<string> {
    return copyView(this.shown, this.exact(print));
  }

  /** Returns the whole pivot as typed values, with the formats of its measures. */
  async readAll(closed: readonly ClosedDate[]): Promise<Everything> {
    const whole = await this.shown.readAll();
    const headers = await this.closedHeaders(closed);
    const names = new Set(whole.columns.map(({ measure }) => measure));
    const formats = new Map([...names].map((name) => [name, this.drawing.formatNamed(name)]));
    const compared = await this.shown.comparedCells();
    const { rules } = this.shown;
    const markAt: MarkAt = (x, y) =>
      markIn(rules, compared, whole.columns[x] ?? null, whole.paths[y], whole.values[x]?.[y]);
    return { ...whole, formats, closed: headers, markAt };
  }

  /** Returns the slices behind the headers of the pivot on screen; see {@link headerSlices}. */
  headerSlices(
    whole: Pick<Whole, 'paths' | 'columns'>,
    columns: readonly SliceColumn[],
  ): Promise<HeaderSlices> {
    return headerSlices(this.shown, whole, columns);
  }

  /** Returns the headers of the view on screen that stand for closed days only. */
  closedHeaders(closed: readonly ClosedDate[]): Promise<ClosedHeaders> {
    return this.shown.ask((reader) => reader.closedHeaders(closed));
  }

  /** Returns marked cells as text for a spreadsheet; see {@link copyMarked}. */
  copyMarked(cells: readonly MarkedCell[], print: (value: number) => string): Promise<string> {
    return copyMarked(this.shown, cells, this.exact(print));
  }

  private exact(print: (value: number) => string) {
    return (value: number, measure: string) =>
      print(exactValue(value, this.drawing.formatNamed(measure)));
  }

  /** Returns the format in which the numbers of a measure are shown. */
  formatNamed(measure: string): ColumnFormat {
    return this.drawing.formatNamed(measure);
  }

  /**
   * Keeps the groups that limits show while rows change, so that the cell that somebody types into stays; false
   * chooses them again.
   */
  async keepGroups(keepsGroups: boolean): Promise<void> {
    this.shown.keepGroups(keepsGroups);
    if (!keepsGroups && this.shown.settings.limits) await this.regroup();
  }

  /** Returns the name of a cell, such as "Furniture / Chairs, 2028 / Sales". */
  nameOf(cell: CellIdentity): string {
    return cellName(this.shown, cell);
  }

  /** Returns the headers of a cell. */
  headersOf(cell: CellIdentity): CellHeaders {
    return cellHeaders(this.shown, cell);
  }

  /** Returns the texts of all headers; see {@link headerTexts}. */
  headerTexts(): ReturnType<typeof headerTexts> {
    return headerTexts(this.shown);
  }

  dispose(): Promise<void> {
    return this.shown.dispose();
  }

  /** Follows and draws a view. If the viewer has replaced it, errors are ignored: its replacement is drawn next. */
  private async onView(view: View, follow: () => Promise<void>): Promise<void> {
    try {
      await follow();
      await this.drawn();
    } catch (error) {
      if (!(await isGone(view))) throw error;
    }
  }

  private async drawn(): Promise<void> {
    // A grid behind a chart has no sizes to measure.
    if (this.plugin.isConnected && this.plugin.offsetParent) await this.drawing.draw();
  }

  /** Shows the rows after some were opened or closed. */
  private async afterRows(): Promise<void> {
    if (this.shown.view) await this.onView(this.shown.view, () => this.shown.regroup());
    this.events.onRows();
  }

  /** Shows the columns after some were opened or closed. */
  private async regroup(): Promise<void> {
    if (!this.shown.view) return;
    this.widths.read();
    await this.afterRows();
  }

  /** Reads in advance the data that a click will need. */
  private readAhead(): void {
    const { reader } = this.shown;
    if (!reader) return;
    for (const name of reader.expressions) {
      void reader.underlyingValues(name).catch(() => undefined);
    }
  }
}
