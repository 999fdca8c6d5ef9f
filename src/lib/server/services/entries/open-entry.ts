/** An entry while its rows are written. */
import type { NewEntry } from '../../../contract/log';
import type { Slice } from '../../../contract/slices';
import type { Reservation } from '../../budget';
import { deleteEntry, keepRowCount } from '../../db/log/entries';
import { tell } from '../../db/connection/notify';
import { insertLock } from '../../db/people/locks';
import type { ExactTotals } from '../../db/totals/totals';
import { exactTotals } from '../../db/totals/totals';
import type { Transaction } from '../../db/connection/transaction';
import type { SqlText } from '../../sql/quote';
import { join, literal, sql, typedLiteral } from '../../sql/quote';
import { everyRow } from '../../sql/readable-rows';
import { excludeClause, indexedOrLater } from '../../sql/slice';
import { ofEntries } from '../../sql/templates/read';
import type { TokenValues } from '../../sql/tokens';
import { substitute } from '../../sql/tokens';
import { requireInside } from '../version/changeable';
import type { Statement } from '../client-faults';
import { blameClient } from '../client-faults';
import type { ForecastVersion, Limit } from '../version/forecast-version';
import { limitedTo, storedTemplate } from '../version/forecast-version';
import type { HeldRows } from './held';
import { withoutHeld } from './held';
import type { LockedRows } from '../version/locks';
import { locksFor, requireUnlocked } from '../version/locks';
import type { StatementAnswer } from '../reading/read-columns';
import { runWrite } from '../reading/read-columns';

/** A condition that selects the rows of an entry. */
export const ofEntry = (logid: number): SqlText => sql`pf_logid = ${logid}`;

/** The rows of a version that a statement works on. */
export interface Reach {
  /** The condition of the slice. */
  slice: SqlText;
  /** Rows of the slice that stay unchanged; undefined if there are none. */
  held?: HeldRows | undefined;
  /**
   * Whether the statement makes up for another one or for a changed source, so that its slice is not one of the request.
   */
  isCompensation?: boolean | undefined;
}

/** All rows of a version. */
export const WHOLE: Reach = { slice: sql`TRUE` };

/** What operations write through: `EntryWriter` or `TrialWriter`. */
export interface OperationWriter {
  tx: Transaction;
  target: ForecastVersion;
  /** Whether its writes are rolled back, and each statement answers the totals before and after it. */
  isTrial: boolean;
  /** The rows of the version that a person may not change. */
  locked: (person: string | null) => Promise<readonly LockedRows[]>;
  open: (entry: NewEntry) => Promise<OpenEntry>;
  /** Ids of the entries that take back a part of an entry. */
  reversesOf: (logid: number) => Promise<number[]>;
}

/**
 * Calls `run`, and limits its operations to some rows of the version.
 *
 * @param slices each row is in a slice of each list
 * @throws AppError as {@link limitedTo}; the errors of `run`
 */
export async function within<Result>(
  writer: OperationWriter,
  slices: Limit['slices'],
  run: () => Promise<Result>,
): Promise<Result> {
  const { target } = writer;
  writer.target = limitedTo(target, slices);
  try {
    return await run();
  } finally {
    writer.target = target;
  }
}

/** What an entry writes its rows with. */
export interface WriteScope {
  tx: Transaction;
  target: ForecastVersion;
  /** Reservation for the rows that the operation answers. */
  memory: Reservation;
  /** The rows of the version that the user of the entry may not change. */
  locked: readonly LockedRows[];
}

/** An entry whose rows are being written. */
export class OpenEntry {
  /** @param keep caches the totals of an operation's rows */
  constructor(
    protected readonly scope: WriteScope,
    readonly entry: NewEntry,
    readonly logid: number,
    private readonly keep?: (totals: ExactTotals) => void,
  ) {}

  /**
   * Writes rows of the entry by a stored template.
   *
   * @param reach the rows of the version that the template works on
   * @param tokens values of the template's own tokens, beside table, version, entry, user, note, slice and
   * exclusions
   * @param blamed the field or column that an error of PostgreSQL is reported for
   * @throws AppError as {@link blameClient}
   */
  run(
    template: SqlText,
    reach: Reach,
    tokens: TokenValues,
    blamed: Statement,
  ): Promise<StatementAnswer> {
    const { tx, target, memory } = this.scope;
    const statement = this.filled(template, reach, tokens);
    return blameClient(blamed, () => runWrite(tx, statement, target.columns, memory));
  }

