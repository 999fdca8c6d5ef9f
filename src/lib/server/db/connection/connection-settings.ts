/** Settings of every connection to the database. */
import type pg from 'pg';
import type { DatabaseConfig, Encryption } from '../../config';

/**
 * Settings of every connection, whatever the server's defaults are. Dates, keys and the check of client SQL
 * depend on them (docs/contract/13-forecast-table.md#settings-of-a-connection).
 */
const SETTINGS = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  extra_float_digits: '1',
  search_path: 'pg_catalog',
  client_encoding: 'UTF8',
};

/**
 * Settings by which PostgreSQL notices that a process of the service is gone or frozen, and releases the
 * locks of its transactions (docs/contract/15-concurrency.md,
 * docs/decisions/0011-how-a-hanging-write-ends.md).
 */
const LIVENESS = {
  // A machine that has vanished answers no probe. PostgreSQL notices it after 5 + 3 × 2 s.
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  // A frozen process reads no more of an answer, although its machine acknowledges probes.
  tcp_user_timeout: '15s',
  // Ends the transaction of a process that is frozen between two statements.
  idle_in_transaction_session_timeout: '20s',
};

/**
 * PostgreSQL compiles a statement with many conditions for minutes, and no cancel request, timeout or terminate ends
 * the compiler (docs/decisions/0011-how-a-hanging-write-ends.md).
 */
const INTERRUPTIBLE = { jit: 'off' };

const options = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Tells the trigger on forecast tables that a change is the service's own (migrations/013_outside_changes.sql). */
const WRITER = { 'pf.writer': 'service' };

/** The settings as start-up options of a command's connection. */
export const COMMAND_OPTIONS = options({ ...SETTINGS, ...INTERRUPTIBLE });

/** Like `COMMAND_OPTIONS`, for the service, whose locks must not outlive it. */
export const SERVICE_OPTIONS = options({ ...SETTINGS, ...INTERRUPTIBLE, ...LIVENESS, ...WRITER });

/** Without these settings, the service would read or write other values. */
const REQUIRED = Object.entries({ ...SETTINGS, ...INTERRUPTIBLE, ...WRITER });

/** A query for the values of the {@link REQUIRED} settings, in the order of that list, and for the backend. */
export const SETTINGS_IN_FORCE = `SELECT ARRAY[${REQUIRED.map(
  ([name]) => `current_setting('${name}', true)`,
).join(', ')}] AS values, pg_backend_pid() AS backend`;

/** The answer to {@link SETTINGS_IN_FORCE}. */
export interface SettingsInForce {
  values: (string | null)[];
  /** The process that has run the query. */
  backend: number;
}

/**
 * Returns why an open connection cannot be used, such as behind a pooler that drops settings or shares its connections;
 * null if it can.
 *
 * @param process the backend that PostgreSQL named when the connection was opened
 */
export function faultOfConnection(
  { values, backend }: SettingsInForce,
  process: number,
): string | null {
  const wrong = REQUIRED.flatMap(([name, wanted], i) => {
    // PostgreSQL adds the order of days and months, which texts in ISO form do not depend on.
    const found = values[i]?.replace(/^ISO, \w+$/, 'ISO') ?? '';
    return found.toUpperCase() === wanted.toUpperCase()
      ? []
      : [`${name} is "${found}" instead of "${wanted}"`];
  });
  if (wrong.length > 0) {
    return `The connection to the database does not have the settings of the service: ${wrong.join(', ')}. A pooler between them must pass the startup parameter "options" on; PgBouncer does not, so connect to PostgreSQL itself`;
  }
  if (backend === process) return null;
  return 'The connection to the database is not a session of its own: a pooler such as PgBouncer is between them. Its timeouts, events and cancelled statements would be lost, so connect to PostgreSQL itself';
}

/**
 * Makes PostgreSQL check during a statement whether the service is still connected. PostgreSQL refuses the
 * setting on systems that cannot check it.
 */
export const CHECK_CLIENT = "SET client_connection_check_interval = '2s'";

/** The version of Citus that the server has loaded; null without Citus. */
export const CITUS_VERSION = "SELECT current_setting('citus.version', true) AS citus";

/** Limits the wait for a vanished worker, so that the health check can name it before it times out. */
export const NOTICE_AWAY_WORKERS = "SET citus.node_connection_timeout = '3s'";

/** How to reach the database, encrypted or not as it is configured. Variables such as PGSSLMODE have no effect. */
export const connectionTo = ({
  host,
  port,
  database,
  user,
  password,
  ssl,
}: DatabaseConfig): ConnectionTarget => ({
  host,
  port,
  database,
  user,
  password,
  ssl: ssl ?? false,
});

type ConnectionTarget = Required<
  Pick<pg.ClientConfig, 'host' | 'port' | 'database' | 'user' | 'password'>
> & { ssl: Encryption | false };
