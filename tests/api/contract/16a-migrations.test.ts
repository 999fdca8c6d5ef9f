// Tests docs/contract/16-migrations-and-calendar.md.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT } from '../../../src/cli/prepare.js';
import { startServer } from '../../../src/demo/server';
import type { DatabaseConfig } from '../../../src/lib/server/config';
import { cli, copyProject, run, type ProjectCopy } from '../../support/cli';
import { cloneDatabase, databaseBeside, dropDatabase } from '../../support/cluster';
import { apiAt } from '../../support/http';
import { queryOn, type Query } from '../../support/service';

const FILES = readdirSync(join(PROJECT, 'migrations')).sort();
const [FIRST, SECOND, THIRD, FOURTH] = FILES as [string, string, string, string];

let database: DatabaseConfig;
let query: Query;
let end: () => Promise<void>;
let project: ProjectCopy;

async function openDatabase(template: 'empty' | 'service'): Promise<void> {
  database = await cloneDatabase(template);
  ({ query, end } = queryOn(database));
}

async function closeDatabase(): Promise<void> {
  await end();
  await dropDatabase(database);
}

beforeEach(async () => {
  await openDatabase('empty');
  project = copyProject();
});
afterEach(async () => {
  project.dispose();
  await closeDatabase();
});

/** Goes on with a database that has all migrations: a copy is made sooner than it is migrated. */
async function startMigrated(): Promise<void> {
  await closeDatabase();
  await openDatabase('service');
}

const migrate = (...args: string[]) => cli('migrate', args, { database, cwd: project.folder });
const lines = (text: string) => text.trim().split('\n');
const applied = async () =>
  (await query('SELECT filename FROM pf.schema_version ORDER BY filename')).map((r) => r.filename);
const tableExists = async (name: string) =>
  (await query('SELECT to_regclass($1) IS NOT NULL AS exists', [name]))[0].exists;

