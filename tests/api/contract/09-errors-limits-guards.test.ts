// Holds what docs/contract/09-errors-limits-guards.md promises.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../../support/service';
import { makePlan, ok, refused, startWithOrders } from './orders';

let service: Service;
let sourceId: number;
let path: string;
let baseline: number;
const user = { pf_user: 'ann' };

beforeAll(async () => {
  ({ service, sourceId } = await startWithOrders());
  ({ path, baseline } = await makePlan(service, sourceId));
});
afterAll(() => service?.stop());

/** Sends bytes as they are, past what fetch would tidy up. */
const raw = (method: string, target: string, headers: Record<string, string>, body = '') =>
  new Promise<{ status: number; text: string; type: string }>((resolve, reject) => {
    const sent = httpRequest(service.url, { method, path: target, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, text, type: answer.headers['content-type'] ?? '' }),
      );
    });
    sent.on('error', reject).end(body);
  });

const BODIES: [method: string, path: () => string, body: object][] = [
  ['POST', () => '/sources', { schema: 'public', tname: 'superstore' }],
  ['PATCH', () => `/sources/${sourceId}`, { label: 'x' }],
  ['PUT', () => `/sources/${sourceId}/columns`, []],
  ['POST', () => `/sources/${sourceId}/versions`, { name: 'x' }],
  ['PATCH', () => path, { name: 'x' }],
  ['POST', () => `${path}/close`, user],
  ['POST', () => `${path}/open`, user],
  ['POST', () => `${path}/baseline`, user],
  ['POST', () => `${path}/reference`, user],
  ['PUT', () => `${path}/baseline/${baseline}`, user],
  ['POST', () => `${path}/scale`, { ...user, slice: {}, pct: 1 }],
  ['POST', () => `${path}/recode`, { ...user, slice: {}, set: { region: 'x' } }],
  ['POST', () => `${path}/clone`, { ...user, slice: {}, set: {} }],
  ['PATCH', () => `/log/${baseline}`, { note: 'x' }],
];
const send = (method: string, target: string, body: BodyInit, type?: string) =>
  service.api.send(target, {
    method,
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  });

describe('415: a write with a body that is not application/json', () => {
  it.each(BODIES)('%s %s', async (method, target, body) => {
    const text = JSON.stringify(body);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'multipart/form-data; boundary=x',
    ]) {
      await refused(service, () => send(method, target(), text, type), 415, /application\/json/);
    }
    await refused(service, () => send(method, target(), new Blob([text])), 415);
  });

  it('also where the endpoint needs no body', async () => {
    for (const [method, target] of [
      ['POST', `/sources/${sourceId}/sql`],
      ['DELETE', `/log/${baseline}`],
      ['DELETE', `${path}/baseline`],
      ['DELETE', path],
    ] as const) {
      await refused(service, () => send(method, target, 'x=1', 'text/plain'), 415);
    }
  });

  it('takes the charset along', async () => {
    const body = JSON.stringify({ note: 'ä' });
    const answer = await send('PATCH', `/log/${baseline}`, body, 'Application/JSON; charset=utf-8');
    expect([answer.status, answer.body.note]).toEqual([200, 'ä']);
  });
});

describe('400: a body that cannot be used', () => {
  it.each(BODIES)('%s %s', async (method, target) => {
    for (const body of ['', '{', 'null', '5', '"x"', 'NaN', '{"a":1}}', '\ufeff{']) {
      await refused(service, () => send(method, target(), body, 'application/json'), 400);
    }
    if (method !== 'PUT' || !target().includes('columns')) {
      await refused(service, () => send(method, target(), '[]', 'application/json'), 400);
    }
    const notUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await refused(service, () => send(method, target(), notUtf8, 'application/json'), 400);
  });

  it('answers 400 for a body that is missing altogether', async () => {
    for (const [method, target] of BODIES) {
      await refused(service, () => service.api.send(target(), { method }), 400, /body/i);
    }
  });

  it('names the field, in words', async () => {
    const post = (body: object) => () => service.api.post(`${path}/scale`, body);
    await refused(service, post({ slice: {}, pct: 1 }), 400, 'pf_user is missing');
    await refused(
      service,
      post({ slice: {}, pct: 1, pf_user: '' }),
      400,
      'pf_user: must not be empty',
    );
    await refused(
      service,
      post({ slice: {}, pct: 1, pf_user: 'x'.repeat(201) }),
      400,
      /pf_user: .*200/,
    );
    await refused(
      service,
      post({ slice: {}, pct: 1, pf_user: 'a\u0000' }),
      400,
      /pf_user: .*U\+0000/,
    );
    await refused(
      service,
      post({ slice: {}, pct: 1, pf_user: '\ud800' }),
      400,
      /pf_user: .*Unicode/,
    );
    await refused(
      service,
      post({ slice: { region: 'a\u0000' }, pct: 1, ...user }),
      400,
      /slice.region/,
    );
    await refused(
      service,
      () =>
        send('POST', `${path}/scale`, '{"slice":{},"pct":1e999,"pf_user":"a"}', 'application/json'),
      400,
      /pct/,
    );
  });
});

