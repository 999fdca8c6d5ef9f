import { isLeaf } from '../../contract/columns';
import type { Layout, LayoutFilter, LayoutSort } from '../../contract/stored-layout';
import { Answers } from '../waiting';
import { type CellIdentity, type CellPosition, pathKey, type ReadCell } from '../slice/cell';
import { byName, printed, tidy, valueKey } from '../values/cell-value';
import { parseColumns, parseRows, type ReadRows, ROW_KEY, ROW_PATH } from '../values/columns-json';
import {
  type CellValue,
  type ColumnType,
  type EngineTable,
  type EngineView,
  type Schema,
  type ViewConfig,
  type ViewWindow,
  withView,
} from '../values/engine-types';
import { drawnColumns, sums, type ColumnTotals, type DrawnColumn } from './columns';
import { namesUsed, sliceContextOf } from '../layout/layout';
import { isAdditive, paintingOf, type Ratio } from '../values/ratios';
import { readPrinted } from './column-paths';
import { expressionsOf, type PivotCell, type SliceColumn, sliceFromCell } from '../slice/slice';
import { readBucket, startOf, type TimeUnit } from '../values/time-unit';
import { neededColumns, type Underlying } from '../slice/underlying';

/** So often the columns are read again if rows come or go while they are read. */
const ATTEMPTS = 3;
/** Under this name, what is asked of the view as a whole. */
const WHOLE = 'whole';

/** Which groups of columns are open, and which totals are shown. */
export interface Across {
  totals(): ColumnTotals;
  isOpen: (path: readonly CellValue[]) => boolean;
}

/**
 * What a view is made with, but does not tell: how its columns are sorted, what is no sum, and the levels of
 * rows that it does not have yet.
 */
export type Untold = Pick<Layout, 'sort' | 'aggregates' | 'group_by'>;

/** What is known of a table beside the engine. */
export interface BesideTable {
  /** The expression that a column of dates stands for; undefined for one that stands for itself. */
  textOf(column: string): string | undefined;
  /** The days of a column in all rows; null if the engine has to be asked. */
  daysOf(date: string): readonly CellValue[] | null;
  /** The values of a row by its key; undefined if there is none, null if the engine has to be asked. */
  valuesOf(key: CellValue, names: readonly string[]): readonly CellValue[] | undefined | null;
}

/** What is known beside the views of a table. */
export interface BesideViews extends BesideTable {
  untold(): Promise<Untold>;
}

/** Whoever knows nothing beside the engine. */
export const NOTHING: BesideTable = {
  textOf: () => undefined,
  daysOf: () => null,
  valuesOf: () => null,
};

const ALL_OPEN: Across = { totals: () => ({}), isOpen: () => true };

/**
 * Reads typed cells out of one view of one table. The engine's own column paths are printed text
 * (a value may hold `|`, null prints like the text "null", numbers have six digits). Where it leaves a
 * doubt, a second view grouped by the split columns says which typed values stand behind each column, by
 * its place; another per expression says which source values it stands for, unless the days of a month are
 * known beside the engine. These views live as long as the reader, and follow the table's updates.
 */
export class ViewReader {
  private readonly splitView = new Answers<EngineView>();
  private readonly columnTuples = new Answers<(CellValue[] | null)[]>();
  private readonly drawn = new Answers<readonly DrawnColumn[]>();
  private readonly printed = new Answers<string[]>();
  private readonly underlyingViews = new Answers<EngineView>();
  private readonly underlying = new Answers<Underlying>();
  /** What is being read of the views of its own: one that is read cannot be deleted. */
  private readonly reading = new Set<Promise<unknown>>();

  private constructor(
    private readonly table: EngineTable,
    private readonly view: EngineView,
    readonly config: Readonly<ViewConfig>,
    readonly schema: Schema,
    private readonly ratios: ReadonlyMap<string, Ratio>,
    private readonly across: Across,
    private readonly beside: BesideTable,
    /** How many levels of rows the view has: `config` names those, too, that join it when they are opened. */
    readonly levels: number,
  ) {}

