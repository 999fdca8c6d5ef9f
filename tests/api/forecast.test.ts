import { describe, expect } from 'vitest';
import { PASSENGERS } from '../fixtures/air-passengers';
import { it } from '../support/api';
import { planTable } from '../support/planned-table';
import type { Service } from '../support/service';

const month = (t: number) =>
  `${1949 + Math.floor(t / 12)}-${String((t % 12) + 1).padStart(2, '0')}-01`;

/** Amounts by month from January 1949; null is a month without a row. */
const SERIES: Record<string, (number | null)[]> = {
  air: PASSENGERS,
  brief: PASSENGERS.map((_, t) => (t < 124 ? null : ([1, 9, 1, 9, 5, 5, 5, 5][t - 124] ?? null))),
  constant: PASSENGERS.map(() => 12.5),
  empty: PASSENGERS.map(() => 0),
  gappy: PASSENGERS.map((value, t) => (t % 29 === 5 ? null : value)),
  late: PASSENGERS.map((_, t) => (t === 131 ? 40 : null)),
  negative: PASSENGERS.map((_, t) => -100 - 10 * (t % 12)),
  rare: PASSENGERS.map((_, t) => ((t * 7919) % 7 === 0 ? 10 + (t % 4) : null)),
  short: PASSENGERS.map((_, t) => (t < 129 ? null : 10 * (t - 128))),
};

let path: string;

it.beforeAll(async ({ service }) => {
  const rows = Object.entries(SERIES).flatMap(([name, amounts]) =>
    amounts.flatMap((amount, t) =>
      amount === null ? [] : [`('${name}', '${name}', '${month(t)}', ${amount}, 1)`],
    ),
  );
  await service.query(`CREATE TABLE public.flown
      (line text, period text, day date, amount numeric(12,2), seats integer, k0 text DEFAULT 'x');
    INSERT INTO public.flown VALUES ${rows.join(', ')};
    INSERT INTO public.flown VALUES ('air', 'air', NULL, 1e6, 1), ('air', 'air', '1960-12-31', 0.01, 1)`);
  const { versionId } = await planTable(service, 'flown', {
    line: 'dimension',
    period: 'dimension',
    day: 'date',
    amount: 'value',
    seats: 'units',
  });
  path = `/versions/${versionId}`;
});

const YEAR = {
  history: { through: '1959-12-31' },
  horizon: { from: '1960-01-01', through: '1960-12-31' },
  unit: 'month',
  measures: ['value'],
};

/** A history before the first row. */
const NO_ROWS = {
  history: { through: '1901-12-31' },
  horizon: { from: '1902-01-01', through: '1902-12-31' },
};

const forecast = (service: Service, body: object) =>
  service.api.post(`${path}/forecast/preview`, { ...YEAR, ...body });

/** The groups of a preview by line. */
async function byLine(service: Service, body: object = {}) {
  const { status, body: answer } = await forecast(service, { by: ['line'], ...body });
  expect([status, answer.error]).toEqual([200, undefined]);
  type Group = (typeof answer.groups)[number];
  return Object.fromEntries(answer.groups.map((g: Group) => [g.group.line, g])) as Record<
    string,
    Group
  >;
}

