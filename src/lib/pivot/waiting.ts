/** Keeps questions about a table away from times in which its rows are not complete. */
export class Gate {
  private closed: Promise<unknown> | null = null;
  /** How often rows were missing. */
  private closings = 0;

  /** @param onOpen is told when the table is complete, before any question goes on */
  constructor(private readonly onOpen: () => void = () => undefined) {}

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

/** So long some steps may take together, and each of them. */
export const PATIENCE_MS = 5000;

/**
 * Takes some steps, one after the other, and goes on if one fails or does not end. Waits until all are through,
 * but no longer than {@link PATIENCE_MS}; the steps that are left then are taken all the same.
 */
export async function ended(...steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  await inTime(async () => {
    for (const step of steps) await inTime(step);
  });
}

/** Waits until something has ended, in whatever way, or for {@link PATIENCE_MS}. */
async function inTime(work: () => Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
  // One that throws at once fails like one that rejects.
  const working = (async () => work())();
  await Promise.race([working.catch(() => undefined), late]);
  clearTimeout(timer);
}

/** Lets whatever else waits for the thread go before what follows. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
