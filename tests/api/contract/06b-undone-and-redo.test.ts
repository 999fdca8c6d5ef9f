// Tests undone entries and redo of docs/contract/06-log.md.
import * as v from 'valibot';
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { UndoneAnswer, type LogListEntry } from '../../../src/lib/contract/log';
import { ARROW } from '../../../src/lib/contract/primitives';
import { apiAt, type Api } from '../../support/http';
import { holdVersion, race } from '../../support/race';
import type { Service } from '../../support/service';
import { decode, GRAIN_COLUMNS, it, makePlan, makeSource, ok, ORDERS, refused } from './orders';

const user = { pf_user: 'ann' };

let grainId: number;
it.beforeAll(async ({ service }) => {
  await service.query(ORDERS.replaceAll('public.orders', 'public.grained'));
  grainId = await makeSource(service, 'grained', GRAIN_COLUMNS);
});

/** Returns the undone entries of a version, checked against the contract. */
const undone = async ({ api }: Service, path: string) =>
  v.parse(UndoneAnswer, ok(await api.get(`${path}/undone`)).body);

const logOf = async ({ api }: Service, path: string) => ok(await api.get(`${path}/log`)).body;

/** Sends DELETE with a body. */
const takeOut = ({ api }: Service, path: string, body: string) =>
  api.send(path, { method: 'DELETE', headers: { 'content-type': 'application/json' }, body });

/** Runs an operation and undoes it. @returns the rows it had written */
async function madeAndUndone({ api }: Service, path: string, operation: string, body: object) {
  const rows = ok(await api.post(`${path}/${operation}`, { ...user, ...body })).body;
  ok(await api.del(`/log/${rows[0].pf_logid}`));
  return rows as Record<string, unknown>[];
}

/** Returns rows without the fields that differ each time. */
const plain = (rows: Record<string, unknown>[]) =>
  rows
    .map(({ pf_id: _, pf_logid: _l, pf_created_at: _c, pf_gkey: _k, ...row }) => row)
    .map((row) => JSON.stringify(row))
    .toSorted();

describe('GET /versions/:id/undone', () => {
  it('lists undone and cleared entries, latest first, with totals and user', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId, baseline } = await makePlan(service, sourceId);
    ok(
      await service.api.post(`${path}/scale`, {
        ...user,
        slice: { region: 'North' },
        value_incr: 4.25,
        note: 'up',
      }),
    );
    ok(await service.api.post(`${path}/reference`, { ...user, raw_where: `region = 'East'` }));
    ok(await service.api.post(`${path}/baseline`, { ...user, raw_where: `region = 'South'` }));
    const { entries } = await logOf(service, path);
    const [second, reference, scale, first] = entries;
    expect(first.id).toBe(baseline);
    expect(await undone(service, path)).toEqual([]);

    ok(await takeOut(service, `/log/${scale.id}`, '{"pf_user": "eve"}'));
    ok(await service.api.del(`/log/${reference.id}`));
    ok(await takeOut(service, `${path}/baseline`, '{"pf_user": "bob"}'));
    const as = (
      { row_count, value_total, units_total, ...entry }: LogListEntry,
      undone_by: string | null,
    ) => ({
      ...{ logid: entry.id, version_id: versionId, entry, undone_by },
      ...{ row_count, value_total, units_total, undone_at: expect.any(String) },
    });
    expect(await undone(service, path)).toEqual([
      as(second, 'bob'),
      as(first, 'bob'),
      as(reference, null),
      as(scale, 'eve'),
    ]);
    expect(second.value_total).toBe(355.75);
    expect((await logOf(service, path)).entries).toEqual([]);
  });

  it('has the totals of a table of doubles, added up exactly', async ({ service }) => {
    await service.query(`CREATE TABLE public.doubles (region text, amount double precision);
      INSERT INTO public.doubles VALUES ('a', 0.1), ('b', 0.2)`);
    const id = await makeSource(service, 'doubles', [
      { cname: 'region', role: 'dimension' },
      { cname: 'amount', role: 'value' },
    ]);
    const { path, baseline } = await makePlan(service, id);
    ok(await service.api.del(`/log/${baseline}`));
    const [entry] = await undone(service, path);
    expect([entry?.value_total, entry?.units_total]).toEqual([0.3, null]);
  });

  it('refuses a body with an invalid user, and undoes nothing', async ({ service, sourceId }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    for (const target of [`/log/${baseline}`, `${path}/baseline`]) {
      for (const body of ['{"pf_user": " "}', '{"pf_user": 5}', '{', '[]', '"ann"']) {
        await refused(service, () => takeOut(service, target, body), 400);
      }
    }
    ok(await takeOut(service, `/log/${baseline}`, '{}'));
  });

  it('is deleted with its version', async ({ service, sourceId }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    ok(await service.api.del(`/log/${baseline}`));
    ok(await service.api.del(path));
    expect((await service.api.get(`${path}/undone`)).status).toBe(404);
    expect(await service.query('SELECT FROM pf.undone WHERE logid = $1', [baseline])).toEqual([]);
  });
});

