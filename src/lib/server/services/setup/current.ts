/** Current names: which version of a source each of them stands for. */
import type { CurrentName, SetCurrentRequest } from '../../../contract/current';
import type { Version } from '../../../contract/versions';
import { tell } from '../../db/connection/notify';
import { found } from '../../db/connection/queryable';
import type { Database } from '../../db/database';
import { movesOfNames, recordChange } from '../../db/log/audit';
import { getSource, lockSource } from '../../db/setup/sources';
import { findCurrent, listCurrent, moveCurrent, removeCurrent } from '../../db/versions/current';
import { getVersion, lockVersion } from '../../db/versions/versions';
import { followName, lockAnyPlans, requireNoFollower } from './published';

/** Lists the current names of a source, each with its latest moves between versions. @throws AppError 404 */
export async function currentNames(db: Database, sourceId: number): Promise<CurrentName[]> {
  const { id } = await getSource(db, sourceId);
  const moves = await movesOfNames(db, id);
  return (await listCurrent(db, id)).map((current) => ({
    ...current,
    moves: moves.get(current.name) ?? [],
  }));
}

/** The version that a current name stands for. @throws AppError 404 */
export async function versionNamed(db: Database, sourceId: number, name: string): Promise<Version> {
  const { id } = await getSource(db, sourceId);
  const composed = name.normalize('NFC');
  const versionId = await findCurrent(db, id, composed);
  return getVersion(db, found(versionId, `current name "${composed}" in source ${id}`));
}

/**
 * Lets a name stand for a version, or removes it (docs/contract/23-names-and-published-plans.md#current-names). Without a
 * change, nothing is recorded.
 *
 * @throws AppError 404 for an unknown source, a version that is not of this source, or a removed name that there is
 * not; 409 for a removed name that published views follow, or if these cannot be moved
 */
export function setCurrent(
  db: Database,
  sourceId: number,
  { name, version_id, pf_user }: SetCurrentRequest,
): Promise<CurrentName> {
  return db.transaction(async (tx) => {
    const source = await lockSource(tx, sourceId, 'SHARE');
    const { id } = source;
    await lockAnyPlans(tx, id);
    const version = version_id === null ? null : await lockVersion(tx, version_id, 'SHARE');
    if (version && version.source_id !== id) {
      found(undefined, `version ${version.id} in source ${id}`);
    }
    const before =
      version === null
        ? found(await removeCurrent(tx, id, name), `current name "${name}" in source ${id}`)
        : await moveCurrent(tx, id, name, version.id);
    if (before !== version_id) {
      if (version) await followName(tx, source, name, version);
      else await requireNoFollower(tx, id, name);
      await recordChange(tx, {
        action: 'name moved',
        pf_user,
        source_id: id,
        version_id: version_id ?? before,
        before: before === undefined ? null : { [name]: before },
        after: version_id === null ? null : { [name]: version_id },
      });
      for (const each of [before, version_id]) {
        if (each != null) await tell(tx, each, { kind: 'status' });
      }
    }
    const moves = await movesOfNames(tx, id);
    return { name, version_id, moves: moves.get(name) ?? [] };
  });
}
