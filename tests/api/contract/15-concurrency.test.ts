// Tests docs/contract/15-concurrency.md.
import { describe, expect } from 'vitest';
import { it } from '../../support/api';
import { plan, type Planned } from '../../support/planned';
import {
  hold,
  holdVersion,
  race,
  until,
  untilAllWait,
  untilWaiting,
  waitingForLocks,
} from '../../support/race';
import type { Service } from '../../support/service';

const BODY = { pf_user: 'ann', slice: {} };

interface Version extends Planned {
  logid: number;
  call(operation: string, body?: object): ReturnType<Service['api']['post']>;
  /** Returns the value of each region, without regions that net to zero. */
  regions(): Promise<Record<string, number>>;
}

async function version(service: Service): Promise<Version> {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Order Date', type: 'date', role: 'date' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      { name: 'Units', type: 'integer', role: 'units' },
    ],
    [
      { Region: 'A', Sales: 100, Units: 10 },
      { Region: 'B', Sales: 50, Units: 5 },
    ],
  );
  const { api, query } = service;
  const loaded = await api.post(`${planned.path}/baseline`, { pf_user: 'ann' });
  return {
    ...planned,
    logid: loaded.body.logid,
    call: (operation, body = {}) => api.post(`${planned.path}/${operation}`, { ...BODY, ...body }),
    regions: async () => {
      const rows = await query(
        `SELECT "Region" AS region, sum("Sales")::float8 AS value FROM ${planned.table}
         GROUP BY 1 HAVING sum("Sales") <> 0 ORDER BY 1`,
      );
      return Object.fromEntries(rows.map((r) => [r.region, r.value]));
    },
  };
}

const statuses = (answers: { status: number }[]) => answers.map((a) => a.status);
const entriesOf = async (service: Service, v: Version) =>
  (await service.api.get(`${v.path}/log`)).body.entries;

