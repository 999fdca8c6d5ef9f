/** The database connection of a command. */
import pg from 'pg';
import type { DatabaseConfig } from '../config';
import { COMMAND_OPTIONS, connectionTo } from '../db/connection/connection-settings';

/** The connection of a command; the commands know it from here, not from the driver. */
export type Connection = pg.Client;

/**
 * One connection for a command line tool, with the settings of every connection. The caller ends
 * it.
 * @throws if the database cannot be reached.
 */
export async function connect(db: DatabaseConfig): Promise<Connection> {
  const client = new pg.Client({ ...connectionTo(db), options: COMMAND_OPTIONS });
  // Without a listener, a lost connection would end the process; the next query reports the loss.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
