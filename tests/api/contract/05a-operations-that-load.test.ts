// Tests docs/contract/05-operations.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import { it, makePlan, makeVersion, ok, refused } from './orders';

const emptyVersion = async (service: Service, sourceId: number) => {
  const id = await makeVersion(service, sourceId);
  return { path: `/versions/${id}`, table: `pf.fc_orders_${id}` };
};
const paramsOf = async (service: Service, logid: number) =>
  (await service.query('SELECT params FROM pf.log WHERE id = $1', [logid]))[0].params;

describe('POST /versions/:id/baseline', () => {
  it('copies the rows of the source, adding one entry per call', async ({ service, sourceId }) => {
    const { path, table } = await emptyVersion(service, sourceId);
    const load = (more: object) =>
      service.api.post(`${path}/baseline`, { pf_user: 'ann', ...more });
    const first = await load({ note: 'all' });
    expect([first.status, first.body]).toEqual([
      200,
      { logid: expect.any(Number), row_count: 12, outside_calendar: 0 },
    ]);
    const second = ok(
      await load({ filters: [[{ cname: 'region', op: '=', value: 'North' }]] }),
    ).body;
    expect(second).toEqual({ logid: expect.any(Number), row_count: 3, outside_calendar: 0 });
    const rows = await service.query(
      `SELECT pf_logid, pf_iter, count(*) AS n, sum(amount) AS amount, sum(pieces) AS pieces
       FROM ${table} GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(rows).toEqual([
      { pf_logid: first.body.logid, pf_iter: 'baseline', n: 12, amount: '1554.00', pieces: '155' },
      { pf_logid: second.logid, pf_iter: 'baseline', n: 3, amount: '175.75', pieces: '17' },
    ]);
    expect((await service.api.del(`/log/${first.body.logid}`)).body.rows_deleted).toBe(12);
    expect(await service.query(`SELECT DISTINCT pf_logid FROM ${table}`)).toEqual([
      { pf_logid: second.logid },
    ]);
  });

  it('adds the offset to every date; the last day of a month limits the result', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await emptyVersion(service, sourceId);
    ok(await service.api.post(`${path}/baseline`, { date_offset: '1 month', pf_user: 'ann' }));
    const dates = await service.query(
      `SELECT "Order Date" AS d, "Order Year" AS y, count(*) AS n FROM ${table} GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(dates.map((r) => `${r.d} ${r.y} ${r.n}`)).toEqual([
      '2026-02-28 2026 1',
      '2026-03-28 2026 2',
      '2026-04-15 2026 1',
      '2026-04-30 2026 1',
      '2026-05-01 2026 2',
      '2026-06-05 2026 2',
      '2026-07-30 2026 1',
      '2027-01-31 2027 1',
      'null null 1',
    ]);
  });

  it.for([
    ['1 year', '2027-01-31'],
    ['6 months', '2026-07-31'],
    ['-1 years 2 mons', '2025-03-31'],
    ['P1Y2M', '2027-03-31'],
    ['0 days', '2026-01-31'],
    ['36 hours', '2026-02-01'],
  ] as const)('accepts the offset %s', async ([offset, first], { service, sourceId }) => {
    const { path, table } = await emptyVersion(service, sourceId);
    const filters = [
      [
        { cname: 'select', op: '=', value: 'x' },
        { cname: 'channel', op: '=', value: 'web' },
      ],
    ];
    ok(
      await service.api.post(`${path}/baseline`, { date_offset: offset, filters, pf_user: 'ann' }),
    );
    const [{ d }] = await service.query(`SELECT min("Order Date") AS d FROM ${table}`);
    expect(d).toBe(first);
  });

  it('stores the request, the condition that ran and the offset', async ({ service, sourceId }) => {
    const { path } = await emptyVersion(service, sourceId);
    const load = async (body: object) =>
      paramsOf(
        service,
        ok(await service.api.post(`${path}/baseline`, { pf_user: 'ann', ...body })).body.logid,
      );
    const filters = [[{ cname: 'region', op: '=', value: 'North' }]];
    const rawWhere = `region = 'South'`;
    const clause = `region IS NULL`;

    expect(await load({})).toEqual({ where_clause: 'TRUE', date_offset: '0 days' });
    expect(await load({ filters, date_offset: '1 year' })).toEqual({
      filters,
      where_clause: `"region" = 'North'::text`,
      date_offset: '1 year',
    });
    expect(await load({ raw_where: rawWhere })).toEqual({
      raw_where: rawWhere,
      where_clause: rawWhere,
      date_offset: '0 days',
    });
    expect(await load({ where_clause: clause })).toEqual({
      where_clause: clause,
      date_offset: '0 days',
    });
    expect(await load({ filters: [] })).toEqual({
      filters: [],
      where_clause: 'TRUE',
      date_offset: '0 days',
    });
    // where_clause before raw_where before filters; the request is stored for editing.
    expect(await load({ where_clause: clause, raw_where: rawWhere, filters })).toEqual({
      filters,
      raw_where: rawWhere,
      where_clause: clause,
      date_offset: '0 days',
    });
    expect(await load({ raw_where: rawWhere, filters })).toMatchObject({ where_clause: rawWhere });
    const { entries } = (await service.api.get(`${path}/log`)).body;
    expect(entries.map((e: { row_count: number }) => e.row_count)).toEqual([3, 1, 12, 1, 3, 3, 12]);
  });

  it('answers a request with replay with 501', async ({ service, sourceId }) => {
    const { path } = await emptyVersion(service, sourceId);
    for (const body of [{ replay: true, pf_user: 'ann' }, { replay: true }]) {
      await refused(service, () => service.api.post(`${path}/baseline`, body), 501, /[Rr]eplay/);
    }
    const plain = await service.api.post(`${path}/baseline`, { replay: false, pf_user: 'ann' });
    expect(plain.status).toBe(200);
  });

  it('refuses invalid requests without a trace', async ({ service, sourceId }) => {
    const { path } = await emptyVersion(service, sourceId);
    const load = (more: object) => () =>
      service.api.post(`${path}/baseline`, { pf_user: 'ann', ...more });
    await refused(service, () => service.api.post(`${path}/baseline`, {}), 400, /pf_user/);
    await refused(service, load({ pf_user: '  ' }), 400, /pf_user/);
    await refused(service, load({ pf_user: 7 }), 400, /pf_user/);
    await refused(service, load({ date_offset: 'tomorrow' }), 400, /tomorrow/);
    await refused(service, load({ date_offset: '' }), 400);
    await refused(service, load({ date_offset: '9999999 years' }), 400);
    await refused(service, load({ date_offset: 5 }), 400, /date_offset/);
    await refused(service, load({ note: 5 }), 400, /note/);
    await refused(service, load({ filters: [[]] }), 400, /group 1/);
    await refused(service, load({ filters: {} }), 400, /filters/);
    await refused(service, load({ where_clause: '' }), 400, /where_clause/);
    await refused(service, load({ where_clause: 'region =' }), 400, /where_clause/);
    await refused(service, load({ where_clause: 'amount / 0 > 1' }), 400);
    await refused(service, load({ where_clause: `amount > 'abc'` }), 400);
    await refused(service, load({ raw_where: `secret = 's'` }), 400, /secret/);
    await refused(
      service,
      load({ filters: [[{ cname: 'region', op: '=', value: 'Nowhere' }]] }),
      422,
    );
  });
});

describe('POST /versions/:id/reference', () => {
  it('loads rows with pf_iter reference, with filter and offset', async ({ service, sourceId }) => {
    const { path, table } = await emptyVersion(service, sourceId);
    const { logid, row_count } = ok(
      await service.api.post(`${path}/reference`, {
        where_clause: `region = 'South'`,
        date_offset: '-1 year',
        pf_user: 'ann',
        note: 'last year',
      }),
    ).body;
    expect(row_count).toBe(3);
    expect(
      await service.query(
        `SELECT pf_iter, pf_logid, min("Order Date") AS first, max("Order Year") AS year, sum(amount) AS amount FROM ${table} GROUP BY 1, 2`,
      ),
    ).toEqual([
      { pf_iter: 'reference', pf_logid: logid, first: '2025-03-15', year: 2025, amount: '355.75' },
    ]);
    const [entry] = await service.query(
      'SELECT operation, note, params FROM pf.log WHERE id = $1',
      [logid],
    );
    expect(entry).toEqual({
      operation: 'reference',
      note: 'last year',
      params: { where_clause: `region = 'South'`, date_offset: '-1 year' },
    });
  });

  it('does not accept the older date_from and date_to', async ({ service, sourceId }) => {
    const { path } = await emptyVersion(service, sourceId);
    const { row_count } = ok(
      await service.api.post(`${path}/reference`, {
        date_from: '2026-06-01',
        date_to: '2026-07-01',
        pf_user: 'ann',
      }),
    ).body;
    expect(row_count).toBe(12);
  });
});

describe('PUT /versions/:id/baseline/:logid', () => {
  it('deletes the segment and loads it again, under a new entry', async ({ service, sourceId }) => {
    const { path, table } = await emptyVersion(service, sourceId);
    const filters = [[{ cname: 'region', op: '=', value: 'North' }]];
    const old = ok(
      await service.api.post(`${path}/baseline`, { filters, pf_user: 'ann', note: 'mine' }),
    ).body.logid;
    const other = ok(
      await service.api.post(`${path}/baseline`, { raw_where: `region = 'East'`, pf_user: 'ann' }),
    ).body.logid;
    const edited = await service.api.put(`${path}/baseline/${old}`, {
      raw_where: `region = 'South'`,
      date_offset: '1 year',
      pf_user: 'bob',
    });
    expect(edited.body).toEqual({ logid: expect.any(Number), row_count: 3, outside_calendar: 0 });
    expect(
      await service.query(
        `SELECT pf_logid, count(*) AS n, min("Order Date") AS first FROM ${table} GROUP BY 1 ORDER BY 1`,
      ),
    ).toEqual([
      { pf_logid: other, n: 4, first: '2026-05-05' },
      { pf_logid: edited.body.logid, n: 3, first: '2027-03-15' },
    ]);
    expect(
      await service.query('SELECT pf_user, note, operation, params FROM pf.log WHERE id = $1', [
        edited.body.logid,
      ]),
    ).toEqual([
      {
        pf_user: 'bob',
        note: 'mine',
        operation: 'baseline',
        params: {
          raw_where: `region = 'South'`,
          where_clause: `region = 'South'`,
          date_offset: '1 year',
        },
      },
    ]);
    expect(await service.query('SELECT FROM pf.log WHERE id = $1', [old])).toEqual([]);
  });

  it('keeps a reference segment a reference, and stores a new note', async ({
    service,
    sourceId,
  }) => {
    const { path, table } = await emptyVersion(service, sourceId);
    const { logid } = ok(
      await service.api.post(`${path}/reference`, { pf_user: 'ann', note: 'old' }),
    ).body;
    const edited = ok(
      await service.api.put(`${path}/baseline/${logid}`, { pf_user: 'ann', note: null }),
    ).body;
    expect(await service.query(`SELECT DISTINCT pf_iter FROM ${table}`)).toEqual([
      { pf_iter: 'reference' },
    ]);
    expect(
      await service.query('SELECT note, operation FROM pf.log WHERE id = $1', [edited.logid]),
    ).toEqual([{ note: null, operation: 'reference' }]);
  });

  it('refuses an entry of another version, an operation, and a load without rows', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    const other = await makePlan(service, sourceId);
    const put =
      (logid: number | string, body: object = { pf_user: 'ann' }) =>
      () =>
        service.api.put(`${path}/baseline/${logid}`, body);
    await refused(service, put(other.baseline), 404);
    await refused(service, put(987654321), 404);
    await refused(service, put(baseline, { pf_user: 'ann', raw_where: 'FALSE' }), 422);
    await refused(service, put(baseline, { pf_user: 'ann', date_offset: 'x' }), 400);
    await refused(service, put(baseline, { pf_user: 'ann', replay: true }), 501);
    await refused(service, put(baseline, {}), 400, /pf_user/);
    ok(await service.api.post(`${path}/scale`, { slice: {}, pct: 1, pf_user: 'ann' }));
    const scale = (await service.api.get(`${path}/log`)).body.entries[0].id;
    await refused(service, put(scale), 409, /scale/);
  });
});

describe('DELETE /versions/:id/baseline', () => {
  it('deletes all baseline rows and their entries, and nothing else', async ({
    service,
    sourceId,
  }) => {
    const { path, table, versionId } = await makePlan(service, sourceId);
    const user = { pf_user: 'ann' };
    ok(await service.api.post(`${path}/baseline`, { ...user, raw_where: `region = 'North'` }));
    ok(await service.api.post(`${path}/reference`, user));
    ok(await service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 50 }));
    const answer = await service.api.del(`${path}/baseline`);
    expect([answer.status, answer.body]).toEqual([
      200,
      { rows_deleted: 15, log_entries_deleted: 2 },
    ]);
    expect(await service.query(`SELECT DISTINCT pf_iter FROM ${table} ORDER BY 1`)).toEqual([
      { pf_iter: 'reference' },
      { pf_iter: 'scale' },
    ]);
    expect(
      await service.query('SELECT operation FROM pf.log WHERE version_id = $1 ORDER BY id', [
        versionId,
      ]),
    ).toEqual([{ operation: 'reference' }, { operation: 'scale' }]);
    expect((await service.api.del(`${path}/baseline`)).body).toEqual({
      rows_deleted: 0,
      log_entries_deleted: 0,
    });
  });
});
