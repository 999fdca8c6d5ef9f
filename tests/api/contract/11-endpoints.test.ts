// Holds what docs/contract/11-endpoints.md promises.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RESERVED_NAMES } from '../../../src/lib/contract/columns';
import type { Service } from '../../support/service';
import {
  makePlan,
  makeVersion,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
  startWithOrders,
} from './orders';

let service: Service;
let sourceId: number;
const user = { pf_user: 'ann' };

beforeAll(async () => {
  ({ service, sourceId } = await startWithOrders());
});
afterAll(() => service?.stop());

describe('GET /tables/:schema/:tname', () => {
  it('answers the columns, and the first rows as JSON', async () => {
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

  it('answers 50 rows, or as many as ?limit= says, up to 500', async () => {
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

  it('shows no table of the system or of the service', async () => {
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
  it('registers a table, and lists it with what it has', async () => {
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

  it('refuses a table that is not there, system tables, and names that are none', async () => {
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
  it('changes label, status and layout, each alone', async () => {
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
  it('deletes a source without versions, and refuses one that has any', async () => {
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

describe('GET and PUT /sources/:id/columns', () => {
  let id: number;
  const put = (entries: unknown) => service.api.put(`/sources/${id}/columns`, entries);

  beforeAll(async () => {
    await service.query(`
      CREATE TABLE public.odd_columns (
        name text, other text, n int, big bigint, amount numeric, qty real, day date, at timestamptz,
        doc json, docb jsonb, place point, body xml, pf_id int, pf_note text, ok boolean, span interval)`);
    ({ id } = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'odd_columns' }),
    ).body);
  });

  it('answers all entries by opos; columns that are not named stay as they are', async () => {
    const saved = ok(
      await put([
        {
          cname: 'other',
          role: 'dimension',
          label: 'Other',
          is_key: true,
          opos: 0,
          dim_group: 'g',
          in_grain: true,
        },
      ]),
    ).body;
    expect(saved[0]).toEqual({
      cname: 'other',
      label: 'Other',
      role: 'dimension',
      is_key: true,
      opos: 0,
      dim_group: 'g',
      dim_period_col: null,
      in_grain: true,
      type: 'text',
    });
    expect(saved).toHaveLength(16);
    ok(await put([{ cname: 'name', role: 'dimension' }]));
    const now = (await service.api.get(`/sources/${id}/columns`)).body;
    expect(now[0]).toEqual(saved[0]);
    expect(now[1]).toMatchObject({ cname: 'name', role: 'dimension' });
    ok(await put([{ cname: 'other', opos: null }]));
    expect((await service.api.get(`/sources/${id}/columns`)).body.at(-1)).toMatchObject({
      cname: 'other',
      opos: null,
      label: 'Other',
    });
    expect((await put([])).body).toHaveLength(16);
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown column', [{ cname: 'nowhere', role: 'dimension' }], /"nowhere", cname/],
    ['an unknown role', [{ cname: 'n', role: 'measure' }], /^Column "n", role: /],
    ['a column named twice', [{ cname: 'n' }, { cname: 'n' }], /"n", cname/],
    [
      'two value columns',
      [
        { cname: 'n', role: 'value' },
        { cname: 'amount', role: 'value' },
      ],
      /"amount", role/,
    ],
    [
      'two units columns',
      [
        { cname: 'n', role: 'units' },
        { cname: 'amount', role: 'units' },
      ],
      /"amount", role/,
    ],
    ['value on a text', [{ cname: 'name', role: 'value' }], /"name", role/],
    ['units on a boolean', [{ cname: 'ok', role: 'units' }], /"ok", role/],
    ['value on an interval', [{ cname: 'span', role: 'value' }], /"span", role/],
    ['date on a text', [{ cname: 'name', role: 'date' }], /"name", role/],
    ['date on a number', [{ cname: 'n', role: 'date' }], /"n", role/],
    ['json as a dimension', [{ cname: 'doc', role: 'dimension' }], /"doc", role/],
    ['xml as a dimension', [{ cname: 'body', role: 'dimension' }], /"body", role/],
    ['a point as a dimension', [{ cname: 'place', role: 'dimension' }], /"place", role/],
    ['a reserved name with a role', [{ cname: 'pf_id', role: 'filter' }], /"pf_id", role/],
    [
      'a reserved name as a dimension',
      [{ cname: 'pf_note', role: 'dimension' }],
      /"pf_note", role/,
    ],
    [
      'a column the calendar does not have',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'week' },
      ],
      /"n", dim_period_col/,
    ],
    [
      'a column the calendar does not have, on an ignored column',
      [{ cname: 'n', dim_period_col: 'week' }],
      /"n", dim_period_col/,
    ],
    [
      'a calendar text in a number',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_label' },
      ],
      /"n", dim_period_col/,
    ],
    [
      'a calendar number in a boolean',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'ok', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
      ],
      /"ok", dim_period_col/,
    ],
    [
      'a period without a group',
      [{ cname: 'n', role: 'dimension', dim_period_col: 'cal_year' }],
      /"n", dim_group/,
    ],
    [
      'a group without a date',
      [{ cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' }],
      /"n", dim_group/,
    ],
    [
      'a group with two dates',
      [
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'at', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
      ],
      /"n", dim_group/,
    ],
    ['a role that is no text', [{ cname: 'n', role: 5 }], /role/],
    ['is_key that is no boolean', [{ cname: 'n', is_key: 'yes' }], /is_key/],
    ['in_grain null', [{ cname: 'n', in_grain: null }], /in_grain/],
    ['opos with a fraction', [{ cname: 'n', opos: 1.5 }], /opos/],
    ['opos out of range', [{ cname: 'n', opos: 3e9 }], /opos/],
    ['an entry without a name', [{ role: 'dimension' }], /cname/],
    ['an entry that is none', [5], /0/],
    ['no array', { cname: 'n' }, /./],
  ])('refuses %s, all of it, naming entry and field', async (_, entries, message) => {
    const list = Array.isArray(entries) ? [{ cname: 'big', role: 'filter' }, ...entries] : entries;
    await refused(service, () => put(list), 400, /0/.test(message.source) ? /1/ : message);
  });

  it('lets a reserved name be ignored', async () => {
    await service.query(
      `CREATE TABLE public.reserved (a text, v int, ${RESERVED_NAMES.map((n) => `"${n}" int`).join(', ')})`,
    );
    const reserved = ok(await service.api.post('/sources', { schema: 'public', tname: 'reserved' }))
      .body.id;
    const answer = await service.api.put(
      `/sources/${reserved}/columns`,
      RESERVED_NAMES.map((cname) => ({ cname, role: 'ignore', label: 'ours' })),
    );
    expect(answer.status).toBe(200);
    ok(
      await service.api.put(`/sources/${reserved}/columns`, [
        { cname: 'a', role: 'dimension' },
        { cname: 'v', role: 'value' },
      ]),
    );
    ok(await service.api.post(`/sources/${reserved}/sql`));
    await service.query(`INSERT INTO public.reserved VALUES ('x', 5, 1, 2, 3, 4, 5, 6, 7)`);
    const { table } = await makePlan(service, reserved);
    expect(await service.query(`SELECT a, v, pf_iter FROM ${table}`)).toEqual([
      { a: 'x', v: 5, pf_iter: 'baseline' },
    ]);
  });

  it('accepts a number of the calendar in any number, and everything in a text', async () => {
    ok(
      await put([
        { cname: 'day', role: 'date', dim_group: 'd' },
        { cname: 'n', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
        { cname: 'qty', role: 'dimension', dim_group: 'd', dim_period_col: 'fisc_month' },
        { cname: 'name', role: 'dimension', dim_group: 'd', dim_period_col: 'drange' },
        { cname: 'at', role: 'dimension', dim_group: 'd', dim_period_col: 'sdat' },
      ]),
    );
    // The date of the group cannot go while a dimension follows it.
    await refused(service, () => put([{ cname: 'day', role: 'ignore' }]), 400, /dim_group/);
  });
});

describe('GET and POST /sources/:id/versions', () => {
  it('creates the forecast table with the version, and lists it with its size', async () => {
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

  it('refuses a source without generated SQL', async () => {
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
  it('edits name, description and excluded iterations', async () => {
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

  it('drops table, log and version together', async () => {
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

describe('Endpoints beyond the two documents', () => {
  it('POST /versions/:id/baseline/preview says what a load would bring, and writes nothing', async () => {
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

  it('GET /versions/:id/segments lists loads with their spans, oldest first', async () => {
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

  it('POST /versions/:id/slice says what an operation would touch', async () => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/reference`, { ...user, raw_where: `region = 'North'` }));
    expect(
      (await service.api.post(`${path}/slice`, { slice: { region: 'North', typo: 1 } })).body,
    ).toEqual({
      row_count: 3,
      value_total: 175.75,
      units_total: 17,
      excluded: { row_count: 3, value_total: 175.75, units_total: 17 },
      skipped: ['typo'],
    });
  });

  it('GET /sources/:id/values lists distinct values of a column', async () => {
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

  it('POST /sources/:id/grain-estimate counts the rows of a grain', async () => {
    const estimate = (columns: unknown) =>
      service.api.post(`/sources/${sourceId}/grain-estimate`, { columns });
    expect((await estimate(['region'])).body).toEqual({ row_count: 12, grain_rows: 5 });
    expect((await estimate(['region', 'a"b'])).body).toEqual({ row_count: 12, grain_rows: 6 });
    await refused(service, () => estimate([]), 400);
    await refused(service, () => estimate(['nowhere']), 400, /nowhere/);
  });

  it('GET /sources/:id/sql/preview answers what a generation would store', async () => {
    const { body } = await service.api.get(`/sources/${sourceId}/sql/preview`);
    const stored = (await service.api.get(`/sources/${sourceId}/sql`)).body;
    expect(body).toEqual(
      stored.map(({ operation, sql }: { operation: string; sql: string }) => ({ operation, sql })),
    );
  });
});
