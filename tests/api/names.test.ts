import { describe, expect } from 'vitest';
import { it } from '../support/api';
import { decode, makeSource, makeVersion, ok } from './contract/orders';

/** Names used by the service's own SQL, and names with a meaning in JavaScript. */
const NAMES = [
  ...[
    's',
    'f',
    'p',
    'p0',
    'period_1',
    'leaves',
    'target',
    'side',
    'sign',
    'sides',
    'written',
    'gone',
  ],
  ...['value_weight', 'value_running', 'value_total', 'units_up_to', 'units_swing', 'leaf_order'],
  ...['logid', 'row_count', 'included', 'n', 'value', 'some', 'groups', 'cal_year', 'id', 'note'],
  ...['constructor', 'toString', '{{logid}}', '$1', "it's", 'über ä', 'ORDER BY 1', '*'],
];
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
it.beforeAll(async ({ service }) => {
  await service.query(`
    CREATE TABLE public.names (sdat date, edat int, ${NAMES.map((n) => `${quote(n)} text`).join(', ')},
      units numeric(12,2), amount int);
    INSERT INTO public.names
    SELECT '2026-01-31', 0, ${NAMES.map((_, i) => `'a' || (g + ${i}) % 3`).join(', ')}, g * 10, g
    FROM generate_series(1, 9) AS g`);
});

describe.each([
  ['raw', [] as string[]],
  ['at a grain', ['sdat', 'sign', 'written', '{{logid}}']],
])('columns named like parts of a statement, %s', (_, grain) => {
  it('are loaded, read, scaled, moved, copied and undone', async ({ service }) => {
    const { api, query } = service;
    const id = await makeSource(service, 'names', [
      { cname: 'sdat', role: 'date', dim_group: 'd' },
      { cname: 'edat', role: 'dimension', dim_group: 'd', dim_period_col: 'cal_year' },
      ...NAMES.map((cname) => ({
        cname,
        role: 'dimension' as const,
        in_grain: grain.includes(cname),
      })),
      { cname: 'units', role: 'value' },
      { cname: 'amount', role: 'units' },
    ]);
    const versionId = await makeVersion(service, id);
    const path = `/versions/${versionId}`;
    const user = { pf_user: 'ann' };
    const table = `pf."fc_names_${versionId}"`;
    const total = async () =>
      (await query(`SELECT sum(units) AS v, sum(amount) AS u FROM ${table}`))[0];

    const load = ok(
      await api.post(`${path}/baseline`, {
        ...user,
        date_offset: '1 month',
        filters: [NAMES.map((cname) => ({ cname, op: 'like', value: 'a%' }))],
      }),
    ).body;
    expect(load).toMatchObject({ row_count: 9, outside_calendar: 0 });
    expect(await total()).toEqual({ v: '450.00', u: '45' });

    const slice = Object.fromEntries(NAMES.map((n, i) => [n, `a${(1 + i) % 3}`]));
    const { body: preview } = ok(await api.post(`${path}/slice`, { slice }));
    expect(preview).toMatchObject({ row_count: 3, value_total: 120, units_total: 12, skipped: [] });

    const entries: number[] = [];
    for (const [operation, more] of [
      ['scale', { value_incr: 0.05, units_incr: 4 }],
      ['recode', { set: { sign: 'b', '{{logid}}': 'c', constructor: 'd' } }],
      ['clone', { set: { sdat: '2027-05-05', written: 'e' }, scale_factor: 2 }],
    ] as const) {
      const within = operation === 'clone' ? { "it's": slice["it's"] } : slice;
      const { body } = ok(
        await api.post(`${path}/${operation}`, { ...user, slice: within, ...more }),
      );
      expect(body.length).toBeGreaterThan(0);
      entries.push(body[0].pf_logid);
    }
    expect(await total()).toEqual({ v: '690.15', u: '81' });

    const read = decode(ok(await api.get(`${path}/${grain.length > 0 ? 'agg' : 'data'}`)).bytes);
    expect(read.rows.reduce((sum, row) => sum + Number(row.amount), 0)).toBe(81);
    const log = ok(await api.get(`${path}/log`)).body;
    expect(log).toMatchObject({ value_total: 690.15, units_total: 81, value_col: 'units' });
    ok(await api.get(`${path}/segments`));
    ok(
      await api.post(`${path}/baseline/preview`, {
        where_clause: NAMES.map(quote).join(' || ') + " <> ''",
      }),
    );
    for (const cname of NAMES) {
      const target = `/sources/${id}/values?cname=${encodeURIComponent(cname)}`;
      expect(ok(await api.get(target)).body.values.length).toBe(3);
    }
    ok(await api.post(`/sources/${id}/grain-estimate`, { columns: NAMES }));

    for (const logid of entries.reverse()) ok(await api.del(`/log/${logid}`));
    expect(await total()).toEqual({ v: '450.00', u: '45' });
    ok(await api.del(path));
    ok(await api.del(`/sources/${id}`));
  });
});
