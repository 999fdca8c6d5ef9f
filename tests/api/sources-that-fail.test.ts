import { describe, expect } from 'vitest';
import { startServer, type Server } from '../../src/demo/server';
import { it as base, makeSource, makeVersion, ok } from './contract/orders';
import { LOCAL_VERSIONS } from '../support/cluster';
import { apiAt, type Api } from '../support/http';
import type { Service } from '../support/service';

// A source may be a view that fails, or a foreign table whose server is unreachable.
const it = base.extend('env', { scope: 'file' }, LOCAL_VERSIONS);

interface Failing {
  name: string;
  /** Creates the table `failing`, which can be read. */
  make: string;
  /** Makes it fail. */
  spoil: string;
  /** A part of PostgreSQL's own sentence. */
  says: string;
}

const rows = `SELECT n AS k, 'r' || n AS region, 10 * n AS amount FROM generate_series(1, 3) AS n`;

const FAILING: Failing[] = [
  {
    name: 'materialized view without rows',
    make: `CREATE MATERIALIZED VIEW failing AS ${rows}`,
    spoil: 'REFRESH MATERIALIZED VIEW failing WITH NO DATA',
    says: 'materialized view "failing" has not been populated',
  },
  {
    name: 'foreign table whose server is away',
    make: `CREATE EXTENSION postgres_fdw;
      CREATE TABLE origin AS ${rows};
      CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'HOST', port 'PORT', dbname 'DATABASE');
      CREATE USER MAPPING FOR PUBLIC SERVER elsewhere OPTIONS (user 'USER', password 'PASSWORD');
      CREATE FOREIGN TABLE failing (k int, region text, amount int) SERVER elsewhere OPTIONS (schema_name 'public', table_name 'origin')`,
    spoil: `ALTER SERVER elsewhere OPTIONS (SET port '1');
      SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'postgres_fdw'`,
    says: 'could not connect to server "elsewhere"',
  },
  {
    name: 'foreign table whose table is gone',
    make: "DROP FOREIGN TABLE IF EXISTS failing; ALTER SERVER elsewhere OPTIONS (SET port 'PORT'); CREATE FOREIGN TABLE failing (k int, region text, amount int) SERVER elsewhere OPTIONS (table_name 'origin')",
    spoil: 'ALTER TABLE origin RENAME TO moved',
    says: 'relation "public.origin" does not exist',
  },
  {
    name: 'table with a row policy that needs a setting',
    make: `CREATE TABLE failing AS ${rows}; GRANT SELECT ON failing TO PUBLIC`,
    spoil: `ALTER TABLE failing ENABLE ROW LEVEL SECURITY;
      CREATE POLICY tenants ON failing USING (region = current_setting('app.tenant'))`,
    says: 'unrecognized configuration parameter "app.tenant"',
  },
  {
    name: 'view of a table that may not be read',
    make: `CREATE TABLE inner_rows AS ${rows}; CREATE VIEW failing AS SELECT * FROM inner_rows`,
    spoil: 'ALTER VIEW failing OWNER TO ROLE',
    says: 'permission denied for table inner_rows',
  },
  {
    name: 'view that divides by zero',
    make: `CREATE TABLE factors AS ${rows}; CREATE VIEW failing AS SELECT k, region, 100 / amount AS amount FROM factors`,
    spoil: 'UPDATE factors SET amount = 0 WHERE k = 3',
    says: 'division by zero',
  },
  {
    name: 'view that raises an error',
    make: `CREATE FUNCTION checked(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN n; END';
      CREATE VIEW failing AS SELECT k, region, checked(amount::int) AS amount FROM (${rows}) AS r`,
    spoil: `CREATE OR REPLACE FUNCTION checked(n int) RETURNS int LANGUAGE plpgsql
      AS 'BEGIN RAISE EXCEPTION ''the ledger is closed''; END'`,
    says: 'the ledger is closed',
  },
  {
    name: 'view whose function calls one that is missing',
    make: `CREATE FUNCTION outer_one(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN n; END';
      CREATE VIEW failing AS SELECT k, region, outer_one(amount::int) AS amount FROM (${rows}) AS r`,
    spoil: `CREATE OR REPLACE FUNCTION outer_one(n int) RETURNS int LANGUAGE plpgsql
      AS 'BEGIN RETURN inner_one(n); END'`,
    says: 'function inner_one(integer) does not exist',
  },
  {
    name: 'view whose function reads a table that is missing',
    make: `CREATE FUNCTION looked_up(n int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN n; END';
      CREATE VIEW failing AS SELECT k, region, looked_up(amount::int) AS amount FROM (${rows}) AS r`,
    spoil: `CREATE OR REPLACE FUNCTION looked_up(n int) RETURNS int LANGUAGE plpgsql
      AS 'BEGIN RETURN (SELECT m FROM rates WHERE rates.n = looked_up.n); END'`,
    says: 'relation "rates" does not exist',
  },
];

let server: Server;
let api: Api;
let role: string;
/** The service under a role that owns none of the sources. */
let reader: Service;

