// Tests docs/contract/11-endpoints.md.
import { describe, expect } from 'vitest';

import { it, makePlan, makeVersion, ok, refused } from './orders';

const user = { pf_user: 'ann' };

describe('GET and POST /sources/:id/versions', () => {
  it('creates the forecast table with the version, and lists it with its size', async ({
    service,
    sourceId,
  }) => {
    const post = (body: object) => service.api.post(`/sources/${sourceId}/versions`, body);
    const made = await post({ name: 'Full', description: 'all of it', exclude_iters: [], ...user });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        name: 'Full',
        description: 'all of it',
        exclude_iters: [],
        created_by: 'ann',
      }),
    ]);
    expect(
      await service.query(`SELECT to_regclass('pf.fc_orders_${made.body.id}') IS NOT NULL AS made`),
    ).toEqual([{ made: true }]);
    ok(await service.api.post(`/versions/${made.body.id}/baseline`, user));
    const listed = (await service.api.get(`/sources/${sourceId}/versions`)).body.find(
      (v: { id: number }) => v.id === made.body.id,
    );
    expect(listed).toEqual({
      ...made.body,
      row_count: 12,
      last_change: expect.any(String),
      last_user: 'ann',
      last_load: listed.last_change,
    });

    for (const body of [
      {},
      { name: '' },
      { name: 5 },
      { name: 'x', exclude_iters: 'reference' },
      { name: 'x', exclude_iters: ['other'] },
      { name: 'x', exclude_iters: [5] },
      { name: 'x', pf_user: '' },
      { name: 'x'.repeat(201) },
    ]) {
      await refused(service, () => post(body), 400);
    }
    await refused(service, () => post({ name: 'Full' }), 409);
  });

  it('refuses a source without generated SQL', async ({ service }) => {
    const { id } = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'superstore' }),
    ).body;
    await refused(
      service,
      () => service.api.post(`/sources/${id}/versions`, { name: 'x' }),
      409,
      /SQL/,
    );
  });
});

describe('GET, PATCH and DELETE /versions/:id', () => {
  it('edits name, description and excluded origins', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const before = (await service.api.get(path)).body;
    const patched = await service.api.patch(path, {
      name: 'Renamed',
      description: 'd',
      exclude_iters: ['scale', 'reference'],
    });
    expect([patched.status, patched.body]).toEqual([
      200,
      { ...before, name: 'Renamed', description: 'd', exclude_iters: ['scale', 'reference'] },
    ]);
    expect((await service.api.patch(path, { description: null })).body).toEqual({
      ...patched.body,
      description: null,
    });
    await makeVersion(service, sourceId, { name: 'Taken' });
    await refused(service, () => service.api.patch(path, { name: 'Taken' }), 409, /Taken/);
    expect((await service.api.patch(path, { name: 'Renamed' })).status).toBe(200);
    for (const body of [
      { name: '' },
      { name: null },
      { exclude_iters: null },
      { exclude_iters: ['x'] },
      { exclude_iters: {} },
    ]) {
      await refused(service, () => service.api.patch(path, body), 400);
    }
  });

  it('drops table, log and version together', async ({ service, sourceId }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const gone = await service.api.del(path);
    expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
    expect(await service.query(`SELECT to_regclass('pf.fc_orders_${versionId}') AS t`)).toEqual([
      { t: null },
    ]);
    expect(await service.query('SELECT FROM pf.log WHERE version_id = $1', [versionId])).toEqual(
      [],
    );
    await refused(service, () => service.api.get(path), 404);
  });
});

