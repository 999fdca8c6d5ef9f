/** The database as services see it: a pool of connections, turns of readers and writers, and transactions. */
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
  /** Milliseconds a statement may run; 0 is without limit. */
  statementTimeout: number;
  /** Milliseconds to wait for a lock, or for a turn beside others; 0 is without limit. */
  waitTimeout: number;
}

const askTimeline = (client: pg.ClientBase): Promise<Timeline> =>
  readTimeline(async (statement) => (await client.query(statement)).rows);

/** A db on a connection that is apart from the pool. */
class Aside extends Queryable {
  constructor(private readonly spare: pg.Pool) {
    super();
  }

  protected override send(text: SqlText, values: unknown[]): Promise<pg.QueryResult> {
    return sendOne(this.spare, text, values);
  }
}

/**
 * The key under which replays wait for their turn; no version has this id. A replay may take minutes, so
 * all of them together get the places of one version.
 */
const REPLAYS = 0;

/** How many connections one server process has. */
const CONNECTIONS = 20;

/**
 * How many connections writers may hold, so that reads go on. Writers of one version get few, since
 * all but one of them wait for its lock; the rest is for other versions.
 */
const WRITERS = { all: 14, ofKey: 3, beside: 6 };

/**
 * How many connections reads of forecast tables may hold. Reads of one version get only some of them:
 * a table that somebody else has locked stops all its reads, and other versions need room.
 */
const READERS = { all: 16, ofKey: 10, beside: 14 };

/** How long a request waits for a connection before it is turned away. */
const CONNECT_MILLISECONDS = 10_000;

/** Timeout for connecting, and for each statement, on the connection apart: health checks use it. */
const ASIDE_MILLISECONDS = 4_000;

/** Timeout for a statement on the connection for events. */
const LISTENER_MILLISECONDS = 10_000;

/** A request of several statements may take this many times as long as one statement. */
const STATEMENTS = 3;

/**
 * How long a connection may be idle before it is tried before its next use: the database may have gone
 * without a word.
 */
const IDLE_MILLISECONDS = 1000;

/** How long a connection that is tried has to answer. */
const TRY_MILLISECONDS = 3000;

/** How long a connection has to roll back before it is given up. */
const ROLLBACK_MILLISECONDS = 5_000;

/** Seconds after which a request that found no place may try again. */
const RETRY_AFTER = 5;

const OTHER_READERS =
  'Other requests for this version have taken longer than PF_WAIT_TIMEOUT; try again in a moment';

/** How a transaction runs, if not as most do. */
interface TransactionOptions {
  isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'REPEATABLE READ READ ONLY';
  /** `ROLLBACK` rolls it back if its work returns, too. */
  end?: 'COMMIT' | 'ROLLBACK';
  /** How many requests' work it does; it may take as many times as long as one. */
  requests?: number;
  /** The version whose forecast table it reads in one snapshot. */
  snapshotOf?: number | undefined;
}

