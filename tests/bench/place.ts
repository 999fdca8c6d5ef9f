import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres } from '../../src/demo/postgres';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { up } from '../../src/lib/server/migrate/runner';
import type { Shape } from './shapes';

/** Creates a source table, replacing a table of the same name. */
async function makeTable(client: pg.Client, { tname, rows, select }: Shape): Promise<void> {
  await client.query(`DROP TABLE IF EXISTS public.${tname}`);
  await client.query(`CREATE TABLE public.${tname} AS
    SELECT ${select} FROM generate_series(0::bigint, ${rows - 1}) AS i`);
  await client.query(`VACUUM ANALYZE public.${tname}`);
}

const agent = new Agent({ keepAlive: true });

/** Returns the response to a request; the caller reads its body. */
async function answerTo(
  url: string,
  method: string,
  path: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const type = body && { 'content-type': 'application/json' };
  const sent = request(`${url}/api${path}`, { method, agent, headers: { ...type, ...headers } });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/**
 * Sends a request and reads the answer to its last byte. A refusal ends the run. `fetch` would time out after
 * five minutes, which a load of many rows may take.
 */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Buffer> {
  const response = await answerTo(url, method, path, body, headers);
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const answer = Buffer.concat(parts);
  if (response.statusCode! >= 400) throw new Error(`${path}: ${answer.toString()}`);
  return answer;
}

/** Sends a request like {@link send}, for an answer in JSON. The caller knows its type. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const call = async (...request: Parameters<typeof send>): Promise<any> =>
  JSON.parse((await send(...request)).toString());

/**
 * Reads rows to the last byte and discards them.
 *
 * @param tag of rows that the client has: the answer must then be a 304
 */
export async function drain(
  url: string,
  path: string,
  { tag, headers = {} }: { tag?: string; headers?: Record<string, string> } = {},
): Promise<{ tag: string; bytes: number }> {
  const known: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag };
  const response = await answerTo(url, 'GET', path, undefined, { ...headers, ...known });
  let bytes = 0;
  for await (const part of response) bytes += (part as Buffer).length;
  const expected = tag === undefined ? 200 : 304;
  if (response.statusCode !== expected) throw new Error(`${path}: ${response.statusCode}`);
  return { tag: response.headers.etag ?? '', bytes };
}

/** Creates and registers a source table. @returns the id of the source, and its templates by operation */
export async function makeSource(
  client: pg.Client,
  url: string,
  shape: Shape,
): Promise<{ source: number; templates: Record<string, string> }> {
  await makeTable(client, shape);
  const { id } = await call(url, 'POST', '/sources', { schema: 'public', tname: shape.tname });
  await call(url, 'PUT', `/sources/${id}/columns`, shape.columns);
  const stored: { operation: string; sql: string }[] = await call(
    url,
    'POST',
    `/sources/${id}/sql`,
  );
  return {
    source: id,
    templates: Object.fromEntries(stored.map(({ operation, sql }) => [operation, sql])),
  };
}

/** From this number of rows on, the service builds indexes for slices in the background. */
export const INDEXED_ROWS = 100_000;

/** Waits until the indexes for slices are there, so that their build does not disturb a measurement. */
export async function indexesBuilt(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query(`SELECT count(*) FILTER (WHERE i.indisvalid)::int AS valid
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid AND c.relname LIKE 'slice%'
    WHERE i.indrelid = '${table}'::regclass`);
  if (rows[0].valid > 0) {
    const { rows: building } = await client.query(
      "SELECT FROM pg_stat_activity WHERE query ILIKE 'CREATE INDEX%' AND state = 'active'",
    );
    if (building.length === 0) return;
  }
  await setTimeout(500);
  return indexesBuilt(client, table);
}

/**
 * Vacuums a table and reads its statistics. ANALYZE waits for an index that is being built, and the build waits for
 * older snapshots, so the table is locked before ANALYZE takes its own.
 */
export async function vacuum(client: pg.Client, table: string): Promise<void> {
  await client.query(`VACUUM ${table}`);
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await client.query(`ANALYZE ${table}`);
  await client.query('COMMIT');
}

/** Creates a version of a new source table with one load. @returns also the name of its forecast table */
export async function makeVersion(client: pg.Client, url: string, shape: Shape) {
  const { source, templates } = await makeSource(client, url, shape);
  const { id } = await call(url, 'POST', `/sources/${source}/versions`, { name: 'Bench' });
  await send(url, 'POST', `/versions/${id}/baseline`, { pf_user: 'bench' });
  const table = `pf.fc_${shape.tname}_${id}`;
  if (shape.rows >= INDEXED_ROWS) await indexesBuilt(client, table);
  await vacuum(client, table);
  return { id: id as number, source, table, templates };
}

/** Deletes a source with its versions and tables, and releases their disk space. */
export async function dropSource(client: pg.Client, tname: string): Promise<void> {
  const { rows: versions } = await client.query(
    `SELECT v.id FROM pf.version v JOIN pf.source s ON s.id = v.source_id WHERE s.tname = $1`,
    [tname],
  );
  for (const { id } of versions) {
    await client.query(`DROP TABLE IF EXISTS pf.fc_${tname}_${id}`);
    await client.query('DELETE FROM pf.version WHERE id = $1', [id]);
  }
  await client.query('DELETE FROM pf.source WHERE tname = $1', [tname]);
  await client.query(`DROP TABLE IF EXISTS public.${tname}`);
}

/** A database for measurements. */
export interface Place {
  database: DatabaseConfig;
  client: pg.Client;
  /** Whether new versions can be distributed. */
  hasCitus: boolean;
  close(): Promise<void>;
}

const SETTINGS = {
  ...{ fsync: 'off', work_mem: '256MB' },
  // No checkpoint starts automatically; after each one, all WAL files can be reused.
  ...{ max_wal_size: '8GB', min_wal_size: '8GB' },
};

/** Starts a separate PostgreSQL with the schema of the service. It ends with this process. */
export async function startPlace(settings: Record<string, string> = {}): Promise<Place> {
  const postgres = await startPostgres({
    settings: { ...SETTINGS, shared_buffers: '1GB', ...settings },
  });
  return openedOn(postgres.database('postgres'), () => postgres.stop());
}

/**
 * Opens the database of the `DB_*` variables, or starts a separate PostgreSQL, with the schema of the
 * service.
 */
export async function openPlace(): Promise<Place> {
  const { DB_HOST, DB_PORT, DB_NAME, DB_USER, DB_PASSWORD } = process.env;
  if (!DB_HOST) return startPlace({ shared_buffers: '2GB' });
  const database = {
    host: DB_HOST,
    port: Number(DB_PORT ?? 5432),
    database: DB_NAME ?? '',
    user: DB_USER ?? '',
    password: DB_PASSWORD ?? '',
  };
  return openedOn(database, () => Promise.resolve());
}

async function openedOn(database: DatabaseConfig, stop: () => Promise<void>): Promise<Place> {
  // The trigger on forecast tables must not slow down the statements with which the service is compared.
  const client = new pg.Client({ ...database, options: '-c pf.writer=service' });
  await client.connect();
  await up(client, () => {});
  const { rows } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  return {
    database,
    client,
    hasCitus: rows.length > 0,
    close: async () => {
      await client.end();
      await stop();
    },
  };
}
