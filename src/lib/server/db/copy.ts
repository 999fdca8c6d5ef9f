import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { Turns } from '../turns';
import { cancelStatement } from './cancel';

/** A column that a statement answers. */
export interface SelectColumn {
  name: string;
  /** OID of its type. */
  type: number;
}

/**
 * The columns that a statement answers, in order. The server parses the statement and does not run it,
 * so this holds for a select that writes as well; text of several statements is refused.
 * @throws DatabaseError if the statement cannot be parsed
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
    /** Named as pg expects it: pg calls it if the connection ends. */
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

/** What a COPY writes: what the decoder reads, or CSV with a header line. */
const FORMATS = { binary: 'FORMAT binary', csv: 'FORMAT csv, HEADER true' };

/**
 * Runs a select, which may write in its WITH, as a COPY. `onChunk` gets the bytes as they come, one chunk
 * after the other; a chunk may end anywhere. The next one is read when `onChunk` has taken the one before.
 *
 * If the select itself fails, the connection can be used again. If `onChunk` throws, `signal` aborts or
 * the connection breaks, the answer is half read: the server cancels the statement, and the connection
 * is closed before this throws. The pool does not take it back.
 *
 * @throws DatabaseError of the select, what `onChunk` threw, or the reason of `signal`
 */
export async function copyOut(
  client: pg.ClientBase,
  sql: string,
  onChunk: (chunk: Uint8Array) => void | Promise<void>,
  signal?: AbortSignal,
  format: keyof typeof FORMATS = 'binary',
): Promise<void> {
  signal?.throwIfAborted();
  const stream = client.query(copyTo(`COPY (${sql}\n) TO STDOUT (${FORMATS[format]})`));
  // Nobody reads an error after the last byte; the next statement fails with it.
  stream.on('error', () => {});
  const abort = () => stream.destroy(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const turns = new Turns();
    for await (const chunk of stream) {
      await onChunk(chunk);
      await turns.give();
    }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) await endConnection(client);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

async function endConnection(client: pg.ClientBase): Promise<void> {
  await cancelStatement(client);
  await client.end();
}
