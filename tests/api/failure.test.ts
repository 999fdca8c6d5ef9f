import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres, type Postgres } from '../../src/demo/postgres';
import { startServer } from '../../src/demo/server';
import { connect as connectDatabase } from '../../src/lib/server/migrate/connect';
import { up } from '../../src/lib/server/migrate/runner';
import { LOCAL_VERSIONS } from '../support/cluster';
import { apiAt, type Answer } from '../support/http';
import { bytes, plan, type Planned } from '../support/planned';
import { holdVersion, until, untilWaiting } from '../support/race';
import { queryOn, startService, type Service } from '../support/service';

const BODY = { pf_user: 'ann', slice: {} };

async function version(service: Pick<Service, 'api' | 'query'>): Promise<Planned> {
  const planned = await plan(
    service as Service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [
      { Region: 'A', Sales: 100 },
      { Region: 'B', Sales: 50 },
    ],
  );
  const loaded = await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  expect(loaded.status).toBe(200);
  return planned;
}

/** Expects a failure in words for a person, without SQL, hosts or stack traces. */
function expectPlainFailure(answer: Answer, status = 500): void {
  expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String) }]);
  if (status === 503) expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(answer.body.error).not.toMatch(/select|insert|pf\.|127\.0\.0\.1|\bat \/|forecast_/i);
}

async function expectUntouched(service: Service, v: Planned, before: string[]): Promise<void> {
  expect(await bytes(service, v)).toEqual(before);
  const { entries } = (await service.api.get(`${v.path}/log`)).body;
  expect(entries.map((e: { operation: string }) => e.operation)).toEqual(['baseline']);
  const log = await service.query(`SELECT operation FROM pf.log WHERE version_id = ${v.id}`);
  expect(log).toEqual([{ operation: 'baseline' }]);
}

/** Replaces `get_data` by a statement that sleeps in its middle. */
const slowDown = (service: Service, v: Planned) =>
  service.query(
    `UPDATE pf.sql SET sql = 'SELECT * FROM {{fc_table}}
       UNION ALL SELECT * FROM {{fc_table}} WHERE pg_sleep(1000000) IS NULL'
     WHERE source_id = ${v.sourceId} AND operation = 'get_data'`,
  );

const working = async ({ query }: Service, condition: string): Promise<number> => {
  const [{ n }] = await query(
    `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()
       AND application_name = 'forecast-pivot' AND ${condition}`,
  );
  return n;
};

