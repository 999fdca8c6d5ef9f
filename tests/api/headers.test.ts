import { connect } from 'node:net';
import { expect } from 'vitest';
import { startServer } from '../../src/demo/server';
import { it as shared } from '../support/api';
import { until } from '../support/race';
import { plan, type Planned } from '../support/planned';

const it = shared.extend(
  'env',
  { scope: 'file' },
  { PF_BODY_LIMIT: '2000', PF_FILE_LIMIT: '9000' },
);

const GUARDS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Half of the bytes of headers that nginx passes on without other settings. */
const MOST_BYTES = 2048;

interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Size of the status line and the headers in bytes. */
  bytes: number;
  body: string;
}

/** Sends bytes as they are, and reads answers until the server closes the connection or `enough`. */
function send(
  url: string,
  text: string,
  enough: (received: string) => boolean = () => false,
): Promise<Answer & { all: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let all = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const end = () => resolve({ ...read(all), all });
    socket.setEncoding('latin1').on('data', (chunk) => {
      all += String(chunk);
      if (!enough(all)) return;
      socket.destroy();
      end();
    });
    socket.on('error', reject);
    socket.on('end', end);
  });
}

function read(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  const status = Number(first.split(' ')[1]);
  return { status, headers: Object.fromEntries(headers), bytes: head.length, body };
}

const request = (
  target: string,
  { method = 'GET', host = 'Host: plan', headers = '', body = '' },
) =>
  `${[`${method} ${target} HTTP/1.1`, host, 'Connection: close', headers].filter(Boolean).join('\r\n')}\r\n\r\n${body}`;

let planned: Planned;
it.beforeAll(async ({ service }) => {
  planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [{ Region: 'A', Sales: 1 }],
  );
});

it('every answer has the headers that protect browsers', async ({ service }) => {
  const cases: [string, number, string][] = [
    ['a page', 200, request('/', {})],
    ['a static file', 200, request('/theme.js', {})],
    ['a file that is not there', 404, request('/_app/immutable/none.js', {})],
    ['the API', 200, request('/api/sources', {})],
    ['an absolute target', 200, request('http://plan/api/sources', {})],
    ['an absolute target without a path', 200, request('http://plan', {})],
    ['the target of all', 204, request('*', { method: 'OPTIONS' })],
    ['no host', 400, request('/', { host: '' })],
    ['no HTTP', 400, 'nonsense\r\n\r\n'],
    ['a space in the target', 400, request('/a b', {})],
    ['headers that are too large', 431, request('/', { headers: `X: ${'x'.repeat(99_999)}` })],
  ];
  for (const [name, status, text] of cases) {
    const answer = await send(service.url, text);
    expect([name, answer.status, answer.headers]).toEqual([
      name,
      status,
      expect.objectContaining(GUARDS),
    ]);
    if (status !== 400 && status !== 431) continue;
    expect([name, JSON.parse(answer.body)]).toEqual([name, { error: expect.any(String) }]);
  }
});

it('the host of an absolute target counts as the host of the request', async ({ service }) => {
  const server = await startServer({
    database: service.database,
    env: { PF_ALLOWED_HOSTS: 'plan.example.com' },
  });
  try {
    const status = async (target: string, host: string) =>
      (await send(server.url, request(target, { host: `Host: ${host}` }))).status;
    expect(await status('http://evil.example.com/api/sources', 'plan.example.com')).toBe(421);
    expect(await status('http://plan.example.com/api/sources', 'evil.example.com')).toBe(200);
  } finally {
    await server.stop();
  }
});

it('the headers of every page are small enough for any proxy', async ({ service }) => {
  const { id, sourceId } = planned;
  const pages = ['/', '/sources/new', '/sources/new/file', `/sources/${sourceId}`];
  const inner = ['', '/accuracy', '/baseline', '/replayed'].map((name) => `/versions/${id}${name}`);
  for (const page of [...pages, ...inner, '/none']) {
    const answer = await send(service.url, request(page, { headers: 'Accept: text/html' }));
    expect([page, answer.headers.link]).toEqual([page, undefined]);
    expect(answer.bytes, page).toBeLessThan(MOST_BYTES);
    if (answer.status === 200) expect(answer.all).toContain('<link rel="modulepreload" href="');
  }
});

it('a body that is too long is refused before it is sent', async ({ service }) => {
  const expecting = (target: string, length: number, type = 'application/json') =>
    send(
      service.url,
      request(target, {
        method: 'POST',
        headers: [
          `Content-Type: ${type}`,
          `Content-Length: ${length}`,
          'Expect: 100-continue',
        ].join('\r\n'),
      }),
      (received) => received.startsWith('HTTP/1.1 100'),
    );
  const { path } = planned;
  for (const [target, length, status, type] of [
    [`/api${path}/scale`, 2001, 413],
    [`/api${path}/scale`, 2000, 100],
    [`/api${path}/import`, 16_000, 100],
    [`/api${path}/import`, 16_001, 413],
    [`/api/files/preview?name=a.csv`, 9000, 100, 'text/csv'],
    [`/api/files/preview?name=a.csv`, 9001, 413, 'text/csv'],
    [`/api${path}/scale`, 20, 415, 'text/plain'],
  ] as const) {
    const answer = await expecting(target, length, type);
    expect([target, length, answer.status]).toEqual([target, length, status]);
    if (status === 100) continue;
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
    expect(answer.headers).toEqual(expect.objectContaining({ connection: 'close', ...GUARDS }));
  }
  const body = JSON.stringify({ schema: 'public', tname: 'none' });
  const sent = await fetch(`${service.url}/api/sources`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(sent.status).toBe(404);
});

it('a refusal arrives also at a client that sends the refused body', async ({ service }) => {
  const { hostname, port } = new URL(service.url);
  const MEGABYTE = 2 ** 20;
  const PIECES = 32;
  const head = request('/api/files/preview?name=a.csv', {
    method: 'POST',
    headers: [
      'Content-Type: text/csv',
      `Content-Length: ${PIECES * MEGABYTE}`,
      'Expect: 100-continue',
    ].join('\r\n'),
  });
  const piece = Buffer.alloc(MEGABYTE, 'a');
  /** Sends the body. @param readsFirst whether the client reads while it sends, or only afterwards */
  const answerOf = async (readsFirst: boolean) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    const read = () => socket.on('data', (data) => (text += data));
    // A write may fail once the service has closed its side.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const write = (bytes: Buffer | string) =>
      new Promise((resolve) => socket.write(bytes, resolve));
    if (readsFirst) read();
    await write(head);
    for (let sent = 0; sent < PIECES && !socket.destroyed; sent++) await write(piece);
    if (!readsFirst) read();
    await closed;
    return text.slice(0, 12);
  };
  for (const readsFirst of [true, false, true, false])
    expect([readsFirst, await answerOf(readsFirst)]).toEqual([readsFirst, 'HTTP/1.1 413']);
});

it('a client that goes away while it sends a body is no failure of the service', async ({
  service,
}) => {
  const headers = [
    'Content-Type: application/json',
    'Content-Length: 1000',
    'Expect: 100-continue',
  ].join('\r\n');
  const text = request(`/api${planned.path}/scale`, { method: 'POST', headers, body: '{"slice"' });
  const { status } = await send(service.url, text, (received) => received.includes('100'));
  expect(status).toBe(100);
  const log = () => service.server.output();
  await until(async () => /"status":400/.test(log()));
  expect(log()).not.toMatch(/request failed|"stack"/);
});