describe('writers of one version wait for each other', () => {
  it('moves a slice once if two recodes of it run at once', async ({ service }) => {
    const v = await version(service);
    const move = () => v.call('recode', { slice: { Region: 'A' }, set: { Region: 'C' } });
    const answers = await race(service, await holdVersion(service, v.id), [move, move]);
    expect(statuses(answers)).toEqual([200, 422]);
    expect(await v.regions()).toEqual({ B: 50, C: 100 });
    expect(await entriesOf(service, v)).toHaveLength(2);
  });

  it('scales the result of the previous scale', async ({ service }) => {
    const v = await version(service);
    const double = () => v.call('scale', { pct: 100 });
    const answers = await race(service, await holdVersion(service, v.id), [double, double]);
    expect(statuses(answers)).toEqual([200, 200]);
    expect(await v.regions()).toEqual({ A: 400, B: 200 });
  });

  it('refuses to edit a segment after a waiting scale', async ({ service }) => {
    const v = await version(service);
    const answers = await race(service, await holdVersion(service, v.id), [
      () => v.call('scale', { pct: 10 }),
      () => service.api.put(`${v.path}/baseline/${v.logid}`, { pf_user: 'ann' }),
    ]);
    expect(statuses(answers)).toEqual([200, 409]);
    expect(await v.regions()).toEqual({ A: 110, B: 55 });
  });

  it('scales the rows of an edited segment', async ({ service }) => {
    const v = await version(service);
    const filters = [[{ cname: 'Region', op: '=', value: 'B' }]];
    const answers = await race(service, await holdVersion(service, v.id), [
      () => service.api.put(`${v.path}/baseline/${v.logid}`, { pf_user: 'ann', filters }),
      () => v.call('scale', { value_incr: 10 }),
    ]);
    expect(statuses(answers)).toEqual([200, 200]);
    expect(await v.regions()).toEqual({ B: 60 });
  });

  it('edits a segment once if two edits run at once', async ({ service }) => {
    const v = await version(service);
    const edit = () => service.api.put(`${v.path}/baseline/${v.logid}`, { pf_user: 'ann' });
    const answers = await race(service, await holdVersion(service, v.id), [edit, edit]);
    expect(statuses(answers)).toEqual([200, 404]);
    expect(await v.regions()).toEqual({ A: 100, B: 50 });
  });

  it('finds nothing to scale after the baseline is cleared', async ({ service }) => {
    const v = await version(service);
    const answers = await race(service, await holdVersion(service, v.id), [
      () => service.api.del(`${v.path}/baseline`),
      () => v.call('scale', { pct: 10 }),
    ]);
    expect(statuses(answers)).toEqual([200, 422]);
    expect(await entriesOf(service, v)).toEqual([]);
  });

  it('clears a load that was committed first', async ({ service }) => {
    const v = await version(service);
    const answers = await race(service, await holdVersion(service, v.id), [
      () => v.call('baseline'),
      () => service.api.del(`${v.path}/baseline`),
    ]);
    expect(statuses(answers)).toEqual([200, 200]);
    expect(answers[1]!.body).toEqual({ rows_deleted: 4, log_entries_deleted: 2 });
    expect(await v.regions()).toEqual({});
  });

  it('refuses a scale, a load, an undo and a clear after a close', async ({ service }) => {
    const v = await version(service);
    const answers = await race<{ status: number; body: unknown }>(
      service,
      await holdVersion(service, v.id),
      [() => v.call('close'), () => v.call('scale', { pct: 10 }), () => v.call('baseline')],
    );
    expect(statuses(answers)).toEqual([200, 403, 403]);
    expect(answers[1]!.body).toEqual({ error: 'Version is closed' });
    expect((await service.api.del(`/log/${v.logid}`)).status).toBe(403);
    expect((await service.api.del(`${v.path}/baseline`)).status).toBe(403);
    expect(await v.regions()).toEqual({ A: 100, B: 50 });
  });

  it('closes once if two closes run at once', async ({ service }) => {
    const v = await version(service);
    const close = () => v.call('close');
    const answers = await race(service, await holdVersion(service, v.id), [close, close]);
    expect(statuses(answers)).toEqual([200, 409]);
  });

  it('returns 404 for a load, a scale and an undo after the deletion of their version', async ({
    service,
  }) => {
    const v = await version(service);
    const answers = await race(service, await holdVersion(service, v.id), [
      () => service.api.del(v.path),
      () => v.call('baseline'),
      () => v.call('scale', { pct: 10 }),
    ]);
    expect(statuses(answers)).toEqual([204, 404, 404]);
    expect(await service.query(`SELECT to_regclass('${v.table}') AS gone`)).toEqual([
      { gone: null },
    ]);
    const w = await version(service);
    const undo = () => service.api.del(`/log/${w.logid}`);
    const others = await race(service, await holdVersion(service, w.id), [
      () => service.api.del(w.path),
      undo,
    ]);
    expect(statuses(others)).toEqual([204, 404]);
  });

  it('undoes an entry once if two undos run at once', async ({ service }) => {
    const v = await version(service);
    await v.call('scale', { pct: 10 });
    const [entry] = await entriesOf(service, v);
    const undo = () => service.api.del(`/log/${entry.id}`);
    const answers = await race(service, await holdVersion(service, v.id), [undo, undo]);
    expect(statuses(answers)).toEqual([200, 404]);
    expect(await v.regions()).toEqual({ A: 100, B: 50 });
  });

  it('keeps the sums exact with many writers at once', async ({ service }) => {
    const v = await version(service);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        v.call('scale', { value_incr: i + 0.01, units_incr: 1 }),
      ),
    );
    expect(new Set(statuses(answers))).toEqual(new Set([200]));
    const [totals] = await service.query(
      `SELECT sum("Sales")::text AS value, sum("Units")::int AS units FROM ${v.table}`,
    );
    expect(totals).toEqual({ value: '585.30', units: 45 });
    const undone = await Promise.all(
      (await entriesOf(service, v))
        .filter((e: { operation: string }) => e.operation === 'scale')
        .map((e: { id: number }) => service.api.del(`/log/${e.id}`)),
    );
    expect(new Set(statuses(undone))).toEqual(new Set([200]));
    expect(await v.regions()).toEqual({ A: 100, B: 50 });
  });
});

