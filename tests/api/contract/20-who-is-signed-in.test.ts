// Tests docs/contract/20-who-is-signed-in.md.
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT } from '../../../src/cli/prepare.js';
import { startServer } from '../../../src/demo/server';
import { ENDPOINTS } from '../../../src/lib/contract/endpoints';
import { ROLES } from '../../../src/lib/contract/me';
import { openEvents } from '../../support/events';
import { apiAt, type Api } from '../../support/http';
import { startService, type Service } from '../../support/service';
import { bearer } from '../../support/tokens';
import { makePlan, makeSource, ok, ORDER_COLUMNS, ORDERS, refused } from './orders';

const SIGNED_IN = {
  PF_USER_HEADER: 'X-Forwarded-User',
  PF_GROUPS_HEADER: 'X-Forwarded-Groups',
  PF_PLANNERS: 'planners',
  PF_ADMINS: 'admins',
};

/** Returns the headers that a proxy sets for a person. Node and fetch send each character as one byte. */
const headersOf = (user: string, groups = '') => ({
  'x-forwarded-user': Buffer.from(user).toString('latin1'),
  'x-forwarded-groups': groups,
});

const PEOPLE = {
  reader: headersOf('rita', 'staff'),
  planner: headersOf('ann', 'staff, planners'),
  admin: headersOf('eve', 'admins'),
};

let service: Service;
let sourceId: number;
let nobody: Api;
let reader: Api;
let ann: Api;
/** The headers of a token of each role. */
let tokens: Record<(typeof ROLES)[number], Record<string, string>>;
beforeAll(async () => {
  const started = await startService('service', SIGNED_IN);
  nobody = started.api;
  reader = apiAt(started.url, PEOPLE.reader);
  ann = apiAt(started.url, PEOPLE.planner);
  // The following requests run as an admin.
  service = { ...started, api: apiAt(started.url, PEOPLE.admin) };
  tokens = {
    reader: await bearer(service.api, { roles: ['reader'] }),
    planner: await bearer(service.api, { roles: ['planner'] }),
    admin: await bearer(service.api, { roles: ['admin'] }),
  };
  await service.query(ORDERS);
  sourceId = await makeSource(service, 'orders', ORDER_COLUMNS);
});
afterAll(() => service?.stop());

/** Sends a request with exact headers: one with a list is sent once for each value. */
const raw = (
  path: string,
  headers: Record<string, string | string[]>,
  { url = service.url, from = '127.0.0.1' } = {},
): Promise<{ status: number; type: string; text: string }> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { headers, localAddress: from }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          text,
        }),
      );
    });
    sent.on('error', reject).end();
  });

const me = async (headers: Record<string, string | string[]>, to = {}) => {
  const { status, text } = await raw('/api/me', headers, to);
  return status === 200 ? JSON.parse(text) : [status, JSON.parse(text).error];
};

/** Starts another server on the same database, and stops it after the test. */
async function another(env: Record<string, string>): Promise<string> {
  const server = await startServer({ database: service.database, env });
  onTestFinished(() => server.stop());
  return server.url;
}

