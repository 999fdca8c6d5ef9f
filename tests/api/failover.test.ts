import { tableFromIPC } from 'apache-arrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../src/demo/server';
import { loadCalendar } from '../../src/lib/server/db/calendar/calendar-load';
import { connect } from '../../src/lib/server/migrate/connect';
import { up } from '../../src/lib/server/migrate/runner';
import { openEvents } from '../support/events';
import { apiAt, type Answer } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { startPlanners } from '../support/planners';
import { until } from '../support/race';
import { queryOn, type Service } from '../support/service';
import { baseBackupIsInstalled, startPair, type Node, type Pair } from '../support/standby';

/** A standby replaces the primary (docs/contract/21-past-one-machine.md#failover). */

let pair: Pair;
let service: Service;
let v: Planned;

beforeEach(async () => {
  pair = await startPair(async (database) => {
    const client = await connect(database);
    await up(client, () => {});
    await loadCalendar(client, 1);
    await client.end();
  });
  const server = await startServer({ database: pair.database });
  const { query, end } = queryOn(pair.database);
  const stop = async () => {
    await server.stop();
    await end();
  };
  const { database } = pair;
  service = { url: server.url, api: apiAt(server.url), server, database, query, stop };
  v = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain: true },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [
      { Region: 'A', Sales: 100 },
      { Region: 'B', Sales: 50 },
    ],
  );
  expect((await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
});
afterEach(async () => {
  await service?.stop();
  await pair?.stop();
});

/** Scales all rows by an amount, under a key. */
const scale = (value_incr: number, key: string, note: string | null = null): Promise<Answer> =>
  service.api.send(`${v.path}/scale`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ pf_user: 'ann', slice: {}, value_incr, note }),
  });

/** Stops the primary and gives its address to a promoted standby. */
async function promote(standby: Node): Promise<void> {
  pair.address.leadTo(standby.port);
  await standby.ask('SELECT pg_promote()');
  await until(async () => (await service.api.get('/health')).status === 200);
}

const killPrimary = () => process.kill(pair.primary.pid, 'SIGKILL');

