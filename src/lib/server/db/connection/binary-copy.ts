/** Runs a statement as a binary COPY and passes its bytes on. */
import pg from 'pg';
import { Turns } from '../../turns';
import { cancelStatement } from './cancel';
import { CopyMessages } from './copy-messages';
import { rowsOf, type RowStream } from './row-socket';

/** A column of a statement's result. */
export interface SelectColumn {
  name: string;
  /** OID of its type. */
  type: number;
}

/**
 * Returns the result columns of a statement, in order. The server parses the statement without running it, so
 * a select that writes can be described too. Text with several statements is refused.
 * @throws DatabaseError if the statement cannot be parsed
 */
export function describeStatement(client: pg.ClientBase, sql: string): Promise<SelectColumn[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Description(sql, (error, columns) => (error ? reject(error) : resolve(columns))),
    );
  });
}

/** Parse and Describe of the protocol. pg itself describes a statement only when it runs it. */
class Description implements pg.Submittable {
  private columns: SelectColumn[] = [];

  constructor(
    private readonly text: string,
    /** The name is the one that pg calls when the connection ends. */
    readonly callback: (error: Error | null, columns: SelectColumn[]) => void,
  ) {}

  submit(connection: pg.Connection): void {
    connection.parse({ name: '', text: this.text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
  }

  handleError(error: Error): void {
    this.callback(error, []);
  }

  handleReadyForQuery(): void {
    this.callback(null, this.columns);
  }
}

/** Formats of a COPY: the binary format for the decoder, or CSV with a header line. */
const FORMATS = { binary: 'FORMAT binary', csv: 'FORMAT csv, HEADER true' };

/** Receives bytes of a COPY. They are overwritten after it returns. */
type OnChunk = (chunk: Uint8Array) => void | Promise<void>;

/**
 * Runs a select, which may write in its WITH, as a COPY. `onChunk` gets the bytes one chunk at a time; a
 * chunk may end anywhere. The next chunk is read after `onChunk` has finished.
 *
 * After an error of the select the connection can be used again. If `onChunk` throws, `signal` aborts or the
 * connection breaks, the answer is only half read: the server cancels the statement, and the connection is
 * closed before this throws, so that the pool does not take it back.
 *
 * @param client of the service; {@link rowsOf} its stream is defined
 * @throws DatabaseError of the select, the error of `onChunk`, or the reason of `signal`
 */
export async function copyOut(
  client: pg.ClientBase,
  sql: string,
  onChunk: OnChunk,
  signal?: AbortSignal,
  format: keyof typeof FORMATS = 'binary',
): Promise<void> {
  signal?.throwIfAborted();
  const copy = new CopyOut(`COPY (${sql}\n) TO STDOUT (${FORMATS[format]})`, onChunk);
  const abort = () => copy.fail(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await client.query(copy).ended;
  } catch (error) {
    if (!copy.isRefused) await endConnection(client);
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * A COPY whose bytes are read before pg sees them. pg would make an object per row, which takes longer than
 * decoding the row (docs/decisions/0004-rows-as-arrow.md).
 */
class CopyOut implements pg.Submittable {
  private readonly messages = new CopyMessages();
  private readonly turns = new Turns();
  /** Whether the server has ended the COPY with an error that leaves the connection usable. */
  isRefused = false;
  private hasFailed = false;
  private resolve: () => void = () => {};
  private reject: (error: unknown) => void = () => {};

  /** Settles when the connection can be used again. @throws the error that {@link fail} was given */
  readonly ended = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(
    private readonly text: string,
    private readonly onChunk: OnChunk,
  ) {}

  submit(connection: pg.Connection): Error | undefined {
    const rows = rowsOf(connection.stream);
    if (!rows) return new Error('A COPY is read from a RowSocket or a TLS connection only');
    rows.takeBy((bytes) => this.take(bytes, rows));
    connection.query(this.text);
    return undefined;
  }

  private take(bytes: Buffer, rows: RowStream): boolean {
    if (this.hasFailed) return false;
    try {
      const { data, rest } = this.messages.take(bytes);
      const pause = this.give(data);
      if (!pause) {
        if (rest) rows.giveBack(rest);
        return true;
      }
      pause
        .then(() => {
          // The next reader of this connection may be pg itself, without a pending request.
          if (this.hasFailed) return;
          if (rest) rows.giveBack(rest);
          rows.resume();
        })
        .catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
    return false;
  }

  /** @returns a promise to wait for before the next bytes are read; undefined if there is none */
  private give(data: Uint8Array): Promise<void> | undefined {
    const taking = data.length > 0 ? this.onChunk(data) : undefined;
    if (taking) return taking;
    return this.turns.isOver ? this.turns.give() : undefined;
  }

  /** Ends the COPY with an error and ignores all further bytes. */
  fail(error: unknown): void {
    this.hasFailed = true;
    this.reject(error);
  }

  handleError(error: Error): void {
    this.isRefused = !this.hasFailed && error instanceof pg.DatabaseError;
    this.fail(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.resolve();
  }
}

async function endConnection(client: pg.ClientBase): Promise<void> {
  await cancelStatement(client);
  await client.end();
}
