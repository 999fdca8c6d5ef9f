/** Answers a version's rows as CSV. */
import { OID } from '../../arrow/column-plan';
import type { SelectColumn } from '../../db/connection/binary-copy';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import { getVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import type { SqlText } from '../../sql/quote';
import { commas, ident, sql } from '../../sql/quote';
import { ofEntries } from '../../sql/templates/read';
import { substitute } from '../../sql/tokens';
import { blameClient } from '../client-faults';
import { readVersion, storedTemplate } from '../version/forecast-version';
import type { Wanted } from './read';

/**
 * Reads a version's forecast rows as CSV: raw with note and operation, or at the grain
 * (docs/contract/04-data-loading.md#as-csv).
 *
 * @param wanted which rows; entries that the version does not have are skipped
 * @returns as {@link csvOf}
 * @throws AppError 404 if there is no such version or template, 409 if the stored SQL is outdated; 503 if a
 * connection is not free in time
 */
export const readCsv = (
  db: Database,
  versionId: number,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> =>
  csvOf(db, versionId, signal, (tx) => csvSelect(tx, versionId, wanted));

/**
 * Reads rows of a version as CSV. PostgreSQL writes the text. It is passed on as fast as the client reads it, and
 * nothing is cached.
 *
 * @param selectIn returns the statement that selects the rows
 * @param signal ends the statement before the answer has begun; after that, cancelling the stream does
 * @returns the stream once its first bytes have arrived. A later failure aborts it
 * @throws AppError 404 if there is no such version; 503 if a connection is not free in time; the errors of `selectIn`
 */
export async function csvOf(
  db: Database,
  versionId: number,
  signal: AbortSignal,
  selectIn: (tx: Transaction) => Promise<SqlText>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { readable, writable } = new TransformStream<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >();
  const writer = writable.getWriter();
  const begun = new Promise<void>((resolve, reject) => {
    db.versionRead(versionId, async (tx) => {
      const select = await selectIn(tx);
      const send = (chunk: Uint8Array) => {
        resolve();
        return writer.write(new Uint8Array(chunk));
      };
      await tx.copyCsv(select, send, signal);
    }).then(
      () => writer.close().catch(() => {}),
      (error: unknown) => {
        reject(error);
        return writer.abort(error).catch(() => {});
      },
    );
  });
  try {
    await begun;
  } catch (error) {
    // If the version was deleted meanwhile, its table is gone too. The 404 then names the version.
    if (error instanceof AppError && [404, 409].includes(error.status)) {
      await getVersion(db, versionId);
    }
    throw error;
  }
  return readable;
}

async function csvSelect(
  tx: Transaction,
  versionId: number,
  { operation, entries }: Wanted,
): Promise<SqlText> {
  const { version, source, entryRows } = await readVersion(tx, versionId);
  const template = await storedTemplate(tx, source.id, operation);
  const rows = substitute(template, {
    fc_table: entries ? ofEntries(entryRows, entries) : entryRows,
    version_id: sql`${version.id}`,
  });
  const columns = await blameClient({ words: operation }, () => tx.describe(rows));
  const shown = commas(columns.map(printed));
  if (operation === 'get_agg') return sql`SELECT ${shown} FROM (${rows}) AS forecast`;
  return sql`SELECT ${shown}, entry.note AS pf_note, entry.operation AS pf_op
FROM (${rows}) AS forecast
LEFT JOIN pf.log AS entry ON entry.id = forecast.pf_logid`;
}

/** A column of the rows named `forecast`. A COPY writes a boolean as t or f, so it is cast to text. */
export function printed({ name, type }: SelectColumn): SqlText {
  const column = sql`forecast.${ident(name)}`;
  return type === OID.bool ? sql`${column}::text AS ${ident(name)}` : column;
}
