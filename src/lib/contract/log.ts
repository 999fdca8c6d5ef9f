/** Log entries, undone entries, totals, and the answers of undo and redo. */
import * as v from 'valibot';
import { ActualsAnswer, ActualsParams } from './actuals';
import { ForecastAnswer, ForecastParams } from './forecasts';
import { ImportParams } from './imports';
import { LoadParams } from './loads';
import { Converted } from './lookups';
import type {
  ClosingOperation,
  CopyingLoad,
  DifferenceOperation,
  FileOperation,
  LoadOperation,
} from './operations';
import {
  ENTRY_ENTRIES,
  EntryOrigin,
  isClose,
  LogOperation,
  OperationAnswer,
  SLICE_ENTRIES,
} from './operations';
import { AskedSlice } from './slices';
import { measureTotals, note, number, pfUser, row, timestamp, Totals } from './primitives';
import { RefreshAnswer, RefreshParams } from './refreshes';

const kept = <const Operation extends string, Params extends v.GenericSchema>(
  operation: Operation,
  params: Params,
) =>
  v.object({
    operation: v.literal(operation),
    // Another writer of the table may have stored something else.
    slice: v.fallback(v.null(), null),
    params: v.fallback(v.nullable(v.intersect([params, EntryOrigin])), null),
  });

const LOAD_ENTRIES = {
  baseline: kept('baseline', LoadParams),
  reference: kept('reference', LoadParams),
  forecast: kept('forecast', ForecastParams),
} satisfies { [O in LoadOperation]: v.GenericSchema<unknown, { operation: O }> };
const DIFFERENCE_ENTRIES = {
  actual: kept('actual', ActualsParams),
  refresh: kept('refresh', RefreshParams),
} satisfies { [O in DifferenceOperation]: v.GenericSchema<unknown, { operation: O }> };
const FILE_ENTRIES = { import: kept('import', ImportParams) } satisfies {
  [O in FileOperation]: v.GenericSchema<unknown, { operation: O }>;
};
const LoadContent = v.variant('operation', Object.values(LOAD_ENTRIES));

/** The request of an entry: `operation` decides the form of `slice` and `params`. */
const EntryContent = v.variant('operation', [
  ...Object.values(LOAD_ENTRIES),
  ...Object.values(SLICE_ENTRIES),
  ...Object.values(ENTRY_ENTRIES),
  ...Object.values(DIFFERENCE_ENTRIES),
  ...Object.values(FILE_ENTRIES),
]);

/** An entry before it is written. */
export type NewEntry = v.InferOutput<typeof EntryContent> & {
  pf_user: string;
  note: string | null;
};

const EntryRecord = v.object({
  id: v.number(),
  version_id: v.number(),
  pf_user: v.string(),
  stamp: timestamp,
  note: v.nullable(v.string()),
});

/** Maximum number of entries to which a read of rows can be limited. */
export const MOST_ENTRIES = 100;

/** One write of forecast rows (docs/contract/02-resources-and-their-fields.md#pflog). */
export const LogEntry = v.intersect([EntryRecord, EntryContent]);
export type LogEntry = v.InferOutput<typeof LogEntry>;

/** An entry that copies rows of the source. */
export type CopiedEntry = Extract<LogEntry, { operation: CopyingLoad }>;

/** An entry that loads a forecast of the source. */
export type ForecastEntry = Extract<LogEntry, { operation: 'forecast' }>;

/** An entry that takes back a part of another one. */
export type ReverseEntry = Extract<LogEntry, { operation: 'reverse' }>;

/** An entry that closes months on actuals. */
export type ActualEntry = Extract<LogEntry, { operation: 'actual' }>;

/** An entry that brings loads up to the source. */
export type RefreshEntry = Extract<LogEntry, { operation: 'refresh' }>;

/** An entry that imports cells of a file. */
export type ImportEntry = Extract<LogEntry, { operation: 'import' }>;

/** Returns whether an entry loads rows from the source. */
export const isLoadEntry = <Entry extends LogEntry>(
  entry: Entry,
): entry is Extract<Entry, { operation: LoadOperation }> =>
  Object.hasOwn(LOAD_ENTRIES, entry.operation);

/** Returns whether an entry closes months. */
export const isCloseEntry = <Entry extends LogEntry>(
  entry: Entry,
): entry is Extract<Entry, { operation: ClosingOperation }> => isClose(entry.operation);

/** Returns whether an entry brings loads up to the source. */
export const isRefreshEntry = <Entry extends LogEntry>(
  entry: Entry,
): entry is Extract<Entry, { operation: 'refresh' }> => entry.operation === 'refresh';

/** Number and totals of the rows of an entry. */
export const EntryTotals = Totals;
export type EntryTotals = Totals;

/**
 * An entry with the number and the totals of its own rows; the total of a measure that the source
 * does not have is null.
 */
export const LogListEntry = v.intersect([
  LogEntry,
  EntryTotals,
  v.object({
    origins: v.optional(
      v.pipe(
        v.array(v.object({ iter: v.string(), ...EntryTotals.entries })),
        v.description('Of a refresh of a reference: its totals by the origin of the rows'),
      ),
    ),
  }),
]);
export type LogListEntry = v.InferOutput<typeof LogListEntry>;

/**
 * Answer of GET log: the entries, the names of the measures, and the totals over all entries. Name
 * and total of a measure that the source does not have are null (docs/contract/06-log.md).
 */
export const LogAnswer = v.object({
  entries: v.pipe(v.array(LogListEntry), v.description('Newest first')),
  value_col: v.nullable(v.string()),
  units_col: v.nullable(v.string()),
  value_total: v.nullable(v.number()),
  units_total: v.nullable(v.number()),
  measures: measureTotals,
});
export type LogAnswer = v.InferOutput<typeof LogAnswer>;

