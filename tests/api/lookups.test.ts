// Attributes of lookups: the conditions that slices with them become, on tables with unusual keys and values.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/http';
import { plan, type Planned, type SourceRow, type TableColumn } from '../support/planned';
import { startService, type Service } from '../support/service';
import { decode, ok } from './contract/orders';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date' },
  { name: 'Product "P"', type: 'varchar(20)', role: 'dimension' },
  { name: 'Country', type: 'text', role: 'dimension' },
  { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
  { name: 'Other', type: 'text', role: 'ignore' },
];
const PRODUCT = 'Product "P"';
/** Sales are powers of 2, so that a sum names its rows. */
const ROWS: SourceRow[] = [
  { Day: '2027-01-15', [PRODUCT]: 'a', Country: 'DE', Sales: 1 },
  { Day: '2027-02-15', [PRODUCT]: 'b', Country: 'DE', Sales: 2 },
  { Day: '2027-03-15', [PRODUCT]: "it's", Country: 'FR', Sales: 4 },
  { Day: '2027-01-15', [PRODUCT]: 'NULL', Country: 'FR', Sales: 8 },
  { Day: '2027-02-15', [PRODUCT]: '', Country: null, Sales: 16 },
  { Day: '2027-03-15', [PRODUCT]: null, Country: 'DE', Sales: 32 },
  { Day: null, [PRODUCT]: 'gone', Country: 'DE', Sales: 64 },
  { Day: '2028-01-01', [PRODUCT]: 'A', Country: 'FR', Sales: 128 },
];

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService();
  api = service.api;
  await service.query(`
    CREATE SCHEMA "Look ""ups";
    CREATE TABLE "Look ""ups"."Products" ("The SKU" char(6) , "Family" text, "Manager's" text, rank int, "null" bool);
    INSERT INTO "Look ""ups"."Products" VALUES
      ('a', 'Chairs', 'Ann', 2, true), ('b', 'Tables', 'Ann', 1, false), ('it''s', 'null', NULL, 3, NULL),
      ('NULL', '', 'Bea', 9, true), ('', 'Ch"airs', '', 0, true), (NULL, 'nothing', 'Zoe', 5, true),
      ('A', NULL, 'it''s', 2, true), ('unused', 'Unused', 'Eve', 7, true);
    CREATE TABLE public.weeks (first timestamp, last date, week text, season text);
    INSERT INTO public.weeks VALUES ('2027-01-01', '2027-01-31', 'W1', 'winter'),
      ('2027-02-01', '2027-02-28', 'W2', 'winter'), ('2027-12-01', NULL, 'W3', 'later'),
      ('2027-06-01', '2027-05-01', 'never', 'never');
    CREATE TABLE public.prices (product text, country text, valid_from date, valid_to date, price_class text);
    INSERT INTO public.prices VALUES ('a', 'DE', NULL, '2027-01-14', 'old'), ('a', 'DE', '2027-01-15', NULL, 'new'),
      ('b', 'DE', '2027-02-15', '2027-02-15', 'day'), ('b', 'FR', NULL, NULL, 'fr'), ('A', 'FR', '2028-01-01', '9999-12-31', 'new')`);
});
afterAll(() => service?.stop());

const by = { pf_user: 'eve' };
const PRODUCTS = {
  ...{ name: 'Products', schema: 'Look "ups', tname: 'Products' },
  keys: [{ column: PRODUCT, from: 'The SKU' }],
  attributes: [
    { cname: 'Family', order_by: 'rank' },
    { cname: "Manager's", label: 'Manager' },
    { cname: 'null', label: 'Kept' },
  ],
  ...by,
};
const WEEKS = {
  ...{ name: 'Weeks', schema: 'public', tname: 'weeks' },
  range: { column: 'Day', from: 'first', through: 'last' },
  attributes: [{ cname: 'week' }, { cname: 'season' }],
  ...by,
};
const PRICES = {
  ...{ name: 'Prices', schema: 'public', tname: 'prices' },
  keys: [
    { column: PRODUCT, from: 'product' },
    { column: 'Country', from: 'country' },
  ],
  range: { column: 'Day', from: 'valid_from', through: 'valid_to' },
  attributes: [{ cname: 'price_class', label: 'Class' }],
  ...by,
};

