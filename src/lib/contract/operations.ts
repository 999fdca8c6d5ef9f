import * as v from 'valibot';
import { byColumn, note, number, pfUser, row, scalar } from './primitives';

interface OperationFacts {
  /** Its name on a page. */
  label: string;
  /** One line for the API's documentation. */
  summary: string;
  verbs: { infinitive: string; past: string; progressive: string };
  tone: 'neutral' | 'info' | 'accent' | 'warning' | 'success';
  /** The `pf_iter` of the rows it writes. */
  iter: string;
  /**
   * What it makes its rows from: rows of the source table, or rows of the version that a slice
   * selects. A version's loads can only be edited while nothing in it was made from a slice.
   */
  reads: 'source' | 'slice';
  /** The key on the keyboard that opens its form on the pivot page; null if it has none. */
  hotkey: string | null;
}

/**
 * Every operation that writes forecast rows, one row per operation (docs/contract/05-operations.md).
 * All other lists of operations follow from this one.
 */
export const OPERATIONS = {
  baseline: {
    label: 'Baseline',
    summary: 'Load a baseline segment from the source',
    verbs: { infinitive: 'Load', past: 'Loaded', progressive: 'Loading' },
    tone: 'neutral',
    iter: 'baseline',
    reads: 'source',
    hotkey: null,
  },
  reference: {
    label: 'Reference',
    summary: 'Load reference rows from the source',
    verbs: { infinitive: 'Load', past: 'Loaded', progressive: 'Loading' },
    tone: 'info',
    iter: 'reference',
    reads: 'source',
    hotkey: null,
  },
  scale: {
    label: 'Scale',
    summary: "Add to a slice's totals",
    verbs: { infinitive: 'Scale', past: 'Scaled', progressive: 'Scaling' },
    tone: 'accent',
    iter: 'scale',
    reads: 'slice',
    hotkey: '1',
  },
  recode: {
    label: 'Recode',
    summary: 'Move a slice to other dimensions or dates',
    verbs: { infinitive: 'Recode', past: 'Recoded', progressive: 'Recoding' },
    tone: 'warning',
    iter: 'recode',
    reads: 'slice',
    hotkey: '2',
  },
  clone: {
    label: 'Clone',
    summary: 'Add a copy of a slice, times a factor',
    verbs: { infinitive: 'Clone', past: 'Cloned', progressive: 'Cloning' },
    tone: 'success',
    iter: 'clone',
    reads: 'slice',
    hotkey: '3',
  },
} as const satisfies Record<string, OperationFacts>;

/** The operation of a log entry. */
export type LogOperation = keyof typeof OPERATIONS;

type Reading<From extends OperationFacts['reads']> = {
  [O in LogOperation]: (typeof OPERATIONS)[O]['reads'] extends From ? O : never;
}[LogOperation];

/** Brings rows in from the source. */
export type LoadOperation = Reading<'source'>;
/** Makes rows from rows of the version. */
export type SliceOperation = Reading<'slice'>;

/** Whether a name is that of an operation of the table. */
export const isLogOperation = (name: string): name is LogOperation =>
  Object.hasOwn(OPERATIONS, name);

export const LOG_OPERATIONS = Object.keys(OPERATIONS).filter(isLogOperation);
export const LogOperation = v.picklist(LOG_OPERATIONS);

/** Whether an operation brings rows in from the source. */
export const isLoad = (operation: LogOperation): operation is LoadOperation =>
  OPERATIONS[operation].reads === 'source';
/** Whether a name is that of an operation that makes rows from a slice. */
export const isSliceOperation = (name: string): name is SliceOperation =>
  isLogOperation(name) && !isLoad(name);

export const LOAD_OPERATIONS = LOG_OPERATIONS.filter(isLoad);
export const SLICE_OPERATIONS = LOG_OPERATIONS.filter(isSliceOperation);

/** Which operation wrote a forecast row: its `pf_iter` (docs/contract/03-states-and-transitions.md). */
export const ITERS = [...new Set(LOG_OPERATIONS.map((operation) => OPERATIONS[operation].iter))];
export const Iter = v.picklist(ITERS);
export type Iter = v.InferOutput<typeof Iter>;

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

/** The body of each operation on a slice. */
export interface SliceRequests {
  scale: ScaleRequest;
  recode: RecodeRequest;
  clone: CloneRequest;
}
export const SLICE_REQUESTS: {
  [O in SliceOperation]: v.GenericSchema<unknown, SliceRequests[O]>;
} = { scale: ScaleRequest, recode: RecodeRequest, clone: CloneRequest };

const kept = <const Operation extends string, Params extends v.GenericSchema>(
  operation: Operation,
  params: Params,
) => v.object({ operation: v.literal(operation), slice: Slice, params: v.nullable(params) });

/** What the log keeps of each operation on a slice (docs/contract/02-resources-and-their-fields.md#pflog). */
export const SLICE_ENTRIES = {
  scale: kept(
    'scale',
    v.union([
      v.object({ pct: number }),
      v.object({ value_incr: v.nullable(number), units_incr: v.nullable(number) }),
    ]),
  ),
  recode: kept('recode', v.object({ set: SetClause })),
  clone: kept('clone', v.object({ set: SetClause, scale_factor: number })),
} satisfies { [O in SliceOperation]: v.GenericSchema<unknown, { operation: O }> };

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
