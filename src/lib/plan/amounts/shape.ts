/** The shapes that a planner can choose, and the spread of a scale that each of them is. */
import { isDateRange, type Slice } from '../../contract/slices';
import type { GroupTotals } from '../../contract/previews';
import type { Like, Shape } from '../../contract/shapes';
import { lastOfMonth, monthNumber } from '../../contract/calendar';
import { tidy } from '../../pivot/values/cell-value';
import { totalOf, amountField, joinedAmounts, type AmountFields } from '../../contract/measures';
import type { MeasureDraft, MeasureEdit } from './scale-draft';

/** A cell or row that was picked as a pattern. */
export interface PickedCell {
  kind: 'cell';
  /** The name of the cell, for sentences. */
  name: string;
  slice: Slice;
  /** The origins of its rows; without them, those of the plan. */
  origins?: string[];
  /** The version of its rows, if it is another one. */
  version_id?: number;
  /** The key of the measure that the cell shows, which all measures of the target follow; none for a row. */
  measure?: string;
}

/** The rows that a pattern is read from: those of the selection with another origin or version, or of a cell. */
export type Pattern =
  { kind: 'reference' } | { kind: 'version'; id: number; name: string } | PickedCell;

/** A chosen shape. A new choice is a new object. */
export type ShapeChoice =
  | { kind: 'even' }
  | { kind: 'days' }
  /** Weights that rise by the month: 1, 2, 3 and so on from the first month of the slice. */
  | { kind: 'ramp' }
  /** One weight per month of the year, January first. */
  | { kind: 'profile'; name: string; weights: readonly number[] }
  | {
      kind: 'like';
      pattern: Pattern;
      /**
       * How months of the pattern are matched: by date, with those of a year before, or, for a picked cell, by
       * their position in its range of dates.
       */
      match: 'date' | 'yearBefore' | 'position';
      /** Whether months of the pattern without a row in the selection are left out. */
      leavesOut: boolean;
    };

/** The shape of the reference, month by month. */
export const LIKE_REFERENCE: ShapeChoice = {
  kind: 'like',
  pattern: { kind: 'reference' },
  match: 'date',
  leavesOut: false,
};

/** What a shape is applied to. */
export interface ShapeTarget {
  slice: Slice;
  /** The date column whose months are the groups. */
  column: string;
  /** Dimensions whose values follow from a date. */
  periodColumns: readonly string[];
  /** The months of the slice; undefined until the service has answered. */
  groups?: readonly GroupTotals[] | undefined;
}

/** The spread of a scale; otherwise why the shape cannot be applied, as a sentence. */
export type MadeShape = { spread: Shape } | { problem: string };

const MONTHS_LOADING = 'The months of the selection are still loading.';
const NO_WEIGHT = 'This profile has no weight in the months of the selection.';
const WITH_PERIODS =
  'The selection has a period as a value, which cannot be moved to the year before. Select by date instead.';
const NO_POSITION =
  'Months can be matched by position only if the selection and the picked cell each have a range of dates.';

/** Weeks per month of a quarter. */
export const WEEK_PROFILES = ['4-4-5', '4-5-4', '5-4-4'] as const;

/** Returns the profile that a pattern of weeks makes for all quarters. */
export const weekProfile = (name: (typeof WEEK_PROFILES)[number]): ShapeChoice => {
  const quarter = name.split('-').map(Number);
  return { kind: 'profile', name, weights: [0, 1, 2, 3].flatMap(() => quarter) };
};

/** Whether a shape is made from the months of the slice, which the service has to answer first. */
export const needsMonths = (choice: ShapeChoice | null): boolean =>
  choice?.kind === 'profile' || choice?.kind === 'ramp';

