import type { CellValue, ColumnType, Schema } from './cell-value';
import { printed, tidy, valueKey } from './cell-value';
import { parseColumns } from './columns-json';
import type { LayoutFilter, LayoutSort } from './layout-config';
import type { CellSlice, PivotCell, SliceColumn, Underlying } from './slice';
import { expressionValues, sliceFromCell } from './slice';

/** The part of the engine's view that reading a cell needs. */
export interface EngineView {
  get_config(): Promise<ViewConfig>;
  expression_schema(): Promise<unknown>;
  column_paths(window?: Window): Promise<unknown>;
  to_columns_string(window?: Window): Promise<string>;
  delete(): Promise<void>;
}

/** The part of the engine's table that reading a cell needs. */
export interface EngineTable {
  schema(): Promise<unknown>;
  get_index(): Promise<string | undefined>;
  view(config?: Partial<ViewConfig>): Promise<EngineView>;
}

interface Window {
  start_row?: number;
  end_row?: number;
  start_col?: number;
  end_col?: number;
  id?: boolean;
}

interface ViewConfig {
  group_by: string[];
  split_by: string[];
  columns: (string | null)[];
  filter: LayoutFilter[];
  filter_op?: 'and' | 'or';
  sort: LayoutSort[];
  expressions: Record<string, string>;
  aggregates: Record<string, string | [string, string[]]>;
}

/**
 * Where a cell is: `x` counts the view's columns, null for a row header; `y` counts its rows. With
 * `depth`, a column header that stands for the first so many split columns only.
 */
export interface CellPosition {
  x: number | null;
  y: number;
  depth?: number;
}

/** A cell as it was read: what it is, what it shows, and the slice behind it. */
export interface ReadCell extends CellSlice {
  rowPath: CellValue[];
  columnPaths: CellValue[][] | null;
  /** The measure of the cell's column; null for a row header. */
  measure: string | null;
  /** The number shown; null for a row header and an empty cell. */
  value: number | null;
  /** How the measure is summed up; `sum` unless the user chose otherwise. */
  aggregate: string;
}

const ROW_PATH = '__ROW_PATH__';

/**
 * Reads typed cells out of one view of one table. The engine's own column paths are printed text
 * (a value may hold `|`, null prints like the text "null"), so a second view grouped by the split
 * columns says which typed values stand behind each column; another for each expression says which
 * values it stands for. They live as long as the reader, and follow the table's updates.
 */
export class ViewReader {
  private splitView: Promise<EngineView> | null = null;
  private columnTuples: Promise<CellValue[][][]> | null = null;
  private printed: Promise<string[]> | null = null;
  private underlyingViews = new Map<string, Promise<EngineView>>();
  private underlying = new Map<string, Promise<Map<string, Underlying>>>();
  /** What is being read of the views of its own: one that is read cannot be deleted. */
  private readonly reading = new Set<Promise<unknown>>();

  private constructor(
    private readonly table: EngineTable,
    private readonly view: EngineView,
    readonly config: Readonly<ViewConfig>,
    readonly schema: Schema,
  ) {}

