/** Runs a statement and reads its rows as columns. */
import type { Column, PlannedColumn } from '../../arrow/column-plan';
import { CopyDecoder } from '../../arrow/decoder';
import type { Reservation } from '../../budget';
import type { Transaction } from '../../db/connection/transaction';
import type { ForecastColumn } from '../../sql/forecast-columns';
import type { SqlText } from '../../sql/quote';
import { measureColumns } from '../../sql/forecast-columns';

/** The columns that the browser indexes its table on: raw, and at the grain. */
const KEYS = ['pf_id', 'pf_gkey'];

/**
 * Plans how to read each result column of a statement. The statement is described, not run.
 *
 * @param columns columns of the forecast table, which name the measures
 * @param measure `amount` for rows that the statement itself writes
 * @throws DatabaseError if the statement cannot be parsed
 */
export async function planColumns(
  transaction: Transaction,
  statement: SqlText,
  columns: readonly ForecastColumn[],
  measure: 'measure' | 'amount',
): Promise<PlannedColumn[]> {
  const measures = measureColumns(columns).map(({ name }) => name);
  const described = await transaction.describe(statement);
  return described.map(({ name, type }) => ({
    name,
    type,
    use: KEYS.includes(name) ? 'key' : measures.includes(name) ? measure : 'dimension',
  }));
}

/**
 * The result of a statement: its columns, none if it returns no rows, and the number of rows returned or
 * written.
 */
export interface StatementAnswer {
  columns: Column[];
  rowCount: number;
  /** Bytes of memory that the columns take, including their room for growth. */
  bytes: number;
}

/**
 * Runs a statement and reads its result into columns. The memory is that of typed arrays and of each distinct
 * text once, however long the texts are.
 *
 * @param memory reservation for the columns
 * @param signal ends the statement
 * @param expected approximate number of rows; 0 if unknown
 * @throws DatabaseError of the statement; MemoryShort; AppError 422 for a value that a column cannot hold
 */
export async function readColumns(
  transaction: Transaction,
  statement: SqlText,
  plan: readonly PlannedColumn[],
  memory: Reservation,
  signal?: AbortSignal,
  expected = 0,
): Promise<StatementAnswer> {
  const decoder = new CopyDecoder(plan, expected);
  const onChunk = (chunk: Uint8Array) => {
    decoder.write(chunk);
    memory.grow(decoder.bytes);
  };
  await transaction.copyOut(statement, onChunk, signal);
  const { rows: rowCount, bytes } = decoder;
  return { columns: decoder.finish(), rowCount, bytes };
}

/** Like {@link readColumns}, for a statement that writes rows and may return none. */
export async function runWrite(
  transaction: Transaction,
  statement: SqlText,
  columns: readonly ForecastColumn[],
  memory: Reservation,
): Promise<StatementAnswer> {
  const plan = await planColumns(transaction, statement, columns, 'amount');
  if (plan.length === 0)
    return { columns: [], rowCount: await transaction.run(statement), bytes: 0 };
  return readColumns(transaction, statement, plan, memory);
}
