import { setImmediate } from 'node:timers/promises';

/** How long a piece of work may keep the event loop busy before other requests get their turn. */
const TURN_MILLISECONDS = 8;

/** Lets other requests run in the middle of long work. */
export class Turns {
  #since = performance.now();

  /** Whether the work has kept the event loop for a whole turn. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MILLISECONDS;
  }

  /** To be awaited often; it waits only if the turn is over. */
  async give(): Promise<void> {
    if (!this.isOver) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
