import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../src/demo/postgres';
import { startServer } from '../../src/demo/server';
import { loadSuperstore } from '../../src/demo/superstore';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { cancelStatement } from '../../src/lib/server/db/connection/cancel';
import { connectionTo } from '../../src/lib/server/db/connection/connection-settings';
import { copyOut } from '../../src/lib/server/db/connection/binary-copy';
import { connect } from '../../src/lib/server/migrate/connect';
import { cli, run } from '../support/cli';
import { cloneDatabase, dropDatabase } from '../support/cluster';
import { openEvents } from '../support/events';
import { apiAt } from '../support/http';
import { until } from '../support/race';
import { certificate, startEncryptedPostgres, type EncryptedPostgres } from '../support/tls';

/** docs/contract/01-what-the-service-does.md#encrypted-connections */
let postgres: EncryptedPostgres;

const VERIFIED = { DB_SSLMODE: 'verify-full', DB_SSLROOTCERT: certificate('authority.pem') };
const ca = readFileSync(certificate('authority.pem'), 'utf8');

const encrypted = (): DatabaseConfig => ({
  ...postgres.database,
  ssl: { rejectUnauthorized: true, ca },
});

beforeAll(async () => {
  postgres = await startEncryptedPostgres();
});
afterAll(() => postgres?.stop());

const start = async (database: DatabaseConfig, env: Record<string, string>) => {
  const { code, stderr } = await run(process.execPath, ['build'], {
    database,
    env: { PORT: String(await freePort()), ...env },
  });
  return { code, lines: stderr.trim().split('\n') };
};

