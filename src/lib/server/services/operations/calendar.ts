/** Requires a calendar where period columns are derived. */
import { calendarLoaded } from '../../db/calendar/calendar';
import type { Queryable } from '../../db/connection/queryable';
import { AppError } from '../../errors';

/**
 * Checks that period columns can be derived (docs/contract/13-forecast-table.md#period-columns).
 * @throws AppError 409 without a calendar
 */
export async function requireCalendar(db: Queryable): Promise<void> {
  if (await calendarLoaded(db)) return;
  throw new AppError(
    409,
    'This source derives periods, and no calendar is loaded; make one in the setup of its columns, or run: npm run periods -- --fiscal-start=1',
  );
}
