// Tests docs/contract/25-alerts.md.
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import { apiAt, type Answer } from '../../support/http';
import { openEvents } from '../../support/events';
import { until } from '../../support/race';
import type { Service } from '../../support/service';
import { it, makePlan, ok } from './orders';

const ann = { pf_user: 'ann' };
const BY_REGION = { measure: 'value', of: 'amount', level: [{ field: 'region' }], slice: {} };
const ABOVE_400 = { ...BY_REGION, condition: { operator: 'above', amount: 400 } };

async function make({ api }: Service, path: string, more: object = {}): Promise<number> {
  const body = { ...ann, name: 'Large regions', ...ABOVE_400, ...more };
  return ok(await api.post(`${path}/alerts`, body)).body.id;
}

const list = async ({ api }: Service, path: string): Promise<Answer['body']> =>
  ok(await api.get(`${path}/alerts`)).body;

const groups = async ({ api }: Service, id: number): Promise<Answer['body']> =>
  ok(await api.get(`/alerts/${id}/groups`)).body.groups;

/** Waits until an alert holds for some regions. */
const holds = (service: Service, id: number, regions: (string | null)[]) =>
  until(async () => {
    const holding = (await groups(service, id)).filter((group: object) => !('ended_at' in group));
    const names = holding.map(({ slice }: Answer['body']) => slice.region).sort();
    return JSON.stringify(names) === JSON.stringify(regions.toSorted());
  });

const scale = ({ api }: Service, path: string, slice: object, value_incr: number) =>
  api.post(`${path}/scale`, { ...ann, slice, value_incr }).then(ok);

const del = ({ api }: Service, path: string, body: object) =>
  api.send(path, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('An alert', () => {
  it('begins and ends to hold for groups, with the amounts of the last evaluation', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const id = await make(service, path);
    await holds(service, id, ['East']);
    expect(await groups(service, id)).toMatchObject([
      { slice: { region: 'East' }, amount: 1001.5 },
    ]);
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

  it('is told once when it begins and once when it ends', async ({ service, sourceId }) => {
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
    const events = await stream.events(3);
    expect(events).toMatchObject([
      { event: 'written' },
      { event: 'undone' },
      { event: 'alert', data: { id, ended: 1 } },
    ]);
  });
});
