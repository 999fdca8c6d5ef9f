// Tests docs/contract/06-log.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import {
  GRAIN_COLUMNS,
  it,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDERS,
  refused,
} from './orders';

let grainId: number;
const user = { pf_user: 'ann' };
/** The fields of an entry in the contract; the table also stores its row count. */
const FIELDS = 'id, version_id, pf_user, stamp, operation, slice, params, note';

it.beforeAll(async ({ service }) => {
  await service.query(ORDERS.replaceAll('public.orders', 'public.grained'));
  grainId = await makeSource(service, 'grained', GRAIN_COLUMNS);
});

describe('GET /versions/:id/log', () => {
  it('lists the entries, newest first, with rows and totals of each and of all', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline, versionId } = await makePlan(service, sourceId);
    const north = { ...user, slice: { region: 'North' } };
    ok(
      await service.api.post(`${path}/scale`, {
        ...north,
        value_incr: 4.25,
        units_incr: 3,
        note: 'up',
      }),
    );
    ok(await service.api.post(`${path}/reference`, { ...user, raw_where: `region = 'East'` }));
    const { body } = await service.api.get(`${path}/log`);
    expect(body).toEqual({
      entries: [
        {
          ...{
            id: expect.any(Number),
            version_id: versionId,
            pf_user: 'ann',
            stamp: expect.any(String),
          },
          ...{ operation: 'reference', slice: null, note: null },
          params: {
            raw_where: `region = 'East'`,
            where_clause: `region = 'East'`,
            date_offset: '0 days',
          },
          ...{ row_count: 4, value_total: 1001.5, units_total: 101 },
        },
        {
          ...{
            id: expect.any(Number),
            version_id: versionId,
            pf_user: 'ann',
            stamp: expect.any(String),
          },
          ...{ operation: 'scale', slice: { region: 'North' }, note: 'up' },
          params: { value_incr: 4.25, units_incr: 3 },
          ...{ row_count: 3, value_total: 4.25, units_total: 3 },
        },
        {
          ...{ id: baseline, version_id: versionId, pf_user: 'ann', stamp: expect.any(String) },
          ...{ operation: 'baseline', slice: null, note: null },
          params: { where_clause: 'TRUE', date_offset: '0 days' },
          ...{ row_count: 12, value_total: 1554, units_total: 155 },
        },
      ],
      value_col: 'amount',
      units_col: 'pieces',
      value_total: 2559.75,
      units_total: 259,
    });
  });

  it('returns an empty log for an empty version, and null for a missing measure', async ({
    service,
    sourceId,
  }) => {
    const empty = await makeVersion(service, sourceId);
    expect((await service.api.get(`/versions/${empty}/log`)).body).toEqual({
      entries: [],
      value_col: 'amount',
      units_col: 'pieces',
      value_total: 0,
      units_total: 0,
    });
    await service.query(ORDERS.replaceAll('public.orders', 'public.valueless'));
    const id = await makeSource(service, 'valueless', [
      { cname: 'region', role: 'dimension' },
      { cname: 'pieces', role: 'units' },
    ]);
    const { path } = await makePlan(service, id);
    const { body } = await service.api.get(`${path}/log`);
    expect(body).toMatchObject({
      value_col: null,
      units_col: 'pieces',
      value_total: null,
      units_total: 155,
    });
    expect(body.entries[0]).toMatchObject({ row_count: 12, value_total: null, units_total: 155 });
  });
});

describe('GET /log/:logid/entry', () => {
  it('answers an entry as it is stored', async ({ service, sourceId }) => {
    const { baseline, versionId } = await makePlan(service, sourceId);
    const { api, query } = service;
    const [stored] = await query(`SELECT ${FIELDS} FROM pf.log WHERE id = $1`, [baseline]);
    const { status, body } = await api.get(`/log/${baseline}/entry`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...stored, stamp: expect.any(String), version_id: versionId });
    ok(await api.del(`/log/${baseline}`));
    await refused(service, () => api.get(`/log/${baseline}/entry`), 404);
    await refused(service, () => api.get('/log/abc/entry'), 400);
  });
});

