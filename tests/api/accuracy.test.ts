// Tests docs/contract/06-log.md#get-versionsidaccuracy.
import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planOfNextYear, type Happened } from '../support/closing';
import type { Service } from '../support/service';

/** Forecast and actual amounts of January to March 2027; April stays open. */
const ROWS: Happened[] = [
  ['A', '2026-01-10', 100, 10],
  ['B', '2026-01-10', 50, 5],
  ['A', '2026-02-10', 110, 11],
  ['B', '2026-03-10', 120, 12],
  ['A', '2026-04-10', 200, 20],
  ['A', '2027-01-12', 80, 8],
  ['B', '2027-01-10', 70, 7],
  ['A', '2027-02-10', 110, 11],
  ['B', '2027-03-10', 100, 10],
];

/** Sum of the actual amounts. */
const SIZE = 360;
const share = (off: number) => Number((off / SIZE).toPrecision(12));
const errors = (off: number, over: number) => ({ wape: share(off), bias: share(over) });

/** The plan with a change of bob, which makes it better, and one of eva, which makes it worse; then closed. */
async function closedPlan(service: Service) {
  const plan = await planOfNextYear(service, ROWS);
  const condition = `"Order Date" < '2027-01-01'`;
  const reference = { raw_where: condition, date_offset: '1 year', pf_user: 'ann' };
  await service.api.post(`${plan.path}/reference`, reference);
  const january = { from: '2027-01-01', to: '2027-01-31' };
  const scaled = (Region: string, value_incr: number, pf_user: string) =>
    plan.done('scale', {
      slice: { Region, 'Order Date': january },
      ...{ value_incr, pf_user },
    });
  const bob = await scaled('B', 20, 'bob');
  const eva = await scaled('A', 10, 'eva');
  // A change of an open month only.
  await plan.done('scale', { slice: { Region: 'A', 'Order Date': '2027-04-10' }, pct: 50 });
  const close = await plan.closed('2027-03-31');
  const ask = async (query = '') => {
    const { status, body } = await service.api.get(`${plan.path}/accuracy${query}`);
    expect([status, body.error]).toEqual([200, undefined]);
    return body;
  };
  return { ...plan, bob, eva, close, ask };
}

