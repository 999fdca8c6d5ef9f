// Tests docs/contract/11-endpoints.md.
import { describe, expect } from 'vitest';

import { it, makeVersion, ok, ORDER_COLUMNS, ORDERS, refused } from './orders';

const user = { pf_user: 'ann' };

describe('GET /tables/:schema/:tname', () => {
  it('returns the columns and the first rows as JSON', async ({ service }) => {
    const { status, body } = await service.api.get('/tables/public/orders');
    expect(status).toBe(200);
    expect(body.columns).toEqual([
      { cname: 'id', type: 'integer', nullable: false },
      { cname: 'Order Date', type: 'date', nullable: true },
      { cname: 'Order Year', type: 'integer', nullable: true },
      { cname: 'region', type: 'text', nullable: true },
      { cname: 'sub-category', type: 'text', nullable: true },
      { cname: 'select', type: 'character varying(20)', nullable: true },
      { cname: 'a"b', type: 'text', nullable: true },
      { cname: 'amount', type: 'numeric(12,2)', nullable: true },
      { cname: 'pieces', type: 'smallint', nullable: true },
      { cname: 'channel', type: 'text', nullable: true },
      { cname: 'shipped', type: 'timestamp with time zone', nullable: true },
      { cname: 'secret', type: 'text', nullable: true },
    ]);
    expect(body.rows).toHaveLength(12);
    expect(body.rows[0]).toEqual({
      ...{
        id: 1,
        'Order Date': '2026-01-31',
        'Order Year': 1,
        region: 'North',
        'sub-category': 'Chairs',
      },
      ...{ select: 'x', 'a"b': 'k', amount: 100, pieces: 10, channel: 'web', secret: 's' },
      shipped: '2026-01-31 22:00:00+00',
    });
  });

  it('returns 50 rows, or ?limit= rows, up to 500', async ({ service }) => {
    const rows = async (query: string) =>
      (await service.api.get(`/tables/public/superstore${query}`)).body.rows.length;
    expect(await rows('')).toBe(50);
    expect(await rows('?limit=500')).toBe(500);
    expect(await rows('?limit=1')).toBe(1);
    for (const limit of ['0', '501', '-1', 'x', '']) {
      await refused(
        service,
        () => service.api.get(`/tables/public/superstore?limit=${limit}`),
        400,
        /limit/,
      );
    }
  });

  it('shows no table of the system or of the service', async ({ service }) => {
    for (const name of [
      'pf/source',
      'pg_catalog/pg_class',
      'information_schema/tables',
      'public/nowhere',
      'nowhere/orders',
    ]) {
      await refused(service, () => service.api.get(`/tables/${name}`), 404);
    }
  });
});

describe('GET and POST /sources', () => {
  it('registers a table, and lists it with its state', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.listed'));
    const { status, body } = await service.api.post('/sources', {
      schema: 'public',
      tname: 'listed',
      label: 'Listed orders',
      ...user,
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        schema: 'public',
        tname: 'listed',
        label: 'Listed orders',
        status: 'active',
        default_layout: null,
        created_at: expect.any(String),
        created_by: 'ann',
      },
    ]);
    const listed = async () =>
      (await service.api.get('/sources')).body.find((s: { id: number }) => s.id === body.id);
    expect(await listed()).toEqual({ ...body, version_count: 0, has_grain: false, has_sql: false });
    ok(
      await service.api.put(
        `/sources/${body.id}/columns`,
        ORDER_COLUMNS.map((c) => ({ ...c, in_grain: true })),
      ),
    );
    ok(await service.api.post(`/sources/${body.id}/sql`));
    await makeVersion(service, body.id);
    expect(await listed()).toEqual({ ...body, version_count: 1, has_grain: true, has_sql: true });
    expect((await service.api.get(`/sources/${body.id}`)).body).toEqual(body);
    await refused(service, () => service.api.get('/sources?status=archived'), 400, /status/);
  });

  it('refuses unknown tables, system tables, and invalid names', async ({ service }) => {
    const post = (body: object) => () => service.api.post('/sources', body);
    await refused(service, post({ schema: 'public', tname: 'nowhere' }), 404);
    await refused(service, post({ schema: 'pf', tname: 'source' }), 404);
    await refused(service, post({ schema: 'pg_catalog', tname: 'pg_class' }), 404);
    await refused(service, post({ schema: 'public', tname: '' }), 400, /tname/);
    await refused(service, post({ schema: 'public' }), 400, /tname/);
    await refused(service, post({ schema: 'public', tname: 'superstore', label: 5 }), 400, /label/);
    await refused(service, post({ schema: 'public', tname: `orders'; --` }), 404);
    const long = 't'.repeat(63);
    await service.query(`CREATE TABLE public.${long} (a int)`);
    await refused(service, post({ schema: 'public', tname: `${long}tttt` }), 404);
    await refused(service, () => service.api.get(`/tables/public/${long}tttt`), 404);
  });
});

describe('PATCH /sources/:id', () => {
  it('changes label, status and layout independently', async ({ service, sourceId }) => {
    const patch = (body: object) => service.api.patch(`/sources/${sourceId}`, body);
    expect((await patch({ label: 'Orders' })).body).toMatchObject({
      label: 'Orders',
      status: 'active',
      default_layout: null,
    });
    const default_layout = {
      columns: ['amount'],
      columns_config: { constructor: { number_color_mode: 'bar' } },
      constructor: 1,
    };
    expect((await patch({ default_layout })).body).toMatchObject({
      label: 'Orders',
      default_layout,
    });
    expect(
      (await service.query('SELECT default_layout FROM pf.source WHERE id = $1', [sourceId]))[0]
        .default_layout,
    ).toEqual(default_layout);
    expect((await patch({ status: 'archived' })).body).toMatchObject({
      status: 'archived',
      default_layout,
    });
    expect(
      (await patch({ status: 'active', label: null, default_layout: null })).body,
    ).toMatchObject({ label: null, status: 'active', default_layout: null });
    expect((await patch({})).status).toBe(200);
    for (const body of [
      { status: 'gone' },
      { status: null },
      { label: 5 },
      { default_layout: 'x' },
      { default_layout: [] },
    ]) {
      await refused(service, () => patch(body), 400);
    }
  });
});

describe('DELETE /sources/:id', () => {
  it('deletes a source without versions, and refuses one that has any', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.short'));
    const { id } = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'short' }),
    ).body;
    ok(await service.api.put(`/sources/${id}/columns`, ORDER_COLUMNS));
    ok(await service.api.post(`/sources/${id}/sql`));
    const versionId = await makeVersion(service, id);
    await refused(service, () => service.api.del(`/sources/${id}`), 409);
    ok(await service.api.del(`/versions/${versionId}`));
    const gone = await service.api.del(`/sources/${id}`);
    expect([gone.status, gone.bytes.length]).toEqual([204, 0]);
    await refused(service, () => service.api.get(`/sources/${id}`), 404);
  });
});
