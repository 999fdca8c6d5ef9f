// Tests docs/contract/13-forecast-table.md.

import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { it } from '../../support/api';
import type { Service } from '../../support/service';
import {
  decode,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
  typesOf,
} from './orders';

const user = { pf_user: 'ann' };

describe('Metadata changed while versions exist', () => {
  const make = async (service: Service, tname: string) => {
    await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
    const id = await makeSource(
      service,
      tname,
      ORDER_COLUMNS.map((c) => (c.cname === 'select' ? { ...c, role: 'ignore' } : c)),
    );
    return { id, ...(await makePlan(service, id)) };
  };
  const put = async (service: Service, id: number, columns: ColumnSave[]) =>
    ok(await service.api.put(`/sources/${id}/columns`, columns));
  const generate = (service: Service, id: number) => service.api.post(`/sources/${id}/sql`);

  it('adds a new, empty column to existing forecast tables', async ({ service }) => {
    const { id, path, table } = await make(service, 'grows');
    await put(service, id, [{ cname: 'select', role: 'dimension' }]);
    // Until the SQL is generated again, everything works as before.
    expect(decode((await service.api.get(`${path}/data`)).bytes).fields).not.toHaveProperty(
      'select',
    );
    expect(
      (await service.api.post(`${path}/scale`, { ...user, slice: { region: 'North' }, pct: 1 }))
        .status,
    ).toBe(200);
    ok(await generate(service, id));
    expect(await typesOf(service, table)).toHaveProperty('select', 'text');
    ok(await service.api.post(`${path}/baseline`, { ...user, raw_where: `region = 'North'` }));
    const { rows } = decode((await service.api.get(`${path}/data`)).bytes);
    const values = new Map<unknown, number>();
    for (const r of rows) values.set(r.select, (values.get(r.select) ?? 0) + 1);
    expect(Object.fromEntries(values)).toEqual({ null: 15, x: 2, y: 1 });
  });

  it('refuses to drop or retype a column with data, and keeps the stored templates', async ({
    service,
  }) => {
    const { id, path } = await make(service, 'keeps');
    await put(service, id, [{ cname: 'region', role: 'filter' }]);
    await refused(service, () => generate(service, id), 422, /"region"/);
    await put(service, id, [{ cname: 'region', role: 'dimension' }]);
    await service.query(`ALTER TABLE public.keeps ALTER COLUMN pieces TYPE double precision`);
    await refused(service, () => generate(service, id), 422, /"pieces".*bigint.*double precision/);
    expect((await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 1 })).status).toBe(
      200,
    );
    await service.query(`ALTER TABLE public.keeps ALTER COLUMN pieces TYPE integer`);
    ok(await generate(service, id));
  });

  it('refuses to change a column with data between the role measure and a dimension', async ({
    service,
  }) => {
    const { id, path, table } = await make(service, 'uses');
    const role = (role: ColumnSave['role']) => put(service, id, [{ cname: 'pieces', role }]);
    ok(await service.api.post(`${path}/scale`, { ...user, slice: {}, pct: 10 }));
    const before = await service.query(`SELECT sum(pieces) AS pieces FROM ${table}`);
    // Another role of a measure changes no sums.
    await role('measure');
    ok(await generate(service, id));
    expect(await service.query(`SELECT sum(pieces) AS pieces FROM ${table}`)).toEqual(before);
    await role('dimension');
    const named =
      /version "[^"]+" holds data in "pieces".*give .* the role measure again, or remove/;
    await refused(service, () => generate(service, id), 422, named);
    const { entries } = (await service.api.get(`${path}/log`)).body;
    for (const { id: logid } of entries) ok(await service.api.del(`/log/${logid}`));
    ok(await generate(service, id));
    ok(await service.api.post(`${path}/baseline`, user));
    await role('measure');
    await refused(service, () => generate(service, id), 422, /had the role dimension/);
  });

  it('drops or retypes a column of an empty version', async ({ service }) => {
    const { id, path, table } = await make(service, 'empties');
    ok(await service.api.del(`${path}/baseline`));
    await put(service, id, [{ cname: 'region', role: 'ignore' }]);
    await service.query(`ALTER TABLE public.empties ALTER COLUMN pieces TYPE double precision`);
    ok(await generate(service, id));
    const types = await typesOf(service, table);
    expect(types).not.toHaveProperty('region');
    expect(types.pieces).toBe('double precision');
    expect((await service.api.post(`${path}/baseline`, user)).status).toBe(200);
  });

  it('applies to all versions of a source or to none', async ({ service }) => {
    const { id } = await make(service, 'several');
    const empty = await makeVersion(service, id);
    await put(service, id, [
      { cname: 'region', role: 'ignore' },
      { cname: 'select', role: 'dimension' },
    ]);
    const before = await typesOf(service, `pf.fc_several_${empty}`);
    await refused(service, () => generate(service, id), 422, /"region"/);
    expect(await typesOf(service, `pf.fc_several_${empty}`)).toEqual(before);
  });
});

