import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { DatabaseConfig } from '../../src/lib/server/config';

/** A session of psql. It discards the results of statements. */
export interface Psql {
  /** @throws Error if a statement is refused */
  run(statements: string): Promise<void>;
  /** Sends the rows of a select as binary COPY. */
  copy(select: string): Promise<void>;
  end(): Promise<void>;
}

const DONE = 'done';

/**
 * Starts psql, which stays connected, so that its start is not part of a measurement.
 *
 * @throws Error if it is not installed
 */
export async function startPsql(database: DatabaseConfig): Promise<Psql> {
  const child = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PGHOST: database.host,
      PGPORT: String(database.port),
      PGUSER: database.user,
      PGPASSWORD: database.password,
      PGDATABASE: database.database,
    },
  });
  await once(child, 'spawn');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`psql ended with ${code}`);
  });
  ended.catch(() => {});
  const lines = createInterface({ input: child.stdout });
  const run = async (statements: string) => {
    child.stdin.write(`${statements}\n\\echo ${DONE}\n`);
    await Promise.race([once(lines, 'line'), ended]);
  };
  await run('\\o /dev/null');
  return {
    run,
    copy: (select) => run(`COPY (${select}) TO STDOUT (FORMAT binary);`),
    end: async () => {
      child.stdin.end();
      await ended.catch(() => {});
    },
  };
}
