/** Remembers the ids and totals of what operations wrote, for their undo. */
import type { LogEntry } from '../../contract/log';
import type { Column } from '../arrow/column-plan';
import { copiedTexts } from '../arrow/column-values';
import { idBytes, IdColumn, idCount, runsOf, type IdRuns } from '../arrow/id-runs';
import type { Reservation } from '../budget';
import type { ExactTotals } from '../db/forecast';
import { readRevision } from '../db/outside-changes';
import type { Transaction } from '../db/transaction';
import type { KeptTotals } from '../kept-totals';
import { grainColumns, leafColumns, measureColumns } from '../sql/forecast-columns';
import type { ForecastVersion } from './forecast-version';

/** What clients have an entry's rows by: ids, or at the grain the keys that its operation answered. */
type WrittenKeys =
  { kind: 'pf_ids'; ids: IdRuns } | { kind: 'pf_gkeys'; column: Column; bytes: number };

/** What an operation has written: an undo need not read it again. */
export interface Written extends ExactTotals {
  keys: WrittenKeys;
}

/** What operations have written lately. */
export type KeptWritten = KeptTotals<Written>;

/** As many bytes of keys take as much memory as the totals of one entry. */
const BYTES_OF_TOTALS = 200;
/** Longer keys are not worth keeping beside the rows. */
const MOST_BYTES = 8 * 1_048_576;

/** How much of a memory for totals an entry takes. */
export const sizeOfWritten = ({ keys }: Written): number =>
  1 + (keys.kind === 'pf_ids' ? keys.ids.length / 2 : keys.bytes / BYTES_OF_TOTALS);

/** What was written means the same as long as this is the same: history, revision, version, measures and grain. */
const seriesOf = (
  { timeline }: Transaction,
  { version, table, columns, revision }: ForecastVersion,
) =>
  JSON.stringify([
    timeline,
    revision,
    version.id,
    table,
    measureColumns(columns).map(({ name, type, role }) => [name, type, role]),
    grainColumns(columns).map(({ name, type }) => [name, type]),
  ]);

/**
 * Keeps what an operation has written. If its transaction is rolled back, nobody asks for it: its id never
 * comes back.
 *
 * @param columns what the operation answers
 */
export function keepWritten(
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  entry: Pick<LogEntry, 'id' | 'stamp'>,
  totals: ExactTotals,
  columns: readonly Column[],
): void {
  const keys = keysIn(columns, target, totals.row_count);
  if (keys) kept.add(seriesOf(tx, target), entry, { ...totals, keys });
}

/** The keys that an undo will have to answer; undefined if the answer of an operation does not have them. */
function keysIn(
  columns: readonly Column[],
  target: ForecastVersion,
  rowCount: number,
): WrittenKeys | undefined {
  const columnOf = (wanted: string) => columns.find(({ name }) => name === wanted);
  const grain = grainColumns(target.columns).map(({ name }) => name);
  if (grain.length === 0) {
    const column = columnOf('pf_id');
    const ids = column && runsOf(column);
    return ids && idCount(ids) === rowCount ? { kind: 'pf_ids', ids } : undefined;
  }
  // The stored SQL may be of another grain than the columns are now, by which an undo answers.
  const leaves = new Set(leafColumns(target.columns).map(({ name }) => name));
  const answered = columns.map(({ name }) => name).filter((name) => leaves.has(name));
  if (answered.join('\n') !== grain.join('\n')) return undefined;
  const texts = copiedTexts(columnOf('pf_gkey'), MOST_BYTES);
  return texts && { kind: 'pf_gkeys', ...texts };
}

/**
 * The rows of an entry are not those that were written. Nothing is kept of them any more, so whoever tries
 * again, in another transaction, gets what is there.
 */
export class OtherRows extends Error {
  override readonly name = 'OtherRows';
}

/** What is kept of an entry whose keys an undo answers; undefined if nothing is. */
export const writtenOf = (
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  entry: Pick<LogEntry, 'id' | 'stamp'>,
): Written | undefined => kept.of(seriesOf(tx, target), [entry])[0];

/**
 * Deletes the rows of an entry whose keys are kept, and answers these. The statement that answers the ids of
 * what it deletes takes twice as long as one that does not, and one that makes the keys of a grain longer.
 *
 * @param deleteRows deletes the rows of the entry, and says how many there were
 * @param memory that the keys take
 * @throws OtherRows if not so many rows were there, or if another program has changed some; MemoryShort
 */
export async function deleteWritten(
  kept: KeptWritten,
  tx: Transaction,
  target: ForecastVersion,
  { logid: id, row_count, keys }: Written,
  deleteRows: () => Promise<number>,
  memory: Reservation,
): Promise<Column> {
  // The answer to a request with a key is kept, and has its ids as a column.
  memory.grow(keys.kind === 'pf_ids' ? idBytes(keys.ids) : keys.bytes);
  kept.drop(seriesOf(tx, target), { id });
  if ((await deleteRows()) !== row_count) throw new OtherRows();
  // What is deleted cannot change any more, but may have changed since the revision was read.
  const { version, revision } = target;
  if ((await readRevision(tx, version.id)) !== revision) throw new OtherRows();
  return keys.kind === 'pf_ids' ? new IdColumn('pf_id', keys.ids) : keys.column;
}