describe('A forecast', () => {
  it('of the air passengers of 1960 is within 3 %', async ({ service }) => {
    const { body } = await forecast(service, {
      filters: [[{ cname: 'line', op: '=', value: 'air' }]],
    });
    expect(body).toMatchObject({ column: 'day', ignored: [] });
    expect(body.history).toHaveLength(132);
    expect(body.history[0]).toBe('1949-01-01');
    expect(body.horizon).toEqual(PASSENGERS.slice(132).map((_, t) => month(132 + t)));
    const [{ group, measure, history, fit, forecast: amounts, backtest, why }] = body.groups;
    expect([group, measure]).toEqual([{}, 'value']);
    expect(history).toEqual(PASSENGERS.slice(0, 132));
    expect(fit).toHaveLength(132);
    const off = amounts.map((v: number, t: number) => Math.abs(v / PASSENGERS[132 + t]! - 1));
    expect(off.reduce((sum: number, each: number) => sum + each) / 12).toBeLessThan(0.03);
    expect(backtest.periods).toBe(12);
    expect(backtest.mae).toBeLessThan(backtest.last_year.mae);
    expect(why).toMatch(
      /^The combination of theta and damped trend was 8\.2 % off on average in the last 12 months \(its total 8\.2 % too low\); last year moved would have been 11\.1 % off \(its total 11\.1 % too low\)\.$/,
    );
    // Two decimals, as in the column.
    for (const amount of amounts) expect(amount).toBe(Number(amount.toFixed(2)));
  });

  it('of each special series is sensible, and says why', async ({ service }) => {
    const lines = await byLine(service);
    expect(Object.keys(lines)).toEqual(Object.keys(SERIES));
    expect(lines.constant).toMatchObject({
      method: 'last_year',
      why: 'Every month of the history has the same amount, which is repeated.',
      forecast: Array(12).fill(12.5),
    });
    expect(lines.empty).toMatchObject({
      why: 'Every month of the history is 0, so the forecast is 0.',
      forecast: Array(12).fill(0),
    });
    expect(lines.late).toMatchObject({
      why: 'The history has only 1 month, so its last amount is repeated.',
      history: [...Array(131).fill(null), 40],
      forecast: Array(12).fill(40),
      backtest: null,
    });
    expect(lines.negative).toMatchObject({
      method: 'last_year',
      why: 'Last year moved had at most half the error of the combination of theta and damped trend in each of 3 backtests. It was 0 % off on average in the last 12 months (its total right).',
      forecast: SERIES.negative!.slice(0, 12),
    });
    expect(lines.short).toMatchObject({
      method: 'last_year',
      why: 'The history has only 3 months, so its last amount is repeated.',
      forecast: Array(12).fill(30),
      backtest: null,
    });
    expect(lines.brief).toMatchObject({
      method: 'last_year',
      why: 'Last year moved was not worse than the combination of theta and damped trend in the backtest. It was 0 % off on average in the last 2 months (its total right). The history is shorter than a year, so its last amount is repeated.',
      forecast: Array(12).fill(5),
    });
    // A month without a row is a month without sales.
    expect(lines.gappy.history[5]).toBe(0);
    const off = (percent: string) =>
      new RegExp(
        `^(The combination of theta and damped trend was |.* had at most half the error of the combination of theta and damped trend in each of 3 backtests[.] It was )${percent} % off on average`,
      );
    expect(lines.gappy.why).toMatch(off('[\\d.]+'));
    const isNear = (amount: number) => amount > 200 && amount < 700;
    expect(lines.gappy.forecast.filter(isNear)).toHaveLength(12);
    expect(lines.rare.why).toMatch(
      /^Only 14\.\d % of the months have an amount: .+ Its total was .+ in the last 12 months; that of last year moved would have been /,
    );
    expect(Math.min(...lines.rare.forecast)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lines.rare.forecast)).toBeLessThanOrEqual(13);
    const croston = (await byLine(service, { method: 'croston' })).rare;
    expect(croston.method).toBe('croston');
    expect(new Set(croston.forecast).size).toBe(1);
  });

  it('does not learn from ignored ranges', async ({ service }) => {
    const ignore = Array.from({ length: 5 }, (_, i) => ({
      from: month(5 + 29 * i).replace(/01$/, '10'),
      to: month(5 + 29 * i).replace(/01$/, '11'),
    }));
    const { body } = await forecast(service, { by: ['line'], ignore });
    expect(body.ignored).toEqual([5, 34, 63, 92, 121].map(month));
    const errorOf = ({ forecast: amounts }: { forecast: number[] }) =>
      amounts.reduce((sum, each, t) => sum + Math.abs(each / PASSENGERS[132 + t]! - 1), 0) / 12;
    const method = 'holt_winters';
    const { gappy } = await byLine(service, { ignore, method });
    expect(gappy.history[5]).toBe(0);
    expect(gappy.why).toMatch(/Gaps of the history were filled: 5 months\.$/);
    expect(errorOf(gappy)).toBeLessThan(0.05);
    const learned = (await byLine(service, { method })).gappy;
    expect(errorOf(learned)).toBeGreaterThan(2 * errorOf(gappy));
  });

  it('withholds the months before an ignored newest part', async ({ service }) => {
    const newest = { ignore: [{ from: '1959-07-01', to: '1959-12-31' }] };
    const { air } = await byLine(service, newest);
    const earlier = { history: { through: '1959-06-30' } };
    const horizon = { from: '1959-07-01', through: '1960-06-30' };
    expect(air.backtest).toEqual((await byLine(service, { ...earlier, horizon })).air.backtest);
    expect(air.why).toContain('in the 12 months before the ignored part');
    const { body } = await service.api.post(`${path}/forecast/levels`, { ...YEAR, ...newest });
    expect(body).toMatchObject({ periods: 12, from: '1958-07-01', through: '1959-06-30' });
    expect(body.why).toContain('in the 12 months before the ignored part');
  });

  it('has a band that contains it, and the requested method', async ({ service }) => {
    const { air } = await byLine(service, { method: 'theta' });
    expect(air.method).toBe('theta');
    air.forecast.forEach((amount: number, h: number) => {
      const limits = [
        air.band95.lower[h],
        air.band80.lower[h],
        amount,
        air.band80.upper[h],
        air.band95.upper[h],
      ];
      expect(limits.toSorted((a, b) => a - b)).toEqual(limits);
    });
  });

  it('adds up quarters and weeks, and begins after a gap', async ({ service }) => {
    const quarters = await byLine(service, {
      unit: 'quarter',
      history: { from: '1950-02-01', through: '1959-11-30' },
      horizon: { from: '1960-05-01', through: '1960-07-01' },
    });
    const { air } = quarters;
    // Whole quarters: from the second of 1950 to the third of 1959.
    expect(air.history).toHaveLength(38);
    expect(air.history[0]).toBe(135 + 125 + 149);
    expect(air.forecast).toHaveLength(2);
    const { body } = await forecast(service, {
      unit: 'week',
      history: { from: '1958-01-01', through: '1959-12-31' },
      horizon: { from: '1960-01-01', through: '1960-01-31' },
      filters: [[{ cname: 'line', op: '=', value: 'air' }]],
    });
    expect(body.history[0]).toBe('1958-01-06');
    expect(body.history.at(-1)).toBe('1959-12-21');
    expect(body.horizon).toEqual([
      ...['1959-12-28', '1960-01-04', '1960-01-11', '1960-01-18', '1960-01-25'],
    ]);
  });

  it('of weeks keeps a season in its week of the year, over years of 53 weeks', async ({
    service,
  }) => {
    await service.query(`CREATE TABLE public.weekly AS
      SELECT 'shop' AS place, day::date, CASE to_char(day, 'IW') WHEN '48' THEN 300.0 ELSE 100.0 END AS amount
      FROM generate_series(date '2013-12-30', '2020-12-28', '7 days') AS day`);
    const weekly = await planTable(service, 'weekly', {
      place: 'dimension',
      day: 'date',
      amount: 'value',
    });
    const request = {
      history: { through: '2021-01-03' },
      horizon: { from: '2021-01-04', through: '2027-01-03' },
      unit: 'week',
    };
    const { body } = await service.api.post(
      `/versions/${weekly.versionId}/forecast/preview`,
      request,
    );
    const [group] = body.groups;
    const amounts = Object.fromEntries(
      body.horizon.map((day: string, i: number) => [day, group.forecast[i]]),
    );
    const peaks = Object.keys(amounts).filter((day) => amounts[day] > 200);
    // The Mondays of week 48.
    const mondays = ['2021-11-29', '2022-11-28', '2023-11-27', '2024-11-25', '2025-11-24'];
    expect(peaks).toEqual([...mondays, '2026-11-23']);
    expect(amounts['2026-12-28']).toBe(amounts['2026-12-21']);
    expect(body.horizon.at(-1)).toBe('2026-12-28');
    expect(group.history).toHaveLength(366);
    expect([body.history[104], group.history[104], group.fit[104]]).toEqual([
      ...['2015-12-28', 100, null],
    ]);
    expect(group.fit.slice(200)).toHaveLength(166);
    const { body: levels } = await service.api.post(
      `/versions/${weekly.versionId}/forecast/levels`,
      { ...request, horizon: { from: '2021-01-04', through: '2021-12-31' }, by: ['place'] },
    );
    expect(levels).toMatchObject({ periods: 52, from: '2019-12-30', last_year: { mae: 0 } });
  });

  it('of both measures and several dimensions has an entry for each', async ({ service }) => {
    const { body } = await forecast(service, { by: ['line', 'period'], measures: undefined });
    expect(body.groups).toHaveLength(2 * Object.keys(SERIES).length);
    expect(body.groups[1]).toMatchObject({
      group: { line: 'air', period: 'air' },
      measure: 'units',
      forecast: Array(12).fill(1),
    });
  });

  it('of articles that sell in three of ten months keeps their total in whole pieces', async ({
    service,
  }) => {
    // A hash decides which of 60 articles sells how many pieces in which of 72 months. The history of an article begins
    // with its first sale.
    await service.query(`CREATE TABLE public.slow AS
      SELECT 'A' || article AS article, date '2020-01-01' + make_interval(months => t) AS day,
        1 + abs(hashint4(1000 * article + t) / 1000) % 5 AS pieces, 1.5 AS amount
      FROM generate_series(1, 60) AS article, generate_series(0, 71) AS t
      WHERE abs(hashint4(100000 + 1000 * article + t)) % 10 < 3;
      ALTER TABLE public.slow ALTER day TYPE date`);
    const { versionId } = await planTable(service, 'slow', {
      ...{ article: 'dimension', day: 'date', amount: 'value', pieces: 'units' },
    });
    const asked = {
      ...{ history: { through: '2024-12-31' }, unit: 'month', measures: ['units'] },
      horizon: { from: '2025-01-01', through: '2025-12-31' },
    };
    const post = (what: string, by: string[]) =>
      service.api.post(`/versions/${versionId}/forecast/${what}`, { ...asked, by });
    const { groups } = (await post('preview', ['article'])).body;
    const amounts = groups.flatMap((group: { forecast: number[] }) => group.forecast);
    expect(amounts.every(Number.isInteger)).toBe(true);
    const total = amounts.reduce((sum: number, each: number) => sum + each, 0);
    const [{ sold }] = await service.query(
      `SELECT sum(pieces)::float8 / 5 AS sold FROM public.slow WHERE day < '2025-01-01'`,
    );
    expect(Math.abs(total / sold - 1)).toBeLessThan(0.1);
    for (const { method, why } of groups) {
      expect(['mean', 'croston', 'tsb']).toContain(method);
      expect(why).toMatch(/^(Only .+ of the months have an amount: |It had no amounts )/);
    }
    expect(groups[0].why).toMatch(
      /It has its share of the forecast of all \d+ such series together\.$/,
    );
    // The total by article is within 10 %, so no level has to be warned of.
    const { levels, why } = (await post('levels', ['article'])).body;
    for (const { bias } of levels) expect(Math.abs(bias)).toBeLessThan(0.1);
    expect(why).not.toContain('its total was');
    // In many months, an article has no row that can carry its amount. The load moves it to another month of the article.
    const loaded = await service.api.post(`/versions/${versionId}/forecast`, {
      ...{ ...asked, by: ['article'], pf_user: 'ana' },
    });
    expect([loaded.status, loaded.body.error, loaded.body.left_out]).toEqual([
      200,
      undefined,
      undefined,
    ]);
    const planned = await service.query(
      `SELECT article, sum(pieces)::int AS pieces FROM pf."fc_slow_${versionId}" WHERE pf_iter = 'forecast' GROUP BY 1`,
    );
    const byArticle = new Map(planned.map(({ article, pieces }) => [article, pieces]));
    for (const { group, forecast: list } of groups) {
      const wanted = list.reduce((sum: number, each: number) => sum + each, 0);
      expect([group.article, byArticle.get(group.article) ?? 0]).toEqual([group.article, wanted]);
    }
  });

  it.for<[string, object, number, string | undefined]>([
    ['a day that is none', { history: { through: '1959-02-30' } }, 400, 'history.through'],
    ['a unit that is none', { unit: 'day' }, 400, 'unit'],
    ['a method that is none', { method: 'arima' }, 400, 'method'],
    ['an unknown dimension', { by: ['line', 'nowhere'] }, 400, 'by.1'],
    ['a date as level', { by: ['day'] }, 400, 'by.0'],
    [
      'a history without a whole month',
      { history: { from: '1959-12-02', through: '1959-12-31' } },
      400,
      'history',
    ],
    [
      'a horizon within the history',
      { horizon: { from: '1959-12-31', through: '1960-12-31' } },
      400,
      'horizon.from',
    ],
    [
      'a horizon that ends before it begins',
      { horizon: { from: '1960-02-01', through: '1960-01-01' } },
      400,
      'horizon',
    ],
    [
      'a horizon of more than 600 months',
      { horizon: { from: '1960-01-01', through: '2060-01-01' } },
      422,
      'horizon.through',
    ],
    ['no measure', { measures: [] }, 400, 'measures'],
    ['a condition that is none', { raw_where: 'drop table' }, 400, 'raw_where'],
    ['a history without rows', NO_ROWS, 422, undefined],
  ])('is refused for %s', async ([, body, status, field], { service }) => {
    const answer = await forecast(service, body);
    expect([answer.status, answer.body.field]).toEqual([status, field]);
    expect(answer.body.error).toMatch(/^\S/);
  });

  it('of 1,000 series of 72 months lets other requests be answered', async ({ service }) => {
    await service.query(`CREATE TABLE public.many (line integer, day date, amount numeric(12,2));
      INSERT INTO public.many
      SELECT line, date '2020-01-01' + make_interval(months => t),
        100 + t + 40 * sin(t * pi() / 6 + line) + (line * 7919 + t * 104729) % 23
      FROM generate_series(1, 1000) AS line, generate_series(0, 71) AS t`);
    const { versionId } = await planTable(service, 'many', {
      line: 'dimension',
      day: 'date',
      amount: 'value',
    });
    let isDone = false;
    const running = service.api
      .post(`/versions/${versionId}/forecast/preview`, {
        ...{ history: { through: '2025-12-31' }, unit: 'month', by: ['line'] },
        horizon: { from: '2026-01-01', through: '2026-12-31' },
      })
      .finally(() => (isDone = true));
    let answered = 0;
    while (!isDone) {
      expect((await service.api.get('/versions/' + versionId)).status).toBe(200);
      answered++;
    }
    const { body } = await running;
    expect(body.groups).toHaveLength(1000);
    expect(answered).toBeGreaterThan(10);

    // The total and 1,000 lines are too many to compare.
    const { body: compared } = await service.api.post(`/versions/${versionId}/forecast/levels`, {
      ...{ history: { through: '2025-12-31' }, unit: 'month' },
      horizon: { from: '2026-01-01', through: '2026-12-31' },
    });
    expect(compared.levels).toMatchObject([{ by: [], groups: 1 }]);
    expect(compared.skipped).toEqual([
      { by: ['line'], why: 'It would take more than 1000 series to compare it, too.' },
    ]);
  });
});