describe('GET /versions/:id/totals', () => {
  /** Returns the sums of a table in the form of the endpoint. */
  const stored = async (service: Service, table: string, where: string) => {
    const [sums] = await service.query(
      `SELECT count(*)::int AS row_count, coalesce(sum(amount), 0)::float8 AS value_total,
         coalesce(sum(pieces), 0)::float8 AS units_total FROM ${table} WHERE ${where}`,
    );
    return sums;
  };
  const byMonth = (service: Service, table: string, where: string) =>
    service.query(
      `SELECT to_char("Order Date", 'YYYY-MM-01') AS month, count(*)::int AS row_count,
         sum(amount)::float8 AS value_total, sum(pieces)::float8 AS units_total
       FROM ${table} WHERE "Order Date" IS NOT NULL AND ${where} GROUP BY 1 ORDER BY 1`,
    );

  it('returns the plan, the reference, and the plan by month, after every kind of write', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const totals = async () => ok(await service.api.get(`${path}/totals`)).body;
    const plan = `pf_iter <> 'reference'`;
    expect(await totals()).toEqual({
      ...{ value_col: 'amount', units_col: 'pieces', date_col: 'Order Date' },
      ...{ value_type: 'numeric(12,2)', units_type: 'smallint' },
      plan: { row_count: 12, value_total: 1554, units_total: 155 },
      ...{ reference: null, compared: null },
      months: await byMonth(service, table, plan),
    });

    ok(await service.api.post(`${path}/reference`, { ...user, date_offset: '-1 year' }));
    const slice = { region: 'East' };
    const [row] = ok(await service.api.post(`${path}/scale`, { ...user, slice, pct: 10 })).body;
    const set = { 'Order Date': '2026-08-15' };
    ok(await service.api.post(`${path}/clone`, { ...user, slice: { region: 'North' }, set }));
    const more = await totals();
    expect(more).toMatchObject({
      plan: await stored(service, table, plan),
      reference: await stored(service, table, `pf_iter = 'reference'`),
    });
    expect(more.months).toEqual(await byMonth(service, table, plan));
    expect(more.months.map(({ month }: { month: string }) => month)).toContain('2026-08-01');

    ok(await service.api.del(`/log/${row.pf_logid}`));
    expect((await totals()).months).toEqual(await byMonth(service, table, plan));
    ok(await service.api.patch(path, { exclude_iters: ['clone'] }));
    const others = `pf_iter <> 'clone'`;
    expect(await totals()).toMatchObject({
      plan: await stored(service, table, others),
      months: await byMonth(service, table, others),
    });
  });

  it('has the labels of the measures that have one', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const label = (cname: string, text: string | null) =>
      service.api.put(`/sources/${sourceId}/columns`, [{ cname, label: text }]);
    ok(await label('amount', 'Sales in €'));
    ok(await label('region', 'Gebiet'));
    expect(ok(await service.api.get(`${path}/totals`)).body.labels).toEqual({
      amount: 'Sales in €',
    });
    ok(await label('amount', null));
    ok(await label('region', null));
    expect(ok(await service.api.get(`${path}/totals`)).body).not.toHaveProperty('labels');
  });

  it('compares the plan with the reference over the same months', async ({ service, sourceId }) => {
    const { path, table } = await makePlan(service, sourceId);
    const totals = async () => ok(await service.api.get(`${path}/totals`)).body;
    const months = [
      ...new Set((await totals()).months.map(({ month }: { month: string }) => month)),
    ];
    expect(months.length).toBeGreaterThan(2);
    const [from] = await service.query(
      `SELECT min("Order Date")::text AS day, max("Order Date")::text AS last FROM ${table}`,
    );
    const load = (filters: unknown[]) =>
      service.api.post(`${path}/reference`, { ...user, date_offset: '0 days', filters });
    ok(await load([[{ cname: 'Order Date', op: '<', value: from.last.slice(0, 8) + '01' }]]));
    const [span] = await service.query(
      `SELECT date_trunc('month', min("Order Date"))::date::text AS first_month,
         date_trunc('month', max("Order Date"))::date::text AS last_month
       FROM ${table} WHERE pf_iter = 'reference'`,
    );
    const within = `pf_iter <> 'reference' AND date_trunc('month', "Order Date")
      BETWEEN '${span.first_month}' AND '${span.last_month}'`;
    const dated = await stored(service, table, within);
    const { plan, compared } = await totals();
    expect(compared).toEqual({ ...span, ...dated });
    expect(compared.row_count).toBeLessThan(plan.row_count);

    // Once the reference has rows without a date, those of the plan are compared, too.
    ok(await load([[{ cname: 'Order Date', op: 'is null' }]]));
    const undated = `(${within} OR pf_iter <> 'reference' AND "Order Date" IS NULL)`;
    expect((await totals()).compared).toEqual({
      ...span,
      ...(await stored(service, table, undated)),
    });
  });

  it('has no months without a date column, and null for a missing measure', async ({
    service,
    sourceId,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.undated'));
    const id = await makeSource(service, 'undated', [
      { cname: 'region', role: 'dimension' },
      { cname: 'pieces', role: 'units' },
    ]);
    const { path } = await makePlan(service, id);
    expect((await service.api.get(`${path}/totals`)).body).toEqual({
      ...{ value_col: null, units_col: 'pieces', date_col: null },
      ...{ value_type: null, units_type: 'smallint' },
      plan: { row_count: 12, value_total: null, units_total: 155 },
      ...{ reference: null, compared: null, months: [] },
    });
    const empty = await makeVersion(service, sourceId);
    expect((await service.api.get(`/versions/${empty}/totals`)).body).toEqual({
      ...{ value_col: 'amount', units_col: 'pieces', date_col: 'Order Date' },
      ...{ value_type: 'numeric(12,2)', units_type: 'smallint' },
      plan: { row_count: 0, value_total: 0, units_total: 0 },
      ...{ reference: null, compared: null, months: [] },
    });
    await refused(service, () => service.api.get('/versions/9999/totals'), 404);
  });
});

