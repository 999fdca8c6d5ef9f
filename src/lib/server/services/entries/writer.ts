/** The one writer of a version: entries and their rows, under the version's lock. */
import * as v from 'valibot';
import type { ClearAnswer } from '../../../contract/loads';
import type { LogEntry, NewEntry } from '../../../contract/log';
import type { EntryOrigin, LoadOperation } from '../../../contract/operations';
import { isLoad, OPERATIONS } from '../../../contract/operations';
import { sumOf } from '../../arrow/column-values';
import type { Budget, Reservation } from '../../budget';
import type { Config } from '../../config';
import type { Database } from '../../db/database';
import { lockUntilCommitted } from '../../db/versions/distributed';
import {
  copyEntries,
  copyRows,
  removeOutdatedCounts,
  deleteEntriesOf,
  deleteEntry,
  deleteRefreshesOf,
  deleteRowsOfEntry,
  deleteRows,
  forgetUndone,
  insertEntry,
  keepUndone,
  takeOut,
} from '../../db/log/entries';
import { tell } from '../../db/connection/notify';
import type { WriteKey } from '../../db/log/idempotency';
import type { EntryKey } from '../../db/log/log';
import { reversesOf } from '../../db/log/log';
import { readRevision } from '../../db/versions/outside-changes';
import type { ExactTotals, Totals } from '../../db/totals/totals';
import { entryTotals, noTotals } from '../../db/totals/totals';
import type { Transaction } from '../../db/connection/transaction';
import { found } from '../../db/connection/queryable';
import { undoneEntry, undoneName } from '../../db/log/undone';
import { AppError } from '../../errors';
import type { KeptTotals } from '../../kept-totals';
import type { Identifier, SqlText } from '../../sql/quote';
import { literal, sql } from '../../sql/quote';
import { everyRow, hiddenId } from '../../sql/readable-rows';
import { idList } from '../../sql/templates/read';
import { undoTemplate } from '../../sql/templates/undo';
import type { TokenValues } from '../../sql/tokens';
import { substitute } from '../../sql/tokens';
import { requireInside, requireWholeInside } from '../version/changeable';
import type { Statement } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';
import { undoneInside } from '../version/entries-inside';
import { limited, readVersion, writeVersion } from '../version/forecast-version';
import { keptColumns, once } from './idempotency';
import type { LockedRows } from '../version/locks';
import { lockedRows, locksFor, requireUnlocked } from '../version/locks';
import type { StatementAnswer } from '../reading/read-columns';
import { runWrite } from '../reading/read-columns';
import { blameTriggers, triggerFault } from './trigger-faults';
import type { SliceIndexes } from '../reading/slice-indexes';
import { totalsSeries } from '../reading/totals-series';
import { OpenEntry, WHOLE, ofEntry } from './open-entry';

/** The resources of every request that writes rows. */
export interface Resources {
  db: Database;
  budget: Budget;
  config: Pick<Config, 'distribute'>;
  /** Cached totals of entries. */
  totals: KeptTotals<ExactTotals>;
  sliceIndexes: SliceIndexes;
}

/** A written entry: its id, and the result of its statement. */
interface WrittenEntry extends StatementAnswer {
  logid: number;
}

/** The answer of an undo: the number of deleted rows, and the keys by which a client can find them. */
export const UndoResult = v.object({
  rows_deleted: v.number(),
  /** Null if the client does not want the keys. */
  keys: v.nullable(v.picklist(['pf_ids', 'pf_gkeys'])),
  /** One column of keys, or none. */
  columns: keptColumns,
});
export type UndoResult = v.InferOutput<typeof UndoResult>;

/**
 * The deleted rows are not those that the cached totals are of. The totals are dropped from the cache, so
 * another attempt reads them.
 */
export class OtherRows extends Error {
  override readonly name = 'OtherRows';
}

/**
 * Gives `work` the one writer of a version's entries, in a transaction that holds the version's lock. Every
 * write of forecast rows goes through it (docs/contract/15-concurrency.md). If `work` throws, all its writes
 * are rolled back.
 *
 * @param answer schema of the result of `work`, which is stored with the key
 * @param key of the request; `work` is not called for a repeated request
 * @param lock `SHARE` for loads, which may run concurrently; `UPDATE` for everything else
 * @throws AppError 404 if there is no such version, 403 if it is closed, 409 for a key of another request
 */
