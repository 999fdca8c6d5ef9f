/** Reads typed cells from one view of the engine. */
import { isLeaf } from '../../../contract/columns';
import type { Slice } from '../../../contract/slices';
import type { ShowAs } from '../../../contract/stored-layout';
import { sliceContextOf } from '../../layout/layout';
import { type CellIdentity, type CellPosition, pathKey, type ReadCell } from '../../slice/cell';
import { expressionsOf, type PivotCell, type SliceColumn, sliceFromCell } from '../../slice/slice';
import type { Underlying } from '../../slice/underlying';
import { tidy } from '../../values/cell-value';
import {
  type CellValue,
  type EngineTable,
  type View,
  type Schema,
  type ViewConfig,
  type ViewWindow,
  withView,
} from '../../values/engine-types';
import { paintingOf, type Ratio } from '../../values/ratios';
import { endsInOthers } from '../../values/others';
import type { ShownAs } from '../../values/show-as';
import { Answers } from '../../waiting';
import { type Across, ALL_OPEN, type BesideTable, NOTHING, type Untold } from './beside';
import { type ClosedDate, ClosedHeaders } from './closed-headers';
import { ColumnPaths } from './column-paths';
import { ShownValues } from './shown-values';
import { type DrawnColumn, drawnColumns } from '../cells/grid-columns';
import { inKeys } from '../cells/reach';
import { ExpressionValues } from './expression-values';
import { readRows } from './own-views';
import { type ViewFacts, viewFacts } from './view-facts';

/** Settings for reading a view, besides its own configuration. */
interface ViewReading {
  /** The columns that are computed from others. */
  ratios?: ReadonlyMap<string, Ratio>;
  /** The shown columns; read again after {@link ViewReader.regroup}. */
  across?: Across;
  /** Facts about the table that are known without asking the engine. */
  beside?: BesideTable;
  /** Returns the measures that are shown in relation to other sums. */
  shownAs?: () => ShownAs;
}

/**
 * Reads typed cells from one view of a table. Where the view does not give typed values, the reader opens
 * views of its own: see {@link ColumnPaths} and {@link ExpressionValues}. These views live as long as the
 * reader, and follow the table's updates.
 */
export class ViewReader {
  readonly config: Readonly<ViewConfig>;
  readonly schema: Schema;
  /** Number of row levels of the view: `config` also names the levels that are added when rows are opened. */
  readonly levels: number;
  private readonly ratios: ReadonlyMap<string, Ratio>;
  private readonly hidden: ReadonlySet<string>;
  private readonly across: Across;
  private readonly beside: BesideTable;
  private readonly drawn = new Answers<readonly DrawnColumn[]>();
  private readonly paths: ColumnPaths;
  /** The values of the columns. */
  readonly values: ShownValues;
  private readonly expressionValues: ExpressionValues;

  private constructor(
    private readonly table: EngineTable,
    private readonly view: View,
    { config, schema, levels, hidden }: ViewFacts,
    { ratios = new Map(), across = ALL_OPEN, beside = NOTHING, shownAs = NONE }: ViewReading,
  ) {
    this.config = config;
    this.schema = schema;
    this.levels = levels;
    this.ratios = ratios;
    this.hidden = hidden;
    this.across = across;
    this.beside = beside;
    this.paths = new ColumnPaths(table, view, config, schema);
    const { isTime } = this;
    const decimalsOf = (column: string) => beside.decimalsOf(column);
    const measures = { ratios, shownAs, isTime, decimalsOf };
    this.values = new ShownValues(view, config, this.paths, measures);
    this.expressionValues = new ExpressionValues(table, config.expressions, beside);
  }

  /** Opens a reader for a view. @param untold view settings that `get_config()` omits */
  static async open(
    table: EngineTable,
    view: View,
    untold: Untold,
    reading: ViewReading = {},
  ): Promise<ViewReader> {
    const facts = await viewFacts(table, view, untold, reading.beside ?? NOTHING);
    return new ViewReader(table, view, facts, reading);
  }

  /** The columns of the view, in order, without its empty places; some may be there for computed columns only. */
  get shown(): string[] {
    return this.paths.shown;
  }

  /** Key of the arrangement of the view; two views with equal keys show the same cells. */
  get sliceContext(): string {
    return sliceContextOf(this.config);
  }

  /** Clears the cached data after rows came or went. */
  invalidate(): void {
    this.drawn.forget();
    this.values.forget();
    this.paths.forget();
    this.expressionValues.forget();
  }

  /** Clears the cached columns after groups of them were opened or closed. */
  regroup(): void {
    this.drawn.forget();
    this.values.forget();
  }

  /** Deletes the views that the reader opened. */
  async dispose(): Promise<void> {
    await Promise.all([this.expressionValues.dispose(), this.paths.dispose()]);
  }

