/** Calendars that the service makes: months with their fiscal years, and retail weeks. */
import * as v from 'valibot';
import { day, pfUser } from './primitives';

/** The weeks of the three periods of a quarter. */
export const WEEK_PATTERNS = ['4-4-5', '4-5-4', '5-4-4'] as const;
export type WeekPattern = (typeof WEEK_PATTERNS)[number];

/** The first day of a year of weeks by default: Mondays nearest to January 1, as ISO weeks. */
export const ISO_YEAR_STARTS = '2018-01-01';

/** Answer of GET calendar. */
export const Calendar = v.object({
  fiscal_start: v.pipe(
    v.nullable(v.number()),
    v.description('The month in which the fiscal year starts; null before the calendar is made'),
  ),
});
export type Calendar = v.InferOutput<typeof Calendar>;

/** Body of PUT calendar (docs/contract/16-migrations-and-calendar.md#put-calendar). */
export const MakeCalendarRequest = v.pipe(
  v.object({
    fiscal_start: v.optional(
      v.pipe(
        v.number(),
        v.integer('must be a month from 1 to 12'),
        v.minValue(1, 'must be a month from 1 to 12'),
        v.maxValue(12, 'must be a month from 1 to 12'),
        v.description('The month in which the fiscal year of pf.dim_period starts'),
      ),
    ),
    weeks: v.optional(
      v.pipe(
        v.picklist(WEEK_PATTERNS),
        v.description('Makes pf_lookups.weeks instead: the weeks of the periods of a quarter'),
      ),
    ),
    year_starts: v.optional(
      v.pipe(
        day,
        v.check((start) => !start.endsWith('-02-29'), 'must be a day that every year has'),
        v.description(`Of weeks: the first day of any year; ${ISO_YEAR_STARTS} by default`),
      ),
    ),
    pf_user: v.optional(pfUser),
  }),
  v.forward(
    v.check(
      ({ weeks, fiscal_start }) => weeks !== undefined || fiscal_start !== undefined,
      'is missing; name it, or weeks',
    ),
    ['fiscal_start'],
  ),
  v.forward(
    v.check(
      ({ weeks, fiscal_start }) => weeks === undefined || fiscal_start === undefined,
      'is for months; weeks have year_starts',
    ),
    ['fiscal_start'],
  ),
  v.forward(
    v.check(
      ({ weeks, year_starts }) => weeks !== undefined || year_starts === undefined,
      'needs weeks',
    ),
    ['year_starts'],
  ),
);
export type MakeCalendarRequest = v.InferOutput<typeof MakeCalendarRequest>;

/** Answer of PUT calendar. */
export const MadeCalendar = v.object({
  schema: v.string(),
  tname: v.string(),
  periods: v.pipe(v.number(), v.description('Number of months or weeks in the calendar')),
});
export type MadeCalendar = v.InferOutput<typeof MadeCalendar>;
