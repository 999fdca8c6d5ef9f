import { connect, createServer, type Socket } from 'node:net';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../src/demo/postgres';
import { startServer } from '../../src/demo/server';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { Database } from '../../src/lib/server/db/database';
import { sql } from '../../src/lib/server/sql/quote';
import { trusted } from '../../src/lib/server/sql/trusted';
import { apiAt, type Answer } from '../support/http';
import { bytes, plan, type Planned } from '../support/planned';
import { hold, holdVersion, until, untilAllWait, untilWaiting } from '../support/race';
import { queryOn, startService, type Service } from '../support/service';

async function version(service: Service): Promise<Planned> {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [
      { Region: 'A', Sales: 100 },
      { Region: 'B', Sales: 50 },
    ],
  );
  expect((await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  return planned;
}

const BODY = { pf_user: 'ann', slice: {} };

/** Expects a refusal that says to try again, in words for a person. */
function expectNotNow(answer: Answer, sentence: RegExp): void {
  expect([answer.status, answer.body]).toEqual([503, { error: expect.stringMatching(sentence) }]);
  expect(answer.body.error).not.toMatch(/select|insert|pf\.|127\.0\.0\.1|\bat \/|forecast_/i);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

describe('requests that wait too long are refused', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('service', { PF_WAIT_TIMEOUT: '2s' });
  });
  afterAll(() => service?.stop());

  it('everything else is answered while many requests read a locked table', async () => {
    const v = await version(service);
    const free = await version(service);
    const held = await hold(service, `LOCK TABLE ${v.table} IN ACCESS EXCLUSIVE MODE`);
    const reads = ['data', 'log', 'segments'];
    const readers = Array.from({ length: 24 }, (_, i) =>
      service.api.get(`${v.path}/${reads[i % reads.length]}`),
    );
    let waiting = readers.length;
    for (const reader of readers) void reader.then(() => (waiting -= 1));
    await untilWaiting(service, 2);
    const paths = [`${free.path}/log`, `${free.path}/data`, '/health', '/sources'];
    for (const path of [...paths, `/sources/${free.sourceId}/versions`]) {
      expect([path, (await service.api.get(path)).status]).toEqual([path, 200]);
    }
    const scaled = await service.api.post(`${free.path}/scale`, { ...BODY, pct: 10 });
    expect(scaled.status).toBe(200);
    expect(waiting).toBeGreaterThan(0);
    for (const answer of await Promise.all(readers)) expectNotNow(answer, /PF_WAIT_TIMEOUT/);
    await held.release();
    expect((await service.api.get(`${v.path}/data`)).status).toBe(200);
  });

  it('writers behind an endless one are refused, and change nothing', async () => {
    const v = await version(service);
    const before = await bytes(service, v);
    const held = await holdVersion(service, v.id);
    const writers = Array.from({ length: 8 }, () =>
      service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 }),
    );
    for (const answer of await Promise.all(writers)) expectNotNow(answer, /nothing was changed/);
    await held.release();
    expect(await bytes(service, v)).toEqual(before);
    expect((await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 })).status).toBe(200);
  });
});

it('a request is refused if every connection is in use', async () => {
  const service = await startService('service', { PF_WAIT_TIMEOUT: '0' });
  onTestFinished(() => service.stop());
  const v = await version(service);
  const held = await hold(service, 'LOCK TABLE pf.col_meta IN ACCESS EXCLUSIVE MODE');
  const path = `/sources/${v.sourceId}/columns`;
  const first = Array.from({ length: 20 }, () => service.api.get(path));
  await untilAllWait(service);
  expectNotNow(await service.api.get(path), /All connections to the database are in use/);
  await held.release();
  for (const answer of await Promise.all(first)) expect(answer.status).toBe(200);
});

it('the service abandons a computation during which PostgreSQL checks for no cancel', async () => {
  // A separate cluster, because dropping a database in PostgreSQL waits for every backend.
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const { query, end } = queryOn(postgres.database('postgres'));
  onTestFinished(end);
  const limits = { statementTimeout: 200, waitTimeout: 0 };
  const database = Database.open({ ...postgres.database('postgres'), ...limits });
  onTestFinished(() => database.close());

  const long = Array(400).fill('1e131000/7%(1e65000/7)<0').join(' OR ');
  await expect(database.any(trusted(`SELECT ${long} AS never`))).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/neither answered nor ended/),
  });
  expect(await database.one(v.object({ one: v.number() }), sql`SELECT 1 AS one`)).toEqual({
    one: 1,
  });
  const running = await query(
    `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT 1e131000%'`,
  );
  expect(running).toHaveLength(1);
  process.kill(running[0].pid, 'SIGKILL');
});

/** Forwards bytes to a database, until it is switched to drop them. */
async function relay(to: DatabaseConfig) {
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    const far = connect(to.port, to.host);
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => void (open && other.write(data)));
      from.on('close', () => {
        sockets.delete(from);
        if (open) other.destroy();
      });
      from.on('error', () => {});
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    port,
    swallow: () => (open = false),
    /** Forwards bytes again, on new connections. */
    pass: () => {
      open = true;
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

it('the service abandons a database that accepts bytes and sends none', async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const v = await version(service);
  const before = await bytes(service, v);
  const network = await relay(service.database);
  onTestFinished(network.close);
  const server = await startServer({
    database: { ...service.database, port: network.port },
    env: { PF_STATEMENT_TIMEOUT: '1s' },
  });
  onTestFinished(() => server.stop());
  const api = apiAt(server.url);
  expect((await api.get(`${v.path}/data`)).status).toBe(200);

  network.swallow();
  // This one has an open connection; the next ones have to open theirs.
  expectNotNow(await api.get(`${v.path}/data`), /neither answered nor ended/);
  const answers = await Promise.all([
    api.get('/sources'),
    api.post(`${v.path}/scale`, { ...BODY, pct: 10 }),
  ]);
  for (const answer of answers) expect(answer.status).toBeGreaterThanOrEqual(500);
  expect((await api.get('/health')).status).toBe(503);

  network.pass();
  await until(async () => (await api.get('/health')).status === 200);
  expect(await bytes(service, v)).toEqual(before);
  expect((await api.post(`${v.path}/scale`, { ...BODY, pct: 10 })).status).toBe(200);
});
