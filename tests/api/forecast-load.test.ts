import { describe, expect } from 'vitest';
import { limitOf } from '../../src/lib/contract/forecasts';
import { it } from '../support/api';
import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';

/** Three years of sales by region and product; West sells nothing in summer, and Rare only in one month. */
const SALES = `CREATE TABLE public.sold AS
  SELECT region, product, day::date,
         round((100 + 7 * month + 13 * n + CASE region WHEN 'North' THEN 50 ELSE 0 END)::numeric / 3, 2) AS amount,
         (month + n)::integer AS units, NULL::text AS empty
  FROM generate_series(DATE '2024-01-01', DATE '2026-12-01', interval '1 month') AS start,
       LATERAL (SELECT extract(month FROM start)::integer AS month) AS m,
       generate_series(1, 4) AS n,
       LATERAL (SELECT start + n * interval '6 days' AS day, 'P' || n AS product) AS d,
       (VALUES ('North'), ('West')) AS r (region)
  WHERE region = 'North' OR month NOT IN (7, 8);
  INSERT INTO public.sold VALUES ('Rare', 'P1', '2025-05-17', 12.34, 5, NULL);
  ALTER TABLE public.sold ALTER amount TYPE numeric(12,2)`;

const ROLES = {
  region: 'dimension',
  product: 'dimension',
  empty: 'dimension',
  day: 'date',
  amount: 'value',
  units: 'units',
} as const;

let plan: PlannedTable;
const ONLY = { filters: [[{ cname: 'region', op: 'in', value: ['North', 'West'] }]] };
const YEAR = {
  ...ONLY,
  history: { through: '2026-12-31' },
  horizon: { from: '2027-01-01', through: '2027-12-31' },
  unit: 'month',
  by: ['region'],
  missing: 'leave_out',
};

it.beforeAll(async ({ service }) => {
  await service.query(SALES);
  plan = await planTable(service, 'sold', ROLES);
});

/** A version of the source that is not used by another test, with nothing loaded. */
async function version({ api }: Service) {
  const name = `Plan ${Math.random()}`;
  const { id } = (await api.post(`/sources/${plan.sourceId}/versions`, { name })).body;
  return { id, path: `/versions/${id}`, table: `pf."fc_sold_${id}"` };
}

async function load({ api }: Service, path: string, body: object = {}) {
  const answer = await api.post(`${path}/forecast`, { ...YEAR, pf_user: 'ana', ...body });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body;
}

/** Totals by region and month, as "North 2027-01-01 1234.50 17". */
const totals = async ({ query }: Service, table: string, where = 'TRUE') =>
  (
    await query<{ region: string; month: string; amount: string; units: string | number }>(
      `SELECT region, date_trunc('month', day)::date AS month, sum(amount) AS amount,
              sum(units) AS units
       FROM ${table} WHERE ${where} GROUP BY 1, 2 ORDER BY 1, 2`,
    )
  ).map(({ region, month, amount, units }) => `${region} ${month} ${amount} ${units}`);

/** The same of a preview. */
async function announced({ api }: Service, body: object = {}) {
  const { pf_user: _, missing: __, ...asked } = { ...YEAR, pf_user: '', ...body };
  const { groups, horizon } = (
    await api.post(`/versions/${plan.versionId}/forecast/preview`, asked)
  ).body;
  const [value, units] = ['value', 'units'].map((role) =>
    groups.filter(({ measure }: { measure: string }) => measure === role),
  );
  return value
    .flatMap(({ group, forecast }: { group: { region: string }; forecast: number[] }, g: number) =>
      horizon.map((month: string, t: number) => ({
        region: group.region,
        month,
        amount: forecast[t],
        units: units[g].forecast[t],
      })),
    )
    .map(
      ({
        region,
        month,
        amount,
        units,
      }: {
        region: string;
        month: string;
        amount: number;
        units: number;
      }) => `${region} ${month} ${amount.toFixed(2)} ${units}`,
    )
    .toSorted();
}