describe('npm run migrate', () => {
  it('works under its documented name', async () => {
    const args = ['run', '--silent', 'migrate', '--'];
    expect(await run('npm', [...args, 'up'], { database })).toMatchObject({ code: 0 });
    const status = await run('npm', [...args, 'status'], { database });
    expect(status.code).toBe(0);
    expect(lines(status.stdout)).toEqual(FILES.map((file) => `applied   ${file}`));
  });

  it('names the missing variables without a configuration', async () => {
    const { code, stderr } = await cli('migrate', ['up']);
    expect(code).toBe(1);
    expect(stderr).toContain('DB_HOST, DB_NAME, DB_USER, DB_PASSWORD');
  });

  it('names the database that it cannot reach', async () => {
    const nowhere = { ...database, port: 1 };
    const { code, stderr } = await cli('migrate', ['up'], { database: nowhere });
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot connect to ${database.host}:1/${database.database}`);
  });
});

describe('up', () => {
  it('applies pending migrations and records them with checksum, user and host', async () => {
    const { code, stdout } = await migrate('up');
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual(FILES.map((file) => `applied ${file}`));
    expect(
      await query('SELECT filename, checksum, applied_by FROM pf.schema_version ORDER BY filename'),
    ).toEqual(
      FILES.map((filename) => ({
        filename,
        checksum: createHash('sha256')
          .update(readFileSync(join(PROJECT, 'migrations', filename)))
          .digest('hex')
          .slice(0, 16),
        applied_by: `${userInfo().username}@${hostname()}`,
      })),
    );
  });

  it('is the default command', async () => {
    expect((await migrate()).code).toBe(0);
    expect(await applied()).toEqual(FILES);
  });

  it('applies nothing a second time', async () => {
    await migrate('up');
    const before = await query('SELECT * FROM pf.schema_version ORDER BY filename');
    expect(await migrate('up')).toMatchObject({ code: 0, stdout: 'Nothing is pending.\n' });
    expect(await query('SELECT * FROM pf.schema_version ORDER BY filename')).toEqual(before);
  });

  it('rolls back a failed migration, stops there, and keeps the earlier ones', async () => {
    project.write('901_good.sql', 'CREATE TABLE pf.good ();');
    project.write('902_bad.sql', 'CREATE TABLE pf.half ();\n\nSELECT no_such_column;');
    project.write('903_later.sql', 'CREATE TABLE pf.later ();');
    const { code, stderr } = await migrate('up');
    expect(code).toBe(1);
    expect(stderr).toMatch(/902_bad\.sql failed and was rolled back: line 3: .*no_such_column/);
    expect(await applied()).toEqual([...FILES, '901_good.sql']);
    expect(await tableExists('pf.good')).toBe(true);
    expect(await tableExists('pf.half')).toBe(false);
    expect(await tableExists('pf.later')).toBe(false);

    project.write('902_bad.sql', 'CREATE TABLE pf.half ();');
    expect((await migrate('up')).code).toBe(0);
    expect(await applied()).toEqual([...FILES, '901_good.sql', '902_bad.sql', '903_later.sql']);
  });

  it('reports why a migration lost its connection, not the failed rollback', async () => {
    project.write('901_gone.sql', 'SELECT pg_terminate_backend(pg_backend_pid());');
    const { code, stderr } = await migrate('up');
    expect(code).toBe(1);
    expect(stderr).toMatch(/901_gone\.sql failed and was rolled back: terminating connection/);
    expect(await applied()).toEqual(FILES);
  });

  it('refuses to run if an applied migration was modified', async () => {
    await startMigrated();
    project.write(SECOND, 'SELECT 1;');
    project.write('901_new.sql', 'CREATE TABLE pf.new ();');
    const { code, stderr } = await migrate('up');
    expect(code).toBe(1);
    expect(stderr).toContain(`${SECOND} was modified after it was applied`);
    expect(await applied()).toEqual(FILES);
    expect(await tableExists('pf.new')).toBe(false);
  });

  it('refuses to run if an applied migration is missing from disk', async () => {
    await startMigrated();
    project.remove(SECOND);
    project.write('901_new.sql', 'CREATE TABLE pf.new ();');
    const { code, stderr } = await migrate('up');
    expect(code).toBe(1);
    expect(stderr).toContain(`${SECOND} is applied but missing`);
    expect(await tableExists('pf.new')).toBe(false);
  });

  it('refuses a pending migration that sorts before an applied one', async () => {
    await startMigrated();
    project.write('003_b_late.sql', 'CREATE TABLE pf.late ();');
    const { code, stderr } = await migrate('up');
    expect(code).toBe(1);
    expect(stderr).toContain(`003_b_late.sql is pending but sorts before ${FILES.at(-1)}`);
    expect(await tableExists('pf.late')).toBe(false);
  });

  it('tolerates a repeated migration 4 on a database that has its column', async () => {
    // Later migrations would forbid the repetition by their order.
    for (const later of FILES.slice(4)) project.remove(later);
    await migrate('up');
    await query('DELETE FROM pf.schema_version WHERE filename = $1', [FOURTH]);
    const { code, stdout } = await migrate('up');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `applied ${FOURTH}\n` });
  });

  it('applies each migration once if two runners start together', async () => {
    // Both wait at the lock first, so that they really run at once.
    const elsewhere = queryOn(databaseBeside());
    const held = queryOn(database);
    await held.query('BEGIN; SELECT pg_advisory_xact_lock(7310013010)');
    const runners = [migrate('up'), migrate('up')];
    try {
      await expect
        .poll(
          async () =>
            (
              await elsewhere.query(
                `SELECT count(*) FROM pg_stat_activity
                 WHERE datname = $1 AND wait_event_type = 'Lock' AND wait_event = 'advisory'`,
                [database.database],
              )
            )[0].count,
          { timeout: 300_000 },
        )
        .toBe(2);
    } finally {
      await held.end();
      await elsewhere.end();
    }
    const ended = await Promise.all(runners);
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(ended.map(({ stdout }) => stdout).sort()).toEqual([
      'Nothing is pending.\n',
      FILES.map((file) => `applied ${file}\n`).join(''),
    ]);
  });
});

describe('an applied migration of a newer build, missing here', () => {
  const NEWER = '901_newer.sql';

  beforeEach(async () => {
    await startMigrated();
    project.write(
      NEWER,
      `-- Servers of builds since ${FILES.at(-1)} can go on.\nCREATE TABLE pf.newer ();`,
    );
    expect((await migrate('up')).code).toBe(0);
    project.remove(NEWER);
  });

  it('is refused by the runner, although servers of this build can continue', async () => {
    const { code, stdout, stderr } = await migrate('up');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${NEWER} is applied but missing`);
  });

  it('is refused by a baseline, which records nothing', async () => {
    const { code, stdout, stderr } = await migrate('baseline');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`${NEWER} is applied but missing`);
  });

  it('is listed as missing, with exit code 1', async () => {
    const { code, stdout } = await migrate('status');
    expect(code).toBe(1);
    expect(lines(stdout)).toEqual([
      ...FILES.map((file) => `applied   ${file}`),
      `missing   ${NEWER}`,
    ]);
  });

  it('does not prevent a server of this build from starting', async () => {
    const server = await startServer({ database });
    const health = await apiAt(server.url).get('/health');
    await server.stop();
    expect([health.status, health.body]).toEqual([
      200,
      { status: 'ok', version: expect.any(String) },
    ]);
  });
});

