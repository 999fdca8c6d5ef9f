import pg from 'pg';
import { startPostgres } from '../../src/demo/postgres';
import { up } from '../../src/lib/server/migrate/runner';

/** A slice of one region has so many leaves. */
export const LEAVES = 10_000;

/** A source table of so many rows, each with a leaf of its own. */
const SETUP = (rows: number) => `
  CREATE TABLE public.orders AS SELECT
    'Region ' || i / ${LEAVES} AS "Region", 'Product ' || i % ${LEAVES} AS "Product",
    'Category ' || i % 17 AS "Category", 'Segment ' || i % 3 AS "Segment",
    date '2026-01-01' + (i % 365)::int AS "Order Date",
    round(1 + i * 7.919 % 5000, 2)::numeric(12,2) AS "Sales", (i % 14 + 1)::int AS "Quantity"
  FROM generate_series(0, ${rows - 1}) AS i;
  VACUUM ANALYZE public.orders`;

/** What its columns are to a plan. */
const ROLES = {
  Region: 'dimension',
  Product: 'dimension',
  Category: 'dimension',
  Segment: 'dimension',
  'Order Date': 'date',
  Sales: 'value',
  Quantity: 'units',
};

/** A cluster with the service's schema and a source table of so many rows, and a connection to it. */
export async function startOrders(rows: number, settings: Record<string, string>) {
  const postgres = await startPostgres({
    settings: { fsync: 'off', shared_buffers: '1GB', max_wal_size: '8GB', ...settings },
  });
  const database = postgres.database('postgres');
  const client = new pg.Client(database);
  await client.connect();
  await up(client, () => {});
  for (const statement of SETUP(rows).split(';')) await client.query(statement);
  return { postgres, database, client };
}

/** Calls a server: an answer to its last byte. A refusal ends the run. */
export const senderTo =
  (url: string) =>
  async (method: string, path: string, body?: object): Promise<string> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      body: body && JSON.stringify(body),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${path}: ${answer}`);
    return answer;
  };

/** Makes a version of the orders, loaded once. @param grain names of the columns of the display grain */
export async function planOrders(
  client: pg.Client,
  send: ReturnType<typeof senderTo>,
  grain: readonly string[] = [],
) {
  // What is asked for is known here.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const call = async (method: string, path: string, body?: object): Promise<any> =>
    JSON.parse(await send(method, path, body));
  const source = await call('POST', '/sources', { schema: 'public', tname: 'orders' });
  await call(
    'PUT',
    `/sources/${source.id}/columns`,
    Object.entries(ROLES).map(([cname, role]) => ({
      cname,
      role,
      in_grain: grain.includes(cname),
    })),
  );
  const templates = await call('POST', `/sources/${source.id}/sql`);
  const { id } = await call('POST', `/sources/${source.id}/versions`, { name: 'Bench' });
  await call('POST', `/versions/${id}/baseline`, { pf_user: 'bench' });
  const table = `pf.fc_orders_${id}`;
  await client.query(`VACUUM ANALYZE ${table}`);
  return { id, table, templates, call };
}