describe('The name', () => {
  it.each([
    ['plain', 'ann'],
    ['beyond ASCII', 'Žofia Nagyné 周'],
    ['of a directory', 'Doe, Jane (Ops)'],
    ['as long as it may be', 'n'.repeat(200)],
  ])('may be %s', async (_, user) => {
    expect(await me(headersOf(user))).toEqual({ user, roles: ['reader'] });
  });

  it('may be in ISO 8859-1', async () => {
    expect(await me({ 'x-forwarded-user': 'J\u00f6rg' })).toMatchObject({ user: 'Jörg' });
  });

  const name = 'Nobody is signed in: the header x-forwarded-user';
  it.each([
    ['missing', {}, `${name} is missing`],
    ['empty', headersOf(''), `${name} must not be empty`],
    ['blank', headersOf('\u00a0'), `${name} must not be empty`],
    ['201 characters', headersOf('n'.repeat(201)), `${name} must be at most 200 characters`],
    ['10,000 characters', headersOf('n'.repeat(10_000)), `${name} must be at most 200 characters`],
    ['a tab within', headersOf('an\tn'), `${name} must not contain control characters`],
    ['U+0085 within', headersOf('an\u0085n'), `${name} must not contain control characters`],
    ['U+200B alone', headersOf('\u200b'), `${name} must not contain control characters`],
    ['U+202E within', headersOf('\u202enna'), `${name} must not contain control characters`],
    ['sent twice', { 'x-forwarded-user': ['ann', 'eve'] }, `${name} came twice`],
    ['sent twice alike', { 'X-Forwarded-User': ['ann', 'ann'] }, `${name} came twice`],
    [
      'with its groups sent twice',
      { 'x-forwarded-user': 'ann', 'x-forwarded-groups': ['staff', 'admins'] },
      'Nobody is signed in: the header x-forwarded-groups came twice',
    ],
  ])('%s is refused', async (_, headers, sentence) => {
    expect(await me(headers)).toEqual([401, sentence]);
    const page = await raw('/', headers);
    expect([page.status, page.type, page.text]).toEqual([
      401,
      'text/plain; charset=utf-8',
      `${sentence}\n`,
    ]);
    expect((await raw('/api/no/such/path', headers)).status).toBe(401);
    expect((await raw('/versions/1', headers)).status).toBe(401);
  });

  it('is missing: a browser gets a page that says so', async () => {
    const page = await raw('/versions/1', { accept: 'text/html,*/*;q=0.8' });
    expect([page.status, page.type]).toEqual([401, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1>You are not signed in</h1>');
    expect(page.text).toContain(`${name} is missing.`);
    expect((await raw('/api/sources', { accept: 'text/html' })).type).toBe('application/json');
  });

  it('is required for pages; scripts and styles are public', async () => {
    expect((await raw('/', PEOPLE.reader)).text).toContain('<html');
    const folder = join(PROJECT, 'build/client/_app/immutable/assets');
    const css = readdirSync(folder).find((file) => file.endsWith('.css'));
    for (const path of [`/_app/immutable/assets/${css}`, '/favicon.svg']) {
      expect([path, (await raw(path, {})).status]).toEqual([path, 200]);
    }
  });

  it('is accepted only from trusted proxies, by the address of the connection', async () => {
    const url = await another({
      ...SIGNED_IN,
      PF_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.2',
      ADDRESS_HEADER: 'x-forwarded-for',
    });
    const headers = { ...PEOPLE.admin, 'x-forwarded-for': '10.1.2.3' };
    expect(await me(headers, { url })).toEqual([401, expect.stringMatching(/not trusted/)]);
    expect((await raw('/', headers, { url })).status).toBe(401);
    expect(await me(headers, { url, from: '127.0.0.2' })).toMatchObject({ user: 'eve' });
    expect((await raw('/api/health', {}, { url })).status).toBe(200);
  });

  it('is ignored if the service signs nobody in', async () => {
    const url = await another({});
    expect(await me(PEOPLE.reader, { url })).toEqual({ user: null, roles: ROLES });
    const api = apiAt(url, PEOPLE.reader);
    const { path } = await makePlan({ ...service, api }, sourceId);
    const answer = await api.post(`${path}/scale`, { slice: {}, pct: 10 });
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'pf_user is missing', field: 'pf_user' },
    ]);
    const [entry] = ok(await api.get(`${path}/log`)).body.entries;
    expect(entry.pf_user).toBe('ann');
    ok(await api.del(`/log/${entry.id}`));
    expect(ok(await api.get(`${path}/undone`)).body[0].undone_by).toBeNull();
  });
});

