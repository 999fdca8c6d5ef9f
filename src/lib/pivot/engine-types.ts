import type { LayoutFilter, LayoutSort } from '../contract/stored-layout';

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
  delete(): Promise<void>;
}

/** The part of the engine that makes tables; of a schema alone, an empty one. */
export interface EngineClient {
  table(schema: Schema): Promise<Table>;
}

/** The engine's view as the grid uses it. */
export interface View extends EngineView {
  schema(): Promise<Schema>;
  num_rows(): Promise<number>;
  num_columns(): Promise<number>;
  expand(row: number): Promise<number>;
  collapse(row: number): Promise<number>;
  set_depth(depth: number): Promise<void>;
  /** What it shows as an Arrow stream of one record batch. */
  to_arrow(window: { compression: null }): Promise<ArrayBuffer>;
}

/** The engine's table as the pivot uses it. */
export interface Table extends EngineTable {
  view(config?: Partial<ViewConfig>): Promise<View>;
  size(): Promise<number>;
  /** Takes columns of values, or an Arrow stream of one record batch, which it takes over. */
  update(rows: Record<string, CellValue[]> | ArrayBuffer): Promise<unknown>;
  /** The same in the place of all rows that there are. */
  replace(rows: ArrayBuffer): Promise<unknown>;
  remove(keys: readonly (string | number)[]): Promise<void>;
}

/** The engine as the pivot uses it. */
export interface Engine {
  table(data: ArrayBuffer, options: { index: string }): Promise<Table>;
}

/** Where a cell's element is: body cells have `x` and `y`, headers of columns `column_header_y`. */
export interface CellMeta {
  x?: number;
  y?: number;
  column_header_y?: number;
}

/** The element that draws the grid. */
export interface RegularTable extends HTMLElement {
  getMeta(cell: Element): CellMeta | undefined;
  addStyleListener(listener: () => void): () => void;
  scrollToCell(x: number, y: number, columns: number, rows: number): Promise<void>;
}

/** The viewer's plugin that shows a view as a grid. */
export interface GridPlugin extends HTMLElement {
  regular_table: RegularTable;
  activate(view: View): Promise<void>;
  draw(view: View): Promise<void>;
  update(view: View): Promise<void>;
  /** Takes the grid's own settings, and how each column is written. */
  restore(settings: unknown, columns?: Record<string, unknown>): Promise<void>;
}

/** The viewer: it makes the views, and shows them through one of its plugins. */
export interface Viewer extends HTMLElement {
  load(table: Table): Promise<void>;
  restore(config: Record<string, unknown>): Promise<void>;
  save(): Promise<unknown>;
  getPlugin(name: string): Promise<GridPlugin>;
  toggleConfig(force?: boolean): Promise<void>;
  resetThemes(themes: string[]): Promise<void>;
  resetError(): Promise<void>;
  flush(): Promise<void>;
  delete(): Promise<void>;
}
