/** Spreads of a scale by the weights of its periods. */

/** By weights per period. */
export const profile = (weights: Record<string, number>, unit = 'month') => ({
  profile: { column: 'Order Date', unit, weights },
});

/** By the same weight for each period. */
export const even = (unit = 'month') => ({ profile: { column: 'Order Date', unit, even: true } });
