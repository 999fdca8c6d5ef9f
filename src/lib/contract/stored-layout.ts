/** A stored layout of the pivot: rows, columns, measures, filters and order. */
import * as v from 'valibot';
import { byColumn } from './primitives';

const value = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const names = v.array(v.string());

/**
 * How a sum is shown in relation to others: as a share of the total of all rows and columns, of the row or of the
 * column that contains it, added up along a date in the columns, or as its rank among the rows beside it.
 */
export const ShowAs = v.picklist([
  'share_of_total',
  'share_of_row',
  'share_of_column',
  'running_total',
  'rank',
]);
export type ShowAs = v.InferOutput<typeof ShowAs>;

/**
 * The format of a measure's amounts. Without `shown_in`, in full; without `decimals`, with the column's own; without
 * `show_as`, as the amount itself.
 */
export const AmountStyle = v.object({
  shown_in: v.optional(v.picklist(['thousands', 'millions'])),
  decimals: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(12))),
  show_as: v.optional(ShowAs),
});
export type AmountStyle = v.InferOutput<typeof AmountStyle>;

/**
 * A rule that marks cells of a measure by the number that is shown. The amounts are in full, percentages as fractions.
 * `top` and `bottom` are the largest and smallest tenth of the cells of the deepest level on screen; `bar` and the
 * scales of colours also compare only these cells.
 */
export const MarkRule = v.variant('rule', [
  v.object({ rule: v.picklist(['above', 'below']), amount: v.number() }),
  v.object({ rule: v.literal('between'), from: v.number(), to: v.number() }),
  v.object({ rule: v.picklist(['top', 'bottom', 'bar', 'two_colours', 'three_colours']) }),
]);
export type MarkRule = v.InferOutput<typeof MarkRule>;

/** Column, operator and term: one value, or several for `in`. */
export const LayoutFilter = v.tuple([
  v.string(),
  v.string(),
  v.optional(v.union([value, v.array(value)]), null),
]);
export type LayoutFilter = v.InferOutput<typeof LayoutFilter>;

/** Column and direction: `asc` or `desc`; `col asc` or `col desc` for the columns across. */
export const LayoutSort = v.tuple([v.string(), v.string()]);
export type LayoutSort = v.InferOutput<typeof LayoutSort>;

/** Whether a limit shows the groups with the largest or smallest amounts, and the rest as one row. */
export const isRanked = ({ keep }: { keep: string }): boolean =>
  keep === 'top' || keep === 'bottom';

/** Whether the number of a limit fits: with `top` and `bottom`, it counts groups. */
export const isLimitNumber = (limit: { keep: string; number: number }): boolean =>
  !isRanked(limit) || (Number.isInteger(limit.number) && limit.number > 0);

/**
 * Which groups of a field in the rows are shown, by a measure of the layout with all columns added: the `number` of
 * each parent with its largest or smallest amounts, the rest as one row "Others"; or those whose amount, as it is
 * shown, is above or below `number`. A percentage is a fraction: -0.05 is −5 %.
 */
export const Limit = v.pipe(
  v.object({
    keep: v.picklist(['top', 'bottom', 'above', 'below']),
    number: v.pipe(v.number(), v.finite()),
    by: v.string(),
  }),
  v.forward(
    v.check(
      (limit) => isLimitNumber(limit),
      'must be a whole number from 1 on with top and bottom',
    ),
    ['number'],
  ),
);
export type Limit = v.InferOutput<typeof Limit>;

/**
 * The part of a layout that the grid alone draws. A setting that is missing has its default. `total_column` is the
 * place of the total of all columns (default: none); with `subtotals`, open groups of columns show theirs, too.
 * `pinned_columns` is the number of first columns that stay in place while the others scroll (default: 0). `limits` has
 * limits by field; one whose field is not in the rows, or whose measure is not shown, limits nothing (default: none).
 * `orders` has values by field, which rows and columns show first, in this order, unless a sort says otherwise; all
 * other values follow by the language of the browser (default: none).
 */
export const GridSettings = v.object({
  total_column: v.optional(v.picklist(['start', 'end'])),
  subtotals: v.optional(v.boolean()),
  pinned_columns: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  limits: v.optional(byColumn(Limit)),
  orders: v.optional(byColumn(v.array(value))),
});
export type GridSettings = v.InferOutput<typeof GridSettings>;

/**
 * The layout of a pivot, stored for example as a source's `default_layout`. Every part may be missing, and
 * null counts as missing; parts with other names are omitted. `chart_measure` is the measure of the chart
 * (default: the first one). `amounts` has the format of amounts by measure, including measures by origin.
 * `marks` has the rules that mark cells, by measure.
 * `depth` is the number of open row levels (default: all), `columns_depth` that of column levels.
 * The API stores any JSON object here; this schema is for the browser, which reads it.
 */
export const Layout = v.pipe(
  v.record(v.string(), v.unknown()),
  v.transform((parts) =>
    Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null)),
  ),
  v.object({
    group_by: v.optional(names),
    split_by: v.optional(names),
    columns: v.optional(v.array(v.nullable(v.string()))),
    filter: v.optional(v.array(LayoutFilter)),
    filter_op: v.optional(v.picklist(['and', 'or'])),
    sort: v.optional(v.array(LayoutSort)),
    expressions: v.optional(byColumn(v.string())),
    aggregates: v.optional(byColumn(v.union([v.string(), v.tuple([v.string(), names])]))),
    columns_config: v.optional(byColumn(v.record(v.string(), v.unknown()))),
    amounts: v.optional(byColumn(AmountStyle)),
    marks: v.optional(byColumn(v.array(MarkRule))),
    plugin: v.optional(v.string()),
    chart_measure: v.optional(v.string()),
    plugin_config: v.optional(v.record(v.string(), v.unknown())),
    depth: v.optional(v.number()),
    columns_depth: v.optional(v.number()),
    ...GridSettings.entries,
  }),
);
export type Layout = v.InferOutput<typeof Layout>;
