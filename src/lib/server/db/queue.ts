/** Lets at most `width` tasks of one key run at a time; the others wait in the order they came. */
export class Queue {
  readonly #running = new Map<number, number>();
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(readonly width: number) {}

  async run<T>(key: number, task: () => Promise<T>): Promise<T> {
    await this.#enter(key);
    try {
      return await task();
    } finally {
      this.#leave(key);
    }
  }

  async #enter(key: number): Promise<void> {
    const running = this.#running.get(key) ?? 0;
    if (running < this.width) {
      this.#running.set(key, running + 1);
      return;
    }
    // Who leaves hands its place over, so the number of those running stays as it is.
    await new Promise<void>((resolve) => {
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]);
    });
  }

  #leave(key: number): void {
    const [next, ...rest] = this.#waiting.get(key) ?? [];
    if (next) {
      if (rest.length > 0) this.#waiting.set(key, rest);
      else this.#waiting.delete(key);
      next();
      return;
    }
    const running = this.#running.get(key)! - 1;
    if (running > 0) this.#running.set(key, running);
    else this.#running.delete(key);
  }
}
