/** Has questions about a table wait while its rows are not complete. */
export class Gate {
  private closed: Promise<unknown> | null = null;

  /** Whether rows are missing now. */
  get isClosed(): boolean {
    return this.closed !== null;
  }

  /** Does what leaves the table incomplete until it ends. One such work runs at a time. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    this.closed = working.catch(() => undefined);
    try {
      return await working;
    } finally {
      this.closed = null;
    }
  }

  /** Resolves when the table is complete. */
  async opened(): Promise<void> {
    while (this.closed) await this.closed;
  }
}
