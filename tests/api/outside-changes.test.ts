import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type Server } from '../../src/demo/server';
import { cli } from '../support/cli';
import { LOCAL_VERSIONS } from '../support/cluster';
import { openEvents } from '../support/events';
import { apiAt, type Api } from '../support/http';
import { plan, type Planned } from '../support/planned';
import { hold } from '../support/race';
import { startService, type Service } from '../support/service';

/** Changes of rows by SQL from another program (docs/contract/04-data-loading.md#changes-by-sql). */

let service: Service;
let second: Server;
let apis: [Api, Api];
beforeAll(async () => {
  service = await startService('service', LOCAL_VERSIONS);
  second = await startServer({ database: service.database, env: LOCAL_VERSIONS });
  apis = [service.api, apiAt(second.url)];
});
afterAll(async () => {
  await second?.stop();
  await service?.stop();
});

let v: Planned;
/** The newest entry: a scale of two rows. */
let scaled: number;

beforeEach(async () => {
  v = await plan(
    service,
    [
      { name: 'Region', type: 'text', role: 'dimension', grain: true },
      { name: 'Day', type: 'date', role: 'date' },
      { name: 'Sales', type: 'numeric(12,2)', role: 'value' },
    ],
    ['North', 'South'].map((Region) => ({ Region, Day: '2027-01-31', Sales: 100 })),
  );
  expect((await service.api.post(`${v.path}/baseline`, { pf_user: 'ann' })).status).toBe(200);
  const scale = { pf_user: 'ann', slice: {}, value_incr: 20 };
  expect((await service.api.post(`${v.path}/scale`, scale)).status).toBe(200);
  scaled = (await service.api.get(`${v.path}/log`)).body.entries[0].id;
  // Both servers now cache rows and totals.
  for (const api of apis) await seen(api);
});

/** Returns the answers of a server about the version, and the tags of its rows. */
async function seen(api: Api) {
  const rows = async (endpoint: 'data' | 'agg') => {
    const answer = await api.get(`${v.path}/${endpoint}`);
    const table = answer.bytes.length === 0 ? [] : tableFromIPC(answer.bytes).toArray();
    const found = table.map((row) => `${row.Region} ${row.Sales}`).toSorted();
    return { found, tag: answer.headers.get('etag'), revision: answer.headers.get('x-revision') };
  };
  const [data, agg] = [await rows('data'), await rows('agg')];
  const csv = await api.get(`${v.path}/data`, { accept: 'text/csv' });
  const log = await api.get(`${v.path}/log`);
  const totals = (await api.get(`${v.path}/totals`)).body;
  const versions = (await api.get(`/sources/${v.sourceId}/versions`)).body;
  const one = await api.get(`${v.path}/data?logid=${scaled}`);
  return {
    answers: {
      data: data.found,
      agg: agg.found,
      csv: new TextDecoder().decode(csv.bytes).trim().split('\n').length - 1,
      entry: Number(one.headers.get('x-row-count')),
      log: log.body.entries.map((e: Record<string, number>) => [e.row_count, e.value_total]),
      total: log.body.value_total,
      months: totals.months.map((m: Record<string, unknown>) => [m.month, m.value_total]),
      plan: [totals.plan.row_count, totals.plan.value_total],
      home: versions.map((each: { row_count: number }) => each.row_count),
    },
    tags: [data.tag, agg.tag, one.headers.get('etag')],
    revisions: [data.revision, agg.revision, log.headers.get('x-revision')],
  };
}

const BEFORE = {
  data: ['North 10', 'North 100', 'South 10', 'South 100'],
  agg: ['North 10', 'North 100', 'South 10', 'South 100'],
  csv: 4,
  entry: 2,
  log: [
    [2, 20],
    [2, 200],
  ],
  total: 220,
  months: [['2027-01-01', 220]],
  plan: [4, 220],
  home: [4],
};

