import '@finos/perspective-viewer/dist/css/pro.css';
import '@finos/perspective-viewer/dist/css/pro-dark.css';
import type { EngineTable, EngineView } from './view-reader';

/** The engine's table as this folder uses it. */
export interface Table extends EngineTable {
  view(config?: Parameters<EngineTable['view']>[0]): Promise<View>;
  size(): Promise<number>;
  update(columns: Record<string, unknown[]>): Promise<unknown>;
  remove(keys: readonly (string | number)[]): Promise<void>;
  validate_expressions(
    expressions: Record<string, string>,
  ): Promise<{ expression_schema: Record<string, string> }>;
  delete(): Promise<void>;
}

/** The engine's view as this folder uses it. */
export interface View extends EngineView {
  num_rows(): Promise<number>;
  num_columns(): Promise<number>;
  expand(row: number): Promise<number>;
  collapse(row: number): Promise<number>;
  set_depth(depth: number): Promise<void>;
}

interface RegularTable extends HTMLElement {
  getMeta(cell: Element): CellMeta | undefined;
  addStyleListener(listener: () => void): () => void;
  scrollToCell(x: number, y: number, columns: number, rows: number): Promise<void>;
}

export interface CellMeta {
  x?: number;
  y?: number;
  column_header_y?: number;
}

export interface GridPlugin extends HTMLElement {
  regular_table: RegularTable;
  activate(view: View): Promise<void>;
  draw(view: View): Promise<void>;
  update(view: View): Promise<void>;
}

export interface ViewerElement extends HTMLElement {
  load(table: Table): Promise<void>;
  restore(config: Record<string, unknown>): Promise<void>;
  save(): Promise<Record<string, unknown>>;
  getPlugin(name: string): Promise<GridPlugin>;
  toggleConfig(force?: boolean): Promise<void>;
  resetThemes(themes: string[]): Promise<void>;
  resetError(): Promise<void>;
  flush(): Promise<void>;
  delete(): Promise<void>;
}

interface Client {
  table(data: ArrayBuffer, options: { index: string }): Promise<Table>;
}

let client: Promise<Client> | null = null;

/**
 * The engine in its worker, started once a page. Only in a browser: its modules touch the document
 * when they are imported, so they are imported here.
 */
export function startEngine(): Promise<Client> {
  client ??= start().catch((error: unknown) => {
    client = null;
    throw error;
  });
  return client;
}

async function start(): Promise<Client> {
  const [engine, viewer, serverWasm, viewerWasm] = await Promise.all([
    import('@finos/perspective'),
    import('@finos/perspective-viewer'),
    import('@finos/perspective/dist/wasm/perspective-server.wasm?url'),
    import('@finos/perspective-viewer/dist/wasm/perspective-viewer.wasm?url'),
  ]);
  engine.default.init_server(fetch(serverWasm.default) as unknown as Promise<Response>);
  await Promise.all([
    viewer.default.init_client(fetch(viewerWasm.default) as unknown as Promise<Response>),
    import('@finos/perspective-viewer-datagrid'),
    import('@finos/perspective-viewer-d3fc'),
  ]);
  return (await engine.default.worker()) as unknown as Client;
}
