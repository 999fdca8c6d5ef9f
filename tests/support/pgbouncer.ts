import { chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keep, whenReady } from '../../src/demo/keep';
import { answers, freePort } from '../../src/demo/postgres';
import type { DatabaseConfig } from '../../src/lib/server/config';

/** A running PgBouncer, and the database behind it. */
export interface PgBouncer {
  database: DatabaseConfig;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in front of a database.
 *
 * @param settings lines of its section `pgbouncer`, such as `pool_mode`
 */
export async function startPgBouncer(
  database: DatabaseConfig,
  settings: Record<string, string>,
): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'forecast-pivot-pgbouncer-'));
  const port = await freePort();
  const users = join(folder, 'users');
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${database.user}" "${database.password}"\n`);
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    auth_type: 'plain',
    auth_file: users,
    unix_socket_dir: '',
    ...settings,
  };
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${database.host} port=${database.port}`,
      '[pgbouncer]',
      ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  );
  // PgBouncer refuses to run as root.
  const nobody = { uid: 65534, gid: 65534 };
  const asRoot = process.getuid?.() === 0;
  if (asRoot) for (const path of [folder, users, file]) chownSync(path, nobody.uid, nobody.gid);
  const bouncer = await keep({
    command: 'pgbouncer',
    args: [file],
    env: process.env,
    ...(asRoot ? { user: nobody } : {}),
    stopSignal: 'SIGQUIT',
    remove: folder,
  });
  const through = { ...database, host: '127.0.0.1', port };
  await whenReady(bouncer, 'PgBouncer', () => answers(through));
  return { database: through, stop: bouncer.stop };
}
