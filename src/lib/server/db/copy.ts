import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** A column that a statement answers. */
export interface SelectColumn {
  name: string;
  /** OID of its type. */
  type: number;
}

/**
 * The columns that a statement answers, in order. The server parses the statement and does not run it,
 * so this holds for a select that writes as well; text of several statements is refused.
 * @throws DatabaseError where the statement cannot be parsed
 */
export function describeStatement(client: pg.ClientBase, sql: string): Promise<SelectColumn[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Description(sql, (error, columns) => (error ? reject(error) : resolve(columns))),
    );
  });
}

/** The protocol's Parse and Describe; pg itself describes a statement only while it runs it. */
class Description implements pg.Submittable {
  #columns: SelectColumn[] = [];

  constructor(
    private readonly text: string,
    /** Under this name pg finds it, to end it where the connection does. */
    readonly callback: (error: Error | null, columns: SelectColumn[]) => void,
  ) {}

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }

  handleError(error: Error): void {
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#columns);
  }
}

/** How long the chunks of one COPY may hold the event loop before other requests get their turn. */
const TURN_MILLISECONDS = 8;

/**
 * Runs a select, which may write in its WITH, as a binary COPY and hands its bytes to `onChunk` as they come, no faster than it
 * takes them. The chunks are split anywhere.
 *
 * Where the select itself fails, the connection is as good as before. Where `onChunk` throws, `signal`
 * aborts or the connection breaks, the statement is cancelled on the server and the connection, which
 * is half read, is closed before this throws: a pool does not take it back, whatever it is released
 * with, and a statement sent on it fails.
 * @throws DatabaseError of the select, what `onChunk` threw, or the reason of `signal`
 */
export async function copyOut(
  client: pg.ClientBase,
  sql: string,
  onChunk: (chunk: Uint8Array) => void,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const stream = client.query(copyTo(`COPY (${sql}\n) TO STDOUT (FORMAT binary)`));
  // An error after the last byte has nobody left to read it; the next statement meets it again.
  stream.on('error', () => {});
  const abort = () => stream.destroy(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    let turn = performance.now();
    for await (const chunk of stream) {
      onChunk(chunk);
      if (performance.now() - turn > TURN_MILLISECONDS) {
        await setImmediate();
        turn = performance.now();
      }
    }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) await endConnection(client);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** What a connected client of pg has beyond its published types. */
type ConnectedClient = pg.Client & { processID: number; secretKey: number };

async function endConnection(client: pg.ClientBase): Promise<void> {
  const connected = client as ConnectedClient;
  await cancelStatement(connected);
  await connected.end();
}

const CANCEL_REQUEST_CODE = 80877102;
const CANCEL_MILLISECONDS = 5000;

/**
 * Asks the server to cancel what a connection runs, as the protocol has it: on a connection of its
 * own, which the server closes as its answer. A server that only loses the connection would go on
 * until it next sends a row. Settles where the server cannot be reached, too.
 */
function cancelStatement({ host, port, processID, secretKey }: ConnectedClient): Promise<void> {
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
