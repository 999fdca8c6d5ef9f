import { loadConfig } from '../lib/server/config';
import { encryptionProblem } from '../lib/server/db/connection/failures';
import { reasonOf } from '../lib/server/errors';
import type { Connection } from '../lib/server/migrate/connect';
import { connect } from '../lib/server/migrate/connect';

/**
 * Runs a command on the configured database. The result becomes the exit code. If the command throws, the
 * exit code is 1, and stderr has the reason.
 */
export async function databaseCommand(
  work: (client: Connection) => Promise<number>,
): Promise<void> {
  try {
    const { db } = loadConfig();
    const client = await connect(db).catch((error: unknown) => {
      const reason = [encryptionProblem(error), reasonOf(error)].filter(Boolean).join('; ');
      throw new Error(`Cannot connect to ${db.host}:${db.port}/${db.database}: ${reason}`);
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

/** Prints how to use the command, and sets exit code 2 (docs/contract/16-migrations-and-calendar.md). */
export function wrongUsage(problem: string, usage: string): void {
  console.error(`${problem}\n${usage}`);
  process.exitCode = 2;
}
