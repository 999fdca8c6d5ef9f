/** The conversions of a version that can be computed now (docs/contract/24-lookups.md#conversions). */
import { repeatedIn } from '../../db/setup/lookups';
import type { Transaction } from '../../db/connection/transaction';
import type { Conversions } from '../../db/totals/converted-rows';
import { AppError } from '../../errors';
import { repeatedKeys } from '../../sql/lookups';
import { blameSource } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';

/** The lookups with conversions, without those that cannot be joined, or whose table has several rows for a key. */
export async function usableConversions(
  tx: Transaction,
  { lookups }: Pick<ForecastVersion, 'lookups'>,
): Promise<Conversions[]> {
  const usable: Conversions[] = [];
  for (const join of lookups) {
    if ('problem' in join || join.conversions.length === 0) continue;
    const { lookup, joined, conversions } = join;
    if (!joined.isUnique) {
      const repeated = await tx.attempt(() =>
        blameSource(lookup, () => repeatedIn(tx, repeatedKeys(joined, 1))),
      );
      if (repeated instanceof AppError || repeated.length > 0) continue;
    }
    usable.push({ joined, conversions });
  }
  return usable;
}
