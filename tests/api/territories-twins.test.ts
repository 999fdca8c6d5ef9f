// Two versions with the same rows inside a person's part, and different rows outside: the person gets the same answers.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiAt, type Answer, type Api } from '../support/http';
import { plan, type Planned, type SourceRow, type TableColumn } from '../support/planned';
import { startService, type Service } from '../support/service';
import { SIGNED_IN, signedIn } from '../support/territories';
import { decode, ok } from './contract/orders';

const COLUMNS: TableColumn[] = [
  { name: 'Day', type: 'date', role: 'date', grain: true },
  { name: 'Region', type: 'text', role: 'dimension', grain: true },
  { name: 'Product', type: 'text', role: 'dimension', grain: true },
  { name: 'Sales', type: 'numeric', role: 'value' },
  { name: 'Pieces', type: 'double precision', role: 'units' },
];
const INSIDE = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100, Pieces: 10 },
  { Day: '2027-02-28', Region: 'A', Product: 'y', Sales: 20.5, Pieces: 2 },
  { Day: '2027-02-28', Region: 'B', Product: 'x', Sales: 30, Pieces: 3 },
];
/** Rows with more decimals, larger amounts, and values that no row inside has. */
const OUTSIDE = [
  { Day: '2027-01-31', Region: 'C', Product: 'x', Sales: 77.123456, Pieces: 1e15 },
  { Day: '2028-03-31', Region: 'C', Product: 'q', Sales: -7e12, Pieces: 0.0001 },
];

let service: Service;
let admin: Api;
/** Families of all products, also of those that no row inside has. */
const FAMILIES = {
  ...{ name: 'Families', schema: 'public', tname: 'families' },
  keys: [{ column: 'Product', from: 'code' }],
  attributes: [{ cname: 'family', label: 'Family', order_by: 'rank' }],
  conversions: [{ label: 'By product', measure: 'Pieces', rate: 'rank' }],
};
/** Rates by region, also of the region outside. */
const RATES = {
  ...{ name: 'Rates', schema: 'public', tname: 'rates' },
  keys: [{ column: 'Region', from: 'region' }],
  conversions: [{ label: 'By region', measure: 'Pieces', rate: 'rate' }],
};
/** Reads A and B, and changes A. */
let ann: Api;

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = apiAt(service.url, signedIn('eve', 'admins'));
  ann = apiAt(service.url, signedIn('ann'));
  await service.query(`CREATE TABLE public.families (code text, family text, rank int);
    INSERT INTO public.families VALUES ('x', 'old', 1), ('q', 'secret', 2), ('y', 'new', 3), ('n', NULL, 4);
    CREATE TABLE public.rates (region text, rate numeric);
    INSERT INTO public.rates VALUES ('A', 0.5), ('C', 7);
    CREATE TABLE public.zones (region text PRIMARY KEY, zone text);
    INSERT INTO public.zones VALUES ('A', 'first'), ('B', 'second'), ('C', 'third'), ('D', 'first')`);
});
afterAll(() => service?.stop());

/** Zones of regions, so that the zones of a territory are its regions. */
const ZONES = {
  ...{ name: 'Zones', schema: 'public', tname: 'zones' },
  keys: [{ column: 'Region', from: 'region' }],
  attributes: [{ cname: 'zone', label: 'Zone' }],
};

/** Territories with the same rows: by a column, and by an attribute. */
const BY_COLUMN = { read: { Region: ['A', 'B'] }, write: { Region: 'A' } };
const BY_ATTRIBUTE = { read: { Zone: ['first', 'second'] }, write: { Zone: 'first' } };

async function made(rows: SourceRow[], territory: object = BY_COLUMN): Promise<Planned> {
  const version = await plan({ ...service, api: admin }, COLUMNS, rows);
  for (const lookup of [FAMILIES, RATES, ZONES])
    ok(await admin.post(`/sources/${version.sourceId}/lookups`, lookup));
  ok(await admin.post(`/sources/${version.sourceId}/territories`, { member: 'ann', ...territory }));
  ok(await admin.post(`${version.path}/baseline`));
  return version;
}

const X = { Region: 'A', Product: 'x' };
const ACROSS = { Region: ['A', 'C'] };
const like = { slice: { Product: 'x' }, by: ['Day'], unit: 'month' };
const file = { name: 'a.csv', sha256: 'a'.repeat(64) };
const cells = [{ slice: { Product: 'q', ...ACROSS }, value_total: 9 }];

