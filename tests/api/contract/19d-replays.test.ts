// Tests replays of docs/contract/19-planning-together.md.
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect } from 'vitest';
import { startServer } from '../../../src/demo/server';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { ReplayAnswer, ReplayedAnswer } from '../../../src/lib/contract/replays';
import { apiAt, type Answer } from '../../support/http';
import { hold, holdVersion, race, untilWaiting } from '../../support/race';
import type { Service } from '../../support/service';
import {
  GRAIN_COLUMNS,
  it,
  makePlan,
  makeSource,
  ok,
  ORDER_COLUMNS,
  ORDERS,
  refused,
} from './orders';

const user = { pf_user: 'ann' };

let names = 0;
const name = () => `Replay ${(names += 1)}`;

/** Creates a separate source of orders for a test that changes them. */
async function ordersIn(service: Service, tname: string, columns: readonly ColumnSave[]) {
  await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
  return makeSource(service, tname, columns);
}

const replay = (service: Service, path: string, body: object = {}): Promise<Answer> =>
  service.api.post(`${path}/replay`, { pf_user: 'eve', name: name(), ...body });

/** Expects a successful replay, checked against the contract. */
async function replayed(service: Service, path: string, body: object = {}) {
  const answer = await replay(service, path, body);
  expect(ok(answer).status).toBe(201);
  return v.parse(ReplayAnswer, answer.body);
}

/** Returns the result of each entry, checked against the contract. */
const listOf = async ({ api }: Service, version: number) =>
  v.parse(ReplayedAnswer, ok(await api.get(`/versions/${version}/replayed`)).body);

const logOf = async ({ api }: Service, path: string) => ok(await api.get(`${path}/log`)).body;

/** Returns the totals of each leaf of a version, without leaves that net to zero. */
const leavesOf = ({ query }: Service, tname: string, version: number) =>
  query(
    `SELECT "Order Date", "Order Year", region, "sub-category", "select", "a""b", pf_iter,
       sum(amount) AS amount, sum(pieces) AS pieces
     FROM pf."fc_${tname}_${version}" GROUP BY 1, 2, 3, 4, 5, 6, 7
     HAVING sum(amount) <> 0 OR sum(pieces) <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7`,
  );

const totals = (
  entries: { row_count: number; value_total: number | null; units_total: number | null }[],
) =>
  entries.map(({ row_count, value_total, units_total }) => ({
    row_count,
    value_total,
    units_total,
  }));

const north = { ...user, slice: { region: 'North' } };

/** Creates entries with every kind of content. */
async function everything({ api }: Service, path: string): Promise<void> {
  const requests: [string, object][] = [
    ['reference', { pf_user: 'bob', raw_where: `region = 'East'`, date_offset: '1 year' }],
    ['baseline', { ...user, filters: [[{ cname: 'channel', op: '=', value: 'web' }]] }],
    ['scale', { ...north, value_incr: 100 / 3, note: 'up "{{x}}"' }],
    ['scale', { ...user, slice: { region: [null, 'East'] }, pct: 12.5 }],
    ['scale', { ...user, slice: {}, value_incr: 7.77, units_incr: 9, spread: 'equal' }],
    [
      'scale',
      {
        pf_user: 'bob',
        edits: [
          { slice: { region: 'South' }, pct: -5 },
          { slice: { 'Order Date': { from: '2026-02-01' } }, value_incr: 50, spread: 'equal' },
        ],
        hold: [{ 'sub-category': 'Lamps' }],
      },
    ],
    ['recode', { ...user, slice: { region: '' }, set: { region: null } }],
    ['clone', { ...north, set: { 'Order Date': '2027-01-31' }, scale_factor: 0.5 }],
  ];
  for (const [operation, body] of requests) ok(await api.post(`${path}/${operation}`, body));
}

