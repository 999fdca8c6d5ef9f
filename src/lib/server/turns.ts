/** Lets other requests run during long work. */
import { setImmediate } from 'node:timers/promises';

/** Time for which a piece of work may block the event loop before other requests get a turn. */
const TURN_MILLISECONDS = 8;

/** Lets other requests run during long work. */
export class Turns {
  private since = performance.now();

  /** @param signal ends the work when nobody waits for it */
  constructor(private readonly signal?: AbortSignal) {}

  /** Whether the work has blocked the event loop for a whole turn. */
  get isOver(): boolean {
    return performance.now() - this.since > TURN_MILLISECONDS;
  }

  /** Call this often. It waits only if the turn is over. @throws the reason of the signal if that is aborted */
  async give(): Promise<void> {
    if (this.isOver) {
      await setImmediate();
      this.since = performance.now();
    }
    this.signal?.throwIfAborted();
  }

  /** Works on one item after the other, and gives turns between them. @throws as `give` */
  async each<Item, Result>(
    items: readonly Item[],
    work: (item: Item, i: number) => Result,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const [i, item] of items.entries()) {
      this.signal?.throwIfAborted();
      // A promise for each item would take longer than many kinds of work.
      if (this.isOver) await this.give();
      results.push(work(item, i));
    }
    return results;
  }
}
