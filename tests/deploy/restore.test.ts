// Tests the chapter on backup and restore of docs/operating.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/demo/server';
import { cli, run } from '../support/cli';
import { dropDatabase } from '../support/cluster';
import { openEvents } from '../support/events';
import { apiAt, type Api } from '../support/http';
import { queryOn, startService, type Query, type Service } from '../support/service';

const VERSION = '/versions/1';
const SLICE = { Region: 'West' };

const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-restore-'));
const dump = join(folder, 'plan.dump');

let service: Service;
beforeAll(async () => {
  service = await startService('raw', { PF_HEARTBEAT: '300ms' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service?.stop();
});

/** The variables by which programs of PostgreSQL find the cluster of the service. */
const environment = () => {
  const { host, port, user, password } = service.database;
  return { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password };
};

/** Runs a program of PostgreSQL against the cluster of the service. */
async function program(name: string, args: string[]): Promise<void> {
  const { code, stderr } = await run(name, args, { env: environment() });
  expect([code, stderr]).toEqual([0, '']);
}

/** The digest of the rows of each table. */
async function digests(query: Query): Promise<Record<string, string>> {
  const tables = await query<{ name: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE relkind = 'r' AND nspname IN ('pf', 'pf_files', 'public') ORDER BY 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await query(
      `SELECT count(*) || ' ' || md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest FROM ${name} AS t`,
    );
    found[name] = row.digest;
  }
  return found;
}

/** Scales the slice by a percentage, as one write of its key. @returns the id of the entry */
async function scale(api: Api, pct: number, key: string): Promise<number> {
  const answer = await api.send(`${VERSION}/scale`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ slice: SLICE, pct, pf_user: 'ann' }),
  });
  expect([answer.status, answer.body?.error]).toEqual([200, undefined]);
  return answer.body[0].pf_logid;
}

it('a dump is restored into a new database, and in place while a server runs', async () => {
  const { api, database, query } = service;
  const table = { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,b\n1,2\n' };
  expect((await api.send('/files?name=small.csv', table)).status).toBe(201);
  const written = await scale(api, 10, 'before the backup');
  expect((await api.put(`${VERSION}/published`, { name: 'Budget' })).status).toBe(200);
  await query('GRANT SELECT ON pf_plans."Budget" TO PUBLIC');
  await program('pg_dump', ['--format=custom', `--file=${dump}`, database.database]);
  const state = await digests(query);
  expect(state['pf.audit']).toMatch(/^[1-9]/);
  expect(Object.keys(state)).toContain('pf_files.small');

  const restored = { ...database, database: `${database.database}_restored` };
  await program('createdb', [restored.database]);
  onTestFinished(() => dropDatabase(restored));
  await program('pg_restore', [`--dbname=${restored.database}`, '--exit-on-error', dump]);
  const status = await cli('migrate', ['status'], { database: restored });
  expect(status.code).toBe(0);
  expect(status.stdout).not.toContain('pending');
  const other = queryOn(restored);
  onTestFinished(other.end);
  expect(await digests(other.query)).toEqual(state);
  const views = (on: Query) =>
    on(`SELECT relname, relacl::text, pg_get_viewdef(oid) AS definition FROM pg_class
      WHERE relnamespace = 'pf_plans'::regnamespace ORDER BY 1`);
  const backedUp = await views(query);
  expect(await views(other.query)).toEqual(backedUp);
  expect(await other.query('SELECT sum("Sales") FROM pf_plans."Budget"')).toEqual(
    await query('SELECT sum("Sales") FROM pf_plans."Budget"'),
  );

  const server = await startServer({ database: restored });
  onTestFinished(server.stop);
  const there = apiAt(server.url);
  expect((await there.get('/health')).status).toBe(200);
  expect((await there.get(`${VERSION}/totals`)).body).toEqual(
    (await api.get(`${VERSION}/totals`)).body,
  );
  // A repeated request is executed once, also if it was answered before the backup.
  expect(await scale(there, 10, 'before the backup')).toBe(written);
  const next = await scale(there, 5, 'after the restore');
  expect((await there.del(`/log/${next}`)).status).toBe(200);
  await expect(other.query('DELETE FROM pf.audit')).rejects.toThrow('only added');

  const lost = await scale(api, 20, 'after the backup');
  expect((await api.put(`${VERSION}/published`, { name: 'Later' })).status).toBe(200);
  const published = await views(query);
  const before = await api.get(`${VERSION}/log`);
  const stream = await openEvents(service.url, VERSION);
  const inPlace = [
    '--clean',
    '--if-exists',
    '--single-transaction',
    `--dbname=${database.database}`,
  ];
  expect((await run('pg_restore', [...inPlace, dump], { env: environment() })).code).not.toBe(0);
  expect(await views(query)).toEqual(published);
  await query('DROP SCHEMA pf_plans CASCADE');
  await program('pg_restore', [...inPlace, dump]);
  expect(await stream.events(1)).toEqual([expect.objectContaining({ event: 'resync' })]);
  expect(await digests(query)).toEqual(state);
  expect(await views(query)).toEqual(backedUp);
  expect((await api.get('/sources/1/published')).body).toMatchObject([{ name: 'Budget' }]);
  const after = await api.get(`${VERSION}/log`);
  expect(after.headers.get('x-timeline')).not.toBe(before.headers.get('x-timeline'));
  expect(await scale(api, 30, 'in place')).toBe(lost);
  expect((await api.get('/health')).status).toBe(200);
});
