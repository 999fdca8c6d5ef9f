import { expect } from 'vitest';
import type { Api } from './http';
import { until } from './race';

/** People who plan one change after the other, until they are stopped. */
export interface Planners {
  /** How many changes are known to be made. */
  made(): number;
  /** What was answered, or lost, before a change was known to be made. */
  interruptions: string[];
  /** Lets each finish the change that it is at. @returns the notes of all changes, which are their names too */
  stop(): Promise<string[]>;
}

/**
 * Lets people scale all rows of a version by 1, as a page does: with a key for each change, which is sent
 * again until an answer says what became of it.
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
        // What the service itself answers says when to try again.
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
  // It is awaited when they are stopped.
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
