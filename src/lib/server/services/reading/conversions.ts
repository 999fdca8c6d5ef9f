/** The conversions of a version that can be computed now (docs/contract/24-lookups.md#conversions). */
import { keysIn } from '../../db/setup/lookups';
import type { Transaction } from '../../db/connection/transaction';
import {
  type Conversions,
  type Converted,
  type ConvertedRows,
  convertedParts,
} from '../../db/totals/converted-rows';
import { AppError } from '../../errors';
import { repeatedKeys } from '../../sql/lookups';
import type { SqlText } from '../../sql/quote';
import { blameSource } from '../client-faults';
import type { ForecastVersion } from '../version/forecast-version';

/**
 * Adds up the conversions of some slices, those of all lookups together, as {@link byLookup}.
 *
 * @param convert returns the conversions of one lookup, slice by slice
 * @returns the conversions slice by slice; no slices without conversions
 */
export async function usableConversions(
  tx: Transaction,
  target: Pick<ForecastVersion, 'lookups'>,
  convert: (lookup: Conversions) => Promise<ConvertedRows[]>,
): Promise<ConvertedRows[]> {
  const answers: ConvertedRows[] = [];
  for (const ofLookup of await byLookup(tx, target, convert))
    for (const [i, { included, free }] of ofLookup.entries()) {
      const before = answers[i];
      answers[i] = {
        included: { ...before?.included, ...included },
        free: { ...before?.free, ...free },
      };
    }
  return answers;
}

/**
 * Adds up the conversions of the rows behind a condition by entry and origin, those of all lookups together, as
 * {@link byLookup}.
 *
 * @returns the conversions by name of an entry's rows of an origin; undefined without any
 */
export async function conversionsByPart(
  tx: Transaction,
  target: Pick<ForecastVersion, 'lookups' | 'rows'>,
  where: SqlText,
): Promise<(logid: number, iter: string) => Record<string, Converted> | undefined> {
  const parts = await byLookup(tx, target, (lookup) =>
    convertedParts(tx, target.rows, lookup, where),
  );
  const known = new Map<string, Record<string, Converted>>();
  for (const { logid, iter, conversions } of parts.flat()) {
    const key = `${logid} ${iter}`;
    known.set(key, { ...known.get(key), ...conversions });
  }
  return (logid, iter) => known.get(`${logid} ${iter}`);
}

/**
 * Computes something of each lookup with conversions. A lookup is left out if it cannot be joined, if its table has
 * several rows for a key, or if its table cannot be read; the transaction goes on.
 */
async function byLookup<Answer>(
  tx: Transaction,
  { lookups }: Pick<ForecastVersion, 'lookups'>,
  convert: (lookup: Conversions) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const join of lookups) {
    if ('problem' in join || join.conversions.length === 0) continue;
    const { lookup, joined, conversions } = join;
    const answer = await tx.attempt(() =>
      blameSource(lookup, async () => {
        const isUsable =
          joined.isUnique || (await keysIn(tx, repeatedKeys(joined, 1))).length === 0;
        return isUsable ? { answer: await convert({ joined, conversions }) } : null;
      }),
    );
    if (answer !== null && !(answer instanceof AppError)) answers.push(answer.answer);
  }
  return answers;
}
