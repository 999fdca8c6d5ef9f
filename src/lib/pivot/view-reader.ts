import type { LayoutFilter, LayoutSort } from '../contract/layout';
import type { CellPosition, ReadCell } from './cell';
import { printed, tidy, valueKey } from './cell-value';
import type { ReadRows } from './columns-json';
import { parseColumns, parseRows, ROW_KEY, ROW_PATH } from './columns-json';
import type {
  CellValue,
  ColumnType,
  EngineTable,
  EngineView,
  Schema,
  ViewConfig,
  ViewWindow,
} from './engine-types';
import type { PivotCell, SliceColumn, Underlying } from './slice';
import { expressionValues, sliceFromCell } from './slice';

/**
 * Reads typed cells of one view of one table. The engine prints column paths as text: a value may
 * hold `|`, and null prints like the text "null". So a second view, grouped by the split columns,
 * tells the typed values behind each column, and one more view per expression tells which values of
 * its columns it stands for. These views follow the table's updates and live as long as the reader.
 */
export class ViewReader {
  private splitView: Promise<EngineView> | null = null;
  private columnTuples: Promise<CellValue[][][]> | null = null;
  private printed: Promise<string[]> | null = null;
  private underlyingViews = new Map<string, Promise<EngineView>>();
  private underlying = new Map<string, Promise<Map<string, Underlying>>>();
  /** Reads of the reader's own views that are under way: a view cannot be deleted while it is read. */
  private readonly reading = new Set<Promise<unknown>>();

  private constructor(
    private readonly table: EngineTable,
    private readonly view: EngineView,
    readonly config: Readonly<ViewConfig>,
    readonly schema: Schema,
  ) {}

  /**
   * @param sort the sort that the view was made with: the configuration that the view answers lacks
   * the sorting of columns
   */
  static async open(
    table: EngineTable,
    view: EngineView,
    sort: readonly LayoutSort[],
  ): Promise<ViewReader> {
    const [config, tableSchema, expressionSchema] = await Promise.all([
      view.get_config(),
      table.schema(),
      view.expression_schema(),
    ]);
    // The engine adds nulls to the lists of `in` in the configuration it answers; they match nothing.
    const filter = config.filter.map(([column, operator, term]): LayoutFilter => [
      column,
      operator,
      Array.isArray(term) ? term.filter((v) => v !== null) : term,
    ]);
    const schema = { ...tableSchema, ...expressionSchema };
    return new ViewReader(table, view, { ...config, filter, sort: [...sort] }, schema);
  }

  /** The columns that the view shows, in their order; an empty place shows none. */
  get shown(): string[] {
    return this.config.columns.filter((name): name is string => name !== null);
  }

  /** Forgets what was read: rows came or went. */
  invalidate(): void {
    this.columnTuples = null;
    this.printed = null;
    this.underlying.clear();
  }

  async dispose(): Promise<void> {
    const opened = [...this.underlyingViews.values(), ...(this.splitView ? [this.splitView] : [])];
    this.underlyingViews.clear();
    this.splitView = null;
    for (const opening of opened) {
      const view = await opening.catch(() => null);
      await Promise.allSettled(this.reading);
      await view?.delete();
    }
  }

  /** The typed split values behind every column of the view, in its order. */
  columnPaths(): Promise<CellValue[][][]> {
    this.columnTuples ??= this.readColumnPaths();
    return this.columnTuples;
  }

  async rowPath(y: number): Promise<CellValue[]> {
    const paths = await this.rowPaths(y, y + 1);
    return paths[0] ?? [];
  }

  /** Row paths from `start` up to `end`, without their values. */
  async rowPaths(start: number, end: number): Promise<CellValue[][]> {
    const window = { start_row: start, end_row: end, start_col: 0, end_col: 1 };
    return (await readRows(this.view, window)).paths ?? [];
  }

