// Tests docs/contract/25-alerts.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { openEvents } from '../../support/events';
import { apiAt, type Answer } from '../../support/http';
import { until } from '../../support/race';
import type { Service } from '../../support/service';
import { it, makePlan, makeVersion, ok } from './orders';

const ann = { pf_user: 'ann' };
const ABOVE_400 = {
  ...{ name: 'Large regions', measure: 'value', of: 'amount', level: [{ field: 'region' }] },
  ...{ slice: {}, condition: { operator: 'above', amount: 400 } },
};

async function make({ api }: Service, path: string, more: object = {}): Promise<number> {
  return ok(await api.post(`${path}/alerts`, { ...ann, ...ABOVE_400, ...more })).body.id;
}

const list = async ({ api }: Service, path: string): Promise<Answer['body']> =>
  ok(await api.get(`${path}/alerts`)).body;

const groups = async ({ api }: Service, id: number): Promise<Answer['body']> =>
  ok(await api.get(`/alerts/${id}/groups`)).body.groups;

/** The slices for which an alert holds, with its numbers. */
const holding = async (service: Service, id: number): Promise<[object, number][]> =>
  (await groups(service, id))
    .filter((group: object) => !('ended_at' in group))
    .map(({ slice, amount }: Answer['body']) => [slice, amount]);

/** Waits until an alert holds for some values of a field. */
const holds = (service: Service, id: number, members: unknown[], field = 'region') =>
  until(async () => {
    const now = (await holding(service, id)).map(([slice]) => Object(slice)[field]);
    return JSON.stringify(now.map(String).sort()) === JSON.stringify(members.map(String).sort());
  });

const scale = ({ api }: Service, path: string, slice: object, value_incr: number) =>
  api.post(`${path}/scale`, { ...ann, slice, value_incr }).then(ok);

