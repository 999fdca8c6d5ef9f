// How alerts are evaluated and stored (docs/contract/25-alerts.md), beyond what the tests of the contract show.
import { describe, expect } from 'vitest';
import type { Answer } from '../support/http';
import { hold, until } from '../support/race';
import type { Service } from '../support/service';
import { it, makePlan, ok } from './contract/orders';

const ann = { pf_user: 'ann' };
const ABOVE_400 = {
  ...{ name: 'Large regions', measure: 'value', of: 'amount', level: [{ field: 'region' }] },
  ...{ slice: {}, condition: { operator: 'above', amount: 400 } },
};

const make = async ({ api }: Service, path: string, more: object = {}): Promise<number> =>
  ok(await api.post(`${path}/alerts`, { ...ann, ...ABOVE_400, ...more })).body.id;

const list = async ({ api }: Service, path: string): Promise<Answer['body']> =>
  ok(await api.get(`${path}/alerts`)).body;

const groups = async ({ api }: Service, id: number): Promise<Answer['body']> =>
  ok(await api.get(`/alerts/${id}/groups`)).body.groups;

/** Waits until an alert holds for some values of a field. */
const holds = (service: Service, id: number, members: string[], field = 'region') =>
  until(async () => {
    const now = (await groups(service, id)).flatMap(({ slice, ended_at }: Answer['body']) =>
      ended_at === undefined ? [String(slice[field])] : [],
    );
    return JSON.stringify(now.sort()) === JSON.stringify(members.toSorted());
  });

const scale = ({ api }: Service, path: string, slice: object, value_incr: number) =>
  api.post(`${path}/scale`, { ...ann, slice, value_incr }).then(ok);

const comments = async ({ api }: Service, path: string): Promise<Answer['body']> =>
  ok(await api.get(`${path}/comments`)).body;

/** Makes a lookup that joins a zone to each region by a view. @param zone SQL of the zone */
async function makeZones({ api, query }: Service, sourceId: number, zone: string): Promise<number> {
  await query(`CREATE TABLE IF NOT EXISTS public.regions (region text PRIMARY KEY, parts integer);
    TRUNCATE public.regions;
    INSERT INTO public.regions VALUES ('North', 1), ('South', 1), ('East', 1);
    DROP VIEW IF EXISTS public.zones;
    CREATE VIEW public.zones AS SELECT region, ${zone} AS zone FROM public.regions`);
  const lookup = {
    ...{ ...ann, name: 'Zones', schema: 'public', tname: 'zones' },
    ...{ keys: [{ column: 'region', from: 'region' }] },
    attributes: [{ cname: 'zone', label: 'Zone' }],
  };
  return ok(await api.post(`/sources/${sourceId}/lookups`, lookup)).body.id;
}

const removeLookup = ({ api }: Service, id: number) =>
  api.send(`/lookups/${id}`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ann),
  });

