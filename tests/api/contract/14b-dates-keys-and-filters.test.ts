// Tests docs/contract/14-what-the-operations-compute.md.
import { describe, expect } from 'vitest';

import type { Service } from '../../support/service';
import {
  it,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
} from './orders';

const user = { pf_user: 'ann' };

describe('Dates and their groups', () => {
  it('derives the period again if a set changes the date', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const post = (operation: string, set: object) =>
      service.api.post(`${path}/${operation}`, { ...user, slice: { region: 'North' }, set });
    const years = (answer: { body: Record<string, unknown>[] }) =>
      [...new Set(answer.body.map((r) => `${r['Order Date']} ${r['Order Year']}`))].at(-1);
    expect(years(ok(await post('clone', { 'Order Date': '2030-07-01' })))).toBe('2030-07-01 2030');
    expect(years(ok(await post('clone', { 'Order Date': '2030-07-01', 'Order Year': 2030 })))).toBe(
      '2030-07-01 2030',
    );
    // Outside the calendar, the period is empty.
    expect(years(ok(await post('clone', { 'Order Date': '2040-01-01' })))).toBe('2040-01-01 null');
    expect(years(ok(await post('recode', { 'Order Date': null })))).toBe('null null');
    await refused(
      service,
      () => post('clone', { 'Order Date': '2030-07-01', 'Order Year': 2031 }),
      400,
      /Order Year/,
    );
    await refused(service, () => post('clone', { 'Order Year': 2031 }), 400, /Order Date/);
  });

  it('refuses a date whose group has dimensions that the set does not name', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.grouped'));
    const id = await makeSource(
      service,
      'grouped',
      ORDER_COLUMNS.map((c) => (c.cname === 'Order Year' ? { ...c, dim_period_col: null } : c)),
    );
    const { path } = await makePlan(service, id);
    const post = (set: object) =>
      service.api.post(`${path}/recode`, { ...user, slice: { region: 'North' }, set });
    await refused(service, () => post({ 'Order Date': '2027-01-01' }), 400, /Order Year/);
    expect((await post({ 'Order Date': '2027-01-01', 'Order Year': 2027 })).status).toBe(200);
    expect((await post({ region: 'West' })).status).toBe(200);
  });
});

describe('is_key', () => {
  it('refuses a slice by an unmarked dimension if any is marked; dates are always allowed', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.keyed'));
    const id = await makeSource(
      service,
      'keyed',
      ORDER_COLUMNS.map((c) => ({ ...c, is_key: c.cname === 'region' })),
    );
    const { path } = await makePlan(service, id);
    const scale = (slice: object) => service.api.post(`${path}/scale`, { ...user, slice, pct: 10 });
    await refused(
      service,
      () => scale({ region: 'North', 'sub-category': 'Chairs' }),
      400,
      /sub-category/,
    );
    expect(
      (await scale({ region: 'North', 'Order Date': '2026-01-31', pf_iter: 'x' })).status,
    ).toBe(200);
    expect((await scale({})).status).toBe(200);
    // A set may still name every dimension.
    const recode = await service.api.post(`${path}/recode`, {
      ...user,
      slice: { region: 'North' },
      set: { 'sub-category': 'New' },
    });
    expect(recode.status).toBe(200);
  });
});

