import { setTimeout as sleep } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/demo/server';
import { LOCAL_VERSIONS } from '../support/cluster';
import { apiAt } from '../support/http';
import { longLeaves } from '../support/long-leaves';
import { plan, type Planned } from '../support/planned';
import { hold, until, untilWaiting, waitingForLocks } from '../support/race';
import { residentMegabytes } from '../support/resident';
import { startService, type Service } from '../support/service';
import { readSlowly, type SlowReader } from '../support/slow-reader';

const MEGABYTE = 1_048_576;

/**
 * Creates a version whose answer has about this size. It has one row; its stored SQL multiplies it, with
 * mostly text and no two rows equal.
 */
async function version(service: Service, megabytes: number): Promise<Planned> {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    [{ Region: 'North', Sales: 1 }],
  );
  expect((await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  await readBy(
    service,
    planned,
    `SELECT f.*, repeat(md5(n::text), 8) AS bulk
     FROM {{fc_table}} AS f, generate_series(1, ${rowsOf(megabytes)}) AS n`,
  );
  return planned;
}

/** Returns the number of rows for a size: the text, its offset and code, and the other columns. */
const rowsOf = (megabytes: number) => Math.round((megabytes * MEGABYTE) / 310);

/** Replaces the stored `get_data` by a statement. */
const readBy = ({ query }: Service, { sourceId }: Planned, sql: string) =>
  query(`UPDATE pf.sql SET sql = $1 WHERE source_id = $2 AND operation = 'get_data'`, [
    sql,
    sourceId,
  ]);

/** Returns the memory figures of the metrics. */
async function memory({ api }: Service): Promise<{ bytes: number; waiting: number }> {
  const text = new TextDecoder().decode((await api.get('/metrics')).bytes);
  const gauge = (name: string) =>
    Number(new RegExp(`^forecast_pivot_row_memory_${name} (.*)$`, 'm').exec(text)?.[1]);
  return { bytes: gauge('bytes'), waiting: gauge('waiting') };
}

const untilWaitingForMemory = (service: Service, n: number) =>
  until(async () => (await memory(service)).waiting === n);

const services: Service[] = [];
const readers: SlowReader[] = [];

/** Starts a service whose memory is completely free again after each test, when its readers have left. */
async function start(env: Record<string, string> = {}): Promise<Service> {
  const service = await startService('service', env);
  services.push(service);
  return service;
}

afterEach(async () => {
  readers.splice(0).forEach((reader) => reader.leave());
  for (const service of services) {
    await until(async () => {
      const { bytes, waiting } = await memory(service);
      return bytes === 0 && waiting === 0;
    });
  }
});
afterAll(async () => {
  for (const service of services) await service.stop();
});

/** Opens a client that reads nothing of its answer; it disconnects when the test ends. */
async function slowReader(
  { url }: { url: string },
  path: string,
  body?: object,
): Promise<SlowReader> {
  const reader = await readSlowly(url, path, body);
  readers.push(reader);
  return reader;
}

describe('readers of the same rows', () => {
  let service: Service;
  beforeAll(async () => {
    // Without a cache, shared bodies are released with the last reader.
    service = await start({ PF_KEEP_ENTRIES: '0', ...LOCAL_VERSIONS });
  });

  it('share one body, however many read nothing, and release it', async () => {
    const v = await version(service, 32);
    const first = await service.api.get(`${v.path}/data`);
    const size = first.bytes.length / MEGABYTE;
    expect(size).toBeGreaterThan(28);
    const before = residentMegabytes(service.server.pid);
    let most = before;
    const slow = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const reader = await slowReader(service, `${v.path}/data`);
        most = Math.max(most, residentMegabytes(service.server.pid));
        return reader;
      }),
    );
    expect(slow.map((r) => r.status)).toEqual(Array(20).fill(200));
    expect(new Set(slow.map((r) => r.headers['content-length']))).toEqual(
      new Set([String(first.bytes.length)]),
    );
    // Columns, the body and garbage that is not collected yet; twenty bodies would be 20.
    expect((most - before) / size).toBeLessThan(8);
    for (const reader of slow.splice(0, 3)) {
      expect(Buffer.compare(await reader.takeRest(), first.bytes)).toBe(0);
    }
  });

  it('share one read, which a disconnecting reader does not interrupt', async () => {
    const v = await version(service, 12);
    // Two reads of the table would differ in this column.
    await readBy(
      service,
      v,
      `SELECT f.*, repeat(md5(n::text), 8) AS bulk, random() AS lot
       FROM {{fc_table}} AS f, generate_series(1, ${rowsOf(12)}) AS n`,
    );
    const held = await hold(service, `LOCK TABLE ${v.table} IN ACCESS EXCLUSIVE MODE`);
    const gone = new AbortController();
    const first = service.api.send(`${v.path}/data`, { signal: gone.signal });
    const aborted = expect(first).rejects.toThrow(/abort/);
    await untilWaiting(service, 1);
    const slow = slowReader(service, `${v.path}/data`);
    const others = Array.from({ length: 5 }, () => service.api.get(`${v.path}/data`));
    await sleep(500);
    gone.abort();
    await aborted;
    expect(await waitingForLocks(service)).toBe(1);
    await held.release();
    const body = await (await slow).takeRest();
    for (const { status, bytes } of await Promise.all(others)) {
      expect([status, Buffer.compare(bytes, body)]).toEqual([200, 0]);
    }
    // After the last reader, it is read again.
    expect(Buffer.compare((await service.api.get(`${v.path}/data`)).bytes, body)).not.toBe(0);
  });

  it('use no memory if they request only the headers', async () => {
    const v = await version(service, 4);
    const { status, headers } = await service.api.send(`${v.path}/data`, { method: 'HEAD' });
    expect([status, headers.get('x-row-count')]).toEqual([200, String(rowsOf(4))]);
  });

  it('end the read together if all of them disconnect', async () => {
    const v = await version(service, 1);
    await readBy(service, v, 'SELECT *, pg_sleep(1000000)::text AS slept FROM {{fc_table}}');
    const gone = new AbortController();
    const all = Array.from({ length: 3 }, () =>
      service.api.send(`${v.path}/data`, { signal: gone.signal }),
    );
    const sleeping = async () =>
      (
        await service.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND wait_event = 'PgSleep'`,
        )
      ).length;
    await until(async () => (await sleeping()) === 1);
    gone.abort();
    for (const one of all) await expect(one).rejects.toThrow(/abort/);
    await until(async () => (await sleeping()) === 0);
    await readBy(service, v, 'SELECT * FROM {{fc_table}}');
    expect((await service.api.get(`${v.path}/data`)).status).toBe(200);
  });

  it('get everything committed before their request, while a slow one keeps its rows', async () => {
    const v = await version(service, 8);
    const here = service.api;
    const second = await startServer({ database: service.database });
    onTestFinished(() => second.stop());
    const there = apiAt(second.url);
    const read = async (api = here) => {
      const { bytes } = await api.get(`${v.path}/data`);
      const table = tableFromIPC(bytes);
      return { rows: table.numRows, note: table.getChild('pf_note')!.get(0) };
    };
    const each = rowsOf(8);
    const slow = await slowReader(service, `${v.path}/data`);
    expect(await read()).toEqual({ rows: each, note: null });

    const set = { Region: 'South' };
    const cloned = await here.post(`${v.path}/clone`, { pf_user: 'ann', slice: {}, set });
    expect(cloned.status).toBe(200);
    expect((await read()).rows).toBe(2 * each);
    expect((await read(there)).rows).toBe(2 * each);
    const [{ id: clone }, { id: load }] = (await here.get(`${v.path}/log`)).body.entries;
    expect((await there.del(`/log/${clone}`)).status).toBe(200);
    expect((await read()).rows).toBe(each);
    expect((await there.patch(`/log/${load}`, { note: 'new' })).status).toBe(200);
    expect(await read()).toEqual({ rows: each, note: 'new' });
    expect((await there.post(`/sources/${v.sourceId}/sql`)).status).toBe(200);
    expect(await read()).toEqual({ rows: 1, note: 'new' });
    expect(tableFromIPC(await slow.takeRest()).numRows).toBe(each);
  });
});

describe('an answer that does not fit into PF_MEMORY_MB', () => {
  let service: Service;
  beforeAll(async () => {
    // One read of 12 MB leaves no room for another, whose columns need room to grow.
    service = await start({ PF_MEMORY_MB: '24' });
  });

  const idle = async () =>
    (
      await service.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
           AND application_name = 'forecast-pivot' AND state <> 'idle'`,
      )
    ).length === 0;

  it('waits until others release their memory', async () => {
    const [one, two] = [await version(service, 12), await version(service, 12)];
    const slow = await slowReader(service, `${one.path}/data`);
    expect(slow.status).toBe(200);
    const waiting = service.api.get(`${two.path}/data`);
    await untilWaitingForMemory(service, 1);
    await until(idle);
    // Reads of reserved rows, of few rows and of none do not wait.
    const few = await version(service, 0);
    await readBy(service, few, 'SELECT * FROM {{fc_table}}');
    expect((await service.api.get(`${one.path}/data`)).status).toBe(200);
    expect((await service.api.get(`${few.path}/data`)).status).toBe(200);
    expect((await service.api.get(`${two.path}/log`)).status).toBe(200);
    expect((await memory(service)).waiting).toBe(1);
    await slow.takeRest();
    expect((await waiting).status).toBe(200);
  });

  it('is refused after PF_WAIT_TIMEOUT, and dropped if its reader leaves', async () => {
    const service = await start({
      PF_MEMORY_MB: '24',
      PF_WAIT_TIMEOUT: '3s',
      ...LOCAL_VERSIONS,
    });
    const [held, one, two, left] = [
      await version(service, 12),
      await version(service, 12),
      await version(service, 12),
      await version(service, 12),
    ];
    const slow = await slowReader(service, `${held.path}/data`);
    const gone = new AbortController();
    const leaving = service.api.send(`${left.path}/data`, { signal: gone.signal });
    const aborted = expect(leaving).rejects.toThrow(/abort/);
    const refused = [one, two].map((v) => service.api.get(`${v.path}/data`));
    await untilWaitingForMemory(service, 3);
    gone.abort();
    await aborted;
    await untilWaitingForMemory(service, 2);
    for (const { status, headers, body } of await Promise.all(refused)) {
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(body.error).toMatch(/memory/);
    }
    slow.leave();
    for (const v of [held, one, two, left]) {
      expect((await service.api.get(`${v.path}/data`)).status).toBe(200);
    }
  });

  it('is refused with a sentence if it can never fit, and releases everything', async () => {
    const [large, small] = [await version(service, 48), await version(service, 12)];
    const answer = await service.api.get(`${large.path}/data`);
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringMatching(/24 MB.*PF_MEMORY_MB/),
    ]);
    expect((await service.api.get(`${small.path}/data`)).status).toBe(200);
  });

  it.each([200_000, 400_000, 10_000_000])(
    'counts the existing rows, not the %i counted before some were deleted by SQL',
    async (counted) => {
      const few = await version(service, 0);
      await readBy(service, few, 'SELECT * FROM {{fc_table}}');
      await service.query('UPDATE pf.log SET row_count = $1 WHERE version_id = $2', [
        counted,
        few.id,
      ]);
      expect((await service.api.get(`${few.path}/data`)).status).toBe(200);
    },
  );

  it('succeeds, one after the other, if many need more at once', async () => {
    const versions = await Promise.all(Array.from({ length: 6 }, () => version(service, 7)));
    const answers = await Promise.all(
      versions.flatMap((v) => [1, 2, 3].map(() => service.api.get(`${v.path}/data`))),
    );
    expect(answers.map((a) => a.status)).toEqual(Array(18).fill(200));
  });
});

