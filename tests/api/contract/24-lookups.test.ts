// Tests docs/contract/24-lookups.md.
import { describe, expect } from 'vitest';
import type { Service } from '../../support/service';
import { decode, GRAIN_COLUMNS, it, makePlan, makeSource, ok, ORDERS, refused } from './orders';

const user = { pf_user: 'eve' };

/** Families in an order of their own. There is no row for lamps. */
const PRODUCTS = `
  CREATE TABLE public.products (sku text PRIMARY KEY, family text, rank integer, "a""b" text);
  INSERT INTO public.products VALUES ('Chairs', 'Seats', 2, 'x'), ('Tables', 'Desks', 1, 'y'),
    ('Beds', 'Seats', 2, 'x')`;

const BODY = {
  ...{ name: 'Products', schema: 'public', tname: 'products', ...user },
  keys: [{ column: 'sub-category', from: 'sku' }],
  attributes: [{ cname: 'family', label: 'Family' }],
};

const post = ({ api }: Service, sourceId: number, body: object) =>
  api.post(`/sources/${sourceId}/lookups`, body);

/** Adds the lookup of products. @returns its id */
const addProducts = async (service: Service, sourceId: number, more: object = {}) =>
  ok(await post(service, sourceId, { ...BODY, ...more })).body.id as number;

const remove = async ({ api }: Service, id: number) =>
  expect((await api.del(`/lookups/${id}`)).status).toBe(204);

const rowsOf = async ({ api }: Service, id: number, version: number) => {
  const { status, bytes } = await api.get(`/lookups/${id}/rows?version=${version}`);
  expect(status).toBe(200);
  return decode(bytes).rows;
};

it.beforeAll(({ service }) => service.query(PRODUCTS));

// A test that fails must not leave its lookup to the next one.
it.afterEach(({ service }) => service.query('DELETE FROM pf.lookup'));

describe('POST /sources/:id/lookups', () => {
  it('stores a lookup, whose labels are the names of the columns', async ({
    service,
    sourceId,
  }) => {
    const added = ok(await post(service, sourceId, { ...BODY, attributes: [{ cname: 'family' }] }));
    const stored = {
      ...{ id: added.body.id, source_id: sourceId, name: 'Products', range: null, problem: null },
      ...{ schema: 'public', tname: 'products', keys: BODY.keys },
      attributes: [{ cname: 'family', label: 'family', order_by: null }],
      conversions: [],
      ...{ created_by: 'eve', created_at: expect.any(String) },
    };
    expect([added.status, added.body]).toEqual([201, stored]);
    expect((await service.api.get(`/sources/${sourceId}/lookups`)).body).toEqual([stored]);
    await remove(service, added.body.id);
    expect((await service.api.get(`/sources/${sourceId}/lookups`)).body).toEqual([]);
  });

  it.for<[string, object, number, RegExp]>([
    ['neither keys nor a range', { keys: [] }, 400, /keys, a range, or both/],
    ['an unknown column of the source', { keys: [{ column: 'x', from: 'sku' }] }, 400, /"x"/],
    ['a measure as a key', { keys: [{ column: 'amount', from: 'sku' }] }, 400, /"amount"/],
    [
      'an unknown column of the table',
      { keys: [{ column: 'sub-category', from: 'x' }] },
      ...([400, /no column "x"/] as const),
    ],
    [
      'types that cannot be compared',
      { keys: [{ column: 'sub-category', from: 'rank' }] },
      ...([400, /cannot be compared/] as const),
    ],
    ['an unknown attribute', { attributes: [{ cname: 'x' }] }, 400, /no column "x"/],
    ['no attribute', { attributes: [] }, 400, /attributes/],
    [
      'a label that is a column',
      { attributes: [{ cname: 'family', label: 'region' }] },
      ...([400, /region/] as const),
    ],
    [
      'a label twice',
      {
        attributes: [
          { cname: 'family', label: 'F' },
          { cname: 'rank', label: 'F' },
        ],
      },
      ...([400, /F/] as const),
    ],
    [
      'a label that continues a column',
      { attributes: [{ cname: 'family', label: 'amount: Δ' }] },
      ...([400, /label/] as const),
    ],
    ['an unknown table', { tname: 'nothing' }, 404, /no table public\.nothing/],
    ['an unknown key with quotes', { keys: [{ column: 'a"b', from: '"' }] }, 400, /no column/],
  ])('refuses %s', async ([, more, status, sentence], { service, sourceId }) => {
    await refused(service, () => post(service, sourceId, { ...BODY, ...more }), status, sentence);
  });

  it('refuses a name or an attribute that another lookup has', async ({ service, sourceId }) => {
    const id = await addProducts(service, sourceId);
    const same = { ...BODY, attributes: [{ cname: 'rank' }] };
    await refused(service, () => post(service, sourceId, same), 409, /Products/);
    await refused(
      service,
      () => post(service, sourceId, { ...BODY, name: 'Others' }),
      ...([400, /Family/] as const),
    );
    await remove(service, id);
  });

  it('names three keys that are not unique, and ranges that overlap', async ({
    service,
    sourceId,
  }) => {
    await service.query(`
      CREATE TABLE public.twice (sku text, family text, first date, last date);
      INSERT INTO public.twice SELECT sku, 'F', '2026-01-01', '2026-06-30'
        FROM unnest(ARRAY['Chairs', 'Tables', 'Lamps', 'Beds']) AS sku;
      INSERT INTO public.twice SELECT sku, 'G', first + 100, last + 100 FROM public.twice`);
    const keys = { ...BODY, tname: 'twice' };
    const sentence = await refused(service, () => post(service, sourceId, keys), 422);
    expect(sentence.match(/Chairs|Tables|Lamps|Beds/g)).toHaveLength(3);
    const range = { column: 'Order Date', from: 'first', through: 'last' };
    const overlap = () => post(service, sourceId, { ...keys, range });
    expect(await refused(service, overlap, 422)).toMatch(/overlap/);
    await service.query(`UPDATE public.twice SET first = '2026-07-01' WHERE family = 'G'`);
    const { body } = ok(await overlap());
    await remove(service, body.id);
  });
});

