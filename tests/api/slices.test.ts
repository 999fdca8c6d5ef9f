import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { plan } from '../support/planned';
import { version } from '../support/small-version';

describe('an empty slice', () => {
  it('has different errors without rows and with excluded rows only', async ({ service }) => {
    const { path, refused, does } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    const reference = await service.api.post(`${path}/reference`, {
      pf_user: 'ann',
      filters: [[{ cname: 'Region', op: '=', value: 'A' }]],
      date_offset: '1 year',
    });
    expect(reference.status).toBe(200);
    for (const [operation, body] of [
      ['scale', { pct: 10 }],
      ['recode', { set: { Region: 'Z' } }],
      ['clone', { set: { Region: 'Z' } }],
    ] as const) {
      expect(await refused(operation, { ...body, slice: { Region: 'nobody' } })).toMatch(/no row/);
    }
    await service.api.patch(path, { exclude_iters: ['baseline', 'reference'] });
    expect(await refused('scale', { pct: 10 })).toMatch(/excluded/);
    await service.api.patch(path, { exclude_iters: ['baseline'] });
    expect(await does('scale', { pct: 100 })).toEqual([['A', 1, 1]]);
  });
});

describe('a slice by a column that lost its role since the SQL was generated', () => {
  it('is refused, because ignoring it would select the whole version', async ({ service }) => {
    const { sourceId, refused, does } = await version(service, 'numeric(12,2)', [
      ['A', 1, 1],
      ['B', 1, 1],
    ]);
    const role = (role: string) =>
      service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'Region', role }]);
    await role('ignore');
    expect(await refused('scale', { slice: { Region: 'A' }, pct: 100 }, 409)).toMatch(/"Region"/);
    await role('dimension');
    expect(await does('scale', { slice: { Region: 'A' }, pct: 100 })).toEqual([['A', 1, 1]]);
  });
});

describe('a slice by a range of dates', () => {
  it('selects its days for every operation, and no row without a date', async ({ service }) => {
    const planned = await plan(
      service,
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Order Date', type: 'date', role: 'date' },
        { name: 'Shipped', type: 'timestamptz', role: 'date' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      [
        { Region: 'A', 'Order Date': '2027-01-01', Shipped: '2027-01-01 23:30:00+00', Sales: 1 },
        { Region: 'B', 'Order Date': '2027-03-31', Shipped: '2027-12-31 23:30:00+00', Sales: 10 },
        { Region: 'C', 'Order Date': '2027-04-01', Shipped: '2027-04-01 00:00:00+00', Sales: 100 },
        { Region: 'D', 'Order Date': '2027-02-01', Shipped: '2028-01-01 00:00:00+00', Sales: 500 },
        { Region: 'E', 'Order Date': null, Shipped: null, Sales: 1000 },
      ],
    );
    const { path } = planned;
    await service.api.post(`${path}/baseline`, { pf_user: 'ann' });
    const quarter = { from: '2027-01-01', to: '2027-03-31' };
    const slice = { 'Order Date': quarter, Shipped: { to: '2027-12-31' } };
    const { body: preview } = await service.api.post(`${path}/slice`, { slice });
    expect([preview.row_count, preview.value_total]).toEqual([2, 11]);

    for (const [operation, more, amounts] of [
      ['scale', { pct: 100 }, [1, 10]],
      ['recode', { set: { Region: 'Z' } }, [-2, -20, 2, 20]],
      ['clone', { set: { 'Order Date': '2028-01-01' } }, [2, 20]],
    ] as const) {
      const answer = await service.api.post(`${path}/${operation}`, {
        slice,
        pf_user: 'ann',
        ...more,
      });
      expect(answer.body.map((row: { Sales: number }) => row.Sales)).toEqual(amounts);
      const [entry] = (await service.api.get(`${path}/log`)).body.entries;
      expect(entry.slice).toEqual(slice);
    }
  });

  it('can begin and end on very distant days', async ({ service }) => {
    const { path } = await version(service, 'numeric(12,2)', [['A', 1, 1]]);
    const rows = async (from: string, to: string) =>
      (await service.api.post(`${path}/slice`, { slice: { 'Order Date': { from, to } } })).status;
    expect(await rows('9999-12-31', '10000-01-01')).toBe(200);
    expect(await rows('10000-01-01', '9999-12-31')).toBe(400);
  });
});
