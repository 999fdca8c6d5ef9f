import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import type { DatabaseConfig } from '../../src/lib/server/config';

/** A network to the database that can drop every packet. */
export interface Network {
  /** The database as reached through this network. */
  database: DatabaseConfig;
  /** Drops everything: connections stay open, new ones are accepted, and no byte gets through. */
  drop(): void;
  /** Forwards bytes again, on new connections. Dropped bytes are lost. */
  restore(): void;
  stop(): Promise<void>;
}

/** Starts a TCP proxy before a database. */
export async function startNetwork(database: DatabaseConfig): Promise<Network> {
  let isDropping = false;
  const pairs = new Set<Socket[]>();
  const cut = (sockets: Socket[]) => {
    pairs.delete(sockets);
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inside) => {
    const outside = connect({ host: database.host, port: database.port });
    const pair = [inside, outside];
    pairs.add(pair);
    for (const [from, to] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      from.on('data', (bytes) => isDropping || to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => isDropping || cut(pair));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    database: { ...database, host: '127.0.0.1', port },
    drop: () => (isDropping = true),
    restore: () => {
      isDropping = false;
      // A stream that has lost a part cannot continue.
      for (const pair of pairs) cut(pair);
    },
    stop: async () => {
      for (const pair of pairs) cut(pair);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
