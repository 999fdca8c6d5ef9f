import { expect } from 'vitest';
import { it } from '../support/api';
import type { Service } from '../support/service';

let source: { id: number };
let version: string;
let versions = 0;

it.beforeAll(async ({ service }) => {
  const { api, query } = service;
  await query(`CREATE TABLE public.odd (
      name text, width numeric, weight double precision, code bigint, day date, amount numeric
    );
    INSERT INTO public.odd VALUES
      ('plain', 1, 1, 1, '2026-01-01', 1),
      ('separator' || chr(31), 1, 1, 1, '2026-01-01', 1),
      ('sentinel' || chr(30), 1, 1, 1, '2026-01-01', 1),
      ('numeric NaN', 'NaN', 1, 1, '2026-01-01', 1),
      ('double infinity', 1, '-Infinity', 1, '2026-01-01', 1),
      ('wide numeric', 9007199254740993, 1, 1, '2026-01-01', 1),
      ('wide integer', 1, 1, -9007199254740993, '2026-01-01', 1),
      ('endless', 1, 1, 1, 'infinity', 1),
      ('poison', 1, 1, 1, '2026-01-01', 'NaN')`);
  source = (await api.post('/sources', { schema: 'public', tname: 'odd' })).body;
  const roles = {
    name: 'dimension',
    width: 'dimension',
    weight: 'dimension',
    code: 'dimension',
    day: 'date',
    amount: 'value',
  };
  await api.put(
    `/sources/${source.id}/columns`,
    Object.entries(roles).map(([cname, role]) => ({ cname, role })),
  );
  await api.post(`/sources/${source.id}/sql`);
});

it.beforeEach(async ({ service: { api } }) => {
  const name = `Plan ${(versions += 1)}`;
  const { body: created } = await api.post(`/sources/${source.id}/versions`, { name });
  version = `/versions/${created.id}`;
});

const load = (service: Service, name: string) =>
  service.api.post(`${version}/baseline`, {
    filters: [[{ cname: 'name', op: 'like', value: `${name}%` }]],
    pf_user: 'ann',
  });

it.for([
  ['separator', '"name"'],
  ['sentinel', '"name"'],
  ['numeric NaN', '"width"'],
  ['double infinity', '"weight"'],
  ['wide numeric', '"width"'],
  ['wide integer', '"code"'],
  ['endless', '"day"'],
  ['poison', '"amount"'],
] as const)(
  'a load of %s is refused, naming %s, without a trace',
  async ([name, column], { service }) => {
    const answer = await load(service, name);
    expect(answer.status).toBe(422);
    expect(answer.body.error).toContain(column);
    const { body: log } = await service.api.get(`${version}/log`);
    expect(log.entries).toEqual([]);
    expect((await service.api.get(`${version}/data`)).bytes).toHaveLength(0);
  },
);

it('a load of ordinary rows succeeds', async ({ service }) => {
  expect((await load(service, 'plain')).body).toMatchObject({ row_count: 1 });
});
