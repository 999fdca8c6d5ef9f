/** The operations that write rows: scale, recode and clone, with their bodies and log entries. */
import * as v from 'valibot';
import { amounts, checkAmounts, total } from './amounts';
import { checkMovement, Factor, factors, movement, SetClause, share, Shift } from './movement';
import { atMost, MOST_CONDITIONS, note, number, pfUser, row } from './primitives';
import { StoredShape } from './shapes';
import { AskedSlice, Slice } from './slices';

interface OperationFacts {
  /** Name of the operation on pages. */
  label: string;
  /** One line for the API documentation. */
  summary: string;
  verbs: { infinitive: string; past: string; progressive: string };
  tone: 'neutral' | 'reference' | 'accent' | 'warning' | 'success';
  /** The `pf_iter` of the rows that the operation writes; null if they have that of the load that they refresh. */
  iter: string | null;
  /**
   * The origin of the written rows: rows of the source table, a forecast of them, rows of the version selected
   * by a slice, the rows of another entry, the difference between rows of the source and of the version, or rows of
   * the version selected by the cells of a file. A load can be edited only while its version has no other entry
   * than loads.
   */
  reads: 'source' | 'history' | 'slice' | 'entry' | 'difference' | 'file';
  /** Whether the plan is compared with the rows of a load, instead of beginning with them. */
  compared: boolean;
  /** Whether the rows have the values of the selected ones. A recode writes others. */
  keepsValues: boolean;
  /** Whether amounts leave the selected rows and arrive in others. */
  moves: boolean;
  /** Whether an entry closes months, which nobody may change then. */
  closes: boolean;
  /**
   * What an entry does that is only undone as a whole, for the refusal of taking a part of it back; null if parts
   * can be taken back.
   */
  undoneWhole: string | null;
  /** Key that opens the form on the pivot page; null if there is none. */
  hotkey: string | null;
}

/**
 * Every operation that writes forecast rows (docs/contract/05-operations.md). All other lists of operations
 * are derived from this one.
 */
export const OPERATIONS = {
  baseline: {
    label: 'Baseline',
    summary: 'Load a baseline segment from the source',
    verbs: { infinitive: 'Load', past: 'Loaded', progressive: 'Loading' },
    tone: 'neutral',
    iter: 'baseline',
    reads: 'source',
    compared: false,
    keepsValues: false,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: null,
  },
  reference: {
    label: 'Reference',
    summary: 'Load reference rows from the source',
    verbs: { infinitive: 'Load', past: 'Loaded', progressive: 'Loading' },
    tone: 'reference',
    iter: 'reference',
    reads: 'source',
    compared: true,
    keepsValues: false,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: null,
  },
  forecast: {
    label: 'Forecast',
    summary: 'Load rows of the source, scaled to a forecast of their groups',
    verbs: { infinitive: 'Forecast', past: 'Forecast', progressive: 'Forecasting' },
    tone: 'neutral',
    iter: 'forecast',
    reads: 'history',
    compared: false,
    keepsValues: false,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: null,
  },
  scale: {
    label: 'Scale',
    summary: 'Change the totals of a slice',
    verbs: { infinitive: 'Scale', past: 'Scaled', progressive: 'Scaling' },
    tone: 'accent',
    iter: 'scale',
    reads: 'slice',
    compared: false,
    keepsValues: true,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: 's',
  },
  recode: {
    label: 'Recode',
    summary: 'Move a slice to other dimensions or dates',
    verbs: { infinitive: 'Recode', past: 'Recoded', progressive: 'Recoding' },
    tone: 'warning',
    iter: 'recode',
    reads: 'slice',
    compared: false,
    keepsValues: false,
    moves: true,
    closes: false,
    undoneWhole: null,
    hotkey: 'r',
  },
  clone: {
    label: 'Clone',
    summary: 'Add a copy of a slice, times a factor',
    verbs: { infinitive: 'Clone', past: 'Cloned', progressive: 'Cloning' },
    tone: 'success',
    iter: 'clone',
    reads: 'slice',
    compared: false,
    keepsValues: false,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: 'c',
  },
  reverse: {
    label: 'Take back',
    summary: 'Take back what an entry added to a slice',
    verbs: { infinitive: 'Take back', past: 'Took back', progressive: 'Taking back' },
    tone: 'neutral',
    iter: 'reverse',
    reads: 'entry',
    compared: false,
    keepsValues: false,
    moves: false,
    closes: false,
    undoneWhole: 'takes back another entry',
    hotkey: null,
  },
  actual: {
    label: 'Actuals',
    summary: 'Close months on the rows that the source has for them',
    verbs: { infinitive: 'Close months', past: 'Closed months', progressive: 'Closing months' },
    tone: 'neutral',
    iter: 'actual',
    reads: 'difference',
    compared: false,
    keepsValues: false,
    moves: false,
    closes: true,
    undoneWhole: 'closes months',
    hotkey: null,
  },
  refresh: {
    label: 'Refresh',
    summary: 'Read the loads again, and write what has changed in the source',
    verbs: { infinitive: 'Refresh', past: 'Refreshed', progressive: 'Refreshing' },
    tone: 'neutral',
    iter: null,
    reads: 'difference',
    compared: false,
    keepsValues: false,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: null,
  },
  import: {
    label: 'Import',
    summary: 'Write the cells of a file that was changed elsewhere',
    verbs: { infinitive: 'Import', past: 'Imported', progressive: 'Importing' },
    tone: 'accent',
    iter: 'import',
    reads: 'file',
    compared: false,
    keepsValues: true,
    moves: false,
    closes: false,
    undoneWhole: null,
    hotkey: null,
  },
} as const satisfies Record<string, OperationFacts>;