describe('loads of one version run concurrently', () => {
  it('runs two loads at once, with a scale waiting for both', async ({ service }) => {
    const v = await version(service);
    // Both loads pass the version's lock and wait at their table.
    const held = await hold(service, `LOCK TABLE ${v.table} IN SHARE MODE`);
    const first = v.call('baseline');
    await untilWaiting(service, 1);
    const second = v.call('reference', { date_offset: '1 year' });
    await until(async () => {
      const [{ n }] = await service.query(
        `SELECT count(*) AS n FROM pg_locks WHERE relation = '${v.table}'::regclass AND NOT granted`,
      );
      return n === 2;
    });
    const scaled = v.call('scale', { slice: { Region: 'A' }, value_incr: 20 });
    await untilWaiting(service, 3);
    await held.release();
    expect(statuses(await Promise.all([first, second, scaled]))).toEqual([200, 200, 200]);
    const [{ delta }] = await service.query(
      `SELECT sum("Sales")::text AS delta FROM ${v.table} WHERE pf_iter = 'scale'`,
    );
    expect(delta).toBe('20.00');
  });
});

describe('versions do not wait for each other', () => {
  it('writes to one version, and reads both, while the other is locked', async ({ service }) => {
    const locked = await version(service);
    const free = await version(service);
    const held = await holdVersion(service, locked.id);
    const waiting = locked.call('scale', { pct: 100 });
    await untilWaiting(service, 1);
    expect((await free.call('scale', { pct: 100 })).status).toBe(200);
    expect((await service.api.get(`${locked.path}/data`)).status).toBe(200);
    expect((await service.api.get(`${locked.path}/log`)).status).toBe(200);
    await held.release();
    expect((await waiting).status).toBe(200);
    expect(await locked.regions()).toEqual({ A: 200, B: 100 });
  });

  it('serves other versions and /health while twenty writers wait for one', async ({ service }) => {
    const locked = await version(service);
    const free = await version(service);
    const held = await holdVersion(service, locked.id);
    const writers = Array.from({ length: 20 }, () => locked.call('scale', { value_incr: 1 }));
    await untilWaiting(service, 1);
    const health = await Promise.all(Array.from({ length: 20 }, () => service.api.get('/health')));
    expect(new Set(statuses(health))).toEqual(new Set([200]));
    expect((await free.call('scale', { pct: 10 })).status).toBe(200);
    expect((await service.api.get(`${locked.path}/log`)).status).toBe(200);
    expect(await waitingForLocks(service)).toBeGreaterThan(0);
    await held.release();
    expect(new Set(statuses(await Promise.all(writers)))).toEqual(new Set([200]));
    expect(await locked.regions()).toMatchObject({ A: expect.any(Number) });
    const [{ value }] = await service.query(
      `SELECT sum("Sales")::text AS value FROM ${locked.table}`,
    );
    expect(value).toBe('170.00');
  });

  it('serves other versions while many versions have many waiting writers', async ({ service }) => {
    const versions = await Promise.all(Array.from({ length: 7 }, () => version(service)));
    const free = await version(service);
    const held = await hold(
      service,
      `SELECT FROM pf.version WHERE id IN (${versions.map((v) => v.id).join(', ')}) FOR UPDATE`,
    );
    const writers = versions.flatMap((v) =>
      Array.from({ length: 4 }, () => v.call('scale', { pct: 10 })),
    );
    await untilWaiting(service, versions.length);
    expect((await free.call('scale', { pct: 10 })).status).toBe(200);
    expect((await service.api.get(`${free.path}/log`)).status).toBe(200);
    await held.release();
    expect(new Set(statuses(await Promise.all(writers)))).toEqual(new Set([200]));
  });

  it('answers /health while every connection of the pool is in use', async ({ service }) => {
    const v = await version(service);
    const held = await hold(service, 'LOCK TABLE pf.col_meta IN ACCESS EXCLUSIVE MODE');
    const readers = Array.from({ length: 20 }, () =>
      service.api.get(`/sources/${v.sourceId}/columns`),
    );
    await untilAllWait(service);
    expect((await service.api.get('/health')).status).toBe(200);
    await held.release();
    expect(new Set(statuses(await Promise.all(readers)))).toEqual(new Set([200]));
  });
});