describe('PATCH /lookups/:id', () => {
  it('changes what it names, under the same rules', async ({ service, sourceId }) => {
    const id = await addProducts(service, sourceId);
    const patch = (body: object) => service.api.patch(`/lookups/${id}`, body);
    const attributes = [{ cname: 'family', label: 'Line', order_by: 'rank' }];
    expect(ok(await patch({ attributes })).body).toMatchObject({
      keys: BODY.keys,
      attributes,
    });
    expect(ok(await patch({ name: 'Range' })).body).toMatchObject({ name: 'Range', attributes });
    await refused(service, () => patch({ tname: 'nothing' }), 404);
    await refused(service, () => patch({ keys: [] }), 400);
    await refused(service, () => patch({ attributes: [{ cname: 'sku', label: 'select' }] }), 400);
    await remove(service, id);
  });
});

describe('GET /sources/:id/lookups', () => {
  it('says why a lookup cannot be joined any more', async ({ service, sourceId }) => {
    const id = await addProducts(service, sourceId);
    const problem = async () => {
      const { body } = ok(await service.api.get(`/sources/${sourceId}/lookups`));
      return body[0].problem;
    };
    const { versionId, path } = await makePlan(service, sourceId);
    for (const [change, back, sentence] of [
      [
        'ALTER TABLE public.products RENAME TO elsewhere',
        'ALTER TABLE public.elsewhere RENAME TO products',
        /no table/,
      ],
      [
        'ALTER TABLE public.products RENAME family TO line',
        'ALTER TABLE public.products RENAME line TO family',
        /no column "family"/,
      ],
      [
        `ALTER TABLE public.products DROP CONSTRAINT products_pkey;
           INSERT INTO public.products VALUES ('Chairs', 'Desks')`,
        `DELETE FROM public.products WHERE rank IS NULL;
           ALTER TABLE public.products ADD PRIMARY KEY (sku)`,
        /several rows for a key/,
      ],
    ] as const) {
      await service.query(change);
      expect(await problem()).toMatch(sentence);
      // A slice is refused rather than widened.
      const slice = { Family: 'Seats' };
      await refused(
        service,
        () => service.api.post(`${path}/scale`, { slice, pct: 10, ...user }),
        409,
        sentence,
      );
      const { status } = await service.api.get(`/lookups/${id}/rows?version=${versionId}`);
      expect(status).toBe(409);
      await service.query(back);
      expect(await problem()).toBeNull();
    }
    await remove(service, id);
  });
});

