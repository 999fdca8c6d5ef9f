import * as v from 'valibot';
import { LogOperation } from './operations';
import { note, number, timestamp } from './primitives';

/** One write (docs/contract/02-resources-and-their-fields.md#pflog). */
export const LogEntry = v.object({
  id: v.number(),
  version_id: v.number(),
  pf_user: v.string(),
  stamp: timestamp,
  operation: LogOperation,
  slice: v.nullable(v.any()),
  params: v.nullable(v.any()),
  note: v.nullable(v.string()),
});
export type LogEntry = v.InferOutput<typeof LogEntry>;

export const LogListEntry = v.object({
  ...LogEntry.entries,
  row_count: v.number(),
  value_total: v.nullable(number),
  units_total: v.nullable(number),
});
export type LogListEntry = v.InferOutput<typeof LogListEntry>;

export const LogAnswer = v.object({
  entries: v.pipe(v.array(LogListEntry), v.description('Newest first')),
  value_col: v.nullable(v.string()),
  units_col: v.nullable(v.string()),
  value_total: v.nullable(v.number()),
  units_total: v.nullable(v.number()),
});
export type LogAnswer = v.InferOutput<typeof LogAnswer>;

export const EditNoteRequest = v.object({ note: v.nullable(note) });

const UndoRawAnswer = v.object({ rows_deleted: v.number(), pf_ids: v.array(v.number()) });
const UndoGrainAnswer = v.object({
  rows_deleted: v.number(),
  pf_gkeys: v.array(v.string()),
});
export const UndoAnswer = v.union([UndoRawAnswer, UndoGrainAnswer]);
export type UndoAnswer = v.InferOutput<typeof UndoAnswer>;

/** Where the rows of one loaded segment lie: first and last day of each date column. */
export const Segment = v.object({
  ...LogListEntry.entries,
  spans: v.array(
    v.object({ cname: v.string(), min: v.nullable(v.string()), max: v.nullable(v.string()) }),
  ),
});
export type Segment = v.InferOutput<typeof Segment>;
export const SegmentsAnswer = v.array(Segment);