const made = async (...lookups: object[]): Promise<Planned & { lookups: number[] }> => {
  const version = await plan(service, COLUMNS, ROWS);
  const ids: number[] = [];
  for (const lookup of lookups) {
    ids.push(ok(await api.post(`/sources/${version.sourceId}/lookups`, lookup)).body.id);
  }
  ok(await api.post(`${version.path}/baseline`, by));
  return { ...version, lookups: ids };
};

/** What each slice adds up to. */
const SLICES: [slice: object, sum: number][] = [
  [{ Family: 'Chairs' }, 1],
  [{ Family: ['Chairs', 'Tables'] }, 3],
  [{ Family: 'null' }, 4],
  [{ Family: '' }, 8],
  [{ Family: 'Ch"airs' }, 16],
  [{ Family: 'nothing' }, 0],
  [{ Family: null }, 32 + 64 + 128],
  [{ Family: [null, ''] }, 8 + 32 + 64 + 128],
  [{ Family: 'chairs' }, 0],
  [{ Manager: 'Ann' }, 3],
  [{ Manager: null }, 4 + 32 + 64],
  [{ Manager: "it's", Country: 'FR' }, 128],
  [{ Manager: 'Ann', Family: 'Tables' }, 2],
  [{ Kept: true, Country: ['FR', null] }, 8 + 16 + 128],
  [{ week: 'W1' }, 1 + 8],
  [{ season: 'winter', Manager: 'Ann' }, 3],
  [{ season: 'later' }, 128],
  [{ week: null }, 4 + 32 + 64],
  [{ season: 'never' }, 0],
  [{ Class: 'new' }, 1 + 128],
  [{ Class: ['old', 'day'] }, 2],
  [{ Class: null, Country: 'DE' }, 32 + 64],
  [{ Class: null }, 4 + 8 + 16 + 32 + 64],
];

describe('slices with attributes', () => {
  let version: Planned & { lookups: number[] };
  beforeAll(async () => {
    version = await made(PRODUCTS, WEEKS, PRICES);
  });

  it.each(SLICES)('%j selects %d', async (slice, sum) => {
    const { body } = ok(await api.post(`${version.path}/slice`, { slice }));
    expect(Number(body.value_total)).toBe(sum);
    expect(body.skipped).toEqual([]);
  });

  it('several at once are the same', async () => {
    const slices = SLICES.map(([slice]) => slice);
    const { body } = ok(await api.post(`${version.path}/slices`, { slices }));
    const sums = body.slices.map(({ value_total }: { value_total: unknown }) =>
      Number(value_total),
    );
    expect(sums).toEqual(SLICES.map(([, sum]) => sum));
  });

  it('the rows of a lookup have the keys that occur, with attributes and ranks', async () => {
    const [products, weeks, prices] = version.lookups;
    const rowsOf = async (id: number | undefined) =>
      decode(ok(await api.get(`/lookups/${id}/rows?version=${version.id}`)).bytes).rows;
    const names = (await rowsOf(products)).map((row) => [
      row[PRODUCT],
      row.Family,
      row['Family: order'],
      row.Kept,
    ]);
    expect(names.toSorted()).toEqual(
      [
        ['', 'Ch"airs', 0, true],
        ['A', null, null, true],
        ['NULL', '', 4, true],
        ['a', 'Chairs', 2, true],
        ['b', 'Tables', 1, false],
        ['gone', null, null, null],
        ["it's", 'null', 3, null],
        [null, null, null, null],
      ].toSorted(),
    );
    expect((await rowsOf(weeks)).map(({ week }) => week)).toEqual(['W1', 'W2', null, 'W3', null]);
    expect((await rowsOf(prices)).length).toBe(8);
    const first = ok(await api.get(`/lookups/${products}/rows?version=${version.id}`));
    const etag = first.headers.get('etag') ?? '';
    const again = await api.get(`/lookups/${products}/rows?version=${version.id}`, {
      'if-none-match': etag,
    });
    expect(again.status).toBe(304);
  });
});