export const writing = <Result extends object>(
  resources: Resources,
  versionId: number,
  key: WriteKey | undefined,
  answer: v.GenericSchema<unknown, Result>,
  work: (writer: EntryWriter) => Promise<Result>,
  lock: 'UPDATE' | 'SHARE' = 'UPDATE',
): Promise<Result> =>
  resources.budget.run(async (memory) => {
    const result = await underLock(resources, memory, versionId, key, answer, work, lock);
    memory.release();
    return result;
  });

/**
 * Copies all entries of a version with their rows to a new one, whose forecast table has the same columns.
 * The transaction has locked both.
 *
 * @param columns names of the data columns
 */
export async function copyAll(
  tx: Transaction,
  from: { id: number; table: Identifier },
  to: { id: number; table: Identifier },
  columns: readonly string[],
): Promise<void> {
  const entries = await copyEntries(tx, from.id, to.id);
  await copyRows(tx, from.table, to.table, columns, entries);
  await removeOutdatedCounts(tx, entries);
}

/** An answer with rows and its memory reservation, to be released when the rows are sent. */
export type Held<Result> = Result & { memory: Reservation };

/**
 * Like {@link writing}, for a write that answers rows. If memory for them is short, the transaction is rolled
 * back, the request waits without a lock or connection, and `work` is called again.
 * @throws AppError 422 for rows that exceed the whole memory budget, 503 after waiting too long
 */
export const writingRows = <Result extends object>(
  resources: Resources,
  versionId: number,
  key: WriteKey | undefined,
  answer: v.GenericSchema<unknown, Result>,
  work: (writer: EntryWriter) => Promise<Result>,
): Promise<Held<Result>> =>
  resources.budget.run(async (memory) => ({
    ...(await underLock(resources, memory, versionId, key, answer, work, 'UPDATE')),
    memory,
  }));

const underLock = async <Result extends object>(
  { db, totals, sliceIndexes }: Resources,
  memory: Reservation,
  versionId: number,
  key: WriteKey | undefined,
  answer: v.GenericSchema<unknown, Result>,
  work: (writer: EntryWriter) => Promise<Result>,
  lock: 'UPDATE' | 'SHARE',
): Promise<Result> => {
  const write = async (tx: Transaction): Promise<Result> => {
    // A repeated request is answered without the checks of the version, which the first request has passed.
    const result = await once(tx, versionId, key, answer, memory, async () =>
      work(new EntryWriter(tx, await writeVersion(tx, versionId, lock), memory, totals)),
    );
    // Nobody reads during this commit, and concurrent loads commit one at a time.
    await lockUntilCommitted(tx, versionId);
    return result;
  };
  const done = await blameTriggers(db, () => db.versionTransaction(versionId, write));
  sliceIndexes.written(versionId);
  return done;
};

/** The writer of a version that this transaction has created, so that nobody else can use it yet. */
export const newWriter = async (
  tx: Transaction,
  versionId: number,
  memory: Reservation,
): Promise<EntryWriter> => new EntryWriter(tx, await readVersion(tx, versionId), memory);

/**
 * Writes and deletes entries of one version. Only {@link writing}, {@link writingRows} and {@link newWriter}
 * make one.
 */
class EntryWriter {
  readonly isTrial = false;
  private origin: EntryOrigin | undefined;
  /** The time of the entries; null for the time of the transaction. */
  private stamp: string | null = null;

  constructor(
    readonly tx: Transaction,
    public target: ForecastVersion,
    private readonly memory: Reservation,
    private readonly totals?: KeptTotals<ExactTotals>,
  ) {}

  /**
   * The series of the version's totals in the cache. Null for a part by attributes: each statement of a write sees the
   * keys of its own moment, which may be others than those that the series names.
   */
  private get series(): string | null {
    if (typeof this.target.part?.keys === 'string') return null;
    return totalsSeries(this.tx.timeline, this.target);
  }

  /** The rows of the version that a person may not change. @throws AppError as {@link lockedRows} */
  locked(person: string | null): Promise<readonly LockedRows[]> {
    return lockedRows(this.tx, this.target, person);
  }

  /** Ids of the entries that take back a part of an entry. */
  async reversesOf(logid: number): Promise<number[]> {
    return (await reversesOf(this.tx, this.target.version.id, [logid])).map(({ id }) => id);
  }