/** The operation of a log entry. */
export type LogOperation = keyof typeof OPERATIONS;

type Reading<From extends OperationFacts['reads']> = {
  [O in LogOperation]: (typeof OPERATIONS)[O]['reads'] extends From ? O : never;
}[LogOperation];

/** An operation that copies rows of the source. */
export type CopyingLoad = Reading<'source'>;
/** An operation that loads rows from the source, copied or scaled to a forecast. */
export type LoadOperation = Reading<'source' | 'history'>;
/** An operation that creates rows from rows of the version. */
export type SliceOperation = Reading<'slice'>;
/** An operation that creates rows from the rows of another entry. */
export type EntryOperation = Reading<'entry'>;
/** An operation that creates rows from the difference between the source and the version. */
export type DifferenceOperation = Reading<'difference'>;
/** An operation that closes months. */
export type ClosingOperation = {
  [O in LogOperation]: (typeof OPERATIONS)[O]['closes'] extends true ? O : never;
}[LogOperation];
/** An operation that creates rows from the cells of a file. */
export type FileOperation = Reading<'file'>;

/** Returns whether a name is an operation. */
export const isLogOperation = (name: string): name is LogOperation =>
  Object.hasOwn(OPERATIONS, name);

/** The names of all operations, in the order of the table. */
export const LOG_OPERATIONS = Object.keys(OPERATIONS).filter(isLogOperation);
export const LogOperation = v.picklist(LOG_OPERATIONS);

/** Returns whether an operation copies rows of the source. */
export const isCopyingLoad = (operation: LogOperation): operation is CopyingLoad =>
  OPERATIONS[operation].reads === 'source';
/** Returns whether an operation loads rows from the source. */
export const isLoad = (operation: LogOperation): operation is LoadOperation =>
  isCopyingLoad(operation) || OPERATIONS[operation].reads === 'history';
/** Returns whether an operation loads rows with which the plan is compared. */
export const isReference = (operation: LogOperation): boolean => OPERATIONS[operation].compared;
/** Returns whether an operation loads rows with which the plan begins. */
export const isStart = (operation: LogOperation): boolean =>
  isLoad(operation) && !isReference(operation);
/** Returns whether an operation reads the source, so that its entry has no slice. */
export const readsSource = (operation: LogOperation): boolean =>
  isLoad(operation) || OPERATIONS[operation].reads === 'difference';
/** Returns whether an operation closes months. */
export const isClose = (operation: string): operation is ClosingOperation =>
  isLogOperation(operation) && OPERATIONS[operation].closes;
/** Returns whether an operation brings loads up to the source. */
export const isRefresh = (operation: LogOperation): boolean =>
  OPERATIONS[operation].reads === 'difference' && !OPERATIONS[operation].closes;
/** Returns whether an operation moves amounts to other rows. */
export const isMove = (operation: LogOperation): boolean => OPERATIONS[operation].moves;
/** Returns whether an operation reads the cells of a file, and so has no slice. */
export const isOfFile = (operation: LogOperation): operation is FileOperation =>
  OPERATIONS[operation].reads === 'file';
/** Returns whether parts of an entry can be taken back. */
export const mayBeTakenBack = (operation: LogOperation): boolean =>
  OPERATIONS[operation].undoneWhole === null;
/** Returns whether a name is an operation on a slice. */
export const isSliceOperation = (name: string): name is SliceOperation =>
  isLogOperation(name) && OPERATIONS[name].reads === 'slice';

/** The names of the operations that copy rows of the source. */
export const COPYING_LOADS = LOG_OPERATIONS.filter(isCopyingLoad);
/** The names of the operations that load rows from the source. */
export const LOAD_OPERATIONS = LOG_OPERATIONS.filter(isLoad);
/** The names of the operations that read loads from the source, for the first time or again. */
export const READING_LOADS = LOG_OPERATIONS.filter(
  (operation) => isLoad(operation) || isRefresh(operation),
);
/** The names of the operations on a slice. */
export const SLICE_OPERATIONS = LOG_OPERATIONS.filter(isSliceOperation);

