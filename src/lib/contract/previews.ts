/** What operations would do: totals of a slice, and previews. */
import * as v from 'valibot';
import { AskedSlice, OperationAnswer } from './operations';

/** Body of POST slice (docs/contract/05-operations.md). */
export const SlicePreviewRequest = v.object({ slice: AskedSlice });

const measured = {
  row_count: v.number(),
  value_total: v.nullable(v.number()),
  units_total: v.nullable(v.number()),
};

const Change = v.object({ before: v.object(measured), after: v.object(measured) });

/** In an Arrow answer to a preview, the schema's metadata has {@link PreviewFacts} as JSON under this name. */
export const PREVIEW_METADATA = 'pf_preview';

/**
 * What an operation would do, beside its rows: its statements; the totals of its slice, or of the slice
 * of each edit; and those of the rows that it leaves alone because they are held.
 */
export const PreviewFacts = v.object({
  sql: v.string(),
  totals: v.union([Change, v.array(Change)]),
  held: v.object(measured),
});
export type PreviewFacts = v.InferOutput<typeof PreviewFacts>;

/**
 * What an operation would do (docs/contract/05-operations.md#trying-before-writing). Its rows have a
 * negative `pf_logid`.
 */
export const OperationPreview = v.object({ rows: OperationAnswer, ...PreviewFacts.entries });
export type OperationPreview = v.InferOutput<typeof OperationPreview>;

/**
 * What an operation on a slice would touch, and in `excluded` the rows it would leave alone because
 * of their origin. The total of a measure that the source does not have is null.
 */
export const SlicePreview = v.object({
  ...measured,
  excluded: v.object(measured),
  skipped: v.pipe(v.array(v.string()), v.description('Slice keys that no operation uses')),
});
export type SlicePreview = v.InferOutput<typeof SlicePreview>;
