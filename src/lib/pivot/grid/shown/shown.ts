/** The rows and columns of the engine's view as the grid shows them. */
import * as v from 'valibot';
import { GridSettings, isRanked, type Layout, type Limit } from '../../../contract/stored-layout';
import { type CellIdentity, type CellPosition, pathKey } from '../../slice/cell';
import { tidy } from '../../values/cell-value';
import {
  type CellValue,
  type ColumnType,
  type EngineTable,
  type View,
  type ViewWindow,
  withView,
} from '../../values/engine-types';
import { type Gate, Signal } from '../../waiting';
import type { Ratio } from '../../values/ratios';
import { endsInOthers, type ShownGroups } from '../../values/others';
import type { ShownAs } from '../../values/show-as';
import type { MarkRules } from '../../values/mark-rules';
import type { NameOrder } from '../../values/name-order';
import type { BesideViews } from '../views/beside';
import { ViewReader } from '../views/view-reader';
import type { DrawnColumn } from '../cells/grid-columns';
import { Expansion, type ToggledGroups } from '../cells/expansion';
import { levelOrders } from './level-orders';
import {
  computedSort,
  type LimitColumn,
  limitColumns,
  type LimitProblem,
  readKeys,
} from './computed-sort';
import { readCompared, type ComparedCells } from './compared-cells';
import { NO_LIMITS, type HiddenGroups, type LimitedRows } from './limited-rows';
import { labelStyle } from '../../values/labels';
import { SortedView } from './sorted-view';
import { NOTHING, type Whole, type Window } from './window';

/** The part of a layout that the grid keeps itself. */
type OpenLayout = Pick<Layout, 'depth' | 'columns_depth'> & GridSettings;

/**
 * A limit on a field, with the number of groups that it leaves out in all open parents. These numbers are missing while
 * no groups of the field are on screen, and for a limit that cannot apply.
 */
export interface LimitFact extends Partial<HiddenGroups> {
  field: string;
  limit: Limit;
  /** Why it cannot apply; missing if it can. */
  problem?: LimitProblem;
}

/** Some rows and columns of the grid. */
interface ViewPart {
  rows: Pick<ViewWindow, 'start_row' | 'end_row'>;
  isRead: (column: DrawnColumn) => boolean;
}

/** Timeout for questions that wait for the replacement of a deleted view. */
const REPLACED_WITHIN_MS = 10_000;

/**
 * The engine's view as the grid shows it: rows and columns that stay open or closed across views, with the
 * typed values behind them.
 */
export class Shown {
  /** The open groups of columns. */
  readonly across = new Expansion();
  /** The settings of the grid. A setting that is missing has its default. */
  settings: GridSettings = {};
  /** Whether the groups that limits show stay the same when rows change. */
  private keepsGroups = false;
  /** The measures that are shown in relation to other sums. */
  shownAs: ShownAs = new Map();
  /** The limits, those that cannot apply too, with the groups that they leave out. */
  leftOut: readonly LimitFact[] = [];
  /** The limit of each level of the rows. */
  private limited: readonly (LimitColumn | null)[] = [];
  private leftOutKey = JSON.stringify([[], []]);
  /** Called after {@link leftOut} or the outermost groups on screen have changed. */
  onLeftOut: () => void = () => undefined;
  /** The rules that mark cells. */
  rules: MarkRules = new Map();
  /** The cells that rules compare, read together with {@link columns}; null until a drawing needs them. */
  private compared: Promise<ComparedCells> | null = null;
  /** The view on screen; null before the first. */
  view: SortedView | null = null;
  /** The reader of that view. */
  reader: ViewReader | null = null;
  /** The shown columns, in order. */
  columns: readonly DrawnColumn[] = [];
  rowCount = 0;
  /** The engine's columns as it prints them, read together with {@link columns}. */
  private printed: readonly string[] = [];
  private kinds: ReadonlyMap<string, ColumnType> = new Map();
  private replaced = new Signal();
  /** Returns the label of a column. */
  readonly labelOf = (column: string): string => this.beside.labelOf(column);
  /** Returns the measure of which a column is a part; null if it is none. */
  readonly wholeOf = (column: string): string | null => this.beside.wholeOf(column);
  /** The latest window that the grid has read, which it draws next. */
  private window: Window = NOTHING;

  constructor(
    private readonly table: EngineTable,
    /** The columns that are computed from others. */
    private readonly ratios: ReadonlyMap<string, Ratio>,
    private readonly beside: BesideViews,
    private readonly gate: Gate,
    /** The open rows. */
    readonly expansion = new Expansion(),
  ) {}