describe('Filters', () => {
  const rows = async (service: Service, path: string, filters: unknown) =>
    (await service.api.post(`${path}/baseline/preview`, { filters })).body.row_count;

  it.for<[string, unknown, number]>([
    ['= text', [[{ cname: 'region', op: '=', value: 'North' }]], 3],
    ['= empty text', [[{ cname: 'region', op: '=', value: '' }]], 1],
    ['<>', [[{ cname: 'region', op: '<>', value: 'North' }]], 8],
    ['< number', [[{ cname: 'amount', op: '<', value: 10 }]], 4],
    ['<= number', [[{ cname: 'amount', op: '<=', value: 10 }]], 5],
    ['> number as text', [[{ cname: 'amount', op: '>', value: '99.99' }]], 3],
    ['>= date', [[{ cname: 'Order Date', op: '>=', value: '2026-06-30' }]], 2],
    ['in', [[{ cname: 'sub-category', op: 'in', value: ['Chairs', 'Lamps'] }]], 7],
    ['not in', [[{ cname: 'region', op: 'not in', value: ['North', 'South'] }]], 5],
    [
      'between dates',
      [[{ cname: 'Order Date', op: 'between', value: ['2026-02-28', '2026-03-31'] }]],
      4,
    ],
    ['between numbers', [[{ cname: 'pieces', op: 'between', value: [1, 7] }]], 7],
    ['like', [[{ cname: 'region', op: 'like', value: '%o%th' }]], 6],
    ['like on a number', [[{ cname: 'pieces', op: 'like', value: '1%' }]], 5],
    ['is null', [[{ cname: 'region', op: 'is null' }]], 1],
    ['is not null', [[{ cname: 'region', op: 'is not null', value: null }]], 11],
    ['a filter column', [[{ cname: 'channel', op: '=', value: 'web' }]], 7],
    ['a timestamp', [[{ cname: 'shipped', op: '<', value: '2026-02-01T00:00:00Z' }]], 1],
    ['a number past the type', [[{ cname: 'pieces', op: '<', value: 100000 }]], 12],
    [
      'and within a group',
      [
        [
          { cname: 'region', op: '=', value: 'North' },
          { cname: 'select', op: '=', value: 'x' },
        ],
      ],
      2,
    ],
    [
      'or between groups',
      [
        [{ cname: 'region', op: '=', value: 'North' }],
        [
          { cname: 'region', op: 'is null' },
          { cname: 'pieces', op: '>', value: 0 },
        ],
      ],
      4,
    ],
    ['no groups: all rows', [], 12],
    ['quotes in a value', [[{ cname: 'region', op: '=', value: `' OR TRUE --` }]], 0],
  ])('%s', async ([, filters, count], { service, sourceId }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    expect(await rows(service, path, filters)).toBe(count);
  });

  it('refuses invalid filters, and names the place', async ({ service, sourceId }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    const load = (filters: unknown) => () =>
      service.api.post(`${path}/baseline`, { ...user, filters });
    const condition = (cname: string, op: string, value?: unknown) =>
      load([
        [
          { cname: 'region', op: '=', value: 'x' },
          { cname, op, value },
        ],
      ]);
    await refused(service, load([[{ cname: 'region', op: '=', value: 'x' }], []]), 400, /group 2/);
    await refused(service, condition('nowhere', '=', 1), 400, /condition 2.*nowhere/);
    await refused(service, condition('secret', '=', 's'), 400, /secret/);
    await refused(service, condition('region', '~', 'x'), 400, /op/);
    await refused(service, condition('region', 'IN', ['x']), 400, /op/);
    await refused(service, condition('region', '=', null), 400, /is null/);
    await refused(service, condition('region', '=', ['x']), 400);
    await refused(service, condition('region', '='), 400);
    await refused(service, condition('region', 'in', []), 400);
    await refused(service, condition('region', 'in', 'x'), 400);
    await refused(service, condition('region', 'in', ['x', null]), 400, /null/);
    await refused(service, condition('region', 'between', ['a']), 400);
    await refused(service, condition('region', 'between', ['a', 'b', 'c']), 400);
    await refused(service, condition('region', 'between', ['a', null]), 400);
    await refused(service, condition('region', 'is null', 'x'), 400);
    await refused(service, condition('amount', '>', 'much'), 400, /much/);
    await refused(service, condition('pieces', '=', 1.5), 400, /1\.5/);
    await refused(service, condition('Order Date', '=', '1.1.2026'), 400, /1\.1\.2026/);
    await refused(service, condition('Order Date', '=', 'yesterday'), 400, /yesterday/);
    await refused(service, condition('shipped', '=', 'no time'), 400, /no time/);
    await refused(service, condition('region', '=', { a: 1 }), 400);
    await refused(service, load([{ cname: 'region', op: '=', value: 'x' }]), 400);
    await refused(service, load('region'), 400);
  });
});
