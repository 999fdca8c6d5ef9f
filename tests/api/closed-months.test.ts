import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planOfNextYear, HAPPENED, type Row } from '../support/closing';
import { plan as planned } from '../support/planned';

const YEAR = ['2027-01-01', '2027-12-31'] as const;

describe('closed months', () => {
  it('cannot be changed by any write', async ({ service }) => {
    const { api } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    const scaled = await plan.done('scale', { slice: { Region: 'B' }, value_incr: 17 });
    const logid = await plan.closed('2027-03-31');
    const baseline = (await plan.entries()).at(-1)!.id as number;
    const [lock] = await plan.locks();
    const refusals: [() => Promise<{ status: number; body: Row }>, number][] = [
      [() => plan.post('recode', { slice: { Region: 'A' }, set: { Region: 'B' } }), 423],
      [() => plan.post('clone', { slice: { Region: 'A' }, set: {} }), 423],
      [() => plan.post('baseline', { raw_where: '"Region" = \'C\'' }), 423],
      [() => plan.post('reference', {}), 423],
      [() => api.del(`${plan.path}/baseline`), 423],
      [() => api.del(`/log/${scaled}`), 423],
      [() => api.del(`/log/${baseline}`), 423],
      [() => api.put(`${plan.path}/baseline/${baseline}`, { pf_user: 'ann' }), 409],
      [() => api.post(`/log/${scaled}/reverse`, { pf_user: 'ann' }), 422],
      [() => api.post(`/log/${logid}/reverse`, { pf_user: 'ann' }), 422],
      [() => api.del(`/locks/${String(lock!.id)}`), 409],
      [() => api.patch(plan.path, { exclude_iters: ['reference', 'scale'] }), 409],
    ];
    for (const [request, status] of refusals) await plan.refused(request, status);
    expect((await api.patch(plan.path, { exclude_iters: ['reference'] })).status).toBe(200);

    // A scale changes open months only. A clone may copy closed months into open ones.
    await plan.done('scale', { slice: { Region: 'A' }, value_incr: 20 });
    await plan.done('clone', {
      slice: { Region: 'B' },
      set: {},
      shift: { 'Order Date': '1 year' },
    });
    expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
    expect(await plan.planLeaves('2027-04-01', '2027-12-31')).toEqual(['(A,2027-04-10,220.00,20)']);
    const edit = await api.put(`${plan.path}/baseline/${baseline}`, { pf_user: 'ann' });
    expect(edit.body.error).toBe(
      'The version has a scale, recode, clone, reverse, actual, refresh or import; undo those before editing a load',
    );
  });

  it('are not closed over what a person has locked', async ({ service }) => {
    const { api } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    const lock = async (slice: object) => (await plan.post('locks', { slice })).body.id as number;
    // January of A is as it was planned, so the close writes nothing there.
    const january = await lock({ Region: 'A', 'Order Date': { to: '2027-01-31' } });
    const logid = await plan.closed('2027-03-31');
    await api.del(`/log/${logid}`);
    const march = await lock({ Region: 'B', 'Order Date': '2027-03-10' });
    for (const request of [plan.close, plan.preview]) {
      expect((await plan.refused(() => request('2027-03-31'), 423)).error).toBe(
        'Nothing was changed, because bob has locked some of these rows',
      );
    }
    await plan.closed('2027-02-28');
    for (const id of [january, march]) await api.del(`/locks/${id}`);
    const newest = await plan.closed('2027-03-31');
    // The undo of a close, too, leaves alone what a person has locked since.
    await lock({ Region: 'B' });
    await plan.refused(() => api.del(`/log/${newest}`), 423);
  });

  it('are opened in every order that leaves the newest close of a month in force', async ({
    service,
  }) => {
    const { api, query } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    const before = await plan.state();
    for (const order of [
      ['first', 'again', 'april'],
      ['first', 'april', 'again'],
      ['again', 'first', 'april'],
      ['again', 'april', 'first'],
      ['april', 'first', 'again'],
      ['april', 'again', 'first'],
    ] as const) {
      const first = await plan.closed('2027-03-31');
      await query(`UPDATE ${plan.source} SET "Sales" = "Sales" + 1 WHERE "Region" = 'B'`);
      const again = await plan.closed('2027-03-31');
      const april = await plan.closed('2027-04-30', { from: '2027-04-01' });
      const left = { first, again, april };
      const open = new Set<string>(Object.keys(left));
      for (const name of [...order, ...order]) {
        if (!open.has(name)) continue;
        const { status } = await api.del(`/log/${left[name]}`);
        expect(status).toBe(name === 'first' && open.has('again') ? 423 : 200);
        if (status === 200) open.delete(name);
        if (open.has('again')) {
          expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
        }
        if (open.has('april')) {
          expect(await plan.differences('2027-04-01', '2027-04-30')).toEqual([]);
        }
        expect(await plan.locks()).toHaveLength(open.size);
      }
      expect(await plan.state()).toEqual(before);
    }
  });

  it('are closed in a copy, with its own entry and lock', async ({ service }) => {
    const { api } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    const original = await plan.closed('2027-03-31');
    await plan.post('locks', { slice: { Region: 'Z' }, note: 'By hand' });
    const copy = (await api.post(`${plan.path}/copy`, { name: 'Copy', pf_user: 'eve' })).body;
    const [entry] = (await api.get(`/versions/${copy.id}/log`)).body.entries;
    expect(entry).toMatchObject({ operation: 'actual', params: { copied_from: original } });
    expect(await plan.locks(copy.id)).toMatchObject([
      { created_by: 'ann', logid: entry.id },
      { note: 'By hand', created_by: 'bob' },
    ]);
    const table = plan.table.replace(`_${plan.id}"`, `_${copy.id}"`);
    expect(await plan.differences('2027-01-01', '2027-03-31', table)).toEqual([]);
    expect((await api.del(`/log/${entry.id}`)).status).toBe(200);
    expect(await plan.locks(copy.id)).toMatchObject([{ note: 'By hand' }]);
    expect(await plan.differences('2027-01-01', '2027-03-31', table)).not.toEqual([]);
    // The original is still closed.
    expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
    expect(await plan.locks()).toHaveLength(2);
  });

  it('are closed in a replay on what the source has then', async ({ service }) => {
    const { api, query } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    await plan.done('scale', { slice: {}, pct: 7 });
    const original = await plan.closed('2027-03-31');
    await plan.done('scale', { slice: {}, value_incr: 10 });
    await query(`UPDATE ${plan.source} SET "Sales" = "Sales" * 2`);
    const replay = await api.post(`${plan.path}/replay`, { name: 'Replay', pf_user: 'eve' });
    expect(replay.body.entries.map((e: Row) => [e.operation, e.reason])).toEqual([
      ...['baseline', 'scale', 'actual', 'scale'].map((operation) => [operation, null]),
    ]);
    const { id } = replay.body.version;
    const [, entry] = (await api.get(`/versions/${id}/log`)).body.entries;
    expect(entry).toMatchObject({ operation: 'actual', params: { replayed_from: original } });
    expect(await plan.locks(id)).toMatchObject([{ created_by: 'ann', logid: entry.id }]);
    const table = plan.table.replace(`_${plan.id}"`, `_${id}"`);
    expect(await plan.differences('2027-01-01', '2027-03-31', table)).toEqual([]);
    expect(await plan.differences('2027-01-01', '2027-03-31')).not.toEqual([]);
  });
});