describe('POST /versions/:id/replay', () => {
  it('creates a version with the same entries under the replaying user, with equal totals on equal data', async ({
    service,
  }) => {
    for (const [tname, columns] of [
      ['same', ORDER_COLUMNS],
      ['same_grain', GRAIN_COLUMNS],
    ] as const) {
      const sourceId = await ordersIn(service, tname, columns);
      const { path, versionId } = await makePlan(service, sourceId, {
        exclude_iters: ['reference', 'clone'],
      });
      await everything(service, path);
      const undone = ok(await service.api.post(`${path}/scale`, { ...north, pct: 3 })).body;
      ok(await service.api.del(`/log/${undone[0].pf_logid}`));
      const before = await logOf(service, path);

      const { version, entries } = await replayed(service, path, {
        name: `Today ${tname}`,
        description: 'with what is known now',
      });
      expect(version).toEqual({
        ...{ id: expect.any(Number), source_id: sourceId, name: `Today ${tname}` },
        ...{ description: 'with what is known now', status: 'open' },
        ...{ exclude_iters: ['reference', 'clone'], created_by: 'eve' },
        ...{ created_at: expect.any(String), closed_at: null, closed_by: null },
      });
      expect(ok(await service.api.get(`/versions/${version.id}`)).body).toEqual(version);

      const after = await logOf(service, `/versions/${version.id}`);
      expect(after).toEqual({
        ...before,
        entries: before.entries.map((entry: { id: number; params: object }) => ({
          ...entry,
          id: expect.any(Number),
          version_id: version.id,
          pf_user: 'eve',
          stamp: expect.any(String),
          params: { ...entry.params, replayed_from: entry.id },
        })),
      });
      expect(entries).toHaveLength(9);
      expect(entries).toEqual(
        after.entries
          .map(
            ({
              id,
              operation,
              row_count,
              value_total,
              units_total,
              params,
            }: (typeof after)['entries'][0]) => ({
              ...{ from: params.replayed_from, to: id, operation },
              ...{ row_count, value_total, units_total, reason: null },
            }),
          )
          .toReversed(),
      );
      expect(await leavesOf(service, tname, version.id)).toEqual(
        await leavesOf(service, tname, versionId),
      );

      const list = await listOf(service, version.id);
      const kept = before.entries.toReversed();
      expect(list.map(({ before }) => before)).toEqual(totals(kept));
      expect(list.map(({ after }) => after)).toEqual(totals(entries));
      expect(list.map(({ entry: { id, note, pf_user } }) => [id, note, pf_user])).toEqual(
        kept.map(({ id, note, pf_user }: (typeof kept)[0]) => [id, note, pf_user]),
      );
      expect(ok(await service.api.get(`/versions/${version.id}/undone`)).body).toEqual([]);
      const listed = ok(await service.api.get(`/sources/${sourceId}/versions`)).body;
      expect(listed.map((each: { replay_of?: number }) => each.replay_of)).toEqual([
        undefined,
        versionId,
      ]);
      expect(listed[1].row_count).toBe(listed[0].row_count);
    }
  });

  it('runs on the current source: its numbers match those that SQL computes from the current rows', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'moved', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/reference`, { ...user, raw_where: `channel = 'shop'` }));
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 10 }));
    ok(await service.api.post(`${path}/scale`, { ...north, value_incr: 100 }));
    ok(
      await service.api.post(`${path}/clone`, {
        ...user,
        slice: { region: 'South' },
        set: { region: 'West' },
      }),
    );
    const before = await logOf(service, path);

    await service.query(`
      UPDATE public.moved SET amount = amount * 2 WHERE region = 'North';
      DELETE FROM public.moved WHERE id = 4;
      INSERT INTO public.moved
      SELECT 100 + n, '2026-07-01', 1, 'North', 'Desks', 'x', 'k', 10 * n, n, 'shop', NULL, 's'
      FROM generate_series(1, 5) n`);
    const { version, entries } = await replayed(service, path);
    const [sums] = await service.query(`
      SELECT sum(amount)::float AS all, count(*) AS rows,
        sum(amount) FILTER (WHERE channel = 'shop')::float AS shop,
        (sum(amount) FILTER (WHERE region = 'North') * 0.1)::float AS north,
        sum(amount) FILTER (WHERE region = 'South')::float AS south,
        sum(pieces) FILTER (WHERE region = 'South')::int AS pieces
      FROM public.moved`);
    const [baseline, reference, percent, amount, cloned] = entries;
    expect([baseline?.row_count, baseline?.value_total]).toEqual([sums.rows, sums.all]);
    expect(reference?.value_total).toBe(sums.shop);
    expect(percent?.value_total).toBeCloseTo(sums.north, 1);
    expect(amount?.value_total).toBe(100);
    expect([cloned?.value_total, cloned?.units_total]).toEqual([sums.south, sums.pieces]);

    // The original and its stored results do not change.
    expect(await logOf(service, path)).toEqual(before);
    const list = await listOf(service, version.id);
    expect(list.map(({ before }) => before)).toEqual(totals(before.entries.toReversed()));
    expect(list.map(({ after }) => after)).toEqual(totals(entries));
  });

  it('runs all loads before the operations, including baselines that were undone and loaded again', async ({
    service,
    sourceId,
  }) => {
    const { path, baseline } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 10, note: 'first' }));
    ok(await service.api.del(`/log/${baseline}`));
    ok(await service.api.post(`${path}/redo/${baseline}`, user));
    const { entries } = await replayed(service, path);
    expect(entries.map(({ operation, value_total }) => [operation, value_total])).toEqual([
      ['baseline', 1554],
      ['scale', 17.58],
    ]);
  });

  it('is refused at the first entry that cannot be replayed, and creates nothing', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'lost', GRAIN_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...user, slice: { region: 'South' }, pct: 1 }));
    const rows = ok(
      await service.api.post(`${path}/scale`, { ...north, pct: 5, note: 'spring' }),
    ).body;
    ok(await service.api.post(`${path}/recode`, { ...north, set: { region: 'East' } }));
    await service.query(`UPDATE public.lost SET region = 'Nord' WHERE region = 'North'`);
    const sentence = `No version was created, because entry ${rows[0].pf_logid} (scale, “spring”) cannot be replayed: The slice matches no row`;
    for (const on_failure of [undefined, null, 'refuse']) {
      await refused(service, () => replay(service, path, { on_failure }), 422, sentence);
    }
    const tables = await service.query(
      `SELECT FROM pg_tables WHERE schemaname = 'pf' AND tablename LIKE 'fc\\_lost\\_%'`,
    );
    expect(tables).toHaveLength(1);
  });

  it('skips entries that cannot be replayed on request, and gives the reason', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'skipped', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/baseline`, { ...user, raw_where: `region = 'North'` }));
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
    ok(
      await service.api.post(`${path}/scale`, {
        ...user,
        slice: { region: 'South' },
        value_incr: 2,
      }),
    );
    ok(await service.api.post(`${path}/recode`, { ...north, set: { region: 'South' } }));
    await service.query(`UPDATE public.skipped SET region = 'Nord' WHERE region = 'North'`);
    const { version, entries } = await replayed(service, path, { on_failure: 'skip' });
    const none = { to: null, row_count: 0, value_total: 0, units_total: 0 };
    expect(entries.map(({ from: _, ...entry }) => entry)).toEqual([
      expect.objectContaining({ operation: 'baseline', row_count: 12, reason: null }),
      {
        ...none,
        operation: 'baseline',
        reason: 'No row of the source matches; nothing was loaded',
      },
      { ...none, operation: 'scale', reason: 'The slice matches no row' },
      expect.objectContaining({ operation: 'scale', value_total: 2, reason: null }),
      { ...none, operation: 'recode', reason: 'The slice matches no row' },
    ]);
    const made = await logOf(service, `/versions/${version.id}`);
    expect(made.entries.map(({ id }: { id: number }) => id).toReversed()).toEqual(
      entries.flatMap(({ to }) => to ?? []),
    );
    const list = await listOf(service, version.id);
    expect(list.map(({ to, reason }) => ({ to, reason }))).toEqual(
      entries.map(({ to, reason }) => ({ to, reason })),
    );

    // A version of nothing but skipped entries is allowed.
    await service.query('DELETE FROM public.skipped');
    const empty = await replayed(service, path, { on_failure: 'skip' });
    expect(empty.entries.map(({ to }) => to)).toEqual([null, null, null, null, null]);
    expect((await logOf(service, `/versions/${empty.version.id}`)).entries).toEqual([]);
  });

  it('replays an empty version, a copy, and a replay', async ({ service, sourceId }) => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
    const copy = ok(await service.api.post(`${path}/copy`, { ...user, name: name() })).body.id;
    const first = await replayed(service, `/versions/${copy}`);
    const second = await replayed(service, `/versions/${first.version.id}`);
    expect(totals(second.entries)).toEqual(
      totals((await logOf(service, path)).entries.toReversed()),
    );
    const [entry] = (await logOf(service, `/versions/${second.version.id}`)).entries;
    expect(entry.params).toEqual({ pct: 5, replayed_from: first.entries[1]?.to });

    ok(await service.api.del(path));
    ok(await service.api.del(`/log/${first.entries[0]?.to}`));
    ok(await service.api.del(`/log/${first.entries[1]?.to}`));
    const nothing = await replayed(service, `/versions/${first.version.id}`);
    expect(nothing.entries).toEqual([]);
    expect(await listOf(service, nothing.version.id)).toEqual([]);
  });

  it('treats changed columns of the source as an entry’s reason, not as a failure of the service', async ({
    service,
  }) => {
    const columns: ColumnSave[] = ORDER_COLUMNS.filter(({ cname }) => cname !== 'Order Year');
    const sourceId = await ordersIn(service, 'columns', columns);
    const { api } = service;
    const { path } = await makePlan(service, sourceId);
    ok(await api.post(`${path}/baseline`, { ...user, raw_where: `channel = 'shop'` }));
    ok(await api.post(`${path}/scale`, { ...north, pct: 5 }));
    ok(
      await api.post(`${path}/scale`, { ...user, slice: { select: 'x', region: 'South' }, pct: 5 }),
    );
    const reasonsAfter = async () =>
      (await replayed(service, path, { on_failure: 'skip' })).entries.map(({ reason }) => reason);

    // A condition on a column that can no longer be used.
    ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'channel', role: 'ignore' }]));
    expect(await reasonsAfter()).toEqual([null, expect.stringMatching(/channel/), null, null]);
    await refused(service, () => replay(service, path), 422, /cannot be replayed: .*channel/);
    await service.query('ALTER TABLE public.columns DROP COLUMN channel');
    expect(await reasonsAfter()).toEqual([null, expect.stringMatching(/channel/), null, null]);

    // A role that has changed since the SQL was generated.
    ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'select', role: 'filter' }]));
    for (const reason of await reasonsAfter()) expect(reason).toMatch(/./);
    await refused(service, () => replay(service, path), 422, /cannot be replayed: .*select/);
    ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'select', role: 'dimension' }]));

    // A key that the source marks since then: the slice names a dimension that is not a key.
    ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', is_key: true }]));
    expect(await reasonsAfter()).toEqual([
      null,
      expect.any(String),
      null,
      expect.stringMatching(/"select" is not marked as a key/),
    ]);
    ok(await api.put(`/sources/${sourceId}/columns`, [{ cname: 'region', is_key: false }]));

    // A column that the table has lost.
    await service.query('ALTER TABLE public.columns DROP COLUMN "select"');
    for (const reason of await reasonsAfter()) expect(reason).toMatch(/./);
    await refused(service, () => replay(service, path), 422, /cannot be replayed: .*select/);
    await service.query('DROP TABLE public.columns');
    for (const reason of await reasonsAfter()) expect(reason).toMatch(/./);
  });

  it('never runs an entry on a wider slice because a column is no longer a dimension', async ({
    service,
  }) => {
    await service.query(`
      CREATE TABLE public.widened (region text, year integer, pieces integer, amount numeric(12,2));
      INSERT INTO public.widened VALUES ('a', 1, 10, 100), ('a', 2, 20, 200)`);
    const sourceId = await makeSource(service, 'widened', [
      { cname: 'region', role: 'dimension' },
      { cname: 'year', role: 'dimension' },
      { cname: 'amount', role: 'value' },
    ]);
    const { path } = await makePlan(service, sourceId);
    const scales = [
      { slice: { region: 'a', year: 1 }, pct: 10 },
      { edits: [{ slice: { region: 'a', year: 1 }, pct: 10 }] },
      { slice: { region: 'a' }, pct: 10, hold: [{ region: 'a', year: 2 }] },
      { slice: { region: 'a', pieces: 3 }, pct: 10 },
    ];
    for (const body of scales) ok(await service.api.post(`${path}/scale`, { ...user, ...body }));
    ok(await service.api.put(`/sources/${sourceId}/columns`, [{ cname: 'year', role: 'units' }]));
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    const { entries } = await replayed(service, path, { on_failure: 'skip' });
    const reason =
      '"year" is no longer a dimension or date of the source, so it cannot select rows';
    expect(entries.map((entry) => entry.reason)).toEqual([null, reason, reason, reason, null]);
    expect(entries.at(-1)?.value_total).toBe(30);
  });

  it('copies the locks at the end, with their creators, and is not blocked by them', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
    const closed = { pf_user: 'bob', note: 'closed' };
    ok(await service.api.post(`${path}/locks`, { ...closed, slice: {} }));
    const before = ok(await service.api.get(`${path}/locks`)).body;
    const { version, entries } = await replayed(service, path);
    expect(totals(entries)).toEqual(totals((await logOf(service, path)).entries.toReversed()));
    const copied = `/versions/${version.id}`;
    expect(ok(await service.api.get(`${copied}/locks`)).body).toEqual([
      { ...before[0], id: expect.any(Number), version_id: version.id },
    ]);
    await refused(service, () => service.api.post(`${copied}/baseline`, user), 423, /bob/);
  });

  it('replays a closed version, but no version of an archived source', async ({ service }) => {
    const sourceId = await ordersIn(service, 'archived', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/close`, user));
    const { version } = await replayed(service, path);
    expect(version.status).toBe('open');
    ok(await service.api.patch(`/sources/${sourceId}`, { status: 'archived' }));
    await refused(service, () => replay(service, path), 409, /archived/);
  });

  it('is refused without name or user, with an existing name, and for an unknown version', async ({
    service,
    sourceId,
  }) => {
    const { path } = await makePlan(service, sourceId, { name: 'Taken' });
    const send = (body: object) => () => service.api.post(`${path}/replay`, body);
    await refused(service, send({ name: 'x' }), 400, /pf_user/);
    await refused(service, send(user), 400, /name/);
    await refused(service, send({ ...user, name: 'x', on_failure: 'ignore' }), 400, /on_failure/);
    await refused(service, send({ ...user, name: 'Taken' }), 409, /"Taken"/);
    await refused(service, () => replay(service, '/versions/999999'), 404);
    await refused(service, () => service.api.get('/versions/999999/replayed'), 404);
    expect(await listOf(service, Number(path.split('/')[2]))).toEqual([]);
  });

  it('is created once per name and per key, also on two servers', async ({ service, sourceId }) => {
    const server = await startServer({ database: service.database });
    try {
      const { path } = await makePlan(service, sourceId);
      ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
      const held = await hold(service, 'LOCK TABLE public.orders IN ACCESS EXCLUSIVE MODE');
      const body = JSON.stringify({ ...user, name: name() });
      const send = (api: typeof service.api, key: string) => () =>
        api.send(`${path}/replay`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body,
        });
      const [first, second] = await race(service, held, [
        send(service.api, 'one'),
        send(apiAt(server.url), 'two'),
      ]);
      expect([first?.status, second?.status]).toEqual([201, 409]);
      const again = await send(apiAt(server.url), 'one')();
      expect([again.status, again.body]).toEqual([201, first?.body]);
    } finally {
      await server.stop();
    }
  });

  it('does not block writers of the original, and replays one snapshot of it', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'busy', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...north, pct: 5 }));
    const before = await logOf(service, path);
    const held = await hold(service, 'LOCK TABLE public.busy IN ACCESS EXCLUSIVE MODE');
    // The maximum number of concurrent writers of one version.
    const answer = replayed(service, path);
    const others = [replayed(service, path), replayed(service, path)];
    await untilWaiting(service, 3);
    ok(await service.api.post(`${path}/scale`, { ...north, value_incr: 1000 }));
    ok(await service.api.del(`/log/${before.entries[0].id}`));
    await held.release();
    const { version, entries } = await answer;
    await Promise.all(others);
    expect(totals(entries)).toEqual(totals(before.entries.toReversed()));

    // The stored results survive the original, and are deleted with the replay.
    const list = await listOf(service, version.id);
    ok(await service.api.del(path));
    expect(await listOf(service, version.id)).toEqual(list);
    ok(await service.api.del(`/versions/${version.id}`));
    expect(
      await service.query(`SELECT FROM pf.replayed WHERE version_id = $1`, [version.id]),
    ).toEqual([]);
  });

  it('does not wait for writers of the original, and copies the existing locks', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const lock = { ...north, note: 'closed' };
    ok(await service.api.post(`${path}/locks`, lock));
    const held = await holdVersion(service, versionId);
    const answer = await service.api.send(`${path}/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'beside a writer' },
      body: JSON.stringify({ ...user, name: name() }),
    });
    await held.release();
    const { version } = ok(answer).body;
    const locks = ok(await service.api.get(`/versions/${version.id}/locks`)).body;
    expect(locks).toMatchObject([{ slice: lock.slice, note: 'closed', created_by: 'ann' }]);
  });

  it('is refused if the original is deleted meanwhile', async ({ service }) => {
    const sourceId = await ordersIn(service, 'gone', ORDER_COLUMNS);
    const { path } = await makePlan(service, sourceId);
    const held = await hold(service, 'LOCK TABLE public.gone IN ACCESS EXCLUSIVE MODE');
    const answer = replay(service, path);
    await untilWaiting(service, 1);
    ok(await service.api.del(path));
    await held.release();
    expect((await answer).status).toBe(404);
    expect(ok(await service.api.get(`/sources/${sourceId}/versions`)).body).toEqual([]);
  });
});

