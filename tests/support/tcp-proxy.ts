import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A network between a browser and a server that a test can interrupt. */
export interface TcpProxy {
  url: string;
  /** Forwards nothing in either direction, and closes nothing. */
  swallow(): void;
  /** Forwards nothing more of the open event streams. Everything else passes. */
  silenceStreams(): void;
  /** Refuses connections and closes the open ones. */
  refuse(): Promise<void>;
  /** Forwards new connections again. Connections that lost bytes are closed. */
  pass(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a proxy on a free port of 127.0.0.1. @param url address of the server */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const target = Number(new URL(url).port);
  const sockets = new Set<Socket>();
  /** The connections of the server that carry an event stream, and those of them that are silent. */
  const streams = new Set<Socket>();
  const silent = new Set<Socket>();
  let isSwallowing = false;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (from === client && bytes.includes('/events')) streams.add(upstream);
        if (!isSwallowing && !silent.has(from)) to.write(bytes);
      });
      // A swallowing network does not report the end of a connection either.
      from.on('end', () => {
        if (!isSwallowing) to.end();
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        streams.delete(from);
        if (!isSwallowing) to.destroy();
      });
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    cut();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    swallow: () => {
      isSwallowing = true;
    },
    silenceStreams: () => {
      for (const stream of streams) silent.add(stream);
    },
    refuse: close,
    pass: async () => {
      isSwallowing = false;
      cut();
      if (!server.listening) await listen(port);
    },
    stop: close,
  };
}