describe('PostgreSQL stops', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-failing-'));
  let postgres: Postgres;
  let service: Service;

  beforeAll(async () => {
    postgres = await startPostgres({ folder });
    const database = postgres.database('postgres');
    const client = await connectDatabase(database);
    await up(client, () => {});
    await client.end();
    const server = await startServer({ database });
    const { query, end } = queryOn(database);
    const stop = async () => {
      await server.stop();
      await end();
    };
    service = { url: server.url, api: apiAt(server.url), server, database, query, stop };
  });
  afterAll(async () => {
    await service?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Restarts the cluster on its old port, after the processes of the killed one have ended. */
  const restart = () =>
    until(() => startPostgres({ folder, port: service.database.port }).catch(() => undefined));

  it('requests fail meanwhile without a trace, and work again afterwards', async () => {
    const v = await version(service);
    const before = await bytes(service, v);
    await holdVersion(service, v.id);
    const scaled = service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 });
    const loaded = service.api.post(`${v.path}/baseline`, { pf_user: 'ann' });
    await untilWaiting(service, 2);

    process.kill(postgres.pid, 'SIGKILL');
    for (const answer of await Promise.all([scaled, loaded])) expectPlainFailure(answer, 503);
    expectPlainFailure(await service.api.get('/health'), 503);
    expectPlainFailure(await service.api.get(`${v.path}/log`), 503);
    expectPlainFailure(await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 }), 503);
    await postgres.stop();

    postgres = await restart();
    await until(async () => (await service.api.get('/health')).status === 200);
    await expectUntouched(service, v, before);
    expect((await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 })).status).toBe(200);
    expect((await service.api.get(`${v.path}/data`)).headers.get('x-row-count')).toBe('4');
  });

  it('the service also survives a crash of one of its processes', async () => {
    const v = await version(service);
    const before = await bytes(service, v);
    await holdVersion(service, v.id);
    const scaled = service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 });
    await untilWaiting(service, 1);
    const [{ pid }] = await service.query(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'forecast-pivot'
         AND wait_event_type = 'Lock' LIMIT 1`,
    );
    process.kill(pid, 'SIGKILL');
    expectPlainFailure(await scaled, 503);
    await until(async () => (await service.api.get('/health')).status === 200);
    await until(() => bytes(service, v).catch(() => undefined));
    await expectUntouched(service, v, before);
    expect((await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 })).status).toBe(200);
  });
});

describe('a connection ends', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('service', LOCAL_VERSIONS);
  });
  afterAll(() => service?.stop());

  it('the service survives the termination of idle connections', async () => {
    const v = await version(service);
    await Promise.all(Array.from({ length: 10 }, () => service.api.get(`${v.path}/log`)));
    expect(await working(service, `state = 'idle'`)).toBeGreaterThan(1);
    await service.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'forecast-pivot'`,
    );
    await until(async () => service.server.output().includes('idle database connection was lost'));
    await until(async () => (await working(service, 'TRUE')) === 0);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service.api.get(`${v.path}/log`)),
    );
    expect(answers.map((a) => a.status)).toEqual(Array(12).fill(200));
    expect((await service.api.get('/health')).status).toBe(200);
  });

  it('a write on a terminated connection fails without a trace', async () => {
    const v = await version(service);
    const before = await bytes(service, v);
    const held = await holdVersion(service, v.id);
    const scaled = service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 });
    await untilWaiting(service, 1);
    await service.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expectPlainFailure(await scaled, 503);
    await held.release();
    await expectUntouched(service, v, before);
    expect((await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 })).status).toBe(200);
  });

  it('the statement of a client that disconnects during a download ends', async () => {
    const v = await version(service);
    // Readers of one version would share one statement.
    const others = await Promise.all(Array.from({ length: 9 }, () => version(service)));
    const gone = new AbortController();
    const downloads = [];
    for (const slow of [v, ...others]) {
      await slowDown(service, slow);
      downloads.push(service.api.send(`${slow.path}/data`, { signal: gone.signal }));
    }
    await until(async () => (await working(service, `wait_event = 'PgSleep'`)) === 10);
    gone.abort();
    for (const download of downloads) await expect(download).rejects.toThrow(/abort/);
    await until(async () => (await working(service, `state <> 'idle'`)) === 0);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service.api.get(`${v.path}/log`)),
    );
    expect(answers.map((a) => a.status)).toEqual(Array(12).fill(200));
  });
});

describe('a statement runs too long', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService('service', { PF_STATEMENT_TIMEOUT: '500ms' });
  });
  afterAll(() => service?.stop());

  it('ends with an error that says so, without a trace', async () => {
    const v = await version(service);
    const before = await bytes(service, v);
    const held = await holdVersion(service, v.id);
    const answer = await service.api.post(`${v.path}/scale`, { ...BODY, pct: 10 });
    expectPlainFailure(answer);
    expect(answer.body.error).toMatch(/longer than PF_STATEMENT_TIMEOUT/);
    await held.release();
    await expectUntouched(service, v, before);

    await slowDown(service, v);
    const download = await service.api.get(`${v.path}/data`);
    expectPlainFailure(download);
    expect(download.body.error).toMatch(/longer than PF_STATEMENT_TIMEOUT/);
  });
});