describe('Further endpoints', () => {
  it('POST /versions/:id/baseline/preview previews a load and writes nothing', async ({
    service,
    sourceId,
  }) => {
    const path = `/versions/${await makeVersion(service, sourceId)}`;
    const preview = (body: object) => service.api.post(`${path}/baseline/preview`, body);
    expect((await preview({ raw_where: `region = 'South'`, date_offset: '1 year' })).body).toEqual({
      row_count: 3,
      value_total: 355.75,
      units_total: 35,
      where_clause: `region = 'South'`,
      spans: [
        {
          cname: 'Order Date',
          min: '2026-03-15',
          max: '2026-04-01',
          shifted_min: '2027-03-15',
          shifted_max: '2027-04-01',
        },
      ],
    });
    expect((await preview({ raw_where: 'FALSE' })).body).toMatchObject({
      row_count: 0,
      value_total: 0,
    });
    await refused(service, () => preview({ date_offset: 'x' }), 400);
    await refused(service, () => preview({ raw_where: '1; DROP TABLE pf.log' }), 400);
  });

  it('GET /versions/:id/segments lists loads with their spans, oldest first', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/reference`, { ...user, raw_where: `region = 'South'` }));
    ok(await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 1 }));
    const { body } = await service.api.get(`${path}/segments`);
    expect(body).toMatchObject([
      {
        id: baseline,
        operation: 'baseline',
        row_count: 12,
        spans: [{ cname: 'Order Date', min: '2026-01-31', max: '2026-12-31' }],
      },
      {
        operation: 'reference',
        row_count: 3,
        value_total: 355.75,
        spans: [{ cname: 'Order Date', min: '2026-03-15', max: '2026-04-01' }],
      },
    ]);
    expect(body).toHaveLength(2);
  });

  it('POST /versions/:id/slice returns rows and totals of a slice', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/reference`, { ...user, raw_where: `region = 'North'` }));
    expect(
      (await service.api.post(`${path}/slice`, { slice: { region: 'North', typo: 1 } })).body,
    ).toEqual({
      row_count: 3,
      value_total: 175.75,
      units_total: 17,
      value_decimals: 2,
      units_decimals: 0,
      held: { row_count: 0, value_total: 0, units_total: 0 },
      free: {
        row_count: 3,
        value_total: 175.75,
        units_total: 17,
        value_decimals: 2,
        units_decimals: 0,
        value_gross: null,
        units_gross: null,
      },
      excluded: { row_count: 3, value_total: 175.75, units_total: 17 },
      skipped: ['typo'],
    });
  });

  it('GET /sources/:id/values lists distinct values of a column', async ({ service, sourceId }) => {
    const values = (query: string) => service.api.get(`/sources/${sourceId}/values?${query}`);
    expect((await values('cname=region')).body).toEqual({
      values: [
        { value: 'East', row_count: 4 },
        { value: 'North', row_count: 3 },
        { value: 'South', row_count: 3 },
        { value: '', row_count: 1 },
        { value: null, row_count: 1 },
      ],
      more: false,
    });
    expect((await values('cname=region&limit=2')).body).toMatchObject({ more: true });
    expect((await values('cname=region&search=OUT')).body.values).toEqual([
      { value: 'South', row_count: 3 },
    ]);
    expect((await values('cname=region&search=%25')).body.values).toEqual([]);
    await refused(service, () => values('cname=nowhere'), 404);
    await refused(service, () => values('cname=secret'), 400);
    await refused(service, () => values('x=1'), 400, /cname/);
  });

  it('GET /sources/:id/values finds a text in any case and any Unicode form', async ({
    service,
  }) => {
    await service.query(
      `CREATE TABLE public.places AS SELECT unnest(ARRAY[
         'İstanbul', 'Café', 'Cafe' || U&'\\0301', 'Cafe', '50 % [a]', 'ÖREBRO']) AS place`,
    );
    const { id } = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'places' }),
    ).body;
    ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'place', role: 'dimension' }]));
    const found = async (search: string) => {
      const query = `cname=place&search=${encodeURIComponent(search)}`;
      const { values } = ok(await service.api.get(`/sources/${id}/values?${query}`)).body;
      return values.map(({ value }: { value: string }) => value);
    };
    expect(await found('istanbul')).toEqual(['İstanbul']);
    expect(await found('örebro')).toEqual(['ÖREBRO']);
    const both = ['Café'.normalize('NFD'), 'Café'];
    expect(await found('CAFÉ')).toEqual(both);
    expect(await found('café'.normalize('NFD'))).toEqual(both);
    expect(await found('fe')).toEqual(['Cafe']);
    expect(await found('% [A')).toEqual(['50 % [a]']);
  });

  it('POST /sources/:id/grain-estimate counts the rows of a grain', async ({
    service,
    sourceId,
  }) => {
    const estimate = (columns: unknown) =>
      service.api.post(`/sources/${sourceId}/grain-estimate`, { columns });
    expect((await estimate(['region'])).body).toEqual({ row_count: 12, grain_rows: 5 });
    expect((await estimate(['region', 'a"b'])).body).toEqual({ row_count: 12, grain_rows: 6 });
    await refused(service, () => estimate([]), 400);
    await refused(service, () => estimate(['nowhere']), 400, /nowhere/);
  });

  it('GET /sources/:id/sql/preview returns the result of a generation', async ({
    service,
    sourceId,
  }) => {
    const { body } = await service.api.get(`/sources/${sourceId}/sql/preview`);
    const stored = (await service.api.get(`/sources/${sourceId}/sql`)).body;
    expect(body).toEqual(
      stored.map(({ operation, sql }: { operation: string; sql: string }) => ({ operation, sql })),
    );
  });
});