  /**
   * @param untold what the view was made with, but does not answer in its configuration
   * @param ratios the columns that are painted from others
   * @param across which of the columns are shown, asked anew after {@link regroup}
   * @param beside what is known of the table beside the engine
   */
  static async open(
    table: EngineTable,
    view: EngineView,
    { sort = [], aggregates = {}, group_by = [] }: Untold,
    ratios: ReadonlyMap<string, Ratio> = new Map(),
    across: Across = ALL_OPEN,
    beside: BesideTable = NOTHING,
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
    // The viewer may be told of other rows already: a view without any is no part of them.
    const isPart = config.group_by.length > 0 && config.group_by.every((x, i) => x === group_by[i]);
    const arranged = { ...config, filter, sort, group_by: isPart ? group_by : config.group_by };
    const asColumns = [...namesUsed(arranged)].flatMap((name): [string, string][] => {
      const text = name === null ? undefined : beside.textOf(name);
      return name === null || text === undefined ? [] : [[name, text]];
    });
    // Only dates that are grouped by a unit of time are columns, and what they begin with is a date.
    const types = asColumns.map(([name]) => [name, 'date' as const]);
    return new ViewReader(
      table,
      view,
      {
        ...arranged,
        expressions: byName({ ...config.expressions, ...Object.fromEntries(asColumns) }),
        aggregates: byName(aggregates),
      },
      byName({ ...Object.fromEntries(types), ...tableSchema, ...expressionSchema }),
      ratios,
      across,
      beside,
      config.group_by.length,
    );
  }

  /** The columns that the view shows, in their order; an empty place shows none. */
  get shown(): string[] {
    return this.config.columns.filter((name): name is string => name !== null);
  }

  /** What a place in the view means; two views with equal ones show the same cells. */
  get sliceContext(): string {
    return sliceContextOf(this.config);
  }

  /** Forgets what was read: rows came or went. */
  invalidate(): void {
    this.columnTuples.forget();
    this.drawn.forget();
    this.printed.forget();
    this.underlying.forget();
  }

  /** Forgets which columns are shown: groups of them were opened or closed. */
  regroup(): void {
    this.drawn.forget();
  }

  async dispose(): Promise<void> {
    const opened = [...this.underlyingViews.forget(), ...this.splitView.forget()];
    for (const opening of opened) {
      const view = await opening.catch(() => null);
      await Promise.allSettled(this.reading);
      await view?.delete();
    }
  }

  /** The columns that are shown, in their order: a cell's `x` is a place among them. */
  columns(): Promise<readonly DrawnColumn[]> {
    return this.drawn.get(WHOLE, async () => {
      const { split_by, group_by } = this.config;
      const levels = split_by.length;
      const paths =
        levels > 0 ? await this.columnPaths() : (await this.printedPaths()).map(() => null);
      const across = group_by.length > 0 ? this.across : ALL_OPEN;
      return drawnColumns(paths, {
        measures: this.shown,
        levels,
        totals: across.totals(),
        isOpen: across.isOpen,
      });
    });
  }

  /**
   * The typed split values behind every column of the engine's view, in its order; null for one that
   * cannot be told.
   */
  columnPaths(): Promise<(CellValue[] | null)[]> {
    return this.columnTuples.get(WHOLE, () => this.readColumnPaths());
  }

  /** @throws Error if the view has no such row */
  async rowPath(y: number): Promise<CellValue[]> {
    const [path] = await this.rowPaths(y, y + 1);
    if (!path) throw gone();
    return path;
  }

  /** Row paths from `start` up to `end`, or of all rows, without their values. */
  async rowPaths(start: number, end?: number): Promise<CellValue[][]> {
    const window = { start_row: start, ...(end !== undefined && { end_row: end }) };
    return (await readRows(this.view, { ...window, start_col: 0, end_col: 1 })).paths ?? [];
  }

  /**
   * What is at a place now.
   *
   * @throws Error if the view has no such cell, or its column cannot be told
   */
  async identityAt({ x, y }: CellPosition): Promise<CellIdentity> {
    const { group_by, split_by } = this.config;
    const isSplit = split_by.length > 0 && group_by.length > 0;
    const [rowPath, columns] = await Promise.all([
      group_by.length > 0 ? this.rowPath(y) : this.rowKey(y),
      x === null ? null : this.columns(),
    ]);
    const column = columns && x !== null ? columns[x] : null;
    if (isSplit && x !== null && !column?.path)
      throw new Error('The column behind this cell could not be read.');
    return {
      rowPath,
      columnPath: (isSplit && column?.path) || null,
      measure: column?.measure ?? null,
    };
  }

  /**
   * One cell with the slice behind it.
   *
   * @param near where it was last seen, which is looked at first
   * @throws Error if the view has no such cell any more
   */
  async read(
    identity: CellIdentity,
    columns: readonly SliceColumn[],
    near: CellPosition | null = null,
  ): Promise<ReadCell> {
    const [cell, position] = await Promise.all([
      this.withSlice(identity, columns),
      this.locate(identity, near),
    ]);
    const x = position && identity.measure !== null ? position.x : null;
    return { ...cell, value: position && x !== null ? await this.valueAt(x, position.y) : null };
  }

