import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../src/lib/contract/me';
import { passwordOf, startCaddy, type Proxy } from '../support/caddy';
import { openEvents } from '../support/events';
import { apiAt, sendAsIs, type Answer, type Api } from '../support/http';
import { startNginx } from '../support/nginx';
import { plan, type Planned } from '../support/planned';
import { holdVersion, until, untilWaiting } from '../support/race';
import { startService, type Service } from '../support/service';
import { certificate } from '../support/tls';

const PEOPLE = ['rita', 'ann', 'eve'];

/** The variables of docs/operating.md, and time for a write that waits for minutes. */
const ENV = {
  HOST: '127.0.0.1',
  PF_ALLOWED_HOSTS: 'plan.example.com',
  PF_USER_HEADER: 'X-Forwarded-User',
  PF_GROUPS_HEADER: 'X-Forwarded-Groups',
  PF_PLANNERS: 'planners',
  PF_ADMINS: 'admins',
  ADDRESS_HEADER: 'X-Forwarded-For',
  PF_WAIT_TIMEOUT: '5min',
};

/** Headers that a proxy has for itself. */
const OF_A_CONNECTION = ['connection', 'date', 'keep-alive', 'server', 'via', 'x-request-id'];

const FILE_LIMIT = 256 * 1024 * 1024;
/** In ms. On a busy machine, 256 MB have taken six minutes. */
const UPLOAD_TIMEOUT = 600_000;
const LINE = Buffer.from('2027-03-31,North,12.50,a text that makes the line 64 bytes long..\n');

/** The bytes of a CSV of a given length. */
function* csv(length: number): Generator<Buffer> {
  const lines = Buffer.concat(Array.from({ length: 16_384 }, () => LINE));
  let left = length;
  for (let piece = Buffer.from('Day,Region,Amount,Text\n'); left > 0; piece = lines) {
    yield piece.subarray(0, left);
    left -= piece.length;
  }
}

