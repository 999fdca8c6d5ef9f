import { isLeaf } from '../../contract/columns';
import { sliceContextOf } from '../layout/layout';
import { type CellIdentity, type CellPosition, pathKey, type ReadCell } from '../slice/cell';
import { expressionsOf, type PivotCell, type SliceColumn, sliceFromCell } from '../slice/slice';
import type { Underlying } from '../slice/underlying';
import { tidy } from '../values/cell-value';
import {
  type CellValue,
  type EngineTable,
  type EngineView,
  type Schema,
  type ViewConfig,
  type ViewWindow,
  withView,
} from '../values/engine-types';
import { paintingOf, type Ratio } from '../values/ratios';
import { Answers } from '../waiting';
import { type Across, ALL_OPEN, type BesideTable, NOTHING, type Untold } from './beside';
import { ColumnPaths } from './column-paths';
import { ColumnValues } from './column-values';
import { type DrawnColumn, drawnColumns } from './columns';
import { ExpressionValues } from './expression-values';
import { readRows } from './own-views';
import { type ViewFacts, viewFacts } from './view-facts';

/** How a view is read, beside its own configuration. */
interface Reading {
  /** The columns that are painted from others. */
  ratios?: ReadonlyMap<string, Ratio>;
  /** Which of the columns are shown; read again after {@link ViewReader.regroup}. */
  across?: Across;
  /** What is known of the table beside the engine. */
  beside?: BesideTable;
}

/**
 * Reads typed cells out of one view of one table. The reader opens views of its own where the view does not
 * give typed values: see {@link ColumnPaths} and {@link ExpressionValues}. These views live as long as the
 * reader, and follow the table's updates.
 */
export class ViewReader {
  readonly config: Readonly<ViewConfig>;
  readonly schema: Schema;
  /** How many levels of rows the view has: `config` also names those that join it when they are opened. */
  readonly levels: number;
  private readonly ratios: ReadonlyMap<string, Ratio>;
  private readonly across: Across;
  private readonly beside: BesideTable;
  private readonly drawn = new Answers<readonly DrawnColumn[]>();
  private readonly paths: ColumnPaths;
  /** The values of the columns. */
  readonly values: ColumnValues;
  private readonly expressionValues: ExpressionValues;

  private constructor(
    private readonly table: EngineTable,
    private readonly view: EngineView,
    { config, schema, levels }: ViewFacts,
    { ratios = new Map(), across = ALL_OPEN, beside = NOTHING }: Reading,
  ) {
    this.config = config;
    this.schema = schema;
    this.levels = levels;
    this.ratios = ratios;
    this.across = across;
    this.beside = beside;
    this.paths = new ColumnPaths(table, view, config, schema);
    this.values = new ColumnValues(view, this.paths, ratios, config.aggregates);
    this.expressionValues = new ExpressionValues(table, config.expressions, beside);
  }

  /**
   * @param untold what the view was made with, but does not answer in its configuration
   */
  static async open(
    table: EngineTable,
    view: EngineView,
    untold: Untold,
    reading: Reading = {},
  ): Promise<ViewReader> {
    const facts = await viewFacts(table, view, untold, reading.beside ?? NOTHING);
    return new ViewReader(table, view, facts, reading);
  }

  /** The columns that the view shows, in their order; an empty place shows none. */
  get shown(): string[] {
    return this.paths.shown;
  }

  /** What a place in the view means; two views with equal ones show the same cells. */
  get sliceContext(): string {
    return sliceContextOf(this.config);
  }

  /** Forgets what was read: rows came or went. */
  invalidate(): void {
    this.drawn.forget();
    this.paths.forget();
    this.expressionValues.forget();
  }

  /** Forgets which columns are shown: groups of them were opened or closed. */
  regroup(): void {
    this.drawn.forget();
  }

  /** Deletes the views that the reader opened. */
  async dispose(): Promise<void> {
    await Promise.all([this.expressionValues.dispose(), this.paths.dispose()]);
  }

  /** The columns that are shown, in their order: a cell's `x` is a place among them. */
  columns(): Promise<readonly DrawnColumn[]> {
    return this.drawn.get('whole', async () => {
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
    return this.paths.typed();
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
    const named = await row;
    const base = {
      groupBy: named.columns,
      splitBy: config.split_by,
      rowPath: named.values,
      columnPath: identity.columnPath,
      filter: config.filter,
      filterOp: config.filter_op ?? 'and',
      schema: this.schema,
      expressions: config.expressions,
    };
    const names = expressionsOf(base, this.isExpression);
    const cell: PivotCell = { ...base, underlying: await this.expressionValues.ofAll(names) };
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

  /** The values of one of the columns that are shown. */
  async columnValues(
    x: number,
    rows: Pick<ViewWindow, 'start_row' | 'end_row'>,
  ): Promise<CellValue[]> {
    const column = (await this.columns())[x];
    return column ? this.values.column(column, rows) : [];
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

  /** The view's columns as the engine prints them; see {@link ColumnPaths.printed}. */
  printedPaths(): Promise<string[]> {
    return this.paths.printed();
  }

  /** The source values that the values of an expression stand for, in all rows of the table. */
  underlyingValues(expression: string): Promise<Underlying> {
    return this.expressionValues.of(expression);
  }

  isExpression = (column: string) => column in this.config.expressions;

  /** The expressions that the view groups, splits or filters by. */
  get expressions(): string[] {
    const { group_by, split_by, filter } = this.config;
    const used = [...group_by, ...split_by, ...filter.map(([column]) => column)];
    return [...new Set(used.filter(this.isExpression))];
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
}

/** The values that identify a row, and their columns. */
export interface RowNames {
  columns: readonly string[];
  values: readonly CellValue[];
}

const gone = () => new Error('The row behind this cell is gone.');
