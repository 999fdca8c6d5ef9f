/** Versions: creating, editing, closing and deleting. */
import type { Iter } from '../../../contract/operations';
import { ITERS } from '../../../contract/operations';
import type { Source } from '../../../contract/sources';
import { readsPart } from '../../../contract/territories';
import type {
  CreateVersionRequest,
  EditVersionRequest,
  Version,
  VersionListEntry,
} from '../../../contract/versions';
import { EXCLUDED_BY_DEFAULT } from '../../../contract/versions';
import type { Config } from '../../config';
import { listColumns, sourceColumns } from '../../db/setup/column-metadata';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import { lockUntilCommitted, waitForCommits } from '../../db/versions/distributed';
import { tell } from '../../db/connection/notify';
import { SQLSTATE, sqlState } from '../../db/connection/failures';
import { currentNamesOf } from '../../db/versions/current';
import { createTable, dropTable } from '../../db/versions/forecast';
import { recordChange } from '../../db/log/audit';
import { countOldEntries, entryRowCounts, lastChanges, lastLoads } from '../../db/log/log';
import { listLocks } from '../../db/people/locks';
import { originalVersions } from '../../db/log/replayed';
import { holdingReviews } from '../../db/people/reviews';
import { getSource, lockSource } from '../../db/setup/sources';
import type { GeneratedColumn } from '../../db/setup/templates';
import { generatedColumns, listTemplates } from '../../db/setup/templates';
import {
  deleteVersion,
  getVersion,
  insertVersion,
  listVersions,
  lockOpenVersion,
  lockVersion,
  setClosed,
  updateVersion,
} from '../../db/versions/versions';
import { AppError } from '../../errors';
import type { ForecastColumn } from '../../sql/forecast-columns';
import { forecastColumns } from '../../sql/forecast-columns';
import { forecastTable, forecastTableName } from '../../sql/forecast-table';
import { blameColumns } from '../client-faults';
import { unrecorded } from '../version/forecast-version';
import { defineThose, lockAnyPlans, requireUnpublished } from './published';
import { sizeInside } from '../version/size-inside';

/** The error for a name that another version of the source has. */
export const nameTaken = (name: string): AppError =>
  new AppError(409, `The source has a version named "${name}" already`, { field: 'name' });

/** Checks that the source of a new version is active. @throws AppError 409 */
export function requireActive({ status }: Source): void {
  if (status === 'archived') {
    throw new AppError(409, 'The source is archived; restore it first');
  }
}

/**
 * The versions of a source, each with its size and last change. The log stores the number of rows of each
 * entry: counting them here would take seconds per forecast table, and would wait for a locked one.
 * @throws AppError 404
 */
export async function versions(db: Database, sourceId: number): Promise<VersionListEntry[]> {
  const source = await getSource(db, sourceId);
  const isPart = readsPart(source);
  const changes = await lastChanges(db, sourceId);
  const loads: ReadonlyMap<number, string> = isPart ? new Map() : await lastLoads(db, sourceId);
  const counts = await entryRowCounts(db, sourceId);
  const replays = await originalVersions(db, sourceId);
  const entries: VersionListEntry[] = [];
  for (const version of await listVersions(db, sourceId)) {
    const replay_of = replays.get(version.id);
    const of = replay_of !== undefined && { replay_of };
    if (isPart) {
      const inside = await sizeInside(db, version.id);
      if (inside) entries.push({ ...version, ...inside, ...of });
      continue;
    }
    const kept = counts.get(version.id) ?? (counts.has(version.id) ? null : 0);
    const row_count = kept ?? (await countIfThere(db, source.tname, version.id));
    if (row_count === undefined) continue;
    const { stamp = null, pf_user = null } = changes.get(version.id) ?? {};
    const last_load = lastLoad(loads.get(version.id), version, replay_of !== undefined);
    const load = last_load !== undefined && { last_load };
    entries.push({ ...version, row_count, last_change: stamp, last_user: pf_user, ...load, ...of });
  }
  return entries;
}