/** Body of DELETE log and DELETE baseline, which is optional: the user who removes the entries. */
export const UndoRequest = v.object({ pf_user: v.optional(pfUser) });
export type UndoRequest = v.InferOutput<typeof UndoRequest>;

/**
 * An entry that was undone or cleared, with the totals of its rows. `undone_by` is null if the request named
 * no user (docs/contract/02-resources-and-their-fields.md#pfundone).
 */
export const UndoneEntry = v.object({
  logid: v.number(),
  version_id: v.number(),
  entry: LogEntry,
  ...EntryTotals.entries,
  undone_at: timestamp,
  undone_by: v.nullable(v.string()),
});
export type UndoneEntry = v.InferOutput<typeof UndoneEntry>;
/** Answer of GET undone, most recently undone first (docs/contract/06-log.md). */
export const UndoneAnswer = v.array(UndoneEntry);

/** Body of POST redo (docs/contract/06-log.md). */
export const RedoRequest = v.object({ pf_user: pfUser });

/** Answer of POST redo: the answer of the operation, of the load, of the close or of the refresh. */
export const RedoAnswer = v.union([OperationAnswer, ActualsAnswer, RefreshAnswer, ForecastAnswer]);
export type RedoAnswer = v.InferOutput<typeof RedoAnswer>;

/** Body of POST explain (docs/contract/06-log.md). */
export const ExplainRequest = v.object({ slice: AskedSlice });

/**
 * Answer of POST explain: the amounts that each entry added to a slice, oldest first. Entries whose rows
 * count add up to `included`; entries whose rows operations skip because of their origin, to `excluded`.
 */
export const Explanation = v.object({
  entries: v.array(
    v.object({
      logid: v.number(),
      operation: LogOperation,
      iter: v.optional(
        v.pipe(
          v.string(),
          v.description('Of a refresh: the origin of the rows. It may have an element for each'),
        ),
      ),
      pf_user: v.string(),
      stamp: timestamp,
      note: v.nullable(v.string()),
      excluded: v.boolean(),
      ...EntryTotals.entries,
      conversions: Converted,
    }),
  ),
  included: EntryTotals,
  excluded: EntryTotals,
  skipped: v.pipe(v.array(v.string()), v.description('Slice keys that operations ignore')),
});
export type Explanation = v.InferOutput<typeof Explanation>;

/** Maximum number of rows of one answer of POST rows. */
export const ROWS_AT_ONCE = 100;

/** The place of a row in the list of POST rows. No two rows have the same one, and it never changes. */
export const ListedRowKey = v.object({
  pf_logid: v.pipe(number, v.safeInteger()),
  pf_id: v.pipe(number, v.safeInteger()),
});
export type ListedRowKey = v.InferOutput<typeof ListedRowKey>;

/** Body of POST rows (docs/contract/06-log.md#post-versionsidrows). */
export const RowsRequest = v.object({
  slice: AskedSlice,
  after: v.optional(
    v.pipe(
      v.nullable(ListedRowKey),
      v.description('The `next` of the previous answer; without it, the list begins at its start'),
    ),
  ),
});
export type RowsRequest = v.InferOutput<typeof RowsRequest>;

/** What an entry is and who made it, without its request. */
export const EntryFacts = v.object({
  logid: v.number(),
  operation: LogOperation,
  pf_user: v.string(),
  stamp: timestamp,
  note: v.nullable(v.string()),
});
export type EntryFacts = v.InferOutput<typeof EntryFacts>;

/** Answer of POST rows: forecast rows of a slice, those of the newest entry first. */
export const RowsAnswer = v.object({
  entries: v.pipe(v.array(EntryFacts), v.description('The entries of these rows, newest first')),
  next: v.pipe(
    v.nullable(ListedRowKey),
    v.description('What `after` has to be for the next rows; null if there are none'),
  ),
  skipped: v.pipe(v.array(v.string()), v.description('Slice keys that operations ignore')),
  rows: v.array(row),
});
export type RowsAnswer = v.InferOutput<typeof RowsAnswer>;

/** Body of PATCH log; null clears the note (docs/contract/06-log.md). */
export const EditNoteRequest = v.object({ note: v.nullable(note) });

const UndoRawAnswer = v.object({ rows_deleted: v.number(), pf_ids: v.array(v.number()) });
const UndoGrainAnswer = v.object({
  rows_deleted: v.number(),
  pf_gkeys: v.array(v.string()),
});
const UndoMinimalAnswer = v.object({ rows_deleted: v.number() });
/** Answer of DELETE log to `Prefer: return=minimal`: the number of deleted forecast rows. */
export type UndoMinimalAnswer = v.InferOutput<typeof UndoMinimalAnswer>;
/**
 * Answer of DELETE log: the number of deleted forecast rows and their keys: `pf_ids` without a grain,
 * `pf_gkeys` with one, none with `return=minimal` (docs/contract/06-log.md#delete-loglogid).
 */
export const UndoAnswer = v.union([UndoRawAnswer, UndoGrainAnswer, UndoMinimalAnswer]);

/** One load with its spans: first and last day of each date column; null if no row has a date. */
export const Segment = v.intersect([
  EntryRecord,
  LoadContent,
  EntryTotals,
  v.object({
    spans: v.array(
      v.object({ cname: v.string(), min: v.nullable(v.string()), max: v.nullable(v.string()) }),
    ),
  }),
]);
export type Segment = v.InferOutput<typeof Segment>;
/** Answer of GET segments, oldest first (docs/contract/06-log.md). */
export const SegmentsAnswer = v.array(Segment);
