import { expect } from 'vitest';
import { it, makePlan } from './contract/orders';

const skippedIn = (headers: Headers, name: string) =>
  (headers.get(name) ?? '').split(',').filter(Boolean).map(decodeURIComponent);

const json = (method: string, body: unknown, headers: Record<string, string> = {}) => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const ODD_VALUES = [
  '{"a": 1}',
  '{}',
  '[]',
  '[{"a": 1}]',
  '[[]]',
  '{"from": "2026-01-01"}',
  '{"from": 1}',
];

it.for(ODD_VALUES)(
  'skips an unknown slice key with %s, and names it',
  async (text, { service, sourceId }) => {
    const odd = JSON.parse(text);
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    const slice = { region: 'North', nope: odd };
    const preview = await api.post(`${path}/slice`, { slice });
    expect([preview.status, preview.body.row_count, preview.body.skipped]).toEqual([
      200,
      3,
      ['nope'],
    ]);
    const explained = await api.post(`${path}/explain`, { slice });
    expect([explained.status, explained.body.skipped]).toEqual([200, ['nope']]);

    const listed = await api.post(`${path}/rows`, { slice });
    expect([listed.status, listed.body.skipped, listed.body.rows.length]).toEqual([
      200,
      ['nope'],
      3,
    ]);

    const user = { pf_user: 'ann' };
    for (const [operation, body] of [
      ['scale', { slice, pct: 10, hold: [{ region: 'South', nope: odd }] }],
      ['scale', { edits: [{ slice, pct: 10 }] }],
      ['recode', { slice, set: { region: 'East' } }],
      ['clone', { slice: { ...slice, region: 'East' }, set: { region: 'West' } }],
    ] as const) {
      const tried = await api.post(`${path}/${operation}/preview`, { ...body, ...user });
      expect([tried.status, tried.body.error]).toEqual([200, undefined]);
      const done = await api.post(`${path}/${operation}`, { ...body, ...user });
      expect([done.status, done.body.error]).toEqual([200, undefined]);
      for (const { headers } of [tried, done])
        expect(skippedIn(headers, 'x-slice-skipped')).toEqual(['nope']);
    }
    // The log can be read, undone, redone and replayed.
    const { entries } = (await api.get(`${path}/log`)).body;
    expect(entries).toHaveLength(5);
    expect((await api.del(`/log/${entries[0].id}`)).status).toBe(200);
    expect((await api.post(`${path}/redo/${entries[0].id}`, user)).status).toBe(200);
    const replayed = await api.post(`${path}/replay`, { name: `Replay ${path}`, ...user });
    expect([replayed.status, replayed.body.error]).toEqual([201, undefined]);

    const locked = await api.post(`${path}/locks`, { slice, ...user });
    expect([locked.status, locked.body.slice]).toEqual([201, { region: 'North' }]);
  },
);

it.for(ODD_VALUES)(
  'refuses a column of the forecast table with %s',
  async (text, { service, sourceId }) => {
    const odd = JSON.parse(text);
    const { path } = await makePlan(service, sourceId);
    for (const column of ['region', 'amount']) {
      const answers = [
        await service.api.post(`${path}/slice`, { slice: { [column]: odd } }),
        await service.api.post(`${path}/scale`, {
          edits: [
            { slice: {}, pct: 1 },
            { slice: { [column]: odd }, pct: 10 },
          ],
          pf_user: 'ann',
        }),
      ];
      const fields = [`slice.${column}`, `edits.1.slice.${column}`];
      for (const [i, { status, body }] of answers.entries()) {
        expect([status, body.column]).toEqual([400, column]);
        expect(body.field).toContain(fields[i]);
      }
    }
  },
);

it('skips a filter column with a range, like one with a value', async ({ service, sourceId }) => {
  const { path } = await makePlan(service, sourceId);
  const slice = { channel: { from: '2026-01-01' }, shipped: { from: '2026-01-01' } };
  const { status, body } = await service.api.post(`${path}/slice`, { slice });
  expect([status, body.skipped]).toEqual([200, ['channel', 'shipped']]);
});

it('refuses a hold and a lock whose only key is unknown, with any value', async ({
  service,
  sourceId,
}) => {
  const { path } = await makePlan(service, sourceId);
  const user = { pf_user: 'ann' };
  const hold = [{ nope: [] }];
  const scaled = await service.api.post(`${path}/scale`, { slice: {}, pct: 1, hold, ...user });
  expect([scaled.status, scaled.body.field]).toEqual([400, 'hold.0']);
  const locked = await service.api.post(`${path}/locks`, { slice: { nope: {} }, ...user });
  expect([locked.status, locked.body.field]).toEqual([400, 'slice']);
});

