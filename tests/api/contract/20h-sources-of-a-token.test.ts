// Tests docs/contract/20-who-is-signed-in.md#sources-of-a-token.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/lib/contract/endpoints';
import { openEvents } from '../../support/events';
import { apiAt, type Answer, type Api } from '../../support/http';
import { until } from '../../support/race';
import { startService, type Service } from '../../support/service';
import { SIGNED_IN, signedIn } from '../../support/territories';
import { bearer, makeToken } from '../../support/tokens';
import { fullVersion, type World } from '../full-version';
import { ok } from './orders';

const ENV = { ...SIGNED_IN, PF_INDEX_ROWS: '1', PF_INDEX_DELAY: '0' };

let service: Service;
/** The version whose source the tokens of `outside` do not reach, and one of their own source. */
let hidden: World;
let own: World;
/** The path of each thing of the hidden source, by the first part of its path. */
let things: Record<string, string>;
/** Clients with a token for the own source. */
let outside: Record<'reader' | 'planner' | 'admin', Api>;
/** An admin with a token for the hidden source. */
let inside: Api;
const sourceOf = ({ sourcePath }: World) => Number(sourcePath.split('/')[2]);

/** Makes one of each thing of a source, with a name. @returns their paths by kind */
async function furnish({ admin, sourcePath, path, id, logid, lock, territory }: World) {
  const made = async (at: string, body: object) => ok(await admin.post(at, body)).body.id;
  const mention = { slice: { Region: 'A' }, text: 'Right, @night?' };
  const review = await made(`${path}/reviews`, { slice: { Region: 'B' }, reviewers: ['night'] });
  ok(await admin.post(`/reviews/${review}/submit`, { comment: 'Read' }));
  const alert = await made(`${path}/alerts`, {
    ...{ name: 'Any', measure: 'value', of: 'amount', level: [], slice: {}, owner: 'night' },
    condition: { operator: 'above', amount: -1e9 },
  });
  await until(async () => (await admin.get(`/alerts/${alert}/groups`)).body.total > 0);
  const view = await made(`${sourcePath}/views`, { name: 'Mine', layout: {} });
  const profile = await made(`${sourcePath}/profiles`, { name: 'P', weights: Array(12).fill(1) });
  const formula = await made(`${sourcePath}/formulas`, { name: 'F', expression: 'Sales - Cost' });
  const lookup = await made(`${sourcePath}/lookups`, {
    ...{ name: 'Periods', schema: 'pf', tname: 'dim_period', attributes: [{ cname: 'fisc_year' }] },
    range: { column: 'Day', from: 'sdat', through: 'edat' },
  });
  ok(await admin.put(`${sourcePath}/current`, { name: 'budget', version_id: id }));
  const published = ok(await admin.put(`${path}/published`, { name: `of ${id}` })).body.id;
  return {
    sources: sourcePath,
    versions: path,
    log: `/log/${logid}`,
    locks: `/locks/${lock}`,
    territories: `/territories/${territory}`,
    comments: `/comments/${await made(`${path}/comments`, mention)}`,
    reviews: `/reviews/${review}`,
    alerts: `/alerts/${alert}`,
    views: `/views/${view}`,
    profiles: `/profiles/${profile}`,
    formulas: `/formulas/${formula}`,
    lookups: `/lookups/${lookup}`,
    published: `/published/${published}`,
  };
}

beforeAll(async () => {
  service = await startService('service', ENV);
  hidden = await fullVersion(service);
  own = await fullVersion(service);
  things = await furnish(hidden);
  await furnish(own);
  const with_ = async (role: string, world: World) =>
    apiAt(service.url, await bearer(own.admin, { roles: [role], sources: [sourceOf(world)] }));
  // The token has territories of both sources by its group, so that only its sources limit it.
  for (const { admin, sourcePath } of [hidden, own]) {
    ok(await admin.post(`${sourcePath}/territories`, { member: 'night', read: {}, write: {} }));
  }
  outside = {
    reader: await with_('reader', own),
    planner: await with_('planner', own),
    admin: await with_('admin', own),
  };
  inside = await with_('admin', hidden);
});
afterAll(() => service?.stop());

/** The path of an endpoint for something of the hidden source; undefined if it names nothing of a source. */
function pathTo(path: string): string | undefined {
  const [, kind = '', name = ''] = path.split('/');
  const thing = things[kind];
  if (thing === undefined || !name.startsWith('{')) return undefined;
  const rest = path.split('/').slice(3).join('/').replace('{logid}', String(hidden.logid));
  return rest === '' ? thing : `${thing}/${rest}`;
}

