/** Makes the calendars that sources and lookups use. */
import {
  type Calendar,
  ISO_YEAR_STARTS,
  type MadeCalendar,
  type MakeCalendarRequest,
} from '../../../contract/calendar-tables';
import { fiscalStart } from '../../db/calendar/calendar';
import { writeMonths } from '../../db/calendar/calendar-load';
import { writeWeeks } from '../../db/calendar/weeks-load';
import { SQLSTATE, sqlState } from '../../db/connection/failures';
import type { Database } from '../../db/database';
import { recordChange } from '../../db/log/audit';
import { AppError, reasonOf } from '../../errors';

/** The state of the calendar of months. */
export const getCalendar = async (db: Database): Promise<Calendar> => ({
  fiscal_start: await fiscalStart(db),
});

/**
 * Makes the calendar of months, or that of weeks, or writes it again
 * (docs/contract/16-migrations-and-calendar.md#put-calendar).
 *
 * @throws AppError 422 if the role of the service may not write the table
 */
export async function makeCalendar(
  db: Database,
  { weeks, fiscal_start = 1, year_starts = ISO_YEAR_STARTS, pf_user }: MakeCalendarRequest,
): Promise<MadeCalendar> {
  const [schema, tname] = weeks ? ['pf_lookups', 'weeks'] : ['pf', 'dim_period'];
  try {
    return await db.transaction(async (tx) => {
      const before = weeks ? null : await fiscalStart(tx);
      const periods = weeks
        ? await writeWeeks(tx, weeks, year_starts)
        : await writeMonths(tx, fiscal_start);
      await recordChange(tx, {
        action: 'calendar made',
        pf_user,
        before: before === null ? null : { fiscal_start: before },
        after: weeks ? { weeks, year_starts } : { fiscal_start },
      });
      return { schema, tname, periods };
    });
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.insufficientPrivilege) throw error;
    throw new AppError(
      422,
      `The database role of the service may not write ${schema}.${tname}: ${reasonOf(error)}. Run npm run periods with a role that may`,
      { cause: error },
    );
  }
}