describe('A history on unchanged data', () => {
  const region = fc.constantFrom('North', 'South', 'East', null, '');
  const slice = fc.oneof(
    fc.constant({}),
    fc.record({ region }),
    fc.record({ 'sub-category': fc.constantFrom('Chairs', 'Tables', 'Lamps') }),
    fc.record({ region: fc.array(region, { minLength: 1, maxLength: 3 }) }),
    fc.constant({ 'Order Date': { from: '2026-02-01', to: '2026-04-30' } }),
  );
  const amount = fc.integer({ min: -9999, max: 9999 }).map((cents) => cents / 100);
  const set = fc.oneof(fc.record({ region }), fc.constant({ 'Order Date': '2027-03-31' }));
  const load = fc.record({
    operation: fc.constantFrom('baseline', 'reference'),
    body: fc.record({
      raw_where: fc.constantFrom('TRUE', `channel = 'web'`, `pieces > 1`),
      date_offset: fc.constantFrom('0 days', '1 year', '1 month'),
    }),
  });
  const change = fc.oneof(
    fc.record({
      operation: fc.constant('scale'),
      body: fc.oneof(
        fc.record({ slice, pct: amount }),
        fc.record({ slice, value_incr: amount, units_incr: fc.integer({ min: -9, max: 9 }) }),
        fc.record({ slice, value_incr: amount, spread: fc.constant('equal') }),
        fc.record({ slice, value_incr: amount, hold: fc.array(slice, { maxLength: 1 }) }),
        fc.record({
          edits: fc.array(fc.record({ slice, value_incr: amount }), { minLength: 1, maxLength: 3 }),
        }),
      ),
    }),
    fc.record({ operation: fc.constant('recode'), body: fc.record({ slice, set }) }),
    fc.record({
      operation: fc.constant('clone'),
      body: fc.record({ slice, set, scale_factor: amount }),
    }),
  );

  it('gives the same results when it is replayed, entry by entry and leaf by leaf', async ({
    service,
    sourceId,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(load, { minLength: 1, maxLength: 2 }),
        fc.array(fc.tuple(change, fc.boolean()), { minLength: 1, maxLength: 7 }),
        async (loads, changes) => {
          const { path, versionId } = await makePlan(service, sourceId);
          for (const { operation, body } of loads) {
            ok(await service.api.post(`${path}/${operation}`, { ...user, ...body }));
          }
          for (const [{ operation, body }, isUndone] of changes) {
            const { status, body: rows } = await service.api.post(`${path}/${operation}`, {
              ...user,
              ...body,
            });
            // An entry that is undone immediately is not the base of another one.
            if (status === 200 && isUndone) ok(await service.api.del(`/log/${rows[0].pf_logid}`));
          }
          const { version, entries } = await replayed(service, path);
          expect(totals(entries)).toEqual(
            totals((await logOf(service, path)).entries.toReversed()),
          );
          const leaves = await leavesOf(service, 'orders', versionId);
          expect(await leavesOf(service, 'orders', version.id)).toEqual(leaves);
        },
      ),
      { numRuns: 25 },
    );
  }, 120_000);
});
