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