describe('GET /lookups/:id/rows', () => {
  it('answers the keys that occur, with attributes and ranks', async ({ service, sourceId }) => {
    const attributes = [
      { cname: 'family', label: 'Family', order_by: 'rank' },
      { cname: 'a"b', label: 'Of "b"' },
    ];
    const id = await addProducts(service, sourceId, { attributes });
    const { versionId } = await makePlan(service, sourceId);
    expect(await rowsOf(service, id, versionId)).toEqual([
      { 'sub-category': 'Chairs', Family: 'Seats', 'Family: order': 1, 'Of "b"': 'x' },
      { 'sub-category': 'Lamps', Family: null, 'Family: order': null, 'Of "b"': null },
      { 'sub-category': 'Tables', Family: 'Desks', 'Family: order': 0, 'Of "b"': 'y' },
    ]);
    await remove(service, id);
  });

  it('has an ETag that changes with the table', async ({ service, sourceId }) => {
    const id = await addProducts(service, sourceId);
    const { versionId } = await makePlan(service, sourceId);
    const path = `/lookups/${id}/rows?version=${versionId}`;
    const tag = async () => (await service.api.get(path)).headers.get('etag');
    const before = await tag();
    expect(before).toMatch(/^(W\/)?"/);
    expect(await tag()).toBe(before);
    await service.query(`UPDATE public.products SET family = 'Stools' WHERE sku = 'Chairs'`);
    expect(await tag()).not.toBe(before);
    await service.query(`UPDATE public.products SET family = 'Seats' WHERE sku = 'Chairs'`);
    await remove(service, id);
  });

  it('joins days by range, such as the fiscal year', async ({ service, sourceId }) => {
    // The fiscal year of the tests begins in July.
    const range = { column: 'Order Date', from: 'sdat', through: 'edat' };
    const { id } = ok(
      await post(service, sourceId, {
        ...{ name: 'Calendar', schema: 'pf', tname: 'dim_period', range, ...user },
        attributes: [{ cname: 'fisc_quarter_label', label: 'Fiscal quarter' }],
      }),
    ).body;
    const { versionId, path } = await makePlan(service, sourceId);
    const rows = await rowsOf(service, id, versionId);
    expect(rows.map((row) => row['Fiscal quarter'])).toEqual([
      ...['FY2026 Q3', 'FY2026 Q3', 'FY2026 Q3', 'FY2026 Q3'],
      ...['FY2026 Q4', 'FY2026 Q4', 'FY2026 Q4', 'FY2027 Q2', null],
    ]);
    const slice = { 'Fiscal quarter': 'FY2026 Q4' };
    const { body } = ok(await service.api.post(`${path}/slice`, { slice }));
    expect(body).toMatchObject({ row_count: 5 });
    await remove(service, id);
  });
});

describe('Slices with attributes', () => {
  /** Returns the amounts of a slice. */
  const total = async ({ api }: Service, path: string, slice: object) =>
    ok(await api.post(`${path}/slice`, { slice })).body;

  it('select the rows whose keys have the attribute', async ({ service, sourceId }) => {
    const id = await addProducts(service, sourceId);
    const { path } = await makePlan(service, sourceId);
    const counts = [
      { Family: 'Seats' },
      { Family: ['Seats', 'Desks'] },
      { Family: null },
      { Family: ['Desks', null] },
      { Family: 'Seats', region: 'North' },
      { Family: 'nothing' },
      {},
    ].map(async (slice) => (await total(service, path, slice)).row_count);
    expect(await Promise.all(counts)).toEqual([4, 9, 3, 8, 2, 0, 12]);
    await remove(service, id);
  });

  it('are kept in the log as they were meant, and follow the table', async ({
    service,
    sourceId,
  }) => {
    const id = await addProducts(service, sourceId);
    const { path, table } = await makePlan(service, sourceId);
    const slice = { Family: 'Seats' };
    ok(await service.api.post(`${path}/scale`, { slice, pct: 100, ...user }));
    const [entry] = ok(await service.api.get(`${path}/log`)).body.entries;
    expect(entry).toMatchObject({ operation: 'scale', slice });
    const [row] = await service.query(
      `SELECT sum(amount)::float8 AS added FROM ${table} WHERE pf_logid = ${entry.id}`,
    );
    expect(row.added).toBeCloseTo(450.51, 2);

    const lock = ok(await service.api.post(`${path}/locks`, { slice, ...user })).body;
    const tables = () =>
      service.api.post(`${path}/scale`, {
        slice: { 'sub-category': 'Tables' },
        ...{ pct: 10, pf_user: 'bob' },
      });
    ok(await tables());
    await service.query(`UPDATE public.products SET family = 'Seats' WHERE sku = 'Tables'`);
    const held = await tables();
    expect([held.status, held.body.error]).toEqual([422, expect.stringMatching(/lock/i)]);
    expect((await total(service, path, { Family: 'Desks' })).row_count).toBe(0);

    // An attribute cannot be removed while a lock names it.
    const gone = () => service.api.del(`/lookups/${id}`);
    await refused(service, gone, 409, new RegExp(`lock ${lock.id}`));
    await refused(
      service,
      () => service.api.patch(`/lookups/${id}`, { attributes: [{ cname: 'rank' }] }),
      409,
    );
    ok(await service.api.del(`/locks/${lock.id}`));
    await service.query(`UPDATE public.products SET family = 'Desks' WHERE sku = 'Tables'`);
    await remove(service, id);
  });

  it.for<[string, object]>([
    ['recode', { set: { Family: 'Desks' } }],
    ['clone', { set: { Family: 'Desks' } }],
  ])('cannot be set by a %s', async ([operation, more], { service, sourceId }) => {
    const id = await addProducts(service, sourceId);
    const { path } = await makePlan(service, sourceId);
    const body = { slice: { Family: 'Seats' }, ...more, ...user };
    await refused(
      service,
      () => service.api.post(`${path}/${operation}`, body),
      400,
      /Family.*Products.*sub-category/,
    );
    await remove(service, id);
  });

  it('leave the rows of a version as they are', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    const read = async () => (await service.api.get(`${path}/data`)).bytes;
    const before = await read();
    const id = await addProducts(service, sourceId);
    expect(await read()).toEqual(before);
    await remove(service, id);
  });
});

