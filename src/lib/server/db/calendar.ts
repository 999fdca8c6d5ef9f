import { ident } from '../sql/identifiers';
import type { Session } from './database';

/** Whether pf.dim_period has been made and filled. */
export async function calendarLoaded(session: Session): Promise<boolean> {
  const made = await session.maybeOne(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'pf' AND c.relname = 'dim_period'`,
  );
  if (!made) return false;
  return (await session.maybeOne('SELECT 1 FROM pf.dim_period LIMIT 1')) !== undefined;
}

/**
 * Some columns of the period that holds a day, as text; null for each where the calendar does not
 * hold the day or there is no day.
 */
export async function periodOf(
  session: Session,
  day: string | null,
  periodColumns: readonly string[],
): Promise<(string | null)[]> {
  const row = await session.maybeOne<{ period: (string | null)[] }>(
    `SELECT ARRAY[${periodColumns.map((c) => `${ident(c)}::text`).join(', ')}]::text[] AS period
     FROM pf.dim_period WHERE sdat = date_trunc('month', $1::date)::date`,
    [day],
  );
  return row?.period ?? periodColumns.map(() => null);
}
