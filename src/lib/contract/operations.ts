import * as v from 'valibot';
import { byColumn, note, number, pfUser, row, scalar } from './primitives';

/**
 * What a cell adds up: column → value. A value is a scalar, null (the column IS NULL) or an array of
 * those (any of them). `{}` is the whole version.
 */
export const Slice = byColumn(
  v.union([
    scalar,
    v.null(),
    v.pipe(v.array(v.nullable(scalar)), v.minLength(1, 'must not be an empty list')),
  ]),
);
export type Slice = v.InferOutput<typeof Slice>;

/** New values: column → scalar or null. Dates are ISO text. */
export const SetClause = byColumn(v.nullable(scalar));
export type SetClause = v.InferOutput<typeof SetClause>;

const common = { slice: Slice, pf_user: pfUser, note: v.optional(v.nullable(note)) };

export const ScaleRequest = v.object({
  ...common,
  value_incr: v.optional(
    v.nullable(v.pipe(number, v.description("Amount added to the slice's value total"))),
  ),
  units_incr: v.optional(
    v.nullable(v.pipe(number, v.description("Amount added to the slice's units total"))),
  ),
  pct: v.optional(
    v.nullable(v.pipe(number, v.description('Percent of both measures; 10 is +10 %'))),
  ),
});
export type ScaleRequest = v.InferOutput<typeof ScaleRequest>;

export const RecodeRequest = v.object({ ...common, set: SetClause });
export type RecodeRequest = v.InferOutput<typeof RecodeRequest>;

export const CloneRequest = v.object({
  ...common,
  set: SetClause,
  scale_factor: v.optional(v.nullable(number)),
});
export type CloneRequest = v.InferOutput<typeof CloneRequest>;

/** The newly written rows: whole in raw mode, at the grain otherwise; with pf_note and pf_op. */
export const OperationAnswer = v.array(row);
export type OperationAnswer = v.InferOutput<typeof OperationAnswer>;

/** The response header that names slice keys which are no dimension or date column. */
export const SLICE_SKIPPED_HEADER = 'X-Slice-Skipped';

export const SlicePreviewRequest = v.object({ slice: Slice });

const measured = {
  row_count: v.number(),
  value_total: v.nullable(v.number()),
  units_total: v.nullable(v.number()),
};

/** What an operation on a slice would touch, and what of it is excluded and stays as it is. */
export const SlicePreview = v.object({
  ...measured,
  excluded: v.object(measured),
  skipped: v.pipe(v.array(v.string()), v.description('Slice keys that no operation uses')),
});
export type SlicePreview = v.InferOutput<typeof SlicePreview>;