  /** Returns the shown columns, in order: a cell's `x` is a position among them. */
  columns(): Promise<readonly DrawnColumn[]> {
    return this.drawn.get('whole', async () => {
      const { split_by, group_by } = this.config;
      const levels = split_by.length;
      const paths =
        levels > 0 ? await this.columnPaths() : (await this.printedPaths()).map(() => null);
      const across = group_by.length > 0 ? this.across : ALL_OPEN;
      return drawnColumns(paths, {
        measures: this.shown,
        hidden: this.hidden,
        levels,
        totals: across.totals(),
        isOpen: across.isOpen,
        orders: this.across.orders?.() ?? [],
      });
    });
  }

  /**
   * Returns the typed split values behind every column of the engine's view, in order; null where they are
   * ambiguous.
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

  /** Reads the paths of the rows from `start` up to `end`, or of all rows, without their values. */
  async rowPaths(start: number, end?: number): Promise<CellValue[][]> {
    const window = { start_row: start, ...(end !== undefined && { end_row: end }) };
    return (await readRows(this.view, { ...window, start_col: 0, end_col: 1 })).paths ?? [];
  }

  /**
   * Returns the identity of the cell that is at a position now.
   *
   * @throws Error if the view has no such cell, or if the values of its column are ambiguous
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
   * Reads one cell with the slice behind it.
   *
   * @param near last known position, which is checked first
   * @throws Error if the view no longer has this cell
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
   * Returns a cell with the slice behind it, without its number.
   *
   * @param row the values that identify its row, if they are known already
   */
  async withSlice(
    identity: CellIdentity,
    columns: readonly SliceColumn[],
    row: RowNames | Promise<RowNames> = this.rowNames(identity, columns),
  ): Promise<Omit<ReadCell, 'value'>> {
    const { config } = this;
    const named = await row;
    const others = await this.membersOf(identity);
    const base = {
      groupBy: named.columns,
      splitBy: config.split_by,
      rowPath: named.values,
      columnPath: identity.columnPath,
      ...(others && { others }),
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
      ...(others && { members: others }),
      rowPath,
      columnPath,
      measure,
      aggregate: this.aggregateOf(measure),
    };
  }

  /**
   * Returns the values of the groups that a row "Others" stands for; null for any other row.
   *
   * @throws Error if the view no longer has this row
   */
  private async membersOf({ rowPath }: CellIdentity): Promise<readonly CellValue[] | null> {
    if (!endsInOthers(rowPath)) return null;
    const members = await this.view.membersOf?.(rowPath);
    if (!members) throw gone();
    return members;
  }

  /**
   * Returns the values that identify the row of a cell: its groups, or in an ungrouped view its dimensions
   * and dates.
   */
  rowNames(
    { rowPath }: Pick<CellIdentity, 'rowPath'>,
    columns: readonly SliceColumn[],
  ): Promise<RowNames> {
    const { group_by } = this.config;
    return group_by.length > 0
      ? Promise.resolve({ columns: group_by, values: rowPath })
      : this.flatRow(rowPath[0] ?? null, columns);
  }

  /**
   * Returns the aggregate of a measure; for a computed column, the first aggregate of its parts other than
   * `sum`; for a header, `sum`.
   */
  aggregateOf(measure: string | null): string {
    if (measure === null) return 'sum';
    const parts = paintingOf(measure, this.ratios)?.parts ?? [measure];
    const aggregates = parts.map((part) => String(this.config.aggregates[part] ?? 'sum'));
    return aggregates.find((each) => each !== 'sum') ?? 'sum';
  }

  /**
   * Returns the current position of a cell; null if its row is in a closed group or gone. @param near last
   * known position
   */
  locate(identity: CellIdentity, near: CellPosition | null): Promise<CellPosition | null> {
    return this.config.group_by.length > 0
      ? this.find(identity, near)
      : this.stillAt(identity, near);
  }

  /** Reads the cell at a position, with the slice behind it. */
  async cell(position: CellPosition, columns: readonly SliceColumn[]): Promise<ReadCell> {
    return this.read(await this.identityAt(position), columns, position);
  }

  /**
   * Returns the current position of a cell of a grouped view; null if its row is in a closed group, or if it
   * is gone.
   *
   * @param near last known position, which is checked first
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

  /** Reads the values of one of the shown columns. */
  async columnValues(
    x: number,
    rows: Pick<ViewWindow, 'start_row' | 'end_row'>,
  ): Promise<CellValue[]> {
    const column = (await this.columns())[x];
    return column ? this.values.column(column, rows) : [];
  }

  /** Reads the number in a cell; null if the cell is empty or not a number. */
  async valueAt(x: number, y: number): Promise<number | null> {
    const values = await this.columnValues(x, { start_row: y, end_row: y + 1 });
    const value = values[0];
    return typeof value === 'number' ? tidy(value) : null;
  }