describe('413: a body too large', () => {
  it('refuses more than a megabyte, announced or not', async () => {
    const text = JSON.stringify({ note: 'x'.repeat(1_048_576) });
    for (const [method, target] of BODIES) {
      await refused(
        service,
        () => send(method, target(), text, 'application/json'),
        413,
        /1048576/,
      );
    }
    const chunked = await raw(
      'PATCH',
      `/api/log/${baseline}`,
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      text,
    );
    expect([chunked.status, Object.keys(JSON.parse(chunked.text))]).toEqual([413, ['error']]);
  });

  it('holds to PF_BODY_LIMIT', async () => {
    const small = await startService('service', { PF_BODY_LIMIT: '60' });
    try {
      const post = (tname: string) => small.api.post('/sources', { schema: 'public', tname });
      expect((await post('x'.repeat(40))).status).toBe(413);
      expect((await post('superstore')).status).toBe(201);
    } finally {
      await small.stop();
    }
  });
});

describe('400 and 404: ids', () => {
  it('takes whole numbers in range only', async () => {
    for (const id of [
      '0',
      '-1',
      '1.5',
      'abc',
      '1e3',
      '0x1',
      '2147483648',
      '99999999999999999999',
      '%20',
      "1'",
      'null',
      'NaN',
      '١',
    ]) {
      for (const target of [
        `/versions/${id}`,
        `/sources/${id}`,
        `/versions/${id}/data`,
        `/versions/${id}/log`,
      ]) {
        await refused(service, () => service.api.get(target), 400, /whole number/);
      }
    }
    for (const logid of ['0', '-1', 'abc', '9007199254740993', '99999999999999999999']) {
      await refused(service, () => service.api.del(`/log/${logid}`), 400, /whole number/);
      await refused(service, () => service.api.put(`${path}/baseline/${logid}`, user), 400);
    }
  });

  it('answers 404 where there is none of that id', async () => {
    const gone = 2147483647;
    const slice = { ...user, slice: {} };
    const requests: [string, () => ReturnType<typeof service.api.get>][] = [
      ...['', '/columns', '/sql', '/sql/preview', '/versions', '/values?cname=a'].map(
        (p) =>
          [`GET source${p}`, () => service.api.get(`/sources/${gone}${p}`)] as [
            string,
            () => ReturnType<typeof service.api.get>,
          ],
      ),
      ['PATCH source', () => service.api.patch(`/sources/${gone}`, { label: 'x' })],
      ['DELETE source', () => service.api.del(`/sources/${gone}`)],
      ['PUT columns', () => service.api.put(`/sources/${gone}/columns`, [])],
      ['POST sql', () => service.api.post(`/sources/${gone}/sql`)],
      ['POST versions', () => service.api.post(`/sources/${gone}/versions`, { name: 'x' })],
      [
        'POST grain-estimate',
        () => service.api.post(`/sources/${gone}/grain-estimate`, { columns: ['a'] }),
      ],
      ...['', '/data', '/agg', '/log', '/segments'].map(
        (p) =>
          [`GET version${p}`, () => service.api.get(`/versions/${gone}${p}`)] as [
            string,
            () => ReturnType<typeof service.api.get>,
          ],
      ),
      ['PATCH version', () => service.api.patch(`/versions/${gone}`, { name: 'x' })],
      ['DELETE version', () => service.api.del(`/versions/${gone}`)],
      ['close', () => service.api.post(`/versions/${gone}/close`, user)],
      ['open', () => service.api.post(`/versions/${gone}/open`, user)],
      ['baseline', () => service.api.post(`/versions/${gone}/baseline`, user)],
      ['baseline preview', () => service.api.post(`/versions/${gone}/baseline/preview`, {})],
      ['PUT baseline', () => service.api.put(`/versions/${gone}/baseline/${baseline}`, user)],
      ['DELETE baseline', () => service.api.del(`/versions/${gone}/baseline`)],
      ['reference', () => service.api.post(`/versions/${gone}/reference`, user)],
      ['scale', () => service.api.post(`/versions/${gone}/scale`, { ...slice, pct: 1 })],
      [
        'recode',
        () => service.api.post(`/versions/${gone}/recode`, { ...slice, set: { region: 'x' } }),
      ],
      ['clone', () => service.api.post(`/versions/${gone}/clone`, { ...slice, set: {} })],
      ['slice', () => service.api.post(`/versions/${gone}/slice`, { slice: {} })],
      ['DELETE log', () => service.api.del(`/log/${gone}`)],
      ['PATCH log', () => service.api.patch(`/log/${gone}`, { note: 'x' })],
      ['GET table', () => service.api.get('/tables/public/nowhere')],
      ['POST source', () => service.api.post('/sources', { schema: 'public', tname: 'nowhere' })],
    ];
    for (const [name, request] of requests) {
      expect([name, await refused(service, request, 404)]).toEqual([
        name,
        expect.stringMatching(/no |has no/),
      ]);
    }
  });
});