describe('status', () => {
  it('lists applied and pending migrations, and changes nothing', async () => {
    expect(await migrate('status')).toMatchObject({
      code: 0,
      stdout: FILES.map((file) => `pending   ${file}\n`).join(''),
    });
    expect(await tableExists('pf.schema_version')).toBe(false);
    await migrate('up');
    project.write('901_new.sql', 'SELECT 1;');
    const { code, stdout } = await migrate('status');
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([
      ...FILES.map((file) => `applied   ${file}`),
      'pending   901_new.sql',
    ]);
  });

  it('exits with 1 if a migration was modified', async () => {
    await startMigrated();
    project.write(THIRD, 'SELECT 1;');
    const { code, stdout } = await migrate('status');
    expect(code).toBe(1);
    expect(lines(stdout)).toContain(`modified  ${THIRD}`);
  });

  it('exits with 1 if the file of an applied migration is missing', async () => {
    await startMigrated();
    project.remove(FOURTH);
    const { code, stdout } = await migrate('status');
    expect(code).toBe(1);
    expect(lines(stdout)).toContain(`missing   ${FOURTH}`);
  });
});

describe('baseline', () => {
  it('records pending migrations without running them, marked as a baseline', async () => {
    const { code, stdout } = await migrate('baseline');
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual(FILES.map((file) => `recorded ${file}`));
    expect(await tableExists('pf.source')).toBe(false);
    const rows = await query('SELECT DISTINCT applied_by FROM pf.schema_version');
    expect(rows).toEqual([{ applied_by: `baseline by ${userInfo().username}@${hostname()}` }]);
    expect((await migrate('status')).stdout).not.toContain('pending');
  });

  it('applies the migrations up to the file named by --up-to, and that file', async () => {
    expect((await migrate('baseline', `--up-to=${SECOND}`)).code).toBe(0);
    expect(await applied()).toEqual([FIRST, SECOND]);
  });

  it('skips applied migrations', async () => {
    await startMigrated();
    await query('DELETE FROM pf.schema_version WHERE filename >= $1', [THIRD]);
    const before = await query('SELECT * FROM pf.schema_version ORDER BY filename');
    await migrate('baseline', `--up-to=${THIRD}`);
    expect(await applied()).toEqual([FIRST, SECOND, THIRD]);
    expect(
      await query('SELECT * FROM pf.schema_version WHERE filename < $1 ORDER BY filename', [THIRD]),
    ).toEqual(before);
  });

  it('refuses an unknown name, recording nothing', async () => {
    const { code, stderr } = await migrate('baseline', '--up-to=999_none.sql');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no migration 999_none.sql');
    expect(await applied()).toEqual([]);
  });
});

describe('any other command', () => {
  it.each([
    [['down'], 'Unknown command: down'],
    [['up', 'again'], 'Unexpected argument: again'],
    [['up', '--up-to=001_initial_schema.sql'], '--up-to belongs to baseline'],
    [['up', '--force'], "Unknown option '--force'"],
  ])('%j: a message, and exit code 2', async (args, message) => {
    const { code, stderr } = await migrate(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Usage: npm run migrate');
    expect(await tableExists('pf.schema_version')).toBe(false);
  });
});

describe('npm run schema:dump', () => {
  it('writes the reference dump in docs', async () => {
    await migrate('up');
    await cli('periods', [], { database });
    mkdirSync(join(project.folder, 'docs'));
    const { code } = await cli('schema-dump', [], { database, cwd: project.folder });
    expect(code).toBe(0);
    expect(readFileSync(join(project.folder, 'docs/schema.sql'), 'utf8')).toBe(
      readFileSync(join(PROJECT, 'docs/schema.sql'), 'utf8'),
    );
  });
});
