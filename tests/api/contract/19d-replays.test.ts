// Tests replays of docs/contract/19-planning-together.md.
import { describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import type { Service } from '../../support/service';
import { GRAIN_COLUMNS, it, makePlan, makeSource, ok, ORDER_COLUMNS, refused } from './orders';
import {
  ordersIn,
  north,
  logOf,
  replayed,
  name,
  leavesOf,
  listOf,
  totals,
  user,
  replay,
} from './replays';

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
  it('creates a version with the same entries, their users and times, with equal totals on equal data', async ({
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
          params: { ...entry.params, replayed_from: entry.id, replayed_by: 'eve' },
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

      // A later change has its own time.
      ok(await service.api.post(`/versions/${version.id}/scale`, { ...north, pct: 3 }));
      const [late] = (await logOf(service, `/versions/${version.id}`)).entries;
      expect(late.pf_user).toBe('ann');
      expect(Date.parse(late.stamp)).toBeGreaterThan(Date.parse(version.created_at));
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
    expect(entry.params).toEqual({
      pct: 5,
      replayed_from: first.entries[1]?.to,
      replayed_by: 'eve',
    });

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
});
