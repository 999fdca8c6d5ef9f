/** Whether the service can work: database, schema and workers. */
import * as v from 'valibot';
import type { Database } from '../../db/database';
import type { Queryable } from '../../db/connection/queryable';
import { clusterProblems } from '../../db/versions/distributed';
import { SQLSTATE, sqlState, workerAway } from '../../db/connection/failures';
import { unservedSources } from '../../db/people/needs';
import { schemaProblems } from '../../migrate/runner';

const problems = (db: Queryable): Promise<string[]> =>
  schemaProblems({ query: async (sql) => ({ rows: await db.many(v.unknown(), sql) }) });

/** Timeout for all statements of one check, in ms: the answer has to come within 5 seconds. */
const CHECK_MILLISECONDS = 4_500;

const NO_ANSWER = 'The database does not answer';

/**
 * Finds out what prevents the service from working, as a sentence: the database does not answer or accepts no
 * changes, its schema does not fit this build, or a worker that distributed versions need is away. Never
 * throws, and answers within 5 seconds (docs/contract/09-errors-limits-guards.md#health).
 *
 * @param distribute as configured
 * @returns undefined if the service is healthy
 */
export async function unhealthy(
  db: Database,
  distribute: number | null,
): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(NO_ANSWER), CHECK_MILLISECONDS);
  });
  try {
    return await Promise.race([foundProblem(db, distribute), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function foundProblem(db: Database, distribute: number | null): Promise<string | undefined> {
  try {
    const { readOnly } = await db.look();
    if (readOnly) return 'The database accepts no changes: it is a standby or read-only';
    if ((await problems(db.aside)).length > 0) return 'The schema of the database is not current';
    const { setup, away } = await clusterProblems(db.aside, distribute !== null);
    const [first] = [...away.map(workerAway), ...setup];
    return first;
  } catch {
    return NO_ANSWER;
  }
}

/**
 * The check before the server listens
 * (docs/contract/16-migrations-and-calendar.md#the-check-at-start). @throws Error listing the
 * problems
 */
export async function requireCurrentSchema(db: Queryable): Promise<void> {
  const found = await problems(db);
  if (found.length > 0) {
    throw new Error(
      [
        'The database schema is not the one this server expects:',
        ...found.map((p) => `  ${p}`),
      ].join('\n'),
    );
  }
}

/**
 * Returns a sentence for each source that this build does not serve; none if the schema is too old to say so
 * (docs/contract/16-migrations-and-calendar.md#what-a-source-needs).
 */
export async function unservedWarnings(db: Queryable): Promise<string[]> {
  try {
    const sources = await unservedSources(db);
    return sources.map(
      ({ id, tname, needs }) =>
        `source ${id} (${tname}) is not served: it needs a build that knows ${needs.join(', ')}`,
    );
  } catch (error) {
    if (sqlState(error) === SQLSTATE.undefinedColumn || sqlState(error) === SQLSTATE.undefinedTable)
      return [];
    throw error;
  }
}

/**
 * Checks a Citus cluster before the server listens. A worker that is away does not fail this check but
 * `/health`: versions that are not distributed work without it.
 *
 * @param distribute as configured
 * @throws Error listing what must be changed
 */
export async function requireCluster(db: Queryable, distribute: number | null): Promise<void> {
  const { setup } = await clusterProblems(db, distribute !== null);
  if (setup.length > 0) throw new Error(`Cannot start: ${setup.join('; ')}`);
}
