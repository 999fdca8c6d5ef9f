// Tests live changes of docs/contract/19-planning-together.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { openEvents, type EventStream } from '../../support/events';
import { apiAt } from '../../support/http';
import { hold, until } from '../../support/race';
import { changeUnnoticed, type Service } from '../../support/service';
import { readSlowly } from '../../support/slow-reader';
import {
  decode,
  GRAIN_COLUMNS,
  it as base,
  makePlan,
  makeSource,
  ok,
  ORDERS,
  refused,
} from './orders';

// Some answers have a tag only if rows are cached.
const it = base.extend('env', { scope: 'file' }, { PF_KEEP_ENTRIES: '1' });

const user = { pf_user: 'ann' };

/** Returns kind and data of the next events. */
const told = async (stream: EventStream, count: number) =>
  (await stream.events(count)).map(({ event, data }) => [event, data]);

/** Returns the number of open streams in the metrics. */
async function openStreams({ api }: Service): Promise<number> {
  const text = new TextDecoder().decode((await api.get('/metrics')).bytes);
  return Number(/^forecast_pivot_event_streams (.*)$/m.exec(text)?.[1]);
}

/** Returns the PostgreSQL processes that listen for the pages of this service. The one for alerts holds a lock. */
const listeners = ({ query }: Service) =>
  query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity AS a
     WHERE datname = current_database() AND application_name = 'forecast-pivot'
       AND (query LIKE 'LISTEN %' OR query = 'SELECT')
       AND NOT EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = a.pid AND l.locktype = 'advisory')`,
  );

describe('GET /versions/:id/events', () => {
  it('reports the commits to the version on each server, in order and with their users', async ({
    service,
    sourceId,
  }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path, versionId, baseline } = await makePlan(service, sourceId);
      const other = await makePlan(service, sourceId);
      const streams = [await openEvents(service.url, path), await openEvents(server.url, path)];
      const [{ api }, there] = [service, apiAt(server.url)];

      const edited = ok(await there.put(`${path}/baseline/${baseline}`, user)).body.logid;
      const scaled = ok(
        await api.post(`${path}/scale`, { pf_user: 'Zoë "Z" 東', slice: {}, pct: 10 }),
      ).body[0].pf_logid;
      ok(await there.post(`${other.path}/scale`, { ...user, slice: {}, pct: 10 }));
      await api.post(`${path}/scale`, { ...user, slice: { region: 'Nowhere' }, pct: 10 });
      const cloned = ok(await there.post(`${path}/clone`, { ...user, slice: {}, set: {} })).body[0]
        .pf_logid;
      ok(await api.patch(`/log/${scaled}`, { note: 'noted' }));
      ok(await there.del(`/log/${cloned}`));
      const redone = ok(await api.post(`${path}/redo/${cloned}`, user)).body[0].pf_logid;
      const reference = ok(await there.post(`${path}/reference`, user)).body.logid;
      ok(await api.del(`${path}/baseline`));
      ok(await there.patch(path, { description: 'x' }));
      ok(await there.patch(path, { ...user, exclude_iters: ['reference', 'clone'] }));
      ok(await api.patch(path, { exclude_iters: [] }));
      ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', label: 'Region' }]));
      ok(await there.post(`/sources/${sourceId}/sql`));
      ok(await api.post(`${path}/close`, user));
      ok(await there.post(`${path}/open`, user));
      ok(await api.del(path));

      const expected = [
        ['undone', { logid: baseline }],
        ['written', { logid: edited, operation: 'baseline', pf_user: 'ann' }],
        ['written', { logid: scaled, operation: 'scale', pf_user: 'Zoë "Z" 東' }],
        ['written', { logid: cloned, operation: 'clone', pf_user: 'ann' }],
        ['note', { logid: scaled }],
        ['undone', { logid: cloned }],
        ['written', { logid: redone, operation: 'clone', pf_user: 'ann' }],
        ['written', { logid: reference, operation: 'reference', pf_user: 'ann' }],
        ['cleared', {}],
        ['status', {}],
        ['status', { excluded: { exclude_iters: ['reference', 'clone'], pf_user: 'ann' } }],
        ['status', { excluded: { exclude_iters: [], pf_user: null } }],
        ['resync', {}],
        ['resync', {}],
        ['status', {}],
        ['status', {}],
        ['deleted', {}],
      ];
      for (const stream of streams) expect(await told(stream, expected.length)).toEqual(expected);
      expect(versionId).not.toBe(other.versionId);
    } finally {
      await server.stop();
    }
  });

  it('keeps the order of commits with writers on two servers', async ({ service, sourceId }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path } = await makePlan(service, sourceId);
      const streams = [await openEvents(service.url, path), await openEvents(server.url, path)];
      const writes = Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? service.api : apiAt(server.url)).post(`${path}/scale`, {
          ...user,
          slice: {},
          value_incr: 1,
        }),
      );
      for (const write of await Promise.all(writes)) ok(write);
      const { entries } = ok(await service.api.get(`${path}/log`)).body;
      // Operations of a version run one at a time, so their ids are in the order of their commits.
      const committed = entries.map(({ id }: { id: number }) => id).slice(0, 20);
      for (const stream of streams) {
        const logids = (await stream.events(20)).map(({ data }) => data);
        expect(logids).toEqual(
          committed
            .toReversed()
            .map((logid: number) => ({ logid, operation: 'scale', pf_user: 'ann' })),
        );
      }
    } finally {
      await server.stop();
    }
  });

  it('begins with an id, numbers its events, and sends resync to a client with an earlier id', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    const first = await stream.next();
    expect(first).toEqual({ id: expect.stringMatching(/^\d+$/), retry: '2000' });
    ok(await service.api.patch(`/log/${baseline}`, { note: 'x' }));
    const [note] = await stream.events(1);
    expect(Number(note?.id)).toBeGreaterThan(Number(first?.id));

    const again = await openEvents(service.url, path, { 'last-event-id': note!.id! });
    expect(await told(again, 1)).toEqual([['resync', {}]]);
  });

  it('is 404 without the version, and not a stream for HEAD', async ({ service, sourceId }) => {
    await refused(service, () => service.api.get('/versions/999999/events'), 404);
    await refused(service, () => service.api.get('/versions/x/events'), 400);
    const { path } = await makePlan(service, sourceId);
    const head = await service.api.send(`${path}/events`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await until(async () => (await openStreams(service)) === 0);
  });

  it('sends resync after the listening connection was lost, and continues', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path);
    const [listener] = await listeners(service);
    await service.query('SELECT pg_terminate_backend($1::integer)', [listener?.pid]);
    expect(await told(stream, 1)).toEqual([['resync', {}]]);
    ok(await service.api.patch(`/log/${baseline}`, { note: 'after' }));
    expect(await told(stream, 1)).toEqual([['note', { logid: baseline }]]);
  });

  it('ends when the server stops, which does not wait for it', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const server = await startServer({ database: service.database });
    const stream = await openEvents(server.url, path);
    process.kill(server.pid, 'SIGTERM');
    expect(await stream.next()).toHaveProperty('id');
    expect(await stream.next()).toBeUndefined();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  it('ignores messages on the channel that are not from the service', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId, baseline } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path);
    for (const message of ['', 'x', '{}', `{"version": ${versionId}, "event": {"kind": "odd"}}`]) {
      await service.query('SELECT pg_notify($1, $2)', ['forecast_pivot', message]);
    }
    ok(await service.api.patch(`/log/${baseline}`, { note: 'x' }));
    expect(await told(stream, 1)).toEqual([['note', { logid: baseline }]]);
  });

  it('opens at most a thousand streams, on one connection to the database', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    await until(async () => (await openStreams(service)) === 0);
    const streams: EventStream[] = [];
    for (let i = 0; i < 20; i++) {
      const some = Array.from({ length: 50 }, () => openEvents(service.url, path));
      streams.push(...(await Promise.all(some)));
    }
    expect(await openStreams(service)).toBe(1000);
    expect(await listeners(service)).toHaveLength(1);
    const refusal = await service.api.get(`${path}/events`);
    expect([refusal.status, refusal.body.error]).toEqual([503, expect.stringContaining('1000')]);
    expect(refusal.headers.get('retry-after')).toBe('30');

    for (const stream of streams) stream.close();
    await until(async () => (await openStreams(service)) === 0);
    expect((await openEvents(service.url, path)).status).toBe(200);
  });

  it('sends heartbeats with their interval, and comments', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const usual = await openEvents(service.url, path);
    const env = { PF_HEARTBEAT: '200ms' };
    const server = await startServer({ database: service.database, env });
    try {
      const stream = await openEvents(server.url, path);
      expect(await stream.next()).toHaveProperty('id');
      for (let beats = 1; beats <= 3; beats += 1) {
        expect(await stream.next()).toEqual({});
        expect(stream.heartbeats).toHaveLength(beats);
      }
      expect(stream.heartbeats[0]).toEqual({ event: 'heartbeat', data: { interval_ms: 200 } });
    } finally {
      await server.stop();
    }
    ok(await service.api.post(`${path}/close`, user));
    await usual.events(1);
    expect(usual.heartbeats).toEqual([{ event: 'heartbeat', data: { interval_ms: 20_000 } }]);
  });

  it('is closed if its client reads nothing, so that nothing accumulates', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    await until(async () => (await openStreams(service)) === 0);
    const slow = await readSlowly(service.url, `${path}/events`);
    expect(await openStreams(service)).toBe(1);
    await service.query(
      `SELECT pg_notify('forecast_pivot', json_build_object('version', $1::int,
         'event', json_build_object('kind', 'note', 'logid', n))::text)
       FROM generate_series(1, 300000) n`,
      [versionId],
    );
    await until(async () => (await openStreams(service)) === 0);
    slow.leave();
  });
});

describe.each(['data', 'agg'])('GET /versions/:id/%s?logid=', (endpoint) => {
  let grainId: number;
  it.beforeAll(async ({ service }) => {
    const tname = `grained_${endpoint}`;
    await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
    grainId = await makeSource(service, tname, GRAIN_COLUMNS);
  });

  const rowsOf = (bytes: Uint8Array) => (bytes.length === 0 ? [] : decode(bytes).rows);

  /** Creates a plan with a scale, a recode and a clone. @returns their ids, oldest first */
  async function planned(service: Service) {
    const { path, table, baseline } = await makePlan(service, grainId);
    const body = { ...user, slice: { region: 'North' } };
    ok(await service.api.post(`${path}/scale`, { ...body, pct: 10, note: 'up' }));
    ok(await service.api.post(`${path}/recode`, { ...body, set: { region: 'West' } }));
    ok(await service.api.post(`${path}/clone`, { ...user, slice: {}, set: {} }));
    const { entries } = ok(await service.api.get(`${path}/log`)).body;
    const ids = entries.map(({ id }: { id: number }) => id).toReversed() as number[];
    expect(ids[0]).toBe(baseline);
    return { path: `${path}/${endpoint}`, version: path, table, ids };
  }

  it('returns the rows of these entries, in the same form, cached or not', async ({ service }) => {
    const server = await startServer({
      database: service.database,
      env: { PF_KEEP_ENTRIES: '0' },
    });
    try {
      const { path, ids } = await planned(service);
      const [baseline, scale, recode, clone] = ids;
      const choices = [[scale], [clone, baseline, clone], [recode, 999999], ids];
      const before = await Promise.all(
        choices.map((some) => service.api.get(`${path}?logid=${some.join('&logid=')}`)),
      );
      const all = ok(await service.api.get(path));
      const whole = decode(all.bytes);
      for (const [i, some] of choices.entries()) {
        const query = `${path}?logid=${some.join('&logid=')}`;
        const kept = await service.api.get(query);
        const fresh = await apiAt(server.url).get(query);
        const wanted = whole.rows.filter(({ pf_logid }) => some.includes(pf_logid as number));
        expect(wanted.length).toBeGreaterThan(0);
        for (const answer of [before[i]!, kept, fresh]) {
          expect(answer.headers.get('x-row-count')).toBe(String(wanted.length));
          expect(decode(answer.bytes)).toMatchObject({ batches: 1, fields: whole.fields });
          const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).toSorted();
          expect(sorted(rowsOf(answer.bytes))).toEqual(sorted(wanted));
        }
        expect(kept.headers.get('etag')).toBe(before[i]!.headers.get('etag'));
        expect(kept.headers.get('etag')).not.toBe(all.headers.get('etag'));
        const known = await service.api.get(query, {
          'if-none-match': kept.headers.get('etag')!,
        });
        expect(known.status).toBe(304);
      }
    } finally {
      await server.stop();
    }
  });

  it('reads no row of a cached entry', async ({ service }) => {
    const { path, table, ids } = await planned(service);
    const whole = decode(ok(await service.api.get(path)).bytes);
    // Changed rows reveal which of them are read.
    await changeUnnoticed(service, `UPDATE ${table} SET pieces = pieces + 1000`);
    const answer = ok(await service.api.get(`${path}?logid=${ids[1]}&logid=${ids[3]}`));
    expect(rowsOf(answer.bytes)).toEqual(
      whole.rows.filter(({ pf_logid }) => [ids[1], ids[3]].includes(pf_logid as number)),
    );
  });

  it('does not affect the cached rows of the whole version', async ({ service }) => {
    const { path, table, version, ids } = await planned(service);
    const all = ok(await service.api.get(path));
    ok(await service.api.post(`${version}/scale`, { ...user, slice: {}, pct: 1 }));
    ok(await service.api.get(`${path}?logid=${ids[1]}`));
    ok(await service.api.del(`/log/${ids[3]! + 1}`));
    const held = await hold(service, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const again = ok(await service.api.get(path));
    await held.release();
    expect(Buffer.compare(again.bytes, all.bytes)).toBe(0);
  });

  it('returns no rows for unknown ids, and refuses invalid ones', async ({ service }) => {
    const [one, other] = [await planned(service), await planned(service)];
    for (const query of ['logid=999999', `logid=${other.ids[1]}`]) {
      const answer = ok(await service.api.get(`${one.path}?${query}`));
      expect([answer.bytes.length, answer.headers.get('x-row-count')]).toEqual([0, '0']);
    }
    const hundred = Array(100).fill(`logid=${one.ids[1]}`).join('&');
    ok(await service.api.get(`${one.path}?${hundred}`));
    for (const query of [`${hundred}&logid=1`, 'logid=', 'logid=x', 'logid=7,9', 'logid=0']) {
      const answer = await service.api.get(`${one.path}?${query}`);
      expect([answer.status, answer.body.field]).toEqual([400, 'logid']);
    }
  });
});
