/** Replays: the request, and the result of each entry. */
import * as v from 'valibot';
import { EntryTotals, LogEntry } from './log';
import { LogOperation } from './operations';
import { CopyVersionRequest, Version } from './versions';

/** Body of POST replay (docs/contract/19-planning-together.md#replays). */
export const ReplayVersionRequest = v.object({
  ...CopyVersionRequest.entries,
  on_failure: v.optional(
    v.nullable(
      v.pipe(
        v.picklist(['refuse', 'skip']),
        v.description(
          'Whether an entry that cannot be replayed makes the request fail (refuse, the default) or is skipped (skip)',
        ),
      ),
    ),
  ),
});
export type ReplayVersionRequest = v.InferOutput<typeof ReplayVersionRequest>;

const to = v.pipe(
  v.nullable(v.number()),
  v.description('The new entry; null if the original was skipped'),
);
const reason = v.pipe(v.nullable(v.string()), v.description('Why it was skipped'));

/**
 * Answer of POST replay: the new version, and the result of each entry of the original in the order of
 * execution. Totals are those of the new entry.
 */
export const ReplayAnswer = v.object({
  version: Version,
  entries: v.array(
    v.object({
      from: v.number(),
      to,
      operation: LogOperation,
      ...EntryTotals.entries,
      reason,
    }),
  ),
});
export type ReplayAnswer = v.InferOutput<typeof ReplayAnswer>;

/**
 * The result of one entry in a replay: the original at that time with its totals, and the totals of the new
 * entry as it was written.
 */
export const ReplayedEntry = v.object({
  entry: LogEntry,
  before: EntryTotals,
  to,
  after: EntryTotals,
  reason,
});
export type ReplayedEntry = v.InferOutput<typeof ReplayedEntry>;
/** Answer of GET replayed, in the order of execution; empty if the version is not a replay. */
export const ReplayedAnswer = v.array(ReplayedEntry);
