/** Types of Perspective and of its grid, as far as the pivot uses them. */
import type { LayoutFilter, LayoutSort } from '../../contract/stored-layout';

/** A value in the engine: a date or datetime is epoch milliseconds in UTC. */
export type CellValue = string | number | boolean | null;

/** Types of columns in the engine. */
export type ColumnType = 'string' | 'integer' | 'float' | 'boolean' | 'date' | 'datetime';

/** Column name → type, for the loaded columns and the layout's expressions. */
export type Schema = Readonly<Record<string, ColumnType>>;

/** A part of a view: rows and columns from `start` up to `end`; `id` also requests the row keys. */
export interface ViewWindow {
  start_row?: number;
  end_row?: number;
  start_col?: number;
  end_col?: number;
  id?: boolean;
}

export interface ViewConfig {
  group_by: string[];
  split_by: string[];
  columns: (string | null)[];
  filter: LayoutFilter[];
  filter_op?: 'and' | 'or';
  sort: LayoutSort[];
  expressions: Record<string, string>;
  aggregates: Record<string, string | [string, string[]]>;
}

/** The engine's view. */
export interface View {
  /** The engine's view with all of its rows, for one with other rows. */
  readonly engine?: View;
  /** Returns the values of the groups behind a row "Others"; null if the view has no such row. */
  membersOf?(path: readonly CellValue[]): Promise<readonly CellValue[] | null>;
  get_config(): Promise<ViewConfig>;
  schema(): Promise<Schema>;
  expression_schema(): Promise<Schema>;
  num_rows(): Promise<number>;
  num_columns(): Promise<number>;
  column_paths(window?: ViewWindow): Promise<string[]>;
  to_columns_string(window?: ViewWindow): Promise<string>;
  expand(row: number): Promise<number>;
  collapse(row: number): Promise<number>;
  set_depth(depth: number): Promise<void>;
  delete(): Promise<void>;
}

/** The engine's table as it is read. */
export interface EngineTable {
  schema(): Promise<Schema>;
  get_index(): Promise<string | undefined>;
  get_client(): Promise<EngineClient>;
  view(config?: Partial<ViewConfig>): Promise<View>;
  validate_expressions(
    expressions: Record<string, string>,
  ): Promise<{ expression_schema: Record<string, ColumnType> }>;
  /** @param options with `lazy`, deletion waits for the last view; otherwise no view may be left */
  delete(options?: { lazy: boolean }): Promise<void>;
}

/** The part of the engine that creates tables; a schema alone creates an empty one. */
export interface EngineClient {
  table(schema: Schema, options?: { index: string }): Promise<Table>;
  /** Takes ownership of an Arrow stream of one record batch. */
  table(rows: ArrayBuffer, options: { index: string }): Promise<Table>;
}

/** The engine's table as the pivot uses it. */
export interface Table extends EngineTable {
  size(): Promise<number>;
  /** Adds columns of values, or an Arrow stream of one record batch, of which it takes ownership. */
  update(rows: Record<string, CellValue[]> | ArrayBuffer): Promise<unknown>;
  /** Removes all rows. */
  clear(): Promise<void>;
  remove(keys: readonly (string | number)[]): Promise<void>;
}

/** The position of a cell's element: body cells have `x` and `y`, column headers have `column_header_y`. */
export interface CellMeta {
  x?: number;
  y?: number;
  y0?: number;
  /** The first column that is scrolled into view; 0 for row headers and pinned columns. */
  x0?: number;
  /** Place among the drawn columns, row headers included. */
  _virtual_x?: number;
  column_header_y?: number;
  /** The index of the column's width, row headers first. */
  size_key?: number;
}

/** The content of a window of a table, and the size of the whole table. */
export interface TableData {
  num_rows: number;
  num_columns: number;
  num_row_headers: number;
  num_column_headers: number;
  /** Height of every row in pixels; that of the lowest header or row header if left out. */
  row_height?: number;
  row_headers: string[][];
  /** The headers of each column, outermost first. */
  column_headers: HTMLElement[][];
  /** The texts of each column. */
  data: string[][];
  /** The number of outermost header levels at which neighbours with equal headers are drawn as one. */
  column_header_merge_depth: number;
  merge_headers: 'column';
}

