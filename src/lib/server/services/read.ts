import { mappedDictionary } from '../arrow/mapped';
import { CopyDecoder } from '../arrow/decoder';
import { encode } from '../arrow/encode';
import type { Database } from '../db/database';
import { entryLabels } from '../db/log';
import { getVersion } from '../db/versions';
import { AppError } from '../errors';
import { sql } from '../sql/quote';
import { substitute } from '../sql/tokens';
import { blameClient } from './client-faults';
import { readVersion, storedTemplate } from './forecast-version';
import { planColumns } from './read-columns';

/**
 * A version's forecast rows as one Arrow record batch: raw with note and operation, or at the grain
 * (docs/contract/04-data-loading.md). No rows make a body of no bytes.
 *
 * The statement is the stored template. Note and operation come from the log in the same snapshot,
 * which costs less than a join per row.
 *
 * @param signal ends the statement if the client has gone away
 * @throws AppError 404 if there is no such version or template, 422 for a value Arrow cannot hold
 */
export function readForecast(
  db: Database,
  versionId: number,
  operation: 'get_data' | 'get_agg',
  signal: AbortSignal,
): Promise<{ body: Uint8Array<ArrayBuffer>; rowCount: number }> {
  const read = db.versionRead(versionId, async (tx) => {
    const { version, source, columns, table } = await readVersion(tx, versionId);
    const template = await storedTemplate(tx, source.id, operation);
    const select = substitute(template, { fc_table: table, version_id: sql`${version.id}` });

    const plan = await blameClient({ words: operation }, () =>
      planColumns(tx, select, columns, 'measure'),
    );
    const decoder = new CopyDecoder(plan);
    await tx.copyOut(select, (chunk) => decoder.write(chunk), signal);
    const decoded = decoder.finish();
    const logids = decoded.find((c) => c.name === 'pf_logid');

    if (operation === 'get_data' && logids) {
      const labels = await entryLabels(tx, versionId);
      decoded.push(
        mappedDictionary('pf_note', logids, new Map(labels.map((e) => [e.id, e.note]))),
        mappedDictionary('pf_op', logids, new Map(labels.map((e) => [e.id, e.operation]))),
      );
    }
    return { body: encode(decoded), rowCount: decoder.rows };
  });
  return read.catch(async (error: unknown) => {
    // If the version was deleted meanwhile, its table is gone with it; the 404 then names the version.
    if (error instanceof AppError && [404, 409].includes(error.status)) {
      await getVersion(db, versionId);
    }
    throw error;
  });
}
