// Tests docs/contract/04-data-loading.md.
import { describe, expect } from 'vitest';
import {
  decode,
  GRAIN_COLUMNS,
  it as base,
  makePlan,
  makeVersion,
  ok,
  ORDER_COLUMNS,
} from './orders';

const it = base.extend('columns', { scope: 'file' }, GRAIN_COLUMNS);

describe('GET /tables', () => {
  it('lists tables with the same name in several schemas once each', async ({
    service,
    sourceId,
  }) => {
    await service.query(`
      CREATE SCHEMA north; CREATE TABLE north.orders (a int);
      CREATE SCHEMA south; CREATE VIEW south.orders AS SELECT 1 AS a;
      CREATE MATERIALIZED VIEW south.summed AS SELECT 1 AS a;
      CREATE TABLE south.parts (a int) PARTITION BY LIST (a);
      CREATE TABLE south.parts_1 PARTITION OF south.parts FOR VALUES IN (1);
      CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing;
      CREATE FOREIGN TABLE south.far (a int) SERVER elsewhere;
      ANALYZE public.orders`);
    const { body } = await service.api.get('/tables');
    expect(body.map((t: { schema: string; tname: string }) => `${t.schema}.${t.tname}`)).toEqual([
      'north.orders',
      'public.orders',
      'public.superstore',
      'south.far',
      'south.orders',
      'south.parts',
      'south.parts_1',
      'south.summed',
    ]);
    expect(body.map((t: { kind: string }) => t.kind)).toEqual([
      'table',
      'table',
      'table',
      'foreign table',
      'view',
      'partitioned table',
      'table',
      'materialized view',
    ]);
    expect(body[1]).toEqual({
      schema: 'public',
      tname: 'orders',
      kind: 'table',
      row_estimate: 12,
      source_id: sourceId,
    });
    expect(body[0].source_id).toBeNull();
  });
});

describe('GET /versions/:id/data', () => {
  it('returns every row completely, as one record batch with its headers', async ({
    service,
    sourceId,
  }) => {
    const { path, table, baseline } = await makePlan(service, sourceId);
    ok(await service.api.patch(`/log/${baseline}`, { note: `it's "{{logid}}" $& \\ ; é 😀` }));
    ok(await service.api.post(`${path}/scale`, { slice: {}, pct: 10, pf_user: 'ann' }));
    const answer = await service.api.get(`${path}/data`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
    expect(answer.headers.get('content-length')).toBe(String(answer.bytes.byteLength));

    const { batches, fields, rows } = decode(answer.bytes);
    expect(batches).toBe(1);
    expect(answer.headers.get('x-row-count')).toBe(String(rows.length));
    expect(Object.keys(fields)).toEqual([
      ...[
        'Order Date',
        'Order Year',
        'region',
        'sub-category',
        'select',
        'a"b',
        'amount',
        'pieces',
      ],
      ...['pf_id', 'pf_iter', 'pf_logid', 'pf_created_at', 'pf_note', 'pf_op'],
    ]);
    const expected = await service.query(
      `SELECT f.*, l.note AS pf_note, l.operation AS pf_op, amount::float8 AS amount,
         extract(epoch FROM "Order Date") * 1000 AS "Order Date",
         extract(epoch FROM pf_created_at)::float8 * 1000 AS pf_created_at
       FROM ${table} f JOIN pf.log l ON l.id = f.pf_logid ORDER BY pf_id`,
    );
    const day = (ms: string | null) => (ms === null ? null : Number(ms));
    expect(rows.toSorted((a, b) => Number(a.pf_id) - Number(b.pf_id))).toEqual(
      expected.map((r) => ({
        ...r,
        'Order Date': day(r['Order Date']),
        pf_created_at: Math.floor(r.pf_created_at),
      })),
    );
  });

  it('returns bigint and numeric as doubles, never as 64-bit integers or decimals', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    for (const what of ['data', 'agg']) {
      const { fields, rows } = decode((await service.api.get(`${path}/${what}`)).bytes);
      expect([fields.amount, fields.pieces]).toEqual(['Float64', 'Float64']);
      expect(fields.pf_logid).toBe('Int32');
      expect(Object.values(fields).filter((type) => /64|Decimal/.test(type))).toEqual(
        what === 'agg' ? ['Float64', 'Float64'] : expect.not.arrayContaining(['Int64', 'Uint64']),
      );
      expect(rows.every((r) => typeof r.amount === 'number' && typeof r.pieces === 'number')).toBe(
        true,
      );
    }
  });

  it('returns no bytes for an empty version', async ({ service, sourceId }) => {
    const id = await makeVersion(service, sourceId);
    for (const what of ['data', 'agg']) {
      const answer = await service.api.get(`/versions/${id}/${what}`);
      expect([answer.status, answer.bytes.byteLength]).toEqual([200, 0]);
      expect(answer.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
      expect(answer.headers.get('x-row-count')).toBe('0');
      expect(answer.headers.get('content-length')).toBe('0');
    }
  });
});

describe('GET /versions/:id/agg', () => {
  it('returns grain rows as one record batch, without note and operation', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { slice: {}, pct: 10, pf_user: 'ann' }));
    const answer = await service.api.get(`${path}/agg`);
    const { batches, fields, rows } = decode(answer.bytes);
    expect(batches).toBe(1);
    expect(answer.headers.get('x-row-count')).toBe(String(rows.length));
    expect(answer.headers.get('content-length')).toBe(String(answer.bytes.byteLength));
    expect(Object.keys(fields)).toEqual([
      ...['Order Year', 'region', 'a"b', 'pf_iter', 'pf_logid', 'pf_gkey', 'amount', 'pieces'],
    ]);
    const [{ total }] = await service.query(`SELECT sum(amount)::float8 AS total FROM ${table}`);
    expect(rows.reduce((sum, r) => sum + Number(r.amount), 0)).toBeCloseTo(total, 9);
  });

  it('does not exist after the grain is cleared and the SQL generated again; /data still works', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const grain = (on: boolean) =>
      service.api.put(
        `/sources/${sourceId}/columns`,
        on ? GRAIN_COLUMNS : ORDER_COLUMNS.map((c) => ({ ...c, in_grain: false })),
      );
    ok(await grain(false));
    expect((await service.api.get(`${path}/agg`)).status).toBe(200);
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    const refusal = await service.api.get(`${path}/agg`);
    expect([refusal.status, Object.keys(refusal.body)]).toEqual([404, ['error']]);
    expect(refusal.body.error).toMatch(/get_agg/);
    expect((await service.api.get(`${path}/data`)).status).toBe(200);
    ok(await grain(true));
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    expect((await service.api.get(`${path}/agg`)).status).toBe(200);
  });
});
