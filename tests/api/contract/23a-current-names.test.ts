// Tests docs/contract/23-names-and-published-plans.md.
import { describe, expect } from 'vitest';
import { openEvents } from '../../support/events';
import type { Service } from '../../support/service';
import { it, makePlan, makeSmallSource, ok, refused } from './orders';

const user = { pf_user: 'ann' };

const put = ({ api }: Service, sourceId: number, body: Record<string, unknown>) =>
  api.put(`/sources/${sourceId}/current`, { ...user, ...body });
const named = ({ api }: Service, sourceId: number, name: string) =>
  api.get(`/current/${encodeURIComponent(name)}?source=${sourceId}`);
const listed = async ({ api }: Service, sourceId: number) =>
  ok(await api.get(`/sources/${sourceId}/current`)).body;

describe('PUT /sources/:id/current', () => {
  it('sets, moves and removes a name, and keeps who did so and when', async ({
    service,
    sourceId,
  }) => {
    const [one, two] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
    const set = await put(service, sourceId, { name: 'budget', version_id: one.versionId });
    expect([set.status, set.body]).toEqual([
      200,
      {
        ...{ name: 'budget', version_id: one.versionId },
        moves: [{ stamp: expect.any(String), pf_user: 'ann', from: null, to: one.versionId }],
      },
    ]);
    ok(await put(service, sourceId, { name: 'budget', version_id: two.versionId, pf_user: 'bob' }));
    // Nothing moves.
    ok(await put(service, sourceId, { name: 'budget', version_id: two.versionId }));
    const removed = ok(await put(service, sourceId, { name: 'budget', version_id: null })).body;
    expect(removed.version_id).toBe(null);
    expect(
      removed.moves.map(({ pf_user, from, to }: Record<string, unknown>) => [pf_user, from, to]),
    ).toEqual([
      ['ann', two.versionId, null],
      ['bob', one.versionId, two.versionId],
      ['ann', null, one.versionId],
    ]);
    expect(await listed(service, sourceId)).toEqual([]);
    expect((await named(service, sourceId, 'budget')).status).toBe(404);
    // The history goes on if the name is set again.
    const again = ok(await put(service, sourceId, { name: 'budget', version_id: one.versionId }));
    expect(again.body.moves).toHaveLength(4);
    expect(await listed(service, sourceId)).toEqual([again.body]);
  });

  it('answers at most 20 moves of a name, the newest', async ({ service, sourceId }) => {
    const ids = [
      (await makePlan(service, sourceId)).versionId,
      (await makePlan(service, sourceId)).versionId,
    ];
    for (let i = 0; i < 21; i++) {
      ok(await put(service, sourceId, { name: 'often', version_id: ids[i % 2] }));
    }
    const { moves } = (await listed(service, sourceId)).find(
      ({ name }: { name: string }) => name === 'often',
    );
    expect(moves).toHaveLength(20);
    expect(moves[0]).toMatchObject({ from: ids[1], to: ids[0] });
    expect(moves[19]).toMatchObject({ from: ids[0], to: ids[1] });
  });

  it.for<[string, Record<string, unknown>, number, string | RegExp]>([
    ['no name', { version_id: 1 }, 400, /name is missing/],
    ['an invisible character', { name: 'bud\u200bget', version_id: 1 }, 400, /^name: must not/],
    ['a slash', { name: 'a/b', version_id: 1 }, 400, /^name: must not contain \/ or \\/],
    ['a path upwards', { name: '..', version_id: 1 }, 400, /^name: must not be \. or \.\./],
    ['no version', { name: 'x' }, 400, /version_id is missing/],
    ['a version that is no number', { name: 'x', version_id: 'a' }, 400, /version_id/],
    ['no user', { name: 'x', version_id: null, pf_user: undefined }, 400, /pf_user is missing/],
    ['an unknown version', { name: 'x', version_id: 2147483647 }, 404, /version 2147483647/],
    [
      'the removal of a name that there is not',
      { name: 'nowhere', version_id: null },
      404,
      /^There is no current name "nowhere" in source \d+$/,
    ],
  ])('refuses %s', async ([, body, status, message], { service, sourceId }) => {
    await refused(service, () => put(service, sourceId, body), status, message);
  });

  it('refuses a version of another source, and gives each source names of its own', async ({
    service,
    sourceId,
  }) => {
    const other = await makeSmallSource(service, 'other_names');
    const here = await makePlan(service, sourceId);
    const there = await makePlan(service, other);
    await refused(
      service,
      () => put(service, sourceId, { name: 'own', version_id: there.versionId }),
      404,
      `There is no version ${there.versionId} in source ${sourceId}`,
    );
    ok(await put(service, sourceId, { name: 'own', version_id: here.versionId }));
    ok(await put(service, other, { name: 'own', version_id: there.versionId }));
    expect((await named(service, sourceId, 'own')).body.id).toBe(here.versionId);
    expect((await named(service, other, 'own')).body.id).toBe(there.versionId);
    await refused(
      service,
      () => put(service, 2147483647, { name: 'own', version_id: here.versionId }),
      404,
      /source 2147483647/,
    );
  });

  it('moves one name by two people at a time, one after the other', async ({
    service,
    sourceId,
  }) => {
    const plans = await Promise.all([1, 2, 3].map(() => makePlan(service, sourceId)));
    const ids = plans.map(({ versionId }) => versionId);
    const moved = await Promise.all(
      ids.map((version_id) => put(service, sourceId, { name: 'raced', version_id })),
    );
    moved.forEach(ok);
    const { version_id, moves } = (await listed(service, sourceId)).find(
      ({ name }: { name: string }) => name === 'raced',
    );
    expect(moves.map(({ to }: { to: number }) => to).toSorted()).toEqual(ids.toSorted());
    // Each move begins where the one before it ended.
    const ends = moves.map(({ to }: { to: number }) => to);
    expect(moves.map(({ from }: { from: number | null }) => from)).toEqual([
      ...ends.slice(1),
      null,
    ]);
    expect(version_id).toBe(ends[0]);
  });

  it('tells both versions that their status has changed, and nobody without a change', async ({
    service,
    sourceId,
  }) => {
    const [one, two] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
    ok(await put(service, sourceId, { name: 'told', version_id: one.versionId }));
    const streams = [
      await openEvents(service.url, one.path),
      await openEvents(service.url, two.path),
    ];
    ok(await put(service, sourceId, { name: 'told', version_id: one.versionId }));
    ok(await put(service, sourceId, { name: 'told', version_id: two.versionId }));
    ok(await service.api.post(`${one.path}/scale`, { ...user, slice: {}, pct: 1 }));
    const kinds = async (i: number, count: number) =>
      (await streams[i]!.events(count)).map(({ event }) => event);
    expect(await kinds(0, 2)).toEqual(['status', 'written']);
    expect(await kinds(1, 1)).toEqual(['status']);
  });
});

