import type { DatabaseConfig } from '../../src/lib/server/config';
import { loadConfig } from '../../src/lib/server/config';
import { loadCalendar } from '../../src/lib/server/db/calendar/calendar-load';
import { connect, type Connection } from '../../src/lib/server/migrate/connect';
import { up } from '../../src/lib/server/migrate/runner';
import { startPostgres } from '../../src/demo/postgres';
import { makeSample } from '../../src/demo/sample';
import { startServer } from '../../src/demo/server';
import { loadSuperstore } from '../../src/demo/superstore';
import { close, joinNodes, nodesOf, onEveryNode, setUpWorkers } from './citus';

/**
 * The initial content of a test's database:
 * - `empty`: nothing at all, not even the schema pf; on a Citus cluster, its extension
 * - `service`: the migrations, the calendar (fiscal year from July) and the table public.superstore
 * - `raw`: in addition the source Superstore with a version and a baseline, as in the demo
 * - `grain`: the same with a display grain of months
 */
export type Template = 'empty' | 'service' | 'raw' | 'grain';

const FISCAL_START = 7;
/**
 * The year to which the sample's first orders are moved; fixed, so that the tests do not depend on the date.
 */
const FIRST_YEAR = 2027;

/** The variable in which the global setup passes the connection of the cluster to every worker. */
const VARIABLE = 'PF_TEST_CLUSTER';

/** Whether the run uses the Citus cluster of the DB_* variables. */
export const onCitus = Boolean(process.env.PF_TEST_CITUS);

/**
 * Environment of a server whose versions are local even on Citus: distributed tables have no triggers, and
 * statements on them wait in other places.
 */
export const LOCAL_VERSIONS = { PF_DISTRIBUTE: '' };

/** The number of cores of the smallest cluster; more shards would only take longer. */
const SHARDS = 4;

/** The PostgreSQL of a test run. */
interface TestCluster {
  /** A database that does not belong to the run. */
  admin: DatabaseConfig;
  /** Prefix of the names of the run's databases. */
  prefix: string;
  /** Number of shards of forecast tables; null without Citus. */
  shards: number | null;
}

/** Server defaults that do not suit the service, on purpose: it has to set its own. */
const HOSTILE_DEFAULTS = {
  timezone: 'America/New_York',
  datestyle: 'German, DMY',
  intervalstyle: 'sql_standard',
  standard_conforming_strings: 'off',
  extra_float_digits: '0',
  search_path: 'public, pg_catalog',
};

