// Tests days and periods of docs/contract/13-forecast-table.md.
import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import type { Service } from '../../support/service';
import { it, makePlan, makeSource, makeVersion, ok, refused } from './orders';

const user = { pf_user: 'ann' };
const ZONE = 'America/Los_Angeles';

/** Moments around the end of March in Los Angeles (UTC−7), and the same as local timestamps. */
const MOMENTS = `
  INSERT INTO public.TABLE VALUES
    ('a', '2027-03-31 20:00-07', '2027-03-31 20:00', 1),
    ('b', '2027-04-01 00:30-07', '2027-04-01 00:30', 2),
    ('c', '2027-03-31 10:00-07', '2027-03-31 10:00', 4)`;

let made = 0;

/** Creates a source of moments. @param zone time zone of the column `at`; UTC by default */
async function moments(service: Service, zone?: string): Promise<{ id: number; tname: string }> {
  const tname = `moments_${(made += 1)}`;
  await service.query(
    `CREATE TABLE public.${tname} (k text, at timestamptz, plain timestamp, v numeric(12,2), m text)`,
  );
  await service.query(MOMENTS.replace('TABLE', `${tname} (k, at, plain, v)`));
  const columns: ColumnSave[] = [
    { cname: 'k', role: 'dimension' },
    { cname: 'at', role: 'date', dim_group: 'at', ...(zone ? { time_zone: zone } : {}) },
    { cname: 'plain', role: 'date' },
    { cname: 'v', role: 'value' },
    { cname: 'm', role: 'dimension', dim_group: 'at', dim_period_col: 'period_key' },
  ];
  return { id: await makeSource(service, tname, columns), tname };
}

describe('The time zone of a date column', () => {
  it('decides the day of a moment, before the offset', async ({ service }) => {
    const days = async (zone?: string) => {
      const { table } = await makePlan(service, (await moments(service, zone)).id);
      return service.query(`SELECT k, at, m, plain FROM ${table} ORDER BY k`);
    };
    expect(await days()).toMatchObject([
      { k: 'a', at: '2027-04-01', m: '2027-04', plain: '2027-03-31' },
      { k: 'b', at: '2027-04-01', m: '2027-04', plain: '2027-04-01' },
      { k: 'c', at: '2027-03-31', m: '2027-03', plain: '2027-03-31' },
    ]);
    expect(await days(ZONE)).toMatchObject([
      { k: 'a', at: '2027-03-31', m: '2027-03', plain: '2027-03-31' },
      { k: 'b', at: '2027-04-01', m: '2027-04', plain: '2027-04-01' },
      { k: 'c', at: '2027-03-31', m: '2027-03', plain: '2027-03-31' },
    ]);
    const { id } = await moments(service, ZONE);
    const path = `/versions/${await makeVersion(service, id)}`;
    const body = { date_offset: '1 month' };
    const { spans } = ok(await service.api.post(`${path}/baseline/preview`, body)).body;
    expect(spans[0]).toEqual({
      cname: 'at',
      min: '2027-03-31',
      max: '2027-04-01',
      shifted_min: '2027-04-30',
      shifted_max: '2027-05-01',
    });
  });

  it('is returned if set, must be known to the database, and needs a timestamp with time zone', async ({
    service,
  }) => {
    const { id } = await moments(service, ZONE);
    const path = `/sources/${id}/columns`;
    const zone = async () => (await service.api.get(path)).body[1].time_zone;
    const put = (entry: ColumnSave) => () => service.api.put(path, [entry]);
    expect(await zone()).toBe(ZONE);
    await refused(service, put({ cname: 'at', time_zone: 'Mars/Olympus' }), 400, /Mars.Olympus/);
    await refused(service, put({ cname: 'at', time_zone: "x' OR TRUE" }), 400, /time_zone/);
    await refused(service, put({ cname: 'plain', time_zone: ZONE }), 400, /without time zone/);
    expect(await zone()).toBe(ZONE);
    ok(await put({ cname: 'at', time_zone: null })());
    expect(await zone()).toBeUndefined();
  });

  it('appears in the difference of a generation, and applies after it', async ({ service }) => {
    const { id } = await moments(service);
    ok(await service.api.put(`/sources/${id}/columns`, [{ cname: 'at', time_zone: ZONE }]));
    const preview = ok(await service.api.get(`/sources/${id}/sql/preview`)).body;
    const baseline = preview.find((t: { operation: string }) => t.operation === 'baseline');
    expect(baseline.sql).toContain(`s."at" AT TIME ZONE '${ZONE}'`);
    const firstDay = async () => {
      const path = `/versions/${await makeVersion(service, id)}`;
      const filters = [[{ cname: 'k', op: '=', value: 'a' }]];
      const { spans } = ok(await service.api.post(`${path}/baseline/preview`, { filters })).body;
      const { logid } = ok(await service.api.post(`${path}/baseline`, { ...user, filters })).body;
      const [segment] = ok(await service.api.get(`${path}/segments`)).body;
      expect(segment).toMatchObject({ id: logid, spans: [{ min: spans[0].min }, {}] });
      return spans[0].min;
    };
    expect(await firstDay()).toBe('2027-04-01');
    ok(await service.api.post(`/sources/${id}/sql`));
    expect(await firstDay()).toBe('2027-03-31');
  });

  it('applies to the days of filters', async ({ service }) => {
    const rows = async (path: string, cname: string, op: string, value: unknown) =>
      ok(await service.api.post(`${path}/baseline/preview`, { filters: [[{ cname, op, value }]] }))
        .body.row_count;
    const pathOf = async (zone?: string) =>
      `/versions/${await makeVersion(service, (await moments(service, zone)).id)}`;
    const [utc, local] = [await pathOf(), await pathOf(ZONE)];
    const end = '2027-03-31';
    // The loaded days: one of three in UTC, two in Los Angeles and of the local timestamps.
    for (const [path, column, before] of [
      [utc, 'at', 1],
      [local, 'at', 2],
      [utc, 'plain', 2],
    ] as const) {
      expect(await rows(path, column, '<=', end)).toBe(before);
      expect(await rows(path, column, '=', end)).toBe(before);
      expect(await rows(path, column, '>', end)).toBe(3 - before);
      expect(await rows(path, column, 'in', [end])).toBe(before);
      expect(await rows(path, column, 'not in', [end])).toBe(3 - before);
      expect(await rows(path, column, 'between', ['2027-03-01', end])).toBe(before);
    }
    // A time is in this time zone, unless it names its own.
    expect(await rows(local, 'at', '>=', '2027-03-31 20:00')).toBe(2);
    expect(await rows(utc, 'at', '>=', '2027-03-31 20:00')).toBe(2);
    expect(await rows(local, 'at', '<', '2027-03-31 20:00')).toBe(1);
    expect(await rows(local, 'at', '>=', '2027-04-01T03:00:00Z')).toBe(2);
    expect(await rows(local, 'at', '<', '2027-04-01T03:00:00Z')).toBe(1);
    expect(await rows(utc, 'plain', '<', '2027-03-31 20:00')).toBe(1);
  });
});

