// Territories by an attribute of a lookup: the part follows the table, and nothing is readable while it cannot be joined.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { apiAt, type Answer, type Api } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { startService, type Service } from '../support/service';
import { REGIONAL, signedIn, SIGNED_IN } from '../support/territories';
import { decode, ok } from './contract/orders';

const ROWS = [
  { Day: '2027-01-31', Region: 'A', Product: 'stool', Sales: 100 },
  { Day: '2027-02-28', Region: 'A', Product: 'bench', Sales: 20 },
  { Day: '2027-02-28', Region: 'B', Product: 'desk', Sales: 3 },
];

let service: Service;
let admin: Api;
/** Reads and changes the family Chairs. */
let ann: Api;
let version: Planned;
let source: string;
let lookup: number;

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = apiAt(service.url, signedIn('eve', 'admins'));
  ann = apiAt(service.url, signedIn('ann'));
  await service.query(`CREATE TABLE public.families (code text, family text)`);
});
afterAll(() => service?.stop());

const CHAIRS = { Family: 'Chairs' };

/** Sets the family of each product. */
const families = (rows: string) =>
  service.query(`TRUNCATE public.families; INSERT INTO public.families VALUES ${rows}`);

beforeEach(async () => {
  await families(`('stool', 'Chairs'), ('bench', 'Chairs'), ('desk', 'Desks')`);
  version = await plan({ ...service, api: admin }, REGIONAL, ROWS);
  source = `/sources/${version.sourceId}`;
  const body = {
    ...{ name: 'Families', schema: 'public', tname: 'families' },
    keys: [{ column: 'Product', from: 'code' }],
    attributes: [{ cname: 'family', label: 'Family' }],
  };
  lookup = ok(await admin.post(`${source}/lookups`, body)).body.id;
  ok(await admin.post(`${source}/territories`, { member: 'ann', read: CHAIRS, write: CHAIRS }));
  ok(await admin.post(`${version.path}/baseline`));
});

const tagOf = ({ headers }: Answer) => headers.get('etag');

/** The products that a read of rows answers, with its tag. */
async function products(to: string): Promise<[names: unknown[], tag: string | null]> {
  const answer = ok(await ann.get(`${version.path}/${to}`));
  const names = decode(answer.bytes).rows.map(({ Product }) => Product);
  return [[...new Set(names)].sort(), tagOf(answer)];
}

/** The total of the plan by each answer that adds rows up. */
async function totals(): Promise<number[]> {
  const { path } = version;
  const log = ok(await ann.get(`${path}/log`)).body.entries as { value_total: number }[];
  const slice = ok(await ann.post(`${path}/slice`, { slice: {} })).body;
  const [listed] = ok(await ann.get(`${source}/versions`)).body;
  const months = ok(await ann.get(`${path}/totals`)).body;
  const sales = JSON.stringify(months).match(/-?\d+(\.\d+)?/g) ?? [];
  expect(sales).toContain(String(slice.value_total));
  return [
    log.reduce((sum, { value_total }) => sum + value_total, 0),
    slice.value_total,
    listed.row_count,
  ];
}

it('rows, totals and tags follow the table at the next request', async () => {
  const before = await products('data');
  expect(before[0]).toEqual(['bench', 'stool']);
  expect((await products('agg'))[0]).toEqual(['bench', 'stool']);
  expect(await totals()).toEqual([120, 120, 2]);

  await service.query(`UPDATE public.families SET family = 'Desks' WHERE code = 'bench'`);
  const after = await products('data');
  expect(after[0]).toEqual(['stool']);
  expect(after[1]).not.toBe(before[1]);
  expect((await products('agg'))[0]).toEqual(['stool']);
  expect(await totals()).toEqual([100, 100, 1]);

  await service.query(`UPDATE public.families SET family = 'Chairs' WHERE code = 'desk'`);
  expect((await products('data'))[0]).toEqual(['desk', 'stool']);
  expect(await totals()).toEqual([103, 103, 2]);

  await families(`('stool', 'Chairs'), ('bench', 'Chairs'), ('desk', 'Desks')`);
  expect(await products('data')).toEqual(before);
  const { values } = ok(await ann.get(`${source}/values?cname=Product`)).body;
  expect(values.map(({ value }: { value: string }) => value)).toEqual(['bench', 'stool']);
});