describe('Conversions', () => {
  const conversions = [{ label: 'Ranked', measure: 'amount', rate: 'rank' }];

  it('are amounts times a rate, row by row; those without one are counted', async ({
    service,
    sourceId,
  }) => {
    const id = await addProducts(service, sourceId, { conversions, attributes: [] });
    const { path, versionId } = await makePlan(service, sourceId);
    const slice = async (slice: object) =>
      ok(await service.api.post(`${path}/slice`, { slice })).body;
    // Chairs have rank 2, tables 1, and lamps none.
    const all = { Ranked: { total: 1983.51, missing: 3 } };
    expect(await slice({})).toMatchObject({ conversions: all, free: { conversions: all } });
    const chairs = { Ranked: { total: 901.02, missing: 0 } };
    expect(await slice({ 'sub-category': 'Chairs' })).toMatchObject({ conversions: chairs });
    const { body } = ok(
      await service.api.post(`${path}/slices`, { slices: [{}, { region: 'x' }] }),
    );
    expect(body.slices).toMatchObject([
      { conversions: all },
      { conversions: { Ranked: { total: 0, missing: 0 } } },
    ]);
    expect(await rowsOf(service, id, versionId)).toEqual([
      { 'sub-category': 'Chairs', 'Ranked: rate': 2 },
      { 'sub-category': 'Lamps', 'Ranked: rate': null },
      { 'sub-category': 'Tables', 'Ranked: rate': 1 },
    ]);
    await remove(service, id);
    expect(await slice({})).not.toHaveProperty('conversions');
  });

  it('reach an amount by a change of their measure in the proportion of both', async ({
    service,
    sourceId,
  }) => {
    const id = await addProducts(service, sourceId, { conversions, attributes: [] });
    const { path } = await makePlan(service, sourceId);
    const slice = { 'sub-category': ['Chairs', 'Tables'] };
    const read = async () => ok(await service.api.post(`${path}/slice`, { slice })).body;
    const { conversions: now, free } = await read();
    const amount = free.value_total / free.conversions.Ranked.total;
    const value_incr = Math.round((5000 - now.Ranked.total) * amount * 100) / 100;
    ok(await service.api.post(`${path}/scale`, { slice, value_incr, ...user }));
    // Each of nine leaves is rounded to a cent.
    expect(Math.abs((await read()).conversions.Ranked.total - 5000)).toBeLessThan(0.1);
    await remove(service, id);
  });

  it('are explained entry by entry, and are not in cached totals', async ({
    service,
    sourceId,
  }) => {
    const id = await addProducts(service, sourceId, { conversions, attributes: [] });
    const { path } = await makePlan(service, sourceId);
    const slice = { 'sub-category': 'Chairs' };
    ok(await service.api.post(`${path}/scale`, { slice, value_incr: 10, ...user }));
    const { body } = ok(await service.api.post(`${path}/explain`, { slice }));
    expect(
      body.entries.map(
        ({ operation, conversions: of }: { operation: string; conversions: object }) => [
          operation,
          of,
        ],
      ),
    ).toEqual([
      ['baseline', { Ranked: { total: 901.02, missing: 0 } }],
      ['scale', { Ranked: { total: 20, missing: 0 } }],
    ]);
    for (const to of ['totals', 'log']) {
      const { body: totals } = ok(await service.api.get(`${path}/${to}`));
      expect(JSON.stringify(totals)).not.toContain('Ranked');
    }
    await remove(service, id);
  });

  it('change nothing in the rows of a version, and can be used by formulas', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    const read = async () => (await service.api.get(`${path}/data`)).bytes;
    const before = await read();
    const id = await addProducts(service, sourceId, { conversions });
    expect(await read()).toEqual(before);
    const formula = { name: 'Mean rank', expression: 'Ranked / amount', ...user };
    const made = ok(await service.api.post(`/sources/${sourceId}/formulas`, formula));
    expect(made.body.problem).toBeNull();
    await remove(service, id);
    const { body } = await service.api.get(`/sources/${sourceId}/formulas`);
    expect(body[0].problem).toMatch(/no measure “Ranked”/);
    ok(await service.api.del(`/formulas/${made.body.id}`));
  });
});

