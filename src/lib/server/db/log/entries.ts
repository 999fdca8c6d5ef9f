/**
 * The queries that write and delete forecast rows and their log entries. Only `services/entries` may
 * import them; lint holds this.
 */
import * as v from 'valibot';
import type { NewEntry } from '../../../contract/log';
import { LogEntry } from '../../../contract/log';
import type { LogOperation } from '../../../contract/operations';
import { timestamp } from '../../../contract/primitives';
import type { Identifier, SqlText } from '../../sql/quote';
import { commas, ident, literal, sql } from '../../sql/quote';
import { CHANNEL, messageOf } from '../connection/notify';
import { ENTRY_FIELDS, IS_COUNTED } from './log';
import { revisionOf } from '../versions/outside-changes';
import { found, prepared } from '../connection/queryable';
import type { Totals } from '../totals/totals';
import type { Transaction } from '../connection/transaction';

const Id = v.object({ id: v.number() });

const Inserted = v.object({ ...Id.entries, stamp: timestamp });

/**
 * Null for `slice` or `params` is stored as SQL NULL, not as JSON null.
 *
 * @param stamp the time of the entry; the time of the transaction by default
 * @returns the new id and its stamp
 */
export function insertEntry(
  transaction: Transaction,
  versionId: number,
  entry: Omit<NewEntry, 'params'> & { params: object | null },
  stamp: string | null = null,
): Promise<v.InferOutput<typeof Inserted>> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return transaction.one(
    Inserted,
    sql`INSERT INTO pf.log (version_id, pf_user, operation, slice, params, note, stamp)
     VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, now())) RETURNING id, stamp`,
    [
      ...[versionId, entry.pf_user, entry.operation, json(entry.slice), json(entry.params)],
      ...[entry.note, stamp],
    ],
  );
}

/** Returns an id for the entry of a preview: negative, and used only once. */
export async function triedId(transaction: Transaction): Promise<number> {
  const { id } = await transaction.one(
    Id,
    sql`SELECT -nextval(pg_get_serial_sequence('pf.log', 'id')) AS id`,
  );
  return id;
}

/** Stores the number of rows of an entry. */
export const keepRowCount = (
  transaction: Transaction,
  logid: number,
  rowCount: number,
): Promise<number> =>
  transaction.run(
    sql`UPDATE pf.log SET row_count = $2, counted_revision = ${revisionOf(sql`log.version_id`)}
     WHERE id = $1`,
    [logid, rowCount],
  );

/** Deletes an entry without its rows. @returns the entry @throws AppError 404 if there is no such entry */
export const deleteEntry = async (transaction: Transaction, logid: number): Promise<LogEntry> =>
  found(
    await transaction.maybeOne(
      LogEntry,
      sql`DELETE FROM pf.log WHERE id = $1 RETURNING ${ENTRY_FIELDS}`,
      [logid],
    ),
    `log entry ${logid}`,
  );

/** Deletes all entries of one operation without their rows. @returns the entries */
export const deleteEntriesOf = (
  transaction: Transaction,
  versionId: number,
  operation: LogOperation,
): Promise<LogEntry[]> =>
  transaction.many(
    LogEntry,
    sql`DELETE FROM pf.log WHERE version_id = $1 AND operation = $2 RETURNING ${ENTRY_FIELDS}`,
    [versionId, operation],
  );

/** Deletes the refreshes that have refreshed a load of one origin, without their rows. @returns the entries */
export const deleteRefreshesOf = (
  transaction: Transaction,
  versionId: number,
  iter: string,
): Promise<LogEntry[]> =>
  transaction.many(
    LogEntry,
    sql`DELETE FROM pf.log WHERE version_id = $1 AND operation = 'refresh'
       AND params->'loads' @> jsonb_build_array(jsonb_build_object('iter', $2::text))
     RETURNING ${ENTRY_FIELDS}`,
    [versionId, iter],
  );

/** Totals of an entry's rows, with all their digits. */
type TotalsOfRows = Pick<Totals, 'row_count'> &
  Record<'value_total' | 'units_total', number | string | null> & {
    measures?: Readonly<Record<string, number | string>> | undefined;
  };