describe('The levels of a forecast', () => {
  const MONTHS = {
    ...{ history: { through: '2025-12-31' }, unit: 'month' },
    horizon: { from: '2026-01-01', through: '2026-12-31' },
  };

  /**
   * Five years of two regions. Each jumps up and down, and the other one makes up for it, so the total is 1,000 in each
   * month. A product is half of its region.
   */
  let versionId: number;
  it.beforeAll(async ({ service }) => {
    await service.query(`CREATE TABLE public.paired (region text, product text, day date, amount numeric(12,2));
      INSERT INTO public.paired
      SELECT region, product, date '2021-01-01' + make_interval(months => t),
        (500 + sign * ((t * 104729) % 331)) / 2.0
      FROM generate_series(0, 59) AS t,
        (VALUES ('East', 1), ('West', -1)) AS r (region, sign), (VALUES ('P1'), ('P2')) AS p (product)`);
    ({ versionId } = await planTable(service, 'paired', {
      region: 'dimension',
      product: 'dimension',
      day: 'date',
      amount: 'value',
    }));
  });

  it('are compared at the level of the request, each on months that it has not seen', async ({
    service,
  }) => {
    const compare = async (body: object = {}) => {
      const path = `/versions/${versionId}/forecast/levels`;
      const answer = await service.api.post(path, { ...MONTHS, ...body });
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      return answer.body;
    };
    // Last year moved, by region and month.
    const [expected] = await service.query<Record<'mae' | 'rmse' | 'wape' | 'bias', number>>(
      `WITH sums AS (SELECT region, day, sum(amount) AS amount FROM public.paired GROUP BY 1, 2)
       SELECT (avg(abs(b.amount - a.amount)))::float8 AS mae,
         sqrt(avg((b.amount - a.amount) ^ 2))::float8 AS rmse,
         (sum(abs(b.amount - a.amount)) / sum(abs(a.amount)))::float8 AS wape,
         (sum(b.amount - a.amount) / sum(abs(a.amount)))::float8 AS bias
       FROM sums AS a JOIN sums AS b ON b.region = a.region AND b.day = a.day - interval '1 year'
       WHERE a.day >= '2025-01-01'`,
    );
    const near = ({ mae, rmse, wape, bias }: NonNullable<typeof expected>) => ({
      ...{ mae: expect.closeTo(mae, 6), rmse: expect.closeTo(rmse, 6) },
      wape: expect.closeTo(wape, 9),
      bias: expect.closeTo(bias, 9),
    });
    const byRegion = await compare({ by: ['region'] });
    expect(byRegion).toMatchObject({
      ...{ by: ['region'], measure: 'value', periods: 12, skipped: [] },
      ...{ from: '2025-01-01', through: '2025-12-31', last_year: near(expected!) },
    });
    const errorsOf = (by: string[]) =>
      byRegion.levels.find(
        (level: { by: string[]; levels: string[][] }) =>
          level.levels.length === 0 && String(level.by) === String(by),
      );
    // The total is forecast without an error, and spread by the shares of the year before.
    expect(errorsOf([])).toEqual({ by: [], levels: [], groups: 1, ...near(expected!) });
    expect(byRegion.levels).toHaveLength(4);
    expect(errorsOf(['region', 'product']).groups).toBe(4);
    // Both products of a region are equal, so their forecasts add up to that of the region.
    expect(errorsOf(['region', 'product']).mae).toBeCloseTo(errorsOf(['region']).mae, 6);
    const errors = byRegion.levels.map(({ rmse }: { rmse: number }) => Number(rmse.toPrecision(9)));
    expect(errors).toEqual(errors.toSorted((a: number, b: number) => a - b));
    expect(byRegion.best).toEqual(byRegion.levels[0].by);

    // At the total, nothing beats the total.
    const total = await compare();
    expect(total.levels.map(({ by }: { by: string[] }) => by)).toContainEqual(['region']);
    expect(total).toMatchObject({
      ...{ best: [], last_year: { mae: 0, wape: 0, bias: 0 } },
      why: 'No other level did better: 0 % off on average in the last 12 months; last year moved would have been 0 % off.',
    });

    // With last year moved, each level has the same error, and the one of the request is offered.
    const moved = await compare({ by: ['region', 'product'], method: 'last_year' });
    expect(moved.levels.map(({ by }: { by: string[] }) => by)).toHaveLength(5);
    for (const level of moved.levels)
      expect(level).toMatchObject(
        near({ ...expected!, mae: expected!.mae / 2, rmse: expected!.rmse / 2 }),
      );
  });

  it('are offered in words, and withhold nothing of a short history', async ({ service }) => {
    const path = `/versions/${versionId}/forecast/levels`;
    const { body } = await service.api.post(path, { ...MONTHS, by: ['product'] });
    // A product is always 500: its own forecast is exact, and so is that of the total, spread.
    expect(body.best).toEqual(['product']);
    const { body: regional } = await service.api.post(path, { ...MONTHS, by: ['region'] });
    const [best] = regional.levels;
    const percent = (share: number) =>
      `${(share * 100).toLocaleString('en-GB', { maximumFractionDigits: 1 })} %`;
    expect(regional.why).toContain(`${percent(best.wape)} off on average in the last 12 months`);
    expect(regional.why).toContain(
      `last year moved would have been ${percent(regional.last_year.wape)} off`,
    );
    const short = await service.api.post(path, {
      ...MONTHS,
      history: { from: '2025-11-01', through: '2025-12-31' },
    });
    expect(short.body).toMatchObject({
      ...{ levels: [], periods: 0, from: null, through: null, last_year: null, best: [] },
      why: 'The history is too short to compare levels.',
    });
    const refused = await service.api.post(path, { ...MONTHS, by: ['nowhere'] });
    expect([refused.status, refused.body.field]).toEqual([400, 'by.0']);
  });
});
