/** A request that a form sends. */
import { messageOf } from './message-of';

/** Sends one request at a time, and tells whether one is open and why the last one failed. */
export class Submission {
  busy = $state(false);
  /** Why the last request failed, as a sentence; null if it did not. */
  failure = $state<string | null>(null);

  /** Runs a request, unless one is open. */
  async run(work: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.failure = null;
    try {
      await work();
    } catch (error) {
      this.failure = messageOf(error);
    } finally {
      this.busy = false;
    }
  }
}