describe('Periods that a load does not fill', () => {
  const sourceOf = async (service: Service, first: string) => {
    const tname = `dated_${(made += 1)}`;
    await service.query(
      `CREATE TABLE public.${tname} (day date, year int, "Month Year" text, v numeric(12,2));
       INSERT INTO public.${tname} VALUES ('${first}', 0, '201709', 1), ('${first}', 0, '201709', 2)`,
    );
    return makeSource(service, tname, [
      { cname: 'day', role: 'date', dim_group: 'day' },
      { cname: 'year', role: 'dimension', dim_group: 'day', dim_period_col: 'cal_year' },
      { cname: 'Month Year', role: 'dimension', dim_group: 'day' },
      { cname: 'v', role: 'value' },
    ]);
  };
  const both = async (service: Service, id: number, body: object) => {
    const path = `/versions/${await makeVersion(service, id)}`;
    const preview = ok(await service.api.post(`${path}/baseline/preview`, body)).body;
    const answer = ok(await service.api.post(`${path}/baseline`, { ...user, ...body })).body;
    return { path, preview, answer };
  };

  it('are named by the preview and the answer if no row has one', async ({ service }) => {
    const id = await sourceOf(service, '2017-09-30');
    const empty = { outside_calendar: 2, empty_periods: ['year'] };
    const { preview, answer } = await both(service, id, {});
    expect(preview).toMatchObject(empty);
    expect(answer).toMatchObject(empty);
    const moved = await both(service, id, { date_offset: '10 years' });
    expect(moved.answer).toMatchObject({ outside_calendar: 0 });
    for (const each of [moved.preview, moved.answer]) expect(each.empty_periods).toBeUndefined();
  });

  it('are named if they are copied although their date moves; a recode has to set them', async ({
    service,
  }) => {
    const id = await sourceOf(service, '2026-09-30');
    const { path, preview, answer } = await both(service, id, { date_offset: '1 year' });
    expect(preview.copied_periods).toEqual(['Month Year']);
    expect(answer.copied_periods).toEqual(['Month Year']);
    for (const operation of ['recode', 'clone']) {
      const set = { day: '2028-01-31' };
      const body = { ...user, slice: {}, set };
      await refused(
        service,
        () => service.api.post(`${path}/${operation}`, body),
        400,
        /Month Year/,
      );
    }
    const still = await both(service, id, { date_offset: '0 days' });
    for (const each of [still.preview, still.answer]) expect(each.copied_periods).toBeUndefined();
  });
});
