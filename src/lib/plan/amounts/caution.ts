/** Warnings about a scale whose rows cancel each other out. */
import { MAX_SWING, type SlicePreview } from '../../contract/previews';
import { tidy } from '../../pivot/values/cell-value';
import { grossIn, type AmountFields, totalOf, keysOf } from '../../contract/measures';
import type { KnownTotals, ScaleOutcome } from './scale-draft';
import { isZero } from './refusals';

/** A side effect of a change whose rows cancel each other out. */
export type Caution =
  /**
   * The parts add up to far more than the change, and have to be confirmed. `gross` is their sum; only
   * roughly at a held price, where the value follows the rounded units of each row.
   */
  | {
      kind: 'offset';
      measure: string;
      gross: number;
      isRough?: true;
      /** These are the other rows of a group whose total is kept. */
      isOfOthers?: true;
    }
  /** No amount can follow the proportions of the rows. The service can only spread it equally. */
  | { kind: 'cancelled'; measure: string };

/**
 * Checks whether the rows that a change is spread over cancel each other out
 * (docs/contract/14-what-the-operations-compute.md#scale).
 *
 * @returns null if they do not, and until the service has answered
 */
export function cautionOf(
  { amounts, drafts }: Pick<ScaleOutcome, 'amounts' | 'drafts'>,
  { free }: KnownTotals,
  isEqual: boolean,
): Caution | null {
  if (!amounts || !free || isEqual) return null;
  for (const measure of keysOf(drafts)) {
    const change = drafts[measure]?.change ?? 0;
    const caution = change !== 0 && cautionOfMeasure(measure, change, free, amounts);
    if (caution) return caution;
  }
  return null;
}

/** Whether a planner has confirmed this caution. */
export const isSameCaution = (caution: Caution | null, confirmed: Caution | null): boolean =>
  caution?.kind === confirmed?.kind &&
  caution?.measure === confirmed?.measure &&
  isOfOthers(caution) === isOfOthers(confirmed);

const isOfOthers = (caution: Caution | null): boolean =>
  caution?.kind === 'offset' && caution.isOfOthers === true;

function cautionOfMeasure(
  measure: string,
  change: number,
  free: SlicePreview['free'],
  { pct, spread }: AmountFields,
): Caution | null {
  const weights = pct == null ? weightsOf(measure, free) : measure;
  if (weights === null) return null;
  const gross = grossIn(free, weights);
  if (gross === null || gross === 0) return null;
  if (pct != null) return { kind: 'offset', measure, gross: tidy((gross * Math.abs(pct)) / 100) };
  const swing = gross / Math.abs(totalOf(free, weights) ?? 0);
  return swing <= MAX_SWING
    ? {
        kind: 'offset',
        measure,
        gross: tidy(Math.abs(change) * swing),
        ...(spread === 'price' && { isRough: true }),
      }
    : { kind: 'cancelled', measure };
}

/** Returns the measure whose amounts weight the spread of an increment; null for equal parts. */
function weightsOf(measure: string, free: SlicePreview['free']): string | null {
  if (!isZero(measure, free)) return measure;
  const others = ['value', 'units'].filter((key) => key !== measure);
  return others.find((key) => totalOf(free, key)) ?? null;
}
