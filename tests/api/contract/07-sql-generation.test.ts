// Tests docs/contract/07-sql-generation.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import {
  decode,
  GRAIN_COLUMNS,
  it as base,
  makePlan,
  makeSource,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
} from './orders';

const user = { pf_user: 'ann' };

const it = base.extend('columns', { scope: 'file' }, GRAIN_COLUMNS);

const operations = async (service: Service, id: number) =>
  (await service.api.get(`/sources/${id}/sql`)).body.map((t: { operation: string }) => t.operation);
const ALL = ['get_data', 'get_agg', 'baseline', 'reference', 'scale', 'recode', 'clone', 'undo'];

describe('SQL generation', () => {
  it('returns one template per operation with its time, and nothing before the first generation', async ({
    service,
  }) => {
    await service.query('CREATE TABLE public.bare (a text, v int)');
    const { id } = ok(await service.api.post('/sources', { schema: 'public', tname: 'bare' })).body;
    expect((await service.api.get(`/sources/${id}/sql`)).body).toEqual([]);
    ok(
      await service.api.put(`/sources/${id}/columns`, [
        { cname: 'a', role: 'dimension' },
        { cname: 'v', role: 'value' },
      ]),
    );
    const answer = await service.api.post(`/sources/${id}/sql`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      ALL.filter((o) => o !== 'get_agg').map((operation) => ({
        operation,
        sql: expect.stringContaining('{{fc_table}}'),
        generated_at: expect.stringMatching(/Z$/),
      })),
    );
    expect((await service.api.get(`/sources/${id}/sql`)).body).toEqual(answer.body);
  });

  it('replaces templates, and removes those that are no longer generated', async ({
    service,
    sourceId,
  }) => {
    expect(await operations(service, sourceId)).toEqual(ALL);
    const ids = () =>
      service.query('SELECT id, operation FROM pf.sql WHERE source_id = $1 ORDER BY 1', [sourceId]);
    const before = await ids();
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    expect(await ids()).toEqual(before);
    const grainOff = ORDER_COLUMNS.map((c) => ({ cname: c.cname, in_grain: false }));
    ok(await service.api.put(`/sources/${sourceId}/columns`, grainOff));
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    expect(await operations(service, sourceId)).toEqual(ALL.filter((o) => o !== 'get_agg'));
    ok(await service.api.put(`/sources/${sourceId}/columns`, GRAIN_COLUMNS));
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    expect(await operations(service, sourceId)).toEqual(ALL);
  });

  it('fails if the table has lost grain columns, and lists all of them', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.shrinking'));
    const id = await makeSource(service, 'shrinking', GRAIN_COLUMNS);
    await service.query('ALTER TABLE public.shrinking DROP COLUMN region, DROP COLUMN "a""b"');
    const message = await refused(service, () => service.api.post(`/sources/${id}/sql`), 422);
    expect(message).toContain('"region"');
    expect(message).toContain('"a"b"');
    expect((await service.api.get(`/sources/${id}/columns`)).body).toContainEqual(
      expect.objectContaining({ cname: 'region', type: null }),
    );
  });

  it('fails with a grain but neither value nor units', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.unmeasured'));
    const id = await makeSource(service, 'unmeasured', GRAIN_COLUMNS);
    ok(
      await service.api.put(`/sources/${id}/columns`, [
        { cname: 'amount', role: 'filter' },
        { cname: 'pieces', role: 'ignore' },
      ]),
    );
    await refused(service, () => service.api.post(`/sources/${id}/sql`), 422, /value/);
    expect(await operations(service, id)).toEqual(ALL);
  });

  it('writes names into the templates, and leaves only the tokens of the contract', async ({
    service,
    sourceId,
  }) => {
    const { body } = await service.api.get(`/sources/${sourceId}/sql`);
    const tokens = new Set(
      body.flatMap((t: { sql: string }) => [...t.sql.matchAll(/\{\{(.*?)\}\}/g)].map((m) => m[1])),
    );
    const known = [
      ...['fc_table', 'where_clause', 'exclude_clause', 'version_id', 'logid', 'pf_user', 'note'],
      ...[
        'value_incr',
        'units_incr',
        'pct',
        'spread',
        'set_clause',
        'scale_factor',
        'date_offset',
        'filter_clause',
      ],
    ];
    expect([...tokens].filter((t) => !known.includes(t as string))).toEqual([]);
    const load = body.find((t: { operation: string }) => t.operation === 'reference').sql;
    expect(load).toContain('{{filter_clause}}');
    expect(load).toContain('{{date_offset}}');
    expect(load).toContain('"public"."orders"');
  });
});