/**
 * When the rows were last compared with the source. Loads of a replay have older times than the read, which made the
 * version.
 */
const lastLoad = (stamp: string | undefined, { created_at }: Version, isReplay: boolean) =>
  stamp !== undefined && isReplay && created_at > stamp ? created_at : stamp;

/** Number of rows of a version with uncounted entries; undefined if it was deleted since it was listed. */
async function countIfThere(
  db: Database,
  tname: string,
  versionId: number,
): Promise<number | undefined> {
  try {
    return await db.transaction(async (tx) => {
      // The rows of a copied entry may not be on the workers yet.
      await waitForCommits(tx, versionId);
      const rows = await countOldEntries(tx, forecastTable(tname, versionId), versionId);
      // If the version was deleted with its entries, counting them would list it as empty.
      await getVersion(tx, versionId);
      return rows;
    });
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}

/** @throws AppError 404 */
export const version = (db: Database, id: number): Promise<Version> => getVersion(db, id);

/**
 * Creates a version with its forecast table in one transaction.
 *
 * @throws AppError 404, 409 for a name taken, an archived source or one without generated SQL
 */
export function createVersion(
  { db, config }: { db: Database; config: Pick<Config, 'distribute'> },
  sourceId: number,
  request: CreateVersionRequest,
): Promise<Version> {
  return db.transaction((tx) => makeVersion(tx, sourceId, request, config.distribute));
}

/**
 * Like {@link createVersion}, in an open transaction. It locks the source.
 *
 * @param shards number of shards of the forecast table; null if it is not distributed
 */
export async function makeVersion(
  tx: Transaction,
  sourceId: number,
  request: Omit<CreateVersionRequest, 'exclude_iters'> & {
    exclude_iters?: readonly string[] | undefined;
  },
  shards: number | null,
): Promise<Version> {
  const source = await lockSource(tx, sourceId, 'SHARE');
  requireActive(source);
  const generated = await generatedColumns(tx, sourceId);
  if (generated === undefined) {
    const stored = await listTemplates(tx, sourceId);
    throw stored.length > 0
      ? unrecorded()
      : new AppError(409, 'The source has no SQL yet; generate it before creating a version');
  }
  const created = await insertVersion(tx, {
    source_id: sourceId,
    name: request.name,
    description: request.description ?? null,
    exclude_iters: request.exclude_iters ?? EXCLUDED_BY_DEFAULT,
    created_by: request.pf_user ?? null,
  });
  if (!created) throw nameTaken(request.name);
  const columns = forecastColumns(sourceColumns(await listColumns(tx, source)));
  const { id } = created;
  const table = forecastTable(source.tname, id);
  await blameColumns(() => createTable(tx, { id, table }, asGenerated(columns, generated), shards));
  return created;
}

/**
 * The columns of the metadata that the stored templates know, with the types that they expect. A column that
 * was added since the generation waits for the next one, as in existing versions.
 */
const asGenerated = (
  columns: readonly ForecastColumn[],
  generated: ReadonlyMap<string, GeneratedColumn>,
): ForecastColumn[] =>
  columns.flatMap((column) => {
    const { type } = generated.get(column.name) ?? {};
    return type === undefined ? [] : { ...column, type };
  });

/** Changes the fields that the request names. @throws AppError 404, 403, 409 */
export async function editVersion(
  db: Database,
  id: number,
  edit: EditVersionRequest,
): Promise<Version> {
  try {
    return await db.versionTransaction(id, async (tx) => {
      if (edit.exclude_iters) await lockAnyPlans(tx, (await getVersion(tx, id)).source_id);
      const current = await lockOpenVersion(tx, id);
      const { exclude_iters = current.exclude_iters } = edit;
      const isSame = (iter: Iter) =>
        exclude_iters.includes(iter) === current.exclude_iters.includes(iter);
      const isExclusion = !ITERS.every(isSame);
      if (isExclusion) await requireFreeRows(tx, id);
      const excluded = { exclude_iters: [...exclude_iters], pf_user: edit.pf_user ?? null };
      await tell(tx, id, { kind: 'status', ...(isExclusion && { excluded }) });
      const edited = await updateVersion(tx, id, {
        name: edit.name ?? current.name,
        description: edit.description === undefined ? current.description : edit.description,
        exclude_iters,
      });
      if (isExclusion) await defineThose(tx, edited);
      await recordChange(tx, {
        action: 'version changed',
        pf_user: edit.pf_user,
        source_id: current.source_id,
        version_id: id,
        before: settingsOf(current),
        after: settingsOf(edited),
      });
      return edited;
    });
  } catch (error) {
    if (sqlState(error) === SQLSTATE.uniqueViolation) throw nameTaken(edit.name ?? '');
    throw error;
  }
}

const settingsOf = ({ name, description, exclude_iters }: Version) => ({
  name,
  description,
  exclude_iters,
});

/**
 * Checks that no closed months, locks and reviews hold rows of a version: without a change of any row, other origins
 * would give these rows other totals. @throws AppError 409
 */
async function requireFreeRows(tx: Transaction, id: number): Promise<void> {
  const locks = await listLocks(tx, id);
  const closing = locks.findLast(({ logid }) => logid !== undefined);
  const [review] = await holdingReviews(tx, id);
  const [lock] = locks;
  const [why, way] = closing
    ? [`Entry ${closing.logid} has closed months of this version`, 'undo it']
    : review
      ? [
          `Review ${review.id} of ${review.owner} is ${review.state}`,
          review.state === 'approved' ? 'reopen it' : 'return it',
        ]
      : lock
        ? [`${lock.created_by} has locked rows of this version`, `delete lock ${lock.id}`]
        : [];
  if (why === undefined) return;
  throw new AppError(
    409,
    `${why}, so the origins that operations skip cannot change; ${way} first`,
    { field: 'exclude_iters' },
  );
}

/**
 * Closes a version on behalf of `user`, or opens it. @throws AppError 404, 409 if it is in that state already
 */
export function switchVersion(
  db: Database,
  id: number,
  status: 'open' | 'closed',
  user: string,
): Promise<Version> {
  return db.versionTransaction(id, async (tx) => {
    const current = await lockVersion(tx, id, 'UPDATE');
    if (current.status === status) throw new AppError(409, `The version is ${status} already`);
    await tell(tx, id, { kind: 'status' });
    await recordChange(tx, {
      action: status === 'closed' ? 'version closed' : 'version opened',
      pf_user: user,
      source_id: current.source_id,
      version_id: id,
      before: { status: current.status },
      after: { status },
    });
    return setClosed(tx, id, status === 'closed' ? user : null);
  });
}

/** Drops the forecast table, the log and the version together. @throws AppError 404, 403; 409 if it is published or has a current name */
export function removeVersion(db: Database, id: number): Promise<void> {
  return db.versionTransaction(id, async (tx) => {
    const current = await lockOpenVersion(tx, id);
    const source = await getSource(tx, current.source_id);
    await requireUnpublished(tx, id);
    await requireUnnamed(tx, id);
    await lockUntilCommitted(tx, id);
    await dropTable(tx, forecastTableName(source.tname, id));
    await deleteVersion(tx, id);
    await recordChange(tx, {
      action: 'version deleted',
      source_id: current.source_id,
      version_id: id,
      before: settingsOf(current),
      after: null,
    });
    await tell(tx, id, { kind: 'deleted' });
  });
}

/** @throws AppError 409 if a current name stands for a version */
async function requireUnnamed(tx: Transaction, id: number): Promise<void> {
  const names = await currentNamesOf(tx, id);
  if (names.length === 0) return;
  const quoted = names.map((name) => `"${name}"`).join(', ');
  throw new AppError(
    409,
    `The version has the current ${names.length === 1 ? 'name' : 'names'} ${quoted}; move or remove ${names.length === 1 ? 'it' : 'them'} first`,
  );
}