const CHANGES: Record<string, { statement: (v: Planned) => string; after: typeof BEFORE }> = {
  UPDATE: {
    statement: ({ table }) =>
      `UPDATE ${table} SET "Sales" = 1 WHERE "Region" = 'North' AND pf_logid = ${scaled}`,
    after: {
      ...BEFORE,
      data: ['North 1', 'North 100', 'South 10', 'South 100'],
      agg: ['North 1', 'North 100', 'South 10', 'South 100'],
      log: [
        [2, 11],
        [2, 200],
      ],
      total: 211,
      months: [['2027-01-01', 211]],
      plan: [4, 211],
    },
  },
  DELETE: {
    statement: ({ table }) =>
      `DELETE FROM ${table} WHERE "Region" = 'South' AND pf_logid = ${scaled}`,
    after: {
      data: ['North 10', 'North 100', 'South 100'],
      agg: ['North 10', 'North 100', 'South 100'],
      csv: 3,
      entry: 1,
      log: [
        [1, 10],
        [2, 200],
      ],
      total: 210,
      months: [['2027-01-01', 210]],
      plan: [3, 210],
      home: [3],
    },
  },
  INSERT: {
    statement: ({ table }) =>
      `INSERT INTO ${table} ("Region", "Day", "Sales", pf_iter, pf_logid)
       VALUES ('East', '2027-02-01', 5, 'scale', ${scaled})`,
    after: {
      data: ['East 5', ...BEFORE.data],
      agg: ['East 5', ...BEFORE.agg],
      csv: 5,
      entry: 3,
      log: [
        [3, 25],
        [2, 200],
      ],
      total: 225,
      months: [
        ['2027-01-01', 220],
        ['2027-02-01', 5],
      ],
      plan: [5, 225],
      home: [5],
    },
  },
  TRUNCATE: {
    statement: ({ table }) => `TRUNCATE ${table}`,
    after: {
      ...{ data: [], agg: [], csv: 0, entry: 0, total: 0, months: [], plan: [0, 0], home: [0] },
      log: [
        [0, 0],
        [0, 0],
      ],
    },
  },
};

describe.each(Object.keys(CHANGES))('%s by SQL', (name) => {
  it('appears in all answers of both servers, and in the tags of rows', async () => {
    const { statement, after } = CHANGES[name]!;
    const before = await seen(service.api);
    expect(before.answers).toEqual(BEFORE);
    expect(before.revisions).toEqual(['0', '0', '0']);
    await service.query(statement(v));
    const [here, there] = [await seen(apis[0]), await seen(apis[1])];
    expect(here.answers).toEqual(after);
    expect(there).toEqual(here);
    expect(here.tags).not.toEqual(before.tags);
    for (const [i, tag] of before.tags.entries()) expect(here.tags[i]).not.toBe(tag);
    expect(new Set(here.revisions).size).toBe(1);
    expect(here.revisions).not.toEqual(before.revisions);
    // The new rows are cached again.
    expect((await seen(apis[0])).tags).toEqual(here.tags);
    const known = await apis[0].get(`${v.path}/data`, { 'if-none-match': here.tags[0]! });
    expect(known.status).toBe(304);
  });

  it('makes open pages compare', async () => {
    const events = await openEvents(second.url, v.path);
    await events.next();
    await service.query(CHANGES[name]!.statement(v));
    expect(await events.events(1)).toMatchObject([{ event: 'resync' }]);
  });
});

it('is included in the answer and the record of an undo', async () => {
  await service.query(
    `UPDATE ${v.table} SET "Region" = 'East', "Sales" = 1 WHERE "Region" = 'North' AND pf_logid = ${scaled}`,
  );
  const { body } = await service.api.del(`/log/${scaled}`);
  expect(body.rows_deleted).toBe(2);
  expect(body.pf_gkeys.toSorted()).toEqual([
    `East\u001fscale\u001f${scaled}`,
    `South\u001fscale\u001f${scaled}`,
  ]);
  const [undone] = (await service.api.get(`${v.path}/undone`)).body;
  expect(undone).toMatchObject({ logid: scaled, row_count: 2, value_total: 11 });
});

