import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { version } from '../support/small-version';

describe('what a slice has to offer', () => {
  it('refuses a slice without rows, and one with excluded rows only, each in its own words', async ({
    service,
  }) => {
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
  it('is refused, since leaving it out would take in the whole version', async ({ service }) => {
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
