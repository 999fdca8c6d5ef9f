// Tests copies of docs/contract/19-planning-together.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { apiAt, type Api } from '../../support/http';
import { holdVersion, race } from '../../support/race';
import type { Service } from '../../support/service';
import { GRAIN_COLUMNS, it, makePlan, makeSource, ok, ORDERS, refused } from './orders';

const user = { pf_user: 'ann' };

/** Returns the rows of a forecast table as text, in order, each with its entry's position in the log. */
const rowsOf = async ({ query }: Service, tname: string, versionId: number): Promise<string[]> => {
  const rows = await query(
    `SELECT (to_jsonb(f) - 'pf_id' - 'pf_logid')::text || l.place AS row
     FROM pf."fc_${tname}_${versionId}" f
     JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place
           FROM pf.log WHERE version_id = $1) l ON l.id = f.pf_logid
     ORDER BY f.pf_id`,
    [versionId],
  );
  return rows.map(({ row }) => row);
};

let copies = 0;
const name = () => `Copy ${(copies += 1)}`;

describe('POST /versions/:id/copy', () => {
  it('creates an independent version with the same rows, entries and locks', async ({
    service,
  }) => {
    const { api } = service;
    await service.query(ORDERS.replaceAll('public.orders', 'public.copied'));
    const sourceId = await makeSource(service, 'copied', GRAIN_COLUMNS);
    const { path, versionId, baseline } = await makePlan(service, sourceId, {
      exclude_iters: ['reference', 'clone'],
    });
    const north = { ...user, slice: { region: 'North' } };
    ok(await api.post(`${path}/scale`, { ...north, value_incr: 1 / 3, note: 'up "{{x}}"' }));
    ok(await api.post(`${path}/reference`, { pf_user: 'bob', raw_where: `region = 'East'` }));
    ok(await api.post(`${path}/recode`, { ...north, set: { region: null } }));
    const undone = ok(await api.post(`${path}/clone`, { ...user, slice: {}, set: {} })).body;
    ok(await api.del(`/log/${undone[0].pf_logid}`));
    const eve = { pf_user: 'eve', note: 'closed' };
    ok(await api.post(`${path}/locks`, { ...eve, slice: { region: 'South' } }));
    ok(await api.post(`${path}/close`, user));

    const answer = await api.post(`${path}/copy`, { pf_user: 'eve', name: 'Cautious' });
    const { id } = answer.body;
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), source_id: sourceId, name: 'Cautious', description: null },
        ...{ status: 'open', exclude_iters: ['reference', 'clone'], created_by: 'eve' },
        ...{ created_at: expect.any(String), closed_at: null, closed_by: null },
      },
    ]);
    expect(ok(await api.get(`/versions/${id}`)).body).toEqual(answer.body);

    const rows = await rowsOf(service, 'copied', versionId);
    expect(rows.length).toBeGreaterThan(12);
    expect(await rowsOf(service, 'copied', id)).toEqual(rows);
    const logOf = async (version: number) => ok(await api.get(`/versions/${version}/log`)).body;
    const [before, after] = [await logOf(versionId), await logOf(id)];
    expect(after).toEqual({
      ...before,
      entries: before.entries.map((entry: { id: number; params: object }) => ({
        ...entry,
        id: expect.any(Number),
        version_id: id,
        params: { ...entry.params, copied_from: entry.id },
      })),
    });
    const stamps = `SELECT stamp FROM pf.log WHERE version_id = $1 ORDER BY id`;
    expect(await service.query(stamps, [id])).toEqual(await service.query(stamps, [versionId]));
    const [lock] = ok(await api.get(`${path}/locks`)).body;
    expect(ok(await api.get(`/versions/${id}/locks`)).body).toEqual([
      { ...lock, id: expect.any(Number), version_id: id },
    ]);
    expect(ok(await api.get(`/versions/${id}/undone`)).body).toEqual([]);
    const list = ok(await api.get(`/sources/${sourceId}/versions`)).body;
    expect(list[1].row_count).toBe(list[0].row_count);

    // Changes of the copy do not affect the original.
    ok(await api.post(`/versions/${id}/scale`, { ...user, slice: { region: 'East' }, pct: 10 }));
    const scaled = after.entries.find((e: { operation: string }) => e.operation === 'scale');
    ok(await api.del(`/log/${scaled.id}`));
    ok(await api.post(`/versions/${id}/redo/${scaled.id}`, user));
    expect(await rowsOf(service, 'copied', versionId)).toEqual(rows);
    expect(await logOf(versionId)).toEqual(before);
    expect(before.entries.at(-1).id).toBe(baseline);
  });

  it('copies an empty version, and a copy', async ({ service, sourceId }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    ok(await service.api.del(`/log/${baseline}`));
    const { id } = ok(await service.api.post(`${path}/copy`, { ...user, name: name() })).body;
    const copied = `/versions/${id}`;
    ok(await service.api.post(`${copied}/baseline`, user));
    const again = ok(await service.api.post(`${copied}/copy`, { ...user, name: name() })).body.id;
    expect((await rowsOf(service, 'orders', again)).length).toBe(12);
  });

  it('is refused without a name or user, with an existing name, and on an archived source', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.archived'));
    const sourceId = await makeSource(service, 'archived', GRAIN_COLUMNS);
    const { path } = await makePlan(service, sourceId, { name: 'Taken' });
    const copy = (body: object) => () => service.api.post(`${path}/copy`, body);
    await refused(service, copy({ name: 'x' }), 400, /pf_user/);
    await refused(service, copy(user), 400, /name/);
    await refused(service, copy({ ...user, name: 'Taken' }), 409, /"Taken"/);
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'archived' }));
    await refused(service, copy({ ...user, name: name() }), 409, /archived/);
  });

  it('is created once per name and per key, also on two servers', async ({ service, sourceId }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path, versionId } = await makePlan(service, sourceId);
      const held = await holdVersion(service, versionId);
      const body = { ...user, name: name() };
      const copy = (api: Api, key: string) => () =>
        api.send(`${path}/copy`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(body),
        });
      const [first, second] = await race(service, held, [
        copy(service.api, 'one'),
        copy(apiAt(server.url), 'two'),
      ]);
      expect([first?.status, second?.status]).toEqual([201, 409]);
      const again = await copy(apiAt(server.url), 'one')();
      expect([again.status, again.body]).toEqual([201, first?.body]);
    } finally {
      await server.stop();
    }
  });
});
