// Tests docs/contract/12-odd-corners.md.
import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { it } from '../../support/api';
import type { Service } from '../../support/service';
import {
  decode,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
} from './orders';

const user = { pf_user: 'ann' };

const ordersAs = async (
  service: Service,
  tname: string,
  columns: readonly ColumnSave[] = ORDER_COLUMNS,
) => {
  await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
  return makeSource(service, tname, columns);
};

describe('Names of schemas and tables', () => {
  it.for([
    ['My Schema', 'My "Table"'],
    ['{{logid}}', '{{fc_table}} $& %s'],
    ['select', "it's; DROP TABLE x --"],
    ['ümläut', '表 1'],
    ['a.b', 'c.d'],
    ['back\\slash', 'sl/ash?&#%25'],
  ] as const)('%s.%s', async ([schema, tname], { service }) => {
    const quoted = `"${schema.replaceAll('"', '""')}"."${tname.replaceAll('"', '""')}"`;
    await service.query(
      `CREATE SCHEMA "${schema}"; CREATE TABLE ${quoted} (k text, v int); INSERT INTO ${quoted} VALUES ('a', 1), ('b', 2)`,
    );
    const preview = await service.api.get(
      `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(tname)}`,
    );
    expect(preview.body.rows).toHaveLength(2);
    const id = await makeSource(
      service,
      tname,
      [
        { cname: 'k', role: 'dimension', in_grain: true },
        { cname: 'v', role: 'value' },
      ],
      schema,
    );
    const path = `/versions/${await makeVersion(service, id)}`;
    ok(await service.api.post(`${path}/baseline`, { ...user, raw_where: `k = 'b'` }));
    const rows = ok(
      await service.api.post(`${path}/scale`, { ...user, slice: { k: 'b' }, pct: 100 }),
    ).body;
    expect(rows).toMatchObject([{ k: 'b', v: 2 }]);
    expect((await service.api.get(`/sources/${id}/values?cname=k`)).body.values).toHaveLength(2);
    expect(
      (await service.api.post(`/sources/${id}/grain-estimate`, { columns: ['k'] })).body.grain_rows,
    ).toBe(2);
    expect((await service.api.get(`/sources/${id}/versions`)).body).toMatchObject([
      { row_count: 2 },
    ]);
    expect((await service.api.del(`/log/${rows[0].pf_logid}`)).body.pf_gkeys).toEqual([
      rows[0].pf_gkey,
    ]);
    ok(await service.api.del(path));
    ok(await service.api.del(`/sources/${id}`));
  });
});

describe('A date in the grain', () => {
  it('is part of the key as ISO text', async ({ service }) => {
    const id = await ordersAs(
      service,
      'dated',
      ORDER_COLUMNS.map((c) => ({ ...c, in_grain: ['Order Date', 'region'].includes(c.cname) })),
    );
    const { path, table } = await makePlan(service, id);
    const { rows } = decode((await service.api.get(`${path}/agg`)).bytes);
    const keys = await service.query(
      `SELECT DISTINCT concat_ws(chr(31), COALESCE("Order Date"::text, chr(30)), COALESCE(region, chr(30)), pf_iter, pf_logid::text) AS k FROM ${table}`,
    );
    expect(new Set(rows.map((r) => r.pf_gkey))).toEqual(new Set(keys.map((r) => r.k)));
    expect(rows.some((r) => String(r.pf_gkey).startsWith('2026-01-31\u001fNorth\u001f'))).toBe(
      true,
    );
    const moved = ok(
      await service.api.post(`${path}/recode`, {
        ...user,
        slice: { 'Order Date': '2026-01-31' },
        set: { 'Order Date': '2026-02-01' },
      }),
    ).body;
    expect(
      new Set(moved.map((r: Record<string, unknown>) => `${r['Order Date']} ${r.amount}`)),
    ).toEqual(new Set(['2026-01-31 -100', '2026-02-01 100']));
  });
});