  /**
   * A cell with the slice behind it, without its number.
   *
   * @param row what names its row, if that is known already
   */
  async withSlice(
    identity: CellIdentity,
    columns: readonly SliceColumn[],
    row: RowNames | Promise<RowNames> = this.rowNames(identity, columns),
  ): Promise<Omit<ReadCell, 'value'>> {
    const { config } = this;
    const names = await row;
    const base = {
      groupBy: names.columns,
      splitBy: config.split_by,
      rowPath: names.values,
      columnPath: identity.columnPath,
      filter: config.filter,
      filterOp: config.filter_op ?? 'and',
      schema: this.schema,
      expressions: config.expressions,
    };
    const cell: PivotCell = { ...base, underlying: await this.underlyingOf(base) };
    const { rowPath, columnPath, measure } = identity;
    return {
      ...sliceFromCell(cell, columns),
      rowPath,
      columnPath,
      measure,
      aggregate: this.aggregateOf(measure),
    };
  }

  /** What names the row of a cell: its groups, or the dimensions and dates of a single row. */
  rowNames(
    { rowPath }: Pick<CellIdentity, 'rowPath'>,
    columns: readonly SliceColumn[],
  ): Promise<RowNames> {
    const { group_by } = this.config;
    return group_by.length > 0
      ? Promise.resolve({ columns: group_by, values: rowPath })
      : this.flatRow(rowPath[0] ?? null, columns);
  }

  /** How a measure is summed up, or what it is painted from; that of a header is a sum. */
  aggregateOf(measure: string | null): string {
    if (measure === null) return 'sum';
    const parts = paintingOf(measure, this.ratios)?.parts ?? [measure];
    const aggregates = parts.map((part) => String(this.config.aggregates[part] ?? 'sum'));
    return aggregates.find((each) => each !== 'sum') ?? 'sum';
  }

  /** Where a cell is now; null if its row is closed away or gone. @param near where it was last seen */
  locate(identity: CellIdentity, near: CellPosition | null): Promise<CellPosition | null> {
    return this.config.group_by.length > 0
      ? this.find(identity, near)
      : this.stillAt(identity, near);
  }

  /** The cell at a place, with the slice behind it. */
  async cell(position: CellPosition, columns: readonly SliceColumn[]): Promise<ReadCell> {
    return this.read(await this.identityAt(position), columns, position);
  }

  /**
   * Where a cell of a grouped view is now; null if its row is closed away, or it is gone.
   *
   * @param near where it was last seen, which is looked at first
   */
  async find(
    identity: CellIdentity,
    near: CellPosition | null = null,
  ): Promise<CellPosition | null> {
    const x = identity.measure === null ? null : await this.columnOf(identity);
    if (x === -1) return null;
    const wanted = pathKey(identity.rowPath);
    if (near) {
      const [there] = await this.rowPaths(near.y, near.y + 1);
      if (there && pathKey(there) === wanted) return { x, y: near.y };
    }
    const y = (await this.rowPaths(0)).findIndex((path) => pathKey(path) === wanted);
    return y < 0 ? null : { x, y };
  }

  private async columnOf({ columnPath, measure }: CellIdentity): Promise<number> {
    const wanted = columnPath && pathKey(columnPath);
    return (await this.columns()).findIndex(
      (column) => column.measure === measure && (column.path && pathKey(column.path)) === wanted,
    );
  }

  /** The number in a cell; null where the cell is empty or no number. */
  async valueAt(x: number, y: number): Promise<number | null> {
    const values = await this.columnValues(x, { start_row: y, end_row: y + 1 });
    const value = values[0];
    return typeof value === 'number' ? tidy(value) : null;
  }

  /** Whether a measure shows shares or prices, of which the engine has no sums. */
  isRatio(measure: string): boolean {
    return this.ratios.has(measure);
  }

  /** The values of one of the columns that are shown. */
  async columnValues(
    x: number,
    rows: Pick<ViewWindow, 'start_row' | 'end_row'>,
  ): Promise<CellValue[]> {
    const column = (await this.columns())[x];
    if (!column) return [];
    const parts = this.partsOf(column).map((leaves) =>
      Promise.all((leaves ?? []).map((leaf) => this.summedValues(leaf, rows))),
    );
    return this.valuesOf(column, await Promise.all(parts));
  }

  /**
   * The places of the engine's columns that a column is made of: a list per part that it is painted from,
   * null for a part that the view does not show; one list for a column that is not painted.
   */
  partsOf({ measure, leaves }: DrawnColumn): (readonly number[] | null)[] {
    const painting = paintingOf(measure, this.ratios);
    if (!painting) return [leaves];
    const { shown } = this;
    return painting.parts.map((part) => {
      const at = shown.indexOf(part);
      return at < 0 ? null : leaves.map((x) => x - (x % shown.length) + at);
    });
  }

