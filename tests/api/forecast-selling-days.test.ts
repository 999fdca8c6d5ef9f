import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';

/** Sales from Monday to Friday, the same on each day of a region; those of a week in May are twice as much. */
const sales = (from: string, through: string) =>
  `SELECT region, day::date, (weight * CASE WHEN to_char(day, 'MMDD') BETWEEN '0508' AND '0514' THEN 2 ELSE 1 END
       + (extract(doy FROM day)::integer % 7) / 100.0)::numeric(12,2) AS amount
   FROM generate_series(DATE '${from}', DATE '${through}', interval '1 day') AS day,
     (VALUES ('North', 100), ('West', 30)) AS r (region, weight)
   WHERE extract(isodow FROM day) <= 5`;

const FAIR = Array.from({ length: 8 }, (_, i) => ({
  ...{ from: `${2020 + i}-05-08`, to: `${2020 + i}-05-14`, name: 'Fair' },
}));

const YEAR = {
  history: { through: '2026-12-31' },
  horizon: { from: '2027-01-01', through: '2027-12-31' },
  ...{ unit: 'month', by: ['region'], levels: [[]], ignore: FAIR },
};

let plan: PlannedTable;
it.beforeAll(async ({ service }) => {
  await service.query(`CREATE TABLE public.fair (region text, day date, amount numeric(12,2));
    INSERT INTO public.fair ${sales('2020-01-01', '2026-12-31')}`);
  plan = await planTable(service, 'fair', { region: 'dimension', day: 'date', amount: 'value' });
});

interface Group {
  group: { region?: string };
  why: string;
  history: number[];
  fit: (number | null)[];
  forecast: number[];
  band95: { lower: number[]; upper: number[] };
  events: { lift: number; horizon: number[] }[];
}

async function preview({ api }: Service, body: object) {
  const path = `/versions/${plan.versionId}/forecast/preview`;
  const answer = await api.post(path, { ...YEAR, ...body });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as { groups: Group[]; sums: Group[] };
}

/** What each region sells in the months of 2027, and all together under "null". */
async function sold({ query }: Service): Promise<Record<string, number[]>> {
  const rows = await query<{ region: string | null; amounts: number[] }>(
    `SELECT region, array_agg(amount ORDER BY month) AS amounts FROM (
       SELECT region, date_trunc('month', day) AS month, sum(amount)::float8 AS amount
       FROM (${sales('2027-01-01', '2027-12-31')}) AS s
       GROUP BY GROUPING SETS ((region, date_trunc('month', day)), (date_trunc('month', day)))) AS t
     GROUP BY region`,
  );
  return Object.fromEntries(rows.map(({ region, amounts }) => [String(region), amounts]));
}

const SENTENCE = 'It was fitted to amounts per selling day, Monday to Friday.';