const SPEED = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Starts the PostgreSQL of a test run and creates its first template database. */
export async function startTestCluster(): Promise<() => Promise<void>> {
  // Every project of a Vitest run calls this; the first one starts the cluster for all.
  if (process.env[VARIABLE]) return async () => {};
  const { cluster, stop } = onCitus ? givenCluster() : await startedCluster();
  process.env[VARIABLE] = JSON.stringify(cluster);
  try {
    if (cluster.shards !== null) await makeEmptyOnCitus();
    await asAdmin((client) => create(client, ours('service'), 'empty'));
    await onDatabase(databaseNamed('service'), async (client) => {
      await up(client, () => {});
      await loadCalendar(client, FISCAL_START);
      await loadSuperstore(client);
    });
    await asAdmin((client) => asTemplate(client, ours('service')));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

interface Running {
  cluster: TestCluster;
  stop: () => Promise<void>;
}

async function startedCluster(): Promise<Running> {
  const postgres = await startPostgres({
    settings: { ...HOSTILE_DEFAULTS, ...SPEED, autovacuum: 'off', max_connections: '200' },
  });
  const cluster = { admin: postgres.database('postgres'), prefix: '', shards: null };
  return { cluster, stop: postgres.stop };
}

/** Returns an existing cluster, which stays. Everything that the run creates in it is dropped. */
function givenCluster(): Running {
  const prefix = `pf_test_${process.pid}_`;
  const cluster = { admin: loadConfig().db, prefix, shards: SHARDS };
  const stop = () =>
    asAdmin(async (client) => {
      const { rows } = await client.query<{ datname: string }>(
        'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
        [prefix],
      );
      for (const { datname } of rows) await drop(client, datname);
    });
  return { cluster, stop };
}

function testCluster(): TestCluster {
  const cluster = process.env[VARIABLE];
  if (!cluster) throw new Error('No test cluster: the global setup of the run starts it');
  return JSON.parse(cluster) as TestCluster;
}

const ours = (name: string): string => `${testCluster().prefix}${name}`;

/** Returns a database on the same server that does not belong to the run. */
export const databaseBeside = (): DatabaseConfig => testCluster().admin;

/** Returns a database of the run. */
const databaseNamed = (name: string): DatabaseConfig => ({
  ...testCluster().admin,
  database: ours(name),
});

/** Returns the environment of a server apart from its database, according to the kind of run. */
export function serverEnvironment(): Record<string, string> {
  const { shards } = testCluster();
  const keep = process.env.PF_TEST_KEEP_ENTRIES;
  const rows = process.env.PF_TEST_INDEX_ROWS;
  return {
    ...(shards !== null && { PF_DISTRIBUTE: String(shards) }),
    ...(keep !== undefined && { PF_KEEP_ENTRIES: keep }),
    // A test does not wait until nobody writes.
    ...(rows !== undefined && { PF_INDEX_ROWS: rows, PF_INDEX_DELAY: '0' }),
  };
}

let clones = 0;

/** Creates a new database from a template within a fraction of a second. */
export async function cloneDatabase(template: Template): Promise<DatabaseConfig> {
  const name = `test_${process.pid}_${(clones += 1)}`;
  if (template === 'raw' || template === 'grain') await ensureSample(template);
  await asAdmin((client) => create(client, ours(name), template));
  return databaseNamed(name);
}

/** Creates a database with another encoding than UTF-8, with the migrations and the calendar. */
export async function databaseInEncoding(
  encoding: 'LATIN1' | 'SQL_ASCII',
): Promise<DatabaseConfig> {
  const name = ours(`test_${process.pid}_${(clones += 1)}`);
  await asAdmin((client) =>
    client.query(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`,
    ),
  );
  const database = { ...testCluster().admin, database: name };
  await onDatabase(database, async (client) => {
    await up(client, () => {});
    await loadCalendar(client, FISCAL_START);
  });
  return database;
}

/** Drops a clone, even if somebody is still connected to it. */
export const dropDatabase = ({ database }: DatabaseConfig): Promise<void> =>
  asAdmin((client) => drop(client, database));

/** Creates a sample's template database on its first use; other workers wait for it meanwhile. */
async function ensureSample(template: 'raw' | 'grain'): Promise<void> {
  await asAdmin(async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtext('samples'))");
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      ours(template),
    ]);
    if (rowCount === 1) return;
    const making = databaseNamed(`${template}_in_the_making`);
    await drop(client, making.database);
    await create(client, making.database, 'service');
    const server = await startServer({ database: making, env: serverEnvironment() });
    try {
      await makeSample({ url: server.url, firstYear: FIRST_YEAR, grain: template === 'grain' });
    } finally {
      await server.stop();
    }
    await asTemplate(client, making.database);
    await everywhere(client, `ALTER DATABASE ${making.database} RENAME TO ${ours(template)}`);
  });
}

/** Creates a database. Its name becomes part of the statement. */
async function create(client: Connection, name: string, template: Template): Promise<void> {
  const isCitus = testCluster().shards !== null;
  const origin = template === 'empty' && !isCitus ? 'template0' : ours(template);
  await everywhere(client, `CREATE DATABASE ${name} TEMPLATE ${origin}`);
  if (isCitus) await setUpWorkers(client, name);
}

/** PostgreSQL disconnects the users of a database within five seconds; Citus may need longer. */
async function drop(client: Connection, name: string, attempts = 5): Promise<void> {
  try {
    await everywhere(client, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } catch (error) {
    if (attempts === 1 || !String(error).includes('accessed by other users')) throw error;
    await drop(client, name, attempts - 1);
  }
}

/** Runs a statement about databases; on a Citus cluster, on each node. */
async function everywhere(client: Connection, statement: string): Promise<void> {
  if (testCluster().shards === null) await client.query(statement);
  else await onEveryNode(client, statement);
}

/** Finishes a template: on Citus, nothing may connect to it afterwards. */
async function asTemplate(client: Connection, name: string): Promise<void> {
  if (testCluster().shards !== null) await close(client, name);
}

/** Creates the template of an empty database that is a Citus cluster of the same nodes. */
async function makeEmptyOnCitus(): Promise<void> {
  const name = ours('empty');
  await asAdmin(async (client) => {
    await onEveryNode(client, `CREATE DATABASE ${name} TEMPLATE template0`);
    const nodes = await nodesOf(client);
    await onDatabase(databaseNamed('empty'), (database) => joinNodes(database, nodes));
    await close(client, name);
  });
}

const asAdmin = (work: (client: Connection) => Promise<unknown>): Promise<void> =>
  onDatabase(testCluster().admin, work);

async function onDatabase(
  database: DatabaseConfig,
  work: (client: Connection) => Promise<unknown>,
): Promise<void> {
  const client = await connect(database);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
