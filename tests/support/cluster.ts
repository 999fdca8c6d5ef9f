import type { DatabaseConfig } from '../../src/lib/server/config';
import { loadCalendar } from '../../src/lib/server/db/calendar-load';
import { connect } from '../../src/lib/server/migrate/connect';
import { up } from '../../src/lib/server/migrate/runner';
import { startPostgres } from '../../src/demo/postgres';
import { makeSample } from '../../src/demo/sample';
import { startServer } from '../../src/demo/server';
import { loadSuperstore } from '../../src/demo/superstore';

/**
 * What a test's database starts with:
 * - `empty`: nothing at all, not even the schema pf
 * - `service`: the migrations, the calendar (fiscal year from July) and the table public.superstore
 * - `raw`: beyond that the source Superstore with a version and a baseline, as the demo has them
 * - `grain`: the same with a display grain of months
 */
export type Template = 'empty' | 'service' | 'raw' | 'grain';

const FISCAL_START = 7;
/** The year that the sample's first orders are moved to; fixed, so that tests do not age. */
const FIRST_YEAR = 2027;

/** Where the global setup tells every worker how to reach the cluster. */
const VARIABLE = 'PF_TEST_CLUSTER';

/** Server defaults that are wrong for the service on purpose: it has to set its own. */
const HOSTILE_DEFAULTS = {
  timezone: 'America/New_York',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  standard_conforming_strings: 'off',
  extra_float_digits: '0',
  search_path: 'public, pg_catalog',
};

const SPEED = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Starts the PostgreSQL of a test run and makes its first template database. */
export async function startTestCluster(): Promise<() => Promise<void>> {
  // Every project of a Vitest run comes here; the first one starts it for all.
  if (process.env[VARIABLE]) return async () => {};
  const postgres = await startPostgres({
    settings: { ...HOSTILE_DEFAULTS, ...SPEED, autovacuum: 'off', max_connections: '200' },
  });
  try {
    process.env[VARIABLE] = JSON.stringify(postgres.database('postgres'));
    await onDatabase('postgres', (client) => client.query('CREATE DATABASE service'));
    await onDatabase('service', async (client) => {
      await up(client, () => {});
      await loadCalendar(client, FISCAL_START);
      await loadSuperstore(client);
    });
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return postgres.stop;
}

/** A database of the test cluster. */
export function databaseNamed(name: string): DatabaseConfig {
  const cluster = process.env[VARIABLE];
  if (!cluster) throw new Error('No test cluster: the global setup of the run starts it');
  return { ...(JSON.parse(cluster) as DatabaseConfig), database: name };
}

let clones = 0;

/** A database of one's own, made from a template within a fraction of a second. */
export async function cloneDatabase(template: Template): Promise<DatabaseConfig> {
  const name = `test_${process.pid}_${(clones += 1)}`;
  if (template === 'raw' || template === 'grain') await ensureSample(template);
  const origin = template === 'empty' ? 'template0' : template;
  await onDatabase('postgres', (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${origin}`),
  );
  return databaseNamed(name);
}

/** Drops a clone, whoever is still connected to it. */
export async function dropDatabase(database: DatabaseConfig): Promise<void> {
  await onDatabase('postgres', (client) =>
    client.query(`DROP DATABASE IF EXISTS ${database.database} WITH (FORCE)`),
  );
}

/** Makes a sample's template database on its first use; other workers wait for it meanwhile. */
async function ensureSample(template: 'raw' | 'grain'): Promise<void> {
  await onDatabase('postgres', async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtext('samples'))");
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      template,
    ]);
    if (rowCount === 1) return;
    const making = `${template}_in_the_making`;
    await client.query(`DROP DATABASE IF EXISTS ${making} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${making} TEMPLATE service`);
    const server = await startServer({ database: databaseNamed(making) });
    try {
      await makeSample({ url: server.url, firstYear: FIRST_YEAR, grain: template === 'grain' });
    } finally {
      await server.stop();
    }
    await client.query(`ALTER DATABASE ${making} RENAME TO ${template}`);
  });
}

async function onDatabase(
  name: string,
  work: (client: Awaited<ReturnType<typeof connect>>) => Promise<unknown>,
): Promise<void> {
  const client = await connect(databaseNamed(name));
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