const del = ({ api }: Service, path: string, body: object) =>
  api.send(path, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('What an alert evaluates', () => {
  it('begins and ends to hold for groups, with the amounts of the last evaluation', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path);
    await holds(service, id, ['East']);
    expect(await holding(service, id)).toEqual([[{ region: 'East' }, 1001.5]]);
    const { body } = await scale(service, path, { region: 'South' }, 100);
    await holds(service, id, ['East', 'South']);
    expect(await list(service, path)).toMatchObject([
      { id, name: 'Large regions', owner: 'ann', created_by: 'ann', holding: 2 },
    ]);
    ok(await service.api.del(`/log/${body[0].pf_logid}`));
    await holds(service, id, ['East']);
    const [, ended] = await groups(service, id);
    expect(ended).toMatchObject({ slice: { region: 'South' }, amount: 455.75 });
    expect(ended.ended_at > ended.began_at).toBe(true);
  });

  it('compares exact sums: a number that equals the limit is neither above nor below', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const at = (operator: string, amount: number) =>
      make(service, path, { condition: { operator, amount }, slice: { region: 'North' } });
    const equal = [await at('above', 175.75), await at('below', 175.75)];
    const near = [await at('above', 175.749), await at('below', 175.751)];
    for (const id of near) await holds(service, id, ['North']);
    for (const id of equal) expect(await groups(service, id)).toEqual([]);
    const condition = { operator: 'outside', from: 0, to: 355 };
    const outside = await make(service, path, { condition });
    await holds(service, outside, ['East', 'South']);
  });

  it('groups by months, missing values and several fields, inside of its slice', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const slice = { 'Order Date': { from: '2026-02-01', to: '2026-04-15' } };
    const level = [{ field: 'Order Date', unit: 'quarter' }, { field: 'region' }];
    const id = await make(service, path, {
      ...{ slice, level, condition: { operator: 'above', amount: -1000 } },
    });
    await holds(service, id, ['North', 'South', 'South', null]);
    const first = { from: '2026-02-01', to: '2026-03-31' };
    const second = { from: '2026-04-01', to: '2026-04-15' };
    const found = await holding(service, id);
    expect(found).toHaveLength(4);
    expect(found).toEqual(
      expect.arrayContaining([
        [{ 'Order Date': first, region: 'North' }, 75.75],
        [{ 'Order Date': first, region: 'South' }, 375.75],
        [{ 'Order Date': second, region: 'South' }, -20],
        [{ 'Order Date': second, region: null }, 10],
      ]),
    );
    for (const [selected, amount] of found) {
      const { body } = ok(await service.api.post(`${path}/slice`, { slice: selected }));
      expect(body.value_total, JSON.stringify(selected)).toBe(amount);
    }
    const undated = await make(service, path, {
      level: [{ field: 'Order Date', unit: 'month' }],
      condition: { operator: 'outside', from: 1.5, to: 1e9 },
      measure: 'units',
      slice: { region: 'East' },
    });
    await holds(service, undated, ['null', '[object Object]', '[object Object]'], 'Order Date');
  });

  it('compares the plan with the reference; without a reference there is no percentage', async ({
    service,
    sourceId,
  }) => {
    const versionId = await makeVersion(service, sourceId);
    const path = `/versions/${versionId}`;
    ok(await service.api.post(`${path}/baseline`, ann));
    const raw_where = `region IN ('North', 'East')`;
    ok(await service.api.post(`${path}/reference`, { ...ann, raw_where }));
    await scale(service, path, { region: 'North' }, -10);
    const of = (of: string, operator: string, amount: number) =>
      make(service, path, { of, condition: { operator, amount } });
    const difference = await of('difference', 'below', -9.99);
    await holds(service, difference, ['North']);
    expect(await holding(service, difference)).toEqual([[{ region: 'North' }, -10]]);
    const percent = await of('difference_pct', 'below', -5);
    await holds(service, percent, ['North']);
    const [[, number] = []] = await holding(service, percent);
    expect(number).toBeCloseTo((-10 / 175.75) * 100, 10);
    const any = await of('difference_pct', 'above', -1e9);
    await holds(service, any, ['East', 'North']);
  });

  it('groups by an attribute of a lookup, and says why when it cannot be joined', async ({
    service,
    sourceId,
  }) => {
    await service.query(`CREATE TABLE public.zones (region text, zone text);
      INSERT INTO public.zones VALUES ('North', 'top'), ('South', 'low'), ('East', 'top')`);
    const lookup = ok(
      await service.api.post(`/sources/${sourceId}/lookups`, {
        ...{ ...ann, name: 'Zones', schema: 'public', tname: 'zones' },
        ...{ keys: [{ column: 'region', from: 'region' }] },
        attributes: [{ cname: 'zone', label: 'Zone' }],
      }),
    ).body;
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, {
      ...{ level: [{ field: 'Zone' }], condition: { operator: 'above', amount: 0 } },
    });
    await holds(service, id, ['low', 'top', null], 'Zone');
    await service.query(`INSERT INTO public.zones VALUES ('South', 'twice')`);
    await scale(service, path, { region: 'South' }, -1000);
    const problem = await until(async () => (await list(service, path))[0].problem);
    expect(problem).toContain('several rows for a key');
    expect(await holding(service, id)).toHaveLength(3);
    await service.query(`DELETE FROM public.zones WHERE zone = 'twice'`);
    await scale(service, path, { region: 'South' }, 1);
    await holds(service, id, ['top', null], 'Zone');
    expect((await list(service, path))[0]).not.toHaveProperty('problem');
    ok(await del(service, `/lookups/${lookup.id}`, ann));
    await service.query('DROP TABLE public.zones');
  });
});

