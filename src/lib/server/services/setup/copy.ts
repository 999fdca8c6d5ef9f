/** Copies a version. */
import type { CopyVersionRequest } from '../../../contract/versions';
import { Version } from '../../../contract/versions';
import type { Transaction } from '../../db/connection/transaction';
import { createTable, existingColumns } from '../../db/versions/forecast';
import type { WriteKey } from '../../db/log/idempotency';
import { copyAlerts } from '../../db/people/alerts';
import { copyLocks } from '../../db/people/locks';
import { lockSource } from '../../db/setup/sources';
import { getVersion, insertVersion, lockVersion } from '../../db/versions/versions';
import { forecastTable, forecastTableName } from '../../sql/forecast-table';
import type { Resources } from '../entries/writer';
import { copyAll } from '../entries/writer';
import { once } from '../entries/idempotency';
import { blameTriggers } from '../entries/trigger-faults';
import { nameTaken, requireActive } from './versions';

/**
 * Copies a version with its rows, entries, locks and alerts, in one transaction. The copy is open and independent of
 * the original (docs/contract/19-planning-together.md#copies).
 * @throws AppError 404, 409 for a name taken or an archived source, 422 as {@link blameTriggers}
 */
export const copyVersion = (
  { db, budget, config, sliceIndexes }: Resources,
  id: number,
  request: CopyVersionRequest,
  key?: WriteKey,
): Promise<Version> =>
  budget.run(async (memory) => {
    const copied = await blameTriggers(db, () =>
      db.versionTransaction(id, (tx) =>
        once(tx, id, key, Version, memory, () => copy(tx, id, request, config.distribute)),
      ),
    );
    memory.release();
    sliceIndexes.written(copied.id);
    return copied;
  });

async function copy(
  tx: Transaction,
  id: number,
  { name, description = null, pf_user }: CopyVersionRequest,
  shards: number | null,
): Promise<Version> {
  // The source is locked before its versions, as in a generation.
  const { source_id } = await getVersion(tx, id);
  const source = await lockSource(tx, source_id, 'SHARE');
  requireActive(source);
  // Loads share their lock with each other, so the copy needs the exclusive lock.
  const { exclude_iters } = await lockVersion(tx, id, 'UPDATE');
  const made = { source_id, name, description, exclude_iters, created_by: pf_user };
  const created = await insertVersion(tx, made);
  if (!created) throw nameTaken(name);

  const existing = await existingColumns(tx, forecastTableName(source.tname, id));
  const columns = [...existing].map(([name, type]) => ({ name, type }));
  const tableOf = (version: number) => ({
    id: version,
    table: forecastTable(source.tname, version),
  });
  const to = tableOf(created.id);
  await createTable(tx, to, columns, shards);
  await copyAll(tx, tableOf(id), to, [...existing.keys()]);
  await copyLocks(tx, id, created.id);
  await copyAlerts(tx, id, created.id);
  return created;
}