  /** The open levels and the settings of the grid, in the form of a layout. */
  get open(): OpenLayout {
    const { expansion, across, settings } = this;
    return {
      ...(expansion.depth !== null && { depth: expansion.depth }),
      ...(across.depth !== null && { columns_depth: across.depth }),
      ...settings,
    };
  }

  /** The groups that were opened and closed individually. */
  get toggled(): ToggledGroups {
    return { rows: this.expansion.toggled, across: this.across.toggled };
  }

  /**
   * Sets open levels and the settings of the grid from a layout, and restores the individually toggled groups that
   * still fit.
   */
  setOpen(layout: Layout, { rows, across }: ToggledGroups): void {
    this.expansion.setDepth(layout.depth ?? null);
    this.across.setDepth(layout.columns_depth ?? null);
    this.settings = v.parse(GridSettings, layout);
    if (rows) this.expansion.recall(rows);
    if (across) this.across.recall(across);
  }

  /** Whether open rows need a level that the view does not have. */
  get lacksLevels(): boolean {
    const { reader } = this;
    return reader !== null && this.expansion.levelsOf(reader.config.group_by) > reader.levels;
  }

  /** Switches to a new view of the viewer. */
  async adopt(view: View): Promise<void> {
    const before = this.reader;
    const sorted = new SortedView(view, (rows) => this.noteLeftOut(rows));
    if (this.keepsGroups && this.view) sorted.keepGroupsOf(this.view);
    this.view = sorted;
    const { across, beside, table, ratios } = this;
    const reader = await ViewReader.open(table, sorted, await beside.untold(), {
      ratios,
      across: {
        totals: () => this.settings,
        isOpen: (path) => across.isOpen(path),
        orders: () => this.ordersOf('columns'),
      },
      beside,
      shownAs: () => this.shownAs,
    });
    this.reader = reader;
    void before?.dispose().catch(() => undefined);
    across.follow(reader.config.split_by);
    await this.expansion.applyTo(view, reader.config.group_by, async () =>
      reader.rowPaths(0, await view.num_rows()),
    );
    await this.sort();
    await this.readColumns(true);
    this.endWaiting();
  }

  /** Shows measures in relation to other sums, from the next drawing on. */
  showAs(shownAs: ShownAs): void {
    this.compared = null;
    this.shownAs = shownAs;
    this.reader?.regroup();
  }

  /** Marks cells by some rules, from the next drawing on. */
  markBy(rules: MarkRules): void {
    this.rules = rules;
    this.compared = null;
  }

  /** Returns the cells of the deepest level on screen, which rules compare with each other; null without rules. */
  comparedCells(): Promise<ComparedCells> | null {
    const { rules, reader, view, columns, printed } = this;
    if (rules.size === 0 || !reader || !view) return null;
    return (this.compared ??= this.gate.ask(() =>
      readCompared(reader, view, { measures: [...rules.keys()], columns, printed }),
    ));
  }

  /** Returns the order of each level of the rows or columns; see {@link levelOrders}. */
  private ordersOf(side: 'rows' | 'columns'): readonly (NameOrder | null)[] {
    const { reader, beside, settings } = this;
    if (!reader) return [];
    const { config, schema } = reader;
    return levelOrders(side, { config, schema, beside }, settings.orders);
  }

  /** Sorts the rows of the view by their names and by the numbers that the grid computes. */
  async sort(): Promise<void> {
    const { reader, view } = this;
    if (!reader || !view) return;
    const [sort, limited] = await Promise.all([
      computedSort(reader),
      limitColumns(reader, this.settings.limits),
    ]);
    // The viewer may have replaced the view.
    if (this.view !== view) return;
    this.limited = limited;
    const applied = limited.map(appliedOf);
    const columns = [
      ...sort.map(({ column }) => ({ column, limit: null })),
      ...applied.filter((each) => each !== null),
    ];
    const limits = applied.map((each) => each && each.limit);
    if (!limits.some((limit) => limit !== null)) this.noteLeftOut(NO_LIMITS);
    const names = this.ordersOf('rows');
    view.arrange((each) => readKeys(reader, each, columns), { sort, names, limits });
  }

  /** Keeps the groups that limits show while rows change; false chooses them again. */
  keepGroups(keepsGroups: boolean): void {
    const { view } = this;
    this.keepsGroups = keepsGroups;
    if (!view || view.keepsGroups === keepsGroups) return;
    view.keepsGroups = keepsGroups;
    if (!keepsGroups) view.choose();
  }

