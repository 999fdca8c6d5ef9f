// Tests docs/contract/02-resources-and-their-fields.md.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
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
  refused,
} from './orders';

/** Returns the columns of a table of schema pf from the catalog: type, nullability, default. */
const columnsOf = (service: Service, table: string) =>
  service.query(
    `SELECT column_name AS name, data_type AS type, is_nullable = 'YES' AS nullable,
       column_default AS "default"
     FROM information_schema.columns WHERE table_schema = 'pf' AND table_name = $1
     ORDER BY column_name`,
    [table],
  );
const named = async (service: Service, table: string) =>
  (await columnsOf(service, table)).map((c) => `${c.name} ${c.type}`);

describe('pf.source', () => {
  it('has the fields of the contract, and defaults for status and created_at', async ({
    service,
    sourceId,
  }) => {
    expect(await named(service, 'source')).toEqual([
      'created_at timestamp with time zone',
      'created_by text',
      'default_layout jsonb',
      'id integer',
      'label text',
      'schema text',
      'status text',
      'tname text',
    ]);
    const source = (await service.api.get(`/sources/${sourceId}`)).body;
    expect(source).toEqual({
      id: sourceId,
      schema: 'public',
      tname: 'orders',
      label: null,
      status: 'active',
      default_layout: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: null,
    });
  });

  it('registers each table once', async ({ service }) => {
    await refused(
      service,
      () => service.api.post('/sources', { schema: 'public', tname: 'orders' }),
      409,
    );
  });
});

describe('pf.col_meta', () => {
  it('has one row per column, with role ignore, in the order of the table', async ({ service }) => {
    await service.query('CREATE TABLE public.fresh (b int, "a" text)');
    const { id } = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'fresh' }),
    ).body;
    const blank = {
      label: null,
      role: 'ignore',
      is_key: false,
      dim_group: null,
      dim_period_col: null,
      in_grain: false,
    };
    expect((await service.api.get(`/sources/${id}/columns`)).body).toEqual([
      { cname: 'b', opos: 1, type: 'integer', ...blank },
      { cname: 'a', opos: 2, type: 'text', ...blank },
    ]);
    ok(await service.api.del(`/sources/${id}`));
    expect(await service.query('SELECT FROM pf.col_meta WHERE source_id = $1', [id])).toEqual([]);
  });
});

describe('pf.version', () => {
  it('starts open, skips reference rows, and has a name that is unique in its source', async ({
    service,
    sourceId,
  }) => {
    const { body } = await service.api.post(`/sources/${sourceId}/versions`, {
      name: 'Budget',
      pf_user: 'ann',
    });
    expect(body).toEqual({
      id: expect.any(Number),
      source_id: sourceId,
      name: 'Budget',
      description: null,
      status: 'open',
      exclude_iters: ['reference'],
      created_at: expect.any(String),
      created_by: 'ann',
      closed_at: null,
      closed_by: null,
    });
    await refused(
      service,
      () => service.api.post(`/sources/${sourceId}/versions`, { name: 'Budget' }),
      409,
      /Budget/,
    );
  });

  it('prevents the deletion of its source', async ({ service, sourceId }) => {
    await refused(service, () => service.api.del(`/sources/${sourceId}`), 409, /Budget/);
  });
});

describe('pf.view', () => {
  it('has a name that is unique in its source, and is deleted with it', async ({ service }) => {
    expect(await named(service, 'view')).toEqual([
      'created_at timestamp with time zone',
      'created_by text',
      'id integer',
      'layout jsonb',
      'name text',
      'source_id integer',
      'within jsonb',
    ]);
    await service.query('CREATE TABLE public.seen AS SELECT * FROM public.orders');
    const id = await makeSource(service, 'seen', ORDER_COLUMNS);
    const view = { name: 'By region', layout: { group_by: ['region'] }, pf_user: 'ann' };
    expect(ok(await service.api.post(`/sources/${id}/views`, view)).body).toEqual({
      id: expect.any(Number),
      source_id: id,
      name: 'By region',
      layout: { group_by: ['region'] },
      created_by: 'ann',
      created_at: expect.any(String),
    });
    await refused(service, () => service.api.post(`/sources/${id}/views`, view), 409, /By region/);
    ok(await service.api.del(`/sources/${id}`));
    expect(await service.query('SELECT FROM pf.view')).toEqual([]);
  });
});

