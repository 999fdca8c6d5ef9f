import { tableFromIPC } from 'apache-arrow';
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planOfNextYear, type Happened, HAPPENED, type Row } from '../support/closing';
import { openEvents } from '../support/events';
import { bytes } from '../support/planned';

const DIFFERENCES = [
  ['B', '2027-01-10', '2027-01', -7.5, 0],
  ['C', '2027-01-20', '2027-01', 7, 1],
  [null, '2027-01-31', '2027-01', 1, -3],
  ['A', '2027-02-10', '2027-02', -110, -11],
  ['B', '2027-03-10', '2027-03', 5.25, 1],
];

describe('closing months', () => {
  it('writes what differs from the source, leaf by leaf, and is undone byte for byte', async ({
    service,
  }) => {
    const { api } = service;
    const plan = await planOfNextYear(service, HAPPENED);
    const before = await plan.state();
    const answer = await plan.close('2027-03-31', { note: 'Q1' });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...{ logid: expect.any(Number), row_count: 5, from: '2027-01-10', through: '2027-03-31' },
        before: { row_count: 5, value_total: 410, units_total: 41 },
        after: { row_count: 10, value_total: 305.75, units_total: 29 },
        outside_calendar: 0,
      },
    ]);
    const { logid } = answer.body;
    expect(await plan.written(logid)).toEqual(DIFFERENCES);
    expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
    expect(await plan.differences('2027-04-01', '2027-12-31')).toHaveLength(2);

    const [entry] = await plan.entries();
    expect(entry).toMatchObject({
      ...{ id: logid, operation: 'actual', pf_user: 'ann', note: 'Q1', slice: null, row_count: 5 },
      params: {
        raw_where: `NOT ("Order Date" < '2027-01-01')`,
        date_offset: '0 days',
        column: 'Order Date',
        from: '2027-01-10',
        through: '2027-03-31',
      },
      ...{ value_total: -104.25, units_total: -12 },
    });
    const slice = { 'Order Date': { from: '2027-01-10', to: '2027-03-31' } };
    expect(await plan.locks()).toMatchObject([{ slice, note: 'Q1', created_by: 'ann', logid }]);
    const { body } = await api.post(`${plan.path}/explain`, { slice: { Region: 'B' } });
    expect(body.entries.map((e: Row) => [e.operation, e.value_total])).toEqual([
      ['baseline', 170],
      ['actual', -2.25],
    ]);

    expect((await api.del(`/log/${logid}`)).body.rows_deleted).toBe(5);
    expect(await plan.state()).toEqual(before);
    const [undone] = (await api.get(`${plan.path}/undone`)).body;
    expect(undone).toMatchObject({ logid, row_count: 5, value_total: -104.25 });

    const redone = await api.post(`${plan.path}/redo/${logid}`, { pf_user: 'eve' });
    expect(redone.body).toEqual({ ...answer.body, logid: expect.any(Number) });
    expect(await plan.written(redone.body.logid)).toEqual(DIFFERENCES);
    expect(await plan.locks()).toMatchObject([{ created_by: 'eve', logid: redone.body.logid }]);
    const [again] = await plan.entries();
    expect(again).toMatchObject({ note: 'Q1', params: { redo_of: logid, through: '2027-03-31' } });
  });

  it('of closed months writes the changes of the source, and earlier closes do not lock it out', async ({
    service,
  }) => {
    const plan = await planOfNextYear(service, HAPPENED);
    const first = await plan.closed('2027-03-31');
    const before = await plan.state();
    await service.query(
      `UPDATE ${plan.source} SET "Sales" = 45 WHERE "Region" = 'B' AND "Order Date" = '2027-01-10';
       DELETE FROM ${plan.source} WHERE "Region" = 'C';
       INSERT INTO ${plan.source} ("Region", "Order Date", "Sales") VALUES ('D', '2027-02-01', 1)`,
    );
    const { body: restated } = await plan.close('2027-03-31');
    expect(restated).toMatchObject({
      row_count: 3,
      before: { value_total: 305.75, units_total: 29 },
      after: { value_total: 302.25, units_total: 28 },
    });
    expect(await plan.written(restated.logid)).toEqual([
      ['B', '2027-01-10', '2027-01', 2.5, 0],
      ['C', '2027-01-20', '2027-01', -7, -1],
      ['D', '2027-02-01', '2027-02', 1, 0],
    ]);
    expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
    // The first one is undone only after it.
    const undo = (id: number) => () => service.api.del(`/log/${id}`);
    expect((await plan.refused(undo(first), 423)).error).toBe(
      `Nothing was changed, because entry ${restated.logid} of ann has closed the months of some of these rows`,
    );
    expect((await undo(restated.logid)()).status).toBe(200);
    expect(await plan.state()).toEqual(before);
    expect((await undo(first)()).status).toBe(200);
    expect(await plan.locks()).toEqual([]);
  });

  it('closes without a row where plan and source agree', async ({ service }) => {
    const plan = await planOfNextYear(service, HAPPENED);
    await plan.closed('2027-03-31');
    const { body } = await plan.close('2027-03-31', { from: '2027-01-01' });
    expect(body).toMatchObject({ row_count: 0, from: '2027-01-01', before: body.after });
    expect(await plan.locks()).toHaveLength(2);
    expect((await service.api.del(`/log/${body.logid}`)).body.rows_deleted).toBe(0);
    expect(await plan.locks()).toHaveLength(1);
  });

  it('counts the rows of the plan that operations see, and no reference', async ({ service }) => {
    const plan = await planOfNextYear(service, HAPPENED);
    await plan.done('reference', { date_offset: '1 year' });
    const scaled = await plan.done('scale', { slice: {}, pct: 10 });
    await plan.done('recode', { slice: { Region: 'A' }, set: { Region: 'B' }, factor: 0.3 });
    await plan.done('clone', { slice: { Region: null }, set: { Region: 'E' } });
    const { body } = await plan.close('2027-03-31');
    expect(body.after).toMatchObject({ value_total: 305.75, units_total: 29 });
    expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
    // The forecast is the sum of all entries except the close.
    const [{ sum }] = (await service.query(
      `SELECT sum("Sales")::float8 AS sum FROM ${plan.table}
       WHERE pf_iter NOT IN ('reference', 'actual') AND "Order Date" < '2027-04-01'`,
    )) as [{ sum: number }];
    expect(sum).toBe(body.before.value_total);
    await plan.refused(() => service.api.del(`/log/${scaled}`), 423);
  });

  it('takes dates as a load does: an offset with the rule for short months, a second date, days', async ({
    service,
  }) => {
    const plan = await planOfNextYear(service, [
      ['A', '2026-02-28', 10, 1],
      ['A', '2027-01-31', 4, 2],
      ['A', '2027-02-01', 100, 9],
    ]);
    const { body } = await plan.close('2027-02-28', { date_offset: '1 month' });
    expect(body).toMatchObject({ from: '2027-02-28', row_count: 1 });
    expect(await plan.written(body.logid)).toEqual([['A', '2027-02-28', '2027-02', -6, 1]]);
    await service.query(`UPDATE ${plan.source} SET "Shipped" = '2027-05-05'`);
    const shipped = await plan.close('2027-05-31', { column: 'Shipped', from: '2027-05-01' });
    expect(shipped.body).toMatchObject({ row_count: 2, before: { row_count: 0, value_total: 0 } });
    expect((await plan.locks())[1]).toMatchObject({ slice: { Shipped: { from: '2027-05-01' } } });
  });

  it('takes the day of a moment in its time zone, also at the end of a month', async ({
    service,
  }) => {
    const plan = await planOfNextYear(
      service,
      [
        ['A', '2026-03-31T20:00:00Z', 10, 1],
        // The last evening of March in Los Angeles, and its first morning in April.
        ['A', '2027-04-01T06:59:59Z', 4, 1],
        ['A', '2027-04-01T07:00:00Z', 8, 1],
      ],
      { zone: 'America/Los_Angeles' },
    );
    const { body } = await plan.close('2027-03-31');
    expect(await plan.written(body.logid)).toEqual([['A', '2027-03-31', '2027-03', -6, 0]]);
    expect(await plan.differences('2027-03-01', '2027-03-31')).toEqual([]);
    const april = await plan.close('2027-04-30', { from: '2027-04-01' });
    expect(await plan.written(april.body.logid)).toEqual([['A', '2027-04-01', '2027-04', 8, 1]]);
  });

  it('answers its rows as Arrow, at the grain, too, and a repeated key as before', async ({
    service,
  }) => {
    const { api } = service;
    const send = (path: string, body: object, key: string, accept: string) =>
      api.send(`${path}/actuals`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, 'idempotency-key': key },
        body: JSON.stringify(body),
      });
    const arrow = 'application/vnd.apache.arrow.stream';
    for (const grain of [[], ['Region', 'Month']]) {
      const plan = await planOfNextYear(service, HAPPENED, { grain });
      const body = plan.body({ through: '2027-03-31', note: 'Q1' });
      const first = await send(plan.path, body, 'arrow', arrow);
      expect([first.status, first.headers.get('content-type')]).toEqual([200, arrow]);
      const table = tableFromIPC(first.bytes);
      expect(first.headers.get('x-row-count')).toBe(String(table.numRows));
      const facts = JSON.parse(table.schema.metadata.get('pf_actuals') ?? '');
      expect(facts).toMatchObject({ row_count: 5, after: { value_total: 305.75 } });
      const rows = table.toArray().map((row) => row.toJSON());
      expect(rows.reduce((sum, row) => sum + row.Sales, 0)).toBe(-104.25);
      expect(rows[0]).toMatchObject({ pf_iter: 'actual', pf_op: 'actual', pf_note: 'Q1' });
      expect(Object.hasOwn(rows[0], 'pf_gkey')).toBe(grain.length > 0);
      expect(await plan.differences('2027-01-01', '2027-03-31')).toEqual([]);
      const locks = await plan.locks();

      expect((await send(plan.path, body, 'arrow', arrow)).bytes).toEqual(first.bytes);
      expect((await send(plan.path, body, 'arrow', 'application/json')).body).toEqual(facts);
      const json = await send(plan.path, body, 'json', 'application/json');
      expect(json.body).toMatchObject({ row_count: 0 });
      expect((await send(plan.path, body, 'json', 'application/json')).body).toEqual(json.body);
      expect((await send(plan.path, body, 'json', arrow)).status).toBe(409);
      expect((await send(plan.path, { ...body, note: 'x' }, 'json', arrow)).status).toBe(409);
      expect(await plan.locks()).toHaveLength(locks.length + 1);
    }
  });

  it('sends events for its entry and its lock, and for both when it is undone', async ({
    service,
  }) => {
    const plan = await planOfNextYear(service, HAPPENED);
    const stream = await openEvents(service.url, plan.path);
    const logid = await plan.closed('2027-03-31');
    await service.api.del(`/log/${logid}`);
    const events = await stream.events(4);
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['written', { logid, operation: 'actual', pf_user: 'ann' }],
      ['locks', expect.anything()],
      ['undone', { logid }],
      ['locks', expect.anything()],
    ]);
  });
});

it('closes on doubles to their precision, without noise', async ({ service }) => {
  const plan = await planOfNextYear(
    service,
    [
      ...[0.1, 0.2, -0.3].map((amount): Happened => ['A', '2026-01-10', amount, 1]),
      ['A', '2027-01-10', 0, 3],
      ['B', '2026-01-10', 1e15, 1],
      ['B', '2027-01-10', 0.3, 2],
    ],
    { value: 'double precision' },
  );
  const logid = await plan.closed('2027-03-31');
  expect(await plan.written(logid)).toEqual([['B', '2027-01-10', '2027-01', 0.3 - 1e15, 1]]);
  expect(await bytes(service, plan)).toHaveLength(5);
});
