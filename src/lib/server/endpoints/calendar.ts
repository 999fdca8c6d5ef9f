/** Handlers of the calendars. */
import type { CALENDAR_ENDPOINTS } from '../../contract/endpoints/calendar';
import { getCalendar, makeCalendar } from '../services/setup/calendar';
import type { Handlers } from './asked';

export const calendarHandlers: Handlers<typeof CALENDAR_ENDPOINTS> = {
  'GET /calendar': ({ db }) => getCalendar(db),
  'PUT /calendar': ({ db, body }) => makeCalendar(db, body),
};
