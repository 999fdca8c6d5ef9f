// Tests docs/contract/20-who-is-signed-in.md#territories: what people who read a part save, send again and number.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/lib/contract/endpoints';
import { apiAt, type Answer, type Api } from '../../support/http';
import { plan, type Planned } from '../../support/planned';
import { startService, type Service } from '../../support/service';
import { REGIONAL, SIGNED_IN, signedIn } from '../../support/territories';
import { ok } from './orders';

const ROWS = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100 },
  { Day: '2027-02-28', Region: 'B', Product: 'x', Sales: 30 },
  { Day: '2027-03-31', Region: 'veiled', Product: 'x', Sales: 77001 },
];
const ALERT = {
  ...{ name: 'veiled', measure: 'value', of: 'amount', level: [{ field: 'Product' }] },
  condition: { operator: 'above', amount: 0 },
};
const WEIGHTS = Array.from({ length: 12 }, () => 1);
const KINDS = [
  ['views', 'view', { layout: { group_by: ['Region'] } }, { layout: { group_by: ['Product'] } }],
  ['profiles', 'profile', { weights: WEIGHTS }, { weights: WEIGHTS.with(0, 2) }],
] as const;

let service: Service;
let admin: Api;
/** Reads A and B, and changes A. */
let ann: Api;
/** Reads and changes A. */
let bea: Api;
/** Reads and changes everything. */
let all: Api;
let made: Planned;

const person = (user: string, groups = 'planners') => apiAt(service.url, signedIn(user, groups));

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = person('eve', 'admins');
  [ann, bea, all] = [person('ann'), person('bea'), person('all')];
});
afterAll(() => service?.stop());

/** The ids of the territories by member. */
let territories: Record<string, number>;

beforeEach(async () => {
  made = await plan({ ...service, api: admin }, REGIONAL, ROWS);
  ok(await admin.post(`${made.path}/baseline`));
  territories = {};
  for (const [member, read, write] of [
    ['ann', { Region: ['A', 'B'] }, { Region: 'A' }],
    ['bea', { Region: 'A' }, { Region: 'A' }],
    ['all', {}, {}],
  ] as const) {
    const give = { member, read, write };
    territories[member] = ok(
      await admin.post(`/sources/${made.sourceId}/territories`, give),
    ).body.id;
  }
});

const refusal = ({ status, body }: Answer) => [status, body?.error];

describe.each(KINDS)('The %s of a source', (kind, singular, content, changed) => {
  const list = () => `/sources/${made.sourceId}/${kind}`;
  const namesFor = async (api: Api) =>
    (ok(await api.get(list())).body as { name: string }[]).map(({ name }) => name);
  const save = async (api: Api, name: string) =>
    ok(await api.post(list(), { name, ...content })).body as { id: number };

  it('are shown to people who read all that their author could read', async () => {
    await save(admin, 'of everything');
    await save(ann, 'of A and B');
    await save(bea, 'of A');
    expect(await namesFor(admin)).toEqual(['of A', 'of A and B', 'of everything']);
    expect(await namesFor(all)).toEqual(['of A', 'of A and B', 'of everything']);
    expect(await namesFor(ann)).toEqual(['of A', 'of A and B']);
    expect(await namesFor(bea)).toEqual(['of A']);
    ok(await admin.patch(`/territories/${territories.ann}`, { read: { Region: 'B' } }));
    expect(await namesFor(ann)).toEqual([]);
  });

  it('can have the names of those that the person does not see', async () => {
    const { id } = await save(admin, 'taken');
    await save(ann, 'taken');
    const again = await ann.post(list(), { name: 'taken', ...content });
    expect(refusal(again)).toEqual([409, `The source has a ${singular} named "taken" already`]);
    const own = await save(ann, 'free');
    const renamed = await ann.patch(`/${kind}/${own.id}`, { name: 'taken' });
    expect(refusal(renamed)).toEqual([409, `The source has a ${singular} named "taken" already`]);
    expect((await admin.post(list(), { name: 'taken', ...content })).status).toBe(409);
    expect(await namesFor(ann)).toEqual(['free', 'taken']);
    expect((await admin.del(`/${kind}/${id}`)).status).toBe(204);
  });

  it('are changed and deleted by their author, and do not exist for people who read less', async () => {
    const [hidden, annas, beas] = [
      await save(admin, 'hidden'),
      await save(ann, 'of ann'),
      await save(bea, 'of bea'),
    ];
    for (const id of [hidden.id, annas.id, 999_999_999]) {
      const gone = `There is no ${singular} ${id}`;
      expect(refusal(await bea.patch(`/${kind}/${id}`, { name: 'mine' }))).toEqual([404, gone]);
      expect(refusal(await bea.del(`/${kind}/${id}`))).toEqual([404, gone]);
    }
    const only = `Only bea and people who read all of the source may change this ${singular}`;
    expect(refusal(await ann.patch(`/${kind}/${beas.id}`, changed))).toEqual([403, only]);
    expect(refusal(await ann.del(`/${kind}/${beas.id}`))).toEqual([403, only]);
    expect(ok(await bea.patch(`/${kind}/${beas.id}`, changed)).body).toMatchObject(changed);
    expect((await ann.del(`/${kind}/${annas.id}`)).status).toBe(204);
    // Somebody who reads more may name more in it.
    ok(await all.patch(`/${kind}/${beas.id}`, { name: 'of everything' }));
    expect(await namesFor(bea)).toEqual([]);
    expect(await namesFor(admin)).toEqual(['hidden', 'of everything']);
  });
});

