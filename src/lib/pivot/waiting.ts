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
