import pg from 'pg';
import type { DatabaseConfig } from '../config';
import { SESSION_OPTIONS } from '../db/session';

/**
 * One connection for a command line tool, with the session settings of the service. The caller ends
 * it.
 * @throws where the database cannot be reached.
 */
export async function connect(db: DatabaseConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...db, options: SESSION_OPTIONS });
  await client.connect();
  return client;
}