/** Returns the spread of a scale for a chosen shape (docs/contract/14-what-the-operations-compute.md#shapes). */
export function shapeFor(choice: ShapeChoice, target: ShapeTarget): MadeShape {
  const { column } = target;
  const unit = 'month' as const;
  switch (choice.kind) {
    case 'even':
      return { spread: { profile: { column, unit, even: true } } };
    case 'days':
      return { spread: { profile: { column, unit, days: true } } };
    case 'ramp':
    case 'profile': {
      if (!target.groups) return { problem: MONTHS_LOADING };
      const days = target.groups.flatMap(({ group: [day] }) => (day == null ? [] : [day]));
      const first = Math.min(...days.map(monthNumber));
      const weightOf = (day: string) =>
        choice.kind === 'ramp'
          ? monthNumber(day) - first + 1
          : (choice.weights[monthNumber(day) % 12] ?? 0);
      const weights = days.map((day) => [day, weightOf(day)] as const);
      if (!weights.some(([, weight]) => weight > 0)) return { problem: NO_WEIGHT };
      return { spread: { profile: { column, unit, weights: Object.fromEntries(weights) } } };
    }
    case 'like': {
      const rows = patternRows(choice, target);
      if ('problem' in rows) return rows;
      return {
        spread: {
          like: { ...rows, by: [column], unit },
          ...(choice.leavesOut && { missing: 'leave_out' as const }),
        },
      };
    }
  }
}

/** Returns where a pattern is read, and the interval that moves its months to those of the target. */
function patternRows(
  { pattern, match }: Extract<ShapeChoice, { kind: 'like' }>,
  { slice, column, periodColumns }: ShapeTarget,
): Omit<Like, 'by' | 'unit'> | { problem: string } {
  if (pattern.kind === 'cell') {
    const { kind: _, name: __, ...picked } = pattern;
    const dated = datedPattern(pattern.slice, slice, [column, ...periodColumns]);
    const rows = { ...picked, slice: dated };
    if (match === 'date') return rows;
    const [own, other] = [slice, dated].map((each) => firstMonth(each[column]));
    if (own == null || other == null) return { problem: NO_POSITION };
    return { ...rows, ...(own !== other && { date_offset: `${own - other} months` }) };
  }
  const from =
    pattern.kind === 'reference' ? { origins: ['reference'] } : { version_id: pattern.id };
  if (match === 'date') return { slice, ...from };
  if (Object.keys(slice).some((key) => periodColumns.includes(key)))
    return { problem: WITH_PERIODS };
  return {
    slice: { ...slice, ...(column in slice && { [column]: yearBefore(slice[column] ?? null) }) },
    ...from,
    date_offset: '1 year',
  };
}

/**
 * Returns the seasonality of some months: the sums of January, February and so on over all years, as 12 weights.
 * Returns a sentence instead if they cannot be weights.
 *
 * @param key of the measure
 */
export function seasonality(groups: readonly GroupTotals[], key: string): number[] | string {
  const sums = Array.from({ length: 12 }, () => 0);
  for (const { group, ...totals } of groups) {
    const [day] = group;
    if (day == null) continue;
    const month = monthNumber(day) % 12;
    sums[month] = tidy((sums[month] ?? 0) + (totalOf(totals, key) ?? 0));
  }
  if (sums.some((sum) => sum < 0))
    return 'A month of the selection adds up to less than zero, so it cannot be a weight.';
  return sums.some((sum) => sum > 0) ? sums : 'The selection has no amounts to copy.';
}

/**
 * Returns the slice of a picked cell or row. One without dates, such as a row over all years, gets those of the
 * target.
 *
 * @param columns the date column, and the dimensions whose values follow from a date
 */
export function datedPattern(pattern: Slice, target: Slice, columns: readonly string[]): Slice {
  if (columns.some((column) => column in pattern)) return pattern;
  const dates = Object.entries(target).filter(([column]) => columns.includes(column));
  return { ...pattern, ...Object.fromEntries(dates) };
}

/** Returns how the months of a picked cell are matched at first: by position if its range begins in another month. */
export function matchOf(slice: Slice, pattern: Slice, column: string): 'date' | 'position' {
  const [own, other] = [slice, pattern].map((each) => firstMonth(each[column]));
  return own == null || other == null || own === other ? 'date' : 'position';
}