describe('404 and 405: paths and methods', () => {
  it('answers JSON for a path that does not exist', async () => {
    for (const target of [
      '/',
      '',
      '/nothing',
      '/versions',
      '/log',
      '/versions/1/nothing',
      '/sources/1/2/3',
      '/v1/sources',
    ]) {
      await refused(
        service,
        () => service.api.get(target),
        404,
        'There is no such path in this API',
      );
      await refused(service, () => service.api.post(target, {}), 404);
    }
  });

  it('answers JSON for a method that does not exist there', async () => {
    for (const [method, target] of [
      ['PUT', '/health'],
      ['DELETE', '/tables'],
      ['GET', `${path}/scale`],
      ['POST', path],
      ['PUT', path],
      ['GET', `/log/${baseline}`],
      ['PATCH', `${path}/baseline`],
    ] as const) {
      const answer = await service.api.send(target, { method });
      expect([answer.status, Object.keys(answer.body)]).toEqual([405, ['error']]);
      expect(answer.headers.get('allow')).toMatch(/[A-Z]/);
    }
  });

  it('answers JSON for a path that cannot be decoded', async () => {
    const answer = await raw('GET', '/api/tables/%ff/x', {});
    expect([answer.status, Object.keys(JSON.parse(answer.text))]).toEqual([400, ['error']]);
  });

  it('answers HEAD as GET without a body', async () => {
    const answer = await service.api.send(`${path}/data`, { method: 'HEAD' });
    expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
    expect(answer.headers.get('x-row-count')).toBe('12');
  });
});

describe('500: anything else', () => {
  it('tells nothing of SQL, stack or connection', async () => {
    const broken = await makePlan(service, sourceId);
    await service.query(
      `UPDATE pf.sql SET sql = 'SELECT secret_word FROM (' WHERE operation = 'scale' AND source_id = $1`,
      [sourceId],
    );
    try {
      const answer = await service.api.post(`${broken.path}/scale`, { ...user, slice: {}, pct: 1 });
      expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']]);
      const text = JSON.stringify(answer.body) + JSON.stringify([...answer.headers]);
      const { host, port, user: name, password, database } = service.database;
      expect(text).not.toMatch(/secret_word|SELECT|syntax|\.js|\bat \//i);
      for (const detail of [`${host}`, String(port), name, password, database]) {
        if (detail.length > 2) expect(answer.body.error).not.toContain(detail);
      }
    } finally {
      ok(await service.api.post(`/sources/${sourceId}/sql`));
    }
  });

  it('answers with JSON while the database is away', async () => {
    const lost = await startService('service');
    try {
      await service.query(`ALTER DATABASE ${lost.database.database} WITH ALLOW_CONNECTIONS false`);
      await service.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${lost.database.database}'`,
      );
      const answer = await lost.api.get('/sources');
      expect([answer.status, Object.keys(answer.body)]).toEqual([500, ['error']]);
      expect(answer.body.error).not.toMatch(/test_|connect|127\.0|database "/i);
      expect((await lost.api.get('/health')).status).toBe(503);
    } finally {
      await service.query(`ALTER DATABASE ${lost.database.database} WITH ALLOW_CONNECTIONS true`);
      expect((await lost.api.get('/health')).status).toBe(200);
      await lost.stop();
    }
  });
});

describe('503: health', () => {
  it('is ok only while the schema is current', async () => {
    const answer = await service.api.get('/health');
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    const [last] = await service.query(
      'SELECT * FROM pf.schema_version ORDER BY filename DESC LIMIT 1',
    );
    await service.query('DELETE FROM pf.schema_version WHERE filename = $1', [last.filename]);
    const behind = await service.api.get('/health');
    expect(behind.status).toBe(503);
    expect(behind.body).not.toEqual({ status: 'ok' });
    await service.query('INSERT INTO pf.schema_version (filename, checksum) VALUES ($1, $2)', [
      last.filename,
      last.checksum,
    ]);
    expect((await service.api.get('/health')).status).toBe(200);
  });
});

describe('Headers of every answer', () => {
  it('carry what guards a browser, and do not name the server', async () => {
    for (const target of ['/api/health', '/api/nothing', `/api${path}/data`, '/']) {
      const { headers, body } = await fetch(service.url + target);
      await body?.cancel();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBeTruthy();
      for (const name of ['x-powered-by', 'server']) expect(headers.get(name)).toBeNull();
    }
  });

  it('refuse writes that a browser sends from another site', async () => {
    const write = (site: string) =>
      service.api.send(`/log/${baseline}`, {
        method: 'PATCH',
        headers: { 'sec-fetch-site': site, 'content-type': 'application/json' },
        body: '{"note":"x"}',
      });
    await refused(service, () => write('cross-site'), 403);
    expect((await write('same-origin')).status).toBe(200);
    const read = await service.api.get('/sources', { 'sec-fetch-site': 'cross-site' });
    expect(read.status).toBe(200);
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
  });
});
