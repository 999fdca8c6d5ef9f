// Tests docs/contract/02-resources-and-their-fields.md: the tables of pf.
import { describe, expect } from 'vitest';
import { GRAIN_COLUMNS, it, makePlan, makeSource, ok, ORDER_COLUMNS, refused } from './orders';
import { named } from './catalog';

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
      'needs ARRAY',
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
