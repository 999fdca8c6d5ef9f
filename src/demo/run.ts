import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseConfig } from '../lib/server/config';
import { loadCalendar } from '../lib/server/db/calendar/calendar-load';
import { connect } from '../lib/server/migrate/connect';
import { up } from '../lib/server/migrate/runner';
import { PROJECT } from '../cli/prepare.js';
import { postgresCanWorkIn, startPostgres, type Postgres } from './postgres';
import { PRODUCTS_SQL } from './products';
import { makeSample } from './sample';
import { startServer } from './server';
import { tellStory } from './story';
import { loadSuperstore } from './superstore';

const DATABASE = 'forecast';
/**
 * The sample is prepared under this name, so that an interrupted preparation leaves no incomplete database
 * behind.
 */
const IN_THE_MAKING = 'forecast_in_the_making';
const LAST_CALENDAR_YEAR = 2035;
const YEARS_OF_ORDERS = 4;

/**
 * Serves the sample on a PostgreSQL of its own until it is interrupted. The first run prepares the database;
 * later runs use it as it was left.
 * @throws with a message for the person at the terminal if it cannot start
 */
export async function runDemo(port: number): Promise<void> {
  const folder = demoFolder();
  console.log('Starting PostgreSQL …');
  const postgres = await startPostgres({ folder }).catch((error: Error) => {
    if (!error.message.includes('Is another postmaster')) throw error;
    throw new Error('The demo already runs on another port; there can be only one per folder');
  });
  try {
    if (!(await exists(postgres))) {
      console.log('Preparing the sample …');
      await prepare(postgres);
    }
    await onDatabase(postgres.database(DATABASE), (client) => up(client, () => {}));
    const server = await startServer({ database: postgres.database(DATABASE), port });

    console.log(`\nForecast Pivot is ready: http://localhost:${port}\n`);
    console.log(`Ctrl-C stops it. Its data stay in ${folder}; delete that folder to start over.`);
    const interrupted = interruption().then(() => true);
    if (await Promise.race([interrupted, server.ended.then(() => false)])) {
      console.log('\nStopping …');
      await server.stop();
    } else {
      process.exitCode = 1;
      console.error(`The server ended:\n${server.output()}`);
    }
  } finally {
    await postgres.stop();
  }
}

function demoFolder(): string {
  const folder = join(PROJECT, '.demo');
  if (postgresCanWorkIn(folder)) return folder;
  const project = createHash('sha256').update(PROJECT).digest('hex').slice(0, 8);
  return `/var/tmp/forecast-pivot-demo-${project}`;
}

async function exists(postgres: Postgres): Promise<boolean> {
  return onDatabase(postgres.database('postgres'), async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
      DATABASE,
    ]);
    return rowCount === 1;
  });
}

async function prepare(postgres: Postgres): Promise<void> {
  const administration = postgres.database('postgres');
  const database = postgres.database(IN_THE_MAKING);
  await onDatabase(administration, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${IN_THE_MAKING} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${IN_THE_MAKING}`);
  });
  await onDatabase(database, async (client) => {
    await up(client, () => {});
    await loadCalendar(client, 1);
    await loadSuperstore(client);
    await client.query(PRODUCTS_SQL);
  });
  const server = await startServer({ database });
  try {
    const firstYear = firstPlannedYear();
    const sample = await makeSample({ url: server.url, firstYear, grain: false, profit: true });
    await tellStory(server.url, sample, firstYear);
  } finally {
    await server.stop();
  }
  await onDatabase(administration, (client) =>
    client.query(`ALTER DATABASE ${IN_THE_MAKING} RENAME TO ${DATABASE}`),
  );
}

/** Next year, unless the calendar ends before the last year of the orders. */
function firstPlannedYear(): number {
  return Math.min(new Date().getFullYear() + 1, LAST_CALENDAR_YEAR - YEARS_OF_ORDERS + 1);
}

async function onDatabase<T>(
  database: DatabaseConfig,
  work: (client: Awaited<ReturnType<typeof connect>>) => Promise<T>,
): Promise<T> {
  const client = await connect(database);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve());
  });
}