it('operations change the rows of an attribute and log what was asked', async () => {
  const { path, table } = await made(PRODUCTS, WEEKS);
  const sums = async () =>
    Object.fromEntries(
      (
        await service.query(
          `SELECT ${'"Product ""P"""'} AS p, sum("Sales")::float8 AS s FROM ${table} GROUP BY 1`,
        )
      ).map(({ p, s }) => [String(p), s]),
    );
  ok(await api.post(`${path}/scale`, { slice: { Manager: 'Ann' }, pct: 100, ...by }));
  expect(await sums()).toMatchObject({ a: 2, b: 4, A: 128 });
  const edits = [
    { slice: { Family: 'Chairs' }, value_total: 10 },
    { slice: { Family: 'Tables' }, value_total: 20 },
    { slice: { Family: null }, value_total: 448 },
  ];
  ok(await api.post(`${path}/scale`, { edits, ...by }));
  expect(await sums()).toMatchObject({ a: 10, b: 20, A: 256, gone: 128 });
  ok(
    await api.post(`${path}/recode`, {
      slice: { Family: 'Tables' },
      set: { Country: 'UK' },
      ...by,
    }),
  );
  ok(
    await api.post(`${path}/clone`, {
      slice: { week: 'W1', Family: 'Chairs' },
      set: { Country: 'UK' },
      ...by,
    }),
  );
  expect(await sums()).toMatchObject({ a: 20, b: 20 });
  const log = ok(await api.get(`${path}/log`)).body.entries;
  expect(log[0].slice).toEqual({ week: 'W1', Family: 'Chairs' });
  const refused = await api.post(`${path}/recode`, {
    slice: { Family: 'Chairs' },
    set: { Family: 'Beds' },
    ...by,
  });
  expect([refused.status, refused.body.error, refused.body.field]).toEqual([
    400,
    'set: "Family" belongs to the lookup “Products” and follows "Product "P""',
    'set.Family',
  ]);
  for (const { id } of log.slice(0, 2)) ok(await api.del(`/log/${id}`));
  expect(await sums()).toMatchObject({ a: 10, b: 20 });
});

it('locks, reviews and comments follow the table', async () => {
  const { path } = await made(PRODUCTS);
  ok(await api.post(`${path}/locks`, { slice: { Family: 'Chairs' }, ...by }));
  const scale = (product: string) =>
    api.post(`${path}/scale`, { slice: { [PRODUCT]: product }, pct: 1, ...by });
  expect((await scale('a')).status).toBe(422);
  ok(await scale('b'));
  await service.query(`UPDATE "Look ""ups"."Products" SET "Family" = CASE "The SKU" WHEN 'a' THEN 'Tables' ELSE 'Chairs' END
    WHERE "The SKU" IN ('a', 'b')`);
  ok(await scale('a'));
  expect((await scale('b')).status).toBe(422);
  await service.query(`UPDATE "Look ""ups"."Products" SET "Family" = CASE "The SKU" WHEN 'a' THEN 'Chairs' ELSE 'Tables' END
    WHERE "The SKU" IN ('a', 'b')`);
  ok(await api.post(`${path}/comments`, { slice: { Family: null }, text: 'Why?', ...by }));
  const review = ok(
    await api.post(`${path}/reviews`, {
      slice: { Family: 'Tables' },
      owner: 'eve',
      reviewers: ['bea'],
      ...by,
    }),
  );
  expect(review.body.slice).toEqual({ Family: 'Tables' });
});

