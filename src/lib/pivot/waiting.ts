/** Keeps questions about a table away from times in which its rows are not complete. */
export class Gate {
  private closed: Promise<unknown> | null = null;
  /** How often rows were missing. */
  private closings = 0;

  /** Called when the table is complete, before any question goes on. */
  onOpen: () => void = () => undefined;

  /** Whether rows are missing now. */
  get isClosed(): boolean {
    return this.closed !== null;
  }

  /** Does what leaves the table incomplete until it ends. One such work runs at a time. */
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
   * Asks when the table is complete, and once more if rows were missing meanwhile.
   *
   * @param question may run more than once
   * @throws whatever it throws
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
 * Answers by what was asked, so that nothing is asked twice. A failure is not kept: the next one asks
 * anew, or what failed once would stay unreadable.
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

  /** Forgets all answers. @returns those that were kept */
  forget(): Promise<T>[] {
    const answers = [...this.kept.values()];
    this.kept.clear();
    return answers;
  }
}

/** Tells when something begins to be worked on, and when all of it is done or has failed. */
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

/** Runs pieces of work one after the other, in the order in which they come. */
export class InTurn {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after the work before it has ended or failed. @throws whatever `work` throws */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all work that has come so far is over. */
  async over(): Promise<void> {
    await this.last;
  }
}

/** Yields the thread to other waiting tasks. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** An event that happens once, and that many may wait for. */
export class Signal {
  give: () => void = () => undefined;
  private readonly given = new Promise<void>((resolve) => (this.give = resolve));

  /** Whether it happens within some milliseconds. */
  within(ms: number): Promise<boolean> {
    return endsWithin(ms, this.given);
  }
}
