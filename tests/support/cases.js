// The number of random cases.

/** PF_TEST_CASES=10 plays ten times as many random cases, which then may take ten times as long. */
export const CASES_FACTOR = Number(process.env.PF_TEST_CASES || 1);

/**
 * Returns the number of cases of a property.
 * @param {number} usual the number in `npm test`
 */
export const cases = (usual) => Math.ceil(usual * CASES_FACTOR);
