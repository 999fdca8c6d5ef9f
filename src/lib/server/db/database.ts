import pg from 'pg';
import type { DatabaseConfig } from '../config';
import { AppError } from '../errors';
import type { SelectColumn } from './copy';
import { copyOut, describeStatement } from './copy';
import { Queue } from './queue';
import { SESSION_OPTIONS } from './connection-settings';

export interface ConnectionSettings extends DatabaseConfig {
  /** Milliseconds a statement may run; 0 is without limit. */
  statementTimeout: number;
}

const types = new pg.TypeOverrides();
const asInstant = (text: string) =>
  /infinity/.test(text)
    ? text
    : new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();
// A date never passes through a JavaScript Date, which would shift it by the local time zone.
types.setTypeParser(pg.types.builtins.DATE, (text) => text);
types.setTypeParser(pg.types.builtins.TIMESTAMP, (text) => text);
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, asInstant);
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** SQLSTATE codes this service acts on, by name. */
export const SQLSTATE = {
  uniqueViolation: '23505',
  undefinedColumn: '42703',
  undefinedTable: '42P01',
  undefinedFunction: '42883',
  ambiguousFunction: '42725',
  datatypeMismatch: '42804',
  indeterminateDatatype: '42P18',
  indeterminateCollation: '42P22',
  wrongObjectType: '42809',
  featureNotSupported: '0A000',
  programLimitExceeded: '54000',
  cannotCoerce: '42846',
  numericOutOfRange: '22003',
  datetimeOverflow: '22008',
  statementTooComplex: '54001',
  deadlockDetected: '40P01',
  queryCanceled: '57014',
} as const;

/** The SQLSTATE of a database error, undefined for every other error. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : undefined;

/**
 * A failure that lies in no statement's text, in words that a person can act on; every other error as
 * it is.
 */
function forPeople(error: unknown): unknown {
  const state = sqlState(error);
  if (state === SQLSTATE.queryCanceled) {
    return new AppError(
      500,
      'The database ended this request, which ran longer than PF_STATEMENT_TIMEOUT allows; nothing was changed',
      { cause: error },
    );
  }
  if (state === SQLSTATE.deadlockDetected) {
    return new AppError(
      409,
      "This change and another one were in each other's way; nothing was changed, try again",
      { cause: error },
    );
  }
  // A forecast or source table may go; the service's own tables are missing where nothing was migrated.
  if (state === SQLSTATE.undefinedTable && !/"pf\.(?!fc_)/.test((error as Error).message)) {
    return new AppError(404, 'A table that this needs is no longer there', { cause: error });
  }
  return error;
}

/** Runs statements; the verb states how many rows are expected. */
export class Session {
  constructor(protected readonly target: pg.Pool | pg.PoolClient) {}

  /** @throws Error where there is not exactly one row */
  async one<Row extends object>(sql: string, params: unknown[] = []): Promise<Row> {
    const rows = await this.many<Row>(sql, params);
    const [row] = rows;
    if (rows.length !== 1 || !row) throw new Error(`Expected one row, got ${rows.length}`);
    return row;
  }

  /** The only row, or undefined where there is none. @throws Error where there are several */
  async maybeOne<Row extends object>(
    sql: string,
    params: unknown[] = [],
  ): Promise<Row | undefined> {
    const rows = await this.many<Row>(sql, params);
    if (rows.length > 1) throw new Error(`Expected at most one row, got ${rows.length}`);
    return rows[0];
  }

  async many<Row extends object>(sql: string, params: unknown[] = []): Promise<Row[]> {
    return (await this.query(sql, params)).rows as Row[];
  }

  /** Runs a statement for its effect. @returns how many rows it touched */
  async run(sql: string, params: unknown[] = []): Promise<number> {
    return (await this.query(sql, params)).rowCount ?? 0;
  }

  protected query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    return this.send(this.target, text, values);
  }

  protected send(
    target: pg.Pool | pg.PoolClient,
    text: string,
    values: unknown[],
  ): Promise<pg.QueryResult> {
    // The extended protocol takes one statement only, whatever the text holds. It is in pg's
    // documentation, not in its published types.
    const query: pg.QueryConfig & { queryMode: 'extended' } = {
      text,
      values,
      types,
      queryMode: 'extended',
    };
    return target.query(query);
  }
}