describe('a database that accepts only encrypted connections', () => {
  it('is migrated, served and listened to without any unencrypted connection', async () => {
    const { database, query, connections } = postgres;
    for (const command of ['migrate', 'periods']) {
      const ended = await cli(command, [], { database, env: VERIFIED });
      expect(ended).toMatchObject({ code: 0, stderr: '' });
    }
    const client = await connect(encrypted());
    await loadSuperstore(client);
    await client.end();

    const server = await startServer({ database, env: VERIFIED });
    onTestFinished(() => server.stop());
    const api = apiAt(server.url);
    const source = await api.post('/sources', { schema: 'public', tname: 'superstore' });
    expect(source.status).toBe(201);
    const { id } = source.body;
    const roles = { Region: 'dimension', 'Order Date': 'date', Sales: 'value' };
    const columns = Object.entries(roles).map(([cname, role]) => ({ cname, role }));
    expect((await api.put(`/sources/${id}/columns`, columns)).status).toBe(200);
    expect((await api.post(`/sources/${id}/sql`)).status).toBe(200);
    const version = await api.post(`/sources/${id}/versions`, { name: 'Plan' });
    const path = `/versions/${version.body.id}`;
    await openEvents(server.url, path);
    const loaded = await api.post(`${path}/baseline`, { pf_user: 'ann' });
    expect(loaded.body.row_count).toBeGreaterThan(9000);
    const rows = await api.get(`${path}/data`);
    expect(rows.headers.get('x-row-count')).toBe(String(loaded.body.row_count));

    const served = await query(
      `SELECT s.ssl, a.query FROM pg_stat_activity AS a JOIN pg_stat_ssl AS s USING (pid)
       WHERE a.application_name = 'forecast-pivot'`,
    );
    expect(served.length).toBeGreaterThan(1);
    expect(served.map(({ ssl }) => ssl)).not.toContain(false);
    expect(served.map(({ query }) => query)).toContainEqual(expect.stringContaining('LISTEN'));
    expect(connections.all).toBeGreaterThan(3);
    expect(connections.plain).toBe(0);
  });

  it('cancels a statement over an encrypted connection', async () => {
    const { connections, query } = postgres;
    const client = new pg.Client(connectionTo(encrypted()));
    await client.connect();
    const slept = client.query('SELECT pg_sleep(600)').catch((error: unknown) => error);
    await until(async () => {
      const asleep = await query("SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
      return asleep.length > 0;
    });
    const before = connections.all;
    await cancelStatement(client);
    expect(await slept).toMatchObject({ code: '57014' });
    expect(connections).toEqual({ all: before + 1, plain: 0 });
    await client.end();
  });

  it('returns all rows to a reader that pauses, and the connection can be used again', async () => {
    const client = new pg.Client(connectionTo(encrypted()));
    await client.connect();
    let [text, pauses] = ['', 0];
    await copyOut(
      client,
      "SELECT i, repeat('x', 300) FROM generate_series(1, 20000) AS s (i)",
      async (chunk) => {
        text += Buffer.from(chunk).toString();
        pauses += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
      },
      undefined,
      'csv',
    );
    const lines = text.trim().split('\n');
    expect(pauses).toBeGreaterThan(10);
    expect(lines).toHaveLength(20001);
    expect(lines.at(-1)).toBe(`20000,${'x'.repeat(300)}`);
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await expect(copyOut(client, 'SELECT 1 / (random() * 0)::integer', () => {})).rejects.toThrow(
      'division by zero',
    );
    expect((await client.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
    await client.end();
  });

  it('ends a download that the reader cancels', async () => {
    const client = new pg.Client(connectionTo(encrypted()));
    client.on('error', () => {});
    await client.connect();
    const reader = new AbortController();
    const copy = copyOut(
      client,
      "SELECT repeat('x', 1000) FROM generate_series(1, 10000000)",
      () => reader.abort(new Error('gone')),
      reader.signal,
    );
    await expect(copy).rejects.toThrow('gone');
    await until(async () => {
      const running = await postgres.query(
        "SELECT FROM pg_stat_activity WHERE query LIKE 'COPY (SELECT repeat%' AND state = 'active'",
      );
      return running.length === 0;
    });
    expect(postgres.connections.plain).toBe(0);
  });

  it('accepts any certificate with require, and the password from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-password-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'password');
    writeFileSync(file, `${postgres.database.password}\n`);
    const database = { ...postgres.database, host: '127.0.0.1', password: '' };
    const env = { DB_SSLMODE: 'require', DB_PASSWORD_FILE: file };
    const ended = await cli('migrate', ['status'], { database, env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a database that does not match DB_SSLMODE', () => {
  it.each<[string, Partial<DatabaseConfig>, Record<string, string>, RegExp]>([
    [
      'the certificate is of an authority that is not trusted',
      {},
      { ...VERIFIED, DB_SSLROOTCERT: certificate('other-authority.pem') },
      /certificate is not trusted/,
    ],
    [
      'no authority is named',
      {},
      { DB_SSLMODE: 'verify-full' },
      /certificate is not trusted; DB_SSLROOTCERT/,
    ],
    [
      'the certificate is for another host',
      { host: '127.0.0.1' },
      VERIFIED,
      /certificate is for another host than DB_HOST/,
    ],
    ['the server wants encryption', {}, {}, /set DB_SSLMODE/],
  ])('is reported in one line because %s', async (_, other, env, reason) => {
    const database = { ...postgres.database, ...other };
    expect(await start(database, env)).toEqual({ code: 1, lines: [expect.stringMatching(reason)] });
    const { code, stderr } = await cli('migrate', [], { database, env });
    expect({ code, lines: stderr.trim().split('\n') }).toEqual({
      code: 1,
      lines: [expect.stringMatching(reason)],
    });
  });

  it('is reported in one line because the server offers no encryption', async () => {
    const database = await cloneDatabase('empty');
    onTestFinished(() => dropDatabase(database));
    const reason = /does not offer encrypted connections, and DB_SSLMODE/;
    const env = { DB_SSLMODE: 'require' };
    expect(await start(database, env)).toEqual({ code: 1, lines: [expect.stringMatching(reason)] });
    const { code, stderr } = await cli('migrate', [], { database, env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
  });
});