/** What Ann sends, in this order: the end of a path, and the body of a POST. */
const REQUESTS: [to: string, body?: object][] = [
  ['scale', { slice: {}, pct: 10 }],
  ['scale', { slice: { Region: 'A' }, pct: 10 }],
  ['scale', { slice: { Product: 'x' }, value_incr: 5, hold: [{ Region: ['B', 'C'] }] }],
  ['scale', { slice: { Product: 'y' }, value_incr: 0.001 }],
  ['scale', { slice: X, units_total: 7, keep: { Product: 'x' } }],
  ['scale', { slice: X, value_total: 7, keep: { Region: 'A' } }],
  ['scale', { slice: { Region: 'A' }, value_incr: 12, spread: { like } }],
  ['scale', { slice: { Region: 'C' }, pct: 10 }],
  ['scale', { slice: ACROSS, pct: 10 }],
  ['scale', { slice: ACROSS, value_incr: 1, spread: 'equal' }],
  ['scale', { slice: { Product: 'q' }, pct: 10 }],
  ['recode', { slice: { Region: 'A', Product: 'y' }, set: { Product: 'q' } }],
  ['recode', { slice: { Region: 'A' }, set: { Region: 'C' } }],
  ['recode', { slice: {}, set: { Product: 'q' } }],
  ['clone', { slice: { Region: 'B' }, set: { Region: 'A' }, scale_factor: 0.5 }],
  ['clone', { slice: { Region: 'C' }, set: { Region: 'A' } }],
  ['clone', { slice: {}, set: { Region: 'A', Product: 'n' } }],
  [
    'scale',
    {
      edits: [
        { slice: X, value_total: 3 },
        { slice: { Product: 'q' }, value_total: 3 },
      ],
    },
  ],
  ['import', { file, edits: cells }],
  ['import/preview', { since: 0, edits: [{ slice: { Region: 'C' }, value_total: 1 }, ...cells] }],
  ['preview', { operations: [{ operation: 'scale', slice: ACROSS, pct: 5 }] }],
  ['slice', { slice: {}, by: ['Product'] }],
  ['slice', { slice: { Product: 'q' }, hold: [{ Region: 'C' }] }],
  ['slices', { slices: [{}, { Region: 'C' }, { Product: ['x', 'q'] }] }],
  ['explain', { slice: {} }],
  ['slice', { slice: { Family: 'old' }, by: ['Product'] }],
  ['slice', { slice: { Family: 'secret' } }],
  ['slices', { slices: [{ Family: ['old', 'secret'] }, { Family: null }] }],
  ['scale', { slice: { Family: 'new' }, pct: 1 }],
  ['scale', { slice: { Family: 'old' }, pct: 1 }],
  ['scale', { slice: { Family: ['old', 'secret'], Region: 'A' }, pct: 1 }],
  ['recode', { slice: { Family: 'secret' }, set: { Product: 'x' } }],
  ['comments', { slice: { Family: 'old' }, text: 'x' }],
  ['rows', { slice: X }],
  ...['data', 'agg', 'log', 'totals', 'undone', 'locks', 'comments', 'reviews', 'alerts'].map(
    (to): [string] => [to],
  ),
  ['accuracy?by=Product'],
  ['accuracy?by=Family'],
];

/** Fields that differ between two versions: ids, times, and keys that contain ids. */
const OWN =
  /^(id|logid|version_id|source_id|pf_id|pf_logid|pf_gkey|newest|newest_entry|redo_of|next|reverse_of|stamp|created_at|pf_created_at|undone_at)$/;

/** An answer without such fields, and with its lists in one order. */
function told(content: unknown): unknown {
  if (Array.isArray(content)) return content.map((each) => JSON.stringify(told(each))).sort();
  if (typeof content !== 'object' || content === null) return content;
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, OWN.test(name) ? null : told(value)]),
  );
}

async function ask({ path }: Planned, to: string, body: object | undefined): Promise<unknown> {
  const answer: Answer = body
    ? await ann.post(`${path}/${to}`, body)
    : await ann.get(`${path}/${to}`);
  const content = ['data', 'agg'].includes(to) ? decode(ok(answer).bytes).rows : answer.body;
  // Rows of an entry are in the order of their ids, so that a page of a list would have other rows in each world.
  for (let next = to === 'rows' ? answer.body.next : null; next;) {
    const page = ok(await ann.post(`${path}/rows`, { ...body, after: next })).body;
    content.rows.push(...page.rows);
    next = page.next;
  }
  return [to, body, answer.status, told(content)];
}

