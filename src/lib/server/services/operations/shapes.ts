/** Reads the weights of the shape of a scale. */
import * as v from 'valibot';
import { shapeOf } from '../../../contract/amounts';
import { isSingleRole, SINGLE_ROLES } from '../../../contract/columns';
import { figuresOf } from '../../../contract/measures';
import type { ScaleEdit } from '../../../contract/operations';
import { Iter } from '../../../contract/operations';
import type {
  Grouped,
  Like,
  PeriodUnit,
  Profile,
  Shape,
  StoredShape,
  WeightedGroup,
} from '../../../contract/shapes';
import { MOST_GROUPS } from '../../../contract/shapes';
import { isDateRange, usableSlice } from '../../../contract/slices';
import { groupsOf } from '../../db/totals/groups';
import { intervalMoves } from '../../db/loads/load-rows';
import type { Transaction } from '../../db/connection/transaction';
import { listVersions } from '../../db/versions/versions';
import { AppError, faultAt, fieldPlace } from '../../errors';
import { daysOfPeriod, isFirstDay } from '../../../contract/calendar';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { leafColumns, measureKeys } from '../../sql/forecast-columns';
import type { Grouping } from '../../sql/groups';
import { groupKey } from '../../sql/groups';
import { movedDay } from '../../sql/loaded-day';
import type { SqlText } from '../../sql/quote';
import { commas, literal, sql, typedLiteral } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import { valueLiteral } from '../../sql/values';
import { blameClient } from '../client-faults';
import type { OperationWriter } from '../entries/open-entry';
import type { ForecastVersion } from '../version/forecast-version';
import { limitedTo, readVersion, seenByOperations, sliceOf } from '../version/forecast-version';

/** A shape whose weights are known. */
export interface ResolvedShape {
  by: Grouping;
  weights: readonly WeightedGroup[];
  /** Whether groups without a row are left out. */
  leavesOut: boolean;
  /** Keys of the pattern's slice that are not dimension or date columns. */
  skipped: readonly string[];
  /** The shape as it is stored in the log. */
  stored: StoredShape;
}

/**
 * Reads the weights of the shape of a scale (docs/contract/14-what-the-operations-compute.md#shapes). Weights in the
 * request are used as they are.
 *
 * @returns null if the scale has no shape
 * @throws AppError 400 for a column, period, slice or interval that does not fit; 422 for a version of another
 * source, a pattern without rows, and too many groups
 */
export async function resolveShape(
  writer: OperationWriter,
  edit: ScaleEdit,
): Promise<ResolvedShape | null> {
  const shape = shapeOf(edit);
  if (!shape) return null;
  const { profile, like, missing } = shape;
  const { columns } = writer.target;
  const pattern =
    (like && {
      by: groupingOfLike(like, columns),
      read: () => readLike(like, writer.target, writer.tx),
    }) ??
    (profile && {
      by: groupingOfProfile(profile, columns),
      read: (by: Grouping) => readPeriods(profile, by, writer, edit),
    });
  if (!pattern) return null;
  const { by } = pattern;
  const given = profile?.weights && weightsOf(profile.weights, profile.unit, columns);
  const known = given ?? checkedGroups(shape.resolved, by);
  const { weights, skipped } = known ? { weights: known, skipped: [] } : await pattern.read(by);
  const stored = {
    ...(profile && { profile }),
    ...(like && { like: { ...like, slice: usableSlice(like.slice) } }),
    ...(missing && { missing }),
    ...(!given && { resolved: [...weights] }),
  };
  return { by, weights, skipped, leavesOut: missing !== undefined, stored };
}

/** Returns the groups and the weights of a shape in the log. */
export function storedWeights(
  { profile, like, resolved }: StoredShape,
  columns: readonly ForecastColumn[],
): Pick<ResolvedShape, 'by' | 'weights'> {
  if (profile) {
    const given = profile.weights && weightsOf(profile.weights, profile.unit, columns);
    return { by: groupingOfProfile(profile, columns), weights: given ?? resolved ?? [] };
  }
  if (!like) throw new Error('A shape has a profile or a pattern');
  return { by: groupingOfLike(like, columns), weights: resolved ?? [] };
}