  /**
   * The values of a column, made of those of the engine's columns: a total adds them up, and what is painted
   * is painted from what is added up.
   *
   * @param parts the values of the columns that {@link partsOf} names
   */
  valuesOf(
    { measure, leaves }: DrawnColumn,
    parts: readonly (readonly (readonly CellValue[] | undefined)[])[],
  ): CellValue[] {
    const painting = paintingOf(measure, this.ratios);
    const { aggregates } = this.config;
    const isSum = (painting?.parts ?? [measure]).every((name) => isAdditive(aggregates[name]));
    const added = parts.map((columns) => {
      if (columns.length === 0) return undefined;
      if (leaves.length === 1) return columns[0];
      if (isSum) return sums(columns);
      return columns[0]?.map(() => null);
    });
    return painting ? painting.paint(added) : [...(added[0] ?? [])];
  }

  /**
   * The values of one column of the view. A column whose name is unique is found by name, because
   * with a sort by a hidden column the engine's column windows are shifted and return more columns.
   */
  async summedValues(
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

  /**
   * The view's columns as the engine prints them. If nothing is split, it also prints the columns that
   * only the order of columns goes by, which have no numbers.
   */
  printedPaths(): Promise<string[]> {
    return this.printed.get(WHOLE, async () => {
      const paths = await this.view.column_paths();
      return paths.filter((path) =>
        this.config.split_by.length === 0
          ? this.shown.includes(path)
          : path !== ROW_PATH && path !== ROW_KEY,
      );
    });
  }

  /** What the values of an expression stand for, in all rows of the table. */
  underlyingValues(expression: string): Promise<Underlying> {
    return this.underlying.get(expression, () => this.readUnderlying(expression));
  }

  isExpression = (column: string) => column in this.config.expressions;

  /** The expressions that the view groups, splits or filters by. */
  get expressions(): string[] {
    const { group_by, split_by, filter } = this.config;
    const used = [...group_by, ...split_by, ...filter.map(([column]) => column)];
    return [...new Set(used.filter(this.isExpression))];
  }

  private async readColumnPaths(): Promise<(CellValue[] | null)[]> {
    const types = this.config.split_by.map((column) => this.schema[column]);
    return (
      readPrinted(await this.printedPaths(), types, this.shown) ?? (await this.pairColumns(types))
    );
  }

  /** The same, from a second view. */
  private async pairColumns(
    types: readonly (ColumnType | undefined)[],
  ): Promise<(CellValue[] | null)[]> {
    const { split_by, sort } = this.config;
    const columnSort = sort.flatMap(([column, direction]): LayoutSort[] =>
      direction.startsWith('col ') ? [[column, direction.slice('col '.length)]] : [],
    );
    const companion = await this.splitView.get(WHOLE, () =>
      this.table.view({
        group_by: split_by,
        columns: [...new Set(columnSort.map(([column]) => column))],
        ...this.selection(),
        sort: columnSort,
      }),
    );
    let matched: (CellValue[] | null)[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [paths, rows] = await Promise.all([this.printedPaths(), this.readWhole(companion)]);
      const tuples = (rows.paths ?? []).filter((path) => path.length === split_by.length);
      matched = pairColumns(paths, tuples, types, this.shown, tiesOf(rows, columnSort.length > 0));
      if (!matched.includes(null)) break;
      this.printed.forget();
    }
    return matched;
  }

  private async readUnderlying(expression: string): Promise<Underlying> {
    const text = this.config.expressions[expression] ?? '';
    const bucket = readBucket(text);
    const days = bucket && this.beside.daysOf(bucket.date);
    if (bucket && days) return inUnits(bucket.date, days, bucket.unit);
    const columns = await neededColumns(this.table, text);
    const view = await this.underlyingViews.get(expression, () =>
      this.table.view({
        group_by: [expression, ...columns],
        columns: [],
        expressions: { ...this.config.expressions },
      }),
    );
    const rows = await this.readWhole(view);
    const tuples = (rows.paths ?? [])
      .filter((path) => path.length === columns.length + 1)
      .map(([value = null, ...tuple]) => ({ value: valueKey(value), tuple }));
    return { columns, tuples };
  }

  private async underlyingOf(
    cell: Omit<PivotCell, 'underlying'>,
  ): Promise<Map<string, Underlying>> {
    const entries = await Promise.all(
      expressionsOf(cell, this.isExpression).map(
        async (name) => [name, await this.underlyingValues(name)] as const,
      ),
    );
    return new Map(entries);
  }

  /** The place of a row of an ungrouped view, if it is still the one. */
  private async stillAt({ rowPath }: CellIdentity, near: CellPosition | null) {
    const key = near && (await this.rowKey(near.y).catch(() => null));
    return key && pathKey(key) === pathKey(rowPath) ? near : null;
  }

  /** The key of a row of an ungrouped view. */
  private async rowKey(y: number): Promise<CellValue[]> {
    const { keys } = await readRows(this.view, { start_row: y, end_row: y + 1, id: true });
    if (!keys?.[0]) throw gone();
    return keys[0];
  }

  /** A row of an ungrouped view is named by its dimensions and dates, read by its key. */
  private async flatRow(key: CellValue, columns: readonly SliceColumn[]): Promise<RowNames> {
    const names = columns
      .filter((c) => isLeaf(c.role) && c.cname in this.schema)
      .map((c) => c.cname);
    const index = await this.table.get_index();
    if (!index) throw gone();
    const wanted = [...names, index];
    const known = this.beside.valuesOf(key, wanted);
    if (known) return { columns: wanted, values: known };
    if (known === undefined) throw gone();
    const only: Partial<ViewConfig> = { columns: wanted, filter: [[index, '==', key]] };
    const row = await withView(this.table, only, (view) => readRows(view));
    // Without the row, its cell would stand for rows of empty values.
    if (row.columns.get(index)?.[0] !== key) throw gone();
    return {
      columns: wanted,
      values: wanted.map((name) => row.columns.get(name)?.[0] ?? null),
    };
  }

  private selection() {
    const { filter, filter_op, expressions } = this.config;
    return { filter, ...(filter_op && { filter_op }), expressions: { ...expressions } };
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

/** What the units of time stand for that some days are in. */
const inUnits = (date: string, days: readonly CellValue[], unit: TimeUnit): Underlying => ({
  columns: [date],
  tuples: days.map((day) => ({
    value: valueKey(typeof day === 'number' ? startOf(day, unit) : null),
    tuple: [day],
  })),
});

/** The values that identify a row, and their columns. */
export interface RowNames {
  columns: readonly string[];
  values: readonly CellValue[];
}

async function readRows(view: EngineView, window?: ViewWindow): Promise<ReadRows> {
  return parseRows(await view.to_columns_string(window));
}

/** Whether two groups are equal by what the columns are sorted by, where their paths part. */
function tiesOf({ paths, columns }: ReadRows, isSorted: boolean) {
  if (!isSorted) return () => false;
  const keys = new Map(
    (paths ?? []).map((path, y) => [
      pathKey(path),
      JSON.stringify([...columns.values()].map((values) => values[y])),
    ]),
  );
  return (a: readonly CellValue[], b: readonly CellValue[]): boolean => {
    const parting = a.findIndex((value, i) => valueKey(value) !== valueKey(b[i] ?? null)) + 1;
    return keys.get(pathKey(a.slice(0, parting))) === keys.get(pathKey(b.slice(0, parting)));
  };
}

const gone = () => new Error('The row behind this cell is gone.');

/**
 * The typed split values behind each column. The groups of the split columns come in the order of the
 * columns; only groups that the columns are sorted by and that tie may come in another one. So of
 * groups that print alike, the order tells; null if it cannot, or if rows came or went between the
 * two readings.
 *
 * @param tie whether two groups are equal by what the columns are sorted by
 */
export function pairColumns(
  paths: readonly string[],
  tuples: readonly CellValue[][],
  types: readonly (ColumnType | undefined)[],
  columns: readonly string[],
  tie: (a: readonly CellValue[], b: readonly CellValue[]) => boolean,
): (CellValue[] | null)[] {
  if (paths.length !== tuples.length * columns.length) return paths.map(() => null);
  const alike = new Map<string, CellValue[][]>();
  for (const tuple of tuples) {
    const text = tuple.map((value, i) => printed(value, types[i])).join('|');
    alike.set(text, [...(alike.get(text) ?? []), tuple]);
  }
  const seen = new Map<string, number>();
  return paths.map((path, x) => {
    const column = columns[x % columns.length] ?? '';
    const candidates = alike.get(path.slice(0, -column.length - 1)) ?? [];
    const turn = seen.get(path) ?? 0;
    seen.set(path, turn + 1);
    const tuple = candidates[turn];
    if (!tuple || !path.endsWith(`|${column}`)) return null;
    return candidates.some((other) => other !== tuple && tie(tuple, other)) ? null : tuple;
  });
}
