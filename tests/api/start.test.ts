import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT } from '../../src/cli/prepare.js';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { freePort } from '../../src/demo/postgres';
import { startServer, type Server } from '../../src/demo/server';
import { run } from '../support/cli';
import { cloneDatabase, dropDatabase, onCitus, type Template } from '../support/cluster';
import { queryOn } from '../support/service';

let database: DatabaseConfig;
let server: Server | undefined;

async function prepare(template: Template, change?: string): Promise<void> {
  database = await cloneDatabase(template);
  if (!change) return;
  const { query, end } = queryOn(database);
  await query(change);
  await end();
}

beforeEach(() => (server = undefined));
afterEach(async () => {
  await server?.stop();
  if (database) await dropDatabase(database);
});

/** Returns whether anything listens on a port. */
const listens = (port: number, host = '127.0.0.1') =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const build = (env: Record<string, string>) => run(process.execPath, ['build'], { env, database });

describe('node build', () => {
  it('names every missing variable, and exits', async () => {
    const { code, stderr, stdout } = await run(process.execPath, ['build'], {});
    expect(code).toBe(1);
    expect(stderr).toContain('DB_HOST, DB_NAME, DB_USER, DB_PASSWORD');
    expect(stdout).not.toContain('Listening');
  });

  it('exits if the database cannot be reached', async () => {
    await prepare('service');
    const { code, stderr } = await build({ DB_PORT: '1', PORT: String(await freePort()) });
    expect(code).toBe(1);
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr).not.toContain('nothing was changed');
    expect(stderr).not.toContain(database.password + '@');
  });

  it('reports in one line that its port is in use, and exits', async () => {
    await prepare('service');
    server = await startServer({ database });
    const { port } = new URL(server.url);
    const { code, stderr, stdout } = await build({ PORT: port });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`port ${port} is in use`)),
    ]);
    expect(stdout).not.toContain('Listening');
    // The test does not mistake the first server for the second.
    const second = startServer({ database, port: Number(port) });
    await expect(second).rejects.toThrow(`port ${port} is in use`);
  });

  // An external cluster may accept everybody.
  it.skipIf(onCitus)('reports why the database refuses the login', async () => {
    await prepare('service');
    const { code, stderr } = await build({ DB_PASSWORD: 'wrong' });
    expect(code).toBe(1);
    expect(stderr).toContain('password authentication failed');
  });

  it.each<[string, Template, string | undefined, string[]]>([
    [
      'pending on an empty database',
      'empty',
      undefined,
      ['001_initial_schema.sql is pending', '005_sql_columns.sql is pending'],
    ],
    [
      'pending',
      'service',
      "DELETE FROM pf.schema_version WHERE filename LIKE '005%'",
      ['005_sql_columns.sql is pending'],
    ],
    [
      'modified',
      'service',
      "UPDATE pf.schema_version SET checksum = 'x' WHERE filename LIKE '002%'",
      ['002_source_default_layout.sql was modified'],
    ],
    [
      'missing',
      'service',
      "INSERT INTO pf.schema_version (filename, checksum) VALUES ('009_gone.sql', 'x')",
      ['009_gone.sql is applied but missing'],
    ],
  ])(
    'lists migrations that are %s, and exits without listening',
    async (_, template, change, problems) => {
      await prepare(template, change);
      const { code, stderr, stdout } = await build({ PORT: String(await freePort()) });
      expect(code).toBe(1);
      for (const problem of problems) expect(stderr).toContain(problem);
      expect(stdout).not.toContain('Listening');
    },
  );

  it('listens nevertheless with PF_SKIP_MIGRATION_CHECK=1, and /api/health reports it', async () => {
    await prepare('service', "DELETE FROM pf.schema_version WHERE filename LIKE '005%'");
    server = await startServer({ database, env: { PF_SKIP_MIGRATION_CHECK: '1' } });
    const health = await fetch(`${server.url}/api/health`);
    expect(health.status).toBe(503);
    expect(await health.json()).toEqual({ error: expect.stringMatching(/\S/) });
  });

  it('blames itself, not the request, if one of its own tables is missing', async () => {
    await prepare('service', 'DROP SCHEMA pf CASCADE');
    server = await startServer({ database, env: { PF_SKIP_MIGRATION_CHECK: '1' } });
    for (const path of ['sources', 'tables', 'versions/1', 'versions/1/log']) {
      expect([path, (await fetch(`${server.url}/api/${path}`)).status]).toEqual([path, 500]);
    }
  });

  it('listens on every address of the machine, on port 3010 by default', async () => {
    await prepare('service');
    if (await listens(3010)) {
      const { code, stderr, stdout } = await build({});
      expect(code).not.toBe(0);
      expect(stderr + stdout).toContain('3010');
      return;
    }
    server = await startServer({ database, port: 3010, env: { PORT: '' } });
    const health = await fetch('http://127.0.0.1:3010/api/health');
    expect(await health.json()).toEqual({ status: 'ok', version: expect.any(String) });
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address?.family === 'IPv4')
      .map((address) => address!.address);
    for (const address of outside) expect(await listens(3010, address)).toBe(true);
  });

  it('finds its migrations from any working directory', async () => {
    await prepare('service');
    const ended = await run(process.execPath, [`${PROJECT}/build`], {
      database: { ...database, database: 'postgres' },
      env: { PORT: String(await freePort()) },
      cwd: '/',
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('001_initial_schema.sql is pending');
  });
});
