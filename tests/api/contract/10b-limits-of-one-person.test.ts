// Tests docs/contract/10-authentication-and-limits.md.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { openEvents } from '../../support/events';
import { apiAt } from '../../support/http';
import { type Held, hold, until } from '../../support/race';
import { startService, type Service } from '../../support/service';
import { makePlan, makeSource, ok, ORDER_COLUMNS, ORDERS } from './orders';

const LIMITS = {
  PF_STREAMS_PER_PERSON: '3',
  PF_CONNECTIONS_PER_PERSON: '2',
  PF_WAIT_TIMEOUT: '60s',
};

const as = (user: string) => ({ 'x-forwarded-user': user });

let service: Service;
let path: string;
let other: string;
beforeAll(async () => {
  const env = { PF_USER_HEADER: 'X-Forwarded-User', ...LIMITS };
  const started = await startService('service', env);
  service = { ...started, api: apiAt(started.url, as('eve')) };
  await service.query(ORDERS);
  const sourceId = await makeSource(service, 'orders', ORDER_COLUMNS);
  ({ path } = await makePlan(service, sourceId));
  ({ path: other } = await makePlan(service, sourceId));
});
afterAll(() => service?.stop());

/** The value of a metric, with its labels. */
async function metric(name: string): Promise<number> {
  const response = await fetch(`${service.url}/api/metrics`);
  const lines = (await response.text()).split('\n');
  const line = lines.find((line) => line.startsWith(`forecast_pivot_${name} `));
  return Number(line?.split(' ').at(-1));
}

/** Locks the rows of a version, so that reads of them wait. */
async function locked(): Promise<Held> {
  const [, id] = path.split('/versions/');
  const [{ name }] = await service.query(
    `SELECT relname AS name FROM pg_class WHERE relname ~ '^fc_.*_${id}$' AND relkind = 'r'`,
  );
  return hold(service, `LOCK TABLE pf."${name}" IN ACCESS EXCLUSIVE MODE`);
}

describe('Event streams of one person', () => {
  it('are limited, and those of others are not', async () => {
    const open = (user: string) => openEvents(service.url, path, as(user));
    const streams = await Promise.all([open('ann'), open('ann'), open('ann')]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);

    const refusal = await apiAt(service.url, as('ann')).get(`${path}/events`);
    expect([refusal.status, refusal.body]).toEqual([
      429,
      { error: expect.stringContaining('3 open event streams') },
    ]);
    expect(refusal.headers.get('retry-after')).toBe('30');
    expect((await open('bea')).status).toBe(200);
    expect(await metric('refused_per_person_total{limit="streams"}')).toBe(1);

    streams[0]!.close();
    await until(async () => (await metric('event_streams')) === 3);
    expect((await open('ann')).status).toBe(200);
  });
});

describe('Connections of one person', () => {
  it('are limited: others read while slow requests of one person wait', async () => {
    const held = await locked();
    const ann = apiAt(service.url, as('ann'));
    const slow = Array.from({ length: 30 }, () => ann.get(`${path}/totals`));
    await until(async () => (await metric('own_requests_waiting')) === 28);
    expect(await metric('connections_in_use')).toBe(2);
    ok(await apiAt(service.url, as('bea')).get(`${other}/totals`));
    expect(await metric('own_requests_waiting')).toBe(28);
    await held.release();
    for (const answer of await Promise.all(slow)) ok(answer);
  });

  it('refuses requests when a hundred of the person wait', async () => {
    const before = await metric('refused_per_person_total{limit="connections"}');
    const held = await locked();
    const ann = apiAt(service.url, as('ann'));
    const sent = Array.from({ length: 107 }, () => ann.get(`${path}/totals`));
    const refusals = () => metric('refused_per_person_total{limit="connections"}');
    await until(async () => (await refusals()) === before + 5);
    await held.release();
    const answers = await Promise.all(sent);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(refused[0]!.body.error).toContain('PF_CONNECTIONS_PER_PERSON');
    expect(refused[0]!.headers.get('retry-after')).toBe('5');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(102);
    expect(await metric('refused_per_person_total{limit="connections"}')).toBe(before + 5);
  });
});

describe('Without a header of the person', () => {
  it('an address counts as a person, and this machine is not limited', async () => {
    const env = { ...LIMITS, ADDRESS_HEADER: 'X-Real-IP' };
    const server = await startServer({ database: service.database, env });
    const open = async (address?: string) => {
      const headers: Record<string, string> = address ? { 'x-real-ip': address } : {};
      return (await openEvents(server.url, path, headers)).status;
    };
    try {
      for (const address of ['203.0.113.5', '2001:db8:1:2::1', undefined]) {
        expect([await open(address), await open(address), await open(address)]).toEqual([
          200, 200, 200,
        ]);
      }
      expect(await open('203.0.113.5')).toBe(429);
      expect(await open('203.0.113.6')).toBe(200);
      expect(await open('2001:db8:1:2:ffff::9')).toBe(429);
      expect(await open('2001:db8:1:3::1')).toBe(200);
      expect([await open(), await open('::ffff:127.0.0.1')]).toEqual([200, 200]);
    } finally {
      await server.stop();
    }
  });
});
