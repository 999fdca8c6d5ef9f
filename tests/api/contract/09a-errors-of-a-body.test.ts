// Tests docs/contract/09-errors-limits-guards.md.
import { describe, expect } from 'vitest';
import { sendAsIs } from '../../support/http';
import { startService, type Service } from '../../support/service';
import { it, makePlan, refused } from './orders';

let sourceId: number;
let path: string;
let baseline: number;
const user = { pf_user: 'ann' };

it.beforeAll(async ({ service, sourceId: id }) => {
  sourceId = id;
  ({ path, baseline } = await makePlan(service, sourceId));
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
const send = (service: Service, method: string, target: string, body: BodyInit, type?: string) =>
  service.api.send(target, {
    method,
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  });

describe('415: a write with a body that is not application/json', () => {
  it.for(BODIES)('%s %s', async ([method, target, body], { service }) => {
    const text = JSON.stringify(body);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'multipart/form-data; boundary=x',
    ]) {
      await refused(
        service,
        () => send(service, method, target(), text, type),
        415,
        /application\/json/,
      );
    }
    await refused(service, () => send(service, method, target(), new Blob([text])), 415);
  });

  it('even if the endpoint needs no body', async ({ service }) => {
    for (const [method, target] of [
      ['POST', `/sources/${sourceId}/sql`],
      ['DELETE', `/log/${baseline}`],
      ['DELETE', `${path}/baseline`],
      ['DELETE', path],
    ] as const) {
      await refused(service, () => send(service, method, target, 'x=1', 'text/plain'), 415);
    }
  });

  it('accepts a charset', async ({ service }) => {
    const body = JSON.stringify({ note: 'ä' });
    const answer = await send(
      service,
      'PATCH',
      `/log/${baseline}`,
      body,
      'Application/JSON; charset=utf-8',
    );
    expect([answer.status, answer.body.note]).toEqual([200, 'ä']);
  });
});

describe('400: an invalid body', () => {
  it.for(BODIES)('%s %s', async ([method, target], { service }) => {
    for (const body of ['', '{', 'null', '5', '"x"', 'NaN', '{"a":1}}', '\ufeff{']) {
      await refused(service, () => send(service, method, target(), body, 'application/json'), 400);
    }
    if (method !== 'PUT' || !target().includes('columns')) {
      await refused(service, () => send(service, method, target(), '[]', 'application/json'), 400);
    }
    const notUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await refused(service, () => send(service, method, target(), notUtf8, 'application/json'), 400);
  });

  it('returns 400 for a missing body', async ({ service }) => {
    for (const [method, target] of BODIES) {
      await refused(service, () => service.api.send(target(), { method }), 400, /body/i);
    }
  });

  it('names the field in the sentence', async ({ service }) => {
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
        send(
          service,
          'POST',
          `${path}/scale`,
          '{"slice":{},"pct":1e999,"pf_user":"a"}',
          'application/json',
        ),
      400,
      /pct/,
    );
  });
});

describe('413: a body too large', () => {
  it('refuses more than a megabyte, with or without Content-Length', async ({ service }) => {
    const text = JSON.stringify({ note: 'x'.repeat(1_048_576) });
    for (const [method, target] of BODIES) {
      await refused(
        service,
        () => send(service, method, target(), text, 'application/json'),
        413,
        /1048576/,
      );
    }
    const chunked = await sendAsIs(
      service.url,
      'PATCH',
      `/api/log/${baseline}`,
      { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      text,
    );
    expect([chunked.status, Object.keys(JSON.parse(chunked.text))]).toEqual([413, ['error']]);
  });

  it('applies PF_BODY_LIMIT', async () => {
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
