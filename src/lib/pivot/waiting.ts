/** Helpers for asynchronous work: a gate, a cache of answers, a queue, timeouts. */

/** Delays questions about a table while its rows are incomplete. */
export class Gate {
  private closed: Promise<unknown> | null = null;
  /** Number of times that rows were missing. */
  private closings = 0;

  /** Called when the table is complete, before any question continues. */
  onOpen: () => void = () => undefined;

  /** Whether rows are missing now. */
  get isClosed(): boolean {
    return this.closed !== null;
  }

  /** Runs work that leaves the table incomplete until it ends. Only one such work runs at a time. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.closings++;
    const working = work();
    this.closed = working.catch(() => undefined);
    try {
      return await working;
    } finally {
      try {
        this.onOpen();
      } finally {
        this.closed = null;
      }
    }
  }

  /**
   * Asks when the table is complete, and asks again if rows were missing meanwhile.
   *
   * @param question may run more than once
   * @throws any error of `question`
   */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.opened();
      const { closings } = this;
      try {
        const answer = await question();
        if (closings === this.closings) return answer;
      } catch (error) {
        if (closings === this.closings) throw error;
      }
    }
  }

  /** Resolves when the table is complete. */
  async opened(): Promise<void> {
    while (this.closed) await this.closed;
  }
}

/**
 * A cache of answers by question, so that each question is asked once. Failures are not cached: the next call
 * asks again, since a single failure would otherwise last.
 */
export class Answers<T> {
  private readonly kept = new Map<string, Promise<T>>();

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.kept.get(key);
    if (known) return known;
    const answer = ask();
    this.kept.set(key, answer);
    answer.catch(() => {
      if (this.kept.get(key) === answer) this.kept.delete(key);
    });
    return answer;
  }

  /** Whether a question was asked. */
  has(key: string): boolean {
    return this.kept.has(key);
  }

  /** Clears the cache. @returns the answers that were cached */
  forget(): Promise<T>[] {
    const answers = [...this.kept.values()];
    this.kept.clear();
    return answers;
  }
}

/** Reports when the first work begins, and when all work has ended or failed. */
export class Busy {
  private running = 0;

  constructor(private readonly tell: (isBusy: boolean) => void) {}

  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.running++ === 0) this.tell(true);
    try {
      return await work();
    } finally {
      if (--this.running === 0) this.tell(false);
    }
  }
}

/** Timeout for each step of {@link ended} and for all of them, in milliseconds. */
export const PATIENCE_MS = 5000;

/**
 * Runs some steps one after the other, and goes on if one fails or does not end in time. Returns when all have
 * run, or after {@link PATIENCE_MS}; the remaining steps then still run.
 */
export async function ended(...steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  await inTime(async () => {
    for (const step of steps) await inTime(step);
  });
}

/** Waits until `work` has ended or failed, or for {@link PATIENCE_MS}. */
async function inTime(work: () => Promise<unknown>): Promise<void> {
  // Work that throws at once fails like work that rejects.
  const working = (async () => work())();
  await endsWithin(
    PATIENCE_MS,
    working.catch(() => undefined),
  );
}

/** Whether a promise resolves within some milliseconds. */
async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const isEnded = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isEnded;
}

/** Runs pieces of work one after the other, in the order of their calls. */
export class InTurn {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after the previous work has ended or failed. @throws any error of `work` */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all work that was added so far has ended. */
  async over(): Promise<void> {
    await this.last;
  }
}

/** Yields the thread to other waiting tasks. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** An event that happens once and that any number of callers can wait for. */
export class Signal {
  give: () => void = () => undefined;
  private readonly given = new Promise<void>((resolve) => (this.give = resolve));

  /** Returns whether the event happens within some milliseconds. */
  within(ms: number): Promise<boolean> {
    return endsWithin(ms, this.given);
  }
}
