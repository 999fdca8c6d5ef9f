/** Runs an operation in a transaction that is rolled back. */
import type { NewEntry } from '../../../contract/log';
import type { Reservation } from '../../budget';
import { triedId } from '../../db/log/entries';
import { reversesOf } from '../../db/log/log';
import type { Totals } from '../../db/totals/totals';
import { noTotals, sliceTotals } from '../../db/totals/totals';
import type { Transaction } from '../../db/connection/transaction';
import type { SqlText } from '../../sql/quote';
import { join, sql } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import type { TokenValues } from '../../sql/tokens';
import type { Statement } from '../client-faults';
import { blameClient } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';
import { readVersion } from '../version/forecast-version';
import type { LockedRows } from '../version/locks';
import { lockedRows } from '../version/locks';
import type { StatementAnswer } from '../reading/read-columns';
import type { Reach, OperationWriter, WriteScope } from './open-entry';
import { OpenEntry, rowsOf, WHOLE } from './open-entry';
import { blameTriggers } from './trigger-faults';
import type { Resources, Held } from './writer';

/** The effect of one statement of a preview. */
interface Tried {
  /** The statement with its tokens filled in. */
  statement: SqlText;
  reach: Reach;
  /** Totals of its slice, without rows of excluded origins; undefined for a compensation. */
  totals: Record<'before' | 'after', Totals> | undefined;
}

/**
 * Writes one entry to find out its effect. Only {@link trying} makes one, in a transaction that is rolled
 * back.
 */
class TrialWriter implements OperationWriter {
  readonly isTrial = true;
  readonly tried: Tried[] = [];
  /** The entries that it has opened, in order. */
  readonly entries: OpenEntry[] = [];

  constructor(
    readonly tx: Transaction,
    public target: ForecastVersion,
    readonly memory: Reservation,
  ) {}

  locked(person: string | null): Promise<readonly LockedRows[]> {
    return lockedRows(this.tx, this.target, person);
  }

  /** Opens an entry that is not in the log. Its id is negative, so the keys of its rows are unique. */
  async open(entry: NewEntry): Promise<OpenEntry> {
    const { tx, target, memory, tried } = this;
    const scope = { tx, target, memory, locked: await this.locked(entry.pf_user) };
    const opened = new TriedEntry(scope, entry, await triedId(tx), tried);
    this.entries.push(opened);
    return opened;
  }

  /** Ids of the entries that take back a part of an entry, in the log and among those that are tried. */
  async reversesOf(logid: number): Promise<number[]> {
    const written = await reversesOf(this.tx, this.target.version.id, [logid]);
    const tried = this.entries.filter(
      ({ entry }) => entry.operation === 'reverse' && entry.params?.reverse_of === logid,
    );
    return [...written.map(({ id }) => id), ...tried.map((entry) => entry.logid)];
  }

  /** Reads the rows of all entries, entry by entry. @param isGrain whether their operations answer at the grain */
  rows(isGrain: boolean): Promise<StatementAnswer> {
    return rowsOf(this, this.entries, isGrain);
  }

  /** Totals of the held rows in the slice of any of some statements. */
  async held(tried: readonly Tried[] = this.tried): Promise<Totals> {
    const { tx, target } = this;
    const conditions = tried.flatMap(({ reach: { slice, held, isCompensation } }) =>
      held && !isCompensation ? sql`(${slice} AND (${held.where}))` : [],
    );
    if (conditions.length === 0) return noTotals(target.columns);
    return totalsOf(tx, target, join(conditions, sql` OR `));
  }

  /** Totals of all rows that operations see. */
  all(): Promise<Totals> {
    return totalsOf(this.tx, this.target, WHOLE.slice);
  }
}

export type { TrialWriter };

class TriedEntry extends OpenEntry {
  constructor(
    scope: WriteScope,
    entry: NewEntry,
    logid: number,
    private readonly tried: Tried[],
  ) {
    super(scope, entry, logid);
  }

  override async run(
    template: SqlText,
    reach: Reach,
    tokens: TokenValues,
    blamed: Statement,
  ): Promise<StatementAnswer> {
    const { tx, target } = this.scope;
    const totals = () => blameClient(blamed, () => totalsOf(tx, target, reach.slice));
    const before = reach.isCompensation ? undefined : await totals();
    const answer = await super.run(template, reach, tokens, blamed);
    const statement = this.filled(template, reach, tokens);
    const change = before && { before, after: await totals() };
    this.tried.push({ statement, reach, totals: change });
    return answer;
  }

  /** Nothing follows in this transaction that a lock could stop. */
  override lock(): Promise<void> {
    return Promise.resolve();
  }

  /** There is no log entry to take out. */
  override discard(): Promise<void> {
    return Promise.resolve();
  }

  /** There is no log entry that could store a count, and no event to send. */
  override close(): Promise<void> {
    return this.requireChangeable();
  }
}

/** Totals of the rows that match a condition, without rows of excluded origins. */
async function totalsOf(
  tx: Transaction,
  { version, columns, rows }: ForecastVersion,
  where: SqlText,
): Promise<Totals> {
  const exclude = excludeClause(version.exclude_iters);
  return (await sliceTotals(tx, rows, columns, where, exclude)).included;
}

/**
 * Gives `work` a writer whose writes are rolled back, in one snapshot. It does not lock the version, so no
 * writer waits for it, and it works on a closed version too. It leaves nothing behind but used-up ids.
 *
 * @param operations number of operations that it runs; each gets the time of a request of its own
 * @throws AppError 404 if there is no such version; 422 for rows that exceed the whole memory budget, 503
 * after waiting too long
 */
export const trying = <Result extends object>(
  { db, budget }: Resources,
  versionId: number,
  work: (writer: TrialWriter) => Promise<Result>,
  operations = 1,
): Promise<Held<Result>> =>
  budget.run(async (memory) => ({
    ...(await blameTriggers(db, () =>
      db.versionTrial(
        versionId,
        async (tx) => work(new TrialWriter(tx, await readVersion(tx, versionId), memory)),
        operations,
      ),
    )),
    memory,
  }));
