/* eslint-disable @typescript-eslint/consistent-type-assertions --
   The one place where Perspective's types meet ours: its own say `any` for most answers, and do not
   know the viewer's element. engine-types.ts says what it takes and answers. */
import '@finos/perspective-viewer/dist/css/pro.css';
import '@finos/perspective-viewer/dist/css/pro-dark.css';
import type { Engine, Viewer } from './engine-types';

let client: Promise<Engine> | null = null;

/**
 * The engine in its worker, started once per page. Its modules need a document when they are
 * imported, so they are imported here, in the browser only.
 */
export function startEngine(): Promise<Engine> {
  client ??= start().catch((error: unknown) => {
    client = null;
    throw error;
  });
  return client;
}

async function start(): Promise<Engine> {
  const [engine, viewer, serverWasm, viewerWasm] = await Promise.all([
    import('@finos/perspective'),
    import('@finos/perspective-viewer'),
    import('@finos/perspective/dist/wasm/perspective-server.wasm?url'),
    import('@finos/perspective-viewer/dist/wasm/perspective-viewer.wasm?url'),
  ]);
  engine.default.init_server(fetch(serverWasm.default) as unknown as Promise<Response>);
  await Promise.all([
    viewer.default.init_client(fetch(viewerWasm.default) as unknown as Promise<Response>),
    import('./grid/plugin'),
  ]);
  return (await engine.default.worker()) as unknown as Engine;
}

/** A viewer that is not on the page yet. */
export function createViewer(): Viewer {
  return document.createElement('perspective-viewer') as unknown as Viewer;
}
