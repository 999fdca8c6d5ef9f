// Tests docs/contract/16-migrations-and-calendar.md.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseConfig } from '../../../src/lib/server/config';
import { cli } from '../../support/cli';
import { cloneDatabase, dropDatabase } from '../../support/cluster';
import { queryOn, type Query, type Service, startService } from '../../support/service';

describe('npm run periods', () => {
  let database: DatabaseConfig;
  let query: Query;
  let end: () => Promise<void>;

  beforeEach(async () => {
    database = await cloneDatabase('empty');
    ({ query, end } = queryOn(database));
  });
  afterEach(async () => {
    await end();
    await dropDatabase(database);
  });

  const periods = (...args: string[]) => cli('periods', args, { database });
  const month = async (sdat: string) =>
    (await query('SELECT * FROM pf.dim_period WHERE sdat = $1', [sdat]))[0];

  it('needs the migrations first, and says so', async () => {
    const { code, stderr } = await periods('--fiscal-start=7');
    expect(code).toBe(1);
    expect(stderr).toContain('npm run migrate -- up');
  });

  it.each(['0', '13', 'July', '07x', ''])('refuses the month "%s"', async (start) => {
    const { code, stderr } = await periods(`--fiscal-start=${start}`);
    expect(code).toBe(2);
    expect(stderr).toContain('--fiscal-start must be a month from 1 to 12');
  });

  it('creates one row per month from 2018 to 2035', async () => {
    await cli('migrate', ['up'], { database });
    expect(await periods('--fiscal-start=7')).toMatchObject({ code: 0 });
    expect(
      await query(`SELECT count(*), min(sdat), max(edat), sum(ndays),
          bool_and(drange = daterange(sdat, edat, '[]')) AS whole
        FROM pf.dim_period`),
    ).toEqual([{ count: 216, min: '2018-01-01', max: '2035-12-31', sum: 6574, whole: true }]);
    expect(await month('2024-02-01')).toEqual({
      sdat: '2024-02-01',
      edat: '2024-02-29',
      drange: '[2024-02-01,2024-03-01)',
      ndays: 29,
      cal_year: 2024,
      cal_quarter: 1,
      cal_month: 2,
      cal_month_abbr: 'Feb',
      cal_month_name: 'February',
      cal_label: '2024-02 Feb',
      fisc_year: 2024,
      fisc_quarter: 3,
      fisc_quarter_label: 'FY2024 Q3',
      fisc_month: 8,
      fisc_month_abbr: 'Feb',
      fisc_month_name: 'February',
      fisc_label: 'FY2024-08 Feb',
      period_key: '2024-02',
    });
    expect(await month('2024-07-01')).toMatchObject({
      fisc_year: 2025,
      fisc_quarter: 1,
      fisc_month: 1,
      fisc_label: 'FY2025-01 Jul',
    });
  });

  it('is the calendar year by default, and can be run again with another start', async () => {
    await cli('migrate', ['up'], { database });
    await periods();
    expect(await month('2024-12-01')).toMatchObject({ fisc_year: 2024, fisc_month: 12 });
    expect((await periods('--fiscal-start=12')).code).toBe(0);
    expect(await month('2024-12-01')).toMatchObject({ fisc_year: 2025, fisc_month: 1 });
    expect(await month('2024-11-01')).toMatchObject({ fisc_year: 2024, fisc_month: 12 });
    expect(await query('SELECT count(*) FROM pf.dim_period')).toEqual([{ count: 216 }]);
  });

  it.each([
    ['--weeks=4-4-4', '--weeks must be'],
    ['--weeks=4-4-5 --fiscal-start=7', '--fiscal-start is for months'],
    ['--weeks=4-4-5 --year-starts=2027-02-30', '--year-starts must be a day that every year has'],
    ['--weeks=4-4-5 --year-starts=2028-02-29', '--year-starts must be a day that every year has'],
    ['--year-starts=2027-01-31', '--year-starts needs --weeks'],
  ])('refuses %s', async (args, problem) => {
    const { code, stderr } = await periods(...args.split(' '));
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('creates weeks without a gap, in quarters of 13 and years of 52 or 53 weeks', async () => {
    await cli('migrate', ['up'], { database });
    expect((await periods('--weeks=4-4-5')).code).toBe(0);
    expect(await query(`SELECT FROM pg_tables WHERE tablename = 'dim_period'`)).toEqual([]);
    const [whole] = await query(`SELECT min(sdat) AS first, max(edat) AS last,
        count(*) = (max(edat) - min(sdat) + 1) / 7 AS has_no_gap,
        bool_and(edat = sdat + 6 AND extract(isodow FROM sdat) = 1) AS are_weeks,
        bool_and(week = to_char(sdat, 'IYYY-"W"IW')) AS are_iso
      FROM pf_lookups.weeks`);
    expect(whole).toEqual({
      ...{ first: '2018-01-01', last: '2035-12-30' },
      ...{ has_no_gap: true, are_weeks: true, are_iso: true },
    });
    const weeksOf = (year: number) =>
      query(
        `SELECT period, count(*)::int AS weeks FROM pf_lookups.weeks WHERE year = ${year} GROUP BY 1 ORDER BY 1`,
      );
    const counted = async (year: number) => (await weeksOf(year)).map(({ weeks }) => weeks);
    expect(await counted(2027)).toEqual([4, 4, 5, 4, 4, 5, 4, 4, 5, 4, 4, 5]);
    // 2026 has 53 weeks.
    expect(await counted(2026)).toEqual([4, 4, 5, 4, 4, 5, 4, 4, 5, 4, 4, 6]);

    expect((await periods('--weeks=4-5-4', '--year-starts=2026-02-01')).code).toBe(0);
    expect(await counted(2027)).toEqual([4, 5, 4, 4, 5, 4, 4, 5, 4, 4, 5, 4]);
    const starts = await query(
      `SELECT year, sdat FROM pf_lookups.weeks WHERE week_no = 1 AND year IN (2023, 2024, 2027) ORDER BY 1`,
    );
    // As the National Retail Federation has them.
    expect(starts).toEqual([
      { year: 2023, sdat: '2023-01-29' },
      { year: 2024, sdat: '2024-02-04' },
      { year: 2027, sdat: '2027-01-31' },
    ]);

    // The middle of such a year is near to New Year, and each year has a name of its own.
    expect((await periods('--weeks=4-4-5', '--year-starts=2027-07-01')).code).toBe(0);
    const [named] = await query(`SELECT count(DISTINCT week) = count(*) AS are_distinct,
      count(DISTINCT year)::int AS years FROM pf_lookups.weeks`);
    expect(named).toEqual({ are_distinct: true, years: 18 });
  });

  it('sorts every label with a year by time', async () => {
    await cli('migrate', ['up'], { database });
    await periods('--fiscal-start=4');
    for (const label of ['cal_label', 'fisc_label', 'fisc_quarter_label', 'period_key']) {
      const rows = await query(`SELECT ${label} AS label FROM pf.dim_period ORDER BY sdat`);
      const labels = rows.map((row) => row.label);
      expect(labels).toEqual([...labels].sort());
    }
  });
});

describe('PUT /calendar', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  const start = async () => (await service.api.get('/calendar')).body;
  const make = (body: object) => service.api.put('/calendar', { pf_user: 'ann', ...body });
  const audited = async () => {
    const { entries } = (await service.api.get('/audit')).body;
    const { action, pf_user, before, after } = entries[0];
    return { action, pf_user, before, after };
  };

  it('makes the calendar of months, which GET /calendar tells, and the audit records', async () => {
    await service.query('DROP TABLE pf.dim_period');
    expect(await start()).toEqual({ fiscal_start: null });

    expect(await make({ fiscal_start: 1 })).toMatchObject({
      status: 200,
      body: { schema: 'pf', tname: 'dim_period', periods: 216 },
    });
    expect(await start()).toEqual({ fiscal_start: 1 });
    const byAnn = { action: 'calendar made', pf_user: 'ann' };
    expect(await audited()).toEqual({ ...byAnn, before: null, after: { fiscal_start: 1 } });

    expect((await make({ fiscal_start: 7 })).status).toBe(200);
    expect(await start()).toEqual({ fiscal_start: 7 });
    expect(await audited()).toEqual({
      ...byAnn,
      before: { fiscal_start: 1 },
      after: { fiscal_start: 7 },
    });
    expect(
      await service.query(
        `SELECT fisc_label, indexed FROM pf.dim_period,
           (SELECT count(*)::int AS indexed FROM pg_indexes WHERE tablename = 'dim_period') AS i
         WHERE sdat = '2024-07-01'`,
      ),
    ).toEqual([{ fisc_label: 'FY2025-01 Jul', indexed: 4 }]);
  });

  it('makes retail weeks, twice at the same time too', async () => {
    const weeks = { weeks: '4-5-4', year_starts: '2026-02-01' };
    const [one, other] = await Promise.all([make(weeks), make(weeks)]);
    const body = { schema: 'pf_lookups', tname: 'weeks', periods: 939 };
    expect([one, other]).toMatchObject([
      { status: 200, body },
      { status: 200, body },
    ]);
    expect(
      await service.query("SELECT period, sdat FROM pf_lookups.weeks WHERE week = '2027-W01'"),
    ).toEqual([{ period: '2027-P01', sdat: '2027-01-31' }]);
    expect(await audited()).toMatchObject({ after: weeks });
  });

  it.each([
    [{}, 'fiscal_start'],
    [{ fiscal_start: 0 }, 'fiscal_start'],
    [{ fiscal_start: 1.5 }, 'fiscal_start'],
    [{ weeks: '4-4-4' }, 'weeks'],
    [{ weeks: '4-4-5', fiscal_start: 7 }, 'fiscal_start'],
    [{ weeks: '4-4-5', year_starts: '2027-02-30' }, 'year_starts'],
    [{ weeks: '4-4-5', year_starts: '2028-02-29' }, 'year_starts'],
    [{ fiscal_start: 1, year_starts: '2027-01-31' }, 'year_starts'],
  ])('refuses %j', async (body, field) => {
    const before = await service.query('SELECT max(id) FROM pf.audit');
    expect(await make(body)).toMatchObject({ status: 400, body: { field } });
    expect(await service.query('SELECT max(id) FROM pf.audit')).toEqual(before);
  });
});