describe('When an alert is evaluated', () => {
  it('forgets its groups with another level, and tells only differences of another condition', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path);
    await holds(service, id, ['East']);
    const [before] = await groups(service, id);
    const condition = { operator: 'above', amount: 300 };
    ok(await service.api.patch(`/alerts/${id}`, { ...ann, condition }));
    await holds(service, id, ['East', 'South']);
    const after = await groups(service, id);
    expect(after.find(({ slice }: Answer['body']) => slice.region === 'East')).toEqual(before);
    ok(await service.api.patch(`/alerts/${id}`, { ...ann, level: [] }));
    await until(async () => (await holding(service, id)).length === 1);
    expect(await groups(service, id)).toMatchObject([{ slice: {}, amount: 1554 }]);
  });

  it('has its alerts in a copy, where what holds is listed but not told', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, { asks_for_reason: true });
    await until(async () => (await service.api.get(`${path}/comments`)).body.length === 1);
    const { body } = ok(await service.api.post(`${path}/copy`, { ...ann, name: 'Copied' }));
    const copied = `/versions/${body.id}`;
    const [alert] = await list(service, copied);
    expect(alert).toMatchObject({ ...ABOVE_400, owner: 'ann', asks_for_reason: true });
    expect(alert.id).not.toBe(id);
    await holds(service, alert.id, ['East']);
    expect((await service.api.get(`${copied}/comments`)).body).toEqual([]);
    await scale(service, copied, { region: 'South' }, 100);
    await until(async () => (await service.api.get(`${copied}/comments`)).body.length > 0);
    expect((await service.api.get(`${copied}/comments`)).body).toMatchObject([
      { slice: { region: 'South' } },
    ]);
  });

  it('is deleted with its version', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path);
    await holds(service, id, ['East']);
    ok(await service.api.del(path));
    expect((await service.api.get(`/alerts/${id}/groups`)).status).toBe(404);
    expect(await service.query('SELECT FROM pf.alert_group WHERE alert_id = $1', [id])).toEqual([]);
  });
});

describe('How an alert is told', () => {
  it('by one event when it begins and one when it ends', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path);
    await holds(service, id, ['East']);
    const stream = await openEvents(service.url, path);
    const { body } = await scale(service, path, { region: 'South' }, 100);
    expect(await stream.events(2)).toMatchObject([
      { event: 'written' },
      { event: 'alert', data: { id, began: 1 } },
    ]);
    await scale(service, path, { region: 'South' }, 1);
    ok(await service.api.del(`/log/${body[0].pf_logid}`));
    expect(await stream.events(3)).toMatchObject([
      { event: 'written' },
      { event: 'undone' },
      { event: 'alert', data: { id, ended: 1 } },
    ]);
  });

  it('once for each group, with two servers and writers at the same time', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, {
      level: [{ field: 'sub-category' }, { field: 'region' }],
    });
    await until(async () => (await holding(service, id)).length === 1);
    const other = await startServer({ database: service.database });
    try {
      const stream = await openEvents(service.url, path);
      const slices = [
        { 'sub-category': 'Chairs', region: 'North' },
        { 'sub-category': 'Tables', region: 'North' },
        { 'sub-category': 'Chairs', region: 'South' },
        { 'sub-category': 'Tables', region: 'South' },
      ];
      const servers = [service.api, apiAt(other.url)];
      await Promise.all(
        slices.map(async (slice, i) =>
          ok(await servers[i % 2]!.post(`${path}/scale`, { ...ann, slice, value_incr: 1000 })),
        ),
      );
      await until(async () => (await holding(service, id)).length === 5);
      let began = 0;
      for (let written = 0; written < 4 || began < 4;) {
        const [{ event, data }] = (await stream.events(1)) as [{ event: string; data: object }];
        if (event === 'written') written += 1;
        else began += (data as { began: number }).began;
        expect(data).not.toHaveProperty('ended');
      }
      // Whatever else was told would come before this note.
      const [{ id: logid }] = ok(await service.api.get(`${path}/log`)).body.entries;
      ok(await service.api.patch(`/log/${logid}`, { ...ann, note: 'last' }));
      expect(await stream.events(1)).toMatchObject([{ event: 'note' }]);
      expect(began).toBe(4);
    } finally {
      await other.stop();
    }
  });

  it('by a comment that asks the owner for the reason, until it ends or is answered', async ({
    service,
    sourceId,
  }) => {
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    await make(service, path, {
      ...{ name: 'Margin', owner: 'Bea Fox', asks_for_reason: true, of: 'difference' },
      condition: { operator: 'above', amount: 1000 },
    });
    const threads = async () => ok(await api.get('/comments/mentions?user=bea%20fox')).body;
    await until(async () => (await threads()).length === 1);
    const [thread] = await threads();
    expect(thread).toMatchObject({
      ...{ slice: { region: 'East' }, created_by: 'ann' },
      text: '@"Bea Fox" Alert “Margin”: a difference of 1,001.5 is above 1,000. What is the reason?',
    });
    const less = await scale(service, path, { region: 'East' }, -100);
    await until(async () => (await threads()).length === 0);
    expect((await api.get(`${path}/comments`)).body).toMatchObject([{ resolved_by: 'ann' }]);
    ok(await api.del(`/log/${less.body[0].pf_logid}`));
    await until(async () => (await threads()).length === 1);
    const [again] = await threads();
    expect(again.id).not.toBe(thread.id);
    const reply = { pf_user: 'Bea Fox', parent: again.id, text: 'A large order.' };
    ok(await api.post(`${path}/comments`, reply));
    await scale(service, path, { region: 'East' }, -100);
    const [{ id }] = await list(service, path);
    await until(async () => (await holding(service, id)).length === 0);
    expect(await threads()).toMatchObject([{ id: again.id }]);
  });

  it('on the home page of its owner', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const id = await make(service, path, { owner: 'bea' });
    const own = async () => ok(await service.api.get('/alerts/own?user=bea')).body;
    await until(async () => (await own()).length === 1);
    expect(await own()).toMatchObject([
      {
        id,
        version_id: versionId,
        source_id: sourceId,
        source_label: 'orders',
        holding: 1,
        ended: 0,
      },
    ]);
    await scale(service, path, { region: 'East' }, -1000);
    await until(async () => (await own())[0].ended === 1);
    expect((await own())[0].holding).toBe(0);
    const others = ok(await service.api.get('/alerts/own?user=ann')).body;
    expect(others.filter((alert: Answer['body']) => alert.id === id)).toEqual([]);
    expect((await service.api.get('/alerts/own')).status).toBe(400);
  });
});

