import pg from 'pg';
import { expect } from 'vitest';
import { startServer } from '../../src/demo/server';
import { it } from '../support/api';
import { serverEnvironment } from '../support/cluster';
import { apiAt } from '../support/http';
import { startNetwork } from '../support/packet-loss';

it('is 503 while the database accepts a query and does not answer it', async ({ service }) => {
  const other = new pg.Client(service.database);
  await other.connect();
  await other.query('BEGIN');
  await other.query('LOCK TABLE pf.schema_version IN ACCESS EXCLUSIVE MODE');
  const answer = await service.api.get('/health');
  await other.end();
  expect([answer.status, Object.keys(answer.body)]).toEqual([503, ['error']]);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect((await service.api.get('/health')).status).toBe(200);
});

it('is 503 while the network to the database drops every packet, and 200 afterwards', async ({
  service,
}) => {
  const network = await startNetwork(service.database);
  const env = serverEnvironment();
  const server = await startServer({ database: network.database, env });
  const api = apiAt(server.url);
  // Opens some connections of the pool, which are then idle.
  const used = await Promise.all([1, 2, 3].map(() => api.get('/sources')));
  expect(used.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await api.get('/health')).status).toBe(200);
  let isRestored = false;
  /** Restores the network if the answer takes much longer than allowed. */
  const ask = async (path: string, milliseconds: number) => {
    const restoring = setTimeout(() => {
      isRestored = true;
      network.restore();
    }, milliseconds);
    const { status, body, headers } = await api.get(path);
    clearTimeout(restoring);
    return { status, error: body.error, retry: headers.get('retry-after'), isRestored };
  };
  const health = () => ask('/health', 15_000);
  try {
    network.drop();
    const away = {
      status: 503,
      error: 'The database does not answer',
      retry: '5',
      isRestored: false,
    };
    expect(await health()).toEqual(away);
    // These have no open connection to use.
    expect(await Promise.all([health(), health()])).toEqual([away, away]);
    expect(await ask('/sources', 40_000)).toMatchObject({ status: 503, isRestored: false });
    expect((await api.get('/health/live')).status).toBe(200);
    network.restore();
    await expect
      .poll(async () => (await api.get('/health')).status, { timeout: 300_000 })
      .toBe(200);
    expect((await api.get('/sources')).status).toBe(200);
  } finally {
    await server.stop();
    await network.stop();
  }
});