  /**
   * Checks that no other entry takes back a part of entries that are deleted: their rows would be subtracted twice.
   * @throws AppError 409
   */
  private async requireWhole(logids: readonly number[]): Promise<void> {
    const [reverse] = await reversesOf(this.tx, this.target.version.id, logids);
    if (!reverse) return;
    throw new AppError(
      409,
      `Entry ${reverse.id} takes back a part of entry ${reverse.of}; undo entry ${reverse.id} first`,
    );
  }

  /**
   * @param among the rows that a write deletes
   * @param user who deletes them, if known
   * @param entry the entry that wrote the rows, if it is a single one
   * @throws AppError 403 if the sender may not change one of the rows, 423 if one is locked
   */
  private async requireChangeable(
    among: SqlText,
    user: string | null,
    entry?: EntryKey,
  ): Promise<void> {
    await requireInside(this.tx, this.target, among);
    const locked = await this.locked(user);
    const against = entry ? locksFor(locked, entry.operation, entry.id) : locked;
    await requireUnlocked(this.tx, this.target, against, among);
  }

  /**
   * Writes one entry, then its rows by a stored template.
   *
   * @param tokens values of the template's own tokens, beside table, version, entry, user, note and
   * exclusions
   * @param blamed the field or column that an error of PostgreSQL is reported for
   * @throws AppError as {@link blameClient}
   */
  async write(
    entry: NewEntry,
    template: SqlText,
    tokens: TokenValues,
    blamed: Statement,
  ): Promise<WrittenEntry> {
    const open = await this.open(entry);
    const written = await open.run(template, WHOLE, tokens, blamed);
    // At the grain, an operation answers fewer rows than it writes.
    await open.close(isLoad(entry.operation) ? written.rowCount : undefined);
    return { logid: open.logid, ...written };
  }

  /** Writes an entry without rows. One or several statements then write its rows. */
  async open(entry: NewEntry): Promise<OpenEntry> {
    const { tx, target, memory, totals } = this;
    const { limit } = target;
    const params =
      this.origin || limit
        ? { ...entry.params, ...this.origin, ...(limit && { within: limit.slices }) }
        : entry.params;
    const { id, stamp } = await insertEntry(
      tx,
      target.version.id,
      { ...entry, params },
      this.stamp,
    );
    // If the transaction is rolled back, the cached totals are never used: its id does not come back.
    const keep = (own: ExactTotals) => totals?.add(this.series, { id, stamp }, own);
    const locked = await this.locked(entry.pf_user);
    return new OpenEntry({ tx, target, memory, locked }, entry, id, keep);
  }

  /**
   * Deletes one entry with its rows, and answers their index values (docs/contract/06-log.md). The form
   * of the answer follows the column metadata as it is now, so the statement is made from that and not
   * read from the store.
   *
   * @param user who undoes it, if that is known
   * @param withKeys whether the keys of the deleted rows are read, which takes longer than deleting the rows
   * @throws AppError 404 if there is no such entry, 403 if the sender may not change a row of it, 409 while another
   * entry takes back a part of it, 423 if a row of it is locked; {@link OtherRows}
   */
  async undo(entry: EntryKey, user: string | null, withKeys: boolean): Promise<UndoResult> {
    const { tx, target, totals } = this;
    const { id } = entry;
    await requireWholeInside(tx, target, entry);
    await this.requireWhole([id]);
    const [known] = totals?.of(this.series, [entry]) ?? [];
    totals?.drop(this.series, entry);
    await takeOut(tx, entry, known ?? (await this.readTotals(ofEntry(id)))(id), user);
    await this.requireChangeable(ofEntry(id), user, entry);
    const result = withKeys
      ? await this.deleteWithKeys(id)
      : { rows_deleted: await deleteRowsOfEntry(tx, target.table, id), keys: null, columns: [] };
    if (!known) return result;
    // Deleted rows cannot change any more, but may have changed since the revision was read.
    const { version, revision } = target;
    const isCurrent = (await readRevision(tx, version.id)) === revision;
    if (!isCurrent || result.rows_deleted !== known.row_count) throw new OtherRows();
    return result;
  }

  /** Deletes the rows of an entry and reads their keys from the statement. */
  private async deleteWithKeys(id: number): Promise<UndoResult> {
    const { tx, target, memory } = this;
    const { columns, table, part } = target;
    const tokens = { fc_table: table, logid: sql`${id}` };
    const template = undoTemplate(columns, part?.rowKey && sql`${hiddenId(part.rowKey)} AS pf_id`);
    const gone = await runWrite(tx, substitute(template, tokens), columns, memory);
    // At the grain, the statement counts the rows of each key.
    const [keys, counts] = [gone.columns.slice(0, 1), gone.columns[1]];
    return counts
      ? { rows_deleted: sumOf(counts), keys: 'pf_gkeys', columns: keys }
      : { rows_deleted: gone.rowCount, keys: 'pf_ids', columns: keys };
  }