describe('Period columns', () => {
  const load = (service: Service, path: string, more: object = {}) =>
    service.api.post(`${path}/baseline`, { ...user, ...more });

  it('are empty outside the calendar, and the load counts such rows', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.early'));
    const id = await makeSource(service, 'early', ORDER_COLUMNS);
    const versionId = await makeVersion(service, id);
    const path = `/versions/${versionId}`;
    expect(ok(await load(service, path, { date_offset: '-8 years' })).body).toMatchObject({
      row_count: 12,
      outside_calendar: 0,
    });
    ok(await service.api.del(`${path}/baseline`));
    const answer = ok(await load(service, path, { date_offset: '9 years 3 months' })).body;
    expect(answer).toMatchObject({ row_count: 12, outside_calendar: 1 });
    const years = await service.query(
      `SELECT "Order Year" AS y, count(*) AS n FROM pf.fc_early_${versionId} GROUP BY 1 ORDER BY 1`,
    );
    expect(years).toEqual([
      { y: 2035, n: 10 },
      { y: null, n: 2 },
    ]);
    ok(await service.api.del(`${path}/baseline`));
    expect(ok(await load(service, path, { date_offset: '-30 years' })).body).toMatchObject({
      outside_calendar: 11,
    });
  });

  it('are not counted if the source derives none', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.timeless'));
    const id = await makeSource(
      service,
      'timeless',
      ORDER_COLUMNS.map((c) => ({ ...c, dim_period_col: null })),
    );
    const { body } = await load(service, `/versions/${await makeVersion(service, id)}`, {
      date_offset: '30 years',
    });
    expect(Object.keys(body)).toEqual(['logid', 'row_count', 'copied_periods']);
  });

  it('are derived from the shifted date, each by its own group, fiscal years too', async ({
    service,
  }) => {
    await service.query(`
      CREATE TABLE public.two_dates (ordered date, shipped date, oy int, om text, sfy text, sq smallint, v int);
      INSERT INTO public.two_dates VALUES ('2026-06-30', '2026-07-01', 0, '', '', 0, 5), ('2026-06-30', NULL, 0, 'old', 'old', 9, 7)`);
    const id = await makeSource(service, 'two_dates', [
      { cname: 'ordered', role: 'date', dim_group: 'o' },
      { cname: 'shipped', role: 'date', dim_group: 's' },
      { cname: 'oy', role: 'dimension', dim_group: 'o', dim_period_col: 'cal_year' },
      { cname: 'om', role: 'dimension', dim_group: 'o', dim_period_col: 'cal_month_name' },
      { cname: 'sfy', role: 'dimension', dim_group: 's', dim_period_col: 'fisc_quarter_label' },
      { cname: 'sq', role: 'dimension', dim_group: 's', dim_period_col: 'fisc_quarter' },
      { cname: 'v', role: 'value' },
    ]);
    const versionId = await makeVersion(service, id);
    ok(await load(service, `/versions/${versionId}`, { date_offset: '1 year' }));
    expect(
      await service.query(
        `SELECT ordered, shipped, oy, om, sfy, sq FROM pf.fc_two_dates_${versionId} ORDER BY v`,
      ),
    ).toEqual([
      {
        ordered: '2027-06-30',
        shipped: '2027-07-01',
        oy: 2027,
        om: 'June',
        sfy: 'FY2028 Q1',
        sq: 1,
      },
      { ordered: '2027-06-30', shipped: null, oy: 2027, om: 'June', sfy: null, sq: null },
    ]);
  });

  it('need a calendar: without one, a load or a new date is a 409 that names the command', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.uncalendared'));
    const id = await makeSource(service, 'uncalendared', ORDER_COLUMNS);
    const { path } = await makePlan(service, id);
    await service.query('ALTER TABLE pf.dim_period RENAME TO dim_period_away');
    try {
      await refused(service, () => load(service, path), 409, /npm run periods/);
      const recode = (set: object) => () =>
        service.api.post(`${path}/recode`, { ...user, slice: { region: 'North' }, set });
      await refused(service, recode({ 'Order Date': '2027-01-01' }), 409, /npm run periods/);
      expect((await recode({ region: 'West' })()).status).toBe(200);
      expect((await service.api.get(`${path}/data`)).status).toBe(200);
    } finally {
      await service.query('ALTER TABLE pf.dim_period_away RENAME TO dim_period');
    }
    await service.query(
      'BEGIN; CREATE TABLE public.kept AS SELECT * FROM pf.dim_period; DELETE FROM pf.dim_period; COMMIT',
    );
    try {
      await refused(service, () => load(service, path), 409, /npm run periods/);
    } finally {
      await service.query('INSERT INTO pf.dim_period SELECT * FROM public.kept');
    }
    expect((await load(service, path)).status).toBe(200);
  });
});

