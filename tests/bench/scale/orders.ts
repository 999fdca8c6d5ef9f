import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { startPostgres } from '../../../src/demo/postgres';
import type { DatabaseConfig } from '../../../src/lib/server/config';
import { up } from '../../../src/lib/server/migrate/runner';

/** A slice of one batch has so many leaves. */
export const LEAVES = 10_000;

/** What the columns are to a plan. Those of the display grain make 96,000 groups. */
const COLUMNS = [
  { cname: 'Region', role: 'dimension', in_grain: true },
  { cname: 'Category', role: 'dimension', in_grain: true },
  { cname: 'Month', role: 'date', in_grain: true },
  { cname: 'Product', role: 'dimension', in_grain: false },
  { cname: 'Batch', role: 'dimension', in_grain: false },
  { cname: 'Customer', role: 'dimension', in_grain: false },
  { cname: 'Sales', role: 'value', in_grain: false },
  { cname: 'Quantity', role: 'units', in_grain: false },
];

const table = (rows: number) => `orders_${rows}`;

/** Makes a source table of so many rows, each a leaf of its own. */
async function makeOrders(client: pg.Client, rows: number): Promise<void> {
  await client.query(`DROP TABLE IF EXISTS public.${table(rows)}`);
  await client.query(`CREATE TABLE public.${table(rows)} AS SELECT
    'Region ' || i % 20 AS "Region", 'Category ' || i / 20 % 100 AS "Category",
    (date '2024-01-01' + interval '1 month' * (i / 2000 % 48))::date AS "Month",
    'Product ' || i / 20 % 100 || '-' || i / 96000 % 100 AS "Product",
    'Batch ' || i / ${LEAVES} AS "Batch", 'Customer ' || i / 9600000 AS "Customer",
    round(1 + i * 7.919 % 5000, 2)::numeric(12,2) AS "Sales", (i % 14 + 1)::int AS "Quantity"
  FROM generate_series(0, ${rows - 1}) AS i`);
  await client.query(`VACUUM ANALYZE public.${table(rows)}`);
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request and reads the answer to its last byte. A refusal ends the run. `fetch` would give up
 * after five minutes, which a load of many rows may take.
 */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Buffer> {
  const headers = body ? { 'content-type': 'application/json' } : {};
  const sent = request(`${url}/api${path}`, { method, headers, agent });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const answer = Buffer.concat(parts);
  if (response.statusCode! >= 400) throw new Error(`${path}: ${answer.toString()}`);
  return answer;
}

/** As {@link send}, for an answer in JSON. What is asked for is known here. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const call = async (...request: Parameters<typeof send>): Promise<any> =>
  JSON.parse((await send(...request)).toString());

/** Registers a source table of so many rows. @returns the id of the source */
export async function makeSource(client: pg.Client, url: string, rows: number): Promise<number> {
  await makeOrders(client, rows);
  const source = await call(url, 'POST', '/sources', { schema: 'public', tname: table(rows) });
  await call(url, 'PUT', `/sources/${source.id}/columns`, COLUMNS);
  await send(url, 'POST', `/sources/${source.id}/sql`);
  return source.id;
}

/** Deletes all sources, versions and tables of one size, and gives their disk space back. */
export async function dropSource(client: pg.Client, rows: number): Promise<void> {
  const { rows: versions } = await client.query(
    `SELECT v.id FROM pf.version v JOIN pf.source s ON s.id = v.source_id WHERE s.tname = $1`,
    [table(rows)],
  );
  for (const { id } of versions) {
    await client.query(`DROP TABLE IF EXISTS pf.fc_${table(rows)}_${id}`);
    await client.query('DELETE FROM pf.version WHERE id = $1', [id]);
  }
  await client.query('DELETE FROM pf.source WHERE tname = $1', [table(rows)]);
  await client.query(`DROP TABLE IF EXISTS public.${table(rows)}`);
}

/** A database to measure on. */
export interface Place {
  database: DatabaseConfig;
  client: pg.Client;
  /** Whether new versions can be distributed there. */
  hasCitus: boolean;
  close(): Promise<void>;
}

/** The database that `DB_*` names, or a PostgreSQL of its own, with the schema of the service. */
export async function openPlace(): Promise<Place> {
  const { DB_HOST, DB_PORT, DB_NAME, DB_USER, DB_PASSWORD } = process.env;
  const postgres = DB_HOST
    ? undefined
    : await startPostgres({
        settings: { fsync: 'off', shared_buffers: '2GB', max_wal_size: '8GB', work_mem: '256MB' },
      });
  const database = postgres?.database('postgres') ?? {
    host: DB_HOST ?? '',
    port: Number(DB_PORT ?? 5432),
    database: DB_NAME ?? '',
    user: DB_USER ?? '',
    password: DB_PASSWORD ?? '',
  };
  const client = new pg.Client(database);
  await client.connect();
  await up(client, () => {});
  const { rows } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  return {
    database,
    client,
    hasCitus: rows.length > 0,
    close: async () => {
      await client.end();
      await postgres?.stop();
    },
  };
}