describe('the answer of a write', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start({ PF_MEMORY_MB: '24' });
  });

  const LEAVES = 26_000;
  const scale = { pf_user: 'ann', slice: {}, pct: 10 };
  const entries = async (v: Planned) =>
    (await service.api.get(`${v.path}/log`)).body.entries.length;

  it('reserves its columns until it is read, or its client leaves', async () => {
    const v = await longLeaves(service, LEAVES);
    const slow = await slowReader(service, `${v.path}/scale`, scale);
    expect(slow.status).toBe(200);
    expect((await memory(service)).bytes).toBeGreaterThan(LEAVES * 500);
    slow.leave();
    await until(async () => (await memory(service)).bytes === 0);
    expect(await entries(v)).toBe(2);
    const [{ id }] = (await service.api.get(`${v.path}/log`)).body.entries;
    const undone = await service.api.del(`/log/${id}`);
    expect(undone.body).toMatchObject({ rows_deleted: LEAVES });
  });

  it('waits for memory without the lock of the version, and is written once', async () => {
    const [held, v] = [await version(service, 12), await longLeaves(service, LEAVES)];
    const slow = await slowReader(service, `${held.path}/data`);
    const waiting = service.api.post(`${v.path}/scale`, scale);
    await untilWaitingForMemory(service, 1);
    // A change of few rows in the same version goes first.
    const few = await service.api.post(`${v.path}/scale`, {
      ...scale,
      slice: { Leaf: `${'leaf '.repeat(100)}1` },
    });
    expect([few.status, few.body.length]).toEqual([200, 1]);
    expect(await entries(v)).toBe(2);
    await slow.takeRest();
    const { status, body } = await waiting;
    expect([status, body.length, await entries(v)]).toEqual([200, LEAVES, 3]);
  });

  it('is refused after PF_WAIT_TIMEOUT, and nothing is written', async () => {
    const service = await start({ PF_MEMORY_MB: '24', PF_WAIT_TIMEOUT: '2s' });
    const [held, v] = [await version(service, 12), await longLeaves(service, LEAVES)];
    await slowReader(service, `${held.path}/data`);
    const { status, headers } = await service.api.post(`${v.path}/scale`, scale);
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect((await service.api.get(`${v.path}/log`)).body.entries).toHaveLength(1);
  });

  it('is refused if it can never fit, and nothing is written', async () => {
    const v = await longLeaves(service, 3 * LEAVES);
    const answer = await service.api.post(`${v.path}/scale`, scale);
    expect([answer.status, answer.body.error]).toEqual([
      422,
      expect.stringMatching(/24 MB.*nothing was changed/),
    ]);
    expect(await entries(v)).toBe(1);
  });

  it('is repeated for its key, within the same memory', async () => {
    const [held, v] = [await version(service, 12), await longLeaves(service, LEAVES)];
    const send = () =>
      service.api.send(`${v.path}/scale`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify(scale),
      });
    const first = await send();
    expect(first.status).toBe(200);
    const slow = await slowReader(service, `${held.path}/data`);
    const again = send();
    await untilWaitingForMemory(service, 1);
    slow.leave();
    expect(Buffer.compare((await again).bytes, first.bytes)).toBe(0);
    expect(await entries(v)).toBe(2);
  });

  it('and reads succeed together, although they wait for memory and for each other', async () => {
    const versions = await Promise.all(
      Array.from({ length: 3 }, () => longLeaves(service, LEAVES / 2)),
    );
    const answers = await Promise.all(
      versions.flatMap((v) => [
        service.api.get(`${v.path}/data`),
        service.api.post(`${v.path}/scale`, scale),
        service.api.get(`${v.path}/data`),
        service.api.post(`${v.path}/clone`, { ...scale, pct: undefined, set: {} }),
      ]),
    );
    expect(answers.map((a) => a.status)).toEqual(Array(12).fill(200));
  });
});

