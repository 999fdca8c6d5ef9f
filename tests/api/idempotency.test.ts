import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/demo/server';
import { apiAt, type Answer, type Api } from '../support/http';
import { bytes, plan, type Planned } from '../support/planned';
import { holdVersion, until, untilWaiting, waitingForLocks } from '../support/race';
import { startService, type Service } from '../support/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

async function loadedVersion(grain = false): Promise<Planned> {
  const version = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain },
      { name: 'Product', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [
      { Region: 'A', Product: 'x "1"', Sales: 100 },
      { Region: 'A', Product: 'y', Sales: 0.5 },
      { Region: 'B', Product: null, Sales: -3 },
    ],
  );
  const loaded = await service.api.post(`${version.path}/baseline`, { pf_user: 'ann' });
  expect(loaded.status).toBe(200);
  return version;
}

let keys = 0;
const newKey = () => `key ${(keys += 1)} ~`;

const sendWith = (
  key: string,
  method: string,
  path: string,
  body?: unknown,
  api: Api = service.api,
): Promise<Answer> =>
  api.send(path, {
    method,
    headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const entriesOf = async (version: Planned) =>
  (await service.api.get(`${version.path}/log`)).body.entries as { id: number }[];

const newestEntry = async (version: Planned) => (await entriesOf(version))[0]!;

/** Returns the parts of an answer that a client sees. */
const seen = (answer: Answer) => [
  answer.status,
  Buffer.from(answer.bytes).toString(),
  answer.headers.get('content-type'),
  answer.headers.get('x-slice-skipped'),
];

const SCALE = { slice: { Region: 'A', region: 'C' }, pct: 10, pf_user: 'ann', note: 'up\n"10"' };

describe('a write with a key', () => {
  const writes: [name: string, method: string, path: string, body?: unknown][] = [
    ['scale', 'POST', '/scale', SCALE],
    ['recode', 'POST', '/recode', { slice: {}, set: { Region: 'Z' }, pf_user: 'ann' }],
    ['clone', 'POST', '/clone', { slice: {}, set: {}, scale_factor: 2, pf_user: 'ann' }],
    ['baseline', 'POST', '/baseline', { pf_user: 'ann', where_clause: `"Region" = 'A'` }],
    ['reference', 'POST', '/reference', { pf_user: 'ann' }],
    ['clear baseline', 'DELETE', '/baseline'],
  ];
  for (const grain of [false, true]) {
    it.each(writes)(
      `is made once and answers the same again: %s, ${grain ? 'at a grain' : 'raw'}`,
      async (_, method, path, body) => {
        const version = await loadedVersion(grain);
        const key = newKey();
        const first = await sendWith(key, method, version.path + path, body);
        expect(first.status).toBe(200);
        const after = await bytes(service, version);
        const entries = await entriesOf(version);
        const second = await sendWith(key, method, version.path + path, body);
        expect(seen(second)).toEqual(seen(first));
        expect(await bytes(service, version)).toEqual(after);
        expect(await entriesOf(version)).toEqual(entries);
        // With another key it is another write.
        const again = await sendWith(newKey(), method, version.path + path, body);
        expect(Buffer.from(again.bytes)).not.toEqual(Buffer.from(first.bytes));
      },
    );

    it(`is made once and answers the same again: undo, ${grain ? 'at a grain' : 'raw'}`, async () => {
      const version = await loadedVersion(grain);
      const { id } = await newestEntry(version);
      const key = newKey();
      const first = await sendWith(key, 'DELETE', `/log/${id}`);
      expect(first.body).toMatchObject({ rows_deleted: 3 });
      expect(seen(await sendWith(key, 'DELETE', `/log/${id}`))).toEqual(seen(first));
      expect((await sendWith(newKey(), 'DELETE', `/log/${id}`)).status).toBe(404);
      expect((await service.api.del(`/log/${id}`)).status).toBe(404);
    });
  }

  it('is executed once with the same answer again: redo, also of a load', async () => {
    const version = await loadedVersion();
    expect((await service.api.post(`${version.path}/scale`, SCALE)).status).toBe(200);
    for (const { id } of await entriesOf(version)) {
      await service.api.del(`/log/${id}`);
    }
    for (const { logid } of (await service.api.get(`${version.path}/undone`)).body) {
      const [key, path] = [newKey(), `${version.path}/redo/${logid}`];
      const first = await sendWith(key, 'POST', path, { pf_user: 'ann' });
      expect(first.status).toBe(200);
      const entries = await entriesOf(version);
      expect(seen(await sendWith(key, 'POST', path, { pf_user: 'ann' }))).toEqual(seen(first));
      expect(await entriesOf(version)).toEqual(entries);
      expect((await sendWith(newKey(), 'POST', path, { pf_user: 'ann' })).status).toBe(404);
    }
    expect(await entriesOf(version)).toHaveLength(2);
  });

  it('is executed once with the same answer again: PUT baseline', async () => {
    const version = await loadedVersion();
    const { id } = await newestEntry(version);
    const path = `${version.path}/baseline/${id}`;
    const body = { pf_user: 'bob', where_clause: `"Region" = 'A'` };
    const key = newKey();
    const first = await sendWith(key, 'PUT', path, body);
    expect(first.body).toMatchObject({ row_count: 2 });
    expect(seen(await sendWith(key, 'PUT', path, body))).toEqual(seen(first));
    expect(await entriesOf(version)).toHaveLength(1);
  });

  it('has the same answer for an undone entry without rows', async () => {
    const version = await loadedVersion();
    const { id } = await newestEntry(version);
    await service.query(`DELETE FROM ${version.table}`);
    const key = newKey();
    for (let i = 0; i < 2; i++) {
      const undone = await sendWith(key, 'DELETE', `/log/${id}`);
      expect([undone.status, undone.body]).toEqual([200, { rows_deleted: 0, pf_ids: [] }]);
    }
  });

  it('returns its first answer, even after later changes', async () => {
    const version = await loadedVersion();
    const key = newKey();
    const first = await sendWith(key, 'POST', `${version.path}/scale`, SCALE);
    const { id } = await newestEntry(version);
    await service.api.patch(`/log/${id}`, { note: 'another' });
    expect(seen(await sendWith(key, 'POST', `${version.path}/scale`, SCALE))).toEqual(seen(first));
    await service.api.del(`/log/${id}`);
    expect(seen(await sendWith(key, 'POST', `${version.path}/scale`, SCALE))).toEqual(seen(first));
    await service.api.post(`${version.path}/close`, { pf_user: 'ann' });
    expect(seen(await sendWith(key, 'POST', `${version.path}/scale`, SCALE))).toEqual(seen(first));
    expect(await entriesOf(version)).toHaveLength(1);
  });

  it('is refused with another body, and changes nothing', async () => {
    const version = await loadedVersion();
    const key = newKey();
    await sendWith(key, 'POST', `${version.path}/scale`, SCALE);
    const after = await bytes(service, version);
    const other = await sendWith(key, 'POST', `${version.path}/scale`, { ...SCALE, pct: 11 });
    expect([other.status, other.body]).toEqual([409, { error: expect.stringMatching(/another/) }]);
    expect(await bytes(service, version)).toEqual(after);
  });

  it.each([
    ['scale', SCALE, { slice: {}, pct: 0, pf_user: 'ann' }],
    [
      'recode',
      { slice: {}, set: { Region: 'Z' }, pf_user: 'ann' },
      { slice: {}, set: {}, pf_user: 'ann' },
    ],
    [
      'clone',
      { slice: { Region: 'A' }, set: { Region: 'Z' }, scale_factor: 2, pf_user: 'ann' },
      { slice: { Region: 'A' }, set: { Region: 'Z' }, scale_factor: 0, pf_user: 'ann' },
    ],
  ])('shows by a change of nothing whether it was made: %s', async (operation, body, nothing) => {
    const version = await loadedVersion();
    const path = `${version.path}/${operation}`;
    const key = newKey();
    expect((await sendWith(key, 'POST', path, nothing)).status).toBe(422);
    expect((await sendWith(key, 'POST', path, body)).status).toBe(200);
    const after = await bytes(service, version);
    const asked = await sendWith(key, 'POST', path, nothing);
    expect([asked.status, asked.body]).toEqual([
      409,
      { error: expect.stringContaining('Idempotency-Key') },
    ]);
    expect((await sendWith(newKey(), 'POST', path, nothing)).status).toBe(422);
    expect(await bytes(service, version)).toEqual(after);
  });

  it('has a separate key for each path and method', async () => {
    const version = await loadedVersion();
    const key = newKey();
    const clone = { slice: {}, set: {}, pf_user: 'ann' };
    const answers = [
      await sendWith(key, 'POST', `${version.path}/scale`, SCALE),
      await sendWith(key, 'POST', `${version.path}/clone`, clone),
      await sendWith(key, 'POST', `${version.path}/baseline`, { pf_user: 'ann' }),
      await sendWith(key, 'DELETE', `${version.path}/baseline`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('does not use up its key if it is refused', async () => {
    const version = await loadedVersion();
    const key = newKey();
    const body = { slice: { Region: 'New' }, pct: 10, pf_user: 'ann' };
    const refused = await sendWith(key, 'POST', `${version.path}/scale`, body);
    expect(refused.status).toBe(422);
    await service.query('SELECT 1 FROM pf.idempotency WHERE key = $1', [key]).then((rows) => {
      expect(rows).toEqual([]);
    });
    const set = { Region: 'New' };
    await service.api.post(`${version.path}/recode`, { slice: {}, set, pf_user: 'ann' });
    expect((await sendWith(key, 'POST', `${version.path}/scale`, body)).status).toBe(200);
    const again = { ...body, pct: 20 };
    expect((await sendWith(key, 'POST', `${version.path}/scale`, again)).status).toBe(409);
  });

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(201)],
    ['not ASCII', 'schlüssel'],
    ['not printable', 'a\tb'],
  ])('is refused if the key is %s', async (_, key) => {
    const version = await loadedVersion();
    const before = await bytes(service, version);
    const scaled = await sendWith(key, 'POST', `${version.path}/scale`, SCALE);
    const cleared = await sendWith(key, 'DELETE', `${version.path}/baseline`);
    for (const { status, body } of [scaled, cleared]) {
      expect([status, body]).toEqual([
        400,
        { error: expect.stringContaining('Idempotency-Key'), field: 'Idempotency-Key' },
      ]);
    }
    expect(await bytes(service, version)).toEqual(before);
  });

  it('accepts 200 characters', async () => {
    const version = await loadedVersion();
    const key = '~'.repeat(200);
    expect((await sendWith(key, 'POST', `${version.path}/scale`, SCALE)).status).toBe(200);
  });

  it('is another write after a day, and deletes expired keys', async () => {
    const version = await loadedVersion();
    const [key, old, other] = [newKey(), newKey(), newKey()];
    for (const k of [key, old, other]) {
      expect((await sendWith(k, 'POST', `${version.path}/scale`, SCALE)).status).toBe(200);
    }
    await service.query(
      `UPDATE pf.idempotency SET created_at = created_at - interval '24 hours 1 second'
       WHERE key IN ($1, $2)`,
      [key, old],
    );
    const before = (await entriesOf(version)).length;
    const changed = { ...SCALE, pct: 30 };
    expect((await sendWith(key, 'POST', `${version.path}/scale`, changed)).status).toBe(200);
    expect((await sendWith(key, 'POST', `${version.path}/scale`, changed)).status).toBe(200);
    expect(await entriesOf(version)).toHaveLength(before + 1);
    const kept = await service.query(
      'SELECT key FROM pf.idempotency WHERE version_id = $1 ORDER BY key',
      [version.id],
    );
    expect(kept.map((row) => row.key)).toEqual([key, other].sort());
  });

  it('loses its key with its version', async () => {
    const version = await loadedVersion();
    const key = newKey();
    await sendWith(key, 'POST', `${version.path}/scale`, SCALE);
    expect((await service.api.del(version.path)).status).toBe(204);
    expect(await service.query('SELECT FROM pf.idempotency WHERE key = $1', [key])).toEqual([]);
    expect((await sendWith(key, 'POST', `${version.path}/scale`, SCALE)).status).toBe(404);
  });
});

describe('two concurrent requests with one key', () => {
  it('create one entry and get one answer, on two servers', async () => {
    const other = await startServer({ database: service.database });
    try {
      const version = await loadedVersion();
      const key = newKey();
      const held = await holdVersion(service, version.id);
      const path = `${version.path}/scale`;
      const answers = [
        sendWith(key, 'POST', path, SCALE),
        sendWith(key, 'POST', path, SCALE, apiAt(other.url)),
      ];
      await untilWaiting(service, 2);
      await held.release();
      const [one, two] = (await Promise.all(answers)) as [Answer, Answer];
      expect(one.status).toBe(200);
      expect(seen(two)).toEqual(seen(one));
      expect(await entriesOf(version)).toHaveLength(2);
    } finally {
      await other.stop();
    }
  });

  it('are executed by the second if the first fails', async () => {
    const version = await loadedVersion();
    const key = newKey();
    const held = await holdVersion(service, version.id);
    const first = sendWith(key, 'POST', `${version.path}/scale`, SCALE);
    await untilWaiting(service, 1);
    const [{ pid }] = await service.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'forecast-pivot' AND wait_event_type = 'Lock'`,
    );
    const second = sendWith(key, 'POST', `${version.path}/scale`, SCALE);
    await untilWaiting(service, 2);
    await service.query('SELECT pg_terminate_backend($1::integer)', [pid]);
    expect((await first).status).toBeGreaterThanOrEqual(500);
    await until(async () => (await waitingForLocks(service)) === 1);
    await held.release();
    expect((await second).status).toBe(200);
    expect(await entriesOf(version)).toHaveLength(2);
  });

  it('undo once, and both return the deleted rows', async () => {
    const version = await loadedVersion();
    const { id } = await newestEntry(version);
    const key = newKey();
    const held = await holdVersion(service, version.id);
    const answers = [1, 2].map(() => sendWith(key, 'DELETE', `/log/${id}`));
    await untilWaiting(service, 2);
    await held.release();
    const [one, two] = (await Promise.all(answers)) as [Answer, Answer];
    expect(one.body).toMatchObject({ rows_deleted: 3 });
    expect(seen(two)).toEqual(seen(one));
  });
});
