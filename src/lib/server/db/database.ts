/** The database for services: a pool of connections, queues of readers and writers, and transactions. */
import pg from 'pg';
import type { DatabaseConfig } from '../config';
import { AppError } from '../errors';
import type { DatabaseLoad } from '../metrics';
import type { SqlText } from '../sql/quote';
import { sql } from '../sql/quote';
import { cutOff } from './cancel';
import {
  CHECK_CLIENT,
  CITUS_VERSION,
  connectionTo,
  NOTICE_AWAY_WORKERS,
  SERVICE_OPTIONS,
} from './connection-settings';
import { beginInOneSnapshot } from './distributed';
import { connectionLost, forPeople, sqlState, unreachable } from './failures';
import type { Listening } from './listener';
import { Listener } from './listener';
import { Queryable, sendOne } from './queryable';
import { Queue, WaitedTooLong } from './queue';
import { RowSocket } from './row-socket';
import type { Timeline, Turn } from './timeline';
import { Presence, readTimeline } from './timeline';
import { Transaction } from './transaction';
import { Watch } from './watch';

interface ConnectionSettings extends DatabaseConfig {
  /** Timeout of a statement in ms; 0 for none. */
  statementTimeout: number;
  /** Timeout for a lock or a place in a queue in ms; 0 for none. */
  waitTimeout: number;
}

const askTimeline = (client: pg.ClientBase): Promise<Timeline> =>
  readTimeline(async (statement) => (await client.query(statement)).rows);

/** Runs statements on a connection outside the pool. */
class Aside extends Queryable {
  constructor(private readonly spare: pg.Pool) {
    super();
  }

  protected override send(text: SqlText, values: unknown[]): Promise<pg.QueryResult> {
    return sendOne(this.spare, text, values);
  }
}

/**
 * Queue key of replays; no version has this id. A replay may take minutes, so all replays together get the
 * places of one version.
 */
const REPLAYS = 0;

/** Number of connections of one server process. */
const CONNECTIONS = 20;

/**
 * Maximum number of connections for writers, so that reads continue. Writers of one version get few, because
 * all but one of them wait for its lock; the rest is for other versions.
 */
const WRITERS = { all: 14, ofKey: 3, beside: 6 };

/**
 * Maximum number of connections for reads of forecast tables. Reads of one version get only some of them: a
 * table that somebody else has locked blocks all its reads, and other versions need the rest.
 */
const READERS = { all: 16, ofKey: 10, beside: 14 };

/** Time a request waits for a connection before it is refused, in ms. */
const CONNECT_MILLISECONDS = 10_000;

/**
 * Timeout for connecting and for each statement on the separate connection, which health checks use, in ms.
 */
const ASIDE_MILLISECONDS = 4_000;

/** Timeout for a statement on the connection for events, in ms. */
const LISTENER_MILLISECONDS = 10_000;

/** A request with several statements has this many times the timeout of one statement. */
const STATEMENTS = 3;

/**
 * Idle time after which a connection is tested before its next use, in ms: the database may have disappeared
 * without a message.
 */
const IDLE_MILLISECONDS = 1000;

/** Timeout of this test, in ms. */
const TRY_MILLISECONDS = 3000;

/** Timeout of a rollback before the connection is discarded, in ms. */
const ROLLBACK_MILLISECONDS = 5_000;

/** Seconds after which a refused request may try again. */
const RETRY_AFTER = 5;

const OTHER_READERS =
  'Other requests for this version have taken longer than PF_WAIT_TIMEOUT; try again in a moment';

/** Options of a transaction that differs from most. */
interface TransactionOptions {
  isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'REPEATABLE READ READ ONLY';
  /** `ROLLBACK` rolls the transaction back even if its work returns. */
  end?: 'COMMIT' | 'ROLLBACK';
  /**
   * Number of requests whose work the transaction does; it has that many times the timeout of one request.
   */
  requests?: number;
  /** The version whose forecast table the transaction reads in one snapshot. */
  snapshotOf?: number | undefined;
}