  private noteLeftOut({ leftOut, kept }: LimitedRows): void {
    const { group_by = [] } = this.reader?.config ?? {};
    const { limits = {} } = this.settings;
    const elsewhere = Object.keys(limits).filter((field) => !group_by.includes(field));
    const facts = [...group_by, ...elsewhere].flatMap((field, level): LimitFact[] => {
      const limit = Object.hasOwn(limits, field) ? limits[field] : undefined;
      if (!limit) return [];
      const column = level < group_by.length ? this.limited[level]?.column : 'not_in_rows';
      const fact = { field, limit };
      return [
        typeof column === 'string'
          ? { ...fact, problem: column }
          : { ...fact, ...leftOut.get(level) },
      ];
    });
    const outermost = [...(kept.get(0) ?? [])].sort();
    const key = JSON.stringify([facts, outermost]);
    if (key === this.leftOutKey) return;
    this.leftOutKey = key;
    this.leftOut = facts;
    this.onLeftOut();
  }

  /**
   * Asks a question about the view on screen. If the viewer is replacing this view, the question waits for
   * the new one.
   *
   * @throws Error if the pivot is not shown as a grid, or if the new view is arranged in another way, so that
   * the same cell would stand for other rows
   */
  async ask<T>(question: (reader: ViewReader, view: SortedView) => Promise<T>): Promise<T> {
    const context = this.reader?.sliceContext;
    for (;;) {
      const { reader, view, replaced } = this;
      if (!reader || !view) throw new Error('it is not shown as a grid.');
      if (reader.sliceContext !== context) throw new Error('it is arranged in another way now.');
      try {
        return await this.gate.ask(() => question(reader, view));
      } catch (error) {
        if (this.reader === reader && !(await isGone(view))) throw error;
        if (!(await replaced.within(REPLACED_WITHIN_MS))) throw error;
      }
    }
  }

  /** Updates after rows came or went in the view. */
  async follow(view: View): Promise<void> {
    this.view?.follow(view);
    this.reader?.invalidate();
    // New names may need the order of the browser's language.
    await this.sort();
    await this.readColumns();
  }

  async dispose(): Promise<void> {
    const { reader } = this;
    this.reader = null;
    this.view = null;
    this.endWaiting();
    await reader?.dispose();
  }

  /**
   * Returns the cell at a position on screen; null if it is not drawn, or if the values of its column are
   * ambiguous.
   */
  identityAt({ x, y }: Pick<CellPosition, 'x' | 'y'>): CellIdentity | null {
    const { reader, paths, ys, columns } = this.window;
    const rowPath = paths[ys.indexOf(y)];
    const { split_by = [], group_by = [] } = reader?.config ?? {};
    if (!rowPath) return null;
    if (x === null) return { rowPath, columnPath: null, measure: null };
    const column = columns[x];
    const isSplit = split_by.length > 0 && group_by.length > 0;
    if (!column || (isSplit && !column.path)) return null;
    return { rowPath, columnPath: isSplit ? column.path : null, measure: column.measure };
  }

  /** Returns the number at a position on screen; null if the cell is empty or not drawn. */
  numberAt({ x, y }: { x: number; y: number }): number | null {
    const value = this.window.values.get(x)?.[this.window.ys.indexOf(y)];
    return typeof value === 'number' ? tidy(value) : null;
  }

  /** Whether the drawn cells mean the same in the current view, which may not be drawn yet. */
  get isDrawn(): boolean {
    return this.window.reader?.sliceContext === this.reader?.sliceContext;
  }

  /** Whether a row is open: rows below it are shown, or a limit hides all of its groups. @param next the row after it */
  isOpenRow(path: readonly CellValue[], next: readonly CellValue[] = []): boolean {
    return next.length > path.length || this.view?.emptied.has(pathKey(path)) === true;
  }

  /** Returns the column at a position on screen. */
  columnAt(x: number | undefined): DrawnColumn | null {
    return (x === undefined ? null : this.window.columns[x]) ?? null;
  }

  /** Checks whether a row is on screen. */
  isDrawnAt(y: number): boolean {
    return this.window.ys.includes(y);
  }

  /** Checks whether rows below a row on screen are shown. */
  isOpenAt(y: number): boolean {
    return this.window.isOpen[this.window.ys.indexOf(y)] ?? false;
  }

  /** Returns the identity of the header of a split column; null if the header stands for no rows. */
  columnHeaderAt(x: number, level: number): CellIdentity | null {
    const { group_by = [] } = this.window.reader?.config ?? {};
    const path = this.window.columns[x]?.path;
    if (!path || level >= path.length || group_by.length === 0) return null;
    return { rowPath: [], columnPath: path.slice(0, level + 1), measure: null };
  }

