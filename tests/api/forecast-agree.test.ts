import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';

/**
 * Five years of two regions, three categories and their articles, with two measures. A hash makes amounts that jump
 * around seasons of the category. Articles of category C sell in some months only, in whole pieces.
 */
const SALES = `CREATE TABLE public.traded AS
  SELECT region, category, category || n AS article, start::date + n AS day,
    round((60 + t + 25 * sin(t * pi() / 6 + ascii(category)) + jump % 60)::numeric / n, 2) AS amount,
    (1 + jump % 4)::integer AS pieces
  FROM generate_series(DATE '2022-01-01', DATE '2026-12-01', interval '1 month') WITH ORDINALITY AS m (start, t),
       (VALUES ('North'), ('West')) AS r (region), (VALUES ('A'), ('B'), ('C')) AS c (category),
       generate_series(1, 3) AS n,
       LATERAL (SELECT abs(hashint4(hashtext(region || category || n) + 104729 * t::integer)::bigint) AS jump) AS j
  WHERE category <> 'C' OR jump % 10 < 4;
  ALTER TABLE public.traded ALTER amount TYPE numeric(12,2)`;

const ROLES = {
  region: 'dimension',
  category: 'dimension',
  article: 'dimension',
  day: 'date',
  amount: 'value',
  pieces: 'units',
} as const;

const YEAR = {
  history: { through: '2026-12-31' },
  horizon: { from: '2027-01-01', through: '2027-12-31' },
  unit: 'month',
  by: ['region', 'category', 'article'],
};
const LEVELS = [[], ['region'], ['category', 'region'], ['category']];

let plan: PlannedTable;
it.beforeAll(async ({ service }) => {
  await service.query(SALES);
  plan = await planTable(service, 'traded', ROLES);
});

interface Group {
  group: Record<string, string>;
  measure: string;
  forecast: number[];
  band80: { lower: number[]; upper: number[] };
  history: (number | null)[];
  why: string;
  events: { name: string; lift: number | null; history: (number | null)[]; horizon: number[] }[];
}

async function preview({ api }: Service, body: object = {}, { versionId } = plan) {
  const answer = await api.post(`/versions/${versionId}/forecast/preview`, {
    ...YEAR,
    ...body,
  });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as { groups: Group[]; sums: Group[]; horizon: string[] };
}

/** Adds up amounts of a measure by period, of the groups with some values. */
const addedUp = (groups: Group[], of: Record<string, string>, measure: string): number[] => {
  const parts = groups.filter((each) => each.measure === measure && isIn(each.group, of));
  return parts[0]!.forecast.map((_, h) =>
    Number(parts.reduce((total, { forecast }) => total + forecast[h]!, 0).toFixed(2)),
  );
};

/** The first and the last day of a month. */
const daysOf = (month: string) => {
  const [year, number] = month.split('-').map(Number);
  const last = new Date(Date.UTC(year!, number!, 0)).toISOString().slice(0, 10);
  return { from: `${month}-01`, to: last };
};

const isIn = (group: Record<string, string>, of: Record<string, string>): boolean =>
  Object.entries(of).every(([name, value]) => group[name] === value);