describe('Loading a forecast', () => {
  it('writes rows that add up to each announced amount', async ({ service }) => {
    const { path, table } = await version(service);
    const { logid, row_count, left_out } = await load(service, path);
    const isCarried = (line: string) => !/^West 2027-0[78]/.test(line);
    expect(await totals(service, table)).toEqual((await announced(service)).filter(isCarried));
    const [{ rows, iters, leaves }] = await service.query(
      `SELECT count(*)::int AS rows, array_agg(DISTINCT pf_iter) AS iters,
         count(*) FILTER (WHERE (region, product, day - interval '1 year') IN
           (SELECT region, product, day FROM sold))::int AS leaves FROM ${table} WHERE pf_logid = ${logid}`,
    );
    expect([rows, iters, leaves]).toEqual([row_count, ['forecast'], row_count]);
    expect(left_out ?? []).toEqual([]);
  });

  it('of the whole source by quarter and by week is exact too', async ({ service }) => {
    for (const unit of ['quarter', 'week']) {
      const { path, table } = await version(service);
      const asked = { unit, by: [], horizon: { from: '2027-01-04', through: '2027-06-30' } };
      await load(service, path, asked);
      const { groups, horizon } = (
        await service.api.post(`${path}/forecast/preview`, {
          ...YEAR,
          ...asked,
          missing: undefined,
        })
      ).body;
      const found = await service.query(
        `SELECT date_trunc('${unit}', day)::date::text AS period, sum(amount)::float8 AS amount
         FROM ${table} GROUP BY 1 ORDER BY 1`,
      );
      const wanted = horizon.map((period: string, t: number) => ({
        period,
        amount: groups[0].forecast[t],
      }));
      const carried = new Set(found.map(({ period }) => period));
      expect(carried.size).toBeGreaterThan(1);
      expect(found).toEqual(wanted.filter(({ period }: { period: string }) => carried.has(period)));
    }
  });

  it('keeps the totals of a measure that is not forecast', async ({ service }) => {
    const { path, table } = await version(service);
    await load(service, path, { measures: ['value'] });
    const units = await service.query(
      `SELECT region, to_char(day, 'MM') AS month, sum(units)::int AS units FROM ${table} GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    const before = await service.query(
      `SELECT region, to_char(day, 'MM') AS month, sum(units)::int AS units FROM sold
       WHERE region <> 'Rare' AND day >= '2026-01-01' GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(units).toEqual(before);
  });

  it('leaves the plan of the horizon alone, or takes it out', async ({ service }) => {
    const { api } = service;
    const { path, table } = await version(service);
    await api.post(`${path}/baseline`, { ...ONLY, date_offset: '1 year', pf_user: 'ana' });
    const before = await totals(service, table, "day >= '2027-01-01'");
    const added = await load(service, path);
    expect(await totals(service, table, "day >= '2027-01-01'")).not.toEqual(before);
    await api.del(`/log/${added.logid}`);
    expect(await totals(service, table, "day >= '2027-01-01'")).toEqual(before);
    await load(service, path, { replace: true });
    const after = await totals(service, table, "day >= '2027-01-01'");
    const wanted = await announced(service);
    expect(after).toEqual(wanted.filter((line: string) => after.includes(line)));
    expect(after).toHaveLength(22);
    expect(await totals(service, table, "day < '2027-01-01'")).toHaveLength(44);
  });

  it('names the amounts that no row can carry', async ({ service }) => {
    const { api } = service;
    const { path, table } = await version(service);
    const asked = { ...YEAR, filters: undefined, method: 'croston', pf_user: 'ana' };
    const refused = await api.post(`${path}/forecast`, { ...asked, missing: undefined });
    expect(refused).toMatchObject({
      status: 422,
      body: { field: 'missing', error: expect.stringContaining('Rare in 2027-01-01') },
    });
    expect(await service.query(`SELECT FROM ${table}`)).toEqual([]);
    const { left_out } = await load(service, path, { filters: undefined, method: 'croston' });
    const [rare, west] = left_out;
    expect(rare.group).toEqual({ region: 'Rare' });
    expect(rare.periods).toHaveLength(11);
    expect(rare.periods).not.toContain('2027-05-01');
    expect(west).toEqual({ group: { region: 'West' }, periods: ['2027-07-01', '2027-08-01'] });
    // Rare sold two years before, in a year that the history still has.
    const [{ day }] = await service.query(`SELECT day::text FROM ${table} WHERE region = 'Rare'`);
    expect(day).toBe('2027-05-17');
  });

  it('is undone exactly, and a redo aims at the same amounts after the source has changed', async ({
    service,
  }) => {
    const { api, query } = service;
    const { path, table } = await version(service);
    const { logid } = await load(service, path);
    const before = await totals(service, table);
    const groupsOf = async () => (await api.get(`${path}/log`)).body.entries[0].params.groups;
    const groups = await groupsOf();
    // The entry keeps the deviations of its amounts, from which pages draw the range.
    const { missing: _, ...asked } = YEAR;
    const shown = (await api.post(`${path}/forecast/preview`, asked)).body.groups;
    for (const [g, { forecast, deviation, freedom }] of groups.entries()) {
      expect(deviation).toHaveLength(12);
      for (const [h, amount] of forecast.entries()) {
        const off = shown[g].band95.upper[h] - amount;
        expect(Math.abs(limitOf(95, freedom) * deviation[h] - off)).toBeLessThan(0.51 + off / 1000);
      }
    }
    await api.del(`/log/${logid}`);
    expect(await query(`SELECT FROM ${table}`)).toEqual([]);
    await query("INSERT INTO sold VALUES ('North', 'P9', '2026-03-05', 99999.99, 1000, NULL)");
    try {
      const redone = await api.post(`${path}/redo/${logid}`, { pf_user: 'bea' });
      expect([redone.status, redone.body.error]).toEqual([200, undefined]);
      expect(await totals(service, table)).toEqual(before);
      expect(await groupsOf()).toEqual(groups);
      expect(await query(`SELECT FROM ${table} WHERE product = 'P9'`)).toHaveLength(1);

      const replayed = await api.post(`${path}/replay`, { name: `Anew ${logid}`, pf_user: 'bea' });
      expect([replayed.status, replayed.body.error]).toEqual([201, undefined]);
      const anew = `pf."fc_sold_${replayed.body.version.id}"`;
      expect(await totals(service, anew)).not.toEqual(before);
      const copied = await api.post(`${path}/copy`, { name: `Copy ${logid}`, pf_user: 'bea' });
      expect(await totals(service, `pf."fc_sold_${copied.body.id}"`)).toEqual(before);
    } finally {
      await query("DELETE FROM sold WHERE product = 'P9'");
    }
  });

  it('is refused for a closed version and for locked rows, and is written once', async ({
    service,
  }) => {
    const { api, query } = service;
    const { path, table } = await version(service);
    const lock = await api.post(`${path}/locks`, {
      slice: { region: 'North', day: { from: '2027-03-01', to: '2027-03-31' } },
      pf_user: 'eva',
    });
    const body = { ...YEAR, pf_user: 'ana' };
    expect(await api.post(`${path}/forecast`, body)).toMatchObject({ status: 423 });
    expect(await query(`SELECT FROM ${table}`)).toEqual([]);
    await api.del(`/locks/${lock.body.id}`);
    const keyed = () =>
      api.send(`${path}/forecast`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'Idempotency-Key': 'forecast-once' },
        body: JSON.stringify(body),
      });
    const first = await keyed();
    const again = await keyed();
    expect([first.status, again.body]).toEqual([200, first.body]);
    await api.post(`${path}/close`, { pf_user: 'ana' });
    expect(await api.post(`${path}/forecast`, body)).toMatchObject({
      status: 403,
      body: { error: 'Version is closed' },
    });
  });

  it('is a segment: it is listed, cannot be edited, and does not count as an operation', async ({
    service,
  }) => {
    const { api } = service;
    const { path } = await version(service);
    const loaded = await api.post(`${path}/baseline`, { ...ONLY, pf_user: 'ana' });
    const { logid, row_count } = await load(service, path, { note: 'Start' });
    const segments = (await api.get(`${path}/segments`)).body;
    expect(segments.at(-1)).toMatchObject({
      ...{ id: logid, operation: 'forecast', row_count, note: 'Start' },
      params: { unit: 'month', by: ['region'], method: 'auto', missing: 'leave_out' },
    });
    const edit = await api.put(`${path}/baseline/${logid}`, { pf_user: 'ana' });
    expect(edit).toMatchObject({ status: 409 });
    const other = await api.put(`${path}/baseline/${loaded.body.logid}`, {
      ...{ ...ONLY, pf_user: 'ana', date_offset: '1 year' },
    });
    expect(other.status).toBe(200);
  });
});