describe('pf.formula', () => {
  it('has a name that is unique in its source, and is deleted with it', async ({ service }) => {
    expect(await named(service, 'formula')).toEqual([
      'created_at timestamp with time zone',
      'created_by text',
      'expression text',
      'format jsonb',
      'id integer',
      'name text',
      'source_id integer',
    ]);
    await service.query('CREATE TABLE public.priced AS SELECT * FROM public.orders');
    const id = await makeSource(service, 'priced', ORDER_COLUMNS);
    const formula = { name: 'Per piece', expression: 'amount / pieces', pf_user: 'ann' };
    const post = () => service.api.post(`/sources/${id}/formulas`, formula);
    expect(ok(await post()).body).toEqual({
      id: expect.any(Number),
      source_id: id,
      name: 'Per piece',
      expression: 'amount / pieces',
      format: { style: 'number' },
      created_by: 'ann',
      created_at: expect.any(String),
      problem: null,
    });
    await refused(service, post, 409, /Per piece/);
    ok(await service.api.del(`/sources/${id}`));
    expect(await service.query('SELECT FROM pf.formula')).toEqual([]);
  });
});

describe('pf.profile', () => {
  it('has a name that is unique in its source, and is deleted with it', async ({ service }) => {
    expect(await named(service, 'profile')).toEqual([
      'created_at timestamp with time zone',
      'created_by text',
      'id integer',
      'name text',
      'source_id integer',
      'weights ARRAY',
      'within jsonb',
    ]);
    await service.query('CREATE TABLE public.phased AS SELECT * FROM public.orders');
    const id = await makeSource(service, 'phased', ORDER_COLUMNS);
    const weights = [4, 4, 5, 4, 4, 5, 4, 4, 5, 4, 4, 5];
    const profile = { name: '4-4-5', weights, pf_user: 'ann' };
    const post = () => service.api.post(`/sources/${id}/profiles`, profile);
    expect(ok(await post()).body).toEqual({
      id: expect.any(Number),
      source_id: id,
      name: '4-4-5',
      weights,
      created_by: 'ann',
      created_at: expect.any(String),
    });
    await refused(service, post, 409, /4-4-5/);
    ok(await service.api.del(`/sources/${id}`));
    expect(await service.query('SELECT FROM pf.profile')).toEqual([]);
  });
});

describe('pf.log', () => {
  it('has one entry per write: user, time, operation, slice', async ({ service, sourceId }) => {
    const { path, versionId, baseline } = await makePlan(service, sourceId);
    ok(
      await service.api.post(`${path}/scale`, {
        slice: { region: 'North' },
        pct: 10,
        pf_user: 'bob',
        note: 'more',
      }),
    );
    const entries = await service.query('SELECT * FROM pf.log WHERE version_id = $1 ORDER BY id', [
      versionId,
    ]);
    expect(entries).toEqual([
      {
        id: baseline,
        version_id: versionId,
        pf_user: 'ann',
        stamp: expect.any(String),
        operation: 'baseline',
        slice: null,
        params: { where_clause: 'TRUE', date_offset: '0 days' },
        note: null,
        row_count: 12,
        counted_revision: null,
      },
      {
        id: expect.any(Number),
        version_id: versionId,
        pf_user: 'bob',
        stamp: expect.any(String),
        operation: 'scale',
        slice: { region: 'North' },
        params: { pct: 10 },
        note: 'more',
        row_count: expect.any(Number),
        counted_revision: null,
      },
    ]);
    expect((await service.api.del(`/versions/${versionId}`)).status).toBe(204);
    expect(await service.query('SELECT FROM pf.log WHERE version_id = $1', [versionId])).toEqual(
      [],
    );
  });
});

describe('pf.sql', () => {
  it('has one template per operation, deleted with its source', async ({ service, sourceId }) => {
    const stored = () =>
      service.query('SELECT operation FROM pf.sql WHERE source_id = $1 ORDER BY 1', [sourceId]);
    expect((await stored()).map((r) => r.operation)).toEqual([
      'baseline',
      'clone',
      'get_data',
      'recode',
      'reference',
      'scale',
      'undo',
    ]);
    await service.query('CREATE TABLE public.gone AS SELECT * FROM public.orders');
    const id = await makeSource(service, 'gone', GRAIN_COLUMNS);
    ok(await service.api.del(`/sources/${id}`));
    expect(await service.query('SELECT FROM pf.sql WHERE source_id = $1', [id])).toEqual([]);
  });
});

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
    // Null, empty text and a value are three groups, because null has its own character.
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
