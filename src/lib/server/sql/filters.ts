/** Structured filters of a load as a condition on the source table. */
import type { FilterCondition, Filters } from '../../contract/loads';
import type { Scalar } from '../../contract/primitives';
import type { Place } from '../errors';
import { AppError, faultAt } from '../errors';
import type { SourceColumn } from './forecast-columns';
import { hasTime, isText, zoneOf } from './forecast-columns';
import { localTime } from './loaded-day';
import type { SqlText } from './quote';
import { commas, either, ident, join, sql, typedLiteral } from './quote';
import { valueLiteral, wholeLiteral } from './values';

/**
 * Structured filters as a condition on the source table: conditions of a group AND-ed, groups
 * OR-ed; `[]` is all rows (docs/contract/14-what-the-operations-compute.md#filters).
 *
 * @throws AppError 400 naming group and condition if one cannot be used
 */
export function compileFilters(filters: Filters, columns: readonly SourceColumn[]): SqlText {
  if (filters.length === 0) return sql`TRUE`;
  const groups = filters.map((group, g) => {
    if (group.length === 0) {
      throw new AppError(400, `filters: group ${g + 1} is empty`, { field: `filters.${g}` });
    }
    const conditions = group.map((c, i) =>
      compileCondition(c, columns, {
        words: `filters: group ${g + 1}, condition ${i + 1}`,
        field: `filters.${g}.${i}`,
        column: c.cname,
      }),
    );
    return join(conditions, sql` AND `);
  });
  const [first, ...others] = groups;
  return first !== undefined && others.length === 0 ? first : either(groups);
}

function compileCondition(
  condition: FilterCondition,
  columns: readonly SourceColumn[],
  place: Place,
): SqlText {
  const { cname, op, value } = condition;
  const column = columns.find((c) => c.cname === cname);
  if (!column?.type) throw faultAt(place, 400, `the source has no column "${cname}"`);
  if (column.role === 'ignore') {
    throw faultAt(place, 400, `the column "${cname}" has the role ignore`);
  }

  const name = ident(cname);
  const type = isText(column.type) ? sql`text` : column.type.base;
  const byDay = hasTime(column.type) && [value].flat().every(isDay);
  const subject = byDay
    ? sql`${localTime(name, zoneOf(column))}::date`
    : column.type.isEnum
      ? sql`${name}::text`
      : name;
  const typed = (v: Scalar): SqlText => {
    if (byDay) return valueLiteral(v, sql`date`, place);
    if (INTEGERS.includes(type)) return wholeLiteral(v, place);
    return zonedLiteral(v, zoneOf(column)) ?? valueLiteral(v, unbounded(type), place);
  };

  if (op === 'is null' || op === 'is not null') {
    if (value !== undefined && value !== null) throw faultAt(place, 400, `${op} takes no value`);
    return op === 'is null' ? sql`${name} IS NULL` : sql`${name} IS NOT NULL`;
  }
  if (op === 'in' || op === 'not in') {
    const list = scalars(value, place);
    if (list.length === 0) throw faultAt(place, 400, `${op} needs at least one value`);
    const within = op === 'in' ? sql`IN` : sql`NOT IN`;
    return sql`${subject} ${within} (${commas(list.map(typed))})`;
  }
  if (op === 'between') {
    const list = scalars(value, place);
    if (list.length !== 2) throw faultAt(place, 400, `between needs two values`);
    return sql`${subject} BETWEEN ${join(list.map(typed), sql` AND `)}`;
  }
  if (value === undefined || value === null || Array.isArray(value)) {
    throw faultAt(place, 400, `${op} needs one value (for empty, use is null)`);
  }
  if (op === 'like') return sql`${name}::text LIKE ${typedLiteral(value, sql`text`)}`;
  return sql`${subject} ${COMPARISONS[op]} ${typed(value)}`;
}

/** Whether a value is a day alone: a timestamp is then compared by the day that a load makes of it. */
const isDay = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4,6}-\d\d-\d\d$/.test(value);

/** The local time of a time zone as a moment; null without a zone, or if the value says its own offset. */
function zonedLiteral(value: Scalar, zone: string | null): SqlText | null {
  if (zone === null || /(z|[+-]\d\d(:?\d\d)?)\s*$/i.test(String(value).slice('2026-01-31'.length)))
    return null;
  return localTime(typedLiteral(value, sql`timestamp`), zone);
}

const COMPARISONS = {
  '=': sql`=`,
  '<>': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
};

const INTEGERS = ['smallint', 'integer', 'bigint'];

/** A number with more digits than the column can store is not an error, since it is only compared. */
const unbounded = (type: SqlText): SqlText => (/^numeric\(.*\)$/.test(type) ? sql`numeric` : type);

function scalars(value: FilterCondition['value'], place: Place): Scalar[] {
  if (!Array.isArray(value)) throw faultAt(place, 400, `needs a list of values`);
  return value.map((v) => {
    if (v === null) throw faultAt(place, 400, `a list cannot contain null; use is null`);
    return v;
  });
}