  /**
   * @param sort the sort the view was made with: its own configuration comes back without the
   * sorting of columns
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
    // Configurations come back with nulls added to the lists of `in`; null never matches there.
    const filter = config.filter.map(([column, operator, term]): LayoutFilter => [
      column,
      operator,
      Array.isArray(term) ? term.filter((v) => v !== null) : term,
    ]);
    const schema = { ...(tableSchema as Schema), ...(expressionSchema as Schema) };
    return new ViewReader(table, view, { ...config, filter, sort: [...sort] }, schema);
  }

  /** The columns that the view shows, in their order; an empty place among them shows none. */
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
    const read = await this.read({ start_row: start, end_row: end, start_col: 0, end_col: 1 });
    return (read[ROW_PATH] as CellValue[][] | undefined) ?? [];
  }

  /**
   * One cell with the slice behind it.
   *
   * @throws Error where the view has no such cell any more
   */
  async cell({ x, y, depth }: CellPosition, columns: readonly SliceColumn[]): Promise<ReadCell> {
    const { config } = this;
    const grouped = config.group_by.length > 0;
    const paths = x === null || config.split_by.length === 0 ? null : await this.columnPaths();
    const alternatives = paths && x !== null ? (paths[x] ?? []) : [];
    if (paths && alternatives.length === 0)
      throw new Error('The column behind this cell could not be read.');
    const isHeader = depth !== undefined && depth < config.split_by.length;
    const columnPaths = paths && alternatives.map((path) => path.slice(0, depth));
    const { shown } = this;
    const [row, value] = await Promise.all([
      grouped ? this.rowPath(y) : this.flatRow(y, columns),
      x === null || isHeader ? null : this.valueAt(x, y),
    ]);

    const base = {
      groupBy: grouped ? config.group_by : (row as FlatRow).columns,
      splitBy: grouped ? config.split_by.slice(0, depth) : [],
      rowPath: grouped ? (row as CellValue[]) : (row as FlatRow).values,
      columnPaths: grouped ? columnPaths : null,
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

  /** The number in a cell; null where the cell is empty or no number. */
  async valueAt(x: number, y: number): Promise<number | null> {
    const values = await this.columnValues(x, { start_row: y, end_row: y + 1 });
    const value = values[0];
    return typeof value === 'number' ? tidy(value) : null;
  }

  /**
   * The values of one column of the view. Read by name where it has one of its own: with a sort by a
   * column that is not shown, the engine's column windows start elsewhere and bring more.
   */
  async columnValues(x: number, rows: { start_row?: number; end_row?: number }) {
    const paths = await this.printedPaths();
    const path = paths[x] ?? '';
    const alone = paths.indexOf(path) === paths.lastIndexOf(path);
    const window = alone ? { ...rows, start_col: x, end_col: x + 1 } : rows;
    const read = parseColumns(await this.view.to_columns_string(window)).filter(
      ([name]) => name !== ROW_PATH && name !== '__ID__',
    );
    const column = alone ? read.find(([name]) => name === path) : read[x];
    return (column?.[1] ?? []) as CellValue[];
  }

  /** The view's columns as the engine prints them. */
  printedPaths(): Promise<string[]> {
    this.printed ??= this.view
      .column_paths()
      .then((paths) =>
        (paths as string[]).filter((path) => path !== ROW_PATH && path !== '__ID__'),
      );
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
    const tuples = ((rows[ROW_PATH] as CellValue[][] | undefined) ?? []).filter(
      (path) => path.length === split_by.length,
    );
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
    for (const path of (rows[ROW_PATH] as CellValue[][] | undefined) ?? []) {
      if (path.length !== columns.length + 1) continue;
      const [value, ...tuple] = path as [CellValue, ...CellValue[]];
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

  /** A row of an ungrouped view is named by its dimensions and dates, read by its key. */
  private async flatRow(y: number, columns: readonly SliceColumn[]): Promise<FlatRow> {
    const names = columns
      .filter((c) => (c.role === 'dimension' || c.role === 'date') && c.cname in this.schema)
      .map((c) => c.cname);
    const [read, index] = await Promise.all([
      this.read({ start_row: y, end_row: y + 1, id: true }),
      this.table.get_index(),
    ]);
    const key = (read.__ID__ as CellValue[][] | undefined)?.[0]?.[0];
    if (key === undefined || key === null || !index) {
      throw new Error('The row behind this cell could not be read.');
    }
    const view = await this.table.view({ columns: names, filter: [[index, '==', key]] });
    try {
      const row = await readColumns(view);
      return {
        columns: [...names, index],
        values: [...names.map((name) => (row[name] as CellValue[])[0] ?? null), key],
      };
    } finally {
      await view.delete();
    }
  }

  private selection() {
    const { filter, filter_op, expressions } = this.config;
    return { filter, ...(filter_op && { filter_op }), expressions };
  }

  private async readWhole(view: EngineView): Promise<Record<string, unknown>> {
    const read = readColumns(view);
    this.reading.add(read);
    try {
      return await read;
    } finally {
      this.reading.delete(read);
    }
  }

  private async read(window: Window): Promise<Record<string, unknown>> {
    return readColumns(this.view, window);
  }
}

interface FlatRow {
  columns: string[];
  values: CellValue[];
}

async function readColumns(view: EngineView, window?: Window): Promise<Record<string, unknown>> {
  return JSON.parse(await view.to_columns_string(window)) as Record<string, unknown>;
}

/**
 * Which typed split values stand behind each printed column path. Paths that print alike (null and
 * the text "null"; `|` inside values) come in the same order in both views, so they pair up one to
 * one; where their numbers differ, a path gets every candidate.
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
    if (alike.length > 0 && alike.length === total.get(path)) return [alike[turn] as CellValue[]];
    if (alike.length > 0) return alike;
    // A number may print in fewer digits than it has: the order still tells.
    return inStep ? [tuples[Math.floor(x / columns.length)] as CellValue[]] : [];
  });
}

/** The table's columns that an expression reads: names in double quotes, outside its text literals. */
export function columnsRead(expression: string, schema: Schema): string[] {
  const tokens = expression.matchAll(/'(?:[^'\\]|\\.)*'|"((?:[^"\\]|\\.)*)"/g);
  const names = [...tokens].flatMap(([, name]) =>
    name === undefined ? [] : [name.replace(/\\(.)/g, '$1')],
  );
  return [...new Set(names)].filter((name) => name in schema);
}
