// Tests docs/contract/20-who-is-signed-in.md.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, ENDPOINTS } from '../../../src/lib/contract/endpoints';
import { apiAt, type Answer, type Api } from '../../support/http';
import { plan, type Planned } from '../../support/planned';
import { startService, type Service } from '../../support/service';
import { REGIONAL, signedIn, SIGNED_IN } from '../../support/territories';
import { decode, ok } from './orders';

/** Names, notes and amounts that only rows outside the territory of `part` have begin like this. */
const OUTSIDE = /veiled (region|product|note|lock|@)|"veiled|77\d\d\d/i;

const ROWS = [
  { Day: '2027-01-31', Region: 'A', Product: 'x', Sales: 100 },
  { Day: '2027-02-28', Region: 'A', Product: 'y', Sales: 20 },
  { Day: '2027-02-28', Region: 'B', Product: 'x', Sales: 3 },
  { Day: '2027-03-31', Region: 'veiled region', Product: 'veiled product', Sales: 77001 },
  { Day: '2027-03-31', Region: 'veiled region', Product: 'x', Sales: 77002 },
];

let service: Service;
/** A source with a grain, and one without. */
let grain: Planned;
let raw: Planned;
let admin: Api;
/** Planners whose territories are: everything, a part, a part by a group, none. */
let all: Api;
let part: Api;
let byGroup: Api;
let none: Api;
/** Ids that paths name. */
const ids: Record<string, number> = {};

const person = (user: string, groups = 'planners') => apiAt(service.url, signedIn(user, groups));

beforeAll(async () => {
  service = await startService('service', SIGNED_IN);
  admin = person('eve', 'admins');
  [all, part, none] = [person('all'), person('part'), person('none')];
  byGroup = person('greta', 'planners, region a, tiny');
  const asAdmin = { ...service, api: admin };
  grain = await plan(asAdmin, REGIONAL, ROWS);
  raw = await plan(
    asAdmin,
    REGIONAL.map((column) => ({ ...column, grain: false })),
    ROWS,
  );
  for (const { path, sourceId } of [grain, raw]) {
    ok(await admin.post(`${path}/baseline`, { note: 'all of it' }));
    const slice = { Region: 'veiled region' };
    ok(await admin.post(`${path}/scale`, { slice, pct: 10, note: 'veiled note' }));
    ok(await admin.post(`${path}/scale`, { slice: { Region: 'A' }, pct: 10, note: 'seen' }));
    const locked = { Product: 'veiled product' };
    ok(await admin.post(`${path}/locks`, { slice: locked, note: 'veiled lock' }));
    ok(await admin.post(`${path}/comments`, { slice, text: 'veiled @part @none' }));
    ok(await admin.patch(`/sources/${sourceId}`, { default_layout: { filters: ['veiled'] } }));
    const territory = `/sources/${sourceId}/territories`;
    const give = async (member: string, read: object, write: object | null) =>
      ok(await admin.post(territory, { member, read, write }));
    await give('all', {}, {});
    await give('part', { Region: 'A' }, { Region: 'A' });
    await give('part', { Region: 'B', Day: { from: '2027-02-01' } }, null);
    await give('region a', { Region: 'A' }, null);
  }
  const { id, sourceId, path } = grain;
  const weights = Array.from({ length: 12 }, () => 1);
  const named = async (kind: string, more: object) =>
    ok(await admin.post(`/sources/${sourceId}/${kind}`, { name: 'veiled', ...more })).body.id;
  Object.assign(ids, {
    sources: sourceId,
    versions: id,
    log: (ok(await admin.get(`${path}/log`)).body.entries as { id: number; note: string }[]).find(
      ({ note }) => note === 'veiled note',
    )!.id,
    comments: ok(await admin.get(`${path}/comments`)).body[0].id,
    locks: ok(await admin.get(`${path}/locks`)).body[0].id,
    reviews: ok(
      await admin.post(`${path}/reviews`, {
        slice: { Product: 'veiled product' },
        reviewers: ['part', 'none'],
        comment: 'veiled note',
      }),
    ).body.id,
    alerts: ok(
      await admin.post(`${path}/alerts`, {
        ...{ name: 'Large', measure: 'value', of: 'amount', level: [], owner: 'part' },
        ...{ slice: { Product: 'veiled product' }, condition: { operator: 'above', amount: -1e9 } },
      }),
    ).body.id,
    territories: ok(await admin.get(`/sources/${sourceId}/territories`)).body[0].id,
    views: await named('views', { layout: { filter: 'veiled' } }),
    profiles: await named('profiles', { weights }),
    formulas: await named('formulas', {
      ...{ name: 'double', expression: 'Sales * 2', format: { style: 'number' } },
    }),
    lookups: await named('lookups', {
      ...{ name: 'Periods', schema: 'pf', tname: 'dim_period' },
      attributes: [{ cname: 'fisc_year' }],
      range: { column: 'Day', from: 'sdat', through: 'edat' },
    }),
  });
  const current = { name: 'budget', version_id: id };
  ok(await admin.put(`/sources/${sourceId}/current`, current));
  ok(await admin.post(`/reviews/${ids.reviews}/submit`));
});
afterAll(() => service?.stop());

