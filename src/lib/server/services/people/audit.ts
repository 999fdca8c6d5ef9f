/** Reads the audit. */
import type { AuditAnswer } from '../../../contract/audit';
import type { Database } from '../../db/database';
import { listAudit, type WantedAudit } from '../../db/log/audit';
import type { Refusals } from '../../refusals';

/** Entries of the audit, those refusals of this server included that it has only counted yet. */
export async function audit(
  { db, refusals }: { db: Database; refusals: Refusals },
  wanted: WantedAudit,
): Promise<AuditAnswer> {
  // The counts are recorded later if the database accepts no changes now.
  await refusals.flush().catch(() => {});
  return { entries: await listAudit(db, wanted) };
}
