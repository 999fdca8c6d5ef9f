import { PROJECT } from '../cli/prepare.js';
import type { DatabaseConfig } from '../lib/server/config';
import { keep, whenReady, type Ending } from './keep';
import { freePort } from './postgres';

export interface Server {
  /** Where it listens, without a slash at the end. */
  url: string;
  pid: number;
  /** What it wrote to stdout and stderr so far. */
  output(): string;
  /** Resolves when the server ends, by itself or because it was stopped. */
  ended: Promise<Ending>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  database: DatabaseConfig;
  /** A free port if left out. */
  port?: number;
  /** Further environment variables. */
  env?: Record<string, string>;
  /** Project folder whose build is started; this project if left out. */
  project?: string;
}

/** The environment of this process without the variables that configure the service or its address. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const ours =
    /^(DB_|PF_|PORT$|HOST$|ORIGIN$|(HOST|PORT|PROTOCOL|ADDRESS)_HEADER$|SOCKET_PATH$|LISTEN_|NODE_ENV$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

/** The environment that points the service at a database. */
export function databaseEnvironment(database: DatabaseConfig): Record<string, string> {
  return {
    DB_HOST: database.host,
    DB_PORT: String(database.port),
    DB_NAME: database.database,
    DB_USER: database.user,
    DB_PASSWORD: database.password,
  };
}

/**
 * Starts the built server and waits until it answers. It ends with this process.
 * @throws with the server's output if it ends instead
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  if (options.port !== undefined) return startAt(options.port, options);
  for (;;) {
    try {
      return await startAt(await freePort(), options);
    } catch (error) {
      // Another process has taken the free port.
      if (!(error instanceof Error && error.message.includes('is in use'))) throw error;
    }
  }
}

async function startAt(port: number, options: ServerOptions): Promise<Server> {
  const server = await keep({
    command: process.execPath,
    args: ['build'],
    cwd: options.project ?? PROJECT,
    env: {
      ...bareEnvironment(),
      ...databaseEnvironment(options.database),
      NODE_ENV: 'production',
      PORT: String(port),
      ...options.env,
    },
    stopSignal: 'SIGTERM',
  });
  const url = `http://127.0.0.1:${port}`;
  // The server must report this itself: at a port that is in use, another server would answer.
  const says = () => /\bListening on /.test(server.output());
  await whenReady(server, 'The server', async () => says() && (await listens(url)));
  return { url, pid: server.pid, output: server.output, ended: server.ended, stop: server.stop };
}

async function listens(url: string): Promise<boolean> {
  try {
    await (await fetch(`${url}/api/health`)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