  /**
   * One cell with the slice behind it.
   *
   * @throws Error if the view has no such cell any more
   */
  async cell({ x, y, depth }: CellPosition, columns: readonly SliceColumn[]): Promise<ReadCell> {
    const { config } = this;
    const isGrouped = config.group_by.length > 0;
    const paths = x === null || config.split_by.length === 0 ? null : await this.columnPaths();
    const alternatives = paths && x !== null ? (paths[x] ?? []) : [];
    if (paths && alternatives.length === 0)
      throw new Error('The column behind this cell could not be read.');
    const isHeader = depth !== undefined && depth < config.split_by.length;
    const columnPaths = paths && alternatives.map((path) => path.slice(0, depth));
    const { shown } = this;
    const [row, value] = await Promise.all([
      isGrouped ? this.groupedRow(y) : this.flatRow(y, columns),
      x === null || isHeader ? null : this.valueAt(x, y),
    ]);

    const base = {
      groupBy: row.columns,
      splitBy: isGrouped ? config.split_by.slice(0, depth) : [],
      rowPath: row.values,
      columnPaths: isGrouped ? columnPaths : null,
      filter: config.filter,
      filterOp: config.filter_op ?? 'and',
      schema: this.schema,
    };
    const cell: PivotCell = { ...base, underlying: await this.underlyingOf(base) };
    const measure = x === null || isHeader ? null : (shown[x % shown.length] ?? null);
    const aggregate = measure === null ? 'sum' : (config.aggregates[measure] ?? 'sum');
    return {
      ...sliceFromCell(cell, columns),
      rowPath: [...base.rowPath],
      columnPaths: base.columnPaths,
      measure,
      value,
      aggregate: String(aggregate),
    };
  }

  /** The number in a cell; null if the cell is empty or no number. */
  async valueAt(x: number, y: number): Promise<number | null> {
    const values = await this.columnValues(x, { start_row: y, end_row: y + 1 });
    const value = values[0];
    return typeof value === 'number' ? tidy(value) : null;
  }

  /**
   * The values of one column of the view. A column whose name is unique is found by name, because
   * with a sort by a hidden column the engine's column windows are shifted and return more columns.
   */
  async columnValues(
    x: number,
    rows: Pick<ViewWindow, 'start_row' | 'end_row'>,
  ): Promise<CellValue[]> {
    const paths = await this.printedPaths();
    const path = paths[x] ?? '';
    const alone = paths.indexOf(path) === paths.lastIndexOf(path);
    const window = alone ? { ...rows, start_col: x, end_col: x + 1 } : rows;
    const read = parseColumns(await this.view.to_columns_string(window)).filter(
      ([name]) => name !== ROW_PATH && name !== ROW_KEY,
    );
    const column = alone ? read.find(([name]) => name === path) : read[x];
    return (column?.[1] ?? []).filter((value): value is CellValue => !Array.isArray(value));
  }

  /** The view's columns as the engine prints them. */
  printedPaths(): Promise<string[]> {
    this.printed ??= this.view
      .column_paths()
      .then((paths) => paths.filter((path) => path !== ROW_PATH && path !== ROW_KEY));
    return this.printed;
  }

  /** What every value of an expression stands for, under the view's filters. */
  async underlyingValues(expression: string): Promise<Map<string, Underlying>> {
    let known = this.underlying.get(expression);
    if (!known) {
      known = this.readUnderlying(expression);
      this.underlying.set(expression, known);
    }
    return known;
  }

  isExpression = (column: string) => column in (this.config.expressions ?? {});

  private async readColumnPaths(): Promise<CellValue[][][]> {
    const { split_by, sort, aggregates } = this.config;
    const columnSort = sort.flatMap(([column, direction]): LayoutSort[] =>
      direction.startsWith('col ') ? [[column, direction.slice('col '.length)]] : [],
    );
    this.splitView ??= this.table.view({
      group_by: split_by,
      columns: [...new Set(columnSort.map(([column]) => column))],
      ...this.selection(),
      aggregates,
      sort: columnSort,
    });
    const companion = await this.splitView;
    const [printedPaths, rows] = await Promise.all([
      this.printedPaths(),
      this.readWhole(companion),
    ]);
    const tuples = (rows.paths ?? []).filter((path) => path.length === split_by.length);
    const types = split_by.map((column) => this.schema[column]);
    return matchColumns(printedPaths, tuples, types, this.shown);
  }

  private async readUnderlying(expression: string): Promise<Map<string, Underlying>> {
    const text = this.config.expressions[expression] ?? '';
    const columns = columnsRead(text, this.schema);
    if (columns.length === 0) return new Map();
    let opening = this.underlyingViews.get(expression);
    if (!opening) {
      opening = this.table.view({
        group_by: [expression, ...columns],
        columns: [],
        ...this.selection(),
      });
      this.underlyingViews.set(expression, opening);
    }
    const rows = await this.readWhole(await opening);
    const found = new Map<string, Underlying>();
    for (const path of rows.paths ?? []) {
      if (path.length !== columns.length + 1) continue;
      const [value = null, ...tuple] = path;
      const key = valueKey(value);
      const entry = found.get(key) ?? { columns, tuples: [] };
      entry.tuples?.push(tuple);
      found.set(key, entry);
    }
    return found;
  }

