/** A version with what reading or writing its forecast table needs, and its lock. */
import type { AskedSlice, Slice } from '../../../contract/slices';
import { usableSlice } from '../../../contract/slices';
import type { Source, TemplateOperation } from '../../../contract/sources';
import type { Version } from '../../../contract/versions';
import type { ColumnRecord } from '../../db/setup/column-metadata';
import { columnsOfTables } from '../../db/setup/catalog';
import { sourceColumns, withTable } from '../../db/setup/column-metadata';
import type { Queryable } from '../../db/connection/queryable';
import type { Transaction } from '../../db/connection/transaction';
import { dataColumns } from '../../db/versions/forecast';
import { getPlannedSource } from '../../db/setup/sources';
import { findTemplate } from '../../db/setup/templates';
import { getVersion, lockOpenVersion, readTableState } from '../../db/versions/versions';
import { AppError, faultAt, fieldPlace } from '../../errors';
import { membersOf } from '../../sender';
import type { ColumnType, ForecastColumn } from '../../sql/forecast-columns';
import { forecastColumns, leafColumns, useOf } from '../../sql/forecast-columns';
import { forecastTable, forecastTableName } from '../../sql/forecast-table';
import type { Attribute, BrokenAttribute } from '../../sql/lookups';
import type { Identifier, ReadableRows, SqlText } from '../../sql/quote';
import { sql } from '../../sql/quote';
import { everyRow, rowsAmong, rowsInside } from '../../sql/readable-rows';
import type { CompiledSlice } from '../../sql/slice';
import { compileSlice, excludeClause, indexedOrLater } from '../../sql/slice';
import { attributesOf, type CheckedJoin, joinLookups } from './lookups';
import type { Part } from './territory';
import { anyOf, partOf } from './territory';

/** Rows that reads and writes of a version are limited to. */
export interface Limit {
  /** Each row is in a slice of each list. */
  slices: readonly (readonly Slice[])[];
  /** The same rows as a condition on the forecast table. */
  condition: SqlText;
}

/** A version with everything that reading or writing its forecast table needs. */
export interface ForecastVersion {
  version: Version;
  source: Source;
  metadata: ColumnRecord[];
  /**
   * The forecast table's data columns with their live roles. A column that the metadata gained since
   * the last generation is not in the table yet and is left out.
   */
  columns: ForecastColumn[];
  lookups: readonly CheckedJoin[];
  /** The attributes of the lookups, and those that are gone. */
  attributes: readonly (Attribute | BrokenAttribute)[];
  /** Names of dimensions and dates that only the metadata or only the forecast table has. */
  disputed: string[];
  /** Columns that the stored templates use as a different measure, or as none, than the metadata says. */
  reassigned: string[];
  /** Whether the service has recorded which columns the stored templates were generated from. */
  recorded: boolean;
  /** The forecast table, with its schema. Only writes use it; reads use `rows`. */
  table: Identifier;
  /** The rows of the forecast table that the sender may read. */
  rows: ReadableRows;
  /**
   * The same rows, for reads of whole entries. Its text does not depend on the indexes for slices, so that rows which
   * are cached stay valid when these are built.
   */
  entryRows: ReadableRows;
  /** The part of the source that the sender may read and change; undefined if it is all of it. */
  part: Part | undefined;
  /** The limit of `rows` and `entryRows`; undefined if they are all rows. */
  limit: Limit | undefined;
  /** Another one after each change of rows that is not the service's: then nothing that was cached holds. */
  revision: string;
  /** The newest entry whose rows are in the indexes for slices; null without such indexes. */
  indexedTo: number | null;
}

/** @throws AppError 404 if there is no such version, or the sender may not see it */
export const readVersion = async (db: Queryable, id: number): Promise<ForecastVersion> =>
  complete(db, await getVersion(db, id));

/** A version of which the sender reads a part. */
export type LimitedVersion = ForecastVersion & { part: Part };

/** The same version if the sender reads only a part of it; undefined if they read all of it. */
export const limited = (target: ForecastVersion): LimitedVersion | undefined => {
  const { part } = target;
  return part?.rowKey ? { ...target, part } : undefined;
};

/**
 * Reads a version of which the sender reads a part. Otherwise it only checks that the version exists, and returns
 * undefined.
 * @throws AppError 404 as {@link readVersion}
 */