describe('Stored templates are executed', () => {
  const edit =
    (service: Service, sourceId: number, operation: string, change: (sql: string) => string) =>
    async () => {
      const [{ sql }] = await service.query(
        'SELECT sql FROM pf.sql WHERE source_id = $1 AND operation = $2',
        [sourceId, operation],
      );
      await service.query('UPDATE pf.sql SET sql = $3 WHERE source_id = $1 AND operation = $2', [
        sourceId,
        operation,
        change(sql),
      ]);
    };

  it('executes a template as stored, until the next generation', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    await edit(
      service,
      sourceId,
      'get_data',
      (sql) => `${sql}WHERE region = 'North' -- only the north`,
    )();
    await edit(service, sourceId, 'get_agg', (sql) =>
      sql.replace('FROM {{fc_table}}', `FROM {{fc_table}} WHERE region = 'South'`),
    )();
    await edit(service, sourceId, 'scale', (sql) =>
      sql.replaceAll(`'scale' AS pf_op`, `'by hand' AS pf_op`),
    )();
    expect(decode((await service.api.get(`${path}/data`)).bytes).rows).toHaveLength(3);
    expect(
      new Set(decode((await service.api.get(`${path}/agg`)).bytes).rows.map((r) => r.region)),
    ).toEqual(new Set(['South']));
    const scale = () =>
      service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 1 });
    expect((await scale()).body[0].pf_op).toBe('by hand');

    // A reference template without these tokens ignores both the filter and the offset.
    await edit(service, sourceId, 'reference', (sql) =>
      sql.replaceAll('{{date_offset}}', `'0 days'`).replace('{{filter_clause}}', 'TRUE'),
    )();
    const load = ok(
      await service.api.post(`${path}/reference`, {
        ...user,
        raw_where: `region = 'North'`,
        date_offset: '1 year',
      }),
    );
    expect(load.body.row_count).toBe(12);

    ok(await service.api.post(`/sources/${sourceId}/sql`));
    expect(decode((await service.api.get(`${path}/data`)).bytes).rows.length).toBeGreaterThan(24);
    expect((await scale()).body[0].pf_op).toBe('scale');
  });

  it('returns 404 for a missing template', async ({ service, sourceId }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    await service.query('DELETE FROM pf.sql WHERE source_id = $1', [sourceId]);
    const slice = { ...user, slice: { region: 'North' } };
    const requests = [
      () => service.api.get(`${path}/data`),
      () => service.api.get(`${path}/agg`),
      () => service.api.post(`${path}/baseline`, user),
      () => service.api.post(`${path}/reference`, user),
      () => service.api.put(`${path}/baseline/${baseline}`, user),
      () => service.api.post(`${path}/scale`, { ...slice, pct: 1 }),
      () => service.api.post(`${path}/recode`, { ...slice, set: { region: 'x' } }),
      () => service.api.post(`${path}/clone`, { ...slice, set: {} }),
    ];
    for (const request of requests) await refused(service, request, 404, /template/);
    ok(await service.api.post(`/sources/${sourceId}/sql`));
  });

  it('requires a new generation if the metadata is newer than the templates', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.stale'));
    const id = await makeSource(service, 'stale', ORDER_COLUMNS);
    ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'region', role: 'ignore' }]));
    const { id: versionId } = ok(
      await service.api.post(`/sources/${id}/versions`, { name: 'Late' }),
    ).body;
    const load = () => service.api.post(`/versions/${versionId}/baseline`, user);
    await refused(service, load, 409, /generate/);
    await refused(service, () => service.api.get(`/versions/${versionId}/data`), 409, /generate/);
    ok(await service.api.post(`/sources/${id}/sql`));
    expect((await load()).status).toBe(200);
  });
});
