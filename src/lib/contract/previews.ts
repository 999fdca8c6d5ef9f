/** Previews: totals of a slice, and operations that are tried. */
import * as v from 'valibot';
import { ImportRequest } from './imports';
import { Converted } from './lookups';
import type { EntryOperation, FileOperation, SliceOperation } from './operations';
import {
  hold,
  OperationAnswer,
  ReverseRequest,
  SLICE_OPERATIONS,
  SLICE_REQUESTS,
} from './operations';
import { atMost, byColumn, measureTotals, MOST_CONDITIONS, pfUser, wouldWrite } from './primitives';
import { grouping } from './shapes';
import { AskedSlice } from './slices';

/** Body of POST slice (docs/contract/05-operations.md). */
export const SlicePreviewRequest = v.object({
  slice: AskedSlice,
  hold,
  ...grouping,
  pf_user: v.optional(wouldWrite),
});
export type SlicePreviewRequest = v.InferOutput<typeof SlicePreviewRequest>;

/** Body of POST slices (docs/contract/05-operations.md#post-versionsidslices). */
export const SlicesPreviewRequest = v.object({
  slices: v.pipe(
    v.array(AskedSlice),
    v.minLength(1, 'must not be an empty list'),
    atMost(MOST_CONDITIONS),
  ),
  ...grouping,
  pf_user: v.optional(wouldWrite),
});
export type SlicesPreviewRequest = v.InferOutput<typeof SlicesPreviewRequest>;

const measured = {
  row_count: v.number(),
  value_total: v.nullable(v.number()),
  units_total: v.nullable(v.number()),
  measures: measureTotals,
};

const Change = v.object({ before: v.object(measured), after: v.object(measured) });

const { row_count: _, ...totals } = measured;
const group = v.pipe(
  v.array(v.nullable(v.string())),
  v.description('Its values in the order of the columns; of a date, the first day of the period'),
);

/** The totals of a group of rows; the total of a measure that the source does not have is null. */
const GroupTotals = v.object({ group, ...totals });
export type GroupTotals = v.InferOutput<typeof GroupTotals>;

/** A group of a scale with a shape: its weights, and its totals before and after. */
const ShapedGroup = v.object({
  group,
  weights: v.object({
    value: v.nullable(v.number()),
    units: v.nullable(v.number()),
    measures: v.optional(byColumn(v.nullable(v.number()))),
  }),
  before: v.object(totals),
  after: v.object(totals),
});
export type ShapedGroup = v.InferOutput<typeof ShapedGroup>;

/** Metadata key of an Arrow answer to a preview, with {@link PreviewFacts} as JSON. */
export const PREVIEW_METADATA = 'pf_preview';

/**
 * A preview without its rows: the statements, the totals of the slice (or of the slice of each edit), and
 * those of the held rows, which do not change.
 */
export const PreviewFacts = v.object({
  sql: v.pipe(v.string(), v.description('Empty for a person who reads a part of the source')),
  totals: v.union([Change, v.array(Change)]),
  held: v.object(measured),
  groups: v.optional(
    v.pipe(v.array(ShapedGroup), v.description('Only for a scale with a shape, without edits')),
  ),
});
export type PreviewFacts = v.InferOutput<typeof PreviewFacts>;

/**
 * Answer of a preview of an operation (docs/contract/05-operations.md#trying-before-writing). Its rows have a
 * negative `pf_logid`.
 */
export const OperationPreview = v.object({ rows: OperationAnswer, ...PreviewFacts.entries });
export type OperationPreview = v.InferOutput<typeof OperationPreview>;

const MOST_TRIED = 50;

const tried = <const Operation extends keyof typeof SLICE_REQUESTS>(operation: Operation) =>
  v.intersect([v.object({ operation: v.literal(operation) }), SLICE_REQUESTS[operation]]);
const TRIED = {
  scale: tried('scale'),
  recode: tried('recode'),
  clone: tried('clone'),
  reverse: v.object({
    operation: v.literal('reverse'),
    logid: v.pipe(v.number(), v.safeInteger()),
    ...ReverseRequest.entries,
  }),
  import: v.object({ operation: v.literal('import'), ...ImportRequest.entries }),
} satisfies {
  [O in SliceOperation | EntryOperation | FileOperation]: v.GenericSchema<
    unknown,
    { operation: O }
  >;
};

const Named = v.looseObject({ operation: v.picklist([...SLICE_OPERATIONS, 'reverse', 'import']) });

/** An operation with its body. Its user is that of the whole request. */
const TriedOperation = v.lazy((body) => TRIED[v.parse(Named, body).operation]);
export type TriedOperation = v.InferOutput<typeof TriedOperation>;

