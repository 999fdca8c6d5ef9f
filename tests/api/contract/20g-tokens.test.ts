// Tests docs/contract/20-who-is-signed-in.md.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../src/demo/server';
import type { AuditEntry } from '../../../src/lib/contract/audit';
import { openEvents } from '../../support/events';
import { apiAt, sendAsIs, type Api } from '../../support/http';
import { plan, type Planned } from '../../support/planned';
import { until } from '../../support/race';
import { startService, type Service } from '../../support/service';
import { REGIONAL, SIGNED_IN, signedIn } from '../../support/territories';
import { bearer, makeToken, withSecret } from '../../support/tokens';
import { decode, ok, refused } from './orders';

const ENV = { ...SIGNED_IN, PF_HEARTBEAT: '1s', ADDRESS_HEADER: 'x-forwarded-for' };
const NOT_VALID = 'The token is wrong, was revoked or has expired';
const UNKNOWN = `pf_${'x'.repeat(43)}`;
const ROWS = ['A', 'B'].map((Region) => ({
  Day: '2027-01-31',
  Region,
  Product: 'x',
  Sales: 100,
}));

let service: Service;
let admin: Api;
let planned: Planned;
beforeAll(async () => {
  service = await startService('service', ENV);
  admin = fromHere(signedIn('eve', 'admins'));
  service = { ...service, api: admin };
  planned = await plan(service, REGIONAL, ROWS);
  ok(await admin.post(`${planned.path}/baseline`, {}));
});
afterAll(() => service?.stop());

/** Sends requests of a client at an address, as the proxy names it. */
const from = (address: string, headers: Record<string, string>, url = service.url) =>
  apiAt(url, { 'x-forwarded-for': address, ...headers });
const fromHere = (headers: Record<string, string>) => from('192.0.2.1', headers);

const outcome = async (api: Api, path = '/me') => {
  const { status, body } = await api.get(path);
  return [status, body.error ?? body];
};

/** Entries of the audit since one, oldest first. */
const auditSince = async (id: number): Promise<AuditEntry[]> =>
  ok(await admin.get(`/audit?after=${id}`)).body.entries;
const newestAudit = async () => ok(await admin.get('/audit?limit=1')).body.entries[0]?.id ?? 1;