describe('An evaluation', () => {
  it('that fails has a problem, and the other alerts are evaluated', async ({
    service,
    sourceId,
  }) => {
    const lookup = await makeZones(service, sourceId, `'zone ' || (1 / parts)`);
    const { path } = await makePlan(service, sourceId);
    const failing = await make(service, path, { level: [{ field: 'Zone' }] });
    await holds(service, failing, ['zone 1'], 'Zone');
    const other = await make(service, path);
    await holds(service, other, ['East']);
    await service.query('UPDATE public.regions SET parts = 0');
    await scale(service, path, { region: 'South' }, 100);
    await holds(service, other, ['East', 'South']);
    const [{ problem, holding }] = await list(service, path);
    expect([problem, holding]).toEqual([
      'The database reports an error while it reads the rows, which may come from a view or a function',
      1,
    ]);
    await service.query('UPDATE public.regions SET parts = 1');
    await scale(service, path, { region: 'South' }, 1);
    await until(async () => (await list(service, path))[0].problem === undefined);
    await removeLookup(service, lookup);
  });

  it('limits the time of reading rows, and not the time of storing groups', async ({
    service,
    sourceId,
  }) => {
    const zone = `current_setting('statement_timeout')`;
    const lookup = await makeZones(service, sourceId, zone);
    const { path } = await makePlan(service, sourceId);
    await service.query(`CREATE TABLE public.limits AS SELECT ''::text AS stored WITH NO DATA;
      CREATE FUNCTION public.note_limit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO public.limits VALUES (${zone}); RETURN NEW; END $$;
      CREATE TRIGGER note_limit BEFORE INSERT ON pf.alert_group FOR EACH ROW EXECUTE FUNCTION public.note_limit()`);
    const id = await make(service, path, { level: [{ field: 'Zone' }] });
    await holds(service, id, ['10s'], 'Zone');
    const [{ stored }] = await service.query('SELECT stored FROM public.limits');
    await service.query(`DROP TRIGGER note_limit ON pf.alert_group;
      DROP FUNCTION public.note_limit; DROP TABLE public.limits`);
    expect(stored).not.toBe('10s');
    await removeLookup(service, lookup);
  });

  it('of a slow version delays no other version', async ({ service, sourceId }) => {
    const zone = `'zone' || COALESCE(left(pg_advisory_xact_lock_shared(4711)::text, 0), '')`;
    const lookup = await makeZones(service, sourceId, zone);
    const slow = await makePlan(service, sourceId);
    const fast = await makePlan(service, sourceId);
    const waiting = await make(service, slow.path, { level: [{ field: 'Zone' }] });
    await holds(service, waiting, ['zone'], 'Zone');
    const other = await make(service, fast.path);
    await holds(service, other, ['East']);
    const held = await hold(service, 'SELECT pg_advisory_xact_lock(4711)');
    await scale(service, slow.path, { region: 'South' }, 100);
    await until(
      async () =>
        (
          await service.query(
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted`,
          )
        ).length > 0,
    );
    await scale(service, fast.path, { region: 'South' }, 100);
    await holds(service, other, ['East', 'South']);
    const [{ problem }] = await list(service, slow.path);
    expect(problem).toBeUndefined();
    await held.release();
    await removeLookup(service, lookup);
  });
});

describe('A change of an alert', () => {
  const slice = {
    'Order Date': { from: '2026-01-01', to: '2030-01-01' },
    region: ['East', 'South', 'North'],
  };

  it('that keeps all values changes nothing', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, { slice, asks_for_reason: true });
    await until(async () => (await comments(service, path)).length > 0);
    const before = await groups(service, id);
    const answer = await service.api.patch(`/alerts/${id}`, { ...ann, slice });
    expect(ok(answer).body.holding).toBe(before.length);
    await scale(service, path, { region: 'North' }, 1000);
    await until(async () => (await groups(service, id)).length > before.length);
    expect(await groups(service, id)).toEqual(expect.arrayContaining(before));
  });

  it('to another question resolves the threads without a reply', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, { asks_for_reason: true });
    await until(async () => (await comments(service, path)).length === 1);
    ok(await service.api.patch(`/alerts/${id}`, { ...ann, measure: 'units' }));
    expect(await comments(service, path)).toMatchObject([{ resolved_by: 'ann' }]);
  });

  it('of its name is possible while its lookup is missing', async ({ service, sourceId }) => {
    const lookup = await makeZones(service, sourceId, `'zone'::text`);
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, { level: [{ field: 'Zone' }] });
    await removeLookup(service, lookup);
    expect(ok(await service.api.patch(`/alerts/${id}`, { ...ann, name: 'New' })).body.name).toBe(
      'New',
    );
    const level = [{ field: 'Zone' }, { field: 'region' }];
    expect((await service.api.patch(`/alerts/${id}`, { ...ann, level })).status).toBe(409);
  });
});

describe('The groups of an alert', () => {
  it('are stored without the slice of the alert, and answered with it', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const slice = {
      'sub-category': ['Chairs', 'Tables', 'Phones'],
      'Order Date': { from: '2026-02-10' },
    };
    const level = [{ field: 'region' }, { field: 'Order Date', unit: 'year' }];
    const condition = { operator: 'above', amount: -1000 };
    const id = await make(service, path, { slice, level, condition });
    await until(async () => (await groups(service, id)).length > 0);
    const year = { from: '2026-01-01', to: '2026-12-31' };
    const stored = await service.query('SELECT slice FROM pf.alert_group WHERE alert_id = $1', [
      id,
    ]);
    for (const group of stored) {
      expect(group).toEqual({ slice: { region: group.slice.region, 'Order Date': year } });
    }
    for (const group of await groups(service, id)) {
      expect(group.slice).toEqual({
        ...{ ...slice, region: group.slice.region },
        'Order Date': { from: '2026-02-10', to: '2026-12-31' },
      });
    }
  });

  it('have slices of at most 1,000 values', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const regions = Array.from({ length: 1001 }, (_, i) => `R${i}`);
    const id = await make(service, path, { slice: { region: regions.slice(1) } });
    for (const [method, at] of [
      ['post', `${path}/alerts`],
      ['patch', `/alerts/${id}`],
    ] as const) {
      const { status, body } = await service.api[method](at, {
        ...{ ...ann, ...ABOVE_400 },
        slice: { region: regions },
      });
      expect([status, body.error]).toEqual([
        400,
        'slice: an alert may select by at most 1000 values in all lists',
      ]);
    }
  });

  it('are copied with a version, which reports only groups that begin later', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, { asks_for_reason: true });
    await until(async () => (await comments(service, path)).length === 1);
    const [{ began_at }] = await groups(service, id);
    const { body } = ok(await service.api.post(`${path}/copy`, { ...ann, name: 'Copied early' }));
    const copied = `/versions/${body.id}`;
    const [alert] = await list(service, copied);
    expect(alert.holding).toBe(1);
    expect(await groups(service, alert.id)).toMatchObject([
      { slice: { region: 'East' }, began_at },
    ]);
    await scale(service, copied, { region: 'South' }, 100);
    await until(async () => (await comments(service, copied)).length > 0);
    expect(await comments(service, copied)).toMatchObject([{ slice: { region: 'South' } }]);
  });
});
