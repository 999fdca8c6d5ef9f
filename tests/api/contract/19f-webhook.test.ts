// Tests the webhook of docs/contract/19-planning-together.md.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer, type Server } from '../../../src/demo/server';
import { apiAt } from '../../support/http';
import { until } from '../../support/race';
import { startService, type Service } from '../../support/service';
import { makePlan, makeSource, ok, ORDER_COLUMNS, ORDERS } from './orders';

const SECRET = 'a secret for a webhook';
const user = { pf_user: 'Zoë 東' };

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

let receiver: HttpServer;
let url: string;
/** The requests that arrived, in order. */
let received: Received[];
/** The status of the next answers; 204 after these. */
let statuses: number[];
let service: Service;

const env = () => ({ PF_WEBHOOK: `${url}/hook?key=1`, PF_WEBHOOK_SECRET: SECRET });

beforeEach(async () => {
  received = [];
  statuses = [];
  receiver = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
      received.push({ headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 204, { location: '/elsewhere' }).end();
    })();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  service = await startService('service', env());
  await service.query(ORDERS);
});
afterEach(async () => {
  await service.stop();
  receiver.closeAllConnections();
  receiver.close();
});

/** Waits until a number of requests arrived. */
const arrived = (count: number) => until(() => Promise.resolve(received.length >= count));

type Message = { type: string; timestamp: string; data: Record<string, unknown> };
const messages = () => received.map(({ body }) => JSON.parse(body) as Message);
const told = () => messages().map(({ type, data }) => [type, data]);

it('sends the events of all versions in the order of commits, signed', async () => {
  await arrived(1);
  const sourceId = await makeSource(service, 'orders', ORDER_COLUMNS);
  const [first, other] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
  const { api } = service;
  const scaled = ok(await api.post(`${other.path}/scale`, { ...user, slice: {}, pct: 10 })).body[0]
    .pf_logid;
  // A refused change is not sent.
  await api.post(`${first.path}/scale`, { ...user, slice: { region: 'Nowhere' }, pct: 10 });
  ok(await api.del(`/log/${scaled}`));
  ok(await api.del(first.path));
  const written = { operation: 'baseline', pf_user: 'ann' };
  const expected = [
    ['resync', { version_id: null }],
    ['written', { version_id: first.versionId, logid: first.baseline, ...written }],
    ['written', { version_id: other.versionId, logid: other.baseline, ...written }],
    ['written', { version_id: other.versionId, logid: scaled, operation: 'scale', ...user }],
    ['undone', { version_id: other.versionId, logid: scaled }],
    ['deleted', { version_id: first.versionId }],
  ];
  await arrived(expected.length);
  expect(told()).toEqual(expected);

  for (const { headers, body } of received) {
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headers;
    const hmac = createHmac('sha256', SECRET).update(`${String(id)}.${String(timestamp)}.${body}`);
    expect(headers['webhook-signature']).toBe(`v1,${hmac.digest('base64')}`);
    expect(headers['content-type']).toBe('application/json');
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(300);
  }
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(expected.length);
});

it('tries again until the receiver accepts a message, and keeps the order', async () => {
  await arrived(1);
  const sourceId = await makeSource(service, 'orders', ORDER_COLUMNS);
  statuses = [500, 302];
  const { versionId, path } = await makePlan(service, sourceId);
  ok(await service.api.patch(path, { description: 'x' }));
  await arrived(5);
  expect(told().slice(1)).toEqual([
    ...Array.from({ length: 3 }, () => ['written', expect.objectContaining({ logid: 1 })]),
    ['status', { version_id: versionId }],
  ]);
  const ids = received.slice(1, 4).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);

  const metrics = new TextDecoder().decode((await service.api.get('/metrics')).bytes);
  expect(metrics).toContain('forecast_pivot_webhook_attempts_total{outcome="sent"} 3');
  expect(metrics).toContain('forecast_pivot_webhook_attempts_total{outcome="failed"} 2');
  expect(metrics).toContain('forecast_pivot_webhook_waiting 0');
});

it('is sent by one of several servers; the next one begins with resync', async () => {
  await arrived(1);
  const sourceId = await makeSource(service, 'orders', ORDER_COLUMNS);
  let second: Server | undefined;
  try {
    second = await startServer({ database: service.database, env: env() });
    const { path } = await makePlan(service, sourceId);
    await arrived(2);
    await service.server.stop();
    // The lock is free now, and the second server looks for it from time to time.
    await arrived(3);
    ok(await apiAt(second.url).post(`${path}/scale`, { ...user, slice: {}, pct: 10 }));
    await arrived(4);
    expect(messages().map(({ type }) => type)).toEqual(['resync', 'written', 'resync', 'written']);
  } finally {
    await second?.stop();
  }
});

it('says resync after its connection to the database was lost', async () => {
  await arrived(1);
  await service.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'forecast-pivot'`,
  );
  await arrived(2);
  expect(told()[1]).toEqual(['resync', { version_id: null }]);
});

it('does not delay a write or the end of the server if the receiver never answers', async () => {
  await arrived(1);
  let asked = 0;
  receiver.removeAllListeners('request');
  receiver.on('request', () => (asked += 1));
  const sourceId = await makeSource(service, 'orders', ORDER_COLUMNS);
  const { path } = await makePlan(service, sourceId);
  await until(() => Promise.resolve(asked === 1));
  ok(await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 }));
  process.kill(service.server.pid, 'SIGTERM');
  expect(await service.server.ended).toEqual({ code: 0, signal: null });
});
