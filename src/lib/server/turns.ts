/** Lets other requests run during long work. */
import { setImmediate } from 'node:timers/promises';

/** Time for which a piece of work may block the event loop before other requests get a turn. */
const TURN_MILLISECONDS = 8;

/** Lets other requests run during long work. */
export class Turns {
  private since = performance.now();

  /** Whether the work has blocked the event loop for a whole turn. */
  get isOver(): boolean {
    return performance.now() - this.since > TURN_MILLISECONDS;
  }

  /** Call this often. It waits only if the turn is over. */
  async give(): Promise<void> {
    if (!this.isOver) return;
    await setImmediate();
    this.since = performance.now();
  }
}
