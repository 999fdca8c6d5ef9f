/** Queries of `pf.undone`. */
import * as v from 'valibot';
import { UndoneEntry } from '../../../contract/log';
import { byColumn, number } from '../../../contract/primitives';
import { sql } from '../../sql/quote';
import { listedParams } from './log';
import type { Queryable } from '../connection/queryable';
import { found } from '../connection/queryable';

const TOTALS = sql`row_count, value_total, units_total, measures, undone_at, undone_by`;
const FIELDS = sql`logid, version_id, entry, ${TOTALS}`;
/** The same with the entry as lists show it. */
const LISTED = sql`logid, version_id, ${TOTALS},
  entry || jsonb_build_object('params', ${listedParams(sql`(entry->'params')`, sql`entry->>'operation'`)}) AS entry`;

/** A row of the table; `measures` is null without further measures. */
const Row = v.pipe(
  v.object({ ...UndoneEntry.entries, measures: v.nullable(byColumn(number)) }),
  v.transform(({ measures, ...row }): UndoneEntry => (measures ? { ...row, measures } : row)),
);

/** The undone entries of a version, latest first. */
export const listUndone = (db: Queryable, versionId: number): Promise<UndoneEntry[]> =>
  db.many(
    Row,
    sql`SELECT ${LISTED} FROM pf.undone WHERE version_id = $1 ORDER BY undone_at DESC, logid DESC`,
    [versionId],
  );

/** An undone entry as errors name it. */
export const undoneName = (versionId: number, logid: number): string =>
  `undone entry ${logid} of version ${versionId}`;

/** @throws AppError 404 if no such entry of the version was undone */
export const undoneEntry = async (
  db: Queryable,
  versionId: number,
  logid: number,
): Promise<UndoneEntry> =>
  found(
    await db.maybeOne(
      Row,
      sql`SELECT ${FIELDS} FROM pf.undone WHERE version_id = $1 AND logid = $2`,
      [versionId, logid],
    ),
    undoneName(versionId, logid),
  );