describe('the server is stopped', () => {
  it('finishes the requests in progress, then exits with code 0', async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    const v = await version(service);
    const held = await holdVersion(service, v.id);
    // More than can wait for the lock at once: the last of them has not started.
    const writers = Array.from({ length: 5 }, () =>
      service.api.post(`${v.path}/scale`, { ...BODY, value_incr: 1 }),
    );
    await untilWaiting(service, 3);
    process.kill(service.server.pid, 'SIGTERM');
    await until(() =>
      fetch(`${service.url}/api/health`).then(
        () => false,
        () => true,
      ),
    );
    await held.release();
    for (const answer of await Promise.all(writers)) expect(answer.status).toBe(200);
    expect(await service.server.ended).toEqual({ code: 0, signal: null });
    const [{ value }] = await service.query(`SELECT sum("Sales")::text AS value FROM ${v.table}`);
    expect(value).toBe('155.00');
  });

  it('does not wait for a client that has stopped in the middle of a body', async () => {
    const service = await startService();
    onTestFinished(() => service.stop());
    const v = await version(service);
    const before = await bytes(service, v);
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.write(
      `POST /api${v.path}/scale HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"pf_user": "ann", ',
    );
    const idle = connect(Number(port), hostname);
    idle.on('error', () => {});
    idle.write('GET /api/health HTTP/1.1\r\nHo');
    // Both have arrived when a later request is answered.
    expect((await service.api.get('/health')).status).toBe(200);
    process.kill(service.server.pid, 'SIGTERM');
    expect(await service.server.ended).toEqual({ code: 0, signal: null });
    await closed;
    expect(await bytes(service, v)).toEqual(before);
  });
});

describe.each([
  ['row by row', 'raw', 'data'],
  ['at a grain', 'grain', 'agg'],
] as const)('two servers on one database, %s', (_, template, endpoint) => {
  it('give the same answers', async () => {
    const service = await startService(template);
    onTestFinished(() => service.stop());
    const second = await startServer({ database: service.database });
    onTestFinished(() => second.stop());
    const [one, two] = [service.api, apiAt(second.url)];
    const [{ id, source_id: sourceId }] = await service.query(
      'SELECT id, source_id FROM pf.version',
    );
    const path = `/versions/${id}`;

    const rowsOf = ({ bytes: body }: Answer) =>
      tableFromIPC(body)
        .toArray()
        .map((row) => JSON.stringify(row.toJSON()))
        .sort();
    /** Checks that both servers return the same rows and the same log. */
    const agree = async () => {
      const answers = await Promise.all([one, two].map((api) => api.get(`${path}/${endpoint}`)));
      const [here, there] = answers.map(rowsOf);
      expect(here!.length).toBeGreaterThan(0);
      expect(there).toEqual(here);
      const logs = await Promise.all([one, two].map((api) => api.get(`${path}/log`)));
      expect(logs[1]!.body).toEqual(logs[0]!.body);
      return here!;
    };
    const slice = { Region: 'West' };

    const loaded = await agree();
    const scaled = await one.post(`${path}/scale`, { pf_user: 'ann', slice, pct: 10, note: 'a' });
    expect(scaled.status).toBe(200);
    expect((await agree()).length).toBe(loaded.length + scaled.body.length);
    const recoded = await two.post(`${path}/recode`, {
      pf_user: 'bob',
      slice,
      set: { Region: 'Far West' },
    });
    expect(recoded.status).toBe(200);
    expect((await agree()).length).toBe(loaded.length + scaled.body.length + recoded.body.length);
    const nothing = await one.post(`${path}/scale`, { pf_user: 'ann', slice, pct: 10 });
    expect(nothing.status).toBe(422);

    const [, { id: scale }] = (await one.get(`${path}/log`)).body.entries;
    expect((await two.patch(`/log/${scale}`, { note: 'seen on the other side' })).status).toBe(200);
    await agree();
    expect((await two.del(`/log/${scale}`)).status).toBe(200);
    expect((await one.del(`/log/${scale}`)).status).toBe(404);
    await agree();
    expect((await one.post(`/sources/${sourceId}/sql`)).status).toBe(200);
    await agree();
    expect((await two.post(`${path}/close`, { pf_user: 'bob' })).status).toBe(200);
    expect((await one.post(`${path}/scale`, { pf_user: 'ann', slice: {}, pct: 1 })).status).toBe(
      403,
    );
  });
});