/** The rows of the lookups that Ann gets: of families, and of rates. */
async function lookupsOf({ id, sourceId }: Planned): Promise<Record<string, unknown>[][]> {
  const rows: Record<string, unknown>[][] = [];
  for (const lookup of ok(await ann.get(`/sources/${sourceId}/lookups`)).body)
    rows.push(decode(ok(await ann.get(`/lookups/${lookup.id}/rows?version=${id}`)).bytes).rows);
  return rows;
}

/** The rows of the lookup that Ann gets with a preview that adds a product. */
async function familiesTried({ path, sourceId }: Planned): Promise<Record<string, unknown>[]> {
  const [{ id }] = ok(await ann.get(`/sources/${sourceId}/lookups`)).body;
  const clone = { operation: 'clone', slice: { Region: 'A' }, set: { Product: 'n' } };
  const { body } = ok(await ann.post(`${path}/preview`, { operations: [clone], lookups: [id] }));
  return decode(Buffer.from(body.lookups[0].rows, 'base64')).rows;
}

const BY = [
  ['a column', BY_COLUMN],
  ['an attribute', BY_ATTRIBUTE],
] as const;

it.each(BY)(
  'a part by %s answers alike for versions that differ only outside',
  async (_by, part) => {
    const one = await made([...INSIDE, ...OUTSIDE], part);
    const two = await made(INSIDE, part);
    const slice = { Region: 'C' };
    const source = `/sources/${one.sourceId}`;
    const changes: [path: string, body: object][] = [
      [`${one.path}/scale`, { slice, pct: 3 }],
      [`${one.path}/locks`, { slice }],
      [`${one.path}/locks`, { slice: { Family: 'secret', Region: 'C' } }],
      [`${one.path}/reviews`, { slice: { ...slice, Product: 'x' }, reviewers: ['ann'] }],
      [`${one.path}/comments`, { slice, text: '@ann' }],
      [`${source}/views`, { name: 'C', layout: {} }],
      [`${source}/profiles`, { name: 'C', weights: Array(12).fill(1) }],
    ];
    expect(await lookupsOf(one)).toEqual([
      [
        { Product: 'x', Family: 'old', 'Family: order': 0, 'By product: rate': 1 },
        { Product: 'y', Family: 'new', 'Family: order': 1, 'By product: rate': 3 },
      ],
      [
        { Region: 'A', 'By region: rate': 0.5 },
        { Region: 'B', 'By region: rate': null },
      ],
      [
        { Region: 'A', Zone: 'first' },
        { Region: 'B', Zone: 'second' },
      ],
    ]);
    expect(ok(await ann.post(`${one.path}/slice`, { slice: {} })).body.conversions).toEqual({
      'By product': { total: 10 + 2 * 3 + 3, missing: 0 },
      'By region': { total: (10 + 2) * 0.5, missing: 1 },
    });
    const tried = await familiesTried(one);
    expect(tried.map(({ Product }) => Product)).toEqual(['n', 'x', 'y']);
    expect(tried).toEqual(await familiesTried(two));
    const statuses = new Set<unknown>();
    for (const change of [undefined, ...changes]) {
      if (change) ok(await admin.post(...change));
      for (const [to, body] of REQUESTS) {
        const answers = [await ask(one, to, body), await ask(two, to, body)];
        expect(answers[0]).toEqual(answers[1]);
        statuses.add((answers[0] as unknown[])[2]);
      }
      expect(await lookupsOf(one)).toEqual(await lookupsOf(two));
    }
    expect([...statuses].sort()).toEqual([200, 403, 422]);
  },
);