describe('Values that a forecast table cannot hold', () => {
  const CASES: [what: string, column: string, value: string, message: RegExp][] = [
    ['chr(31) in a text', 'k text', `'a' || chr(31) || 'b'`, /"k" .*chr\(31\)/],
    ['chr(30) in a text', 'k text', `chr(30)`, /"k" .*chr\(30\)/],
    ['chr(31) in a varchar', 'k varchar(9)', `chr(31)`, /"k"/],
    ['chr(30) in an array', 'k text[]', `ARRAY[chr(30)]`, /"k"/],
    ['NaN in a numeric measure', 'v numeric', `'NaN'`, /"v" .*NaN/],
    ['infinity in a numeric measure', 'v numeric', `'Infinity'`, /"v" .*infinity/],
    ['NaN in a float measure', 'v double precision', `'NaN'`, /"v" .*NaN/],
    ['infinity in a real measure', 'v real', `'-Infinity'`, /"v" .*infinity/],
    ['an endless date', 'd date', `'infinity'`, /"d" .*infini/],
    ['an endless timestamp', 'd timestamptz', `'-infinity'`, /"d" .*infini/],
    ['a dimension beyond 2^53', 'k bigint', '9007199254740993', /"k" .*2\^53/],
    ['a dimension beyond -2^53', 'k bigint', '-9007199254740993', /"k" .*2\^53/],
    ['a numeric dimension beyond 2^53', 'k numeric', '12345678901234567890', /"k"/],
    ['NaN in a numeric dimension', 'k numeric', `'NaN'`, /"k" .*NaN/],
    ['infinity in a float dimension', 'k double precision', `'Infinity'`, /"k" .*infinity/],
  ];

  it.for(CASES)(
    'a load refuses %s without a trace',
    async ([what, column, value, message], { service }) => {
      const tname = `bad_${CASES.findIndex((c) => c[0] === what)}`;
      const columns = { k: 'k text', d: 'd date', v: 'v numeric(12,2)', [column[0]!]: column };
      await service.query(`
      CREATE TABLE public.${tname} (${Object.values(columns).join(', ')}, good boolean);
      INSERT INTO public.${tname} (${column[0]}, good) VALUES (NULL, true), (${value}, false)`);
      const id = await makeSource(service, tname, [
        { cname: 'k', role: 'dimension' },
        { cname: 'd', role: 'date' },
        { cname: 'v', role: 'value' },
        { cname: 'good', role: 'filter' },
      ]);
      const path = `/versions/${await makeVersion(service, id)}`;
      const load = (more = {}) => service.api.post(`${path}/baseline`, { ...user, ...more });
      await refused(service, load, 422, message);
      expect((await load({ raw_where: 'good' })).status).toBe(200);
      expect((await service.api.get(`${path}/data`)).status).toBe(200);
    },
  );

  it('a set refuses separators and numbers that a pivot cannot show', async ({ service }) => {
    await service.query(
      `CREATE TABLE public.set_into (k text, n bigint, x numeric, v int); INSERT INTO public.set_into VALUES ('a', 1, 1, 5)`,
    );
    const id = await makeSource(service, 'set_into', [
      ...['k', 'n', 'x'].map((cname): ColumnSave => ({ cname, role: 'dimension' })),
      { cname: 'v', role: 'value' },
    ]);
    const { path } = await makePlan(service, id);
    for (const operation of ['recode', 'clone']) {
      const set = (values: object) => () =>
        service.api.post(`${path}/${operation}`, { ...user, slice: {}, set: values });
      await refused(service, set({ k: 'a\u001fb' }), 422, /"k"/);
      await refused(service, set({ k: '\u001e' }), 422, /"k"/);
      await refused(service, set({ n: 2 ** 60 }), 422, /2\^53/);
      await refused(service, set({ n: '9007199254740993' }), 422, /2\^53/);
      await refused(service, set({ n: 1.5 }), 400, /n/);
      await refused(service, set({ n: 'NaN' }), 400, /n/);
      await refused(service, set({ x: 'NaN' }), 400, /x/);
      await refused(service, set({ x: '1e400' }), 422, /x/);
      await refused(service, set({ x: '12345678901234567890' }), 422, /x/);
      await refused(service, set({ k: 'a\u0000' }), 400, /k/);
    }
  });
});
