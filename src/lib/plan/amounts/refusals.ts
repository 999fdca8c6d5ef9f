/** Why an amount cannot be written, as sentences. */
import { exactBelow, roundedProduct } from '../../contract/decimals';
import type { SlicePreview } from '../../contract/previews';
import { totalOf, grossIn, keysIn, roundedTo, type WithDecimals } from '../../contract/measures';
import type { MeasureEdit, ScaleDraft } from './scale-draft';
import { type ConversionOf, missingRates } from './typed-conversion';

/** Why a percentage cannot be typed if the sum is 0. */
export const NOTHING_OF_ZERO = 'This total is 0, so a percentage has no effect. Type an amount.';
/** Why amounts of both measures cannot hold the price of partly locked rows. */
export const HELD_BY_ONE =
  'Some of these rows are locked, so the price can be held only with a percentage or an amount of one measure. Remove the other one.';
/** Why the price of partly locked rows cannot be held. */
export const NO_FREE_PRICE =
  'The rows that are not locked have no price to hold: their value or their units add up to 0. Remove “Hold price” to change one measure alone.';
/** Why an amount of a cell whose members follow a lookup cannot be written. */
export const MEMBERS_MOVED =
  'The rows of this cell or their rates have changed: by another change, or in the table of a lookup. Reload the rows, then type the amount again.';
/** Why an amount that was typed into a row "Others" cannot be written. */
export const OTHER_GROUPS = 'Others adds up other groups now. Check the number and type it again.';
/** Returns why conversions of some rows cannot be typed into; null if they can. */
export function whyUnconverted(
  conversions: readonly ConversionOf[],
  rows: Pick<SlicePreview, 'conversions' | 'free'>,
): string | null {
  for (const conversion of conversions) {
    const missing = missingRates(conversion, rows);
    if (missing === null)
      return `“${conversion.name}” cannot be computed now: its lookup has a problem. Reload the page to see it.`;
    if (missing > 0) {
      const which =
        missing === 1
          ? '1 row of this cell has'
          : `${missing.toLocaleString()} rows of this cell have`;
      return `${which} no rate for “${conversion.name}”, so an amount cannot be converted. Add the rates to the table of the lookup, or select other rows.`;
    }
  }
  return null;
}

/** Returns why no change of a measure gives a conversion another amount. @param measure its label */
export const whyNoRate = (measure: string): string =>
  `The rows that can change add up to 0 in ${measure} or in its conversion, so no percentage of them gives this amount.`;

/**
 * Returns why nothing can be typed into a formula that uses a measure more than once: as itself or by conversions.
 *
 * @param columns the labels of the columns that are made of the measure
 * @param measure its label
 */
export const whyTogether = (columns: readonly string[], measure: string): string =>
  `${columns.join(' and ')} are made of ${measure}, so they change together, and no amount can be typed into a formula of them. Type into one of them.`;

export const LESS_THAN_A_UNIT = 'This is less than one unit, so the price cannot be held.';
/** Why an amount cannot be written in equal parts either, which rows that cancel each other out would need. */
export const CANCELLED =
  'The rows of this cell cancel each other out, so a change cannot be spread in proportion to them. Type an amount without holding the price.';
export const NO_VALUE = 'The value of this change rounds to 0, so the price cannot be held.';

/**
 * Returns why an amount is spread in proportion regardless of the planner's choice; null if it can also be
 * spread in equal parts (docs/contract/14-what-the-operations-compute.md).
 */
export function whyInProportion({ edits, holdPrice }: ScaleDraft): string | null {
  if (holdPrice) return 'To hold the price, value is spread like units.';
  const isPercentage = Object.values(edits).some((edit) => edit?.by === 'percent');
  return isPercentage ? 'A percentage applies to each row, so it cannot be spread equally.' : null;
}

/** Whether the amounts of a measure are zero on every leaf. */
export const isZero = (key: string, free: SlicePreview['free']): boolean =>
  !totalOf(free, key) && !grossIn(free, key);

/** Whether the amounts of all measures are zero on every leaf, so that no operation can move or copy any. */
export const isAllZero = (rows: SlicePreview['free']): boolean =>
  keysIn(rows).every((key) => isZero(key, rows));

/**
 * Returns why some measures of a slice cannot change: their amounts would be spread over rows that the user's territories
 * let them see and not change. Null if they can; a row of 0 gets no part in proportion.
 *
 * @param isEqual whether each row gets an equal part
 */
export const whyReadOnly = (
  { read_only }: Pick<SlicePreview, 'read_only'>,
  keys: readonly string[],
  isEqual = false,
): string | null =>
  read_only && (isEqual || keys.some((key) => grossIn(read_only, key)))
    ? 'Your territories let you see some of these rows but not change them.'
    : null;

/** Whether locks hold some of the rows, and the others have no price that could be held. */
export const hasNoFreePrice = ({ row_count, free }: Pick<SlicePreview, 'row_count' | 'free'>) =>
  free.row_count < row_count && !(free.value_total && free.units_total);

/**
 * Whether a share of the amounts of every measure rounds to zero. For rows that do not cancel each other out,
 * the share of the total decides.
 *
 * @param share such as 0.05 for 5 %
 */
const roundsToZero = (share: number, rows: SlicePreview['free'], decimals: WithDecimals): boolean =>
  keysIn(rows).every((key) => {
    const amount = Math.abs(grossIn(rows, key) ?? totalOf(rows, key) ?? 0);
    const digits = roundedTo(decimals, key);
    return digits === null ? amount * share === 0 : roundedProduct(amount, share, digits) === 0;
  });

const ALL_ZERO = {
  change: 'These amounts are all 0, so a percentage has no effect. Enter an amount.',
  copy: 'These rows add up to zero, so there is nothing to copy.',
  move: 'These rows add up to zero, so there is nothing to move.',
};
const ROUNDS_TO_ZERO = {
  change: 'This percentage of the amounts rounds to 0. Enter a larger one, or an amount.',
  copy: 'This part of the amounts rounds to 0. Enter a larger factor.',
  move: 'This part of the amounts rounds to 0. Enter a larger share.',
};

/**
 * Returns why changing, copying or moving a share of the amounts would write nothing; null if it would write
 * something. See {@link roundsToZero} for the parameters.
 */
export function whyNoShare(
  what: keyof typeof ALL_ZERO,
  share: number,
  rows: SlicePreview['free'],
  decimals: WithDecimals,
): string | null {
  if (isAllZero(rows)) return ALL_ZERO[what];
  return roundsToZero(share, rows, decimals) ? ROUNDS_TO_ZERO[what] : null;
}

/**
 * Returns why an amount cannot be written exactly; null if it can. The page announces the difference of a
 * total from the current one, so that must be exact, too.
 *
 * @param decimals of the column; null if it has no fixed number of them
 */
export function whyInexact(
  { by, amount }: MeasureEdit,
  now: number,
  decimals: number | null,
): string | null {
  if (by === 'percent' || decimals === null) return null;
  const limit = exactBelow(decimals);
  if (Math.abs(amount) >= limit) return TOO_LARGE;
  return by === 'total' && Math.abs(now) >= limit
    ? 'This total has too many digits to be exact. Type a change, such as +500, or a percentage.'
    : null;
}

/** The sentence for an amount that no number of the page can represent exactly. */
export const TOO_LARGE =
  'This amount has too many digits to be stored exactly. Type a smaller change, or a percentage.';
