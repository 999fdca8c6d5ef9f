/** SQL text of the groups of rows that a shape gives weights to. */
import type { PeriodUnit } from '../../contract/shapes';
import type { ForecastColumn } from './forecast-columns';
import { startOfPeriod } from './loaded-day';
import type { SqlText } from './quote';
import { commas, ident, literal, sql } from './quote';

/** The columns that tell groups apart, and the unit that their dates are grouped by. */
export interface Grouping {
  columns: readonly ForecastColumn[];
  unit: PeriodUnit;
}

/**
 * The group of a row as an array of texts: equal for equal values, null for a missing value, and for a date the
 * first day of its period.
 *
 * @param of the row and a dot, if the columns need it
 * @param day the day of a date column, if it is not the stored one
 */
export const groupKey = (
  { columns, unit }: Grouping,
  of = sql``,
  day: (date: SqlText) => SqlText = (date) => date,
): SqlText =>
  sql`ARRAY[${commas(
    columns.map((column) => {
      const name = sql`${of}${ident(column.name)}`;
      if (column.role === 'date') {
        return sql`${startOfPeriod(day(name), unit)}::text`;
      }
      return groupText(column, name);
    }),
  )}]::text[]`;

/** The value of a dimension as text: equal for equal values. Equal numbers can print differently: 1.0 and 1.00, 0 and -0. */
export function groupText({ type }: Pick<ForecastColumn, 'type'>, name: SqlText): SqlText {
  if (/^numeric/.test(type)) return sql`trim_scale(${name})::text`;
  if (type === 'double precision') return sql`(${name} + 0)::text`;
  return sql`${name}::text`;
}

/** A group as a key of a map. */
export const groupId = (group: readonly (string | null)[]): string => JSON.stringify(group);

/** A group as the literal that {@link groupKey} is equal to. */
export const groupLiteral = (group: readonly (string | null)[]): SqlText =>
  sql`ARRAY[${commas(group.map((value) => (value === null ? sql`NULL` : literal(value))))}]::text[]`;

/** Types whose values JSON has. */
const IN_JSON = /^(text|bigint|numeric|double precision|boolean)$/;

/**
 * The value of a dimension for an answer: other types than those of JSON as text.
 *
 * @param of the row and a dot, if the column needs it
 */
export function jsonValue(
  { name, type }: Pick<ForecastColumn, 'name' | 'type'>,
  of = sql``,
): SqlText {
  const value = sql`${of}${ident(name)}::${type}`;
  return IN_JSON.test(type) ? value : sql`${value}::text`;
}
