/** The log of a version: entries, undo, notes, explanations. */
import type { SingleRole } from '../../../contract/columns';
import type { Explanation, LogAnswer, LogEntry, UndoneEntry } from '../../../contract/log';
import { isRefreshEntry } from '../../../contract/log';
import { isReference, OPERATIONS } from '../../../contract/operations';
import type { AskedSlice } from '../../../contract/slices';
import type { History } from '../../../contract/primitives';
import type { Database } from '../../db/database';
import type { Queryable } from '../../db/connection/queryable';
import { found } from '../../db/connection/queryable';
import { tell } from '../../db/connection/notify';
import type { WriteKey } from '../../db/log/idempotency';
import { findEntry, getEntry, listedEntries, listEntries, updateNote } from '../../db/log/log';
import { hasRows } from '../../db/versions/forecast';
import {
  entryParts,
  entryTotals,
  noTotals,
  totalsByOrigin,
  type ExactTotals,
  type OriginTotals,
} from '../../db/totals/totals';
import { listUndone } from '../../db/log/undone';
import { AppError, fieldPlace } from '../../errors';
import { KeptTotals } from '../../kept-totals';
import { membersOf } from '../../sender';
import { measureOf } from '../../sql/forecast-columns';
import { sql } from '../../sql/quote';
import { excludeClause } from '../../sql/slice';
import { idList } from '../../sql/templates/read';
import { requireInside, requireSeen } from '../version/changeable';
import { blameClient } from '../client-faults';
import type { Held, Resources } from './writer';
import { OtherRows, UndoResult, writingRows } from './writer';
import type { ForecastVersion } from '../version/forecast-version';
import { conversionsByPart } from '../reading/conversions';
import { entryInside, undoneInside } from '../version/entries-inside';
import { limited, readLimited, readVersion, sliceOf } from '../version/forecast-version';
import { answeredBefore } from './idempotency';
import { totalsSeries } from '../reading/totals-series';

/**
 * The log with the number of rows and the totals of each entry, newest first (docs/contract/06-log.md), and
 * the history of the database. A sender who reads a part gets the entries that have rows inside. Totals of entries are
 * cached. @throws AppError 404
 */
export const logEntries = (
  { db, totals }: { db: Database; totals: KeptTotals<ExactTotals> },
  versionId: number,
): Promise<{ log: LogAnswer; history: History }> =>
  // One snapshot, so that the totals and the list have the same entries.
  db.versionRead(versionId, async (tx) => {
    const { timeline } = tx;
    const target = await readVersion(tx, versionId);
    const log = await logOf(tx, target, totals, timeline);
    // A new revision would tell of changes to rows that the sender does not see.
    const revision = limited(target) ? null : target.revision;
    return { log, history: { timeline, revision } };
  });

/**
 * The log of a version that was read before.
 *
 * @param kept cached totals
 * @param timeline history of the database that is read
 */
export async function logOf(
  db: Queryable,
  target: ForecastVersion,
  kept: KeptTotals<ExactTotals> = new KeptTotals(false),
  timeline: string | null = null,
): Promise<LogAnswer> {
  const { version, rows, columns } = target;
  const measure = (role: SingleRole) => measureOf(role, columns)?.name ?? null;
  const entries = await listedEntries(db, version.id);
  const series = totalsSeries(timeline, target);
  const known = kept.of(series, entries);
  const ids = new Set(known.map(({ logid }) => logid));
  const unknown = entries.flatMap(({ id }) => (ids.has(id) ? [] : id));
  const where = known.length > 0 ? sql`pf_logid IN (${idList(unknown)})` : undefined;
  const { overall, byEntry, exact } = await entryTotals(db, rows, columns, where, known);
  // Rows without a log entry, which only manual changes create, are found by reading all rows.
  const hasEntries = exact.every(({ logid }) => entries.some(({ id }) => id === logid));
  const origins = await originsOf(db, target, entries, known);
  const withOrigins = exact.map((own) => ({ ...own, origins: origins.get(own.logid) }));
  if (hasEntries) kept.keep(series, entries, withOrigins);
  const none = noTotals(columns);
  const part = limited(target);
  const seen = part
    ? entries
        .filter(({ id }) => byEntry.get(id)?.row_count)
        .map((entry) => entryInside(part, entry))
    : entries;
  return {
    entries: seen.map((entry) => {
      const own = origins.get(entry.id);
      return { ...entry, ...(byEntry.get(entry.id) ?? none), ...(own && { origins: own }) };
    }),
    value_col: measure('value'),
    units_col: measure('units'),
    value_total: overall.value_total,
    units_total: overall.units_total,
    ...(overall.measures && { measures: overall.measures }),
  };
}

/**
 * The totals by origin of the refreshes that have refreshed a reference, by their ids.
 *
 * @param known cached totals, which may have those by origin
 */
async function originsOf(
  db: Queryable,
  { rows, columns }: ForecastVersion,
  entries: readonly LogEntry[],
  known: readonly ExactTotals[],
): Promise<Map<number, OriginTotals[]>> {
  const mixed = entries
    .filter(isRefreshEntry)
    .filter(({ params }) => params?.loads.some(({ iter }) => isReference(iter)))
    .map(({ id }) => id);
  const byEntry = new Map(known.map(({ logid, origins }) => [logid, origins]));
  const unknown = mixed.filter((id) => byEntry.get(id) === undefined);
  const found = unknown.length > 0 ? await totalsByOrigin(db, rows, columns, unknown) : [];
  const of = (id: number) =>
    byEntry.get(id) ?? found.flatMap(({ logid, ...totals }) => (logid === id ? [totals] : []));
  return new Map(mixed.map((id) => [id, [...of(id)]]));
}