/**
 * The values of `pf_iter` of forecast rows, which name the operation that wrote them
 * (docs/contract/03-states-and-transitions.md).
 */
export const ITERS = [
  ...new Set(LOG_OPERATIONS.flatMap((operation) => OPERATIONS[operation].iter ?? [])),
];
export const Iter = v.picklist(ITERS);
export type Iter = v.InferOutput<typeof Iter>;

/** Returns the values of `pf_iter` of some operations. */
export const itersOf = (isOne: (operation: LogOperation) => boolean): Iter[] =>
  LOG_OPERATIONS.filter(isOne).flatMap((operation) => OPERATIONS[operation].iter ?? []);

/** Returns whether all rows of an operation are left out of a plan that excludes some origins. */
export const isExcluded = (operation: LogOperation, excluded: readonly string[]): boolean => {
  const { iter } = OPERATIONS[operation];
  return iter !== null && excluded.includes(iter);
};

const write = { pf_user: pfUser, note: v.optional(v.nullable(note)) };
const common = { slice: AskedSlice, ...write };

/** The rows whose totals a scale does not change. */
const keep = v.optional(
  v.nullable(
    v.pipe(
      AskedSlice,
      v.description(
        'Contains the slice and keeps its totals: what the slice gains is taken from the other rows',
      ),
    ),
  ),
);

/**
 * One change of a scale: either `pct`, or for one or more measures an increment in its units, a percentage of
 * its total, or its new total. Null counts as missing.
 */
export const ScaleEdit = v.pipe(
  v.object({ slice: AskedSlice, ...amounts, keep }),
  v.rawCheck(checkAmounts),
);
export type ScaleEdit = v.InferOutput<typeof ScaleEdit>;

const MOST_EDITS = 1000;

/** Slices whose rows a scale leaves unchanged. */
export const hold = v.optional(
  v.nullable(
    v.pipe(
      v.array(AskedSlice),
      atMost(MOST_CONDITIONS),
      v.description('Slices whose rows keep their amounts; the change is spread over the rest'),
    ),
  ),
);

const OneEdit = v.pipe(
  v.object({ slice: AskedSlice, ...amounts, keep, hold, ...write }),
  v.rawCheck(checkAmounts),
);

const leftOut = v.optional(v.null('must be left out if there are edits'));

const ManyEdits = v.object({
  edits: v.pipe(
    v.array(ScaleEdit),
    v.minLength(1, 'must not be an empty list'),
    atMost(MOST_EDITS),
    v.description('Changes made in order, each on the result of the previous ones'),
  ),
  hold,
  ...write,
  slice: leftOut,
  value_incr: leftOut,
  units_incr: leftOut,
  value_pct: leftOut,
  units_pct: leftOut,
  value_total: leftOut,
  units_total: leftOut,
  pct: leftOut,
  measures: leftOut,
  with: leftOut,
  spread: leftOut,
  keep: leftOut,
});

const HasEdits = v.object({ edits: v.custom((edits) => edits != null) });

/**
 * Body of POST scale: one change, or `edits` instead (docs/contract/05-operations.md). The API documentation
 * describes both.
 */
export const ScaleRequest = v.lazy((body) => {
  if (body === undefined) return v.union([OneEdit, ManyEdits]);
  return v.is(HasEdits, body) ? ManyEdits : OneEdit;
});
export type ScaleRequest = v.InferOutput<typeof ScaleRequest>;

/** Body of POST recode; `factor` defaults to 1, also for null (docs/contract/05-operations.md). */
export const RecodeRequest = v.pipe(
  v.object({
    ...{ ...common, ...movement, factor: v.optional(v.nullable(share)) },
    leave_locked: v.optional(
      v.nullable(
        v.pipe(
          v.boolean(),
          v.description('Whether locked rows of the slice stay, instead of refusing the recode'),
        ),
      ),
    ),
  }),
  v.rawCheck(checkMovement),
);
export type RecodeRequest = v.InferOutput<typeof RecodeRequest>;

/** Body of POST clone; `scale_factor` defaults to 1, also for null (docs/contract/05-operations.md). */
export const CloneRequest = v.pipe(
  v.object({
    ...common,
    ...movement,
    scale_factor: v.optional(v.nullable(number)),
    factors: v.optional(v.nullable(factors)),
  }),
  v.rawCheck(checkMovement),
);
export type CloneRequest = v.InferOutput<typeof CloneRequest>;

