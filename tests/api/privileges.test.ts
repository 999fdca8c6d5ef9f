import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../src/lib/server/migrate/connect';
import { up } from '../../src/lib/server/migrate/runner';
import { cloneDatabase, dropDatabase } from '../support/cluster';
import { queryOn, startService, type Service } from '../support/service';
import { startServer, type Server } from '../../src/demo/server';
import { apiAt, type Api } from '../support/http';

let owner: Service;
let server: Server;
let api: Api;
let role: string;

beforeAll(async () => {
  owner = await startService();
  role = `reader_of_${owner.database.database}`;
  await owner.query(`
    CREATE ROLE ${role} LOGIN PASSWORD 'reader';
    GRANT USAGE, CREATE ON SCHEMA pf TO ${role};
    GRANT ALL ON ALL TABLES IN SCHEMA pf TO ${role};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA pf TO ${role};
    CREATE TABLE public.open_to_all (a int);
    GRANT SELECT ON public.open_to_all TO PUBLIC;
    CREATE TABLE public.kept_apart (a int);
    CREATE SCHEMA locked;
    CREATE TABLE locked.behind_a_door (a int);
    GRANT SELECT ON locked.behind_a_door TO PUBLIC`);
  server = await startServer({
    database: owner.database,
    env: { DB_USER: role, DB_PASSWORD: 'reader' },
  });
  api = apiAt(server.url);
});
afterAll(async () => {
  await server?.stop();
  await owner?.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await owner?.stop();
});

it('lists the tables that its database user can read, and knows no others', async () => {
  const { body } = await api.get('/tables');
  expect(body.map((t: { tname: string }) => t.tname)).toEqual(['open_to_all']);
  for (const [schema, tname, found] of [
    ['public', 'open_to_all', true],
    ['public', 'kept_apart', false],
    ['locked', 'behind_a_door', false],
  ] as const) {
    const preview = await api.get(`/tables/${schema}/${tname}`);
    expect([tname, preview.status]).toEqual([tname, found ? 200 : 404]);
    const registered = await api.post('/sources', { schema, tname });
    expect([tname, registered.status]).toEqual([tname, found ? 201 : 404]);
  }
});

it('names the privilege that making tables needs, and makes tables once it is granted', async () => {
  const send = () =>
    api.send('/files?name=sales', {
      method: 'POST',
      body: 'Region,Amount\nNorth,5\n',
      headers: { 'content-type': 'text/csv' },
    });
  const refused = await send();
  expect([refused.status, refused.body.error]).toEqual([
    422,
    `The database role of the service may not make tables in the schema pf_files: permission denied for database ${owner.database.database}. Grant it CREATE on the database, or make the schema and grant it CREATE there`,
  ]);
  await owner.query(`CREATE SCHEMA pf_files; GRANT USAGE, CREATE ON SCHEMA pf_files TO ${role}`);
  expect((await send()).status).toBe(201);
});

it('refuses to write a calendar that another role owns, and makes weeks where it may', async () => {
  await owner.query(`REVOKE INSERT, UPDATE ON pf.dim_period FROM ${role}`);
  const before = await owner.query('SELECT * FROM pf.dim_period ORDER BY sdat');
  const refused = await api.put('/calendar', { fiscal_start: 3 });
  expect([refused.status, refused.body.error]).toEqual([
    422,
    'The database role of the service may not write pf.dim_period: permission denied for table dim_period. Run npm run periods with a role that may',
  ]);
  expect(await owner.query('SELECT * FROM pf.dim_period ORDER BY sdat')).toEqual(before);
  await owner.query(`GRANT INSERT, UPDATE ON pf.dim_period TO ${role}`);
  expect((await api.put('/calendar', { fiscal_start: 3 })).status).toBe(200);
});

it('names the privilege that publishing a plan needs, and publishes it once it is granted', async () => {
  await owner.query(`
    CREATE TABLE public.published (region text, amount int);
    GRANT SELECT ON public.published TO ${role};
    INSERT INTO public.published VALUES ('North', 5)`);
  const { id } = (await api.post('/sources', { schema: 'public', tname: 'published' })).body;
  await api.put(`/sources/${id}/columns`, [
    { cname: 'region', role: 'dimension' },
    { cname: 'amount', role: 'value' },
  ]);
  await api.post(`/sources/${id}/sql`);
  const version = (await api.post(`/sources/${id}/versions`, { name: 'Plan' })).body;
  await api.post(`/versions/${version.id}/baseline`, { pf_user: 'ann' });
  const publish = () => api.put(`/versions/${version.id}/published`, { name: 'plan' });
  const refused = await publish();
  expect([refused.status, refused.body.error]).toEqual([
    422,
    `The database role of the service may not make views in the schema pf_plans: permission denied for database ${owner.database.database}. Grant it CREATE on the database, make the schema and grant it CREATE there, or give it back a view that another role owns`,
  ]);
  expect((await api.get(`/sources/${id}/published`)).body).toEqual([]);
  await owner.query(`CREATE SCHEMA pf_plans; GRANT USAGE, CREATE ON SCHEMA pf_plans TO ${role}`);
  expect((await publish()).status).toBe(200);
  expect(await owner.query('SELECT * FROM pf_plans.plan')).toEqual([
    { region: 'North', amount: '5' },
  ]);
});

it('applies migrations without CREATE on the database if the schema is there', async () => {
  const database = await cloneDatabase('empty');
  const { query, end } = queryOn(database);
  const migrator = `migrator_of_${database.database}`;
  try {
    await query(
      `CREATE ROLE ${migrator} LOGIN PASSWORD 'm'; CREATE SCHEMA pf AUTHORIZATION ${migrator}`,
    );
    const client = await connect({ ...database, user: migrator, password: 'm' });
    const applied: string[] = [];
    await up(client, (filename) => applied.push(filename)).finally(() => client.end());
    expect(applied.length).toBeGreaterThan(20);
  } finally {
    await query(`DROP OWNED BY ${migrator} CASCADE; DROP ROLE ${migrator}`);
    await end();
    await dropDatabase(database);
  }
});

it('is healthy while the database accepts no more connections of its role', async () => {
  await owner.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
  try {
    // Longer than an unused connection of a pool stays open by default; one that is used stays.
    for (let i = 0; i < 12; i++) {
      expect((await api.get('/sources')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect((await api.get('/health')).status).toBe(200);
    expect((await api.get('/sources')).status).toBe(200);
  } finally {
    await owner.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
  }
});
