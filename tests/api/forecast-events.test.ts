import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { planTable, type PlannedTable } from '../support/planned-table';
import type { Service } from '../support/service';

/** Easter Sundays. */
const EASTER = [
  '2020-04-12',
  '2021-04-04',
  '2022-04-17',
  '2023-04-09',
  '2024-03-31',
  '2025-04-20',
  '2026-04-05',
  '2027-03-28',
];

/** From Good Friday to Easter Monday. */
const RANGES = EASTER.map((sunday) => {
  const day = (days: number) =>
    new Date(Date.parse(sunday) + days * 86_400_000).toISOString().slice(0, 10);
  return { from: day(-2), to: day(1), name: 'Easter' };
});

/** Sales of seven years by day; those of a day of Easter are four times as much. */
const sales = (from: string, through: string) =>
  `SELECT region, day::date,
     round((weight * (1 + 0.2 * sin(2 * pi() * extract(doy FROM day) / 365.25))
       * (1 + 0.1 * sin(hashtext(day::text || region)))
       * CASE WHEN ${RANGES.map(({ from, to }) => `day BETWEEN '${from}' AND '${to}'`).join(' OR ')}
         THEN 4 ELSE 1 END)::numeric, 2) AS amount
   FROM generate_series(DATE '${from}', DATE '${through}', interval '1 day') AS day,
     (VALUES ('North', 100.0), ('West', 30.0)) AS r (region, weight)`;

let plan: PlannedTable;

it.beforeAll(async ({ service }) => {
  await service.query(`CREATE TABLE public.eggs (region text, day date, amount numeric(12,2));
    INSERT INTO public.eggs ${sales('2020-01-01', '2026-12-31')}`);
  plan = await planTable(service, 'eggs', { region: 'dimension', day: 'date', amount: 'value' });
});

const YEAR = {
  history: { through: '2026-12-31' },
  horizon: { from: '2027-01-01', through: '2027-12-31' },
  unit: 'month',
  by: ['region'],
};
const WEEKS = {
  ...YEAR,
  unit: 'week',
  history: { through: '2026-12-27' },
  horizon: { from: '2027-01-04', through: '2027-06-27' },
};

interface Group {
  group: { region: string };
  history: number[];
  fit: (number | null)[];
  forecast: number[];
  band80: { lower: number[]; upper: number[] };
  band95: { lower: number[]; upper: number[] };
  events: { name: string; lift: number | null; history: number[]; horizon: number[] }[];
}
interface Preview {
  history: string[];
  horizon: string[];
  ignored: string[];
  events: { name: string; history: string[]; horizon: string[] }[];
  groups: Group[];
}

const ask = ({ api }: Service, body: object) =>
  api.post(`/versions/${plan.versionId}/forecast/preview`, { ...YEAR, ...body });

async function preview(service: Service, body: object): Promise<Preview> {
  const { status, body: answer } = await ask(service, body);
  expect([status, answer.error]).toEqual([200, undefined]);
  return answer;
}

/** A version of the source with nothing loaded. */
async function version({ api }: Service) {
  const name = `Plan ${Math.random()}`;
  const { id } = (await api.post(`/sources/${plan.sourceId}/versions`, { name })).body;
  return { path: `/versions/${id}`, table: `pf."fc_eggs_${id}"` };
}

const totals = ({ query }: Service, from: string, unit: string) =>
  query<{ region: string; period: string; amount: number }>(
    `SELECT region, date_trunc('${unit}', day)::date::text AS period, sum(amount)::float8 AS amount
     FROM ${from} GROUP BY 1, 2 ORDER BY 1, 2`,
  );

const announced = ({ groups, horizon }: Preview) =>
  groups.flatMap(({ group: { region }, forecast }) =>
    horizon.map((period, h) => ({ region, period, amount: forecast[h] })),
  );

