// Tests locks of docs/contract/19-planning-together.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { openEvents } from '../../support/events';
import { apiAt, type Answer } from '../../support/http';
import { holdVersion, race } from '../../support/race';
import type { Service } from '../../support/service';
import { it, makePlan, makeSmallSource, ok, refused } from './orders';

const user = { pf_user: 'ann' };
const eve = { pf_user: 'eve' };

const lock = async ({ api }: Service, path: string, slice: object, note?: string) =>
  ok(await api.post(`${path}/locks`, { ...eve, slice, ...(note ? { note } : {}) })).body;

/** Expects a refusal because of a lock. */
const locked = (service: Service, request: () => Promise<Answer>, note = '') =>
  refused(
    service,
    request,
    423,
    `Nothing was changed, because eve has locked some of these rows${note}`,
  );

/** Returns the sum of a region's rows of any origin. */
const sumOf = async ({ query }: Service, table: string, region: string) =>
  (await query(`SELECT sum(amount) AS sum FROM ${table} WHERE region = $1`, [region]))[0].sum;

describe('Locks', () => {
  it('are listed, created and deleted', async ({ service, sourceId }) => {
    const { api } = service;
    const { path, versionId } = await makePlan(service, sourceId);
    expect(ok(await api.get(`${path}/locks`)).body).toEqual([]);
    const slice = { 'Order Date': { to: '2026-03-31' }, region: [null, 'North'] };
    const answer = await api.post(`${path}/locks`, { ...eve, slice, note: 'Q1 is closed' });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        ...{ id: expect.any(Number), version_id: versionId, slice, note: 'Q1 is closed' },
        ...{ created_by: 'eve', created_at: expect.any(String) },
      },
    ]);
    const whole = await lock(service, path, {});
    expect(whole).toMatchObject({ slice: {}, note: null });
    // Ignored keys are omitted, so that the lock names what it locks.
    const region = await lock(service, path, { region: 'East', pf_iter: 'scale' });
    expect(region.slice).toEqual({ region: 'East' });
    expect(ok(await api.get(`${path}/locks`)).body).toEqual([answer.body, whole, region]);

    const gone = await api.del(`/locks/${whole.id}`);
    expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
    await refused(service, () => api.del(`/locks/${whole.id}`), 404);
    expect(ok(await api.get(`${path}/locks`)).body).toEqual([answer.body, region]);
  });

  it('are refused for an invalid slice, and in a closed version', async ({ service, sourceId }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const post = (body: object) => () => api.post(`${path}/locks`, { ...eve, ...body });
    for (const slice of [
      { pf_iter: 'scale' },
      { amount: 5, nothing: 1 },
      { 'Order Date': 'soon' },
      { region: [] },
      [],
      null,
    ]) {
      await refused(service, post({ slice }), 400);
    }
    await refused(service, () => api.post(`${path}/locks`, { slice: {} }), 400, /pf_user/);
    await refused(service, post({ slice: {}, note: 5 }), 400, /note/);
    const { id } = await lock(service, path, {});
    ok(await api.post(`${path}/close`, user));
    await refused(service, post({ slice: {} }), 403, 'Version is closed');
    await refused(service, () => api.del(`/locks/${id}`), 403, 'Version is closed');
  });

  it('make scale spread over the other rows, so that the total still rises by the requested amount', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path, table } = await makePlan(service, sourceId);
    await lock(service, path, { region: 'North' }, 'closed');
    await lock(service, path, { region: 'South', 'Order Date': { to: '2026-03-31' } });
    const before = await sumOf(service, table, 'North');
    ok(await api.post(`${path}/scale`, { ...user, slice: {}, value_incr: 100.01 }));
    const hold = [{ region: 'East' }];
    ok(await api.post(`${path}/scale`, { ...user, slice: {}, value_incr: 7, hold }));
    ok(await api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 }));
    expect(await sumOf(service, table, 'North')).toBe(before);
    const { entries } = ok(await api.get(`${path}/log`)).body;
    expect(entries[1].value_total).toBe(7);
    expect(entries[2].value_total).toBe(100.01);
    const held = await service.query(
      `SELECT FROM ${table} WHERE pf_iter = 'scale'
         AND (region = 'North' OR region = 'South' AND "Order Date" <= '2026-03-31')`,
    );
    expect(held).toEqual([]);

    const north = { ...user, slice: { region: 'North' }, pct: 10 };
    await refused(service, () => api.post(`${path}/scale`, north), 422, /held or locked/);
    await lock(service, path, {});
    const all = { ...user, slice: {}, value_incr: 1 };
    await refused(service, () => api.post(`${path}/scale`, all), 422, /held or locked/);
  });

  it('refuse recodes into and out of them and clones into them, and allow clones of them', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path, table } = await makePlan(service, sourceId);
    await lock(service, path, { region: 'North' }, 'Q1 is "closed"');
    const before = await sumOf(service, table, 'North');
    const make = (operation: string, region: string, to: string) => () =>
      api.post(`${path}/${operation}`, { ...user, slice: { region }, set: { region: to } });
    await locked(service, make('recode', 'North', 'West'), ': Q1 is "closed"');
    await locked(service, make('recode', 'South', 'North'), ': Q1 is "closed"');
    await locked(service, make('clone', 'South', 'North'), ': Q1 is "closed"');
    const preview = (operation: string, body: object) =>
      api.post(`${path}/${operation}/preview`, { ...user, ...body });
    const into = { slice: { region: 'South' }, set: { region: 'North' } };
    await locked(service, () => preview('recode', into), ': Q1 is "closed"');
    const tried = ok(await preview('scale', { slice: {}, value_incr: 5 })).body;
    expect(tried.held).toMatchObject({ row_count: 3, value_total: Number(before) });
    expect(tried.totals.after.value_total - tried.totals.before.value_total).toBeCloseTo(5, 9);
    ok(await make('recode', 'South', 'West')());
    const cloned = ok(await make('clone', 'North', 'West')()).body;
    expect(cloned.length).toBeGreaterThan(0);
    expect(await sumOf(service, table, 'North')).toBe(before);
  });

  it('stay where they are in a recode with leave_locked, which moves the others as announced', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path, table } = await makePlan(service, sourceId);
    const january = { region: 'North', 'Order Date': { to: '2026-01-31' } };
    await lock(service, path, january, 'Q1 is closed');
    const sums = () =>
      service.query(
        `SELECT region, "Order Date"::text AS day, sum(amount)::text AS amount, sum(pieces)::text AS pieces
           FROM ${table} GROUP BY 1, 2 HAVING sum(amount) <> 0 OR sum(pieces) <> 0 ORDER BY 1, 2`,
      );
    const before = await sums();
    const body = { ...user, slice: { region: 'North' }, set: { region: 'West' } };
    const recode = (more: object) => () => api.post(`${path}/recode`, { ...body, ...more });
    await locked(service, recode({}), ': Q1 is closed');
    await locked(service, recode({ leave_locked: false }), ': Q1 is closed');
    await locked(service, recode({ leave_locked: null }), ': Q1 is closed');

    const around = { leave_locked: true };
    const asked = ok(await api.post(`${path}/slice`, { ...user, slice: body.slice })).body;
    expect(asked.held.row_count).toBeGreaterThan(0);
    expect(asked.free.row_count).toBeGreaterThan(0);
    const tried = ok(await api.post(`${path}/recode/preview`, { ...body, ...around })).body;
    expect(tried.held).toMatchObject({
      row_count: asked.held.row_count,
      value_total: asked.held.value_total,
    });
    expect(tried.totals.after).toMatchObject({
      value_total: tried.totals.before.value_total - asked.free.value_total,
    });
    const written = ok(await recode(around)()).body;
    const amounts = (rows: { region: string; amount: number }[]) =>
      rows.map(({ region, amount }) => [region, amount]);
    expect(amounts(written)).toEqual(amounts(tried.rows));
    const left = ok(await api.post(`${path}/slice`, { ...user, slice: body.slice })).body;
    expect(left.value_total).toBe(asked.held.value_total);
    expect(left.units_total).toBe(asked.held.units_total);
    const [entry] = ok(await api.get(`${path}/log`)).body.entries;
    expect(entry.params).toEqual({ set: body.set, leave_locked: true });

    // Nothing moves into locked rows, and a share leaves them alone as well.
    const into = { slice: { region: 'South' }, set: { region: 'East' }, ...around };
    const east = await lock(service, path, { region: 'East' }, 'East is done');
    await locked(service, recode(into), ': East is done');
    ok(await api.del(`/locks/${east.id}`));
    ok(await api.del(`/log/${entry.id}`));
    expect(await sums()).toEqual(before);
    ok(await recode({ ...around, factor: 0.5 })());
    const { held } = ok(await api.post(`${path}/slice`, { ...user, slice: body.slice })).body;
    expect(held).toEqual(asked.held);
    const { id } = ok(await api.get(`${path}/log`)).body.entries[0];
    ok(await api.del(`/log/${id}`));
    ok(await api.post(`${path}/redo/${id}`, user));
    ok(await api.del(`/log/${ok(await api.get(`${path}/log`)).body.entries[0].id}`));
    expect(await sums()).toEqual(before);

    // If nothing is left to move, it is refused.
    await refused(service, recode({ ...around, slice: january }), 422, /Every row .* locked/);
  });

  it('refuse loads, their edits and clears, undo and redo if their rows are locked', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path, baseline } = await makePlan(service, sourceId);
    const load = (kind: string, region: string) => () =>
      api.post(`${path}/${kind}`, { ...user, raw_where: `region = '${region}'` });
    const north = ok(await load('reference', 'North')()).body.logid;
    const east = ok(await load('reference', 'East')()).body.logid;
    const undone = ok(await load('reference', 'North')()).body.logid;
    ok(await api.del(`/log/${undone}`));
    const { id } = await lock(service, path, { region: 'North' });

    await locked(service, load('baseline', 'North'));
    await locked(service, load('reference', 'North'));
    await locked(service, () => api.del(`/log/${north}`));
    await locked(service, () => api.del(`/log/${baseline}`));
    await locked(service, () => api.del(`${path}/baseline`));
    await locked(service, () => api.post(`${path}/redo/${undone}`, user));
    // An edit is checked against the rows it deletes and the rows it loads.
    const edit = (logid: number, region: string) => () =>
      api.put(`${path}/baseline/${logid}`, { ...user, raw_where: `region = '${region}'` });
    await locked(service, edit(north, 'South'));
    await locked(service, edit(east, 'North'));

    const south = ok(await edit(east, 'South')()).body.logid;
    ok(await load('baseline', 'East')());
    ok(await api.del(`/log/${south}`));
    ok(await api.post(`${path}/redo/${south}`, user));
    ok(await api.del(`/locks/${id}`));
    ok(await api.post(`${path}/redo/${undone}`, user));
    ok(await api.del(`${path}/baseline`));
  });

  it('do not use up the key of a refused write', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const { id } = await lock(service, path, {});
    const send = () =>
      service.api.send(`${path}/baseline`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'refused' },
        body: JSON.stringify(user),
      });
    expect((await send()).status).toBe(423);
    ok(await service.api.del(`/locks/${id}`));
    expect((await send()).status).toBe(200);
  });

  it('apply to a write that waited while they were created, also on another server', async ({
    service,
    sourceId,
  }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path, versionId } = await makePlan(service, sourceId);
      const held = await holdVersion(service, versionId);
      const answers = await race(service, held, [
        () => service.api.post(`${path}/locks`, { ...eve, slice: { region: 'North' } }),
        () =>
          apiAt(server.url).post(`${path}/recode`, {
            ...user,
            slice: { region: 'North' },
            set: { region: 'West' },
          }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([201, 423]);
    } finally {
      await server.stop();
    }
  });

  it('block the version if it is no longer known which rows they lock', async ({ service }) => {
    const id = await makeSmallSource(service, 'changing');
    const { path, baseline } = await makePlan(service, id);
    const { id: lockId } = await lock(service, path, { select: 'x' });
    const save = async (role: string, is_key = false) =>
      ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'select', role, is_key }]));
    await save('ignore');
    const undo = () => service.api.del(`/log/${baseline}`);
    const scale = () =>
      service.api.post(`${path}/scale`, { ...user, slice: { region: 'East' }, value_incr: 1 });
    await refused(service, undo, 409, /eve locked rows.*"select".*delete lock \d+/);
    await refused(service, scale, 409, /eve locked rows.*"select".*delete lock \d+/);
    await save('dimension');
    ok(await scale());
    ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'region', is_key: true }]));
    await refused(service, scale, 409, /"select" is not marked as a key/);
    ok(await service.api.del(`/locks/${lockId}`));
    ok(await scale());
  });

  it('keep the totals of their rows: the excluded origins cannot change', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const { id } = await lock(service, path, { region: 'North' });
    const exclude = () => service.api.patch(path, { exclude_iters: ['reference', 'scale'] });
    await refused(
      service,
      exclude,
      409,
      `eve has locked rows of this version, so the origins that operations skip cannot change; delete lock ${id} first`,
    );
    ok(await service.api.del(`/locks/${id}`));
    ok(await exclude());
  });

  it('appear on the event stream', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path);
    const { id } = await lock(service, path, {});
    ok(await service.api.del(`/locks/${id}`));
    const events = await stream.events(2);
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['locks', {}],
      ['locks', {}],
    ]);
  });
});
