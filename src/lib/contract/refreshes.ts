/** Refreshing the loads of a version: bodies, answers and what the log stores. */
import * as v from 'valibot';
import { outsideCalendar } from './loads';
import { atMost, measureTotals, note, number, pfUser, wouldWrite } from './primitives';
import { Slice } from './slices';

/** Maximum number of loads that a request names. */
const MOST_LOADS = 100;

const loads = v.optional(
  v.nullable(
    v.pipe(
      v.array(v.number()),
      v.minLength(1, 'must not be an empty list'),
      atMost(MOST_LOADS),
      v.description('Entries of baseline and reference loads; all of the version by default'),
    ),
  ),
);

/** Body of POST refresh/preview (docs/contract/05-operations.md#post-versionsidrefresh). */
export const RefreshPreviewRequest = v.object({ loads, pf_user: v.optional(wouldWrite) });
export type RefreshPreviewRequest = v.InferOutput<typeof RefreshPreviewRequest>;

/** Body of POST refresh. */
export const RefreshRequest = v.object({
  loads,
  pf_user: pfUser,
  note: v.optional(v.nullable(note)),
});
export type RefreshRequest = v.InferOutput<typeof RefreshRequest>;

const LoadIter = v.pipe(
  v.picklist(['baseline', 'reference']),
  v.description('The origin of the rows: loads of the plan, or what it is compared with'),
);

/**
 * The stored parameters of a refresh: its loads with their origin, the number of rows of the source that each then
 * selected, and the time of the rows that the refresh wrote for it. The rows of each load have a time of their own.
 */
export const RefreshParams = v.object({
  loads: v.array(
    v.object({
      logid: v.number(),
      iter: LoadIter,
      rows: v.number(),
      written_at: v.string(),
    }),
  ),
});
export type RefreshParams = v.InferOutput<typeof RefreshParams>;

const Amounts = v.object({
  value_total: v.nullable(number),
  units_total: v.nullable(number),
  measures: measureTotals,
});

const RefreshedLoad = v.object({
  logid: v.pipe(v.number(), v.description('The entry of the load')),
  rows_before: v.pipe(
    v.number(),
    v.description('Rows of the source that the load selected when it was last read'),
  ),
  rows_now: v.pipe(v.number(), v.description('Rows of the source that it selects now')),
  before: v.pipe(Amounts, v.description('What the load and its earlier refreshes hold')),
  after: v.pipe(Amounts, v.description('What they and this refresh hold')),
});
export type RefreshedLoad = v.InferOutput<typeof RefreshedLoad>;

/** What a refresh leaves alone, in leaves that differ from the source. */
const leftAlone = {
  closed: v.pipe(v.number(), v.description('Leaves in closed months that differ from the source')),
  locked: v.pipe(v.number(), v.description('Leaves that differ and are locked by a person')),
  reviewed: v.pipe(v.number(), v.description('Leaves that differ and are held by a review')),
  forecasts: v.pipe(
    v.array(v.number()),
    v.description('Entries of forecasts, which are not read again'),
  ),
};

const facts = {
  row_count: v.pipe(v.number(), v.description('Rows of the entry: leaves that differ, by load')),
  loads: v.pipe(v.array(RefreshedLoad), v.description('The loads that were read, oldest first')),
  outside_calendar: v.optional(outsideCalendar),
};

/** Answer of POST refresh (docs/contract/05-operations.md#post-versionsidrefresh). */
export const RefreshAnswer = v.object({
  logid: v.pipe(
    v.nullable(v.number()),
    v.description('Null if nothing differs: nothing is written'),
  ),
  ...facts,
  left_alone: v.object(leftAlone),
});
export type RefreshAnswer = v.InferOutput<typeof RefreshAnswer>;

const month = v.pipe(
  v.nullable(v.string()),
  v.description('The first day of the month; null for rows without a date'),
);

/** Answer of POST refresh/preview: what the refresh would do, in total and month by month. */
export const RefreshPreview = v.object({
  ...facts,
  left_alone: v.object({
    ...leftAlone,
    held: v.pipe(
      v.array(
        v.object({
          kind: v.picklist(['closed', 'locked', 'reviewed']),
          id: v.pipe(v.number(), v.description('The lock, or the review')),
          slice: Slice,
          months: v.array(
            v.object({ month, rows: v.pipe(v.number(), v.description('Leaves that differ')) }),
          ),
        }),
      ),
      v.description('The locks and reviews that hold leaves that differ. Each leaf counts once'),
    ),
  }),
  column: v.pipe(
    v.nullable(v.string()),
    v.description('The date column of the months; null if the source has none'),
  ),
  months: v.pipe(
    v.array(
      v.object({
        month,
        iter: LoadIter,
        before: v.pipe(Amounts, v.description('What the loads and their earlier refreshes hold')),
        after: v.pipe(Amounts, v.description('The same after the refresh')),
        difference: v.pipe(Amounts, v.description('Amounts that the refresh would add')),
        rows: v.pipe(v.number(), v.description('Rows that the refresh would write')),
      }),
    ),
    v.description('Every month in which the refresh would write rows, oldest first'),
  ),
});
export type RefreshPreview = v.InferOutput<typeof RefreshPreview>;