it('a lookup with a problem adds no attributes, and slices with them are refused', async () => {
  const { path, id, sourceId, lookups } = await made(PRODUCTS);
  ok(await api.post(`${path}/locks`, { slice: { Family: 'Tables' }, ...by }));
  const problem = async () => ok(await api.get(`/sources/${sourceId}/lookups`)).body[0].problem;
  const asked = (to: string, body: object) => api.post(`${path}/${to}`, { ...body, ...by });
  const refused = async (why: RegExp) => {
    const answers = [
      await asked('slice', { slice: { Family: 'Chairs' } }),
      await asked('slices', { slices: [{ Family: 'Chairs' }, { Family: 'Tables' }] }),
      await asked('scale', { slice: { Country: 'FR' }, pct: 1 }),
      await asked('scale', { slice: { Family: 'Chairs', Country: 'DE' }, pct: 1 }),
      await asked('rows', { slice: { Family: 'Chairs' } }),
      await api.send(`${path}/rows`, {
        method: 'POST',
        headers: { accept: 'text/csv', 'content-type': 'application/json' },
        body: JSON.stringify({ slice: { Family: 'Chairs' } }),
      }),
      await api.get(`/lookups/${lookups[0]}/rows?version=${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409, 409]);
    for (const { body } of answers) expect(body.error).toMatch(why);
  };
  expect(await problem()).toBe(null);
  await service.query(`INSERT INTO "Look ""ups"."Products" VALUES ('a', 'Tables')`);
  expect(await problem()).toMatch(/several rows for a key/);
  await refused(/The table of the lookup “Products” has several rows for a key/);
  await service.query(`DELETE FROM "Look ""ups"."Products" WHERE "The SKU" = 'a' AND rank IS NULL;
    ALTER TABLE "Look ""ups"."Products" RENAME "Family" TO "Families"`);
  expect(await problem()).toMatch(/has no column "Family"/);
  await refused(/has no column "Family"|columns have changed/);
  await service.query(`ALTER TABLE "Look ""ups"."Products" RENAME "Families" TO "Family"`);
  expect(await problem()).toBe(null);
  ok(await asked('scale', { slice: { Country: 'FR' }, pct: 1 }));
});

describe('a lookup is refused', () => {
  const NO = { ...PRODUCTS, name: 'No' };
  const CASES: [
    what: string,
    body: object,
    status: number,
    field: string | undefined,
    why: RegExp,
  ][] = [
    ['without keys and range', { ...NO, keys: [] }, 400, 'keys', /name keys, a range, or both/],
    ['without a table', { ...NO, tname: 'None' }, 404, 'tname', /no table/],
    [
      'of the service’s own tables',
      { ...NO, schema: 'pf', tname: 'log' },
      404,
      'tname',
      /no table/,
    ],
    [
      'with a key that is no column',
      { ...NO, keys: [{ column: 'x', from: 'The SKU' }] },
      400,
      'keys.0.column',
      /not a dimension/,
    ],
    [
      'with a measure as a key',
      { ...NO, keys: [{ column: 'Sales', from: 'rank' }] },
      400,
      'keys.0.column',
      /not a dimension/,
    ],
    [
      'with an ignored key',
      { ...NO, keys: [{ column: 'Other', from: 'Family' }] },
      400,
      'keys.0.column',
      /not a dimension/,
    ],
    [
      'with a key of another type',
      { ...NO, keys: [{ column: PRODUCT, from: 'rank' }] },
      400,
      'keys.0.from',
      /cannot be compared/,
    ],
    [
      'with a key that the table lacks',
      { ...NO, keys: [{ column: PRODUCT, from: 'sku' }] },
      400,
      'keys.0.from',
      /no column "sku"/,
    ],
    [
      'with a range on a dimension',
      { ...NO, range: { column: PRODUCT, from: 'rank', through: 'rank' } },
      400,
      'keys',
      /twice/,
    ],
    [
      'with a range of numbers',
      { ...NO, range: { column: 'Day', from: 'rank', through: 'rank' } },
      400,
      'range.from',
      /not a date/,
    ],
    [
      'with an unknown attribute',
      { ...NO, attributes: [{ cname: 'no' }] },
      400,
      'attributes.0.cname',
      /no column "no"/,
    ],
    [
      'with an attribute twice',
      { ...NO, attributes: [{ cname: 'rank' }, { cname: 'Family', label: 'rank' }] },
      400,
      'attributes.1.label',
      /Two attributes/,
    ],
    [
      'with the label of a column',
      { ...NO, attributes: [{ cname: 'Family', label: 'Other' }] },
      400,
      'attributes.0.label',
      /column named "Other"/,
    ],
    [
      'with a label of another lookup',
      { ...NO, attributes: [{ cname: 'Family' }] },
      400,
      'attributes.0.label',
      /lookup “Products”/,
    ],
    [
      'with a reserved label',
      { ...NO, attributes: [{ cname: 'Family', label: 'pf_iter' }] },
      400,
      'attributes.0.label',
      /reserved/,
    ],
    [
      'with a label with a colon',
      { ...NO, attributes: [{ cname: 'Family', label: 'a: b' }] },
      400,
      'attributes.0.label',
      /": "/,
    ],
    [
      'with an unknown order',
      { ...NO, attributes: [{ cname: 'Family', label: 'F', order_by: 'no' }] },
      400,
      'attributes.0.order_by',
      /no column/,
    ],
    [
      'with keys that are not unique',
      {
        ...NO,
        keys: [{ column: PRODUCT, from: "Manager's" }],
        attributes: [{ cname: 'Family', label: 'F' }],
      },
      422,
      'keys',
      /“Ann”/,
    ],
    [
      'with a name that is taken',
      { ...PRODUCTS, attributes: [{ cname: 'Family', label: 'F' }] },
      409,
      'name',
      /already/,
    ],
  ];
  let sourceId: number;
  beforeAll(async () => {
    ({ sourceId } = await made(PRODUCTS));
  });
  it.each(CASES)('%s', async (_, body, status, field, why) => {
    const answer = await api.post(`/sources/${sourceId}/lookups`, body);
    expect([answer.status, answer.body.field, answer.body.error]).toEqual([
      status,
      field,
      expect.stringMatching(why),
    ]);
    expect(ok(await api.get(`/sources/${sourceId}/lookups`)).body.length).toBe(1);
  });

  it('with ranges that overlap, naming them', async () => {
    await service.query(`CREATE TABLE public.spans (k text, a date, b date, v text);
      INSERT INTO public.spans VALUES ('a', '2027-01-01', '2027-01-31', 'x'), ('a', '2027-01-31', NULL, 'y'), ('b', NULL, '2027-01-31', 'x')`);
    const body = {
      name: 'Spans',
      schema: 'public',
      tname: 'spans',
      range: { column: 'Day', from: 'a', through: 'b' },
      attributes: [{ cname: 'v' }],
      ...by,
    };
    const answer = await api.post(`/sources/${sourceId}/lookups`, {
      ...body,
      keys: [{ column: PRODUCT, from: 'k' }],
    });
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringContaining('“a / 2027-01-31 to infinity”'),
    ]);
    await service.query(`UPDATE public.spans SET a = '2027-02-01' WHERE v = 'y'`);
    expect((await api.post(`/sources/${sourceId}/lookups`, body)).body.field).toBe('range');
    ok(
      await api.post(`/sources/${sourceId}/lookups`, {
        ...body,
        keys: [{ column: PRODUCT, from: 'k' }],
      }),
    );
  });
});

it('a lookup is changed and deleted, unless a lock names its attributes', async () => {
  const { path, lookups } = await made(PRODUCTS);
  const lock = ok(await api.post(`${path}/locks`, { slice: { Family: 'Chairs' }, ...by })).body;
  const to = `/lookups/${lookups[0]}`;
  const attributes = [{ cname: 'rank', label: 'Rank' }];
  for (const answer of [await api.del(to), await api.patch(to, { attributes })]) {
    expect([answer.status, answer.body.error]).toEqual([
      409,
      expect.stringContaining(`lock ${lock.id} names an attribute`),
    ]);
  }
  ok(await api.patch(to, { name: 'Goods' }));
  ok(await api.del(`/locks/${lock.id}`));
  expect(ok(await api.patch(to, { attributes })).body).toMatchObject({
    ...{ name: 'Goods', keys: PRODUCTS.keys, range: null, problem: null },
    attributes: [{ cname: 'rank', label: 'Rank', order_by: null }],
  });
  expect((await api.patch(to, { keys: [] })).body.field).toBe('keys');
  const sliced = ok(await api.post(`${path}/slice`, { slice: { Rank: 2 } }));
  expect(Number(sliced.body.value_total)).toBe(1 + 128);
  expect((await api.del(to)).status).toBe(204);
  expect((await api.del(to)).status).toBe(404);
});

it('a slice that names an attribute that is gone selects nothing instead of more rows', async () => {
  const { path, sourceId, lookups } = await made(PRODUCTS);
  const families = { slice: { Country: 'DE', Family: 'Chairs' } };
  const sum = async () => ok(await api.post(`${path}/slice`, families)).body.value_total;
  expect(Number(await sum())).toBe(1);
  ok(await api.patch(`/lookups/${lookups[0]}`, { attributes: [{ cname: 'rank' }] }));
  const stay = async () => (await api.get(`${path}/log`)).body.entries.length;
  const entries = await stay();
  for (const rename of [true, false]) {
    for (const answer of [
      await api.post(`${path}/slice`, families),
      await api.post(`${path}/scale`, { ...families, pct: 10, ...by }),
    ]) {
      expect([answer.status, answer.body.error, answer.body.field]).toEqual([
        409,
        expect.stringContaining('“Family” is gone'),
        'slice.Family',
      ]);
    }
    if (rename) ok(await api.del(`/lookups/${lookups[0]}`));
  }
  expect(await stay()).toBe(entries);
  ok(await api.post(`/sources/${sourceId}/lookups`, PRODUCTS));
  expect(Number(await sum())).toBe(1);
});

it('a measure that takes the name of an attribute refuses slices that name it', async () => {
  const { path, sourceId } = await made({
    ...PRODUCTS,
    attributes: [{ cname: 'rank', label: 'Sales 2' }],
  });
  const { tname } = ok(await api.get(`/sources/${sourceId}`)).body;
  await service.query(
    `ALTER TABLE public."${tname.replaceAll('"', '""')}" ADD COLUMN "Sales 2" numeric DEFAULT 1`,
  );
  ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'Sales 2', role: 'measure' }]));
  ok(await api.post(`/sources/${sourceId}/sql`));
  const slice = { Country: 'DE', 'Sales 2': 2 };
  const scaled = await api.post(`${path}/scale`, { slice, pct: 10, ...by });
  expect([scaled.status, scaled.body.field]).toEqual([409, 'slice.Sales 2']);
});