describe('The acting user', () => {
  it('is the signed-in name, not the pf_user of the body', async () => {
    await service.query('CREATE TABLE public.own (region text, amount int)');
    const source = ok(
      await service.api.post('/sources', { schema: 'public', tname: 'own', pf_user: 'mallory' }),
    );
    expect(source.body.created_by).toBe('eve');
    const view = { name: 'Own', layout: {} };
    expect(ok(await ann.post(`/sources/${sourceId}/views`, view)).body.created_by).toBe('ann');
    const profile = { name: 'Own', weights: Array(12).fill(1), pf_user: 'mallory' };
    const profiled = ok(await ann.post(`/sources/${sourceId}/profiles`, profile));
    expect(profiled.body.created_by).toBe('ann');

    const { path, versionId } = await makePlan({ ...service, api: ann }, sourceId);
    expect(ok(await ann.get(path)).body.created_by).toBe('ann');
    for (const pf_user of ['mallory', '', 7, null]) {
      ok(await ann.post(`${path}/scale`, { slice: {}, pct: 10, pf_user }));
    }
    const { entries } = ok(await ann.get(`${path}/log`)).body;
    expect(entries.map((e: { pf_user: string }) => e.pf_user)).toEqual(Array(5).fill('ann'));

    ok(await service.api.del(`/log/${entries[0].id}`));
    const [undone] = ok(await ann.get(`${path}/undone`)).body;
    expect(undone).toMatchObject({ entry: { pf_user: 'ann' }, undone_by: 'eve' });
    ok(await service.api.post(`${path}/redo/${undone.logid}`));
    expect((await ann.get(`${path}/log`)).body.entries[0].pf_user).toBe('eve');

    const lock = { slice: { region: 'North' }, pf_user: 'mallory' };
    expect(ok(await service.api.post(`${path}/locks`, lock)).body.created_by).toBe('eve');
    const comment = { slice: {}, text: 'Ready, @eve?', pf_user: 'mallory' };
    const { id, created_by } = ok(await ann.post(`${path}/comments`, comment)).body;
    expect(created_by).toBe('ann');
    const edit = { text: 'Mine', pf_user: 'ann' };
    await refused(service, () => service.api.patch(`/comments/${id}`, edit), 403, /^Only ann/);
    await refused(service, () => service.api.del(`/comments/${id}`), 403, /^Only ann/);
    const mentions = ok(await service.api.get('/comments/mentions?user=ann')).body;
    expect(mentions.map((mention: { id: number }) => mention.id)).toEqual([id]);
    expect((await ann.del(`/comments/${id}`)).status).toBe(204);
    expect(ok(await ann.post(`${path}/copy`, { name: 'Own copy' })).body.created_by).toBe('ann');
    expect(ok(await ann.post(`${path}/close`)).body.closed_by).toBe('ann');
    expect(ok(await ann.get(`/versions/${versionId}`)).body.status).toBe('closed');
  });

  it('is not needed in a body', async () => {
    const { path } = await makePlan(service, sourceId);
    const sentence = await refused(service, () => ann.post(`${path}/scale`), 400);
    expect(sentence).toBe('slice is missing');
    await refused(
      service,
      () => ann.post(`${path}/scale`, []),
      400,
      'The body must be a JSON object',
    );
    await refused(service, () => ann.post(`${path}/scale`, 7), 400);
  });

  it('never gets the stored answer of another person', async () => {
    const { path } = await makePlan(service, sourceId);
    const send = (api: Api) =>
      api.send(`${path}/scale`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'the same' },
        body: JSON.stringify({ slice: {}, value_incr: 1 }),
      });
    const first = ok(await send(ann));
    await refused(service, () => send(service.api), 409, /Idempotency-Key was used for another/);
    expect((await send(ann)).body).toEqual(first.body);
    expect((await ann.get(`${path}/log`)).body.entries).toHaveLength(2);
  });

  it('is named in events', async () => {
    const { path } = await makePlan(service, sourceId);
    const stream = await openEvents(service.url, path, PEOPLE.reader);
    ok(await ann.post(`${path}/scale`, { slice: {}, value_incr: 1 }));
    const [event] = await stream.events(1);
    expect(event).toMatchObject({ event: 'written', data: { pf_user: 'ann' } });
    expect((await openEvents(service.url, path)).status).toBe(401);
  });
});

