/**
 * `npm run test:upgrade -- <commit>`: makes plans with the build of a commit, upgrades to this one, and goes back. The
 * digest of the stored rows must be the same after each step. It needs a clean build of this project, git and the
 * package registry. The last line is "N passed, N failed".
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { PROJECT } from '../src/cli/prepare.js';
import { startPostgres } from '../src/demo/postgres';
import { databaseEnvironment, startServer, type Server } from '../src/demo/server';
import type { DatabaseConfig } from '../src/lib/server/config';
import { apiAt, type Answer, type Api } from './support/http';

const SKIP = { PF_SKIP_MIGRATION_CHECK: '1' };
const counts = { passed: 0, failed: 0 };

/** Prints a check, and counts it. */
function check(name: string, found: unknown, wanted: unknown = true): void {
  const ok = JSON.stringify(found) === JSON.stringify(wanted);
  counts[ok ? 'passed' : 'failed'] += 1;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}${ok ? '' : `: ${JSON.stringify(found)}`}`);
}

/** Returns the body of an answer. @throws Error for a refusal */
function must({ status, body }: Answer): Answer['body'] {
  if (status >= 400) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Builds a commit in a folder of its own. */
function buildOf(commit: string, folder: string): void {
  const run = (command: string, args: string[], cwd: string) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`);
  };
  run('git', ['worktree', 'add', '--detach', folder, commit], PROJECT);
  run('npm', ['ci', '--no-audit', '--no-fund'], folder);
  run('npx', ['svelte-kit', 'sync'], folder);
  run('npm', ['run', 'build'], folder);
}

const command = (project: string, database: DatabaseConfig, ...args: string[]) =>
  execFileSync(process.execPath, ['bin/command.js', ...args], {
    cwd: project,
    env: { ...process.env, ...databaseEnvironment(database) },
    encoding: 'utf8',
  });

/** Tables of the service, with the columns that they have now. */
type Columns = Record<string, string[]>;

/** The tables whose rows must stay; `pf.sql` may be written again, and the others are about the schema or the past. */
const KEPT = /^(source|col_meta|version|log|view|lock|undone|replayed|fc_.*)$/;