/** The body of each operation on a slice. */
export interface SliceRequests {
  scale: ScaleRequest;
  recode: RecodeRequest;
  clone: CloneRequest;
}
/** The schema of the body of each operation on a slice. */
export const SLICE_REQUESTS: {
  [O in SliceOperation]: v.GenericSchema<unknown, SliceRequests[O]>;
} = { scale: ScaleRequest, recode: RecodeRequest, clone: CloneRequest };

/**
 * The part of an entry's `params` that is not in its request: the entry from which it was made, and the rows that it
 * is limited to.
 */
export const EntryOrigin = v.object({
  redo_of: v.optional(v.pipe(v.number(), v.description('The undone entry that this one redid'))),
  copied_from: v.optional(
    v.pipe(v.number(), v.description('The entry that this one is a copy of, with its version')),
  ),
  replayed_from: v.optional(
    v.pipe(v.number(), v.description('The entry that this one replayed, with its version')),
  ),
  replayed_by: v.optional(
    v.pipe(
      v.string(),
      v.description('Who replayed it; `pf_user` and `stamp` are those of the entry'),
    ),
  ),
  within: v.optional(
    v.pipe(
      v.array(v.array(Slice)),
      v.description(
        'The territories that the entry is limited to: it acts on rows that are in a slice of each list',
      ),
    ),
  ),
});
export type EntryOrigin = v.InferOutput<typeof EntryOrigin>;

const kept = <
  const Operation extends string,
  Params extends v.GenericSchema,
  Of extends v.GenericSchema,
>(
  operation: Operation,
  slice: Of,
  params: Params,
) =>
  v.object({
    operation: v.literal(operation),
    // Another writer of the table may have stored something else.
    slice: v.fallback(v.nullable(slice), null),
    params: v.fallback(v.nullable(v.intersect([params, EntryOrigin])), null),
  });

/**
 * The stored amounts of a scale with other stored fields. A percentage of one measure and a total are stored as
 * requested, not as the resulting amount; a shape with the weights that were used.
 */
const keptAmounts = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  [
    v.object({ ...entries, pct: number, keep: v.optional(Slice) }),
    v.object({
      ...entries,
      value_incr: v.optional(v.nullable(number), null),
      units_incr: v.optional(v.nullable(number), null),
      value_pct: v.optional(number),
      units_pct: v.optional(number),
      value_total: v.optional(total),
      units_total: v.optional(total),
      measures: v.optional(amounts.measures.wrapped.wrapped),
      with: v.optional(amounts.with.wrapped.wrapped),
      spread: v.optional(v.union([v.picklist(['equal', 'price']), StoredShape])),
      keep: v.optional(Slice),
    }),
  ] as const;

/** The stored part of each operation on a slice (docs/contract/02-resources-and-their-fields.md#pflog). */
export const SLICE_ENTRIES = {
  scale: kept(
    'scale',
    v.pipe(v.nullable(Slice), v.description('null if there are edits')),
    v.union([
      v.object({
        edits: v.array(v.union(keptAmounts({ slice: Slice }))),
        hold: v.optional(v.array(Slice)),
      }),
      ...keptAmounts({ hold: v.optional(v.array(Slice)) }),
    ]),
  ),
  recode: kept(
    'recode',
    Slice,
    v.object({
      set: SetClause,
      shift: v.optional(Shift),
      factor: v.optional(number),
      leave_locked: v.optional(v.boolean()),
    }),
  ),
  clone: kept(
    'clone',
    Slice,
    v.object({
      set: SetClause,
      scale_factor: number,
      shift: v.optional(Shift),
      factors: v.optional(v.array(Factor)),
    }),
  ),
} satisfies { [O in SliceOperation]: v.GenericSchema<unknown, { operation: O }> };

/** Body of POST reverse; without a slice, everything is taken back (docs/contract/06-log.md). */
export const ReverseRequest = v.object({ slice: v.optional(v.nullable(AskedSlice)), ...write });
export type ReverseRequest = v.InferOutput<typeof ReverseRequest>;

/** The stored part of each operation on an entry (docs/contract/02-resources-and-their-fields.md#pflog). */
export const ENTRY_ENTRIES = {
  reverse: kept(
    'reverse',
    Slice,
    v.object({
      reverse_of: v.pipe(
        v.number(),
        v.description('The entry of which this one takes back a part'),
      ),
    }),
  ),
} satisfies { [O in EntryOperation]: v.GenericSchema<unknown, { operation: O }> };

/**
 * The rows that an operation wrote: complete in raw mode, otherwise at the grain; with `pf_note` and `pf_op`.
 */
export const OperationAnswer = v.array(row);
export type OperationAnswer = v.InferOutput<typeof OperationAnswer>;

/**
 * The response header with slice keys that are not dimension or date columns, percent-encoded, separated by
 * commas (docs/contract/05-operations.md#slices).
 */
export const SLICE_SKIPPED_HEADER = 'X-Slice-Skipped';
