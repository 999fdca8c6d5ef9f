/** How many tasks run at once. */
export interface Widths {
  /** Of all keys together. */
  all: number;
  /** Of one key. */
  ofKey: number;
  /** Of all keys together, where one starts a task beside another of its own: the rest is for first ones. */
  beside: number;
}

interface Waiting {
  key: number;
  start: () => void;
}

/**
 * Lets tasks of one key run a few at a time, in the order they came. Keys with many tasks leave room
 * for those that have none running yet.
 */
export class Queue {
  readonly #running = new Map<number, number>();
  #waiting: Waiting[] = [];
  #total = 0;

  constructor(private readonly widths: Widths) {}

  async run<T>(key: number, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ key, start });
      this.#startNext();
    });
    try {
      return await task();
    } finally {
      this.#leave(key);
      this.#startNext();
    }
  }

  /** Starts whoever may run now, the earliest first; a key's tasks never pass one another. */
  #startNext(): void {
    const held = new Set<number>();
    this.#waiting = this.#waiting.filter(({ key, start }) => {
      if (held.has(key) || !this.#hasRoom(key)) {
        held.add(key);
        return true;
      }
      this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
      this.#total += 1;
      start();
      return false;
    });
  }

  #hasRoom(key: number): boolean {
    const running = this.#running.get(key) ?? 0;
    const { all, ofKey, beside } = this.widths;
    return running === 0 ? this.#total < all : running < ofKey && this.#total < beside;
  }

  #leave(key: number): void {
    const running = this.#running.get(key)! - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
    this.#total -= 1;
  }
}
