/** Loads: bodies and answers of baseline and reference, and the filters of a load. */
import * as v from 'valibot';
import {
  atMost,
  measureTotals,
  MOST_CONDITIONS,
  MOST_VALUES,
  note,
  pfUser,
  scalar,
  text,
} from './primitives';

const FILTER_OPERATORS = [
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'not in',
  'between',
  'like',
  'is null',
  'is not null',
] as const;
/**
 * The operators of a filter condition (docs/contract/14-what-the-operations-compute.md#filters).
 */
export const FilterOperator = v.picklist(FILTER_OPERATORS);
export type FilterOperator = v.InferOutput<typeof FilterOperator>;

/** `value` is a list for `in` and `not in`, two values for `between`, absent for `is null`, else a scalar. */
export const FilterCondition = v.object({
  cname: text,
  op: FilterOperator,
  value: v.optional(v.nullable(v.union([scalar, v.array(v.nullable(scalar))]))),
});
export type FilterCondition = v.InferOutput<typeof FilterCondition>;

/**
 * Conditions inside a group are AND-ed; groups are OR-ed
 * (docs/contract/14-what-the-operations-compute.md#filters).
 */
export const Filters = v.array(v.array(FilterCondition));
export type Filters = v.InferOutput<typeof Filters>;

const askedFilters = v.pipe(
  Filters,
  atMost(MOST_CONDITIONS),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const conditions = dataset.value.flat();
    if (conditions.length > MOST_CONDITIONS) {
      addIssue({ message: `must have at most ${MOST_CONDITIONS} conditions in all groups` });
    }
    const long = conditions.find(({ value }) => Array.isArray(value) && value.length > MOST_VALUES);
    if (long) addIssue({ message: `"${long.cname}" must have at most ${MOST_VALUES} values` });
  }),
  v.description(
    `At most ${MOST_CONDITIONS} conditions in all groups, each with at most ${MOST_VALUES} values`,
  ),
);

/** Selects rows of the source: by `where_clause`, else `raw_where`, else `filters`; otherwise all rows. */
export const selection = {
  where_clause: v.optional(v.nullable(text)),
  raw_where: v.optional(v.nullable(text)),
  filters: v.optional(v.nullable(askedFilters)),
};

export const dateOffset = v.pipe(text, v.description('PostgreSQL interval, such as "1 year"'));

/** Body of POST reference, and of POST and PUT baseline apart from `replay`. */
export const LoadRequest = v.object({
  ...selection,
  date_offset: v.optional(v.nullable(dateOffset)),
  pf_user: pfUser,
  note: v.optional(v.nullable(note)),
});
export type LoadRequest = v.InferOutput<typeof LoadRequest>;

/** A field that another writer of the log may have omitted or filled with something else. */
const keptField = <const Field extends v.GenericSchema>(field: Field) =>
  v.fallback(v.optional(field), undefined);

/**
 * The stored parameters of a load (docs/contract/02-resources-and-their-fields.md#pflog): the condition that
 * ran and the offset, which the service always stores, and the condition as it was entered.
 */
export const LoadParams = v.object({
  where_clause: keptField(text),
  date_offset: keptField(text),
  raw_where: keptField(text),
  filters: keptField(Filters),
});
export type LoadParams = v.InferOutput<typeof LoadParams>;

const ReplayRequest = v.object({ replay: v.literal(true) });
const SegmentRequest = v.object({
  ...LoadRequest.entries,
  replay: v.optional(
    v.pipe(v.nullable(v.literal(false)), v.description('true is answered with 501')),
  ),
});

/**
 * Body of POST baseline and PUT baseline. `replay` is not implemented: the service answers 501 if it is true,
 * and ignores the rest of the body.
 */
export const BaselineRequest = v.lazy((body) =>
  v.is(ReplayRequest, body) ? ReplayRequest : SegmentRequest,
);
export type BaselineRequest = v.InferOutput<typeof BaselineRequest>;

export const copiedPeriods = v.pipe(
  v.array(v.string()),
  v.description('Dimensions that belong to a moved date and keep the value of the source'),
);
export const emptyPeriods = v.pipe(
  v.array(v.string()),
  v.description('Dimensions derived from the calendar that are null in every row'),
);
export const outsideCalendar = v.pipe(
  v.number(),
  v.description('Rows whose date is not in the calendar, if the source derives periods'),
);

/**
 * Answer of a load: its log entry and the number of rows it wrote (docs/contract/05-operations.md). Empty
 * lists are absent.
 */
export const LoadAnswer = v.object({
  logid: v.number(),
  row_count: v.number(),
  outside_calendar: v.optional(outsideCalendar),
  empty_periods: v.optional(emptyPeriods),
  copied_periods: v.optional(copiedPeriods),
});
export type LoadAnswer = v.InferOutput<typeof LoadAnswer>;

/**
 * Answer of DELETE baseline: numbers of deleted forecast rows and log entries
 * (docs/contract/05-operations.md).
 */
export const ClearAnswer = v.object({ rows_deleted: v.number(), log_entries_deleted: v.number() });
export type ClearAnswer = v.InferOutput<typeof ClearAnswer>;

/** Body of POST baseline/preview (docs/contract/05-operations.md). */
export const LoadPreviewRequest = v.object({
  ...selection,
  date_offset: v.optional(v.nullable(dateOffset)),
});
export type LoadPreviewRequest = v.InferOutput<typeof LoadPreviewRequest>;

/** First and last day of a date column before and after the offset; null if no row has a date. */
export const DateSpan = v.object({
  cname: v.string(),
  min: v.nullable(v.string()),
  max: v.nullable(v.string()),
  shifted_min: v.nullable(v.string()),
  shifted_max: v.nullable(v.string()),
});
export type DateSpan = v.InferOutput<typeof DateSpan>;

/**
 * Answer of a preview of a load. The total of a measure that the source does not have is null; `spans` has
 * one entry per date column (docs/contract/05-operations.md).
 */
export const LoadPreview = v.object({
  row_count: v.number(),
  value_total: v.nullable(v.number()),
  units_total: v.nullable(v.number()),
  measures: measureTotals,
  where_clause: v.pipe(v.string(), v.description('The condition of the load in SQL')),
  spans: v.array(DateSpan),
  outside_calendar: v.optional(outsideCalendar),
  empty_periods: v.optional(emptyPeriods),
  copied_periods: v.optional(copiedPeriods),
});
export type LoadPreview = v.InferOutput<typeof LoadPreview>;
