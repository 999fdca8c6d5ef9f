/** Applies migrations and reports their state. */
import { hostname, userInfo } from 'node:os';
import pg from 'pg';
import * as v from 'valibot';
import { SQLSTATE, sqlState } from '../db/connection/failures';
import type { SqlText } from '../sql/quote';
import { sql } from '../sql/quote';
import { migrationFiles, type MigrationFile } from './files';
import {
  AppliedMigration,
  missingProblem,
  planMigrations,
  planProblems,
  type MigrationPlan,
} from './plan';

/** What the migrations read the database by: a client of pg, or the pool of the service. */
export interface CatalogReader {
  query(statement: SqlText): Promise<{ rows: unknown[] }>;
}

/** Migrations refused to run, or one of them failed; the message is for the person at the shell. */
class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** The advisory lock of the migrations; any constant will do that nothing else uses. */
const LOCK = 7_310_013_010;

/** `CREATE SCHEMA IF NOT EXISTS` needs the right to make schemas although the schema is there. */
const LACKS_SCHEMA = `SELECT WHERE to_regnamespace('pf') IS NULL`;
const BOOKKEEPING = `
  CREATE TABLE IF NOT EXISTS pf.schema_version (
    filename   text PRIMARY KEY,
    checksum   text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    applied_by text
  )`;

/** The table as runners of older builds have made it lacks a column. Adding it needs the table alone. */
const LACKS_COLUMN = `SELECT WHERE NOT EXISTS (
    SELECT FROM pg_attribute
    WHERE attrelid = 'pf.schema_version'::regclass AND attname = 'stands_since' AND NOT attisdropped
  )`;
const ADD_COLUMN = 'ALTER TABLE pf.schema_version ADD COLUMN stands_since text';

/** Lock timeout of a migration and number of attempts. While it waits, all later requests for the lock wait too. */
const LOCK_MILLISECONDS = 2000;
const ATTEMPTS = 30;

/**
 * Applies the pending migrations, each in one transaction with its pf.schema_version row. Runners
 * that are started together wait for each other.
 * @param report is called with each filename after it was committed.
 * @throws MigrationError if the contract refuses, or if a migration fails; those before
 *   it stay applied.
 */
export async function up(client: pg.ClientBase, report: (filename: string) => void): Promise<void> {
  await locked(client, async () => {
    const plan = await currentPlan(client);
    if (plan.refusals.length > 0) throw new MigrationError(plan.refusals.join('\n'));
    for (const file of plan.pending) {
      await applyMigration(client, file);
      report(file.filename);
    }
  });
}

/**
 * Records pending migrations as applied without running them.
 * @param upTo the last filename to record; all of the pending ones if it is left out.
 * @param report is called with each filename after it was recorded.
 * @throws MigrationError if `upTo` is not a file of the migrations folder, or if a file of an applied migration is
 *   missing.
 */
export async function baseline(
  client: pg.ClientBase,
  upTo: string | undefined,
  report: (filename: string) => void,
): Promise<void> {
  await locked(client, async () => {
    const plan = await currentPlan(client);
    if (plan.missing.length > 0)
      throw new MigrationError(plan.missing.map(missingProblem).join('\n'));
    if (upTo !== undefined && !plan.files.some(({ file }) => file.filename === upTo))
      throw new MigrationError(`There is no migration ${upTo}`);
    for (const file of plan.pending) {
      if (upTo !== undefined && file.filename > upTo) break;
      await record(client, file, `baseline by ${operator()}`);
      report(file.filename);
    }
  });
}

/** What is applied, pending, modified and missing; changes nothing. */
export async function migrationPlan(db: CatalogReader): Promise<MigrationPlan<MigrationFile>> {
  return planMigrations(await migrationFiles(), await appliedMigrations(db));
}

/**
 * Why the server must not serve on this database: pending, modified and missing migrations, a
 * sentence each (docs/contract/16-migrations-and-calendar.md#the-check-at-start). Empty if the
 * schema is current.
 * @throws if the database does not answer.
 */
export async function schemaProblems(db: CatalogReader): Promise<string[]> {
  return planProblems(await migrationPlan(db));
}

async function currentPlan(client: pg.ClientBase): Promise<MigrationPlan<MigrationFile>> {
  if ((await client.query(LACKS_SCHEMA)).rows.length > 0) await client.query('CREATE SCHEMA pf');
  await client.query(BOOKKEEPING);
  if ((await client.query(LACKS_COLUMN)).rows.length > 0) {
    await patiently(client, () => client.query(ADD_COLUMN));
  }
  return migrationPlan(client);
}

async function appliedMigrations(db: CatalogReader): Promise<AppliedMigration[]> {
  const { rows } = await db.query(
    sql`SELECT FROM pg_class WHERE oid = to_regclass('pf.schema_version')`,
  );
  if (rows.length === 0) return [];
  // The runner of an older build has made the table without the last column.
  const applied = await db.query(
    sql`SELECT filename, checksum, to_jsonb(s)->>'stands_since' AS "standsSince"
     FROM pf.schema_version AS s`,
  );
  return v.parse(v.array(AppliedMigration), applied.rows);
}

async function applyMigration(client: pg.ClientBase, file: MigrationFile): Promise<void> {
  try {
    await patiently(client, async () => {
      await client.query(file.sql);
      await record(client, file, operator());
    });
  } catch (error) {
    throw new MigrationError(`${file.filename} failed and was rolled back: ${reason(error, file)}`);
  }
}

/**
 * Runs some statements in a transaction. If a lock is not granted in time, rolls back, pauses so that waiting
 * transactions can proceed, and tries again.
 */
async function patiently(
  client: pg.ClientBase,
  work: () => Promise<unknown>,
  attempt = 1,
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_MILLISECONDS}`);
    await work();
    await client.query('COMMIT');
  } catch (error) {
    // A connection that cannot roll back must not hide why; the transaction ends with it.
    await client.query('ROLLBACK').catch(() => undefined);
    if (sqlState(error) !== SQLSTATE.lockNotAvailable || attempt === ATTEMPTS) throw error;
    await new Promise((resolve) => setTimeout(resolve, LOCK_MILLISECONDS / 2));
    return patiently(client, work, attempt + 1);
  }
}

async function record(
  client: pg.ClientBase,
  file: MigrationFile,
  appliedBy: string,
): Promise<void> {
  await client.query(
    `INSERT INTO pf.schema_version (filename, checksum, applied_by, stands_since)
     VALUES ($1, $2, $3, $4)`,
    [file.filename, file.checksum, appliedBy, file.standsSince],
  );
}

async function locked(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    await work();
  } finally {
    // A lost connection has given the lock back, and must not hide why the work failed.
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
  }
}

function reason(error: unknown, file: MigrationFile): string {
  if (!(error instanceof Error)) return String(error);
  const position = error instanceof pg.DatabaseError ? Number(error.position) : 0;
  if (!position) return error.message;
  const line = file.sql.slice(0, position - 1).split('\n').length;
  return `line ${line}: ${error.message}`;
}

function operator(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