/** The element that draws a table and keeps only the visible window in the page. */
export interface RegularTable extends HTMLElement {
  getMeta(cell: Element): CellMeta | undefined;
  addStyleListener(listener: () => void): () => void;
  /** @param listener reads columns from `x0` up to `x1` and rows from `y0` up to `y1` */
  setDataListener(
    listener: (x0: number, y0: number, x1: number, y1: number) => Promise<TableData>,
  ): void;
  draw(): Promise<void>;
  /** Lets the drawing in progress add columns while there is room. Only a style listener may call it. */
  invalidate(): void;
  clear(): void;
  scrollToCell(x: number, y: number): Promise<void>;
  /** Forgets the widths of columns. The engine's own grid also uses this and `_column_sizes`. */
  _resetAutoSize(): void;
  /** The column widths that users set, by position, row headers first. */
  _column_sizes: {
    override: Record<number, number | undefined>;
    /** The widths that columns are drawn with, by position. */
    indices: (number | undefined)[];
  };
  /** Sets how far the columns scroll. @param isChanged false leaves it as it is */
  _update_virtual_panel_width(isChanged: boolean, columns: number): void;
  /** Returns the column that is scrolled to, with a fraction. */
  _calc_start_column(): number;
  /** The headers of the last drawing: one element for each of them. */
  _view_cache: { config: { row_pivots: number[]; column_pivots: number[] } };
  /** The parts that draw headers and body, replaced by `clear`; see the grid's pinned columns. */
  table_model: {
    header: {
      draw(
        name: string | undefined,
        parts: unknown,
        mark: 1 | undefined,
        x: number | undefined,
        key: number,
        x0: number,
        place: number,
        ...merging: unknown[]
      ): unknown;
    };
    body: {
      _draw_td(
        tag: 'TH' | 'TD',
        y: number,
        text: unknown,
        place: number,
        column: { column_name: unknown },
        ...more: unknown[]
      ): { td: HTMLElement; metadata: CellMeta };
    };
  };
}

/** Draws the views that the viewer passes to its grid. */
export interface GridHost {
  draw(view: View): Promise<void>;
  /** Called when rows were added or removed. */
  update(view: View): Promise<void>;
  /** Called when the size or position on screen, or the colours, changed. */
  redraw(): Promise<void>;
  /** Returns the grid's own part of a layout. */
  save(): Record<string, unknown>;
  /** Applies the grid's own part of a layout, and the formats of the columns. */
  restore(settings: unknown, columns: unknown): void;
}

/** The viewer's plugin that shows a view as a grid. */
export interface GridPlugin extends HTMLElement {
  readonly table: RegularTable;
  /** Null until the grid exists; until then, nothing is drawn. */
  host: GridHost | null;
}

/** The viewer, which creates views and shows them with one of its plugins. */
export interface Viewer extends HTMLElement {
  load(table: Table): Promise<void>;
  restore(config: Record<string, unknown>): Promise<void>;
  save(): Promise<unknown>;
  getPlugin(name: string): Promise<GridPlugin>;
  /** Sets the delay before a change is drawn, in milliseconds. */
  setThrottle(ms: number): void;
  resetThemes(themes: string[]): Promise<void>;
  resetError(): Promise<void>;
  flush(): Promise<void>;
  delete(): Promise<void>;
}

/** Creates a view for one question and deletes it afterwards. @throws any error of the question */
export async function withView<Answer>(
  table: Pick<EngineTable, 'view'>,
  config: Partial<ViewConfig>,
  ask: (view: View) => Promise<Answer>,
): Promise<Answer> {
  const view = await table.view(config);
  try {
    return await ask(view);
  } finally {
    await view.delete();
  }
}
