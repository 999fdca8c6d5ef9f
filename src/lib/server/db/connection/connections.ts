/** Database connections of this process: a pool for requests, one to use while it is busy, and one for events. */
import pg from 'pg';
import type { DatabaseConfig } from '../../config';
import { AppError } from '../../errors';
import { backendOf, cutOff } from './cancel';
import {
  CHECK_CLIENT,
  CITUS_VERSION,
  connectionTo,
  faultOfConnection,
  NOTICE_AWAY_WORKERS,
  SERVICE_OPTIONS,
  SETTINGS_IN_FORCE,
  type SettingsInForce,
} from './connection-settings';
import type { Failover } from './failover';
import { RETRY_AFTER, unreachable } from './failures';
import type { Listening } from './listener';
import { Listener } from './listener';
import { RowSocket } from './row-socket';
import type { Timeline } from './timeline';

export interface ConnectionSettings extends DatabaseConfig {
  /** Timeout of a statement in ms; 0 for none. */
  statementTimeout: number;
  /** Timeout for a lock or a place in a queue in ms; 0 for none. */
  waitTimeout: number;
  /** Number of connections that the requests of one person may hold; all by default. */
  perPerson?: number | undefined;
}

/** Number of connections in the pool. */
const CONNECTIONS = 20;

/** Time a request waits for a connection before it is refused, in ms. */
const CONNECT_MILLISECONDS = 10_000;

/** Timeout for connecting and for each statement outside the pool, where health checks run, in ms. */
const ASIDE_MILLISECONDS = 4_000;

/** Timeout for a statement on the connection for events, in ms. */
const LISTENER_MILLISECONDS = 10_000;

/**
 * Idle time after which a connection is tested before its next use, in ms: the database may have disappeared
 * without a message.
 */
const IDLE_MILLISECONDS = 1000;

/** Timeout of this test, in ms. */
const CHECK_MILLISECONDS = 3000;

/** Configuration of every connection of the service. */
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

/** Opens connections, checks idle ones, and replaces those that are lost. */
export class Connections {
  private readonly pool: pg.Pool;
  private readonly spare: pg.Pool;
  /** Connections to a server that has loaded Citus, which it does only at its start. */
  private readonly withCitus = new WeakSet<pg.ClientBase>();
  /** Start of the idle time of each idle connection in the pool. */
  private readonly idle = new Map<pg.ClientBase, number>();

  /** @param onIdleError called for each connection that is lost while idle */
  constructor(
    private readonly settings: ConnectionSettings,
    private readonly failover: Failover,
    private readonly onIdleError: (error: Error) => void,
  ) {
    this.pool = this.open(CONNECTIONS, {
      statement_timeout: settings.statementTimeout,
      lock_timeout: settings.waitTimeout,
    });
    this.spare = this.open(1, {
      connectionTimeoutMillis: ASIDE_MILLISECONDS,
      // It stays open: the database may not accept another one when it is needed.
      idleTimeoutMillis: 0,
      statement_timeout: ASIDE_MILLISECONDS,
      // A server that does not respond cannot end the statement either.
      query_timeout: ASIDE_MILLISECONDS,
    });
  }

  private open(max: number, limits: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool({
      ...clientConfig(this.settings),
      max,
      onConnect: (client) => orCutOff(client, CONNECT_MILLISECONDS, () => this.setUp(client)),
      ...limits,
    });
    pool.on('remove', (client) => this.idle.delete(client));
    // Without a listener, the loss of an idle connection would end the process.
    pool.on('error', this.onIdleError);
    return pool;
  }

  private async setUp(client: pg.ClientBase): Promise<void> {
    await requireSettings(client);
    await client.query(CHECK_CLIENT).catch(() => {});
    const { rows } = await client.query<{ citus: string | null }>(CITUS_VERSION);
    if (rows[0]?.citus) {
      this.withCitus.add(client);
      await client.query(NOTICE_AWAY_WORKERS);
    }
    await this.failover.meet(client);
  }

  /** Whether a connection leads to a server that has loaded Citus. */
  hasCitus(client: pg.ClientBase): boolean {
    return this.withCitus.has(client);
  }

  /**
   * Takes a connection from the pool. One that was idle for long is checked first.
   *
   * @throws AppError 503 if all are in use for too long, or if the database cannot be reached
   */
  async take(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.takeUnchecked();
      const since = this.idle.get(client);
      const wasInUse = since === undefined || performance.now() - since < IDLE_MILLISECONDS;
      if (wasInUse || (await answers(client))) {
        this.idle.delete(client);
        return client;
      }
      client.release(true);
      // Other idle connections have most likely lost the same server.
      for (const other of this.idle.keys()) cutOff(other);
    }
  }

  private async takeUnchecked(): Promise<pg.PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      const busy = this.pool.totalCount === CONNECTIONS && this.pool.idleCount === 0;
      if (busy) {
        throw new AppError(
          503,
          'All connections to the database are in use; nothing was changed, try again in a moment',
          { cause: error, retryAfter: RETRY_AFTER },
        );
      }
      this.failover.missed(error);
      throw error instanceof AppError ? error : unreachable(error);
    }
  }

  /** Gives a connection back. @param problem true or an error if the pool must close it */
  release(client: pg.PoolClient, problem: Error | boolean): void {
    this.idle.set(client, performance.now());
    // A standby may be promoted before the next request, and some connections are not notified.
    const isReadOnly = this.failover.of(client)?.readOnly ?? false;
    client.release(problem || isReadOnly);
  }

  /** The connection outside the pool, for requests that must be answered while the pool is busy. */
  get aside(): pg.Pool {
    return this.spare;
  }

  /** Asks the database, outside the pool, for its history. @throws if it cannot be reached */
  async look(): Promise<Timeline> {
    let found: Timeline | undefined;
    let client: pg.PoolClient | undefined;
    const ignore = () => {};
    try {
      client = await this.spare.connect();
      client.on('error', ignore);
      found = await this.failover.look(client);
      return found;
    } catch (error) {
      this.failover.missed(error);
      throw error;
    } finally {
      client?.removeListener('error', ignore);
      client?.release(found?.readOnly !== false);
    }
  }

  /** A connection of its own for events; see `Database.listen`. */
  listen(listening: Listening, onLost: (error: Error) => void, lock: number | null): Listener {
    // An unresponsive server must be detected here, because nothing else runs on this connection.
    const limits = { query_timeout: LISTENER_MILLISECONDS };
    const config = { ...clientConfig(this.settings), ...limits };
    const meet = async (client: pg.ClientBase) => {
      await requireSettings(client);
      await this.failover.meet(client);
    };
    return new Listener(config, listening, meet, onLost, lock);
  }

  /** Numbers of connections in use, and of requests that wait for one. */
  get load(): { connections: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { connections: totalCount - idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.spare.end()]);
  }
}

/** @throws AppError 503 if a new connection does not have the settings of the service, or a session of its own */
async function requireSettings(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<SettingsInForce>(SETTINGS_IN_FORCE);
  const fault = rows[0] ? faultOfConnection(rows[0], backendOf(client)) : null;
  if (fault !== null) throw new AppError(503, fault, { retryAfter: RETRY_AFTER });
}

/** Returns whether the server of a connection still answers. */
async function answers(client: pg.PoolClient): Promise<boolean> {
  const ignore = () => {};
  client.on('error', ignore);
  try {
    await orCutOff(client, CHECK_MILLISECONDS, () => client.query('SELECT 1'));
    return true;
  } catch {
    return false;
  } finally {
    client.removeListener('error', ignore);
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