describe('An endpoint that needs all of a source', () => {
  it('says why it is refused', async () => {
    const copy = await ann.post(`${made.path}/copy`, { name: 'a copy' });
    expect(refusal(copy)).toEqual([
      403,
      'This is not available for a part of a source, and your territories are a part of this one: a copy has every row of the version',
    ]);
    const tables = await ann.get('/tables');
    expect(refusal(tables)).toEqual([
      403,
      'Only an admin may do this while a source has territories: a table has rows of everybody',
    ]);
    const [first] = ok(await all.get('/sources')).body;
    expect(first).toBeDefined();
    ok(await all.post(`${made.path}/copy`, { name: 'a copy' }));
  });

  it('has a reason if people without the role of an admin may use it', () => {
    const refused = ENDPOINTS.filter(
      ({ role, territories }) => territories === 'refused' && role !== 'admin',
    );
    expect(refused.length).toBeGreaterThan(15);
    for (const endpoint of refused) {
      expect([endpoint.path, 'because' in endpoint && endpoint.because]).toEqual([
        endpoint.path,
        expect.stringMatching(/^[a-z][^.]*[^. ]$/),
      ]);
    }
  });
});

describe('A write that is sent again', () => {
  const send = (api: Api, method: string, path: string, body: object, key: string) =>
    api.send(path, {
      method,
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
  const rows = async () =>
    service.query(`SELECT "Region", "Sales"::float8 FROM ${made.table} ORDER BY 1, 2`);
  const CHANGED = [
    409,
    'The request of this Idempotency-Key was carried out, but your territories have changed since, so its answer is not sent again; read the version',
  ];

  it('gets its answer, until the territories of the person change', async () => {
    const scale = { slice: { Region: 'A' }, pct: 10 };
    const comment = { slice: { Region: 'B' }, text: 'seen' };
    const writes: [string, string, object, string][] = [
      ['post', `${made.path}/scale`, scale, 'scale-1'],
      ['post', `${made.path}/comments`, comment, 'comment-1'],
      ['post', `${made.path}/reviews`, { slice: { Region: 'B' }, reviewers: ['rita'] }, 'review-1'],
    ];
    const first = [];
    for (const write of writes) first.push(ok(await send(ann, ...write)).body);
    const stored = await rows();
    for (const [i, write] of writes.entries()) {
      expect(ok(await send(ann, ...write)).body).toEqual(first[i]);
    }
    ok(await admin.patch(`/territories/${territories.ann}`, { read: { Region: 'A' } }));
    for (const write of writes) expect(refusal(await send(ann, ...write))).toEqual(CHANGED);
    expect(await rows()).toEqual(stored);
    // The same territories again.
    ok(await admin.patch(`/territories/${territories.ann}`, { read: { Region: ['A', 'B'] } }));
    for (const [i, write] of writes.entries()) {
      expect(ok(await send(ann, ...write)).body).toEqual(first[i]);
    }
    expect((await admin.del(`/territories/${territories.ann}`)).status).toBe(204);
    for (const write of writes) {
      expect(refusal(await send(ann, ...write))[0]).toBe(404);
    }
    expect(await rows()).toEqual(stored);
  });

  it('is an unknown entry if it is an undo of an entry that the person would not see now', async () => {
    ok(await ann.post(`${made.path}/scale`, { slice: { Region: 'A' }, pct: 10 }));
    const [{ id }] = await service.query(
      `SELECT max(id)::int AS id FROM pf.log WHERE version_id = ${made.id}`,
    );
    const undo = () => send(ann, 'delete', `/log/${id}`, {}, 'undo-1');
    const { body } = ok(await undo());
    expect(ok(await undo()).body).toEqual(body);
    ok(await admin.patch(`/territories/${territories.ann}`, { read: { Region: 'B' } }));
    expect(refusal(await undo())).toEqual([404, `There is no log entry ${id}`]);
    // The list of undone entries can lose it too.
    ok(await admin.patch(`/territories/${territories.ann}`, { read: { Region: ['A', 'B'] } }));
    await service.query(`DELETE FROM pf.undone WHERE logid = ${id}`);
    expect(ok(await undo()).body).toEqual(body);
    expect((await admin.del(`/territories/${territories.ann}`)).status).toBe(204);
    expect(refusal(await undo())).toEqual([404, `There is no log entry ${id}`]);
  });
});

describe('A review that also holds rows outside', () => {
  it('is listed while it locks rows inside, without anything of the rows outside', async () => {
    const slice = { Region: ['A', 'veiled'], Day: { from: '2027-01-01', to: '2027-12-31' } };
    const { id } = ok(
      await admin.post(`${made.path}/reviews`, {
        ...{ slice, owner: 'olga', reviewers: ['rita', 'bea'], comment: 'veiled comment' },
      }),
    ).body;
    const outside = { slice: { Region: 'veiled' }, reviewers: ['rita'] };
    const other = ok(await admin.post(`${made.path}/reviews`, outside)).body.id;
    const list = async (api: Api) => ok(await api.get(`${made.path}/reviews`)).body;
    expect(await list(ann)).toEqual([]);
    for (const submitted of [id, other]) ok(await admin.post(`/reviews/${submitted}/submit`));
    const [day] = await service.query(
      `SELECT min("Day")::text AS from, max("Day")::text AS to FROM ${made.table} WHERE "Region" = 'A'`,
    );
    const shown = {
      ...{ id, version_id: made.id, slice: { Region: ['A'], Day: day } },
      ...{ owner: 'olga', reviewers: ['rita', 'bea'], due: null, state: 'submitted' },
      ...{ steps: [], beyond: true },
    };
    expect(await list(ann)).toEqual([shown]);
    expect(await list(bea)).toEqual([shown]);
    expect(await list(all)).toHaveLength(2);
    const scale = { slice: { Region: 'A' }, pct: 10 };
    const held = await ann.post(`${made.path}/scale`, scale);
    expect([held.status, held.body.error]).toEqual([
      422,
      expect.stringContaining(`Review ${id} of olga is submitted`),
    ]);
    const recode = { slice: { Region: 'A' }, set: { Product: 'y' } };
    expect(refusal(await ann.post(`${made.path}/recode`, recode))).toEqual([
      423,
      `Nothing was changed, because a review holds some of these rows. Review ${id} of olga is submitted, so only rita or bea can change its rows`,
    ]);
    for (const answer of [
      await bea.post(`/reviews/${id}/approve`),
      await bea.patch(`/reviews/${id}`, { due: '2027-12-31' }),
    ]) {
      expect(refusal(answer)).toEqual([404, `There is no review ${id}`]);
    }
    // A change of rows outside changes nothing that the person sees.
    const before = await list(ann);
    ok(await person('rita', 'admins').post(`${made.path}/scale`, { slice: outside.slice, pct: 5 }));
    expect(await list(ann)).toEqual(before);
    ok(await admin.post(`/reviews/${id}/return`));
    expect(await list(ann)).toEqual([]);
    ok(await ann.post(`${made.path}/scale`, scale));
  });
});

describe('A submit', () => {
  const NOBODY = 'your territories let you read this source, but not change it';
  const BEYOND =
    'some of its rows are outside the part of the source that you may change: "Region" A';

  it('needs the right to change all rows of the slice', async () => {
    const cleo = { member: 'cleo', read: {}, write: null };
    ok(await admin.post(`/sources/${made.sourceId}/territories`, cleo));
    const submit = async (api: Api, slice: object) => {
      const asked = { slice, reviewers: ['rita'] };
      const { id } = ok(await api.post(`${made.path}/reviews`, asked)).body;
      const answer = await api.post(`/reviews/${id}/submit`);
      const [{ state }] = await service.query('SELECT state FROM pf.review WHERE id = $1', [id]);
      return answer.status === 200 ? state : [...refusal(answer), state];
    };
    const refused = (reason: string) => [
      403,
      expect.stringMatching(new RegExp(`^Review \\d+ was not submitted, because ${reason}$`)),
      'open',
    ];
    const reader = person('cleo');
    expect(await submit(reader, {})).toEqual(refused(NOBODY));
    expect(await submit(reader, { Region: 'A' })).toEqual(refused(NOBODY));
    expect(await submit(ann, { Region: ['A', 'B'] })).toEqual(refused(BEYOND));
    expect(await submit(ann, { Region: 'B', Product: 'x' })).toEqual(refused(BEYOND));
    // All rows of January are in A; a slice without rows is judged by its values.
    const january = { Region: ['A', 'B'], Day: '2027-01-31' };
    expect(await submit(ann, january)).toBe('submitted');
    expect(await submit(ann, { Region: ['A', 'B'], Product: 'none' })).toEqual(refused(BEYOND));
    expect(await submit(bea, { Region: 'A', Product: 'none' })).toBe('submitted');
    expect(await submit(all, {})).toBe('submitted');
    expect(await submit(admin, {})).toBe('submitted');
  });
});

describe('Every endpoint that takes a body and is not refused to a part', () => {
  const FILE = { name: 'a.csv', sha256: 'a'.repeat(64) };
  const SLICE = { slice: {} };
  const EDITS = [{ slice: { Region: 'A' }, value_total: 5 }];
  const SCALE = { ...SLICE, pct: 10 };
  const RECODE = { ...SLICE, set: { Product: 'y' } };
  /** A body that is possible for people who read everything. */
  const BODIES: Record<string, object> = {
    'post /sources/{id}/views': { name: 'own', layout: {} },
    'patch /views/{id}': { name: 'renamed' },
    'post /sources/{id}/profiles': { name: 'own', weights: WEIGHTS },
    'patch /profiles/{id}': { name: 'renamed' },
    'post /versions/{id}/slice': { ...SLICE, by: ['Region', 'Product'] },
    'post /versions/{id}/slices': { slices: [{ Region: 'A' }, {}] },
    'post /versions/{id}/explain': SLICE,
    'post /versions/{id}/rows': SLICE,
    'post /versions/{id}/scale/preview': SCALE,
    'post /versions/{id}/recode/preview': RECODE,
    'post /versions/{id}/clone/preview': RECODE,
    'post /versions/{id}/preview': { operations: [{ operation: 'scale', ...SCALE }] },
    'post /versions/{id}/import/preview': { edits: [{ slice: {}, value_total: 5 }], since: 0 },
    'post /versions/{id}/import': { file: FILE, edits: EDITS },
    'post /versions/{id}/scale': SCALE,
    'post /versions/{id}/recode': RECODE,
    'post /versions/{id}/clone': RECODE,
    'post /versions/{id}/redo/{logid}': {},
    'patch /log/{logid}': { note: 'own' },
    'post /log/{logid}/reverse/preview': SLICE,
    'post /log/{logid}/reverse': SLICE,
    'delete /log/{logid}': {},
    'post /versions/{id}/comments': { ...SLICE, text: 'own' },
    'patch /comments/{id}': { resolved: true },
    'delete /comments/{id}': {},
    'post /versions/{id}/reviews': { ...SLICE, reviewers: ['rita'] },
    'patch /reviews/{id}': { due: '2027-12-31' },
    'post /reviews/{id}/submit': {},
    'post /reviews/{id}/return': {},
    'post /reviews/{id}/approve': {},
    'post /reviews/{id}/reopen': {},
    'delete /reviews/{id}': {},
    'post /versions/{id}/alerts': { ...ALERT, slice: { Region: ['A', 'veiled'] } },
    'patch /alerts/{id}': { name: 'Mine' },
    'delete /alerts/{id}': {},
  };
  const keyOf = ({ method, path }: (typeof ENDPOINTS)[number]) => `${method} ${path}`;
  const taking = ENDPOINTS.filter(
    ({ request, role, territories }) =>
      request && (role === 'reader' || role === 'planner') && territories !== 'refused',
  );

  /** Makes one of everything outside, and returns the ids by the first part of the path. */
  async function makeOutside(): Promise<Record<string, number>> {
    const source = `/sources/${made.sourceId}`;
    const hidden = { Region: 'veiled' };
    ok(await admin.post(`${made.path}/scale`, { slice: hidden, pct: 10, note: 'veiled note' }));
    const idOf = async (path: string, body: object) => ok(await admin.post(path, body)).body.id;
    const [{ id: logid }] = await service.query(
      `SELECT max(id)::int AS id FROM pf.log WHERE version_id = ${made.id}`,
    );
    const review = { slice: hidden, reviewers: ['rita'], comment: 'veiled comment' };
    return {
      ...{ sources: made.sourceId, versions: made.id, log: Number(logid) },
      locks: await idOf(`${made.path}/locks`, { slice: hidden }),
      comments: await idOf(`${made.path}/comments`, { slice: hidden, text: 'veiled text' }),
      reviews: await idOf(`${made.path}/reviews`, review),
      alerts: await idOf(`${made.path}/alerts`, { ...ALERT, slice: hidden }),
      views: await idOf(`${source}/views`, { name: 'veiled', layout: {} }),
      profiles: await idOf(`${source}/profiles`, { name: 'veiled', weights: WEIGHTS }),
    };
  }

  it('has a body here', () => {
    expect(Object.keys(BODIES).sort()).toEqual(taking.map(keyOf).sort());
  });

  it('is a 404 without a territory, and with a part neither tells nor changes anything outside', async () => {
    const none = person('none');
    const outside = async () =>
      service.query(`SELECT * FROM ${made.table} WHERE "Region" <> 'A' ORDER BY pf_id`);
    const ids = await makeOutside();
    const before = await outside();
    for (const endpoint of taking) {
      const key = keyOf(endpoint);
      const { method, path } = endpoint;
      const own = ids[path.split('/')[1] ?? ''];
      expect([key, own]).toEqual([key, expect.any(Number)]);
      const address = path.replace('{id}', `${own}`).replace('{logid}', `${ids.log}`);
      const send = (api: Api) =>
        api.send(address, {
          method: method.toUpperCase(),
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(BODIES[key]),
        });
      expect([key, (await send(none)).status]).toEqual([key, 404]);
      for (const api of [ann, bea]) {
        const answer = await send(api);
        const text = new TextDecoder().decode(answer.bytes);
        expect([key, text.match(/veiled|\b7\d{4}\b|\b8[45]\d{3}\b/)?.[0]]).toEqual([
          key,
          undefined,
        ]);
        expect([key, answer.status < 500]).toEqual([key, true]);
      }
    }
    expect(await outside()).toEqual(before);
    const kept = await service.query(
      `SELECT note AS text FROM pf.log WHERE id = ${ids.log}
       UNION SELECT text FROM pf.comment WHERE id = ${ids.comments}
       UNION SELECT name FROM pf.view WHERE id = ${ids.views}
       UNION SELECT name FROM pf.profile WHERE id = ${ids.profiles}
       UNION SELECT state FROM pf.review WHERE id = ${ids.reviews} ORDER BY 1`,
    );
    expect(kept.map(({ text }) => text)).toEqual(['open', 'veiled', 'veiled note', 'veiled text']);
  });

  it('answers an id outside like an unknown id, with any body', async () => {
    const ids = await makeOutside();
    const unknown = 999_999_999;
    const named = [
      ...taking.filter(({ path }) =>
        ['log', 'comments', 'reviews', 'alerts', 'views', 'profiles'].includes(
          path.split('/')[1] ?? '',
        ),
      ),
      ...ENDPOINTS.filter(({ method, path }) => `${method} ${path}` === 'delete /locks/{id}'),
    ];
    expect(named).toHaveLength(17);
    for (const endpoint of named) {
      const key = keyOf(endpoint);
      const send = (id: number | undefined, body: string) =>
        bea.send(endpoint.path.replace(/\{(log)?id\}/, `${id}`), {
          method: endpoint.method.toUpperCase(),
          headers: { 'content-type': 'application/json' },
          body,
        });
      for (const body of [JSON.stringify(BODIES[key] ?? {}), '{}', '{"nope": 1}', '[', '']) {
        const id = ids[endpoint.path.split('/')[1] ?? ''];
        const [status, error] = refusal(await send(id, body));
        const [expected, sentence] = refusal(await send(unknown, body));
        const answer = [status, error?.replace(`${id}`, `${unknown}`)];
        expect([key, body, ...answer]).toEqual([key, body, expected, sentence]);
        expect([key, status >= 400]).toEqual([key, true]);
      }
    }
  });
});

describe('The numbers of comments, reviews, alerts, locks, views and profiles', () => {
  it('have the same gaps after a comment outside and after a preview inside', async () => {
    const slice = { Region: 'A' };
    const source = `/sources/${made.sourceId}`;
    const outside = { Region: 'veiled' };
    const gapOf = async (between: () => Promise<Answer>) => {
      const comment = () => ann.post(`${made.path}/comments`, { slice, text: 'a text' });
      const { id: before } = ok(await comment()).body;
      ok(await between());
      const { id: after } = ok(await comment()).body;
      return after - before;
    };
    const between = {
      'a preview inside': () => ann.post(`${made.path}/scale/preview`, { slice, pct: 1 }),
      'a comment outside': () =>
        admin.post(`${made.path}/comments`, { slice: outside, text: 'veiled' }),
      'a review outside': () =>
        admin.post(`${made.path}/reviews`, { slice: outside, reviewers: ['ann'] }),
      'an alert outside': () => admin.post(`${made.path}/alerts`, { ...ALERT, slice: outside }),
      'a scale outside': () => admin.post(`${made.path}/scale`, { slice: outside, pct: 1 }),
      'a lock outside': () => admin.post(`${made.path}/locks`, { slice: outside }),
      'a view': () => admin.post(`${source}/views`, { name: 'veiled', layout: {} }),
      'a profile': () => admin.post(`${source}/profiles`, { name: 'veiled', weights: WEIGHTS }),
    };
    for (const [what, act] of Object.entries(between)) {
      expect([what, await gapOf(act)]).toEqual([what, 2]);
    }
  });
});