describe('a reader that reads nothing', () => {
  it('is disconnected after PF_READER_TIMEOUT, and its memory is released', async () => {
    const service = await start({ PF_MEMORY_MB: '24', PF_READER_TIMEOUT: '1s' });
    const [one, two] = [await version(service, 12), await version(service, 12)];
    const stalled = await slowReader(service, `${one.path}/data`);
    expect(stalled.status).toBe(200);
    expect((await service.api.get(`${two.path}/data`)).status).toBe(200);
    await expect(stalled.takeRest()).rejects.toThrow(/ended after/);
    await stalled.closed;
  });

  it('is not disconnected while it reads something now and then', async () => {
    const service = await start({ PF_READER_TIMEOUT: '1s' });
    const v = await version(service, 24);
    const patient = await slowReader(service, `${v.path}/data`);
    for (let i = 0; i < 6; i++) {
      await sleep(700);
      await patient.take(3 * MEGABYTE);
    }
    expect((await patient.takeRest()).length).toBe(Number(patient.headers['content-length']));
  });

  it('keeps its connection for the next request after a long pause between two', async () => {
    const service = await start({ PF_READER_TIMEOUT: '1s' });
    const v = await version(service, 1);
    await readBy(service, v, 'SELECT *, pg_sleep(2.5)::text AS slept FROM {{fc_table}}');
    // The time before an answer begins is the server's, not the reader's.
    expect((await service.api.get(`${v.path}/log`)).status).toBe(200);
    expect((await service.api.get(`${v.path}/data`)).status).toBe(200);
  });
});
