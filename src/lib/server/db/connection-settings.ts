/**
 * What every connection sets, whatever the server's defaults: dates, keys and the check of SQL from
 * outside depend on each of these
 * (docs/contract/13-forecast-table.md#settings-of-a-connection).
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
 * How PostgreSQL notices that a process of the service is gone or stands still, so that the locks of
 * its transactions come free (docs/contract/15-concurrency.md,
 * docs/decisions/0011-what-ends-when-somebody-is-gone.md).
 */
const LIVENESS = {
  // A machine that has gone without a word answers no probe: noticed after 5 + 3 × 2 s.
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  // A process that stands still takes no more of an answer, though its machine acknowledges probes.
  tcp_user_timeout: '15s',
  // A process that stands still between two statements.
  idle_in_transaction_session_timeout: '20s',
};

const options = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** The settings as the start-up option of a command's connection. */
export const COMMAND_OPTIONS = options(SETTINGS);

/** As `COMMAND_OPTIONS`, for the service, for whose locks nobody must wait after it has gone. */
export const SERVICE_OPTIONS = options({ ...SETTINGS, ...LIVENESS });

/**
 * Lets PostgreSQL look, while a statement runs, whether the service is still there. Some systems have
 * no way to tell, and PostgreSQL refuses the setting there.
 */
export const CHECK_CLIENT = "SET client_connection_check_interval = '2s'";

/** The version of Citus that the server has loaded; null if it has not. */
export const CITUS_VERSION = "SELECT current_setting('citus.version', true) AS citus";

/** A worker that has vanished is given up, and can be named, before the check of the health is out of time. */
export const NOTICE_AWAY_WORKERS = "SET citus.node_connection_timeout = '3s'";
