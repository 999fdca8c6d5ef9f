import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import { startServer } from '../../src/demo/server';
import { LOCAL_VERSIONS } from '../support/cluster';
import { apiAt } from '../support/http';
import { bytes, plan, type Planned } from '../support/planned';
import { hold } from '../support/race';
import { startService, type Service } from '../support/service';

let service: Service;
let v: Planned;
beforeAll(async () => {
  service = await startService('service', {
    PF_ALLOWED_HOSTS: 'Plan.example.com:443, plan',
    ...LOCAL_VERSIONS,
  });
  v = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [{ Region: 'A', Sales: 100 }],
  );
  expect((await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
});
afterAll(() => service?.stop());

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Sends a request with headers that fetch would not send, such as Host. */
function raw(
  path: string,
  headers: Record<string, string>,
  { url = service.url, method = 'GET', body = '' } = {},
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

describe('the accepted hosts', () => {
  it.each([
    ['plan.example.com', 200],
    ['PLAN.example.com:8443', 200],
    ['plan', 200],
    ['localhost:3010', 200],
    ['[::1]:3010', 200],
    ['evil.example.com', 421],
    ['127.0.0.1.evil.example.com', 421],
  ])('%s: %i, pages too', async (host, status) => {
    const api = await raw('/api/sources', { host });
    expect([api.status, api.text.includes('PF_ALLOWED_HOSTS')]).toEqual([status, status === 421]);
    if (status === 421) expect(JSON.parse(api.text)).toEqual({ error: expect.any(String) });
    const page = await raw('/', { host });
    expect([page.status, page.text.includes('<html')]).toEqual([status, status === 200]);
  });
});

describe('a check of health', () => {
  it.each(['/api/health', '/api/health/live'])('%s answers at every host', async (path) => {
    const { status, text } = await raw(path, { host: '10.0.0.7:3010' });
    expect([status, JSON.parse(text).status]).toEqual([200, 'ok']);
    expect((await raw(`${path}/x`, { host: '10.0.0.7:3010' })).status).toBe(421);
    expect((await raw('/api/metrics', { host: '10.0.0.7:3010' })).status).toBe(421);
  });
});

describe('the origin of a write', () => {
  const own = () => new URL(service.url).host;
  it.each([
    ['the service itself', () => `http://${own()}`, 200],
    ['the same host on another port', () => 'http://127.0.0.1:1', 403],
    ['another host', () => `http://evil.example.com`, 403],
    ['an opaque one', () => 'null', 403],
  ])('%s, with a body and without', async (_, origin, status) => {
    const before = await bytes(service, v);
    const headers = { origin: origin(), 'content-type': 'application/json' };
    const scaled = await raw(`/api${v.path}/scale`, headers, {
      method: 'POST',
      body: JSON.stringify({ pf_user: 'ann', slice: {}, pct: 10 }),
    });
    expect(scaled.status).toBe(status);
    if (status === 200) {
      const [{ id }] = (await service.api.get(`${v.path}/log`)).body.entries;
      expect((await raw(`/api/log/${id}`, headers, { method: 'DELETE' })).status).toBe(200);
    } else {
      const cleared = await raw(
        `/api${v.path}/baseline`,
        { origin: origin() },
        { method: 'DELETE' },
      );
      expect(cleared.status).toBe(403);
    }
    expect(await bytes(service, v)).toEqual(before);
    expect((await raw('/api/sources', { origin: origin() })).status).toBe(200);
  });

  it('and the type of its body are checked however the path is written', async () => {
    const before = await bytes(service, v);
    const json = 'application/json';
    const body = JSON.stringify({ pf_user: 'ann', slice: {}, pct: 10 });
    const other = 'http://evil.example.com';
    for (const api of ['/api', '/%61pi', '/a%70%69']) {
      const path = `${api}${v.path}/scale`;
      for (const [headers, status] of [
        [{ origin: other, 'content-type': json }, 403],
        [{ 'sec-fetch-site': 'cross-site', 'content-type': json }, 403],
        [{ origin: other, 'content-type': 'text/plain' }, 403],
        [{ 'content-type': 'text/plain' }, 415],
      ] as const) {
        const answer = await raw(path, headers, { method: 'POST', body });
        expect([path, answer.status, JSON.parse(answer.text)]).toEqual([
          ...[path, status],
          { error: expect.any(String) },
        ]);
      }
      const unknown = await raw(`${api}/no/such/path`, {});
      expect([unknown.status, JSON.parse(unknown.text).error]).toEqual([
        404,
        'There is no such path in this API',
      ]);
    }
    expect((await raw('/', { origin: other }, { method: 'POST' })).status).toBe(403);
    expect(await bytes(service, v)).toEqual(before);
  });

  it('is compared with the address given by a proxy or ORIGIN', async () => {
    const server = await startServer({
      database: service.database,
      env: { HOST_HEADER: 'x-forwarded-host', PROTOCOL_HEADER: 'x-forwarded-proto' },
    });
    onTestFinished(() => server.stop());
    const named = await startServer({
      database: service.database,
      env: { ORIGIN: 'https://plan.example.com' },
    });
    onTestFinished(() => named.stop());
    const forwarded = {
      'x-forwarded-host': 'plan.example.com',
      'x-forwarded-proto': 'https',
      'content-type': 'application/json',
    };
    const answer = async (url: string, origin: string, headers: Record<string, string>) =>
      (await raw('/api/sources', { ...headers, origin }, { url, method: 'POST', body: '{}' }))
        .status;
    for (const [url, headers] of [
      [server.url, forwarded],
      [named.url, { 'content-type': 'application/json' }],
    ] as const) {
      expect(await answer(url, 'https://plan.example.com', headers)).toBe(400);
      expect(await answer(url, 'http://plan.example.com', headers)).toBe(403);
      expect(await answer(url, new URL(url).origin, headers)).toBe(403);
    }
  });
});

describe('headers', () => {
  it('prevent browsers from guessing the type of a static file', async () => {
    const folder = join(PROJECT, 'build/client/_app/immutable/assets');
    const css = readdirSync(folder).find((file) => file.endsWith('.css'));
    for (const path of [`/_app/immutable/assets/${css}`, '/theme.js', '/_app/none.js', '/']) {
      const answer = await raw(path, {});
      expect([path, answer.headers['x-content-type-options']]).toEqual([path, 'nosniff']);
    }
  });

  it('keep JSON out of every cache', async () => {
    for (const path of ['/api/sources', '/api/versions/0', '/api/openapi.json', '/api/none']) {
      expect([path, (await raw(path, {})).headers['cache-control']]).toEqual([path, 'no-store']);
    }
  });
});

describe('health', () => {
  it('distinguishes a live process from an unreachable database', async () => {
    const held = await hold(service, 'LOCK TABLE pf.schema_version IN ACCESS EXCLUSIVE MODE');
    const [live, ready] = await Promise.all(
      ['/health/live', '/health'].map((path) => service.api.get(path)),
    );
    expect([live!.status, live!.body]).toEqual([200, { status: 'ok' }]);
    expect(ready!.status).toBe(503);
    await held.release();
  });
});

describe('metrics', () => {
  const value = (text: string, name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    );
  const metrics = async () => (await raw('/api/metrics', {})).text;

  it('count requests, rows and bytes by route, without names', async () => {
    const route = '/api/versions/[id]/data';
    const requests = `forecast_pivot_request_duration_seconds_count{method="GET",route="${route}",status="200"}`;
    const rows = `forecast_pivot_sent_rows_total{route="${route}"}`;
    const sent = `forecast_pivot_sent_bytes_total{route="${route}"}`;
    const answer = await service.api.get(`${v.path}/data`);
    const before = await metrics();
    expect(value(before, requests)).toBeGreaterThan(0);
    await service.api.get(`${v.path}/data`);
    const after = await metrics();
    expect(value(after, requests) - value(before, requests)).toBe(1);
    expect(value(after, rows) - value(before, rows)).toBe(1);
    expect(value(after, sent) - value(before, sent)).toBe(answer.bytes.byteLength);
    expect(value(after, 'forecast_pivot_connections_in_use')).toBe(0);
    expect(value(after, 'forecast_pivot_writers_waiting')).toBe(0);
    expect(after).toMatch(/^forecast_pivot_build_info\{version="\d+\.\d+\.\d+.*"\} 1$/m);
    expect(after).not.toMatch(/Region|Sales|ann\b|Plan/);
  });

  it('count waiting requests', async () => {
    const held = await hold(service, `SELECT FROM pf.version WHERE id = ${v.id} FOR UPDATE`);
    const writers = Array.from({ length: 5 }, () =>
      service.api.post(`${v.path}/scale`, { pf_user: 'ann', slice: {}, value_incr: 1 }),
    );
    await expect
      .poll(async () => value(await metrics(), 'forecast_pivot_writers_waiting'), {
        timeout: 300_000,
      })
      .toBe(2);
    expect(value(await metrics(), 'forecast_pivot_connections_in_use')).toBe(3);
    await held.release();
    for (const answer of await Promise.all(writers)) expect(answer.status).toBe(200);
  });

  it('do not exist with PF_METRICS=0', async () => {
    const server = await startServer({ database: service.database, env: { PF_METRICS: '0' } });
    onTestFinished(() => server.stop());
    const answer = await apiAt(server.url).get('/metrics');
    expect([answer.status, answer.body]).toEqual([404, { error: expect.any(String) }]);
  });
});

describe('a failure of the database', () => {
  it.each([
    ['53100', 503, /disk of the database is full/],
    ['53200', 503, /out of memory/],
    ['53300', 503, /no more connections/],
    ['53400', 500, /more temporary space/],
    ['55P03', 503, /PF_WAIT_TIMEOUT/],
    ['57014', 500, /PF_STATEMENT_TIMEOUT/],
    ['40P01', 409, /try again/],
  ])('%s has its own sentence and changes nothing', async (code, status, says) => {
    await service.query(
      `CREATE OR REPLACE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'could not extend file "base/1/2" of pf.log at 10.0.0.7'
         USING ERRCODE = '${code}'; END $$;
       CREATE TRIGGER fail AFTER INSERT ON ${v.table} EXECUTE FUNCTION public.fail()`,
    );
    const before = await bytes(service, v);
    const answer = await service.api.post(`${v.path}/scale`, {
      pf_user: 'ann',
      slice: {},
      pct: 10,
    });
    await service.query(`DROP TRIGGER fail ON ${v.table}`);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.stringMatching(says) }]);
    expect(answer.body.error).not.toMatch(/base\/|pf\.|10\.0|insert/i);
    const retryAfter = answer.headers.get('retry-after');
    expect(retryAfter === null).toBe(status !== 503);
    expect(await bytes(service, v)).toEqual(before);
  });

  it('is a limit of temporary files, really exceeded', async () => {
    await service.query(
      `CREATE TABLE public.many AS SELECT 'value ' || i AS name FROM generate_series(1, 50000) AS i;
       ALTER DATABASE ${service.database.database} SET temp_file_limit = '64kB';
       ALTER DATABASE ${service.database.database} SET work_mem = '64kB'`,
    );
    const server = await startServer({ database: service.database });
    onTestFinished(() => server.stop());
    const api = apiAt(server.url);
    const { id } = (await api.post('/sources', { schema: 'public', tname: 'many' })).body;
    await api.put(`/sources/${id}/columns`, [{ cname: 'name', role: 'dimension' }]);
    const answer = await api.get(`/sources/${id}/values?cname=name`);
    expect([answer.status, answer.body.error]).toEqual([
      500,
      expect.stringMatching(/more temporary space/),
    ]);
  });
});
