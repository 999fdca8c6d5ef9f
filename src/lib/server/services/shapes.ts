/** Reads the weights of the shape of a scale. */
import { shapeOf } from '../../contract/amounts';
import type { ScaleEdit } from '../../contract/operations';
import type { PeriodUnit, Profile, Shape, StoredShape, WeightedGroup } from '../../contract/shapes';
import { MOST_GROUPS } from '../../contract/shapes';
import { isDateRange } from '../../contract/slices';
import { groupsOf } from '../db/groups';
import { AppError, faultAt, fieldPlace } from '../errors';
import type { ForecastColumn } from '../sql/forecast-columns';
import type { Grouping } from '../sql/groups';
import { groupKey } from '../sql/groups';
import { sql } from '../sql/quote';
import { valueLiteral } from '../sql/values';
import type { OperationWriter } from './entries/open-entry';
import { seenByOperations, sliceOf } from './forecast-version';
import { daysOfPeriod, isFirstDay } from './period-days';

/** A shape whose weights are known. */
export interface ResolvedShape {
  by: Grouping;
  weights: readonly WeightedGroup[];
  /** Whether groups without a row are left out. */
  leavesOut: boolean;
  /** The shape as the log keeps it. */
  stored: StoredShape;
}

/**
 * Reads the weights of the shape of a scale (docs/contract/14-what-the-operations-compute.md#shapes). Weights that
 * the request brings along are not read again.
 *
 * @returns null if the scale has no shape
 * @throws AppError 400 for a column or a period that does not fit, 422 for too many groups
 */
export async function resolveShape(
  writer: OperationWriter,
  edit: ScaleEdit,
): Promise<ResolvedShape | null> {
  const shape = shapeOf(edit);
  if (!shape?.profile) return null;
  const { profile, missing, resolved } = shape;
  const by = groupingOf(profile, writer.target.columns);
  const leavesOut = missing !== undefined;
  const given = profile.weights && weightsOf(profile.weights, profile.unit);
  const weights = given ?? checkedGroups(resolved, by) ?? (await read(profile, by, writer, edit));
  const stored: StoredShape = {
    profile,
    ...(missing && { missing }),
    ...(!given && { resolved: [...weights] }),
  };
  return { by, weights, leavesOut, stored };
}

/** The amounts of a shaped scale without the weights that the log keeps, so that its pattern is read anew. */
export const withoutResolved = <Edit extends object>(edit: Edit): Edit =>
  'spread' in edit && isShape(edit.spread)
    ? { ...edit, spread: { ...edit.spread, resolved: undefined } }
    : edit;

const isShape = (spread: unknown): spread is Shape | StoredShape =>
  typeof spread === 'object' && spread !== null;

/** @throws AppError 400 if the column of a profile is not a date */
function groupingOf({ column, unit }: Profile, columns: readonly ForecastColumn[]): Grouping {
  const date = columns.find((c) => c.name === column && c.role === 'date');
  if (date) return { columns: [date], unit };
  throw new AppError(400, `spread.profile.column: "${column}" is not a date column`, {
    ...{ field: 'spread.profile.column', column },
  });
}

/** @throws AppError 400 for a key that is not the first day of a period */
function weightsOf(weights: NonNullable<Profile['weights']>, unit: PeriodUnit): WeightedGroup[] {
  return Object.entries(weights).map(([day, weight]) => {
    const place = fieldPlace(`spread.profile.weights.${day}`);
    valueLiteral(day, sql`date`, place);
    if (!isFirstDay(day, unit)) throw faultAt(place, 400, `is not the first day of a ${unit}`);
    return { group: [day], value: String(weight), units: String(weight) };
  });
}

/** @throws AppError 400 for a group with too few or too many values */
function checkedGroups(
  groups: Shape['resolved'],
  { columns: { length } }: Grouping,
): WeightedGroup[] | undefined {
  const misfit = groups?.findIndex(({ group }) => group.length !== length) ?? -1;
  if (misfit < 0) return groups;
  throw faultAt(fieldPlace(`spread.resolved.${misfit}.group`), 400, `must have ${length} values`);
}

/** The weights of the periods that a slice has. Rows without a date are in none. */
async function read(
  { column, unit, even }: Profile,
  by: Grouping,
  { tx, target }: OperationWriter,
  { slice }: ScaleEdit,
): Promise<WeightedGroup[]> {
  const where = seenByOperations(target, sliceOf(target, slice).where);
  const groups = await groupsOf(tx, target, groupKey(by), { where }, MOST_GROUPS);
  requireFew(groups);
  const wanted = slice[column] ?? null;
  const range = isDateRange(wanted) ? wanted : {};
  return groups.flatMap(({ group }) => {
    const [day] = group;
    if (day == null) return [];
    const weight = even ? '1' : String(daysOfPeriod(day, unit, range));
    return { group, value: weight, units: weight };
  });
}

/** @throws AppError 422 for too many groups */
export function requireFew(groups: readonly unknown[]): void {
  if (groups.length <= MOST_GROUPS) return;
  throw new AppError(
    422,
    `The shape has more than ${MOST_GROUPS} groups; use a larger unit, or fewer columns`,
    { field: 'spread' },
  );
}
