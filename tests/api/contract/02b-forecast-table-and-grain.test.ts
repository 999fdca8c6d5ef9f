// Tests docs/contract/02-resources-and-their-fields.md: calendar, migrations, forecast table and display grain.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import {
  decode,
  GRAIN_COLUMNS,
  it,
  makePlan,
  makeSource,
  makeVersion,
  ok,
  ORDER_COLUMNS,
  ORDERS,
} from './orders';
import { named } from './catalog';

describe('pf.dim_period', () => {
  it('has one row per month from 2018 to 2035, with its indexes', async ({ service }) => {
    expect(await named(service, 'dim_period')).toEqual([
      'cal_label text',
      'cal_month integer',
      'cal_month_abbr text',
      'cal_month_name text',
      'cal_quarter integer',
      'cal_year integer',
      'drange daterange',
      'edat date',
      'fisc_label text',
      'fisc_month integer',
      'fisc_month_abbr text',
      'fisc_month_name text',
      'fisc_quarter integer',
      'fisc_quarter_label text',
      'fisc_year integer',
      'ndays integer',
      'period_key text',
      'sdat date',
    ]);
    const [span] = await service.query(
      'SELECT min(sdat)::text AS first, max(edat)::text AS last, count(*) AS months FROM pf.dim_period',
    );
    expect(span).toEqual({ first: '2018-01-01', last: '2035-12-31', months: 216 });
    const indexes = await service.query(
      `SELECT regexp_replace(indexdef, '.* USING ', '') AS on FROM pg_indexes
       WHERE schemaname = 'pf' AND tablename = 'dim_period' ORDER BY 1`,
    );
    expect(indexes.map((i) => i.on)).toEqual([
      'btree (cal_year, cal_month)',
      'btree (fisc_year, fisc_month)',
      'btree (sdat)',
      'gist (drange)',
    ]);
  });
});

describe('pf.schema_version', () => {
  it('has each migration with the first 16 hex digits of its SHA-256', async ({ service }) => {
    const applied = await service.query('SELECT * FROM pf.schema_version ORDER BY filename');
    expect(applied.length).toBeGreaterThanOrEqual(4);
    for (const { filename, checksum } of applied) {
      const file = readFileSync(`migrations/${filename}`);
      expect(checksum).toBe(createHash('sha256').update(file).digest('hex').slice(0, 16));
    }
  });
});

describe('Forecast table pf.fc_{tname}_{version_id}', () => {
  it('has the data columns of the metadata, then four system columns', async ({
    service,
    sourceId,
  }) => {
    const versionId = await makeVersion(service, sourceId);
    const columns = await service.query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = 'pf.fc_orders_${versionId}'::regclass AND attnum > 0 ORDER BY attnum`,
    );
    expect(columns.map((c) => `${c.name}: ${c.type}`)).toEqual([
      'Order Date: date',
      'Order Year: bigint',
      'region: text',
      'sub-category: text',
      'select: text',
      'a"b: text',
      'amount: numeric',
      'pieces: bigint',
      'pf_id: bigint',
      'pf_iter: text',
      'pf_logid: bigint',
      'pf_created_at: timestamp with time zone',
    ]);
  });

  it('does not store note and operation: an edited note appears at once', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    const notes = async () => {
      const { rows } = decode((await service.api.get(`${path}/data`)).bytes);
      return [...new Set(rows.map((r) => `${r.pf_op}: ${r.pf_note}`))];
    };
    expect(await notes()).toEqual(['baseline: null']);
    ok(await service.api.patch(`/log/${baseline}`, { note: 'the start' }));
    expect(await notes()).toEqual(['baseline: the start']);
  });
});

describe('Display grain', () => {
  let grainId: number;

  it.beforeAll(async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.grained'));
    grainId = await makeSource(service, 'grained', GRAIN_COLUMNS);
  });

  it('gives every group its own key, by the formula of the contract', async ({ service }) => {
    const { path, table } = await makePlan(service, grainId);
    const { rows } = decode((await service.api.get(`${path}/agg`)).bytes);
    const expected = await service.query(
      `SELECT "Order Year", region, "a""b", pf_iter, pf_logid,
         concat_ws(chr(31), COALESCE("Order Year"::text, chr(30)), COALESCE(region::text, chr(30)),
           COALESCE("a""b"::text, chr(30)), pf_iter, pf_logid::text) AS pf_gkey,
         SUM(amount)::float8 AS amount, SUM(pieces)::float8 AS pieces
       FROM ${table} GROUP BY 1, 2, 3, 4, 5 ORDER BY 6`,
    );
    const sorted = rows.toSorted((a, b) => (String(a.pf_gkey) < String(b.pf_gkey) ? -1 : 1));
    expect(sorted).toEqual(
      expected.toSorted((a, b) => (String(a.pf_gkey) < String(b.pf_gkey) ? -1 : 1)),
    );
    expect(new Set(rows.map((r) => r.pf_gkey)).size).toBe(rows.length);
    // Null and the empty text are different groups, because the key has a character for null.
    expect(new Set(rows.filter((r) => r['Order Year'] === 2026).map((r) => r.region))).toEqual(
      new Set(['North', 'South', 'East', '', null]),
    );
  });

  it('orders its columns by opos, columns without one last, then by id', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.ordered'));
    const opos = (cname: string) => ({ 'a"b': 1, region: 2, 'Order Year': null })[cname];
    const id = await makeSource(
      service,
      'ordered',
      GRAIN_COLUMNS.map((c) => (c.in_grain ? { ...c, opos: opos(c.cname) } : { ...c, opos: 9 })),
    );
    const { path } = await makePlan(service, id);
    const { fields, rows } = decode((await service.api.get(`${path}/agg`)).bytes);
    expect(Object.keys(fields)).toEqual([
      'a"b',
      'region',
      'Order Year',
      'pf_iter',
      'pf_logid',
      'pf_gkey',
      'amount',
      'pieces',
    ]);
    const north = rows.find((r) => r.region === 'North');
    expect(String(north?.pf_gkey).split('\u001f').slice(0, 4)).toEqual([
      'k',
      'North',
      '2026',
      'baseline',
    ]);
  });

  it('ignores the flag on a column with another role', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.flagged'));
    const id = await makeSource(
      service,
      'flagged',
      ORDER_COLUMNS.map((c) => ({ ...c, in_grain: c.role !== 'dimension' && c.role !== 'date' })),
    );
    expect((await service.api.get(`/sources/${id}/sql`)).body).toHaveLength(7);
    const { path } = await makePlan(service, id);
    expect((await service.api.get(`${path}/agg`)).status).toBe(404);
  });

  it('sums only the measures of the source', async ({ service }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.unitless'));
    const id = await makeSource(
      service,
      'unitless',
      GRAIN_COLUMNS.map((c) => (c.role === 'units' ? { ...c, role: 'ignore' } : c)),
    );
    const { path } = await makePlan(service, id);
    const { fields } = decode((await service.api.get(`${path}/agg`)).bytes);
    expect(Object.keys(fields)).toEqual([
      'Order Year',
      'region',
      'a"b',
      'pf_iter',
      'pf_logid',
      'pf_gkey',
      'amount',
    ]);
  });
});