it('is included in the answer of an undo if it is committed while the undo waits for its rows', async () => {
  const change = await hold(
    service,
    `UPDATE ${v.table} SET "Region" = 'East', "Sales" = 1 WHERE "Region" = 'North' AND pf_logid = ${scaled}`,
  );
  const undoing = service.api.del(`/log/${scaled}`);
  await expect
    .poll(async () => {
      const waiting = await service.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database()
           AND application_name = 'forecast-pivot' AND wait_event_type = 'Lock'`,
      );
      return waiting.length;
    })
    .toBe(1);
  await change.commit();
  const { body } = await undoing;
  expect(body.pf_gkeys).toContain(`East\u001fscale\u001f${scaled}`);
  const [undone] = (await service.api.get(`${v.path}/undone`)).body;
  expect(undone).toMatchObject({ row_count: 2, value_total: 11 });
});

it('appears only after its commit, and never after a rollback', async () => {
  const before = await seen(service.api);
  const change = await hold(service, CHANGES.UPDATE!.statement(v));
  // Neither reads nor writes of the service wait for it.
  expect(await seen(service.api)).toEqual(before);
  const added = await service.api.post(`${v.path}/scale`, {
    pf_user: 'ann',
    slice: { Region: 'South' },
    value_incr: 1,
  });
  expect(added.status).toBe(200);
  await change.release();
  const after = await seen(service.api);
  expect(after.revisions).toEqual(['0', '0', '0']);
  expect(after.answers).toMatchObject({ total: 221, home: [5] });
});

it('keeps the row counts of a copy and a replay right; both have the trigger', async () => {
  await service.query(CHANGES.DELETE!.statement(v));
  const copy = await service.api.post(`${v.path}/copy`, { name: 'Copy', pf_user: 'ann' });
  const replay = await service.api.post(`${v.path}/replay`, { name: 'Replay', pf_user: 'ann' });
  expect([copy.status, replay.status]).toEqual([201, 201]);
  const home = async (from: Api) =>
    (await from.get(`/sources/${v.sourceId}/versions`)).body.map(
      (each: { row_count: number }) => each.row_count,
    );
  expect(await home(apis[0])).toEqual([3, 3, 4]);
  for (const id of [copy.body.id, replay.body.version.id]) {
    const [{ name }] = await service.query(
      `SELECT oid::regclass::text AS name FROM pg_class WHERE relname LIKE 'fc\\_%\\_${id}' AND relkind = 'r'`,
    );
    const path = `/versions/${id}`;
    expect((await apis[1].get(`${path}/log`)).body.value_total).toBeGreaterThan(0);
    await service.query(`TRUNCATE ${name}`);
    expect((await apis[1].get(`${path}/log`)).body.value_total).toBe(0);
  }
  expect(await home(apis[1])).toEqual([3, 0, 0]);
});

it('may come from a role without rights on the tables of the service', async () => {
  const role = `editor_of_${service.database.database}`;
  await service.query(
    `CREATE ROLE ${role}; GRANT USAGE ON SCHEMA pf TO ${role};
     GRANT SELECT, UPDATE ON ${v.table} TO ${role}`,
  );
  await service.query(
    `BEGIN; SET LOCAL ROLE ${role}; ${CHANGES.UPDATE!.statement(v)}; COMMIT;
     DROP OWNED BY ${role}; DROP ROLE ${role}`,
  );
  expect((await seen(apis[1])).answers).toEqual(CHANGES.UPDATE!.after);
});

it('is not recorded for writes of the service', async () => {
  const scale = { pf_user: 'ann', slice: { Region: 'North' }, pct: 10 };
  expect((await service.api.post(`${v.path}/scale`, scale)).status).toBe(200);
  const [{ id }] = (await service.api.get(`${v.path}/log`)).body.entries;
  expect((await service.api.del(`/log/${id}`)).status).toBe(200);
  const load = { pf_user: 'ann', date_offset: '1 year' };
  expect((await service.api.post(`${v.path}/reference`, load)).status).toBe(200);
  expect((await service.api.del(`${v.path}/baseline`)).status).not.toBe(500);
  const { revisions } = await seen(service.api);
  expect(revisions).toEqual(['0', '0', '0']);
  expect(
    await service.query('SELECT FROM pf.outside_change WHERE version_id = $1', [v.id]),
  ).toEqual([]);
});

it('is noticed on forecast tables older than the trigger', async () => {
  await service.query(`
    DROP FUNCTION pf.note_outside_change CASCADE;
    DROP FUNCTION pf.add_outside_triggers;
    DROP TABLE pf.outside_change, pf.profile, pf.formula, pf.alert_group, pf.alert, pf.comment, pf.review_step, pf.review, pf.territory, pf.audit, pf.published, pf.current, pf.token, pf.lookup, pf.former_attribute;
    DROP FUNCTION pf.refuse_lookup;
    DROP FUNCTION pf.refuse_audit_change;
    ALTER TABLE pf.log DROP COLUMN counted_revision;
    ALTER TABLE pf.lock DROP COLUMN logid;
    ALTER TABLE pf.undone DROP COLUMN measures;
    ALTER TABLE pf.view DROP COLUMN within;
    ALTER TABLE pf.source DROP COLUMN needs;
    ALTER TABLE pf.version DROP COLUMN checked_at;
    DROP FUNCTION pf.note_territories;
    DELETE FROM pf.schema_version WHERE filename >= '013_outside_changes.sql'`);
  const migrated = await cli('migrate', ['up'], { database: service.database });
  expect(migrated.code).toBe(0);
  expect(migrated.stdout).toMatch(/^applied 013_outside_changes\.sql\n/);
  await service.query(CHANGES.UPDATE!.statement(v));
  expect((await seen(apis[1])).answers).toEqual(CHANGES.UPDATE!.after);
});

it('is deleted with its version', async () => {
  await service.query(CHANGES.UPDATE!.statement(v));
  const known = () => service.query('SELECT FROM pf.outside_change WHERE version_id = $1', [v.id]);
  expect(await known()).toHaveLength(1);
  expect((await service.api.del(v.path)).status).toBe(204);
  expect(await known()).toEqual([]);
});
