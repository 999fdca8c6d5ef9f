import fc from 'fast-check';

/**
 * Generated cases use a fixed seed, so that the same code gets the same result. FAST_CHECK_SEED sets another
 * one.
 */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_261_121) });
