/** Writes a calendar as a whole. */
import type { ClientBase } from 'pg';

/**
 * Runs the statements of a calendar in one transaction. Two runs at once follow each other: otherwise both might find
 * no table, and one would fail.
 *
 * @param table the name of the calendar's table
 * @throws the error of a statement, after a rollback
 */
export async function calendarTransaction<Result>(
  client: ClientBase,
  table: string,
  write: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [table]);
    const result = await write();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A failed rollback must not hide the error. The transaction ends with the connection.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