describe('A token', () => {
  it('is made by an admin, and its secret is answered once', async () => {
    const made = await makeToken(admin, {
      roles: ['planner'],
      groups: ['north', 'north'],
      expires_at: '2099-01-31T18:00:00+01:00',
    });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'night',
      roles: ['reader', 'planner'],
      groups: ['north'],
      sources: null,
      expires_at: '2099-01-31T17:00:00.000Z',
      created_by: 'eve',
      created_at: expect.any(String),
      last_used_at: null,
      secret: expect.stringMatching(/^pf_[\w-]{43}$/),
    });
    const { secret, ...listed } = made;
    const answer = ok(await admin.get('/tokens'));
    expect(answer.body.at(-1)).toEqual(listed);
    const rows = await service.query('SELECT t::text FROM pf.token AS t');
    for (const text of [JSON.stringify(answer.body), JSON.stringify(rows)]) {
      expect(text).not.toContain(secret.slice(3));
    }
    const [{ hash }] = await service.query(
      `SELECT hash = sha256(convert_to($1, 'UTF8')) AS hash FROM pf.token WHERE id = $2`,
      [secret, made.id],
    );
    expect(hash).toBe(true);
  });

  it('makes its name the acting user, from any address', async () => {
    const token = await bearer(admin, { name: 'Nacht 周', groups: ['admins'] });
    // The proxy of this server is elsewhere, so nobody is signed in by a header.
    const env = { ...ENV, PF_TRUSTED_PROXIES: '10.0.0.0/8' };
    const other = await startServer({ database: service.database, env });
    onTestFinished(() => other.stop());
    const api = from('203.0.113.7', { ...token, ...signedIn('mallory', 'admins') }, other.url);
    const me = { user: 'Nacht 周', roles: ['reader', 'planner'] };
    expect(await outcome(api)).toEqual([200, me]);
    const scale = { slice: {}, value_incr: 1, pf_user: 'mallory' };
    ok(await api.post(`${planned.path}/scale`, scale));
    const [entry] = ok(await admin.get(`${planned.path}/log`)).body.entries;
    expect(entry.pf_user).toBe('Nacht 周');
    expect(other.output()).toMatch(/"user":"Nacht 周","token":\d+/);
  });

  it('counts alone if the proxy names somebody, too', async () => {
    const token = await bearer(admin, { roles: ['reader'] });
    const both = { ...signedIn('eve', 'admins'), ...token };
    expect(await outcome(fromHere(both))).toEqual([200, { user: 'night', roles: ['reader'] }]);
    const wrong = { ...signedIn('eve', 'admins'), ...withSecret(UNKNOWN) };
    expect(await outcome(fromHere(wrong))).toEqual([401, NOT_VALID]);
  });

  it('is one that begins with pf_: other credentials are the business of the proxy', async () => {
    for (const authorization of ['Basic cmV4OnJleA==', 'Bearer eyJhbGciOiJub25lIn0.e30.']) {
      const api = fromHere({ ...signedIn('eve', 'admins'), authorization });
      expect(await outcome(api)).toEqual([200, expect.objectContaining({ user: 'eve' })]);
    }
  });

  it('opens pages, as a person does', async () => {
    const headers = { accept: 'text/html', ...(await bearer(admin)) };
    const page = await sendAsIs(service.url, 'GET', '/', headers);
    expect([page.status, page.type]).toEqual([200, expect.stringMatching('text/html')]);
  });

  it('cannot make, list or revoke tokens', async () => {
    const { id, secret } = await makeToken(admin, { roles: ['admin'] });
    const api = fromHere(withSecret(secret));
    const sentence = 'Only a signed-in person may do this; night has a token';
    const attempts = [
      () => api.get('/tokens'),
      () => api.post('/tokens', { name: 'next', roles: ['reader'] }),
      () => api.del(`/tokens/${id}`),
    ];
    for (const attempt of attempts) {
      const answer = await attempt();
      expect([answer.status, answer.body]).toEqual([403, { error: sentence }]);
    }
    expect((await api.get('/me')).status).toBe(200);
  });

  it.each([
    [{ name: '' }, 'name: must not be empty'],
    [{ name: 'a\u200bb' }, 'name: must not contain control characters'],
    [{ name: 'n'.repeat(201) }, 'name: must be at most 200 characters'],
    [{ roles: [] }, 'roles: must not be empty'],
    [{ roles: ['owner'] }, /^roles/],
    [{ groups: [' north'] }, /must not begin or end with a space$/],
    [{ groups: Array(101).fill('north') }, 'groups: must be at most 100'],
    [{ sources: [] }, 'sources: must not be empty'],
    [{ sources: [1.5] }, /^sources/],
    [{ sources: [999] }, 'sources: has 999, and there is no source 999'],
    [{ expires_at: '2099-01-31' }, /must be an instant such as/],
    [{ expires_at: '2020-01-31T18:00:00Z' }, 'expires_at: must be in the future'],
  ])('with %j is refused', async (fields, sentence) => {
    const body = { name: 'night', roles: ['reader'], ...fields };
    await refused(service, () => admin.post('/tokens', body), 400, sentence);
  });

  it('is one of at most 1,000', async () => {
    await service.query(
      `INSERT INTO pf.token (name, hash, roles, created_by)
       SELECT 'many', sha256(i::text::bytea), '{reader}', 'eve' FROM generate_series(1, 1000) AS i`,
    );
    const body = { name: 'night', roles: ['reader'] };
    await refused(
      service,
      () => admin.post('/tokens', body),
      422,
      'There are 1000 tokens already; revoke some',
    );
    await service.query("DELETE FROM pf.token WHERE name = 'many'");
  });

  it('may write from a program, and not from a page of another site', async () => {
    const api = fromHere({ ...(await bearer(admin)), origin: 'https://elsewhere.example' });
    expect(await outcome(api)).toEqual([200, expect.objectContaining({ user: 'night' })]);
    const answer = await api.post(`${planned.path}/scale`, { slice: {}, value_incr: 1 });
    expect([answer.status, answer.body.error]).toEqual([
      403,
      'Writes from pages of another site are refused',
    ]);
  });
});