const send = (api: Api, method: string, path: string): Promise<Answer> => {
  const type = path.startsWith('/files') ? 'text/csv' : 'application/json';
  return api.send(path, {
    method: method.toUpperCase(),
    ...(method === 'get' ? {} : { headers: { 'content-type': type }, body: '{}' }),
  });
};

const OF_A_SOURCE = ENDPOINTS.filter(({ path }) => /^\/\w+\/\{(id|logid)\}/.test(path));
const name = ({ method, path }: (typeof ENDPOINTS)[number]) => `${method.toUpperCase()} ${path}`;

describe('A token for some sources', () => {
  it.each(OF_A_SOURCE.filter(({ forPeople }) => !forPeople).map((each) => [name(each), each]))(
    'gets 404 from %s for another source, as for an unknown id',
    async (_, { method, path, role }) => {
      const at = pathTo(path)!;
      const unknown = at.replace(/^(\/\w+\/)\d+/, '$12000000000');
      const roles = (['reader', 'planner', 'admin'] as const).slice(
        ['reader', 'planner', 'admin'].indexOf(role ?? 'reader'),
      );
      for (const who of roles) {
        const [refused, absent] = [
          await send(outside[who], method, at),
          await send(outside[who], method, unknown),
        ];
        const [, id] = /^\/\w+\/(\d+)/.exec(at)!;
        expect([who, refused.status]).toEqual([who, 404]);
        expect([who, absent.status]).toEqual([who, 404]);
        expect(refused.body.error.replace(id, '#')).toBe(
          absent.body.error.replace('2000000000', '#'),
        );
      }
    },
  );

  it('knows a source for each of these endpoints', () => {
    const unresolved = OF_A_SOURCE.filter(({ path }) => pathTo(path) === undefined).map(name);
    expect(unresolved).toEqual(['DELETE /tokens/{id}']);
  });

  const OF_NONE = ENDPOINTS.filter((each) => !OF_A_SOURCE.includes(each));
  it('is refused where an endpoint concerns no source, and reads lists', async () => {
    const outcomes: Record<string, number> = {};
    for (const endpoint of OF_NONE) {
      const user = '?user=night';
      const query = { '/comments/mentions': user, '/reviews/waiting': user, '/alerts/own': user };
      const at = endpoint.path
        .replace('/current/{name}', `/current/budget?source=${sourceOf(hidden)}`)
        .replace('{schema}/{tname}', 'public/x')
        .concat(query[endpoint.path as keyof typeof query] ?? '');
      outcomes[name(endpoint)] = (await send(outside.admin, endpoint.method, at)).status;
    }
    expect(outcomes).toEqual({
      'GET /health': 200,
      'GET /health/live': 200,
      'GET /metrics': expect.any(Number),
      'GET /openapi.json': 200,
      'GET /me': 200,
      'GET /sources': 200,
      'GET /comments/mentions': 200,
      'GET /reviews/waiting': 200,
      'GET /alerts/own': 200,
      'GET /audit': 200,
      'GET /members': 200,
      'GET /current/{name}': 404,
      'GET /files': 403,
      'POST /files': 403,
      'POST /files/preview': 403,
      'GET /calendar': 200,
      'PUT /calendar': 403,
      'GET /tables': 403,
      'GET /tables/{schema}/{tname}': 403,
      'POST /sources': 403,
      'GET /tokens': 403,
      'POST /tokens': 403,
    });
  });

  it.each(['reader', 'planner', 'admin'] as const)(
    'of a %s finds only its sources in lists',
    async (role) => {
      const api = outside[role];
      const ids = async (path: string, field: string) => {
        const rows: Record<string, number>[] = ok(await api.get(path)).body;
        return [...new Set(rows.map((row) => row[field]))];
      };
      expect(await ids('/sources?status=all', 'id')).toEqual([sourceOf(own)]);
      expect(await ids('/comments/mentions?user=night', 'source_id')).toEqual([sourceOf(own)]);
      expect(await ids('/reviews/waiting?user=night', 'source_id')).toEqual([sourceOf(own)]);
      expect(await ids('/alerts/own?user=night', 'source_id')).toEqual([sourceOf(own)]);
      expect((await api.get(`/current/budget?source=${sourceOf(own)}`)).body.id).toBe(own.id);
    },
  );

  it('reads the audit of its sources alone', async () => {
    const sources = async (api: Api, query = '') => {
      const { entries } = ok(await api.get(`/audit?limit=1000${query}`)).body;
      return [...new Set(entries.map((entry: { source_id: number }) => entry.source_id))];
    };
    expect(await sources(outside.admin)).toEqual([sourceOf(own)]);
    expect(await sources(outside.admin, `&source=${sourceOf(hidden)}`)).toEqual([]);
    expect(await sources(inside)).toEqual([sourceOf(hidden)]);
    expect(await sources(own.admin)).toEqual(
      expect.arrayContaining([sourceOf(own), sourceOf(hidden), null]),
    );
  });

  it('finds the people of its sources alone', async () => {
    const names = async (api: Api) =>
      ok(await api.get('/members')).body.map(({ name }: { name: string }) => name);
    for (const [user, { path, sourcePath }] of [
      ['hanna', hidden],
      ['oda', own],
    ] as const) {
      const api = apiAt(service.url, signedIn(user, 'admins'));
      ok(await api.post(`${path}/comments`, { slice: { Region: 'A' }, text: 'Right?' }));
      const member = `group of ${user}`;
      ok(await api.post(`${sourcePath}/territories`, { member, read: {}, write: {} }));
    }
    const those = ['hanna', 'group of hanna', 'oda', 'group of oda'];
    const seen = async (api: Api) => {
      const all = await names(api);
      return those.filter((each) => all.includes(each));
    };
    expect(await seen(own.admin)).toEqual(those);
    expect(await seen(inside)).toEqual(['hanna', 'group of hanna']);
    expect(await seen(outside.admin)).toEqual(['oda', 'group of oda']);
  });

  it('does not move a name of its source to a version of another one', async () => {
    const body = { name: 'budget', version_id: hidden.id };
    const answer = await outside.planner.put(`${own.sourcePath}/current`, body);
    expect([answer.status, answer.body.error]).toEqual([404, `There is no version ${hidden.id}`]);
  });

  it('joins no other table than the calendar', async () => {
    const { tname } = ok(await inside.get(hidden.sourcePath)).body;
    const lookup = { name: 'Other', schema: 'public', tname, attributes: [{ cname: 'Sales' }] };
    const keys = [{ column: 'Product', from: 'Product' }];
    const answer = await outside.admin.post(`${own.sourcePath}/lookups`, { ...lookup, keys });
    expect([answer.status, answer.body.field]).toEqual([403, 'tname']);
    const [stored] = ok(await outside.admin.get(`${own.sourcePath}/lookups`)).body;
    const path = `/lookups/${stored.id}`;
    expect((await outside.admin.patch(path, { tname, schema: 'public' })).status).toBe(403);
    ok(await outside.admin.patch(path, { name: 'Fiscal periods' }));
  });

  it('works in its sources as one for all does', async () => {
    const scale = { slice: { Region: 'A', Product: 'x' }, value_incr: 1 };
    for (const role of ['planner', 'admin'] as const) {
      ok(await outside[role].post(`${own.path}/scale`, scale));
    }
    expect((await outside.reader.get(`${own.path}/data`)).status).toBe(200);
    ok(await inside.get(`${hidden.sourcePath}/territories`));
    ok(await inside.get(`${hidden.sourcePath}/published`));
  });

  it('hears of its sources alone', async () => {
    const headers = await bearer(own.admin, { roles: ['reader'], sources: [sourceOf(own)] });
    expect((await openEvents(service.url, own.path, headers)).status).toBe(200);
    expect((await openEvents(service.url, hidden.path, headers)).status).toBe(404);
  });

  it('gets no answer of a write that a token for other sources has made', async () => {
    const sent = { 'Idempotency-Key': 'the same' };
    const headers = { ...sent, ...(await bearer(own.admin, { sources: [sourceOf(hidden)] })) };
    const scale = { slice: { Region: 'A', Product: 'x' }, value_incr: 1 };
    const api = apiAt(service.url, headers);
    ok(await api.post(`${hidden.path}/scale`, scale));
    const logid = ok(await api.get(`${hidden.path}/log`)).body.entries[0].id;
    ok(await api.del(`/log/${logid}`));
    await service.query('DELETE FROM pf.undone WHERE logid = $1', [logid]);
    ok(await api.del(`/log/${logid}`));
    const other = { ...sent, ...(await bearer(own.admin, { sources: [sourceOf(own)] })) };
    expect((await apiAt(service.url, other).del(`/log/${logid}`)).status).toBe(404);
  });

  it('is listed with its sources', async () => {
    const { id, sources } = await makeToken(own.admin, {
      sources: [sourceOf(own), sourceOf(hidden), sourceOf(own)],
    });
    expect(sources).toEqual([sourceOf(own), sourceOf(hidden)]);
    const listed = ok(await own.admin.get('/tokens')).body;
    expect(listed.find((token: { id: number }) => token.id === id).sources).toEqual(sources);
  });
});
