/** A queue that limits the number of tasks running at once. */
export interface Widths {
  /** Of all keys together. */
  all: number;
  /** Of one key. */
  ofKey: number;
  /**
   * Of all keys together, beyond which no key starts a second task. The places up to `all` are for
   * keys that have none running.
   */
  beside: number;
}

/** Why a task was not run: its turn did not come in time. */
export class WaitedTooLong extends Error {}

/** Why a task was not run: too many tasks of its key wait already. */
export class TooManyWait extends Error {}

interface Waiting<Key> {
  key: Key;
  start: () => void;
}

/**
 * Lets tasks of one key run a few at a time, in the order they came. Keys with many tasks leave room
 * for those that have none running yet. A task that has waited too long is not run.
 */
export class Queue<Key = number> {
  private readonly running = new Map<Key, number>();
  private line: Waiting<Key>[] = [];
  private total = 0;

  /**
   * @param patience milliseconds that a task waits at most; 0 is without limit
   * @param mostWaiting tasks of one key that wait at most
   */
  constructor(
    private readonly widths: Widths,
    private readonly patience = 0,
    private readonly mostWaiting = Infinity,
  ) {}

  /** Number of waiting tasks. */
  get waiting(): number {
    return this.line.length;
  }

  /** @throws WaitedTooLong, TooManyWait, and the errors of the task */
  async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    await this.turn(key);
    try {
      return await task();
    } finally {
      this.leave(key);
      this.startNext();
    }
  }

  private turn(key: Key): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting<Key> = { key, start: resolve };
      this.line.push(waiting);
      this.startNext();
      if (this.line.filter((other) => other.key === key).length > this.mostWaiting) {
        this.line = this.line.filter((other) => other !== waiting);
        reject(new TooManyWait());
        return;
      }
      if (this.patience === 0 || !this.line.includes(waiting)) return;
      const timer = setTimeout(() => {
        this.line = this.line.filter((other) => other !== waiting);
        reject(new WaitedTooLong());
      }, this.patience);
      waiting.start = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Starts the tasks that may run now, earliest first; a key's tasks never pass one another. */
  private startNext(): void {
    const held = new Set<Key>();
    this.line = this.line.filter(({ key, start }) => {
      if (held.has(key) || !this.hasRoom(key)) {
        held.add(key);
        return true;
      }
      this.running.set(key, (this.running.get(key) ?? 0) + 1);
      this.total += 1;
      start();
      return false;
    });
  }

  private hasRoom(key: Key): boolean {
    const running = this.running.get(key) ?? 0;
    const { all, ofKey, beside } = this.widths;
    return running === 0 ? this.total < all : running < ofKey && this.total < beside;
  }

  private leave(key: Key): void {
    const running = (this.running.get(key) ?? 0) - 1;
    if (running > 0) this.running.set(key, running);
    else this.running.delete(key);
    this.total -= 1;
  }
}