it('names the unknown fields of a body', async ({ service, sourceId }) => {
  const { api } = service;
  const { path, versionId } = await makePlan(service, sourceId);
  const user = { pf_user: 'ann' };
  const scaled = await api.post(`${path}/scale`, {
    slice: {},
    pct: 1,
    valu_incr: 5,
    'a, b': { c: 1 },
    ...user,
  });
  expect(scaled.status).toBe(200);
  expect(scaled.headers.get('x-body-skipped')).toBe('valu_incr,a%2C%20b');
  const several = await api.post(`${path}/scale`, {
    edits: [
      { slice: { region: 'North', nope: { a: 1 } }, pct: 1 },
      { slice: {}, pct: 1, unit_incr: 2 },
    ],
    ...user,
  });
  expect(several.status).toBe(200);
  expect(skippedIn(several.headers, 'x-body-skipped')).toEqual(['edits.1.unit_incr']);
  // Known fields are not named.
  const plain = await api.post(`${path}/scale`, {
    slice: { nope: 1 },
    pct: 1,
    note: null,
    ...user,
  });
  expect(plain.headers.get('x-body-skipped')).toBeNull();

  const columns = await api.put(`/sources/${sourceId}/columns`, [
    { cname: 'region', role: 'dimension', key: true },
    { cname: 'secret', roll: 'ignore' },
  ]);
  expect(columns.status).toBe(200);
  expect(skippedIn(columns.headers, 'x-body-skipped')).toEqual(['0.key', '1.roll']);
  const edited = await api.patch(`/versions/${versionId}`, { status: 'closed' });
  expect([edited.status, edited.body.status]).toEqual([200, 'open']);
  expect(skippedIn(edited.headers, 'x-body-skipped')).toEqual(['status']);
  const loaded = await api.post(`${path}/reference`, { date_from: '2026-01-01', ...user });
  expect(skippedIn(loaded.headers, 'x-body-skipped')).toEqual(['date_from']);
  const { logid } = loaded.body;
  const undone = await api.send(`/log/${logid}`, json('DELETE', { user: 'ann' }));
  expect([undone.status, skippedIn(undone.headers, 'x-body-skipped')]).toEqual([200, ['user']]);
});

it('names them in a refusal, and in the answer to a repeated key', async ({
  service,
  sourceId,
}) => {
  const { path } = await makePlan(service, sourceId);
  const user = { pf_user: 'ann' };
  const refusal = await service.api.post(`${path}/scale`, { slice: {}, valu_incr: 5, ...user });
  expect([refusal.status, refusal.headers.get('x-body-skipped')]).toEqual([400, 'valu_incr']);
  const nowhere = await service.api.post('/versions/999/scale', {
    slice: {},
    pct: 1,
    precent: 5,
    ...user,
  });
  expect([nowhere.status, nowhere.headers.get('x-body-skipped')]).toEqual([404, 'precent']);
  const body = { slice: {}, pct: 1, valu_incr: 5, ...user };
  const send = () =>
    service.api.send(`${path}/scale`, json('POST', body, { 'idempotency-key': 'once' }));
  const [first, again] = [await send(), await send()];
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('x-body-skipped')).toBe('valu_incr');
});

it('cuts a long list of unknown fields, and accepts any name', async ({ service, sourceId }) => {
  const { path } = await makePlan(service, sourceId);
  const names = Array.from({ length: 3000 }, (_, i) => `ключ ${i}`);
  const unknown = Object.fromEntries(['\ud800', ...names].map((name) => [name, 1]));
  const { status, headers } = await service.api.post(`${path}/slice`, { slice: {}, ...unknown });
  expect(status).toBe(200);
  expect(headers.get('x-body-skipped')!.length).toBeLessThanOrEqual(4096);
  const [first, ...others] = skippedIn(headers, 'x-body-skipped');
  expect(first).toBe('\ufffd');
  expect(others.length).toBeGreaterThan(50);
  expect(others).toEqual(names.slice(0, others.length));
});

interface Described {
  requestBody?: { content: object };
  responses: Record<string, { headers?: object }>;
}

it('describes the header in the OpenAPI document', async ({ service }) => {
  const { paths } = (await service.api.get('/openapi.json')).body;
  for (const [path, methods] of Object.entries<Record<string, Described>>(paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const [answer] = Object.entries(responses).filter(([status]) => status < '300');
      const has = 'X-Body-Skipped' in (answer![1].headers ?? {});
      // A file has no fields that could be ignored.
      const isJson = 'application/json' in (requestBody?.content ?? {});
      expect([method, path, has]).toEqual([method, path, isJson]);
    }
  }
});
