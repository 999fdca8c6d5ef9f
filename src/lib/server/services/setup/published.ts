/** Published plans: versions as views that other programs read. */
import { isLeaf, isMeasure } from '../../../contract/columns';
import type { Published, PublishRequest } from '../../../contract/published';
import type { Source } from '../../../contract/sources';
import type { Version } from '../../../contract/versions';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import { recordChange } from '../../db/log/audit';
import { listColumns } from '../../db/setup/column-metadata';
import { getSource, lockSource } from '../../db/setup/sources';
import { generatedColumns } from '../../db/setup/templates';
import { runSequentially } from '../../db/versions/distributed';
import { findCurrent } from '../../db/versions/current';
import { existingColumns } from '../../db/versions/forecast';
import {
  areTaken,
  defineView,
  deletePublished,
  detachView,
  dropView,
  getPublished,
  findPublishedAs,
  insertPublished,
  listPublished,
  lockPlans,
  publishedOf,
  updatePublished,
} from '../../db/versions/published';
import { getVersion, lockVersion } from '../../db/versions/versions';
import { AppError } from '../../errors';
import { forecastTable, forecastTableName } from '../../sql/forecast-table';
import { type PublishedColumn, publishedViews, viewNames } from '../../sql/published';
import { unrecorded } from '../version/forecast-version';

/** The published versions of a source. @throws AppError 404 */
export async function publishedVersions(db: Database, sourceId: number): Promise<Published[]> {
  const { id } = await getSource(db, sourceId);
  return listPublished(db, id);
}

/**
 * Publishes a version under a name, or moves the views of that name to it
 * (docs/contract/23-names-and-published-plans.md#published-plans).
 *
 * @throws AppError 404; 409 if the name is taken, the version does not have the current name, or the SQL of the source
 * was never recorded; 409 and 422 as {@link defineView}
 */
export function publish(
  db: Database,
  versionId: number,
  { name, current = null, pf_user }: PublishRequest,
): Promise<Published> {
  return db.transaction(async (tx) => {
    const { source_id } = await getVersion(tx, versionId);
    const source = await lockSource(tx, source_id, 'SHARE');
    await lockPlans(tx, source.id);
    const isNamed =
      current === null || (await findCurrent(tx, source.id, current, 'SHARE')) === versionId;
    const version = await lockVersion(tx, versionId, 'SHARE');
    if (!isNamed) {
      const sentence = `The version does not have the current name "${current}"; move it here first`;
      throw new AppError(409, sentence, { field: 'current' });
    }
    const shown = { version_id: versionId, current };
    const before = await findPublishedAs(tx, name);
    const isTaken =
      before === undefined
        ? await areTaken(tx, Object.values(viewNames(name)))
        : before.source_id !== source.id;
    const published = isTaken
      ? undefined
      : before
        ? await updatePublished(tx, before.id, shown)
        : await insertPublished(tx, { name, ...shown, created_by: pf_user ?? null });
    if (!published) {
      const sentence = `There is a view "${name}" or "${viewNames(name).changes}" already; choose another name`;
      throw new AppError(409, sentence, { field: 'name' });
    }
    await defineViews(tx, source, version, [published]);
    await recordChange(tx, {
      action: 'plan published',
      pf_user,
      source_id: source.id,
      version_id: versionId,
      before: before ? { [name]: stateOf(before) } : null,
      after: { [name]: stateOf(published) },
    });
    return published;
  });
}

const stateOf = ({ version_id, current }: Pick<Published, 'version_id' | 'current'>) => ({
  version_id,
  current,
});

/** Drops the views of a published version. @throws AppError 404; 409 and 422 as {@link dropView} */
export function withdraw(db: Database, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const { source_id } = await getVersion(tx, (await getPublished(tx, id)).version_id);
    await lockSource(tx, source_id, 'SHARE');
    await lockPlans(tx, source_id);
    const published = await getPublished(tx, id);
    const { name, version_id } = published;
    for (const view of Object.values(viewNames(name))) await dropView(tx, view);
    await deletePublished(tx, id);
    await recordChange(tx, {
      action: 'plan withdrawn',
      source_id,
      version_id,
      before: { [name]: stateOf(published) },
      after: null,
    });
  });
}