it('writes are judged by the table, and an answer is not repeated for other keys', async () => {
  const { path } = version;
  const scale = (Product: string, more = {}) =>
    ann.send(`${path}/scale`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: JSON.stringify({ slice: { Product }, pct: 10 }),
    });
  const key = { 'idempotency-key': 'once' };
  ok(await scale('bench', key));
  ok(await scale('bench', key));
  expect((await scale('desk')).status).toBe(422);
  const out = { slice: { Product: 'bench' }, set: { Product: 'desk' } };
  expect((await ann.post(`${path}/recode`, out)).status).toBe(403);
  await families(`('stool', 'Chairs'), ('bench', 'Desks'), ('desk', 'Chairs')`);
  expect((await scale('bench', key)).status).toBe(409);
  expect((await scale('bench')).status).toBe(422);
  ok(await scale('desk'));
});

it('an entry that moves rows out of the family, and undone entries, are not told', async () => {
  const { path } = version;
  const out = { slice: CHAIRS, set: { Product: 'desk' }, pf_user: 'eve' };
  ok(await admin.post(`${path}/recode`, out));
  const [moved] = ok(await ann.get(`${path}/log`)).body.entries;
  expect([moved.operation, moved.slice, moved.params]).toEqual(['recode', null, null]);

  await families(`('stool', 'Desks'), ('bench', 'Desks'), ('desk', 'Chairs')`);
  ok(await admin.post(`${path}/scale`, { slice: CHAIRS, pct: 10 }));
  const { entries } = ok(await admin.get(`${path}/log`)).body;
  ok(await admin.del(`/log/${entries[0].id}`));
  expect(ok(await ann.get(`${path}/undone`)).body).toEqual([]);
  expect(ok(await admin.get(`${path}/undone`)).body).toHaveLength(1);
});

it('the request of a limited author is not told if it sets a key, since its rows may leave', async () => {
  const { path } = version;
  const slice = { Product: 'stool' };
  ok(await ann.post(`${path}/scale`, { slice, pct: 10 }));
  ok(await ann.post(`${path}/recode`, { slice, set: { Product: 'bench' } }));
  await families(`('stool', 'Chairs'), ('bench', 'Desks'), ('desk', 'Desks')`);
  const { entries } = ok(await ann.get(`${path}/log`)).body;
  expect(
    entries.map(({ operation, slice }: Record<string, unknown>) => [operation, slice]),
  ).toEqual(expect.arrayContaining([['scale', slice]]));
  const [moved] = ok(await ann.get(`${path}/log`)).body.entries;
  expect([moved.operation, moved.slice, moved.params]).toEqual(['recode', null, null]);
});

it('a table that cannot be read is named without its values for a part of the source', async () => {
  const [{ id }] = ok(await admin.get(`${source}/territories`)).body;
  ok(await admin.patch(`/territories/${id}`, { read: { Region: 'A' }, write: null }));
  await service.query(`ALTER TABLE public.families RENAME TO others;
    CREATE VIEW public.families AS SELECT code::int::text AS code, family FROM public.others`);
  try {
    const sentence = 'public.families cannot be read';
    const [listed] = ok(await ann.get(`${source}/lookups`)).body;
    expect(listed.problem).toBe(sentence);
    const rows = await ann.get(`/lookups/${lookup}/rows?version=${version.id}`);
    expect([rows.status, rows.body.error]).toEqual([422, sentence]);
    const [whole] = ok(await admin.get(`${source}/lookups`)).body;
    expect(whole.problem).toMatch(/cannot be read: .*invalid input syntax/);
  } finally {
    await service.query(`DROP VIEW public.families; ALTER TABLE public.others RENAME TO families`);
  }
});

it('a change of a territory checks only the slices that it names', async () => {
  const [{ id }] = ok(await admin.get(`${source}/territories`)).body;
  await service.query(`INSERT INTO public.families VALUES ('desk', 'Chairs')`);
  expect((await admin.patch(`/territories/${id}`, { write: CHAIRS })).status).toBe(409);
  expect(ok(await admin.patch(`/territories/${id}`, { write: null })).body.read).toEqual(CHAIRS);
  expect(ok(await admin.patch(`/territories/${id}`, { member: 'bob' })).body).toMatchObject({
    ...{ member: 'bob', read: CHAIRS, write: null },
  });
});

