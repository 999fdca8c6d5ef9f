/** Returns a quantile of some values; NaN if there are none. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;

/** Returns the median of some values; NaN if there are none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Returns the duration of some work, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** One way to do some work. @returns its duration, in ms */
export type Way = () => Promise<number>;

/**
 * Measures several ways alternately, so that other load on the machine affects all of them. The first round
 * warms up and does not count.
 */
export async function takeTurns(
  ways: Readonly<Record<string, Way>>,
  rounds: number,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const took = await way();
      if (round > 0) (times[name] ??= []).push(took);
    }
  }
  return times;
}