/** How every connection of the service is made. */
const clientConfig = (settings: ConnectionSettings): pg.ClientConfig => ({
  ...connectionTo(settings),
  // pg makes the stream of an encrypted connection itself.
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
  /** The connections to a server that has loaded Citus, which it does only when it starts. */
  readonly #withCitus = new WeakSet<pg.ClientBase>();
  readonly #presence: Presence;
  /** What each open connection of the pools was met with. */
  readonly #met = new Map<pg.ClientBase, Timeline>();
  /** Since when each idle connection of the pool is idle. */
  readonly #idle = new Map<pg.ClientBase, number>();

  /** A connection apart from the pool, for requests that must be answered while the pool is busy. */
  readonly aside: Queryable;

  /**
   * @param onIdleError is told of each connection that is lost while nobody uses it
   * @param onTurn is told if the database goes, comes back or is replaced
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
      // Without a listener, an idle connection that dies would end the process.
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
      // A server that stands still cannot end the statement either.
      query_timeout: ASIDE_MILLISECONDS,
    });
    this.aside = new Aside(this.#spare);
    this.#writers = new Queue(WRITERS, settings.waitTimeout);
    this.#readers = new Queue(READERS, settings.waitTimeout);
  }

  /**
   * Runs `work` in one transaction: committed if it returns, rolled back if it throws. A connection
   * that cannot even roll back is closed rather than given back.
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
   * A transaction that writes to one version. Most writers that wait for the version's lock wait here,
   * without a connection, so that versions do not wait for each other
   * (docs/contract/15-concurrency.md).
   *
   * @throws AppError 503 if its turn does not come in time
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
   * A transaction that makes a version by replaying another one. It takes its turn with other replays,
   * so writers of the original never wait for it.
   *
   * @param requests as in {@link transaction}
   * @throws AppError 503 if its turn does not come in time
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
   * A transaction that reads the forecast table of one version, in one snapshot. Only so many of them
   * hold a connection at a time.
   *
   * @param reads `metadata` if it reads the service's own tables only, which are never distributed
   * @throws AppError 503 if its turn does not come in time
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
   * A transaction that tries a write to one version in one snapshot. Everything is rolled back. It takes
   * its turn with those who read, so writers never wait for it.
   *
   * @throws AppError 503 if its turn does not come in time
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
   * A connection apart from the pool that reports what any process commits.
   *
   * @param onLost called whenever it is lost; it then opens again by itself
   */
  listen(listening: Listening, onLost: (error: Error) => void): Listener {
    // A server that stands still must be noticed here, since nothing else asks it on this connection.
    const limits = { query_timeout: LISTENER_MILLISECONDS };
    const config = { ...clientConfig(this.#settings), ...limits };
    return new Listener(config, listening, (client) => this.#meet(client), onLost);
  }

  /** Asks the database, apart from the pool, whether it is there and takes changes. @throws if it is not there */
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
   * Notes what a connection that was just made is a connection to. If the database has been replaced
   * since, all connections to the one before are cut: nothing may be read or written there any more, and
   * what runs there would wait until its time is over.
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
    // Why the pool must not take the connection back, though it may not be lost.
    let unusable: Error | undefined;
    const discard = (error: Error) => (unusable ??= error);
    // A connection that dies between two statements says so by this event alone.
    client.on('error', broke);
    const watch = this.#watch(client, this.#settings.statementTimeout, requests);
    try {
      return await work(client, watch, discard);
    } catch (error) {
      // The reason that the server gave for ending the connection says more than that it ended.
      const known = forPeople(sqlState(error) === undefined && sqlState(broken) ? broken : error);
      throw broken && !(known instanceof AppError) ? connectionLost(known, changed) : known;
    } finally {
      client.removeListener('error', broke);
      this.#idle.set(client, performance.now());
      // A standby may be promoted by the next request, and some connections never hear of it.
      const isReadOnly = this.#met.get(client)?.readOnly ?? false;
      client.release(broken ?? unusable ?? (watch.cut || isReadOnly));
    }
  }

  #watch(client: pg.PoolClient, statement: number, requests = 1): Watch {
    return new Watch(client, { statement, hold: requests * STATEMENTS * statement }, (backend) => {
      // A server that cannot be reached has nobody to terminate.
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
      // What is idle beside it has most likely lost the same server.
      for (const other of this.#idle.keys()) cutOff(other);
    }
  }

  /** Whether a connection still leads to somebody who answers. */
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

  /** How many connections are in use, and how many requests wait. */
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

/** Runs statements on a connection. If they take too long, the connection is closed, so that they fail. */
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

/** Whether the server has committed is unknown if its answer did not come. */
function outcomeUnknown(error: unknown): never {
  if (sqlState(error) !== undefined) throw error;
  throw new AppError(
    500,
    'The database did not confirm the commit of this request; check in the log whether the change was made',
    { cause: error, retryAfter: RETRY_AFTER },
  );
}

/** @throws AppError 503 with a sentence if a task's turn did not come in time */
async function inTurn<Result>(turn: Promise<Result>, sentence: string): Promise<Result> {
  try {
    return await turn;
  } catch (error) {
    if (!(error instanceof WaitedTooLong)) throw error;
    throw new AppError(503, sentence, { retryAfter: RETRY_AFTER });
  }
}
