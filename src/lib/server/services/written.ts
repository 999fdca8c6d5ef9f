import type { LogEntry } from '../../contract/log';
import type { Column } from '../arrow/column-plan';
import { idBytes, idColumn, idCount, runsOf, type IdRuns } from '../arrow/id-runs';
import { listed } from '../arrow/json';
import type { Reservation } from '../budget';
import type { Transaction } from '../db/database';
import type { ExactTotals } from '../db/forecast';
import type { KeptTotals } from '../kept-totals';
import { grainColumns, measureColumns } from '../sql/forecast-columns';
import type { ForecastVersion } from './forecast-version';

/** What an operation has written, row by row: an undo need not read it again. */
export interface Written extends ExactTotals {
  ids: IdRuns;
}

/** What operations have written lately. */
export type KeptWritten = KeptTotals<Written>;

/** How much of a memory for totals an entry takes. */
export const sizeOfWritten = ({ ids }: Written): number => 1 + ids.length / 2;

/** What was written means the same as long as this is the same: history, version and measures. */
const seriesOf = ({ timeline }: Transaction, { version, table, columns }: ForecastVersion) =>
  JSON.stringify([
    timeline,
    version.id,
    table,
    measureColumns(columns).map(({ name, type, role }) => [name, type, role]),
  ]);

/**
 * Keeps what an operation has written. If its transaction is rolled back, nobody asks for it: its id never
 * comes back.
 *
 * @param columns what the operation answers; at the grain, there are no ids to keep
 */
export function keepWritten(
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  entry: Pick<LogEntry, 'id' | 'stamp'>,
  totals: ExactTotals,
  columns: readonly Column[],
): void {
  const column = columns.find(({ name }) => name === 'pf_id');
  const ids = column && runsOf(column);
  if (!ids || idCount(ids) !== totals.row_count) return;
  kept.add(seriesOf(tx, target), entry, { ...totals, ids });
}

/**
 * The rows of an entry are not those that were written. Nothing is kept of them any more, so whoever tries
 * again, in another transaction, gets what is there.
 */
export class OtherRows extends Error {
  override readonly name = 'OtherRows';
}

/** What is kept of an entry whose ids an undo answers; undefined if nothing is. */
export function writtenOf(
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  entry: Pick<LogEntry, 'id' | 'stamp'>,
): Written | undefined {
  if (grainColumns(target.columns).length > 0) return undefined;
  return kept.of(seriesOf(tx, target), [entry])[0];
}

/**
 * Deletes the rows of an entry whose ids are kept, and answers these. The statement that answers the ids of
 * what it deletes takes twice as long as one that does not.
 *
 * @param deleteRows deletes the rows of the entry, and says how many there were
 * @param memory that the ids take
 * @throws OtherRows if not so many rows were there; MemoryShort
 */
export async function deleteWritten(
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  { logid: id, row_count, ids }: Written,
  deleteRows: () => Promise<number>,
  memory: Reservation,
): Promise<Column> {
  memory.grow(idBytes(ids));
  kept.drop(seriesOf(tx, target), { id });
  const deleting = deleteRows();
  // The answer is written while the database is at work.
  const column = listed(idColumn('pf_id', ids));
  if ((await deleting) !== row_count) throw new OtherRows();
  return column;
}
