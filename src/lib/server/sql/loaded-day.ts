/** SQL text of the day that a load makes of a date or timestamp of the source. */
import type { PeriodUnit } from '../../contract/shapes';
import type { ForecastColumn } from './forecast-columns';
import type { SqlText } from './quote';
import { ident, literal, sql } from './quote';

/**
 * A date or timestamp of the source as local time: in its time zone if it has one. Without one a `timestamptz` is
 * cast in UTC (docs/contract/13-forecast-table.md#days-of-a-timestamp).
 *
 * @param name the column, with its table if need be
 * @param zone null is UTC
 */
export const localTime = (name: SqlText, zone: string | null): SqlText =>
  zone === null ? name : sql`(${name} AT TIME ZONE ${literal(zone)})`;

const local = ({ name, timeZone }: ForecastColumn) => localTime(sql`s.${ident(name)}`, timeZone);

/** The day of a date column of the source, `s`, as a load writes it without an offset. */
export const dayOf = (date: ForecastColumn): SqlText => sql`${local(date)}::date`;

/** The day of a time that is moved by an interval. If the new month is shorter, its last day is taken. */
export const movedDay = (time: SqlText, interval: SqlText): SqlText =>
  sql`(${time} + ${interval})::date`;

/** The first day of the period that a day belongs to. */
export const startOfPeriod = (day: SqlText, unit: PeriodUnit): SqlText =>
  sql`date_trunc(${literal(unit)}, ${day}::timestamp)::date`;

/** As {@link dayOf}, moved by an interval. */
export const shiftedDay = (date: ForecastColumn, offset: SqlText): SqlText =>
  movedDay(local(date), offset);
