import fc from 'fast-check';

/**
 * Generated cases are drawn from a fixed seed, so that the same code gets the same verdict;
 * FAST_CHECK_SEED draws others.
 */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_261_121) });
