import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, connect as connectTo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort, startPostgres, type Postgres } from '../../src/demo/postgres';
import type { DatabaseConfig } from '../../src/lib/server/config';
import { connect } from '../../src/lib/server/migrate/connect';
import { until } from './race';

const SPEED = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' };

/** How a standby is made from its primary: by pg_basebackup, or by the same steps without it. */
export type Way = 'pg_basebackup' | 'copy';

/** Path of the tool if it is installed in the version of the tests' PostgreSQL. */
const baseBackup = ['pg_basebackup', '/usr/lib/postgresql/15/bin/pg_basebackup'].find((command) =>
  String(spawnSync(command, ['--version']).stdout).includes(' 15.'),
);
export const baseBackupIsInstalled = baseBackup !== undefined;

/** One PostgreSQL of a pair. */
export interface Node {
  port: number;
  database: DatabaseConfig;
  pid: number;
  /** Runs statements as its owner, past the service and past the address. */
  // A test knows the row it asks for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  ask(sql: string): Promise<any>;
  stop(): Promise<void>;
}

/** A primary, its standbys, and the address that leads the service to one of them. */
export interface Pair {
  primary: Node;
  address: Address;
  /** The database settings for the service. */
  database: DatabaseConfig;
  /** Makes a standby and waits until it follows the primary. */
  standby(way: Way): Promise<Node>;
  /** Waits until a standby has received all commits. */
  caughtUp(standby: Node): Promise<void>;
  /** Stops the replication to a standby. It lacks later commits. */
  cutOff(standby: Node): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a primary behind an address of its own. @param prepare fills its database directly */
export async function startPair(
  prepare: (database: DatabaseConfig) => Promise<void>,
): Promise<Pair> {
  const folders: string[] = [];
  const nodes: Node[] = [];
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'forecast-pivot-pair-'));
    folders.push(made);
    return made;
  };
  const start = async (at: string): Promise<Node> => {
    const port = await freePort();
    const node = nodeOf(await startPostgres({ folder: at, port, settings: SPEED }), port);
    nodes.push(node);
    return node;
  };
  const origin = folder();
  const primary = await start(origin);
  const address = await openAddress(primary.port);
  await prepare(primary.database);
  return {
    primary,
    address,
    database: { ...primary.database, port: address.port },
    standby: async (way) => {
      const copy = folder();
      await makeCopy(way, origin, copy, primary.database);
      const standby = await start(copy);
      await until(async () => (await primary.ask('SELECT FROM pg_stat_replication')).length > 0);
      return standby;
    },
    caughtUp: async (standby) => {
      const [{ lsn }] = await primary.ask('SELECT pg_current_wal_lsn() AS lsn');
      await until(async () => {
        const [{ there }] = await standby.ask(
          `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS there`,
        );
        return there;
      });
    },
    cutOff: async (standby) => {
      await standby.ask(`ALTER SYSTEM SET primary_conninfo = ''`);
      await standby.ask('SELECT pg_reload_conf()');
      await until(async () => (await primary.ask('SELECT FROM pg_stat_replication')).length === 0);
    },
    stop: async () => {
      address.stop();
      for (const node of nodes) await node.stop();
      for (const path of folders) rmSync(path, { recursive: true, force: true });
    },
  };
}

function nodeOf(postgres: Postgres, port: number): Node {
  const database = postgres.database('postgres');
  return {
    port,
    database,
    pid: postgres.pid,
    ask: async (sql) => {
      const client = await connect(database);
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    stop: postgres.stop,
  };
}

/** Copies the files of a running primary into a folder for a standby. */
async function makeCopy(
  way: Way,
  origin: string,
  copy: string,
  primary: DatabaseConfig,
): Promise<void> {
  const { uid, gid } = statSync(join(origin, 'data'));
  const asOwner = process.getuid?.() === 0 ? { uid, gid } : {};
  if (process.getuid?.() === 0) chownSync(copy, uid, gid);
  const data = join(copy, 'data');
  if (way === 'pg_basebackup') {
    await run(
      baseBackup ?? '',
      [
        '-D',
        data,
        '-R',
        '-c',
        'fast',
        '-h',
        primary.host,
        '-p',
        `${primary.port}`,
        '-U',
        primary.user,
      ],
      { ...asOwner, env: { ...process.env, PGPASSWORD: primary.password } },
    );
    return;
  }
  // https://www.postgresql.org/docs/15/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
  const client = await connect(primary);
  await client.query(`SELECT pg_backup_start('a standby', true)`);
  await run('cp', ['-R', join(origin, 'data'), data], asOwner);
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  for (const path of ['postmaster.pid', 'postmaster.opts', 'pg_wal']) {
    rmSync(join(data, path), { recursive: true, force: true });
  }
  const { host, port, user, password } = primary;
  const write = (path: string, text: string, flag = 'w') => {
    const file = join(data, path);
    writeFileSync(file, text, { flag });
    if (process.getuid?.() === 0) chownSync(file, uid, gid);
  };
  for (const path of ['pg_wal', 'pg_wal/archive_status']) {
    mkdirSync(join(data, path), { mode: 0o700 });
    if (process.getuid?.() === 0) chownSync(join(data, path), uid, gid);
  }
  write('backup_label', rows[0].labelfile);
  write('standby.signal', '');
  write(
    'postgresql.auto.conf',
    `primary_conninfo = 'host=${host} port=${port} user=${user} password=${password}'\n`,
    'a',
  );
  chmodSync(data, 0o700);
}

function run(command: string, args: string[], options: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: dirname(tmpdir()), ...options });
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}: ${output}`)),
    );
  });
}

/** An address that leads to one PostgreSQL at a time. */
export interface Address {
  port: number;
  /** Changes the target of new connections; open connections stay. Null refuses new connections. */
  leadTo(port: number | null): void;
  /** Drops all traffic of open connections silently. */
  vanish(): void;
  stop(): void;
}

async function openAddress(first: number): Promise<Address> {
  let target: number | null = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (target === null) {
      client.resetAndDestroy();
      return;
    }
    const there = connectTo(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    leadTo: (port) => (target = port),
    vanish: () => {
      for (const socket of open) {
        socket.unpipe();
        for (const event of ['close', 'error']) socket.removeAllListeners(event);
        socket.on('error', () => {});
        socket.resume();
      }
    },
    stop: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