/** Returns an address of an endpoint. @param unknown whether it names things that do not exist */
function addressOf({ path }: Endpoint, unknown = false): string {
  const [, kind = ''] = path.split('/');
  const own = unknown ? 999_999_999 : ids[kind];
  return path
    .replace(/\{id\}/, String(own))
    .replace('{logid}', String(kind === 'log' ? own : unknown ? 1 : ids.log))
    .replace('{schema}/{tname}', 'public/Plan%20%221')
    .replace('{name}', `budget?source=${unknown ? own : ids.sources}`)
    .replace(/^(\/sources\/\d+\/values)$/, '$1?cname=Region')
    .replace(/^(\/lookups\/\d+\/rows)$/, `$1?version=${ids.versions}`);
}

const send = (api: Api, { method, file }: Endpoint, address: string): Promise<Answer> =>
  api.send(
    address,
    method === 'get'
      ? {}
      : file
        ? { method, headers: { 'content-type': file[0]! }, body: 'a,b\n1,2\n' }
        : {
            method: method.toUpperCase(),
            headers: { 'content-type': 'application/json' },
            body: '{}',
          },
  );

const label = ({ method, path }: Endpoint) => `${method.toUpperCase()} ${path}`;
const open = ENDPOINTS.filter(({ role }) => role === 'reader' || role === 'planner');
const named = ({ path }: Endpoint) => /^\/\w+\/\{/.test(path) && !path.startsWith('/tables');

/** The text of an answer: JSON, CSV, or the values and dictionaries of Arrow. */
const textOf = ({ bytes }: Answer) => new TextDecoder().decode(bytes);

/** Rows by SQL, in the form of a JSON list. */
const byQuery = async (sql: string) => JSON.stringify((await service.query(sql)).map((r) => r.row));

describe('Every endpoint', () => {
  it('is in one of the groups of this test', () => {
    expect(ENDPOINTS.length).toBeGreaterThan(80);
    expect(open.filter(({ territories }) => territories === 'refused').length).toBeGreaterThan(0);
    // An address without a known id would be a 404 for everybody.
    for (const endpoint of open.filter(named)) {
      expect([label(endpoint), addressOf(endpoint)]).toEqual([
        label(endpoint),
        expect.not.stringMatching(/undefined|[{}]/),
      ]);
    }
    const roles = ENDPOINTS.filter((endpoint) => !open.includes(endpoint)).map(({ role }) => role);
    expect(new Set(roles)).toEqual(new Set([null, 'admin']));
  });

  it('answers a person without a territory as if the source did not exist', async () => {
    for (const endpoint of open.filter(named)) {
      const [hidden, unknown] = [
        await send(none, endpoint, addressOf(endpoint)),
        await send(none, endpoint, addressOf(endpoint, true)),
      ];
      const withoutIds = (text: string) => text.replace(/\d+/g, 'N');
      expect([label(endpoint), hidden.status]).toEqual([label(endpoint), unknown.status]);
      expect(withoutIds(textOf(hidden))).toBe(withoutIds(textOf(unknown)));
      expect([label(endpoint), hidden.status]).toEqual([label(endpoint), 404]);
    }
  });

  it('tells people who see a part, or nothing, nothing of the rows outside', async () => {
    for (const endpoint of ENDPOINTS.filter(({ role }) => role !== null)) {
      if (endpoint.answer.body === 'text/event-stream') continue;
      for (const api of [part, byGroup, none]) {
        const answer = await send(api, endpoint, addressOf(endpoint));
        expect([label(endpoint), textOf(answer).match(OUTSIDE)?.[0]]).toEqual([
          label(endpoint),
          undefined,
        ]);
      }
    }
  });

  it('refuses a person who sees a part, if it says so in its description', async () => {
    for (const endpoint of open.filter(({ territories }) => territories === 'refused')) {
      const { status, body } = await send(part, endpoint, addressOf(endpoint));
      expect([label(endpoint), status, body?.error]).toEqual([
        label(endpoint),
        403,
        expect.stringMatching(
          /^(This is not available for a part of a source|Only an admin may do this while)/,
        ),
      ]);
    }
  });

  it('answers an admin and a person with a whole source alike', async () => {
    for (const endpoint of open.filter((e) => e.method === 'get' && named(e))) {
      if (endpoint.answer.body === 'text/event-stream') continue;
      const address = addressOf(endpoint);
      const [a, b] = [await send(admin, endpoint, address), await send(all, endpoint, address)];
      expect([label(endpoint), b.status]).toEqual([label(endpoint), a.status]);
      expect(textOf(b)).toBe(textOf(a));
    }
  });
});

describe('Rows', () => {
  const seen: [string, () => Api, string][] = [
    [
      'a part of two territories',
      () => part,
      `"Region" = 'A' OR ("Region" = 'B' AND "Day" >= '2027-02-01')`,
    ],
    ['a part by a group', () => byGroup, `"Region" = 'A'`],
    ['all', () => all, 'TRUE'],
  ];

  it.each(seen)('are those of the territories: %s', async (_, api, condition) => {
    for (const { path, table } of [grain, raw]) {
      const { rows } = decode(ok(await api().get(`${path}/data`)).bytes);
      const sums = rows.map((r) => [
        r.Region,
        r.Product,
        Number(r.Sales),
        Number(r.pf_logid),
        r.pf_note,
        r.pf_op,
      ]);
      const wanted = await byQuery(
        `SELECT json_build_array("Region", "Product", "Sales"::float8, pf_logid, note, operation) AS row
         FROM ${table} JOIN pf.log ON id = pf_logid WHERE ${condition} ORDER BY pf_id`,
      );
      const sorted = (list: unknown[]) => list.map((row) => JSON.stringify(row)).sort();
      expect(sorted(sums)).toEqual(sorted(JSON.parse(wanted)));
      expect(new Set(rows.map((r) => r.pf_id)).size).toBe(rows.length);
    }
  });

  it.each(seen)('are those of the territories at the grain: %s', async (_, api, condition) => {
    const answer = ok(await api().get(`${grain.path}/agg`));
    const { rows } = decode(answer.bytes);
    const wanted = await byQuery(
      `SELECT json_build_array("Region", "Product", pf_logid, SUM("Sales")::float8) AS row
       FROM ${grain.table} WHERE ${condition} GROUP BY "Day", "Region", "Product", pf_logid`,
    );
    const sorted = (list: unknown[]) => list.map((row) => JSON.stringify(row)).sort();
    expect(
      sorted(rows.map((r) => [r.Region, r.Product, Number(r.pf_logid), Number(r.Sales)])),
    ).toEqual(sorted(JSON.parse(wanted)));
    expect(Number(answer.headers.get('x-row-count'))).toBe(rows.length);
  });

  it('have the same content as CSV', async () => {
    const headers = { accept: 'text/csv' };
    for (const { path } of [grain, raw]) {
      const { rows } = decode(ok(await part.get(`${path}/data`)).bytes);
      const lines = textOf(ok(await part.get(`${path}/data`, headers)))
        .trim()
        .split('\n');
      expect(lines.length).toBe(rows.length + 1);
      const at = lines[0]!.split(',').indexOf('pf_id');
      expect(
        lines
          .slice(1)
          .map((line) => Number(line.split(',')[at]))
          .sort(),
      ).toEqual(rows.map((r) => Number(r.pf_id)).sort());
    }
  });

  it('have numbers of their own, which hide how many rows are left out', async () => {
    const stored = await service.query(`SELECT pf_id FROM ${raw.table}`);
    const known = new Set(stored.map(({ pf_id }) => pf_id));
    const { rows } = decode(ok(await part.get(`${raw.path}/data`)).bytes);
    expect(rows.filter((r) => known.has(Number(r.pf_id)))).toEqual([]);
    const whole = decode(ok(await all.get(`${raw.path}/data`)).bytes).rows;
    expect(whole.every((r) => known.has(Number(r.pf_id)))).toBe(true);
  });

  it('of some entries are limited too', async () => {
    const entries = ok(await admin.get(`${raw.path}/log`)).body.entries as { id: number }[];
    for (const { id } of entries) {
      const answer = ok(await part.get(`${raw.path}/data?logid=${id}`));
      const [{ n }] = await service.query(
        `SELECT count(*) AS n FROM ${raw.table} WHERE pf_logid = ${id} AND "Region" IN ('A', 'B')`,
      );
      expect(Number(answer.headers.get('x-row-count'))).toBe(n);
    }
  });
});

describe('The tag of rows', () => {
  it('does not change with rows outside, and does with rows inside', async () => {
    for (const { path } of [grain, raw]) {
      const read = async (known = '') => {
        const answer = await part.get(`${path}/data`, known ? { 'if-none-match': known } : {});
        const { headers } = answer;
        return {
          status: answer.status,
          tag: headers.get('etag')!,
          length: headers.get('content-length'),
          revision: headers.get('x-revision'),
        };
      };
      const before = await read();
      expect(await read(before.tag)).toMatchObject({ status: 304, tag: before.tag });
      const outside = { slice: { Region: 'veiled region' }, pct: 1 };
      ok(await admin.post(`${path}/scale`, outside));
      expect(await read()).toEqual(before);
      expect(await read(before.tag)).toMatchObject({ status: 304, tag: before.tag });
      ok(await admin.post(`${path}/scale`, { slice: { Region: 'A' }, pct: 1 }));
      const after = await read(before.tag);
      expect([after.status, after.tag === before.tag, after.revision]).toEqual([200, false, null]);
    }
  });
});

describe('Lists', () => {
  it('leave out sources without a territory, and comments and reviews of them', async () => {
    const sources = async (api: Api) =>
      (ok(await api.get('/sources?status=all')).body as { id: number }[]).map(({ id }) => id);
    expect(await sources(none)).toEqual([]);
    expect(await sources(part)).toEqual(await sources(admin));
    expect(ok(await none.get('/comments/mentions')).body).toEqual([]);
    expect(ok(await part.get('/comments/mentions')).body).toEqual([]);
    expect(ok(await part.get('/reviews/waiting')).body).toEqual([]);
    expect(ok(await none.get('/reviews/waiting')).body).toEqual([]);
    expect(ok(await part.get('/alerts/own')).body).toEqual([]);
    expect(ok(await none.get('/alerts/own')).body).toEqual([]);
  });

  it('tell people the slices that they may read and change, if those are not all', async () => {
    const path = `/sources/${raw.sourceId}`;
    const territoryOf = async (api: Api) => {
      const listed = ok(await api.get('/sources?status=all')).body as { id: number }[];
      const source = ok(await api.get(path)).body;
      expect(listed.find(({ id }) => id === raw.sourceId)).toMatchObject(source);
      return source.territory;
    };
    const b = { Region: 'B', Day: { from: '2027-02-01' } };
    expect(await territoryOf(part)).toEqual({
      read: [{ Region: 'A' }, b],
      write: [{ Region: 'A' }],
    });
    expect(await territoryOf(byGroup)).toEqual({ read: [{ Region: 'A' }], write: [] });
    expect(await territoryOf(all)).toBeUndefined();
    expect(await territoryOf(admin)).toBeUndefined();
    const give = { member: 'writer', read: {}, write: { Region: 'A' } };
    const { id } = ok(await admin.post(`${path}/territories`, give)).body;
    expect(await territoryOf(person('writer'))).toEqual({ read: [{}], write: [{ Region: 'A' }] });
    expect((await admin.del(`/territories/${id}`)).status).toBe(204);
  });

  it('count the rows inside, and name the last change of rows inside', async () => {
    const [listed] = ok(await part.get(`/sources/${raw.sourceId}/versions`)).body;
    const [{ n, last }] = await service.query(
      `SELECT count(*) AS n, max(pf_logid) AS last FROM ${raw.table} WHERE "Region" IN ('A', 'B')`,
    );
    expect(listed.row_count).toBe(n);
    ok(await admin.post(`${raw.path}/scale`, { slice: { Region: 'veiled region' }, pct: 1 }));
    const [again] = ok(await part.get(`/sources/${raw.sourceId}/versions`)).body;
    expect(again).toEqual(listed);
    const entries = ok(await admin.get(`${raw.path}/log`)).body.entries;
    const newest = entries.find((entry: { id: number }) => entry.id === last);
    expect(listed).toMatchObject({ last_change: newest.stamp, last_user: 'eve' });
  });
});

describe('Changes of territories', () => {
  it('take effect with the next request, and end open streams', async () => {
    const { path, sourceId } = await plan({ ...service, api: admin }, REGIONAL, ROWS);
    ok(await admin.post(`${path}/baseline`));
    const rowsOf = async (api: Api) => {
      const { status, headers } = await api.get(`${path}/data`);
      return [status, headers.get('x-row-count')];
    };
    expect(await rowsOf(part)).toEqual([200, '5']);
    const stream = await fetch(`${service.url}/api${path}/events`, {
      headers: { 'x-forwarded-user': 'part', 'x-forwarded-groups': 'planners' },
    });
    const give = { member: 'part', read: { Region: 'A' }, write: null };
    const { id } = ok(await admin.post(`/sources/${sourceId}/territories`, give)).body;
    const text = await stream.text();
    expect(text).not.toContain('event: resync');
    expect(await rowsOf(part)).toEqual([200, '2']);
    expect(await rowsOf(none)).toEqual([404, null]);
    ok(await admin.patch(`/territories/${id}`, { read: { Region: ['A', 'B'] } }));
    expect(await rowsOf(part)).toEqual([200, '3']);
    ok(await admin.patch(`/territories/${id}`, { member: 'none' }));
    expect(await rowsOf(part)).toEqual([404, null]);
    expect(await rowsOf(none)).toEqual([200, '3']);
    expect((await admin.del(`/territories/${id}`)).status).toBe(204);
    expect(await rowsOf(part)).toEqual([200, '5']);
    expect(await rowsOf(none)).toEqual([200, '5']);
  });

  it('are refused for slices that cannot select rows', async () => {
    const path = `/sources/${raw.sourceId}/territories`;
    const post = async (read: object, write: object | null = null) => {
      const { status, body } = await admin.post(path, { member: 'x', read, write });
      return [status, body.error, body.field];
    };
    expect(await post({ Nowhere: 'A' })).toEqual([
      400,
      'read.Nowhere: is not a dimension or date of the source, or an attribute of a lookup',
      'read.Nowhere',
    ]);
    expect((await post({ Day: 'never' }))[0]).toBe(400);
    expect((await post({}, { Sales: 1 }))[2]).toBe('write.Sales');
    const { status } = await admin.post(path, { member: '', read: {}, write: null });
    expect(status).toBe(400);
    expect((await admin.patch('/territories/999999', { read: {} })).status).toBe(404);
  });

  it('close a version to people with a territory on a column that lost its role', async () => {
    const { path, sourceId } = await plan({ ...service, api: admin }, REGIONAL, ROWS);
    ok(await admin.post(`${path}/baseline`));
    const give = { member: 'part', read: { Region: 'A' }, write: null };
    ok(await admin.post(`/sources/${sourceId}/territories`, give));
    ok(
      await admin.put(`/sources/${sourceId}/columns`, [
        { cname: 'Region', role: 'filter', in_grain: false },
      ]),
    );
    const { status, body } = await part.get(`${path}/data`);
    expect([status, body.column]).toEqual([409, 'Region']);
    expect(ok(await part.get(`/sources/${sourceId}/versions`)).body).toEqual([]);
  });
});

describe('GET /members', () => {
  const kinds = async (search: string) => {
    const members = ok(await admin.get(`/members?search=${search}`)).body;
    return members.map(({ name, kind }: { name: string; kind: string }) => [name, kind]);
  };

  it('lists people who wrote or review, groups, and members of territories, by name', async () => {
    ok(await all.post(`${grain.path}/scale`, { slice: { Region: 'A' }, pct: 0.1 }));
    expect(await kinds('')).toEqual(
      expect.arrayContaining([
        ['admins', 'group'],
        // Wrote an entry.
        ['all', 'person'],
        ['eve', 'person'],
        // A reviewer, who never wrote.
        ['none', 'person'],
        ['part', 'person'],
        ['planners', 'group'],
        ['region a', null],
      ]),
    );
    const names = (await kinds('')).map(([name]: [string]) => name);
    expect(names).toEqual([...new Set<string>(names)].toSorted((a, b) => a.localeCompare(b)));
  });

  it('finds names by a part of them in any case', async () => {
    expect(await kinds('REGION')).toEqual([['region a', null]]);
    expect(await kinds('nobody has it')).toEqual([]);
  });
});

describe('Territories', () => {
  it('of one member are at most 200 for a source', async () => {
    await service.query(
      `INSERT INTO pf.territory (source_id, member, read, write)
       SELECT $1, member, '{}', NULL FROM generate_series(1, 200), unnest($2::text[]) AS member`,
      [raw.sourceId, ['crowded']],
    );
    const { id } = (
      await service.query<{ id: number }>(
        `INSERT INTO pf.territory (source_id, member, read) VALUES ($1, 'alone', '{}') RETURNING id`,
        [raw.sourceId],
      )
    )[0]!;
    const give = { member: 'crowded', read: { Region: 'A' }, write: null };
    for (const answer of [
      await admin.post(`/sources/${raw.sourceId}/territories`, give),
      await admin.patch(`/territories/${id}`, { member: 'crowded' }),
    ]) {
      const { status, body } = answer;
      expect([status, body.field]).toEqual([422, 'member']);
      expect(body.error).toMatch(/^crowded already has 200 territories of this source/);
    }
    await service.query(`DELETE FROM pf.territory WHERE member IN ('crowded', 'alone')`);
  });

  it('are refused where nobody is signed in, or every planner is an admin', async () => {
    const other = await startService('service', { PF_USER_HEADER: 'X-Forwarded-User' });
    const open = await startService('service');
    try {
      for (const [{ url, query }, variable] of [
        [other, 'PF_ADMINS'],
        [open, 'PF_USER_HEADER'],
      ] as const) {
        const api = apiAt(url, { 'x-forwarded-user': 'eve' });
        await query('CREATE TABLE public.t (a text)');
        const { id } = ok(await api.post('/sources', { schema: 'public', tname: 't' })).body;
        const give = { member: 'part', read: {}, write: null };
        const { status, body } = await api.post(`/sources/${id}/territories`, give);
        expect([status, body.error]).toEqual([400, expect.stringContaining(variable)]);
      }
    } finally {
      await other.stop();
      await open.stop();
    }
  });
});