describe('Roles', () => {
  it('are derived from the groups', async () => {
    const roles = async (groups: string, to = {}) => (await me(headersOf('ann', groups), to)).roles;
    expect(await roles('')).toEqual(['reader']);
    expect(await roles('staff,planners-of-old, Planners')).toEqual(['reader']);
    expect(await roles(' staff ,planners ')).toEqual(['reader', 'planner']);
    expect(await roles('admins')).toEqual([...ROLES]);
    expect((await me({ 'x-forwarded-user': 'ann' })).roles).toEqual(['reader']);

    const { PF_ADMINS: _, ...planners } = SIGNED_IN;
    const withPlanners = { url: await another(planners) };
    expect(await roles('planners', withPlanners)).toEqual([...ROLES]);
    expect(await roles('admins', withPlanners)).toEqual(['reader']);

    const { PF_PLANNERS: __, ...admins } = SIGNED_IN;
    const withAdmins = { url: await another(admins) };
    expect(await roles('staff', withAdmins)).toEqual(['reader', 'planner']);
    expect(await roles('admins', withAdmins)).toEqual([...ROLES]);

    const withNeither = { url: await another({ PF_USER_HEADER: 'X-Forwarded-User' }) };
    expect(await roles('', withNeither)).toEqual([...ROLES]);
  });

  /** Sends a request for something unknown: an allowed person gets another refusal, or a list. */
  const attempt = (api: Api, { method, path, request: body }: (typeof ENDPOINTS)[number]) =>
    api.send(
      path.replace(/\{(id|logid)\}/g, '2147483647').replace(/\{\w+\}/g, 'x'),
      body
        ? {
            method: method.toUpperCase(),
            headers: { 'content-type': 'application/json' },
            body: '{}',
          }
        : { method: method.toUpperCase() },
    );

  it.each(
    ENDPOINTS.map(
      (endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint] as const,
    ),
  )('%s is for people with its role', async (_, endpoint) => {
    const { role, forPeople } = endpoint;
    const without = await attempt(nobody, endpoint);
    if (role === null) {
      expect(without.status).toBe(200);
      return;
    }
    expect([without.status, without.body]).toEqual([401, { error: expect.any(String) }]);
    for (const [i, person] of ROLES.entries()) {
      for (const [way, headers] of [
        [person, PEOPLE[person]],
        [`token of a ${person}`, tokens[person]],
      ] as const) {
        const answer = await attempt(apiAt(service.url, headers), endpoint);
        if (forPeople && person === role && way !== person) {
          expect([way, answer.status, answer.body]).toEqual([
            way,
            403,
            { error: 'Only a signed-in person may do this; night has a token' },
          ]);
        } else if (i >= ROLES.indexOf(role)) {
          expect([way, answer.status]).not.toEqual([way, 401]);
          expect([way, answer.status]).not.toEqual([way, 403]);
        } else {
          expect([way, answer.status, answer.body]).toEqual([
            way,
            403,
            {
              error: expect.stringMatching(
                new RegExp(`^Only an? ${role} may do this; .* is signed in as ${person}$`),
              ),
            },
          ]);
        }
      }
    }
  });

  it('of a token are not enough for endpoints of tokens', () => {
    const refusing = ENDPOINTS.filter(({ forPeople }) => forPeople).map(({ name }) => name);
    expect(refusing).toEqual(['GET /tokens', 'POST /tokens', 'DELETE /tokens/{id}']);
  });

  it('are required by endpoints according to their effect', () => {
    const withRole = (wanted: string | null) =>
      ENDPOINTS.filter(
        ({ method, role }) => role === wanted && (method !== 'get' || role !== 'reader'),
      ).map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(withRole(null)).toEqual(['GET /health', 'GET /health/live', 'GET /metrics']);
    expect(withRole('reader').filter((name) => !name.endsWith('/preview'))).toEqual([
      'POST /sources/{id}/grain-estimate',
      'POST /versions/{id}/forecast/levels',
      'POST /versions/{id}/slice',
      'POST /versions/{id}/slices',
      'POST /versions/{id}/explain',
      'POST /versions/{id}/rows',
    ]);
    expect(withRole('admin')).toEqual([
      'POST /files/preview',
      'POST /files',
      'GET /calendar',
      'PUT /calendar',
      'POST /sources',
      'PATCH /sources/{id}',
      'DELETE /sources/{id}',
      'PUT /sources/{id}/columns',
      'POST /sources/{id}/sql',
      'POST /sources/{id}/formulas',
      'PATCH /formulas/{id}',
      'DELETE /formulas/{id}',
      'POST /sources/{id}/lookups',
      'PATCH /lookups/{id}',
      'DELETE /lookups/{id}',
      'GET /sources/{id}/territories',
      'POST /sources/{id}/territories',
      'PATCH /territories/{id}',
      'DELETE /territories/{id}',
      'GET /members',
      'GET /tokens',
      'POST /tokens',
      'DELETE /tokens/{id}',
      'GET /audit',
      'DELETE /versions/{id}',
      'GET /sources/{id}/published',
      'PUT /versions/{id}/published',
      'DELETE /published/{id}',
      'POST /versions/{id}/locks',
      'DELETE /locks/{id}',
    ]);
  });

  it('allow readers to read only', async () => {
    const { path, baseline, versionId } = await makePlan(service, sourceId);
    ok(await reader.get(`${path}/data`));
    ok(await reader.post(`${path}/slice`, { slice: {} }));
    ok(await reader.post(`${path}/explain`, { slice: {} }));
    ok(await reader.post(`${path}/rows`, { slice: {} }));
    ok(await reader.post(`${path}/scale/preview`, { slice: {}, pct: 10 }));
    ok(await reader.post(`${path}/baseline/preview`, {}));
    for (const write of [
      () => reader.post(`${path}/scale`, { slice: {}, pct: 10 }),
      () => reader.post(`${path}/sc%61le`, { slice: {}, pct: 10 }),
      () => reader.del(`/log/${baseline}`),
      () => reader.patch(`/log/${baseline}`, { note: 'mine' }),
      () => reader.post(`/sources/${sourceId}/versions`, { name: 'Mine' }),
      () => reader.post(`/sources/${sourceId}/profiles`, { name: 'Mine', weights: [] }),
      () => reader.post(`${path}/comments`, { slice: {}, text: 'Mine' }),
      () => reader.patch('/comments/1', { resolved: true }),
      () => reader.del('/comments/1'),
      () => reader.patch('/profiles/1', { name: 'Mine' }),
      () => reader.del('/profiles/1'),
      () => ann.post(`/sources/${sourceId}/formulas`, { name: 'Mine', expression: '1' }),
      () => ann.patch('/formulas/1', { name: 'Mine' }),
      () => ann.del('/formulas/1'),
      () => ann.post(`${path}/locks`, { slice: {} }),
      () => ann.del(`/versions/${versionId}`),
      () => ann.post(`/sources/${sourceId}/sql`),
    ]) {
      await refused(service, write, 403, /^Only an? (planner|admin) may do this/);
    }
  });

  it('do not change the answer of a closed version or a wrong path', async () => {
    const { path } = await makePlan(service, sourceId);
    ok(await ann.post(`${path}/close`, {}));
    const answer = await ann.post(`${path}/scale`, { slice: {}, pct: 10 });
    expect([answer.status, answer.body]).toEqual([403, { error: 'Version is closed' }]);
    expect((await reader.get('/no/such/path')).status).toBe(404);
    expect((await reader.put(path, {})).status).toBe(405);
    expect((await reader.send(`${path}/data`, { method: 'HEAD' })).status).toBe(200);
  });
});