/** Returns the number of the first month of the days of a slice; null without days. */
function firstMonth(value: Slice[string] | undefined): number | null {
  const days = (Array.isArray(value) ? value : [isRange(value) ? value.from : value]).filter(
    (day) => typeof day === 'string',
  );
  return days.length === 0 ? null : Math.min(...days.map(monthNumber));
}

const isRange = (value: Slice[string] | undefined) => value !== undefined && isDateRange(value);

/** Returns the days of a slice a year before. The last day of a month stays the last one. */
function yearBefore(value: Slice[string]): Slice[string] {
  if (Array.isArray(value)) return value.map((day) => dayBefore(day));
  if (!isDateRange(value)) return dayBefore(value);
  return Object.fromEntries(
    Object.entries(value).map(([end, day]) => [
      end,
      end === 'to' ? lastBefore(day) : dayBefore(day),
    ]),
  );
}

function dayBefore<Day>(day: Day): Day | string {
  if (typeof day !== 'string') return day;
  const moved = `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
  const last = lastOfMonth(moved);
  return moved > last ? last : moved;
}

const lastBefore = (day: string): string =>
  day === lastOfMonth(day) ? lastOfMonth(dayBefore(day)) : dayBefore(day);

/**
 * Returns why the amounts of a scale cannot have a shape, as a sentence; null if they can. A shape parts value
 * and units each by itself.
 */
export function whyNoShape({
  edits,
  holdPrice,
}: {
  edits: readonly (MeasureEdit | null)[];
  holdPrice: boolean;
}): string | null {
  if (edits.some((edit) => edit?.by === 'percent'))
    return 'A percentage applies to each row, so it cannot have a shape. Enter an amount, or spread it in proportion.';
  return holdPrice
    ? 'A shape changes value and units separately, so it cannot hold the price. Choose one of them.'
    : null;
}

/** Why a price cannot be typed while a shape is chosen. */
export const NO_PRICE_WITH_SHAPE =
  'A price is the same for all rows of this cell, so it cannot have a shape. Remove the shape first.';

/** Why the result of a formula cannot be typed while a shape is chosen. */
export const NO_FORMULA_WITH_SHAPE =
  'The result of a formula is that of the whole cell, so it cannot have a shape. Remove the shape first.';

/** Why `=keep` has no effect without a shape. */
export const NO_SHAPE_TO_KEEP =
  'The total stays, but no shape is chosen. Type “=keep like ref”, or choose a shape under “Spread” first.';

/** A measure of a scale with a shape: its typed edit, and its totals before and after. */
export interface ShapedMeasure {
  edit: MeasureEdit | null;
  draft: MeasureDraft | null;
  /** Whether its present total is to have the shape. */
  isReshaped: boolean;
}

/** Returns the amounts of a scale with a shape, by measure; null if it has none. A total may be the present one. */
export const shapedAmounts = (
  measures: Readonly<Record<string, ShapedMeasure>>,
): AmountFields | null =>
  joinedAmounts(
    Object.entries(measures).map(([key, { edit, draft, isReshaped }]) => {
      if (!draft) return null;
      if (!edit) return isReshaped ? amountField(key, 'total', 'keep') : null;
      if (edit.by === 'total') return amountField(key, 'total', draft.total);
      return draft.change === 0 ? null : amountField(key, 'incr', draft.change);
    }),
  );

/** Returns the name of a shape: "4-4-5", "like the reference, a year before". */
export function shapeText(choice: ShapeChoice): string {
  switch (choice.kind) {
    case 'even':
      return 'evenly by month';
    case 'days':
      return 'by days of each month';
    case 'ramp':
      return 'rising by month';
    case 'profile':
      return `by profile ${choice.name}`;
    case 'like': {
      const { pattern, match } = choice;
      const name = pattern.kind === 'reference' ? 'the reference' : pattern.name;
      const how = { date: '', yearBefore: ', a year before', position: ', by position' }[match];
      return `like ${name}${how}`;
    }
  }
}
