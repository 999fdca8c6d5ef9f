/** Closing months on actuals: bodies, answers and what the log stores. */
import * as v from 'valibot';
import {
  copiedPeriods,
  dateOffset,
  emptyPeriods,
  LoadParams,
  outsideCalendar,
  selection,
} from './loads';
import { day, measureTotals, note, number, pfUser, text, Totals, wouldWrite } from './primitives';

/** Body of POST actuals/preview (docs/contract/05-operations.md#post-versionsidactuals). */
export const ActualsPreviewRequest = v.object({
  ...selection,
  date_offset: v.optional(v.nullable(dateOffset)),
  through: v.pipe(day, v.description('The last day to close')),
  from: v.optional(
    v.nullable(
      v.pipe(day, v.description("The first day to close; the plan's first day by default")),
    ),
  ),
  column: v.optional(
    v.nullable(v.pipe(text, v.description('The date column; the first one by default'))),
  ),
  pf_user: v.optional(wouldWrite),
});
export type ActualsPreviewRequest = v.InferOutput<typeof ActualsPreviewRequest>;

/** Body of POST actuals. */
export const ActualsRequest = v.object({
  ...ActualsPreviewRequest.entries,
  pf_user: pfUser,
  note: v.optional(v.nullable(note)),
});
export type ActualsRequest = v.InferOutput<typeof ActualsRequest>;

/** The stored parameters of a close: those of a load, the date column, and the first and the last closed day. */
export const ActualsParams = v.object({
  ...LoadParams.entries,
  column: text,
  from: day,
  through: day,
});
export type ActualsParams = v.InferOutput<typeof ActualsParams>;

/** Metadata key of an Arrow answer to POST actuals, with {@link ActualsAnswer} as JSON. */
export const ACTUALS_METADATA = 'pf_actuals';

const facts = {
  row_count: v.pipe(v.number(), v.description('Rows of the entry: leaves that differ')),
  from: v.pipe(v.string(), v.description('The first closed day')),
  through: v.pipe(v.string(), v.description('The last closed day')),
  before: v.pipe(Totals, v.description('The plan of these days before the close')),
  after: v.pipe(Totals, v.description('The plan of these days after it, which equals the source')),
  outside_calendar: v.optional(outsideCalendar),
  empty_periods: v.optional(emptyPeriods),
  copied_periods: v.optional(copiedPeriods),
};

/** Answer of POST actuals (docs/contract/05-operations.md#post-versionsidactuals). Empty lists are absent. */
export const ActualsAnswer = v.object({ logid: v.number(), ...facts });
export type ActualsAnswer = v.InferOutput<typeof ActualsAnswer>;

const month = v.pipe(v.string(), v.description('The first day of the month'));

/** Answer of POST actuals/preview: what the close would do, in total and month by month. */
export const ActualsPreview = v.object({
  ...facts,
  column: v.pipe(v.string(), v.description('The date column')),
  where_clause: v.pipe(v.string(), v.description('The condition of the source rows in SQL')),
  months: v.pipe(
    v.array(
      v.object({
        month,
        forecast: v.pipe(Totals, v.description('The plan without the rows of earlier closes')),
        before: v.pipe(Totals, v.description('The plan')),
        actual: v.pipe(Totals, v.description('The rows of the source')),
        difference: v.pipe(
          v.object({
            value_total: v.nullable(number),
            units_total: v.nullable(number),
            measures: measureTotals,
          }),
          v.description('Amounts that the close would add to the plan'),
        ),
        rows: v.pipe(v.number(), v.description('Rows that the close would write')),
      }),
    ),
    v.description('Every month with a row of the plan or of the source, oldest first'),
  ),
  without_source: v.pipe(
    v.array(month),
    v.description('Months with rows of the plan and none of the source: the plan becomes 0'),
  ),
});
export type ActualsPreview = v.InferOutput<typeof ActualsPreview>;