describe('changes of sources and versions other than their rows', () => {
  it('an operation waits for the generation of its SQL, and vice versa', async ({ service }) => {
    const v = await version(service);
    const generate = () => service.api.post(`/sources/${v.sourceId}/sql`);
    const after = await race(service, await holdVersion(service, v.id), [
      generate,
      () => v.call('scale', { pct: 100 }),
    ]);
    expect(statuses(after)).toEqual([200, 200]);
    const before = await race(service, await holdVersion(service, v.id), [
      () => v.call('scale', { pct: 100 }),
      generate,
    ]);
    expect(statuses(before)).toEqual([200, 200]);
    expect(await v.regions()).toEqual({ A: 400, B: 200 });
  });

  it('registers a table once if two registrations run at once', async ({ service }) => {
    await service.query('CREATE TABLE public.twice (a int)');
    const held = await hold(service, 'LOCK TABLE pf.source IN SHARE MODE');
    const register = () => service.api.post('/sources', { schema: 'public', tname: 'twice' });
    const answers = await race(service, held, [register, register]);
    expect(statuses(answers).sort()).toEqual([201, 409]);
    const [{ n }] = await service.query(
      `SELECT count(*) AS n FROM pf.col_meta c JOIN pf.source s ON s.id = c.source_id
       WHERE s.tname = 'twice'`,
    );
    expect(n).toBe(1);
  });

  it('gives a version name once if two versions request it', async ({ service }) => {
    const v = await version(service);
    const held = await hold(service, 'LOCK TABLE pf.version IN SHARE MODE');
    const create = () => service.api.post(`/sources/${v.sourceId}/versions`, { name: 'Same' });
    const answers = await race(service, held, [create, create]);
    expect(statuses(answers).sort()).toEqual([201, 409]);
  });

  it('swaps the names of two versions for one of two concurrent requests, without a 500', async ({
    service,
  }) => {
    const v = await version(service);
    const other = (await service.api.post(`/sources/${v.sourceId}/versions`, { name: 'Other' }))
      .body;
    const answers = await Promise.all([
      service.api.patch(v.path, { name: 'Other' }),
      service.api.patch(`/versions/${other.id}`, { name: 'Plan' }),
    ]);
    expect(statuses(answers).every((s) => s === 200 || s === 409)).toBe(true);
  });

  it('returns 404, not 500, for a read during the deletion of its version', async ({ service }) => {
    const v = await version(service);
    const held = await hold(service, `SELECT FROM ${v.table}`);
    const answers = await race(service, held, [
      () => service.api.del(v.path),
      () => service.api.get(`${v.path}/data`),
      () => service.api.get(`${v.path}/log`),
    ]);
    expect(statuses(answers)).toEqual([204, 404, 404]);
  });

  it('lists the remaining versions while one is being deleted', async ({ service }) => {
    const v = await version(service);
    const { body } = await service.api.post(`/sources/${v.sourceId}/versions`, { name: 'Kept' });
    // The rows of an entry without a stored count are counted while the version is deleted.
    await service.query(`UPDATE pf.log SET row_count = NULL WHERE version_id = ${v.id}`);
    const held = await hold(service, `SELECT FROM ${v.table}`);
    const answers = await race(service, held, [
      () => service.api.del(v.path),
      () => service.api.get(`/sources/${v.sourceId}/versions`),
    ]);
    expect(statuses(answers)).toEqual([204, 200]);
    expect(answers[1]!.body.map((w: { id: number }) => w.id)).toEqual([body.id]);
  });
});