  /** Deletes one entry with its rows, without answering keys. @throws AppError 404, 409, 423 */
  async remove(logid: number, user: string): Promise<void> {
    const { tx, target } = this;
    await this.requireWhole([logid]);
    await deleteEntry(tx, logid);
    await this.requireChangeable(ofEntry(logid), user);
    await deleteRowsOfEntry(tx, target.table, logid);
    await tell(tx, target.version.id, { kind: 'undone', logid });
  }

  /**
   * Deletes all entries of one kind of load with their rows, and the refreshes of such loads, and counts both. A refresh
   * goes as a whole, also if it has refreshed loads of another kind: rows of an entry never change.
   *
   * @param user who clears them, if known
   * @throws AppError 409 while another entry takes back a part of one, 423 if a row of one is locked
   */
  async clear(operation: LoadOperation, user: string | null): Promise<ClearAnswer> {
    const { tx, target } = this;
    const { iter } = OPERATIONS[operation];
    const loads = await deleteEntriesOf(tx, target.version.id, operation);
    const refreshes = await deleteRefreshesOf(tx, target.version.id, iter);
    const entries = [...loads, ...refreshes];
    await this.requireWhole(entries.map(({ id }) => id));
    const ids = refreshes.map(({ id }) => id);
    const ofRefreshes = ids.length > 0 ? sql` OR pf_logid IN (${idList(ids)})` : sql``;
    const rows = sql`(pf_iter = ${literal(iter)}${ofRefreshes})`;
    await this.requireChangeable(rows, user);
    const totals = await this.readTotals(rows);
    const kept = entries.map((entry) => ({ entry, totals: totals(entry.id) }));
    await keepUndone(tx, kept, user);
    const rows_deleted = await deleteRows(tx, target.table, rows);
    await tell(tx, target.version.id, { kind: 'cleared' });
    return { rows_deleted, log_entries_deleted: entries.length };
  }

  /** Totals by entry of some rows. @param where which rows */
  private async readTotals(where: SqlText): Promise<(logid: number) => Totals> {
    const { table, columns } = this.target;
    const { byEntry } = await entryTotals(this.tx, everyRow(table), columns, where);
    return (logid) => byEntry.get(logid) ?? noTotals(columns);
  }

  /**
   * Writes an undone entry again, and removes it from the list of undone entries.
   *
   * @param run writes it; the new entry names the undone one in `params.redo_of`
   * @throws AppError 404 if the version has no such undone entry, or the sender may not see it; the errors of `run`
   */
  async redo<Result>(logid: number, run: (entry: LogEntry) => Promise<Result>): Promise<Result> {
    const { tx, target } = this;
    const undone = await undoneEntry(tx, target.version.id, logid);
    const part = limited(target);
    if (part && undoneInside(part, [undone]).length === 0) {
      found(undefined, undoneName(target.version.id, logid));
    }
    const { entry } = undone;
    const result = await this.from({ redo_of: logid }, null, () => run(entry));
    await forgetUndone(tx, target.version.id, logid);
    return result;
  }

  /**
   * Writes an entry of another version again. The new entry has the time of the original.
   *
   * @param user who replays it
   * @param run writes it; the new entry names the original in `params.replayed_from`
   * @returns the refusal if it is refused; nothing is written then
   */
  replay<Result>(
    { id, stamp }: LogEntry,
    user: string,
    run: () => Promise<Result>,
  ): Promise<Result | AppError> {
    return this.from({ replayed_from: id, replayed_by: user }, stamp, () =>
      this.tx.attempt(run, (error) => triggerFault(this.tx, error)),
    );
  }

  /** Calls `run`, and records where its entries come from. @param stamp their time, if it is not now */
  private async from<Result>(
    origin: EntryOrigin,
    stamp: string | null,
    run: () => Promise<Result>,
  ): Promise<Result> {
    this.origin = origin;
    this.stamp = stamp;
    try {
      return await run();
    } finally {
      this.origin = undefined;
      this.stamp = null;
    }
  }
}
export type { EntryWriter };
