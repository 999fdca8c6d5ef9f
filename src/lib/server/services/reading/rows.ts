/** Lists the forecast rows behind a slice: the rows behind a cell of the pivot. */
import {
  type ListedRowKey,
  ROWS_AT_ONCE,
  type RowsAnswer,
  type RowsRequest,
} from '../../../contract/log';
import type { Column } from '../../arrow/column-plan';
import type { Budget, Reservation } from '../../budget';
import type { Database } from '../../db/database';
import { entriesWith } from '../../db/log/log';
import { IN_LIST_ORDER, listedAfter, listedKeys, rowsOfKeys } from '../../db/versions/listed-rows';
import { fieldPlace } from '../../errors';
import { headerList } from '../../header-list';
import { commas, ident, sql } from '../../sql/quote';
import { freeName } from '../../sql/templates/lists';
import { substitute } from '../../sql/tokens';
import { blameClient } from '../client-faults';
import { readVersion, sliceOf, storedTemplate } from '../version/forecast-version';
import { indexedSlice } from '../version/indexed-slice';
import { csvOf, printed } from './csv';
import { planColumns, readColumns } from './read-columns';

/** Rows of a list, and the fields of the answer beside them. */
interface ListedRows {
  facts: Omit<RowsAnswer, 'rows'>;
  columns: Column[];
}

/**
 * The next rows of a slice, entry by entry, the newest first (docs/contract/06-log.md#post-versionsidrows). The list
 * has the rows of excluded origins, too, and ends each page at the key of a row: what others write meanwhile comes
 * before it.
 *
 * @throws AppError 400, 404, 409
 */
export const listRows = (
  { db, budget }: { db: Database; budget: Budget },
  versionId: number,
  { slice, after = null }: RowsRequest,
): Promise<ListedRows & { memory: Reservation }> =>
  budget.run((memory) =>
    db.versionRead(versionId, async (tx) => {
      const target = await readVersion(tx, versionId);
      const { where, skipped } = await blameClient(fieldPlace('slice'), () =>
        indexedSlice(tx, target, slice),
      );
      const template = await storedTemplate(tx, target.source.id, 'get_data');
      const found = await blameClient(fieldPlace('slice'), () =>
        listedKeys(tx, target.rows, where, after, ROWS_AT_ONCE + 1),
      );
      const keys = found.slice(0, ROWS_AT_ONCE);
      const next = found.length > ROWS_AT_ONCE ? (keys.at(-1) ?? null) : null;
      const entries = await entriesWith(tx, versionId, logidsOf(keys));
      const facts = { entries, next, skipped };
      if (keys.length === 0) return { facts, columns: [], memory };
      const rows = substitute(template, {
        fc_table: rowsOfKeys(target.rows, keys),
        version_id: sql`${versionId}`,
      });
      const statement = sql`SELECT * FROM (${rows}) AS forecast ORDER BY ${IN_LIST_ORDER}`;
      const plan = await blameClient({ words: 'get_data' }, () =>
        planColumns(tx, statement, target.columns, 'measure'),
      );
      const { columns } = await readColumns(tx, statement, plan, memory);
      return { facts, columns, memory };
    }),
  );

const logidsOf = (keys: readonly ListedRowKey[]): number[] => [
  ...new Set(keys.map(({ pf_logid }) => pf_logid)),
];

/**
 * All rows of a slice as CSV, in the order of {@link listRows}, each with its entry. It is sent as
 * {@link csvOf} says.
 *
 * @throws AppError 400, 404, 409; 503 if a connection is not free in time
 */
export async function listRowsCsv(
  db: Database,
  versionId: number,
  { slice, after = null }: RowsRequest,
  signal: AbortSignal,
): Promise<{ csv: ReadableStream<Uint8Array<ArrayBuffer>>; skipped: string }> {
  let ignored: readonly string[] = [];
  const csv = await csvOf(db, versionId, signal, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { where, skipped } = sliceOf(target, slice);
    ignored = skipped;
    const template = await storedTemplate(tx, target.source.id, 'get_data');
    const rows = substitute(template, {
      fc_table: sql`(SELECT * FROM ${target.rows} WHERE (${where}) AND ${listedAfter(after)}) AS listed`,
      version_id: sql`${versionId}`,
    });
    const columns = await blameClient(fieldPlace('slice'), async () => {
      // A slice that cannot be evaluated would fail only after the head of the answer.
      await listedKeys(tx, target.rows, where, after, 1);
      return tx.describe(rows);
    });
    const taken = columns.map(({ name }) => name);
    const named = (name: string) => ident(freeName(name, taken));
    return sql`SELECT ${commas(columns.map(printed))}, entry.operation AS pf_op,
  entry.pf_user AS ${named('pf_user')}, entry.stamp AS ${named('pf_stamp')}, entry.note AS pf_note
FROM (${rows}) AS forecast
LEFT JOIN pf.log AS entry ON entry.id = forecast.pf_logid
ORDER BY forecast.pf_logid DESC, forecast.pf_id`;
  });
  return { csv, skipped: headerList(ignored) };
}