/** The totals of further measures as JSON with numbers; null without any. */
const measuresJson = ({ measures }: Pick<TotalsOfRows, 'measures'>): string | null =>
  measures
    ? JSON.stringify(
        Object.fromEntries(Object.entries(measures).map(([name, sum]) => [name, Number(sum)])),
      )
    : null;

/** The entry as JSON in the API's form: timestamps have milliseconds and end in Z. */
const AS_ANSWERED = sql`to_jsonb(gone) || jsonb_build_object('stamp',
       to_char(gone.stamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const TAKE_OUT = prepared(
  sql`WITH gone AS (DELETE FROM pf.log WHERE id = $1 RETURNING ${ENTRY_FIELDS}),
     kept AS (
       INSERT INTO pf.undone
         (logid, version_id, entry, row_count, value_total, units_total, undone_by, measures)
       SELECT id, version_id, ${AS_ANSWERED}, $2::bigint, $3::numeric, $4::numeric, $5::text, $8::jsonb
       FROM gone
     ),
     opened AS (DELETE FROM pf.lock WHERE logid = $1 RETURNING id)
     SELECT pg_notify(${literal(CHANNEL)}, $6) FROM gone
     UNION ALL
     SELECT pg_notify(${literal(CHANNEL)}, $7) FROM opened`,
);

/**
 * Deletes an entry without its rows but with its lock, adds it to the list of undone entries, and sends the
 * events. One
 * statement does all of it, so that an undo takes hardly longer than deleting its rows.
 *
 * @param totals of its rows
 * @param user who undoes it
 * @throws AppError 404 if there is no such entry
 */
export async function takeOut(
  transaction: Transaction,
  { id, version_id }: { id: number; version_id: number },
  totals: TotalsOfRows,
  user: string | null,
): Promise<void> {
  const messages = [
    messageOf(version_id, { kind: 'undone', logid: id }),
    messageOf(version_id, { kind: 'locks' }),
  ];
  const { row_count, value_total, units_total } = totals;
  const sums = [row_count, value_total, units_total];
  const values = [id, ...sums, user, ...messages, measuresJson(totals)];
  if ((await transaction.run(TAKE_OUT, values)) === 0) found(undefined, `log entry ${id}`);
}

/**
 * Adds entries to the list of undone entries, each with the totals of its rows. @param user who removes them
 */
export const keepUndone = (
  transaction: Transaction,
  entries: readonly { entry: LogEntry; totals: Totals }[],
  user: string | null,
): Promise<number> =>
  transaction.run(
    sql`INSERT INTO pf.undone
       (logid, version_id, entry, row_count, value_total, units_total, measures, undone_by)
     SELECT (entry->>'id')::bigint, (entry->>'version_id')::integer, entry, row_count, value_total,
       units_total, measures, $6
     FROM unnest($1::jsonb[], $2::bigint[], $3::numeric[], $4::numeric[], $5::jsonb[])
       AS kept (entry, row_count, value_total, units_total, measures)`,
    [
      entries.map(({ entry }) => JSON.stringify(entry)),
      entries.map(({ totals }) => totals.row_count),
      entries.map(({ totals }) => totals.value_total),
      entries.map(({ totals }) => totals.units_total),
      entries.map(({ totals }) => measuresJson(totals)),
      user,
    ],
  );

/**
 * Removes an entry from the list of undone entries after a redo. Undone entries on the list that took back a
 * part of it now name the new entry.
 */
export async function forgetUndone(
  transaction: Transaction,
  versionId: number,
  logid: number,
): Promise<void> {
  await transaction.run(sql`DELETE FROM pf.undone WHERE logid = $1`, [logid]);
  await transaction.run(
    sql`UPDATE pf.undone AS u
     SET entry = jsonb_set(u.entry, '{params,reverse_of}', to_jsonb(l.id))
     FROM pf.log AS l
     WHERE u.version_id = $1 AND u.entry->'params'->'reverse_of' = to_jsonb($2::bigint)
       AND l.version_id = $1 AND l.params->'redo_of' = to_jsonb($2::bigint)`,
    [versionId, logid],
  );
}

/** Deletes the rows of one entry but not the entry. @returns the number of deleted rows */
export const deleteRowsOfEntry = (
  transaction: Transaction,
  table: Identifier,
  logid: number,
): Promise<number> => transaction.run(sql`DELETE FROM ${table} WHERE pf_logid = $1`, [logid]);

/** Deletes the rows that match a condition, but not their entries. @returns the number of deleted rows */
export const deleteRows = (
  transaction: Transaction,
  table: Identifier,
  where: SqlText,
): Promise<number> => transaction.run(sql`DELETE FROM ${table} WHERE ${where}`);

/**
 * Copies the entries of a version to another one, with their users, stamps and notes. `params` of a copy
 * names the original entry.
 *
 * @returns the id of each copy by the id of its original
 */
export async function copyEntries(
  transaction: Transaction,
  from: number,
  to: number,
): Promise<Map<number, number>> {
  const originals = await transaction.many(
    Id,
    sql`SELECT id FROM pf.log WHERE version_id = $1 ORDER BY id`,
    [from],
  );
  // Entries without params were written by an older version of the service.
  const copies = await transaction.many(
    Id,
    sql`INSERT INTO pf.log (version_id, pf_user, stamp, operation, slice, params, note, row_count)
     SELECT $2, pf_user, stamp, operation, slice, params || jsonb_build_object('copied_from', id),
       note, row_count
     FROM pf.log WHERE version_id = $1 ORDER BY id
     RETURNING id`,
    [from, to],
  );
  const inOrder = copies.map(({ id }) => id).toSorted((a, b) => a - b);
  const entries = new Map(originals.map(({ id }, i) => [id, inOrder[i] ?? 0]));
  // A reverse names an entry of its own version.
  await transaction.run(
    sql`UPDATE pf.log AS l
     SET params = jsonb_set(l.params, '{reverse_of}', to_jsonb(entry.copy))
     FROM unnest($2::bigint[], $3::bigint[]) AS entry (original, copy)
     WHERE l.version_id = $1 AND l.params->'reverse_of' = to_jsonb(entry.original)`,
    [to, [...entries.keys()], [...entries.values()]],
  );
  // A refresh names loads of its own version. Undone ones have no copy; their number is not used again.
  await transaction.run(
    sql`UPDATE pf.log AS l
     SET params = jsonb_set(l.params, '{loads}', (
       SELECT COALESCE(jsonb_agg(
         CASE WHEN entry.copy IS NULL THEN load
           ELSE load || jsonb_build_object('logid', entry.copy) END ORDER BY place), '[]')
       FROM jsonb_array_elements(l.params->'loads') WITH ORDINALITY AS loads (load, place)
       LEFT JOIN unnest($2::bigint[], $3::bigint[]) AS entry (original, copy)
         ON load->'logid' = to_jsonb(entry.original)))
     WHERE l.version_id = $1 AND l.operation = 'refresh' AND jsonb_typeof(l.params->'loads') = 'array'`,
    [to, [...entries.keys()], [...entries.values()]],
  );
  return entries;
}

/**
 * Removes the row counts of copied entries whose originals have none that is up to date. Rows may be changed
 * by SQL between the copy of the entries and that of the rows, so this runs after both.
 *
 * @param entries the id of each copied entry by the id of its original
 */
export const removeOutdatedCounts = (
  transaction: Transaction,
  entries: ReadonlyMap<number, number>,
): Promise<number> =>
  transaction.run(
    sql`UPDATE pf.log SET row_count = NULL
     FROM unnest($1::bigint[], $2::bigint[]) AS entry (original, copy)
     JOIN pf.log AS l ON l.id = entry.original
     WHERE pf.log.id = entry.copy AND NOT ${IS_COUNTED}`,
    [[...entries.keys()], [...entries.values()]],
  );

/**
 * Copies all rows of a forecast table to an empty one, under other entries.
 *
 * @param columns names of its data columns
 * @param entries the id of each copied entry by the id of its original
 */
export const copyRows = (
  transaction: Transaction,
  from: Identifier,
  to: Identifier,
  columns: readonly string[],
  entries: ReadonlyMap<number, number>,
): Promise<number> => {
  const names = commas([...columns.map(ident), sql`pf_iter`, sql`pf_created_at`]);
  return transaction.run(
    sql`INSERT INTO ${to} (${names}, pf_logid)
     SELECT ${names}, entry.copy FROM ${from}
     JOIN unnest($1::bigint[], $2::bigint[]) AS entry (original, copy) ON entry.original = pf_logid
     ORDER BY pf_id`,
    [[...entries.keys()], [...entries.values()]],
  );
};
