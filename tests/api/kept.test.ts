import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type Server } from '../../src/demo/server';
import { cases } from '../support/cases.js';
import { onCitus } from '../support/cluster';
import { apiAt, type Answer, type Api } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { hold, until, waitingForLocks } from '../support/race';
import { changeUnnoticed, startService, type Service } from '../support/service';

/** The cache of rows (docs/contract/04-data-loading.md#cache). */

const REGIONS = ['North', 'South', '', 'null', null];

/** Creates a version with one row per region, grouped by region at its grain. */
async function version(service: Service, rows = REGIONS.length): Promise<Planned> {
  const planned = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain: true },
      { name: 'Size', type: 'bigint', role: 'dimension' },
      { name: 'New', type: 'boolean', role: 'dimension' },
      { name: 'Order Date', type: 'date', role: 'date' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    Array.from({ length: rows }, (_, i) => ({
      Region: REGIONS[i % REGIONS.length] ?? null,
      Size: i % 4 === 3 ? 2 ** 40 + i : i,
      New: i % 3 === 2 ? null : i % 3 === 0,
      'Order Date': i % 5 === 4 ? null : '2026-01-31',
      Sales: 100 + i,
    })),
  );
  expect((await service.api.post(`${planned.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  return planned;
}

const scaled = (region: string | null) => ({
  pf_user: 'ann',
  slice: { Region: region },
  value_incr: 10,
});

/** Returns the rows of an answer as sorted texts. */
const rowsIn = ({ bytes }: Answer): string[] =>
  bytes.length === 0
    ? []
    : tableFromIPC(bytes)
        .toArray()
        .map((row) =>
          JSON.stringify(row.toJSON(), (_, value: unknown) =>
            typeof value === 'bigint' ? Number(value) : value,
          ),
        )
        .sort();

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Returns the cache figures of the metrics. */
async function kept(api: Api): Promise<{ bytes: number; hits: number; misses: number }> {
  const text = new TextDecoder().decode((await api.get('/metrics')).bytes);
  const gauge = (name: string) =>
    Number(new RegExp(`^forecast_pivot_kept_${name} (.*)$`, 'm').exec(text)?.[1]);
  return { bytes: gauge('bytes'), hits: gauge('hits'), misses: gauge('misses') };
}

describe.each(['data', 'agg'])('/%s', (endpoint) => {
  it('reads no row of an unchanged version', async () => {
    const v = await version(service);
    const first = await service.api.get(`${v.path}/${endpoint}`);
    const before = await kept(service.api);
    const held = await hold(service, `LOCK TABLE ${v.table} IN ACCESS EXCLUSIVE MODE`);
    const second = await service.api.get(`${v.path}/${endpoint}`);
    await held.release();
    expect(Buffer.compare(second.bytes, first.bytes)).toBe(0);
    expect(second.headers.get('x-row-count')).toBe(first.headers.get('x-row-count'));
    const { hits, misses } = await kept(service.api);
    expect([hits, misses]).toEqual([before.hits + 1, before.misses]);
  });

  it('returns 304 without rows to a client that has them, and rows after a change', async () => {
    const v = await version(service);
    const path = `${v.path}/${endpoint}`;
    const tagOf = ({ headers }: Answer) => headers.get('etag') ?? '';
    const first = await service.api.get(path);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [tagOf(first), `"other", ${tagOf(first)}`, tagOf(first).slice(2), '*']) {
      const again = await service.api.get(path, { 'if-none-match': known });
      expect([again.status, again.bytes.length, tagOf(again)]).toEqual([304, 0, tagOf(first)]);
    }
    const other = await service.api.get(path, { 'if-none-match': '"other"' });
    expect([other.status, Buffer.compare(other.bytes, first.bytes)]).toEqual([200, 0]);

    expect((await service.api.post(`${v.path}/scale`, scaled('North'))).status).toBe(200);
    const changed = await service.api.get(path, { 'if-none-match': tagOf(first) });
    expect([changed.status, rowsIn(changed).length]).toEqual([200, REGIONS.length + 1]);
    expect(tagOf(changed)).not.toBe(tagOf(first));
    const [{ id }] = (await service.api.get(`${v.path}/log`)).body.entries;
    expect((await service.api.del(`/log/${id}`)).status).toBe(200);
    expect((await service.api.get(path, { 'if-none-match': tagOf(first) })).status).toBe(304);
  });

  it('reads only the rows of entries that are not cached', async () => {
    const v = await version(service);
    const path = `${v.path}/${endpoint}`;
    const first = rowsIn(await service.api.get(path));
    // Changed rows reveal which of them are read.
    await changeUnnoticed(service, `UPDATE ${v.table} SET "Sales" = "Sales" + 1000`);
    expect(
      (await service.api.post(`${v.path}/clone`, { pf_user: 'ann', slice: {}, set: { Size: 5 } }))
        .status,
    ).toBe(200);
    const second = rowsIn(await service.api.get(path));
    expect(second).toEqual(expect.arrayContaining(first));
    expect(second.length).toBe(2 * first.length);
    const [{ id: clone }, { id: load }] = (await service.api.get(`${v.path}/log`)).body.entries;
    const salesOf = (entry: number) =>
      second
        .map((row) => JSON.parse(row) as { pf_logid: number; Sales: number })
        .flatMap((row) => (row.pf_logid === entry ? row.Sales : []));
    expect(Math.max(...salesOf(load))).toBeLessThan(1000);
    expect(Math.min(...salesOf(clone))).toBeGreaterThan(1000);
  });

  it('caches nothing if PF_KEEP_ENTRIES is 0', async () => {
    const { server, api } = await another({ PF_KEEP_ENTRIES: '0' });
    try {
      const v = await version(service);
      const path = `${v.path}/${endpoint}`;
      const tag = (await service.api.get(path)).headers.get('etag')!;
      const { headers } = await api.get(path);
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store']);
      expect((await api.get(path, { 'if-none-match': tag })).status).toBe(200);
      await changeUnnoticed(service, `UPDATE ${v.table} SET "Sales" = 7`);
      const sales = rowsIn(await api.get(path)).map((row) => JSON.parse(row).Sales);
      expect(sales).toEqual(Array(REGIONS.length).fill(7));
      expect((await kept(api)).bytes).toBe(0);
    } finally {
      await server.stop();
    }
  });
});

describe('/log', () => {
  it('sums the rows of entries without cached sums, and all if PF_KEEP_ENTRIES is 0', async () => {
    const { server, api } = await another({ PF_KEEP_ENTRIES: '0' });
    try {
      const v = await version(service);
      const log = async (from = service.api) => (await from.get(`${v.path}/log`)).body;
      const first = await log();
      expect(first).toEqual(await log(api));
      expect(first.value_total).toBe(510);

      // Changed rows reveal which of them are summed.
      await changeUnnoticed(service, `UPDATE ${v.table} SET "Sales" = "Sales" + 1000`);
      expect((await service.api.post(`${v.path}/scale`, scaled('North'))).status).toBe(200);
      const second = await log();
      expect(second.entries.map((e: { value_total: number }) => e.value_total)).toEqual([10, 510]);
      expect([second.value_total, (await log(api)).value_total]).toEqual([520, 5520]);

      // Deleted rows do not count, and redone ones count again.
      const [scale, load] = second.entries;
      expect((await service.api.del(`/log/${scale.id}`)).status).toBe(200);
      expect(await log()).toEqual({ ...second, entries: [load], value_total: 510 });
      const redo = `${v.path}/redo/${scale.id}`;
      expect((await service.api.post(redo, { pf_user: 'ann' })).status).toBe(200);
      expect((await log()).value_total).toBe(520);
    } finally {
      await server.stop();
    }
  });

  it.each([
    ['numeric(20,2)', '900719925474099.91'],
    ['bigint', '9007199254740991'],
    ['numeric', '0.1'],
    ['double precision', '0.1'],
    ['real', '0.1'],
  ])('adds up %s like a server without a cache', async (type, amount) => {
    const { server, api } = await another({ PF_KEEP_ENTRIES: '0' });
    try {
      const v = await plan(
        service,
        [
          { name: 'Region', type: 'text', role: 'dimension' },
          { name: 'Sales', type, role: 'value' },
        ],
        ['North', 'South', null].map((Region) => ({ Region, Sales: amount })),
      );
      for (let i = 0; i < 3; i += 1) {
        expect((await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
        const path = `${v.path}/log`;
        expect((await service.api.get(path)).body).toEqual((await api.get(path)).body);
      }
    } finally {
      await server.stop();
    }
  });
});

describe('/totals', () => {
  it.each(['numeric(12,2)', 'double precision'])(
    'reads the rows of entries that are not cached, also of %s',
    async (type) => {
      const v = await plan(
        service,
        [
          { name: 'Region', type: 'text', role: 'dimension' },
          { name: 'Day', type: 'date', role: 'date' },
          { name: 'Sales', type, role: 'value' },
        ],
        ['2027-01-31', '2027-02-01', null].map((Day) => ({ Region: 'North', Day, Sales: '0.1' })),
      );
      expect((await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
      const totals = async () => (await service.api.get(`${v.path}/totals`)).body;
      const before = await totals();
      expect(before.months).toMatchObject([{ value_total: 0.1 }, { value_total: 0.1 }]);
      expect(before.plan.value_total).toBeCloseTo(0.3, 12);

      // Changed rows reveal which of them are read.
      await changeUnnoticed(service, `UPDATE ${v.table} SET "Sales" = 1000`);
      expect(await totals()).toEqual(before);
      const clone = { pf_user: 'ann', slice: { Region: 'North' }, set: { Day: '2027-03-01' } };
      expect((await service.api.post(`${v.path}/clone`, clone)).status).toBe(200);
      const after = await totals();
      expect(after.months).toMatchObject([
        ...before.months,
        { month: '2027-03-01', value_total: 3000 },
      ]);
      expect(after.plan.value_total).toBeCloseTo(3000.3, 9);
    },
  );
});

/** Starts another server on the same database. */
async function another(env: Record<string, string> = {}): Promise<{ server: Server; api: Api }> {
  const server = await startServer({ database: service.database, env });
  return { server, api: apiAt(server.url) };
}

describe('cached rows', () => {
  it('are evicted for answers in progress', async () => {
    const { server, api } = await another({ PF_MEMORY_MB: '1' });
    try {
      const versions = [];
      for (let i = 0; i < 8; i++) versions.push(await version(service, 2500));
      for (const { path } of versions) {
        expect((await api.get(`${path}/data`)).status).toBe(200);
        const { bytes } = await kept(api);
        expect(bytes).toBeGreaterThan(0);
        expect(bytes).toBeLessThan(1_048_576);
      }
      // The one read last is still cached, the first is not.
      const before = await kept(api);
      await api.get(`${versions[7]?.path}/data`);
      expect((await kept(api)).hits).toBe(before.hits + 1);
      await api.get(`${versions[0]?.path}/data`);
      expect((await kept(api)).misses).toBe(before.misses + 1);
    } finally {
      await server.stop();
    }
  });

  it('are not returned for a deleted version', async () => {
    const v = await version(service);
    await service.api.get(`${v.path}/data`);
    const { server, api } = await another();
    expect((await api.del(v.path)).status).toBe(204);
    await server.stop();
    expect((await service.api.get(`${v.path}/data`)).status).toBe(404);
  });

  it('are not used for another entry with the same id', async () => {
    const v = await version(service);
    await service.api.post(`${v.path}/scale`, scaled('North'));
    const path = `${v.path}/data`;
    const before = await service.api.get(path);
    // Simulates a database restored from before this entry, and then written to.
    await changeUnnoticed(
      service,
      `UPDATE pf.log SET stamp = stamp + interval '1 hour'
        WHERE version_id = ${v.id} AND operation = 'scale';
       UPDATE ${v.table} SET "Sales" = 77 WHERE pf_iter = 'scale'`,
    );
    const after = await service.api.get(path, { 'if-none-match': before.headers.get('etag')! });
    expect(after.status).toBe(200);
    expect(rowsIn(after).map((row) => JSON.parse(row).Sales)).toContain(77);
  });

  it('are read again after a generation with other columns', async () => {
    const v = await version(service);
    const names = async () => {
      const { schema } = tableFromIPC((await service.api.get(`${v.path}/data`)).bytes);
      return schema.fields.map(({ name }) => name);
    };
    expect(await names()).toContain('Size');
    const columns = `/sources/${v.sourceId}/columns`;
    const saved = (await service.api.get(columns)).body as { cname: string; role: string }[];
    const without = saved.map((c) => (c.cname === 'New' ? { ...c, role: 'ignore' } : c));
    await service.query(`UPDATE ${v.table} SET "New" = NULL`);
    expect((await service.api.put(columns, without)).status).toBe(200);
    expect((await service.api.post(`/sources/${v.sourceId}/sql`)).status).toBe(200);
    expect(await names()).not.toContain('New');
  });

  it('are completed by commits during their read', async () => {
    const v = await version(service);
    await service.api.get(`${v.path}/data`);
    expect((await service.api.post(`${v.path}/scale`, scaled('North'))).status).toBe(200);
    const held = await hold(service, `LOCK TABLE ${v.table} IN ACCESS EXCLUSIVE MODE`);
    const reading = service.api.get(`${v.path}/data`);
    await until(async () => (await waitingForLocks(service)) === 1);
    const writing = service.api.post(`${v.path}/scale`, scaled('South'));
    await until(async () => (await waitingForLocks(service)) === 2);
    await held.release();
    expect((await writing).status).toBe(200);
    const length = rowsIn(await reading).length;
    expect([REGIONS.length + 1, REGIONS.length + 2]).toContain(length);
    expect(rowsIn(await service.api.get(`${v.path}/data`)).length).toBe(REGIONS.length + 2);
  });
});

/** A change of a version, through one of two servers or by SQL. */
interface Change {
  do: 'scale' | 'recode' | 'clone' | 'undo' | 'note' | 'note by hand' | 'load' | 'generate';
  region: string | null;
  which: number;
  by: 0 | 1;
}

const change: fc.Arbitrary<Change> = fc.record({
  do: fc.constantFrom<Change['do'][]>(
    ...(['scale', 'recode', 'clone', 'scale', 'recode', 'clone'] as const),
    ...(['undo', 'undo', 'note', 'note by hand', 'load', 'generate'] as const),
  ),
  region: fc.constantFrom(...REGIONS),
  which: fc.nat(9),
  by: fc.constantFrom<(0 | 1)[]>(0, 1),
});

async function make(apis: readonly Api[], v: Planned, made: Change): Promise<void> {
  const api = apis[made.by] as Api;
  const body = { pf_user: 'ann' };
  if (made.do === 'load') {
    await api.post(`${v.path}/reference`, body);
  } else if (made.do === 'generate') {
    await api.post(`/sources/${v.sourceId}/sql`);
  } else if (made.do === 'scale' || made.do === 'recode' || made.do === 'clone') {
    const what = {
      scale: { pct: 10 },
      recode: { set: { Region: 'Elsewhere', Size: 2 ** 41 } },
      clone: { set: { Size: 5 }, scale_factor: 2 },
    };
    const slice = { Region: made.region };
    await api.post(`${v.path}/${made.do}`, { ...body, slice, ...what[made.do] });
  } else {
    const { entries } = (await api.get(`${v.path}/log`)).body;
    const { id } = entries[made.which % entries.length] ?? {};
    if (id === undefined) return;
    if (made.do === 'undo') await api.del(`/log/${id}`);
    else if (made.do === 'note') await api.patch(`/log/${id}`, { note: `noted ${made.which}` });
    else await service.query(`UPDATE pf.log SET note = 'by hand' WHERE id = ${id}`);
  }
}

describe('reads on two servers with caches', () => {
  it.each([
    { rows: REGIONS.length, most: 7, usual: 6 },
    // Enough rows that those of an entry stay in place, and others are placed beside them.
    { rows: 70_000, most: 6, usual: 2 },
  ])(
    'equal those of a server without a cache, byte for byte, from $rows rows on',
    async (extent) => {
      const servers = await Promise.all([another(), another(), another({ PF_KEEP_ENTRIES: '0' })]);
      const apis = servers.map(({ api }) => api);
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(change, { minLength: 1, maxLength: extent.most }),
            async (changes) => {
              const v = await version(service, extent.rows);
              for (const next of [null, ...changes]) {
                if (next) await make(apis, v, next);
                const [here, there, afresh] = await Promise.all(
                  apis.map((api) => api.get(`${v.path}/data`)),
                );
                expect(here!.headers.get('etag')).toBe(there!.headers.get('etag'));
                for (const read of [here, there]) {
                  // Workers return the rows of an entry in any order.
                  if (onCitus) expect(rowsIn(read!)).toEqual(rowsIn(afresh!));
                  else expect(Buffer.compare(read!.bytes, afresh!.bytes)).toBe(0);
                  expect(read!.headers.get('x-row-count')).toBe(afresh!.headers.get('x-row-count'));
                }
                // PostgreSQL returns the groups of an entry in any order.
                const [keeping, other, none] = await Promise.all(
                  apis.map(async (api) => rowsIn(await api.get(`${v.path}/agg`))),
                );
                expect(keeping).toEqual(none);
                expect(other).toEqual(none);
              }
            },
          ),
          { numRuns: cases(extent.usual) },
        );
      } finally {
        await Promise.all(servers.map(({ server }) => server.stop()));
      }
    },
  );
});
