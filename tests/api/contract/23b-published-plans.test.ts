// Tests docs/contract/23-names-and-published-plans.md.
import { afterAll, describe, expect } from 'vitest';
import type { ColumnSave } from '../../../src/lib/contract/columns';
import { LOCAL_VERSIONS } from '../../support/cluster';
import { queryOn, type Query, type Service } from '../../support/service';
import { it as base, makePlan, makeSource, ok, ORDER_COLUMNS, ORDERS, refused } from './orders';

// Workers of a distributed version ask the reading role for more than a grant on the view.
const it = base.extend('env', { scope: 'file' }, LOCAL_VERSIONS);

const user = { pf_user: 'ann' };
const north = { ...user, slice: { region: 'North' } };

const publish = ({ api }: Service, versionId: number, body: Record<string, unknown>) =>
  api.put(`/versions/${versionId}/published`, { ...user, ...body });
const name = (service: Service, sourceId: number, current: string, version_id: number | null) =>
  service.api.put(`/sources/${sourceId}/current`, { ...user, name: current, version_id });

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** A program with a role of its own, which may use the schema of the views and nothing else. */
async function program({ database, query }: Service): Promise<{ role: string; read: Query }> {
  const role = `bi_${ends.length}_of_${database.database}`;
  await query(
    `CREATE ROLE "${role}" LOGIN PASSWORD 'bi'; GRANT USAGE ON SCHEMA pf_plans TO "${role}"`,
  );
  const { query: read, end } = queryOn({ ...database, user: role, password: 'bi' });
  ends.push(async () => {
    await end();
    await query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
  });
  return { role, read };
}

/** A source of its own, so that what other tests publish does not matter. */
async function ordersIn(service: Service, tname: string, columns: ColumnSave[] = ORDER_COLUMNS) {
  await service.query(ORDERS.replaceAll('public.orders', `public.${tname}`));
  return makeSource(service, tname, columns);
}

/** Makes entries of most kinds, on some rows and on rows that a reference excludes. */
async function planned({ api }: Service, path: string): Promise<void> {
  const requests: [string, object][] = [
    ['reference', { ...user, date_offset: '-1 year' }],
    ['scale', { ...north, value_incr: 100 / 3, note: 'up' }],
    ['recode', { ...user, slice: { region: 'South' }, set: { region: 'East' } }],
    ['clone', { ...north, set: { 'Order Date': '2027-01-31' }, scale_factor: 0.5 }],
  ];
  for (const [operation, body] of requests) ok(await api.post(`${path}/${operation}`, body));
}

const planTotals = async ({ api }: Service, path: string) =>
  ok(await api.get(`${path}/totals`)).body.plan;

const sumsOf = async (read: Query, view: string) => {
  const [row] = await read(
    `SELECT sum(amount)::float8 AS value_total, sum(pieces)::int AS units_total FROM ${view}`,
  );
  return row;
};