/** Returns the settings of every connection of the service. */
const clientConfig = (settings: ConnectionSettings): pg.ClientConfig => ({
  ...connectionTo(settings),
  // pg creates the stream of an encrypted connection itself.
  ...(settings.ssl ? {} : { stream: () => new RowSocket() }),
  connectionTimeoutMillis: CONNECT_MILLISECONDS,
  application_name: 'forecast-pivot',
  options: SERVICE_OPTIONS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
});

/** The pool of connections to the database. */
export class Database extends Queryable {
  readonly #settings: ConnectionSettings;
  readonly #pool: pg.Pool;
  readonly #spare: pg.Pool;
  readonly #writers: Queue;
  readonly #readers: Queue;
  /** Connections to a server that has loaded Citus, which it does only at its start. */
  readonly #withCitus = new WeakSet<pg.ClientBase>();
  readonly #presence: Presence;
  /** The timeline that each open connection reported when it was made. */
  readonly #met = new Map<pg.ClientBase, Timeline>();
  /** Start of the idle time of each idle connection in the pool. */
  readonly #idle = new Map<pg.ClientBase, number>();

  /** A connection outside the pool, for requests that must be answered while the pool is busy. */
  readonly aside: Queryable;

  /**
   * @param onIdleError called for each connection that is lost while idle
   * @param onTurn called when the database disappears, returns or is replaced
   */
  constructor(
    settings: ConnectionSettings,
    onIdleError: (error: Error) => void = () => {},
    onTurn: (turn: Turn) => void = () => {},
  ) {
    super();
    this.#presence = new Presence(onTurn);
    const pool = (max: number, limits: pg.PoolConfig) => {
      const connections = new pg.Pool({
        ...clientConfig(settings),
        max,
        onConnect: (client) => orCutOff(client, CONNECT_MILLISECONDS, () => this.#setUp(client)),
        ...limits,
      });
      connections.on('remove', (client) => this.#idle.delete(client));
      // Without a listener, the loss of an idle connection would end the process.
      connections.on('error', onIdleError);
      return connections;
    };
    this.#settings = settings;
    this.#pool = pool(CONNECTIONS, {
      statement_timeout: settings.statementTimeout,
      lock_timeout: settings.waitTimeout,
    });
    this.#spare = pool(1, {
      connectionTimeoutMillis: ASIDE_MILLISECONDS,
      statement_timeout: ASIDE_MILLISECONDS,
      // A server that does not respond cannot end the statement either.
      query_timeout: ASIDE_MILLISECONDS,
    });
    this.aside = new Aside(this.#spare);
    this.#writers = new Queue(WRITERS, settings.waitTimeout);
    this.#readers = new Queue(READERS, settings.waitTimeout);
  }

  /**
   * Runs `work` in one transaction: committed if it returns, rolled back if it throws. A connection that
   * cannot roll back is closed instead of returned to the pool.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    {
      isolation = 'READ COMMITTED',
      end = 'COMMIT',
      requests = 1,
      snapshotOf,
    }: TransactionOptions = {},
  ): Promise<Result> {
    return this.#onConnection(
      async (client, watch, discard) => {
        const run = (statement: string) => watch.run(() => client.query(statement));
        const begin = () => run(`BEGIN ISOLATION LEVEL ${isolation}`);
        const timeline = this.#met.get(client)?.name ?? null;
        const transaction = new Transaction(client, watch, this.#withCitus.has(client), timeline);
        try {
          if (snapshotOf !== undefined && transaction.mayBeDistributed) {
            await beginInOneSnapshot(transaction, snapshotOf, begin).catch((error: Error) => {
              discard(error);
              throw error;
            });
          } else await begin();
          const result = await work(transaction);
          const done = await run(end).catch(outcomeUnknown);
          if (done.command !== end) throw new Error('The transaction was rolled back');
          return result;
        } catch (error) {
          const rollback = this.#watch(client, ROLLBACK_MILLISECONDS);
          await rollback.run(() => client.query('ROLLBACK')).catch(discard);
          throw error;
        }
      },
      'nothing',
      requests,
    );
  }

  /**
   * Runs a transaction that writes to one version. Most writers waiting for the version's lock wait here,
   * without a connection, so that versions do not wait for each other (docs/contract/15-concurrency.md).
   *
   * @throws AppError 503 after a timeout in the queue
   */
  versionTransaction<Result>(
    versionId: number,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return inTurn(
      this.#writers.run(versionId, () => this.transaction(work)),
      'Other changes to this version have taken longer than PF_WAIT_TIMEOUT; nothing was changed, try again in a moment',
    );
  }

  /**
   * Runs a transaction that creates a version by a replay. It queues with other replays, so writers of the
   * original never wait for it.
   *
   * @param requests as in {@link transaction}
   * @throws AppError 503 after a timeout in the queue
   */
  replayTransaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    requests: number,
  ): Promise<Result> {
    return inTurn(
      this.#writers.run(REPLAYS, () => this.transaction(work, { requests })),
      'Other replays have taken longer than PF_WAIT_TIMEOUT; no version was created, try again in a moment',
    );
  }

  /**
   * Runs a transaction that reads the forecast table of one version in one snapshot. The number of such
   * transactions at a time is limited.
   *
   * @param reads `metadata` if it reads only the service's own tables, which are never distributed
   * @throws AppError 503 after a timeout in the queue
   */
  versionRead<Result>(
    versionId: number,
    work: (transaction: Transaction) => Promise<Result>,
    reads: 'rows' | 'metadata' = 'rows',
  ): Promise<Result> {
    const isolation = 'REPEATABLE READ READ ONLY';
    const snapshotOf = reads === 'rows' ? versionId : undefined;
    return inTurn(
      this.#readers.run(versionId, () => this.transaction(work, { isolation, snapshotOf })),
      OTHER_READERS,
    );
  }

  /**
   * Runs a transaction that tries a write to one version in one snapshot and rolls it back. It queues with
   * readers, so writers never wait for it.
   *
   * @throws AppError 503 after a timeout in the queue
   */
  versionTrial<Result>(
    versionId: number,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return inTurn(
      this.#readers.run(versionId, () =>
        this.transaction(work, {
          isolation: 'REPEATABLE READ',
          end: 'ROLLBACK',
          snapshotOf: versionId,
        }),
      ),
      OTHER_READERS,
    );
  }

  /**
   * Opens a connection outside the pool that reports the commits of any process.
   *
   * @param onLost called whenever the connection is lost; it then reopens automatically
   */
  listen(listening: Listening, onLost: (error: Error) => void): Listener {
    // An unresponsive server must be detected here, because nothing else runs on this connection.
    const limits = { query_timeout: LISTENER_MILLISECONDS };
    const config = { ...clientConfig(this.#settings), ...limits };
    return new Listener(config, listening, (client) => this.#meet(client), onLost);
  }

  /**
   * Checks, outside the pool, whether the database is reachable and accepts changes. @throws if it is not
   * reachable
   */
  async look(): Promise<Timeline> {
    let found: Timeline | undefined;
    let client: pg.PoolClient | undefined;
    const ignore = () => {};
    try {
      client = await this.#spare.connect();
      client.on('error', ignore);
      found = await askTimeline(client);
      this.#presence.met(found);
      return found;
    } catch (error) {
      this.#presence.missed(error);
      throw error;
    } finally {
      client?.removeListener('error', ignore);
      client?.release(found?.readOnly !== false);
    }
  }

  async #setUp(client: pg.ClientBase): Promise<void> {
    await client.query(CHECK_CLIENT).catch(() => {});
    const { rows } = await client.query<{ citus: string | null }>(CITUS_VERSION);
    if (rows[0]?.citus) {
      this.#withCitus.add(client);
      await client.query(NOTICE_AWAY_WORKERS);
    }
    await this.#meet(client);
  }

  /**
   * Records the timeline of a new connection. If the database has been replaced, all connections to the
   * previous one are closed: nothing may be read or written there, and its statements would wait until they
   * time out.
   */
  async #meet(client: pg.ClientBase): Promise<Timeline> {
    const found = await askTimeline(client);
    if (!this.#met.has(client)) client.once('end', () => this.#met.delete(client));
    this.#met.set(client, found);
    this.#presence.met(found);
    const isOther = ({ name, readOnly }: Timeline) =>
      !readOnly && name !== null && found.name !== null && name !== found.name;
    for (const [other, timeline] of this.#met) if (isOther(timeline)) cutOff(other);
    return found;
  }

  protected override send(text: SqlText, values: unknown[]): Promise<pg.QueryResult> {
    return this.#onConnection(
      (client, watch) => watch.run(() => sendOne(client, text, values)),
      'perhaps',
    );
  }

  async #onConnection<Result>(
    work: (client: pg.PoolClient, watch: Watch, discard: (error: Error) => void) => Promise<Result>,
    changed: 'nothing' | 'perhaps',
    requests = 1,
  ): Promise<Result> {
    const client = await this.#connect();
    this.#idle.delete(client);
    let broken: Error | undefined;
    const broke = (error: Error) => (broken ??= error);
    // Why the connection must not return to the pool, although it may not be lost.
    let unusable: Error | undefined;
    const discard = (error: Error) => (unusable ??= error);
    // A connection lost between two statements only emits this event.
    client.on('error', broke);
    const watch = this.#watch(client, this.#settings.statementTimeout, requests);
    try {
      return await work(client, watch, discard);
    } catch (error) {
      // The server's reason for ending the connection is more precise than the loss itself.
      const known = forPeople(sqlState(error) === undefined && sqlState(broken) ? broken : error);
      throw broken && !(known instanceof AppError) ? connectionLost(known, changed) : known;
    } finally {
      client.removeListener('error', broke);
      this.#idle.set(client, performance.now());
      // A standby may be promoted before the next request, and some connections are not notified.
      const isReadOnly = this.#met.get(client)?.readOnly ?? false;
      client.release(broken ?? unusable ?? (watch.cut || isReadOnly));
    }
  }

  #watch(client: pg.PoolClient, statement: number, requests = 1): Watch {
    return new Watch(client, { statement, hold: requests * STATEMENTS * statement }, (backend) => {
      // On an unreachable server, there is nothing to terminate.
      void this.aside.run(sql`SELECT pg_terminate_backend($1::integer)`, [backend]).catch(() => {});
    });
  }

  async #connect(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#take();
      const since = this.#idle.get(client);
      if (since === undefined || performance.now() - since < IDLE_MILLISECONDS) return client;
      if (await this.#answers(client)) return client;
      client.release(true);
      // Other idle connections have most likely lost the same server.
      for (const other of this.#idle.keys()) cutOff(other);
    }
  }

  /** Returns whether the server of a connection still answers. */
  async #answers(client: pg.PoolClient): Promise<boolean> {
    const ignore = () => {};
    client.on('error', ignore);
    try {
      await orCutOff(client, TRY_MILLISECONDS, () => client.query('SELECT 1'));
      return true;
    } catch {
      return false;
    } finally {
      client.removeListener('error', ignore);
    }
  }

  async #take(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      const busy = this.#pool.totalCount === CONNECTIONS && this.#pool.idleCount === 0;
      if (busy) {
        throw new AppError(
          503,
          'All connections to the database are in use; nothing was changed, try again in a moment',
          { cause: error, retryAfter: RETRY_AFTER },
        );
      }
      this.#presence.missed(error);
      throw unreachable(error);
    }
  }

  /** Returns the number of connections in use and of waiting requests. */
  load(): DatabaseLoad {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      connections: totalCount - idleCount,
      waiting: waitingCount,
      writers: this.#writers.waiting,
      readers: this.#readers.waiting,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#spare.end()]);
  }
}

/** Runs statements on a connection. After a timeout the connection is closed, so that they fail. */
async function orCutOff<Result>(
  client: pg.ClientBase,
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const late = setTimeout(() => cutOff(client), milliseconds);
  try {
    return await work();
  } finally {
    clearTimeout(late);
  }
}

/** Without the server's answer it is unknown whether the transaction was committed. */
function outcomeUnknown(error: unknown): never {
  if (sqlState(error) !== undefined) throw error;
  throw new AppError(
    500,
    'The database did not confirm the commit of this request; check in the log whether the change was made',
    { cause: error, retryAfter: RETRY_AFTER },
  );
}

/** @throws AppError 503 with a sentence after a timeout in the queue */
async function inTurn<Result>(turn: Promise<Result>, sentence: string): Promise<Result> {
  try {
    return await turn;
  } catch (error) {
    if (!(error instanceof WaitedTooLong)) throw error;
    throw new AppError(503, sentence, { retryAfter: RETRY_AFTER });
  }
}