  /** Returns the label style of a column's values. */
  styleOf(column: string | undefined) {
    if (column === undefined || !this.reader) return undefined;
    return labelStyle(this.reader.schema[column], this.reader.config.expressions[column]);
  }

  /** Checks whether a cell's row is on screen or can be scrolled to: no row above it is closed. */
  async isOpen(identity: CellIdentity): Promise<boolean> {
    return this.ask(
      async (reader) =>
        reader.config.group_by.length === 0 || (await reader.find(identity)) !== null,
    );
  }

  /**
   * Returns the current position of a cell, or of the innermost closed group of rows and columns that
   * contains it.
   */
  async findVisible(
    identity: CellIdentity,
    near: CellPosition | null,
  ): Promise<CellPosition | null> {
    return this.ask(async (reader) => {
      if (reader.config.group_by.length === 0) return near;
      const across = identity.columnPath;
      const columnPaths = across ? [...prefixes(across)] : [null];
      for (const columnPath of columnPaths) {
        for (const rowPath of prefixes(identity.rowPath)) {
          const found = await reader.find({ ...identity, rowPath, columnPath }, near);
          if (found) return found;
        }
      }
      return null;
    });
  }

  /** Resumes the questions that wait for another view. */
  private endWaiting(): void {
    this.replaced.give();
    this.replaced = new Signal();
  }

  /** Returns the values of the groups behind a row "Others" that was read last; null for any other row. */
  readonly membersOf = (path: readonly CellValue[]): readonly CellValue[] | null =>
    endsInOthers(path) ? (this.view?.knownMembersOf(path) ?? null) : null;

  /**
   * Returns the groups that limits show, in closed parents too, down to the innermost of some columns whose limit
   * applies; null if none of them has such a limit.
   *
   * @param whole columns whose limits do not count
   */
  async shownGroups(
    drawn: readonly string[],
    whole: readonly string[],
  ): Promise<ShownGroups | null> {
    const { limits: all = {} } = this.settings;
    if (!this.reader || !this.view || !drawn.some((name) => Object.hasOwn(all, name))) return null;
    return this.ask(async (reader, current) => {
      const { group_by } = reader.config;
      const applied = (await limitColumns(reader, all)).map((each, i) =>
        whole.includes(group_by[i] ?? '') ? null : appliedOf(each),
      );
      const innermost = group_by.findLastIndex((name, i) => applied[i] && drawn.includes(name));
      if (innermost < 0) return null;
      const columns = group_by.slice(0, innermost + 1);
      const numbers = applied.slice(0, columns.length).filter((each) => each != null);
      const limits = columns.map((_, i) => applied[i]?.limit ?? null);
      const config = { ...reader.config, group_by: columns };
      const kept = await withView(this.table, config, (view) => {
        const open = new SortedView(view);
        if (this.keepsGroups) open.keepGroupsOf(current);
        const read = (each: View) => readKeys(reader, each, numbers);
        open.arrange(read, { sort: [], names: [], limits });
        return open.kept();
      });
      const levels = limits.map((limit, i) => {
        const keys = kept.get(i);
        return limit && keys ? { kept: keys, hasOthers: isRanked(limit) } : null;
      });
      return { columns, levels };
    });
  }

  /** Opens or closes a group of columns. */
  toggleColumns(path: readonly CellValue[]): void {
    if (this.across.isOpen(path)) this.across.close(path);
    else this.across.open(path);
  }

  /** Updates the shown columns after groups of them were opened or closed. */
  async regroup(): Promise<void> {
    this.reader?.regroup();
    await this.readColumns();
  }

  /**
   * Reads the window that the grid draws next. In a grouped view, the total row comes first, however far the
   * rows below it are scrolled. The first `pinned` columns are read, too.
   *
   * @returns the rows and columns of the window with their values
   */
  readWindow(x0: number, y0: number, x1: number, y1: number, pinned = 0): Promise<Window> {
    return this.gate.ask(() => this.readNow(x0, y0, x1, y1, pinned));
  }