export async function readLimited(db: Queryable, id: number): Promise<LimitedVersion | undefined> {
  if (membersOf(db.sender)) return limited(await readVersion(db, id));
  await getVersion(db, id);
  return undefined;
}

/**
 * Reads a version for a write and locks it until the transaction ends, so that every later check still holds
 * when the rows are written (docs/contract/15-concurrency.md).
 * @throws AppError 404 as {@link readVersion}, 403 if it is closed
 */
export async function writeVersion(
  transaction: Transaction,
  id: number,
  lock: 'UPDATE' | 'SHARE' = 'UPDATE',
): Promise<ForecastVersion> {
  return complete(transaction, await lockOpenVersion(transaction, id, lock));
}

async function complete(db: Queryable, version: Version): Promise<ForecastVersion> {
  const planned = await getPlannedSource(db, version.source_id);
  const { source, stored, generated, lookups, formerAttributes, territories } = planned;
  const own = { schema: 'pf', tname: forecastTableName(source.tname, version.id) };
  const [sourceTable = [], forecast = [], ...tables] = await columnsOfTables(db, [
    source,
    own,
    ...lookups,
  ]);
  // Until the SQL is generated again, loads take days in the time zones that it was generated with.
  const metadata = withTable(stored, sourceTable).map((c) =>
    generated ? { ...c, time_zone: generated.get(c.cname)?.timeZone ?? null } : c,
  );
  const existing = dataColumns(forecast);
  // A column that the source table has lost stays in the forecast table, with its type there.
  const known = sourceColumns(metadata).map((c) => {
    const column = existing.get(c.cname);
    return c.type === null && column !== undefined ? { ...c, type: plainType(column) } : c;
  });
  const wanted = forecastColumns(known);
  const columns = wanted.flatMap((c) => {
    const column = existing.get(c.name);
    return column === undefined ? [] : { ...c, type: column };
  });
  const disputed = [
    ...[...existing.keys()].filter((name) => !wanted.some((c) => c.name === name)),
    ...leafColumns(wanted).flatMap((c) => (existing.has(c.name) ? [] : c.name)),
  ];
  const reassigned = columns.flatMap(({ name, role }) =>
    useOf(generated?.get(name)?.role ?? role) === useOf(role) ? [] : name,
  );
  const joins = await joinLookups(db, lookups, columns, metadata, tables);
  const table = forecastTable(source.tname, version.id);
  const part =
    territories && (await partOf(db, territories, { columns, lookups: joins }, version.id));
  const state = await readTableState(db, version.id, own.tname);
  const { indexedTo } = state;
  const entryRows = part?.rowKey
    ? rowsInside(table, [...existing.keys()], part.readable, part.rowKey)
    : everyRow(table);
  return {
    version,
    source,
    metadata,
    columns,
    lookups: joins,
    attributes: attributesOf(joins, formerAttributes),
    disputed,
    reassigned,
    recorded: generated !== undefined,
    table,
    rows: indexedTo === null ? entryRows : rowsAmong(entryRows, indexedOrLater(indexedTo)),
    entryRows,
    part,
    limit: part?.rowKey && { slices: [part.read], condition: part.readable },
    ...state,
  };
}

/**
 * A version as an operation sees it that is limited to some rows of it.
 *
 * @param lists each row is in a slice of each list
 * @throws AppError 409 if a column of a slice has changed its role or type, or the lookup of an attribute cannot be
 * joined, since its rows are then unknown
 */
export function limitedTo(target: ForecastVersion, lists: Limit['slices']): ForecastVersion {
  const known = (target.limit?.slices ?? []).map((slices) => JSON.stringify(slices));
  const added = lists.filter((slices) => !known.includes(JSON.stringify(slices)));
  return added.reduce((whole, slices): ForecastVersion => {
    const condition = anyOf(slices, target);
    const { limit } = whole;
    return {
      ...whole,
      rows: rowsAmong(whole.rows, condition),
      entryRows: rowsAmong(whole.entryRows, condition),
      limit: limit
        ? { slices: [...limit.slices, slices], condition: sql`${limit.condition} AND ${condition}` }
        : { slices: [slices], condition },
    };
  }, target);
}

/** Restricts a condition on the forecast table to the rows that the sender may read. */
export const insideOf = ({ limit }: ForecastVersion, where: SqlText): SqlText =>
  limit ? sql`(${where}) AND ${limit.condition}` : where;