describe('DELETE /log/:logid', () => {
  it('deletes the rows and the entry, and names the rows in raw mode', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await makePlan(service, sourceId);
    const rows = ok(
      await service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 10 }),
    ).body;
    const logid = rows[0].pf_logid;
    const answer = await service.api.del(`/log/${logid}`);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        rows_deleted: 3,
        pf_ids: expect.arrayContaining(rows.map((r: { pf_id: number }) => r.pf_id)),
      },
    ]);
    expect(answer.body.pf_ids).toHaveLength(3);
    expect(await service.query(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 12 }]);
    await refused(service, () => service.api.del(`/log/${logid}`), 404);
  });

  it('names each grain key once in grain mode, and counts the raw rows', async ({ service }) => {
    const { path, baseline, table } = await makePlan(service, grainId);
    const rows = ok(await service.api.post(`${path}/clone`, { ...user, slice: {}, set: {} })).body;
    const [{ n }] = await service.query(
      `SELECT count(*) AS n FROM ${table} WHERE pf_iter = 'clone'`,
    );
    expect(n).toBeGreaterThan(rows.length);
    const { body } = await service.api.del(`/log/${rows[0].pf_logid}`);
    expect(Object.keys(body)).toEqual(['rows_deleted', 'pf_gkeys']);
    expect(body.rows_deleted).toBe(n);
    expect(body.pf_gkeys.toSorted()).toEqual(
      rows.map((r: { pf_gkey: string }) => r.pf_gkey).toSorted(),
    );

    // An entry without rows has no keys.
    await service.query(`DELETE FROM ${table}`);
    expect((await service.api.del(`/log/${baseline}`)).body).toEqual({
      rows_deleted: 0,
      pf_gkeys: [],
    });
  });

  it('uses the grain of the current column metadata, not of the stored SQL', async ({
    service,
  }) => {
    const { path } = await makePlan(service, grainId);
    const scaled = () =>
      service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 10 });
    const first = ok(await scaled()).body;
    expect(first[0]).toHaveProperty('pf_gkey');
    const flag = (in_grain: boolean) =>
      service.api.put(
        `/sources/${grainId}/columns`,
        GRAIN_COLUMNS.map((c) => ({ cname: c.cname, in_grain: in_grain && c.in_grain })),
      );
    ok(await flag(false));
    // The stored template still returns grain rows; undo already returns raw ones.
    expect(ok(await scaled()).body[0]).toHaveProperty('pf_gkey');
    expect((await service.api.del(`/log/${first[0].pf_logid}`)).body).toEqual({
      rows_deleted: 3,
      pf_ids: [expect.any(Number), expect.any(Number), expect.any(Number)],
    });
    ok(await flag(true));
  });

  it('undoes a load like an operation', async ({ service, sourceId }) => {
    const { baseline, table, path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 10 }));
    const { body } = await service.api.del(`/log/${baseline}`);
    expect(body.rows_deleted).toBe(12);
    expect(await service.query(`SELECT DISTINCT pf_iter FROM ${table}`)).toEqual([
      { pf_iter: 'scale' },
    ]);
  });
});

describe('PATCH /log/:logid', () => {
  it('changes only the note, and returns the entry', async ({ service, sourceId }) => {
    const { baseline, versionId } = await makePlan(service, sourceId);
    const [before] = await service.query(`SELECT ${FIELDS} FROM pf.log WHERE id = $1`, [baseline]);
    const note = `it's "{{logid}}" $& $1 \\n \\ ; -- /* é 😀 \u2028 %s`;
    const { status, body } = await service.api.patch(`/log/${baseline}`, { note });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, note, stamp: expect.any(String), version_id: versionId });
    expect(await service.query(`SELECT ${FIELDS} FROM pf.log WHERE id = $1`, [baseline])).toEqual([
      { ...before, note },
    ]);
    expect((await service.api.patch(`/log/${baseline}`, { note: null })).body.note).toBeNull();
    const patch = (logid: unknown, sent: object) => () => service.api.patch(`/log/${logid}`, sent);
    await refused(service, patch(baseline, {}), 400, /note/);
    await refused(service, patch(baseline, { note: 5 }), 400, /note/);
    await refused(service, patch(baseline, { note: 'a\u0000b' }), 400, /note/);
    await refused(service, patch(baseline, { note: 'x'.repeat(10_001) }), 400, /note/);
    await refused(service, patch(987654321, { note: 'x' }), 404);
    await refused(service, patch('abc', { note: 'x' }), 400);
  });
});