describe('GET /current/:name', () => {
  it('answers the version, by any name that people write', async ({ service, sourceId }) => {
    const { versionId } = await makePlan(service, sourceId);
    for (const name of ['Budget 2027', '50 % & more? #1', 'é', "it's {{x}}", '...', '%2e', '+1']) {
      ok(await put(service, sourceId, { name, version_id: versionId }));
      expect((await named(service, sourceId, name)).body.id).toBe(versionId);
    }
    // Composed, as names are stored.
    expect((await named(service, sourceId, 'e\u0301')).body.id).toBe(versionId);
    const { body } = await named(service, sourceId, 'é');
    expect(body).toEqual(ok(await service.api.get(`/versions/${versionId}`)).body);
    expect(body.current).toHaveLength(7);
  });

  it('survives a replay of its version and a move to it', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    ok(await put(service, sourceId, { name: 'forecast', version_id: versionId }));
    const request = { ...user, name: 'Replayed for its name' };
    const replay = ok(await service.api.post(`${path}/replay`, request)).body.version;
    const copy = ok(await service.api.post(`${path}/copy`, { ...user, name: 'Copied' })).body;
    // Neither takes the name with it.
    expect([replay.current, copy.current]).toEqual([undefined, undefined]);
    expect((await named(service, sourceId, 'forecast')).body.id).toBe(versionId);
    ok(await put(service, sourceId, { name: 'forecast', version_id: replay.id }));
    expect((await named(service, sourceId, 'forecast')).body.id).toBe(replay.id);
    const versions = ok(await service.api.get(`/sources/${sourceId}/versions`)).body;
    const withName = versions.filter(({ current }: { current?: string[] }) =>
      current?.includes('forecast'),
    );
    expect(withName.map(({ id }: { id: number }) => id)).toEqual([replay.id]);
  });

  it('goes on while the version is closed and the source is archived', async ({ service }) => {
    const sourceId = await makeSmallSource(service, 'archived_names');
    const { path, versionId } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/close`, user));
    ok(await put(service, sourceId, { name: 'final', version_id: versionId }));
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'archived' }));
    expect((await named(service, sourceId, 'final')).body).toMatchObject({
      ...{ id: versionId, status: 'closed', current: ['final'] },
    });
  });

  it('keeps its version from being deleted', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    for (const name of ['b', 'a']) {
      ok(await put(service, sourceId, { name, version_id: versionId }));
    }
    await refused(
      service,
      () => service.api.del(path),
      409,
      'The version has the current names "a", "b"; move or remove them first',
    );
    for (const name of ['a', 'b']) {
      ok(await put(service, sourceId, { name, version_id: null }));
    }
    expect((await service.api.del(path)).status).toBe(204);
  });

  it.for<[string, string, number, RegExp]>([
    ['an unknown name', '/current/none?source=ID', 404, /^There is no current name "none" in/],
    ['an unknown source', '/current/none?source=2147483647', 404, /source 2147483647/],
    ['no source', '/current/none', 400, /source is missing/],
    ['a source that is no id', '/current/none?source=orders', 400, /^source must be a whole/],
  ])('refuses %s', async ([, path, status, message], { service, sourceId }) => {
    const asked = path.replace('ID', String(sourceId));
    await refused(service, () => service.api.get(asked), status, message);
  });
});
