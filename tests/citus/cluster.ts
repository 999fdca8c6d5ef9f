import { expect } from 'vitest';
import { startServer, type Server } from '../../src/demo/server';
import { connect } from '../../src/lib/server/migrate/connect';
import { onWorkers } from '../support/citus';
import { serverEnvironment } from '../support/cluster';
import { apiAt, type Api } from '../support/http';
import type { Planned } from '../support/planned';
import type { Service } from '../support/service';

/**
 * Changes settings of the service's role on each worker, for this database only, since other databases of the
 * cluster have the same role. They apply to new sessions.
 */
export async function alterWorkers(
  { database }: Pick<Service, 'database'>,
  settings: Record<string, string>,
): Promise<void> {
  const client = await connect(database);
  const statements = Object.entries(settings).map(
    ([name, value]) =>
      `ALTER ROLE CURRENT_USER IN DATABASE ${database.database} SET ${name} = '${value}'`,
  );
  try {
    // Otherwise each worker would repeat the statement on the others.
    await onWorkers(client, ['SET citus.enable_ddl_propagation = off', ...statements].join('; '));
  } finally {
    await client.end();
  }
}

/**
 * Starts another server on the same database. Its new versions are distributed unless `env` says otherwise.
 */
export async function another(
  { database }: Pick<Service, 'database'>,
  env: Record<string, string> = {},
): Promise<{ server: Server; api: Api }> {
  const server = await startServer({ database, env: { ...serverEnvironment(), ...env } });
  return { server, api: apiAt(server.url) };
}

/** Expects a version to be distributed, or not to be. */
export async function expectDistributed(
  { query }: Service,
  { table }: Pick<Planned, 'table'>,
  isDistributed: boolean,
): Promise<void> {
  const found = await query(
    `SELECT partmethod FROM pg_dist_partition WHERE logicalrelid = '${table}'::regclass`,
  );
  expect(found).toEqual(isDistributed ? [{ partmethod: 'h' }] : []);
}
