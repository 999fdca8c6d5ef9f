/** Sentences that say why an amount cannot be written. */

/** Why a percentage cannot be typed if the sum is 0. */
export const NOTHING_OF_ZERO = 'This total is 0, so a percentage has no effect. Type an amount.';
export const HELD_BY_PERCENT =
  'Some of these rows are locked, so the price can be held only with a percentage.';
export const LESS_THAN_A_UNIT = 'This is less than one unit, so the price cannot be held.';
/** Why an amount cannot be written in equal parts either, which rows that cancel each other out would need. */
export const CANCELLED =
  'The rows of this cell cancel each other out, so a change cannot be spread in proportion to them. Type an amount without holding the price.';
export const NO_VALUE = 'The value of this change rounds to 0, so the price cannot be held.';