describe('A forecast by selling days', () => {
  it('knows how many there are in each month, with levels and events', async ({ service }) => {
    const found = await preview(service, { selling_days: 'monday_to_friday' });
    const plain = await preview(service, {});
    const actual = await sold(service);
    const off = (groups: Group[]) =>
      groups.map(({ group, forecast }) => {
        const amounts = actual[group.region ?? 'null'] ?? [];
        expect(amounts).toHaveLength(12);
        const errors = forecast.map((amount, h) => Math.abs(amount / amounts[h]! - 1));
        return errors.reduce((total, error) => total + error, 0) / 12;
      });
    for (const error of off([...found.groups, ...found.sums])) expect(error).toBeLessThan(0.01);
    for (const error of off([...plain.groups, ...plain.sums])) expect(error).toBeGreaterThan(0.02);

    for (const group of [...found.groups, ...found.sums]) {
      expect(group.why).toContain(SENTENCE);
      // The bands and the fit have the days of their months, too.
      for (const [h, amount] of group.forecast.entries()) {
        expect(group.band95.lower[h]).toBeLessThanOrEqual(amount + 0.01);
        expect(group.band95.upper[h]).toBeGreaterThanOrEqual(amount - 0.01);
        expect(group.band95.upper[h]! / amount).toBeLessThan(1.1);
      }
      const fitted = group.fit.flatMap((value, t) =>
        value === null ? [] : [Math.abs(value / group.history[t]! - 1)],
      );
      expect(Math.max(...fitted.slice(-12))).toBeLessThan(0.03);
      // Five of 21 to 23 days sell twice as much.
      expect(group.events[0]!.lift).toBeCloseTo(5 / 22, 1);
      expect(group.events[0]!.horizon[0]! / group.forecast[4]!).toBeCloseTo(5 / 26, 1);
    }
    for (const { why } of plain.groups) expect(why).not.toContain('selling day');
    // Sums add up after the multiplication.
    for (const [h, amount] of (found.sums[0]?.forecast ?? []).entries()) {
      const total = found.groups.reduce((all, { forecast }) => all + forecast[h]!, 0);
      expect(amount).toBeCloseTo(total, 2);
    }
  });

  it('is the same by week', async ({ service }) => {
    const weeks = {
      ...{ unit: 'week', levels: null, ignore: null, history: { through: '2026-12-27' } },
      horizon: { from: '2027-01-04', through: '2027-03-28' },
    };
    const plain = await preview(service, weeks);
    expect(await preview(service, { ...weeks, selling_days: 'monday_to_friday' })).toEqual(plain);
  });

  it('is compared by level per selling day', async ({ service }) => {
    const compare = async (body: object) =>
      (await service.api.post(`/versions/${plan.versionId}/forecast/levels`, { ...YEAR, ...body }))
        .body.levels[0].wape as number;
    const [plain, counted] = [
      await compare({ ignore: null }),
      await compare({ ignore: null, selling_days: 'monday_to_friday' }),
    ];
    expect(counted).toBeLessThan(plain / 2);
  });

  it('is loaded as the preview shows it, and again by a redo and a replay', async ({ service }) => {
    const { api, query } = service;
    const path = `/versions/${plan.versionId}`;
    const body = { ...YEAR, selling_days: 'monday_to_friday' };
    const shown = await preview(service, body);
    const totals = async (versionId: number) =>
      (
        await query(
          `SELECT region, array_agg(amount::float8 ORDER BY month) AS forecast FROM (
             SELECT region, date_trunc('month', day) AS month, sum(amount) AS amount
             FROM pf."fc_fair_${versionId}" WHERE pf_iter = 'forecast' GROUP BY 1, 2) AS s
           GROUP BY region ORDER BY region`,
        )
      ).map(({ region, forecast }) => ({ region, forecast }));
    const loaded = await api.post(`${path}/forecast`, { ...body, pf_user: 'ann' });
    expect([loaded.status, loaded.body.error]).toEqual([200, undefined]);
    const expected = shown.groups
      .map(({ group, forecast }) => ({ region: group.region, forecast }))
      .toSorted((a, b) => (a.region! < b.region! ? -1 : 1));
    expect(await totals(plan.versionId)).toEqual(expected);

    const { params } = (await api.get(`${path}/log`)).body.entries[0];
    expect(params.selling_days).toBe('monday_to_friday');
    const replayed = await api.post(`${path}/replay`, { name: 'Anew', pf_user: 'bea' });
    expect([replayed.status, replayed.body.error]).toEqual([201, undefined]);
    expect(await totals(replayed.body.version.id)).toEqual(expected);

    await api.del(`/log/${loaded.body.logid}`);
    const redone = await api.post(`${path}/redo/${loaded.body.logid}`, { pf_user: 'ann' });
    expect([redone.status, redone.body.error]).toEqual([200, undefined]);
    expect(await totals(plan.versionId)).toEqual(expected);
  });

  it('is refused for other days', async ({ service }) => {
    const path = `/versions/${plan.versionId}/forecast/preview`;
    const { status, body } = await service.api.post(path, { ...YEAR, selling_days: 'sundays' });
    expect([status, body.field]).toEqual([400, 'selling_days']);
  });
});