describe('A column named __proto__', () => {
  it('can be sliced, set and returned like any other', async ({ service }) => {
    await service.query(
      `CREATE TABLE public.proto ("__proto__" text, k text, v int); INSERT INTO public.proto VALUES ('a', 'x', 1), ('b', 'x', 2)`,
    );
    const id = await makeSource(service, 'proto', [
      { cname: '__proto__', role: 'dimension' },
      { cname: 'k', role: 'dimension' },
      { cname: 'v', role: 'value' },
    ]);
    const { path, table } = await makePlan(service, id);
    const send = (operation: string, text: string) =>
      service.api.send(`${path}/${operation}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      });
    const scaled = ok(await send('scale', '{"slice":{"__proto__":"b"},"pct":100,"pf_user":"ann"}'));
    expect(await service.query(`SELECT v FROM ${table} WHERE pf_iter = 'scale'`)).toEqual([
      { v: 2 },
    ]);
    expect(new TextDecoder().decode(scaled.bytes)).toContain('"__proto__":"b"');
    ok(await send('recode', '{"slice":{"__proto__":"a"},"set":{"__proto__":"c"},"pf_user":"ann"}'));
    expect(
      await service.query(
        `SELECT "__proto__" AS p, v FROM ${table} WHERE pf_iter = 'recode' ORDER BY v`,
      ),
    ).toEqual([
      { p: 'a', v: -1 },
      { p: 'c', v: 1 },
    ]);
  });
});

describe('A slice by a column on which metadata and forecast table disagree', () => {
  it('is refused until the SQL is generated again: skipping it would widen the selection', async ({
    service,
  }) => {
    const id = await ordersAs(
      service,
      'drifting',
      ORDER_COLUMNS.map((c) => (c.cname === 'select' ? { ...c, role: 'ignore' } : c)),
    );
    const { path } = await makePlan(service, id);
    const put = (entries: ColumnSave[]) => service.api.put(`/sources/${id}/columns`, entries);
    ok(
      await put([
        { cname: 'region', role: 'filter' },
        { cname: 'select', role: 'dimension' },
      ]),
    );
    for (const slice of [{ region: 'North' }, { select: 'x' }]) {
      const scale = () => service.api.post(`${path}/scale`, { ...user, slice, pct: 10 });
      await refused(service, scale, 409, /generate/);
      await refused(service, () => service.api.post(`${path}/slice`, { slice }), 409, /generate/);
    }
    // A measure and a filter column are not affected.
    expect(
      (
        await service.api.post(`${path}/scale`, {
          ...user,
          slice: { amount: 1, channel: 'web' },
          pct: 10,
        })
      ).headers.get('x-slice-skipped'),
    ).toBe('amount,channel');
    ok(await put([{ cname: 'region', role: 'dimension' }]));
    ok(await service.api.post(`/sources/${id}/sql`));
    expect(
      (
        await service.api.post(`${path}/scale`, {
          ...user,
          slice: { region: 'North', select: null },
          pct: 10,
        })
      ).status,
    ).toBe(200);
  });
});

describe('Generation', () => {
  it('adds the new columns to a closed version, empty', async ({ service }) => {
    const id = await ordersAs(
      service,
      'closed',
      ORDER_COLUMNS.filter((c) => c.cname !== 'select'),
    );
    const { path } = await makePlan(service, id);
    ok(await service.api.post(`${path}/close`, user));
    ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'select', role: 'dimension' }]));
    ok(await service.api.post(`/sources/${id}/sql`));
    const { rows } = decode((await service.api.get(`${path}/data`)).bytes);
    expect(new Set(rows.map((r) => r.select))).toEqual(new Set([null]));
  });

  it('needs a dimension or date; without measures only loads and reads work', async ({
    service,
  }) => {
    const { id } = await (async () => {
      await service.query(ORDERS.replaceAll('public.orders', 'public.countless'));
      return ok(await service.api.post('/sources', { schema: 'public', tname: 'countless' })).body;
    })();
    await refused(service, () => service.api.post(`/sources/${id}/sql`), 422, /dimension/);
    ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'region', role: 'dimension' }]));
    ok(await service.api.post(`/sources/${id}/sql`));
    const { path } = await makePlan(service, id);
    expect((await service.api.get(`${path}/data`)).headers.get('x-row-count')).toBe('12');
    for (const [operation, more] of [
      ['scale', { pct: 1 }],
      ['recode', { set: { region: 'x' } }],
      ['clone', { set: {} }],
    ] as const) {
      await refused(
        service,
        () => service.api.post(`${path}/${operation}`, { ...user, slice: {}, ...more }),
        422,
        /value/,
      );
    }
  });
});

describe('Deeply nested and very wide bodies', () => {
  it('returns 400 for nesting that cannot be stored', async ({ service }) => {
    const id = await ordersAs(service, 'deep');
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const patch = (body: string) =>
      service.api.send(`/sources/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body,
      });
    await refused(service, () => patch(`{"default_layout":{"a":${deep}}}`), 400);
    await refused(
      service,
      () => patch(`{"default_layout":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`),
      400,
    );
    await refused(service, () => patch(deep), 400);
    await refused(service, () => patch(`{"default_layout":{"a":"\\u0000"}}`), 400);
    await refused(service, () => patch(`{"default_layout":{"a\\u0000":1}}`), 400);
    await refused(service, () => patch(`{"default_layout":{"a":"\\ud800"}}`), 400);
  });

  it('accepts a slice with thousands of values', async ({ service }) => {
    const id = await ordersAs(service, 'wide');
    const { path } = await makePlan(service, id);
    const region = [...Array.from({ length: 20_000 }, (_, i) => `R${i}`), 'North', null];
    const rows = ok(
      await service.api.post(`${path}/scale`, { ...user, slice: { region }, pct: 10 }),
    ).body;
    expect(rows).toHaveLength(4);
  });
});
