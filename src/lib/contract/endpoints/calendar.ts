/** Endpoints of the calendars. */
import { Calendar, MadeCalendar, MakeCalendarRequest } from '../calendar-tables';
import { type Endpoints, json } from './endpoint';

export const CALENDAR_ENDPOINTS = {
  'GET /calendar': {
    role: 'admin',
    territories: 'none',
    summary: 'Whether there is a calendar of months, and its fiscal year',
    answer: json(Calendar),
  },
  'PUT /calendar': {
    role: 'admin',
    territories: 'refused',
    summary: 'Make the calendar of months, or that of retail weeks',
    request: MakeCalendarRequest,
    answer: json(MadeCalendar),
    refusals: [422],
  },
} satisfies Endpoints;
