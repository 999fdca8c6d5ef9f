/** The groups of an alert: what its level means, and the slice of each group. */
import { createHash } from 'node:crypto';
import type { LevelField } from '../../../contract/alerts';
import { firstDay, lastDay, periodOfDay } from '../../../contract/calendar';
import { measureKey } from '../../../contract/columns';
import { isExact } from '../../../contract/decimals';
import type { Scalar } from '../../../contract/primitives';
import type { PeriodUnit } from '../../../contract/shapes';
import type { Slice } from '../../../contract/slices';
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

/** A digest of the members of a group. */
export const digestOf = (group: readonly (string | null)[]): string =>
  createHash('sha256').update(JSON.stringify(group)).digest('hex');

/**
 * The slice of a group: the rows of the alert's slice that belong to it.
 *
 * @param group the members of the level as texts
 */
export function sliceOfGroup(
  slice: Slice,
  level: readonly GroupedField[],
  group: readonly (string | null)[],
): Slice {
  const members = level.map((field, i): [string, Slice[string]] => {
    const text = group[i] ?? null;
    if ('attribute' in field) {
      return [field.attribute.name, scalarOf(field.attribute.type, text)];
    }
    const { column, unit } = field;
    return unit && text !== null && /^\d+-\d\d-\d\d$/.test(text)
      ? [column.name, daysOf(slice[column.name], text, unit)]
      : [column.name, scalarOf(column.type, text)];
  });
  return { ...slice, ...Object.fromEntries(members) };
}

/** The days of a period that a slice selects. @param day the first one of the period */
function daysOf(selected: Slice[string] | undefined, day: string, unit: PeriodUnit): Slice[string] {
  const period = periodOfDay(day, unit);
  const [from, to] = [firstDay(period, unit), lastDay(period, unit)];
  if (selected === undefined || selected === null) return { from, to };
  if (isDateRange(selected)) {
    const later = (one: string, other = one) => (dayNumber(one) > dayNumber(other) ? one : other);
    const earlier = (one: string, other = one) => (dayNumber(one) < dayNumber(other) ? one : other);
    return { from: later(from, selected.from), to: earlier(to, selected.to) };
  }
  const days = Array.isArray(selected) ? selected : [selected];
  return days.filter((one) => one !== null && periodOfDay(String(one), unit) === period);
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
