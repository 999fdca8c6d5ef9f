/** The database for services: statements, and transactions that read or write one version. */
import type pg from 'pg';
import * as v from 'valibot';
import { AppError } from '../errors';
import type { DatabaseLoad } from '../metrics';
import { NOBODY, type Sender } from '../sender';
import type { SqlText } from '../sql/quote';
import { sql } from '../sql/quote';
import { backendOf, cancelStatement } from './connection/cancel';
import type { ConnectionSettings } from './connection/connections';
import { Connections } from './connection/connections';
import { beginInOneSnapshot } from './versions/distributed';
import { Failover } from './connection/failover';
import { connectionLost, forPeople, RETRY_AFTER, SQLSTATE, sqlState } from './connection/failures';
import type { Listener, Listening } from './connection/listener';
import { OwnTurns } from './connection/own-turns';
import { Queryable, sendOne } from './connection/queryable';
import { LOG_TABLE, type Timeline, type Turn } from './connection/timeline';
import { Transaction } from './connection/transaction';
import { VersionQueues } from './connection/version-queues';
import { Watch } from './connection/watch';

/** Runs statements on a connection outside the pool. */
class Aside extends Queryable {
  readonly sender = NOBODY;

  constructor(private readonly spare: pg.Pool) {
    super();
  }

  protected override send(text: SqlText, values: unknown[]): Promise<pg.QueryResult> {
    return sendOne(this.spare, text, values);
  }
}

/** A request with several statements has this many times the timeout of one statement. */
const STATEMENTS = 3;

/** Timeout of a rollback before the connection is discarded, in ms. */
const ROLLBACK_MILLISECONDS = 5_000;

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
  /** Cancels the running statement, so that the transaction fails. */
  signal?: AbortSignal | undefined;
}

/** The parts of a database that all requests share. */
class Shared {
  readonly failover: Failover;
  readonly connections: Connections;
  readonly queues: VersionQueues;
  readonly ownTurns: OwnTurns;
  readonly aside: Queryable;

  constructor(
    readonly settings: ConnectionSettings,
    onIdleError: (error: Error) => void,
    onTurn: (turn: Turn) => void,
  ) {
    this.failover = new Failover(onTurn);
    this.connections = new Connections(settings, this.failover, onIdleError);
    this.queues = new VersionQueues(settings.waitTimeout);
    this.ownTurns = new OwnTurns(settings.perPerson ?? Infinity, settings.waitTimeout);
    this.aside = new Aside(this.connections.aside);
  }
}

/** The database of the service, as one sender may see it. */
export class Database extends Queryable {
  private readonly settings: ConnectionSettings;
  private readonly failover: Failover;
  private readonly connections: Connections;
  private readonly queues: VersionQueues;

  /** A connection outside the pool, for requests that must be answered while the pool is busy. */
  readonly aside: Queryable;

  private constructor(
    private readonly shared: Shared,
    readonly sender: Sender,
  ) {
    super();
    const { settings, failover, connections, queues, aside } = shared;
    this.settings = settings;
    this.failover = failover;
    this.connections = connections;
    this.queues = queues;
    this.aside = aside;
  }

  /**
   * Opens the database for the service's own work, which sees everything.
   *
   * @param onIdleError called for each connection that is lost while idle
   * @param onTurn called when the database disappears, returns or is replaced
   */
  static open(
    settings: ConnectionSettings,
    onIdleError: (error: Error) => void = () => {},
    onTurn: (turn: Turn) => void = () => {},
  ): Database {
    return new Database(new Shared(settings, onIdleError, onTurn), NOBODY);
  }

  /** The same database as a sender may see it. */
  for(sender: Sender): Database {
    return new Database(this.shared, sender);
  }