/** Removes the stored weights from the shape of a scale, so that its next run reads the pattern again. */
export const withoutResolved = <Edit extends object>(edit: Edit): Edit =>
  'spread' in edit && isShape(edit.spread)
    ? { ...edit, spread: { ...edit.spread, resolved: undefined } }
    : edit;

const isShape = (spread: unknown): spread is Shape | StoredShape =>
  typeof spread === 'object' && spread !== null;

/** @throws AppError 400 if the column of a profile is not a date */
function groupingOfProfile(
  { column, unit }: Profile,
  columns: readonly ForecastColumn[],
): Grouping {
  const date = columns.find((c) => c.name === column && c.role === 'date');
  if (date) return { columns: [date], unit };
  throw new AppError(400, `spread.profile.column: "${column}" is not a date column`, {
    ...{ field: 'spread.profile.column', column },
  });
}

/** @throws AppError 400 as {@link groupingOf}, and for an offset without a date */
function groupingOfLike(like: Like, columns: readonly ForecastColumn[]): Grouping {
  const grouping = groupingOf(like, columns, 'spread.like.');
  if (like.date_offset !== undefined && !hasDate(grouping)) {
    throw faultAt(fieldPlace('spread.like.date_offset'), 400, 'needs a date in by');
  }
  return grouping;
}

/**
 * Finds the columns that a request groups rows by.
 *
 * @param at the path of their fields in the body, with a dot at its end
 * @throws AppError 400 for a column that is not a dimension or date, and for a date without a unit
 */
export function groupingOf(
  { by, unit }: Grouped,
  columns: readonly ForecastColumn[],
  at = '',
): Grouping {
  const leaves = leafColumns(columns);
  const named = by.map((name, i) => {
    const column = leaves.find((c) => c.name === name);
    if (column) return column;
    throw new AppError(400, `${at}by: "${name}" is not a dimension or date column`, {
      ...{ field: `${at}by.${i}`, column: name },
    });
  });
  const grouping = { columns: named, unit: unit ?? 'day' };
  if (hasDate(grouping) && unit === undefined) {
    throw faultAt(fieldPlace(`${at}unit`), 400, 'is needed, because by names a date');
  }
  return grouping;
}

const hasDate = ({ columns }: Grouping): boolean => columns.some(({ role }) => role === 'date');

/** @throws AppError 400 for a key that is not the first day of a period */
function weightsOf(
  weights: NonNullable<Profile['weights']>,
  unit: PeriodUnit,
  columns: readonly ForecastColumn[],
): WeightedGroup[] {
  return Object.entries(weights).map(([day, weight]) => {
    const place = fieldPlace(`spread.profile.weights.${day}`);
    valueLiteral(day, sql`date`, place);
    if (!isFirstDay(day, unit)) throw faultAt(place, 400, `is not the first day of a ${unit}`);
    return { group: [day], ...weightsBy(columns, () => String(weight)) };
  });
}

/** The measures that a group may have a weight for: value and units even if the source lacks them. */
const weightedKeys = (columns: readonly ForecastColumn[]): string[] => [
  ...new Set([...SINGLE_ROLES, ...measureKeys(columns)]),
];