/**
 * Totals and conversions by entry of the rows in a slice, oldest entry first, and the overall totals. Rows of excluded
 * origins have totals of their own (docs/contract/06-log.md#post-versionsidexplain).
 * @throws AppError 400, 404, 409
 */
export const explain = (db: Database, versionId: number, slice: AskedSlice): Promise<Explanation> =>
  db.versionRead(versionId, async (tx) => {
    const target = await readVersion(tx, versionId);
    const { version, columns, rows } = target;
    const { where, skipped } = sliceOf(target, slice);
    const exclude = excludeClause(version.exclude_iters);
    const { parts, included, excluded } = await blameClient(fieldPlace('slice'), () =>
      entryParts(tx, rows, columns, where, exclude),
    );
    const conversionsOf = await conversionsByPart(tx, target, where);
    const entries = new Map((await listEntries(tx, versionId)).map((entry) => [entry.id, entry]));
    return {
      entries: parts.map(({ logid, iter, included: counts, ...totals }) => {
        const { operation, pf_user, stamp, note } = found(entries.get(logid), `log entry ${logid}`);
        const origin = OPERATIONS[operation].iter === null && { iter };
        const conversions = conversionsOf(logid, iter);
        return {
          ...{ logid, operation, ...origin, pf_user, stamp, note, excluded: !counts, ...totals },
          ...(conversions && { conversions }),
        };
      }),
      included,
      excluded,
      skipped,
    };
  });

/** The entries of a version that were undone or cleared, latest first. @throws AppError 404 */
export const undoneEntries = async (db: Database, versionId: number): Promise<UndoneEntry[]> => {
  const part = await readLimited(db, versionId);
  const undone = await listUndone(db, versionId);
  return part ? undoneInside(part, undone) : undone;
};

/**
 * An entry with all of its request. A sender who reads a part gets one that has rows inside, with the request only if
 * that is inside too. @throws AppError 404
 */
export async function logEntry(db: Database, logid: number): Promise<LogEntry> {
  const entry = await getEntry(db, logid);
  if (!membersOf(db.sender)) return entry;
  const name = `log entry ${logid}`;
  try {
    return await db.versionRead(entry.version_id, async (tx) => {
      const part = await readLimited(tx, entry.version_id);
      if (!part) return entry;
      const isSeen = await hasRows(tx, part.rows, sql`pf_logid = ${logid}`);
      return entryInside(part, found(isSeen ? entry : undefined, name));
    });
  } catch (error) {
    // The version would tell that the entry exists.
    if (error instanceof AppError && error.status === 404) return found<LogEntry>(undefined, name);
    throw error;
  }
}

/**
 * Changes an entry's note, also on a closed version.
 *
 * @throws AppError 403 if the sender may not change one of its rows, 404 if there is no such entry
 */
export const editNote = (db: Database, logid: number, note: string | null): Promise<LogEntry> =>
  db.transaction(async (tx) => {
    const { entry, hasTerritories } = await updateNote(tx, logid, note);
    await tell(tx, entry.version_id, { kind: 'note', logid });
    if (!hasTerritories || !membersOf(db.sender)) return entry;
    const target = await readVersion(tx, entry.version_id);
    await requireSeen(tx, target, logid);
    await requireInside(tx, target, sql`pf_logid = ${logid}`);
    const part = limited(target);
    return part ? entryInside(part, entry) : entry;
  });

/**
 * Undoes an entry: deletes it and its rows (docs/contract/06-log.md). Another undo may delete the entry while
 * this one waits for the version's lock.
 *
 * @param user who undoes it, if known
 * @param withKeys whether the keys of the deleted rows are read
 * @throws AppError 404 if there is no such entry, 403 if its version is closed, 409 while another entry takes back a
 * part of it
 */
export async function undo(
  resources: Resources,
  logid: number,
  user: string | null,
  withKeys: boolean,
  key?: WriteKey,
): Promise<Held<UndoResult>> {
  const known = await findEntry(resources.db, logid);
  // The first request with this key may have deleted the entry.
  const answered = known ? undefined : await answeredBefore(resources, key, UndoResult);
  if (answered) return answered;
  const entry = found(known, `log entry ${logid}`);
  const attempt = () =>
    writingRows(resources, entry.version_id, key, UndoResult, (writer) =>
      writer.undo(entry, user, withKeys),
    );
  return orUnknown(resources.db, logid, () =>
    attempt().catch((error: unknown) => {
      if (error instanceof OtherRows) return attempt();
      throw error;
    }),
  );
}

/**
 * Runs a write that names an entry.
 *
 * @throws AppError 404 instead of 403 if the sender may not see the entry, because a 403 would tell that it exists; the
 * errors of `write`
 */
export async function orUnknown<Result>(
  db: Database,
  logid: number,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof AppError && error.status === 403) await logEntry(db, logid);
    throw error;
  }
}