  /** Fills in the tokens of a template. */
  protected filled(template: SqlText, { slice, held }: Reach, tokens: TokenValues): SqlText {
    const { entry, logid } = this;
    const { version, table, indexedTo } = this.scope.target;
    const seen = excludeClause(version.exclude_iters);
    return substitute(template, {
      where_clause: withoutHeld(slice, held),
      fc_table: table,
      version_id: sql`${version.id}`,
      logid: sql`${logid}`,
      pf_user: literal(entry.pf_user),
      note: this.note,
      exclude_clause: indexedTo === null ? seen : sql`${seen} AND ${indexedOrLater(indexedTo)}`,
      ...tokens,
    });
  }

  /**
   * Reads all rows of the entry as its operation answers them. The answers of several statements cannot
   * simply be joined: at the grain, they may have the same keys.
   */
  rows(isGrain: boolean): Promise<StatementAnswer> {
    return rowsOf(this.scope, [this], isGrain);
  }

  /**
   * Ends the entry after its last row is written: checks territories and locks, stores the number of rows, and sends the
   * event.
   *
   * @param rowCount number of rows of a load; the rows of an operation are counted
   * @throws AppError 403 if the sender may not change a row, 423 if one is locked
   */
  async close(rowCount?: number): Promise<void> {
    const { logid } = this;
    const { tx, target } = this.scope;
    const { operation, pf_user } = this.entry;
    await this.requireChangeable();
    if (rowCount !== undefined) await keepRowCount(tx, logid, rowCount);
    else {
      const totals = await exactTotals(tx, everyRow(target.table), target.columns, logid);
      await keepRowCount(tx, logid, totals.row_count);
      this.keep?.(totals);
    }
    await tell(tx, target.version.id, { kind: 'written', logid, operation, pf_user });
  }

  /** Takes an entry without rows out of the log again, as if it had not been opened. */
  async discard(): Promise<void> {
    await deleteEntry(this.scope.tx, this.logid);
  }

  /** Locks a slice until the entry is undone. */
  async lock(slice: Slice): Promise<void> {
    const { tx, target } = this.scope;
    const { pf_user: created_by, note } = this.entry;
    await insertLock(tx, target.version.id, { slice, note, created_by, logid: this.logid });
    await tell(tx, target.version.id, { kind: 'locks' });
  }

  /** @throws AppError 403 if the sender may not change a row of the entry, 423 if one is locked */
  protected async requireChangeable(): Promise<void> {
    const { tx, target, locked } = this.scope;
    const against = locksFor(locked, this.entry.operation);
    // A lock of rows that the sender may not see must not be told.
    await requireInside(tx, target, ofEntry(this.logid));
    await requireUnlocked(tx, target, against, ofEntry(this.logid));
  }

  private get note(): SqlText {
    return noteOf(this.entry);
  }
}

const noteOf = ({ note }: NewEntry): SqlText => typedLiteral(note, sql`text`);

/**
 * Reads all rows of some entries as their operations answer them, entry by entry. The first entries have the
 * highest ids, as those of previews do.
 *
 * @param entries at least one
 */
export async function rowsOf(
  { tx, target, memory }: Omit<WriteScope, 'locked'>,
  entries: readonly Pick<OpenEntry, 'entry' | 'logid'>[],
  isGrain: boolean,
): Promise<StatementAnswer> {
  const { source, version, entryRows, columns } = target;
  const operation = isGrain ? 'get_agg' : 'get_data';
  const template = await storedTemplate(tx, source.id, operation);
  const logids = entries.map(({ logid }) => logid);
  const rows = substitute(template, {
    fc_table: ofEntries(entryRows, logids),
    version_id: sql`${version.id}`,
  });
  const byEntry = (of: (entry: NewEntry) => SqlText) =>
    sql`CASE pf_logid ${join(
      entries.map(({ entry, logid }) => sql`WHEN ${logid} THEN ${of(entry)}`),
      sql` `,
    )} END`;
  const statement = sql`SELECT *, ${byEntry(noteOf)} AS pf_note,
    ${byEntry((entry) => literal(entry.operation))} AS pf_op
FROM (${rows}) AS rows ORDER BY pf_logid DESC, ${isGrain ? sql`pf_gkey` : sql`pf_id`}`;
  return blameClient({ words: operation }, () => runWrite(tx, statement, columns, memory));
}