  private async readNow(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    pinned: number,
  ): Promise<Window> {
    const { reader, view, columns, kinds, printed } = this;
    if (!reader || !view) return NOTHING;
    const isGrouped = reader.config.group_by.length > 0;
    const isScrolled = isGrouped && y0 > 0;
    const all = [...columns.entries()];
    const wanted = [...all.slice(0, pinned), ...all.slice(x0, x1)];
    const columnsWanted = wanted.map(([, column]) => column);
    // One extra row shows whether the last row is open.
    const below = { start_row: isScrolled ? y0 + 1 : y0, end_row: y1 + 1 };
    const [top, rows] = await Promise.all([
      isScrolled
        ? reader.values.shown(view, columnsWanted, { start_row: 0, end_row: 1 }, printed)
        : null,
      reader.values.shown(view, columnsWanted, below, printed),
    ]);
    const paths = [...(top?.paths ?? []), ...rows.paths];
    const count = Math.min(y1 - y0, paths.length);
    const isOpen = paths.map((path, i) => this.isOpenRow(path, paths[i + 1]));
    if (top) isOpen[0] = this.rowCount > 1;
    const values = new Map<number, CellValue[]>();
    for (const [i, ofRows] of rows.values.entries()) {
      const [x = 0] = wanted[i] ?? [];
      values.set(x, [...(top?.values[i]?.slice(0, 1) ?? []), ...ofRows].slice(0, count));
    }
    const ys = Array.from({ length: count }, (_, i) => (isGrouped && i === 0 ? 0 : y0 + i));
    const { window } = this;
    // The table may read the columns of one drawing in several calls.
    const goesOn =
      window.reader === reader &&
      window.columns === columns &&
      JSON.stringify(window.ys) === JSON.stringify(ys);
    this.window = {
      ys,
      paths: paths.slice(0, count),
      isOpen: isOpen.slice(0, count),
      columns,
      kinds,
      values: goesOn ? new Map([...window.values, ...values]) : values,
      reader,
    };
    return this.window;
  }

  /** Clears the drawn window: its cells have no identity any more. */
  forgetWindow(): void {
    this.window = NOTHING;
  }

  /**
   * Reads everything that the grid shows, for copying and export: all open rows, also those out of view.
   *
   * @param part the rows and columns to read; all if absent
   */
  async readAll({ rows = {}, isRead = () => true }: Partial<ViewPart> = {}): Promise<Whole> {
    return this.ask(async (reader, view) => {
      const [all, printed, kinds] = await Promise.all([
        reader.columns(),
        reader.printedPaths(),
        this.kindsOf(view),
      ]);
      const columns = all.filter(isRead);
      const { paths, values } = await reader.values.shown(view, columns, rows, printed);
      const { group_by, split_by } = reader.config;
      const count = group_by.length > 0 ? paths.length : (values[0]?.length ?? 0);
      return {
        ...{ group_by, split_by, totals: this.settings },
        ...{ paths, columns, values, kinds, count, emptied: view.emptied },
        styles: new Map([...group_by, ...split_by].map((name) => [name, this.styleOf(name)])),
        labelOf: this.labelOf,
      };
    });
  }

  /**
   * Reads a part of a view: the rows from `start_row` up to `end_row`, and a list of sums for each of some
   * columns.
   */
  async readPart(
    reader: ViewReader,
    view: View,
    columns: readonly DrawnColumn[],
    rows: Required<Pick<ViewWindow, 'start_row' | 'end_row'>>,
  ): Promise<{ paths: CellValue[][]; values: CellValue[][] }> {
    return reader.values.rows(view, columns, rows, await reader.printedPaths());
  }

  /** @param isNew whether the view was replaced; rows that come and go do not change types */
  private async readColumns(isNew = false): Promise<void> {
    this.compared = null;
    const { reader, view } = this;
    if (!reader || !view) return;
    const [columns, printed, kinds, rowCount] = await Promise.all([
      reader.columns(),
      reader.printedPaths(),
      isNew ? this.kindsOf(view) : null,
      view.num_rows(),
    ]);
    this.columns = columns;
    this.printed = printed;
    if (kinds) this.kinds = kinds;
    this.rowCount = rowCount;
  }

  /** Returns the types of the columns and expressions of a view. */
  private async kindsOf(view: View): Promise<Map<string, ColumnType>> {
    const [schema, expressions] = await Promise.all([view.schema(), view.expression_schema()]);
    const kinds = new Map([...Object.entries(expressions), ...Object.entries(schema)]);
    for (const name of this.ratios.keys()) kinds.set(name, 'float');
    return kinds;
  }
}

/** Returns a limit with the column of its numbers; null if it cannot apply. */
const appliedOf = (each: LimitColumn | null): { limit: Limit; column: DrawnColumn } | null =>
  each && typeof each.column !== 'string' ? { limit: each.limit, column: each.column } : null;

/** Yields a path and its parents, the innermost first. */
function* prefixes(path: readonly CellValue[]): Generator<readonly CellValue[]> {
  for (let depth = path.length; depth >= 0; depth--) yield path.slice(0, depth);
}

/** Checks whether the viewer has deleted a view: all calls then fail. */
export const isGone = (view: View): Promise<boolean> =>
  view.num_rows().then(
    () => false,
    () => true,
  );