async function columnsNow(client: pg.Client): Promise<Columns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'pf'::regnamespace AND c.relkind = 'r' GROUP BY 1 ORDER BY 1`,
  );
  return Object.fromEntries(
    rows.filter(({ name }) => KEPT.test(name)).map(({ name, columns }) => [name, columns]),
  );
}

/**
 * Number of rows, sums and the MD5 of the ordered rows of each table, in the given columns.
 *
 * @param last the last entry whose undo counts
 */
async function digestOf(
  client: pg.Client,
  columns: Columns,
  last: number,
): Promise<Record<string, string>> {
  const digest: Record<string, string> = {};
  for (const [table, names] of Object.entries(columns)) {
    const quoted = names.map((name) => client.escapeIdentifier(name));
    const sums = table.startsWith('fc_') ? `sum("Sales")::text || ' ' || sum("Units")::text` : `''`;
    const { rows } = await client.query<{ n: string; sums: string; md5: string }>(
      `SELECT count(*) AS n, ${sums} AS sums,
         md5(string_agg(r::text, E'\\n' ORDER BY r::text COLLATE "C")) AS md5
       FROM (SELECT ${quoted.join(', ')} FROM pf.${client.escapeIdentifier(table)}
         ${table === 'undone' ? `WHERE logid <= ${last}` : ''}) AS r`,
    );
    const [row] = rows;
    digest[table] = `${row?.n} rows ${row?.sums ?? ''} ${row?.md5 ?? ''}`.replace(/ +/g, ' ');
  }
  return digest;
}

/** The answers of a server about a plan: status and number of its rows, its totals, and the MD5 of its rows. */
async function answersOf(api: Api, path: string): Promise<string> {
  const { bytes, status, headers } = await api.get(`${path}/data`);
  const { plan } = must(await api.get(`${path}/totals`));
  const md5 = createHash('md5').update(bytes).digest('hex');
  return `${status} ${headers.get('x-row-count')} rows ${plan.value_total} ${plan.units_total} ${md5}`;
}

/** A table with cents, a date and texts that need quoting. */
async function makeTable(client: pg.Client): Promise<void> {
  await client.query(
    `CREATE TABLE public.orders ("Order Date" date, "Region" text, "Pro""duct" text,
       "Sales" numeric(12,2), "Units" numeric(12,3));
     INSERT INTO public.orders
       SELECT date '2025-01-01' + n % 365, (ARRAY['North', 'South', 'Öst', NULL])[n % 4 + 1],
         'P' || n % 37, (n * 7919 % 100003) / 100.0, (n * 104729 % 10007) / 1000.0
       FROM generate_series(1, 5000) AS n`,
  );
}

/** Registers the table and writes into a version with every operation of the build. */
async function makePlans(api: Api): Promise<string> {
  const source = must(await api.post('/sources', { schema: 'public', tname: 'orders' }));
  const column = (cname: string, role: string, opos: number) => ({ cname, role, opos });
  must(
    await api.put(`/sources/${source.id}/columns`, [
      { ...column('Order Date', 'date', 1), in_grain: false },
      { ...column('Region', 'dimension', 2), in_grain: false },
      { ...column('Pro"duct', 'dimension', 3), in_grain: false },
      { ...column('Sales', 'value', 4), in_grain: false },
      { ...column('Units', 'units', 5), in_grain: false },
    ]),
  );
  must(await api.post(`/sources/${source.id}/sql`));
  const { id } = must(await api.post(`/sources/${source.id}/versions`, { name: 'Plan' }));
  const path = `/versions/${id}`;
  const write = async (to: string, body: object) =>
    must(await api.post(`${path}/${to}`, { pf_user: 'ann', ...body }));
  await write('baseline', { date_offset: '1 year' });
  await write('reference', {});
  await write('scale', { slice: { Region: 'North' }, pct: 12.5, note: 'more' });
  await write('scale', { slice: { Region: 'South' }, value_incr: -1234.56 });
  await write('recode', { slice: { 'Pro"duct': 'P3' }, set: { 'Pro"duct': 'P4' } });
  await write('clone', { slice: { 'Pro"duct': 'P5' }, set: { 'Pro"duct': 'New' }, scale: 0.5 });
  await write('locks', { slice: { 'Pro"duct': 'P6' }, note: 'closed' });
  await write('scale', { slice: { Region: 'Öst' }, pct: -3 });
  must(await api.del(`/log/${await newest(api, path)}`));
  const view = { name: 'By region', layout: LAYOUT, pf_user: 'ann' };
  must(await api.post(`/sources/${source.id}/views`, view));
  return path;
}

const LAYOUT = { plugin: 'Datagrid', group_by: ['Region'], columns: ['Sales'] };

/** Id of the newest entry of a log. */
async function newest(api: Api, path: string): Promise<number> {
  const { entries } = must(await api.get(`${path}/log`));
  return Math.max(...entries.map(({ id }: { id: number }) => id));
}

/** A write and its exact undo. */
async function writeAndUndo(api: Api, path: string): Promise<void> {
  must(await api.post(`${path}/scale`, { slice: { Region: 'North' }, pct: 1, pf_user: 'ann' }));
  must(await api.del(`/log/${await newest(api, path)}`));
}

async function main(commit: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-upgrade-'));
  const old = process.env.PF_OLD_BUILD ?? join(folder, 'project');
  if (!process.env.PF_OLD_BUILD) buildOf(commit, old);
  const postgres = await startPostgres({ settings: { fsync: 'off' } });
  let server: Server | undefined;
  const serve = async (project: string, env: Record<string, string> = {}) => {
    await server?.stop();
    server = await startServer({ database, project, env });
    return apiAt(server.url);
  };
  const admin = new pg.Client(postgres.database('postgres'));
  await admin.connect();
  await admin.query('CREATE DATABASE plans');
  const database = postgres.database('plans');
  const client = new pg.Client(database);
  await client.connect();
  try {
    await makeTable(client);
    command(old, database, 'migrate', 'up');
    command(old, database, 'periods');
    const before = await serve(old);
    const path = await makePlans(before);
    const columns = await columnsNow(client);
    // The undos of this test add rows to pf.undone.
    const last = (await newest(before, path)) + 1;
    const stored = await digestOf(client, columns, last);
    const answered = await answersOf(before, path);
    console.log(`made by ${commit}:`, stored, answered);
    const same = async (name: string, api?: Api) => {
      check(`${name}: the stored rows are the same`, await digestOf(client, columns, last), stored);
      if (api) check(`${name}: the answers are the same`, await answersOf(api, path), answered);
    };

    await server?.stop();
    command(PROJECT, database, 'migrate', 'up');
    await same('upgraded, before the start');
    const after = await serve(PROJECT);
    await same('upgraded', after);
    check('upgraded: healthy', (await after.get('/health')).status, 200);
    await writeAndUndo(after, path);
    await same('upgraded, after a write and its undo', after);

    await server?.stop();
    const refused = await startServer({ database, project: old }).then(
      async (started) => (await started.stop(), 'started'),
      (error: unknown) => (/missing/.test(String(error)) ? 'refused' : String(error)),
    );
    check(
      'gone back without PF_SKIP_MIGRATION_CHECK: the server refuses to start',
      refused,
      'refused',
    );
    const back = await serve(old, SKIP);
    await same('gone back', back);
    check('gone back: health is 503', (await back.get('/health')).status, 503);
    await writeAndUndo(back, path);
    await same('gone back, after a write and its undo', back);
    const view = await back.post(`/sources/1/views`, {
      name: 'Other',
      layout: LAYOUT,
      pf_user: 'ann',
    });
    check('gone back: a view cannot be saved', view.status, 500);

    const again = await serve(PROJECT);
    await same('upgraded again', again);
    check('upgraded again: healthy', (await again.get('/health')).status, 200);
  } finally {
    await server?.stop();
    await client.end();
    await admin.end();
    await postgres.stop();
    if (!process.env.PF_OLD_BUILD) {
      spawnSync('git', ['worktree', 'remove', '--force', old], { cwd: PROJECT });
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

const [commit] = process.argv.slice(2);
if (!commit) {
  console.error('Usage: npm run test:upgrade -- <commit>, such as the tag of the last release');
  process.exitCode = 2;
} else {
  await main(commit);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}
