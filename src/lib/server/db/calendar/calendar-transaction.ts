/** What both calendars need to be written as a whole, by the service or by a command. */
import type { ClientBase, QueryResult } from 'pg';
import { NOBODY } from '../../sender';
import { sql, type SqlText } from '../../sql/quote';
import { Queryable, sendOne } from '../connection/queryable';

/** Runs statements on the connection of a command. */
class CommandStatements extends Queryable {
  readonly sender = NOBODY;

  constructor(private readonly client: ClientBase) {
    super();
  }

  protected override send(text: SqlText, values: unknown[]): Promise<QueryResult> {
    return sendOne(this.client, text, values);
  }
}

/**
 * Runs the statements of a calendar in one transaction on the connection of a command.
 *
 * @throws the error of a statement, after a rollback
 */
export async function calendarTransaction<Result>(
  client: ClientBase,
  write: (transaction: Queryable) => Promise<Result>,
): Promise<Result> {
  const statements = new CommandStatements(client);
  await statements.run(sql`BEGIN`);
  try {
    const result = await write(statements);
    await statements.run(sql`COMMIT`);
    return result;
  } catch (error) {
    // A failed rollback must not hide the error. The transaction ends with the connection.
    await statements.run(sql`ROLLBACK`).catch(() => undefined);
    throw error;
  }
}

/**
 * Waits until no other transaction writes a calendar. Two at once might both find no table, and one would fail.
 *
 * @param table the name of the calendar's table
 */
export async function oneAtATime(transaction: Queryable, table: string): Promise<void> {
  await transaction.any(sql`SELECT pg_advisory_xact_lock(hashtext($1))`, [table]);
}