/** Sends a file as curl does: it waits for `100 Continue` before the body. */
function upload(url: string, length: number): Promise<{ status: number; text: string }> {
  const headers = {
    ...passwordOf('eve'),
    'content-type': 'text/csv',
    'content-length': length,
    expect: '100-continue',
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/files/preview?name=a.csv`, { method: 'POST', headers });
    const body = Readable.from(csv(length));
    let answered = false;
    sent.on('continue', () => body.pipe(sent));
    sent.on('response', (answer) => {
      answered = true;
      // A proxy may close the connection of a refused body. A write that fails then would also end the answer.
      body.unpipe(sent);
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text });
        sent.destroy();
      });
      answer.on('error', reject);
    });
    // An answer that is complete counts; one that is cut off fails itself.
    sent.on('error', (error) => answered || reject(error));
    sent.flushHeaders();
  });
}

describe.each([
  ['Caddy', startCaddy],
  ['nginx', startNginx],
] as const)('Behind %s with the file of deploy/proxy', (_, start) => {
  let service: Service;
  let proxy: Proxy;
  let v: Planned;
  const as = (name: string): Api => apiAt(proxy.url, passwordOf(name));
  beforeAll(async () => {
    service = await startService('service', ENV);
    proxy = await start(service.url, PEOPLE);
    v = await plan(
      { ...service, api: as('eve') },
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      [{ Region: 'A', Sales: 100 }],
    );
    expect((await as('ann').post(`${v.path}/baseline`)).status).toBe(200);
  });
  afterAll(async () => {
    await proxy?.stop();
    await service?.stop();
  });

  it('people sign in, and have the roles of their groups', async () => {
    expect((await fetch(proxy.url)).status).toBe(401);
    expect((await apiAt(proxy.url).get('/me')).status).toBe(401);
    const wrong = { authorization: `Basic ${Buffer.from('ann:eve').toString('base64')}` };
    expect((await apiAt(proxy.url, wrong).get('/me')).status).toBe(401);
    const roles = { rita: ['reader'], ann: ['reader', 'planner'], eve: [...ROLES] };
    for (const [user, has] of Object.entries(roles)) {
      expect((await as(user).get('/me')).body).toEqual({ user, roles: has });
    }
    const page = await fetch(`${proxy.url}${v.path}`, { headers: passwordOf('rita') });
    expect([page.status, (await page.text()).includes('<html')]).toEqual([200, true]);
  });

  it('pages are served only under the name set in docs/operating.md', async () => {
    const open = (host: string) =>
      sendAsIs(proxy.url, 'GET', v.path, { ...passwordOf('rita'), host });
    expect((await open('plan.example.com')).status).toBe(200);
    expect((await open('other.example.com')).status).toBe(421);
    const write = (origin: string) =>
      sendAsIs(
        proxy.url,
        'POST',
        `/api${v.path}/scale`,
        {
          ...passwordOf('ann'),
          ...{ host: 'plan.example.com', 'content-type': 'application/json', origin },
        },
        JSON.stringify({ slice: {}, pct: 10 }),
      );
    expect((await write('https://plan.example.com')).status).toBe(200);
    expect((await write('https://other.example.com')).status).toBe(403);
  });

  it('nobody can give themselves another name or group', async () => {
    for (const name of ['x-forwarded-user', 'X-Forwarded-User', 'X-FORWARDED-USER']) {
      const forged = { ...passwordOf('rita'), [name]: 'eve', 'X-Forwarded-Groups': 'admins' };
      expect((await apiAt(proxy.url, forged).get('/me')).body).toEqual({
        user: 'rita',
        roles: ['reader'],
      });
    }
  });

  it('a token needs no password, and brings no other name in', async () => {
    const fields = { name: 'night', roles: ['planner'] };
    const { id, secret } = (await as('eve').post('/tokens', fields)).body;
    const forged = { 'X-Forwarded-User': 'eve', 'X-Forwarded-Groups': 'admins' };
    const program = apiAt(proxy.url, { ...forged, authorization: `Bearer ${secret}` });
    expect((await program.get('/me')).body).toEqual({
      user: 'night',
      roles: ['reader', 'planner'],
    });
    expect((await program.post(`${v.path}/scale`, { slice: {}, value_incr: 1 })).status).toBe(200);
    expect((await as('eve').del(`/tokens/${id}`)).status).toBe(204);
    for (const authorization of [`Bearer ${secret}`, 'Bearer pf_', 'Bearer eyJhbGciOi']) {
      const api = apiAt(proxy.url, { ...forged, authorization });
      expect([authorization, (await api.get('/me')).status]).toEqual([authorization, 401]);
    }
  });

  it('writes are recorded under the name, and accepted only from the site itself', async () => {
    const write = (origin: string) =>
      as('ann').send(`${v.path}/scale`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ slice: {}, pct: 10 }),
      });
    expect((await write(proxy.url)).status).toBe(200);
    expect((await write('http://evil.example.com')).status).toBe(403);
    expect((await as('rita').post(`${v.path}/scale`, { slice: {}, pct: 10 })).status).toBe(403);
    const [entry] = (await as('rita').get(`${v.path}/log`)).body.entries;
    expect(entry).toMatchObject({ operation: 'scale', pf_user: 'ann' });
  });

  it('a group has the rows of its territory, and nobody can claim to be in it', async () => {
    const { path, sourceId } = await plan(
      { ...service, api: as('eve') },
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      [
        { Region: 'A', Sales: 100 },
        { Region: 'B', Sales: 20 },
      ],
    );
    expect((await as('eve').post(`${path}/baseline`)).status).toBe(200);
    const given = { member: 'planners', read: { Region: 'A' }, write: { Region: 'A' } };
    const territories = `/sources/${sourceId}/territories`;
    expect((await as('eve').post(territories, given)).status).toBe(201);
    const value = async (api: Api) => (await api.get(`${path}/totals`)).body.plan?.value_total;
    expect([await value(as('eve')), await value(as('ann'))]).toEqual([120, 100]);
    const claimed = { ...passwordOf('rita'), 'X-Forwarded-Groups': 'planners' };
    for (const api of [as('rita'), apiAt(proxy.url, claimed)]) {
      expect((await api.get(`${path}/totals`)).status).toBe(404);
    }
  });

  it('changes by others arrive while the stream is open', async () => {
    const stream = await openEvents(proxy.url, v.path, passwordOf('rita'));
    expect((await as('ann').post(`${v.path}/scale`, { slice: {}, pct: 10 })).status).toBe(200);
    // With a buffering proxy, this would not arrive.
    const [event] = await stream.events(1);
    expect(event).toMatchObject({ event: 'written', data: { pf_user: 'ann' } });
  });

  it('rows arrive as the service sends them, compressed or not', async () => {
    const big = await plan(
      { ...service, api: as('eve') },
      [
        { name: 'Region', type: 'text', role: 'dimension' },
        { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
      ],
      Array.from({ length: 50_000 }, (_, i) => ({ Region: `Region ${i}`, Sales: i / 100 })),
    );
    expect((await as('eve').post(`${big.path}/baseline`)).status).toBe(200);
    const direct = apiAt(service.url, {
      'x-forwarded-user': 'eve',
      'x-forwarded-groups': 'admins',
    });
    for (const encoding of ['identity', 'br', 'gzip']) {
      const headers = { 'accept-encoding': encoding };
      const [wanted, found] = await Promise.all(
        [direct, as('eve')].map((api) => api.get(`${big.path}/data`, headers)),
      );
      const own = (answer?: Answer) =>
        [...(answer?.headers ?? [])].filter(
          ([name]) => !OF_A_CONNECTION.includes(name) && !/length|encoding|vary/.test(name),
        );
      expect([encoding, found?.status, own(found)]).toEqual([encoding, 200, own(wanted)]);
      expect(found?.headers.get('x-row-count')).toBe('50000');
      expect(Buffer.compare(found!.bytes, wanted!.bytes)).toBe(0);
    }
  });

  it('every page has headers that the proxy takes', async () => {
    const pages = ['/', '/sources/new', `/sources/${v.sourceId}`];
    for (const page of [...pages, v.path, `${v.path}/accuracy`, '/theme.js']) {
      const answer = await fetch(`${proxy.url}${page}`, { headers: passwordOf('rita') });
      expect([page, answer.status]).toEqual([page, 200]);
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
    }
  });

  it('a write waits, and a stream of events is silent, for more than a minute', async () => {
    const stream = await openEvents(proxy.url, v.path, passwordOf('rita'));
    const event = stream.events(1);
    const held = await holdVersion(service, v.id);
    const written = as('ann').post(`${v.path}/scale`, { slice: {}, pct: 10 });
    await untilWaiting(service, 1);
    await until(async () => stream.heartbeats.length >= 5);
    await held.release();
    expect((await written).status).toBe(200);
    expect(await event).toMatchObject([{ event: 'written', data: { pf_user: 'ann' } }]);
  }, 150_000);

  it(
    'a file of the greatest length is read',
    async () => {
      const { status, text } = await upload(proxy.url, FILE_LIMIT);
      expect([status, JSON.parse(text).columns?.[0]]).toEqual([
        200,
        expect.objectContaining({ cname: 'Day' }),
      ]);
    },
    UPLOAD_TIMEOUT,
  );

  it(
    'a longer file is refused by the service',
    async () => {
      const { status, text } = await upload(proxy.url, FILE_LIMIT + 1);
      expect([status, JSON.parse(text)]).toEqual([413, { error: expect.any(String) }]);
    },
    UPLOAD_TIMEOUT,
  );
});

it('nginx speaks HTTP/2 over TLS', async () => {
  const service = await startService('service', ENV);
  const nginx = await startNginx(service.url, PEOPLE);
  const ca = readFileSync(certificate('authority.pem'));
  const session = connect(`https://localhost:${nginx.tlsPort}`, { ca });
  try {
    const answer = session.request({ ':path': '/api/me', ...passwordOf('ann') });
    const text = (await answer.setEncoding('utf8').toArray()).join('');
    expect(session.alpnProtocol).toBe('h2');
    expect(JSON.parse(text)).toEqual({ user: 'ann', roles: ['reader', 'planner'] });
  } finally {
    session.close();
    await nginx.stop();
    await service.stop();
  }
});