  /**
   * Runs `work` in one transaction: committed if it returns, rolled back if it throws. A connection that
   * cannot roll back is closed instead of returned to the pool.
   */
  transaction<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    return this.inOwnTurn(() => this.transact(work, options));
  }

  /** Waits while other requests of the sender hold all connections that one person may hold. */
  private inOwnTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.shared.ownTurns.run(this.sender.holder, work);
  }

  private transact<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    {
      isolation = 'READ COMMITTED',
      end = 'COMMIT',
      requests = 1,
      snapshotOf,
      signal,
    }: TransactionOptions = {},
  ): Promise<Result> {
    return this.onConnection(
      async (client, watch, discard) => {
        const run = (statement: string) => watch.run(() => client.query(statement));
        const begin = async () => {
          const results = await run(`BEGIN ISOLATION LEVEL ${isolation}; ${LOG_TABLE_NOW}`);
          await this.failover.confirm(client, logTable(results));
        };
        const hasCitus = this.connections.hasCitus(client);
        const history = () => this.failover.of(client)?.name ?? null;
        const transaction = new Transaction(client, watch, hasCitus, history, this.sender);
        const cancel = () => {
          // The cancel may come after the end of the statement, and would end the next one of this connection.
          discard(new Error('The statement was cancelled'));
          void cancelStatement(client);
        };
        signal?.throwIfAborted();
        signal?.addEventListener('abort', cancel);
        try {
          if (snapshotOf !== undefined && transaction.mayBeDistributed) {
            await beginInOneSnapshot(transaction, snapshotOf, begin).catch((error: Error) => {
              discard(error);
              throw error;
            });
          } else {
            await begin();
          }
          const result = await work(transaction);
          const done = await run(end).catch(outcomeUnknown);
          if (done.command !== end) throw new Error('The transaction was rolled back');
          return result;
        } catch (error) {
          const rollback = this.watch(client, ROLLBACK_MILLISECONDS);
          await rollback.run(() => client.query('ROLLBACK')).catch(discard);
          throw error;
        } finally {
          signal?.removeEventListener('abort', cancel);
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
    return this.inOwnTurn(() => this.queues.write(versionId, () => this.transact(work)));
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
    return this.inOwnTurn(() => this.queues.replay(() => this.transact(work, { requests })));
  }

  /**
   * Runs a transaction that reads the forecast table of one version in one snapshot. The number of such
   * transactions at a time is limited.
   *
   * @param reads `metadata` if it reads only the service's own tables, which are never distributed
   * @param signal cancels the running statement when nobody waits for its rows
   * @throws AppError 503 after a timeout in the queue
   */
  versionRead<Result>(
    versionId: number,
    work: (transaction: Transaction) => Promise<Result>,
    reads: 'rows' | 'metadata' = 'rows',
    signal?: AbortSignal,
  ): Promise<Result> {
    const isolation = 'REPEATABLE READ READ ONLY';
    const snapshotOf = reads === 'rows' ? versionId : undefined;
    const options = { isolation, snapshotOf, signal } as const;
    return this.inOwnTurn(() => this.queues.read(versionId, () => this.transact(work, options)));
  }

  /**
   * Runs a transaction that tries a write to one version in one snapshot and rolls it back. It queues with
   * readers, so writers never wait for it.
   *
   * @param requests as in {@link transaction}
   * @throws AppError 503 after a timeout in the queue
   */
  versionTrial<Result>(
    versionId: number,
    work: (transaction: Transaction) => Promise<Result>,
    requests = 1,
  ): Promise<Result> {
    const isolation = 'REPEATABLE READ';
    const options = { isolation, end: 'ROLLBACK', snapshotOf: versionId, requests } as const;
    return this.inOwnTurn(() => this.queues.read(versionId, () => this.transact(work, options)));
  }

  /**
   * Runs a statement outside of a transaction that gives way: it is cancelled as soon as another one waits for a lock of
   * the table, or when the signal is aborted. A statement that waits for older snapshots has to: PostgreSQL would end it
   * or the other one as a deadlock.
   *
   * @param tableName of the forecast table, without its schema
   * @returns whether it ran to its end
   */
  givingWay(statement: SqlText, tableName: string, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return this.onConnection(async (client, watch, discard) => {
      let isCancelled = false;
      const cancel = () => {
        if (isCancelled) return;
        isCancelled = true;
        // The cancel may come after the end of the statement, and would end the next one of this connection.
        discard(new Error('The statement was cancelled'));
        void cancelStatement(client);
      };
      const look = async () => {
        if (await this.any(WAITING, [tableName, backendOf(client)])) cancel();
      };
      const timer = setInterval(() => void look().catch(() => {}), LOOK_MILLISECONDS);
      signal.addEventListener('abort', cancel);
      try {
        await watch.run(() => sendOne(client, statement, []));
        return true;
      } catch (error) {
        if (isCancelled && sqlState(error) === SQLSTATE.queryCanceled) return false;
        throw error;
      } finally {
        clearInterval(timer);
        signal.removeEventListener('abort', cancel);
      }
    }, 'perhaps');
  }

  /**
   * Opens a connection outside the pool that reports the commits of any process.
   *
   * @param onLost called whenever the connection is lost; it then reopens automatically
   * @param lock number of an advisory lock, if only one process may get the events; null for none
   */
  listen(
    listening: Listening,
    onLost: (error: Error) => void,
    lock: number | null = null,
  ): Listener {
    return this.connections.listen(listening, onLost, lock);
  }

  /**
   * Checks, outside the pool, whether the database is reachable and accepts changes. @throws if it is not
   * reachable
   */
  look(): Promise<Timeline> {
    return this.connections.look();
  }

  protected override send(text: SqlText, values: unknown[]): Promise<pg.QueryResult> {
    return this.inOwnTurn(() =>
      this.onConnection(
        (client, watch) => watch.run(() => sendOne(client, text, values)),
        'perhaps',
      ),
    );
  }

  private async onConnection<Result>(
    work: (client: pg.PoolClient, watch: Watch, discard: (error: Error) => void) => Promise<Result>,
    changed: 'nothing' | 'perhaps',
    requests = 1,
  ): Promise<Result> {
    const client = await this.connections.take();
    let broken: Error | undefined;
    const broke = (error: Error) => (broken ??= error);
    // Why the connection must not return to the pool, although it may not be lost.
    let unusable: Error | undefined;
    const discard = (error: Error) => (unusable ??= error);
    // A connection lost between two statements only emits this event.
    client.on('error', broke);
    const watch = this.watch(client, this.settings.statementTimeout, requests);
    try {
      return await work(client, watch, discard);
    } catch (error) {
      // The server's reason for ending the connection is more precise than the loss itself.
      const known = forPeople(sqlState(error) === undefined && sqlState(broken) ? broken : error);
      throw broken && !(known instanceof AppError) ? connectionLost(known, changed) : known;
    } finally {
      client.removeListener('error', broke);
      this.connections.release(client, broken ?? unusable ?? watch.cut);
    }
  }

  private watch(client: pg.PoolClient, statement: number, requests = 1): Watch {
    return new Watch(client, { statement, hold: requests * STATEMENTS * statement }, (backend) => {
      // On an unreachable server, there is nothing to terminate.
      void this.aside.run(sql`SELECT pg_terminate_backend($1::integer)`, [backend]).catch(() => {});
    });
  }

  /** Returns the number of connections in use and of waiting requests. */
  load(): DatabaseLoad {
    const { waiting: ownWaiting, refused } = this.shared.ownTurns;
    return { ...this.connections.load, ...this.queues.waiting, ownWaiting, refused };
  }

  close(): Promise<void> {
    return this.connections.close();
  }
}

/** Asks for the present table of the log in the round trip that begins a transaction. */
const LOG_TABLE_NOW = sql`SELECT ${LOG_TABLE}::text AS log`;

const Begun = v.tuple([
  v.unknown(),
  v.object({ rows: v.tuple([v.object({ log: v.nullable(v.string()) })]) }),
]);

/** The present table of the log; null while there is none. @param results of BEGIN and {@link LOG_TABLE_NOW} */
const logTable = (results: unknown): string | null => v.parse(Begun, results)[1].rows[0].log;

/** Interval in which a statement that gives way is looked at. PostgreSQL looks for deadlocks after a second. */
const LOOK_MILLISECONDS = 200;

/** Whether another connection than one waits for a lock of a table. */
const WAITING = sql`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
  WHERE d.datname = current_database() AND l.relation = to_regclass(format('pf.%I', $1::text)) AND NOT l.granted AND l.pid <> $2 LIMIT 1`;

/** Without the server's answer it is unknown whether the transaction was committed. */
function outcomeUnknown(error: unknown): never {
  if (sqlState(error) !== undefined) throw error;
  throw new AppError(
    500,
    'The database did not confirm the commit of this request; check in the log whether the change was made',
    { cause: error, retryAfter: RETRY_AFTER },
  );
}