  private async underlyingOf(
    cell: Omit<PivotCell, 'underlying'>,
  ): Promise<Map<string, Map<string, Underlying>>> {
    const wanted = new Set(expressionValues(cell, this.isExpression).map(({ column }) => column));
    const entries = await Promise.all(
      [...wanted].map(async (name) => [name, await this.underlyingValues(name)] as const),
    );
    return new Map(entries);
  }

  private async groupedRow(y: number): Promise<RowNames> {
    return { columns: this.config.group_by, values: await this.rowPath(y) };
  }

  /** A row of an ungrouped view: its dimensions, dates and key, read by the key. */
  private async flatRow(y: number, columns: readonly SliceColumn[]): Promise<RowNames> {
    const names = columns
      .filter((c) => (c.role === 'dimension' || c.role === 'date') && c.cname in this.schema)
      .map((c) => c.cname);
    const [read, index] = await Promise.all([
      readRows(this.view, { start_row: y, end_row: y + 1, id: true }),
      this.table.get_index(),
    ]);
    const key = read.keys?.[0]?.[0];
    if (key === undefined || key === null || !index) {
      throw new Error('The row behind this cell could not be read.');
    }
    const view = await this.table.view({ columns: names, filter: [[index, '==', key]] });
    try {
      const row = await readRows(view);
      return {
        columns: [...names, index],
        values: [...names.map((name) => row.columns.get(name)?.[0] ?? null), key],
      };
    } finally {
      await view.delete();
    }
  }

  private selection() {
    const { filter, filter_op, expressions } = this.config;
    return { filter, ...(filter_op && { filter_op }), expressions };
  }

  private async readWhole(view: EngineView): Promise<ReadRows> {
    const read = readRows(view);
    this.reading.add(read);
    try {
      return await read;
    } finally {
      this.reading.delete(read);
    }
  }
}

/** The values that identify a row, and their columns. */
interface RowNames {
  columns: readonly string[];
  values: readonly CellValue[];
}

async function readRows(view: EngineView, window?: ViewWindow): Promise<ReadRows> {
  return parseRows(await view.to_columns_string(window));
}

/**
 * The typed split values behind each printed column path. Paths that print alike (null and the text
 * "null"; `|` inside values) have the same order in both views, so they pair up one to one. If there
 * are more or fewer of them in one of the views, each path gets every candidate.
 */
export function matchColumns(
  paths: readonly string[],
  tuples: readonly CellValue[][],
  types: readonly (ColumnType | undefined)[],
  columns: readonly string[],
): CellValue[][][] {
  const candidates = new Map<string, CellValue[][]>();
  for (const tuple of tuples) {
    const text = tuple.map((value, i) => printed(value, types[i])).join('|');
    for (const column of columns) {
      const path = `${text}|${column}`;
      candidates.set(path, [...(candidates.get(path) ?? []), tuple]);
    }
  }
  const total = new Map<string, number>();
  for (const path of paths) total.set(path, (total.get(path) ?? 0) + 1);

  const seen = new Map<string, number>();
  const inStep = paths.length === tuples.length * columns.length;
  return paths.map((path, x) => {
    const alike = candidates.get(path) ?? [];
    const turn = seen.get(path) ?? 0;
    seen.set(path, turn + 1);
    if (alike.length > 0 && alike.length === total.get(path)) return alike.slice(turn, turn + 1);
    if (alike.length > 0) return alike;
    // A number may print with fewer digits than it has. Then the order tells which one it is.
    const place = Math.floor(x / columns.length);
    return inStep ? tuples.slice(place, place + 1) : [];
  });
}

/** The table's columns that an expression reads: names in double quotes, outside text literals. */
export function columnsRead(expression: string, schema: Schema): string[] {
  const tokens = expression.matchAll(/'(?:[^'\\]|\\.)*'|"((?:[^"\\]|\\.)*)"/g);
  const names = [...tokens].flatMap(([, name]) =>
    name === undefined ? [] : [name.replace(/\\(.)/g, '$1')],
  );
  return [...new Set(names)].filter((name) => name in schema);
}
