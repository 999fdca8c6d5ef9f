/** Starts Perspective in its worker and wraps its client. */
/* eslint-disable @typescript-eslint/consistent-type-assertions --
   Only this file converts Perspective's types to ours: they use `any` for most results and lack the
   viewer's element. engine-types.ts has the types of arguments and results. */
import '@finos/perspective-viewer/dist/css/pro.css';
import '@finos/perspective-viewer/dist/css/pro-dark.css';
import { joined } from '../rows/arrow-columns';
import type { EngineClient, Schema, Table, Viewer } from '../values/engine-types';
import { MessagePatch } from './message-patch';

let engine: Promise<Engine> | null = null;

/**
 * Starts the engine in its worker, once per page. Its modules need a document when they are imported, so they
 * are imported here, in the browser only.
 */
export function startEngine(): Promise<Engine> {
  engine ??= start().catch((error: unknown) => {
    engine = null;
    throw error;
  });
  return engine;
}

async function start(): Promise<Engine> {
  const [perspective, viewer, { default: EngineWorker }, serverWasm, viewerWasm] =
    await Promise.all([
      import('@finos/perspective'),
      import('@finos/perspective-viewer'),
      import('@finos/perspective/dist/cdn/perspective-server.worker.js?worker&inline'),
      import('@finos/perspective/dist/wasm/perspective-server.wasm?unpacked'),
      import('@finos/perspective-viewer/dist/wasm/perspective-viewer.wasm?url'),
    ]);
  const serverBytes = fetch(serverWasm.default).then((response) => response.arrayBuffer());
  perspective.default.init_server(serverBytes, true);
  await Promise.all([
    viewer.default.init_client(fetch(viewerWasm.default) as unknown as Promise<Response>),
    import('../grid/drawing/plugin'),
  ]);
  const worker = new EngineWorker();
  // Some mobile browsers have no shared workers.
  const patch = typeof SharedWorker === 'undefined' ? null : new MessagePatch();
  const taken = Promise.resolve(patch ? shared(worker, patch) : worker);
  const client = (await perspective.default.worker(taken)) as unknown as EngineClient;
  return new Engine(client, patch);
}

/**
 * Wraps a worker as a shared worker, which the engine's client uses through a port: outgoing messages pass
 * through this port and can be filled. For a dedicated worker, the client creates the port itself.
 */
function shared(worker: Worker, patch: MessagePatch): SharedWorker {
  const { port1: port, port2 } = new MessageChannel();
  worker.postMessage(null, [port2]);
  const post = port.postMessage.bind(port);
  port.postMessage = (message: unknown, options?: Transferable[] | StructuredSerializeOptions) => {
    if (!(message instanceof ArrayBuffer)) return post(message, options as never);
    const filled = patch.filled(message);
    post(filled, [filled]);
  };
  return Object.create(SharedWorker.prototype, { port: { value: port } }) as SharedWorker;
}

/** The engine as the pivot uses it. Rows are the parts of an Arrow stream of one record batch, in order. */
export class Engine {
  constructor(
    private readonly client: EngineClient,
    /** Null if rows have to pass through the client. */
    private readonly patch: MessagePatch | null,
  ) {}

  /** Creates a table from rows. @throws Error if the engine refuses them */
  table(rows: readonly Uint8Array[], options: { index: string }): Promise<Table> {
    return this.give(rows, (given) => this.client.table(given, options));
  }

  /** Creates a table without rows. */
  emptyTable(schema: Schema, options: { index: string }): Promise<Table> {
    return this.client.table(schema, options);
  }

  /** Adds rows to a table in one update. */
  update(table: Table, rows: readonly Uint8Array[]): Promise<unknown> {
    return this.give(rows, (given) => table.update(given));
  }

  private give<T>(
    rows: readonly Uint8Array[],
    ask: (given: ArrayBuffer) => Promise<T>,
  ): Promise<T> {
    return this.patch ? this.patch.during(rows, ask) : ask(joined(rows));
  }
}

/** Creates a viewer that is not on the page yet. */
export function createViewer(): Viewer {
  return document.createElement('perspective-viewer') as unknown as Viewer;
}
