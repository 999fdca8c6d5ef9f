import type { LogEntry } from '../../contract/log';
import type { Column } from '../arrow/column-plan';
import { idBytes, idColumn, idCount, runsOf, type IdRuns } from '../arrow/id-runs';
import { listed } from '../arrow/json';
import type { Reservation } from '../budget';
import type { Transaction } from '../db/database';
import type { ExactTotals, Totals } from '../db/forecast';
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

/**
 * Deletes the rows of an entry whose ids are kept, and answers these. The statement that answers the ids of
 * what it deletes takes twice as long as one that does not.
 *
 * @param deleteRows deletes the rows of the entry, and says how many there were
 * @param memory that the ids take
 * @returns undefined if nothing is kept
 * @throws OtherRows if not so many rows were there; MemoryShort
 */
export async function deleteWritten(
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  entry: Pick<LogEntry, 'id' | 'stamp'>,
  deleteRows: () => Promise<number>,
  memory: Reservation,
): Promise<{ totals: Totals; ids: Column } | undefined> {
  const series = seriesOf(tx, target);
  const [written] = kept.of(series, [entry]);
  if (!written || grainColumns(target.columns).length > 0) return undefined;
  memory.grow(idBytes(written.ids));
  kept.drop(series, entry);
  const deleting = deleteRows();
  // The answer is written while the database is at work.
  const ids = listed(idColumn('pf_id', written.ids));
  if ((await deleting) !== written.row_count) throw new OtherRows();
  const amount = (text: string | null) => (text === null ? null : Number(text));
  return {
    totals: {
      row_count: written.row_count,
      value_total: amount(written.value_total),
      units_total: amount(written.units_total),
    },
    ids,
  };
}