const plainType = (type: SqlText): ColumnType => ({
  declared: type,
  base: type,
  name: type,
  isEnum: false,
  scale: null,
  comparable: true,
});

/**
 * Compiles a slice to a condition on a version's forecast table (docs/contract/05-operations.md), if its
 * columns still have their roles (docs/contract/12-odd-corners.md#metadata-that-drifts).
 *
 * @param at place of the slice in the body
 * @throws AppError 400 if a value or column cannot be used. 409 for a column that is in the metadata or in
 * the forecast table but not in both, since skipping it would widen the selection; and while the stored
 * templates use another measure than the metadata
 */
export function sliceOf(target: ForecastVersion, slice: AskedSlice, at = 'slice'): CompiledSlice {
  const { disputed, reassigned, recorded } = target;
  if (!recorded) throw unrecorded();
  if (reassigned.length > 0) {
    throw new AppError(
      409,
      `"${reassigned.join('", "')}" had another role when the SQL was generated; generate the SQL again`,
      reassigned.length === 1 ? { column: reassigned[0] } : {},
    );
  }
  const name = disputed.find((name) => Object.hasOwn(slice, name));
  if (name !== undefined) {
    throw new AppError(
      409,
      `${at}: "${name}" has gained or lost its role since the SQL was generated; restore the old role, or generate the SQL again`,
      { field: `${at}.${name}`, column: name },
    );
  }
  return compileSlice(slice, target, at);
}

/**
 * Compiles a slice that has to select rows by a column, unless it is `{}`.
 *
 * @throws AppError 400, 409 as {@link sliceOf}; 400 for a slice that has keys, but none of a dimension or
 * date column, because it would select every row
 */
export function selectingSlice(
  target: ForecastVersion,
  slice: AskedSlice,
  at = 'slice',
): CompiledSlice {
  const compiled = sliceOf(target, slice, at);
  const names = Object.keys(slice);
  if (names.length > 0 && compiled.skipped.length === names.length) {
    throw faultAt(
      fieldPlace(at),
      400,
      `"${names.join('", "')}" is not a dimension or date column, so this would select every row`,
    );
  }
  return compiled;
}

/**
 * The part of a slice that selects rows, for a lock or a comment: without the keys that are not dimension or
 * date columns. @throws AppError as {@link selectingSlice}
 */
export function sliceToStore(target: ForecastVersion, slice: AskedSlice): Slice {
  return usedPart(slice, selectingSlice(target, slice).skipped);
}

/** Returns a slice without the keys that are ignored because they are no dimension or date columns. */
export const usedPart = (slice: AskedSlice, skipped: readonly string[]): Slice =>
  Object.fromEntries(
    Object.entries(usableSlice(slice)).filter(([name]) => !skipped.includes(name)),
  );

/**
 * Finds a dimension by its name.
 *
 * @param field the field of the request that names it
 * @throws AppError 400 if there is none
 */
export function dimensionOf(
  columns: readonly ForecastColumn[],
  name: string,
  field: string,
): ForecastColumn {
  const column = columns.find((c) => c.name === name && c.role === 'dimension');
  if (column) return column;
  const place = { ...fieldPlace(field), column: name };
  throw faultAt(place, 400, `"${name}" is not a dimension of the source`);
}

/** Restricts a condition on the forecast table to the rows that operations see: those of no excluded origin. */
export const seenByOperations = ({ version }: ForecastVersion, where: SqlText): SqlText =>
  sql`(${where}) AND (${excludeClause(version.exclude_iters)})`;

/**
 * The refusal while it is unknown which columns the stored templates were generated from: an older service did
 * not record that. The columns may have had other roles.
 */
export const unrecorded = (): AppError =>
  new AppError(
    409,
    'The SQL of this source was generated by an older version of the service, which did not record its columns; generate the SQL again',
  );

/** @throws AppError 404 if the source has no such template */
export async function storedTemplate(
  db: Queryable,
  sourceId: number,
  operation: TemplateOperation,
): Promise<SqlText> {
  const template = await findTemplate(db, sourceId, operation);
  if (template === undefined) {
    throw new AppError(404, `The source has no ${operation} template; generate its SQL first`);
  }
  return template;
}
