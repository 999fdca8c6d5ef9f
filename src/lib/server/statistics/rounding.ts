/** Rounds the amounts of forecasts to the decimals of their column. */

/** @param decimals null for a floating-point column, whose amounts stay as they are */
export const rounded = (amount: number, decimals: number | null): number =>
  decimals === null ? amount : Number(amount.toFixed(Math.min(20, Math.max(0, decimals))));

/**
 * Rounds amounts so that the first n of them add up to their rounded sum, for each n: small amounts are not lost.
 *
 * @param decimals null for a floating-point column, whose amounts stay as they are
 */
export function roundedTogether(amounts: readonly number[], decimals: number | null): number[] {
  if (decimals === null) return [...amounts];
  let [exact, given] = [0, 0];
  return amounts.map((amount) => {
    exact += amount;
    const next = rounded(rounded(exact, decimals) - given, decimals);
    given += next;
    return next;
  });
}