describe('At a grain', () => {
  it('a lookup needs its keys in the grain, and the answer names what lacks', async ({
    service,
  }) => {
    await service.query(ORDERS.replaceAll('public.orders', 'public.grained'));
    const sourceId = await makeSource(service, 'grained', GRAIN_COLUMNS);
    const { versionId } = await makePlan(service, sourceId);
    const id = await addProducts(service, sourceId);
    const { status, body } = await service.api.get(`/lookups/${id}/rows?version=${versionId}`);
    expect([status, body.error]).toEqual([409, expect.stringMatching(/sub-category/)]);
    await service.query(
      `CREATE TABLE public.areas AS SELECT * FROM (VALUES ('North', 'Cold')) AS a (region, area)`,
    );
    const areas = ok(
      await post(service, sourceId, {
        ...{ ...BODY, name: 'Areas', tname: 'areas', attributes: [{ cname: 'area' }] },
        keys: [{ column: 'region', from: 'region' }],
      }),
    ).body;
    const rows = await rowsOf(service, areas.id, versionId);
    expect(rows.filter(({ area }) => area !== null)).toEqual([{ region: 'North', area: 'Cold' }]);
    await remove(service, id);
    await remove(service, areas.id);
  });
});

describe('GET /sources/:id/values', () => {
  it('answers the values of an attribute in the table of its lookup', async ({
    service,
    sourceId,
  }) => {
    const values = (name: string) =>
      service.api.get(`/sources/${sourceId}/values?cname=${encodeURIComponent(name)}`);
    expect((await values('Family')).status).toBe(404);
    await addProducts(service, sourceId);
    expect(await values('Family')).toMatchObject({
      status: 200,
      body: {
        more: false,
        values: [
          { value: 'Seats', row_count: 2 },
          { value: 'Desks', row_count: 1 },
        ],
      },
    });
    expect((await values('family')).status).toBe(404);
  });
});