describe('a preview of a close', () => {
  it('lists the forecast, the actuals and their difference for each month, and writes nothing', async ({
    service,
  }) => {
    const plan = await planOfNextYear(service, HAPPENED);
    const before = await plan.state();
    const { status, body } = await plan.preview('2027-03-31');
    const month = (
      name: string,
      [planned, happened]: [number[], number[]],
      difference: number[],
      forecast = planned,
    ) => {
      const totals = ([row_count, value_total, units_total]: number[]) => ({
        ...{ row_count, value_total, units_total },
      });
      const [rows, value_total, units_total] = difference;
      return {
        ...{ month: name, forecast: totals(forecast), before: totals(planned) },
        ...{ actual: totals(happened), difference: { value_total, units_total }, rows },
      };
    };
    const january = [5, 180.5, 16];
    expect([status, body]).toEqual([
      200,
      {
        ...{ row_count: 5, from: '2027-01-10', through: '2027-03-31', column: 'Order Date' },
        before: { row_count: 5, value_total: 410, units_total: 41 },
        after: { row_count: 10, value_total: 305.75, units_total: 29 },
        ...{ outside_calendar: 0, where_clause: `NOT ("Order Date" < '2027-01-01')` },
        months: [
          month('2027-01-01', [[3, 180, 18], january], [3, 0.5, -2]),
          month(
            '2027-02-01',
            [
              [1, 110, 11],
              [0, 0, 0],
            ],
            [1, -110, -11],
          ),
          month(
            '2027-03-01',
            [
              [1, 120, 12],
              [1, 125.25, 13],
            ],
            [1, 5.25, 1],
          ),
        ],
        without_source: ['2027-02-01'],
      },
    ]);
    expect(await plan.state()).toEqual(before);

    // A restatement answers the same forecast. Its difference is what has changed since the close.
    await plan.closed('2027-03-31');
    await service.query(`UPDATE ${plan.source} SET "Sales" = 8 WHERE "Region" = 'C'`);
    await service.api.post(`${plan.path}/close`, { pf_user: 'ann' });
    const restated = (await plan.preview('2027-01-31', { from: '2027-01-01' })).body;
    expect(restated.months).toEqual([
      month(
        '2027-01-01',
        [
          [6, 180.5, 16],
          [5, 181.5, 16],
        ],
        [1, 1, 0],
        [3, 180, 18],
      ),
    ]);
    expect(restated).toMatchObject({ row_count: 1, without_source: [] });
  });
});

