/** Writes rows into a table by a COPY. */
import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** Messages of the protocol from the client during a COPY. */
const COPY_DATA = 'd';
const COPY_DONE = 'c';
const COPY_FAIL = 'f';

/**
 * Sends text as the data of a `COPY … FROM STDIN`, as fast as the server takes it. If reading the text fails, the
 * server cancels the statement, and the connection can be used again.
 *
 * @throws DatabaseError of the statement, or the error of `text`
 */
export function copyIn(
  client: pg.ClientBase,
  statement: string,
  text: AsyncIterable<Uint8Array>,
): Promise<void> {
  const copy = new CopyIn(statement, text);
  client.query(copy);
  return copy.ended;
}

class CopyIn implements pg.Submittable {
  private isOver = false;
  /** The error of the text, which is the reason why the server reports a failed COPY. */
  private failure: unknown;
  private resolve: () => void = () => {};
  private reject: (error: unknown) => void = () => {};

  readonly ended = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor(
    private readonly statement: string,
    private readonly text: AsyncIterable<Uint8Array>,
  ) {}

  submit(connection: pg.Connection): void {
    connection.query(this.statement);
  }

  /** Called by pg when the server is ready for data. */
  handleCopyInResponse({ stream }: pg.Connection): void {
    void this.feed(stream);
  }

  private async feed(stream: Duplex): Promise<void> {
    try {
      for await (const part of this.text) {
        if (this.isOver) return;
        if (!stream.write(message(COPY_DATA, part))) await drained(stream);
      }
      if (!this.isOver) stream.write(message(COPY_DONE, Buffer.alloc(0)));
    } catch (error) {
      this.failure = error;
      if (!this.isOver) stream.write(message(COPY_FAIL, Buffer.from('the file cannot be read\0')));
    }
  }

  handleError(error: Error): void {
    this.isOver = true;
    this.reject(this.failure ?? error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.isOver = true;
    this.resolve();
  }
}

function message(kind: string, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(kind, 'latin1');
  // The length counts itself.
  head.writeUInt32BE(payload.length + 4, 1);
  return Buffer.concat([head, payload]);
}

/** Waits until a stream takes more, or is closed. */
const drained = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
    if (stream.destroyed) done();
  });
