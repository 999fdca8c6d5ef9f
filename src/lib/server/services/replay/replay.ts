/** Replays a version on the current source. */
import type { LogEntry, LogListEntry } from '../../../contract/log';
import { isLoadEntry, isRefreshEntry } from '../../../contract/log';
import type { ReplayedEntry, ReplayVersionRequest } from '../../../contract/replays';
import { ReplayAnswer } from '../../../contract/replays';
import type { Version } from '../../../contract/versions';
import type { Reservation } from '../../budget';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import { existingColumns } from '../../db/versions/forecast';
import type { WriteKey } from '../../db/log/idempotency';
import { copyAlerts } from '../../db/people/alerts';
import { copyLocks } from '../../db/people/locks';
import { replayOf } from '../../db/log/log';
import { keepReplayed, listReplayed } from '../../db/log/replayed';
import { noTotals, totalsIn } from '../../db/totals/totals';
import { getVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import { leafColumns } from '../../sql/forecast-columns';
import { forecastTableName } from '../../sql/forecast-table';
import type { EntryWriter, Resources } from '../entries/writer';
import { newWriter } from '../entries/writer';
import { slicesNamed } from '../version/entries-inside';
import { readVersion } from '../version/forecast-version';
import { once } from '../entries/idempotency';
import { logOf } from '../entries/log';
import { runAgain } from './redo';
import { withoutResolved } from '../operations/shapes';
import { makeVersion } from '../setup/versions';

/**
 * Makes a version by running the loads of another one on the current source, then its operations, in one
 * transaction (docs/contract/19-planning-together.md#replays).
 * @throws AppError 404; 409 for a name taken, an archived source or one without generated SQL; 422 for the
 * first entry that cannot be replayed, unless such entries are skipped
 */
export const replayVersion = (
  { db, budget, config, sliceIndexes }: Resources,
  id: number,
  request: ReplayVersionRequest,
  key?: WriteKey,
): Promise<ReplayAnswer> =>
  budget.run(async (memory) => {
    const original = await readOriginal(db, id);
    const replayed = await db.replayTransaction(
      // An answer stored with the original version would wait for that version's writers.
      (tx) =>
        once(tx, null, key, ReplayAnswer, memory, () =>
          replay(tx, memory, original, request, config.distribute),
        ),
      // Each entry gets the time of a request of its own.
      Math.max(1, original.entries.length),
    );
    memory.release();
    sliceIndexes.written(replayed.version.id);
    return replayed;
  });

/**
 * The result of each entry when the version was replayed; empty if it is not a replay. @throws AppError 404
 */
export async function replayedEntries(db: Database, versionId: number): Promise<ReplayedEntry[]> {
  await getVersion(db, versionId);
  return listReplayed(db, versionId);
}

/** A version to replay, read in one snapshot. */
interface Original {
  version: Version;
  /** In the order of execution: loads first. */
  entries: LogListEntry[];
  /** Names of the data columns of its forecast table. */
  columns: readonly string[];
}

/** Reads the original in one snapshot and without a lock, so that its writers do not wait for the replay. */
const readOriginal = (db: Database, id: number): Promise<Original> =>
  db.versionRead(id, async (tx) => {
    const target = await readVersion(tx, id);
    const log = (await logOf(tx, target)).entries.toReversed();
    const loads = log.filter(isLoadEntry);
    const operations = log.filter((entry) => !isLoadEntry(entry));
    const existing = await existingColumns(tx, forecastTableName(target.source.tname, id));
    const entries = [...loads, ...operations];
    return { version: target.version, entries, columns: [...existing.keys()] };
  });

async function replay(
  tx: Transaction,
  memory: Reservation,
  { version, entries, columns }: Original,
  { on_failure, ...wanted }: ReplayVersionRequest,
  shards: number | null,
): Promise<ReplayAnswer> {
  const { exclude_iters } = version;
  const created = await makeVersion(tx, version.source_id, { ...wanted, exclude_iters }, shards);
  const writer = await newWriter(tx, created.id, memory);
  const reasons = new Map<number, string>();
  for (const entry of entries) {
    if (isRefreshEntry(entry)) {
      reasons.set(entry.id, 'The loads of a replay read the source as it is');
      continue;
    }
    const outcome = await writer.replay(entry, wanted.pf_user, async () => {
      requireSelecting(entry, columns, writer);
      // The rows are dropped, so that only those of one entry are in memory at a time.
      const asked = readAnew(await inReplay(tx, created.id, entry));
      await runAgain(writer, asked, entry.pf_user);
    });
    if (!(outcome instanceof AppError)) continue;
    if (on_failure !== 'skip') throw notReplayed(entry, outcome);
    reasons.set(entry.id, outcome.message);
  }

  const { entries: made } = await logOf(tx, writer.target);
  const madeFrom = new Map(made.map((entry) => [entry.params?.replayed_from, entry]));
  const replayed = entries.map((listed): ReplayedEntry => {
    const { entry, totals: before } = parted(listed);
    const to = madeFrom.get(entry.id);
    const after = to ? parted(to).totals : noTotals(writer.target.columns);
    return { entry, before, to: to?.id ?? null, after, reason: reasons.get(entry.id) ?? null };
  });
  await keepReplayed(tx, created.id, replayed);

  await copyLocks(tx, version.id, created.id);
  await copyAlerts(tx, version.id, created.id);
  // If the original still exists, its locks did too. Its writers may go on.
  await getVersion(tx, version.id);
  return {
    version: created,
    entries: replayed.map(({ entry: { id, operation }, to, after, reason }) => ({
      ...{ from: id, to, operation, ...after, reason },
    })),
  };
}

/**
 * Returns an entry of the original as the replay runs it: a reverse names the replayed entry.
 *
 * @throws AppError 422 if that entry was not replayed
 */
async function inReplay(tx: Transaction, replayId: number, entry: LogEntry): Promise<LogEntry> {
  if (entry.operation !== 'reverse' || !entry.params) return entry;
  const { reverse_of } = entry.params;
  const replayed = await replayOf(tx, replayId, reverse_of);
  if (replayed === undefined) {
    throw new AppError(422, `Entry ${reverse_of}, of which it takes back a part, was not replayed`);
  }
  return { ...entry, params: { ...entry.params, reverse_of: replayed } };
}

/** Splits a listed entry into the entry and its totals. */
function parted({
  row_count,
  value_total,
  units_total,
  measures,
  origins: _,
  ...entry
}: LogListEntry): {
  entry: LogEntry;
  totals: ReplayedEntry['after'];
} {
  return { entry, totals: totalsIn({ row_count, value_total, units_total, measures }) };
}

/**
 * Checks the columns that an entry's slices select by. A key that is not a dimension or date selects nothing.
 * If it selected rows when the entry was made, the same slice would now be wider.
 *
 * @param known the data columns of the original version
 * @throws AppError 422
 */
function requireSelecting(
  entry: LogEntry,
  known: readonly string[],
  { target }: EntryWriter,
): void {
  const names = slicesNamed(entry).flatMap((slice) => Object.keys(slice));
  const leaves = leafColumns(target.columns).map(({ name }) => name);
  const lost = names.find((name) => known.includes(name) && !leaves.includes(name));
  if (lost === undefined) return;
  throw new AppError(
    422,
    `"${lost}" is no longer a dimension or date of the source, so it cannot select rows`,
    { column: lost },
  );
}

/**
 * An entry without what was computed from the rows of its time: the weights of its shapes, and the amounts of its
 * forecast. A replay computes them from the current rows.
 */
function readAnew(entry: LogEntry): LogEntry {
  if (entry.operation === 'forecast' && entry.params) {
    return { ...entry, params: { ...entry.params, groups: [] } };
  }
  if (entry.operation !== 'scale' || !entry.params) return entry;
  const { params } = entry;
  return {
    ...entry,
    params:
      'edits' in params
        ? { ...params, edits: params.edits.map(withoutResolved) }
        : withoutResolved(params),
  };
}

/** The error of a replay that one entry has caused. */
function notReplayed({ id, operation, note }: LogEntry, refusal: AppError): AppError {
  const named = note ? `${operation}, “${note}”` : operation;
  return new AppError(
    422,
    `No version was created, because entry ${id} (${named}) cannot be replayed: ${refusal.message}`,
    { column: refusal.blame.column, cause: refusal },
  );
}