describe('The end of a token', () => {
  it('holds at once on every server, by revocation', async () => {
    const other = await startServer({ database: service.database, env: ENV });
    onTestFinished(() => other.stop());
    const { id, secret } = await makeToken(admin);
    const there = from('192.0.2.1', withSecret(secret), other.url);
    const here = fromHere(withSecret(secret));
    for (const api of [here, there]) expect((await api.get('/me')).status).toBe(200);
    expect((await admin.del(`/tokens/${id}`)).status).toBe(204);
    for (const api of [there, here]) expect(await outcome(api)).toEqual([401, NOT_VALID]);
    expect((await admin.del(`/tokens/${id}`)).status).toBe(404);
    expect(
      ok(await admin.get('/tokens')).body.map((token: { id: number }) => token.id),
    ).not.toContain(id);
  });

  it('comes by itself when it expires', async () => {
    const { id, secret } = await makeToken(admin, { expires_at: '2099-01-31T18:00:00Z' });
    const api = fromHere(withSecret(secret));
    expect((await api.get('/me')).status).toBe(200);
    await service.query('UPDATE pf.token SET expires_at = now() WHERE id = $1', [id]);
    expect(await outcome(api)).toEqual([401, NOT_VALID]);
    expect(ok(await admin.get('/tokens')).body.map((token: { id: number }) => token.id)).toContain(
      id,
    );
  });

  it.each(['revoked', 'expired'])('ends open event streams when it is %s', async (how) => {
    const { id, secret } = await makeToken(admin, { roles: ['reader'] });
    const own = await openEvents(service.url, planned.path, withSecret(secret));
    const another = await openEvents(service.url, planned.path, await bearer(admin));
    if (how === 'revoked') ok(await admin.del(`/tokens/${id}`));
    else await service.query('UPDATE pf.token SET expires_at = now() WHERE id = $1', [id]);
    await until(async () => (await own.next()) === undefined);
    expect((await openEvents(service.url, planned.path, withSecret(secret))).status).toBe(401);
    ok(await admin.post(`${planned.path}/scale`, { slice: {}, value_incr: 1 }));
    expect(await another.events(1)).toMatchObject([{ event: 'written' }]);
  });
});

describe('Wrong tokens', () => {
  it('are refused, and after 20 in a minute the address has to wait', async () => {
    const accepted = await bearer(admin);
    const address = '198.51.100.9';
    expect((await from(address, accepted).get('/me')).status).toBe(200);
    for (let i = 0; i < 20; i++) {
      const secret = `${UNKNOWN.slice(0, -2)}${10 + i}`;
      expect(await outcome(from(address, withSecret(secret)))).toEqual([401, NOT_VALID]);
    }
    const late = await from(address, withSecret(UNKNOWN)).get('/me');
    expect([late.status, late.body.error]).toEqual([
      429,
      'Too many wrong tokens came from your address; try again later',
    ]);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from(address, accepted).get('/me')).status).toBe(200);
    const fresh = await bearer(admin);
    expect((await from(address, fresh).get('/me')).status).toBe(200);
    expect((await from('198.51.100.10', withSecret(UNKNOWN)).get('/me')).status).toBe(401);
    expect(await outcome(from(address, signedIn('rita', 'staff')))).toEqual([
      200,
      { user: 'rita', roles: ['reader'] },
    ]);
  });

  it('are counted in the audit', async () => {
    const last = await newestAudit();
    await from('198.51.100.11', withSecret(UNKNOWN)).get(`/sources/${planned.sourceId}`);
    expect(await auditSince(last)).toMatchObject([
      {
        action: 'refused',
        pf_user: null,
        status: 401,
        request: `GET /sources/${planned.sourceId}`,
      },
    ]);
  });

  // The last one is a line separator of Unicode in UTF-8, as its bytes arrive.
  it.each(['pf_', 'pf_short', `pf_${'x'.repeat(5000)}`, 'pf_\u00e9', 'pf_\u00e2\u0080\u00a8'])(
    'may have any form, and nothing else signs in beside it: %s',
    async (secret) => {
      const answer = await sendAsIs(service.url, 'GET', '/api/me', {
        'x-forwarded-for': '198.51.100.12',
        ...signedIn('eve', 'admins'),
        ...withSecret(secret),
      });
      expect([answer.status, JSON.parse(answer.text).error]).toEqual([401, NOT_VALID]);
    },
  );
});

