import { expect } from 'vitest';
import type { Api } from './http';
import { until } from './race';

/** Planners who make one change after the other until they are stopped. */
export interface Planners {
  /** Number of confirmed changes. */
  made(): number;
  /** Errors and lost answers before a change was confirmed. */
  interruptions: string[];
  /** Lets each planner finish its current change. @returns the notes of all changes, which are unique */
  stop(): Promise<string[]>;
}

/**
 * Starts planners who scale all rows of a version by 1, as a page does: each change has a key, and is sent
 * again until an answer gives the outcome.
 *
 * @param path of the version
 */
export function startPlanners(api: Api, path: string, names: readonly string[]): Planners {
  const made: string[] = [];
  const interruptions: string[] = [];
  let stopped = false;
  const change = (tag: string) =>
    until(async () => {
      try {
        const answer = await api.send(`${path}/scale`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': tag },
          body: JSON.stringify({ pf_user: 'ann', slice: {}, value_incr: 1, note: tag }),
        });
        if (answer.status === 200) return true;
        // Errors of the service itself say when to try again.
        if (answer.body) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
        interruptions.push(`${answer.status} ${answer.body?.error ?? ''}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        interruptions.push(String(error.cause));
      }
      return false;
    });
  const planner = async (name: string) => {
    for (let i = 1; !stopped; i += 1) {
      await change(`${name} ${i}`);
      made.push(`${name} ${i}`);
    }
  };
  const all = Promise.all(names.map(planner));
  // The promise is awaited when they are stopped.
  all.catch(() => {});
  return {
    made: () => made.length,
    interruptions,
    stop: async () => {
      stopped = true;
      await all;
      return made;
    },
  };
}
