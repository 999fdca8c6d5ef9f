import { connect } from 'node:net';
import type pg from 'pg';

/** Properties of a connected pg client that its published types lack. */
declare module 'pg' {
  interface ClientBase {
    host: string;
    port: number;
    processID: number;
    secretKey: number;
    connection: { stream: { destroy(): void } };
    end(): Promise<void>;
  }
}

const CANCEL_REQUEST_CODE = 80877102;
const CANCEL_MILLISECONDS = 5000;

/**
 * Asks the server to cancel the statement that a connection runs. The protocol needs a second connection for
 * this, which the server closes as its answer. Closing the first connection would not be enough: the server
 * would go on until it next sends a row. The promise resolves even if the server cannot be reached.
 */
export function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client;
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const socket = connect(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    );
    socket.setTimeout(CANCEL_MILLISECONDS, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.end(request);
    socket.resume();
  });
}

/** Closes a connection without telling the server. The statement that runs on it fails at once. */
export function cutOff(client: pg.ClientBase): void {
  client.connection.stream.destroy();
}

/** Process id of the server's backend for a connection. */
export const backendOf = (client: pg.ClientBase): number => client.processID;
