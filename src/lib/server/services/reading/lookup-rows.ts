/** The attributes of the keys of a version, as Arrow. */
import { createHash } from 'node:crypto';
import { encodeParts } from '../../arrow/encode';
import type { Bodies } from '../../bodies';
import type { Reservation } from '../../budget';
import type { Database } from '../../db/database';
import type { Transaction } from '../../db/connection/transaction';
import { keysIn } from '../../db/setup/lookups';
import { found } from '../../db/connection/queryable';
import { AppError } from '../../errors';
import { grainColumns } from '../../sql/forecast-columns';
import type { JoinedLookup } from '../../sql/lookups';
import { attributesOfRows, keyColumns, notUnique, repeatedKeys } from '../../sql/lookups';
import { blameSource } from '../client-faults';
import { type ForecastVersion, limited, readVersion } from '../version/forecast-version';
import { unjoined } from '../version/lookups';
import { planColumns, readColumns } from './read-columns';

/** An Arrow stream with a reservation for its memory, which the caller releases. */
export interface LookupRows {
  parts: readonly Uint8Array[];
  rowCount: number;
  /** Names the bytes. */
  tag: string;
  memory: Reservation;
}

/**
 * The combinations of a lookup's keys that occur in the rows of a version that the sender may read, with their
 * attributes, as one Arrow record batch (docs/contract/24-lookups.md#get-lookupsidrows). No rows make a body of no
 * bytes.
 *
 * @throws AppError 404 if there is no such lookup or version, or they are of different sources; 409 if the lookup
 * cannot be joined, also at a grain without its keys; 422 if its table cannot be read
 */
export const readLookupRows = (
  { db, bodies }: { db: Database; bodies: Bodies },
  id: number,
  versionId: number,
  signal: AbortSignal,
): Promise<LookupRows> =>
  bodies.budget.run(
    (memory) =>
      db.versionRead(
        versionId,
        async (tx) => ({
          ...(await lookupRows(tx, await readVersion(tx, versionId), id, memory)),
          memory,
        }),
        'rows',
        signal,
      ),
    signal,
  );

/**
 * The rows of a lookup for a version as a transaction sees it, also after writes that it has not committed.
 *
 * @throws AppError as {@link readLookupRows}
 */
export async function lookupRows(
  tx: Transaction,
  target: ForecastVersion,
  id: number,
  memory: Reservation,
): Promise<Omit<LookupRows, 'memory'>> {
  const wanted = target.lookups.find(({ lookup }) => lookup.id === id);
  const join = found(wanted, `lookup ${id} of source ${target.source.id}`);
  if ('problem' in join) throw unjoined(join.lookup, join.problem);
  const { lookup, joined, attributes, conversions } = join;
  requireInGrain(target, joined);
  const select = attributesOfRows(joined, attributes, conversions, target.rows);
  const read = async () => {
    if (!joined.isUnique && (await keysIn(tx, repeatedKeys(joined, 1))).length > 0) {
      throw new AppError(409, notUnique(joined));
    }
    const plan = await planColumns(tx, select, [], 'measure');
    const { columns, rowCount } = await readColumns(tx, select, plan, memory);
    const parts = encodeParts(columns);
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return { parts, rowCount, tag: hash.digest('base64url') };
  };
  return blameSource(lookup, read, limited(target) !== undefined);
}

/** @throws AppError 409 if the version is shown at a grain that lacks a key of the lookup */
function requireInGrain({ columns }: ForecastVersion, lookup: JoinedLookup): void {
  if (grainColumns(columns).length === 0) return;
  const missing = keyColumns(lookup).filter(({ inGrain }) => !inGrain);
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => `"${name}"`).join(', ');
  throw unjoined(
    lookup,
    `rows are shown at a grain without ${names}; mark these columns for the grain`,
  );
}
