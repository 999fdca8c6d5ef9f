import pg from 'pg';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { startServer, type Server, type ServerOptions } from '../../src/demo/server';
import { cloneDatabase, dropDatabase, serverEnvironment, type Template } from './cluster';
import { apiAt, type Api } from './http';

/** The built server on a database of its own. */
export interface Service {
  url: string;
  api: Api;
  server: Server;
  database: DatabaseConfig;
  /**
   * Queries the database directly, without the service. Dates and timestamps are ISO text in UTC, numeric is
   * exact text, bigint is a number.
   */
  query: Query;
  stop(): Promise<void>;
}

// A test knows the row it asks for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Query = <Row = any>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** Number of servers behind a proxy; 0 is one server without a proxy (`npm run test:servers`). */
const SERVERS = Number(process.env.PF_TEST_SERVERS ?? 0);

/** Starts the built server on a fresh clone of a template database. */
export async function startService(
  template: Template = 'service',
  env: Record<string, string> = {},
): Promise<Service> {
  const database = await cloneDatabase(template);
  const { query, end } = queryOn(database);
  try {
    const options = { database, env: { ...serverEnvironment(), ...env } };
    const server = await startServer(options);
    const { url, stop } = await behindProxy(server, options);
    return {
      url,
      api: apiAt(url),
      server,
      database,
      query,
      stop: async () => {
        await stop();
        await server.stop();
        await end();
        await dropDatabase(database);
      },
    };
  } catch (error) {
    await end();
    await dropDatabase(database);
    throw error;
  }
}

/** Starts the other servers of a test and the proxy in front of all of them, if configured. */
async function behindProxy(
  first: Server,
  options: ServerOptions,
): Promise<{ url: string; stop: () => Promise<void> }> {
  if (SERVERS === 0) return { url: first.url, stop: async () => {} };
  const others: Server[] = [];
  while (others.length < SERVERS - 1) others.push(await startServer(options));
  // Vitest is not available if a browser test starts the service.
  const { startBalancer } = await import('./caddy');
  const caddy = await startBalancer([first, ...others].map(({ url }) => url));
  return {
    url: caddy.url,
    stop: async () => {
      await caddy.stop();
      await Promise.all(others.map((server) => server.stop()));
    },
  };
}

/**
 * Changes rows by SQL without the service taking notice. If its answers show the change, it has read the rows;
 * if not, it has answered from its cache.
 */
export const changeUnnoticed = ({ query }: Pick<Service, 'query'>, statement: string) =>
  query(`SELECT set_config('pf.writer', 'service', true); ${statement}`);

/** Queries a database directly, without the service; `end` closes the connections. */
export function queryOn(database: DatabaseConfig): { query: Query; end: () => Promise<void> } {
  const asText = [1082, 1114, 1184]; // date, timestamp, timestamptz
  const pool = new pg.Pool({
    ...database,
    options:
      '-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=postgres -c standard_conforming_strings=on -c extra_float_digits=1',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') => {
        if (asText.includes(oid)) return (value: string) => value;
        if (oid === 20) return Number;
        return pg.types.getTypeParser(oid, format as 'text');
      },
    } as pg.CustomTypesConfig,
  });
  // A test that ends the server's connections ends these too. The next query opens a new one.
  pool.on('error', () => {});
  return {
    query: async <Row>(sql: string, values: unknown[] = []) => {
      // Without values, the simple protocol runs, which accepts several statements.
      const result = await (values.length > 0 ? pool.query(sql, values) : pool.query(sql));
      return (Array.isArray(result) ? result.at(-1) : result).rows as Row[];
    },
    end: () => pool.end(),
  };
}
