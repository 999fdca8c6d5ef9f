// The lock that waits until all workers have committed, and its fate when its server is killed. The first two
// tests fail without the lock.
import { tableFromIPC } from 'apache-arrow';
import { expect, onTestFinished } from 'vitest';
import { it } from '../support/api';
import type { Api, Answer } from '../support/http';
import { plan, type Planned, type SourceRow } from '../support/planned';
import type { Service } from '../support/service';
import { alterWorkers, another, expectDistributed } from './cluster';

const OPERATIONS = 300;
/** Without the lock, one of 20 reads is inconsistent. */
const READS = 600;

/** In milliseconds. */
const LONGEST_PAUSE = 300;

const BODY = { pf_user: 'ann' };

async function version(service: Service, products: number): Promise<Planned> {
  const v = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension' },
      { name: 'Product', type: 'integer', role: 'dimension' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    Array.from({ length: products }, (_, i): SourceRow => ({
      Region: 'A',
      Product: i,
      Sales: 100,
    })),
  );
  await expectDistributed(service, v, true);
  return v;
}

async function servers(service: Service, env: Record<string, string> = {}): Promise<Api[]> {
  const both = await Promise.all([another(service, env), another(service, env)]);
  onTestFinished(async () => void (await Promise.all(both.map(({ server }) => server.stop()))));
  return both.map(({ api }) => api);
}

/** Gives the workers a slow disk: they commit 50 milliseconds after the coordinator. */
async function slowDisks(service: Service): Promise<void> {
  const alter = (microseconds: number) =>
    alterWorkers(service, { commit_delay: `${microseconds}`, commit_siblings: '0' });
  onTestFinished(() => alter(0));
  await alter(50_000);
}

it('Concurrent recodes move a slice only once', async ({ service }) => {
  const v = await version(service, 1);
  await service.api.post(`${v.path}/baseline`, BODY);
  // With a fast disk, the race would need tens of thousands of operations.
  await slowDisks(service);
  const apis = await servers(service);
  let sent = 0;
  const refused: Answer[] = [];
  /** Moves the contents of one region to the other, repeatedly. */
  const mover = async (api: Api, from: string, to: string) => {
    while (sent < OPERATIONS) {
      sent += 1;
      const body = { ...BODY, slice: { Region: from }, set: { Region: to } };
      const answer = await api.post(`${v.path}/recode`, body);
      if (answer.status !== 200) refused.push(answer);
      // The next operation must arrive while another one commits.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE));
    }
  };
  await Promise.all(
    apis.flatMap((api) => [mover(api, 'A', 'B'), mover(api, 'B', 'A'), mover(api, 'A', 'B')]),
  );

  // The only allowed refusal is that nothing is left to move.
  expect([...new Set(refused.map(({ status }) => status))]).toEqual([422]);
  const moves = await service.query(
    `SELECT pf_logid, string_agg("Region" || ' ' || "Sales", ', ' ORDER BY "Region") AS moved
     FROM ${v.table} WHERE pf_iter = 'recode' GROUP BY pf_logid ORDER BY pf_logid`,
  );
  expect(moves.length).toBeGreaterThan(OPERATIONS / 10);
  const wanted = ['A -100.00, B 100.00', 'A 100.00, B -100.00'];
  const wrong = moves.filter(({ moved }, i) => moved !== wanted[i % 2]);
  expect(wrong).toEqual([]);
});

it('A read returns all rows of each of its entries, and no row of any other', async ({
  service,
}) => {
  const ROWS = 40;
  const v = await version(service, ROWS);
  await service.api.post(`${v.path}/baseline`, BODY);
  // Cached rows would hide an inconsistent read.
  const apis = await servers(service, { PF_KEEP_ENTRIES: '0' });
  let reads = 0;
  const torn: object[] = [];
  const reader = async (api: Api) => {
    while (reads < READS) {
      reads += 1;
      const { status, bytes } = await api.get(`${v.path}/data`);
      expect(status).toBe(200);
      const counts = new Map<unknown, number>();
      for (const id of tableFromIPC(bytes).getChild('pf_logid') ?? []) {
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      for (const [id, rows] of counts) if (rows !== ROWS) torn.push({ read: 'data', id, rows });

      const { entries } = (await api.get(`${v.path}/log`)).body;
      for (const { id, row_count: rows } of entries) {
        if (rows !== ROWS) torn.push({ read: 'log', id, rows });
      }
    }
  };
  /** Writes an entry and undoes it, repeatedly. */
  const writer = async (api: Api, write: () => Promise<Answer>) => {
    while (reads < READS) {
      const { status, body } = await write();
      expect(status).toBe(200);
      const id = Array.isArray(body) ? body[0].pf_logid : body.logid;
      expect((await api.del(`/log/${id}`)).status).toBe(200);
    }
  };
  const [one, two] = apis as [Api, Api];
  await Promise.all([
    writer(one, () =>
      one.post(`${v.path}/clone`, { ...BODY, slice: { Region: 'A' }, set: { Region: 'B' } }),
    ),
    // Loads run concurrently with other loads.
    writer(one, () => one.post(`${v.path}/reference`, BODY)),
    writer(two, () => two.post(`${v.path}/reference`, BODY)),
    ...apis.flatMap((api) => [reader(api), reader(api)]),
  ]);
  expect(torn).toEqual([]);
});

it('A killed server blocks nobody and leaves no entry half written', async ({ service }) => {
  const ROWS = 40;
  const ROUNDS = 8;
  const v = await version(service, ROWS);
  await service.api.post(`${v.path}/baseline`, BODY);
  await slowDisks(service);
  const [survivor] = (await servers(service, { PF_KEEP_ENTRIES: '0' })) as [Api, Api];
  const clone = (api: Api) =>
    api.post(`${v.path}/clone`, { ...BODY, slice: { Region: 'A' }, set: { Region: 'B' } });

  for (let round = 0; round < ROUNDS; round += 1) {
    const { server, api } = await another(service, { PF_KEEP_ENTRIES: '0' });
    let isAlive = true;
    let answered = 0;
    /** Runs until the server is gone. Incomplete answers are ignored. */
    const busy = async (what: () => Promise<Answer>) => {
      while (isAlive) {
        const answer = await what().catch(() => null);
        if (answer?.status === 200) answered += 1;
      }
    };
    const work = [
      busy(() => clone(api)),
      busy(() => api.post(`${v.path}/reference`, BODY)),
      busy(() => api.get(`${v.path}/data`)),
    ];
    await expect.poll(() => answered, { timeout: 30_000 }).toBeGreaterThan(3);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE));
    process.kill(server.pid, 'SIGKILL');
    isAlive = false;
    await Promise.all([server.ended, ...work]);

    const { status, body } = await clone(survivor);
    expect([status, body.error]).toEqual([200, undefined]);
    const counts = new Map<number, number>();
    const { bytes } = await survivor.get(`${v.path}/data`);
    for (const id of tableFromIPC(bytes).getChild('pf_logid') ?? []) {
      counts.set(Number(id), (counts.get(Number(id)) ?? 0) + 1);
    }
    expect([...counts].filter(([, rows]) => rows !== ROWS)).toEqual([]);
    const { entries } = (await survivor.get(`${v.path}/log`)).body;
    expect(entries.map(({ id }: { id: number }) => id).sort()).toEqual([...counts.keys()].sort());
  }
  await expect
    .poll(() =>
      service.query(
        `SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
         WHERE l.locktype = 'advisory' AND l.objsubid = 2`,
      ),
    )
    .toEqual([]);
});
