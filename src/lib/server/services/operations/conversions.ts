/** The conversions of a version that can be computed now (docs/contract/24-lookups.md#conversions). */
import { repeatedIn } from '../../db/setup/lookups';
import type { Transaction } from '../../db/connection/transaction';
import type { Conversions, ConvertedRows } from '../../db/totals/converted-rows';
import { AppError } from '../../errors';
import { repeatedKeys } from '../../sql/lookups';
import { blameSource } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';

/**
 * Adds up the conversions of some slices, those of all lookups together. A lookup is left out if it cannot be joined, if
 * its table has several rows for a key, or if its table cannot be read; the transaction goes on.
 *
 * @param convert returns the conversions of one lookup, slice by slice
 * @returns the conversions slice by slice; no slices without conversions
 */
export async function usableConversions(
  tx: Transaction,
  { lookups }: Pick<ForecastVersion, 'lookups'>,
  convert: (lookup: Conversions) => Promise<ConvertedRows[]>,
): Promise<ConvertedRows[]> {
  const answers: ConvertedRows[] = [];
  for (const join of lookups) {
    if ('problem' in join || join.conversions.length === 0) continue;
    const { lookup, joined, conversions } = join;
    const converted = await tx.attempt(() =>
      blameSource(lookup, async () => {
        const isUsable =
          joined.isUnique || (await repeatedIn(tx, repeatedKeys(joined, 1))).length === 0;
        return isUsable ? convert({ joined, conversions }) : [];
      }),
    );
    if (converted instanceof AppError) continue;
    for (const [i, { included, free }] of converted.entries()) {
      const before = answers[i];
      answers[i] = {
        included: { ...before?.included, ...included },
        free: { ...before?.free, ...free },
      };
    }
  }
  return answers;
}
