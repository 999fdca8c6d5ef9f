/** A transaction on one connection of the pool. */
import type pg from 'pg';
import { AppError } from '../../errors';
import type { Sender } from '../../sender';
import type { SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import type { SelectColumn } from './binary-copy';
import { copyOut, describeStatement } from './binary-copy';
import { copyIn } from './copy-in';
import { Queryable, sendOne } from './queryable';
import type { Watch } from './watch';

/** Runs statements on one connection, inside a transaction. */
export class Transaction extends Queryable {
  private readonly client: pg.PoolClient;
  private readonly watch: Watch;

  constructor(
    client: pg.PoolClient,
    watch: Watch,
    /** False if the server has no Citus, so that no table can be distributed. */
    readonly mayBeDistributed: boolean,
    private readonly history: () => string | null,
    readonly sender: Sender,
  ) {
    super();
    this.client = client;
    this.watch = watch;
  }

  /** The history that this transaction reads and writes; null if the database does not reveal it. */
  get timeline(): string | null {
    return this.history();
  }

  protected override send(text: SqlText, values: unknown[]): Promise<pg.QueryResult> {
    return this.watch.run(() => sendOne(this.client, text, values));
  }

  /**
   * Runs a part of the work in a savepoint. If it is refused, its writes are rolled back, earlier writes
   * stay, and the refusal is returned.
   *
   * @param refusalOf called after the rollback; returns the refusal that an error of the work means, such as one of a
   *   trigger, or undefined if it means none
   * @throws every other error, and a refusal after which the connection cannot be used
   */
  async attempt<Result>(
    work: () => Promise<Result>,
    refusalOf?: (error: unknown) => Promise<AppError | undefined>,
  ): Promise<Result | AppError> {
    await this.run(sql`SAVEPOINT attempt`);
    const release = () => this.run(sql`RELEASE SAVEPOINT attempt`);
    try {
      const result = await work();
      await release();
      return result;
    } catch (error) {
      try {
        await this.run(sql`ROLLBACK TO SAVEPOINT attempt`);
        await release();
      } catch {
        // The refusal is more useful than the error of the lost connection.
        throw error;
      }
      const refusal = (await refusalOf?.(error)) ?? error;
      if (!(refusal instanceof AppError) || refusal.status >= 500) throw refusal;
      return refusal;
    }
  }

  /** Returns the result columns of a statement, in order, without running it. @throws DatabaseError */
  describe(statement: SqlText): Promise<SelectColumn[]> {
    return this.watch.run(() => describeStatement(this.client, statement));
  }

  /**
   * Streams a select, which may write in its WITH, as a binary COPY. If the stream is interrupted, the
   * connection is closed.
   */
  copyOut(
    select: SqlText,
    onChunk: (chunk: Uint8Array) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    return this.watch.run(() => copyOut(this.client, select, onChunk, signal));
  }

  /** Streams a select as CSV with a header line, as fast as `onChunk` takes it. */
  copyCsv(
    select: SqlText,
    onChunk: (chunk: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    return this.watch.run(() => copyOut(this.client, select, onChunk, signal, 'csv'));
  }

  /** Runs a `COPY … FROM STDIN` with its text. @throws also the error of `text` */
  copyIn(statement: SqlText, text: AsyncIterable<Uint8Array>): Promise<void> {
    return this.watch.run(() => copyIn(this.client, statement, text));
  }
}