it.beforeAll(async ({ service }) => {
  role = `reader_of_${service.database.database}`;
  await service.query(`
    CREATE ROLE ${role} LOGIN PASSWORD 'reader';
    GRANT USAGE, CREATE ON SCHEMA pf TO ${role};
    GRANT ALL ON ALL TABLES IN SCHEMA pf TO ${role};
    GRANT ALL ON ALL SEQUENCES IN SCHEMA pf TO ${role}`);
  server = await startServer({
    database: service.database,
    env: { DB_USER: role, DB_PASSWORD: 'reader', ...LOCAL_VERSIONS },
  });
  api = apiAt(server.url);
  reader = { ...service, api };
});
it.afterAll(async ({ service }) => {
  await server?.stop();
  await service.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
});

let count = 0;

it.for(FAILING)(
  'names the object, with PostgreSQL’s sentence, if it is a $name',
  async ({ make, spoil, says }, { service }) => {
    const { database } = service;
    const filled = (text: string) =>
      text
        .replaceAll('HOST', database.host)
        .replaceAll('PORT', String(database.port))
        .replaceAll('DATABASE', database.database)
        .replaceAll('USER MAPPING', 'user mapping')
        .replaceAll('USER', database.user)
        .replaceAll('user mapping', 'USER MAPPING')
        .replaceAll('PASSWORD', database.password)
        .replaceAll('ROLE', role);
    const tname = `failing_${(count += 1)}`;
    await service.query(`${filled(make)}; GRANT SELECT ON failing TO ${role}`);
    const statement = `failing`;
    const sourceId = await makeSource(reader, statement, [
      { cname: 'region', role: 'dimension' },
      { cname: 'amount', role: 'value' },
      { cname: 'k', role: 'filter' },
    ]);
    const path = `/versions/${await makeVersion(reader, sourceId)}`;
    const user = { pf_user: 'ann' };
    const undone = ok(await api.post(`${path}/baseline`, user)).body.logid;
    ok(await api.del(`/log/${undone}`));
    const { logid } = ok(await api.post(`${path}/baseline`, user)).body;
    await service.query(filled(spoil));

    const requests: [string, () => ReturnType<Api['get']>][] = [
      ['table preview', () => api.get('/tables/public/failing')],
      ['load preview', () => api.post(`${path}/baseline/preview`, {})],
      ['load', () => api.post(`${path}/baseline`, user)],
      [
        'load with a condition',
        () => api.post(`${path}/baseline`, { raw_where: 'k > 0', ...user }),
      ],
      ['reference', () => api.post(`${path}/reference`, user)],
      ['redo', () => api.post(`${path}/redo/${undone}`, user)],
      ['edit', () => api.put(`${path}/baseline/${logid}`, user)],
      ['values', () => api.get(`/sources/${sourceId}/values?cname=amount`)],
      [
        'grain estimate',
        () => api.post(`/sources/${sourceId}/grain-estimate`, { columns: ['amount'] }),
      ],
      ['replay', () => api.post(`${path}/replay`, { name: tname, ...user })],
    ];
    const before = (await api.get(`${path}/log`)).body;
    for (const [what, request] of requests) {
      const { status, body } = await request();
      expect([what, status, body.error]).toEqual([what, expect.any(Number), expect.any(String)]);
      expect([what, status >= 400 && status < 500, status]).toEqual([what, true, status]);
      expect([what, body.error]).toEqual([what, expect.stringContaining(says)]);
      // A value that cannot be computed may be part of the condition.
      if (what !== 'load with a condition' || says !== 'division by zero') {
        expect([what, status, body.error]).toEqual([
          what,
          422,
          expect.stringContaining('public.failing'),
        ]);
      }
      expect(body.error).not.toMatch(/SELECT|INSERT|127\.0\.0\.1|localhost|password|port \d/i);
    }
    expect((await api.get(`${path}/log`)).body).toEqual(before);
    expect((await api.get('/sources')).body).toHaveLength(2);
    // Undo does not read the source.
    expect((await api.del(`/log/${logid}`)).status).toBe(200);
    ok(await api.del(path));
    ok(await api.del(`/sources/${sourceId}`));
    const kinds = await service.query(`SELECT relkind FROM pg_class WHERE relname = 'failing'`);
    const kind = { m: 'MATERIALIZED VIEW', f: 'FOREIGN TABLE', r: 'TABLE', v: 'VIEW' }[
      kinds[0].relkind as 'm'
    ];
    await service.query(`DROP ${kind} failing`);
  },
);

it('names the object if a view cannot be forecast', async ({ service }) => {
  await service.query(`
    CREATE TABLE divisors AS ${rows};
    CREATE VIEW dated AS SELECT region, DATE '2026-01-01' + 31 * k AS day, 100 / amount AS amount FROM divisors;
    GRANT SELECT ON dated TO ${role}`);
  const sourceId = await makeSource(reader, 'dated', [
    { cname: 'region', role: 'dimension' },
    { cname: 'day', role: 'date' },
    { cname: 'amount', role: 'value' },
  ]);
  const path = `/versions/${await makeVersion(reader, sourceId)}`;
  await service.query('UPDATE divisors SET amount = 0 WHERE k = 3');
  const { status, body } = await api.post(`${path}/forecast/preview`, {
    unit: 'month',
    history: { through: '2026-12-31' },
    horizon: { from: '2027-01-01', through: '2027-03-31' },
  });
  expect([status, body.error]).toEqual([422, 'public.dated cannot be read: division by zero']);
});