describe('a close is refused', () => {
  it('for invalid bodies, closed versions, and days without rows in plan and source', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    const refused = async (body: object, status: number) =>
      plan.refused(() => plan.post('actuals', { through: '2027-03-31', ...body }), status);
    for (const [body, field] of [
      [{ through: undefined }, 'through'],
      [{ through: '2027-02-29' }, 'through'],
      [{ through: '2027-3-1' }, 'through'],
      [{ from: 'soon' }, 'from'],
      [{ from: '2027-04-01' }, 'from'],
      [{ column: 'Region' }, 'column'],
      [{ column: 'nothing' }, 'column'],
      [{ pf_user: '' }, 'pf_user'],
      [{ raw_where: 'sales >' }, 'raw_where'],
      [{ filters: [[{ cname: 'nothing', op: '=', value: 1 }]] }, 'filters'],
      [{ date_offset: 'soon' }, 'date_offset'],
    ] as const) {
      expect((await refused(body, 400)).field).toContain(field);
    }
    expect((await refused({ through: '2026-12-31' }, 422)).error).toBe(
      'through: the plan begins on 2027-01-10',
    );
    const days = { from: '2026-06-01', through: '2026-06-30' };
    expect((await refused(days, 422)).error).toBe(
      'Neither the plan nor the source has amounts from 2026-06-01 through 2026-06-30; nothing was closed',
    );
    const gone = await api.post('/versions/999999/actuals', plan.body({ through: YEAR[1] }));
    expect(gone.status).toBe(404);
    await api.patch(plan.path, { exclude_iters: ['reference', 'actual'] });
    expect((await refused({}, 422)).error).toMatch(/origin actual/);
    await api.patch(plan.path, { exclude_iters: ['reference'] });
    await api.post(`${plan.path}/close`, { pf_user: 'ann' });
    expect((await refused({}, 403)).error).toBe('Version is closed');
  });

  it('for a plan without days, and a source without a date or a measure', async ({ service }) => {
    const plan = await planOfNextYear(service, HAPPENED);
    await service.api.del(`${plan.path}/baseline`);
    expect((await plan.refused(() => plan.close('2027-03-31'), 422)).field).toBe('from');
    const { body } = await plan.close('2027-03-31', { from: '2027-01-01' });
    expect(body).toMatchObject({ row_count: 5, before: { row_count: 0 } });
    expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);

    const region = { name: 'Region', type: 'text', role: 'dimension' } as const;
    const day = { name: 'Day', type: 'date', role: 'date' } as const;
    const sales = { name: 'Sales', type: 'numeric', role: 'value' } as const;
    for (const [columns, sentence] of [
      [[region, sales], 'The source has no date column, so it has no months'],
      [[region, day], 'The source has neither a value nor a units column to close on'],
    ] as const) {
      const { path } = await planned(service, columns, []);
      const answer = await service.api.post(`${path}/actuals`, plan.body({ through: YEAR[1] }));
      expect([answer.status, answer.body.error]).toEqual([422, sentence]);
    }
  });

  it('for amounts that are not numbers, in columns of any type', async ({ service }) => {
    for (const [value, text] of [
      ['double precision', 'NaN'],
      ['double precision', 'Infinity'],
      ['numeric', 'NaN'],
      ['real', '-Infinity'],
    ] as const) {
      const plan = await planOfNextYear(service, HAPPENED, { value });
      await service.query(
        `UPDATE ${plan.source} SET "Sales" = '${text}'
         WHERE "Region" = 'A' AND "Order Date" = '2027-01-10'`,
      );
      const { error, column } = await plan.refused(() => plan.close('2027-03-31'), 422);
      expect([error, column]).toEqual([
        '"Sales" holds NaN or infinity; nothing was loaded',
        'Sales',
      ]);
    }
  });
});
