import * as v from 'valibot';
import type { Queryable } from '../db/database';
import { schemaProblems } from '../migrate/runner';

const problems = (db: Queryable): Promise<string[]> =>
  schemaProblems({ query: async (sql) => ({ rows: await db.many(v.unknown(), sql) }) });

/** Whether the database answers and its schema is the one this build expects. Never throws. */
export async function healthy(db: Queryable): Promise<boolean> {
  try {
    return (await problems(db)).length === 0;
  } catch {
    return false;
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