it('lists leave out slices of a lookup with a repeated key, and answer the others', async () => {
  const version = await made(INSIDE);
  const { path } = version;
  ok(await admin.post(`${path}/locks`, { slice: { Family: ['old', 'new'] } }));
  ok(await admin.post(`${path}/locks`, { slice: { Product: 'x' } }));
  const ada = apiAt(service.url, signedIn('ada', 'admins'));
  const review = { slice: { Family: 'old' }, reviewers: ['ada'] };
  const { id } = ok(await admin.post(`${path}/reviews`, review)).body;
  ok(await admin.post(`/reviews/${id}/submit`, {}));
  ok(await ada.post(`/reviews/${id}/approve`, {}));
  ok(await ada.post(`/reviews/${id}/reopen`, { comment: 'again' }));
  ok(await admin.post(`/reviews/${id}/submit`, {}));
  const slices = async (api: Api, list: 'locks' | 'reviews') =>
    ok(await api.get(`${path}/${list}`)).body.map(({ slice }: { slice: object }) => slice);
  const changed = async () => ok(await admin.get(`${path}/reviews`)).body[0].changed;
  expect(await slices(ann, 'locks')).toEqual([{ Family: ['old', 'new'] }, { Product: 'x' }]);
  expect(await slices(ann, 'reviews')).toEqual([{ Family: 'old' }]);
  expect(await changed()).toMatchObject({ entries: 0 });
  await service.query(`INSERT INTO public.families VALUES ('x', 'second', 5)`);
  try {
    expect(await slices(ann, 'locks')).toEqual([{ Product: 'x' }]);
    expect(await slices(ann, 'reviews')).toEqual([]);
    expect(await slices(admin, 'locks')).toEqual([{ Family: ['old', 'new'] }, { Product: 'x' }]);
    expect(await slices(admin, 'reviews')).toEqual([{ Family: 'old' }]);
    expect(await changed()).toBeUndefined();
  } finally {
    await service.query(`DELETE FROM public.families WHERE family = 'second'`);
  }
});

/** A version with the ids of what Ann made in it, by name. */
interface Twin extends Planned {
  ids: Record<string, number>;
}

type Step = [
  method: 'get' | 'post' | 'patch' | 'put' | 'del',
  /** `V` is the version, `S` the source, `:name` an id. */
  path: string,
  body?: object,
  /** Later steps use the id in the answer under this name. */
  made?: string,
];

const MINE = { slice: { Region: 'A' }, pct: 10, note: 'mine' };

/** What Ann writes into her part, and what follows from it, in this order. */
const STEPS: Step[] = [
  ['post', 'V/scale', MINE, 'entry'],
  ['patch', '/log/:entry', { note: 'changed' }],
  ['get', '/log/:entry/entry'],
  ['post', 'V/comments', { slice: X, text: '@eve look' }, 'comment'],
  ['patch', '/comments/:comment', { text: 'again' }],
  ['post', 'V/comments', { slice: { Region: 'C' }, text: 'x' }],
  ['post', 'V/comments', { slice: {}, text: 'x' }],
  ['post', 'V/comments', { slice: ACROSS, text: 'x' }],
  ['post', 'V/locks', { slice: X }],
  ['post', 'V/reviews', { slice: X, reviewers: ['eve'] }, 'review'],
  ['post', 'V/reviews', { slice: { Region: 'C' }, reviewers: ['eve'] }],
  ['post', '/reviews/:review/submit', { comment: 'done' }],
  ['post', 'V/scale', { slice: X, pct: 1 }],
  ['post', 'V/scale', { slice: { Region: 'A' }, value_incr: 1 }],
  ['get', 'V/reviews'],
  ['post', '/log/:entry/reverse/preview', { slice: { Product: 'y' } }],
  ['post', '/log/:entry/reverse', { slice: { Product: 'y' } }, 'reverse'],
  ['post', '/log/:entry/reverse', { slice: { Region: 'C' } }],
  ['del', '/log/:entry'],
  ['post', '/reviews/:review/return', { comment: 'no' }],
  ['patch', '/reviews/:review', { due: '2027-12-31' }],
  ['post', 'V/clone', { slice: { Product: 'y' }, set: { Product: 'n', Region: 'A' } }, 'clone'],
  ['del', '/log/:clone'],
  ['get', 'V/undone'],
  ['post', 'V/redo/:clone'],
  ['post', 'V/redo'],
  ['post', 'S/views', { name: 'C', layout: { filters: ['A'] } }, 'view'],
  ['post', 'S/views', { name: 'C', layout: {} }],
  ['patch', '/views/:view', { name: 'D' }],
  ['get', 'S/views'],
  ['del', '/views/:view'],
  ['post', 'S/profiles', { name: 'C', weights: Array(12).fill(2) }, 'profile'],
  ['get', 'S/profiles'],
  ['del', '/profiles/:profile'],
  ['del', '/comments/:comment'],
  ['get', 'S'],
  ['get', 'S/columns'],
  ['get', 'S/versions'],
  ['get', 'S/formulas'],
  ['get', 'S/sql'],
  ['get', 'S/values?cname=Region'],
  ['get', 'S/values?cname=Product&search=q'],
  ['post', 'S/grain-estimate', { columns: ['Region', 'Product'] }],
  ['post', 'S/versions', { name: 'Own' }],
  ['patch', 'V', { description: 'mine' }],
  ['post', 'V/copy', { name: 'Copy' }],
  ['post', 'V/replay', { name: 'Replay' }],
  ['post', 'V/close'],
  ['del', 'V'],
  ['get', 'V/segments'],
  ['get', 'V/replayed'],
  ['post', 'V/baseline', {}],
  ['post', 'V/baseline/preview', {}],
  ['post', 'V/forecast', {}],
  ['post', 'V/actuals/preview', { through: '2027-01-31' }],
  ['get', 'V'],
  ['get', 'V/log'],
  ['get', 'V/totals'],
];