it('a repeated undo of an entry that is gone is answered as for an unknown one without the lookup', async () => {
  const key = { 'idempotency-key': 'undo' };
  ok(await ann.post(`${version.path}/scale`, { slice: CHAIRS, pct: 10 }));
  const [{ id }] = ok(await ann.get(`${version.path}/log`)).body.entries;
  const undo = () => ann.send(`/log/${id}`, { method: 'DELETE', headers: key });
  const first = ok(await undo()).body;
  expect(ok(await undo()).body).toEqual(first);
  await service.query(`INSERT INTO public.families VALUES ('desk', 'Chairs')`);
  const repeated = await undo();
  expect([repeated.status, repeated.body.error]).toEqual([
    404,
    expect.stringMatching(`log entry ${id}`),
  ]);
});

it.each([
  ['a key with two rows', `INSERT INTO public.families VALUES ('desk', 'Chairs')`],
  ['a column of the table that is gone', `ALTER TABLE public.families RENAME family TO other`],
  ['a table that is gone', `ALTER TABLE public.families RENAME TO others`],
  [
    'a view that cannot be read',
    `CREATE VIEW public.fault AS SELECT code, (1 / 0)::text AS family FROM public.families;
     ALTER TABLE public.families RENAME TO others; ALTER VIEW public.fault RENAME TO families`,
  ],
])('%s refuses every read of the part', async (_name, change) => {
  await products('data');
  await service.query(change);
  try {
    for (const to of ['data', 'agg', 'log', 'totals', 'undone', 'locks', 'comments', 'reviews']) {
      const { status, body } = await ann.get(`${version.path}/${to}`);
      expect([to, status]).toEqual([to, 409]);
      expect(JSON.stringify(body ?? '')).not.toMatch(/desk/);
    }
    const refused = await ann.post(`${version.path}/scale`, { slice: {}, pct: 10 });
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringMatching(/lookup “Families”/),
    ]);
    expect(ok(await ann.get(`${source}/versions`)).body).toEqual([]);
    ok(await admin.get(`${version.path}/data`));
  } finally {
    await service.query(`DROP VIEW IF EXISTS public.families, public.fault`).catch(() => {});
    await service.query(`DROP TABLE IF EXISTS public.families, public.others;
      CREATE TABLE public.families (code text, family text)`);
  }
});

it('a column that gets the name of the attribute refuses every read of the part', async () => {
  await service.query(
    `ALTER TABLE public."${(await tableOf()).replaceAll('"', '""')}" ADD "Family" text DEFAULT 'Chairs'`,
  );
  const { status, body } = await ann.get(`${version.path}/data`);
  expect([status, body?.error]).toEqual([409, expect.stringMatching(/Family/)]);
});

const tableOf = async () => ok(await admin.get(source)).body.tname as string;

it('a lookup stays while a territory names its attribute', async () => {
  const [{ id }] = ok(await admin.get(`${source}/territories`)).body;
  for (const refused of [
    await admin.del(`/lookups/${lookup}`),
    await admin.patch(`/lookups/${lookup}`, { attributes: [{ cname: 'code', label: 'Code' }] }),
  ]) {
    expect([refused.status, refused.body.error]).toEqual([
      409,
      `territory ${id} names an attribute of this lookup; delete the territory first`,
    ]);
  }
  expect((await admin.del(`/territories/${id}`)).status).toBe(204);
  expect((await admin.del(`/lookups/${lookup}`)).status).toBe(204);
});

it('a territory names attributes by values that keys can have', async () => {
  const post = (read: object) =>
    admin.post(`${source}/territories`, { member: 'bob', read, write: null });
  for (const [read, status, sentence] of [
    [{ Family: null }, 400, /empty value/],
    [{ Family: ['Chairs', null] }, 400, /empty value/],
    [{ Nothing: 'x' }, 400, /attribute of a lookup/],
    [{ Family: { from: '2027-01-01' } }, 400, /read: Family/],
  ] as const) {
    const refused = await post(read);
    expect([refused.status, refused.body.error]).toEqual([status, expect.stringMatching(sentence)]);
  }
  await service.query(`INSERT INTO public.families VALUES ('desk', 'Chairs')`);
  const repeated = await post(CHAIRS);
  expect([repeated.status, repeated.body.error]).toEqual([
    409,
    expect.stringMatching(/several rows/),
  ]);
});