/**
 * Locks the published plans of a source, if there are any. Call it before versions are locked. {@link defineThose} and
 * {@link followName} call it again: the first plan may have been published meanwhile.
 */
export async function lockAnyPlans(tx: Transaction, sourceId: number): Promise<void> {
  if ((await listPublished(tx, sourceId)).length > 0) await lockPlans(tx, sourceId);
}

/** Takes the views of a source off the forecast tables, so that these can be changed; {@link defineAll} ends that. */
export async function detachAll(tx: Transaction, source: Source): Promise<void> {
  const published = await listPublished(tx, source.id);
  if (published.length > 0) await runSequentially(tx);
  for (const { name } of published) {
    for (const view of Object.values(viewNames(name))) await detachView(tx, view);
  }
}

/** Defines the views of a source by its present columns and labels. @throws AppError as {@link defineView} */
export async function defineAll(tx: Transaction, source: Source): Promise<void> {
  for (const published of await listPublished(tx, source.id)) {
    await defineViews(tx, source, await getVersion(tx, published.version_id), [published]);
  }
}

/** Defines the views of a version by its present origins. @throws AppError as {@link defineView} */
export async function defineThose(tx: Transaction, version: Version): Promise<void> {
  await lockAnyPlans(tx, version.source_id);
  const published = await publishedOf(tx, version.id);
  if (published.length === 0) return;
  await defineViews(tx, await getSource(tx, version.source_id), version, published);
}

/** Moves the views that follow a current name to its version. @throws AppError as {@link defineView} */
export async function followName(tx: Transaction, source: Source, current: string, to: Version) {
  await lockAnyPlans(tx, source.id);
  const following = (await listPublished(tx, source.id)).filter((p) => p.current === current);
  for (const { id } of following) await updatePublished(tx, id, { version_id: to.id, current });
  await defineViews(tx, source, to, following);
}

/** @throws AppError 409 if views follow a current name */
export async function requireNoFollower(tx: Transaction, sourceId: number, current: string) {
  const follower = (await listPublished(tx, sourceId)).find((p) => p.current === current);
  if (!follower) return;
  const sentence = `The published plan ${follower.views.plan} follows the current name "${current}"; withdraw it first`;
  throw new AppError(409, sentence);
}

/** @throws AppError 409 if a version is published */
export async function requireUnpublished(tx: Transaction, versionId: number): Promise<void> {
  const [first] = await publishedOf(tx, versionId);
  if (!first) return;
  throw new AppError(409, `The version is published as ${first.views.plan}; withdraw it first`);
}

async function defineViews(
  tx: Transaction,
  source: Source,
  { id, exclude_iters }: Version,
  published: readonly Published[],
): Promise<void> {
  if (published.length === 0) return;
  const columns = await publishedColumns(tx, source, id);
  for (const { name } of published) {
    const table = forecastTable(source.tname, id);
    for (const view of publishedViews(name, table, columns, exclude_iters)) {
      await defineView(tx, view);
    }
  }
}

/** The columns that a version's table has and the generated SQL uses. @throws AppError 409 if these are not recorded */
async function publishedColumns(
  tx: Transaction,
  source: Source,
  versionId: number,
): Promise<PublishedColumn[]> {
  const generated = await generatedColumns(tx, source.id);
  if (generated === undefined) throw unrecorded();
  const existing = await existingColumns(tx, forecastTableName(source.tname, versionId));
  const labels = new Map((await listColumns(tx, source)).map((c) => [c.cname, c.label]));
  return [...generated].flatMap(([name, { role }]) => {
    const type = existing.get(name);
    if (type === undefined || !(isLeaf(role) || isMeasure(role))) return [];
    return { name, role, type, label: labels.get(name) ?? null };
  });
}