describe('The accuracy of closed months', () => {
  it('has the errors after each entry, by cell', async ({ service }) => {
    const { ask, bob, eva } = await closedPlan(service);
    const { column, through, cells, forecast, reference, entries } = await ask('?by=Region');
    expect({ column, through, cells }).toEqual({
      column: 'Order Date',
      through: '2027-03-31',
      cells: 4,
    });
    expect(
      entries.map(({ logid, pf_user, value }: Record<string, unknown>) => [logid, pf_user, value]),
    ).toEqual([
      [expect.any(Number), 'ann', errors(60, 20)],
      [bob, 'bob', errors(40, 40)],
      [eva, 'eva', errors(50, 50)],
    ]);
    expect(forecast.value).toEqual(errors(50, 50));
    expect(reference.value).toEqual(errors(60, 20));
    // Nobody changed the units: 10, 5, 11 and 12 instead of 8, 7, 11 and 10.
    expect(forecast.units).toEqual({
      wape: Number((6 / 36).toPrecision(12)),
      bias: Number((2 / 36).toPrecision(12)),
    });
  });

  it('of the total lets regions make up for each other', async ({ service }) => {
    const { ask } = await closedPlan(service);
    const { cells, entries } = await ask();
    expect(cells).toBe(3);
    expect(entries.map(({ value }: { value: object }) => value)).toEqual([
      errors(20, 20),
      errors(40, 40),
      errors(50, 50),
    ]);
  });

  it('compares the forecast with and without the changes of a person', async ({ service }) => {
    const { ask } = await closedPlan(service);
    const { people } = await ask('?by=Region');
    expect(people).toMatchObject([
      { pf_user: 'bob', entries: 1, value: { before: errors(70, 30), after: errors(50, 50) } },
      { pf_user: 'eva', entries: 1, value: { before: errors(40, 40), after: errors(50, 50) } },
    ]);
  });

  it('lists the worst cells', async ({ service }) => {
    const { ask } = await closedPlan(service);
    const { worst } = await ask('?by=Region');
    expect(worst).toEqual([
      {
        ...{ cell: { Region: 'A' }, month: '2027-01-01' },
        forecast: { value: 110, units: 10 },
        actual: { value: 80, units: 8 },
      },
      {
        ...{ cell: { Region: 'B' }, month: '2027-03-01' },
        forecast: { value: 120, units: 12 },
        actual: { value: 100, units: 10 },
      },
    ]);
  });

  it('lists the worst cells of the measure that is named', async ({ service }) => {
    const plan = await planOfNextYear(service, [
      ['A', '2026-01-10', 100, 10],
      ['B', '2026-01-10', 50, 5],
      ['A', '2026-02-10', 110, 11],
      ['A', '2027-01-12', 80, 9],
      ['B', '2027-01-10', 50, 10],
      ['A', '2027-02-10', 111, 8],
    ]);
    await plan.closed('2027-02-28');
    for (const [measure, column] of [
      ['value', 'Sales'],
      ['units', 'Units'],
    ]) {
      const forecast = `sum("${column}") FILTER (WHERE pf_iter <> 'actual')`;
      const wanted = await service.query(
        `SELECT "Region" AS region, date_trunc('month', "Order Date")::date::text AS month,
           ${forecast}::float8 AS forecast, sum("${column}")::float8 AS actual
         FROM ${plan.table} GROUP BY 1, 2 HAVING ${forecast} <> sum("${column}")
         ORDER BY abs(${forecast} - sum("${column}")) DESC`,
      );
      const { body } = await service.api.get(`${plan.path}/accuracy?by=Region&measure=${measure}`);
      type Worst = Record<'forecast' | 'actual', Record<string, number>> & {
        cell: { Region: string };
        month: string;
      };
      expect(
        body.worst.map(({ cell, month, ...amounts }: Worst) => ({
          ...{ region: cell.Region, month },
          forecast: amounts.forecast[measure!],
          actual: amounts.actual[measure!],
        })),
      ).toEqual(wanted);
      expect(wanted).toHaveLength(measure === 'value' ? 2 : 3);
    }
  });

  it('with a lag counts only entries made that many months before a month, or earlier', async ({
    service,
  }) => {
    const { ask, path, bob, eva } = await closedPlan(service);
    const id = Number(path.split('/').at(-1));
    await service.query(`UPDATE pf.log SET stamp = CASE id
        WHEN ${bob} THEN timestamptz '2026-12-15 12:00Z'
        WHEN ${eva} THEN timestamptz '2027-02-15 12:00Z'
        ELSE timestamptz '2026-06-15 12:00Z' END
      WHERE version_id = ${id} AND operation IN ('baseline', 'scale')`);
    const wape = async (lag: number) => (await ask(`?by=Region&lag=${lag}`)).forecast.value.wape;
    expect([await wape(0), await wape(1), await wape(12)]).toEqual([share(40), share(60), 1]);
    expect((await ask('?by=Region&lag=2')).entries).toHaveLength(1);
  });

  it('follows restatements and undos', async ({ service }) => {
    const { ask, source, close, closed } = await closedPlan(service);
    const { api, query } = service;
    await query(`UPDATE ${source} SET "Sales" = 100 WHERE "Order Date" = '2027-01-12'`);
    const restatement = await closed('2027-03-31');
    const { forecast, entries } = await ask('?by=Region');
    expect(entries).toHaveLength(3);
    // The actual amounts are 380 in total now, and A is 10 off in January.
    expect(forecast.value.wape).toBeCloseTo(30 / 380, 10);
    await api.del(`/log/${restatement}`);
    await api.del(`/log/${close}`);
    expect(await ask()).toMatchObject({
      through: null,
      cells: 0,
      entries: [],
      people: [],
      worst: [],
    });
  });

  it.for(['numeric(12,2)', 'numeric', 'double precision'])(
    'is unknown if the closed months are 0, although the amounts of %s cancel out',
    async (value, { service }) => {
      const rows: Happened[] = [
        ['A', '2026-01-10', 0.1, 1],
        ['A', '2026-04-10', 5, 5],
      ];
      const plan = await planOfNextYear(service, rows, { value });
      await plan.done('scale', { slice: { 'Order Date': '2027-01-10' }, value_incr: 0.2 });
      await plan.closed('2027-03-31');
      const { body } = await service.api.get(`${plan.path}/accuracy`);
      const unknown = { wape: null, bias: null };
      expect(body.forecast).toEqual({ value: unknown, units: unknown });
      expect(body.entries.map((entry: Record<string, unknown>) => entry.value)).toEqual([
        unknown,
        unknown,
      ]);
      expect(body.worst).toMatchObject([{ forecast: { value: 0.3 }, actual: { value: 0 } }]);
    },
  );

  it('refuses columns, measures and lags that it cannot use', async ({ service }) => {
    const { path } = await closedPlan(service);
    for (const [query, field] of [
      ['?by=Nope', 'by'],
      ['?by=Order Date', 'by'],
      ['?by=Sales', 'by'],
      ['?measure=Sales', 'measure'],
      ['?measure=', 'measure'],
      ['?lag=-1', 'lag'],
      ['?lag=1.5', 'lag'],
    ]) {
      const { status, body } = await service.api.get(`${path}/accuracy${query}`);
      expect([query, status, body.field]).toEqual([query, 400, field]);
    }
    expect((await service.api.get('/versions/99999/accuracy')).status).toBe(404);
  });
});
