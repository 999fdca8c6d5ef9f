/** Cancels statements and closes connections that hang. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type pg from 'pg';
import type { Encryption } from '../../config';

/** Properties of a connected pg client that its published types lack. */
declare module 'pg' {
  interface ClientBase {
    host: string;
    port: number;
    processID: number;
    secretKey: number;
    connection: Connection;
    end(): Promise<void>;
  }
  interface Connection {
    ssl: Encryption | false;
  }
}

const CANCEL_REQUEST_CODE = 80877102;
const SSL_REQUEST_CODE = 80877103;
const CANCEL_MILLISECONDS = 5000;

/**
 * Asks the server to cancel the statement that a connection runs. The protocol needs a second connection for
 * this, encrypted like the first, which the server closes as its answer. Closing the first connection would not
 * be enough: the server would go on until it next sends a row. The promise resolves even if the server cannot
 * be reached.
 */
export function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client;
  const { ssl } = client.connection;
  const request = message(CANCEL_REQUEST_CODE, processID, secretKey);
  return new Promise((resolve) => {
    const socket = connect(
      host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    );
    socket.setTimeout(CANCEL_MILLISECONDS, () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    if (ssl) encrypt(socket, host, ssl, (secure) => sendLast(secure, request));
    else sendLast(socket, request);
  });
}

function sendLast(socket: Socket, request: Buffer): void {
  socket.end(request);
  socket.resume();
}

/** Asks the server for TLS, and closes the connection if the server offers none. */
function encrypt(
  socket: Socket,
  host: string,
  ssl: Encryption,
  then: (secure: Socket) => void,
): void {
  socket.write(message(SSL_REQUEST_CODE));
  socket.once('data', (answer) => {
    if (answer.toString() !== 'S') return void socket.destroy();
    // RFC 6066 allows no address as a server name.
    const servername = isIP(host) ? {} : { servername: host };
    const secure = connectSecurely({ socket, host, ...servername, ...ssl }, () => then(secure));
    secure.on('error', () => socket.destroy());
    return undefined;
  });
}

/** A message of the protocol's start: its length, then these 32-bit integers. */
function message(...integers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * (integers.length + 1));
  [bytes.length, ...integers].forEach((integer, i) => bytes.writeInt32BE(integer, 4 * i));
  return bytes;
}

/** Closes a connection without telling the server. The statement that runs on it fails at once. */
export function cutOff(client: pg.ClientBase): void {
  client.connection.stream.destroy();
}

/** Process id of the server's backend for a connection. */
export const backendOf = (client: pg.ClientBase): number => client.processID;