it('a formula cannot take the name of an attribute', async () => {
  const { sourceId } = await made(PRODUCTS);
  const formula = { name: 'Family', expression: 'Sales * 2', ...by };
  const answer = await api.post(`/sources/${sourceId}/formulas`, formula);
  expect([answer.status, answer.body.field]).toEqual([409, 'name']);
});

it('texts that differ in case are values apart, also where the table ignores case', async () => {
  await service.query(`
    CREATE COLLATION IF NOT EXISTS public.same (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    CREATE TABLE public.cases (sku text COLLATE public.same PRIMARY KEY, family text COLLATE public.same);
    INSERT INTO public.cases VALUES ('a', 'Chairs'), ('b', 'CHAIRS')`);
  const { id, path, lookups } = await made({
    ...{ name: 'Cases', schema: 'public', tname: 'cases', ...by },
    keys: [{ column: PRODUCT, from: 'sku' }],
    attributes: [{ cname: 'family' }],
  });
  const sum = async (family: string | null) =>
    Number(ok(await api.post(`${path}/slice`, { slice: { family } })).body.value_total);
  // The product 'A' is not 'a'.
  expect([await sum('Chairs'), await sum('CHAIRS'), await sum('chairs')]).toEqual([1, 2, 0]);
  expect(await sum(null)).toBe(4 + 8 + 16 + 32 + 64 + 128);
  const answer = ok(await api.get(`/lookups/${lookups[0]}/rows?version=${id}`));
  const { rows } = decode(answer.bytes);
  expect(new Set(rows.map((row) => row.family))).toEqual(new Set(['Chairs', 'CHAIRS', null]));
});