describe('The secret', () => {
  it('is refused in an address, and is never in the log or the audit', async () => {
    const last = await newestAudit();
    const { secret } = await makeToken(admin);
    const sentence = /^A token belongs in the header Authorization/;
    for (const path of [
      `/me?token=${secret}`,
      `/me?access_token=${encodeURIComponent(`Bearer ${secret}`)}`,
      `/tables/public/${secret}`,
      `/tables/public/${secret.replace('_', '%5f')}`,
      `/nowhere/${secret}`,
    ]) {
      for (const headers of [{}, signedIn('eve', 'admins'), withSecret(secret)]) {
        expect(await outcome(fromHere(headers), path)).toEqual([
          400,
          expect.stringMatching(sentence),
        ]);
      }
    }
    ok(await fromHere(withSecret(secret)).get('/me'));
    await fromHere(withSecret(`${secret}x`)).get('/me');
    await admin.post('/tokens', { name: secret, roles: ['nothing'] });
    const output = service.server.output();
    expect(output).toContain('"path":"/api/nowhere/pf_…"');
    for (const text of [output, JSON.stringify(await auditSince(last))]) {
      expect(text).not.toContain(secret.slice(3));
    }
  });
});

describe('The audit', () => {
  it('has tokens that were made and revoked', async () => {
    const last = await newestAudit();
    const { id } = await makeToken(admin, { groups: ['north'] });
    ok(await admin.del(`/tokens/${id}`));
    const granted = {
      name: 'night',
      roles: ['reader', 'planner'],
      groups: ['north'],
      sources: null,
      expires_at: null,
    };
    const of = { pf_user: 'eve', token_id: id, source_id: null };
    expect(await auditSince(last)).toMatchObject([
      { ...of, action: 'token created', before: null, after: granted },
      { ...of, action: 'token revoked', before: granted, after: null },
    ]);
  });
});

describe('The last use', () => {
  it('is recorded', async () => {
    const { id, secret } = await makeToken(admin);
    const listed = async () =>
      ok(await admin.get('/tokens')).body.find((token: { id: number }) => token.id === id);
    expect((await listed()).last_used_at).toBeNull();
    ok(await fromHere(withSecret(secret)).get('/me'));
    const { last_used_at, created_at } = await until(async () => {
      const token = await listed();
      return token.last_used_at !== null && token;
    });
    expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
  });
});

describe('Territories of a token', () => {
  it('are those of its name and its groups', async () => {
    const { sourceId, path } = await plan(service, REGIONAL, ROWS);
    ok(await admin.post(`${path}/baseline`, {}));
    const territory = (member: string, Region: string, write: object | null) =>
      admin.post(`/sources/${sourceId}/territories`, { member, read: { Region }, write });
    ok(await territory('job of A', 'A', { Region: 'A' }));
    ok(await territory('team b', 'B', null));
    const regions = async (fields: object) => {
      const api = fromHere(await bearer(admin, fields));
      const answer = await api.get(`${path}/data`);
      if (answer.status !== 200) return answer.status;
      return decode(answer.bytes)
        .rows.map((row) => row.Region)
        .toSorted();
    };
    expect(await regions({ name: 'job of A' })).toEqual(['A']);
    expect(await regions({ name: 'job of A', groups: ['team b'] })).toEqual(['A', 'B']);
    expect(await regions({ name: 'other' })).toBe(404);
    expect(await regions({ name: 'other', roles: ['admin'] })).toEqual(['A', 'B']);
    const api = fromHere(await bearer(admin, { name: 'job of A', groups: ['team b'] }));
    const scale = (Region: string) =>
      api.post(`${path}/scale`, { slice: { Region }, value_incr: 1 });
    expect([(await scale('A')).status, (await scale('B')).status]).toEqual([200, 403]);
    expect((await api.get(`${path}/segments`)).status).toBe(403);
  });
});

describe('Without PF_USER_HEADER', () => {
  it('there are no tokens', async () => {
    const token = await bearer(admin, { roles: ['reader'] });
    const other = await startServer({ database: service.database });
    onTestFinished(() => other.stop());
    const open = apiAt(other.url, token);
    expect(await outcome(open)).toEqual([
      200,
      { user: null, roles: ['reader', 'planner', 'admin'] },
    ]);
    expect((await apiAt(other.url, withSecret(UNKNOWN)).get('/me')).status).toBe(200);
    const sentence = /^Tokens exist only where a proxy signs people in/;
    for (const answer of [
      await open.get('/tokens'),
      await open.post('/tokens', { name: 'night', roles: ['reader'] }),
      await open.del('/tokens/1'),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([404, expect.stringMatching(sentence)]);
    }
  });
});
