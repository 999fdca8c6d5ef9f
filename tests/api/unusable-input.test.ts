import { describe, expect } from 'vitest';
import type { Service } from '../support/service';
import { decode, it, makePlan, makeSource, makeVersion, ok, refused } from './contract/orders';

let path: string;
const user = { pf_user: 'ann' };

it.beforeAll(async ({ service, sourceId }) => {
  ({ path } = await makePlan(service, sourceId));
});

describe('conditions that the grammar accepts and PostgreSQL cannot run', () => {
  it.for([
    ['region = ANY (ARRAY[])', /type of empty array/],
    ["(region, channel) = ('a', 'b', 'c')", /not of one length/],
    ["(region, channel) IN (('a', 'b'), ('c', 'd', 'e'))", /not of one length/],
    ["(region, channel) IS DISTINCT FROM ('a', 'b', 'c')", /not of one length/],
    ['ROW() = ROW()', /zero length/],
    ['region = ANY (channel)', /requires array/],
    ['extract(hour from "Order Date") = 3', /hour/],
    ["date_bin('1 month', shipped, now()) = now()", /months/],
    ['region = chr(0)', /character/],
    ['region = chr(99999999)', /character/],
  ] as const)('%s', async ([where_clause, reason], { service }) => {
    await refused(
      service,
      () => service.api.post(`${path}/baseline/preview`, { where_clause }),
      400,
      reason,
    );
    await refused(
      service,
      () => service.api.post(`${path}/baseline`, { where_clause, ...user }),
      400,
      reason,
    );
  });
});

describe('the character U+0000 in an address', () => {
  it.for([
    ['a schema', () => '/tables/pub%00lic/orders', /schema/],
    ['a table', () => '/tables/public/ord%00ers', /tname/],
    ['a column', (sourceId: number) => `/sources/${sourceId}/values?cname=re%00gion`, /cname/],
    [
      'a search',
      (sourceId: number) => `/sources/${sourceId}/values?cname=region&search=%00`,
      /search/,
    ],
  ] as const)('in %s', async ([, target, reason], { service, sourceId }) => {
    await refused(service, () => service.api.get(target(sourceId)), 400, reason);
  });
});

it('refuses an invalid offset even if the source has no date to shift', async ({ service }) => {
  await service.query("CREATE TABLE public.undated AS SELECT 'a'::text AS k, 1::int AS n");
  const id = await makeSource(service, 'undated', [
    { cname: 'k', role: 'dimension' },
    { cname: 'n', role: 'units' },
  ]);
  const load = `/versions/${await makeVersion(service, id)}/baseline`;
  await refused(
    service,
    () => service.api.post(load, { date_offset: 'soon', ...user }),
    400,
    /interval/,
  );
  ok(await service.api.post(load, { date_offset: '1 year', ...user }));
});

describe('amounts beyond a double, in a numeric column', () => {
  let huge: string;
  const data = async (service: Service) =>
    decode(ok(await service.api.get(`${huge}/data`)).bytes).rows.length;

  it.beforeAll(async ({ service }) => {
    await service.query('CREATE TABLE public.huge (k text, v numeric)');
    await service.query("INSERT INTO public.huge VALUES ('a', 500), ('b', 1e308), ('c', 1e309)");
    const id = await makeSource(service, 'huge', [
      { cname: 'k', role: 'dimension' },
      { cname: 'v', role: 'value' },
    ]);
    huge = `/versions/${await makeVersion(service, id)}`;
  });

  it('are not loaded', async ({ service }) => {
    await refused(service, () => service.api.post(`${huge}/baseline`, user), 422, /"v"/);
    ok(await service.api.post(`${huge}/baseline`, { where_clause: "k <> 'c'", ...user }));
    expect(await data(service)).toBe(2);
  });

  it('are not written by an operation', async ({ service }) => {
    const slice = { k: 'b' };
    await refused(
      service,
      () => service.api.post(`${huge}/scale`, { slice, pct: 1000, ...user }),
      422,
      /"v"/,
    );
    await refused(
      service,
      () => service.api.post(`${huge}/clone`, { slice, set: {}, scale_factor: -10, ...user }),
      422,
      /"v"/,
    );
    expect(await data(service)).toBe(2);
  });
});

it('names the skipped slice keys up to the length of a header', async ({ service }) => {
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`ключ ${i}`, 1]));
  const { headers } = ok(
    await service.api.post(`${path}/scale`, {
      slice: { ...unknown, region: 'North' },
      pct: 1,
      ...user,
    }),
  );
  const named = headers.get('x-slice-skipped')!.split(',').map(decodeURIComponent);
  expect(named.length).toBeGreaterThan(50);
  expect(named).toEqual(Object.keys(unknown).slice(0, named.length));
});