/** Body of POST preview: operations in order, each on the result of the previous ones. */
export const SeveralPreviewRequest = v.pipe(
  v.object({
    operations: v.pipe(
      v.array(Named),
      v.minLength(1, 'must not be an empty list'),
      atMost(MOST_TRIED),
      v.description('The operation of each step, with the fields of its body'),
    ),
    lookups: v.optional(
      v.pipe(
        v.array(v.pipe(v.number(), v.safeInteger())),
        atMost(MOST_TRIED),
        v.check((ids) => new Set(ids).size === ids.length, 'names a lookup twice'),
        v.description('The lookups whose rows are answered as they are after the last step'),
      ),
    ),
    pf_user: pfUser,
  }),
  v.transform(({ operations, pf_user, ...asked }) => ({
    ...asked,
    operations: operations.map((body) => ({ ...body, pf_user })),
    pf_user,
  })),
  v.object({
    operations: v.array(TriedOperation),
    lookups: v.optional(v.array(v.number())),
    pf_user: pfUser,
  }),
);
export type SeveralPreviewRequest = v.InferOutput<typeof SeveralPreviewRequest>;

/** The steps of a preview without their rows, and the totals of all rows that operations see. */
export const SeveralPreviewFacts = v.object({
  steps: v.array(
    v.object({
      logid: v.pipe(v.number(), v.description('The negative pf_logid of the rows of the step')),
      ...PreviewFacts.entries,
    }),
  ),
  totals: Change,
  lookups: v.optional(
    v.pipe(
      v.array(v.object({ id: v.number(), rows: v.nullable(v.string()) })),
      v.description(
        'The rows of each lookup that was asked for, as GET /lookups/{id}/rows answers them, in base64; null if it refuses them',
      ),
    ),
  ),
});
export type SeveralPreviewFacts = v.InferOutput<typeof SeveralPreviewFacts>;

/** Answer of POST preview (docs/contract/05-operations.md#post-versionsidpreview). */
export const SeveralPreview = v.object({
  ...SeveralPreviewFacts.entries,
  steps: v.array(
    v.object({ ...SeveralPreviewFacts.entries.steps.item.entries, rows: OperationAnswer }),
  ),
});
export type SeveralPreview = v.InferOutput<typeof SeveralPreview>;

/**
 * Leaves cancel each other out if their absolute amounts add up to more than this many times their total
 * (docs/contract/05-operations.md#slices).
 */
export const CANCELS_FROM = 10;

/**
 * An increment is refused if the absolute amounts of its parts add up to more than this many increments
 * (docs/contract/14-what-the-operations-compute.md#scale).
 */
export const MAX_SWING = 1000;

const rounded = {
  ...measured,
  value_decimals: v.nullable(
    v.pipe(
      v.number(),
      v.description('Decimals that value is rounded to; null if it is not rounded'),
    ),
  ),
  units_decimals: v.nullable(
    v.pipe(
      v.number(),
      v.description('Decimals that units are rounded to; null if they are not rounded'),
    ),
  ),
  measure_decimals: v.optional(
    v.pipe(
      byColumn(v.nullable(v.number())),
      v.description('The same of the further measures by column; absent without any'),
    ),
  ),
};

const grossOf = (description: string) => {
  const gross = v.nullable(v.pipe(v.number(), v.description(description)));
  return {
    value_gross: gross,
    units_gross: gross,
    measure_gross: v.optional(byColumn(gross)),
  };
};

/** Rows that a scale would change and the sender may not (docs/contract/20-who-is-signed-in.md#writes-of-a-part). */
const ReadOnly = v.object({
  row_count: v.number(),
  ...grossOf('The absolute amounts of these rows, added up; null without the measure'),
});

/**
 * The rows of a slice that operations see: all of them, the held or locked ones that a scale does not change,
 * and the others (`free`). `excluded` are rows that operations skip because of their origin. The total of a
 * measure that the source does not have is null.
 */
export const SlicePreview = v.object({
  ...rounded,
  conversions: Converted,
  held: v.object(measured),
  free: v.object({
    ...rounded,
    conversions: Converted,
    ...grossOf(
      `The absolute amounts of the leaves, added up; null unless that is more than ${CANCELS_FROM} times the total`,
    ),
  }),
  read_only: v.optional(
    v.pipe(
      ReadOnly,
      v.description('Of `free`, the rows that the sender may not change; absent if there are none'),
    ),
  ),
  excluded: v.object(measured),
  skipped: v.pipe(v.array(v.string()), v.description('Slice keys that operations ignore')),
  groups: v.optional(v.pipe(v.array(GroupTotals), v.description('With by: the totals by group'))),
});
export type SlicePreview = v.InferOutput<typeof SlicePreview>;

/** The rows of each slice of a request, in its order. */
export const SlicesPreview = v.object({ slices: v.array(SlicePreview) });
export type SlicesPreview = v.InferOutput<typeof SlicesPreview>;
