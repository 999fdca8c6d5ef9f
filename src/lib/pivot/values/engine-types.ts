import type { LayoutFilter, LayoutSort } from '../../contract/stored-layout';

/** A value as the engine holds it: a date or datetime is epoch milliseconds in UTC. */
export type CellValue = string | number | boolean | null;

/** Types of the engine's columns. */
export type ColumnType = 'string' | 'integer' | 'float' | 'boolean' | 'date' | 'datetime';

/** Column name → type, for the loaded columns and the layout's expressions. */
export type Schema = Readonly<Record<string, ColumnType>>;

/** A part of a view: rows and columns from `start` up to `end`; `id` asks for the rows' keys too. */
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

/** The part of the engine's view that reading a cell needs; it also runs in Node. */
export interface EngineView {
  get_config(): Promise<ViewConfig>;
  expression_schema(): Promise<Schema>;
  column_paths(window?: ViewWindow): Promise<string[]>;
  to_columns_string(window?: ViewWindow): Promise<string>;
  delete(): Promise<void>;
}

/** The part of the engine's table that reading a cell needs; it also runs in Node. */
export interface EngineTable {
  schema(): Promise<Schema>;
  get_index(): Promise<string | undefined>;
  get_client(): Promise<EngineClient>;
  view(config?: Partial<ViewConfig>): Promise<EngineView>;
  validate_expressions(
    expressions: Record<string, string>,
  ): Promise<{ expression_schema: Record<string, ColumnType> }>;
  /** @param options `lazy`: when its last view is gone, which has to be gone already otherwise */
  delete(options?: { lazy: boolean }): Promise<void>;
}

/** The part of the engine that makes tables; of a schema alone, an empty one. */
export interface EngineClient {
  table(schema: Schema, options?: { index: string }): Promise<Table>;
  /** Takes an Arrow stream of one record batch over. */
  table(rows: ArrayBuffer, options: { index: string }): Promise<Table>;
}

/** The engine's view as the grid uses it. */
export interface View extends EngineView {
  schema(): Promise<Schema>;
  num_rows(): Promise<number>;
  num_columns(): Promise<number>;
  expand(row: number): Promise<number>;
  collapse(row: number): Promise<number>;
  set_depth(depth: number): Promise<void>;
}

/** The engine's table as the grid reads it. */
export interface ReadTable extends EngineTable {
  view(config?: Partial<ViewConfig>): Promise<View>;
}

/** The engine's table as the pivot uses it. */
export interface Table extends ReadTable {
  size(): Promise<number>;
  /** Takes columns of values, or an Arrow stream of one record batch, which it takes over. */
  update(rows: Record<string, CellValue[]> | ArrayBuffer): Promise<unknown>;
  /** Takes all rows out. */
  clear(): Promise<void>;
  remove(keys: readonly (string | number)[]): Promise<void>;
}

/** Where a cell's element is: body cells have `x` and `y`, headers of columns `column_header_y`. */
interface CellMeta {
  x?: number;
  y?: number;
  y0?: number;
  column_header_y?: number;
}

/** What a table draws of a window, and how large the whole is. */
export interface TableData {
  num_rows: number;
  num_columns: number;
  num_row_headers: number;
  num_column_headers: number;
  row_headers: string[][];
  /** The headers of each column, the outermost first. */
  column_headers: HTMLElement[][];
  /** The texts of each column. */
  data: string[][];
  /** So many of the outermost headers are drawn as one if neighbours share theirs. */
  column_header_merge_depth: number;
  merge_headers: 'column';
}

/** The element that draws a table of which only a window is there. */
export interface RegularTable extends HTMLElement {
  getMeta(cell: Element): CellMeta | undefined;
  addStyleListener(listener: () => void): () => void;
  /** @param listener reads columns from `x0` up to `x1` and rows from `y0` up to `y1` */
  setDataListener(
    listener: (x0: number, y0: number, x1: number, y1: number) => Promise<TableData>,
  ): void;
  draw(): Promise<void>;
  clear(): void;
  scrollToCell(x: number, y: number): Promise<void>;
  /** Forgets how wide columns are. The engine's own grid uses this and the next, too. */
  _resetAutoSize(): void;
  /** The widths that people gave to columns, by their places, those of row headers first. */
  _column_sizes: { override: Record<number, number | undefined> };
}

/** What draws the views that the viewer hands to its grid. */
export interface GridHost {
  draw(view: View): Promise<void>;
  /** Rows came or went. */
  update(view: View): Promise<void>;
  /** The place on screen, or its colours, are others. */
  redraw(): Promise<void>;
  /** The grid's own part of a layout. */
  save(): Record<string, unknown>;
  /** Takes the grid's own part of a layout, and how each column is written. */
  restore(settings: unknown, columns: unknown): void;
}

/** The viewer's plugin that shows a view as a grid. */
export interface GridPlugin extends HTMLElement {
  readonly table: RegularTable;
  /** Null until the grid is there: nothing is drawn before. */
  host: GridHost | null;
}

/** The viewer: it makes the views, and shows them through one of its plugins. */
export interface Viewer extends HTMLElement {
  load(table: Table): Promise<void>;
  restore(config: Record<string, unknown>): Promise<void>;
  save(): Promise<unknown>;
  getPlugin(name: string): Promise<GridPlugin>;
  toggleConfig(force?: boolean): Promise<void>;
  /** How long it waits before it draws a change, in milliseconds. */
  setThrottle(ms: number): void;
  resetThemes(themes: string[]): Promise<void>;
  resetError(): Promise<void>;
  flush(): Promise<void>;
  delete(): Promise<void>;
}

/** Asks a view that lives no longer than the question. @throws whatever the question throws */
export async function withView<View extends EngineView, Answer>(
  table: { view(config: Partial<ViewConfig>): Promise<View> },
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