/** The weights of a group. @param of the weight of a measure; undefined for none */
function weightsBy(
  columns: readonly ForecastColumn[],
  of: (key: string) => string | undefined,
): Omit<WeightedGroup, 'group'> {
  const { value, units, measures } = figuresOf(
    weightedKeys(columns).flatMap((key) => {
      const weight = of(key);
      return weight === undefined ? [] : [[key, weight] as const];
    }),
  );
  return {
    ...(value !== null && { value }),
    ...(units !== null && { units }),
    ...(measures && { measures }),
  };
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

/** Weights that were read, and the keys of the pattern's slice that select nothing. */
type Read = Pick<ResolvedShape, 'weights' | 'skipped'>;

/** The weights of the periods that a slice has. Rows without a date are in none. */
async function readPeriods(
  { column, unit, even }: Profile,
  by: Grouping,
  { tx, target }: OperationWriter,
  { slice }: ScaleEdit,
): Promise<Read> {
  const where = seenByOperations(target, sliceOf(target, slice).where);
  const groups = await groupsOf(tx, target, groupKey(by), { where }, MOST_GROUPS);
  requireFew(groups);
  const wanted = slice[column] ?? null;
  const range = isDateRange(wanted) ? wanted : {};
  const weights = groups.flatMap(({ group }) => {
    const [day] = group;
    if (day == null) return [];
    const weight = even ? '1' : String(daysOfPeriod(day, unit, range));
    return { group, ...weightsBy(target.columns, () => weight) };
  });
  return { weights, skipped: [] };
}

/** The sums of the groups of other rows. Groups whose sums are 0 are left out. */
async function readLike(like: Like, target: ForecastVersion, tx: Transaction): Promise<Read> {
  const { slice, date_offset: offset, measure } = like;
  const of = await versionOf(like, target, tx);
  const by = groupingOfLike(like, of.columns);
  requireMeasure(measure, of.columns);
  const { where, skipped } = sliceOf(of, slice, 'spread.like.slice');
  if (skipped.length > 0 && skipped.length === Object.keys(slice).length) {
    throw faultAt(
      fieldPlace('spread.like.slice'),
      400,
      `"${skipped.join('", "')}" is not a dimension or date column, so this would be the whole version`,
    );
  }
  const place = fieldPlace('spread.like.date_offset');
  if (offset !== undefined) await blameClient(place, () => intervalMoves(tx, offset));
  const key = groupKey(by, sql``, (date) =>
    offset === undefined ? date : movedDay(date, typedLiteral(offset, sql`interval`)),
  );
  const rows = sql`(${where}) AND (${originsOf(like, of)})`;
  const groups = await blameClient(place, () =>
    groupsOf(tx, of, key, { where: rows }, MOST_GROUPS),
  );
  requireFew(groups);
  if (groups.length === 0) {
    throw faultAt(fieldPlace('spread.like.slice'), 422, 'the pattern matches no row');
  }
  const weights = groups.flatMap(({ group, amounts }) => {
    const sum = (key: string) => amounts.get(measure ?? key)?.total;
    const isNothing = weightedKeys(of.columns).every((key) => Number(sum(key) ?? 0) === 0);
    return isNothing ? [] : { group, ...weightsBy(of.columns, sum) };
  });
  return { weights, skipped };
}

/** @throws AppError 400 for a name that is no measure, 422 for value or units if the source has none */
function requireMeasure(measure: string | undefined, columns: readonly ForecastColumn[]): void {
  if (measure === undefined || measureKeys(columns).includes(measure)) return;
  const place = fieldPlace('spread.like.measure');
  if (isSingleRole(measure)) throw faultAt(place, 422, `the source has no ${measure} column`);
  throw faultAt(place, 400, `must be value, units or a further measure, and "${measure}" is none`);
}

/** @throws AppError 422 for a version that the source does not have */
async function versionOf(
  { version_id: id }: Like,
  target: ForecastVersion,
  tx: Transaction,
): Promise<ForecastVersion> {
  if (id === undefined || id === target.version.id) return target;
  const versions = await listVersions(tx, target.source.id);
  if (versions.some((version) => version.id === id)) {
    return limitedTo(await readVersion(tx, id), target.limit?.slices ?? []);
  }
  throw faultAt(fieldPlace('spread.like.version_id'), 422, `the source has no version ${id}`);
}

/** @throws AppError 400 for an unknown origin */
function originsOf({ origins }: Like, { version }: ForecastVersion): SqlText {
  if (!origins) return excludeClause(version.exclude_iters);
  const wrong = origins.findIndex((origin) => !v.is(Iter, origin));
  if (wrong < 0) return sql`pf_iter IN (${commas(origins.map(literal))})`;
  throw faultAt(fieldPlace(`spread.like.origins.${wrong}`), 400, 'is not an origin of rows');
}

/** @param field the field that groups them @throws AppError 422 for too many groups */
export function requireFew(groups: readonly unknown[], field = 'spread'): void {
  if (groups.length <= MOST_GROUPS) return;
  throw new AppError(
    422,
    `There are more than ${MOST_GROUPS} groups; use a larger unit, or fewer columns`,
    { field },
  );
}