it('two requests at once do not give two attributes one name', async () => {
  const { sourceId } = await made();
  const answers = await Promise.all(
    ['One', 'Two', 'Three'].map((name) =>
      api.post(`/sources/${sourceId}/lookups`, { ...PRODUCTS, name }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
});

it('moments cannot be the days of a range', async () => {
  await service.query(
    `CREATE TABLE public.moments AS SELECT now() AS first, now() AS last, 'x'::text AS season`,
  );
  const { sourceId } = await made();
  const answer = await api.post(`/sources/${sourceId}/lookups`, { ...WEEKS, tname: 'moments' });
  expect([answer.status, answer.body.field]).toEqual([400, 'range.from']);
});

it('fiscal periods are a lookup by the days of a date', async () => {
  const { path, sourceId } = await made();
  ok(
    await api.post(`/sources/${sourceId}/lookups`, {
      ...{ name: 'Periods', schema: 'pf', tname: 'dim_period', ...by },
      range: { column: 'Day', from: 'sdat', through: 'edat' },
      attributes: [
        { cname: 'cal_year', label: 'Year' },
        { cname: 'cal_label', label: 'Period', order_by: 'sdat' },
      ],
    }),
  );
  const { body } = ok(await api.post(`${path}/slice`, { slice: { Year: 2027 } }));
  expect(Number(body.value_total)).toBe(1 + 2 + 4 + 8 + 16 + 32);
});

it('accuracy is added up by an attribute, also for keys that the lookup lacks', async () => {
  const { path, sourceId } = await made(PRODUCTS);
  const [{ schema, tname }] = ok(await api.get('/sources')).body.filter(
    ({ id }: { id: number }) => id === sourceId,
  );
  await service.query(
    `UPDATE "${schema}"."${tname.replaceAll('"', '""')}" SET "Sales" = "Sales" * 2`,
  );
  ok(await api.post(`${path}/actuals`, { through: '2027-03-31', ...by }));
  const { body } = ok(await api.get(`${path}/accuracy?by=Manager`));
  expect(ok(await api.get(`${path}/accuracy?by=Manager&by=Manager`)).body).toEqual(body);
  const march = { cell: { Manager: null }, month: '2027-03-01' };
  expect(body.worst).toContainEqual(expect.objectContaining(march));
  const found = body.worst.find(
    ({ cell, month }: typeof march) => cell.Manager === null && month === march.month,
  );
  // The product that the lookup has without a manager, and rows without a product.
  expect([found.forecast.value, found.actual.value]).toEqual([4 + 32, 2 * (4 + 32)]);
  const refused = await api.get(`${path}/accuracy?by=Nothing`);
  expect([refused.status, refused.body.field]).toEqual([400, 'by']);
  await service.query(`INSERT INTO "Look ""ups"."Products" ("The SKU") VALUES ('a')`);
  try {
    expect((await api.get(`${path}/accuracy?by=Manager`)).status).toBe(409);
  } finally {
    await service.query(
      `DELETE FROM "Look ""ups"."Products" WHERE "The SKU" = 'a' AND "Family" IS NULL`,
    );
  }
});

it('a preview answers the attributes of keys that only its rows have', async () => {
  const { id, path, lookups } = await made(PRODUCTS, WEEKS);
  const [products] = lookups;
  const recode = { operation: 'recode', slice: { [PRODUCT]: 'a' }, set: { [PRODUCT]: 'unused' } };
  const preview = (asked: object) =>
    api.post(`${path}/preview`, { operations: [recode], ...asked, ...by });
  const { body } = ok(await preview({ lookups: [products] }));
  expect(body.lookups.map((each: { id: number }) => each.id)).toEqual([products]);
  const tried = decode(Buffer.from(body.lookups[0].rows, 'base64')).rows;
  const stored = decode(ok(await api.get(`/lookups/${products}/rows?version=${id}`)).bytes).rows;
  const familyIn = (rows: Record<string, unknown>[]) =>
    rows.find((row) => row[PRODUCT] === 'unused')?.Family;
  expect([familyIn(tried), familyIn(stored)]).toEqual(['Unused', undefined]);
  expect(tried).toHaveLength(stored.length + 1);
  expect(ok(await preview({})).body.lookups).toBeUndefined();
  const unknown = await preview({ lookups: [999_999] });
  expect([unknown.status, unknown.body.error]).toEqual([404, expect.stringContaining('lookup')]);
  const twice = await preview({ lookups: [products, products] });
  expect([twice.status, twice.body.field]).toEqual([400, 'lookups']);
  await service.query(`UPDATE pf.lookup SET tname = 'gone' WHERE id = ${products}`);
  const answered = ok(await preview({ lookups: lookups.toReversed() })).body.lookups;
  expect(answered).toEqual([
    { id: lookups[1], rows: expect.any(String) },
    { id: products, rows: null },
  ]);
});

it('at a grain, a lookup needs its keys in the grain', async () => {
  const columns = COLUMNS.map((c) => ({ ...c, grain: c.name === 'Country' || c.name === 'Day' }));
  const version = await plan(service, columns, ROWS);
  const lookup = async (body: object) =>
    ok(await api.post(`/sources/${version.sourceId}/lookups`, body)).body.id as number;
  const products = await lookup(PRODUCTS);
  const weeks = await lookup(WEEKS);
  ok(await api.post(`${version.path}/baseline`, by));
  const refused = await api.get(`/lookups/${products}/rows?version=${version.id}`);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('without "Product "P""'),
  ]);
  ok(await api.get(`/lookups/${weeks}/rows?version=${version.id}`));
  const { body } = ok(await api.post(`${version.path}/slice`, { slice: { Family: 'Chairs' } }));
  expect(Number(body.value_total)).toBe(1);
});
