/** The `set` of a recode or clone: its checks and its SQL. */
import type { SetClause, Shift } from '../../contract/movement';
import type { Scalar } from '../../contract/primitives';
import { AppError, columnPlace } from '../errors';
import type { DerivedColumn, ForecastColumn } from './forecast-columns';
import { copiedWith, dateOfGroup, leafColumns, periodColumnsOf } from './forecast-columns';
import { HOLDS_KEY_CHARACTER, KEY_CHARACTERS } from './grain';
import { movedDay } from './loaded-day';
import { type Attribute, type BrokenAttribute, keyColumns } from './lookups';
import type { SqlText } from './quote';
import { commas, ident, join, sql, typedLiteral } from './quote';
import type { SliceFields } from './slice';
import { isDouble, LAST_YEAR, valueLiteral } from './values';

const refusing =
  (field: 'set' | 'shift') =>
  (status: number, name: string, problem: string): AppError =>
    new AppError(status, `${field}: "${name}" ${problem}`, {
      field: `${field}.${name}`,
      column: name,
    });
const refuse = refusing('set');
const refuseShift = refusing('shift');

/**
 * Lists the dimensions that belong to a date, cannot be derived from it, and are missing in a `set`; null if
 * there are none.
 */
function unnamedBeside(
  date: ForecastColumn,
  set: SetClause,
  columns: readonly ForecastColumn[],
): string | null {
  const unnamed = copiedWith(date, columns).filter((c) => !Object.hasOwn(set, c.name));
  return unnamed.length === 0 ? null : unnamed.map((c) => `"${c.name}"`).join(', ');
}

/**
 * Checks that a `set` names only columns that it may change, and dates that agree with their groups
 * (docs/contract/14-what-the-operations-compute.md#dates-and-their-groups).
 * @throws AppError 400 for an unknown column, an attribute of a lookup, a value of another type or a contradiction; 422 for a text that
 * would break keys and for a number that the browser cannot hold
 */
export function checkSet(set: SetClause, { columns, attributes }: SliceFields): void {
  const leaves = leafColumns(columns);
  for (const [name, value] of Object.entries(set)) {
    const column = leaves.find((c) => c.name === name);
    if (!column) {
      const attribute = attributes.find((each) => each.name === name);
      if (attribute) throw refuse(400, name, followsKeys(attribute));
      throw refuse(400, name, 'is not a dimension or date column of this source');
    }
    valueLiteral(value, column.type, columnPlace('set', name));
    if (column.type === 'numeric' && Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER) {
      throw refuse(422, name, 'is beyond ±2^53, where numbers are no longer exact');
    }
    if (column.type === 'numeric' && typeof value === 'string' && !isDouble(value)) {
      throw refuse(422, name, 'has more digits than a pivot can distinguish');
    }
    if (column.type === 'date' && Number(/^\d+/.exec(String(value))?.[0] ?? 0) > LAST_YEAR) {
      throw refuse(422, name, `is after the year ${LAST_YEAR}, which a pivot cannot show`);
    }
    if (typeof value === 'string' && KEY_CHARACTERS.some((c) => value.includes(c))) {
      throw refuse(422, name, HOLDS_KEY_CHARACTER);
    }
    if (column.periodColumn !== null) {
      const date = dateOfGroup(column, leaves);
      if (!date || !Object.hasOwn(set, date.name)) {
        const from = date ? `"${date.name}"` : 'a date';
        throw refuse(400, name, `is derived from ${from}; set the date instead`);
      }
    }
    if (column.role === 'date') {
      const names = unnamedBeside(column, set, leaves);
      if (names) throw refuse(400, name, `changes the date that ${names} belong to; set them too`);
    }
  }
}

/** Why an attribute cannot be set. */
function followsKeys(attribute: Attribute | BrokenAttribute): string {
  if ('problem' in attribute) return 'belongs to a lookup, so its values cannot be set';
  const { lookup } = attribute;
  const names = keyColumns(lookup).map(({ name }) => `"${name}"`);
  return `belongs to the lookup “${lookup.name}” and follows ${names.join(' and ')}`;
}

/**
 * Checks that a `shift` names only dates, whose groups have no dimension that would contradict the new date
 * (docs/contract/14-what-the-operations-compute.md#dates-and-their-groups).
 * @throws AppError 400
 */
export function checkShift(shift: Shift, set: SetClause, columns: readonly ForecastColumn[]): void {
  for (const name of Object.keys(shift)) {
    const date = columns.find((c) => c.name === name && c.role === 'date');
    if (!date) throw refuseShift(400, name, 'is not a date column of this source');
    const names = unnamedBeside(date, set, columns);
    if (names) throw refuseShift(400, name, `is a date that ${names} belong to; set them too`);
  }
}

/** A date of `leaves`, moved by an interval. */
export const shiftedLeaf = (name: string, interval: string): SqlText =>
  movedDay(sql`leaves.${ident(name)}`, typedLiteral(interval, sql`interval`));

/**
 * A dimension derived from a date of `leaves` that moves.
 *
 * @param day the moved date
 * @param periods the calendar's text of the dimension by the first day of each month that occurs. The dimension is
 *   null in a month that the calendar lacks.
 */
export function derivedFrom(
  day: SqlText,
  { type }: ForecastColumn,
  periods: ReadonlyMap<string, string | null>,
): SqlText {
  const cases = [...periods].map(
    ([month, period]) =>
      sql`WHEN ${typedLiteral(month, sql`date`)} THEN ${typedLiteral(period, type)}`,
  );
  if (cases.length === 0) return typedLiteral(null, type);
  return sql`CASE date_trunc('month', ${day})::date ${join(cases, sql` `)} END`;
}

/** The dates that a `set` changes, each with the dimensions that are then derived from the calendar. */
export const derivations = (
  set: SetClause,
  columns: readonly ForecastColumn[],
): { date: ForecastColumn; derived: DerivedColumn[] }[] =>
  columns
    .filter((c) => c.role === 'date' && Object.hasOwn(set, c.name))
    .map((date) => ({ date, derived: periodColumnsOf(date, columns) }))
    .filter(({ derived }) => derived.length > 0);

/**
 * `{{set_clause}}`: one named expression over `leaves` for each dimension and date.
 *
 * @param derived the calendar's text for each derived dimension of a date that `set` changes
 * @param shifted the expression of each column that a `shift` changes
 * @throws AppError 400 if a value is not of its column's type, or disagrees with its date
 */
export function setClause(
  set: SetClause,
  columns: readonly ForecastColumn[],
  derived: ReadonlyMap<string, string | null>,
  shifted: ReadonlyMap<string, SqlText>,
): SqlText {
  return commas(
    leafColumns(columns).map(
      (c) => sql`${shifted.get(c.name) ?? expression(c, set, derived)} AS ${ident(c.name)}`,
    ),
  );
}

function expression(
  column: ForecastColumn,
  set: SetClause,
  derived: ReadonlyMap<string, string | null>,
): SqlText {
  const { name, type } = column;
  const wanted: Scalar | null | undefined = Object.hasOwn(set, name) ? set[name] : undefined;
  const period = derived.get(name);
  if (period !== undefined) {
    if (wanted !== undefined && (wanted === null ? null : String(wanted)) !== period) {
      throw refuse(
        400,
        name,
        `is ${JSON.stringify(wanted)} but its date makes it ${JSON.stringify(period)}`,
      );
    }
    return typedLiteral(period, type);
  }
  return wanted === undefined
    ? sql`leaves.${ident(name)}`
    : valueLiteral(wanted, type, columnPlace('set', name));
}