/** Expects a temporary failure, as a sentence without details of the connection. */
function expectNotNow(answer: Answer, words: RegExp): void {
  expect([answer.status, answer.body]).toEqual([503, { error: expect.stringMatching(words) }]);
  expect(answer.body.error).not.toMatch(/select|insert|pf\.|127\.0\.0\.1|\bat \/|forecast_/i);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

const salesIn = ({ bytes }: Answer): number =>
  [...tableFromIPC(bytes).getChild('Sales')!].reduce((sum, value) => sum + Number(value), 0);

describe('a standby is promoted while people plan', () => {
  it('is reported meanwhile, loses and doubles nothing, and needs no restart', async () => {
    const standby = await pair.standby(baseBackupIsInstalled ? 'pg_basebackup' : 'copy');
    // Ensures that the standby has every commit.
    await pair.primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await pair.primary.ask('SELECT pg_reload_conf()');
    const stream = await openEvents(service.url, v.path);

    const planners = startPlanners(service.api, v.path, ['bea', 'cid']);
    await until(async () => planners.made() >= 6);
    expect(await stream.events(1)).toMatchObject([{ event: 'written' }]);

    pair.address.leadTo(null);
    killPrimary();
    await until(async () => (await service.api.get('/health')).status === 503);
    expectNotNow(await service.api.get('/health'), /does not answer/);
    expect((await service.api.get('/health/live')).status).toBe(200);
    expectNotNow(await service.api.get(`${v.path}/log`), /cannot be reached/);
    expectNotNow(await scale(1, 'while it is away'), /cannot be reached/);
    expectNotNow(await service.api.get(`${v.path}/data`), /cannot be reached/);
    // This shows a page that it is behind.
    while (await stream.next());
    expectNotNow(await service.api.get(`${v.path}/events`), /cannot be reached/);

    // The address leads to the standby before its promotion.
    pair.address.leadTo(standby.port);
    await until(async () => (await service.api.get(`${v.path}/data`)).status === 200);
    expectNotNow(await service.api.get('/health'), /standby/);
    expectNotNow(await scale(1, 'while it is a standby'), /accepts no changes/);
    expectNotNow(
      await service.api.post(`${v.path}/close`, { pf_user: 'ann' }),
      /accepts no changes/,
    );

    await promote(standby);
    const before = planners.made();
    await until(async () => planners.made() > before + 4);
    const made = [...(await planners.stop()), 'the last'];
    expect(planners.interruptions.join()).toContain('cannot be reached');
    // The server listens again: the page has to compare, and gets new events.
    const again = await until(async () => {
      const opened = await openEvents(service.url, v.path, { 'last-event-id': '1' });
      return opened.status === 200 && opened;
    });
    const late = await scale(1, 'the last', 'the last');
    expect(late.status).toBe(200);
    expect(await again.events(1)).toMatchObject([{ event: 'resync' }]);
    // A write directly before the stream was opened may be reported first.
    await until(async () => {
      const [told] = await again.events(1);
      expect(told).toMatchObject({ event: 'written' });
      return (told?.data as { logid: number }).logid === late.body[0].pf_logid;
    });

    const tags = await standby.ask(
      `SELECT note FROM pf.log WHERE version_id = ${v.id} AND note IS NOT NULL`,
    );
    expect(tags.map(({ note }: { note: string }) => note).toSorted()).toEqual(made.toSorted());
    for (const endpoint of ['data', 'agg']) {
      const sales = salesIn(await service.api.get(`${v.path}/${endpoint}`));
      expect(sales).toBeCloseTo(150 + made.length, 6);
    }
    const output = service.server.output();
    expect(output).toContain('the database cannot be reached');
    expect(output).toContain('accepts no changes');
    expect(output).toContain('the database has another history');
  });
});

describe('a standby without the last changes is promoted', () => {
  it('reuses ids for other entries, which are not mistaken for the lost ones', async () => {
    const standby = await pair.standby('copy');
    await pair.caughtUp(standby);
    await pair.cutOff(standby);
    /** Uses up an id of the log, like every preview. */
    const preview = () =>
      service.api.post(`${v.path}/scale/preview`, { pf_user: 'ann', slice: {}, value_incr: 1 });
    // PostgreSQL logs a sequence 32 values ahead, so a few lost entries would only leave a gap.
    for (let i = 0; i < 40; i += 1) expect((await preview()).status).toBe(200);
    const lost = await scale(10, 'lost with its commit');
    const id: number = lost.body[0].pf_logid;
    const stamp = (await service.api.get(`${v.path}/log`)).body.entries[0].stamp;
    const paths = [`${v.path}/data`, `${v.path}/agg`, `${v.path}/data?logid=${id}`];
    expect((await service.api.get(`${v.path}/log`)).body.value_total).toBe(160);
    const before = await Promise.all(paths.map((path) => service.api.get(path)));
    expect(before.map(salesIn)).toEqual([160, 160, 10]);

    killPrimary();
    await promote(standby);
    expect(salesIn(await service.api.get(paths[0]!))).toBe(150);
    await until(async () => {
      expect((await preview()).status).toBe(200);
      const [{ last_value }] = await standby.ask('SELECT last_value FROM pf.log_id_seq');
      expect(Number(last_value)).toBeLessThan(id);
      return Number(last_value) === id - 1;
    });
    const other = await scale(1000, 'another one');
    expect(other.body[0].pf_logid).toBe(id);
    // The stamp could distinguish the two if all clocks were right.
    await standby.ask(`UPDATE pf.log SET stamp = '${stamp}' WHERE id = ${id}`);

    for (const [i, path] of paths.entries()) {
      const tag = before[i]!.headers.get('etag')!;
      const after = await service.api.get(path, { 'if-none-match': tag });
      expect([path, after.status, salesIn(after)]).toEqual([path, 200, [1150, 1150, 1000][i]]);
      // This shows a page that ids may name other entries now.
      const [then, now] = [before[i]!, after].map(({ headers }) => headers.get('x-timeline'));
      expect([typeof then, typeof now, then === now]).toEqual(['string', 'string', false]);
      const log = await service.api.get(`${v.path}/log`);
      expect([log.headers.get('x-timeline'), log.body.value_total]).toEqual([now, 1150]);
    }

    // The key of the change is lost too, so the change is made once when it is sent again.
    const again = await scale(10, 'lost with its commit');
    expect(again.status).toBe(200);
    expect((await scale(10, 'lost with its commit')).body).toEqual(again.body);
    expect(salesIn(await service.api.get(paths[0]!))).toBe(1160);
  });
});

describe('a primary disappears without a message', () => {
  it('requests do not wait on dead connections', async () => {
    const standby = await pair.standby('copy');
    await pair.caughtUp(standby);
    // Idle connections for the following requests.
    await Promise.all(Array.from({ length: 8 }, () => service.api.get(`${v.path}/log`)));
    const client = await connect(pair.primary.database);
    await client.query(`BEGIN; SELECT FROM pf.version WHERE id = ${v.id} FOR UPDATE`);
    const underWay = scale(1, 'under way');
    await until(async () => {
      const { rows } = await client.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
      );
      return rows.length === 1;
    });
    await new Promise((resolve) => setTimeout(resolve, 1200));
    pair.address.vanish();
    pair.address.leadTo(standby.port);
    await standby.ask('SELECT pg_promote()');

    // Neither waits for the statement timeout of five minutes.
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service.api.get(`${v.path}/log`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expectNotNow(await underWay, /lost during.*nothing was changed/);
    await client.end();
    expect((await scale(1, 'under way')).status).toBe(200);
    expect(salesIn(await service.api.get(`${v.path}/data`))).toBe(151);
  });
});