/**
 * An answer without the name of the source table of a twin, without instants, and without the entry that ends a grain
 * key. The sentence of a refusal is without ids; other answers have them in fields of their own.
 */
function without({ id, sourceId, ids }: Twin, content: unknown): unknown {
  const names = Object.entries({ ...ids, version: id, source: sourceId });
  const text = (JSON.stringify(content) ?? 'null')
    .replace(/Plan [\\"]+\d+/g, 'table')
    .replace(/u001f\d+(?=\\*")/g, 'u001fentry')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'instant');
  if (!text.startsWith('{"error"')) return text;
  return names.reduce(
    (t, [name, number]) => t.replace(new RegExp(`\\b${number}\\b`, 'g'), name),
    text,
  );
}

async function step(twin: Twin, [method, path, body, made]: Step): Promise<unknown> {
  const to = path
    .replace(/^V/, twin.path)
    .replace(/^S/, `/sources/${twin.sourceId}`)
    .replace(/:(\w+)/, (_, name: string) => String(twin.ids[name]));
  const answer: Answer = await ann[method](to, body as never);
  const id = answer.body?.id ?? answer.body?.logid ?? answer.body?.[0]?.pf_logid;
  if (made !== undefined) {
    expect([path, answer.status, id]).toEqual([path, expect.any(Number), expect.any(Number)]);
    twin.ids[made] = id;
  }
  return [method, path, answer.status, without(twin, told(answer.body))];
}

it.each(BY)(
  'writes into a part by %s are answered alike whichever rows are outside',
  async (_by, part) => {
    const twin = async (rows: SourceRow[]): Promise<Twin> => ({
      ...(await made(rows, part)),
      ids: {},
    });
    const { Region: _, ...inside } = { ...X, ...part.write };
    // Comments and reviews name the territory's own field.
    const steps =
      part === BY_COLUMN
        ? STEPS
        : STEPS.map(([method, path, body, id]): Step => {
            const isNamed = /^V\/(comments|reviews)$/.test(path) && body && 'slice' in body;
            return [
              method,
              path,
              isNamed && body.slice === X ? { ...body, slice: inside } : body,
              id,
            ];
          });
    const slice = { Region: 'C' };
    const changes = ({ path, sourceId }: Twin): [path: string, body: object][] => [
      [`${path}/scale`, { slice, pct: 3, note: 'outside' }],
      [`${path}/locks`, { slice }],
      [`${path}/comments`, { slice, text: '@ann' }],
      [`${path}/reviews`, { slice: { ...slice, Product: 'x' }, reviewers: ['ann'] }],
      [`/sources/${sourceId}/views`, { name: 'C', layout: {} }],
      [`/sources/${sourceId}/profiles`, { name: 'C', weights: Array(12).fill(1) }],
    ];
    const statuses = new Set<number>();
    for (const isChanged of [false, true]) {
      const [one, two] = [await twin([...INSIDE, ...OUTSIDE]), await twin(INSIDE)];
      if (isChanged) for (const change of changes(one)) ok(await admin.post(...change));
      for (const each of steps) {
        const answers = [await step(one, each), await step(two, each)];
        expect(answers[0]).toEqual(answers[1]);
        statuses.add((answers[0] as [unknown, unknown, number])[2]);
      }
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 204, 403, 404, 409, 422]));
  },
);
