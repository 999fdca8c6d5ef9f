import { loadConfig } from '../lib/server/config';
import { reasonOf } from '../lib/server/errors';
import type { Connection } from '../lib/server/migrate/connect';
import { connect } from '../lib/server/migrate/connect';

/**
 * Runs a command on the configured database and sets the exit code to what it returns; 1, with the
 * reason on stderr, if it throws.
 */
export async function databaseCommand(
  work: (client: Connection) => Promise<number>,
): Promise<void> {
  try {
    const { db } = loadConfig();
    const client = await connect(db).catch((error: unknown) => {
      throw new Error(`Cannot connect to ${db.host}:${db.port}/${db.database}: ${reasonOf(error)}`);
    });
    try {
      process.exitCode = await work(client);
    } finally {
      await client.end();
    }
  } catch (error) {
    console.error(reasonOf(error));
    process.exitCode = 1;
  }
}

/** Says how the command is used, and sets the exit code of the contract for that: 2. */
export function wrongUsage(problem: string, usage: string): void {
  console.error(`${problem}\n${usage}`);
  process.exitCode = 2;
}