describe.for([
  ['month', YEAR, ['2027-03-01'], 0.4],
  ['week', WEEKS, ['2027-03-22', '2027-03-29'], 12 / 7],
] as const)('An event by %s', ([unit, asked, periods, lift]) => {
  it('is planned where it falls, better than without it', async ({ service }) => {
    const { events, groups, horizon, ignored } = await preview(service, {
      ...asked,
      ignore: RANGES,
    });
    expect(ignored).toEqual([]);
    expect(events).toMatchObject([{ name: 'Easter', horizon: periods }]);
    // Easter of 2024 is in March and April, the others are in one month or two weeks.
    expect(events[0]?.history).toHaveLength(unit === 'month' ? 8 : 14);
    const actual = new Map(
      (await totals(service, `(${sales('2027-01-01', '2027-12-31')}) AS sold`, unit)).map(
        ({ region, period, amount }) => [`${region} ${period}`, amount],
      ),
    );
    const plain = await preview(service, asked);
    for (const [g, { group, forecast, events: own }] of groups.entries()) {
      expect(own).toMatchObject([{ name: 'Easter' }]);
      expect(Math.abs((own[0]?.lift ?? 0) / lift - 1)).toBeLessThan(0.25);
      expect(own[0]?.horizon).toHaveLength(periods.length);
      const off = (amounts: readonly number[] = []) =>
        horizon.reduce(
          (sum, period, h) =>
            sum + Math.abs((amounts[h] ?? 0) - (actual.get(`${group.region} ${period}`) ?? 0)),
          0,
        );
      expect(off(forecast)).toBeLessThan(0.6 * off(plain.groups[g]?.forecast));
    }
  });

  it('is written as announced, recorded and repeated', async ({ service }) => {
    const { api, query } = service;
    const { path, table } = await version(service);
    const ignore = [...RANGES, { from: '2021-11-01', to: '2021-11-30' }];
    const loaded = await api.post(`${path}/forecast`, { ...asked, ignore, pf_user: 'ana' });
    expect([loaded.status, loaded.body.error]).toEqual([200, undefined]);
    const shown = await preview(service, { ...asked, ignore });
    expect(shown.ignored.length).toBeGreaterThan(0);
    expect(await totals(service, table, unit)).toEqual(announced(shown));
    const [{ params }] = await query(`SELECT params FROM pf.log WHERE id = ${loaded.body.logid}`);
    expect(params.ignore).toEqual(ignore);
    const { status, body } = await api.post(`${path}/replay`, {
      name: `Anew ${Math.random()}`,
      pf_user: 'bea',
    });
    expect([status, body.error]).toEqual([201, undefined]);
    const replayed = `pf."fc_eggs_${body.version.id}"`;
    expect(await totals(service, replayed, unit)).toEqual(announced(shown));
  });

  it('is left out where it does not come again', async ({ service }) => {
    const past = RANGES.slice(0, -1);
    const { events, groups, horizon } = await preview(service, { ...asked, ignore: past });
    expect(events).toMatchObject([{ name: 'Easter', horizon: [] }]);
    const coming = await preview(service, { ...asked, ignore: RANGES });
    for (const [g, { forecast, events: own, band80, band95 }] of groups.entries()) {
      const other = coming.groups[g];
      const added = horizon.map((period) => {
        const place = coming.events[0]?.horizon.indexOf(period) ?? -1;
        return place < 0 ? 0 : (other?.events[0]?.horizon[place] ?? 0);
      });
      expect(own[0]?.horizon).toEqual([]);
      expect(other?.events[0]?.history).toEqual(own[0]?.history);
      for (const [h, amount] of forecast.entries()) {
        expect(other?.forecast[h]).toBeCloseTo(amount + (added[h] ?? 0), 1);
        // The bands grow at least as much as the forecast.
        const factor = 1 + (added[h] ?? 0) / amount;
        for (const [one, two] of [
          [band80, other?.band80],
          [band95, other?.band95],
        ] as const) {
          const widthOf = (band = one) => (band.upper[h] ?? 0) - (band.lower[h] ?? 0);
          if (factor === 1) expect(widthOf(two)).toBe(widthOf());
          else expect(widthOf(two)).toBeGreaterThan(widthOf() * factor);
          expect(two?.lower[h]).toBeLessThan(other?.forecast[h] ?? 0);
        }
      }
    }
  });
});

describe('Events', () => {
  it('of ranges whose names differ in case or Unicode form are one', async ({ service }) => {
    const ignore = RANGES.map((range, i) => ({ ...range, name: i === 0 ? 'Fête' : 'FE\u0302TE' }));
    const { events } = await preview(service, { ignore });
    const { events: expected } = await preview(service, { ignore: RANGES });
    expect(events).toEqual(expected.map((event) => ({ ...event, name: 'Fête' })));
  });

  it('that overlap unnamed ranges are not measured there', async ({ service }) => {
    const ignore = [...RANGES, { from: '2022-04-01', to: '2022-04-30' }];
    const { ignored, events, groups } = await preview(service, { ignore });
    expect(ignored).toEqual(['2022-04-01']);
    const place = events[0]?.history.indexOf('2022-04-01') ?? -1;
    for (const group of groups) expect(group.events[0]?.history[place]).toBeNull();
  });

  it('are left out of the comparison of levels, as ignored periods are', async ({ service }) => {
    const compare = async (ignore: object[]) =>
      (await service.api.post(`/versions/${plan.versionId}/forecast/levels`, { ...YEAR, ignore }))
        .body;
    const unnamed = RANGES.map(({ from, to }) => ({ from, to }));
    expect(await compare(RANGES)).toEqual(await compare(unnamed));
  });

  it.for([
    [422, [RANGES[7]], 'ignore.0.name', /the event "Easter" has no period in the history/],
    [
      422,
      [
        { ...RANGES[0], name: 'A' },
        { ...RANGES[7], name: 'B' },
      ],
      'ignore.1.name',
      /"B"/,
    ],
    [400, [{ from: '2021-04-06', to: '2021-04-02', name: 'Easter' }], 'ignore.0', /ends before/],
    [400, [{ ...RANGES[0], name: ' Easter' }], 'ignore.0.name', /begin or end with a space/],
    [400, [{ ...RANGES[0], name: '' }], 'ignore.0.name', /must not be empty/],
    [400, [{ ...RANGES[0], name: 'x'.repeat(201) }], 'ignore.0.name', /at most 200/],
  ] as const)('%s for %j', async ([status, ignore, field, error], { service }) => {
    for (const end of ['forecast/preview', 'forecast/levels', 'forecast']) {
      const answer = await service.api.post(`/versions/${plan.versionId}/${end}`, {
        ...YEAR,
        ...{ ignore, pf_user: 'ana' },
      });
      expect([answer.status, answer.body.field]).toEqual([status, field]);
      expect(answer.body.error).toMatch(error);
    }
  });
});
