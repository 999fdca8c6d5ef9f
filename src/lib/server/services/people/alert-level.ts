/** The groups of an alert: what its level means, and the slice of each group. */
import { createHash } from 'node:crypto';
import { type LevelField, MOST_SELECTED } from '../../../contract/alerts';
import { firstDay, lastDay, periodOfDay } from '../../../contract/calendar';
import { measureKey } from '../../../contract/columns';
import { isExact } from '../../../contract/decimals';
import type { Scalar } from '../../../contract/primitives';
import type { DateRange, Slice } from '../../../contract/slices';
import { isDateRange } from '../../../contract/slices';
import type { AlertFields } from '../../db/people/alerts';
import { AppError, columnPlace, faultAt } from '../../errors';
import type { GroupedField } from '../../sql/alerts';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { leafColumns, measureColumns } from '../../sql/forecast-columns';
import { dayNumber, usableAttribute } from '../../sql/slice';
import type { ForecastVersion } from '../version/forecast-version';
import { sliceOf } from '../version/forecast-version';
import { isInside } from '../version/slices-inside';

/**
 * The fields of a level as they are grouped by.
 *
 * @throws AppError 400 for a field that cannot select rows, and for a date without a unit; 409 for an attribute whose
 * lookup cannot be joined, and as for every slice
 */
export function groupedFields(
  target: ForecastVersion,
  level: readonly LevelField[],
): GroupedField[] {
  const { skipped } = sliceOf(
    target,
    Object.fromEntries(level.map(({ field }) => [field, null])),
    'level',
  );
  return level.map(({ field, unit }, i) => {
    const place = columnPlace(`level.${i}`, field);
    if (skipped.includes(field)) {
      throw faultAt(place, 400, `"${field}" is not a dimension, a date or an attribute`);
    }
    const column = leafColumns(target.columns).find(({ name }) => name === field);
    if (column?.role === 'date') {
      if (!unit) throw faultAt(place, 400, `"${field}" is a date and needs a unit, such as month`);
      return { column, unit };
    }
    if (unit) throw faultAt(place, 400, `"${field}" is not a date, so it has no unit`);
    if (column) return { column };
    const attribute = target.attributes.find(({ name }) => name === field);
    if (!attribute) throw faultAt(place, 400, `"${field}" is not a field of the source`);
    return { attribute: usableAttribute(place, attribute) };
  });
}

/** The column of a measure. @throws AppError 400 */
export function measureOf({ columns }: ForecastVersion, key: string): ForecastColumn {
  const measure = measureColumns(columns).find((column) => measureKey(column) === key);
  if (measure) return measure;
  throw new AppError(400, `measure: the source has no measure "${key}"`, { field: 'measure' });
}

/**
 * Refuses a slice whose lists have too many values: they are part of the slice of each group of an answer.
 *
 * @throws AppError 400
 */
export function requireShort(slice: Slice): void {
  const lists = Object.values(slice).flatMap((value) =>
    Array.isArray(value) ? [value.length] : [],
  );
  if (lists.reduce((sum, length) => sum + length, 0) <= MOST_SELECTED) return;
  throw new AppError(
    400,
    `slice: an alert may select by at most ${MOST_SELECTED} values in all lists`,
    { field: 'slice' },
  );
}

/** A digest of the members of a group. */
export const digestOf = (group: readonly (string | null)[]): string =>
  createHash('sha256').update(JSON.stringify(group)).digest('hex');

/**
 * The members of a group as a slice: the values of the fields of the level, for a date the days of its period.
 *
 * @param group the members of the level as texts
 */
export const membersOf = (
  level: readonly GroupedField[],
  group: readonly (string | null)[],
): Slice =>
  Object.fromEntries(
    level.map((field, i): [string, Slice[string]] => {
      const text = group[i] ?? null;
      if ('attribute' in field) {
        return [field.attribute.name, scalarOf(field.attribute.type, text)];
      }
      const { column, unit } = field;
      if (!unit || text === null || !/^\d+-\d\d-\d\d$/.test(text)) {
        return [column.name, scalarOf(column.type, text)];
      }
      const period = periodOfDay(text, unit);
      return [column.name, { from: firstDay(period, unit), to: lastDay(period, unit) }];
    }),
  );

/** The rows of an alert's slice that belong to a group. @param members as of {@link membersOf} */
export const sliceOfGroup = (slice: Slice, members: Slice): Slice => ({
  ...slice,
  ...Object.fromEntries(
    Object.entries(members).map(([name, member]): [string, Slice[string]] => [
      name,
      isDateRange(member) ? daysOf(slice[name], member) : member,
    ]),
  ),
});

/** The days of a period that a slice selects. */
function daysOf(selected: Slice[string] | undefined, period: DateRange): Slice[string] {
  if (selected === undefined || selected === null) return period;
  const later = (one = '', other = one) => (dayNumber(one) > dayNumber(other) ? one : other);
  const earlier = (one = '', other = one) => (dayNumber(one) < dayNumber(other) ? one : other);
  const { from, to } = period;
  if (isDateRange(selected)) {
    return { from: later(from, selected.from), to: earlier(to, selected.to) };
  }
  const days = Array.isArray(selected) ? selected : [selected];
  return days.filter(
    (day) => day !== null && later(`${day}`, from) === day && earlier(`${day}`, to) === day,
  );
}

/** A member as the value of a slice. A number that no double holds stays text. */
function scalarOf(type: string, text: string | null): Scalar | null {
  if (text === null) return null;
  if (type === 'boolean') return text === 'true';
  const isNumber = /^(bigint|numeric|double precision)/.test(type) && /^-?\d/.test(text);
  return isNumber && (type === 'double precision' || isExact(text)) ? Number(text) : text;
}

/**
 * Whether groups of an alert can lie inside territories, told by its definition alone: for one of them, it groups by each
 * field or selects values inside.
 */
export const hasGroupsInside = (
  { slice, level }: Pick<AlertFields, 'slice' | 'level'>,
  territories: readonly Slice[],
): boolean =>
  territories.some((territory) =>
    Object.entries(territory).every(([name, values]) => {
      if (level.some(({ field }) => field === name)) return true;
      const selected = slice[name];
      return selected !== undefined && isInside({ [name]: selected }, [{ [name]: values }]);
    }),
  );