it('names the object if SELECT on it was revoked', async ({ service }) => {
  await service.query(`CREATE TABLE mine AS ${rows}; GRANT SELECT ON mine TO ${role}`);
  const sourceId = await makeSource(reader, 'mine', [
    { cname: 'region', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ]);
  const path = `/versions/${await makeVersion(reader, sourceId)}`;
  ok(await api.post(`${path}/baseline`, { pf_user: 'ann' }));
  await service.query(`REVOKE SELECT ON mine FROM ${role}`);
  const answers = [
    await api.post(`${path}/baseline/preview`, {}),
    await api.post(`${path}/baseline`, { pf_user: 'ann' }),
    await api.get(`/sources/${sourceId}/values?cname=region`),
    await api.post(`/sources/${sourceId}/grain-estimate`, { columns: ['region'] }),
  ];
  for (const { status, body } of answers) {
    expect([status, body.error]).toEqual([
      422,
      'public.mine cannot be read: permission denied for table mine',
    ]);
  }
  const replay = await api.post(`${path}/replay`, { name: 'revoked', pf_user: 'ann' });
  expect([replay.status, replay.body.error]).toEqual([
    422,
    expect.stringContaining('public.mine cannot be read: permission denied for table mine'),
  ]);
  // For the service, a table that it cannot read does not exist.
  const preview = await api.get('/tables/public/mine');
  expect([preview.status, preview.body.error]).toEqual([404, 'There is no table public.mine']);
});

const SYSTEM = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

describe('columns of a view with the names of PostgreSQL’s own', () => {
  it.for(SYSTEM)('are refused in a forecast table: %s', async (cname, { service }) => {
    const view = `of_${cname}`;
    await service.query(`CREATE VIEW ${view} AS SELECT n AS "${cname}", n AS amount, 'r' AS region
      FROM generate_series(1, 2) AS n`);
    const { id } = ok(await service.api.post('/sources', { schema: 'public', tname: view })).body;
    const save = (role: string) =>
      service.api.put(`/sources/${id}/columns`, [
        { cname: 'amount', role: role === 'value' ? 'ignore' : 'value' },
        { cname, role },
        { cname: 'region', role: 'dimension' },
      ]);
    for (const wanted of ['dimension', 'value', 'units']) {
      const { status, body } = await save(wanted);
      expect([status, body.column, body.field]).toEqual([400, cname, '1.role']);
      expect(body.error).toContain(`Column "${cname}", role: this name is reserved for PostgreSQL`);
    }
    // A filter column is not in the forecast table.
    ok(await save('filter'));
    ok(await service.api.post(`/sources/${id}/sql`));
    const path = `/versions/${await makeVersion(service, id)}`;
    const filters = [[{ cname, op: '=', value: 2 }]];
    const loaded = await service.api.post(`${path}/baseline`, { filters, pf_user: 'ann' });
    expect([loaded.status, loaded.body.row_count]).toEqual([200, 1]);
    // An older build has saved the role.
    await service.query(
      `UPDATE pf.col_meta SET role = 'dimension' WHERE source_id = ${id} AND cname = '${cname}'`,
    );
    const generated = await service.api.post(`/sources/${id}/sql`);
    expect([generated.status, generated.body.column]).toEqual([422, cname]);
  });
});

it('refuses more columns than a table can have, with the limit', async ({ service }) => {
  const names = Array.from({ length: 1599 }, (_, i) => `c${i}`);
  await service.query(`CREATE TABLE wide (amount int, ${names.map((n) => `${n} int`).join(', ')})`);
  const { id } = ok(await service.api.post('/sources', { schema: 'public', tname: 'wide' })).body;
  const save = (count: number) =>
    service.api.put(`/sources/${id}/columns`, [
      { cname: 'amount', role: 'value' },
      ...names.map((cname, i) => ({ cname, role: i < count ? 'dimension' : 'ignore' })),
    ]);
  ok(await save(1596));
  for (const request of [
    () => service.api.get(`/sources/${id}/sql/preview`),
    () => service.api.post(`/sources/${id}/sql`),
  ]) {
    const { status, body } = await request();
    expect([status, body.error]).toEqual([422, expect.stringContaining('1,600')]);
  }
  ok(await save(1595));
  ok(await service.api.post(`/sources/${id}/sql`));
  const versionId = await makeVersion(service, id);
  // PostgreSQL counts dropped columns.
  ok(await save(1594));
  ok(await service.api.post(`/sources/${id}/sql`));
  ok(await save(1595));
  const again = await service.api.post(`/sources/${id}/sql`);
  expect([again.status, again.body.error]).toEqual([
    422,
    expect.stringContaining('at most 1600 columns'),
  ]);
  ok(await service.api.del(`/versions/${versionId}`));
});