describe('A forecast of several levels', () => {
  it.for(['month', 'quarter', 'week'])(
    'by %s adds up exactly, in each measure',
    async (unit, { service }) => {
      const { groups, sums, horizon } = await preview(service, { levels: LEVELS, unit });
      expect(groups).toHaveLength(2 * 18);
      expect(sums.filter(({ measure }) => measure === 'units').map(({ group }) => group)).toEqual([
        {},
        ...[{ region: 'North' }, { region: 'West' }],
        ...['A', 'B', 'C'].map((category) => ({ region: 'North', category })),
        ...['A', 'B', 'C'].map((category) => ({ region: 'West', category })),
        ...[{ category: 'A' }, { category: 'B' }, { category: 'C' }],
      ]);
      for (const { group, measure, forecast, why, band80, history } of sums) {
        expect(forecast).toEqual(addedUp(groups, group, measure));
        expect(why).toMatch(
          /(So that all levels add up, it was (raised|lowered) by .+ %|It agrees with the other levels as it is)\.$/,
        );
        for (const [h, amount] of forecast.entries()) {
          // Amounts are rounded together with those before, limits are not rounded.
          const rounding = measure === 'units' ? 2 : 0.02;
          expect(band80.lower[h]).toBeLessThan(amount + rounding);
          expect(band80.upper[h]).toBeGreaterThan(amount - rounding);
        }
        expect(history.at(-1)).not.toBeNull();
        expect(forecast).toHaveLength(horizon.length);
      }
      for (const { measure, forecast } of groups) {
        const decimals = measure === 'units' ? 0 : 2;
        for (const amount of forecast) {
          expect(amount).toBe(Number(amount.toFixed(decimals)));
          expect(amount).toBeGreaterThanOrEqual(0);
        }
      }
    },
  );

  it('gets what events add to its groups', async ({ service }) => {
    await service.query(`CREATE TABLE public.fairs AS SELECT * FROM public.traded;
      UPDATE public.fairs SET amount = 1.5 * amount
      WHERE category <> 'C' AND to_char(day, 'YYYY-MM') IN ('2023-04', '2024-05', '2025-04', '2026-05')`);
    const planned = await planTable(service, 'fairs', ROLES);
    const fairs = ['2023-04', '2024-05', '2025-04', '2026-05', '2027-04'];
    const ignore = fairs.map((month) => ({ ...daysOf(month), name: 'Fair' }));
    const { groups, sums } = await preview(service, { levels: LEVELS, ignore }, planned);
    const others = { levels: LEVELS, ignore: ignore.slice(0, -1) };
    const without = await preview(service, others, planned);
    for (const [i, { group, measure, forecast, events, band80 }] of sums.entries()) {
      expect(forecast).toEqual(addedUp(groups, group, measure));
      const [fair] = events;
      const added = groups
        .filter((each) => each.measure === measure && isIn(each.group, group))
        .map((each) => each.events[0]!.horizon[0]!);
      const sum = added.reduce((total, each) => total + each, 0);
      expect(fair!.horizon).toEqual([expect.closeTo(sum, measure === 'units' ? 0 : 1)]);
      expect(fair!.history).toHaveLength(4);
      // The rounding of each part may carry a unit from month to month.
      const april = without.sums[i]!.forecast[3]! + sum;
      expect(Math.abs(forecast[3]! - april)).toBeLessThan(measure === 'units' ? 3 : 0.2);
      expect(band80.upper[3]! - band80.lower[3]!).toBeGreaterThan(0);
    }
    const [total] = sums.filter(({ measure }) => measure === 'value');
    expect(total!.events[0]!.lift).toBeGreaterThan(0.25);
    expect(total!.events[0]!.lift).toBeLessThan(0.6);
  });

  it('differs from that of one level, which has no sums', async ({ service }) => {
    const alone = await preview(service);
    expect(alone.sums).toEqual([]);
    expect((await preview(service, { levels: [] })).groups).toEqual(alone.groups);
    const { groups } = await preview(service, { levels: LEVELS });
    expect(groups.map(({ group, measure, history }) => [group, measure, history])).toEqual(
      alone.groups.map(({ group, measure, history }) => [group, measure, history]),
    );
    expect(groups).not.toEqual(alone.groups);
    // Last year moved adds up as it is.
    const moved = await preview(service, { method: 'last_year', levels: LEVELS });
    const amounts = (of: Group[]) => of.map(({ forecast }) => forecast);
    expect(amounts(moved.groups)).toEqual(
      amounts((await preview(service, { method: 'last_year' })).groups),
    );
  });

  it('has a lift of a sum that is above 0 if the event adds to it', async ({ service }) => {
    // The region that sells less during the fair was large, and the one that sells more is large now.
    await service.query(`CREATE TABLE public.shift AS
      SELECT region, start::date AS day, round((CASE region WHEN 'North' THEN 2000 - 25 * t ELSE 100 + 25 * t END
        * CASE WHEN extract(month FROM start) = 3 + extract(year FROM start)::integer % 2
            THEN CASE region WHEN 'North' THEN 0.5 ELSE 1.5 END ELSE 1 END)::numeric + t % 3, 2)::numeric(12,2) AS amount
      FROM generate_series(DATE '2021-01-01', DATE '2026-12-01', interval '1 month') WITH ORDINALITY AS m (start, t),
        (VALUES ('North'), ('West')) AS r (region)`);
    const columns = { region: 'dimension', day: 'date', amount: 'value' } as const;
    const planned = await planTable(service, 'shift', columns);
    const fair = Array.from({ length: 7 }, (_, i) => {
      const month = `${2021 + i}-0${3 + ((2021 + i) % 2)}`;
      return { from: `${month}-01`, to: `${month}-30`, name: 'Fair' };
    });
    const body = { by: ['region'], levels: [[]], ignore: fair };
    const added = (sums: Group[], of: 'history' | 'horizon') =>
      sums[0]!.events[0]![of].reduce<number>((all, amount) => all + (amount ?? 0), 0);
    const { sums } = await preview(service, body, planned);
    expect(added(sums, 'history')).toBeLessThan(0);
    expect(added(sums, 'horizon')).toBeGreaterThan(0);
    expect(sums[0]!.events[0]!.lift).toBeGreaterThan(0);
    // Without the event in the horizon, it is that of the history.
    const before = await preview(service, { ...body, ignore: fair.slice(0, -1) }, planned);
    expect(before.sums[0]!.events[0]!.lift).toBeLessThan(0);
  });

  it('counts the series of all levels in its progress', async ({ service }) => {
    const { bytes } = await service.api.send(`/versions/${plan.versionId}/forecast/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify({ ...YEAR, levels: LEVELS }),
    });
    const [first = '', ...lines] = new TextDecoder().decode(bytes).trim().split('\n');
    // Of two measures, 18 articles, the total, 2 regions, 6 pairs of region and category, and 3 categories.
    expect(JSON.parse(first)).toEqual({ fitted: 0, series: 2 * (18 + 1 + 2 + 6 + 3) });
    expect(JSON.parse(lines.at(-1) ?? '').sums).toHaveLength(2 * (1 + 2 + 6 + 3));
  });

  it('is loaded as the preview shows it, and again by a redo and a replay', async ({ service }) => {
    const { api, query } = service;
    const { id } = (await api.post(`/sources/${plan.sourceId}/versions`, { name: 'Agreed' })).body;
    const path = `/versions/${id}`;
    const asked = { ...YEAR, levels: LEVELS, measures: ['value'] };
    const { groups, sums } = await preview(service, asked);
    const loaded = await api.post(`${path}/forecast`, {
      ...asked,
      pf_user: 'ana',
      missing: 'leave_out',
    });
    expect([loaded.status, loaded.body.error]).toEqual([200, undefined]);
    const [entry] = (await api.get(`${path}/log`)).body.entries;
    expect(entry.params.levels).toEqual([[], ['region'], ['region', 'category'], ['category']]);
    const totals = (version: number, by: string) =>
      query<{ region: string; category: string; month: string; amount: number }>(
        `SELECT ${by}, sum(amount)::float8 AS amount FROM pf."fc_traded_${version}" WHERE category <> 'C' GROUP BY ${by} ORDER BY ${by}`,
      );
    // Articles of C have amounts in months without a row; a load moves these to the next one.
    const wanted = sums.filter(({ group }) => group.region && 'AB'.includes(group.category ?? 'C'));
    const written = await totals(id, "region, category, to_char(day, 'YYYY-MM-01')");
    expect(written.map(({ amount }) => amount)).toEqual(wanted.flatMap(({ forecast }) => forecast));
    const [{ all }] = await query(`SELECT sum(amount)::float8 AS all FROM pf."fc_traded_${id}"`);
    const planned = groups.flatMap(({ forecast }) => forecast).reduce((a, b) => a + b);
    expect(all).toBeCloseTo(planned, 2);

    const before = await totals(id, 'article, region, day');
    await api.del(`/log/${loaded.body.logid}`);
    const redone = await api.post(`${path}/redo/${loaded.body.logid}`, { pf_user: 'bea' });
    expect([redone.status, redone.body.error]).toEqual([200, undefined]);
    expect(await totals(id, 'article, region, day')).toEqual(before);
    const [again] = (await api.get(`${path}/log`)).body.entries;
    expect(again.params.levels).toEqual(entry.params.levels);
    const replayed = await api.post(`${path}/replay`, { name: 'Anew', pf_user: 'bea' });
    expect([replayed.status, replayed.body.error]).toEqual([201, undefined]);
    expect(await totals(replayed.body.version.id, 'article, region, day')).toEqual(before);
  });

  it.for<[string, object, string]>([
    ['a dimension that is not in by', { levels: [[], ['day']] }, 'levels.1'],
    ['the level of the forecast', { by: ['region'], levels: [['region']] }, 'levels.0'],
    ['a level of the total', { by: [], levels: [[]] }, 'levels.0'],
    ['what is no list of levels', { levels: ['region'] }, 'levels.0'],
  ])('is refused for %s', async ([, body, field], { service }) => {
    const asked = { ...YEAR, ...body };
    const answer = await service.api.post(`/versions/${plan.versionId}/forecast/preview`, asked);
    expect([answer.status, answer.body.field]).toEqual([400, field]);
    expect(answer.body.error).toMatch(/^\S/);
  });
});

describe('The comparison of levels', () => {
  it('has a line of all levels at once, which is offered only if it is better', async ({
    service,
  }) => {
    const compare = async (body: object) => {
      const asked = { ...YEAR, measures: ['value'], ...body };
      const answer = await service.api.post(`/versions/${plan.versionId}/forecast/levels`, asked);
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      return answer.body;
    };
    type Line = { by: string[]; levels: string[][]; groups: number; rmse: number; bias: number };
    for (const body of [{}, { by: ['region', 'article'] }, { by: ['category'] }]) {
      const { by, levels, best, best_levels, why, last_year } = await compare(body);
      const [agreed, ...others] = levels.filter((line: Line) => line.levels.length > 0);
      expect(others).toEqual([]);
      expect(agreed.by).toEqual(by);
      const coarse = levels.filter((line: Line) => line.by.length < by.length);
      expect(agreed.levels.toSorted()).toEqual(coarse.map((line: Line) => line.by).toSorted());
      const own = levels.find((line: Line) => line !== agreed && String(line.by) === String(by));
      expect(agreed.groups).toBe(
        coarse.reduce((sum: number, line: Line) => sum + line.groups, own.groups),
      );
      expect([best, best_levels]).toEqual([levels[0].by, levels[0].levels]);
      const sized = levels.filter((line: Line) => Math.abs(line.bias) <= 0.1);
      const sizes = sized.map((line: Line) => line.rmse);
      expect(sizes).toEqual(sizes.toSorted((a: number, b: number) => a - b));
      expect(why.includes('made to agree')).toBe(levels[0] === agreed);
      expect(last_year.rmse).toBeGreaterThan(agreed.rmse);
    }
    // With last year moved every level is the same, and the one of the request is offered.
    const same = await compare({ method: 'last_year' });
    expect([same.best, same.best_levels]).toEqual([YEAR.by, []]);
    // The total has no coarser level.
    const total = await compare({ by: [] });
    expect(total.levels.every((line: Line) => line.levels.length === 0)).toBe(true);
  });
});