describe('POST /versions/:id/redo/:logid', () => {
  const operations: [operation: string, body: object, params: object][] = [
    [
      'scale',
      { slice: { region: 'North' }, value_incr: 7.77, units_incr: -2, note: 'up {{logid}}' },
      { value_incr: 7.77, units_incr: -2 },
    ],
    ['scale', { slice: { region: [null, 'East'] }, pct: 12.5 }, { pct: 12.5 }],
    ['recode', { slice: { region: '' }, set: { region: null } }, { set: { region: null } }],
    [
      'clone',
      { slice: { 'a"b': 'k' }, set: { 'Order Date': '2027-01-31' }, scale_factor: 0.5 },
      { set: { 'Order Date': '2027-01-31' }, scale_factor: 0.5 },
    ],
  ];

  it.for(operations)(
    'redoes a %s: %j',
    async ([operation, body, params], { service, sourceId }) => {
      for (const source of [sourceId, grainId]) {
        const { path } = await makePlan(service, source);
        const before = await madeAndUndone(service, path, operation, body);
        const [old] = await undone(service, path);
        const answer = await service.api.post(`${path}/redo/${old?.logid}`, { pf_user: 'eve' });
        expect(answer.status).toBe(200);
        expect(plain(answer.body)).toEqual(plain(before));
        expect(Object.keys(answer.body[0])).toEqual(Object.keys(before[0]!));

        const [entry] = (await logOf(service, path)).entries;
        expect(entry).toMatchObject({
          ...old?.entry,
          id: answer.body[0].pf_logid,
          pf_user: 'eve',
          stamp: expect.any(String),
          params: { ...params, redo_of: old?.logid },
        });
        expect(entry.id).not.toBe(old?.logid);
        expect(await undone(service, path)).toEqual([]);

        // A redo can be undone and redone like the original entry.
        ok(await service.api.del(`/log/${entry.id}`));
        const again = await service.api.send(`/versions/${entry.version_id}/redo/${entry.id}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: ARROW },
          body: JSON.stringify(user),
        });
        expect(again.headers.get('content-type')).toBe(ARROW);
        expect(again.headers.get('x-row-count')).toBe(String(before.length));
        expect(decode(again.bytes).rows).toHaveLength(before.length);
        expect((await logOf(service, path)).entries[0].params).toEqual({
          ...params,
          redo_of: entry.id,
        });
      }
    },
  );

  it('runs the request on the current version', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const north = { slice: { region: 'North' } };
    await madeAndUndone(service, path, 'scale', { ...north, pct: 10 });
    ok(await service.api.post(`${path}/scale`, { ...user, ...north, value_incr: 24.25 }));
    const [entry] = await undone(service, path);
    ok(await service.api.post(`${path}/redo/${entry?.logid}`, user));
    // 175.75 + 24.25, and 10 % of that.
    expect((await logOf(service, path)).entries[0].value_total).toBe(20);
  });

  it('restores a cleared baseline, each load as it was entered, from the current source', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.moving'));
    const id = await makeSource(service, 'moving', GRAIN_COLUMNS);
    const { path } = await makePlan(service, id);
    const entered = [
      { filters: [[{ cname: 'region', op: '=', value: 'North' }]], date_offset: '1 year' },
      { raw_where: `region = 'South'` },
      { where_clause: `region = 'East'`, raw_where: 'TRUE', note: 'beside' },
      {
        where_clause: `region = 'East'`,
        filters: [[{ cname: 'region', op: 'is null' }]],
      },
    ];
    for (const load of entered)
      ok(await service.api.post(`${path}/baseline`, { ...user, ...load }));
    const before = (await logOf(service, path)).entries;
    ok(await takeOut(service, `${path}/baseline`, '{"pf_user": "bob"}'));
    await service.query(
      `INSERT INTO public.moving (id, region, amount, pieces, "Order Date")
       VALUES (13, 'North', 1000, 1, '2026-01-01')`,
    );
    for (const { logid } of (await undone(service, path)).toReversed()) {
      const answer = ok(await service.api.post(`${path}/redo/${logid}`, user)).body;
      expect(Object.keys(answer)).toEqual(['logid', 'row_count', 'outside_calendar']);
    }
    expect(await undone(service, path)).toEqual([]);
    const after = (await logOf(service, path)).entries;
    const more = ({ params }: { params: { where_clause: string } }) =>
      /^TRUE$|North/.test(params.where_clause) ? 1 : 0;
    expect(after.filter(more)).toHaveLength(2);
    expect(after).toEqual(
      before.map((entry: (typeof before)[number]) => ({
        ...entry,
        id: expect.any(Number),
        stamp: expect.any(String),
        params: { ...entry.params, redo_of: entry.id },
        row_count: entry.row_count + more(entry),
        value_total: entry.value_total + 1000 * more(entry),
        units_total: entry.units_total + more(entry),
      })),
    );
  });

  it('names the reason if a request is no longer possible, and keeps it on the list', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.losing'));
    const id = await makeSource(service, 'losing', [
      { cname: 'region', role: 'dimension' },
      { cname: 'select', role: 'dimension' },
      { cname: 'amount', role: 'value' },
      { cname: 'channel', role: 'filter' },
    ]);
    const { path, baseline } = await makePlan(service, id);
    await madeAndUndone(service, path, 'scale', { slice: { region: 'North' }, pct: 10 });
    await madeAndUndone(service, path, 'clone', { slice: { select: 'x' }, set: { select: 'z' } });
    const { logid } = ok(
      await service.api.post(`${path}/reference`, {
        ...user,
        filters: [[{ cname: 'channel', op: '=', value: 'web' }]],
      }),
    ).body;
    ok(await service.api.del(`/log/${logid}`));
    ok(await service.api.del(`/log/${baseline}`));
    const [, load, clone, scale] = await undone(service, path);
    const redo = (entry: { logid: number } | undefined) => () =>
      service.api.post(`${path}/redo/${entry?.logid}`, user);

    await refused(service, redo(scale), 422, 'The slice matches no row');
    const columns = [
      { cname: 'select', role: 'ignore' },
      { cname: 'channel', role: 'ignore' },
    ];
    ok(await service.api.put(`/sources/${id}/columns`, columns));
    await refused(service, redo(clone), 422, /"select" is not a dimension/);
    const answer = await redo(load)();
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: expect.stringContaining('"channel" has the role ignore'), column: 'channel' },
    ]);
    await service.query(
      `UPDATE pf.undone SET entry = jsonb_set(entry, '{params}', 'null') WHERE logid IN ($1, $2)`,
      [scale?.logid, load?.logid],
    );
    await refused(service, redo(scale), 422, /does not record/);
    await refused(service, redo(load), 422, /does not record/);
    ok(await service.api.post(`${path}/close`, user));
    await refused(service, redo(clone), 403, 'Version is closed');
    expect(await undone(service, path)).toHaveLength(4);
  });

  it('accepts only entries of its own version', async ({ service, sourceId }) => {
    const [one, other] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
    ok(await service.api.del(`/log/${one.baseline}`));
    await refused(service, () => service.api.post(`${other.path}/redo/${one.baseline}`, user), 404);
    await refused(
      service,
      () => service.api.post(`${other.path}/redo/${other.baseline}`, user),
      404,
    );
    await refused(service, () => service.api.post(`${one.path}/redo/${one.baseline}`, {}), 400);
  });

  it('redoes an entry once, even on two servers at the same time', async ({
    service,
    sourceId,
  }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path, versionId, baseline } = await makePlan(service, sourceId);
      ok(await service.api.del(`/log/${baseline}`));
      const held = await holdVersion(service, versionId);
      const redo = (api: Api) => () => api.post(`${path}/redo/${baseline}`, user);
      const answers = await race(service, held, [redo(service.api), redo(apiAt(server.url))]);
      expect(answers.map(({ status }) => status)).toEqual([200, 404]);
      expect((await logOf(service, path)).entries).toHaveLength(1);
    } finally {
      await server.stop();
    }
  });
});
