/** The one at this share of the sorted values; NaN if there are none. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;

/** The one in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How many milliseconds some work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** One way to do a piece of work. @returns how many milliseconds it took */
export type Way = () => Promise<number>;

/**
 * Lets ways take turns, so that what else the machine does meets all of them. The first round warms up
 * and does not count.
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
