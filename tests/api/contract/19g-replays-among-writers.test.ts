// Tests replays of docs/contract/19-planning-together.md while others write.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { apiAt } from '../../support/http';
import { hold, holdVersion, race, untilWaiting } from '../../support/race';
import { it, makePlan, ok, ORDER_COLUMNS } from './orders';
import { ordersIn, north, logOf, replayed, name, listOf, totals, user, replay } from './replays';

describe('A replay while others write', () => {
  it('is created once per name and per key, also on two servers', async ({ service, sourceId }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path } = await makePlan(service, sourceId);
      ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
      const held = await hold(service, 'LOCK TABLE public.orders IN ACCESS EXCLUSIVE MODE');
      const body = JSON.stringify({ ...user, name: name() });
      const send = (api: typeof service.api, key: string) => () =>
        api.send(`${path}/replay`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body,
        });
      const [first, second] = await race(service, held, [
        send(service.api, 'one'),
        send(apiAt(server.url), 'two'),
      ]);
      expect([first?.status, second?.status]).toEqual([201, 409]);
      const again = await send(apiAt(server.url), 'one')();
      expect([again.status, again.body]).toEqual([201, first?.body]);
    } finally {
      await server.stop();
    }
  });

  it('does not block writers of the original, and replays one snapshot of it', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'busy', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
    const before = await logOf(service, path);
    const held = await hold(service, 'LOCK TABLE public.busy IN ACCESS EXCLUSIVE MODE');
    // The maximum number of concurrent writers of one version.
    const answer = replayed(service, path);
    const others = [replayed(service, path), replayed(service, path)];
    await untilWaiting(service, 3);
    ok(await service.api.post(`${path}/scale`, { ...north, value_incr: 1000 }));
    ok(await service.api.del(`/log/${before.entries[0].id}`));
    await held.release();
    const { version, entries } = await answer;
    await Promise.all(others);
    expect(totals(entries)).toEqual(totals(before.entries.toReversed()));

    // The stored results survive the original, and are deleted with the replay.
    const list = await listOf(service, version.id);
    ok(await service.api.del(path));
    expect(await listOf(service, version.id)).toEqual(list);
    ok(await service.api.del(`/versions/${version.id}`));
    expect(
      await service.query(`SELECT FROM pf.replayed WHERE version_id = $1`, [version.id]),
    ).toEqual([]);
  });

  it('does not wait for writers of the original, and copies the existing locks', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const lock = { ...north, note: 'closed' };
    ok(await service.api.post(`${path}/locks`, lock));
    const held = await holdVersion(service, versionId);
    const answer = await service.api.send(`${path}/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'beside a writer' },
      body: JSON.stringify({ ...user, name: name() }),
    });
    await held.release();
    const { version } = ok(answer).body;
    const locks = ok(await service.api.get(`/versions/${version.id}/locks`)).body;
    expect(locks).toMatchObject([{ slice: lock.slice, note: 'closed', created_by: 'ann' }]);
  });

  it('is refused if the original is deleted meanwhile', async ({ service }) => {
    const sourceId = await ordersIn(service, 'gone', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    const held = await hold(service, 'LOCK TABLE public.gone IN ACCESS EXCLUSIVE MODE');
    const answer = replay(service, path);
    await untilWaiting(service, 1);
    ok(await service.api.del(path));
    await held.release();
    expect((await answer).status).toBe(404);
    expect(ok(await service.api.get(`/sources/${sourceId}/versions`)).body).toEqual([]);
  });
});