  /**
   * Checks whether the grid computes the numbers of a measure, for which the engine has no sums: shares, prices and
   * measures in relation to other sums.
   */
  isComputed(measure: string): boolean {
    return this.ratios.has(measure) || this.wayOf(measure) !== null;
  }

  /** Returns how a measure is shown in relation to other sums; null if its own sums are shown. */
  wayOf(measure: string | null): ShowAs | null {
    return measure === null ? null : this.values.wayOf(measure);
  }

  /** Whether the columns have a date along which running totals can be added up. */
  get hasTimeAcross(): boolean {
    const { group_by, split_by } = this.config;
    return group_by.length > 0 && split_by.some((name) => this.isTime(name));
  }

  /**
   * Returns the sum of which a cell is shown as a share; null if there is none.
   *
   * @param near last known position of the cell
   */
  async wholeOf(cell: CellIdentity, near: CellPosition | null): Promise<number | null> {
    const at = await this.locate(cell, near);
    const column = at && at.x !== null ? (await this.columns())[at.x] : null;
    return at && column ? this.values.wholeOf(column, at.y, [...cell.rowPath]) : null;
  }

  /** Returns the view's columns as the engine prints them; see {@link ColumnPaths.printed}. */
  printedPaths(): Promise<string[]> {
    return this.paths.printed();
  }

  /** Returns the source values behind the values of an expression, in all rows of the table. */
  underlyingValues(expression: string): Promise<Underlying> {
    return this.expressionValues.of(expression);
  }

  /** Returns the same for each expression and each attribute that the view groups, splits or filters by. */
  async allUnderlying(): Promise<Map<string, Underlying>> {
    const underlying = await this.expressionValues.ofAll(this.expressions);
    for (const name of this.used) {
      const behind = this.beside.attributes.behind(name);
      if (behind) underlying.set(name, behind);
    }
    return underlying;
  }

  /** Returns a slice with its attributes replaced by the keys from which they follow, as far as one key is enough. */
  inKeys(slice: Slice): Slice {
    return inKeys(slice, this.beside.attributes);
  }

  /** Returns the headers that stand for closed days only, and reads the days behind them. */
  async closedHeaders(closed: readonly ClosedDate[]): Promise<ClosedHeaders> {
    const { config, schema, expressionValues, used } = this;
    const dated = closed.filter(({ date }) => date in schema);
    const periods = dated.flatMap(({ date, periods }) =>
      periods
        .filter((name) => used.includes(name))
        .map(async (name) => [name, await expressionValues.ofPeriod(name, date)] as const),
    );
    const names = dated.length > 0 ? this.expressions : [];
    const behind = await expressionValues.ofAll(names);
    for (const [name, days] of await Promise.all(periods)) behind.set(name, days);
    return new ClosedHeaders(dated, behind, config, schema);
  }

  /** Whether a column or an expression is a date or a period of one. */
  private readonly isTime = (name: string): boolean =>
    /^date/.test(this.schema[name] ?? '') || this.beside.isTime(name);

  isExpression = (column: string) => column in this.config.expressions;

  /** The expressions that the view groups, splits or filters by. */
  get expressions(): string[] {
    return this.used.filter(this.isExpression);
  }

  /** The columns and expressions that the view groups, splits or filters by. */
  private get used(): string[] {
    const { group_by, split_by, filter } = this.config;
    return [...new Set([...group_by, ...split_by, ...filter.map(([column]) => column)])];
  }

  /** Returns the position of a row of an ungrouped view, if the same row is still there. */
  private async stillAt({ rowPath }: CellIdentity, near: CellPosition | null) {
    const key = near && (await this.rowKey(near.y).catch(() => null));
    return key && pathKey(key) === pathKey(rowPath) ? near : null;
  }

  /** Reads the key of a row of an ungrouped view. */
  private async rowKey(y: number): Promise<CellValue[]> {
    const { keys } = await readRows(this.view, { start_row: y, end_row: y + 1, id: true });
    if (!keys?.[0]) throw gone();
    return keys[0];
  }

  /** Reads the dimensions and dates that identify a row of an ungrouped view, by the key of the row. */
  private async flatRow(key: CellValue, columns: readonly SliceColumn[]): Promise<RowNames> {
    // Attributes follow from the other columns.
    const { attributes } = this.beside;
    const names = columns
      .filter((c) => isLeaf(c.role) && c.cname in this.schema && !attributes.has(c.cname))
      .map((c) => c.cname);
    const index = await this.table.get_index();
    if (!index) throw gone();
    const wanted = [...names, index];
    const known = this.beside.valuesOf(key, wanted);
    if (known) return { columns: wanted, values: known };
    if (known === undefined) throw gone();
    const only: Partial<ViewConfig> = { columns: wanted, filter: [[index, '==', key]] };
    const row = await withView(this.table, only, (view) => readRows(view));
    // If the row is gone, its cell would stand for rows of empty values.
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

const NONE = (): ShownAs => new Map();

const gone = () => new Error('The row behind this cell is gone.');