describe('PUT /versions/:id/published', () => {
  it('shows a role that has a grant on the views alone the leaves of the plan and its changes', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'shown');
    const label = { cname: 'amount', label: "Net sales, 'booked'" };
    ok(await service.api.put(`/sources/${sourceId}/columns`, [label]));
    const { path, versionId, table } = await makePlan(service, sourceId);
    await planned(service, path);
    const other = await makePlan(service, sourceId);
    ok(await service.api.post(`${other.path}/scale`, { ...north, pct: 900 }));

    const answer = await publish(service, versionId, { name: 'Budget "27"' });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...{ id: expect.any(Number), version_id: versionId, name: 'Budget "27"', current: null },
        ...{ created_by: 'ann', created_at: expect.any(String) },
        views: {
          plan: '"pf_plans"."Budget ""27"""',
          changes: '"pf_plans"."Budget ""27"" changes"',
        },
      },
    ]);
    const { plan, changes } = answer.body.views;
    const { role, read } = await program(service);
    await expect(read(`SELECT FROM ${plan}`)).rejects.toThrow('permission denied for view');
    await service.query(`GRANT SELECT ON ${plan}, ${changes} TO "${role}"`);

    const { value_total, units_total } = await planTotals(service, path);
    expect(await sumsOf(read, plan)).toEqual({ value_total, units_total });
    expect(await sumsOf(read, changes)).toEqual({ value_total, units_total });
    const keys = `"Order Date", "Order Year", region, "sub-category", "select", "a""b"`;
    // One row for each leaf, with the sums of its rows; nulls are leaves too.
    const leaves = (from: string, sums: string) =>
      `SELECT ${keys}, ${sums} FROM ${from} ORDER BY ${keys}`;
    expect(await read(leaves(plan, 'amount, pieces'))).toEqual(
      await service.query(
        leaves(
          `${table} WHERE pf_iter <> 'reference' GROUP BY ${keys}`,
          'sum(amount) AS amount, sum(pieces) AS pieces',
        ),
      ),
    );
    const rows = await read(
      `SELECT pf_op, pf_user, pf_note, count(*)::int, pf_stamp = max(pf_stamp) OVER () AS newest
       FROM ${changes} GROUP BY pf_logid, 1, 2, 3, pf_stamp ORDER BY pf_logid`,
    );
    expect(rows.map(({ pf_op, pf_note }) => [pf_op, pf_note])).toEqual([
      ['baseline', null],
      ['scale', 'up'],
      ['recode', null],
      ['clone', null],
    ]);
    expect(rows.map(({ newest }) => newest)).toEqual([false, false, false, true]);
    const comments = await read(
      `SELECT attname AS column, col_description(attrelid, attnum) AS comment FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
      [changes],
    );
    expect(comments.slice(5)).toEqual([
      { column: 'a"b', comment: null },
      { column: 'amount', comment: "Net sales, 'booked'" },
      { column: 'pieces', comment: null },
      { column: 'pf_logid', comment: 'Log entry' },
      { column: 'pf_op', comment: 'Operation' },
      { column: 'pf_user', comment: 'User' },
      { column: 'pf_stamp', comment: 'Time' },
      { column: 'pf_note', comment: 'Note' },
    ]);
    for (const closed of [table, other.table, 'pf.log', 'pf.published']) {
      await expect(read(`SELECT FROM ${closed}`)).rejects.toThrow(/permission denied/);
    }
    // What is written next is there at once, and an undo takes it away.
    const [{ pf_logid }] = ok(await service.api.post(`${path}/scale`, { ...north, pct: 10 })).body;
    const then = await planTotals(service, path);
    expect(then.value_total).not.toBe(value_total);
    expect((await sumsOf(read, plan)).value_total).toBe(then.value_total);
    ok(await service.api.del(`/log/${pf_logid}`));
    expect((await sumsOf(read, plan)).value_total).toBe(value_total);
  });

  it('adds up doubles and further measures as the totals do', async ({ service }) => {
    await service.query(`
      CREATE TABLE public.doubles (day date, region text, took interval, v double precision, cost numeric(9,3), pf_user text);
      INSERT INTO public.doubles SELECT '2026-01-31', 'r' || i % 3, CASE i % 2 WHEN 0 THEN '1 day' ELSE '24 hours' END::interval,
        i * 0.1, i * 0.007, 'me' FROM generate_series(1, 99) AS i`);
    const sourceId = await makeSource(service, 'doubles', [
      { cname: 'day', role: 'date' },
      ...['region', 'took', 'pf_user'].map((cname) => ({ cname, role: 'dimension' as const })),
      { cname: 'v', role: 'value' },
      { cname: 'cost', role: 'measure' },
    ]);
    const { path, versionId } = await makePlan(service, sourceId);
    ok(await service.api.post(`${path}/scale`, { ...user, slice: { region: 'r1' }, pct: -100 }));
    const { views } = ok(await publish(service, versionId, { name: 'doubles' })).body;
    const totals = await planTotals(service, path);
    for (const view of [views.plan, views.changes]) {
      const [row] = await service.query(
        `SELECT sum(v::text::numeric)::float8 AS value, sum(cost)::float8 AS cost FROM ${view}`,
      );
      expect([row.value, row.cost]).toEqual([totals.value_total, totals.measures.cost]);
    }
    // Three regions, and two texts of the same interval, as in the pivot; r1 nets to 0, not to noise.
    const rows = await service.query(`SELECT region, v, pf_user FROM ${views.plan} ORDER BY 1`);
    expect(rows).toHaveLength(6);
    expect(rows.filter(({ region }) => region === 'r1').map(({ v }) => v)).toEqual([0, 0]);
    // The column of the source has its name; that of the entry gives way.
    const [own] = await service.query(
      `SELECT pf_user, pf_user_ FROM ${views.changes} WHERE pf_op = 'scale' LIMIT 1`,
    );
    expect(own).toEqual({ pf_user: 'me', pf_user_: 'ann' });
  });

  it('moves views to another version of the source, with their grants and what others built on them', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'moved');
    const [one, two] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
    ok(await service.api.post(`${two.path}/scale`, { ...north, pct: 100 }));
    const first = ok(await publish(service, one.versionId, { name: 'moving' })).body;
    const { role, read } = await program(service);
    await service.query(`
      GRANT SELECT ON ${first.views.plan} TO "${role}";
      CREATE VIEW public.dashboard AS SELECT region, sum(amount) AS amount FROM ${first.views.plan} GROUP BY 1;
      GRANT SELECT ON public.dashboard TO "${role}"`);
    const second = ok(await publish(service, two.versionId, { name: 'moving' })).body;
    expect(second).toEqual({ ...first, version_id: two.versionId });
    const { value_total } = await planTotals(service, two.path);
    expect((await sumsOf(read, first.views.plan)).value_total).toBe(value_total);
    const [{ amount }] = await read('SELECT sum(amount)::float8 AS amount FROM public.dashboard');
    expect(amount).toBe(value_total);
    expect((await service.api.del(one.path)).status).toBe(204);
    await service.query('DROP VIEW public.dashboard');
  });

  it('follows a current name, and keeps its grants', async ({ service }) => {
    const sourceId = await ordersIn(service, 'followed');
    const [one, two] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
    ok(await service.api.post(`${two.path}/scale`, { ...north, pct: 100 }));
    await refused(
      service,
      () => publish(service, one.versionId, { name: 'following', current: 'budget' }),
      409,
      'The version does not have the current name "budget"; move it here first',
    );
    ok(await name(service, sourceId, 'budget', one.versionId));
    const asked = { name: 'following', current: 'budget' };
    const { views } = ok(await publish(service, one.versionId, asked)).body;
    const fixed = ok(await publish(service, one.versionId, { name: 'staying' })).body;
    const { role, read } = await program(service);
    await service.query(`GRANT SELECT ON ${views.plan}, ${views.changes} TO "${role}"`);
    ok(await name(service, sourceId, 'budget', two.versionId));
    const [before, after] = [
      await planTotals(service, one.path),
      await planTotals(service, two.path),
    ];
    expect((await sumsOf(read, views.plan)).value_total).toBe(after.value_total);
    expect((await sumsOf(read, views.changes)).value_total).toBe(after.value_total);
    expect((await sumsOf(service.query, fixed.views.plan)).value_total).toBe(before.value_total);
    const list = ok(await service.api.get(`/sources/${sourceId}/published`)).body;
    expect(list.map((p: { name: string; version_id: number }) => [p.name, p.version_id])).toEqual([
      ['following', two.versionId],
      ['staying', one.versionId],
    ]);
    await refused(
      service,
      () => name(service, sourceId, 'budget', null),
      409,
      'The published plan "pf_plans"."following" follows the current name "budget"; withdraw it first',
    );
  });

  it('keeps names and grants when the columns of the source change', async ({ service }) => {
    const sourceId = await ordersIn(service, 'regenerated');
    const { path, versionId } = await makePlan(service, sourceId);
    const { views } = ok(await publish(service, versionId, { name: 'Regenerated' })).body;
    const { role, read } = await program(service);
    const plain = `regional_of_${role}`;
    await service.query(`
      CREATE ROLE "${plain}";
      GRANT SELECT ON ${views.plan} TO "${role}" WITH GRANT OPTION;
      GRANT SELECT (region, amount) ON ${views.changes} TO "${plain}";
      GRANT SELECT ON ${views.changes} TO PUBLIC`);
    ends.push(() => service.query(`DROP OWNED BY "${plain}"; DROP ROLE "${plain}"`).then(() => {}));
    const grants = () =>
      service.query(
        `SELECT c.relname, c.relacl::text, (SELECT array_agg(attname || ' ' || attacl::text ORDER BY attname)
           FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL) AS columns
         FROM pg_class c WHERE c.relnamespace = 'pf_plans'::regnamespace AND relname LIKE 'Regenerated%' ORDER BY 1`,
      );
    const before = await grants();
    const columnsOf = async (view: string): Promise<string[]> => {
      const columns = await service.query(
        `SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
        [view],
      );
      return columns.map(({ attname }) => attname);
    };
    const save = async (columns: ColumnSave[]) => {
      ok(await service.api.put(`/sources/${sourceId}/columns`, columns));
      return service.api.post(`/sources/${sourceId}/sql`);
    };
    const { value_total } = await planTotals(service, path);
    const all = await columnsOf(views.plan);

    // A new column comes last in the plan and before the entry in the changes, which are therefore made again.
    ok(await save([{ cname: 'channel', role: 'dimension' }]));
    expect(await columnsOf(views.plan)).toHaveLength(all.length + 1);
    expect(await columnsOf(views.changes)).toContain('channel');
    expect(await grants()).toEqual(before);
    expect((await sumsOf(read, views.plan)).value_total).toBe(value_total);

    // The column is empty in the version, so it can go again.
    ok(await save([{ cname: 'channel', role: 'filter' }]));
    expect(await columnsOf(views.plan)).toEqual(all);
    expect(await grants()).toEqual(before);
    expect((await sumsOf(read, views.plan)).value_total).toBe(value_total);

    // A generation without a change, and one of a label, keep what others built on the view.
    await service.query(`CREATE VIEW public.built AS SELECT region FROM ${views.changes}`);
    ok(await save([{ cname: 'region', label: 'Sales region' }]));
    const [{ comment }] = await service.query(
      `SELECT col_description($1::regclass, attnum) AS comment FROM pg_attribute
       WHERE attrelid = $1::regclass AND attname = 'region'`,
      [views.plan],
    );
    expect(comment).toBe('Sales region');
    ok(
      await service.api.put(`/sources/${sourceId}/columns`, [
        { cname: 'channel', role: 'dimension' },
      ]),
    );
    await refused(
      service,
      () => service.api.post(`/sources/${sourceId}/sql`),
      409,
      'The view "pf_plans"."Regenerated changes" has to be dropped, but others use it: view public.built depends on view pf_plans."Regenerated changes"',
    );
    expect((await sumsOf(read, views.plan)).value_total).toBe(value_total);
    await service.query('DROP VIEW public.built');
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    expect(await grants()).toEqual(before);
  });

  it('does not get back a right that an administrator took from one view', async ({ service }) => {
    const sourceId = await ordersIn(service, 'revoked');
    const { versionId } = await makePlan(service, sourceId);
    ok(await publish(service, versionId, { name: 'first of the schema' }));
    const { role, read } = await program(service);
    await service.query(
      `ALTER DEFAULT PRIVILEGES IN SCHEMA pf_plans GRANT SELECT ON TABLES TO "${role}"`,
    );
    const { views } = ok(await publish(service, versionId, { name: 'Revoked' })).body;
    expect(await read(`SELECT FROM ${views.plan} LIMIT 1`)).toHaveLength(1);
    await service.query(`REVOKE SELECT ON ${views.plan} FROM "${role}"`);
    ok(
      await service.api.put(`/sources/${sourceId}/columns`, [
        { cname: 'channel', role: 'dimension' },
      ]),
    );
    ok(await service.api.post(`/sources/${sourceId}/sql`));
    await expect(read(`SELECT FROM ${views.plan}`)).rejects.toThrow('permission denied for view');
    expect(await read(`SELECT FROM ${views.changes} LIMIT 1`)).toHaveLength(1);
  });

  it('keeps the options and comments that an administrator has set on its views', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'optioned');
    const { versionId } = await makePlan(service, sourceId);
    const { views } = ok(await publish(service, versionId, { name: 'Optioned' })).body;
    await service.query(`
      ALTER VIEW ${views.plan} SET (security_invoker = on, security_barrier);
      ALTER VIEW ${views.changes} SET (security_invoker = on);
      COMMENT ON VIEW ${views.changes} IS 'Ann''s, ask first'`);
    const state = () =>
      service.query(
        `SELECT relname, reloptions, obj_description(oid, 'pg_class') AS comment FROM pg_class
         WHERE relnamespace = 'pf_plans'::regnamespace AND relname LIKE 'Optioned%' ORDER BY 1`,
      );
    const before = await state();
    // The first change replaces the views, and the column makes those of the changes again.
    for (const change of [
      { cname: 'region', label: 'Sales region' },
      { cname: 'channel', role: 'dimension' },
    ]) {
      ok(await service.api.put(`/sources/${sourceId}/columns`, [change]));
      expect(await state()).toEqual(before);
      ok(await service.api.post(`/sources/${sourceId}/sql`));
      expect(await state()).toEqual(before);
    }
    expect(await service.query(`SELECT channel FROM ${views.changes}`)).not.toHaveLength(0);
  });

  it('has rows by SQL that no log entry knows in both views', async ({ service }) => {
    const sourceId = await ordersIn(service, 'unlogged');
    const { path, versionId, table } = await makePlan(service, sourceId);
    const { views } = ok(await publish(service, versionId, { name: 'unlogged' })).body;
    await service.query(
      `INSERT INTO ${table} (region, amount, pieces, pf_iter, pf_logid)
       VALUES ('West', 7, 1, 'baseline', 2147483647)`,
    );
    const { value_total, units_total } = ok(await service.api.get(`${path}/log`)).body;
    for (const view of [views.plan, views.changes]) {
      expect(await sumsOf(service.query, view)).toEqual({ value_total, units_total });
    }
    expect(
      await service.query(
        `SELECT amount::int, pf_logid FROM ${views.changes} WHERE region = 'West'`,
      ),
    ).toEqual([{ amount: 7, pf_logid: null }]);
  });

  it('has the rows of other origins once the version excludes others', async ({ service }) => {
    const sourceId = await ordersIn(service, 'origins');
    const { path, versionId } = await makePlan(service, sourceId);
    await planned(service, path);
    const { views } = ok(await publish(service, versionId, { name: 'origins' })).body;
    for (const exclude_iters of [['clone', 'scale'], []]) {
      ok(await service.api.patch(path, { exclude_iters }));
      const { value_total } = await planTotals(service, path);
      for (const view of [views.plan, views.changes]) {
        expect((await sumsOf(service.query, view)).value_total).toBe(value_total);
      }
    }
  });

  it('keeps a closed version, and its version from being deleted', async ({
    service,
    sourceId,
  }) => {
    const { path, versionId } = await makePlan(service, sourceId);
    const { id, views } = ok(await publish(service, versionId, { name: 'Kept' })).body;
    ok(await service.api.post(`${path}/close`, user));
    expect(await service.query(`SELECT FROM ${views.plan}`)).not.toHaveLength(0);
    ok(await service.api.post(`${path}/open`, user));
    await refused(
      service,
      () => service.api.del(path),
      409,
      'The version is published as "pf_plans"."Kept"; withdraw it first',
    );
    expect((await service.api.del(`/published/${id}`)).status).toBe(204);
    await expect(service.query(`SELECT FROM ${views.changes}`)).rejects.toThrow('does not exist');
    expect((await service.api.del(path)).status).toBe(204);
    expect((await service.api.del(`/published/${id}`)).status).toBe(404);
  });

  it('names views with any characters up to 55 bytes', async ({ service, sourceId }) => {
    const { versionId } = await makePlan(service, sourceId);
    for (const each of ["Größe's {{x}}; --", 'select', 'é'.repeat(27), 'x'.repeat(55)]) {
      const { id, views } = ok(await publish(service, versionId, { name: each })).body;
      expect(await service.query(`SELECT FROM ${views.changes}`)).not.toHaveLength(0);
      const found = await service.query(
        `SELECT relname FROM pg_class WHERE relnamespace = 'pf_plans'::regnamespace AND relname = ANY ($1)`,
        [[each, `${each} changes`]],
      );
      expect(found).toHaveLength(2);
      expect((await service.api.del(`/published/${id}`)).status).toBe(204);
    }
  });

  it.for<[string, Record<string, unknown>, RegExp]>([
    ['no name', {}, /name is missing/],
    ['56 bytes', { name: 'é'.repeat(28) }, /^name: must be at most 55 bytes/],
    ['an invisible character', { name: 'a\u200bb' }, /^name: must not contain/],
  ])('refuses %s', async ([, body, message], { service, sourceId }) => {
    const { versionId } = await makePlan(service, sourceId);
    await refused(service, () => publish(service, versionId, body), 400, message);
  });

  it('refuses names that are taken', async ({ service, sourceId }) => {
    const { versionId } = await makePlan(service, sourceId);
    const other = await makePlan(service, await ordersIn(service, 'takes'));
    ok(await publish(service, other.versionId, { name: 'Taken' }));
    await service.query('CREATE TABLE pf_plans."Theirs changes" (a int)');
    for (const [taken, shown] of [
      ['Taken', 'Taken changes'],
      ['Taken changes', 'Taken changes changes'],
      ['Theirs', 'Theirs changes'],
    ] as const) {
      await refused(
        service,
        () => publish(service, versionId, { name: taken }),
        409,
        `There is a view "${taken}" or "${shown}" already; choose another name`,
      );
    }
    await service.query('DROP TABLE pf_plans."Theirs changes"');
    await refused(service, () => publish(service, 2147483647, { name: 'x' }), 404, /version/);
    const tables = ok(await service.api.get('/tables')).body;
    expect(tables.map(({ schema }: { schema: string }) => schema)).not.toContain('pf_plans');
  });

  it('makes dropped views again without their grants, once they are published or generated again', async ({
    service,
  }) => {
    const sourceId = await ordersIn(service, 'dropped');
    const [one, two] = [await makePlan(service, sourceId), await makePlan(service, sourceId)];
    ok(await service.api.post(`${two.path}/scale`, { ...north, pct: 100 }));
    ok(await name(service, sourceId, 'dropped', one.versionId));
    const asked = { name: 'Dropped', current: 'dropped' };
    const { views } = ok(await publish(service, one.versionId, asked)).body;
    const other = ok(await publish(service, two.versionId, { name: 'Dropped too' })).body;
    const { role, read } = await program(service);
    const granted = `GRANT USAGE ON SCHEMA pf_plans TO "${role}"; GRANT SELECT ON ${views.plan} TO "${role}"`;
    const repairs = [
      () => publish(service, one.versionId, asked),
      () => service.api.post(`/sources/${sourceId}/sql`),
      () => name(service, sourceId, 'dropped', two.versionId),
    ];
    for (const repair of repairs) {
      await service.query(granted);
      expect(await read(`SELECT FROM ${views.plan} LIMIT 1`)).toHaveLength(1);
      await service.query('DROP SCHEMA pf_plans CASCADE');
      const listed = ok(await service.api.get(`/sources/${sourceId}/published`)).body;
      expect(listed.map((p: { name: string }) => p.name)).toEqual(['Dropped', 'Dropped too']);
      ok(await repair());
      const { version_id } = ok(await service.api.get(`/sources/${sourceId}/published`)).body[0];
      const { value_total } = await planTotals(service, `/versions/${version_id}`);
      for (const view of [views.plan, views.changes]) {
        expect((await sumsOf(service.query, view)).value_total).toBe(value_total);
      }
      await expect(read(`SELECT FROM ${views.plan}`)).rejects.toThrow('permission denied');
    }
    // The withdrawal of a plan whose views are gone.
    expect((await service.api.del(`/published/${other.id}`)).status).toBe(204);
  });
});