/** A session on one connection, inside a transaction. */
export class Transaction extends Session {
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    super(client);
    this.#client = client;
  }

  /** The columns that a statement would answer, in order; it is not run. @throws DatabaseError */
  describe(sql: string): Promise<SelectColumn[]> {
    return describeStatement(this.#client, sql);
  }

  /** Streams a select, which may write in its WITH, as binary COPY; if it is broken off, the connection goes with it. */
  copyOut(sql: string, onChunk: (chunk: Uint8Array) => void, signal?: AbortSignal): Promise<void> {
    return copyOut(this.#client, sql, onChunk, signal);
  }
}

/** Connections of one server process. */
const CONNECTIONS = 20;

/**
 * How many of them writers may hold, so that reads go on: some of one version, whose lock all but one
 * of them wait for, and of those only so many that other versions have room.
 */
const WRITERS = { all: 14, ofKey: 3, beside: 6 };

/** How long a request waits for a connection before it is turned away. */
const CONNECT_MILLISECONDS = 10_000;

/** How long a statement on the connection apart may take: who asks there wants to know soon. */
const ASIDE_MILLISECONDS = 5_000;

/** The pool of connections to the database. */
export class Database extends Session {
  readonly #pool: pg.Pool;
  readonly #spare: pg.Pool;
  readonly #writers = new Queue(WRITERS);

  /** A connection apart from the pool, for what must be answered while all others are at work. */
  readonly aside: Session;

  constructor(settings: ConnectionSettings, onIdleError: (error: Error) => void = () => {}) {
    const pool = (max: number, limits: pg.PoolConfig) => {
      const connections = new pg.Pool({
        host: settings.host,
        port: settings.port,
        database: settings.database,
        user: settings.user,
        password: settings.password,
        ssl: false,
        max,
        connectionTimeoutMillis: CONNECT_MILLISECONDS,
        application_name: 'forecast-pivot',
        options: SESSION_OPTIONS,
        ...limits,
      });
      // Without a listener, an idle connection that dies would end the process.
      connections.on('error', onIdleError);
      return connections;
    };
    const shared = pool(CONNECTIONS, { statement_timeout: settings.statementTimeout });
    super(shared);
    this.#pool = shared;
    this.#spare = pool(1, {
      statement_timeout: ASIDE_MILLISECONDS,
      // A server that stands still cannot end the statement either.
      query_timeout: 2 * ASIDE_MILLISECONDS,
    });
    this.aside = new Session(this.#spare);
  }

  /**
   * Runs `work` in one transaction: committed where it returns, rolled back where it throws. A
   * connection that cannot even roll back is closed rather than given back.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    isolation: 'READ COMMITTED' | 'REPEATABLE READ READ ONLY' = 'READ COMMITTED',
  ): Promise<Result> {
    return this.#onConnection(async (client, broke) => {
      try {
        await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
        const result = await work(new Transaction(client));
        const done = await client.query('COMMIT');
        if (done.command !== 'COMMIT') throw new Error('The transaction was rolled back');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(broke);
        throw error;
      }
    });
  }

  /**
   * A transaction that writes to one version. Most of those who wait for the version's lock wait
   * here, without a connection, so that versions do not wait for each other
   * (docs/contract/15-concurrency.md).
   */
  versionTransaction<Result>(
    versionId: number,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#writers.run(versionId, () => this.transaction(work));
  }

  protected override query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    return this.#onConnection((client) => this.send(client, text, values));
  }

  async #onConnection<Result>(
    work: (client: pg.PoolClient, broke: (error: Error) => void) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#connect();
    let broken: Error | undefined;
    const broke = (error: Error) => (broken ??= error);
    // A connection that dies between two statements says so by this event alone.
    client.on('error', broke);
    try {
      return await work(client, broke);
    } catch (error) {
      throw forPeople(error);
    } finally {
      client.removeListener('error', broke);
      client.release(broken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      const busy = this.#pool.totalCount === CONNECTIONS && this.#pool.idleCount === 0;
      throw new AppError(
        500,
        busy
          ? 'Every connection to the database is at work; nothing was changed, try again in a moment'
          : 'The database cannot be reached; nothing was changed',
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#spare.end()]);
  }
}

/** @throws AppError 404 naming what was not found */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new AppError(404, `There is no ${what}`);
  return row;
}