describe('Who changes alerts', () => {
  it('who made it and its owner, nobody else', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path, { owner: 'bea' });
    const patch = (pf_user: string) => service.api.patch(`/alerts/${id}`, { pf_user, name: 'New' });
    expect((await patch('cem')).body.error).toBe(
      `Only ann, bea or an admin may change alert ${id}`,
    );
    expect(ok(await patch('bea')).body.name).toBe('New');
    expect((await del(service, `/alerts/${id}`, { pf_user: 'cem' })).status).toBe(403);
    expect((await del(service, `/alerts/${id}`, { pf_user: 'bea' })).status).toBe(204);
    expect((await patch('bea')).status).toBe(404);
  });
});

describe('POST /versions/:id/alerts', () => {
  it.for([
    [{ level: [{ field: 'Order Date' }] }, 'level.0.Order Date', 'needs a unit, such as month'],
    [{ level: [{ field: 'region', unit: 'month' }] }, 'level.0.region', 'is not a date'],
    [{ level: [{ field: 'amount' }] }, 'level.0.amount', 'is not a dimension'],
    [{ level: [{ field: 'region' }, { field: 'region' }] }, 'level', 'names a field twice'],
    [{ measure: 'margin' }, 'measure', 'has no measure "margin"'],
    [{ condition: { operator: 'outside', from: 2, to: 1 } }, 'condition.to', 'not be below from'],
    [{ condition: { operator: 'near', amount: 1 } }, 'condition.operator', 'Invalid type'],
    [{ slice: { amount: 1 } }, 'slice', 'is not a dimension or date column'],
    [{ of: 'share' }, 'of', 'Invalid type'],
  ] as const)('refuses %j', async ([more, field, words], { service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const { status, body } = await service.api.post(`${path}/alerts`, {
      ...{ ...ann, ...ABOVE_400, ...more },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ field, error: expect.stringContaining(words) });
    expect(await list(service, path)).toEqual([]);
  });

  it('accepts 50 alerts of a version, also of a closed one', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.patch(path, { ...ann, status: 'closed' }));
    for (let i = 0; i < 50; i += 1) await make(service, path, { slice: { region: `${i}` } });
    const { status, body } = await service.api.post(`${path}/alerts`, { ...ann, ...ABOVE_400 });
    expect([status, body.error]).toEqual([409, 'The version may have no more alerts; delete one']);
  });
});
