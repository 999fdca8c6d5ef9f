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

/** The settings as the start-up option of a connection. */
export const SESSION_OPTIONS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');
